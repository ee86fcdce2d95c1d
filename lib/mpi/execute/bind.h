/* Attaching plans to communicators, private. */
#ifndef PLANI_BIND_H
#define PLANI_BIND_H

#include <mpi.h>
#include <stdbool.h>
#include <planbcast/mpi.h>

/** As plan_bind, on a communicator whose errors return and which belongs to the plan from the success on. Collective;
 * only rank 0's `offline` counts. */
int plani_bind(MPI_Comm comm, const plan_t *offline, plan_t **plan, plan_error_t *err);

/** Make a plan that all ranks hold alike executable on a communicator of as many ranks whose errors return, and which
 * belongs to the plan from the success on. Local. PLAN_ENOMEM, or PLAN_EUNSUPPORTED: MPI's tags are too few. */
plan_status_t plani_attach(plan_t *plan, MPI_Comm comm);
/** Open the memory that all ranks share, where some range of an attached plan goes through it. Collective; as
 * plani_ring_open. */
int plani_attach_shared(plan_t *plan, plan_error_t *err);
/** Compare what ranks pass to each broadcast (PLANBCAST_CHECK). Collective. */
int plani_attach_check(plan_t *plan, plan_error_t *err);
/** PLANBCAST_CHECK of the environment. PLAN_EINVAL. */
plan_status_t plani_check_wanted(bool *check, plan_error_t *err);
/** Undo all of it, collective; the communicator is the caller's again. NULL-safe. */
void plani_detach(plan_t *plan);

#endif
