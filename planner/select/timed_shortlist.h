/* Which candidates are worth timing, by what the model says and by what has been timed so far. */
#ifndef PLANI_TIMED_SHORTLIST_H
#define PLANI_TIMED_SHORTLIST_H

#include "planner/select/ranking.h"

/**
 * Rankings of ascending sizes, of whose candidates some have been timed (measured_s). Predictions err alike for
 * candidates that are alike, and at sizes that are near.
 */
typedef struct {
    size_t n;
    plan_ranking_t *const *ranking; /* [n] */
} plani_timed_t;

/** The least that is predicted for a plan at the ranking's size [s]; INFINITY: nothing is. */
double plani_least_predicted(const plan_ranking_t *ranking);

/**
 * What c, a candidate of the ranking of `bytes`, is expected to take [s]: its predicted time, weighed, times the mean
 * ratio of measured and predicted times, in powers, of those that are like it: by weights of 1 for the same name, SHAPE
 * for the same shape, times RANGE for each doubling between the sizes; beside them the mean of all by RANGE alone
 * counts PRIOR, so that what was seen with a few bytes tells little of many. MPI_Bcast, of which no model knows
 * anything: as much longer than at the next smaller size that it was timed at as the model says of the best plans, but
 * no more than in proportion to the bytes; NAN: it was timed at none.
 */
double plani_expected(const plani_timed_t *timed, const plan_candidate_t *c, size_t bytes);

/**
 * The candidates of a ranking by what they are expected to take, each broadcast once, at most `most`; first the one
 * expected fastest, then MPI_Bcast, if it is listed, then the model's own choice, the best of each shape, and the
 * others. Who is expected to take UNLIKELY times as long as the first, is left out.
 * \param[out] pick [most] indices of ranking->candidate \return how many
 */
size_t plani_timed_shortlist(const plani_timed_t *timed, const plan_ranking_t *ranking, size_t most, size_t *pick);

enum { PLANI_VARIANTS = 5 }; /* of one candidate at most */

/**
 * c with half and double the slice, half and double the window, and sent whole, as far as `choice` does not fix them,
 * they do anything else, and each tree gets a slice; predicted by as much longer or shorter than c as stages say. Their
 * trees are c's. \return how many
 */
int plani_variants(plani_context_t *ctx, const plan_candidate_t *c, size_t bytes, plan_candidate_t v[PLANI_VARIANTS]);

/** c with this slice and window, if that is possible in the same way. \return whether */
bool plani_variant(plani_context_t *ctx, const plan_candidate_t *c, size_t bytes, size_t slice, int window,
                   plan_candidate_t *v);

#endif
