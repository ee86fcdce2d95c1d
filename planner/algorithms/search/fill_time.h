/* How long one slice takes to reach all ranks of a tree while it is changed, and the makespan of a message from that.
 */
#ifndef PLANI_FILL_TIME_H
#define PLANI_FILL_TIME_H

#include "planner/algorithms/search/loads.h"

typedef struct {
    plani_loads_t *loads; /* borrowed: the tree */
    double bytes;         /* of the message; at first the task's */
    double *need;         /* [ranks] from a rank's receipt until its whole subtree holds the slice [s] */
    plani_child_t *child; /* [ranks] scratch */
    int *queue;           /* [ranks] scratch */
    plani_before_t *before;
    size_t changes;
} plani_fill_time_t;

plan_status_t plani_fill_time_create(plani_loads_t *loads, plani_fill_time_t *f);
void plani_fill_time_clear(plani_fill_time_t *f);

/** Compute all of need[], children in Jackson's order. */
void plani_fill_time_set(plani_fill_time_t *f);
/** The children of u have changed: compute need[] from u upwards. At most PLANI_UPDATES before keep or back. */
#define PLANI_UPDATES 4
void plani_fill_time_update(plani_fill_time_t *f, int u);
void plani_fill_time_keep(plani_fill_time_t *f);
void plani_fill_time_back(plani_fill_time_t *f);

/** One slice to all ranks, and then a period for each further slice [s]. */
double plani_makespan(const plani_fill_time_t *f);

#endif
