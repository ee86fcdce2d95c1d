/*
 * Growing: start from the root, and add the best link out of the tree by some rule, until all ranks are in.
 *
 * All rules share one engine. The order of the links of one sender never changes (by cost or by rate). So each sender
 * keeps its links sorted, and an index of the first whose receiver is not in the tree yet: O(m log m + n^2) together.
 * Ties: what the sender's own order prefers (the cheaper link), then the lowest link.
 */
#include <math.h>
#include <stdlib.h>
#include "planner/algorithms/heuristics/grow.h"

/* Advance u's index; false: all receivers of u are in the tree. */
static bool point(plani_grower_t *g, int u)
{
    const plan_platform_data_t *d = g->problem->d;
    for (; g->finger[u] < d->out_first[u + 1]; g->finger[u]++) {
        size_t l = g->sorted[g->finger[u]].link;
        if (!g->inside[d->link[l].to] && (g->fits == NULL || g->fits(g, l))) return true;
    }
    return false;
}

/* Index into sorted of the link to add. */
static size_t choose(plani_grower_t *g)
{
    size_t best = PLANI_NO_LINK;
    double best_price = INFINITY;
    for (int u = 0; u < g->problem->d->ranks; u++) {
        if (!g->inside[u] || !point(g, u)) continue;
        const plani_keyed_t *k = &g->sorted[g->finger[u]];
        double price = g->price(g, u, k);
        if (best != PLANI_NO_LINK &&
            (price > best_price || (price == best_price && plani_is_before(&g->sorted[best], k))))
            continue;
        best = g->finger[u];
        best_price = price;
    }
    return best;
}

static bool run(plani_grower_t *g, plani_shape_t *shape)
{
    const plan_platform_data_t *d = g->problem->d;
    g->inside[g->problem->root] = true;
    shape->parent[g->problem->root] = -1;
    for (int step = 1; step < d->ranks; step++) {
        size_t best = choose(g);
        if (best == PLANI_NO_LINK) return false;
        size_t l = g->sorted[best].link;
        int u = d->link[l].from, v = d->link[l].to;
        g->inside[v] = true;
        shape->parent[v] = u;
        shape->order[v] = g->children[u]++;
        g->heaviest[u] = fmax(g->heaviest[u], g->problem->through[l]);
        if (g->added != NULL) g->added(g, u, l);
    }
    return true;
}

plan_status_t plani_grower_run(plani_grower_t *g, plani_shape_t *shape, bool *grown)
{
    size_t n = (size_t)g->problem->d->ranks;
    plan_status_t rc = PLAN_OK;
    g->finger = malloc(n * sizeof *g->finger);
    g->inside = calloc(n, sizeof *g->inside);
    g->load = calloc(n, sizeof *g->load);
    g->heaviest = calloc(n, sizeof *g->heaviest);
    g->children = calloc(n, sizeof *g->children);
    if (g->finger == NULL || g->inside == NULL || g->load == NULL || g->heaviest == NULL || g->children == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    for (size_t u = 0; u < n; u++) g->finger[u] = g->problem->d->out_first[u];
    *grown = run(g, shape);
done:
    free(g->finger);
    free(g->inside);
    free(g->load);
    free(g->heaviest);
    free(g->children);
    return rc;
}

/* `key` and `sign`: the order of the links of a sender. All ranks can be reached, so the tree is complete at the end.
 */
static plan_status_t grow(plani_grower_t *g, const double *key, double sign, plani_shape_t *shape)
{
    bool grown = false;
    plani_keyed_t *sorted = plani_sorted_out_links(g->problem->d, key, sign);
    if (sorted == NULL) return PLAN_ENOMEM;
    g->sorted = sorted;
    plan_status_t rc = plani_grower_run(g, shape, &grown);
    free(sorted);
    return rc;
}

static double price_of_key(const plani_grower_t *g, int u, const plani_keyed_t *k)
{
    (void)g, (void)u;
    return k->key;
}

double plani_price_of_load(const plani_grower_t *g, int u, const plani_keyed_t *k)
{
    return g->load[u] + k->key;
}

static double price_of_period(const plani_grower_t *g, int u, const plani_keyed_t *k)
{
    return fmax((g->children[u] + 1) * g->problem->send[u] + g->problem->receive[u], fmax(g->heaviest[u], k->key));
}

static void load_by_cost(plani_grower_t *g, int u, size_t l)
{
    g->load[u] += g->problem->through[l];
}

void plani_load_by_clock(plani_grower_t *g, int u, size_t l)
{
    g->load[g->problem->d->link[l].to] = g->load[u] + plani_flight(g->problem, l);
    g->load[u] += plani_busy(g->problem, l);
}

/*
 * Beaumont, Marchal, Robert 2004, Algorithm 3. Printed "cost(u,w) <- cost(u,w) + cost(u,v)" would count earlier
 * children several times over; the text defines the cost as the weights of u's tree links, and so it is read: load(u) +
 * T_uw.
 */
plan_status_t plani_grow(const plani_problem_t *problem, plani_shape_t *shape)
{
    plani_grower_t g = {.problem = problem, .price = plani_price_of_load, .added = load_by_cost};
    return grow(&g, problem->through, 1, shape);
}

/* Algorithm 5; the price of a link includes its own T_uw and send_u, as in Algorithm 3 (printed without them). */
plan_status_t plani_multiport_grow(const plani_problem_t *problem, plani_shape_t *shape)
{
    plani_grower_t g = {.problem = problem, .price = price_of_period};
    return grow(&g, problem->through, 1, shape);
}

/* Algorithm 7. */
plan_status_t plani_lp_grow(const plani_problem_t *problem, plani_shape_t *shape)
{
    plani_grower_t g = {.problem = problem, .price = price_of_key};
    return grow(&g, problem->rates, -1, shape);
}

/* Bhat, Raghavendra, Prasanna 2003, fastest edge first: children in the order in which they came in. */
plan_status_t plani_fef(const plani_problem_t *problem, plani_shape_t *shape)
{
    plani_grower_t g = {.problem = problem, .price = price_of_key};
    shape->ordered = true;
    return grow(&g, problem->through, 1, shape);
}

/* The same paper, earliest completing edge first: ready(u) + T_uv, here with the link's delay. */
plan_status_t plani_ecef(const plani_problem_t *problem, plani_shape_t *shape)
{
    const plan_platform_data_t *d = problem->d;
    plani_grower_t g = {.problem = problem, .price = plani_price_of_load, .added = plani_load_by_clock};
    double *flight = malloc((d->nlinks + 1) * sizeof *flight);
    if (flight == NULL) return PLAN_ENOMEM;
    for (size_t l = 0; l < d->nlinks; l++) flight[l] = plani_flight(problem, l);
    shape->ordered = true;
    plan_status_t rc = grow(&g, flight, 1, shape);
    free(flight);
    return rc;
}
