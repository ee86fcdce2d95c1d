/* The bound of a platform: program (2) of Beaumont, Marchal, Robert 2004 on its links, ports and resources. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "graphs/machine/cluster.h"
#include "graphs/machine/ways.h"
#include "lib/base/base.h"
#include "planner/cost/bound.h"
#include "planner/cost/arrays.h"
#include "planner/cost/cost.h"

/* Resources with a cost for each of their links, by which ports are told. */
typedef struct {
    size_t n, *first, *link;
    double *cost; /* of each entry of link[] */
} entries_t;

static void clear_entries(entries_t *e)
{
    free(e->first);
    free(e->link);
    free(e->cost);
}

static void list(entries_t *e, size_t link, double cost)
{
    size_t *end = &e->first[e->n + 1];
    if (!(cost > 0)) return;
    e->link[*end] = link;
    e->cost[(*end)++] = cost;
}

/* What has been listed since the last call is one resource; first[n + 1] is where the next entry goes. */
static void close_resource(entries_t *e)
{
    e->n++;
    e->first[e->n + 1] = e->first[e->n];
}

static bool is_empty(const entries_t *e)
{
    return e->first[e->n + 1] == e->first[e->n];
}

/* The platform's own, with room for more resources and entries. */
static plan_status_t take_resources(const plan_platform_data_t *d, const plani_arrays_t *a, size_t more, size_t entries,
                                    entries_t *e)
{
    entries += a->resource_first[d->nresources] + 1;
    e->first = calloc(d->nresources + more + 2, sizeof *e->first);
    e->link = malloc(entries * sizeof *e->link);
    e->cost = malloc(entries * sizeof *e->cost);
    if (e->first == NULL || e->link == NULL || e->cost == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < d->nresources; i++) {
        for (size_t k = a->resource_first[i]; k < a->resource_first[i + 1]; k++)
            list(e, a->resource_link[k], a->resource_cost[i]);
        close_resource(e);
    }
    return PLAN_OK;
}

/*
 * Several ports (Beaumont, Marchal, Robert 2004, sections 2.2 and 3.2): a slice occupies its link for T_uv, its sender
 * for send_u and, if the platform says so, its receiver for receive_v. One port, one way (section 2.3): it occupies
 * both for T_uv, and what a rank sends and receives adds up. So there are no two ports to be held: links and ranks are
 * resources, on which each link has its own time.
 */
static plan_status_t resources_for_ports(const plan_platform_data_t *d, double slice, const plani_arrays_t *a,
                                         entries_t *e)
{
    plan_status_t rc = take_resources(d, a, d->nlinks + (size_t)d->ranks, 3 * d->nlinks, e);
    if (rc != PLAN_OK) return rc;
    for (size_t l = 0; l < d->nlinks; l++) {
        a->port[l] = 0;
        if (d->send_s != NULL) list(e, l, a->cost[l]);
        if (!is_empty(e)) close_resource(e);
    }
    for (int u = 0; u < d->ranks; u++) {
        for (size_t l = d->out_first[u]; l < d->out_first[u + 1]; l++) list(e, l, plani_send_time(d, l, slice));
        for (size_t k = d->in_first[u]; k < d->in_first[u + 1] && plani_takes_turns(d); k++)
            list(e, d->in_link[k], plani_receive_time(d, d->in_link[k], slice));
        if (!is_empty(e)) close_resource(e);
    }
    return PLAN_OK;
}

/* Cards whose rates are guesses [nresources], for free(). */
static plan_status_t find_guesses(const plan_platform_data_t *d, bool **out)
{
    plani_ways_t ways = {.nsets = 0};
    bool any = false, *guess = calloc(d->nresources + 1, sizeof *guess);
    plan_status_t rc = guess != NULL ? PLAN_OK : PLAN_ENOMEM;
    for (size_t i = 0; i < d->nresources; i++) any = any || d->resource[i].guess;
    if (rc == PLAN_OK && any) rc = plani_ways_find(d, &ways);
    if (rc == PLAN_OK) plani_ways_guessed_cards(d, &ways, guess);
    plani_ways_clear(&ways);
    if (rc == PLAN_OK) *out = guess, guess = NULL;
    free(guess);
    return rc;
}

/* [s] For which a slice between hosts holds its ports where there are none: the software's time. A link that nothing
 * else limits has some. */
