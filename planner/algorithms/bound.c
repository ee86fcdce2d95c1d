/* The bound of a platform: program (2) of Beaumont, Marchal, Robert 2004 on its links, ports and resources. */
#include <math.h>
#include <stdlib.h>
#include "lib/base/base.h"
#include "planner/algorithms/bound.h"
#include "planner/cost/cost.h"

/* The arrays behind a plani_steady_problem_t. */
typedef struct {
    int *from, *to;
    double *cost, *port, *resource_cost;
    size_t *resource_first, *resource_link;
} arrays_t;

static void arrays_clear(arrays_t *a)
{
    free(a->from);
    free(a->to);
    free(a->cost);
    free(a->port);
    free(a->resource_cost);
    free(a->resource_first);
    free(a->resource_link);
}

static plan_status_t arrays_create(const plan_platform_data_t *d, arrays_t *a)
{
    size_t listed = 0;
    for (size_t i = 0; i < d->nresources; i++) listed += d->resource[i].nlinks;
    *a = (arrays_t){.from = malloc((d->nlinks + 1) * sizeof *a->from),
                    .to = malloc((d->nlinks + 1) * sizeof *a->to),
                    .cost = malloc((d->nlinks + 1) * sizeof *a->cost),
                    .port = malloc((d->nlinks + 1) * sizeof *a->port),
                    .resource_cost = malloc((d->nresources + 1) * sizeof *a->resource_cost),
                    .resource_first = malloc((d->nresources + 1) * sizeof *a->resource_first),
                    .resource_link = malloc((listed + 1) * sizeof *a->resource_link)};
    if (a->from != NULL && a->to != NULL && a->cost != NULL && a->port != NULL && a->resource_cost != NULL &&
        a->resource_first != NULL && a->resource_link != NULL)
        return PLAN_OK;
    arrays_clear(a);
    return PLAN_ENOMEM;
}

static void arrays_fill(const plan_platform_data_t *d, double slice, arrays_t *a)
{
    size_t listed = 0;
    for (size_t l = 0; l < d->nlinks; l++) {
        a->from[l] = d->link[l].from;
        a->to[l] = d->link[l].to;
        a->cost[l] = plan_link_cost(&d->link[l], slice);
        a->port[l] = plani_port_cost(d, l, slice);
    }
    for (size_t i = 0; i < d->nresources; i++) {
        a->resource_first[i] = listed;
        a->resource_cost[i] = plan_resource_cost(&d->resource[i], slice);
        for (size_t k = 0; k < d->resource[i].nlinks; k++) a->resource_link[listed++] = d->resource[i].link[k];
    }
    a->resource_first[d->nresources] = listed;
}

plan_status_t plani_platform_bound_by(plani_solver_t *solve, const plan_platform_t *pf, int root, double slice,
                                      const plan_steady_options_t *options, plan_steady_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    arrays_t a;

    if (pf == NULL) return plani_fail(err, PLAN_EINVAL, "no platform to bound");
    const plan_platform_data_t *d = plan_platform_data(pf);
    if (!(slice > 0) || !isfinite(slice))
        return plani_fail(err, PLAN_EINVAL, "slice %g: must be a finite number of bytes above 0", slice);
    if (root < 0 || root >= d->ranks)
        return plani_fail(err, PLAN_EINVAL, "root %d: must be in 0..%d", root, d->ranks - 1);
    if ((rc = arrays_create(d, &a)) != PLAN_OK)
        return plani_fail(err, rc, "no memory for the program of %zu links", d->nlinks);
    arrays_fill(d, slice, &a);
    const plani_steady_problem_t problem = {.ranks = d->ranks,
                                            .root = root,
                                            .nlinks = d->nlinks,
                                            .from = a.from,
                                            .to = a.to,
                                            .cost = a.cost,
                                            .port = d->ports == PLAN_PORTS_NONE ? a.port : NULL,
                                            .nresources = d->nresources,
                                            .resource_first = a.resource_first,
                                            .resource_link = a.resource_link,
                                            .resource_cost = a.resource_cost};
    rc = solve(&problem, options, out, err);
    arrays_clear(&a);
    return rc;
}

plan_status_t plan_platform_bound(const plan_platform_t *pf, int root, double slice,
                                  const plan_steady_options_t *options, plan_steady_t **out, plan_error_t *err)
{
    return plani_platform_bound_by(plani_steady_solve, pf, root, slice, options, out, err);
}
