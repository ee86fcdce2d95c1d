#include "planner/algorithms/host_trees.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lp/shares.h"
#include "planner/algorithms/host_routing.h"
#include "planner/algorithms/leaders.h"
#include "planner/cost/parameters.h"

static const double MORE = 1.005;   /* more trees have to sustain so many times as much, weighed as in rankings, */
static const double LOWER = 0.75;   /* or to take so much of the time to fill, */
static const double NEARLY = 0.95;  /* or to be the first to sustain so much of the bound, */
static const double ENOUGH = 0.99;  /* or so much: then more of them sustain no more */
static const double ROOM = 1 << 20; /* ranks times trees that are kept: each takes some 100 bytes to plan with */

static void set_clear(plani_host_set_t *set)
{
    free(set->parent);
    free(set->share);
    *set = (plani_host_set_t){0};
}

void plani_host_trees_destroy(plani_host_trees_t **trees)
{
    if (*trees == NULL) return;
    for (int i = 0; i < (*trees)->nsets; i++) set_clear(&(*trees)->set[i]);
    free((*trees)->first);
    free((*trees)->member);
    free(*trees);
    *trees = NULL;
}

/* ---- ranks and hosts ---- */

static plan_status_t list_members(plani_host_trees_t *trees)
{
    const plani_cluster_t *c = trees->c;
    size_t hosts = (size_t)c->nhosts;
    trees->first = calloc(hosts + 1, sizeof *trees->first);
    trees->member = malloc((size_t)c->ranks * sizeof *trees->member);
    if (trees->first == NULL || trees->member == NULL) return PLAN_ENOMEM;
    for (int r = 0; r < c->ranks; r++) trees->first[c->host_of[r] + 1]++;
    for (int h = 0; h < c->nhosts; h++) trees->first[h + 1] += trees->first[h];
    int at = trees->first[c->host_of[trees->root]]++;
    trees->member[at] = trees->root;
    for (int r = 0; r < c->ranks; r++)
        if (r != trees->root) trees->member[trees->first[c->host_of[r]]++] = r;
    for (int h = c->nhosts; h > 0; h--) trees->first[h] = trees->first[h - 1];
    trees->first[0] = 0;
    return PLAN_OK;
}

/* Hosts from the lowest to the root's in order[], and the height of what hangs below each. */
static plan_status_t find_heights(const int *parent, int hosts, int *height)
{
    int *children = calloc((size_t)hosts, sizeof *children), *ready = malloc((size_t)hosts * sizeof *ready), n = 0;
    plan_status_t rc = children == NULL || ready == NULL ? PLAN_ENOMEM : PLAN_OK;
    for (int h = 0; h < hosts && rc == PLAN_OK; h++) {
        height[h] = 0;
        if (parent[h] >= 0) children[parent[h]]++;
    }
    for (int h = 0; h < hosts && rc == PLAN_OK; h++)
        if (children[h] == 0) ready[n++] = h;
    for (int i = 0; i < n; i++) {
        int p = parent[ready[i]];
        if (p < 0) continue;
        if (height[ready[i]] + 1 > height[p]) height[p] = height[ready[i]] + 1;
        if (--children[p] == 0) ready[n++] = p;
    }
    free(children);
    free(ready);
    return rc;
}

static int first_on(const plani_host_trees_t *trees, int host)
{
    return trees->member[trees->first[host]];
}

static const int *tree_of(const plani_host_trees_t *trees, const plani_host_set_t *set, int tree)
{
    return set->parent + (size_t)tree * (size_t)trees->c->nhosts;
}

void plani_host_trees_parents(const plani_host_trees_t *trees, const plani_host_set_t *set, int tree, int *parent)
{
    const int *above = tree_of(trees, set, tree);
    for (int h = 0; h < trees->c->nhosts; h++) {
        const int *member = trees->member + trees->first[h];
        int n = trees->first[h + 1] - trees->first[h];
        parent[member[0]] = above[h] < 0 ? -1 : first_on(trees, above[h]);
        plani_spread_inside(member, n, parent);
    }
}

plan_status_t plani_host_trees_expand(const plani_host_trees_t *trees, const plani_host_set_t *set, int tree,
                                      plan_tree_t **out)
{
    int ranks = trees->c->ranks, hosts = trees->c->nhosts;
    const int *above = tree_of(trees, set, tree);
    int *parent = malloc((size_t)ranks * sizeof *parent), *order = calloc((size_t)ranks, sizeof *order);
    int *height = malloc((size_t)hosts * sizeof *height);
    plan_status_t rc = parent == NULL || order == NULL || height == NULL ? PLAN_ENOMEM : PLAN_OK;

    if (rc == PLAN_OK) rc = find_heights(above, hosts, height);
    if (rc == PLAN_OK) {
        plani_host_trees_parents(trees, set, tree, parent);
        for (int h = 0; h < hosts; h++) order[first_on(trees, h)] = -1 - height[h]; /* the highest first */
        rc = plan_tree_create(ranks, parent, order, out);
    }
    free(parent);
    free(order);
    free(height);
    return rc;
}

