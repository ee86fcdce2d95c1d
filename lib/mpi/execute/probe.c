/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/execute/probe.h"
#include "lib/mpi/execute/ring.h"

static bool look_at_ring(const plani_binding_t *b, int expected, plani_unexpected_t *found)
{
    if (b->ring == NULL || b->ring->size == 0) return false;
    const plani_label_t *label = plani_ring_look(b->ring, b->ring->seq);
    if (label == NULL || label->order != b->order || (label->base == expected && label->plan == b->serial))
        return false;
    *found = (plani_unexpected_t){.any = true, .shared = true, .base = label->base, .range = label->range};
    return true;
}

/* Whether messages of this range tell a rank how to take part: records and slices do; rounds and MPI_Bcast come after a
 * record. */
static bool tells(const plani_binding_t *b, size_t range)
{
    return range == b->nparts || (range < b->nparts && b->part[range].run == PLAN_RUN_TREES);
}

/* The messages of one rank in one broadcast belong to one range and arrive in order, so the first one that waits is
 * enough. If it is of a later broadcast, its sender has run ahead, and sends nothing to this rank in the current one.
 * */
bool plani_probe(const plani_binding_t *b, int expected, plani_unexpected_t *found)
{
    if (expected != PLANI_SHARED_MEMORY && look_at_ring(b, expected, found)) return true;
    for (int i = 0; i < b->nsources; i++) {
        MPI_Status status;
        int flag = 0;
        if (MPI_Iprobe(b->source[i], MPI_ANY_TAG, b->comm, &flag, &status) != MPI_SUCCESS || !flag) continue;
        if (!plani_tag_has_number(&b->tags, status.MPI_TAG, b->number)) continue;
        int base = plani_tag_to_base(&b->tags, status.MPI_TAG);
        if (base == expected || !tells(b, plani_tag_range(&b->tags, base))) continue;
        *found = (plani_unexpected_t){.any = true, .base = base, .range = plani_tag_range(&b->tags, base)};
        return true;
    }
    return false;
}
