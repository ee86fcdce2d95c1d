/* The trees of every kind of candidate. */
#include "graphs/trees/trees.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "planner/algorithms/heuristics/heuristic.h"
#include "planner/taulop/score.h"
#include "planner/algorithms/search/evaluator.h"
#include "planner/algorithms/context.h"
#include "planner/cost/parameters.h"

plan_status_t plani_add_one(plani_context_t *ctx, size_t algorithm, plan_tree_t *tree)
{
    plan_tree_t **list = malloc(sizeof(plan_tree_t *));
    double *share = malloc(sizeof *share);
    if (list == NULL || share == NULL) {
        plan_tree_destroy(&tree);
        free(list);
        free(share);
        return PLAN_ENOMEM;
    }
    list[0] = tree;
    share[0] = 1;
    return plani_context_add(ctx, algorithm, 1, list, share);
}

/* A candidate that the platform lacks links for is left out; that is no error. */
static plan_status_t left_out(plan_status_t rc)
{
    return rc == PLAN_ENOTREE || rc == PLAN_EUNSUPPORTED ? PLAN_OK : rc;
}

plan_status_t plani_make_heuristic(plani_context_t *ctx, size_t algorithm, double slice, const double *rates,
                                   plan_error_t *err)
{
    const plan_heuristic_t *h = ctx->registry.algorithm[algorithm].heuristic;
    plan_tree_t *tree = NULL;
    if (h->needs_rates && rates == NULL && ctx->d->ranks > 1) return PLAN_OK; /* the time limit left none */
    static const double none = 0;                                             /* one rank has no links */
    plan_status_t rc =
        plan_heuristic_tree(h->name, ctx->pf, ctx->root, slice, 0, rates != NULL ? rates : &none, &tree, err);
    if (rc == PLAN_OK) return plani_add_one(ctx, algorithm, tree);
    return left_out(rc);
}

/* The search's own default is for one tree. Many are made here: with 500 moves per rank plans are predicted 0.1% slower
 * in the mean than with 2,000, and take 0.7 of the time. The tree of the highest throughput, which all sizes start
 * from, gets 4,000 (bench/results/single-tree.md). */
static long moves_on(int ranks)
{
    return PLANI_MOVES_PER_RANK * (long)ranks;
}

plan_status_t plani_make_max_throughput(plani_context_t *ctx, size_t algorithm, double slice,
                                        const plan_steady_t *steady, plan_error_t *err)
{
    const plan_steady_data_t *bound = steady != NULL ? plan_steady_data(steady) : NULL;
    plani_problem_t *problem = &ctx->problem[ctx->nbuilt];
    plani_starts_t *starts = NULL;
    plan_tree_t *tree = NULL;
    plan_status_t rc =
        plani_problem_create(ctx->pf, ctx->root, slice, 0, bound != NULL ? bound->rate : NULL, problem, err);
    if (rc != PLAN_OK) return rc;
    if (bound != NULL) problem->most = bound->upper;
    if (ctx->choice.seed != 0) problem->seed = ctx->choice.seed;
    rc = plani_starts_create(problem, PLANI_THROUGHPUT_MOVES_PER_RANK * (long)ctx->d->ranks, &starts);
    problem->rates = NULL; /* which are not the planning context's to keep */
    ctx->starts[ctx->nbuilt] = starts;
    if (rc == PLAN_OK) rc = plani_tree_of_links(problem, plani_starts_tree(starts, starts->max_throughput), &tree);
    return rc == PLAN_OK ? plani_add_one(ctx, algorithm, tree) : rc;
}

