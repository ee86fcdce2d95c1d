/* Platforms and profiles that were saved, for the ranks that run now, private. */
#ifndef PLANI_LOAD_H
#define PLANI_LOAD_H

#include <mpi.h>
#include <planbcast/mpi.h>

/**
 * Check that a platform is of as many ranks, grouped into hosts as they are here: the one that is given, or else the
 * one in the file `path`, which is loaded. Collective; given and path are significant at rank 0 of comm, which alone
 * receives what was loaded.
 * \retval PLAN_EMISMATCH another rank count or host layout; err says which
 */
int plani_load_platform(MPI_Comm comm, const plan_platform_t *given, const char *path, plan_platform_t **out,
                        plan_error_t *err);

#endif
