/* Which ranks share what, private. */
#ifndef PLANI_HOSTS_H
#define PLANI_HOSTS_H

#include <mpi.h>

typedef enum { PLANI_SAME_L2, PLANI_SAME_L3, PLANI_SAME_PACKAGE, PLANI_SAME_HOST, PLANI_LEVELS } plani_level_t;
extern const char *const plani_level_name[PLANI_LEVELS];

typedef struct {
    int host;                    /* numbered by lowest rank */
    int place[PLANI_LEVELS - 1]; /* logical index of the L2, L3, package that the rank is bound into; -1: not bound */
} plani_place_t;

/** A host's name, cut to what fits. */
typedef struct {
    char text[64];
} plani_name_t;
/** Collective: name [ranks], at rank 0 alone (others: NULL). */
int plani_gather_names(MPI_Comm comm, plani_name_t *name);

/** Collective: place [ranks], on every rank. *hosts: how many. */
int plani_find_places(MPI_Comm comm, plani_place_t *place, int *hosts);
/** The closest thing that two ranks of one host share. */
plani_level_t plani_level(const plani_place_t *a, const plani_place_t *b);

#endif
