/* The links that candidates of a large machine use, each once: a platform that grows with ranks, not with their pairs.
 */
#include <stdbool.h>
#include <stdlib.h>
#include "graphs/generate/sites.h"
#include "graphs/platform/part.h"
#include "graphs/trees/trees.h"
#include "lib/base/base.h"
#include "planner/algorithms/host_trees.h"

/* Ranks from which each rank may receive: one list for each tree, -1 where there is none. */
typedef struct {
    int ranks, n;
    int *from; /* [n * ranks] */
} sources_t;

static int *list(const sources_t *s, int i)
{
    return s->from + (size_t)i * (size_t)s->ranks;
}

static int leader_of(const plani_host_trees_t *trees, int host)
{
    return trees->member[trees->first[host]];
}

/* Of all ranks, or of leaders alone. */
static plan_status_t add_topologies(const plani_host_trees_t *trees, bool leaders, sources_t *s)
{
    int n = leaders ? trees->c->nhosts : s->ranks, root = leaders ? trees->c->host_of[trees->root] : trees->root;
    plan_status_t rc = PLAN_OK;
    for (int kind = 0; kind < PLAN_TOPOLOGIES && rc == PLAN_OK; kind++) {
        plan_tree_t *tree = NULL;
        int *from = list(s, s->n);
        if ((rc = plan_tree_topology((plan_topology_t)kind, n, root, 0, &tree)) != PLAN_OK) break;
        for (int r = 0; r < s->ranks; r++) from[r] = -1;
        for (int v = 0; v < n; v++) {
            int above = plan_tree_data(tree)->parent[v];
            if (above >= 0) from[leaders ? leader_of(trees, v) : v] = leaders ? leader_of(trees, above) : above;
        }
        s->n++;
        plan_tree_destroy(&tree);
    }
    return rc;
}

/* Of few leaders all pairs. */
static void add_pairs(const plani_host_trees_t *trees, sources_t *s)
{
    int hosts = trees->c->nhosts;
    for (int step = 1; step < hosts; step++) {
        int *from = list(s, s->n++);
        for (int v = 0; v < s->ranks; v++) from[v] = -1;
        for (int h = 0; h < hosts; h++) from[leader_of(trees, h)] = leader_of(trees, (h + step) % hosts);
    }
}

static plan_status_t find_sources(const plani_host_trees_t *trees, sources_t *s)
{
    int hosts = trees->c->nhosts, most = 2 * PLAN_TOPOLOGIES + 1 + (hosts <= PLANI_PAIRED_RANKS ? hosts : 0);
    for (int i = 0; i < trees->nsets; i++) most += trees->set[i].ntrees;
    *s = (sources_t){.ranks = trees->c->ranks};
    if ((s->from = malloc((size_t)most * (size_t)s->ranks * sizeof *s->from)) == NULL) return PLAN_ENOMEM;
    for (int i = 0; i < trees->nsets; i++)
        for (int t = 0; t < trees->set[i].ntrees; t++)
            plani_host_trees_parents(trees, &trees->set[i], t, list(s, s->n++));
    plan_status_t rc = add_topologies(trees, false, s);
    if (rc == PLAN_OK) rc = plani_split_binary_partners(s->ranks, trees->root, list(s, s->n));
    s->n += rc == PLAN_OK;
    if (rc != PLAN_OK || hosts == s->ranks) return rc; /* each leads its host */
    if (hosts > PLANI_PAIRED_RANKS) return add_topologies(trees, true, s);
    add_pairs(trees, s);
    return PLAN_OK;
}

/* Leaves out what an earlier list has, too. */
static bool is_first(const sources_t *s, int i, int v)
{
    int u = list(s, i)[v];
    if (u < 0) return false;
    for (int k = 0; k < i; k++)
        if (list(s, k)[v] == u) return false;
    return true;
}

/* The links by (from, to): counted by `from`, then dealt by ascending `to`. */
static plan_status_t sort_links(const sources_t *s, size_t *nlinks, int **from, int **to)
{
    size_t ranks = (size_t)s->ranks, *first = calloc(ranks + 2, sizeof *first);
    if (first == NULL) return PLAN_ENOMEM;
    for (int v = 0; v < s->ranks; v++)
        for (int i = 0; i < s->n; i++)
            if (is_first(s, i, v)) first[list(s, i)[v] + 1]++;
    for (size_t u = 0; u <= ranks; u++) first[u + 1] += first[u];
    *nlinks = first[ranks];
    *from = malloc((*nlinks + 1) * sizeof **from);
    *to = malloc((*nlinks + 1) * sizeof **to);
    for (int v = 0; v < s->ranks && *from != NULL && *to != NULL; v++)
        for (int i = 0; i < s->n; i++) {
            if (!is_first(s, i, v)) continue;
            size_t at = first[list(s, i)[v]]++;
            (*from)[at] = list(s, i)[v];
            (*to)[at] = v;
        }
    free(first);
    return *from != NULL && *to != NULL ? PLAN_OK : PLAN_ENOMEM;
}

static plan_status_t find_links(const plani_host_trees_t *trees, size_t *nlinks, int **from, int **to,
                                plan_error_t *err)
{
    sources_t s;
    plan_status_t rc = find_sources(trees, &s);
    if (rc == PLAN_OK) rc = sort_links(&s, nlinks, from, to);
    free(s.from);
    return rc == PLAN_OK ? rc : plani_fail(err, rc, "out of memory for the links of %d ranks", trees->c->ranks);
}

plan_status_t plani_host_trees_platform(const plani_host_trees_t *trees, plan_platform_t **out, plan_error_t *err)
{
    size_t nlinks = 0;
    int *from = NULL, *to = NULL;
    plan_status_t rc = find_links(trees, &nlinks, &from, &to, err);
    if (rc == PLAN_OK) rc = plani_cluster_platform_of(trees->c, nlinks, from, to, out, err);
    free(from);
    free(to);
    return rc;
}

plan_status_t plani_host_trees_part(const plani_host_trees_t *trees, const plan_platform_t *whole,
                                    plan_platform_t **out, plan_error_t *err)
{
    const plan_platform_data_t *d = plan_platform_data(whole);
    size_t nlinks = 0;
    bool *kept = calloc(d->nlinks + 1, sizeof *kept);
    int *from = NULL, *to = NULL;
    plan_status_t rc = find_links(trees, &nlinks, &from, &to, err);

    if (rc == PLAN_OK && kept == NULL) rc = plani_fail(err, PLAN_ENOMEM, "out of memory for %zu links", d->nlinks);
    for (size_t i = 0; i < nlinks && rc == PLAN_OK; i++) kept[plan_platform_find_link(whole, from[i], to[i])] = true;
    if (rc == PLAN_OK) rc = plani_part_create(d, NULL, kept, *d, out, err);
    free(kept);
    free(from);
    free(to);
    return rc;
}
