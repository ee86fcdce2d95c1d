/* SPDX-License-Identifier: BSD-3-Clause */
/* Validation of the measured machine: predicts and times broadcasts to which no parameter was fitted. Private. */
#ifndef PLANI_VALIDATE_H
#define PLANI_VALIDATE_H

#include <mpi.h>
#include <planbcast/mpi.h>
#include "lib/mpi/planner/planner.h"

/**
 * Predict and time a few broadcasts from rank 0, each for a part of `budget_s` [s]. Collective on comm, which has
 * MPI_ERRORS_RETURN; platform, budget_s and out are significant at rank 0.
 *
 * \param out rank 0 receives them; none for a single rank
 */
int plani_validate(MPI_Comm comm, const plan_platform_t *platform, double budget_s, plani_validation_t *out,
                   plan_error_t *err);

#endif
