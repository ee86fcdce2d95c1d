/* Plans made by hand, for the tests of plans, plan files and exports. */
#ifndef PLANBCAST_TESTS_PLANS_H
#define PLANBCAST_TESTS_PLANS_H

#include "planner/plan/plan_private.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <planbcast/plan.h>

/** A candidate of one tree (NULL parent: native). */
static inline plan_candidate_t one_tree(const char *name, int ranks, const int *parent, const int *order, size_t slice,
                                        int window)
{
    plan_candidate_t c = {.size = sizeof c, .run = PLAN_RUN_NATIVE, .slice = slice, .window = window};
    snprintf(c.name, sizeof c.name, "%s", name);
    c.throughput = c.lp_ratio = c.predicted_s = c.measured_s = NAN;
    if (parent == NULL) return c;
    c.run = PLAN_RUN_TREES;
    c.tree = calloc(1, sizeof(plan_tree_t *));
    c.rate = calloc(1, sizeof(double));
    if (c.tree == NULL || c.rate == NULL || plan_tree_create(ranks, parent, order, c.tree) != PLAN_OK) abort();
    c.rate[0] = c.throughput = 1000.0 / 3;
    c.lp_ratio = 0.7;
    c.predicted_s = 1.0 / 7;
    c.ntrees = 1;
    return c;
}

/** A candidate that runs in rounds. */
static inline plan_candidate_t in_rounds(const char *name, plan_schedule_kind_t kind, int ranks, const int *order,
                                         size_t slice, int window)
{
    plan_candidate_t c = one_tree(name, ranks, NULL, NULL, slice, window);
    c.run = PLAN_RUN_ROUNDS;
    c.schedule = kind;
    c.places = ranks;
    c.order = calloc((size_t)ranks, sizeof *c.order);
    if (c.order == NULL) abort();
    memcpy(c.order, order, (size_t)ranks * sizeof *order);
    return c;
}

/** Windows of its own for each link of a candidate of trees: 1, 2, 3, ... */
static inline void give_link_windows(plan_candidate_t *c)
{
    size_t n = c->ntrees * (size_t)plan_tree_data(c->tree[0])->ranks;
    c->link_window = calloc(n, sizeof *c->link_window);
    if (c->link_window == NULL) abort();
    for (size_t k = 0; k < n; k++) c->link_window[k] = (int)k + 1;
}

/** A candidate of two trees. */
static inline plan_candidate_t two_trees(const char *name, int ranks, const int *a, const int *b, double rate_a,
                                         double rate_b)
{
    plan_candidate_t c = one_tree(name, ranks, a, NULL, 65536, 4), d = one_tree(name, ranks, b, NULL, 65536, 4);
    plan_tree_t **tree = calloc(2, sizeof(plan_tree_t *));
    double *rate = calloc(2, sizeof(double));
    if (tree == NULL || rate == NULL) abort();
    tree[0] = c.tree[0], tree[1] = d.tree[0];
    rate[0] = rate_a, rate[1] = rate_b;
    c.tree[0] = d.tree[0] = NULL;
    plan_candidate_t out = c;
    out.tree = tree, out.rate = rate, out.ntrees = 2;
    c.ntrees = d.ntrees = 1;
    plani_candidate_clear(&c);
    plani_candidate_clear(&d);
    return out;
}

#endif
