/* Split-binary on a platform: halves go down the two sides of a binary tree, then pairs swap them. */
#include "graphs/trees/trees.h"
#include <stdlib.h>
#include "planner/taulop/score.h"
#include "planner/cost/cost.h"

/*
 * Who sends whom the other half: partners, both ways at once, and the root to a rank without one. In eq. (13) of
 * Nuriyev et al. 2022 that rank, the last of an even count, is left out. Resources as in any stage.
 */
static plan_status_t exchange(const plan_platform_t *pf, int root, const int *partner, double half, plani_crowd_t *load,
                              double *seconds)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    double longest = 0;

    for (int v = 0; v < d->ranks; v++) {
        if (v == root) continue;
        size_t l = plan_platform_find_link(pf, partner[v] < 0 ? root : partner[v], v);
        if (l == (size_t)-1) return PLAN_ENOTREE;
        plani_time_t t = plani_link_time(d, l, half);
        if (t.through + t.flight > longest) longest = t.through + t.flight;
        for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++) {
            plani_crowd_t *sum = &load[d->use[k]];
            *sum = (plani_crowd_t){sum->messages + 1, sum->bytes + half};
        }
    }
    for (size_t i = 0; i < d->nresources; i++) {
        double held = plani_resource_time(&d->resource[i], load[i].messages, load[i].bytes);
        if (held > longest) longest = held;
    }
    *seconds = longest;
    return PLAN_OK;
}

plan_status_t plani_score_split_binary(const plan_platform_t *pf, int root, size_t bytes, size_t slice, int window,
                                       double *seconds)
{
    plan_status_t rc = PLAN_OK;
    plan_tree_t *tree = NULL;
    int *partner = NULL;
    plani_crowd_t *load = NULL; /* [nresources] */
    double forward = 0, swap = 0;
    size_t half = bytes - bytes / 2; /* the larger one */

    if (pf == NULL || seconds == NULL || window < 0) return PLAN_EINVAL;
    const plan_platform_data_t *d = plan_platform_data(pf);
    if (root < 0 || root >= d->ranks) return PLAN_EINVAL;
    if ((rc = plan_tree_topology(PLAN_SPLIT_BINARY, d->ranks, root, 0, &tree)) != PLAN_OK) goto done;
    if ((rc = plani_score_taulop(pf, tree, half, slice > 0 ? slice : half, window, &forward)) != PLAN_OK) goto done;
    if (half > 0 && d->ranks > 1) {
        partner = malloc((size_t)d->ranks * sizeof *partner);
        load = calloc(d->nresources ? d->nresources : 1, sizeof *load);
        if (partner == NULL || load == NULL) {
            rc = PLAN_ENOMEM;
            goto done;
        }
        if ((rc = plani_split_binary_partners(d->ranks, root, partner)) != PLAN_OK) goto done;
        if ((rc = exchange(pf, root, partner, (double)half, load, &swap)) != PLAN_OK) goto done;
    }
    *seconds = forward + swap;
done:
    free(load);
    free(partner);
    plan_tree_destroy(&tree);
    return rc;
}
