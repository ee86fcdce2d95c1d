/* SPDX-License-Identifier: BSD-3-Clause */
/* Non-blocking flat trees: gamma(P) of Nuriyev et al. 2022, section 5.1.
 *
 * The paper times N calls on the root, separated by barriers and with these included. Here a cycle is the flat tree and
 * its children's acknowledgements, then the same with an empty message. Half of the second time is taken off the first,
 * as a point-to-point time is a round trip less half an empty one. So gamma holds no barrier.
 */
#include "lib/mpi/measure/engine/engine.h"
#include "lib/mpi/comm/simulator.h"

enum { TAG_FLAT = 20, TAG_GO, TAG_END, TAG_ACK };
enum { CHILDREN_MOST = 16 };

/* Root: send to all children, wait for all acknowledgements. */
static int once(plani_engine_t *engine, const plani_task_t *task, int children, int bytes, int tag, double *seconds)
{
    MPI_Request r[2 * CHILDREN_MOST];
    double start = MPI_Wtime();

    for (int i = 0; i < 2 * children; i++) r[i] = MPI_REQUEST_NULL;
    int rc = MPI_SUCCESS;
    for (int i = 0; i < children && rc == MPI_SUCCESS; i++)
        rc = MPI_Irecv(NULL, 0, MPI_BYTE, task[i].to, TAG_ACK, engine->comm, &r[children + i]);
    for (int i = 0; i < children && rc == MPI_SUCCESS; i++)
        rc = MPI_Isend(engine->out, bytes, MPI_BYTE, task[i].to, tag, engine->comm, &r[i]);
    if (rc == MPI_SUCCESS) rc = MPI_Waitall(2 * children, r, MPI_STATUSES_IGNORE);
    *seconds = MPI_Wtime() - start;
    return rc;
}

static int lead(plani_engine_t *engine, const plani_task_t *task, int children, plani_result_t *mine)
{
    double start = MPI_Wtime(), ignored;
    int rc = MPI_SUCCESS;
    bool warm = false, last = false;

    mine->n = 0;
    while (!last) {
        int at = mine->n < PLANI_LOG ? mine->n : PLANI_LOG - 1;
        double passed;
        if ((rc = once(engine, task, children, task->bytes, TAG_FLAT, &mine->a[at])) != MPI_SUCCESS) return rc;
        passed = MPI_Wtime() - start;
        if (warm) mine->n++;
        warm = PLANI_NO_NOISE || passed > 0.2 * task->seconds;
        last = mine->n == PLANI_LOG || plani_result_enough(mine) || (mine->n >= 3 && passed > task->seconds) ||
               (PLANI_NO_NOISE && mine->n > 0);
        if ((rc = once(engine, task, children, 0, last ? TAG_END : TAG_GO, &ignored)) != MPI_SUCCESS) return rc;
        mine->b[at] = ignored;
    }
    return rc;
}

static int follow(plani_engine_t *engine, const plani_task_t *t)
{
    MPI_Request r;
    MPI_Status status = {.MPI_TAG = TAG_GO};
    int rc = MPI_SUCCESS;

    while (rc == MPI_SUCCESS && status.MPI_TAG != TAG_END) {
        rc = MPI_Irecv(engine->in, t->bytes, MPI_BYTE, t->from, MPI_ANY_TAG, engine->comm, &r);
        if (rc == MPI_SUCCESS) rc = MPI_Wait(&r, &status);
        if (rc == MPI_SUCCESS) rc = MPI_Send(NULL, 0, MPI_BYTE, t->from, TAG_ACK, engine->comm);
    }
    return rc;
}

int plani_do_flat(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *mine)
{
    int children = n < CHILDREN_MOST ? (int)n : CHILDREN_MOST;

    if (engine->rank == task->from) return lead(engine, task, children, mine);
    for (int i = 0; i < children; i++)
        if (task[i].to == engine->rank) return follow(engine, &task[i]);
    return MPI_SUCCESS;
}
