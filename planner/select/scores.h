/* Scores: the predicted time of every instance at every slice size, by stages. */
#ifndef PLANI_SCORES_H
#define PLANI_SCORES_H

#include "planner/cost/parameters.h"
#include "planner/select/predict.h"

/** An instance, a way to pipeline it, and the predicted time. */
typedef struct {
    size_t instance; /* index in the planning context */
    plani_pipeline_t how;
    double seconds;
    bool scored; /* false: seconds is INFINITY for now */
} plani_scored_t;

/**
 * Costs of several trees and of rounds that neither stages nor simulations model: several trees have more connections,
 * and each round waits for the slowest rank. They were timed on emulated clusters. The medians of measured / stage time
 * at 64 KiB and more, relative to single trees, were 1.07 for two trees and 1.26 for six. Rounds had 0.88 to more than
 * 2, and several times as much at 4 KiB. Relative to simulations two trees had 1, three and more 1.18. Much of this
 * depends on the machine. On simulated machines (fluid channels) rounds have no such costs, and several trees take 10
 * to 34% longer than predicted, where single ones do not. \return the factor by which to weigh predicted times
 */
static inline double plani_weight(size_t ntrees, bool rounds)
{
    return rounds ? 1 + PLANI_ROUNDS_WEIGHT : ntrees > 1 ? 1 + PLANI_TREE_WEIGHT * (double)(ntrees - 1) : 1;
}

/**
 * The same of a candidate on this machine. Slices, and whole messages (slice 0), that MPI sends by rendezvous take
 * longer than simulations of the request and its answer say: at 4 and 16 MiB on six emulated clusters 1.03 to 1.15
 * times as long, relative to those that it sends at once.
 */
static inline double plani_weight_on(const plani_context_t *ctx, size_t bytes, size_t ntrees, bool rounds, size_t slice)
{
    bool whole = slice == 0 || slice > bytes;
    bool asks = !ctx->one_host && !(whole && rounds) && (double)(whole ? bytes : slice) >= ctx->rendezvous;
    if (ctx->fluid) return rounds ? 1 : plani_weight(ntrees, false);
    return plani_weight(ntrees, rounds) * (asks ? 1 + PLANI_RENDEZVOUS_WEIGHT : 1);
}

typedef struct {
    size_t slices;
    plani_scored_t
        *at; /* [ninstances * slices] with the best window; INFINITY seconds for duplicates of earlier ones */
} plani_scores_t;

typedef enum {
    PLANI_ALL,
    PLANI_SINGLE_TREES,
    PLANI_WINNERS /* on sparse platforms, without those whose busiest resource alone takes longer than the whole time of
                     another one */
} plani_wanted_t;

/**
 * Score the instances at every slice size; on sparse platforms, at those that a search for the best one visits. at[] is
 * the caller's to free, also on failure.
 */
plan_status_t plani_score_instances(plani_context_t *ctx, size_t bytes, plani_wanted_t wanted, plani_scores_t *scores);
/**
 * The best of an algorithm's instances: the largest slice at which it is within PLANI_WORTH_SMALLER of its fastest.
 * seconds is INFINITY if the algorithm has no instances.
 */
plani_scored_t plani_best_of_algorithm(const plani_context_t *ctx, const plani_scores_t *scores, size_t algorithm);
/** Score an algorithm's instances at the s-th slice size unless that has been done; on sparse platforms only a few
 * sizes have. */
plan_status_t plani_score_at(plani_context_t *ctx, plani_scores_t *scores, size_t algorithm, size_t s);
/** The fastest of an algorithm's instances at the s-th slice size, weighed; of equals the first. */
plani_scored_t plani_fastest_at(const plani_context_t *ctx, const plani_scores_t *scores, size_t algorithm, size_t s);
/** Its time, weighed as that of candidates [s]. */
double plani_scored_weighed(const plani_context_t *ctx, const plani_scored_t *b);

#endif
