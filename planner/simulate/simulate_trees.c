/*
 * Pipelined trees, as lib/mpi/execute/pipeline.c runs them: each rank forwards the slices that it has, the first of the
 * message first, to each child in order, with up to `window` in flight. The root sends no slice that is more than a
 * window of each tree ahead of its oldest unsent slice.
 */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "planner/plan/assignment.h"
#include "planner/simulate/simulation_private.h"

enum {
    LEAST_SLICES = 16,      /* least number of simulated slices, from which the others are extrapolated, */
    EACH_SLICES = 8,        /* and of each of several trees, about; */
    BLOCK_TRANSFERS = 16384 /* of two blocks at most so many transfers */
};

/* One link of a tree, by its receiver. That a slice has arrived matters to its sender when the window is full: the
 * words of arrivals are heard then, and one of them is announced if the sender has to wait for it. */
typedef struct {
    size_t sent, done, arrived;
    size_t word, last_word;   /* of slices that have arrived and are not `done` yet: their messages */
    bool waits, announced;    /* for the first of these, which has not arrived yet, or has */
    size_t route, last_route; /* of full slices, and of the last one of the message */
    double round_s;           /* [s] from the start of a full slice until its sender knows of its arrival */
    size_t window;
} branch_t;

typedef struct {
    plani_simulation_t *x;
    size_t ntrees, slices; /* simulated slices */
    plan_tree_t *const *tree;
    int limit;     /* the given window; 0: none */
    size_t window; /* the same, or the number of slices */
    plani_cut_t cut;
    size_t *mine;             /* [ntrees] slices of each tree */
    size_t *slice_of;         /* [ntrees * slices] index in the message of a tree's j-th slice; NULL for one tree */
    branch_t *branch;         /* [ntrees * ranks] */
    double *full_at;          /* [slices] [s] when all ranks had each slice of the message */
    double *half_of, *end_of; /* [ranks] [s] when each had the first half of them, and all; NULL: not asked for */
    plani_timeline_t *told;   /* of the first slices; NULL: not asked for */
} run_t;

static size_t slice_of(const run_t *run, size_t t, size_t j)
{
    return run->slice_of != NULL ? run->slice_of[t * run->slices + j] : j;
}

static plan_status_t assign(run_t *run, const double *share)
{
    size_t n = run->ntrees;
    if (n == 1) {
        run->mine[0] = run->slices;
        return PLAN_OK;
    }
    unsigned *weight = malloc(n * sizeof *weight);
    int *assigned = malloc(n * sizeof *assigned), *tree_of = malloc(run->slices * sizeof *tree_of);
    plan_status_t rc = weight != NULL && assigned != NULL && tree_of != NULL ? PLAN_OK : PLAN_ENOMEM;
    if (rc == PLAN_OK) {
        plani_slice_weights((int)n, share, weight);
        plani_assign_slices((int)n, weight, (int)run->slices, assigned, tree_of);
        for (size_t t = 0; t < n; t++) run->mine[t] = 0;
        for (size_t k = 0; k < run->slices; k++) {
            size_t t = (size_t)tree_of[k];
            run->slice_of[t * run->slices + run->mine[t]++] = k;
        }
    }
    free(weight);
    free(assigned);
    free(tree_of);
    return rc;
}

