/* From rankings to a plan; the MPI side uses it after it has measured the finalists. */
#ifndef PLANI_CHOOSE_H
#define PLANI_CHOOSE_H

#include <planbcast/plan.h>
#include "planner/algorithms/context.h"

#define PLANI_MOST_REFINED 256 /* ranks: beyond, searching a tree for every few sizes takes minutes */

/** Whether two candidates send the same slices along the same trees, whatever they are called. */
bool plani_same_broadcast(const plan_candidate_t *a, const plan_candidate_t *b);

/**
 * Make a plan of the winners (candidate[0]) of n rankings with ascending sizes; neighbours that agree become one
 * range, and the last range ends at the last size. Copies.
 *
 * \param border [n - 1] last size that ranking i's winner serves, from its own size to below the next one's; NULL:
 *               in the geometric middle
 * \param hosts  [ranks] or NULL
 */
plan_status_t plani_plan_from_rankings(size_t n, const plan_ranking_t *const *ranking, const size_t *border,
                                       const int *hosts, plan_t **out, plan_error_t *err);

/** A ranking for each size; once the time of the choice is over, for the largest only. The sizes that have one are the
 * first *n then. */
plan_status_t plani_rank_sizes(plani_context_t *ctx, size_t *n, size_t *size, plan_ranking_t **ranking,
                               plan_error_t *err);
/** The size from a's on, and below b's, up to which a's winner is as fast as b's: by the stages, times what each of
 * them took longer at its own size, measured where it was, else predicted. Where that is unknown, in the geometric
 * middle. */
plan_status_t plani_border(const plani_context_t *ctx, const plan_ranking_t *a, const plan_ranking_t *b,
                           size_t *border);

#endif
