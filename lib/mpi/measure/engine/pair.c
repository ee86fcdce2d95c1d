/* SPDX-License-Identifier: BSD-3-Clause */
/* Ping-pongs between two ranks, one after the other or many at once. */
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

/* The sender. The first fifth of the time is for warm-up: connections, caches, and a shaped link's token bucket. If
 * that takes longer, because a connection is made or the other rank wakes up, samples still have the rest of the time.
 */
static int initiate(plani_engine_t *engine, const plani_task_t *t, plani_result_t *mine)
{
    double until = MPI_Wtime() + 0.2 * t->seconds, a, b;
    int rc, times = 1;

    while (!PLANI_NO_NOISE) {
        if ((rc = ping(engine, t, times, &a, &b)) != MPI_SUCCESS) return rc;
        times = repetitions(a);
        if (MPI_Wtime() >= until) break;
    }
    until = MPI_Wtime() + 0.8 * t->seconds;
    mine->n = 0;
    do {
        if ((rc = ping(engine, t, times, &mine->a[mine->n], &mine->b[mine->n])) != MPI_SUCCESS) return rc;
        mine->n++;
    } while (!PLANI_NO_NOISE && mine->n < PLANI_LOG && !plani_result_enough(mine) &&
             (mine->n < 3 || MPI_Wtime() < until));
    if (PLANI_NO_NOISE) /* the other rank is there for the next experiment */
        return MPI_Ssend(engine->out, 0, MPI_BYTE, t->to, TAG_STOP, engine->comm);
    return MPI_Send(engine->out, 0, MPI_BYTE, t->to, TAG_STOP, engine->comm);
}

/* late: the sender has other experiments before this one; until its first message sleep. */
static int answer(plani_engine_t *engine, const plani_task_t *t, bool late)
{
    MPI_Request r;
    MPI_Status status;
    int rc = MPI_Irecv(engine->in, t->bytes, MPI_BYTE, t->from, MPI_ANY_TAG, engine->comm, &r);

    if (rc == MPI_SUCCESS && late) rc = plani_calm_wait(&r); /* never TAG_STOP; MPI_Wait leaves `status` empty then */
    while (rc == MPI_SUCCESS && (rc = MPI_Wait(&r, &status)) == MPI_SUCCESS && status.MPI_TAG != TAG_STOP) {
        rc = MPI_Irecv(engine->in, t->bytes, MPI_BYTE, t->from, MPI_ANY_TAG, engine->comm, &r);
        if (rc == MPI_SUCCESS) rc = MPI_Send(engine->out, 0, MPI_BYTE, t->from, TAG_PONG, engine->comm);
    }
    return rc;
}

int plani_do_pingpong(plani_engine_t *engine, const plani_task_t *task, bool late, plani_result_t *mine)
{
    if (engine->rank == task->to) return answer(engine, task, late);
    return task->rest > 0 ? initiate_rested(engine, task, mine) : initiate(engine, task, mine);
}

/* ---- many at once ----
 *
 * Empty messages that take no processor's time do not disturb each other: what is measured is the same as one after the
 * other, in the time of the longest round trip. */

/* The requests of this rank's ends of n ping-pongs: received pings and answers, then what it has sent. */
typedef struct {
    plani_engine_t *engine;
    const plani_task_t *task;
    plani_result_t *result;
    MPI_Request *receive, *send; /* [n]; of other ranks' ping-pongs MPI_REQUEST_NULL */
    int n, open;                 /* open: messages that still have to arrive */
} pings_t;

static int open_ping(pings_t *p, int k)
{
    const plani_task_t *t = &p->task[k];
    MPI_Comm comm = p->engine->comm;

    p->receive[k] = p->send[k] = MPI_REQUEST_NULL;
    if (t->from != p->engine->rank && t->to != p->engine->rank) return MPI_SUCCESS;
    p->open++;
    if (t->to == p->engine->rank)
        return MPI_Irecv(p->engine->in, t->bytes, MPI_BYTE, t->from, TAG_PING, comm, &p->receive[k]);
    p->result[k].a[0] = MPI_Wtime();
    int rc = MPI_Irecv(p->engine->in, 0, MPI_BYTE, t->to, TAG_PONG, comm, &p->receive[k]);
    if (rc == MPI_SUCCESS) rc = MPI_Issend(p->engine->out, t->bytes, MPI_BYTE, t->to, TAG_PING, comm, &p->send[k]);
    p->result[k].b[0] = MPI_Wtime() - p->result[k].a[0];
    return rc;
}

/* A ping is answered; an answer ends its ping-pong. */
static int close_ping(pings_t *p, int k)
{
    const plani_task_t *t = &p->task[k];

    p->open--;
    p->receive[k] = MPI_REQUEST_NULL;
    if (t->to == p->engine->rank)
        return MPI_Issend(p->engine->out, 0, MPI_BYTE, t->from, TAG_PONG, p->engine->comm, &p->send[k]);
    p->result[k].a[0] = MPI_Wtime() - p->result[k].a[0];
    p->result[k].n = 1;
    return MPI_SUCCESS;
}

int plani_do_pings(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result)
{
    pings_t p = {.engine = engine, .task = task, .result = result, .n = (int)n};
    int rc = MPI_SUCCESS;

    p.receive = engine->request, p.send = engine->request + n;
    for (int k = 0; k < p.n && rc == MPI_SUCCESS; k++) rc = open_ping(&p, k);
    while (p.open > 0 && rc == MPI_SUCCESS) {
        int k = 0;
        rc = MPI_Waitany(p.n, p.receive, &k, MPI_STATUS_IGNORE);
        if (rc == MPI_SUCCESS) rc = k != MPI_UNDEFINED ? close_ping(&p, k) : MPI_ERR_INTERN;
    }
    return rc == MPI_SUCCESS ? MPI_Waitall(p.n, p.send, MPI_STATUSES_IGNORE) : rc;
}
