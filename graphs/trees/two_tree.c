/*
 * Two binary trees, such that no rank except the root is an inner node of both: Sanders, Speck, Traeff 2009, "Two-tree
 * algorithms for full bandwidth broadcast, reduction and scan".
 *
 * The n = ranks - 1 other ranks are numbered from 1 in order. The first tree is numbered in symmetric order, so that
 * odd numbers are leaves. The second is the mirror image of the first if n is even, else the first shifted by one; in
 * it even numbers are leaves.
 *
 *            4                    3                       4                     5
 *        2       6             1     5                2       6             3       7
 *      1   3   5                2   4 6             1   3   5   7         2   4   6   1
 *
 *          n = 6                                        n = 7
 */
#include "graphs/trees/trees.h"
#include <planbcast/tree.h>
#include <stdbool.h>
#include <stdlib.h>

/* Build the subtree of numbers low + 1 .. low + n. \return its root */
static int grow(int low, int n, int *parent)
{
    int top = 1;
    while (2 * top <= n) top *= 2;
    if (top > 1) parent[grow(low, top - 1, parent)] = low + top;
    if (n > top) parent[grow(low + top, n - top, parent)] = low + top;
    return low + top;
}

/* Make a tree from the parents `above`, by number; 0 is the root. */
static plan_status_t make(int ranks, const int *order, bool second, const int *above, int *parent, plan_tree_t **out)
{
    int n = ranks - 1;
    parent[order[0]] = -1;
    for (int i = 1; i <= n; i++) {
        int v = !second ? i : n % 2 == 0 ? n + 1 - i : i % n + 1, up = above[i];
        if (up > 0 && second) up = n % 2 == 0 ? n + 1 - up : up % n + 1;
        parent[order[v]] = order[up];
    }
    return plan_tree_create(ranks, parent, NULL, out);
}

plan_status_t plani_two_trees(int ranks, const int *order, plan_tree_t *out[2])
{
    plan_status_t rc = PLAN_ENOMEM;
    plan_tree_t *tree[2] = {NULL, NULL};
    int *above = NULL, *parent = NULL;

    if (ranks < 1 || order == NULL) return PLAN_EINVAL;
    for (int v = 0; v < ranks; v++)
        if (order[v] < 0 || order[v] >= ranks) return PLAN_EINVAL;
    above = calloc((size_t)ranks, sizeof *above);
    parent = malloc((size_t)ranks * sizeof *parent);
    if (above == NULL || parent == NULL) goto done;
    for (int v = 0; v < ranks; v++) parent[v] = -1; /* a rank missing in the order becomes a second root: an error */
    if (ranks > 1) above[grow(0, ranks - 1, above)] = 0;
    rc = make(ranks, order, false, above, parent, &tree[0]);
    if (rc == PLAN_OK) rc = make(ranks, order, true, above, parent, &tree[1]);
    if (rc != PLAN_OK) goto done;
    for (int t = 0; t < 2; t++) out[t] = tree[t], tree[t] = NULL;
done:
    for (int t = 0; t < 2; t++) plan_tree_destroy(&tree[t]);
    free(above);
    free(parent);
    return rc;
}
