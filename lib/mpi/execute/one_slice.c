/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcasts of a single slice down a tree: no pipeline. */
#include "lib/mpi/execute/pipeline.h"
#include "lib/mpi/execute/probe.h"
#include "lib/mpi/execute/sink.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/comm/wait.h"

int plani_slice_tag(const plani_tree_bcast_t *run, size_t k)
{
    return plani_tag_of(run->base, run->part->tree_of[k % (size_t)run->part->period], k + 1 == run->slices);
}

/* \return false: other ranks run this broadcast by another range or size; the receive has been cancelled */
static bool receive(plani_tree_bcast_t *run, char *data)
{
    const plani_branch_t *branch = &run->part->branch[run->part->tree_of[0]];
    const size_t bytes = run->view->bytes;
    MPI_Request *in = &run->b->work.request[branch->nchildren]; /* those before it are for sends */
    MPI_Status status;
    int rc = MPI_Irecv(data, (int)bytes, MPI_BYTE, branch->parent, plani_slice_tag(run, 0), run->b->comm, in);

    for (unsigned look = 0; rc == MPI_SUCCESS && !plani_finished(in, PLANI_MUST_BLOCK, &status, &rc); look++) {
        plani_give_way(look);
        if (!plani_probe_now(look) || !plani_probe(run->b, run->base, run->found)) continue;
        plani_cancel(in);
        run->gave_up = run->other = true;
        return false;
    }
    if (rc == MPI_SUCCESS) rc = plani_check_length(&status, bytes);
    plani_timing_arrival(&run->b->timings, bytes);
    plani_note(run, rc);
    run->empty = rc != 0;
    if (rc == 0) run->b->copies.received += bytes;
    return true;
}

/* Start to send to all children. \return the number of active requests */
static int send(plani_tree_bcast_t *run, const char *data)
{
    const plani_branch_t *branch = &run->part->branch[run->part->tree_of[0]];
    int len = run->empty ? 0 : (int)run->view->bytes, tag = plani_slice_tag(run, 0), inflight = 0;

    run->b->copies.sent += (uint64_t)branch->nchildren * (uint64_t)len;
    for (int c = 0; c < branch->nchildren; c++) {
        int rc;
        if (run->view->bytes <= PLANI_SMALL) {
            plani_note(run, MPI_Send(data, len, MPI_BYTE, branch->child[c], tag, run->b->comm));
            continue;
        }
        MPI_Request *out = &run->b->work.request[inflight];
        rc = plani_send(data, (size_t)len, branch->child[c], tag, run->b->comm, false, out);
        if (rc == MPI_SUCCESS) inflight++;
        plani_note(run, rc);
    }
    return inflight;
}

/* Receive the message and forward it, with no more overhead than a plain binomial broadcast. */
static int one_slice(plani_tree_bcast_t *run)
{
    plani_view_t *view = run->view;
    MPI_Status status;
    int rc = 0;
    char *data = view->direct ? view->base : plani_stage(&run->b->work, view->bytes);

    if (data == NULL && !view->direct) {
        run->gave_up = true;
        return PLAN_ENOMEM;
    }
    if (!run->root && !receive(run, data)) return PLAN_EDISAGREE;
    if (run->root && !view->direct) {
        plani_note(run, rc = plani_view_get(view, 0, view->bytes, data));
        run->empty = rc != 0;
    }
    int inflight = send(run, data);
    if (!view->direct && !run->empty) run->b->copies.packed += view->bytes;
    if (!run->root && !view->direct && !run->empty) plani_note(run, plani_view_put(view, 0, view->bytes, data));
    for (int c = 0; c < inflight; c++) {
        plani_finished(&run->b->work.request[c], true, &status, &rc);
        plani_note(run, rc);
    }
    return run->rc;
}

/* Keep the times of a broadcast that went well. One of plan_start proceeds when its ranks come to it, so its times say
 * nothing of the network. */
static void keep_timing(plani_binding_t *b, const plani_tree_bcast_t *run, double entry_s)
{
    plani_timing_t *a = &b->timings.of[b->number % PLANI_TIMINGS];
    *a = (plani_timing_t){.number = b->number,
                          .bytes = run->view->bytes,
                          .range = (size_t)(run->part - b->part),
                          .entry_s = entry_s,
                          .last_s = run->root ? entry_s : b->timings.last_s};
}

int plani_run(plani_binding_t *b, const plani_part_t *part, plani_view_t *view, plani_unexpected_t *other)
{
    plani_tree_bcast_t run = {.b = b, .part = part, .view = view, .found = other};
    run.root = part->branch[0].parent < 0;
    run.slices = (view->bytes - 1) / part->slice + 1;
    double entry_s = view->bytes >= PLANI_TIMING_LEAST ? plan_clock() : 0;
    run.base = plani_tag_base(&b->tags, b->number, (size_t)(part - b->part), view->bytes);
    int rc = run.slices == 1 && !part->hosts ? one_slice(&run) : plani_pipeline(&run);
    /* slices of the same range and size that have arrived are not waited for again */
    bool begun = run.slices > 1 && run.other && !other->shared && other->base == run.base;
    if (run.gave_up) plani_give_up(b, run.other ? other : NULL, begun ? b->work.arrived : NULL);
    if (rc == 0 && view->bytes >= PLANI_TIMING_LEAST && !b->started.runs) keep_timing(b, &run, entry_s);
    plani_stage_trim(&b->work);
    return rc;
}
