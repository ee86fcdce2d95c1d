/* best-tree: the best of the other heuristics, and local search from there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "planner/search/anneal.h"
#include "planner/search/capped.h"
#include "planner/search/fill.h"
#include "planner/search/judge.h"
#include "planner/search/period_bound.h"
#include "planner/search/polish.h"

#define MOVES_PER_RANK 20000
#define MOST_MOVES 1500000
#define BISECTIONS 10
#define PRUNE_LINKS 100000 /* beyond, pruning for a start takes a good part of the search */
#define CAPS 14            /* caps on the period, from the least upwards */
#define CAP_STEP 1.25
#define MOVES_PER_TURN 20 /* a prediction takes as long as so many elementary moves */

typedef struct {
    const plani_task_t *task;
    plani_anneal_t anneal;
    plani_fill_t fill;
    plani_judge_t judge;
    plani_shape_t shape;      /* scratch for builders */
    size_t *best, *steadiest; /* [ranks] links of the best tree, and of that with the least period */
    size_t *via;              /* [ranks] scratch */
    double value, period;     /* of best, of steadiest [s] */
} search_t;

static plan_status_t search_create(const plani_task_t *task, search_t *s)
{
    size_t n = (size_t)task->d->ranks;
    plan_status_t rc = PLAN_OK;
    *s = (search_t){.task = task, .value = INFINITY, .period = INFINITY};
    if ((rc = plani_anneal_create(task, 1, task->seed, &s->anneal)) != PLAN_OK) return rc;
    if ((rc = plani_fill_create(&s->anneal.loads, &s->fill)) != PLAN_OK) return rc;
    rc = plani_judge_create(task, (size_t)ceil(task->bytes), (size_t)ceil(task->slice), task->window, &s->judge);
    if (rc != PLAN_OK) return rc;
    s->shape.parent = malloc(n * sizeof *s->shape.parent);
    s->shape.order = calloc(n, sizeof *s->shape.order);
    s->best = malloc(n * sizeof *s->best);
    s->steadiest = malloc(n * sizeof *s->steadiest);
    s->via = malloc(n * sizeof *s->via);
    return s->shape.parent && s->shape.order && s->best && s->steadiest && s->via ? PLAN_OK : PLAN_ENOMEM;
}

static void search_clear(search_t *s)
{
    plani_anneal_clear(&s->anneal);
    plani_fill_clear(&s->fill);
    plani_judge_clear(&s->judge);
    free(s->shape.parent);
    free(s->shape.order);
    free(s->best);
    free(s->steadiest);
    free(s->via);
}

/* Judge the tree in via[], and remember it if it is the best or the steadiest so far. */
static plan_status_t consider(search_t *s, const size_t *via)
{
    size_t bytes = (size_t)s->task->d->ranks * sizeof *via;
    plani_loads_set(&s->anneal.loads, via, INFINITY);
    double period = plani_loads_period(&s->anneal.loads), value = period;
    plan_status_t rc = s->task->bytes > 0 ? plani_judge(&s->judge, via, INFINITY, &value) : PLAN_OK;
    if (rc != PLAN_OK) return rc;
    if (value < s->value) {
        s->value = value;
        memmove(s->best, via, bytes);
    }
    if (period < s->period) {
        s->period = period;
        memmove(s->steadiest, via, bytes);
    }
    return PLAN_OK;
}

static plan_status_t start_from(search_t *s, plani_builder_t *make)
{
    const plan_platform_data_t *d = s->task->d;
    plan_status_t rc = make(s->task, &s->shape);
    if (rc == PLAN_EUNSUPPORTED) return PLAN_OK; /* a shape that this platform cannot take */
    if (rc != PLAN_OK) return rc;
    for (int v = 0; v < d->ranks; v++)
        s->via[v] = v == s->task->root ? PLANI_NO_LINK : plan_platform_find_link(s->task->pf, s->shape.parent[v], v);
    return consider(s, s->via);
}

static plan_status_t start(search_t *s)
{
    static plani_builder_t *const always[] = {plani_grow,       plani_ecef,          plani_fef,           plani_fnf,
                                              plani_host_chain, plani_host_binomial, plani_multiport_grow};
    static plani_builder_t *const pruning[] = {plani_prune_degree, plani_prune_simple, plani_multiport_prune};
    static plani_builder_t *const with_rates[] = {plani_lp_grow, plani_lp_prune};
    bool prune = s->task->d->nlinks <= PRUNE_LINKS;
    size_t prunings = s->task->bytes > 0 ? sizeof pruning / sizeof *pruning : 1;
    plan_status_t rc = PLAN_OK;
    for (size_t i = 0; rc == PLAN_OK && i < sizeof always / sizeof *always; i++) rc = start_from(s, always[i]);
    for (size_t i = 0; rc == PLAN_OK && prune && i < prunings; i++) rc = start_from(s, pruning[i]);
    for (size_t i = 0; rc == PLAN_OK && s->task->rates != NULL && i < sizeof with_rates / sizeof *with_rates; i++)
        if (i == 0 || prune) rc = start_from(s, with_rates[i]);
    return rc;
}

