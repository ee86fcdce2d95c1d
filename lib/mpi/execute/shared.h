/* Broadcasts through memory that all ranks share, private. */
#ifndef PLANI_SHARED_H
#define PLANI_SHARED_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/mpi/execute/common.h"

/**
 * Memory that all ranks of a communicator reach. Collective; all return the same.
 * \retval PLAN_EUNSUPPORTED some rank is on another host, there is no room for it, or this build is a simulation
 */
int plani_ring_open(MPI_Comm comm, plani_ring_t **out, plan_error_t *err);
/** Forget what ranks have missed, as those do whose plans are broken. Local, while no rank broadcasts through it. */
void plani_ring_settle(plani_ring_t *ring, int rank);
/** Local. NULL-safe. */
void plani_ring_close(plani_ring_t **ring);
/** Whether the next slice to be taken is there, and of this broadcast (plani_binding_t.order). */
bool plani_ring_has(const plani_ring_t *ring, unsigned long order);

#endif
