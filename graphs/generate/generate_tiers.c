/*
 * Tiers-like platforms, after Calvert, Doar, Zegura 1997 ("Modeling Internet Topology"): a wide-area network; around
 * each of its nodes a metropolitan network; around each node of that a star of local hosts.
 *
 *        W ------- W          W: WAN, about 1/8 of the nodes, over a square
 *       / \       / \         M: MAN, about 3/8, near its W
 *      M - M     M - M        h: LAN host, the rest, near its M
 *     /|   |\    |\   \
 *    h h   h h   h h   h
 *
 * As in Tiers, each network is a minimum spanning tree over points in the plane, and then gets redundant links to
 * nearest neighbours. Tiers has a parameter of redundancy for each level; here there is one, the number of links per
 * node, 1.65 to 1.95, which gives the densities that Beaumont, Marchal, Robert 2004 tell (0.05 to 0.15, depending on
 * the number of nodes: (n - 1) x density was the same for all). Points have whole coordinates, so that machines agree.
 */
#include <planbcast/generate.h>
#include "graphs/generate/draw.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { MIN_RANKS = 4, WAN_SIZE = 1 << 20, MAN_SIZE = 1 << 16, LAN_SIZE = 1 << 12 };

typedef enum { WAN, MAN, LAN } level_t;

typedef struct {
    level_t level;
    int above;  /* the node of the level above that this one belongs to; -1 for WAN */
    int region; /* the WAN node */
    int64_t x, y;
} node_t;

typedef struct {
    int n;
    node_t *node;        /* [n] WAN nodes first, then MAN, then LAN */
    bool *linked;        /* [n * n] symmetric */
    int edges;           /* undirected */
    int *outside, *from; /* [n] scratch of spanning trees */
    plani_rng_t rng;
    plani_links_t links;
} tiers_t;

static void place(tiers_t *t, int i, level_t level, int above)
{
    static const int size[] = {WAN_SIZE, MAN_SIZE, LAN_SIZE};
    node_t *node = &t->node[i];

    *node = (node_t){.level = level, .above = above, .region = above < 0 ? i : t->node[above].region};
    node->x = (int64_t)plani_rng_below(&t->rng, (uint64_t)size[level]);
    node->y = (int64_t)plani_rng_below(&t->rng, (uint64_t)size[level]);
    if (above < 0) return;
    node->x += t->node[above].x - size[level] / 2;
    node->y += t->node[above].y - size[level] / 2;
}

/* Every WAN node gets a MAN as far as they go round; LAN hosts fall to random MAN nodes. */
static void place_all(tiers_t *t)
{
    int wan = t->n / 8 > 1 ? t->n / 8 : 1, man = 3 * t->n / 8;

    for (int i = 0; i < wan; i++) place(t, i, WAN, -1);
    for (int i = 0; i < man; i++) place(t, wan + i, MAN, i % wan);
    for (int i = wan + man; i < t->n; i++) place(t, i, LAN, wan + (int)plani_rng_below(&t->rng, (uint64_t)man));
}

static int64_t distance2(const tiers_t *t, int a, int b)
{
    int64_t dx = t->node[a].x - t->node[b].x, dy = t->node[a].y - t->node[b].y;
    return dx * dx + dy * dy;
}

static plan_status_t join(tiers_t *t, int a, int b)
{
    t->linked[(size_t)a * (size_t)t->n + (size_t)b] = t->linked[(size_t)b * (size_t)t->n + (size_t)a] = true;
    t->edges++;
    if (plani_links_draw(&t->links, &t->rng, a, b) != PLAN_OK) return PLAN_ENOMEM;
    return plani_links_draw(&t->links, &t->rng, b, a);
}

/* Nodes of one network: all of the WAN; one WAN node and its MAN. (A LAN is a star and needs no tree.) */
static bool in_network(const tiers_t *t, int i, int centre)
{
    if (centre < 0) return t->node[i].level == WAN;
    return i == centre || (t->node[i].level == MAN && t->node[i].above == centre);
}

