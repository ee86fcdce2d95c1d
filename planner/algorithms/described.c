#include "planner/algorithms/described.h"
#include <math.h>
#include "graphs/generate/sites.h"
#include "lib/base/base.h"
#include "planner/algorithms/cluster_bound.h"
#include "planner/cost/cost.h"

void plani_described_clear(plani_described_t *described)
{
    plani_host_trees_destroy(&described->hosts);
    plan_platform_destroy(&described->pf);
    plani_resource_bound_destroy(&described->resources);
    plani_cluster_destroy(&described->cluster);
    described->sparse = false;
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

static plan_status_t describe_all(const plani_cluster_t *c, int root, double bound, plani_described_t *out,
                                  plan_error_t *err)
{
    plan_status_t rc = make_trees(c, root, bound, &out->hosts, err);
    return rc == PLAN_OK ? plani_cluster_platform(c, &out->pf, err) : rc;
}

/* Inside hosts, ranks send messages, or they share memory, which carries more. */
static plan_status_t describe_some(const plani_cluster_t *c, int root, double bound, plani_described_t *out,
                                   plan_error_t *err)
{
    double between = bound;
    plan_status_t rc = c->nhosts > 1 ? plani_cluster_bound_between(c, root, &between, err) : PLAN_OK;
    if (rc == PLAN_OK) rc = make_trees(c, root, between, &out->hosts, err);
    if (rc == PLAN_OK) rc = plani_host_trees_platform(out->hosts, &out->pf, err);
    if (rc == PLAN_OK)
        out->hosts->bound = fmax(bound, fmin(between, plani_shared_rate(plan_platform_data(out->pf), INFINITY)));
    return rc;
}

plan_status_t plani_described_create(const plani_cluster_t *c, int root, plani_described_t *out, plan_error_t *err)
{
    plani_cluster_bound_t bound;
    plan_status_t rc = plani_cluster_bound(c, root, &bound, err);

    *out = (plani_described_t){.sparse = c->ranks > PLANI_PAIRED_RANKS};
    if (rc != PLAN_OK) return rc;
    rc = (out->sparse ? describe_some : describe_all)(c, root, bound.rate, out, err);
    plani_cluster_bound_clear(&bound);
    if (rc != PLAN_OK) plani_described_clear(out);
    return rc;
}

plan_status_t plani_described_infer(const plan_platform_t *pf, int root, plani_described_t *out, plan_error_t *err)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    size_t ranks = (size_t)d->ranks;
    double rate = INFINITY;

    *out = (plani_described_t){.sparse = false};
    if (d->ranks <= PLANI_PAIRED_RANKS || d->nlinks != ranks * (ranks - 1)) return PLAN_OK;
    plan_status_t rc = plani_cluster_infer(d, &out->cluster);
    if (rc != PLAN_OK) return plani_fail(err, rc, "out of memory for the hosts of %d ranks", d->ranks);
    if (out->cluster == NULL) return PLAN_OK;
    rc = plani_cluster_rate(out->cluster, root, &rate, err);
    if (rc == PLAN_OK) rc = make_trees(out->cluster, root, rate, &out->hosts, err);
    if (rc == PLAN_OK) rc = plani_host_trees_part(out->hosts, pf, &out->pf, err);
    if (rc == PLAN_OK && (rc = plani_resource_bound_create(d, root, &out->resources)) != PLAN_OK)
        plani_fail(err, rc, "out of memory for the bound of %d ranks", d->ranks);
    out->sparse = true;
    if (rc != PLAN_OK) plani_described_clear(out);
    return rc;
}
