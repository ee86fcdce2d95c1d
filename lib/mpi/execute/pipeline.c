/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message in slices down several trees at once.
 *
 * Each rank posts receives ahead in every tree, and forwards a slice to all children when it has arrived, with at most
 * `window` slices in flight to each child. Of all slices that can be sent, the first in the message is sent first. The
 * root has all data from the start, so it limits itself: it sends no slice that is more than a window of each tree
 * ahead of its oldest unsent slice.
 *
 * MPI completes a small send as soon as it has a copy. Then not windows but socket buffers would bound the slices in
 * flight: a card's queue would fill with slices of one flow, and other flows and acknowledgements would wait behind
 * them. So windows are enforced, to within a half: one slice per half window is sent synchronously. For a single tree
 * with a small window that is not done: ranks that forward late would cost more than queues do.
 *
 * An error does not stop the pipeline, for other ranks would wait for ever. The rank notes it and goes on, with empty
 * slices if it lacks the data, which report the error to the ranks below. A rank that is out of memory, or finds that
 * the others run the broadcast by another range or size, gives up, and forwards what comes (sink.c).
 */
#include "lib/mpi/execute/pipeline.h"
#include "lib/mpi/execute/host_ring.h"
#include "lib/mpi/execute/probe.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/comm/wait.h"
#include <stdint.h>

enum {
    STAGING = 64 << 20, /* [B] staging of non-contiguous data, all trees together, unless two slices take more */
    NARROW = 64 << 10   /* [B] windows of a single tree below this are not enforced; measured over cards of 6 to
                         * 50 MB/s, with ranks that forward milliseconds late */
};

static void set_up(plani_tree_bcast_t *run)
{
    const plani_part_t *part = run->part;
    plani_work_t *work = &run->b->work;
    size_t w = (size_t)part->window;
    size_t *counter = work->counter;
    MPI_Request *next = work->request;

    run->lane = work->lane;
    for (int t = 0; t < part->ntrees; t++, next += w) {
        run->lane[t] = (plani_lane_t){.n = plani_branch_slices(part, t, run->slices), .in = next};
        if (run->root && run->view->direct) run->lane[t].arrived = run->lane[t].n;
    }
    for (int t = 0; t < part->ntrees; t++) {
        size_t children = (size_t)part->branch[t].nchildren;
        run->lane[t].out = next;
        run->lane[t].sent = counter;
        run->lane[t].done = counter + children;
        for (size_t c = 0; c < 2 * children; c++) counter[c] = 0;
        next += children * w;
        counter += 2 * children;
    }
}

/* Whether data that is not contiguous needs staging. What comes through the host's ring and goes no further does not.
 */
static bool needs_staging(const plani_tree_bcast_t *run, int t)
{
    return !run->part->branch[t].inside || run->part->branch[t].nchildren > 0;
}

/* Rings for non-contiguous data: slots for incoming and outgoing slices. \return false if out of memory */
static bool set_up_rings(plani_tree_bcast_t *run)
{
    const plani_part_t *part = run->part;
    size_t slots = STAGING / part->slice / (size_t)part->ntrees, total = 0;
    char *stage;

    if (slots > 2 * (size_t)part->window) slots = 2 * (size_t)part->window;
    if (slots < 2) slots = 2;
    for (int t = 0; t < part->ntrees; t++) {
        if (!needs_staging(run, t)) continue;
        run->lane[t].slots = slots < run->lane[t].n ? slots : run->lane[t].n;
        total += run->lane[t].slots;
    }
    if (total == 0) return true;
    if (total > SIZE_MAX / part->slice || (stage = plani_stage(&run->b->work, total * part->slice)) == NULL) {
        plani_note(run, PLAN_ENOMEM);
        return false;
    }
    for (int t = 0; t < part->ntrees; t++) {
        if (!needs_staging(run, t)) continue;
        run->lane[t].ring = stage;
        stage += run->lane[t].slots * part->slice;
    }
    return true;
}

