/* few-trees: a handful of trees that share the slices, near the bound of all trees. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "lp/shares.h"
#include "planner/cost/bound.h"
#include "planner/algorithms/search/compact.h"
#include "planner/cost/parameters.h"

#define MOVES_PER_NODE 6000
#define MOST_MOVES 1500000
#define STEPS 12      /* target periods tried between the bound and the best trees */
#define LEAP 0.02     /* least distance to halve, of the period */
#define POOL 4        /* packed trees to choose from, for each tree */
#define FAIR 0.25     /* of an equal share: with less, a tree is hardly worth moving ranks in */
#define SETTLING 0.25 /* of the moves */

typedef struct {
    const plani_problem_t *problem;
    plani_anneal_t anneal;
    int trees;
    size_t *via, *best;     /* [nodes] */
    double *share, *shares; /* [trees] scratch; of best */
    double *row;            /* [trees * loads] what a slice down each tree holds */
    double *arrival;        /* [nodes] scratch */
    double period;          /* of best [s] */
} search_t;

static plan_status_t search_create(const plani_problem_t *problem, int trees, search_t *s)
{
    plan_status_t rc = PLAN_OK;
    *s = (search_t){.problem = problem, .trees = trees, .period = INFINITY};
    if ((rc = plani_anneal_create(problem, trees, problem->seed, &s->anneal)) != PLAN_OK) return rc;
    const plani_loads_t *l = &s->anneal.loads;
    s->via = malloc(l->nodes * sizeof *s->via);
    s->best = malloc(l->nodes * sizeof *s->best);
    s->share = malloc((size_t)trees * sizeof *s->share);
    s->shares = malloc((size_t)trees * sizeof *s->shares);
    s->row = malloc((size_t)trees * l->loads * sizeof *s->row);
    s->arrival = malloc(l->nodes * sizeof *s->arrival);
    return s->via && s->best && s->share && s->shares && s->row && s->arrival ? PLAN_OK : PLAN_ENOMEM;
}

static void search_clear(search_t *s)
{
    plani_anneal_clear(&s->anneal);
    free(s->via);
    free(s->best);
    free(s->share);
    free(s->shares);
    free(s->row);
    free(s->arrival);
}

/* What a slice down each of the trees in via[] holds. */
static void weigh(search_t *s)
{
    plani_loads_t *l = &s->anneal.loads;
    double *weight = l->weight;
    l->weight = s->share;
    for (int t = 0; t < s->trees; t++) {
        for (int u = 0; u < s->trees; u++) s->share[u] = u == t;
        plani_loads_set(l, s->via, INFINITY);
        /* clang 14 takes via[] for lost once something beside it changes. */
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        memcpy(s->row + (size_t)t * l->loads, l->load, l->loads * sizeof *l->load);
    }
    l->weight = weight;
}

/* The shares that are best for the first `n` trees as weighed, and the period that they allow. */
static plan_status_t share(search_t *s, size_t n, double *period)
{
    size_t loads = s->anneal.loads.loads;
    double total = 0;
    plan_status_t rc = plani_share_rows(n, loads, s->row, s->share);
    if (rc == PLAN_ESOLVER) { /* equal shares are not bad */
        for (size_t t = 0; t < n; t++) s->share[t] = 1;
        rc = PLAN_OK;
    }
    for (size_t t = 0; t < n; t++) total += s->share[t];
    for (size_t t = 0; t < n; t++) s->share[t] /= total;
    *period = 0;
    for (size_t i = 0; i < loads; i++) {
        double load = 0;
        for (size_t t = 0; t < n; t++) load += s->share[t] * s->row[t * loads + i];
        *period = fmax(*period, load);
    }
    return rc;
}

/* Remember the trees in via[] if they are the best so far, and go on with their shares unless some are next to nothing.
 */
static plan_status_t consider(search_t *s)
{
    double period = 0, least = INFINITY;
    weigh(s);
    plan_status_t rc = share(s, (size_t)s->trees, &period);
    if (rc != PLAN_OK || !(period < s->period)) return rc;
    s->period = period;
    memcpy(s->best, s->via, s->anneal.loads.nodes * sizeof *s->best);
    memcpy(s->shares, s->share, (size_t)s->trees * sizeof *s->shares);
    for (int t = 0; t < s->trees; t++) least = fmin(least, s->share[t]);
    if (least >= FAIR / s->trees) memcpy(s->anneal.loads.weight, s->share, (size_t)s->trees * sizeof *s->share);
    return PLAN_OK;
}

