/* Steady-state throughput: how long the average slice holds every port, resource and link. */
#include <math.h>
#include <stdlib.h>
#include "lib/base/base.h"
#include "planner/cost/cost.h"

/* How often the average slice crosses each link. Sparse: only the links in used[] have times[] > 0. */
typedef struct {
    double *times; /* [nlinks] crossings per average slice */
    size_t *used;  /* [n] links, in order of their first crossing */
    size_t n;
} uses_t;

/* Compare with the bottleneck so far; the first of equals stays. */
static void hold(plan_bottleneck_t *worst, plan_at_t at, size_t index, double seconds)
{
    if (!(seconds > worst->seconds)) return;
    worst->at = at;
    worst->index = index;
    worst->seconds = seconds;
}

static void clear_uses(uses_t *uses)
{
    free(uses->times);
    free(uses->used);
    *uses = (uses_t){0};
}

static plan_status_t create_uses(const plan_platform_t *pf, uses_t *uses)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    *uses = (uses_t){.times = calloc(d->nlinks ? d->nlinks : 1, sizeof *uses->times),
                     .used = malloc((d->nlinks ? d->nlinks : 1) * sizeof *uses->used)};
    if (uses->times != NULL && uses->used != NULL) return PLAN_OK;
    clear_uses(uses);
    return PLAN_ENOMEM;
}

static void add_use(uses_t *uses, size_t link, double times)
{
    if (!(times > 0)) return;
    if (uses->times[link] == 0) uses->used[uses->n++] = link;
    uses->times[link] += times;
}

/*
 * The occupation of both ports of every rank, or of its one port, scratch [2 * ranks]; and that of links of their own.
 * With several ports the overheads of sending and receiving count, and each link has its T_uv, side by side (Beaumont,
 * Marchal, Robert 2004, section 3.2: period = max(children * send_u, max T_uv); the overhead of receiving is on the
 * same processor).
 */
static void hold_ports(const plan_platform_data_t *d, const uses_t *uses, double slice, double *port,
                       plan_bottleneck_t *worst)
{
    plan_at_t sends = plani_takes_turns(d) ? PLAN_AT_PORT : PLAN_AT_SEND_PORT;
    for (size_t i = 0; i < uses->n; i++) {
        size_t l = uses->used[i];
        port[d->link[l].from] += uses->times[l] * plani_send_time(d, l, slice);
        port[plani_receive_port(d, d->link[l].to)] += uses->times[l] * plani_receive_time(d, l, slice);
    }
    for (int u = 0; u < d->ranks; u++) hold(worst, sends, (size_t)u, port[u]);
    for (int v = 0; v < d->ranks; v++) hold(worst, PLAN_AT_RECV_PORT, (size_t)v, port[d->ranks + v]);
    for (size_t i = 0; i < uses->n; i++)
        hold(worst, PLAN_AT_LINK, uses->used[i], uses->times[uses->used[i]] * plani_own_cost(d, uses->used[i], slice));
}

static plan_status_t throughput_of(const plan_platform_t *pf, const uses_t *uses, double slice, double *throughput,
                                   plan_bottleneck_t *where)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    plan_bottleneck_t worst = {.at = PLAN_AT_SEND_PORT, .index = 0, .seconds = 0};
    double *port = calloc(2 * (size_t)d->ranks + d->nresources, sizeof *port);
    if (port == NULL) return PLAN_ENOMEM;
    double *times = port + 2 * (size_t)d->ranks;

    hold_ports(d, uses, slice, port, &worst);
    for (size_t l = 0; l < d->nlinks; l++) /* in their order, for sums to be those of the resource's list */
        for (size_t k = d->use_first[l]; uses->times[l] > 0 && k < d->use_first[l + 1]; k++)
            times[d->use[k]] += uses->times[l];
    for (size_t i = 0; i < d->nresources; i++)
        hold(&worst, PLAN_AT_RESOURCE, i, times[i] * plan_resource_cost(&d->resource[i], slice));
    free(port);
    *throughput = worst.seconds > 0 ? 1 / worst.seconds : INFINITY;
    if (where != NULL) *where = worst;
    return PLAN_OK;
}

/* Add `share` of every transfer of a tree. */
static plan_status_t add_tree(const plan_platform_t *pf, const plan_tree_t *tree, double share, uses_t *uses)
{
    const int *parent = plan_tree_data(tree)->parent;
    int n = plan_tree_data(tree)->ranks;
    if (n != plan_platform_data(pf)->ranks) return PLAN_ENOTREE;
    for (int v = 0; v < n; v++) {
        if (parent[v] < 0) continue;
        size_t l = plan_platform_find_link(pf, parent[v], v);
        if (l == (size_t)-1) return PLAN_ENOTREE;
        add_use(uses, l, share);
    }
    return PLAN_OK;
}

plan_status_t plan_throughput(const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree, const double *share,
                              double slice, double *throughput, plan_bottleneck_t *where)
{
    plan_status_t rc = PLAN_OK;
    uses_t uses;
    double total = 0;

    if (pf == NULL || tree == NULL || throughput == NULL) return PLAN_EINVAL;
    if (ntrees == 0 || (share == NULL && ntrees > 1) || !(slice > 0) || !isfinite(slice)) return PLAN_EINVAL;
    for (size_t i = 0; i < ntrees; i++) {
        double s = share != NULL ? share[i] : 1;
        if (!(s >= 0) || !isfinite(s)) return PLAN_EINVAL;
        total += s;
    }
    if (!(total > 0) || !isfinite(total)) return PLAN_EINVAL;

    if ((rc = create_uses(pf, &uses)) != PLAN_OK) return rc;
    for (size_t i = 0; i < ntrees; i++)
        if ((rc = add_tree(pf, tree[i], share != NULL ? share[i] / total : 1, &uses)) != PLAN_OK) goto done;
    rc = throughput_of(pf, &uses, slice, throughput, where);
done:
    clear_uses(&uses);
    return rc;
}

plan_status_t plani_throughput_of_uses(const plan_platform_t *pf, const int *times, double slice, double *throughput,
                                       plan_bottleneck_t *where)
{
    plan_status_t rc = PLAN_OK;
    uses_t uses;

    if (!(slice > 0) || !isfinite(slice)) return PLAN_EINVAL;
    if ((rc = create_uses(pf, &uses)) != PLAN_OK) return rc;
    for (size_t l = 0; l < plan_platform_data(pf)->nlinks; l++) add_use(&uses, l, times[l]);
    rc = throughput_of(pf, &uses, slice, throughput, where);
    clear_uses(&uses);
    return rc;
}
