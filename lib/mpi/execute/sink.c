/* SPDX-License-Identifier: BSD-3-Clause */
/* Forwarding a broadcast that is not the expected one. */
#include "lib/mpi/execute/sink.h"
#include "lib/mpi/execute/host_ring.h"
#include "lib/mpi/execute/probe.h"
#include "lib/mpi/execute/record.h"
#include "lib/mpi/comm/wait.h"
#include <stdlib.h>

static plani_unexpected_t wait_for_anything(const plani_binding_t *b)
{
    plani_unexpected_t found;
    for (unsigned look = 0; !plani_probe(b, PLANI_NOTHING, &found); look++) plani_give_way(look);
    return found;
}

/* Wait for the next slice of a tree. Its tag says whether it is the last; when the last has arrived, all before it
 * have. */
static int wait_for_slice(const plani_binding_t *b, int from, int base, int tree, MPI_Status *status)
{
    int last = 0, flag = 0, rc = MPI_SUCCESS;
    for (unsigned look = 0; rc == MPI_SUCCESS && !flag; look++) {
        plani_give_way(look);
        rc = MPI_Iprobe(from, plani_tag_of(base, tree, true), b->comm, &last, status);
        if (rc == MPI_SUCCESS) rc = MPI_Iprobe(from, plani_tag_of(base, tree, false), b->comm, &flag, status);
        if (rc == MPI_SUCCESS && !flag && last)
            rc = MPI_Iprobe(from, plani_tag_of(base, tree, true), b->comm, &flag, status);
    }
    return rc;
}

/* One slice of a broadcast that is passed on. */
typedef struct {
    char *data;
    int length;
    bool last;
} passing_t;

/* Receive the next slice of tree t, and write it to the host's ring, if there is one. Without a stage it is truncated:
 * that error is expected. */
static int receive(plani_binding_t *b, const plani_part_t *part, int base, int t, passing_t *p)
{
    MPI_Status status;
    int from = part->branch[t].parent, rc = wait_for_slice(b, from, base, t, &status);

    if (rc != MPI_SUCCESS) return rc;
    p->last = status.MPI_TAG & 1;
    MPI_Get_count(&status, MPI_BYTE, &p->length);
    p->data = plani_stage(&b->work, (size_t)p->length); /* NULL: out of memory, the slice is passed on empty */
    rc = MPI_Recv(p->data, p->data ? p->length : 0, MPI_BYTE, from, status.MPI_TAG, b->comm, &status);
    if (rc != MPI_SUCCESS) p->length = 0;
    b->copies.received += (uint64_t)p->length;
    if (part->hosts && b->ring->size > 0)
        plani_host_ring_write(b, b->ring->seq, p->data,
                              (plani_label_t){.bytes = SIZE_MAX,
                                              .length = (size_t)p->length,
                                              .range = (uint32_t)(part - b->part),
                                              .base = base,
                                              .empty = p->length == 0,
                                              .last = p->last});
    return MPI_SUCCESS;
}

static int send(plani_binding_t *b, const passing_t *p, int to, int tag)
{
    MPI_Status status;
    int rc = plani_send(p->data, (size_t)p->length, to, tag, b->comm, false, b->work.request);
    if (rc == MPI_SUCCESS) plani_finished(b->work.request, true, &status, &rc);
    if (rc == MPI_SUCCESS) b->copies.sent += (uint64_t)p->length;
    return rc;
}

static passing_t read_ring(plani_binding_t *b)
{
    const plani_label_t *label = plani_host_ring_wait(b);
    return (passing_t){.data = plani_ring_data(b->ring, b->ring->seq, label->slot, label->length),
                       .length = (int)label->length,
                       .last = label->last};
}

static void begin_ring(plani_binding_t *b, const plani_part_t *part)
{
    if (part->hosts && b->ring->size > 0) plani_ring_shape(b->ring, part->slice);
}

static void end_slice(plani_binding_t *b, const plani_part_t *part)
{
    if (part->hosts && b->ring->size > 0) plani_ring_take(b->ring);
}

/* Receive slices in the order of the message, and forward each before the next: slow, but free of deadlocks. */
static int pass_on(plani_binding_t *b, const plani_part_t *part, int base, const size_t *arrived)
{
    size_t *seen = calloc((size_t)part->ntrees, sizeof *seen); /* needed only if some slices have arrived */
    size_t passed = arrived != NULL ? b->work.passed : 0;
    passing_t p = {.last = false};
    int rc = seen == NULL && arrived != NULL ? PLAN_ENOMEM : 0;

    begin_ring(b, part);
    for (size_t k = 0; !p.last && rc == 0; k++) {
        int t = part->tree_of[k % (size_t)part->period];
        const plani_branch_t *branch = &part->branch[t];
        bool here = arrived != NULL && seen[t]++ < arrived[t];
        if (!here && branch->inside)
            p = read_ring(b);
        else if (!here && (rc = receive(b, part, base, t, &p)) != MPI_SUCCESS)
            break;
        for (int c = 0; !here && c < branch->nchildren && rc == 0; c++)
            rc = send(b, &p, branch->child[c], plani_tag_of(base, t, p.last));
        if (k >= passed) end_slice(b, part);
    }
    plani_stage_trim(&b->work);
    free(seen);
    return rc;
}

/* Rounds or MPI_Bcast into a temporary buffer; out of memory: without data. */
int plani_follow_record(plani_binding_t *b, const plani_record_t *record)
{
    int rc = 0;

    if (record->failed || record->bytes == 0) return 0;
    if (record->range >= b->nparts) return PLAN_EDISAGREE;
    const plani_part_t *part = &b->part[record->range];
    char *scratch = malloc(record->bytes);
    plani_view_t view = {.base = scratch,
                         .bytes = record->bytes,
                         .type = MPI_BYTE,
                         .own = MPI_DATATYPE_NULL,
                         .comm = b->comm,
                         .direct = scratch != NULL,
                         .none = scratch == NULL};
    if (part->run == PLAN_RUN_ROUNDS)
        plani_run_rounds(b, part, &view);
    else
        rc = plani_run_native(b, &view, record->closed);
    free(scratch);
    return rc > 0 ? rc : 0; /* it has run to its end, whatever the root's error */
}

int plani_sink(plani_binding_t *b, const plani_unexpected_t *found, const size_t *arrived)
{
    plani_unexpected_t first = found != NULL ? *found : wait_for_anything(b);
    plani_record_t record = {0};
    plani_view_t nothing = {.bytes = 1, .none = true, .own = MPI_DATATYPE_NULL};
    int rc = 0;

    if (first.shared && b->part[first.range].run == PLAN_RUN_SHARED) {
        plani_run_shared(b, first.range, &nothing, &first);
    } else if (first.range == b->nparts) {
        if ((rc = plani_record_cast(b, b->root, &record, &first)) == 0) rc = plani_follow_record(b, &record);
    } else if (first.range < b->nparts && b->part[first.range].run == PLAN_RUN_TREES) {
        rc = pass_on(b, &b->part[first.range], first.base, arrived);
    } else {
        rc = PLAN_EDISAGREE;
    }
    if (rc != 0) b->broken = true;
    return rc;
}

int plani_give_up(plani_binding_t *b, const plani_unexpected_t *found, const size_t *arrived)
{
    plani_record_t failed = {.failed = 1};
    return b->rank == b->root ? plani_record_cast(b, b->root, &failed, NULL) : plani_sink(b, found, arrived);
}
