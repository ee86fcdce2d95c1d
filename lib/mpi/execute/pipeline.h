/* A running broadcast down trees. Private to pipeline.c and one_slice.c. */
#ifndef PLANI_PIPELINE_H
#define PLANI_PIPELINE_H

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
    bool root;
    bool empty; /* this rank lacks data: it sends empty slices */
    int rc;     /* the first error */
} plani_tree_bcast_t;

static inline void plani_note(plani_tree_bcast_t *run, int rc)
{
    if (run->rc == 0) run->rc = rc;
}

/** ---- pipeline.c ---- Run the message in slices. If it sets run->gave_up, work.arrived is the number of slices of
 * each tree that have been received and forwarded. \return run->rc */
int plani_pipeline(plani_tree_bcast_t *run);
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
/** The root packs the next slice of tree t. \return false: no room yet */
bool plani_pack_slice(plani_tree_bcast_t *run, int t);
/** ---- one_slice.c ---- The tag of slice k of the message. */
int plani_slice_tag(const plani_tree_bcast_t *run, size_t k);

#endif
