/* The bound of a platform: program (2) of Beaumont, Marchal, Robert 2004 on its links, ports and resources. */
#include <math.h>
#include "lib/base/base.h"
#include "planner/algorithms/bound.h"
#include "planner/cost/arrays.h"

plan_status_t plani_platform_bound_by(plani_solver_t *solve, const plan_platform_t *pf, int root, double slice,
                                      const plan_steady_options_t *options, plan_steady_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    plani_arrays_t a;

    if (pf == NULL) return plani_fail(err, PLAN_EINVAL, "no platform to bound");
    const plan_platform_data_t *d = plan_platform_data(pf);
    if (!(slice > 0) || !isfinite(slice))
        return plani_fail(err, PLAN_EINVAL, "slice %g: must be a finite number of bytes above 0", slice);
    if (root < 0 || root >= d->ranks)
        return plani_fail(err, PLAN_EINVAL, "root %d: must be in 0..%d", root, d->ranks - 1);
    if ((rc = plani_arrays_create(d, slice, &a)) != PLAN_OK)
        return plani_fail(err, rc, "no memory for the program of %zu links", d->nlinks);
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
    plani_arrays_clear(&a);
    return rc;
}

plan_status_t plan_platform_bound(const plan_platform_t *pf, int root, double slice,
                                  const plan_steady_options_t *options, plan_steady_t **out, plan_error_t *err)
{
    return plani_platform_bound_by(plani_steady_solve, pf, root, slice, options, out, err);
}
