/* A broadcast down trees that is under way: for pipeline.c and one_slice.c alone. */
#ifndef PLANI_PIPELINE_H
#define PLANI_PIPELINE_H

#include "lib/mpi/execute.h"

typedef struct {
    plani_binding_t *b;
    const plani_part_t *part;
    plani_view_t *view;
    plani_lane_t *lane;
    size_t slices; /* of the whole message */
    bool root;
    bool empty; /* this rank has not got the data: it sends empty slices */
    int rc;     /* the first error */
} plani_pipeline_t;

static inline void plani_note(plani_pipeline_t *run, int rc)
{
    if (run->rc == 0) run->rc = rc;
}

/** ---- pipeline.c ---- The message in slices. \return run->rc */
int plani_pipeline(plani_pipeline_t *run);
/** ---- one_slice.c ---- No memory to stage slices in: let the others know, and wait for nobody's data. */
void plani_drain(plani_pipeline_t *run);

#endif