/* Minimum spanning tree of a network (Prim), grown from its first node. */
static plan_status_t span(tiers_t *t, int centre)
{
    int start = centre < 0 ? 0 : centre, left = 0;

    for (int i = 0; i < t->n; i++) {
        t->outside[i] = in_network(t, i, centre) && i != start;
        t->from[i] = start;
        left += t->outside[i];
    }
    for (; left > 0; left--) {
        int next = -1;
        for (int i = 0; i < t->n; i++)
            if (t->outside[i] && (next < 0 || distance2(t, i, t->from[i]) < distance2(t, next, t->from[next])))
                next = i;
        if (join(t, t->from[next], next) != PLAN_OK) return PLAN_ENOMEM;
        t->outside[next] = 0;
        for (int i = 0; i < t->n; i++)
            if (t->outside[i] && distance2(t, i, next) < distance2(t, i, t->from[i])) t->from[i] = next;
    }
    return PLAN_OK;
}

static plan_status_t span_all(tiers_t *t)
{
    if (span(t, -1) != PLAN_OK) return PLAN_ENOMEM;
    for (int i = 0; i < t->n && t->node[i].level == WAN; i++)
        if (span(t, i) != PLAN_OK) return PLAN_ENOMEM;
    for (int i = 0; i < t->n; i++)
        if (t->node[i].level == LAN && join(t, t->node[i].above, i) != PLAN_OK) return PLAN_ENOMEM;
    return PLAN_OK;
}

/* Whether a redundant link may join a and b: within a WAN, MAN or LAN, or from one to the level above. */
static bool may_join(const tiers_t *t, int a, int b)
{
    const node_t *low = &t->node[a], *high = &t->node[b];

    if (low->level < high->level) {
        const node_t *swap = low;
        low = high, high = swap;
    }
    if (low->level == WAN) return true;
    if (low->level == MAN) return high->level == WAN || low->above == high->above;
    if (high->level == LAN) return low->above == high->above;
    return high->level == MAN && high->above == t->node[low->above].above;
}

/* Link random nodes to the nearest that they may be linked to and are not yet, up to `edges` in all. */
static plan_status_t add_redundancy(tiers_t *t, int edges)
{
    int in_vain = 0;

    while (t->edges < edges && in_vain < 20 * t->n) {
        int a = (int)plani_rng_below(&t->rng, (uint64_t)t->n), nearest = -1;
        for (int b = 0; b < t->n; b++)
            if (b != a && !t->linked[(size_t)a * (size_t)t->n + (size_t)b] && may_join(t, a, b) &&
                (nearest < 0 || distance2(t, a, b) < distance2(t, a, nearest)))
                nearest = b;
        in_vain = nearest < 0 ? in_vain + 1 : 0;
        if (nearest >= 0 && join(t, a, nearest) != PLAN_OK) return PLAN_ENOMEM;
    }
    return PLAN_OK;
}

static plan_status_t publish(tiers_t *t, uint64_t seed, plan_platform_t **out)
{
    char name[64];

    for (int i = 0; i < t->n; i++) t->from[i] = t->node[i].region;
    snprintf(name, sizeof name, "tiers, %d ranks, seed %llu", t->n, (unsigned long long)seed);
    const plan_platform_data_t data = {
        .size = sizeof data, .name = name, .ranks = t->n, .nlinks = t->links.n, .link = t->links.link, .site = t->from};
    return plan_platform_create(&data, out, NULL);
}

plan_status_t plan_generate_tiers(int ranks, uint64_t seed, plan_platform_t **out)
{
    plan_status_t rc = PLAN_ENOMEM;
    tiers_t t = {.n = ranks};
    size_t n = (size_t)ranks;

    if (ranks < MIN_RANKS || ranks > PLAN_MOST_GENERATED_RANKS || out == NULL) return PLAN_EINVAL;
    plani_rng_seed(&t.rng, seed);
    t.node = malloc(n * sizeof *t.node);
    t.linked = calloc(n * n, sizeof *t.linked);
    t.outside = malloc(n * sizeof *t.outside);
    t.from = malloc(n * sizeof *t.from);
    if (t.node == NULL || t.linked == NULL || t.outside == NULL || t.from == NULL) goto done;
    place_all(&t);
    if ((rc = span_all(&t)) != PLAN_OK) goto done;
    int edges = (int)((165 + (long long)plani_rng_below(&t.rng, 31)) * ranks / 100);
    if ((rc = add_redundancy(&t, edges)) != PLAN_OK) goto done;
    rc = publish(&t, seed, out);
done:
    free(t.node);
    free(t.linked);
    free(t.outside);
    free(t.from);
    free(t.links.link);
    return rc;
}
