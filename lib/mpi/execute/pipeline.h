/* A broadcast down trees that is under way: for pipeline.c and one_slice.c alone. */
#ifndef PLANI_PIPELINE_H
#define PLANI_PIPELINE_H

#include "lib/mpi/execute/binding.h"

typedef struct {
    plani_binding_t *b;
    const plani_part_t *part;
    plani_view_t *view;
    plani_lane_t *lane;
    size_t slices;        /* of the whole message */
    int base;             /* of tags */
    bool gave_up;         /* nothing is under way here any more, and the others are to get theirs all the same: */
    bool other;           /* for something else of this broadcast has come, */
    plani_found_t *found; /* which is this; otherwise for want of memory */
    bool root;
    bool empty; /* this rank has not got the data: it sends empty slices */
    int rc;     /* the first error */
} plani_pipeline_t;

static inline void plani_note(plani_pipeline_t *run, int rc)
{
    if (run->rc == 0) run->rc = rc;
}

/** ---- pipeline.c ---- The message in slices. Where run->gave_up is set in the end, work.arrived says how many slices
 * of each tree have been received and passed on. \return run->rc */
int plani_pipeline(plani_pipeline_t *run);
/** ---- one_slice.c ---- The tag of slice k of the message. */
int plani_slice_tag(const plani_pipeline_t *run, size_t k);

#endif