static plan_status_t make_routes(run_t *run)
{
    plani_simulation_t *x = run->x;
    const plan_platform_data_t *d = x->d;
    plani_cost_row_t *row = plani_cost_cache_row(x->costs, run->cut.full);
    plan_status_t rc = PLAN_OK;

    for (size_t t = 0; t < run->ntrees; t++) {
        const int *parent = plan_tree_data(run->tree[t])->parent;
        for (int v = 0; v < d->ranks && rc == PLAN_OK; v++) {
            branch_t *b = &run->branch[t * (size_t)d->ranks + (size_t)v];
            *b = (branch_t){.arrived = parent[v] < 0 ? run->mine[t] : 0, .word = PLANI_NOBODY};
            if (parent[v] < 0) continue;
            size_t link = plan_platform_find_link(x->pf, parent[v], v);
            if (link == (size_t)-1) return PLAN_ENOTREE;
            int siblings = 0;
            plan_tree_children(run->tree[t], parent[v], &siblings);
            plani_time_t time = plani_cached_link(row, d, link, run->cut.full);
            b->window = run->limit > 0 ? (size_t)plani_link_window(time, run->limit) : run->window;
            b->round_s = plani_round(&time, (int)fmin((double)b->window, INT_MAX));
            rc = plani_network_route(x, link, row, run->cut.full, siblings, &b->route);
            if (rc == PLAN_OK && x->route[b->route].asks) b->round_s += 2 * x->route[b->route].ask;
            b->last_route = b->route;
            if (rc == PLAN_OK && run->cut.last != run->cut.full)
                rc = plani_network_route(x, link, NULL, run->cut.last, siblings, &b->last_route);
        }
    }
    return rc;
}

static void take_word(run_t *run, branch_t *b)
{
    size_t message = b->word;
    b->word = run->x->message[message].next;
    b->done++;
    plani_network_forget(run->x, message);
}

static void hear_words(run_t *run, branch_t *b)
{
    while (b->word != PLANI_NOBODY && !b->announced && plani_network_is_known(run->x, b->word)) take_word(run, b);
}

static void wait_for_word(run_t *run, branch_t *b)
{
    if (b->announced || b->waits) return;
    b->announced = b->word != PLANI_NOBODY;
    b->waits = !b->announced;
    if (b->announced) plani_network_announce(run->x, b->word);
}

static void add_word(run_t *run, branch_t *b, size_t message)
{
    run->x->message[message].next = PLANI_NOBODY;
    if (b->word == PLANI_NOBODY)
        b->word = message;
    else
        run->x->message[b->last_word].next = message;
    b->last_word = message;
    if (b->waits) {
        b->waits = false;
        wait_for_word(run, b);
    }
}

static bool is_full(run_t *run, branch_t *b)
{
    if (b->sent == b->done + b->window) hear_words(run, b);
    return b->sent == b->done + b->window;
}

/* The first slice of tree t that rank u can send to some child now, or SIZE_MAX; *oldest: the first not sent to all. */
static size_t next_slice(run_t *run, size_t t, int u, size_t *oldest)
{
    branch_t *branch = run->branch + t * (size_t)run->x->d->ranks;
    size_t next = SIZE_MAX;
    int n;
    const int *child = plan_tree_children(run->tree[t], u, &n);

    *oldest = run->mine[t];
    for (int i = 0; i < n; i++) {
        branch_t *b = &branch[child[i]];
        if (b->sent < *oldest) *oldest = b->sent;
        if (b->sent >= branch[u].arrived) continue;
        if (is_full(run, b))
            wait_for_word(run, b);
        else if (b->sent < next)
            next = b->sent;
    }
    return next;
}

/* Whether nothing has been sent to rank v so far. */
static bool is_waiting(const run_t *run, int v)
{
    for (size_t t = 0; t < run->ntrees; t++)
        if (run->branch[t * (size_t)run->x->d->ranks + (size_t)v].sent > 0) return false;
    return true;
}

/* Send slice j of tree t, slice k of the message, to all children that it can be sent to. */
static plan_status_t send_slice(run_t *run, size_t t, int u, size_t j, size_t k)
{
    size_t first = t * (size_t)run->x->d->ranks;
    plan_status_t rc = PLAN_OK;
    int n;
    const int *child = plan_tree_children(run->tree[t], u, &n);

    for (int i = 0; i < n && rc == PLAN_OK; i++) {
        branch_t *b = &run->branch[first + (size_t)child[i]];
        if (b->sent != j || j >= b->done + b->window) continue;
        bool is_first = j == 0 && is_waiting(run, child[i]);
        if (run->told != NULL && k < run->told->slices)
            run->told->sent[k * (size_t)run->x->d->ranks + (size_t)child[i]] = run->x->now;
        b->sent++;
        size_t route = k + 1 == run->slices ? b->last_route : b->route;
        rc = plani_network_send(run->x, route, is_first, first + (size_t)child[i]);
    }
    return rc;
}

