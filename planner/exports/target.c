/* The settings of a program as a planning context of its own: its trees and rounds take the places of the library's
 * candidates, and are scored, simulated and ranked in the same way. */
#include "planner/exports/exports.h"
#include "graphs/trees/trees.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees ---- */

static plan_status_t kary_tree(int k, int ranks, int root, plan_tree_t **out)
{
    int *parent = malloc(2 * (size_t)ranks * sizeof *parent);
    if (parent == NULL) return PLAN_ENOMEM;
    int *order = parent + ranks;
    for (int v = 0; v < ranks; v++) {
        int r = (int)(((long long)v + root) % ranks);
        parent[r] = v == 0 ? -1 : (int)(((long long)(v - 1) / k + root) % ranks);
        order[r] = v;
    }
    plan_status_t rc = plan_tree_create(ranks, parent, order, out);
    free(parent);
    return rc;
}

/*
 * Binomial negabinary trees (De Sensi et al. 2025), which keep more messages near than binomial ones do: of 2^s ranks,
 * in step i = 0 .. s - 1 every rank that has the message sends it to the one at the distance of the sum of (-2)^k for
 * k < s - i, upward from even ranks and downward from odd ones. That is an exchange between pairs, so each rank
 * receives once.
 *
 *     8 ranks:  0 -> 3;   0 -> 7, 3 -> 4;   0 -> 1, 3 -> 2, 7 -> 6, 4 -> 5
 */
static plan_status_t bine_tree(int ranks, int root, plan_tree_t **out)
{
    int steps = 0, have = 1, *parent = NULL, *order = NULL, *holder = NULL;
    while (1 << steps < ranks) steps++;
    if (ranks < 1 || 1 << steps != ranks) return PLAN_EUNSUPPORTED;
    if ((parent = malloc(3 * (size_t)ranks * sizeof *parent)) == NULL) return PLAN_ENOMEM;
    order = parent + ranks, holder = order + ranks;
    holder[0] = 0;
    parent[root] = -1, order[root] = 0;
    for (int i = 0; i < steps; i++, have *= 2) {
        int distance = (1 - ((steps - i) % 2 ? -1 : 1) * (1 << (steps - i))) / 3;
        for (int h = 0; h < have; h++) {
            int v = holder[h], to = (v % 2 ? v - distance : v + distance) & (ranks - 1);
            holder[have + h] = to;
            parent[(to + root) % ranks] = (v + root) % ranks;
            order[(to + root) % ranks] = i;
        }
    }
    plan_status_t rc = plan_tree_create(ranks, parent, order, out);
    free(parent);
    return rc;
}

static const plani_setting_t bine[] = {
    {"binomial", "binomial", PLANI_SHAPE_TOPOLOGY, PLAN_BINOMIAL, 0, true},
    {"bine", "bine", PLANI_SHAPE_BINE, 0, 0, true},
};
const plani_target_t plani_bine = {"Bine trees", sizeof bine / sizeof *bine, bine};

plan_status_t plani_setting_tree(const plani_setting_t *s, int ranks, int root, plan_tree_t **out)
{
    switch (s->shape) {
    case PLANI_SHAPE_TOPOLOGY:
        return plan_tree_topology((plan_topology_t)s->kind, ranks, root, s->fanout, out);
    case PLANI_SHAPE_KARY:
        return kary_tree(s->fanout, ranks, root, out);
    case PLANI_SHAPE_BINE:
        return bine_tree(ranks, root, out);
    case PLANI_SHAPE_AWARE:
    case PLANI_SHAPE_SPLIT:
    case PLANI_SHAPE_TWO_TREES:
    case PLANI_SHAPE_ROUNDS:
        break;
    }
    return PLAN_EUNSUPPORTED;
}

/* ---- instances ---- */

/* The order of virtual ranks. The caller frees it; NULL: no memory. */
static int *rank_order(const plani_context_t *ctx)
{
    int *order = malloc((size_t)ctx->d->ranks * sizeof *order);
    for (int v = 0; v < ctx->d->ranks && order != NULL; v++) order[v] = (v + ctx->root) % ctx->d->ranks;
    return order;
}

static plan_status_t add_tree(plani_context_t *ctx, size_t i, const plani_setting_t *s)
{
    plan_tree_t *tree = NULL;
    plan_status_t rc = s->shape == PLANI_SHAPE_AWARE ? plani_aware_tree(ctx->d, s->fanout, ctx->root, &tree)
                                                     : plani_setting_tree(s, ctx->d->ranks, ctx->root, &tree);
    if (rc == PLAN_OK) rc = plani_tree_check(tree, ctx->pf, NULL);
    if (rc == PLAN_OK) return plani_add_one(ctx, i, tree); /* takes it over */
    plan_tree_destroy(&tree);
    return rc;
}

static plan_status_t add_two_trees(plani_context_t *ctx, size_t i)
{
    int *order = rank_order(ctx);
    plan_tree_t **tree = calloc(2, sizeof(plan_tree_t *));
    double *share = malloc(2 * sizeof *share);
    plan_status_t rc = order != NULL && tree != NULL && share != NULL ? PLAN_OK : PLAN_ENOMEM;

    if (rc == PLAN_OK) rc = plani_two_trees(ctx->d->ranks, order, tree);
    for (int t = 0; t < 2 && rc == PLAN_OK; t++) {
        share[t] = 0.5;
        rc = plani_tree_check(tree[t], ctx->pf, NULL);
    }
    free(order);
    if (rc == PLAN_OK) return plani_context_add(ctx, i, 2, tree, share); /* takes them over */
    plani_trees_destroy(2, tree);
    free(share);
    return rc;
}

