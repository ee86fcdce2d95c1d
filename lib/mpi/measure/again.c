/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/measure/again.h"
#include <math.h>
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/measure/engine/engine.h"

int plani_measure_again(MPI_Comm comm, const plani_again_t *what, plani_again_found_t *found, plan_error_t *err)
{
    plani_engine_t engine;
    int rc = plani_engine_open(comm, &engine, err);

    *found = (plani_again_found_t){.rate = 0};
    if (rc != 0) return rc;
    rc = engine.rank == 0 ? plani_engine_dismiss(&engine, plani_planner(NULL)->measure_again(&engine, what, found))
                          : plani_engine_serve(&engine);
    plani_engine_close(&engine);
    if (rc < 0) plani_fail(err, (plan_status_t)rc, "measuring again: %s", plan_status_string((plan_status_t)rc));
    if (rc > 0) plani_mpi_fail(err, rc, "measuring again");
    return rc;
}

bool plani_again_changed(const plani_again_found_t *found, double was, double now)
{
    double expected = fmin(was, found->without);

    if (!(found->rate > 0) || (found->at_least && found->rate < was)) return false;
    return fabs(log(found->rate / now)) < fabs(log(found->rate / expected));
}
