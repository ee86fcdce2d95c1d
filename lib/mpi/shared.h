/* Broadcasts through memory that all ranks share, private. */
#ifndef PLANI_SHARED_H
#define PLANI_SHARED_H

#include "lib/mpi/execute.h"

/**
 * Memory that all ranks of a communicator reach. Collective; all return the same.
 * \retval PLAN_EUNSUPPORTED some rank is on another host, MPI has no such memory, or this build is a simulation
 */
int plani_ring_open(MPI_Comm comm, plani_ring_t **out, plan_error_t *err);
/** Collective. NULL-safe. `over`: after MPI_Finalize, local: what MPI held is gone. */
void plani_ring_close(plani_ring_t **ring, bool over);

#endif
