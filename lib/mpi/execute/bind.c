/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_bind: the plan of rank 0, as bytes, on all ranks. */
#include "lib/mpi/execute/bind.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/execute/common.h"
#include "lib/mpi/execute/binding.h"
#include "lib/mpi/execute/reduce.h"
#include "planner/plan/plan_private.h"
#include <stdlib.h>

/* Broadcast rank 0's bytes. */
static int send_bytes(MPI_Comm comm, int rank, void **bytes, size_t *len, plan_error_t *err)
{
    unsigned long long size = *len;
    int rc = PMPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, comm);
    if (rc != MPI_SUCCESS) return plani_mpi_fail(err, rc, "sending the plan");
    *len = (size_t)size;
    if (rank != 0 && (*bytes = malloc(*len)) == NULL)
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for a plan of %zu bytes", *len);
    if ((rc = plani_agree(comm, rc, err)) != 0) return rc;
    for (size_t at = 0; at < *len; at += PLANI_CHUNK) {
        size_t part = *len - at < PLANI_CHUNK ? *len - at : PLANI_CHUNK;
        if ((rc = PMPI_Bcast((char *)*bytes + at, (int)part, MPI_BYTE, 0, comm)) != MPI_SUCCESS)
            return plani_mpi_fail(err, rc, "sending the plan");
    }
    return 0;
}

static int pack_plan(const plan_t *offline, int ranks, void **bytes, size_t *len, plan_error_t *err)
{
    if (offline == NULL) return plani_fail(err, PLAN_EINVAL, "rank 0 passes no plan");
    if (plan_data(offline)->ranks != ranks)
        return plani_fail(err, PLAN_EMISMATCH, "the plan is for %d ranks and the communicator has %d; plan again",
                          plan_data(offline)->ranks, ranks);
    plan_status_t rc = plani_plan_pack(offline, bytes, len);
    return rc == PLAN_OK ? 0 : plani_fail(err, rc, "out of memory for a plan of %d ranks", ranks);
}

int plani_bind(MPI_Comm comm, const plan_t *offline, plan_t **out, plan_error_t *err)
{
    int rc, rank = 0, ranks = 0;
    void *bytes = NULL;
    size_t len = 0;
    plan_t *plan = NULL;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    rc = rank == 0 ? pack_plan(offline, ranks, &bytes, &len, err) : 0;
    if ((rc = plani_agree(comm, rc, err)) != 0) goto done;
    if ((rc = send_bytes(comm, rank, &bytes, &len, err)) != 0) goto done;
    rc = plani_plan_unpack(bytes, len, &plan, err);
    if (rc == PLAN_OK && (rc = plani_attach(plan, comm)) != PLAN_OK)
        plani_fail(err, rc,
                   rc == PLAN_ENOMEM
                       ? "out of memory for a plan of %d ranks"
                       : "MPI's largest tag is too small for the ranges and trees of this plan of %d ranks",
                   ranks);
    if ((rc = plani_agree(comm, rc, err)) != 0) goto done;
    if ((rc = plani_agree_value(comm, "the plan's hash", (long long)plan_data(plan)->hash, err)) != 0) goto done;
    rc = plan->reduces ? plani_attach_reduce(plan, err) : plani_attach_shared(plan, err);
    if (rc != 0) goto done;
    *out = plan, plan = NULL;
done:
    free(bytes);
    plani_detach(plan);
    plan_destroy(&plan);
    return rc;
}

/* Rank 0's environment decides. */
static int check_if_wanted(MPI_Comm comm, plan_t *plan, plan_error_t *err)
{
    bool check = false;
    int rank = 0, rc = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) rc = plani_check_wanted(&check, err);
    if ((rc = plani_agree(comm, rc, err)) != 0) return rc;
    if ((rc = PMPI_Bcast(&check, (int)sizeof check, MPI_BYTE, 0, comm)) != MPI_SUCCESS)
        return plani_mpi_fail(err, rc, "binding a plan");
    return check ? plani_attach_check(plan, err) : 0;
}

int plan_bind(MPI_Comm comm, const plan_t *offline, plan_t **plan, plan_error_t *err)
{
    MPI_Comm ours = MPI_COMM_NULL;
    plan_error_t line;
    int rc;

    if (err == NULL) err = &line;
    plani_clear(err);
    if (plan != NULL) *plan = NULL;
    if ((rc = plani_comm_dup(comm, &ours, err)) != 0) return rc;
    if (plan == NULL) rc = plani_fail(err, PLAN_EINVAL, "the output argument for the plan is NULL");
    if ((rc = plani_agree(ours, rc, err)) == 0) rc = plani_bind(ours, offline, plan, err);
    if (rc == 0 && (rc = check_if_wanted(ours, *plan, err)) != 0) {
        plani_detach(*plan);
        plan_destroy(plan);
    }
    if (rc != 0) MPI_Comm_free(&ours);
    return rc;
}
