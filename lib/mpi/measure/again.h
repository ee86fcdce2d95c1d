/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring one card or trunk again. Private. */
#ifndef PLANI_AGAIN_H
#define PLANI_AGAIN_H

#include <mpi.h>
#include <planbcast/mpi.h>
#include "lib/mpi/planner/planner.h"

/** What to measure: significant at rank 0, whose planner is open. */
typedef struct plani_again {
    const plani_machine_t *machine;
    plani_machine_part_t part; /* OUT, IN or BOTH */
    const int *host;           /* [ranks] of each rank, by the machine's numbers */
    double rate;               /* [B/s] about what it carries */
} plani_again_t;

/** What was found. */
typedef struct plani_again_found {
    double rate;       /* [B/s] the median of three runs; 0: there is nobody on the other side */
    plani_ends_t ends; /* [B/s] the slowest and the fastest run */
    double without;    /* [B/s] what these flows would get by the machine if the card or trunk were no limit */
    bool at_least;     /* they got about that or more: it carries `rate` at least, and may carry more */
} plani_again_found_t;

/**
 * The total rate of flows between ranks behind a card or trunk and the others, all at once, in 0.3 s to 1.2 s.
 * Collective; *found is set on rank 0.
 * \return as plan_bcast
 */
int plani_measure_again(MPI_Comm comm, const plani_again_t *what, plani_again_found_t *found, plan_error_t *err);

/** Whether a card or trunk that carried `was` by the machine has changed, as broadcasts tell that it carries `now`
 * [B/s]: what was measured is nearer to `now` than to what these flows would get as it was. */
bool plani_again_changed(const plani_again_found_t *found, double was, double now);

#endif
