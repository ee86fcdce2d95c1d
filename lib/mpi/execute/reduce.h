/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions along the reversed trees of a plan. Private. */
#ifndef PLANI_REDUCE_H
#define PLANI_REDUCE_H

#include "lib/mpi/execute/binding.h"

/** One tree of the current reduction on this rank. */
typedef struct {
    size_t n;        /* slices of this tree */
    size_t window;   /* most slices in flight on a link: that of the part, or n */
    size_t combined; /* slices combined with those of all children, in order */
    int next;        /* the child to combine the slice `combined` with */
    size_t sent, done;
    MPI_Request *in;  /* [nchildren * window of the part] receive of slice j from child c at c * window + j % window */
    MPI_Request *out; /* [window of the part] send of slice j at j % window */
    size_t *posted;   /* [nchildren] receives */
    size_t *arrived;  /* [nchildren] completed ones of these, in order */
    char *ring;       /* its slices in the scratch memory */
    size_t first;     /* slots of the first child, which is where slices are combined */
} plani_inflow_t;

/** What plans that reduce have besides. */
typedef struct plani_reducer {
    MPI_Comm alone;       /* owned: this rank alone, with MPI_ERRORS_RETURN; MPI checks arguments on it */
    plani_inflow_t *lane; /* [most trees] owned */
} plani_reducer_t;

/** The arguments of one rank. */
typedef struct {
    void *send;           /* only read; the root's, in place: recv */
    void *recv;           /* the root's; else NULL */
    bool in_place, sized; /* sized: bytes is known; else the arguments are wrong */
    MPI_Datatype type;
    MPI_Op op;
    size_t count, bytes, element; /* bytes [B] of all `count` elements, and of one, packed */
    MPI_Aint extent;              /* [B] from one element to the next */
    MPI_Aint low;                 /* [B] lowest address of an element's data, from its origin */
    MPI_Aint span;                /* [B] from there to its highest */
    uint64_t kind;                /* hash of element and operation, for comparison with other ranks; see record.h */
    bool commutes;
} plani_reduction_t;

/** From now on the plan, which is attached and has trees and MPI's own ranges only, reduces. Collective over its
 * communicator; all ranks return the same. */
int plani_attach_reduce(plan_t *plan, plan_error_t *err);
/** `over`: MPI is finalised. NULL-safe. */
void plani_reducer_destroy(plani_reducer_t **reducer, bool over);

/** Elements of a slice. */
size_t plani_reduce_each(const plani_part_t *part, size_t element, size_t count);
/** Reserve the memory that `part` needs. PLAN_ENOMEM. */
int plani_reduce_reserve(plani_binding_t *b, const plani_part_t *part, const plani_reduction_t *r);
/**
 * Reduce along the trees of `part`, more than zero bytes on more than one rank.
 *
 * \param r NULL: this rank has no data. It takes the slices of its children and sends empty ones, which let all ranks
 *          above fail
 * \param element, count those of the root
 * \return 0, PLAN_EDISAGREE if a rank below has failed, or an error of MPI
 */
int plani_reduce_trees(plani_binding_t *b, const plani_part_t *part, const plani_reduction_t *r, size_t element,
                       size_t count);

/** [s/B] Time to combine two messages here: MPI_SUM of MPI_DOUBLE in the cache, the fastest of some runs. 0 without a
 * clock that shows it, or without memory. Takes about 0.1 ms. */
double plani_combining(void);
/** Reduce `bytes` bytes of zeros to the root by the given range, whatever sizes it is for: to time it. Not in place,
 * for MPI_Reduce of MPICH 4.0 crashes there on other roots than 0 (its issue 6540). \param recv the root's; else
 * ignored */
int plani_reduce_range(plan_t *plan, size_t range, void *send, void *recv, size_t bytes);

#endif
