/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles as planbcast/mpi.h has them: the planner's. */
#include "lib/base/base.h"
#include "lib/mpi/planner/planner.h"

void plan_profile_destroy(plan_profile_t **profile)
{
    if (profile != NULL) plani_forget_profile(profile);
}

const plan_platform_t *plan_profile_platform(const plan_profile_t *profile)
{
    return plani_planner(NULL)->profile_platform(profile);
}

plan_status_t plan_profile_save(const plan_profile_t *profile, const char *path, plan_error_t *err)
{
    plani_clear(err);
    if (profile == NULL || path == NULL) return plani_fail(err, PLAN_EINVAL, "no profile, or no file to write it to");
    return plani_planner(NULL)->profile_save(profile, path, err);
}

plan_status_t plan_profile_load(const char *path, plan_profile_t **out, plan_error_t *err)
{
    plan_status_t rc;

    plani_clear(err);
    if (path == NULL || out == NULL) return plani_fail(err, PLAN_EINVAL, "no file to read a profile from");
    if ((rc = plani_planner_open(err)) != PLAN_OK) return rc;
    return plani_planner(NULL)->profile_load(path, out, err);
}