/* Put tree t, by its parents, into via[]. */
static void put_tree(search_t *s, int t, const int *parent)
{
    for (int v = 0; v < s->problem->d->ranks; v++)
        s->via[plani_node(&s->anneal.loads, t, v)] =
            v == s->problem->root ? PLANI_NO_LINK : plan_platform_find_link(s->problem->pf, parent[v], v);
}

/* All trees start equal; the first moves make them different. */
static plan_status_t start_alike(search_t *s)
{
    size_t n = (size_t)s->problem->d->ranks;
    plani_shape_t shape = {.parent = malloc(n * sizeof *shape.parent), .order = calloc(n, sizeof *shape.order)};
    plan_status_t rc = shape.parent != NULL && shape.order != NULL ? plani_grow(s->problem, &shape) : PLAN_ENOMEM;
    for (int t = 0; t < s->trees && rc == PLAN_OK; t++) put_tree(s, t, shape.parent);
    free(shape.parent);
    free(shape.order);
    return rc == PLAN_OK ? consider(s) : rc;
}

static void leave_out(search_t *s, size_t n, size_t tree)
{
    size_t ranks = (size_t)s->problem->d->ranks, loads = s->anneal.loads.loads, behind = n - 1 - tree;
    memmove(s->via + tree * ranks, s->via + (tree + 1) * ranks, behind * ranks * sizeof *s->via);
    memmove(s->row + tree * loads, s->row + (tree + 1) * loads, behind * loads * sizeof *s->row);
}

/*
 * Trees that the linear program packed: of the largest, the one that carries least is left out until few enough
 * remain. Without it the others share the slices again.
 */
static plan_status_t start_packed(search_t *s, const plan_steady_t *steady)
{
    size_t n = plan_steady_data(steady)->ntrees, most = POOL * (size_t)s->trees, k = (size_t)s->trees;
    plan_status_t rc = PLAN_OK;
    search_t pool = {0};
    if (n > most) n = most;
    if (n < k) return PLAN_OK; /* random moves find the bound, too, if fewer trees reach it */
    if ((rc = search_create(s->problem, (int)n, &pool)) != PLAN_OK) goto done;
    for (size_t t = 0; t < n; t++) put_tree(&pool, (int)t, plan_steady_data(steady)->tree_parent[t]);
    weigh(&pool);
    for (size_t left = n; left >= k; left--) {
        size_t least = 0;
        double period;
        if ((rc = share(&pool, left, &period)) != PLAN_OK || left == k) break;
        for (size_t t = 1; t < left; t++)
            if (pool.share[t] < pool.share[least]) least = t;
        leave_out(&pool, left, least);
    }
    if (rc == PLAN_OK) memcpy(s->via, pool.via, s->anneal.loads.nodes * sizeof *s->via);
    if (rc == PLAN_OK) rc = consider(s);
done:
    search_clear(&pool);
    return rc;
}

/*
 * Try target periods near the bound first, since several trees mostly reach one. Where they do not, halve the interval
 * between the last failure and the best trees, on a logarithmic scale if it is wide.
 */
static double next_aim(const search_t *s, double bound, int i, double failed)
{
    double near = (1 + PLANI_NEAR * (1 << (2 * i))) / bound; /* 0.5, 2, 8, ...%; 0: no bound */
    if (near > 0 && near < s->period) return near;
    return failed > 0 && s->period > 1.5 * failed ? sqrt(failed * s->period) : failed + (s->period - failed) / 2;
}

static plan_status_t lower_period(search_t *s, double bound, long moves)
{
    plan_status_t rc = PLAN_OK;
    double failed = 1 / bound;
    for (int i = 0; rc == PLAN_OK && i < STEPS && s->period * bound > 1 + PLANI_NEAR; i++) {
        double tau = next_aim(s, bound, i, failed);
        memcpy(s->via, s->best, s->anneal.loads.nodes * sizeof *s->via);
        double before = s->period;
        plani_anneal(&s->anneal, s->via, tau, moves / STEPS);
        rc = consider(s); /* trees that miss the target a little often meet it with other shares */
        if (s->period == before) failed = fmax(failed, tau);
        failed = fmin(failed, s->period * (1 - LEAP)); /* it was with other shares that it failed */
    }
    return rc;
}

