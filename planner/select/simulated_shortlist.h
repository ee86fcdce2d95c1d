/* Simulation of the candidates that may win. */
#ifndef PLANI_SIMULATED_SHORTLIST_H
#define PLANI_SIMULATED_SHORTLIST_H

#include "planner/select/scores.h"

/**
 * Simulate the algorithms that lead by stages, and try larger and smaller slices for the first of them. Nothing is done
 * where the context does not simulate. \param best [registry.n] of each algorithm by stages; slices, windows and times
 * of those that are simulated change
 */
plan_status_t plani_simulate_shortlist(plani_context_t *ctx, plani_scores_t *scores, plani_scored_t *best);

#endif