static void post_receives(plani_tree_bcast_t *run, int t)
{
    plani_lane_t *lane = &run->lane[t];
    const plani_part_t *part = run->part;
    size_t w = (size_t)part->window, end = lane->arrived + plani_branch_window(part, t, run->b->rank);

    if (run->root || part->branch[t].inside) return;
    if (lane->ring != NULL && end > plani_released(run, t) + lane->slots) end = plani_released(run, t) + lane->slots;
    if (end > lane->n) end = lane->n;
    for (; lane->posted < end; lane->posted++) {
        size_t j = lane->posted;
        size_t k = plani_branch_slice(part, t, j);
        int rc = MPI_Irecv(plani_slice_address(run, t, j), (int)plani_slice_length(run, k), MPI_BYTE,
                           part->branch[t].parent, plani_slice_tag(run, k), run->b->comm, &lane->in[j % w]);
        if (rc == MPI_SUCCESS) continue;
        plani_note(run, rc);
        run->empty = run->b->broken = true; /* the slice will never be received */
        lane->in[j % w] = MPI_REQUEST_NULL;
    }
}

/* The first slice of tree t that can be sent to some child now, or SIZE_MAX; *oldest: the first not sent to all. */
static size_t next_slice(const plani_tree_bcast_t *run, int t, size_t *oldest)
{
    const plani_lane_t *lane = &run->lane[t];
    const plani_branch_t *branch = &run->part->branch[t];
    size_t next = SIZE_MAX, limit = plani_ready(run, t);

    *oldest = lane->n;
    for (int c = 0; c < branch->nchildren; c++) {
        size_t j = lane->sent[c], w = plani_branch_window(run->part, t, branch->child[c]);
        if (j < *oldest) *oldest = j;
        if (j < next && j < limit && j < lane->done[c] + w) next = j;
    }
    return next;
}

/* Whether to send slice j synchronously: at every half window, unless the end is near. */
static bool is_awaited(const plani_tree_bcast_t *run, int t, size_t j, size_t window)
{
    const plani_part_t *part = run->part;
    bool holds = part->ntrees > 1 || window >= NARROW / part->slice;
    return holds && j % ((window + 1) / 2) == 0 && j + window < run->lane[t].n;
}

static void send_slice(plani_tree_bcast_t *run, int t, size_t j)
{
    plani_lane_t *lane = &run->lane[t];
    const plani_branch_t *branch = &run->part->branch[t];
    size_t w = (size_t)run->part->window, k = plani_branch_slice(run->part, t, j), len = plani_slice_length(run, k);

    if (j == lane->arrived && run->root) plani_pack_slice(run, t);
    for (int c = 0; c < branch->nchildren; c++) {
        size_t window = plani_branch_window(run->part, t, branch->child[c]);
        if (lane->sent[c] != j || j >= lane->done[c] + window) continue;
        const char *data = run->empty ? NULL : plani_slice_address(run, t, j);
        plani_note(run, plani_send(data, run->empty ? 0 : len, branch->child[c], plani_slice_tag(run, k), run->b->comm,
                                   is_awaited(run, t, j, window), &lane->out[(size_t)c * w + j % w]));
        lane->sent[c]++;
        if (!run->empty) run->b->copies.sent += len;
    }
}

/* Send what can be sent, in the order of the message. */
static void post_sends(plani_tree_bcast_t *run)
{
    const plani_part_t *part = run->part;
    size_t lead = (size_t)part->window * (size_t)part->ntrees;

    for (;;) {
        size_t first = SIZE_MAX, low = SIZE_MAX, slice = 0;
        int tree = -1;
        for (int t = 0; t < part->ntrees; t++) {
            size_t oldest, j = next_slice(run, t, &oldest), k;
            if (oldest < run->lane[t].n && (k = plani_branch_slice(part, t, oldest)) < low) low = k;
            if (j == SIZE_MAX || (k = plani_branch_slice(part, t, j)) >= first) continue;
            first = k, slice = j, tree = t;
        }
        if (tree < 0 || (run->root && first - low > lead)) return;
        send_slice(run, tree, slice);
    }
}

static void unpack(plani_tree_bcast_t *run, int t)
{
    plani_lane_t *lane = &run->lane[t];
    for (; lane->unpacked < lane->arrived; lane->unpacked++) {
        size_t j = lane->unpacked, k = plani_branch_slice(run->part, t, j);
        const size_t len = plani_slice_length(run, k);
        if (lane->ring == NULL || run->empty) continue;
        plani_note(run, plani_view_put(run->view, k * run->part->slice, len, plani_slice_address(run, t, j)));
        run->b->copies.packed += len;
    }
}

