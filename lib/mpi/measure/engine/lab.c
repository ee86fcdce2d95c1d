/* The laboratory. Rank 0 decides what is measured next and tells all; every rank does its part; the results travel to
 * rank 0. Whoever has no part sleeps, so that ranks which share a core do not disturb the others. */
#include "lib/mpi/measure/measure.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/comm/wait.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_RESULT = 40 };

static int calm_bcast(plani_lab_t *lab, void *data, size_t bytes)
{
    MPI_Request request;
    if (PLANI_SIMULATED) return MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, lab->comm);
    int rc = MPI_Ibcast(data, (int)bytes, MPI_BYTE, 0, lab->comm, &request);

    return rc != MPI_SUCCESS ? rc : plani_calm_wait(&request);
}

/* In simulated time, where there is one clock, ranks leave an agreement milliseconds apart, and a fast flow is over in
 * that time: all go on at once, some agreements after the last came. */
int plani_lab_agree(plani_lab_t *lab, int status)
{
    double mine[3] = {status > 0 ? status : 0, status < 0 ? -status : 0, MPI_Wtime()}, worst[3] = {0, 0, 0};
    MPI_Request request;
    /* SimGrid's MPI_Iallreduce has every rank send to all others. */
    int rc = PLANI_SIMULATED ? MPI_Allreduce(mine, worst, 3, MPI_DOUBLE, MPI_MAX, lab->comm)
                             : MPI_Iallreduce(mine, worst, 2, MPI_DOUBLE, MPI_MAX, lab->comm, &request);

    if (rc == MPI_SUCCESS && !PLANI_SIMULATED) rc = plani_calm_wait(&request);
    if (rc != MPI_SUCCESS) return rc;
    if (PLANI_SIMULATED) plani_sleep(worst[2] + 2 * lab->agree_s - MPI_Wtime());
    return worst[0] > 0 ? (int)worst[0] : -(int)worst[1];
}

static plan_status_t allocate(plani_lab_t *lab)
{
    lab->room = 256 + (size_t)lab->ranks;
    lab->out = plani_pool_create(PLANI_POOL);
    lab->in = plani_pool_create(PLANI_POOL);
    lab->task = calloc(lab->room, sizeof *lab->task);
    lab->result = calloc(lab->room, sizeof *lab->result);
    lab->window = calloc((size_t)lab->ranks, sizeof *lab->window);
    if (!lab->out || !lab->in || !lab->task || !lab->result || !lab->window) return PLAN_ENOMEM;
    return PLAN_OK;
}

bool plani_result_enough(const plani_result_t *mine)
{
    double x[PLANI_LOG];
    plani_summary_t s;

    if (mine->n < 8 || mine->n % 4 != 0) return false;
    for (int i = 0; i < mine->n; i++) x[i] = mine->a[i];
    plani_summarize(x, mine->n, &s);
    return plani_converged(&s);
}

int plani_lab_open(MPI_Comm comm, plani_lab_t *lab, plan_error_t *err)
{
    *lab = (plani_lab_t){.comm = MPI_COMM_NULL, .until = INFINITY};
    int rc = plani_comm_dup(comm, &lab->comm, err);
    if (rc != 0) return rc;
    if ((rc = MPI_Comm_rank(lab->comm, &lab->rank)) == MPI_SUCCESS &&
        (rc = MPI_Comm_size(lab->comm, &lab->ranks)) == MPI_SUCCESS)
        rc = plani_lab_agree(lab, allocate(lab));
    if (rc != MPI_SUCCESS) plani_lab_close(lab);
    return rc;
}

void plani_lab_close(plani_lab_t *lab)
{
    if (lab->comm != MPI_COMM_NULL) MPI_Comm_free(&lab->comm);
    plani_pool_destroy(lab->out);
    plani_pool_destroy(lab->in);
    free(lab->task);
    free(lab->result);
    free(lab->window);
    *lab = (plani_lab_t){.comm = MPI_COMM_NULL};
}

/* Who measures: mostly the receiver of a flow sees its rate, otherwise the initiator has the clock. */
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

/* The end of the flows that run at once with task i. */
static size_t end_of_turn(const plani_task_t *task, size_t i, size_t end)
{
    size_t k = i;

    while (k < end && task[k].kind == PLANI_FLOW && task[k].turn == task[i].turn) k++;
    return k;
}

static size_t end_of_tree(const plani_task_t *task, size_t i, size_t end)
{
    size_t k = i + 1;

    while (k < end && !has_result(task, k)) k++;
    return k;
}

