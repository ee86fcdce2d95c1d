/* Broadcasts that nothing was fitted to, predicted and timed: what measuring is worth. Private. */
#ifndef PLANI_VALIDATE_H
#define PLANI_VALIDATE_H

#include <jansson.h>
#include <mpi.h>
#include <planbcast/mpi.h>

/**
 * Predict and time a few broadcasts from rank 0, each for a part of `budget_s`. Collective on comm, whose errors
 * return; platform, budget_s and out are significant at rank 0.
 *
 * \param out an array of {"name", "bytes", "predicted_s", "measured_s"} (the fastest run), the caller's; empty for a
 * single rank
 */
int plani_validate(MPI_Comm comm, const plan_platform_t *platform, double budget_s, json_t **out, plan_error_t *err);

/** Beyond this a machine is marked as not to be trusted. */
#define PLANI_OFF 0.2

/** How far the worst of them is off: 0.2 for a time a fifth longer than predicted, or the other way round. 0: none. */
double plani_validation_error(const json_t *validation);

#endif
