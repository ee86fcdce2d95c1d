/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of planbcast/plan.h that programs call beside those of planbcast/mpi.h, for programs that link the runtime
 * alone: the planner's, which is opened for them. In the shared library only. */
#include "lib/mpi/planner/planner.h"

plan_status_t plan_load(const char *path, plan_t **out, plan_error_t *err)
{
    plan_status_t rc = plani_planner_open(err);
    return rc == PLAN_OK ? plani_planner(NULL)->plan_load(path, out, err) : rc;
}

plan_status_t plan_load_all(const char *path, plan_t ***plans, size_t *n, plan_error_t *err)
{
    plan_status_t rc = plani_planner_open(err);
    return rc == PLAN_OK ? plani_planner(NULL)->plan_load_all(path, plans, n, err) : rc;
}

plan_status_t plan_parse(const char *text, size_t len, const char *name_for_errors, plan_t **out, plan_error_t *err)
{
    plan_status_t rc = plani_planner_open(err);
    return rc == PLAN_OK ? plani_planner(NULL)->plan_parse(text, len, name_for_errors, out, err) : rc;
}

plan_status_t plan_save(const plan_t *plan, const char *path, plan_error_t *err)
{
    plan_status_t rc = plani_planner_open(err);
    return rc == PLAN_OK ? plani_planner(NULL)->plan_save(plan, path, err) : rc;
}

plan_status_t plan_to_json(const plan_t *plan, char **text)
{
    plan_status_t rc = plani_planner_open(NULL);
    return rc == PLAN_OK ? plani_planner(NULL)->plan_to_json(plan, text) : rc;
}

plan_status_t plan_explain(const plan_t *plan, const plan_platform_t *pf, size_t bytes, char **text)
{
    plan_status_t rc = plani_planner_open(NULL);
    return rc == PLAN_OK ? plani_planner(NULL)->plan_explain(plan, pf, bytes, text) : rc;
}