/* Lower the period by bisection between what no tree can beat and the steadiest tree. */
static plan_status_t lower_period(search_t *s, long moves)
{
    double low = 0;
    plan_status_t rc = plani_period_bound(s->task, &low);
    if (rc != PLAN_OK) return rc;
    for (int i = 0; rc == PLAN_OK && i < BISECTIONS && s->period > low * (1 + 1e-9); i++) {
        double tau = i == 0 ? low * (1 + 1e-12) : low + (s->period - low) / 2;
        memcpy(s->via, s->steadiest, (size_t)s->task->d->ranks * sizeof *s->via);
        if (plani_anneal(&s->anneal, s->via, tau, moves / BISECTIONS))
            rc = consider(s, s->via);
        else
            low = tau;
    }
    return rc;
}

/* Between the steadiest tree and the quickest to fill: quick ones, and shallow ones, whose period is capped. */
static plan_status_t capped_trees(search_t *s)
{
    plan_status_t rc = PLAN_OK;
    double cap = s->period;
    plani_capped_t *capped = NULL;
    if ((rc = plani_capped_create(s->task, &capped)) != PLAN_OK) return rc;
    for (int i = 0; rc == PLAN_OK && i < 2 * CAPS; i++) {
        bool found = false, shallow = i % 2;
        rc = plani_capped_tree(capped, cap, shallow, s->via, &found);
        if (rc == PLAN_OK && found) rc = consider(s, s->via);
        if (shallow) cap *= CAP_STEP;
    }
    plani_capped_destroy(&capped);
    return rc;
}

/* By many moves judged by an estimate, and then by a few that are each predicted. */
static plan_status_t lower_makespan(search_t *s, long moves)
{
    plan_status_t rc = capped_trees(s);
    if (rc != PLAN_OK) return rc;
    memcpy(s->via, s->best, (size_t)s->task->d->ranks * sizeof *s->via);
    plani_polish(&s->anneal, &s->fill, s->via, moves);
    if ((rc = consider(s, s->via)) != PLAN_OK) return rc;
    long turns = plani_judged_turns(s->task->d->ranks);
    if (turns > moves / MOVES_PER_TURN) turns = moves / MOVES_PER_TURN;
    return plani_judged_moves(&s->anneal, &s->judge, s->best, turns, &s->value);
}

plan_status_t plani_best_tree(const plani_task_t *task, plani_shape_t *shape)
{
    long moves = task->moves > 0 ? task->moves : (long)fmin(MOST_MOVES, (double)MOVES_PER_RANK * task->d->ranks);
    search_t s;
    plan_status_t rc = search_create(task, &s);
    if (rc == PLAN_OK) rc = start(&s);
    if (rc == PLAN_OK && task->d->ranks > 2) rc = lower_period(&s, moves);
    if (rc == PLAN_OK && task->d->ranks > 2 && task->bytes > 0) rc = lower_makespan(&s, moves);
    for (int v = 0; rc == PLAN_OK && v < task->d->ranks; v++)
        shape->parent[v] = v == task->root ? -1 : task->d->link[s.best[v]].from;
    search_clear(&s);
    return rc;
}

plan_status_t plan_best_tree(const plan_platform_t *pf, int root, double slice, const plan_search_t *how,
                             plan_tree_t **out, plan_error_t *err)
{
    static const plan_search_t defaults;
    plan_status_t rc = PLAN_OK;
    plani_task_t task;
    if (how == NULL) how = &defaults;
    plani_clear(err);
    if (out == NULL) return plani_fail(err, PLAN_EINVAL, "nowhere to put the tree");
    if (how->moves < 0) return plani_fail(err, PLAN_EINVAL, "%ld moves: must not be below 0", how->moves);
    if ((rc = plani_task_create(pf, root, slice, how->bytes, how->rates, &task, err)) != PLAN_OK) return rc;
    if (how->seed != 0) task.seed = how->seed;
    task.moves = how->moves;
    task.window = how->window;
    rc = plani_build(plani_best_tree, &task, out, err);
    plani_task_clear(&task);
    return rc;
}
