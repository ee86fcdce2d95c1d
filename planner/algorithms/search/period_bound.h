/* A lower bound of the period of any tree, without a linear program: the search does not try lower ones. */
#ifndef PLANI_PERIOD_BOUND_H
#define PLANI_PERIOD_BOUND_H

#include "planner/algorithms/heuristics/heuristic.h"

/** [s] How long one slice over link l holds what it holds longest: no tree with this link has a smaller period. */
double plani_held(const plani_problem_t *problem, size_t l);

/** [s]; 0 for one rank. O(links * resources per link). */
plan_status_t plani_period_bound(const plani_problem_t *problem, double *seconds);

#endif
