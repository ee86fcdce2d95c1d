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

/**
 * The total rate of flows between ranks behind a card or trunk and the others, all at once: the median of three runs,
 * which take 0.3 s to 1.2 s together. Collective; *rate is set on all ranks. 0: there is nobody on the other side.
 * \param ends rank 0: the slowest and the fastest run
 * \return as plan_bcast
 */
int plani_measure_again(MPI_Comm comm, const plani_again_t *what, double *rate, plani_ends_t *ends, plan_error_t *err);

#endif
