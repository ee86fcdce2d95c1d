/* SPDX-License-Identifier: BSD-3-Clause */
/* Spanning arborescences: checked, indexed and immutable. */
#include "graphs/trees/trees.h"
#include <planbcast/tree.h>
#include "graphs/trees/tree_reshape.h"
#include "lib/base/base.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct plan_tree {
    plan_tree_data_t data; /* public view: the first three arrays */
    int ranks, root;
    int *parent;        /* [ranks] */
    int *depth;         /* [ranks] */
    int *breadth_first; /* [ranks] */
    int *first;         /* [ranks + 1] into child */
    int *child;         /* [ranks - 1] grouped by parent, in send order */
};

typedef struct {
    int order, rank;
} place_t;

static int by_order_rank(const void *pa, const void *pb)
{
    const place_t *a = pa, *b = pb;
    if (a->order != b->order) return a->order < b->order ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static plan_status_t allocate(int ranks, plan_tree_t **out)
{
    size_t n = (size_t)ranks;
    plan_tree_t *t = calloc(1, sizeof *t);

    if (t == NULL) return PLAN_ENOMEM;
    t->ranks = ranks;
    t->parent = malloc(n * sizeof *t->parent);
    t->depth = malloc(n * sizeof *t->depth);
    t->breadth_first = malloc(n * sizeof *t->breadth_first);
    t->first = calloc(n + 1, sizeof *t->first);
    t->child = calloc(n, sizeof *t->child);
    *out = t;
    if (!t->parent || !t->depth || !t->breadth_first || !t->first || !t->child) {
        plan_tree_destroy(out);
        return PLAN_ENOMEM;
    }
    return PLAN_OK;
}

/* Children of one rank, ascending so far, by their order. */
static void sort_children(int *child, int n, const int *order, place_t *place)
{
    bool sorted = true;
    for (int i = 1; i < n; i++) sorted = sorted && order[child[i]] >= order[child[i - 1]];
    if (sorted) return;
    for (int i = 0; i < n; i++) place[i] = (place_t){order[child[i]], child[i]};
    qsort(place, (size_t)n, sizeof *place, by_order_rank);
    for (int i = 0; i < n; i++) child[i] = place[i].rank;
}

/* Fill parent, root, first and child: ranks dealt to their parents, then each one's children by their order. */
static plan_status_t index_children(plan_tree_t *t, const int *parent, const int *order)
{
    int n = t->ranks;
    t->root = -1;
    for (int r = 0; r < n; r++) {
        if (parent[r] < -1 || parent[r] >= n || (parent[r] == -1 && t->root != -1)) return PLAN_ENOTREE;
        t->parent[r] = parent[r];
        if (parent[r] == -1)
            t->root = r;
        else
            t->first[parent[r] + 1]++;
    }
    if (t->root == -1) return PLAN_ENOTREE;
    for (int r = 0; r < n; r++) t->first[r + 1] += t->first[r];
    for (int r = 0; r < n; r++)
        if (parent[r] >= 0) t->child[t->first[parent[r]]++] = r;
    for (int r = n; r > 0; r--) t->first[r] = t->first[r - 1];
    t->first[0] = 0;
    if (order == NULL) return PLAN_OK;
    place_t *place = malloc((size_t)n * sizeof *place);
    if (place == NULL) return PLAN_ENOMEM;
    for (int r = 0; r < n; r++) sort_children(t->child + t->first[r], t->first[r + 1] - t->first[r], order, place);
    free(place);
    return PLAN_OK;
}

/* Breadth first from the root: fills in depth, breadth_first and data. A rank on a cycle is never reached. */
static plan_status_t walk(plan_tree_t *t)
{
    int reached = 1;

    t->breadth_first[0] = t->root;
    t->depth[t->root] = 0;
    for (int i = 0; i < reached; i++) {
        int u = t->breadth_first[i];
        for (int j = t->first[u]; j < t->first[u + 1]; j++) {
            t->depth[t->child[j]] = t->depth[u] + 1;
            t->breadth_first[reached++] = t->child[j];
        }
    }
    if (reached != t->ranks) return PLAN_ENOTREE;
    t->data = (plan_tree_data_t){.ranks = t->ranks,
                                 .root = t->root,
                                 .height = t->depth[t->breadth_first[t->ranks - 1]],
                                 .parent = t->parent,
                                 .depth = t->depth,
                                 .breadth_first = t->breadth_first};
    return PLAN_OK;
}

plan_status_t plan_tree_create(int ranks, const int *parent, const int *order, plan_tree_t **out)
{
    plan_status_t rc = PLAN_OK;
    plan_tree_t *t = NULL;

    if (ranks < 1 || parent == NULL || out == NULL) return PLAN_EINVAL;
    if ((rc = allocate(ranks, &t)) != PLAN_OK) goto done;
    if ((rc = index_children(t, parent, order)) != PLAN_OK) goto done;
    if ((rc = walk(t)) != PLAN_OK) goto done;
    *out = t, t = NULL;
done:
    plan_tree_destroy(&t);
    return rc;
}

plan_status_t plani_tree_reshape(plan_tree_t *t, const int *parent)
{
    int n = t->ranks, sum = 0;

    memcpy(t->parent, parent, (size_t)n * sizeof *parent);
    memset(t->first, 0, ((size_t)n + 1) * sizeof *t->first);
    for (int r = 0; r < n; r++)
        if (parent[r] >= 0) t->first[parent[r]]++;
    for (int r = 0; r <= n; r++) { /* index of the first child of r */
        int count = t->first[r];
        t->first[r] = sum;
        sum += count;
    }
    for (int r = 0; r < n; r++) /* first[u] advances with each child of u */
        if (parent[r] >= 0)
            t->child[t->first[parent[r]]++] = r;
        else
            t->root = r;
    for (int r = n; r > 0; r--) t->first[r] = t->first[r - 1]; /* undo that */
    t->first[0] = 0;
    return walk(t);
}

void plani_trees_destroy(size_t n, plan_tree_t **tree)
{
    for (size_t t = 0; tree != NULL && t < n; t++) plan_tree_destroy(&tree[t]);
    free(tree);
}

plan_status_t plani_tree_copy(const plan_tree_t *tree, plan_tree_t **out)
{
    plan_status_t rc = PLAN_OK;
    int *order = NULL; /* [ranks] position in child[] */

    if (tree == NULL || out == NULL) return PLAN_EINVAL;
    if ((order = calloc((size_t)tree->ranks, sizeof *order)) == NULL) return PLAN_ENOMEM;
    for (int i = 0; i < tree->ranks - 1; i++) order[tree->child[i]] = i;
    rc = plan_tree_create(tree->ranks, tree->parent, order, out);
    free(order);
    return rc;
}

void plan_tree_destroy(plan_tree_t **tree)
{
    if (tree == NULL || *tree == NULL) return;
    free((*tree)->parent);
    free((*tree)->depth);
    free((*tree)->breadth_first);
    free((*tree)->first);
    free((*tree)->child);
    free(*tree);
    *tree = NULL;
}

const plan_tree_data_t *plan_tree_data(const plan_tree_t *tree)
{
    return &tree->data;
}

const int *plan_tree_children(const plan_tree_t *tree, int rank, int *n)
{
    *n = tree->first[rank + 1] - tree->first[rank];
    return tree->child + tree->first[rank];
}

plan_status_t plani_tree_check(const plan_tree_t *tree, const plan_platform_t *pf, plan_error_t *err)
{
    if (tree == NULL || pf == NULL)
        return plani_fail(err, PLAN_EINVAL, "no tree, or no platform to look for its links");
    const plan_platform_data_t *d = plan_platform_data(pf);
    if (d->ranks != tree->ranks)
        return plani_fail(err, PLAN_ENOTREE, "the tree has %d ranks and the platform %d; they must be equal",
                          tree->ranks, d->ranks);
    for (int r = 0; r < tree->ranks; r++)
        if (r != tree->root && plan_platform_find_link(pf, tree->parent[r], r) == (size_t)-1)
            return plani_fail(err, PLAN_ENOTREE, "the tree uses link %d -> %d, which the platform lacks",
                              tree->parent[r], r);
    plani_clear(err);
    return PLAN_OK;
}