/* Tests of the oldest request of each lane and child; slices arrive and leave in order. */
typedef struct {
    bool moved;     /* some request has completed */
    size_t waiting; /* oldest requests that have not, or were not tested */
    bool all;       /* the broadcast is complete on this rank */
} sweep_t;

/* Count a received slice whose request has completed. */
static void note_arrival(plani_tree_bcast_t *run, int t, const MPI_Status *status, int rc)
{
    size_t len = plani_slice_length(run, plani_branch_slice(run->part, t, run->lane[t].arrived));
    if (rc == MPI_SUCCESS) rc = plani_check_length(status, len);
    plani_note(run, rc);
    if (rc == MPI_SUCCESS)
        run->b->copies.received += len;
    else
        run->empty = true;
}

/* Whether a slice has arrived. */
static bool take_in(plani_tree_bcast_t *run, int t, bool block, sweep_t *sweep)
{
    plani_lane_t *lane = &run->lane[t];
    MPI_Request *in = &lane->in[lane->arrived % (size_t)run->part->window];
    MPI_Status status;
    int rc;

    if (lane->arrived == lane->posted) return false;
    if (*in != MPI_REQUEST_NULL) { /* else it could not be posted, or wait_any has noted it */
        if (!plani_finished(in, block, &status, &rc)) {
            sweep->waiting++;
            return false;
        }
        note_arrival(run, t, &status, rc);
    }
    if (++lane->arrived == lane->n) plani_timing_arrival(&run->b->timings, run->view->bytes);
    return true;
}

static void take_out(plani_tree_bcast_t *run, int t, int c, bool block, sweep_t *sweep)
{
    plani_lane_t *lane = &run->lane[t];
    size_t w = (size_t)run->part->window;
    MPI_Request *out = lane->out + (size_t)c * w;
    MPI_Status status;
    int rc;

    for (; lane->done[c] < lane->sent[c]; lane->done[c]++, sweep->moved = true, block = false) {
        if (!plani_finished(&out[lane->done[c] % w], block, &status, &rc)) {
            sweep->waiting++;
            return;
        }
        plani_note(run, rc);
    }
}

/* Test sends of tree t, or only those to children to which no more may be sent before. \return whether all have left */
static bool take_all_out(plani_tree_bcast_t *run, int t, bool full, bool block, sweep_t *sweep)
{
    const plani_lane_t *lane = &run->lane[t];
    const plani_branch_t *branch = &run->part->branch[t];
    bool all = true;
    for (int c = 0; c < branch->nchildren; c++) {
        if (!full || lane->sent[c] - lane->done[c] >= plani_branch_window(run->part, t, branch->child[c]))
            take_out(run, t, c, block, sweep);
        all = all && lane->done[c] == lane->n;
    }
    return all;
}

/* A test in vain may cost the processor: MPI calls for progress then, and may yield. So a slice that has arrived is
 * forwarded before anything else is tested, and the next sweep begins with the next tree. */
static sweep_t sweep(plani_tree_bcast_t *run, bool block)
{
    sweep_t s = {.all = true};
    int trees = run->part->ntrees, first = run->turn;
    for (int i = 0; i < trees; i++) {
        int t = (first + i) % trees;
        if (!run->root && !run->part->branch[t].inside && take_in(run, t, block, &s)) {
            take_all_out(run, t, true, false, &s);
            run->turn = (t + 1) % trees;
            return (sweep_t){.moved = true, .waiting = s.waiting + 1};
        }
        bool out = take_all_out(run, t, false, block, &s);
        s.all = s.all && out && run->lane[t].arrived == run->lane[t].n;
    }
    s.all = s.all && plani_host_ring_done(run);
    return s;
}

/* The oldest active request to child c of tree t, or, c = -1, from the parent; NULL: none. */
static MPI_Request *oldest(const plani_tree_bcast_t *run, int t, int c)
{
    const plani_lane_t *lane = &run->lane[t];
    size_t w = (size_t)run->part->window;
    if (c < 0) return run->root || lane->arrived == lane->posted ? NULL : &lane->in[lane->arrived % w];
    return lane->done[c] == lane->sent[c] ? NULL : &lane->out[(size_t)c * w + lane->done[c] % w];
}

