/* Communicators on which a collective of Open MPI runs by an algorithm or a component of our choice. */
#ifndef BENCH_FORCED_H
#define BENCH_FORCED_H

#include <stddef.h>
#include <mpi.h>

enum { FORCED_SEGMENTS = 5, FORCED_COMPONENTS = 5 };
extern const size_t forced_segment[FORCED_SEGMENTS]; /* [B] the sizes to try; the first is 0, none */

/*
 * Collective. A duplicate of comm on which a collective ("bcast", "reduce", "barrier" ...) is this algorithm of
 * coll/tuned, by its number, in segments [B] (0: none). MPI_COMM_NULL: this MPI library cannot be forced to use it, or
 * coll_tuned_use_dynamic_rules was not set at start.
 */
MPI_Comm forced_algorithm(MPI_Comm comm, const char *collective, int algorithm, size_t segment);

typedef struct {
    const char *name;
    MPI_Comm comm; /* a duplicate that prefers it; the caller's */
} forced_component_t;

/*
 * Collective. The other components that can serve comm: han, adapt, acoll, and on one host sm and xhc, if their
 * priorities are positive. Priorities of 1 allow them without changing Open MPI 4's default decision. \return how many
 */
int forced_components(MPI_Comm comm, forced_component_t component[FORCED_COMPONENTS]);

#endif
