/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains: broadcasts down chains of ranks, several chains at once, run by the executor itself. They measure the time
 * per slice while every rank receives, sends and waits as in a pipelined broadcast. Flows between pairs cost less per
 * message: nobody forwards, and the receiver finds several messages each time it polls. A rank of a chain may have
 * several children, so that the tree has the shape of a comb, or of a chain with a fan at its end. */
#include "lib/mpi/execute/binding.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/measure/engine/engine.h"

enum { TAG_LAST = 50, TAG_RELEASE, LEAST = PLANI_REPEATS(3), TIMES = 11 };

/* One rank's place in a chain. */
typedef struct {
    const plani_task_t *first; /* the chain's first link */
    int parent;                /* -1: none */
    int nchildren, child[PLANI_FLOWS];
    int window;     /* the largest of its chain's links */
    int root, last; /* ranks at both ends */
} place_t;

/* One past the last link of the chain whose first link is task i. */
static size_t end_of_chain(const plani_task_t *task, size_t n, size_t i)
{
    size_t k = i + 1;

    while (k < n && plani_chain_goes_on(&task[k - 1], &task[k])) k++;
    return k;
}

/* This rank's place; *which: its chain's first task. False if this rank is in no chain. */
static bool find_place(const plani_task_t *task, size_t n, int rank, place_t *place, size_t *which)
{
    for (size_t first = 0, end; first < n; first = end) {
        bool mine = false;
        end = end_of_chain(task, n, first);
        *place = (place_t){.first = &task[first], .parent = -1, .root = task[first].from, .last = task[end - 1].to};
        for (size_t k = first; k < end; k++) {
            if (task[k].to == rank) place->parent = task[k].from, mine = true;
            if (task[k].from == rank) place->child[place->nchildren++] = task[k].to, mine = true;
            if (task[k].window > place->window) place->window = task[k].window;
        }
        *which = first;
        if (mine) return true;
    }
    return false;
}

/* This rank's part in one broadcast of `slices` slices. */
static int send_down(plani_engine_t *engine, const place_t *place, int slices)
{
    int all = 0;
    plani_branch_t branch = {.parent = place->parent,
                             .nchildren = place->nchildren,
                             .child = place->child,
                             .window = engine->window,
                             .weight = 1,
                             .position = &all};
    plani_part_t part = {.run = PLAN_RUN_TREES,
                         .slice = (size_t)place->first->bytes,
                         .window = place->window,
                         .period = 1,
                         .ntrees = 1,
                         .tree_of = &all,
                         .branch = &branch};
    plani_view_t view = {.base = place->parent < 0 ? engine->out : engine->in,
                         .count = (MPI_Count)slices * place->first->bytes,
                         .type = MPI_BYTE,
                         .own = MPI_DATATYPE_NULL,
                         .comm = engine->comm,
                         .bytes = (size_t)slices * (size_t)place->first->bytes,
                         .direct = true};
    plani_lane_t lane;
    enum { REQUESTS = (1 + PLANI_FLOWS) * PLANI_WINDOW_MOST };
    enum { EVERY_TAG = 32767 }; /* the least value of MPI_TAG_UB that MPI guarantees */
    size_t counter[2 * PLANI_FLOWS], arrived;
    plani_unexpected_t none = {.any = false};
    MPI_Request request[REQUESTS], oldest[1 + PLANI_FLOWS];
    plani_binding_t b = {
        .comm = engine->comm,
        .rank = engine->rank,
        .ranks = engine->ranks,
        .root = place->root,
        .nparts = 1,
        .part = &part,
        .work = {.lane = &lane, .arrived = &arrived, .counter = counter, .request = request, .oldest = oldest}};

    for (int k = 0; k < REQUESTS; k++) request[k] = MPI_REQUEST_NULL;
    plani_tags_init(&b.tags, EVERY_TAG, 1, 1);
    return plani_run(&b, &part, &view, &none);
}

/* One broadcast, then an empty message from the last rank to the root. *seconds [s]: both together, at the root. */
static int once(plani_engine_t *engine, const place_t *place, int slices, double *seconds)
{
    double start = MPI_Wtime();
    int rc = send_down(engine, place, slices);

    if (rc == MPI_SUCCESS && engine->rank == place->last)
        rc = MPI_Send(NULL, 0, MPI_BYTE, place->root, TAG_LAST, engine->comm);
    if (rc == MPI_SUCCESS && engine->rank == place->root)
        rc = MPI_Recv(NULL, 0, MPI_BYTE, place->last, TAG_LAST, engine->comm, MPI_STATUS_IGNORE);
    *seconds = MPI_Wtime() - start;
    return rc;
}

/* Root: end the wait of the ranks that are in no chain. */
static int release_others(plani_engine_t *engine, const plani_task_t *task, size_t n)
{
    int rc = MPI_SUCCESS;

    for (int r = 0; r < engine->ranks && rc == MPI_SUCCESS; r++) {
        place_t ignored;
        size_t which;
        if (!find_place(task, n, r, &ignored, &which)) rc = MPI_Send(NULL, 0, MPI_BYTE, r, TAG_RELEASE, engine->comm);
    }
    return rc;
}

/* Root: whether repetition n is the last; the first byte of the message tells the other ranks. One of each length is
 * enough where these take far longer than there is time. */
static bool is_last(int n, double start, double seconds)
{
    static const double LATE = 2, LATE_S = 0.1; /* times `seconds`; [s] */
    double now = MPI_Wtime();

    if (n % 2 == 0) return false;
    return n + 1 >= 2 * TIMES || (n + 1 >= 2 * LEAST && now > start + seconds) || now > start + LATE * seconds + LATE_S;
}

int plani_do_chains(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result)
{
    place_t place;
    size_t which;
    double ignored;

    if (!find_place(task, n, engine->rank, &place, &which)) {
        if (!task->others_wait) return MPI_SUCCESS;
        return MPI_Recv(NULL, 0, MPI_BYTE, task->from, TAG_RELEASE, engine->comm, MPI_STATUS_IGNORE);
    }
    plani_result_t *mine = &result[which];
    for (size_t k = which, to = end_of_chain(task, n, which); k < to; k++) engine->window[task[k].to] = task[k].window;
    double start = MPI_Wtime();
    int many = place.first->slices, rc = MPI_SUCCESS;
    if (!PLANI_NO_NOISE) rc = once(engine, &place, many, &ignored); /* warm up connections and caches */
    bool last = false;
    for (mine->n = 0; !last && rc == MPI_SUCCESS; mine->n++) {
        int slices = mine->n % 2 ? many : 1;
        if (place.parent < 0) engine->out[0] = is_last(mine->n, start, task->seconds);
        rc = once(engine, &place, slices, &mine->a[mine->n]);
        last = place.parent < 0 ? engine->out[0] : engine->in[0];
        mine->b[mine->n] = slices;
    }
    if (rc == MPI_SUCCESS && task->others_wait && engine->rank == task->from) rc = release_others(engine, task, n);
    return rc;
}
