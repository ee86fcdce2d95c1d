/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts, caches and packages that ranks share. Private. */
#ifndef PLANI_HOSTS_H
#define PLANI_HOSTS_H

#include <mpi.h>
#include "lib/mpi/planner/planner.h"

/** A host's name and its hardware by hwloc, both truncated. */
typedef struct {
    char text[64];
    char signature[128]; /* "": unknown */
} plani_name_t;

/**
 * Collective: the places of all ranks, on every rank; hosts are numbered by their lowest rank.
 * \param place [ranks]
 * \param name  [ranks] names of their hosts; NULL on all ranks: not needed
 * \param hosts the number of hosts
 * \return 0, PLAN_ENOMEM or an MPI error code; the same on every rank for the first two
 */
int plani_find_places(MPI_Comm comm, plani_place_t *place, plani_name_t *name, int *hosts);

#endif