/* This rank's part in tasks [first, end) of one step. */
static int do_step(plani_lab_t *lab, size_t first, size_t end)
{
    const plani_task_t *task = lab->task;
    int rc = MPI_SUCCESS;

    for (size_t i = first, next; i < end && rc == MPI_SUCCESS; i = next) {
        bool mine = task[i].from == lab->rank || task[i].to == lab->rank;
        next = i + 1;
        switch (task[i].kind) {
        case PLANI_PINGPONG:
            if (mine) rc = plani_do_pingpong(lab, &task[i], &lab->result[i]);
            break;
        case PLANI_FLOW:
            next = end_of_turn(task, i, end);
            rc = plani_do_flows(lab, task + i, next - i, lab->result + i);
            break;
        case PLANI_FLAT:
            next = end_of_tree(task, i, end);
            rc = plani_do_flat(lab, task + i, next - i, &lab->result[i]);
            break;
        case PLANI_CHAIN: /* alone in their step */
            next = end;
            rc = plani_do_chains(lab, task + i, next - i, lab->result + i);
            break;
        case PLANI_SHARED_CAST:
            rc = plani_do_shared(lab, &task[i], &lab->result[i]);
            break;
        }
    }
    return rc;
}

/* Results go to rank 0 in the order of tasks. */
static int hand_in(plani_lab_t *lab, size_t n)
{
    int rc = MPI_SUCCESS;

    for (size_t i = 0; i < n && rc == MPI_SUCCESS; i++) {
        int who = observer(&lab->task[i]);
        if (who == 0 || !has_result(lab->task, i)) continue;
        if (who == lab->rank) {
            MPI_Request request;
            rc = MPI_Isend(&lab->result[i], (int)sizeof lab->result[i], MPI_BYTE, 0, TAG_RESULT, lab->comm, &request);
            if (rc == MPI_SUCCESS) rc = plani_calm_wait(&request);
        } else if (lab->rank == 0) {
            MPI_Request request;
            rc = MPI_Irecv(&lab->result[i], (int)sizeof lab->result[i], MPI_BYTE, who, TAG_RESULT, lab->comm, &request);
            if (rc == MPI_SUCCESS) rc = plani_calm_wait(&request);
        }
    }
    return rc;
}

static bool time_is_over(const plani_lab_t *lab)
{
    return lab->rank == 0 && MPI_Wtime() > lab->until;
}

/* All ranks: the n tasks in lab->task, step by step. *over: until time was over. */
static int do_round(plani_lab_t *lab, size_t n, bool *over)
{
    int rc = MPI_SUCCESS, all;

    *over = false;
    for (size_t i = 0; i < n; i++)
        if (lab->rank == 0 || observer(&lab->task[i]) == lab->rank) lab->result[i].n = 0;
    for (size_t first = 0; first < n;) {
        size_t end = end_of_step(lab->task, n, first);
        all = plani_lab_agree(lab, rc == MPI_SUCCESS && time_is_over(lab) ? PLAN_ETIME : rc);
        if ((*over = all == PLAN_ETIME)) break;
        if (all != MPI_SUCCESS) return all; /* all ready, none failed in the step before */
        rc = do_step(lab, first, end);
        first = end;
    }
    if ((rc = plani_lab_agree(lab, rc)) != MPI_SUCCESS) return rc;
    return hand_in(lab, n);
}

/* Tells all what comes: n tasks, or (n = 0) the end with a status. */
static int announce(plani_lab_t *lab, size_t n, int status)
{
    long header[2] = {(long)n, status};
    int rc = calm_bcast(lab, header, sizeof header);

    if (rc == MPI_SUCCESS && n > 0) rc = calm_bcast(lab, lab->task, n * sizeof *lab->task);
    return rc;
}

/* Whole steps that fit into a round. */
static size_t fitting(const plani_lab_t *lab, const plani_task_t *task, size_t n)
{
    size_t fit = 0;

    while (fit < n) {
        size_t end = end_of_step(task, n, fit);
        if (end > lab->room) break;
        fit = end;
    }
    return fit;
}

int plani_lab_run(plani_lab_t *lab, const plani_task_t *task, size_t n, plani_result_t *result)
{
    int rc = MPI_SUCCESS;
    bool over = false;

    while (n > 0 && rc == MPI_SUCCESS && !over) {
        size_t now = fitting(lab, task, n);
        if (now == 0) return PLAN_EINVAL; /* a step with more tasks than any phase makes */
        memcpy(lab->task, task, now * sizeof *task);
        if ((rc = announce(lab, now, 0)) != MPI_SUCCESS || (rc = do_round(lab, now, &over)) != MPI_SUCCESS) break;
        memcpy(result, lab->result, now * sizeof *result);
        lab->experiments += now;
        task += now, result += now, n -= now;
    }
    for (size_t i = 0; i < n; i++) result[i].n = 0;
    return rc;
}

int plani_lab_dismiss(plani_lab_t *lab, int status)
{
    int rc = announce(lab, 0, status);

    return rc != MPI_SUCCESS ? rc : status;
}

int plani_lab_serve(plani_lab_t *lab)
{
    for (;;) {
        long header[2];
        int rc = calm_bcast(lab, header, sizeof header);
        if (rc != MPI_SUCCESS) return rc;
        if (header[0] == 0) return (int)header[1];
        if ((rc = calm_bcast(lab, lab->task, (size_t)header[0] * sizeof *lab->task)) != MPI_SUCCESS) return rc;
        bool over;
        do_round(lab, (size_t)header[0], &over); /* a failure has been agreed on: rank 0 will dismiss all with it */
    }
}
