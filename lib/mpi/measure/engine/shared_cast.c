/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcasts through the shared memory of each host. */
#include "lib/mpi/autotune/time.h"
#include "lib/mpi/measure/engine/engine.h"
#include <math.h>

/* All ranks, each host for itself. The slowest counts; no result where some host cannot share memory. */
int plani_do_shared(plani_engine_t *engine, const plani_task_t *task, plani_result_t *mine)
{
    const plan_candidate_t c = {.size = sizeof c, .name = "shared-memory", .run = PLAN_RUN_SHARED, .window = 1};
    MPI_Comm near = MPI_COMM_NULL;
    plan_error_t unused;
    double seconds = 0, slowest = 0;
    int ranks = 1, rc = MPI_Comm_split_type(engine->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);

    if (rc == MPI_SUCCESS) rc = MPI_Comm_size(near, &ranks);
    if (rc == MPI_SUCCESS && ranks > 1)
        rc = plani_time(near, 0, &c, (size_t)task->bytes, task->seconds, &seconds, NULL, &unused);
    if (near != MPI_COMM_NULL) MPI_Comm_free(&near);
    if (rc == PLAN_EUNSUPPORTED) rc = 0, seconds = INFINITY;
    if (rc != 0) seconds = NAN;
    int told = MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, engine->comm);
    mine->a[0] = slowest;
    mine->b[0] = 0;
    mine->n = isfinite(slowest) && slowest > 0;
    return rc != 0 ? rc : told;
}
