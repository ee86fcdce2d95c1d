/*
 * A message through shared memory: the root copies slices into a few slots, all other ranks copy them out.
 *
 *     slot of slice n: n % SLOTS    filled: n + 1, once slice n is written    taken[r]: n + 1, once rank r has read it
 *
 * Slices are numbered over all broadcasts of all plans of a communicator. Their roots may differ, and several
 * broadcasts may be active, for a root returns once its last slice is written. It writes `filled` after the slot
 * (release); readers read `filled` before the slot (acquire), and so see all of it. In the same way `taken` is written
 * after a slot has been read, and read before the slot is written again. Counters differ by at most SLOTS; only
 * differences are compared.
 *
 * Between ranks of one host MPI copies each message once, too, but in the kernel and after a handshake; and slots stay
 * in the cache.
 *
 * An error does not stop a broadcast: a root without data says so in each slot, and a rank that cannot write its
 * buffer, or expects another size or plan, skips all slices. Each slot has the number of its broadcast, over all plans,
 * and of its plan.
 */
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/execute/probe.h"
#include "lib/mpi/execute/ring.h"
#include <sched.h>

enum {
    LEAST = 32 << 10, /* [B] least slice if there are several: smaller ones cost more in wake-ups of other ranks than
                         they gain */
    PATIENCE = 500,   /* polls of a counter, about 1 us, before sched_yield after each */
    PROGRESS = 64     /* polls between two calls of MPI, from then on: a call takes as long as a small message */
};

typedef struct {
    plani_ring_t *s;
    plani_view_t *view;
    const plani_binding_t *b;
    int rank, ranks, root;
    plani_unexpected_t *other; /* set if other ranks run this broadcast by another range or size */
    int rc;                    /* the first error */
} cast_t;

static void note(cast_t *c, int rc)
{
    if (c->rc == 0) c->rc = rc;
}

/* [B] A quarter of the message, to use all slots, within [LEAST, PLANI_SLOT]: the same on all ranks. */
static size_t slice_of(size_t bytes)
{
    size_t slice = (bytes - 1) / PLANI_SLOTS + 1;
    return slice < LEAST ? LEAST : slice > PLANI_SLOT ? PLANI_SLOT : slice;
}

/* After an unsuccessful poll of a counter. A rank that waits long yields the processor, lets MPI make progress, and
 * checks whether the others run this broadcast by another range or size: then true. */
static bool wait_a_little(cast_t *c, unsigned *looks)
{
    int flag;
    if (++*looks < PATIENCE) return false;
    if (*looks % PROGRESS == 0) note(c, MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c->b->comm, &flag, MPI_STATUS_IGNORE));
    if (c->rank != c->root && plani_probe_now(*looks) && plani_probe(c->b, PLANI_SHARED_MEMORY, c->other)) return true;
    sched_yield();
    return false;
}

/* Wait until all ranks have read the slot's old contents. */
static void wait_for_slot(cast_t *c)
{
    const plani_ring_t *s = c->s;
    unsigned looks = 0;
    for (int r = 0; r < c->ranks; r++)
        while (r != c->rank && s->seq - atomic_load_explicit(&s->head->taken[r].n, memory_order_acquire) >= PLANI_SLOTS)
            wait_a_little(c, &looks);
}

static char *slot(const plani_ring_t *s)
{
    return s->slots + s->seq % PLANI_SLOTS * PLANI_SLOT;
}

static void send(cast_t *c)
{
    plani_ring_t *s = c->s;
    const size_t bytes = c->view->bytes, slice = slice_of(bytes);

    for (size_t at = 0; at < bytes; at += slice) {
        size_t len = bytes - at < slice ? bytes - at : slice;
        plani_label_t *label = &s->head->label[s->seq % PLANI_SLOTS];
        wait_for_slot(c);
        if (c->rc == 0) note(c, plani_view_get(c->view, at, len, slot(s)));
        *label = (plani_label_t){.bytes = bytes, .order = c->b->order, .plan = c->b->serial, .empty = c->rc != 0};
        /* the root counts as a reader, too, for later broadcasts from other roots */
        atomic_store_explicit(&s->head->taken[c->rank].n, s->seq + 1, memory_order_relaxed);
        atomic_store_explicit(&s->head->filled.n, ++s->seq, memory_order_release);
    }
}

static void take(cast_t *c)
{
    plani_ring_t *s = c->s;
    atomic_store_explicit(&s->head->taken[c->rank].n, ++s->seq, memory_order_release);
}

/* Whether a slice is of a later broadcast; then the current one does not use shared memory. */
static bool is_later(const cast_t *c, const plani_label_t *label)
{
    return (long)(label->order - c->b->order) > 0;
}

/* Wait for the next slice of this broadcast. \return false: none will come, for the others use messages. Slices of
 * earlier broadcasts, which this rank has missed, are skipped; those of later ones stay. */
static bool wait_for_slice(cast_t *c)
{
    plani_ring_t *s = c->s;
    for (unsigned looks = 0;;) {
        const plani_label_t *label = &s->head->label[s->seq % PLANI_SLOTS];
        if (!plani_ring_has_more(s) || is_later(c, label)) {
            if (wait_a_little(c, &looks)) return false;
        } else if (label->order == c->b->order) {
            return true;
        } else {
            take(c);
        }
    }
}

static void receive(cast_t *c)
{
    plani_ring_t *s = c->s;
    size_t bytes = c->view->bytes, slice = slice_of(bytes);

    for (size_t at = 0; at < bytes && wait_for_slice(c); at += slice) {
        const plani_label_t *label = &s->head->label[s->seq % PLANI_SLOTS];
        if (label->bytes != c->view->bytes || label->plan != c->b->serial || label->empty) note(c, PLAN_EDISAGREE);
        if (label->bytes != bytes) bytes = label->bytes, slice = slice_of(bytes); /* the root's slices */
        size_t len = bytes - at < slice ? bytes - at : slice;
        if (c->rc == 0) note(c, plani_view_put(c->view, at, len, slot(s)));
        take(c);
    }
}

int plani_run_shared(plani_binding_t *b, int root, plani_view_t *view, plani_unexpected_t *other)
{
    cast_t c = {.s = b->common->ring,
                .view = view,
                .b = b,
                .rank = b->rank,
                .ranks = b->ranks,
                .root = root,
                .other = other,
                .rc = view->none && b->rank != root ? PLAN_EDISAGREE : 0};
    if (b->rank == root)
        send(&c);
    else
        receive(&c);
    if (other->any) note(&c, PLAN_EDISAGREE);
    return c.rc;
}
