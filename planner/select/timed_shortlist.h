/* Which candidates are worth timing, by what the model says and by what has been timed so far. */
#ifndef PLANI_TIMED_SHORTLIST_H
#define PLANI_TIMED_SHORTLIST_H

#include "planner/select/ranking.h"

/**
 * Rankings of ascending sizes; some of their candidates have been timed (measured_s). The errors of predictions are
 * similar for similar candidates and at near sizes.
 */
typedef struct {
    size_t n;
    plan_ranking_t *const *ranking; /* [n] */
} plani_timed_t;

/** [s] The least predicted time of a plan at the ranking's size; INFINITY: none is predicted. */
double plani_least_predicted(const plan_ranking_t *ranking);

/**
 * [s] The expected time of c, a candidate of the ranking of `bytes`: its weighed prediction times the geometric mean of
 * measured / predicted time of candidates that were timed. A candidate of the same name has the weight 1, one of the
 * same shape SHAPE; each doubling between the sizes multiplies the weight by RANGE. The mean of all candidates by RANGE
 * alone is added with the weight PRIOR, so that times of small messages have little effect on large ones. MPI_Bcast has
 * no prediction: its time at the next smaller size at which it was timed is scaled like the predictions of the best
 * plans, at most in proportion to the bytes. NAN: it was not timed at a smaller size.
 */
double plani_expected(const plani_timed_t *timed, const plan_candidate_t *c, size_t bytes);
/** [s] MPI_Bcast's time at this size, or else at the largest smaller one at which it was timed, in proportion to the
 * bytes; NAN: there is none, or at the smaller one it was not chosen (rankings have what was chosen first). */
double plani_native_by_bytes(const plani_timed_t *timed, size_t bytes);

/**
 * At most `most` candidates of a ranking by their expected times, without duplicates. First the one expected to be
 * fastest, then MPI_Bcast, if it is listed, then the model's own choice, the best of each shape, and the others.
 * Candidates expected to take UNLIKELY times as long as the first are left out. \param[out] pick [most] indices of
 * ranking->candidate \return how many
 */
size_t plani_timed_shortlist(const plani_timed_t *timed, const plan_ranking_t *ranking, size_t most, size_t *pick);

enum { PLANI_VARIANTS = 5 }; /* of one candidate at most */

/**
 * Variants of c: half and double the slice, half and double the window, and sent whole. Those that `choice` excludes,
 * that send in the same way as c, or in which a tree gets no slice, are left out. Their predictions are that of c,
 * scaled by stage times. They borrow the trees of c. \return how many
 */
int plani_variants(plani_context_t *ctx, const plan_candidate_t *c, size_t bytes, plan_candidate_t v[PLANI_VARIANTS]);

/** c with this slice and window, if that is possible in the same way. \return whether */
bool plani_variant(plani_context_t *ctx, const plan_candidate_t *c, size_t bytes, size_t slice, int window,
                   plan_candidate_t *v);

#endif
