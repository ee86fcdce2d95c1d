/* Which ranks share what, private. */
#ifndef PLANI_HOSTS_H
#define PLANI_HOSTS_H

#include <mpi.h>
#include "graphs/machine/machine.h"

/** A host's name and what hwloc says of it, cut to what fits. */
typedef struct {
    char text[64];
    char signature[128]; /* "": nobody knows */
} plani_name_t;

/**
 * Collective: where all ranks are, on every rank; hosts are numbered by their lowest rank.
 * \param place [ranks]
 * \param name  [ranks] of their hosts; NULL on all ranks: nobody asks
 * \param hosts how many
 */
int plani_find_places(MPI_Comm comm, plani_place_t *place, plani_name_t *name, int *hosts);

#endif
