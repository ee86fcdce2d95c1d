/* SPDX-License-Identifier: BSD-3-Clause */
/* A running broadcast down trees, and the slices of each tree on their way through this rank. Private to pipeline.c,
 * one_slice.c and host_ring.c. */
#ifndef PLANI_LANE_H
#define PLANI_LANE_H

#include "lib/mpi/comm/wait.h"
#include "lib/mpi/execute/binding.h"

typedef struct {
    plani_binding_t *b;
    const plani_part_t *part;
    plani_view_t *view;
    plani_lane_t *lane;
    size_t slices;             /* of the whole message */
    int base;                  /* tag base */
    bool gave_up;              /* no request is active, and sink.c has to forward what the others send; because: */
    bool other;                /* true: they run this broadcast by another range or size; false: out of memory */
    plani_unexpected_t *found; /* with other: what has arrived */
    plani_ring_t *ring;        /* of this host, if its ranks read the slices there; else NULL: */
    unsigned long first;       /* the first slice's number in the ring */
    size_t passed;             /* slices read from the ring or written to it, in the order of the message */
    plani_rest_t rest;
    int turn; /* the tree that is tested first */
    bool root;
    bool empty; /* this rank lacks data: it sends empty slices */
    int rc;     /* the first error */
} plani_tree_bcast_t;

static inline void plani_note(plani_tree_bcast_t *run, int rc)
{
    if (run->rc == 0) run->rc = rc;
}

/** Bytes of slice k of the message. */
static inline size_t plani_slice_length(const plani_tree_bcast_t *run, size_t k)
{
    size_t from = k * run->part->slice, rest = run->view->bytes - from;
    return rest < run->part->slice ? rest : run->part->slice;
}
/** Where slice j of tree t is: in the lane's ring, or in the user's buffer. */
char *plani_slice_address(const plani_tree_bcast_t *run, int t, size_t j);
/** Number of slices of a lane that no longer need its ring: copied to the user's buffer, and sent to all. */
size_t plani_released(const plani_tree_bcast_t *run, int t);
/** Number of slices, from 0 on, that may be sent. */
size_t plani_ready(const plani_tree_bcast_t *run, int t);
/** The root packs the next slice of tree t. \return false: no room yet */
bool plani_pack_slice(plani_tree_bcast_t *run, int t);

#endif
