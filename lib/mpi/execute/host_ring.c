/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside a host, the slices of a broadcast go through a ring of shared memory.
 *
 * In every tree one rank of the host, the root or the one whose parent is on another host, writes the tree's slices to
 * the ring; it receives them as in any pipeline, into its own buffer, so that the network never waits for a slow
 * reader. All other ranks copy them out, and those with children on other hosts forward them from there. Slice k of the
 * message is slice first + k of the ring, whatever its tree: so trees may enter a host at different ranks, and all
 * agree on the numbers. Readers take the slices in the order of the message. A tree that is behind holds up the others
 * when these are a ring ahead; it cannot stop them, for a rank forwards the first slices of the message first.
 */
#include "lib/mpi/execute/host_ring.h"
#include "lib/mpi/comm/wait.h"
#include "lib/mpi/execute/copy.h"
#include <string.h>

void plani_host_ring_begin(plani_tree_bcast_t *run)
{
    const plani_binding_t *b = run->b;

    run->ring = run->part->hosts && b->ring->size > 0 ? b->ring : NULL;
    if (run->ring == NULL) return;
    plani_ring_shape(run->ring, run->part->slice);
    run->first = run->ring->seq;
    run->passed = 0;
    run->view->past_caches = plani_passes_caches(run->view->bytes, run->ring->ranks);
    for (int t = 0; t < run->part->ntrees; t++) run->lane[t].writes = !run->part->branch[t].inside;
}

static plani_label_t label_of(const plani_tree_bcast_t *run, size_t k)
{
    return (plani_label_t){.bytes = run->view->bytes,
                           .length = run->empty ? 0 : plani_slice_length(run, k),
                           .order = run->b->order,
                           .plan = run->b->serial,
                           .range = (uint32_t)(run->part - run->b->part),
                           .base = run->base,
                           .empty = run->empty,
                           .last = k + 1 == run->slices};
}

static bool write_lane(plani_tree_bcast_t *run, int t)
{
    plani_lane_t *lane = &run->lane[t];
    bool moved = false;

    for (; lane->written < lane->n; lane->written++, moved = true) {
        size_t k = plani_branch_slice(run->part, t, lane->written);
        unsigned long n = run->first + k;
        if (!plani_ring_has_room(run->ring, n)) return moved;
        if (lane->written == lane->arrived && !(run->root && plani_pack_slice(run, t))) return moved;
        plani_label_t *label = plani_ring_label(run->ring, n);
        *label = label_of(run, k);
        size_t len = label->length;
        if (len > 0) plani_copy(plani_ring_room(run->ring, n, len), plani_slice_address(run, t, lane->written), len);
        run->b->copies.written += len;
        plani_ring_fill(run->ring, n);
    }
    return moved;
}

/* The label of the next slice, or NULL if there is none of this broadcast. Those of earlier broadcasts, which this rank
 * has missed, are skipped. */
static const plani_label_t *next_label(plani_ring_t *ring, unsigned long order)
{
    for (;; plani_ring_skip(ring)) {
        const plani_label_t *label = plani_ring_look(ring, ring->seq);
        if (label == NULL || (long)(label->order - order) > 0) return NULL;
        if (label->order == order) return label;
    }
}

static bool is_ours(const plani_tree_bcast_t *run, const plani_label_t *label)
{
    return label->plan == run->b->serial && label->base == run->base &&
           (label->bytes == SIZE_MAX || label->bytes == run->view->bytes);
}

/* Copy a slice of tree t out of the ring, unless there is no room for it. */
static bool read_slice(plani_tree_bcast_t *run, int t, const plani_label_t *label)
{
    plani_lane_t *lane = &run->lane[t];
    const size_t len = plani_slice_length(run, run->passed);
    char *data = plani_ring_data(run->ring, run->ring->seq, label->slot, len);

    if (lane->ring != NULL && lane->arrived == plani_released(run, t) + lane->slots) return false;
    if (label->empty || label->length != len) {
        plani_note(run, PLAN_EDISAGREE);
        run->empty = true;
    }
    if (!run->empty && (lane->ring != NULL || run->view->direct))
        plani_copy_out(plani_slice_address(run, t, lane->arrived), data, len, run->view->past_caches);
    else if (!run->empty)
        plani_note(run, plani_view_put(run->view, run->passed * run->part->slice, len, data));
    if (!run->empty) run->b->copies.read += len;
    if (lane->ring == NULL) lane->unpacked++;
    if (++lane->arrived == lane->n) plani_timing_arrival(&run->b->timings, run->view->bytes);
    return true;
}

