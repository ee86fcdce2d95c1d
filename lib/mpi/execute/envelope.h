/* SPDX-License-Identifier: BSD-3-Clause */
/* How a datatype was made. Private. */
#ifndef PLANI_ENVELOPE_H
#define PLANI_ENVELOPE_H

#include <mpi.h>
#include <stdbool.h>

/** As of MPI_Type_get_envelope. Some MPI libraries refuse that for datatypes whose constructor took MPI_Counts. */
typedef struct {
    int combiner, nints, naints, ntypes;
    MPI_Count nlarge; /* MPI_Counts that the constructor took in place of int and MPI_Aint; 0 before MPI 4 */
} plani_envelope_t;

int plani_envelope(MPI_Datatype type, plani_envelope_t *e);

/** Whether MPI defines the datatype, so that nobody may free it: those with names, and those of Fortran's kinds. */
static inline bool plani_is_predefined(const plani_envelope_t *e)
{
    return e->combiner == MPI_COMBINER_NAMED || e->combiner == MPI_COMBINER_F90_REAL ||
           e->combiner == MPI_COMBINER_F90_COMPLEX || e->combiner == MPI_COMBINER_F90_INTEGER;
}

/** Free a datatype that MPI_Type_get_contents has returned, unless MPI defines it. */
int plani_free_inner(MPI_Datatype *type);

enum { PLANI_NUMBERS = 3 }; /* most that one of the following was made with */
/** The numbers, and the one inner datatype, of a duplicated, resized, contiguous or vector type. The caller frees it.
 */
int plani_only_inner(MPI_Datatype type, const plani_envelope_t *e, MPI_Count numbers[PLANI_NUMBERS],
                     MPI_Datatype *inner);

#endif
