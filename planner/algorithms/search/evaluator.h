/* Trees while they are changed, evaluated by the planner's prediction. */
#ifndef PLANI_EVALUATOR_H
#define PLANI_EVALUATOR_H

#include "planner/algorithms/search/anneal.h"
#include "planner/cost/cost_cache.h"

typedef struct {
    const plani_problem_t *problem; /* borrowed */
    size_t bytes, slice;            /* [B] slice 0: the message whole */
    int window;                     /* 0: no limit */
    int *parent;                    /* [ranks] scratch */
    int *costliest, height;         /* [height] of the tree that moves have led to: the costliest rank of each depth */
    plan_tree_t *tree;              /* scratch, reshaped for each tree evaluated */
    plani_cost_cache_t *costs;
    plani_stages_t *stages;
} plani_evaluator_t;

plan_status_t plani_evaluator_create(const plani_problem_t *problem, size_t bytes, size_t slice, int window,
                                     plani_evaluator_t *j);
void plani_evaluator_clear(plani_evaluator_t *j);
/**
 * Predicted time of the tree of links via[] [s], as plani_score_taulop, or INFINITY if that is longer than `most`.
 * Allocates nothing but for the first tree.
 */
plan_status_t plani_evaluate(plani_evaluator_t *j, const size_t *via, double most, double *seconds);

/**
 * Lower the predicted time of tree via[], `*seconds` to begin with, by up to `moves` moves that are each predicted:
 * threshold accepting (Dueck and Scheuer 1990). via[] and *seconds receive the best tree met.
 */
plan_status_t plani_evaluated_moves(plani_anneal_t *a, plani_evaluator_t *j, size_t *via, long moves, double *seconds);

/**
 * The same for a finished tree, whose children are put in Jackson's order afterwards.
 * \param moves 0: as many as take some 10 ms on 30 ranks
 * \param out   NULL if no quicker tree was met
 */
plan_status_t plani_quicken_tree(const plan_platform_t *pf, const plan_tree_t *tree, size_t bytes, size_t slice,
                                 int window, uint64_t seed, long moves, plan_tree_t **out);
/** The tree of links via[], children in Jackson's order. */
plan_status_t plani_tree_of_links(const plani_problem_t *problem, const size_t *via, plan_tree_t **out);
/** How many moves fit into a short while on `ranks`. */
long plani_evaluated_most(int ranks);

#endif