/* All that u can send now, where something has changed in one tree: what it could send in others it has sent, unless it
 * is the root, which may have got too far ahead. */
static plan_status_t post_sends(run_t *run, int u, size_t changed)
{
    size_t lead = run->window > SIZE_MAX / run->ntrees ? SIZE_MAX : run->window * run->ntrees;
    bool root = plan_tree_data(run->tree[0])->root == u;
    size_t begin = root ? 0 : changed, end = root ? run->ntrees : changed + 1;

    for (;;) {
        size_t first = SIZE_MAX, low = SIZE_MAX, slice = 0, tree = 0;
        for (size_t t = begin; t < end; t++) {
            size_t oldest, j = next_slice(run, t, u, &oldest), k;
            if (oldest < run->mine[t] && (k = slice_of(run, t, oldest)) < low) low = k;
            if (j == SIZE_MAX || (k = slice_of(run, t, j)) >= first) continue;
            first = k, slice = j, tree = t;
        }
        if (first == SIZE_MAX || (root && first - low > lead)) return PLAN_OK;
        plan_status_t rc = send_slice(run, tree, u, slice, first);
        if (rc != PLAN_OK) return rc;
    }
}

static plan_status_t play(run_t *run, double *end)
{
    plani_simulation_t *x = run->x;
    size_t ranks = (size_t)x->d->ranks;
    plan_status_t rc = post_sends(run, plan_tree_data(run->tree[0])->root, 0);

    *end = 0;
    for (plani_notice_t notice; rc == PLAN_OK && plani_network_next(x, &notice);) {
        size_t t = notice.what / ranks;
        int v = (int)(notice.what % ranks), u = notice.arrived ? v : plan_tree_data(run->tree[t])->parent[v];
        branch_t *b = &run->branch[notice.what];
        if (notice.arrived) {
            size_t k = slice_of(run, t, b->arrived++);
            hear_words(run, b);
            add_word(run, b, notice.message);
            bool half = k < run->slices / 2;
            *end = run->full_at[k] = x->now;
            if (run->end_of != NULL) run->end_of[v] = x->now;
            if (run->end_of != NULL && half) run->half_of[v] = x->now;
            if (run->told != NULL && k < run->told->slices) run->told->got[k * ranks + (size_t)v] = x->now;
        } else {
            b->announced = false;
            take_word(run, b);
            if (b->sent == run->branch[t * ranks + (size_t)u].arrived) continue; /* u has nothing new for v */
        }
        rc = post_sends(run, u, t);
    }
    return rc;
}

/* [s] Steady-state time per slice: the largest of the occupation of any stop by an average slice, and, for links whose
 * window gets full, the round trip of a slice divided by the window. *full: all windows get full. */
static double steady_period(run_t *run, const double *share, bool *full)
{
    plani_simulation_t *x = run->x;
    double total = 0, most = 0;

    *full = true;
    for (size_t i = 0; i < x->nstations; i++) x->station[i].until = 0;
    for (size_t t = 0; t < run->ntrees; t++) total += share != NULL ? share[t] : 1;
    for (size_t i = 0; i < run->ntrees * (size_t)x->d->ranks; i++) {
        size_t t = i / (size_t)x->d->ranks;
        const branch_t *b = &run->branch[i];
        const plani_route_t *r = &x->route[b->route];
        double part = (share != NULL ? share[t] : 1) / total;
        if ((int)(i % (size_t)x->d->ranks) == plan_tree_data(run->tree[0])->root) continue;
        if (part * (double)run->cut.n > (double)b->window)
            most = fmax(most, part * b->round_s / (double)b->window);
        else
            *full = false;
        for (size_t s = r->first; s < r->end; s++)
            most = fmax(most, x->station[x->stop[s].station].until += part * x->stop[s].hold);
    }
    return most;
}