/* Block until the oldest request of some lane or child has completed; the next sweep counts it. */
static void wait_any(plani_tree_bcast_t *run)
{
    MPI_Request *all = run->b->work.oldest, *at;
    int n = 0, index = 0;
    MPI_Status status;

    for (int t = 0; t < run->part->ntrees; t++)
        for (int c = -1; c < run->part->branch[t].nchildren; c++)
            if ((at = oldest(run, t, c)) != NULL) all[n++] = *at;
    int rc = MPI_Waitany(n, all, &index, &status);
    for (int t = 0; t < run->part->ntrees; t++)
        for (int c = -1; c < run->part->branch[t].nchildren; c++) {
            if ((at = oldest(run, t, c)) == NULL || index-- != 0) continue;
            *at = MPI_REQUEST_NULL;
            if (c < 0) note_arrival(run, t, &status, rc);
        }
    plani_note(run, rc);
}

/* Whether all receives have been posted: then any further message of this broadcast is unexpected. */
static bool all_posted(const plani_tree_bcast_t *run)
{
    for (int t = 0; t < run->part->ntrees; t++)
        if (!run->part->branch[t].inside && run->lane[t].posted < run->lane[t].n) return false;
    return plani_host_ring_done(run);
}

/* Wait until a request has completed or a slice in the host's ring has moved, unless one just has. \return whether the
 * broadcast is complete. Where ranks must block, MPI waits. */
static bool wait_some(plani_tree_bcast_t *run, bool moved)
{
    for (unsigned look = 0;; look++) {
        sweep_t s = sweep(run, false);
        s.moved = s.moved || moved;
        if (PLANI_MUST_BLOCK && !s.moved && s.waiting == 1) s = sweep(run, true);
        if (PLANI_MUST_BLOCK && !s.moved && s.waiting > 1) {
            wait_any(run);
            continue;
        }
        if (!s.moved && plani_host_ring_move(run)) s.moved = true;
        if (run->other) return true;
        if (s.moved || s.all || (s.waiting == 0 && plani_host_ring_done(run))) {
            plani_host_ring_rested(run, look, s.waiting > 0);
            return s.all;
        }
        bool slept = plani_host_ring_rest(run, look, s.waiting > 0);
        if (run->root || !(slept || plani_probe_now(look))) continue;
        if (plani_probe(run->b, all_posted(run) ? PLANI_NOTHING : run->base, run->found)) {
            run->gave_up = run->other = true;
            return true;
        }
    }
}

/* Cancel the receives that are still open, and forward the slices that have arrived; the rest is up to sink.c. */
static void take_back(plani_tree_bcast_t *run)
{
    size_t w = (size_t)run->part->window;
    for (int t = 0; t < run->part->ntrees; t++) {
        plani_lane_t *lane = &run->lane[t];
        while (lane->posted > lane->arrived) {
            lane->posted--;
            if (!plani_cancel(&lane->in[lane->posted % w])) run->b->broken = true;
        }
        run->b->work.arrived[t] = lane->n = lane->arrived;
    }
    run->b->work.passed = run->passed;
    for (unsigned look = 0;; look++) {
        post_sends(run);
        plani_host_ring_move(run);
        sweep_t s = sweep(run, false);
        if ((s.all || s.waiting == 0) && plani_host_ring_written(run)) break;
        plani_give_way(look);
    }
    plani_note(run, PLAN_EDISAGREE);
}

static int give_up(plani_tree_bcast_t *run)
{
    for (int t = 0; t < run->part->ntrees; t++) run->b->work.arrived[t] = 0;
    run->gave_up = true;
    return PLAN_ENOMEM;
}

int plani_pipeline(plani_tree_bcast_t *run)
{
    bool all = false;

    set_up(run);
    plani_rest_begin(&run->rest);
    plani_host_ring_begin(run);
    if (!run->view->direct && !set_up_rings(run)) return give_up(run);
    while (!all) {
        for (int t = 0; t < run->part->ntrees; t++) post_receives(run, t);
        post_sends(run);
        bool moved = plani_host_ring_move(run);
        for (int t = 0; t < run->part->ntrees && !run->root; t++) unpack(run, t);
        all = wait_some(run, moved);
    }
    if (run->other) take_back(run);
    for (int t = 0; t < run->part->ntrees && !run->root; t++) unpack(run, t);
    return run->rc;
}