/* ---- sets ---- */

/*
 * A binomial tree among the groups of a group, each of which is entered at its first host, or left at the root's; then
 * the same inside each of them.
 */
static plan_status_t make_binomial(const plani_host_trees_t *trees, plani_host_set_t *set)
{
    const plani_cluster_t *c = trees->c;
    int root = c->host_of[trees->root], nodes = 1 + c->ngroups + c->nhosts, hosts = 1 + c->ngroups;
    int *above = calloc(5 * (size_t)nodes, sizeof *above);
    if (above == NULL) return PLAN_ENOMEM;
    int *door = above + nodes, *n = door + nodes, *first = n + nodes, *child = first + nodes, at = 0;

    for (int x = 0; x < nodes; x++) { /* 0 is the whole, then groups, then hosts */
        above[x] = x == 0 ? -1 : x < hosts ? 1 + c->group[x - 1].above : 1 + c->host[x - hosts].group;
        door[x] = x < hosts ? -1 : x - hosts;
        n[x] = 0;
    }
    for (int x = hosts + root; x >= 0; x = above[x]) door[x] = root;
    for (int x = nodes - 1; x > 0; x--) /* the lowest host, unless the root is in it */
        if (door[x] >= 0 && door[above[x]] != root) door[above[x]] = door[x];
    for (int x = 1; x < nodes; x++)
        if (door[x] >= 0) n[above[x]]++;
    for (int x = 0; x < hosts; x++) first[x] = at, at += n[x], n[x] = 0;
    for (int pass = 0; pass < 2; pass++) /* the one with the group's own door first */
        for (int x = 1; x < nodes; x++)
            if (door[x] >= 0 && (door[x] == door[above[x]]) == (pass == 0)) child[first[above[x]] + n[above[x]]++] = x;
    set->parent[root] = -1;
    for (int x = 0; x < hosts; x++)
        for (int i = 1; i < n[x]; i++) set->parent[door[child[first[x] + i]]] = door[child[first[x] + (i & (i - 1))]];
    free(above);
    return PLAN_OK;
}

/* Seconds for which a byte down one tree holds the ways out of and into each group and host: rows of a program. */
static void hold_ways(const plani_cluster_t *c, const int *parent, double *row)
{
    double *host = row + 2 * (size_t)c->ngroups;
    for (int b = 0; b < c->nhosts; b++) {
        if (parent[b] < 0) continue;
        int a = parent[b], up = c->host[a].group, down = c->host[b].group;
        host[2 * a] += 1 / c->host[a].card.out_bytes_per_s;
        host[2 * b + 1] += 1 / c->host[b].card.in_bytes_per_s;
        while (up != down) { /* the higher number is not above the other */
            const plani_gate_t *trunk = &c->group[up > down ? up : down].trunk;
            if (up > down) {
                if (trunk->out_bytes_per_s > 0) row[2 * up] += 1 / trunk->out_bytes_per_s;
                up = c->group[up].above;
            } else {
                if (trunk->in_bytes_per_s > 0) row[2 * down + 1] += 1 / trunk->in_bytes_per_s;
                down = c->group[down].above;
            }
        }
    }
}

/* Trees that get no slices are dropped. */
static void drop_idle(const plani_cluster_t *c, plani_host_set_t *set, double total)
{
    size_t hosts = (size_t)c->nhosts;
    int kept = 0;
    double sum = 0;
    for (int t = 0; t < set->ntrees; t++) {
        if (set->share[t] <= 1e-6 * total) continue;
        memmove(set->parent + (size_t)kept * hosts, set->parent + (size_t)t * hosts, hosts * sizeof *set->parent);
        set->share[kept++] = set->share[t];
        sum += set->share[t];
    }
    set->ntrees = kept;
    for (int t = 0; t < kept; t++) set->share[t] /= sum;
}

/* The shares with which the trees sustain most. */
static plan_status_t find_shares(const plani_cluster_t *c, double bound, plani_host_set_t *set)
{
    size_t trees = (size_t)set->ntrees, rows = 2 * ((size_t)c->ngroups + (size_t)c->nhosts);
    double *load, total = 0;
    plan_status_t rc;

    for (size_t t = 0; t < trees; t++) set->share[t] = 1. / set->ntrees;
    if (trees < 2 || !isfinite(bound) || c->nhosts < 2) return PLAN_OK;
    if ((load = calloc(trees * rows, sizeof *load)) == NULL) return PLAN_ENOMEM;
    for (size_t t = 0; t < trees; t++) hold_ways(c, set->parent + t * (size_t)c->nhosts, load + t * rows);
    rc = plani_share_rows(trees, rows, load, set->share);
    free(load);
    if (rc == PLAN_ESOLVER) return PLAN_OK; /* equal shares are not bad */
    if (rc != PLAN_OK) return rc;
    for (size_t t = 0; t < trees; t++) total += set->share[t];
    set->rate = fmin(total, bound);
    drop_idle(c, set, total);
    return PLAN_OK;
}

