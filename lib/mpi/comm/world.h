/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI library, and a communicator's ranks in MPI_COMM_WORLD. Private. */
#ifndef PLANI_WORLD_H
#define PLANI_WORLD_H

#include <mpi.h>

/**
 * \param ranks of comm
 * \param world [ranks] receives the rank of each in MPI_COMM_WORLD; MPI_UNDEFINED outside of it
 * \return 0, PLAN_ENOMEM or an MPI error code. Local; MPI has a world.
 */
int plani_world_ranks(MPI_Comm comm, int ranks, int *world);

/** The MPI library and its version, in one line; "": it does not say. */
void plani_mpi_library(char text[MPI_MAX_LIBRARY_VERSION_STRING]);

#endif
