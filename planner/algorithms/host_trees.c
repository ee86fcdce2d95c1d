#include "planner/algorithms/host_trees.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "graphs/trees/trees.h"
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
 * Who tells whom, where one tells another in each unit of time, and who is told begins `wait` units later: a binomial
 * tree if that is 1 (postal model: Bar-Noy, Kipnis 1992). teller [n]: a lower number, but for the first.
 */
static plan_status_t tell(int n, int wait, int *teller)
{
    int *told = malloc(((size_t)n + 1) * sizeof *told), all = 1; /* by the end of each unit */
    if (told == NULL) return PLAN_ENOMEM;
    told[0] = 1;
    for (int unit = 1; all < n; unit++) {
        int tellers = unit > wait ? told[unit - wait] : 1;
        for (int i = 0; i < tellers && all < n; i++) teller[all++] = i;
        told[unit] = all;
    }
    free(told);
    return PLAN_OK;
}

/* A host or a group, its door's rate out, and whether that is the door of what is around it, too. */
typedef struct {
    int node;
    bool own;
    double out;
} node_t;

static int the_fastest_first(const void *a, const void *b)
{
    const node_t *x = a, *y = b;
    if (x->own != y->own) return x->own ? -1 : 1;
    if (x->out != y->out) return x->out > y->out ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static double sends(const plani_cluster_t *c, int host)
{
    return c->host[host].card.out_bytes_per_s;
}

/* Such a tree among the groups of a group, each of which is entered at its door, the first of its fastest hosts, or
 * left at the root's; then the same inside each of them. Who sends fastest is told first. */
static plan_status_t make_postal(const plani_host_trees_t *trees, const int *teller, plani_host_set_t *set)
{
    const plani_cluster_t *c = trees->c;
    int root = c->host_of[trees->root], nodes = 1 + c->ngroups + c->nhosts, hosts = 1 + c->ngroups;
    int *above = calloc(5 * (size_t)nodes, sizeof *above);
    node_t *fast = malloc((size_t)nodes * sizeof *fast);
    if (above == NULL || fast == NULL) {
        free(above);
        free(fast);
        return PLAN_ENOMEM;
    }
    int *door = above + nodes, *n = door + nodes, *first = n + nodes, *child = first + nodes, at = 0;

    for (int x = 0; x < nodes; x++) { /* 0 is the whole, then groups, then hosts */
        above[x] = x == 0 ? -1 : x < hosts ? 1 + c->group[x - 1].above : 1 + c->host[x - hosts].group;
        door[x] = x < hosts ? -1 : x - hosts;
        n[x] = 0;
    }
    for (int x = hosts + root; x >= 0; x = above[x]) door[x] = root;
    for (int x = nodes - 1; x > 0; x--) { /* below x all doors are known */
        int *up = &door[above[x]];
        if (door[x] >= 0 && *up != root && (*up < 0 || sends(c, door[x]) >= sends(c, *up))) *up = door[x];
    }
    for (int x = 1; x < nodes; x++)
        if (door[x] >= 0) n[above[x]]++;
    for (int x = 0; x < hosts; x++) first[x] = at, at += n[x], n[x] = 0;
    for (int x = 1; x < nodes; x++)
        fast[x] = (node_t){
            .node = x, .own = door[x] >= 0 && door[x] == door[above[x]], .out = door[x] >= 0 ? sends(c, door[x]) : 0};
    qsort(fast + 1, (size_t)nodes - 1, sizeof *fast, the_fastest_first);
    for (int i = 1; i < nodes; i++) {
        int x = fast[i].node;
        if (door[x] >= 0) child[first[above[x]] + n[above[x]]++] = x;
    }
    set->parent[root] = -1;
    for (int x = 0; x < hosts; x++)
        for (int i = 1; i < n[x]; i++) set->parent[door[child[first[x] + i]]] = door[child[first[x] + teller[i]]];
    free(above);
    free(fast);
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
    for (int i = trees->nmade; i < trees->nsets; i++) {
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
    while (trees->nsets > trees->nmade) {
        int n = more, worst = trees->nmade;
        for (int i = 0; i < trees->nsets; i++) n += trees->set[i].ntrees;
        if (trees->nsets < PLANI_HOST_SETS && (double)n * trees->c->ranks <= ROOM) return true;
        for (int i = worst + 1; i < trees->nsets; i++)
            if (weighed(&trees->set[i]) < weighed(&trees->set[worst])) worst = i;
        set_clear(&trees->set[worst]);
        for (int i = worst + 1; i < trees->nsets; i++) trees->set[i - 1] = trees->set[i];
        trees->nsets--;
    }
    return true;
}

/* \return the next set, with room for so many trees of equal shares; NULL: no memory */
static plani_host_set_t *next_set(plani_host_trees_t *trees, int ntrees)
{
    plani_host_set_t *set = &trees->set[trees->nsets++];
    size_t n = (size_t)ntrees;
    *set = (plani_host_set_t){.ntrees = ntrees,
                              .parent = malloc(n * (size_t)trees->c->nhosts * sizeof *set->parent),
                              .share = malloc(n * sizeof *set->share)};
    for (size_t t = 0; t < n && set->share != NULL; t++) set->share[t] = 1. / ntrees;
    return set->parent != NULL && set->share != NULL ? set : NULL;
}

static plan_status_t add_postal(plani_host_trees_t *trees, int wait)
{
    int most = trees->c->nhosts + trees->c->ngroups, *teller = malloc(((size_t)most + 1) * sizeof *teller);
    plani_host_set_t *set = next_set(trees, 1);
    plan_status_t rc = teller != NULL && set != NULL ? PLAN_OK : PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = tell(most, wait, teller);
    if (rc == PLAN_OK) rc = make_postal(trees, teller, set);
    free(teller);
    return rc;
}

/* Hosts by groups, from the root's on: depth first, as they are numbered. */
static plan_status_t add_two_trees(plani_host_trees_t *trees)
{
    int hosts = trees->c->nhosts, root = trees->c->host_of[trees->root], *order = malloc((size_t)hosts * sizeof *order);
    plani_host_set_t *set = next_set(trees, 2);
    plan_tree_t *tree[2] = {NULL, NULL};
    plan_status_t rc = order != NULL && set != NULL ? PLAN_OK : PLAN_ENOMEM;
    for (int h = 0; h < hosts && rc == PLAN_OK; h++) order[h] = (root + h) % hosts;
    if (rc == PLAN_OK) rc = plani_two_trees(hosts, order, tree);
    for (size_t t = 0; t < 2 && rc == PLAN_OK; t++)
        memcpy(set->parent + t * (size_t)hosts, plan_tree_data(tree[t])->parent, (size_t)hosts * sizeof *set->parent);
    for (int t = 0; t < 2; t++) plan_tree_destroy(&tree[t]);
    free(order);
    return rc;
}

/* Where few links are planned on, those that heuristics find elsewhere. */
static plan_status_t add_made(plani_host_trees_t *trees)
{
    bool many = trees->c->ranks > PLANI_PAIRED_RANKS && trees->c->nhosts > 2;
    plan_status_t rc = PLAN_OK;
    for (int wait = 1; wait <= (many ? 8 : 1) && rc == PLAN_OK; wait *= 2) rc = add_postal(trees, wait);
    trees->npostal = many ? trees->nsets : 0;
    if (many && rc == PLAN_OK) rc = add_two_trees(trees);
    trees->nmade = trees->nsets;
    return rc;
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
    if (rc == PLAN_OK) rc = add_made(trees);
    if (rc == PLAN_OK) rc = add_routed(trees);
    if (rc == PLAN_OK) *out = trees, trees = NULL;
    plani_host_trees_destroy(&trees);
    return rc;
}

static plan_status_t add_copy(plani_host_trees_t *trees, const plani_host_set_t *from)
{
    size_t n = (size_t)from->ntrees;
    plani_host_set_t *to = next_set(trees, from->ntrees);
    if (to == NULL) return PLAN_ENOMEM;
    memcpy(to->parent, from->parent, n * (size_t)trees->c->nhosts * sizeof *to->parent);
    memcpy(to->share, from->share, n * sizeof *to->share);
    to->rate = from->rate, to->height = from->height;
    return PLAN_OK;
}

plan_status_t plani_host_trees_of_leaders(const plani_host_trees_t *trees, const plani_cluster_t *leaders,
                                          plani_host_trees_t **out)
{
    plani_host_trees_t *t = calloc(1, sizeof *t);
    plan_status_t rc;
    if (t == NULL) return PLAN_ENOMEM;
    *t = (plani_host_trees_t){.c = leaders,
                              .root = trees->c->host_of[trees->root],
                              .bound = trees->bound,
                              .npostal = trees->npostal,
                              .nmade = trees->nmade};
    rc = list_members(t);
    while (t->nsets < trees->nsets && rc == PLAN_OK) rc = add_copy(t, &trees->set[t->nsets]);
    if (rc == PLAN_OK) *out = t, t = NULL;
    plani_host_trees_destroy(&t);
    return rc;
}
