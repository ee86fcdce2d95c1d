/*
 * A pipelined broadcast down any tree by Hockney, LogGP or PLogP: time of the first slice, then the period of the
 * slowest rank for each further one.
 *
 * The period of PLogP's binary trees (Pjesivac-Grbovic et al. 2007, Table 2) is max(2 g, or + g + os): a rank sends to
 * k children in k g, but one that also receives needs or + (k - 1) g + os. That rule is used for every k >= 1; the
 * table's pipeline omits it, which is the same if g >= or + os.
 */
#include "graphs/trees/trees.h"
#include "planner/literature/models.h"
#include <math.h>
#include <stdlib.h>
#include "planner/literature/closed_forms.h"
#include "planner/cost/cost.h"

typedef struct {
    double gap, hop, overhead; /* overhead: os + or [s] */
} times_t;

typedef struct {
    const plan_platform_data_t *data;
    lit_model_t model;
    int window;
    lit_network_owned_t **network; /* [nchannels], NULL without a ladder */
    size_t *link;                  /* [ranks] index of the link to each rank in the current tree */
    double *arrival;               /* [ranks] [s] of the first slice */
    double *held;                  /* [ranks] [s] occupied by the slices of all trees */
} score_t;

static times_t times(const score_t *s, int rank, double bytes)
{
    const plan_link_t *l = &s->data->link[s->link[rank]];
    const lit_network_t *w = l->channel >= 0 ? lit_network(s->network[l->channel]) : NULL;
    lit_point_t x = {.network = w};
    times_t t = {plan_link_cost(l, bytes), plan_link_cost(l, bytes) + l->delay_s, 0};

    if (w != NULL && s->model == LIT_PLOGP) {
        t.gap = lit_gap(&x, bytes);
        t.hop = w->plogp.L + t.gap;
        t.overhead = lit_send_overhead(&x, bytes) + lit_receive_overhead(&x, bytes);
    } else if (w != NULL && s->model == LIT_LOGGP) {
        t.gap = w->loggp.g + lit_stream(&x, bytes);
        t.hop = w->loggp.L + 2 * w->loggp.o + lit_stream(&x, bytes);
    } else if (w != NULL) {
        t.hop = lit_alpha(&x, bytes) + bytes * lit_beta(&x, bytes);
    }
    if (s->model == LIT_HOCKNEY) t.gap = t.hop;
    t.gap = plani_windowed(&(plani_time_t){t.gap, t.gap, t.hop - t.gap, t.gap, t.gap, 0, false, false}, s->window);
    return t;
}

/* [s] Time per slice of rank u. */
static double pace_of(const score_t *s, const plan_tree_t *tree, int u, double bytes)
{
    int n = 0;
    const int *child = plan_tree_children(tree, u, &n);
    double sum = 0, first = 0, overhead = 0;

    for (int i = 0; i < n; i++) {
        times_t t = times(s, child[i], bytes);
        sum += t.gap;
        if (i == 0) first = t.gap, overhead = t.overhead;
    }
    return u != plan_tree_data(tree)->root && n > 0 ? fmax(sum, sum - first + overhead) : sum;
}

/* [s] The largest time per slice of any rank; adds `many` times its own to each rank's `held`. */
static double pace(const score_t *s, const plan_tree_t *tree, double bytes, double many)
{
    double slowest = 0;

    for (int u = 0; u < s->data->ranks; u++) {
        double one = pace_of(s, tree, u, bytes);
        s->held[u] += many * one;
        slowest = fmax(slowest, one);
    }
    return slowest;
}

/* [s] When the last rank has the first slice. */
static double first_slice(const score_t *s, const plan_tree_t *tree, double bytes)
{
    const int *order = plan_tree_data(tree)->breadth_first;
    double last = 0;

    s->arrival[order[0]] = 0;
    for (int i = 0; i < s->data->ranks; i++) {
        int n = 0;
        const int *child = plan_tree_children(tree, order[i], &n);
        double start = s->arrival[order[i]];
        for (int k = 0; k < n; k++) {
            times_t t = times(s, child[k], bytes);
            s->arrival[child[k]] = start + t.hop;
            last = fmax(last, s->arrival[child[k]]);
            start += t.gap;
        }
    }
    return last;
}

