/* Helpers of the executor's tests: plans made by hand, messages, and MPI_Bcast as the oracle. */
#ifndef PLANBCAST_TESTS_CAST_H
#define PLANBCAST_TESTS_CAST_H

#include <planbcast/mpi.h>
#include <stdint.h>

/** xorshift64*, seeded; the same on all ranks. */
typedef struct {
    uint64_t state;
} rng_t;
uint64_t rng_next(rng_t *r);
int rng_below(rng_t *r, int n);

/** A random spanning tree with a random order of children. */
plan_tree_t *random_tree(rng_t *r, int ranks, int root);
/** A plan of one range, executable on a duplicate of comm; takes over the trees. */
plan_t *trees_plan(MPI_Comm comm, int root, size_t ntrees, plan_tree_t **tree, const double *rate, size_t slice,
                   int window);
plan_t *topology_plan(MPI_Comm comm, int root, plan_topology_t kind, int fanout, size_t slice, int window);
/** The same for a schedule of rounds among the ranks in random order, the root first. */
plan_t *rounds_plan(MPI_Comm comm, int root, plan_schedule_kind_t kind, size_t slice, int window, rng_t *r);
plan_t *native_plan(MPI_Comm comm, int root);
/** Through memory that all ranks share. */
plan_t *shared_plan(MPI_Comm comm, int root);

/** Byte i of the message that seed names. */
unsigned char message_byte(uint64_t seed, size_t i);
/** Broadcast `bytes` bytes by the plan, in a buffer with guards before and behind; 1 if all is as it should be here. */
int casts_bytes(plan_t *plan, MPI_Comm comm, int root, size_t bytes, uint64_t seed);

/** What ranks have copied in broadcasts by the plan, added up over comm. */
plan_copies_t copies_of(const plan_t *plan, MPI_Comm comm);

/** A buffer of which a datatype, at an origin within, uses a part. */
typedef struct {
    MPI_Datatype type;
    int count;
    int absolute; /* the type holds addresses: pass MPI_BOTTOM */
    size_t origin, size;
    unsigned char *memory;
} layout_t;
/** Broadcast by the plan and, in a copy, by MPI_Bcast; 1 if memory, gaps included, ends alike here. */
int casts_layout(plan_t *plan, MPI_Comm comm, int root, const layout_t *layout, uint64_t seed);

#endif
