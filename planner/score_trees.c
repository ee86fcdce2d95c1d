/*
 * The makespan of several trees that share the slices.
 *
 * Tree k carries n_k slices in proportion to its share. S_k is what it would take alone (plan_score_taulop), W_k how
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
#include <planbcast/score.h>
#include "planner/stages.h"

typedef struct {
    size_t ranks, nresources;
    double *alone, *all; /* [2 * ranks + nresources] send ports, receive ports, resources [s] */
} loads_t;

/* Of a burst nothing is seen beyond it. */
static double busiest(const plan_platform_data_t *d, const double *load)
{
    size_t ports = 2 * (size_t)d->ranks;
    double most = 0;
    for (size_t i = 0; i < ports; i++) most = fmax(most, load[i]);
    for (size_t i = 0; i < d->nresources; i++) most = fmax(most, load[ports + i] - plani_bucket(&d->resource[i]).burst);
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

/* S_k; adds the tree's loads to all and returns W_k. */
static plan_status_t score_one(const plan_platform_t *pf, const plan_tree_t *tree, plani_cut_t cut, int window,
                               loads_t *loads, double *alone_s, double *held_s)
{
    plani_stages_t *st = NULL;
    plan_status_t rc = plani_stages_create(pf, tree, &st);
    size_t n = 2 * loads->ranks + loads->nresources;

    if (rc != PLAN_OK || cut.n == 0) goto done;
    *alone_s = plani_stages_score(st, cut, window);
    memset(loads->alone, 0, n * sizeof *loads->alone);
    plani_stages_add_loads(st, cut, loads->alone, loads->alone + loads->ranks, loads->alone + 2 * loads->ranks);
    *held_s = busiest(plan_platform_data(pf), loads->alone);
    for (size_t i = 0; i < n; i++) loads->all[i] += loads->alone[i];
done:
    plani_stages_destroy(&st);
    return rc;
}

static plan_status_t score_all(const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree, const size_t *mine,
                               plani_cut_t cut, int window, loads_t *loads, double *seconds)
{
    plan_status_t rc = PLAN_OK;
    double fill = 0;
    size_t most = 0; /* carries the short slice */

    for (size_t k = 0; k < ntrees; k++)
        if (mine[k] > mine[most]) most = k;
    for (size_t k = 0; k < ntrees; k++) {
        double alone_s = 0, held_s = 0;
        plani_cut_t part = {mine[k], cut.full, k == most ? cut.last : cut.full};
        if ((rc = score_one(pf, tree[k], part, window, loads, &alone_s, &held_s)) != PLAN_OK) return rc;
        if (alone_s - held_s > fill) fill = alone_s - held_s;
    }
    *seconds = fill + busiest(plan_platform_data(pf), loads->all);
    return PLAN_OK;
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

plan_status_t plan_score_trees(const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree, const double *share,
                               size_t bytes, size_t slice, int window, double *seconds)
{
    plan_status_t rc = PLAN_OK;
    double total = 0;
    size_t *mine = NULL; /* [ntrees] */
    loads_t loads = {0};

    if (pf == NULL || tree == NULL || ntrees == 0 || seconds == NULL || window < 0) return PLAN_EINVAL;
    if (ntrees == 1) return plan_score_taulop(pf, tree[0], bytes, slice, window, seconds);
    if (!plani_shares_are_valid(ntrees, share, &total)) return PLAN_EINVAL;

    plani_cut_t cut = plani_cut(bytes, slice);
    loads.ranks = (size_t)plan_platform_data(pf)->ranks;
    loads.nresources = plan_platform_data(pf)->nresources;
    mine = calloc(ntrees, sizeof *mine);
    loads.alone = calloc(2 * loads.ranks + loads.nresources, sizeof *loads.alone);
    loads.all = calloc(2 * loads.ranks + loads.nresources, sizeof *loads.all);
    if (mine == NULL || loads.alone == NULL || loads.all == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    plani_apportion(ntrees, share, total, cut.n, mine);
    rc = score_all(pf, ntrees, tree, mine, cut, window, &loads, seconds);
done:
    free(mine);
    free(loads.alone);
    free(loads.all);
    return rc;
}
