/* The order in which a rank feeds its children. */
#include <stdlib.h>
#include "planner/heuristics/heuristic.h"

typedef struct {
    double rest; /* from the child's receipt until its whole subtree holds the slice, with its flight beyond T [s] */
    int rank;
} child_t;

static int longest_first(const void *a, const void *b)
{
    const child_t *x = a, *y = b;
    if (x->rest != y->rest) return x->rest > y->rest ? -1 : 1;
    return x->rank - y->rank;
}

/* Sort u's children, number them, and return the time from u's receipt until its whole subtree holds the slice. */
static double feed(const plani_task_t *task, int u, child_t *child, int n, plani_shape_t *shape)
{
    double busy = 0, done = 0;
    qsort(child, (size_t)n, sizeof *child, longest_first);
    for (int i = 0; i < n; i++) {
        size_t l = plan_platform_find_link(task->pf, u, child[i].rank);
        double at = busy + task->cost[l] + child[i].rest;
        shape->order[child[i].rank] = i;
        busy += plani_busy(task, l);
        if (at > done) done = at;
    }
    return done;
}

plan_status_t plani_order_children(const plani_task_t *task, plani_shape_t *shape)
{
    plan_status_t rc = PLAN_OK;
    int n = task->d->ranks;
    plan_tree_t *tree = NULL; /* in any order: for its lists of children and its levels */
    double *need = malloc((size_t)n * sizeof *need);
    child_t *child = malloc((size_t)n * sizeof *child);

    if (need == NULL || child == NULL) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = plan_tree_create(n, shape->parent, NULL, &tree);
    if (rc != PLAN_OK) goto done;
    const int *levels = plan_tree_preorder(tree);
    for (int i = n; i-- > 0;) {
        int children = 0, u = levels[i];
        const int *c = plan_tree_children(tree, u, &children);
        for (int k = 0; k < children; k++) {
            size_t l = plan_platform_find_link(task->pf, u, c[k]);
            child[k] = (child_t){need[c[k]] + task->d->link[l].delay_s, c[k]};
        }
        need[u] = feed(task, u, child, children, shape);
    }
    shape->order[task->root] = 0;
done:
    plan_tree_destroy(&tree);
    free(need);
    free(child);
    return rc;
}
