/* Shared memory of all ranks of a communicator: a ring of slots, and counters of slices filled and taken. Private. */
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
    PLANI_SLOT = 256 << 10, /* [B] size of a slot: all slots fit into the caches of one or two cores */
    PLANI_LINE = 128        /* [B] distance between counters of different ranks: processors prefetch pairs of lines */
};

typedef struct {
    alignas(PLANI_LINE) atomic_ulong n;
} plani_counter_t;

/* The contents of a slot. */
typedef struct {
    alignas(PLANI_LINE) size_t bytes; /* of the whole message */
    unsigned long order;              /* number of the broadcast, over all plans */
    unsigned long plan;               /* number of the plan that it is by */
    bool empty;                       /* the root has no data */
} plani_label_t;

typedef struct {
    alignas(PLANI_LINE) uint64_t token; /* random; the same for all ranks if they map the same memory */
    plani_counter_t filled;             /* slices written */
    plani_label_t label[PLANI_SLOTS];
    plani_counter_t taken[]; /* [ranks] slices read by each */
} plani_ring_head_t;

typedef struct plani_ring {
    size_t size; /* [B] mapped */
    plani_ring_head_t *head;
    char *slots;       /* [PLANI_SLOTS * PLANI_SLOT] after the head */
    unsigned long seq; /* slices of all broadcasts that this rank has written or read */
} plani_ring_t;

/**
 * Create shared memory of all ranks of a communicator. Collective; all return the same.
 * \retval PLAN_EUNSUPPORTED some rank is on another host, /dev/shm has no room, or this build is a simulation
 */
int plani_ring_open(MPI_Comm comm, plani_ring_t **out, plan_error_t *err);
/** Skip to the last slice, after this rank may have missed broadcasts. Local, while no rank broadcasts through it. */
void plani_ring_settle(plani_ring_t *ring, int rank);
/** Local. NULL-safe. */
void plani_ring_close(plani_ring_t **ring);
/** Whether a slice can be read. */
static inline bool plani_ring_has_more(const plani_ring_t *ring)
{
    return atomic_load_explicit(&ring->head->filled.n, memory_order_acquire) != ring->seq;
}
/** Whether the next slice can be read and belongs to this broadcast (plani_binding_t.order). */
bool plani_ring_has(const plani_ring_t *ring, unsigned long order);

#endif
