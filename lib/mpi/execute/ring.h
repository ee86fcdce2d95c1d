/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared memory of the ranks of one host: a ring of slices, and counters of slices read. Private. */
#ifndef PLANI_RING_H
#define PLANI_RING_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <planbcast/mpi.h>

enum {
    PLANI_RING = 1 << 20,   /* [B] of all slices: they fit into the caches of one or two cores */
    PLANI_SLOT = 256 << 10, /* [B] largest slot */
    PLANI_LABELS = 128,     /* most slots */
    PLANI_IN_SLOT = 64,     /* [B] slices up to this size are beside their labels: processors fetch pairs of lines */
    PLANI_TINY = 256,  /* [B] slices up to this size lie apart, so that those who send no others need less memory */
    PLANI_POLLS = 500, /* of a counter, about 1 us, before a rank yields the processor after each */
    PLANI_LINE = 128,  /* [B] distance between counters of different ranks: processors prefetch pairs of lines */
    PLANI_SIZE_CLASSES = 64 /* of messages, a factor of two each */
};

typedef struct {
    alignas(PLANI_LINE) atomic_ulong n;
    int process;     /* the rank's, and the address of its plani_ring_t's token there: others try to read it */
    int64_t segment; /* of its memory, if others can map it, or PLANI_NOT_MAPPED */
    uint64_t token;
} plani_counter_t;

/** The contents of a slot. */
typedef struct {
    size_t bytes;        /* of the whole message; SIZE_MAX: its writer does not know */
    size_t length;       /* of the slice */
    unsigned long order; /* number of the broadcast, over all plans */
    unsigned long plan;  /* number of the plan that it is by */
    uint32_t range;      /* of the plan */
    int base;            /* tag base of the broadcast, if its slices travel between hosts as well */
    bool empty;          /* the root has no data */
    bool last;           /* of the message */
    unsigned char slot;  /* where the slice is; all this and plani_slot_t.filled fit into a line of the cache */
    unsigned char way;   /* by a single copy or a mapping: the slot is empty, and the whole message is in the memory */
    int from;            /* of this rank of the host, */
    uint64_t address;    /* from here on */
} plani_label_t;

typedef struct {
    alignas(PLANI_LINE) atomic_ulong filled; /* number of the slice + 1, once it is written */
    plani_label_t label;
    char data[PLANI_IN_SLOT]; /* a slice that is so short */
} plani_slot_t;

typedef struct {
    /* All look at these, and none changes them but where ranks sleep: */
    alignas(PLANI_LINE) uint64_t token; /* random; the same for all ranks if they map the same memory */
    _Atomic uint32_t asleep;            /* ranks that sleep until a slice is written, */
    _Atomic uint32_t written;           /* and until this has changed */
    _Atomic uint32_t full;              /* 1: a writer sleeps until all ranks have read */
    _Atomic uint32_t freed;             /* changes when they have: */
    atomic_ulong needed;                /* the slices before this one */
    _Atomic uint32_t refused;           /* bits 1 << way: some rank could not read a message by it */
    plani_slot_t slot[PLANI_LABELS];    /* of slice n: n % PLANI_LABELS */
    plani_counter_t taken[];            /* [ranks] slices read by each, or written */
} plani_ring_head_t;

/** The ways of a message: through the slots, by a single copy that the kernel makes or out of mapped memory, and
 * through the slots, out of which it is copied past the caches. */
enum { PLANI_BY_SLOTS, PLANI_BY_SINGLE_COPY, PLANI_BY_MAPPING, PLANI_PAST_CACHES, PLANI_COPIES, PLANI_TRIALS = 4 };

/** Messages of about the same size that this rank has sent. */
typedef struct {
    unsigned long n;
    int used; /* the way of the last one that was not there to try another again */
    unsigned timed[PLANI_COPIES];
    double last_s[PLANI_COPIES][PLANI_TRIALS]; /* [s/B] until all ranks had read the last ones */
} plani_copy_times_t;

/**
 * Slices are numbered over all broadcasts of all plans of a communicator, on each host for itself. Any rank may write
 * a slice, if all agree which one. Counters differ by at most the number of slots; only differences are compared.
 */
typedef struct plani_ring {
    int ranks, me; /* that share it, and this rank among them */
    int *rank;     /* [ranks] owned: their ranks in the communicator, ascending */
    size_t size;   /* [B] mapped; 0: this rank is alone on its host */
    plani_ring_head_t *head;
    char *tiny;          /* [PLANI_LABELS * PLANI_TINY] behind the head, */
    char *data;          /* [PLANI_RING] and behind these */
    bool allocated;      /* data has memory, as far as this rank knows */
    size_t slot, slots;  /* [B] of a slot, and their number, a power of two: the same on all ranks during a broadcast */
    unsigned long first; /* slice that was the first with slots of this size */
    unsigned long start; /* a slice in the first slot, behind which the others are; the same on all ranks between
                            broadcasts, for they take it from the last label */
    unsigned long seq;   /* slices that this rank has written or read */
    unsigned long read;  /* slices that all ranks have, as far as this one knows */
    unsigned patience;   /* times to yield the processor before sleeping: adapts */
    uint64_t token;      /* that the other ranks of the host try to read */
    unsigned ways;       /* bits 1 << way, of single copies and mappings: by which they can, all from all */
    int64_t segment;     /* of this process's memory, for other ranks to map; PLANI_NOT_MAPPED: they do not */
    int64_t *permit;     /* [ranks] owned: to map that of each other rank; NULL: none is mapped */
    plani_copy_times_t copies[PLANI_SIZE_CLASSES]; /* of messages that this rank sent */
} plani_ring_t;

