/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine. Rank 0 decides what is measured next and broadcasts the list of tasks; every rank runs its tasks; the
 * results go to rank 0. Ranks without a task sleep, so that they take no processor time from ranks on the same core. */
#include "lib/mpi/measure/engine/engine.h"
#include "lib/base/statistics.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/execute/common.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/comm/wait.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_RESULT = 40, TAG_UP, TAG_DOWN };

/* Wait for the first n of engine->request. */
static int wait_all(plani_engine_t *engine, size_t n)
{
    int rc = MPI_SUCCESS;

    if (PLANI_MUST_BLOCK) return MPI_Waitall((int)n, engine->request, MPI_STATUSES_IGNORE);
    for (size_t i = 0; i < n && rc == MPI_SUCCESS; i++) rc = plani_calm_wait(&engine->request[i]);
    return rc;
}

/* Ranks agree by messages to rank 0 and back: two latencies, and at most two naps. Trees take two for each of their
 * levels: among 64 ranks that sleep and share two processors MPI_Iallreduce took 50 ms, and on simulated long links
 * agreements were most of the time of measuring. */
static int to_all(plani_engine_t *engine, void *data, int bytes, int tag)
{
    int rc = MPI_SUCCESS;

    if (engine->rank != 0) {
        rc = MPI_Irecv(data, bytes, MPI_BYTE, 0, tag, engine->comm, engine->request);
        return rc == MPI_SUCCESS ? wait_all(engine, 1) : rc;
    }
    for (int r = 1; r < engine->ranks && rc == MPI_SUCCESS; r++)
        rc = MPI_Isend(data, bytes, MPI_BYTE, r, tag, engine->comm, &engine->request[r - 1]);
    return rc == MPI_SUCCESS ? wait_all(engine, (size_t)engine->ranks - 1) : rc;
}

enum { MOST = 3 }; /* numbers */

/* Rank 0: most [n] element-wise maximum over all ranks, n <= MOST */
static int most_at_root(plani_engine_t *engine, const double *mine, double *most, int n)
{
    int rc = MPI_SUCCESS;

    if (engine->rank != 0) return MPI_Send(mine, n, MPI_DOUBLE, 0, TAG_UP, engine->comm);
    memcpy(most, mine, (size_t)n * sizeof *most);
    for (int r = 1; r < engine->ranks && rc == MPI_SUCCESS; r++)
        rc = MPI_Irecv(engine->number + (size_t)r * MOST, n, MPI_DOUBLE, r, TAG_UP, engine->comm,
                       &engine->request[r - 1]);
    if (rc == MPI_SUCCESS) rc = wait_all(engine, (size_t)engine->ranks - 1);
    for (int r = 1; r < engine->ranks && rc == MPI_SUCCESS; r++)
        for (int i = 0; i < n; i++) most[i] = fmax(most[i], engine->number[r * MOST + i]);
    return rc;
}

static int calm_bcast(plani_engine_t *engine, void *data, size_t bytes)
{
    enum { SMALL = 64 };
    MPI_Request request;
    if (bytes <= SMALL) return to_all(engine, data, (int)bytes, TAG_DOWN);
    if (PLANI_MUST_BLOCK) return PMPI_Bcast(data, (int)bytes, MPI_BYTE, 0, engine->comm);
    int rc = MPI_Ibcast(data, (int)bytes, MPI_BYTE, 0, engine->comm, &request);

    return rc != MPI_SUCCESS ? rc : plani_calm_wait(&request);
}

/* In simulated time ranks leave an agreement milliseconds apart; a fast flow would end within that time. Where all
 * ranks have one clock, they continue together, an agreement's time after the last rank arrived. */
int plani_engine_agree(plani_engine_t *engine, int status)
{
    double mine[MOST] = {status > 0 ? status : 0, status < 0 ? -status : 0, MPI_Wtime()}, worst[MOST] = {0, 0, 0};
    int rc = most_at_root(engine, mine, worst, MOST);

    if (rc == MPI_SUCCESS) rc = to_all(engine, worst, sizeof worst, TAG_DOWN);
    if (rc != MPI_SUCCESS) return rc;
    if (PLANI_ONE_CLOCK) plani_sleep(worst[2] + 1.01 * engine->agree_s - MPI_Wtime());
    return worst[0] > 0 ? (int)worst[0] : -(int)worst[1];
}