static plan_status_t add_rounds(plani_context_t *ctx, size_t i, const plani_setting_t *s)
{
    int *order = rank_order(ctx);
    plani_rounds_t *rounds = NULL;
    plan_status_t rc = order != NULL ? PLAN_OK : PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = plani_rounds_create(ctx->pf, (plan_schedule_kind_t)s->kind, order, ctx->costs, &rounds);
    free(order);
    return rc == PLAN_OK ? plani_context_add_rounds(ctx, i, rounds) : rc;
}

/* What the platform lacks links for is left out. */
static plan_status_t add_setting(plani_context_t *ctx, size_t i, const plani_setting_t *s)
{
    plan_status_t rc = s->shape == PLANI_SHAPE_SPLIT       ? plani_make_split(ctx, i)
                       : s->shape == PLANI_SHAPE_TWO_TREES ? add_two_trees(ctx, i)
                       : s->shape == PLANI_SHAPE_ROUNDS    ? add_rounds(ctx, i, s)
                                                           : add_tree(ctx, i, s);
    return rc == PLAN_ENOTREE ? PLAN_OK : rc;
}

static void fill_registry(const plani_target_t *target, plani_registry_t *registry)
{
    registry->n = target->n;
    for (size_t i = 0; i < target->n; i++) {
        const plani_setting_t *s = &target->setting[i];
        plani_algorithm_t *a = &registry->algorithm[i];
        *a = (plani_algorithm_t){.kind = PLANI_TOPOLOGY, .wanted = true};
        snprintf(a->name, sizeof a->name, "%s", s->name);
        if (s->shape == PLANI_SHAPE_SPLIT) a->kind = PLANI_SPLIT, a->topology = PLAN_SPLIT_BINARY;
        if (s->shape == PLANI_SHAPE_TWO_TREES) a->kind = PLANI_TWO_TREE;
        if (s->shape == PLANI_SHAPE_ROUNDS) a->kind = PLANI_SCHEDULE, a->schedule = (plan_schedule_kind_t)s->kind;
    }
}

plan_status_t plani_target_open(const plani_target_t *target, const plani_described_t *on, int root,
                                plani_context_t *ctx, plan_error_t *err)
{
    plan_status_t rc = plani_context_open(on->pf, root, NULL, true, ctx, err);
    if (rc != PLAN_OK) return rc;
    if (on->hosts != NULL) plani_context_use_hosts(ctx, on->hosts, on->sparse);
    fill_registry(target, &ctx->registry);
    for (size_t i = 0; i < target->n && rc == PLAN_OK; i++) rc = add_setting(ctx, i, &target->setting[i]);
    if (rc == PLAN_OK) return PLAN_OK;
    plani_context_clear(ctx);
    return plani_context_explain(rc, err);
}

/* ---- ranking ---- */

const plani_setting_t *plani_target_find(const plani_target_t *target, const char *name)
{
    for (size_t i = 0; i < target->n; i++)
        if (strcmp(target->setting[i].name, name) == 0) return &target->setting[i];
    return NULL;
}

static bool is_halved(const plani_setting_t *s)
{
    return s->shape == PLANI_SHAPE_SPLIT || s->shape == PLANI_SHAPE_TWO_TREES;
}

size_t plani_setting_segment(const plani_setting_t *s, size_t slice, size_t bytes)
{
    return is_halved(s) && slice >= bytes - bytes / 2 ? 0 : slice;
}

/* The slice that the program sends where the ranking has c->slice. */
static size_t slice_of(const plani_setting_t *s, const plan_candidate_t *c, size_t bytes)
{
    size_t half = bytes - bytes / 2;
    if (is_halved(s)) return s->segments && c->slice != 0 && c->slice < half ? c->slice : half;
    return s->segments ? c->slice : 0;
}

/* Scattered messages need a block for each rank: with fewer elements than ranks, libraries do something else. Elements
 * have up to 8 bytes, but for compound ones. */
static bool is_too_small(const plani_setting_t *s, const plani_context_t *ctx, size_t bytes)
{
    return s->shape == PLANI_SHAPE_ROUNDS && bytes < 8 * (size_t)ctx->d->ranks;
}

/* Predict anew where the program cannot send the slices of the ranking. */
static plan_status_t fit(const plani_target_t *target, plani_context_t *ctx, size_t bytes, plan_candidate_t *c)
{
    const plani_setting_t *s = plani_target_find(target, c->name);
    size_t slice = slice_of(s, c, bytes);
    plani_prediction_t p;
    if (is_too_small(s, ctx, bytes)) c->predicted_s = INFINITY;
    if (slice == c->slice || is_too_small(s, ctx, bytes)) return PLAN_OK;
    plan_status_t rc =
        plani_predict(ctx, c->instance, (plani_pipeline_t){bytes, slice, c->window}, PLANI_SIMULATION, &p);
    if (rc != PLAN_OK) return rc;
    c->slice = slice;
    c->predicted_s = p.seconds;
    return PLAN_OK;
}

plan_status_t plani_target_rank(const plani_target_t *target, plani_context_t *ctx, size_t bytes, plan_ranking_t **out,
                                plan_error_t *err)
{
    plan_ranking_t *ranking = NULL;
    plan_status_t rc = plani_rank(ctx, bytes, true, &ranking, err);
    for (size_t i = 0; rc == PLAN_OK && i < ranking->ncandidates; i++)
        rc = fit(target, ctx, ranking->bytes, &ranking->candidate[i]);
    if (rc == PLAN_OK) {
        plani_ranking_sort(ranking);
        *out = ranking, ranking = NULL;
    }
    plan_ranking_destroy(&ranking);
    return plani_context_explain(rc, err);
}