plan_status_t plani_make_min_makespan(plani_context_t *ctx, size_t algorithm, size_t bytes)
{
    size_t best[PLANI_BUILT], *via = malloc((size_t)ctx->d->ranks * sizeof *via);
    double seconds[PLANI_BUILT], least = INFINITY;
    plan_status_t rc = via != NULL ? PLAN_OK : PLAN_ENOMEM;
    for (size_t i = 0; rc == PLAN_OK && i < ctx->nbuilt; i++) {
        seconds[i] = INFINITY;
        if (ctx->starts[i] == NULL || (i > 0 && !plani_is_typical(ctx->built[i], bytes))) continue;
        rc = plani_starts_evaluate(ctx->starts[i], (double)bytes, &best[i], &seconds[i]);
        least = fmin(least, seconds[i]);
    }
    for (size_t i = 0; rc == PLAN_OK && i < ctx->nbuilt && !plani_context_late(ctx); i++) {
        plan_tree_t *tree = NULL;
        if (!(seconds[i] <= PLANI_FAR * least)) continue;
        memcpy(via, plani_starts_tree(ctx->starts[i], best[i]), (size_t)ctx->d->ranks * sizeof *via);
        rc = plani_starts_search(ctx->starts[i], (double)bytes, moves_on(ctx->d->ranks), via, &seconds[i]);
        if (rc == PLAN_OK) rc = plani_tree_of_links(&ctx->problem[i], via, &tree);
        if (rc == PLAN_OK) rc = plani_add_one(ctx, algorithm, tree);
    }
    free(via);
    return rc;
}

static plan_status_t add_host_set(plani_context_t *ctx, size_t algorithm, const plani_host_set_t *set)
{
    size_t n = (size_t)set->ntrees;
    plan_tree_t **tree = calloc(n, sizeof(plan_tree_t *));
    double *share = malloc(n * sizeof *share);
    plan_status_t rc = tree != NULL && share != NULL ? PLAN_OK : PLAN_ENOMEM;
    for (size_t t = 0; t < n && rc == PLAN_OK; t++) {
        share[t] = set->share[t];
        rc = plani_host_trees_expand(ctx->hosts, set, (int)t, &tree[t]);
    }
    if (rc == PLAN_OK) return plani_context_add(ctx, algorithm, n, tree, share); /* takes them over */
    plani_trees_destroy(n, tree);
    free(share);
    return rc;
}

plan_status_t plani_make_host_trees(plani_context_t *ctx, size_t algorithm)
{
    plan_status_t rc = PLAN_OK;
    bool postal = ctx->registry.algorithm[algorithm].kind == PLANI_POSTAL;
    int first = postal ? 0 : ctx->hosts->npostal, end = postal ? ctx->hosts->npostal : ctx->hosts->nsets;
    for (int i = first; i < end && rc == PLAN_OK; i++) rc = left_out(add_host_set(ctx, algorithm, &ctx->hosts->set[i]));
    return rc;
}

plan_status_t plani_make_expanded(plani_context_t *ctx, size_t between)
{
    const plani_instance_t *b = &ctx->leaders->ctx->instance[between];
    plan_tree_t **tree = NULL;
    double *share = malloc(b->ntrees * sizeof *share);
    plan_status_t rc = share != NULL ? plani_context_expand(ctx, between, &tree) : PLAN_ENOMEM;
    if (rc == PLAN_OK) {
        memcpy(share, b->share, b->ntrees * sizeof *share);
        ctx->registry.algorithm[b->algorithm].wanted = true;                 /* in the ranking */
        return plani_context_add(ctx, b->algorithm, b->ntrees, tree, share); /* takes them over */
    }
    free(share);
    return rc;
}

plan_status_t plani_make_topology(plani_context_t *ctx, size_t algorithm)
{
    plan_tree_t *tree = NULL;
    plan_status_t rc =
        plan_tree_topology(ctx->registry.algorithm[algorithm].topology, ctx->d->ranks, ctx->root, 0, &tree);
    if (rc != PLAN_OK) return rc;
    if ((rc = plani_tree_check(tree, ctx->pf, NULL)) == PLAN_OK) return plani_add_one(ctx, algorithm, tree);
    plan_tree_destroy(&tree);
    return left_out(rc);
}

