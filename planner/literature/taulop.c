/* The stage models of Nuriyev et al. 2022 on an ideal cluster: two classes, ranks in blocks per host. */
#include "graphs/trees/trees.h"
#include "planner/literature/taulop.h"
#include <math.h>
#include <stdlib.h>
#include "planner/cost/cost.h"

enum { NETWORK, SHARED, CLASSES }; /* ties: the lower one, the network, as in eq. (4) */

/*
 * T_p2p of a message of `segments` segments in both classes. The parameters are those of one segment. Transfer times L
 * grow with the size; a message of several segments takes the sum of theirs; a part of a segment takes the whole
 * overhead o.
 */
static void p2p(const lit_taulop_t *p, double segments, double seconds[CLASSES])
{
    double calls = segments > 1 ? segments : 1;

    seconds[NETWORK] = calls * p->o_net + segments * (2 * p->L_shm + p->L_net);
    seconds[SHARED] = p->Q > 0 ? seconds[NETWORK] / p->Q : calls * p->o_shm + segments * 2 * p->L_shm;
}

static int amount(double x)
{
    return isfinite(x) && x >= 0;
}

static int gammas(size_t n, const double *gamma)
{
    if (n > 0 && gamma == NULL) return 0;
    for (size_t i = 0; i < n; i++)
        if (!amount(gamma[i])) return 0;
    return 1;
}

static int is_valid(const lit_taulop_t *p, int ranks, int ranks_per_host, int root)
{
    return p != NULL && amount(p->o_shm) && amount(p->o_net) && amount(p->L_shm) && amount(p->L_net) && amount(p->Q) &&
           gammas(p->ngamma_shm, p->gamma_shm) && gammas(p->ngamma_net, p->gamma_net) && ranks >= 1 &&
           ranks_per_host >= 1 && root >= 0 && root < ranks;
}

static int class_of(int u, int v, int ranks_per_host)
{
    return u / ranks_per_host == v / ranks_per_host ? SHARED : NETWORK;
}

/* Eq. (13), second term: pairs exchange halves; a rank without a partner gets its other half from the root. */
static plan_status_t exchange(int ranks, int ranks_per_host, int root, const double half[CLASSES], double *seconds)
{
    int *partner = malloc((size_t)ranks * sizeof *partner);
    plan_status_t rc = partner == NULL ? PLAN_ENOMEM : plani_split_binary_partners(ranks, root, partner);

    *seconds = 0;
    for (int v = 0; v < ranks && rc == PLAN_OK; v++) {
        if (v == root) continue;
        double t = half[class_of(partner[v] < 0 ? root : partner[v], v, ranks_per_host)];
        if (t > *seconds) *seconds = t;
    }
    free(partner);
    return rc;
}

/* The stages of a tree whose root forwards `bytes` bytes to each child. */
static plan_status_t stages(const lit_taulop_t *p, const plan_tree_t *tree, int ranks_per_host, int blocking,
                            size_t bytes, size_t segment, double *seconds)
{
    const plan_channel_t channel[CLASSES] = {{.ngamma = p->ngamma_net, .gamma = p->gamma_net},
                                             {.ngamma = p->ngamma_shm, .gamma = p->gamma_shm}};
    const int *parent = plan_tree_data(tree)->parent;
    int ranks = plan_tree_data(tree)->ranks, *channel_of = calloc((size_t)ranks, sizeof *channel_of);
    plani_stages_t *st = NULL;
    plani_cut_t cut = plani_cut(bytes, blocking ? 0 : segment);
    double full[CLASSES], last[CLASSES], one = segment > 0 ? (double)segment : (double)bytes;

    if (channel_of == NULL) return PLAN_ENOMEM;
    for (int v = 0; v < ranks; v++)
        if (parent[v] >= 0) channel_of[v] = class_of(parent[v], v, ranks_per_host);
    plan_status_t rc = plani_stages_create_abstract(tree, channel, channel_of, &st);
    if (rc == PLAN_OK) {
        p2p(p, cut.full / one, full);
        p2p(p, cut.last / one, last);
        plani_stages_time_classes(st, full, last);
        *seconds = blocking ? plani_stages_flat_blocking(st) : plani_stages_run(st, cut, INFINITY);
    }
    plani_stages_destroy(&st);
    free(channel_of);
    return rc;
}

plan_status_t lit_predict_taulop(const lit_taulop_t *params, plan_topology_t kind, int ranks, int ranks_per_host,
                                 int root, int fanout, size_t bytes, size_t segment, double *seconds)
{
    plan_status_t rc = PLAN_OK;
    plan_tree_t *tree = NULL;
    double half[CLASSES], forward = 0, swap = 0;
    size_t part = kind == PLAN_SPLIT_BINARY ? bytes - bytes / 2 : bytes;

    if (seconds == NULL || !is_valid(params, ranks, ranks_per_host, root)) return PLAN_EINVAL;
    if ((rc = plan_tree_topology(kind, ranks, root, fanout, &tree)) != PLAN_OK) return rc;
    if (bytes > 0 && ranks > 1) {
        if ((rc = stages(params, tree, ranks_per_host, kind == PLAN_LINEAR, part, segment, &forward)) != PLAN_OK)
            goto done;
        p2p(params, segment > 0 ? (double)part / (double)segment : 0.5, half);
        if (kind == PLAN_SPLIT_BINARY && (rc = exchange(ranks, ranks_per_host, root, half, &swap)) != PLAN_OK)
            goto done;
    }
    *seconds = forward + swap;
done:
    plan_tree_destroy(&tree);
    return rc;
}