/* Slices that arrive together on fluid channels between hosts: a window of each tree; 0: they do not. */
static size_t block_of(const run_t *run)
{
    const plan_platform_data_t *d = run->x->d;

    for (size_t c = 0; c < d->nchannels && run->limit > 0; c++)
        if (d->channel[c].fluid && d->channel[c].network) return (size_t)run->limit * run->ntrees;
    return 0;
}

/*
 * [s] Time per slice of the message while the second half of each tree's slices arrives: the common slope, by least
 * squares, of lines through the arrivals of each tree. Trees fill one later than the other, and slices wait by chance,
 * so that the first and the last arrival tell less. Of blocks it is the time from one to the next.
 */
static double late_period(const run_t *run)
{
    double across = 0, along = 0;
    size_t block = block_of(run);

    if (block > 0) {
        size_t last = run->slices - 1;
        return last >= block ? (run->full_at[last] - run->full_at[last - block]) / (double)block : 0;
    }
    for (size_t t = 0; t < run->ntrees; t++) {
        size_t half = run->mine[t] / 2;
        double n = (double)(run->mine[t] - half), slice = 0, at = 0;
        for (size_t j = half; j < run->mine[t]; j++) {
            slice += (double)slice_of(run, t, j) / n;
            at += run->full_at[slice_of(run, t, j)] / n;
        }
        for (size_t j = half; j < run->mine[t]; j++) {
            double step = (double)slice_of(run, t, j) - slice;
            across += step * (run->full_at[slice_of(run, t, j)] - at);
            along += step * step;
        }
    }
    return along > 0 ? across / along : 0;
}

static plan_status_t allocate(run_t *run)
{
    size_t ranks = (size_t)run->x->d->ranks, n = run->ntrees;
    run->mine = malloc(n * sizeof *run->mine);
    run->branch = calloc(n * ranks, sizeof *run->branch);
    if (n > 1) run->slice_of = malloc(n * run->slices * sizeof *run->slice_of);
    run->full_at = calloc(run->slices, sizeof *run->full_at);
    if (run->mine == NULL || run->branch == NULL || run->full_at == NULL) return PLAN_ENOMEM;
    return n > 1 && run->slice_of == NULL ? PLAN_ENOMEM : PLAN_OK;
}

/* How far to simulate: all slices, or the first of very many; of blocks two. */
static void limit(run_t *run)
{
    size_t ranks = (size_t)run->x->d->ranks, most = PLANI_SIMULATED_TRANSFERS / ranks, blocks = 2 * block_of(run);
    if (most < LEAST_SLICES) most = LEAST_SLICES;
    if (run->ntrees > 1 && most < EACH_SLICES * run->ntrees) most = EACH_SLICES * run->ntrees;
    if (blocks > BLOCK_TRANSFERS / ranks) blocks = BLOCK_TRANSFERS / ranks;
    if (most < blocks) most = blocks;
    run->slices = run->cut.n < most ? run->cut.n : most;
    run->window = run->limit > 0 ? (size_t)run->limit : run->cut.n;
}

/* The simulated slices; *end [s]: when all ranks have them. */
static plan_status_t simulate(run_t *run, const double *share, double *end)
{
    plan_status_t rc;

    plani_network_clear(run->x);
    if ((rc = allocate(run)) != PLAN_OK) return rc;
    if ((rc = assign(run, share)) != PLAN_OK) return rc;
    if ((rc = make_routes(run)) != PLAN_OK) return rc;
    return play(run, end);
}

static void release(run_t *run)
{
    free(run->mine);
    free(run->branch);
    free(run->full_at);
    free(run->slice_of);
}

static plan_status_t check_trees(const plani_simulation_t *x, size_t ntrees, plan_tree_t *const *tree)
{
    if (ntrees == 0) return PLAN_EINVAL;
    for (size_t t = 0; t < ntrees; t++)
        if (plan_tree_data(tree[t])->ranks != x->d->ranks) return PLAN_ENOTREE;
    return PLAN_OK;
}