/*
 * Split binary as two trees with half the slices each. The tree of one half goes down its own side of the binary tree,
 * and each rank there hands on to its partner on the other side:
 *
 *        0                0                    0
 *      1   2    ->      1          and           2
 *     3 5 4 6          2 3 5                   1 4 6
 *                        4 6                     3 5
 *
 * The root stands in for the partner that the last rank on the left lacks when the number of ranks is even, as in
 * Open MPI. `near` is the root's child on the half's own side.
 */
static plan_status_t half_tree(const plani_context_t *ctx, const plan_tree_t *whole, const int *partner, int near,
                               int *parent, int *order, plan_tree_t **out)
{
    int n = ctx->d->ranks;
    const int *above = plan_tree_data(whole)->parent, *down = plan_tree_data(whole)->breadth_first;
    for (int r = 0; r < n; r++) parent[r] = -1, order[r] = 0;
    for (int i = 1; i < n; i++) { /* own side: as in the binary tree; -1 marks the other side for now */
        int r = down[i];
        if (r == near || (above[r] != ctx->root && parent[above[r]] != -1)) parent[r] = above[r];
    }
    for (int r = 0; r < n; r++)
        if (r != ctx->root && parent[r] == -1) parent[r] = partner[r], order[r] = 1; /* after the own children */
    return plan_tree_create(n, parent, order, out);
}

plan_status_t plani_make_split(plani_context_t *ctx, size_t algorithm)
{
    plan_status_t rc = PLAN_ENOMEM;
    size_t n = (size_t)ctx->d->ranks;
    int children = 0, *scratch = malloc(3 * n * sizeof *scratch), *partner = scratch;
    plan_tree_t *whole = NULL, **half = calloc(2, sizeof(plan_tree_t *));
    double *share = malloc(2 * sizeof *share);

    if (scratch == NULL || half == NULL || share == NULL) goto done;
    if ((rc = plan_tree_topology(PLAN_SPLIT_BINARY, ctx->d->ranks, ctx->root, 0, &whole)) != PLAN_OK) goto done;
    const int *child = plan_tree_children(whole, ctx->root, &children);
    if (children < 2) { /* no second side: both halves go the same way */
        rc = plani_tree_check(whole, ctx->pf, NULL);
        if (rc == PLAN_OK)
            rc = plani_add_one(ctx, algorithm, whole), whole = NULL;
        else
            rc = left_out(rc);
        goto done;
    }
    if ((rc = plani_split_binary_partners(ctx->d->ranks, ctx->root, partner)) != PLAN_OK) goto done;
    for (int side = 0; side < 2; side++) {
        rc = half_tree(ctx, whole, partner, child[side], scratch + n, scratch + 2 * n, &half[side]);
        if (rc == PLAN_OK) rc = plani_tree_check(half[side], ctx->pf, NULL);
        if (rc != PLAN_OK) {
            rc = left_out(rc);
            goto done;
        }
        share[side] = 0.5;
    }
    rc = plani_context_add(ctx, algorithm, 2, half, share);
    half = NULL, share = NULL;
done:
    for (int side = 0; side < 2 && half != NULL; side++) plan_tree_destroy(&half[side]);
    plan_tree_destroy(&whole);
    free(half);
    free(share);
    free(scratch);
    return rc;
}

/* All ranks, the root first, each site and each host in one piece: a chain that is borrowed from the heuristics. */
static plan_status_t chain_of_hosts(const plani_context_t *ctx, plan_tree_t **chain)
{
    return plan_heuristic_tree("host-chain", ctx->pf, ctx->root, 65536, 0, NULL, chain, NULL);
}

plan_status_t plani_make_two_tree(plani_context_t *ctx, size_t algorithm)
{
    plan_tree_t *chain = NULL, **tree = calloc(2, sizeof(plan_tree_t *));
    double *share = malloc(2 * sizeof *share);
    plan_status_t rc = tree == NULL || share == NULL ? PLAN_ENOMEM : chain_of_hosts(ctx, &chain);

    if (rc == PLAN_OK) rc = plani_two_trees(ctx->d->ranks, plan_tree_data(chain)->breadth_first, tree);
    for (int t = 0; t < 2 && rc == PLAN_OK; t++) {
        share[t] = 0.5;
        rc = plani_tree_check(tree[t], ctx->pf, NULL);
    }
    plan_tree_destroy(&chain);
    if (rc == PLAN_OK) return plani_context_add(ctx, algorithm, 2, tree, share);
    plani_trees_destroy(2, tree);
    free(share);
    return left_out(rc);
}