static plan_status_t allocate(plani_engine_t *engine)
{
    engine->out = plani_pool_create(PLANI_POOL);
    engine->in = plani_pool_create(PLANI_POOL);
    engine->task = calloc(engine->room, sizeof *engine->task);
    engine->result = calloc(engine->room, sizeof *engine->result);
    engine->window = calloc((size_t)engine->ranks, sizeof *engine->window);
    if (!engine->out || !engine->in || !engine->task || !engine->result || !engine->window) return PLAN_ENOMEM;
    return PLAN_OK;
}

/* What plani_engine_agree needs itself. */
static plan_status_t allocate_requests(plani_engine_t *engine)
{
    engine->room = 256 + (size_t)engine->ranks;
    engine->request = calloc(2 * engine->room, sizeof *engine->request);
    engine->number = calloc(MOST * (size_t)engine->ranks, sizeof *engine->number);
    return engine->request != NULL && engine->number != NULL ? PLAN_OK : PLAN_ENOMEM;
}

bool plani_result_enough(const plani_result_t *mine)
{
    double x[PLANI_LOG];

    if (mine->n < 8 || mine->n % 4 != 0) return false;
    for (int i = 0; i < mine->n; i++) x[i] = mine->a[i];
    plani_interval_t median = plani_interval(x, mine->n);
    return plani_is_narrow(&median);
}

int plani_engine_open(MPI_Comm comm, plani_engine_t *engine, plan_error_t *err)
{
    *engine = (plani_engine_t){.comm = MPI_COMM_NULL, .until = INFINITY, .run = plani_engine_run, .now = MPI_Wtime};
    int rc = plani_comm_dup(comm, &engine->comm, err);
    if (rc != 0) return rc;
    if ((rc = MPI_Comm_rank(engine->comm, &engine->rank)) == MPI_SUCCESS &&
        (rc = MPI_Comm_size(engine->comm, &engine->ranks)) == MPI_SUCCESS &&
        (rc = plani_agree(engine->comm, allocate_requests(engine), err)) == MPI_SUCCESS)
        rc = plani_engine_agree(engine, allocate(engine));
    if (rc != MPI_SUCCESS) plani_engine_close(engine);
    return rc;
}

void plani_engine_close(plani_engine_t *engine)
{
    if (engine->comm != MPI_COMM_NULL) MPI_Comm_free(&engine->comm);
    plani_pool_destroy(engine->out);
    plani_pool_destroy(engine->in);
    free(engine->task);
    free(engine->result);
    free(engine->window);
    free(engine->request);
    free(engine->number);
    *engine = (plani_engine_t){.comm = MPI_COMM_NULL};
}

/* The rank that takes the samples: a flow's receiver unless at_sender, else the rank that starts the experiment. */
static int observer(const plani_task_t *t)
{
    return t->kind == PLANI_FLOW && !t->at_sender ? t->to : t->from;
}

/* Only the first task of a flat tree or chain carries its result. */
static bool has_result(const plani_task_t *task, size_t i)
{
    const plani_task_t *t = &task[i];

    if (t->kind == PLANI_CHAIN) return plani_starts_chain(task, i);
    return t->kind != PLANI_FLAT || i == 0 || task[i - 1].kind != PLANI_FLAT || task[i - 1].from != t->from ||
           task[i - 1].step != t->step;
}

static size_t end_of_step(const plani_task_t *task, size_t n, size_t first)
{
    size_t i = first;

    while (i < n && task[i].step == task[first].step) i++;
    return i;
}

/* One past the last of the flows that run at the same time as task i. */
static size_t end_of_turn(const plani_task_t *task, size_t i, size_t end)
{
    size_t k = i;

    while (k < end && task[k].kind == PLANI_FLOW && task[k].order == task[i].order) k++;
    return k;
}

