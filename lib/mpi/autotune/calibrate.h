/* Estimating how long each algorithm's broadcasts really take, private. */
#ifndef PLANI_CALIBRATE_H
#define PLANI_CALIBRATE_H

#include <planbcast/mpi.h>

/**
 * Broadcast by every candidate at a ladder of sizes, each broadcast followed by a flat gather, and fit what the times
 * say beside the model (planner/literature/calibration.h). The profile's platform then carries the calibrations. Takes
 * about half of options->budget_s. Collective; profile and options are significant at rank 0 alone.
 */
int plani_calibrate(MPI_Comm comm, const plan_options_t *options, plan_profile_t *profile, plan_error_t *err);

/** Let the profile hold another platform, which it takes over, also when it fails. */
plan_status_t plani_profile_replace(plan_profile_t *profile, plan_platform_t *pf);

#endif
