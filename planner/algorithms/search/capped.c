#include "planner/algorithms/search/capped.h"
#include <stdlib.h>
#include <string.h>
#include "planner/algorithms/heuristics/grow.h"
#include "planner/algorithms/search/period_bound.h"

struct plani_capped {
    const plani_problem_t *problem;
    plani_keyed_t *sorted; /* [nlinks] by sender, the shortest flight first: shared by all caps */
    plani_shape_t shape;
    double *load; /* [ranks + nresources] seconds per slice: send ports, resources */
    double cap;   /* [s] */
};

plan_status_t plani_capped_create(const plani_problem_t *problem, plani_capped_t **out)
{
    const plan_platform_data_t *d = problem->d;
    size_t n = (size_t)d->ranks;
    double *flight = malloc((d->nlinks + 1) * sizeof *flight);
    plani_capped_t *c = calloc(1, sizeof *c);
    if (flight == NULL || c == NULL) goto fail;
    for (size_t l = 0; l < d->nlinks; l++) flight[l] = plani_flight(problem, l);
    c->problem = problem;
    c->sorted = plani_sorted_out_links(d, flight, 1);
    c->shape.parent = malloc(n * sizeof *c->shape.parent);
    c->shape.order = malloc(n * sizeof *c->shape.order);
    c->load = malloc((n + d->nresources) * sizeof *c->load);
    if (!c->sorted || !c->shape.parent || !c->shape.order || !c->load) goto fail;
    free(flight);
    *out = c;
    return PLAN_OK;
fail:
    free(flight);
    plani_capped_destroy(&c);
    return PLAN_ENOMEM;
}

void plani_capped_destroy(plani_capped_t **c)
{
    if (c == NULL || *c == NULL) return;
    free((*c)->sorted);
    free((*c)->shape.parent);
    free((*c)->shape.order);
    free((*c)->load);
    free(*c);
    *c = NULL;
}

/* Loads only grow: a link that does not fit now will not fit later. */
static bool fits(const plani_grower_t *g, size_t l)
{
    const plani_capped_t *c = g->more;
    const plan_platform_data_t *d = c->problem->d;
    double cap = c->cap * (1 + 1e-12); /* sums in another order */
    if (plani_held(c->problem, l) > cap || c->load[d->link[l].from] + plani_port(c->problem, l) > cap) return false;
    if (plani_receives(c->problem, l) > cap) return false;
    for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++) {
        size_t r = d->use[k];
        if (c->load[(size_t)d->ranks + r] + plan_resource_cost(&d->resource[r], c->problem->slice) > cap) return false;
    }
    return true;
}

static void added(plani_grower_t *g, int u, size_t l)
{
    plani_capped_t *c = g->more;
    const plan_platform_data_t *d = c->problem->d;
    c->load[u] += plani_port(c->problem, l);
    c->load[d->link[l].to] += plani_receives(c->problem, l);
    for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++)
        c->load[(size_t)d->ranks + d->use[k]] += plan_resource_cost(&d->resource[d->use[k]], c->problem->slice);
    plani_load_by_clock(g, u, l);
}

static void added_shallow(plani_grower_t *g, int u, size_t l)
{
    double depth = g->load[u];
    added(g, u, l);
    g->load[u] = depth;
    g->load[g->problem->d->link[l].to] = depth + 1;
}

static double price_of_depth(const plani_grower_t *g, int u, const plani_keyed_t *k)
{
    (void)k;
    return g->load[u];
}

plan_status_t plani_capped_tree(plani_capped_t *c, double cap, bool shallow, size_t *via, bool *found)
{
    const plan_platform_data_t *d = c->problem->d;
    plani_grower_t g = {.problem = c->problem,
                        .price = plani_price_of_load,
                        .added = added,
                        .fits = fits,
                        .sorted = c->sorted,
                        .more = c};
    if (shallow) g.price = price_of_depth, g.added = added_shallow;
    c->cap = cap;
    memset(c->load, 0, ((size_t)d->ranks + d->nresources) * sizeof *c->load);
    plan_status_t rc = plani_grower_run(&g, &c->shape, found);
    for (int v = 0; rc == PLAN_OK && *found && v < d->ranks; v++)
        via[v] = v == c->problem->root ? PLANI_NO_LINK : plan_platform_find_link(c->problem->pf, c->shape.parent[v], v);
    return rc;
}
