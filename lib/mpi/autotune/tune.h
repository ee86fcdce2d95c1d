/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective planning: rank 0 decides; the other ranks take part in timed runs. */
#ifndef PLANI_TUNE_H
#define PLANI_TUNE_H

#include <planbcast/mpi.h>
#include "lib/mpi/planner/planner.h"

/** Mode and limits of autotuning. */
typedef struct plani_tuning {
    plan_mode_t mode; /* PLAN_ESTIMATE: nothing is timed; PLAN_DUEL, PLAN_MEASURE */
    double budget_s;  /* for all sizes */
    int candidates;   /* most plans per size at the start, besides MPI_Bcast; 0: only MPI_Bcast is timed */
} plani_tuning_t;

/** Largest part of the options' budget for a duel; on small machines a duel takes some tenths of a second. */
#define PLANI_DUEL_PART 0.25

/** The tuning that the options of plan_bcast ask for. */
plani_tuning_t plani_tuning_of(const plan_options_t *options);

/**
 * plani_decide on rank 0, which receives the decision; only its request, tuning and options count. If anything is
 * timed, the request's choice includes MPI_Bcast, unless it names candidates. Collective; all ranks return the same.
 *
 * Each size is tuned by sequential halving (halving.h) over MPI_Bcast and the candidates expected to be fastest by the
 * model and the times measured so far. Variants of the leading plan in slice size and window join after the first
 * passes. Sizes with brief broadcasts are sampled in passes over all of them, interleaved with larger sizes, for times
 * shift for seconds as ranks move between processors. For sizes without enough time or memory, the times at smaller
 * sizes decide.
 */
int plani_decide_together(MPI_Comm comm, const plani_request_t *request, const plani_tuning_t *tuning,
                          const plan_options_t *options, plani_decision_t *decision, plan_error_t *err);

#endif