/* Trees with children in the best order, of those that get a share. */
static plan_status_t make_trees(search_t *s, plan_tree_t **tree, double *share, size_t *ntrees)
{
    const plan_platform_data_t *d = s->problem->d;
    plan_status_t rc = PLAN_ENOMEM;
    plani_shape_t shape = {.parent = malloc((size_t)d->ranks * sizeof *shape.parent),
                           .order = calloc((size_t)d->ranks, sizeof *shape.order)};
    *ntrees = 0;
    if (shape.parent == NULL || shape.order == NULL) goto done;
    for (int t = 0; t < s->trees; t++) {
        const size_t *via = s->best + plani_node(&s->anneal.loads, t, 0);
        if (s->shares[t] <= 0) continue;
        for (int v = 0; v < d->ranks; v++) shape.parent[v] = via[v] == PLANI_NO_LINK ? -1 : d->link[via[v]].from;
        if ((rc = plani_order_children(s->problem, &shape)) != PLAN_OK) goto done;
        if ((rc = plan_tree_create(d->ranks, shape.parent, shape.order, &tree[*ntrees])) != PLAN_OK) goto done;
        share[(*ntrees)++] = s->shares[t];
    }
done:
    if (rc != PLAN_OK)
        while (*ntrees > 0) plan_tree_destroy(&tree[--*ntrees]);
    free(shape.parent);
    free(shape.order);
    return rc;
}

static plan_status_t few_trees(const plani_problem_t *problem, int k, const plan_steady_t *steady, plan_tree_t **tree,
                               double *share, size_t *ntrees)
{
    search_t s;
    plan_status_t rc = search_create(problem, k, &s);
    if (rc == PLAN_OK) rc = start_alike(&s);
    if (rc == PLAN_OK && steady != NULL) rc = start_packed(&s, steady);
    if (rc == PLAN_OK && steady != NULL) rc = lower_period(&s, plan_steady_data(steady)->upper, problem->moves);
    if (rc == PLAN_OK) {
        memcpy(s.anneal.loads.weight, s.shares, (size_t)k * sizeof *s.shares);
        plani_compact(&s.anneal, s.best, s.period * (1 + 1e-9), (long)(SETTLING * (double)problem->moves), s.arrival);
        rc = make_trees(&s, tree, share, ntrees);
    }
    search_clear(&s);
    return rc;
}

plan_status_t plan_few_trees(const plan_platform_t *pf, int root, double slice, size_t k, const plan_steady_t *steady,
                             uint64_t seed, long moves, plan_tree_t **tree, double *share, size_t *ntrees,
                             plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    plan_steady_t *solved = NULL;
    plani_problem_t problem;
    plani_clear(err);
    if (tree == NULL || share == NULL || ntrees == NULL)
        return plani_fail(err, PLAN_EINVAL, "the output argument for the trees is NULL");
    if (k < 1 || k > PLAN_MOST_TREES)
        return plani_fail(err, PLAN_EINVAL, "%zu trees: give 1 to %d", k, PLAN_MOST_TREES);
    if (moves < 0) return plani_fail(err, PLAN_EINVAL, "%ld moves: must not be below 0", moves);
    if ((rc = plani_problem_create(pf, root, slice, 0, NULL, &problem, err)) != PLAN_OK) return rc;
    if (seed != 0) problem.seed = seed;
    problem.moves = moves;
    if (problem.moves == 0)
        problem.moves = (long)fmin(MOST_MOVES, (double)MOVES_PER_NODE * (double)k * problem.d->ranks);
    if (steady == NULL && problem.d->ranks > 2) {
        rc = plani_platform_rates(pf, root, slice, NULL, &solved, err);
        steady = solved;
    }
    if (rc == PLAN_OK && (rc = few_trees(&problem, (int)k, steady, tree, share, ntrees)) != PLAN_OK)
        plani_fail(err, rc, "no trees: %s", plan_status_string(rc));
    plan_steady_destroy(&solved);
    plani_problem_clear(&problem);
    return rc;
}
