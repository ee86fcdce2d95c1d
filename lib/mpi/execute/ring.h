/* Memory that all ranks of a communicator reach, private: a ring of slots, and who has filled and taken what. */
#ifndef PLANI_RING_H
#define PLANI_RING_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <planbcast/mpi.h>

enum {
    PLANI_SLOTS = 4,
    PLANI_SLOT = 256 << 10, /* [B] a slot: all of them fit into the cache of one core or two */
    PLANI_LINE = 128        /* [B] counters of different ranks keep so far apart: processors fetch pairs of lines */
};

typedef struct {
    alignas(PLANI_LINE) atomic_ulong n;
} plani_counter_t;

/* What a slot holds. */
typedef struct {
    alignas(PLANI_LINE) size_t bytes; /* of the whole message */
    unsigned long order;              /* of the broadcast, among those of all plans */
    unsigned long plan;               /* that it is by */
    bool empty;                       /* the root has not got the data */
} plani_label_t;

typedef struct {
    alignas(PLANI_LINE) uint64_t token; /* by which ranks know that it is the same memory */
    plani_counter_t filled;
    plani_label_t label[PLANI_SLOTS];
    plani_counter_t taken[]; /* [ranks] */
} plani_ring_head_t;

typedef struct plani_ring {
    size_t size; /* of what is mapped [B] */
    plani_ring_head_t *head;
    char *slots;       /* [PLANI_SLOTS * PLANI_SLOT] behind the head */
    unsigned long seq; /* slices of all broadcasts so far */
} plani_ring_t;

/**
 * Memory that all ranks of a communicator reach. Collective; all return the same.
 * \retval PLAN_EUNSUPPORTED some rank is on another host, there is no room for it, or this build is a simulation
 */
int plani_ring_open(MPI_Comm comm, plani_ring_t **out, plan_error_t *err);
/** Forget what ranks have missed, as those do whose plans are broken. Local, while no rank broadcasts through it. */
void plani_ring_settle(plani_ring_t *ring, int rank);
/** Local. NULL-safe. */
void plani_ring_close(plani_ring_t **ring);
/** Whether a slice is there to be taken. */
static inline bool plani_ring_has_more(const plani_ring_t *ring)
{
    return atomic_load_explicit(&ring->head->filled.n, memory_order_acquire) != ring->seq;
}
/** Whether the next slice to be taken is there, and of this broadcast (plani_binding_t.order). */
bool plani_ring_has(const plani_ring_t *ring, unsigned long order);

#endif
