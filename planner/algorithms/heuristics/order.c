/* The order in which a rank sends to its children. */
#include <stdlib.h>
#include "planner/algorithms/heuristics/heuristic.h"

static int longest_first(const void *a, const void *b)
{
    const plani_child_t *x = a, *y = b;
    if (x->rest != y->rest) return x->rest > y->rest ? -1 : 1;
    return x->rank - y->rank;
}

/* By insertion: most ranks have few children, and they are nearly sorted. */
static void sort_few(plani_child_t *child, int n)
{
    for (int i = 1; i < n; i++) {
        plani_child_t c = child[i];
        int k = i;
        for (; k > 0 && longest_first(&c, &child[k - 1]) < 0; k--) child[k] = child[k - 1];
        child[k] = c;
    }
}

double plani_feed(const plani_problem_t *problem, plani_child_t *child, int n)
{
    double busy = 0, done = 0;
    if (n <= 16)
        sort_few(child, n);
    else
        qsort(child, (size_t)n, sizeof *child, longest_first);
    for (int i = 0; i < n; i++) {
        double at = busy + problem->cost[child[i].link] + child[i].rest;
        busy += plani_busy(problem, child[i].link);
        if (at > done) done = at;
    }
    return done;
}

plan_status_t plani_order_children(const plani_problem_t *problem, plani_shape_t *shape)
{
    plan_status_t rc = PLAN_OK;
    int n = problem->d->ranks;
    plan_tree_t *tree = NULL; /* in any order: for its lists of children and its levels */
    double *need = malloc((size_t)n * sizeof *need);
    plani_child_t *child = malloc((size_t)n * sizeof *child);

    if (need == NULL || child == NULL) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = plan_tree_create(n, shape->parent, NULL, &tree);
    if (rc != PLAN_OK) goto done;
    const int *levels = plan_tree_data(tree)->breadth_first;
    for (int i = n; i-- > 0;) {
        int children = 0, u = levels[i];
        const int *c = plan_tree_children(tree, u, &children);
        for (int k = 0; k < children; k++) {
            size_t l = plan_platform_find_link(problem->pf, u, c[k]);
            child[k] = (plani_child_t){need[c[k]] + plani_flight(problem, l) - problem->cost[l], c[k], l};
        }
        need[u] = plani_feed(problem, child, children);
        for (int k = 0; k < children; k++) shape->order[child[k].rank] = k;
    }
    shape->order[problem->root] = 0;
done:
    plan_tree_destroy(&tree);
    free(need);
    free(child);
    return rc;
}
