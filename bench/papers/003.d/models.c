#include "models.h"
#include <math.h>
#include <stdlib.h>

enum { SEGMENT = 1000 }; /* [B] */

static double gamma_of(const channels_t *c, int processes)
{
    size_t i = (size_t)processes - 2;
    return i < c->ngamma ? c->gamma[i] : NAN;
}

double closed_linear(double p2p, const channels_t *c, int ranks)
{
    return gamma_of(c, ranks) * p2p;
}

double closed_linear_bound(double p2p, int ranks)
{
    return (ranks - 1) * p2p;
}

double closed_chain(const channels_t *c, int ranks, int per_host, int segments)
{
    int stages = ranks + segments - 2, crossings = (ranks - 1) / per_host;
    int slow = crossings > 0 ? (crossings - 1) * (per_host < segments ? per_host : segments) + segments : 0;
    return slow * c->network + (stages - slow) * c->shared;
}

double closed_binary(double p2p, const channels_t *c, int ranks, int segments)
{
    return (floor(log2(ranks)) + segments - 1) * gamma_of(c, 3) * p2p;
}

static int is_network(int u, int v, int per_host)
{
    return u / per_host != v / per_host;
}

static plan_status_t platform(const channels_t *c, int ranks, int per_host, plan_platform_t **out)
{
    const plan_channel_t channel[] = {{.name = "network", .network = true, .ngamma = c->ngamma, .gamma = c->gamma},
                                      {.name = "shared memory", .ngamma = c->ngamma, .gamma = c->gamma}};
    plan_link_t *link = calloc((size_t)ranks * (size_t)ranks, sizeof *link);
    plan_platform_data_t d = {.size = sizeof d, .ranks = ranks, .link = link, .nchannels = 2, .channel = channel};
    if (link == NULL) return PLAN_ENOMEM;
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++) {
            int net = is_network(u, v, per_host);
            if (u == v) continue;
            link[d.nlinks++] = (plan_link_t){
                .from = u, .to = v, .s_per_byte = (net ? c->network : c->shared) / SEGMENT, .channel = net ? 0 : 1};
        }
    plan_status_t rc = plan_platform_create(&d, out, NULL);
    free(link);
    return rc;
}

double stages_broadcast(const channels_t *c, plan_topology_t kind, int ranks, int per_host, int segments)
{
    plan_platform_t *pf = NULL;
    plan_tree_t *tree = NULL;
    double seconds = NAN;
    size_t bytes = (size_t)(kind == PLAN_LINEAR ? 1 : segments) * SEGMENT;
    if (plan_tree_topology(kind, ranks, 0, 0, &tree) == PLAN_OK && platform(c, ranks, per_host, &pf) == PLAN_OK &&
        plani_score_taulop(pf, tree, bytes, SEGMENT, 0, &seconds) != PLAN_OK)
        seconds = NAN;
    plan_platform_destroy(&pf);
    plan_tree_destroy(&tree);
    return seconds;
}

/* Time of the flat tree by which `rank` receives from its children. If any child is on another host, every
 * network / shared = Q children on the same host count as one more. */
static double receive(const channels_t *c, const plan_tree_t *tree, int rank, int per_host)
{
    int n, network = 0;
    const int *child = plan_tree_children(tree, rank, &n);
    for (int i = 0; i < n; i++) network += is_network(rank, child[i], per_host);
    if (n == 0) return 0;
    if (network == 0) return gamma_of(c, n + 1) * c->shared;
    int replaced = (int)floor((n - network) * c->shared / c->network + 1e-9);
    return gamma_of(c, 1 + network + replaced) * c->network;
}

double stages_reduce(const channels_t *c, plan_topology_t kind, int ranks, int per_host, int segments)
{
    plan_tree_t *tree = NULL;
    double seconds = 0;
    if (plan_tree_topology(kind, ranks, 0, 0, &tree) != PLAN_OK) return NAN;
    const int *depth = plan_tree_data(tree)->depth;
    int height = plan_tree_data(tree)->height, parts = kind == PLAN_LINEAR ? 1 : segments;
    for (int stage = 0; stage < height + parts - 1; stage++) {
        double longest = 0;
        for (int rank = 0; rank < ranks; rank++) { /* rank receives what its children pass up in this stage */
            int segment = stage - (height - (depth[rank] + 1));
            if (segment < 0 || segment >= parts) continue;
            double t = receive(c, tree, rank, per_host);
            if (!(t <= longest)) longest = t;
        }
        seconds += longest;
    }
    plan_tree_destroy(&tree);
    return seconds;
}
