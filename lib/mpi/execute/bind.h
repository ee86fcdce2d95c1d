/* SPDX-License-Identifier: BSD-3-Clause */
/* Attaching plans to communicators. Private. */
#ifndef PLANI_BIND_H
#define PLANI_BIND_H

#include <mpi.h>
#include <stdbool.h>
#include <planbcast/mpi.h>

/** As plan_bind, on a communicator with MPI_ERRORS_RETURN, which the plan owns on success. Collective; only rank 0's
 * `offline` is read. */
int plani_bind(MPI_Comm comm, const plan_t *offline, plan_t **plan, plan_error_t *err);

/** Make a plan executable on a communicator of as many ranks, with MPI_ERRORS_RETURN, which the plan owns on success.
 * All ranks pass equal plans. Local. PLAN_ENOMEM, or PLAN_EUNSUPPORTED: MPI's tags have too few bits. */
plan_status_t plani_attach(plan_t *plan, MPI_Comm comm);
/** Open shared memory if some range of an attached plan uses it. Collective; returns as plani_ring_open. */
int plani_attach_shared(plan_t *plan, plan_error_t *err);
/** From now on compare the arguments of all ranks before each broadcast (PLANBCAST_CHECK). Collective. */
int plani_attach_check(plan_t *plan, plan_error_t *err);
/** Read PLANBCAST_CHECK from the environment. PLAN_EINVAL: neither 0 nor 1. */
plan_status_t plani_check_wanted(bool *check, plan_error_t *err);
/** Undo plani_attach and all after it; the caller owns the communicator again. Collective. NULL-safe. */
void plani_detach(plan_t *plan);

#endif