static plan_status_t rounds_in(plani_context_t *ctx, size_t algorithm, const int *order)
{
    plani_rounds_t *rounds = NULL;
    plan_status_t rc =
        plani_rounds_create(ctx->pf, ctx->registry.algorithm[algorithm].schedule, order, ctx->costs, &rounds);
    return rc == PLAN_OK ? plani_context_add_rounds(ctx, algorithm, rounds) : left_out(rc);
}

typedef struct {
    int in_host, in_site, at; /* the how-many-th rank of its host, and host of its site; place in the chain */
} place_t;

static int by_place(const void *a, const void *b)
{
    const place_t *x = a, *y = b;
    if (x->in_host != y->in_host) return x->in_host < y->in_host ? -1 : 1;
    if (x->in_site != y->in_site) return x->in_site < y->in_site ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/*
 * The chain dealt out: neighbours are of different sites, and those of one host furthest apart. By recursive doubling,
 * whose blocks grow with the distance, hosts and sites exchange the small ones, and then ranks of one host the large.
 */
static plan_status_t deal_out(const plan_platform_data_t *d, const int *chain, int *order)
{
    size_t n = (size_t)d->ranks;
    place_t *place = malloc(n * sizeof *place);
    int *ranks = calloc(3 * n, sizeof *ranks); /* of each host so far */
    plan_status_t rc = place != NULL && ranks != NULL ? PLAN_OK : PLAN_ENOMEM;
    int *hosts = rc == PLAN_OK ? ranks + n : NULL;    /* of each site so far */
    int *host = rc == PLAN_OK ? ranks + 2 * n : NULL; /* each host's number among them */
    for (size_t i = 0; rc == PLAN_OK && i < n; i++) {
        int h = d->host[chain[i]];
        if (ranks[h] == 0) host[h] = hosts[d->site[chain[i]]]++;
        place[i] = (place_t){ranks[h]++, host[h], (int)i};
    }
    if (rc == PLAN_OK) qsort(place, n, sizeof *place, by_place);
    for (size_t i = 0; rc == PLAN_OK && i < n; i++) order[i] = chain[place[i].at];
    free(place);
    free(ranks);
    return rc;
}

plan_status_t plani_make_rounds(plani_context_t *ctx, size_t algorithm)
{
    plan_tree_t *chain = NULL;
    size_t bytes = (size_t)ctx->d->ranks * sizeof(int);
    int *dealt = NULL;
    if (!ctx->taulop) return PLAN_OK; /* which the other models do not cover */
    plan_status_t rc = chain_of_hosts(ctx, &chain);
    if (rc != PLAN_OK) return left_out(rc);
    const int *order = plan_tree_data(chain)->breadth_first;
    rc = rounds_in(ctx, algorithm, order);
    if (rc == PLAN_OK && ctx->registry.algorithm[algorithm].schedule == PLAN_SCATTER_DOUBLING) {
        rc = (dealt = malloc(bytes)) != NULL ? deal_out(ctx->d, order, dealt) : PLAN_ENOMEM;
        if (rc == PLAN_OK && memcmp(order, dealt, bytes) != 0) rc = rounds_in(ctx, algorithm, dealt);
    }
    free(dealt);
    plan_tree_destroy(&chain);
    return rc;
}

/*
 * The k trees of the largest rates, children in the order that brings one slice to all ranks soonest. Their shares are
 * those of the highest throughput of these k trees.
 */
static plan_status_t best_lp_trees(plani_context_t *ctx, size_t algorithm, const plan_steady_t *steady,
                                   const plani_problem_t *problem, size_t k)
{
    plan_status_t rc = PLAN_ENOMEM;
    size_t n = (size_t)ctx->d->ranks, made = k;
    plani_shape_t shape = {.parent = malloc(n * sizeof *shape.parent), .order = calloc(n, sizeof *shape.order)};
    plan_tree_t **tree = calloc(k, sizeof(plan_tree_t *));
    double *share = malloc(k * sizeof *share);

    if (shape.parent == NULL || shape.order == NULL || tree == NULL || share == NULL) goto done;
    for (size_t t = 0; t < k; t++) {
        memcpy(shape.parent, plan_steady_data(steady)->tree_parent[t], n * sizeof *shape.parent);
        if ((rc = plani_order_children(problem, &shape)) != PLAN_OK) goto done;
        if ((rc = plan_tree_create(ctx->d->ranks, shape.parent, shape.order, &tree[t])) != PLAN_OK) goto done;
        share[t] = plan_steady_data(steady)->tree_rate[t];
    }
    if ((rc = plani_share(ctx->pf, problem->slice, &k, tree, share)) != PLAN_OK) goto done;
    rc = plani_context_add(ctx, algorithm, k, tree, share);
    tree = NULL, share = NULL;
done:
    plani_trees_destroy(made, tree);
    free(share);
    free(shape.parent);
    free(shape.order);
    return rc;
}

plan_status_t plani_make_lp_trees(plani_context_t *ctx, size_t algorithm, const plan_steady_t *steady, double slice)
{
    static const size_t counts[] = {1, 2, 3, 4, 6, 8}; /* more trees cost more memory and messages than they gain */
    plani_problem_t problem;
    plan_status_t rc = plani_problem_create(ctx->pf, ctx->root, slice, 0, NULL, &problem, NULL);
    if (rc != PLAN_OK) return rc;
    for (size_t i = 0; i < sizeof counts / sizeof *counts && rc == PLAN_OK; i++) {
        if (counts[i] > plan_steady_data(steady)->ntrees) break;
        rc = best_lp_trees(ctx, algorithm, steady, &problem, counts[i]);
    }
    plani_problem_clear(&problem);
    return rc;
}

/* Where this few trees reach the throughput of all, more trees would only take more messages. */
static plan_status_t find_whether_at_bound(const plan_platform_t *pf, size_t n, plan_tree_t *const *tree,
                                           const double *share, double slice, const plan_steady_t *steady, bool *yes)
{
    double sustained = 0;
    plan_status_t rc = plan_throughput(pf, n, tree, share, slice, &sustained, NULL);
    *yes = rc == PLAN_OK && sustained >= (1 - PLANI_NEAR) * plan_steady_data(steady)->upper;
    return rc;
}

plan_status_t plani_make_few_trees(plani_context_t *ctx, size_t algorithm, const plan_steady_t *steady, double slice,
                                   plan_error_t *err)
{
    static const size_t counts[] = {2, 3, 4};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t k = counts[i], n = 0;
        plan_tree_t **tree = calloc(k, sizeof(plan_tree_t *));
        double *share = malloc(k * sizeof *share);
        plan_status_t rc = PLAN_ENOMEM;
        long moves = PLANI_MOVES_PER_NODE * (long)k * ctx->d->ranks;
        if (i > 0 && plani_context_late(ctx))
            rc = PLAN_ETIME;
        else if (tree != NULL && share != NULL)
            rc = plan_few_trees(ctx->pf, ctx->root, slice, k, steady, ctx->choice.seed, moves, tree, share, &n, err);
        if (rc == PLAN_OK) {
            bool enough = false;
            plan_status_t known = find_whether_at_bound(ctx->pf, n, tree, share, slice, steady, &enough);
            rc = plani_context_add(ctx, algorithm, n, tree, share); /* takes them over */
            if (rc != PLAN_OK || known != PLAN_OK || enough) return rc != PLAN_OK ? rc : known;
            continue;
        }
        free(tree);
        free(share);
        return rc == PLAN_ETIME ? PLAN_OK : rc;
    }
    return PLAN_OK;
}
