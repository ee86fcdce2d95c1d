/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message through shared memory: the root copies slices into a few slots, all other ranks copy them out.
 *
 *     filled: n + 1, once slice n is written    taken[r]: n + 1, once rank r has read it
 *
 * Slices are numbered over all broadcasts of all plans of a communicator. Their roots may differ, and several
 * broadcasts may be active, for a root may return once its last slice is written. It writes `filled` after the slot
 * (release); readers read `filled` before the slot (acquire), and so see all of it. In the same way `taken` is written
 * after a slot has been read, and read before the slot is written again.
 *
 * Between ranks of one host MPI copies each message once, in the kernel and after a handshake; slots are written and
 * read, but stay in the cache. Which is faster hangs on the size, on the caches and on where the ranks run. So where
 * the kernel allows it, messages of several slices go other ways as well: one slot holds the address alone, and the
 * others let the kernel copy the message from the root's memory, or, with XPMEM, map that and copy it. Copies of long
 * messages out of the slots may go past the caches. The root takes the way by which all ranks had read soonest. It
 * waits until they have where they need its memory, and where it times a way.
 *
 * An error does not stop a broadcast: a root without data says so in each slot, and a rank that cannot write its
 * buffer, or expects another size or plan, skips all slices. Each slot has the number of its broadcast, over all plans,
 * and of its plan.
 */
#include "lib/base/base.h"
#include "lib/mpi/comm/fiber.h"
#include "lib/mpi/execute/copy.h"
#include "lib/mpi/execute/probe.h"
#include "lib/mpi/execute/ring.h"
#include "lib/mpi/execute/single_copy.h"
#include <stdlib.h>

enum {
    SHORT = PLANI_RING / PLANI_LABELS, /* [B] messages up to this size have the smallest slots, so that a root can be
                                          far ahead of the others */
    LEAST = 8 << 10,                   /* [B] least slice: the next one is written while this one is read */
    SINGLE = 32 << 10,                 /* [B] messages up to this size are never copied by the kernel */
    PROGRESS = 64 /* polls between two calls of MPI, from PLANI_POLLS on: a call takes as long as a small message */
};

typedef struct {
    plani_ring_t *s;
    plani_view_t *view;
    plani_binding_t *b;
    int rank, root;
    uint32_t range;
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
    size_t slice = (bytes - 1) / (PLANI_RING / PLANI_SLOT) + 1;
    return slice < LEAST ? LEAST : slice > PLANI_SLOT ? PLANI_SLOT : slice;
}

/* [B] The slot for slices of a message. There are only two sizes, for a change waits until all ranks have read. */
static size_t slot_of(size_t bytes)
{
    return bytes <= SHORT ? SHORT : PLANI_SLOT;
}

/* After the look-th poll of a counter in vain, for slice n or room for it. A rank that waits long gives the processor
 * away, lets MPI make progress, and checks whether the others run this broadcast by another range or size: then true.
 */
static bool wait_a_little(cast_t *c, unsigned long n, bool room, unsigned look)
{
    int flag;
    if (look < PLANI_POLLS && !plani_fibers_any()) return false;
    bool slept = plani_ring_rest(c->s, n, room, look);
    if (slept || look % PROGRESS == 0)
        note(c, MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c->b->comm, &flag, MPI_STATUS_IGNORE));
    return !room && (slept || plani_probe_now(look)) && plani_probe(c->b, PLANI_SHARED_MEMORY, c->other);
}

PLANI_HOT static void wait_for_room(cast_t *c, unsigned long n)
{
    unsigned looks = 0;
    while (!plani_ring_has_room(c->s, n)) wait_a_little(c, n, true, ++looks);
    plani_ring_rested(c->s, looks);
}

/* All that this rank has written is read once there is room for all slots behind it. */
static void wait_for_readers(cast_t *c)
{
    wait_for_room(c, c->s->seq + c->s->slots - 1);
}

/* Hand out the next slice, which is in the slot, or else the whole message from this rank's memory. */
static void hand_out(cast_t *c, size_t at, size_t len, int way)
{
    plani_ring_t *s = c->s;
    plani_label_t *label = plani_ring_label(s, s->seq);
    *label = (plani_label_t){.bytes = c->view->bytes,
                             .length = len,
                             .order = c->b->order,
                             .plan = c->b->serial,
                             .range = c->range,
                             .empty = c->rc != 0,
                             .last = at + len == c->view->bytes,
                             .way = (unsigned char)way};
    if (plani_single_copy_offered(label)) plani_single_copy_offer(s, c->view->base, label);
    plani_ring_fill(s, s->seq);
    plani_ring_take(s); /* the root counts as a reader, too, for later broadcasts from other roots */
}

PLANI_HOT static void send_by_slots(cast_t *c, int way)
{
    plani_ring_t *s = c->s;
    const size_t bytes = c->view->bytes, slice = slice_of(bytes);

    if (bytes > PLANI_TINY) plani_ring_restart(s);
    for (size_t at = 0; at < bytes; at += slice) {
        size_t len = bytes - at < slice ? bytes - at : slice;
        wait_for_room(c, s->seq);
        if (len > PLANI_TINY && !plani_ring_allocate(s)) note(c, PLAN_ENOMEM);
        if (c->rc == 0) note(c, plani_view_get(c->view, at, len, plani_ring_room(s, s->seq, len)));
        if (c->rc == 0) c->b->copies.written += len;
        hand_out(c, at, len, way);
    }
}

