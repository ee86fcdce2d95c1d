/*
 * A pipelined broadcast down any tree by Hockney, LogGP or PLogP: the first slice's way, then the slowest rank's pace.
 *
 * PLogP's binary trees (Pjesivac-Grbovic et al. 2007, Table 2) pace max(2 g, or + g + os): a rank sends to k children
 * in k g, but one that also receives is not done before or + (k - 1) g + os. That rule is taken for every k >= 1; the
 * table's pipeline leaves it out, which is the same where g >= or + os.
 */
#include <planbcast/models.h>
#include <math.h>
#include <stdlib.h>
#include "planner/models/closed_forms.h"
#include "planner/stages.h"

typedef struct {
    double gap, hop, overhead; /* overhead: os + or [s] */
} times_t;

typedef struct {
    const plan_platform_data_t *data;
    plan_network_model_t model;
    plan_network_owned_t **network; /* [nchannels], NULL without a ladder */
    size_t *link;                   /* [ranks] of the link to each rank */
    double *arrival;                /* [ranks] of the first slice [s] */
} score_t;

static times_t times(const score_t *s, int rank, double bytes)
{
    const plan_link_t *l = &s->data->link[s->link[rank]];
    const plan_network_t *w = l->channel >= 0 ? plan_network(s->network[l->channel]) : NULL;
    plani_point_t x = {.network = w};
    times_t t = {plan_link_cost(l, bytes), plan_link_cost(l, bytes) + l->delay_s, 0};

    if (w != NULL && s->model == PLAN_PLOGP) {
        t.gap = plani_gap(&x, bytes);
        t.hop = w->plogp.L + t.gap;
        t.overhead = plani_send_overhead(&x, bytes) + plani_receive_overhead(&x, bytes);
    } else if (w != NULL && s->model == PLAN_LOGGP) {
        t.gap = w->loggp.g + plani_stream(&x, bytes);
        t.hop = w->loggp.L + 2 * w->loggp.o + plani_stream(&x, bytes);
    } else if (w != NULL) {
        t.hop = plani_alpha(&x, bytes) + bytes * plani_beta(&x, bytes);
    }
    if (s->model == PLAN_HOCKNEY) t.gap = t.hop;
    return t;
}

/* The largest time between slices at any rank. */
static double pace(const score_t *s, const plan_tree_t *tree, double bytes)
{
    int root = plan_tree_root(tree);
    double slowest = 0;

    for (int u = 0; u < s->data->ranks; u++) {
        int n = 0;
        const int *child = plan_tree_children(tree, u, &n);
        double sum = 0, first = 0, os_or = 0;
        for (int i = 0; i < n; i++) {
            times_t t = times(s, child[i], bytes);
            sum += t.gap;
            if (i == 0) first = t.gap, os_or = t.overhead;
        }
        if (u != root && n > 0) sum = fmax(sum, sum - first + os_or);
        slowest = fmax(slowest, sum);
    }
    return slowest;
}

/* When the last rank has the first slice. */
static double first_slice(const score_t *s, const plan_tree_t *tree, double bytes)
{
    const int *order = plan_tree_preorder(tree);
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

static plan_status_t prepare(score_t *s, const plan_platform_t *pf, const plan_tree_t *tree)
{
    const int *parent = plan_tree_parents(tree);
    size_t ranks = (size_t)s->data->ranks, nchannels = s->data->nchannels;
    plan_status_t rc = PLAN_OK;

    s->network = calloc(nchannels > 0 ? nchannels : 1, sizeof *s->network);
    s->link = calloc(ranks, sizeof *s->link);
    s->arrival = calloc(ranks, sizeof *s->arrival);
    if (s->network == NULL || s->link == NULL || s->arrival == NULL) return PLAN_ENOMEM;
    for (size_t c = 0; c < nchannels && rc == PLAN_OK; c++)
        if (s->data->channel[c].nsizes > 0) rc = plan_network_from_channel(&s->data->channel[c], &s->network[c]);
    for (int v = 0; v < s->data->ranks; v++)
        if (parent[v] >= 0) s->link[v] = plan_platform_find_link(pf, parent[v], v);
    return rc;
}

plan_status_t plan_score_network(const plan_platform_t *pf, const plan_tree_t *tree, plan_network_model_t model,
                                 size_t bytes, size_t slice, double *seconds)
{
    score_t s = {.model = model};
    plan_status_t rc;

    if (pf == NULL || tree == NULL || seconds == NULL || plan_network_model_name(model) == NULL) return PLAN_EINVAL;
    if ((rc = plan_tree_check(tree, pf, NULL)) != PLAN_OK) return rc;
    s.data = plan_platform_data(pf);
    plani_cut_t cut = plani_cut(bytes, slice);
    if ((rc = prepare(&s, pf, tree)) != PLAN_OK) goto done;
    *seconds = cut.n == 0 ? 0 : first_slice(&s, tree, cut.full);
    if (cut.n > 2) *seconds += (double)(cut.n - 2) * pace(&s, tree, cut.full);
    if (cut.n > 1) *seconds += pace(&s, tree, cut.last);
done:
    for (size_t c = 0; s.network != NULL && c < s.data->nchannels; c++) plan_network_destroy(&s.network[c]);
    free(s.network);
    free(s.link);
    free(s.arrival);
    return rc;
}
