/* Input of all exports. */
#ifndef PLANI_EXPORT_H
#define PLANI_EXPORT_H

#include "lib/base/text.h"
#include "planner/plan/plan_private.h"

/** The trees for one message size, with costs of their links. */
typedef struct {
    const plan_t *plan;
    plan_candidate_t c;            /* only with trees that carry slices; owned */
    const plan_platform_data_t *d; /* NULL: no platform given */
    size_t bytes;
    double slice;    /* [B] */
    double *cost;    /* [ntrees * ranks] [s] that a slice occupies the link to (of a reduction, from) rank v in
                      tree t; 0: it goes through shared memory; NULL without d */
    double total;    /* sum of the rates */
    const int *host; /* [ranks] or NULL */
    const int *site; /* [ranks] or NULL */
} plani_export_t;

void plani_export_dot(const plani_export_t *x, plani_text_t *to);

#endif