static plan_status_t prepare(score_t *s)
{
    size_t ranks = (size_t)s->data->ranks, nchannels = s->data->nchannels;
    plan_status_t rc = PLAN_OK;

    s->network = calloc(nchannels > 0 ? nchannels : 1, sizeof *s->network);
    s->link = calloc(ranks, sizeof *s->link);
    s->arrival = calloc(ranks, sizeof *s->arrival);
    s->held = calloc(ranks, sizeof *s->held);
    if (s->network == NULL || s->link == NULL || s->arrival == NULL || s->held == NULL) return PLAN_ENOMEM;
    for (size_t c = 0; c < nchannels && rc == PLAN_OK; c++)
        if (s->data->channel[c].nsizes > 0) rc = lit_network_from_channel(&s->data->channel[c], &s->network[c]);
    return rc;
}

static void clear(score_t *s)
{
    for (size_t c = 0; s->network != NULL && c < s->data->nchannels; c++) lit_network_destroy(&s->network[c]);
    free(s->network);
    free(s->link);
    free(s->arrival);
    free(s->held);
}

static plan_status_t enter(score_t *s, const plan_platform_t *pf, const plan_tree_t *tree)
{
    const int *parent = plan_tree_data(tree)->parent;
    plan_status_t rc = plani_tree_check(tree, pf, NULL);

    for (int v = 0; v < s->data->ranks && rc == PLAN_OK; v++)
        if (parent[v] >= 0) s->link[v] = plan_platform_find_link(pf, parent[v], v);
    return rc;
}

static double one_tree(const score_t *s, const plan_tree_t *tree, plani_cut_t cut)
{
    double t = first_slice(s, tree, cut.full);

    if (cut.n > 2) t += (double)(cut.n - 2) * pace(s, tree, cut.full, 0);
    if (cut.n > 1) t += pace(s, tree, cut.last, 0);
    return t;
}

static plan_status_t several_trees(score_t *s, const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree,
                                   const double *share, plani_cut_t cut, double *seconds)
{
    plan_status_t rc = PLAN_OK;
    double total = 0, fill = 0, busiest = 0;
    size_t *mine = NULL; /* [ntrees] slices */

    if (!plani_shares_are_valid(ntrees, share, &total)) return PLAN_EINVAL;
    if ((mine = calloc(ntrees, sizeof *mine)) == NULL) return PLAN_ENOMEM;
    plani_apportion(ntrees, share, total, cut.n, mine);
    for (size_t k = 0; k < ntrees && rc == PLAN_OK; k++) {
        if ((rc = enter(s, pf, tree[k])) != PLAN_OK || mine[k] == 0) continue;
        double first = first_slice(s, tree[k], cut.full);
        fill = fmax(fill, first - pace(s, tree[k], cut.full, (double)mine[k]));
    }
    for (int u = 0; u < s->data->ranks; u++) busiest = fmax(busiest, s->held[u]);
    *seconds = fill + busiest;
    free(mine);
    return rc;
}

plan_status_t lit_score_network(const plan_platform_t *pf, lit_model_t model, size_t ntrees, plan_tree_t *const *tree,
                                const double *share, size_t bytes, size_t slice, int window, double *seconds)
{
    score_t s = {.model = model, .window = window};
    double t = 0;
    plan_status_t rc;

    if (pf == NULL || ntrees == 0 || tree == NULL || seconds == NULL || window < 0 || lit_model_name(model) == NULL ||
        (ntrees > 1 && share == NULL))
        return PLAN_EINVAL;
    s.data = plan_platform_data(pf);
    plani_cut_t cut = plani_cut(bytes, slice);
    if ((rc = prepare(&s)) != PLAN_OK) goto done;
    if (ntrees > 1) {
        rc = several_trees(&s, pf, ntrees, tree, share, cut, &t);
    } else if ((rc = enter(&s, pf, tree[0])) == PLAN_OK && cut.n > 0) {
        t = one_tree(&s, tree[0], cut);
    }
    if (rc == PLAN_OK) *seconds = cut.n > 0 ? t : 0;
done:
    clear(&s);
    return rc;
}

plan_status_t lit_scorer(void *context, const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree,
                         const double *share, size_t bytes, size_t slice, int window, double *seconds)
{
    const lit_model_t *model = context;
    return lit_score_network(pf, *model, ntrees, tree, share, bytes, slice, window, seconds);
}
