/* Scores: the predicted time of every instance at every slice size, by stages. */
#ifndef PLANI_SCORES_H
#define PLANI_SCORES_H

#include "planner/cost/parameters.h"
#include "planner/select/predict.h"

/** An instance, pipelined in some way, and what that is predicted to take. */
typedef struct {
    size_t instance; /* index in the planning context */
    plani_pipeline_t how;
    double seconds;
    bool scored; /* false: seconds is INFINITY for now */
} plani_scored_t;

/**
 * What neither stages nor simulations know of several trees and of rounds: more connections, whose messages do not
 * travel together, and rounds that wait for the slowest of all ranks each time. Timed on emulated clusters at 64 KiB
 * and more, two trees took 7% longer compared to their stages than single trees did, six 26% longer (medians), rounds
 * from 12% less to more than twice as long, and at 4 KiB several times as long. Compared to their simulations two trees
 * took as long as single ones did, three and more 18% longer. Much of that is the machine's; simulated machines (fluid
 * channels) have no such costs.
 * \return the factor by which to weigh predicted times
 */
static inline double plani_weight(size_t ntrees, bool rounds)
{
    return rounds ? 1 + PLANI_ROUNDS_WEIGHT : ntrees > 1 ? 1 + PLANI_TREE_WEIGHT * (double)(ntrees - 1) : 1;
}

#define PLANI_SLICES 16 /* more than are tried */

/** The slice sizes to try for a message, whole (0) first, then from large to small. \return how many */
size_t plani_slices(const plan_choice_t *choice, size_t bytes, size_t slice[PLANI_SLICES]);

typedef struct {
    size_t slices;
    plani_scored_t
        *at; /* [ninstances * slices] with the best window; INFINITY seconds for duplicates of earlier ones */
} plani_scores_t;

typedef enum {
    PLANI_ALL,
    PLANI_SINGLE_TREES,
    PLANI_WINNERS /* on sparse platforms, without those whose fullest resource alone takes longer than another takes */
} plani_wanted_t;

/**
 * Score the instances at every slice size; on sparse platforms, at those that lead to the best one. at[] is the
 * caller's to free, also on failure.
 */
plan_status_t plani_score_instances(plani_context_t *ctx, size_t bytes, plani_wanted_t wanted, plani_scores_t *scores);
/**
 * The best of an algorithm's instances: the largest slice at which it is within PLANI_WORTH_SMALLER of its fastest.
 * seconds is INFINITY if the algorithm has no instances.
 */
plani_scored_t plani_best_of_algorithm(const plani_context_t *ctx, const plani_scores_t *scores, size_t algorithm);
/** Score an algorithm's instances at the s-th slice size where that has not been done: of the sparse platforms of many
 * ranks, a few sizes are looked at. */
plan_status_t plani_score_at(plani_context_t *ctx, plani_scores_t *scores, size_t algorithm, size_t s);
/** The fastest of an algorithm's instances at the s-th slice size, weighed; of equals the first. */
plani_scored_t plani_fastest_at(const plani_context_t *ctx, const plani_scores_t *scores, size_t algorithm, size_t s);
/** Its time, weighed as that of candidates [s]. */
double plani_scored_weighed(const plani_context_t *ctx, const plani_scored_t *b);

#endif