/**
 * Create shared memory of the ranks of each host. Collective; all return the same.
 * \retval PLAN_EUNSUPPORTED /dev/shm has no room somewhere, or this build is a simulation
 */
int plani_ring_open(MPI_Comm comm, plani_ring_t **out, plan_error_t *err);
/** Skip to the last slice, after this rank may have missed broadcasts. Collective over the communicator, while no rank
 * broadcasts through it. */
int plani_ring_settle(plani_ring_t *ring, MPI_Comm comm);
/** Local. NULL-safe. */
void plani_ring_close(plani_ring_t **ring);

/** Divide the ring into slots for slices of this size, which is at most PLANI_SLOT. Before each broadcast. */
void plani_ring_shape(plani_ring_t *ring, size_t slice);
/** Whether slice n can be written: all ranks have read what was there. */
bool plani_ring_has_room(plani_ring_t *ring, unsigned long n);
/** Before a rank writes a broadcast alone: begin at the first slot again if all slices have been read, for it is the
 * likeliest to be in the caches. */
void plani_ring_restart(plani_ring_t *ring);
/** The slot for slice n, if this rank writes it. */
static inline unsigned char plani_ring_slot(const plani_ring_t *ring, unsigned long n)
{
    return (unsigned char)((n - ring->start) & (ring->slots - 1));
}
/** Where slice n's number and label are. */
static inline plani_slot_t *plani_ring_entry(const plani_ring_t *ring, unsigned long n)
{
    return &ring->head->slot[n % PLANI_LABELS];
}
/** Where slice n of this length is, in that slot. A short one is where it can be looked for before the label has come.
 */
static inline char *plani_ring_data(const plani_ring_t *ring, unsigned long n, unsigned char slot, size_t length)
{
    if (length <= PLANI_IN_SLOT) return plani_ring_entry(ring, n)->data;
    return length <= PLANI_TINY ? ring->tiny + n % PLANI_LABELS * PLANI_TINY
                                : ring->data + (slot & (ring->slots - 1)) * ring->slot;
}
/** Where this rank writes slice n of this length. */
static inline char *plani_ring_room(const plani_ring_t *ring, unsigned long n, size_t length)
{
    return plani_ring_data(ring, n, plani_ring_slot(ring, n), length);
}
/** Before this rank writes a slice longer than PLANI_TINY: at the first one, memory is allocated. Local. \return false:
 * /dev/shm has no room */
bool plani_ring_allocate(plani_ring_t *ring);
/** The label of slice n, for this rank to write: in place, for one copied from the stack may wait until what was
 * written before it, the slice, is in the cache. */
static inline plani_label_t *plani_ring_label(const plani_ring_t *ring, unsigned long n)
{
    return &plani_ring_entry(ring, n)->label;
}
/** Slice n and its label are written: let the others read them. */
void plani_ring_fill(plani_ring_t *ring, unsigned long n);
/** The label of slice n, or NULL while it is not written. */
static inline const plani_label_t *plani_ring_look(const plani_ring_t *ring, unsigned long n)
{
    const plani_slot_t *slot = plani_ring_entry(ring, n);
    return atomic_load_explicit(&slot->filled, memory_order_acquire) == n + 1 ? &slot->label : NULL;
}
/** This rank needs the next slice no longer, or has written it. */
void plani_ring_take(plani_ring_t *ring);
/** The same for a slice of a broadcast that this rank has missed, with slots of a size that it does not know. */
void plani_ring_skip(plani_ring_t *ring);
/** Sleep until a slice is written, `seconds` at most, unless slice n is. */
void plani_ring_sleep(plani_ring_t *ring, unsigned long n, double seconds);
/** Give the processor away after the look-th poll (from 1) in vain for slice n; `room`: for room to write it. A rank
 * polls, then yields, then sleeps, 1 ms at most each time; a fiber stops. \return whether it slept: then MPI should be
 * called */
bool plani_ring_rest(plani_ring_t *ring, unsigned long n, bool room, unsigned look);
/** After plani_ring_rest, once the wait is over: yield for longer next time if that was enough, else more briefly. */
void plani_ring_rested(plani_ring_t *ring, unsigned looks);

#endif