/* One past the last of the ping-pongs that run at the same time as task i. */
static size_t end_of_pings(const plani_task_t *task, size_t i, size_t end)
{
    size_t k = i + 1;

    while (task[i].at_once && k < end && task[k].kind == PLANI_PINGPONG && task[k].at_once) k++;
    return k;
}

/* Whether the sender of ping-pong i has some with other ranks before it in its step, which begins at task `first`. */
static bool comes_late(const plani_task_t *task, size_t first, size_t i)
{
    for (size_t k = first; k < i; k++)
        if (task[k].from == task[i].from && task[k].to != task[i].to) return true;
    return false;
}

static size_t end_of_tree(const plani_task_t *task, size_t i, size_t end)
{
    size_t k = i + 1;

    while (k < end && !has_result(task, k)) k++;
    return k;
}

/* A turn begins so many seconds after its step has, also for ranks without a part in it: these would only wait for the
 * others at the end of the step. */
static void wait_for_turn(double step, double begin)
{
    if (PLANI_ONE_CLOCK && begin > 0) plani_sleep(step + begin - MPI_Wtime());
}

/* This rank's part in tasks [first, end) of one step. */
static int do_step(plani_engine_t *engine, size_t first, size_t end)
{
    const plani_task_t *task = engine->task;
    double start = MPI_Wtime();
    int rc = MPI_SUCCESS;

    for (size_t i = first, next; i < end && rc == MPI_SUCCESS; i = next) {
        bool mine = task[i].from == engine->rank || task[i].to == engine->rank;
        next = i + 1;
        switch (task[i].kind) {
        case PLANI_PINGPONG:
            next = end_of_pings(task, i, end);
            if (task[i].at_once)
                rc = plani_do_pings(engine, task + i, next - i, engine->result + i);
            else if (mine)
                rc = plani_do_pingpong(engine, &task[i], comes_late(task, first, i), &engine->result[i]);
            break;
        case PLANI_FLOW:
            next = end_of_turn(task, i, end);
            wait_for_turn(start, task[i].begin);
            rc = plani_do_flows(engine, task + i, next - i, engine->result + i);
            break;
        case PLANI_FLAT:
            next = end_of_tree(task, i, end);
            rc = plani_do_flat(engine, task + i, next - i, &engine->result[i]);
            break;
        case PLANI_CHAIN: /* alone in their step */
            next = end;
            rc = plani_do_chains(engine, task + i, next - i, engine->result + i);
            break;
        case PLANI_CONSENT:
            if (mine) rc = plani_do_consent(engine, &task[i], &engine->result[i]);
            break;
        case PLANI_SHARED_CAST:
            rc = plani_do_shared(engine, &task[i], &engine->result[i]);
            break;
        }
    }
    return rc;
}

/* Send results to rank 0, all at once, for on long links each would take a latency. */
static int hand_in(plani_engine_t *engine, size_t n)
{
    int rc = MPI_SUCCESS;
    size_t requests = 0;

    for (size_t i = 0; i < n && rc == MPI_SUCCESS; i++) {
        int who = observer(&engine->task[i]), bytes = (int)sizeof engine->result[i];
        if (who == 0 || !has_result(engine->task, i) || (who != engine->rank && engine->rank != 0)) continue;
        rc = engine->rank == 0 ? MPI_Irecv(&engine->result[i], bytes, MPI_BYTE, who, TAG_RESULT, engine->comm,
                                           &engine->request[requests++])
                               : MPI_Isend(&engine->result[i], bytes, MPI_BYTE, 0, TAG_RESULT, engine->comm,
                                           &engine->request[requests++]);
    }
    return rc == MPI_SUCCESS ? wait_all(engine, requests) : rc;
}

/* Rank 0: whether it does not begin the step of tasks [first, end). */
static bool time_is_over(const plani_engine_t *engine, const plani_task_t *task, size_t first, size_t end, bool begun)
{
    double expected = 0;

    for (size_t i = first; i < end; i++) expected = fmax(expected, task[i].expected);
    return engine->rank == 0 && MPI_Wtime() + expected + (expected > 0 ? engine->agree_s : 0) > engine->until &&
           !(!begun && first == 0 && engine->one_anyway);
}