static bool read_ring(plani_tree_bcast_t *run)
{
    bool moved = false;

    for (; run->passed < run->slices; run->passed++, moved = true) {
        int t = run->part->tree_of[run->passed % (size_t)run->part->period];
        plani_lane_t *lane = &run->lane[t];
        if (lane->writes) {
            if (lane->written == lane->passed) return moved;
        } else {
            const plani_label_t *label = next_label(run->ring, run->b->order);
            if (run->passed == 0) run->first = run->ring->seq;
            if (label == NULL) return moved;
            if (!is_ours(run, label)) {
                *run->found =
                    (plani_unexpected_t){.any = true, .shared = true, .base = label->base, .range = label->range};
                run->gave_up = run->other = true;
                return true;
            }
            if (!read_slice(run, t, label)) return moved;
        }
        lane->passed++;
        plani_ring_take(run->ring);
    }
    return moved;
}

bool plani_host_ring_move(plani_tree_bcast_t *run)
{
    bool moved = false;

    if (run->ring == NULL) return false;
    for (int t = 0; t < run->part->ntrees; t++)
        if (run->lane[t].writes && write_lane(run, t)) moved = true;
    return (!run->other && read_ring(run)) || moved;
}

bool plani_host_ring_written(const plani_tree_bcast_t *run)
{
    for (int t = 0; t < run->part->ntrees; t++)
        if (run->lane[t].writes && run->lane[t].written < run->lane[t].arrived) return false;
    return true;
}

/* LOOKS of a pipeline, each at all lanes, count like PLANI_POLLS of a counter, for they take as long. */
static unsigned polls(unsigned looks)
{
    enum { LOOKS = 10 };
    return looks < LOOKS ? looks : looks - LOOKS + PLANI_POLLS;
}

bool plani_host_ring_rest(plani_tree_bcast_t *run, unsigned look, bool messages)
{
    bool reads = run->ring != NULL && run->passed < run->slices && !messages &&
                 !run->lane[run->part->tree_of[run->passed % (size_t)run->part->period]].writes;
    bool sleeps = plani_rest_due(&run->rest);

    if (!sleeps && !reads) {
        plani_give_way(look);
    } else if (!sleeps) {
        sleeps = plani_ring_rest(run->ring, run->ring->seq, false, polls(look));
    } else if (plani_yield()) { /* in a fiber */
        return false;
    } else if (reads) {
        plani_ring_sleep(run->ring, run->ring->seq, PLANI_LONGEST_NAP_S);
    } else {
        plani_nap(&run->rest);
    }
    return sleeps && reads && plani_ring_look(run->ring, run->ring->seq) == NULL;
}

void plani_host_ring_rested(plani_tree_bcast_t *run, unsigned looks, bool messages)
{
    plani_rested(&run->rest);
    if (run->ring != NULL && !messages) plani_ring_rested(run->ring, polls(looks));
}

void plani_host_ring_write(plani_binding_t *b, unsigned long n, const char *data, plani_label_t label)
{
    for (unsigned look = 0; !plani_ring_has_room(b->ring, n); look++) plani_give_way(look);
    label.order = b->order;
    label.plan = b->serial;
    if (data != NULL) plani_copy(plani_ring_room(b->ring, n, label.length), data, label.length);
    if (data != NULL) b->copies.written += label.length;
    *plani_ring_label(b->ring, n) = label;
    plani_ring_fill(b->ring, n);
}

const plani_label_t *plani_host_ring_wait(plani_binding_t *b)
{
    const plani_label_t *label;
    for (unsigned look = 0; (label = next_label(b->ring, b->order)) == NULL; look++)
        plani_ring_rest(b->ring, b->ring->seq, false, look);
    return label;
}

void plani_host_ring_skip(plani_binding_t *b, const plani_part_t *part, size_t bytes)
{
    const size_t range = (size_t)(part - b->part), slices = (bytes - 1) / part->slice + 1;
    plani_label_t none = {.bytes = SIZE_MAX,
                          .range = (uint32_t)range,
                          .base = plani_tag_base(&b->tags, b->number, range, bytes),
                          .empty = true};

    if (b->ring->size == 0) return;
    plani_ring_shape(b->ring, part->slice);
    for (size_t k = 0; k < slices; k++) {
        none.last = k + 1 == slices;
        if (part->branch[part->tree_of[k % (size_t)part->period]].inside)
            plani_host_ring_wait(b);
        else
            plani_host_ring_write(b, b->ring->seq, NULL, none);
        plani_ring_take(b->ring);
    }
}
