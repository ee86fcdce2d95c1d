/*
 * The makespan of several trees that share the slices.
 *
 * Tree k carries n_k slices in proportion to its share. S_k is what it would take alone (plani_score_taulop), W_k how
 * long its slices hold the port or resource that they hold longest, and W the same for the slices of all trees
 * together. Tree k needs S_k - W_k >= 0 to fill and drain around its bottleneck; together they are held up for W, so
 *
 *     T = max over k of (S_k - W_k) + W,
 *
 * which is at least every S_k and W, approaches the joint steady state for many slices, and is S_1 for one tree.
 * Flat trees of different trees at one rank are taken one after the other. What a resource lets pass as a burst is no
 * part of W and W_k.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "planner/taulop/score.h"
#include "lib/base/base.h"
#include "planner/cost/cost.h"

typedef struct {
    size_t ranks, nresources;
    double *alone, *all; /* [2 * ranks + nresources] send ports, receive ports, resources [s] */
    double *held;        /* [ntrees] W_k */
} loads_t;

/* Of a burst nothing is seen beyond it. */
static double busiest(const plan_platform_data_t *d, const double *load)
{
    size_t ports = 2 * (size_t)d->ranks;
    double most = 0;
    for (size_t i = 0; i < ports; i++) most = plani_max(most, load[i]);
    for (size_t i = 0; i < d->nresources; i++)
        most = plani_max(most, load[ports + i] - plani_burst_time(&d->resource[i]));
    return most;
}

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

/* The links of one tree for its part of the slices; adds what it holds to loads->all and returns W_k. */
static double weigh_one(plani_stages_t *st, const plan_platform_data_t *d, plani_cut_t cut, int window, loads_t *loads)
{
    size_t n = 2 * loads->ranks + loads->nresources;

    if (cut.n == 0) return 0;
    plani_stages_time_links(st, cut, window);
    memset(loads->alone, 0, n * sizeof *loads->alone);
    plani_stages_add_loads(st, cut, true, loads->alone, loads->alone + loads->ranks, loads->alone + 2 * loads->ranks);
    if (plani_stages_idle(st))
        plani_stages_add_loads(st, cut, false, loads->all, loads->all + loads->ranks, loads->all + 2 * loads->ranks);
    else
        for (size_t i = 0; i < n; i++) loads->all[i] += loads->alone[i];
    return busiest(d, loads->alone);
}

/* The loads come first: they cost less than the stages, and often tell enough. */
static double score_all(const plan_platform_data_t *d, size_t ntrees, plani_stages_t *const *ready, const size_t *mine,
                        plani_cut_t cut, int window, loads_t *loads, double most)
{
    double fill = 0;
    size_t last = 0; /* carries the short slice */

    for (size_t k = 0; k < ntrees; k++)
        if (mine[k] > mine[last]) last = k;
    for (size_t k = 0; k < ntrees; k++) {
        plani_cut_t part = {mine[k], cut.full, k == last ? cut.last : cut.full};
        loads->held[k] = weigh_one(ready[k], d, part, window, loads);
    }
    double held = busiest(d, loads->all);
    for (size_t k = 0; k < ntrees; k++) held = plani_max(held, loads->held[k]);
    for (size_t k = 0; k < ntrees && fill + held <= most; k++) {
        plani_cut_t part = {mine[k], cut.full, k == last ? cut.last : cut.full};
        if (part.n == 0) continue;
        double alone = plani_stages_run(ready[k], part, most - held + loads->held[k]);
        if (alone - loads->held[k] > fill) fill = alone - loads->held[k];
    }
    return fill + held <= most ? fill + held : INFINITY;
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
                                const double *share, plani_pipeline_t how, double most, double *seconds)
{
    plan_status_t rc = PLAN_ENOMEM;
    size_t n = 2 * (size_t)d->ranks + d->nresources, *mine = calloc(ntrees, sizeof *mine);
    double total = 0, *load = calloc(2 * n + ntrees, sizeof *load);
    plani_cut_t cut = plani_cut(how.bytes, how.slice);
    loads_t loads = {.ranks = (size_t)d->ranks, .nresources = d->nresources};

    if (mine == NULL || load == NULL) goto done;
    loads.alone = load;
    loads.all = load + n;
    loads.held = load + 2 * n;
    for (size_t k = 0; k < ntrees; k++) total += share[k];
    plani_apportion(ntrees, share, total, cut.n, mine);
    *seconds = score_all(d, ntrees, ready, mine, cut, how.window, &loads, most);
    rc = PLAN_OK;
done:
    free(mine);
    free(load);
    return rc;
}

plan_status_t plani_ready_create(const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree,
                                 struct plani_cost_cache *costs, plani_stages_t ***out)
{
    plan_status_t rc = PLAN_OK;
    plani_stages_t **ready = calloc(ntrees, sizeof(plani_stages_t *));
    if (ready == NULL) return PLAN_ENOMEM;
    for (size_t k = 0; k < ntrees && rc == PLAN_OK; k++) rc = plani_stages_create(pf, tree[k], costs, &ready[k]);
    if (rc == PLAN_OK)
        *out = ready;
    else
        plani_ready_destroy(ntrees, ready);
    return rc;
}

void plani_ready_destroy(size_t ntrees, plani_stages_t **ready)
{
    for (size_t k = 0; k < ntrees && ready != NULL; k++) plani_stages_destroy(&ready[k]);
    free(ready);
}

plan_status_t plani_score_trees(const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree, const double *share,
                                size_t bytes, size_t slice, int window, double *seconds)
{
    double total = 0;
    plani_stages_t **ready = NULL; /* [ntrees] */

    if (pf == NULL || tree == NULL || ntrees == 0 || seconds == NULL || window < 0) return PLAN_EINVAL;
    if (ntrees == 1) return plani_score_taulop(pf, tree[0], bytes, slice, window, seconds);
    if (!plani_shares_are_valid(ntrees, share, &total)) return PLAN_EINVAL;
    plan_status_t rc = plani_ready_create(pf, ntrees, tree, NULL, &ready);
    if (rc != PLAN_OK) return rc;
    rc = plani_score_ready(plan_platform_data(pf), ntrees, ready, share, (plani_pipeline_t){bytes, slice, window},
                           INFINITY, seconds);
    plani_ready_destroy(ntrees, ready);
    return rc;
}
