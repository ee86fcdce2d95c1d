/* The ranking of one message size, in a planning context that has been built. */
#ifndef PLANI_RANKING_H
#define PLANI_RANKING_H

#include "planner/select/scores.h"

/** [s] The weighed predicted time, by which candidates are compared. */
static inline double plani_weighed(const plan_candidate_t *c)
{
    return c->predicted_s * (c->weight > 0 ? c->weight : plani_weight(c->ntrees, c->run == PLAN_RUN_ROUNDS));
}

/**
 * Rank the candidates for a message of `bytes`, by predicted time.
 * \param all false: those of sparse platforms that cannot win (PLANI_WINNERS) are left out. The first candidate is the
 * same.
 */
plan_status_t plani_rank(plani_context_t *ctx, size_t bytes, bool all, plan_ranking_t **out, plan_error_t *err);
/** Sort again after measured_s was filled in: first those that can run; by measured_s, then by weighed predicted_s. */
void plani_ranking_sort(plan_ranking_t *ranking);
/** Whether a candidate copies the message through memory that ranks share, and the bound, which is of messages between
 * ranks, is not one of it: that of a machine leaves out messages inside hosts of several. */
static inline bool plani_ranking_shares_memory(const plan_ranking_t *ranking)
{
    for (size_t i = 0; i < ranking->ncandidates; i++) {
        plan_run_t run = ranking->candidate[i].run;
        if (run == PLAN_RUN_SHARED || (run == PLAN_RUN_HOSTS && !ranking->bound_of_machine)) return true;
    }
    return false;
}

/** Rate the first candidate by the bound at its slice size. */
plan_status_t plani_ranking_rate_first(plani_context_t *ctx, plan_ranking_t *ranking, plan_error_t *err);
/** Rate all candidates by the slices that they have now, list what is not executable, and find the bound at the first
 * one's slice size. */
plan_status_t plani_ranking_complete(plani_context_t *ctx, plan_ranking_t *ranking, plan_error_t *err);

#endif