static double software(const plan_platform_data_t *d, size_t link, bool slow)
{
    bool held = slow || d->link[link].latency_s > 0;
    for (size_t k = d->use_first[link]; k < d->use_first[link + 1]; k++) held = held || !d->resource[d->use[k]].guess;
    return held ? d->link[link].latency_s : PLANI_SLICE_S;
}

/*
 * Without ports the bytes of a slice between hosts leave its ranks free. A link that is slower than all that it passes
 * is a resource of its own, as in simulations (plani_link_time). Without guesses a link that has the rate of one has no
 * limit.
 */
static plan_status_t resources_for_flows(const plan_platform_data_t *d, bool guesses, const plani_arrays_t *a,
                                         entries_t *e)
{
    bool *guess = NULL;
    plan_status_t rc = take_resources(d, a, d->nlinks, d->nlinks, e);
    if (rc == PLAN_OK && !guesses) rc = find_guesses(d, &guess);
    for (size_t l = 0; l < d->nlinks && rc == PLAN_OK; l++) {
        if (d->host[d->link[l].from] == d->host[d->link[l].to]) continue;
        bool slow = guesses ? !plani_is_carried(d, l) : plani_is_slow(d, guess, l);
        if (!guesses) a->port[l] = plani_min(a->cost[l], software(d, l, slow));
        if (!slow) continue;
        list(e, l, a->cost[l]);
        close_resource(e);
    }
    free(guess);
    return rc;
}

/* Resources whose rates are guesses stay, but hold no link. */
static void free_guesses(const plan_platform_data_t *d, plani_arrays_t *a)
{
    size_t kept = 0, next = 0;
    for (size_t i = 0; i < d->nresources; i++) {
        size_t from = next;
        next = a->resource_first[i + 1];
        for (size_t k = from; k < next && !d->resource[i].guess; k++) a->resource_link[kept++] = a->resource_link[k];
        a->resource_first[i + 1] = kept;
    }
}

plan_status_t plani_platform_bound_by(plani_solver_t *solve, const plan_platform_t *pf, int root, double slice,
                                      bool guesses, const plan_steady_options_t *options, plan_steady_t **out,
                                      plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    entries_t e = {0};
    plani_arrays_t a;

    if (pf == NULL) return plani_fail(err, PLAN_EINVAL, "no platform to bound");
    const plan_platform_data_t *d = plan_platform_data(pf);
    if (!(slice > 0) || !isfinite(slice))
        return plani_fail(err, PLAN_EINVAL, "slice %g: must be a finite number of bytes above 0", slice);
    if (root < 0 || root >= d->ranks)
        return plani_fail(err, PLAN_EINVAL, "root %d: must be in 0..%d", root, d->ranks - 1);
    if ((rc = plani_arrays_create(d, slice, &a)) != PLAN_OK)
        return plani_fail(err, rc, "no memory for the program of %zu links", d->nlinks);
    if (!guesses) free_guesses(d, &a);
    bool own = d->ports != PLAN_PORTS_ONE;
    if (d->ports == PLAN_PORTS_NONE)
        rc = resources_for_flows(d, guesses, &a, &e);
    else if (own)
        rc = resources_for_ports(d, slice, &a, &e);
    if (rc != PLAN_OK) {
        plani_fail(err, rc, "no memory for the program of %zu links", d->nlinks);
        goto done;
    }
    const plani_steady_problem_t problem = {.ranks = d->ranks,
                                            .root = root,
                                            .nlinks = d->nlinks,
                                            .from = a.from,
                                            .to = a.to,
                                            .cost = a.cost,
                                            .port = d->ports != PLAN_PORTS_ONE ? a.port : NULL,
                                            .nresources = own ? e.n : d->nresources,
                                            .resource_first = own ? e.first : a.resource_first,
                                            .resource_link = own ? e.link : a.resource_link,
                                            .resource_cost = own ? NULL : a.resource_cost,
                                            .entry_cost = e.cost};
    rc = solve(&problem, options, out, err);
done:
    clear_entries(&e);
    plani_arrays_clear(&a);
    return rc;
}

plan_status_t plan_platform_bound(const plan_platform_t *pf, int root, double slice,
                                  const plan_steady_options_t *options, plan_steady_t **out, plan_error_t *err)
{
    return plani_platform_bound_by(plani_steady_solve, pf, root, slice, false, options, out, err);
}

plan_status_t plani_platform_rates(const plan_platform_t *pf, int root, double slice,
                                   const plan_steady_options_t *options, plan_steady_t **out, plan_error_t *err)
{
    return plani_platform_bound_by(plani_steady_solve, pf, root, slice, true, options, out, err);
}
