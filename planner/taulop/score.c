/* The makespan of one tree on a platform. */
#include <math.h>
#include "planner/taulop/score.h"
#include "planner/cost/cost.h"

plan_status_t plani_score_taulop(const plan_platform_t *pf, const plan_tree_t *tree, size_t bytes, size_t slice,
                                 int window, double *seconds)
{
    plan_status_t rc = PLAN_OK;
    plani_stages_t *st = NULL;

    if (pf == NULL || tree == NULL || seconds == NULL || window < 0) return PLAN_EINVAL;
    if ((rc = plani_stages_create(pf, tree, NULL, &st)) != PLAN_OK) return rc;
    *seconds = plani_stages_score(st, plani_cut(bytes, slice), window, INFINITY);
    plani_stages_destroy(&st);
    return PLAN_OK;
}
