/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading saved platforms and profiles. Private. */
#ifndef PLANI_LOAD_H
#define PLANI_LOAD_H

#include <mpi.h>
#include <planbcast/mpi.h>

/**
 * Check that a platform has the number of ranks of comm and the same hosts for them. `given` is checked, or, if it is
 * NULL, the platform loaded from the file `path`. Collective; given and path are significant at rank 0 of comm, which
 * alone receives a loaded platform in *out.
 * \retval PLAN_EMISMATCH another number of ranks, or other hosts; err says which
 */
int plani_load_platform(MPI_Comm comm, const plan_platform_t *given, const char *path, plan_platform_t **out,
                        plan_error_t *err);

#endif
