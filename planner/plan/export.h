/* What every export draws from. */
#ifndef PLANI_EXPORT_H
#define PLANI_EXPORT_H

#include "lib/base/text.h"
#include "planner/plan/plan_private.h"

/** The trees that serve one message size, with what is known of their links. */
typedef struct {
    const plan_t *plan;
    plan_candidate_t c;            /* with the trees that carry slices of it; owned */
    const plan_platform_data_t *d; /* NULL: no platform given */
    size_t bytes;
    double slice;    /* [B] */
    double *cost;    /* [ntrees * ranks] seconds that a slice holds the link to rank v in tree t; NULL without d */
    double total;    /* sum of the rates */
    const int *host; /* [ranks] or NULL */
    const int *site; /* [ranks] or NULL */
} plani_export_t;

void plani_export_dot(const plani_export_t *x, plani_text_t *to);

#endif
