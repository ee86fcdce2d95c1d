/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/execute/record.h"
#include "graphs/trees/rounds.h"
#include "lib/mpi/execute/probe.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/comm/wait.h"

_Static_assert(sizeof(plani_record_t) == PLANI_ROUNDS_RECORD, "predictions count with this size");

/* The place of a rank in the binomial tree, counted from the root. The parent of a place is the place without its
 * lowest set bit. */
static int count_from(int rank, int root, int ranks)
{
    return (rank - root + ranks) % ranks;
}

int plani_record_parent(int rank, int ranks, int root)
{
    int place = count_from(rank, root, ranks);
    return place == 0 ? -1 : ((place & (place - 1)) + root) % ranks;
}

int plani_record_base(const plani_binding_t *b)
{
    return plani_tag_base(&b->tags, b->number, b->nparts, 0);
}

/* \return false: other ranks run this broadcast by another range or size; the receive has been cancelled */
static bool receive(plani_binding_t *b, int root, plani_record_t *record, plani_unexpected_t *other, int *rc)
{
    int base = plani_record_base(b), from = plani_record_parent(b->rank, b->ranks, root);
    MPI_Request *request = b->work.request;
    MPI_Status status;

    *rc = MPI_Irecv(record, (int)sizeof *record, MPI_BYTE, from, plani_tag_of(base, 0, true), b->comm, request);
    if (*rc != MPI_SUCCESS) return true;
    for (unsigned look = 0; !plani_finished(request, PLANI_MUST_BLOCK, &status, rc); look++) {
        plani_give_way(look);
        if (other != NULL && plani_probe_now(look) && plani_probe(b, base, other)) {
            plani_cancel(request);
            return false;
        }
    }
    return true;
}

int plani_record_cast(plani_binding_t *b, int root, plani_record_t *record, plani_unexpected_t *other)
{
    int place = count_from(b->rank, root, b->ranks), rc = 0, high = 1,
        tag = plani_tag_of(plani_record_base(b), 0, true);

    if (place != 0 && !receive(b, root, record, other, &rc)) return PLAN_EDISAGREE;
    while (high < b->ranks && !(place & high)) high <<= 1; /* the lowest set bit of the place; root: above all places */
    for (int bit = high >> 1; bit > 0; bit >>= 1) {
        if (place + bit >= b->ranks) continue;
        int to = (place + bit + root) % b->ranks;
        int sent = MPI_Send(record, (int)sizeof *record, MPI_BYTE, to, tag, b->comm);
        if (rc == 0) rc = sent;
    }
    if (rc > 0) b->broken = true;
    return rc;
}
