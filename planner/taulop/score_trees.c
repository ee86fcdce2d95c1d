/*
 * The makespan of several trees that share the slices.
 *
 * Tree k carries n_k slices in proportion to its share. S_k is what it would take alone (plani_score_taulop), W_k how
 * long its slices hold the port or resource that they hold longest, and W the same for the slices of all trees
 * together. Tree k needs S_k - W_k >= 0 to fill and drain around its bottleneck; together they wait for W, so
 *
 *     T = max over k of (S_k - W_k) + W,
 *
 * which is at least every S_k and W, approaches the joint steady state for many slices, and is S_1 for one tree.
 * Flat trees of different trees at one rank are taken one after the other. Bursts of resources are no part of W and
 * W_k.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "planner/taulop/score.h"
#include "lib/base/base.h"
#include "planner/cost/cost.h"

typedef struct {
    size_t n, ports; /* how many: send ports and receive ports of all ranks; and resources */
    double *all;     /* [n] by all trees [s] */
    double *alone;   /* [n] scratch: by one tree */
    double *burst;   /* [n, s] bursts, which are subtracted; 0 for ports */
    double *held;    /* [ntrees] W_k */
} loads_t;

void plani_apportion(size_t ntrees, const double *share, double total, size_t n, size_t *mine)
{
    size_t left = n;

    for (size_t k = 0; k < ntrees; k++) {
        double part = floor(share[k] / total * (double)n);
        mine[k] = part < (double)left ? (size_t)part : left;
        left -= mine[k];
    }
    while (left > 0) {
        size_t best = 0;
        double most = -INFINITY;
        for (size_t k = 0; k < ntrees; k++) {
            double remainder = share[k] / total * (double)n - (double)mine[k];
            if (share[k] > 0 && remainder > most) most = remainder, best = k;
        }
        size_t some = left > ntrees ? left - ntrees : 1; /* more than one each: rounding of huge counts */
        mine[best] += some;
        left -= some;
    }
}

static void add(size_t n, double times, const double *restrict from, double *restrict to)
{
    for (size_t i = 0; i < n; i++) to[i] += times * from[i];
}

static void add_slices(const loads_t *loads, plani_loads_of_slice_t slice, double times)
{
    add(loads->ports, times, slice.busy, loads->all);
    add(loads->n - loads->ports, times, slice.held + loads->ports, loads->all + loads->ports);
}

/* One tree's part of the slices: adds its loads to loads->all and returns W_k. */
static double weigh_one(plani_stages_t *st, plani_cut_t cut, int window, const loads_t *loads)
{
    bool alike = cut.last == cut.full;
    double times = (double)(cut.n - !alike);

    plani_loads_of_slice_t full = plani_stages_loads(st, cut, window, false);
    add_slices(loads, full, times);
    if (alike) return plani_most_beyond(loads->n, times, full.held, loads->burst, 0);
    plani_loads_of_slice_t last = plani_stages_loads(st, cut, window, true);
    add_slices(loads, last, 1);
    for (size_t i = 0; i < loads->n; i++) loads->alone[i] = times * full.held[i] + last.held[i];
    return plani_most_beyond(loads->n, 1, loads->alone, loads->burst, 0);
}

static double score_all(size_t ntrees, plani_stages_t *const *ready, const size_t *mine, plani_cut_t cut, int window,
                        const loads_t *loads)
{
    double fill = 0;
    size_t last = 0; /* carries the short slice */

    for (size_t k = 0; k < ntrees; k++)
        if (mine[k] > mine[last]) last = k;
    for (size_t k = 0; k < ntrees; k++) {
        plani_cut_t part = {mine[k], cut.full, k == last ? cut.last : cut.full};
        loads->held[k] = part.n > 0 ? weigh_one(ready[k], part, window, loads) : 0;
    }
    double held = plani_most_beyond(loads->n, 1, loads->all, loads->burst, 0);
    for (size_t k = 0; k < ntrees; k++) held = plani_max(held, loads->held[k]);
    for (size_t k = 0; k < ntrees; k++) {
        plani_cut_t part = {mine[k], cut.full, k == last ? cut.last : cut.full};
        if (part.n == 0) continue;
        double alone = plani_stages_score(ready[k], part, window, INFINITY);
        if (alone - loads->held[k] > fill) fill = alone - loads->held[k];
    }
    return fill + held;
}

bool plani_shares_are_valid(size_t ntrees, const double *share, double *total)
{
    *total = 0;
    if (share == NULL) return 0;
    for (size_t k = 0; k < ntrees; k++) {
        if (!(share[k] >= 0) || !isfinite(share[k])) return 0;
        *total += share[k];
    }
    return *total > 0 && isfinite(*total);
}

plan_status_t plani_score_ready(const plan_platform_data_t *d, size_t ntrees, plani_stages_t *const *ready,
                                const double *share, plani_pipeline_t how, double *seconds)
{
    plan_status_t rc = PLAN_ENOMEM;
    size_t ports = 2 * (size_t)d->ranks, n = ports + d->nresources, *mine = malloc(ntrees * sizeof *mine);
    double total = 0, *load = calloc(3 * n + ntrees, sizeof *load);
    loads_t loads = {.n = n, .ports = ports, .all = load};
    plani_cut_t cut = plani_cut(how.bytes, how.slice);

    if (mine == NULL || load == NULL) goto done;
    loads.alone = load + n, loads.burst = load + 2 * n, loads.held = load + 3 * n;
    for (size_t i = 0; i < d->nresources; i++) loads.burst[ports + i] = plani_burst_time(&d->resource[i]);
    for (size_t k = 0; k < ntrees; k++) total += share[k];
    plani_apportion(ntrees, share, total, cut.n, mine);
    *seconds = score_all(ntrees, ready, mine, cut, how.window, &loads);
    rc = PLAN_OK;
done:
    free(mine);
    free(load);
    return rc;
}

static void destroy_ready(size_t ntrees, plani_stages_t **ready)
{
    for (size_t k = 0; k < ntrees && ready != NULL; k++) plani_stages_destroy(&ready[k]);
    free(ready);
}

plan_status_t plani_score_trees(const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree, const double *share,
                                size_t bytes, size_t slice, int window, double *seconds)
{
    plan_status_t rc = PLAN_OK;
    double total = 0;
    plani_stages_t **ready = NULL; /* [ntrees] */

    if (pf == NULL || tree == NULL || ntrees == 0 || seconds == NULL || window < 0) return PLAN_EINVAL;
    if (ntrees == 1) return plani_score_taulop(pf, tree[0], bytes, slice, window, seconds);
    if (!plani_shares_are_valid(ntrees, share, &total)) return PLAN_EINVAL;
    if ((ready = calloc(ntrees, sizeof(plani_stages_t *))) == NULL) return PLAN_ENOMEM;
    for (size_t k = 0; k < ntrees && rc == PLAN_OK; k++) {
        rc = plani_stages_create(pf, tree[k], NULL, &ready[k]);
        if (rc == PLAN_OK) rc = plani_stages_weigh(ready[k]);
    }
    if (rc == PLAN_OK)
        rc = plani_score_ready(plan_platform_data(pf), ntrees, ready, share, (plani_pipeline_t){bytes, slice, window},
                               seconds);
    destroy_ready(ntrees, ready);
    return rc;
}
