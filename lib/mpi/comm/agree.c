/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/comm/agree.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/wait.h"
#include <limits.h>

int plani_mpi_fail(plan_error_t *err, int rc, const char *where)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len = 0;
    MPI_Error_string(rc, text, &len);
    plani_fail(err, (plan_status_t)rc, "%s: %s", where, text); /* positive: an MPI error code */
    return rc;
}

int plani_hear(MPI_Comm comm, void *data, size_t bytes, plan_error_t *err)
{
    MPI_Request request;
    int rc = MPI_Ibcast(data, (int)bytes, MPI_BYTE, 0, comm, &request);
    if (rc == MPI_SUCCESS) rc = plani_calm_wait(&request);
    return rc == MPI_SUCCESS ? 0 : plani_mpi_fail(err, rc, "waiting for rank 0");
}

int plani_agree(MPI_Comm comm, int rc, plan_error_t *err)
{
    int rank, worst, mpi;
    plan_error_t line = {.status = (plan_status_t)rc};

    if ((mpi = MPI_Comm_rank(comm, &rank)) != MPI_SUCCESS) return plani_mpi_fail(err, mpi, "agreeing");
    int mine = rc != 0 ? rank : INT_MAX;
    if ((mpi = MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MIN, comm)) != MPI_SUCCESS)
        return plani_mpi_fail(err, mpi, "agreeing");
    if (worst == INT_MAX) return 0;
    if (rank == worst) {
        if (err != NULL && err->status == (plan_status_t)rc && err->text[0] != '\0')
            line = *err;
        else if (rc > 0)
            plani_mpi_fail(&line, rc, "MPI");
        else
            plani_fail(&line, (plan_status_t)rc, "%s", plan_status_string((plan_status_t)rc));
    }
    if ((mpi = PMPI_Bcast(&line, (int)sizeof line, MPI_BYTE, worst, comm)) != MPI_SUCCESS)
        return plani_mpi_fail(err, mpi, "agreeing");
    if (err != NULL) *err = line;
    return (int)line.status;
}

int plani_agree_value(MPI_Comm comm, const char *what, long long value, plan_error_t *err)
{
    /* ~value falls as value rises, and unlike -value it does not overflow */
    long long mine[2] = {value, ~value}, least[2];
    int rc = MPI_Allreduce(mine, least, 2, MPI_LONG_LONG, MPI_MIN, comm);
    if (rc != MPI_SUCCESS) return plani_mpi_fail(err, rc, "agreeing");
    if (least[0] == ~least[1]) return 0;
    return plani_fail(err, PLAN_EDISAGREE, "ranks pass different values of %s, from %lld to %lld; pass the same", what,
                      least[0], ~least[1]);
}
