/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/measure/again.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/measure/engine/engine.h"

int plani_measure_again(MPI_Comm comm, const plani_again_t *what, double *rate, plani_ends_t *ends, plan_error_t *err)
{
    plani_engine_t engine;
    int rc = plani_engine_open(comm, &engine, err);

    *rate = 0;
    *ends = (plani_ends_t){0, 0};
    if (rc != 0) return rc;
    rc = engine.rank == 0 ? plani_engine_dismiss(&engine, plani_planner(NULL)->measure_again(&engine, what, rate, ends))
                          : plani_engine_serve(&engine);
    plani_engine_close(&engine);
    if (rc < 0) plani_fail(err, (plan_status_t)rc, "measuring again: %s", plan_status_string((plan_status_t)rc));
    if (rc > 0) plani_mpi_fail(err, rc, "measuring again");
    if (rc == 0 && (rc = PMPI_Bcast(rate, 1, MPI_DOUBLE, 0, comm)) != MPI_SUCCESS)
        plani_mpi_fail(err, rc, "measuring again");
    return rc;
}