plan_status_t plani_simulate_trees(plani_simulation_t *x, size_t ntrees, plan_tree_t *const *tree, const double *share,
                                   plani_pipeline_t how, plani_extrapolation_t *from, double *seconds)
{
    run_t run = {.x = x, .ntrees = ntrees, .tree = tree, .limit = how.window, .cut = plani_cut(how.bytes, how.slice)};
    plan_status_t rc = check_trees(x, ntrees, tree);
    double end = 0;

    if (rc != PLAN_OK) return rc;
    *seconds = 0;
    if (how.bytes == 0 || x->d->ranks == 1) return PLAN_OK;
    limit(&run);
    if (plani_extrapolates(from, run.slices, run.cut)) {
        *seconds = plani_extrapolate(from, run.cut);
        return PLAN_OK;
    }
    if ((rc = simulate(&run, share, &end)) != PLAN_OK) goto done;
    *seconds = end;
    if (run.slices < run.cut.n) {
        bool full;
        double steady = steady_period(&run, share, &full);
        plani_extrapolation_t now = {.slices = run.slices, .end = end, .period = fmax(late_period(&run), steady)};
        *seconds = plani_extrapolate(&now, run.cut);
        if (from != NULL && full && how.window > 0 && run.cut.last == run.cut.full) *from = now;
    }
done:
    release(&run);
    return rc;
}

plan_status_t plani_simulate_arrivals(plani_simulation_t *x, size_t ntrees, plan_tree_t *const *tree,
                                      const double *share, plani_pipeline_t how, double *arrival)
{
    run_t run = {.x = x, .ntrees = ntrees, .tree = tree, .limit = how.window, .cut = plani_cut(how.bytes, how.slice)};
    size_t ranks = (size_t)x->d->ranks;
    plan_status_t rc = check_trees(x, ntrees, tree);
    double end = 0;

    if (rc != PLAN_OK) return rc;
    for (size_t v = 0; v < ranks; v++) arrival[v] = 0;
    if (how.bytes == 0 || ranks == 1) return PLAN_OK;
    limit(&run);
    run.end_of = arrival;
    if ((run.half_of = calloc(ranks, sizeof *run.half_of)) == NULL) return PLAN_ENOMEM;
    rc = simulate(&run, share, &end);
    size_t half = run.slices / 2;
    double left = (double)(run.cut.n - run.slices), second = (double)(run.slices - half);
    for (size_t v = 0; v < ranks && rc == PLAN_OK; v++) arrival[v] += left * (arrival[v] - run.half_of[v]) / second;
    release(&run);
    free(run.half_of);
    return rc;
}

void plani_timeline_clear(plani_timeline_t *told)
{
    free(told->sent);
    free(told->got);
    free(told->tree);
    *told = (plani_timeline_t){.slices = 0};
}

plan_status_t plani_simulate_timeline(plani_simulation_t *x, size_t ntrees, plan_tree_t *const *tree,
                                      const double *share, plani_pipeline_t how, size_t most, plani_timeline_t *out)
{
    run_t run = {.x = x, .ntrees = ntrees, .tree = tree, .limit = how.window, .cut = plani_cut(how.bytes, how.slice)};
    size_t ranks = (size_t)x->d->ranks;
    plan_status_t rc = check_trees(x, ntrees, tree);
    double end = 0;

    *out = (plani_timeline_t){.slices = 0};
    if (rc != PLAN_OK || how.bytes == 0 || ranks == 1 || most == 0) return rc;
    limit(&run);
    size_t n = run.slices < most ? run.slices : most;
    out->sent = calloc(n * ranks, sizeof *out->sent);
    out->got = calloc(n * ranks, sizeof *out->got);
    out->tree = calloc(n, sizeof *out->tree);
    if (out->sent == NULL || out->got == NULL || out->tree == NULL) return PLAN_ENOMEM;
    out->slices = n;
    run.told = out;
    rc = simulate(&run, share, &end);
    for (size_t t = 0; t < ntrees && rc == PLAN_OK; t++)
        for (size_t j = 0; j < run.mine[t]; j++)
            if (slice_of(&run, t, j) < n) out->tree[slice_of(&run, t, j)] = t;
    release(&run);
    return rc;
}
