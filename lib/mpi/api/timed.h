/* SPDX-License-Identifier: BSD-3-Clause */
/* What the times of all ranks say of broadcasts of one size. Private. */
#ifndef PLANI_TIMED_H
#define PLANI_TIMED_H

#include <stdbool.h>
#include "lib/mpi/execute/timing.h"

/** Broadcasts of one size of which every rank has times. */
typedef struct {
    size_t bytes, range;
    int n;
    /* [s] From the root's start to the last arrival: the median. And the least from when the last rank had begun: no
     * broadcast that all ranks begin together takes less. */
    double median_s, least_s;
} plani_timed_size_t;

enum { PLANI_TIMED_LEAST = 4 }; /* broadcasts of one size that are enough */

/** Times of all ranks by one clock [ranks * PLANI_TIMINGS], rank after rank. */
typedef struct {
    int ranks, root;
    const plani_timing_t *of;
} plani_all_timings_t;

/** The sizes of at least PLANI_TIMED_LEAST broadcasts, in the order of their first. \return their number */
size_t plani_timed_sizes(plani_all_timings_t all, plani_timed_size_t timed[PLANI_TIMINGS]);
/** [ranks] When each rank has its last byte [s] after the root's start: medians over those broadcasts that all ranks
 * began in the first quarter; 0 for the root. False: there is none. */
bool plani_timed_arrivals(plani_all_timings_t all, size_t bytes, double *arrival);

/** Whether these times are off by more than 30%: broadcasts that all began together would be slower, or they are
 * faster. */
bool plani_is_off(const plani_timed_size_t *t, double predicted_s);

#endif
