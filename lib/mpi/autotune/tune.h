/* Choosing together: rank 0 decides, the others run what it wants timed. */
#ifndef PLANI_TUNE_H
#define PLANI_TUNE_H

#include <planbcast/mpi.h>
#include "planner/select/decide.h"

/** What timing may take. */
typedef struct {
    plan_mode_t mode; /* PLAN_ESTIMATE: nothing is timed; PLAN_DUEL, PLAN_MEASURE */
    double budget_s;  /* for all timing */
    int candidates; /* plans that begin at a size, beside MPI_Bcast, where there is time for them; 0: it alone is timed
                     */
} plani_tuning_t;

/** The part of the options' budget that a duel may take: on small machines it takes some tenths of a second. */
#define PLANI_DUEL_PART 0.25

/** The settings that the options of plan_bcast mean. */
plani_tuning_t plani_tuning_of(const plan_options_t *options);

/**
 * plani_decide on rank 0, whose request, tuning and options alone count and who receives the decision; the request's
 * choice lists MPI_Bcast where something is timed, unless it names candidates. Collective; all ranks return the same.
 *
 * Each size is tuned by sequential halving (halving.h) over the candidates that are expected to be fastest by the model
 * and by what has been timed so far, and MPI_Bcast; variants of the best plan's slice size and window join when half
 * have left. Sizes whose broadcasts are brief are sampled in passes over all of them, between those of large sizes, for
 * timings change level for seconds as ranks move between processors. Where time or memory do not do for a size, what
 * smaller ones tell decides.
 */
int plani_decide_together(MPI_Comm comm, const plani_request_t *request, const plani_tuning_t *tuning,
                          const plan_options_t *options, plani_decision_t *decision, plan_error_t *err);

#endif