/* All ranks: run the n tasks in engine->task, step by step. *done: tasks of steps that were begun, fewer than n if time
 * was over. begun: whether an earlier round of this run has begun a step; significant at rank 0. */
static int do_round(plani_engine_t *engine, size_t n, bool begun, size_t *done)
{
    int rc = MPI_SUCCESS, all;

    *done = n;
    for (size_t i = 0; i < n; i++)
        if (engine->rank == 0 || observer(&engine->task[i]) == engine->rank) engine->result[i].n = 0;
    for (size_t first = 0; first < n;) {
        size_t end = end_of_step(engine->task, n, first);
        bool over = time_is_over(engine, engine->task, first, end, begun);
        all = plani_engine_agree(engine, rc == MPI_SUCCESS && over ? PLAN_ETIME : rc);
        if (all == PLAN_ETIME) {
            *done = first;
            break;
        }
        if (all != MPI_SUCCESS) return all; /* some rank failed in the step before */
        rc = do_step(engine, first, end);
        first = end;
    }
    if ((rc = plani_engine_agree(engine, rc)) != MPI_SUCCESS) return rc;
    return hand_in(engine, n);
}

/* Announce n tasks to all ranks, or (n = 0) the end and the status to return. */
static int announce(plani_engine_t *engine, size_t n, int status)
{
    long header[2] = {(long)n, status};
    int rc = calm_bcast(engine, header, sizeof header);

    if (rc == MPI_SUCCESS && n > 0) rc = calm_bcast(engine, engine->task, n * sizeof *engine->task);
    return rc;
}

/* How many of the first tasks fit into a round, in whole steps. */
static size_t fitting(const plani_engine_t *engine, const plani_task_t *task, size_t n)
{
    size_t fit = 0;

    while (fit < n) {
        size_t end = end_of_step(task, n, fit);
        if (end > engine->room) break;
        fit = end;
    }
    return fit;
}

int plani_engine_run(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result)
{
    int rc = MPI_SUCCESS;
    bool over = false, begun = false;

    engine->left_out = 0;
    over = n > 0 && time_is_over(engine, task, 0, end_of_step(task, n, 0), false);
    while (n > 0 && rc == MPI_SUCCESS && !over) {
        size_t now = fitting(engine, task, n), done = 0;
        if (now == 0) return PLAN_EINVAL; /* a step with more tasks than any phase makes */
        memcpy(engine->task, task, now * sizeof *task);
        if ((rc = announce(engine, now, 0)) != MPI_SUCCESS) break;
        if ((rc = do_round(engine, now, begun, &done)) != MPI_SUCCESS) break;
        memcpy(result, engine->result, done * sizeof *result);
        engine->experiments += done;
        over = done < now, begun = true;
        task += done, result += done, n -= done;
    }
    for (size_t i = 0; i < n; i++) {
        result[i].n = 0;
        engine->left_out += i == 0 || task[i].step != task[i - 1].step;
    }
    return rc;
}

int plani_engine_dismiss(plani_engine_t *engine, int status)
{
    int rc = announce(engine, 0, status);

    return rc != MPI_SUCCESS ? rc : status;
}

int plani_engine_serve(plani_engine_t *engine)
{
    int failure = MPI_SUCCESS; /* of the first round that failed on this rank */

    for (;;) {
        long header[2];
        int rc = calm_bcast(engine, header, sizeof header);
        if (rc != MPI_SUCCESS) return rc;
        if (header[0] == 0) return header[1] != MPI_SUCCESS ? (int)header[1] : failure;
        if ((rc = calm_bcast(engine, engine->task, (size_t)header[0] * sizeof *engine->task)) != MPI_SUCCESS) return rc;
        size_t done;
        if ((rc = do_round(engine, (size_t)header[0], false, &done)) != MPI_SUCCESS && failure == MPI_SUCCESS)
            failure = rc;
    }
}
