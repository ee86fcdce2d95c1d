/* The bound of a platform: program (2) of Beaumont, Marchal, Robert 2004 on its links, ports and resources. */
#include <math.h>
#include <stdlib.h>
#include "lib/base/base.h"
#include "planner/algorithms/bound.h"
#include "planner/cost/arrays.h"

/* One more resource, whose links are listed from the end of the last one's on. */
static size_t *one_more(plani_arrays_t *a, size_t *resources, double cost)
{
    a->resource_cost[(*resources)++] = cost;
    a->resource_first[*resources] = a->resource_first[*resources - 1];
    return &a->resource_first[*resources];
}

/*
 * Several ports (section 3.2): a slice occupies its link for T_uv, and its sender for send_u; receivers and the other
 * links of the sender are free. So no port is held, but each link and each sender becomes a resource of its own.
 */
static plan_status_t add_links_and_senders(const plan_platform_data_t *d, double slice, plani_arrays_t *a,
                                           size_t *resources)
{
    size_t most = *resources + d->nlinks + (size_t)d->ranks, listed = a->resource_first[*resources] + 2 * d->nlinks;
    double *cost = realloc(a->resource_cost, (most + 1) * sizeof *cost);
    if (cost != NULL) a->resource_cost = cost;
    size_t *first = realloc(a->resource_first, (most + 1) * sizeof *first);
    if (first != NULL) a->resource_first = first;
    size_t *link = realloc(a->resource_link, (listed + 1) * sizeof *link);
    if (link != NULL) a->resource_link = link;
    if (cost == NULL || first == NULL || link == NULL) return PLAN_ENOMEM;
    for (size_t l = 0; l < d->nlinks; l++) {
        a->port[l] = 0;
        a->resource_link[(*one_more(a, resources, a->cost[l]))++] = l;
    }
    for (int u = 0; u < d->ranks; u++) {
        double send = plan_send_cost(d, u, slice);
        if (send == 0) continue;
        size_t *end = one_more(a, resources, send);
        for (size_t l = d->out_first[u]; l < d->out_first[u + 1]; l++) a->resource_link[(*end)++] = l;
    }
    return PLAN_OK;
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
    plani_arrays_t a;
    size_t resources;

    if (pf == NULL) return plani_fail(err, PLAN_EINVAL, "no platform to bound");
    const plan_platform_data_t *d = plan_platform_data(pf);
    if (!(slice > 0) || !isfinite(slice))
        return plani_fail(err, PLAN_EINVAL, "slice %g: must be a finite number of bytes above 0", slice);
    if (root < 0 || root >= d->ranks)
        return plani_fail(err, PLAN_EINVAL, "root %d: must be in 0..%d", root, d->ranks - 1);
    if ((rc = plani_arrays_create(d, slice, &a)) != PLAN_OK)
        return plani_fail(err, rc, "no memory for the program of %zu links", d->nlinks);
    if (!guesses) free_guesses(d, &a);
    resources = d->nresources;
    if (d->ports == PLAN_PORTS_MULTI && (rc = add_links_and_senders(d, slice, &a, &resources)) != PLAN_OK) {
        plani_arrays_clear(&a);
        return plani_fail(err, rc, "no memory for the program of %zu links", d->nlinks);
    }
    const plani_steady_problem_t problem = {.ranks = d->ranks,
                                            .root = root,
                                            .nlinks = d->nlinks,
                                            .from = a.from,
                                            .to = a.to,
                                            .cost = a.cost,
                                            .port = d->ports != PLAN_PORTS_ONE ? a.port : NULL,
                                            .nresources = resources,
                                            .resource_first = a.resource_first,
                                            .resource_link = a.resource_link,
                                            .resource_cost = a.resource_cost};
    rc = solve(&problem, options, out, err);
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
