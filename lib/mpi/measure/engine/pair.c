/* SPDX-License-Identifier: BSD-3-Clause */
/* Ping-pongs between two ranks. */
#include "lib/mpi/measure/engine/engine.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/comm/wait.h"

enum { TAG_PING = 1, TAG_PONG, TAG_STOP };

/* Round trips per sample, so that a sample lasts about 20 us and the time to read the clock is a small part of it. */
static int repetitions(double round_trip)
{
    if (round_trip >= 20e-6) return 1;
    if (round_trip < 0.3e-6) return 64;
    return (int)(20e-6 / round_trip) + 1;
}

/* One sample of `times` round trips: the mean round trip [s] and the mean time inside MPI_Isend [s]. */
static int ping(plani_engine_t *engine, const plani_task_t *t, int times, double *round_trip, double *busy)
{
    double start = MPI_Wtime(), inside = 0;

    for (int k = 0; k < times; k++) {
        MPI_Request r[2];
        int rc = MPI_Irecv(engine->in, 0, MPI_BYTE, t->to, TAG_PONG, engine->comm, &r[1]);
        double before = MPI_Wtime();
        if (rc == MPI_SUCCESS) rc = MPI_Isend(engine->out, t->bytes, MPI_BYTE, t->to, TAG_PING, engine->comm, &r[0]);
        inside += MPI_Wtime() - before;
        if (rc == MPI_SUCCESS) rc = MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        if (rc != MPI_SUCCESS) return rc;
    }
    *round_trip = (MPI_Wtime() - start) / times;
    *busy = inside / times;
    return MPI_SUCCESS;
}

/* A few messages, each after a pause of `rest` seconds, in which token buckets on the path refill. */
static int initiate_rested(plani_engine_t *engine, const plani_task_t *t, plani_result_t *mine)
{
    enum { TIMES = 4 };
    int rc = MPI_SUCCESS;

    for (mine->n = 0; mine->n < TIMES && rc == MPI_SUCCESS; mine->n++) {
        plani_sleep(t->rest);
        rc = ping(engine, t, 1, &mine->a[mine->n], &mine->b[mine->n]);
    }
    return rc == MPI_SUCCESS ? MPI_Send(engine->out, 0, MPI_BYTE, t->to, TAG_STOP, engine->comm) : rc;
}

/* The sender. The first fifth of the time is for warm-up: connections, caches, and a shaped link's token bucket. */
static int initiate(plani_engine_t *engine, const plani_task_t *t, plani_result_t *mine)
{
    double start = MPI_Wtime(), a, b;
    int rc, times = 1;

    while (!PLANI_NO_NOISE) {
        if ((rc = ping(engine, t, times, &a, &b)) != MPI_SUCCESS) return rc;
        times = repetitions(a);
        if (MPI_Wtime() >= start + 0.2 * t->seconds) break;
    }
    mine->n = 0;
    do {
        if ((rc = ping(engine, t, times, &mine->a[mine->n], &mine->b[mine->n])) != MPI_SUCCESS) return rc;
        mine->n++;
    } while (!PLANI_NO_NOISE && mine->n < PLANI_LOG && !plani_result_enough(mine) &&
             (mine->n < 3 || MPI_Wtime() < start + t->seconds));
    if (PLANI_NO_NOISE) /* the other rank is there for the next experiment */
        return MPI_Ssend(engine->out, 0, MPI_BYTE, t->to, TAG_STOP, engine->comm);
    return MPI_Send(engine->out, 0, MPI_BYTE, t->to, TAG_STOP, engine->comm);
}

static int answer(plani_engine_t *engine, const plani_task_t *t)
{
    MPI_Request r;
    MPI_Status status;
    int rc = MPI_Irecv(engine->in, t->bytes, MPI_BYTE, t->from, MPI_ANY_TAG, engine->comm, &r);

    while (rc == MPI_SUCCESS && (rc = MPI_Wait(&r, &status)) == MPI_SUCCESS && status.MPI_TAG != TAG_STOP) {
        rc = MPI_Irecv(engine->in, t->bytes, MPI_BYTE, t->from, MPI_ANY_TAG, engine->comm, &r);
        if (rc == MPI_SUCCESS) rc = MPI_Send(engine->out, 0, MPI_BYTE, t->from, TAG_PONG, engine->comm);
    }
    return rc;
}

int plani_do_pingpong(plani_engine_t *engine, const plani_task_t *task, plani_result_t *mine)
{
    if (engine->rank == task->to) return answer(engine, task);
    return task->rest > 0 ? initiate_rested(engine, task, mine) : initiate(engine, task, mine);
}
