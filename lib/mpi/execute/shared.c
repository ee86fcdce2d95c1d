/*
 * A message through memory that all ranks share: the root copies slices into a few slots, all others copy them out.
 *
 *     slot of slice n: n % SLOTS      filled: n + 1, once slice n is in      taken[r]: n + 1, once rank r has it out
 *
 * Slices are counted through all broadcasts of all plans of a communicator, whose roots may differ, and several of
 * which may be under way: a root is done once its last slice is in. It writes `filled` after the slot (release), and
 * who reads `filled` before the slot (acquire) sees all of it; `taken` is its mirror image, before a slot is filled
 * again. Counters are only compared for how far they lie apart, at most SLOTS.
 *
 * Between ranks of one host MPI copies each message once, too, but by the kernel, and only after the two ranks have
 * told each other; and slots stay in the cache.
 *
 * An error does not stop a broadcast: a root that cannot read its data says so in each slot, and a rank that cannot
 * write, or expects another size or plan, lets all slices pass. Each slot says which broadcast it belongs to, counted
 * through all plans, and by which plan.
 */
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/execute/lookout.h"
#include "lib/mpi/execute/ring.h"
#include <sched.h>

enum {
    LEAST = 32 << 10, /* [B] a slice of more than one: less is not worth waking others for */
    PATIENCE = 500,   /* looks at a counter, a microsecond, before others get the processor each time; */
    PROGRESS = 64     /* then, of so many, once MPI: that takes as long as a small message */
};

typedef struct {
    plani_ring_t *s;
    plani_view_t *view;
    const plani_binding_t *b;
    int rank, ranks, root;
    plani_found_t *other; /* what has come of another broadcast than the one expected */
    int rc;               /* the first error */
} cast_t;

static void note(cast_t *c, int rc)
{
    if (c->rc == 0) c->rc = rc;
}

/* Four slices that keep all slots busy, within limits: the same on all ranks. */
static size_t slice_of(size_t bytes)
{
    size_t slice = (bytes - 1) / PLANI_SLOTS + 1;
    return slice < LEAST ? LEAST : slice > PLANI_SLOT ? PLANI_SLOT : slice;
}

/* After one look at a counter. Who waits long lets others have the processor, MPI go on with what it has to do, and
 * looks whether the others run another broadcast: then true. */
static bool wait_a_little(cast_t *c, unsigned *looks)
{
    int flag;
    if (++*looks < PATIENCE) return false;
    if (*looks % PROGRESS == 0) note(c, MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c->b->comm, &flag, MPI_STATUS_IGNORE));
    if (c->rank != c->root && plani_look_now(*looks) && plani_look(c->b, PLANI_SHARED_MEMORY, c->other)) return true;
    sched_yield();
    return false;
}

/* Until everybody has taken what the slot held before. */
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
        /* what it has put in it has taken out, for other roots to come */
        atomic_store_explicit(&s->head->taken[c->rank].n, s->seq + 1, memory_order_relaxed);
        atomic_store_explicit(&s->head->filled.n, ++s->seq, memory_order_release);
    }
}

static void take(cast_t *c)
{
    plani_ring_t *s = c->s;
    atomic_store_explicit(&s->head->taken[c->rank].n, ++s->seq, memory_order_release);
}

/* Whether a slice is of a later broadcast: this one has gone another way, then. */
static bool is_later(const cast_t *c, const plani_label_t *label)
{
    return (long)(label->order - c->b->order) > 0;
}

/* Until the next slice of this broadcast is there; false: none will come, for it has come by messages. Slices of an
 * earlier broadcast, which this rank has missed, are dropped; those of later ones stay for them. */
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
        if (label->bytes != bytes) bytes = label->bytes, slice = slice_of(bytes); /* as many slices as the root's */
        size_t len = bytes - at < slice ? bytes - at : slice;
        if (c->rc == 0) note(c, plani_view_put(c->view, at, len, slot(s)));
        take(c);
    }
}

int plani_run_shared(plani_binding_t *b, int root, plani_view_t *view, plani_found_t *other)
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