static plan_status_t route(const plani_host_trees_t *trees, int ntrees, plani_host_set_t *set)
{
    plani_host_routes_t routes;
    const plani_cluster_t *c = trees->c;
    plan_status_t rc = plani_host_routes_create(c, c->host_of[trees->root], trees->bound, ntrees, &routes);
    if (rc != PLAN_OK) return rc;
    *set = (plani_host_set_t){.ntrees = ntrees, .parent = routes.parent, .rate = routes.rate, .height = routes.height};
    if ((set->share = malloc((size_t)ntrees * sizeof *set->share)) == NULL) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = find_shares(c, trees->bound, set);
    if (rc != PLAN_OK) set_clear(set);
    return rc;
}

/* Slices that a message needs beyond those of its steady state, about: each level sends a slice once for every tree. */
static double filling(const plani_host_set_t *set)
{
    return (double)set->ntrees * set->height / set->rate;
}

/* As rankings weigh several trees. */
static double weighed(const plani_host_set_t *set)
{
    return set->rate / (1 + PLANI_TREE_WEIGHT * (set->ntrees - 1));
}

/* 2: enough of the bound, 1: nearly. */
static int grade(const plani_host_trees_t *trees, const plani_host_set_t *set)
{
    return (set->rate >= ENOUGH * trees->bound) + (set->rate >= NEARLY * trees->bound);
}

static bool is_worth(const plani_host_trees_t *trees, const plani_host_set_t *set)
{
    bool more = true, lower = true, nearer = grade(trees, set) > 0;
    for (int i = 1; i < trees->nsets; i++) {
        more = more && weighed(set) > MORE * weighed(&trees->set[i]);
        lower = lower && filling(set) < LOWER * filling(&trees->set[i]);
        nearer = nearer && grade(trees, set) > grade(trees, &trees->set[i]);
    }
    return more || lower || nearer;
}

/* Of very many ranks few trees are kept: those that sustain least, weighed, go first. None goes for more than there is
 * room for. */
static bool make_room(plani_host_trees_t *trees, int more)
{
    if (more > 2 && (double)more * trees->c->ranks > ROOM) return false;
    while (trees->nsets > 1) {
        int n = more, worst = 1;
        for (int i = 0; i < trees->nsets; i++) n += trees->set[i].ntrees;
        if (trees->nsets < PLANI_HOST_SETS && (double)n * trees->c->ranks <= ROOM) return true;
        for (int i = 2; i < trees->nsets; i++)
            if (weighed(&trees->set[i]) < weighed(&trees->set[worst])) worst = i;
        set_clear(&trees->set[worst]);
        for (int i = worst + 1; i < trees->nsets; i++) trees->set[i - 1] = trees->set[i];
        trees->nsets--;
    }
    return true;
}

static plan_status_t add_binomial(plani_host_trees_t *trees)
{
    plani_host_set_t *set = &trees->set[trees->nsets++];
    *set = (plani_host_set_t){.ntrees = 1,
                              .parent = malloc((size_t)trees->c->nhosts * sizeof *set->parent),
                              .share = malloc(sizeof *set->share)};
    if (set->parent == NULL || set->share == NULL) return PLAN_ENOMEM;
    set->share[0] = 1;
    return make_binomial(trees, set);
}

static plan_status_t add_routed(plani_host_trees_t *trees)
{
    static const int counts[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64};
    double most = 0;
    if (trees->c->nhosts == 1 || !isfinite(trees->bound)) return PLAN_OK; /* one tree is as good as any */
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        plani_host_set_t set;
        if (counts[i] > 4 && most >= ENOUGH * trees->bound) break;
        plan_status_t rc = route(trees, counts[i], &set);
        if (rc != PLAN_OK) return rc;
        if (set.rate > most) most = set.rate;
        if (is_worth(trees, &set) && make_room(trees, set.ntrees))
            trees->set[trees->nsets++] = set;
        else
            set_clear(&set);
    }
    return PLAN_OK;
}

plan_status_t plani_host_trees_create(const plani_cluster_t *c, int root, double bound, plani_host_trees_t **out)
{
    plani_host_trees_t *trees = calloc(1, sizeof *trees);
    plan_status_t rc;
    if (trees == NULL) return PLAN_ENOMEM;
    *trees = (plani_host_trees_t){.c = c, .root = root, .bound = bound};
    rc = list_members(trees);
    if (rc == PLAN_OK) rc = add_binomial(trees);
    if (rc == PLAN_OK) rc = add_routed(trees);
    if (rc == PLAN_OK) *out = trees, trees = NULL;
    plani_host_trees_destroy(&trees);
    return rc;
}
