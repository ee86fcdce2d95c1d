#include "planner/algorithms/described.h"
#include <math.h>
#include "graphs/generate/sites.h"
#include "lib/base/base.h"
#include "planner/algorithms/cluster_bound.h"

void plani_described_clear(plani_described_t *described)
{
    plani_host_trees_destroy(&described->hosts);
    plan_platform_destroy(&described->pf);
}

/* Trees keep to guesses where nothing else limits them. */
static plan_status_t make_trees(const plani_cluster_t *c, int root, double bound, plani_host_trees_t **out,
                                plan_error_t *err)
{
    double rate = bound;
    plan_status_t rc = isfinite(bound) ? PLAN_OK : plani_cluster_rate(c, root, &rate, err);
    if (rc != PLAN_OK) return rc;
    if ((rc = plani_host_trees_create(c, root, rate, out)) != PLAN_OK)
        return plani_fail(err, rc, "out of memory for trees of %d hosts", c->nhosts);
    (*out)->bound = bound;
    return PLAN_OK;
}

plan_status_t plani_described_create(const plani_cluster_t *c, int root, plani_described_t *out, plan_error_t *err)
{
    plani_cluster_bound_t bound;
    plan_status_t rc = plani_cluster_bound(c, root, &bound, err);

    *out = (plani_described_t){.sparse = c->ranks > PLANI_PAIRED_RANKS};
    if (rc != PLAN_OK) return rc;
    rc = make_trees(c, root, bound.rate, &out->hosts, err);
    if (rc == PLAN_OK && out->sparse) rc = plani_host_trees_platform(out->hosts, &out->pf, err);
    if (rc == PLAN_OK && !out->sparse) rc = plani_cluster_platform(c, &out->pf, err);
    plani_cluster_bound_clear(&bound);
    if (rc != PLAN_OK) plani_described_clear(out);
    return rc;
}
