/* Split-binary on a platform: halves go down the two sides of a binary tree, then pairs swap them. */
#include "graphs/trees/trees.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "planner/taulop/score.h"
#include "planner/cost/cost.h"

struct plani_split {
    const plan_platform_data_t *d;
    int root;
    plan_tree_t *tree;
    plani_stages_t *stages; /* of it */
    size_t *link;           /* [ranks] by which each rank receives its other half */
    double *held;           /* [ranks] [s] */
    plani_demand_t *load;   /* [nresources] */
    double half, swap;      /* [s] time of the exchange of halves of `half` bytes; half < 0: not known yet */
};

/*
 * The transfers of the other halves: between partners, both ways at once, and from the root to a rank without a
 * partner. In eq. (13) of Nuriyev et al. 2022 that rank, the last of an even count, is left out.
 */
static plan_status_t find_partners(const plan_platform_t *pf, plani_split_t *s)
{
    int ranks = s->d->ranks, *partner = malloc((size_t)ranks * sizeof *partner);
    plan_status_t rc = partner != NULL ? plani_split_binary_partners(ranks, s->root, partner) : PLAN_ENOMEM;

    for (int v = 0; v < ranks && rc == PLAN_OK; v++) {
        if (v == s->root) continue;
        s->link[v] = plan_platform_find_link(pf, partner[v] < 0 ? s->root : partner[v], v);
        if (s->link[v] == (size_t)-1) rc = PLAN_ENOTREE;
    }
    free(partner);
    return rc;
}

plan_status_t plani_split_create(const plan_platform_t *pf, int root, struct plani_cost_cache *costs,
                                 plani_split_t **out)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    plan_status_t rc = PLAN_ENOMEM;
    plani_split_t *s = calloc(1, sizeof *s);

    if (s == NULL) return PLAN_ENOMEM;
    *s = (plani_split_t){.d = d, .root = root, .half = -1};
    s->link = malloc((size_t)d->ranks * sizeof *s->link);
    s->load = malloc((d->nresources + 1) * sizeof *s->load);
    s->held = malloc((size_t)d->ranks * sizeof *s->held);
    if (s->link == NULL || s->load == NULL || s->held == NULL) goto done;
    if ((rc = plan_tree_topology(PLAN_SPLIT_BINARY, d->ranks, root, 0, &s->tree)) != PLAN_OK) goto done;
    if ((rc = plani_stages_create(pf, s->tree, costs, &s->stages)) != PLAN_OK) goto done;
    if ((rc = plani_stages_keep(s->stages)) != PLAN_OK) goto done;
    if ((rc = find_partners(pf, s)) != PLAN_OK) goto done;
    *out = s, s = NULL;
done:
    plani_split_destroy(&s);
    return rc;
}

void plani_split_destroy(plani_split_t **split)
{
    plani_split_t *s = *split;
    *split = NULL;
    if (s == NULL) return;
    plani_stages_destroy(&s->stages);
    plan_tree_destroy(&s->tree);
    free(s->link);
    free(s->load);
    free(s->held);
    free(s);
}

/* Resources as in any stage. */
static double exchange(plani_split_t *s, double half)
{
    const plan_platform_data_t *d = s->d;
    double longest = 0;

    memset(s->held, 0, (size_t)d->ranks * sizeof *s->held);
    memset(s->load, 0, d->nresources * sizeof *s->load);
    for (int v = 0; v < d->ranks; v++) {
        if (v == s->root) continue;
        plani_time_t t = plani_link_time(d, s->link[v], half);
        longest = plani_max(longest, t.through + t.flight);
        if (plani_takes_turns(d)) {
            double *from = &s->held[d->link[s->link[v]].from], *to = &s->held[d->link[s->link[v]].to];
            *from += plani_send_time(d, s->link[v], half);
            *to += plani_receive_time(d, s->link[v], half);
            longest = plani_max(longest, plani_max(*from, *to));
        }
        for (size_t k = d->use_first[s->link[v]]; k < d->use_first[s->link[v] + 1]; k++) {
            plani_demand_t *sum = &s->load[d->use[k]];
            *sum = (plani_demand_t){sum->messages + 1, sum->bytes + half};
        }
    }
    for (size_t i = 0; i < d->nresources; i++)
        longest = plani_max(longest, plani_resource_time(&d->resource[i], s->load[i].messages, s->load[i].bytes));
    return longest;
}

double plani_split_score(plani_split_t *s, size_t bytes, size_t slice, int window)
{
    size_t half = bytes - bytes / 2; /* the larger one */

    if (half == 0 || s->d->ranks == 1) return 0;
    if (s->half != (double)half) s->half = (double)half, s->swap = exchange(s, s->half);
    return plani_stages_score(s->stages, plani_cut(half, slice), window, INFINITY) + s->swap;
}

plan_status_t plani_score_split_binary(const plan_platform_t *pf, int root, size_t bytes, size_t slice, int window,
                                       double *seconds)
{
    plani_split_t *split = NULL;

    if (pf == NULL || seconds == NULL || window < 0) return PLAN_EINVAL;
    if (root < 0 || root >= plan_platform_data(pf)->ranks) return PLAN_EINVAL;
    plan_status_t rc = plani_split_create(pf, root, NULL, &split);
    if (rc != PLAN_OK) return rc;
    *seconds = plani_split_score(split, bytes, slice, window);
    plani_split_destroy(&split);
    return PLAN_OK;
}
