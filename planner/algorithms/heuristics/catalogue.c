/* The catalogue of heuristics, and the functions that build by name. */
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "planner/algorithms/heuristics/heuristic.h"

#define BMR "Beaumont, Marchal, Robert 2004"
#define BRP "Bhat, Raghavendra, Prasanna 2003"

/*
 * Links up to which an entry takes about a second (bench_heuristics, complete platforms): pruning took 0.3 to 1.0
 * s at 1,024 ranks, routing 0.2 s at 256 ranks and 1.8 s at 512, the search 1 s at 1,024.
 */
#define PRUNING_LINKS 1000000
#define ROUTING_LINKS 130000
#define SEARCH_LINKS 1100000

static const plan_heuristic_t catalogue[] = {
    {.name = "prune-simple",
     .source = BMR ", Algorithm 1",
     .what = "delete the costliest links while every rank stays reachable",
     .max_links = PRUNING_LINKS},
    {.name = "prune-degree",
     .source = BMR ", Algorithm 2",
     .what = "delete the costliest link of the rank with the largest weighted out-degree",
     .max_links = PRUNING_LINKS},
    {.name = "grow", .source = BMR ", Algorithm 3", .what = "grow the tree by the link that loads its sender least"},
    {.name = "lp-prune",
     .source = BMR ", Algorithm 6",
     .what = "delete the links that carry least in the linear program",
     .needs_rates = true,
     .max_links = PRUNING_LINKS},
    {.name = "lp-grow",
     .source = BMR ", Algorithm 7",
     .what = "grow the tree by the link that carries most in the linear program",
     .needs_rates = true},
    {.name = "binomial-paths",
     .source = BMR ", Algorithm 4",
     .what = "binomial tree by rank number over shortest paths, for comparison",
     .routed = true,
     .max_links = ROUTING_LINKS},
    {.name = "multiport-grow",
     .source = BMR ", Algorithm 5",
     .what = "grow the tree by the link that lengthens its sender's multi-port period least",
     .multiport = true},
    {.name = "multiport-prune",
     .source = BMR ", section 5.2.2",
     .what = "delete the costliest link of the rank with the longest multi-port period",
     .multiport = true,
     .max_links = PRUNING_LINKS},
    {.name = "fnf",
     .source = "Banikazemi, Moorthy, Panda 1998",
     .what = "fastest node first: quick senders high in the tree, for small messages"},
    {.name = "fef", .source = BRP, .what = "fastest edge first: always the cheapest link out of the tree"},
    {.name = "ecef", .source = BRP, .what = "earliest completing edge first, for small messages"},
    {.name = "host-chain", .source = "planbcast", .what = "one chain that enters each site and each host once"},
    {.name = "host-binomial",
     .source = "planbcast",
     .what = "binomial trees among sites, among their hosts, inside hosts"},
    {.name = "best-tree",
     .source = "planbcast",
     .what = "local search for the least load of the busiest port or resource, or the least makespan",
     .max_links = SEARCH_LINKS},
};

/* In the order of the catalogue; NULL: routed. */
static plani_builder_t *const builder[] = {
    plani_prune_simple,   plani_prune_degree,    plani_grow, plani_lp_prune, plani_lp_grow, NULL,
    plani_multiport_grow, plani_multiport_prune, plani_fnf,  plani_fef,      plani_ecef,    plani_host_chain,
    plani_host_binomial,  plani_best_tree,
};

#define ENTRIES (sizeof catalogue / sizeof *catalogue)
_Static_assert(sizeof builder / sizeof *builder == ENTRIES, "one builder for each entry of the catalogue");

const plan_heuristic_t *plan_heuristics(size_t *n)
{
    *n = ENTRIES;
    return catalogue;
}

plan_status_t plani_build(plani_builder_t *make, const plani_problem_t *problem, plan_tree_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    size_t n = (size_t)problem->d->ranks;
    plani_shape_t shape = {.parent = malloc(n * sizeof *shape.parent), .order = calloc(n, sizeof *shape.order)};

    if (shape.parent == NULL || shape.order == NULL) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = make(problem, &shape);
    if (rc == PLAN_OK && !shape.ordered) rc = plani_order_children(problem, &shape);
    if (rc == PLAN_OK) rc = plan_tree_create(problem->d->ranks, shape.parent, shape.order, out);
    free(shape.parent);
    free(shape.order);
    if (rc == PLAN_EUNSUPPORTED) return plani_fail(err, rc, "the platform lacks a link that this shape of tree needs");
    return rc == PLAN_OK ? rc : plani_fail(err, rc, "no tree: %s", plan_status_string(rc));
}

plan_status_t plan_heuristic_tree(const char *name, const plan_platform_t *pf, int root, double slice, double bytes,
                                  const double *rates, plan_tree_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    plani_problem_t problem;
    size_t i = 0;

    plani_clear(err);
    if (name == NULL || out == NULL)
        return plani_fail(err, PLAN_EINVAL, "the name of the heuristic or the output argument for its tree is NULL");
    while (i < ENTRIES && strcmp(catalogue[i].name, name) != 0) i++;
    if (i == ENTRIES) return plani_fail(err, PLAN_EINVAL, "no heuristic is called \"%s\"", name);
    if (builder[i] == NULL)
        return plani_fail(err, PLAN_EUNSUPPORTED, "\"%s\" routes its transfers: it is no spanning tree", name);
    if (catalogue[i].needs_rates && rates == NULL)
        return plani_fail(err, PLAN_EINVAL, "\"%s\" needs the rates of the linear program", name);
    if ((rc = plani_problem_create(pf, root, slice, bytes, rates, &problem, err)) != PLAN_OK) return rc;
    rc = plani_build(builder[i], &problem, out, err);
    plani_problem_clear(&problem);
    return rc;
}
