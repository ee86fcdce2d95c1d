/* The content of a profile, and what planbcast/mpi.h says of profiles. Private. */
#ifndef PLANI_PROFILE_H
#define PLANI_PROFILE_H

#include <jansson.h>
#include <planbcast/mpi.h>
#include "graphs/machine/machine.h"
#include "lib/mpi/planner/planner.h"

void plani_profile_destroy(plan_profile_t **profile);
const plan_platform_t *plani_profile_platform(const plan_profile_t *profile);
plan_status_t plani_profile_save(const plan_profile_t *profile, const char *path, plan_error_t *err);
plan_status_t plani_profile_load(const char *path, plan_profile_t **out, plan_error_t *err);

/** The machine of a profile; borrowed. NULL: the file has none. */
const plani_machine_t *plani_profile_machine(const plan_profile_t *profile);
/** The whole JSON document of a profile; borrowed. */
const json_t *plani_profile_document(const plan_profile_t *profile);

/** An array of {"name", "bytes", "predicted_s", "measured_s"}; the caller's. NULL: out of memory. */
json_t *plani_validation_json(const plani_validation_t *validation);
/** As plani_planner_t says. */
plan_status_t plani_profile_validated(plan_profile_t *profile, const plani_validation_t *validation, double *off);

#endif