static void send(cast_t *c)
{
    plani_ring_t *s = c->s;
    const size_t bytes = c->view->bytes;

    if (bytes <= SINGLE || !c->view->direct || c->rc != 0 || plani_single_copy_trials(s, bytes) == 0) {
        send_by_slots(c, plani_passes_caches(bytes, s->ranks) ? PLANI_PAST_CACHES : PLANI_BY_SLOTS);
        return;
    }
    double start = MPI_Wtime();
    bool timed;
    int way = plani_single_copy_choose(s, c->view->base, bytes, &timed);
    if (plani_single_copy_by(way)) {
        wait_for_room(c, s->seq);
        hand_out(c, 0, bytes, way);
    } else {
        send_by_slots(c, way);
    }
    if (!timed) return;
    wait_for_readers(c);
    plani_single_copy_note(s, bytes, way, MPI_Wtime() - start);
}

int plani_shared_trials(const plan_t *plan, size_t bytes)
{
    const plani_ring_t *ring = ((const plani_binding_t *)plan->binding)->ring;
    return bytes > SINGLE && ring != NULL ? plani_single_copy_trials(ring, bytes) : 0;
}

/* Wait for the next slice of this broadcast. NULL: none will come, for the others use trees. Slices of earlier
 * broadcasts, which this rank has missed, are skipped; those of later ones stay: then the current one does not use
 * shared memory. */
static const plani_label_t *wait_for_slice(cast_t *c)
{
    for (unsigned looks = 0;;) {
        const plani_label_t *label = plani_ring_look(c->s, c->s->seq);
        if (label == NULL || (long)(label->order - c->b->order) > 0) {
            if (wait_a_little(c, c->s->seq, false, ++looks)) return NULL;
        } else if (label->order == c->b->order && label->base != 0) {
            *c->other = (plani_unexpected_t){.any = true, .shared = true, .base = label->base, .range = label->range};
            return NULL;
        } else if (label->order == c->b->order) {
            plani_ring_rested(c->s, looks);
            return label;
        } else {
            plani_ring_skip(c->s);
        }
    }
}

/* Read the whole message from the root's memory: into the buffer, or in pieces that are unpacked. */
static void read_from_root(cast_t *c, const plani_label_t *label)
{
    const size_t bytes = c->view->bytes;
    char *piece = NULL;

    if (c->view->direct) {
        if (plani_single_copy_read(c->s, label, 0, bytes, c->view->base))
            c->b->copies.single += bytes;
        else
            note(c, PLAN_EUNSUPPORTED);
        return;
    }
    if ((piece = malloc(PLANI_SLOT)) == NULL) note(c, PLAN_ENOMEM);
    for (size_t at = 0; at < bytes && c->rc == 0; at += PLANI_SLOT) {
        size_t len = bytes - at < PLANI_SLOT ? bytes - at : PLANI_SLOT;
        if (plani_single_copy_read(c->s, label, at, len, piece)) {
            note(c, plani_view_put(c->view, at, len, piece));
            c->b->copies.single += len;
            c->b->copies.packed += len;
        } else {
            note(c, PLAN_EUNSUPPORTED);
        }
    }
    free(piece);
}

static void receive(cast_t *c)
{
    plani_ring_t *s = c->s;
    size_t bytes = c->view->bytes, slice = slice_of(bytes);
    const plani_label_t *label;

    for (size_t at = 0; at < bytes && (label = wait_for_slice(c)) != NULL; at += slice) {
        if (label->bytes != c->view->bytes || label->plan != c->b->serial || label->empty) note(c, PLAN_EDISAGREE);
        if (label->bytes != bytes) { /* the root's slices and slots */
            bytes = label->bytes, slice = slice_of(bytes);
            plani_ring_shape(s, slot_of(bytes));
        }
        size_t len = bytes - at < slice ? bytes - at : slice;
        if (plani_single_copy_offered(label)) {
            if (c->rc == 0) read_from_root(c, label);
            slice = bytes;
        } else if (c->rc == 0) {
            c->view->past_caches = label->way == PLANI_PAST_CACHES;
            note(c, plani_view_put(c->view, at, len, plani_ring_data(s, s->seq, label->slot, len)));
            c->b->copies.read += len;
        }
        plani_ring_take(s);
    }
}

PLANI_HOT int plani_run_shared(plani_binding_t *b, size_t range, plani_view_t *view, plani_unexpected_t *other)
{
    cast_t c = {.s = b->ring,
                .view = view,
                .b = b,
                .rank = b->rank,
                .root = b->root,
                .range = (uint32_t)range,
                .other = other,
                .rc = view->none && b->rank != b->root ? PLAN_EDISAGREE : 0};
    plani_ring_shape(c.s, slot_of(view->bytes));
    if (b->rank == b->root)
        send(&c);
    else
        receive(&c);
    if (other->any) note(&c, PLAN_EDISAGREE);
    return c.rc;
}
