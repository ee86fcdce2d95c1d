/* What best-tree goes by, for any tree. */
#include <math.h>
#include <stdlib.h>
#include "planner/heuristics/heuristic.h"
#include "planner/search/fill.h"

plan_status_t plan_tree_estimate(const plan_platform_t *pf, const plan_tree_t *tree, double slice, double bytes,
                                 double *seconds)
{
    const int *parent = plan_tree_parents(tree);
    int n = plan_tree_ranks(tree);
    plani_task_t task;
    plani_loads_t loads = {0};
    plani_fill_t fill = {0};
    size_t *via = NULL;
    plan_status_t rc = plan_tree_check(tree, pf, NULL);
    if (rc == PLAN_OK) rc = plani_task_create(pf, plan_tree_root(tree), slice, bytes, NULL, &task, NULL);
    if (rc != PLAN_OK) return rc;

    if ((via = malloc((size_t)n * sizeof *via)) == NULL) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = plani_loads_create(&task, &loads);
    if (rc == PLAN_OK) rc = plani_fill_create(&loads, &fill);
    if (rc == PLAN_OK) {
        for (int v = 0; v < n; v++) via[v] = parent[v] < 0 ? PLANI_NO_LINK : plan_platform_find_link(pf, parent[v], v);
        plani_loads_set(&loads, via, INFINITY);
        plani_fill_set(&fill);
        *seconds = plani_makespan(&fill);
    }
    plani_fill_clear(&fill);
    plani_loads_clear(&loads);
    plani_task_clear(&task);
    free(via);
    return rc;
}
