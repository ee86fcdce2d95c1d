/* Lower bounds of a broadcast's time by the rates of a cluster's network cards and trunks. */
#include "baselines.h"
#include <math.h>
#include <planbcast/generate.h>
#include <planbcast/heuristics.h>
#include <stdio.h>
#include <stdlib.h>

static const double slice = 1 << 20; /* [B] long, so that the cost per slice is small beside the cost per byte */
static const double packet = 9100;   /* [B] a token bucket lets at least this much pass at once */

/* Whether the resource's links are exactly those that enter `part`: then the resource is a cut. */
static bool is_ingress(const plan_platform_data_t *d, const plan_resource_t *r, const bool *part)
{
    size_t entering = 0;
    for (size_t l = 0; l < d->nlinks; l++) entering += !part[d->link[l].from] && part[d->link[l].to];
    for (size_t k = 0; k < r->nlinks; k++) {
        const plan_link_t *l = &d->link[r->link[k]];
        if (part[l->from] || !part[l->to]) return false;
    }
    return entering == r->nlinks;
}

static void narrower(limits_t *l, const plan_resource_t *r)
{
    if (l->ingress_s_per_byte >= r->s_per_byte) return;
    l->ingress_s_per_byte = r->s_per_byte;
    snprintf(l->ingress, sizeof l->ingress, "%s", r->name);
}

/* Tries two parts for each resource: the receivers of its links (an inbound trunk or card), and all ranks but the
 * senders of its links (an outbound one). */
static void look_at_ingresses(const plan_platform_data_t *d, int root, bool *part, limits_t *l)
{
    for (size_t i = 0; i < d->nresources; i++) {
        const plan_resource_t *r = &d->resource[i];
        for (int outside = 0; outside < 2; outside++) {
            for (int v = 0; v < d->ranks; v++) part[v] = outside;
            for (size_t k = 0; k < r->nlinks; k++)
                part[outside ? d->link[r->link[k]].from : d->link[r->link[k]].to] = !outside;
            if (!part[root] && is_ingress(d, r, part)) narrower(l, r);
        }
    }
}

static int solve(const plan_platform_t *pf, int root, limits_t *l, plan_error_t *err)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    /* Solving for a thousand ranks takes minutes. Stopped early, `upper` is larger: the limit is weaker, but valid. */
    const plan_steady_options_t options = {.size = sizeof options, .pack_trees = false, .time_limit_s = 20};
    plan_steady_t *bound = NULL;
    bool *part = calloc((size_t)d->ranks, sizeof *part);
    int rc = part == NULL ? PLAN_ENOMEM : plan_platform_bound(pf, root, slice, &options, &bound, err);

    if (rc == 0) {
        l->lp_s_per_byte = 1 / (plan_steady_data(bound)->upper * slice);
        l->ingress_s_per_byte = 0;
        l->burst_s = 0;
        for (size_t i = 0; i < d->nresources; i++)
            l->burst_s = fmax(l->burst_s, fmax(packet, d->resource[i].burst_bytes) * d->resource[i].s_per_byte);
        look_at_ingresses(d, root, part, l);
    }
    plan_steady_destroy(&bound);
    free(part);
    return rc;
}

int limits_find(const char *spec, int root, limits_t *l, plan_error_t *err)
{
    plan_platform_t *pf = NULL;
    int rc;

    *l = (limits_t){.lp_s_per_byte = NAN, .ingress_s_per_byte = NAN};
    if (spec == NULL) return 0;
    if ((rc = plan_generate_sites(spec, &pf, err)) != 0) return rc;
    if (root < plan_platform_data(pf)->ranks && plan_platform_data(pf)->ranks > 1) rc = solve(pf, root, l, err);
    plan_platform_destroy(&pf);
    return rc;
}
