/* Drawing up rankings from a planning context: shared with the planning of all sizes. */
#ifndef PLANI_RANKING_H
#define PLANI_RANKING_H

#include "planner/algorithms/context.h"

/** How an instance does best. */
typedef struct {
    size_t instance; /* index in the planning context */
    size_t slice;
    int window;
    double seconds;
} plani_best_t;

/** Whether `a` is better than `b`, beyond what rounding can tell: equals go to the one that came first. */
static inline bool plani_faster(double a, double b)
{
    return a < b * (1 - 1e-9);
}

/**
 * What neither stages nor simulations know of several trees and of rounds: more connections, whose messages do not
 * travel together, and rounds that wait for the slowest of all ranks each time. Timed on emulated clusters at 64 KiB
 * and more, two trees took 7% longer compared to their stages than single trees did, six 26% longer (medians), rounds
 * from 12% less to more than twice as long, and at 4 KiB several times as long. Compared to their simulations two trees
 * took as long as single ones did, three and more 18% longer. Much of that is the machine's; a candidate has to be
 * predicted faster by 2.5% for each tree beyond the first, by 15% for rounds; simulated machines (fluid channels) have
 * no such costs. \return the factor by which to weigh predicted times
 */
static inline double plani_weight(size_t ntrees, bool rounds)
{
    return rounds ? 1.15 : ntrees > 1 ? 1 + 0.025 * (double)(ntrees - 1) : 1;
}

#define PLANI_SLICES 16 /* more than are tried */
/**
 * A smaller slice is worth its messages if it is predicted to save this part of the time: the model knows no less, and
 * knows nothing of the processors' time for each message.
 */
#define PLANI_WORTH_SMALLER 0.02

/** The slice sizes to try for a message, whole (0) first, then from large to small. \return how many */
size_t plani_slices(const plan_choice_t *choice, size_t bytes, size_t slice[PLANI_SLICES]);

/** What to compare predictions by [s]: the predicted time, weighed. */
static inline double plani_weighed(const plan_candidate_t *c)
{
    return c->predicted_s * (c->weight > 0 ? c->weight : plani_weight(c->ntrees, c->run == PLAN_RUN_ROUNDS));
}

/** Every instance at every slice size. */
typedef struct {
    size_t slices;
    plani_best_t
        *at; /* [ninstances * slices] with the best window; INFINITY seconds for duplicates of earlier instances */
} plani_scores_t;

/**
 * at[] is the caller's to free, also on failure. Where only winners count, sizes ascend: what smaller messages prove to
 * be slower than two others is not scored again.
 */
plan_status_t plani_score_instances(plani_context_t *ctx, size_t bytes, plani_scores_t *scores);
/**
 * The best of an algorithm's instances: the largest slice at which it is within PLANI_WORTH_SMALLER of its fastest.
 * seconds is INFINITY if the algorithm has no instances.
 */
plani_best_t plani_best_of_algorithm(const plani_context_t *ctx, const plani_scores_t *scores, size_t algorithm);
/** The fastest of an algorithm's instances at the s-th slice size, weighed; of equals the first. */
plani_best_t plani_fastest_at(const plani_context_t *ctx, const plani_scores_t *scores, size_t algorithm, size_t s);
/** Its time, weighed as that of candidates [s]. */
double plani_best_weighed(const plani_context_t *ctx, const plani_best_t *b);
/**
 * Simulation the best of each algorithm, or, where only winners count, those that lead; and look whether the first few
 * do better with larger or smaller slices. Nothing is done for other models, and beyond 512 ranks. \param best
 * [registry.n] of each algorithm by stages; the slices and times of those that are simulated change
 */
plan_status_t plani_simulate_shortlist(plani_context_t *ctx, size_t bytes, const plani_scores_t *scores,
                                       plani_best_t *best);
/** The candidate that an instance is at this slice size and window: the trees that carry slices of this message. */
plan_status_t plani_candidate_of_instance(plani_context_t *ctx, const plani_best_t *best, size_t bytes,
                                          plan_candidate_t *out, plan_error_t *err);
/** Sort again after filling in measured_s: best first, stable. */
void plani_ranking_sort(plan_ranking_t *ranking);
/** As plan_ranking_create, in a planning context that has been built; where only winners count, without bounds. */
plan_status_t plani_rank(plani_context_t *ctx, size_t bytes, plan_ranking_t **out, plan_error_t *err);
/** Rate its first candidate by the bound at its slice size. */
plan_status_t plani_ranking_rate_first(plani_context_t *ctx, plan_ranking_t *ranking, plan_error_t *err);
/** Rate its candidates again by the slices that they have now, and its bound by the first one's: timing changes both.
 */
plan_status_t plani_ranking_restate(plani_context_t *ctx, plan_ranking_t *ranking, plan_error_t *err);

#endif
