/* Forwarding a broadcast that is not the expected one. */
#include "lib/mpi/execute/sink.h"
#include "lib/mpi/execute/probe.h"
#include "lib/mpi/execute/record.h"
#include "lib/mpi/comm/wait.h"
#include <stdlib.h>

static plani_unexpected_t wait_for_anything(const plani_binding_t *b)
{
    plani_unexpected_t found;
    for (unsigned look = 0; !plani_probe(b, PLANI_NOTHING, &found); look++) plani_give_way((int)look);
    return found;
}

/* Wait for the next slice of a tree. Its tag says whether it is the last; when the last has arrived, all before it
 * have. */
static int wait_for_slice(const plani_binding_t *b, int from, int base, int tree, MPI_Status *status)
{
    int last = 0, flag = 0, rc = MPI_SUCCESS;
    for (int look = 0; rc == MPI_SUCCESS && !flag; look++) {
        plani_give_way(look);
        rc = MPI_Iprobe(from, plani_tag_of(base, tree, true), b->comm, &last, status);
        if (rc == MPI_SUCCESS) rc = MPI_Iprobe(from, plani_tag_of(base, tree, false), b->comm, &flag, status);
        if (rc == MPI_SUCCESS && !flag && last)
            rc = MPI_Iprobe(from, plani_tag_of(base, tree, true), b->comm, &flag, status);
    }
    return rc;
}

/* Receive slices in the order of the message, and forward each before the next: slow, but free of deadlocks. */
static int pass_on(plani_binding_t *b, const plani_part_t *part, int base, const size_t *arrived)
{
    size_t *seen = calloc((size_t)part->ntrees, sizeof *seen); /* needed only if some slices have arrived */
    char *stage = plani_stage(&b->work, part->slice);
    MPI_Status status;
    bool last = false;
    int rc = seen == NULL && arrived != NULL ? PLAN_ENOMEM : 0;

    for (size_t k = 0; !last && rc == 0; k++) {
        int t = part->tree_of[k % (size_t)part->period], len = 0;
        const plani_branch_t *branch = &part->branch[t];
        if (arrived != NULL && seen[t]++ < arrived[t]) continue;
        if ((rc = wait_for_slice(b, branch->parent, base, t, &status)) != MPI_SUCCESS) break;
        last = status.MPI_TAG & 1;
        MPI_Get_count(&status, MPI_BYTE, &len);
        /* without a stage it is truncated: that error is expected */
        int got =
            MPI_Recv(stage, stage ? (int)part->slice : 0, MPI_BYTE, branch->parent, status.MPI_TAG, b->comm, &status);
        if (got != MPI_SUCCESS) len = 0;
        for (int c = 0; c < branch->nchildren && rc == 0; c++)
            rc = MPI_Send(stage, len, MPI_BYTE, branch->child[c], status.MPI_TAG, b->comm);
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
                         .moved = MPI_DATATYPE_NULL,
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
    plani_view_t nothing = {.bytes = 1, .none = true, .moved = MPI_DATATYPE_NULL};
    int rc = 0;

    if (first.shared) {
        plani_run_shared(b, b->root, &nothing, &first);
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
