/* What any solution of the program has to satisfy, checked from the arrays alone. */
#ifndef TESTS_LP_CHECK_H
#define TESTS_LP_CHECK_H

#include "lp/program.h"

/** Largest load of any port or resource under rate[nlinks]. */
double check_load(const plani_steady_problem_t *p, const double *rate);
/** Smallest cut of rate[] from the root to any rank, by augmenting along breadth-first paths. */
double check_cut(const plani_steady_problem_t *p, const double *rate);
/** 1 if parent[] is an arborescence of links of p, rooted at its root. */
int check_arborescence(const plani_steady_problem_t *p, const int *parent);
/**
 * Interval, rates and trees of a solution: rates fit (1e-9), every cut reaches the throughput, trees span, come largest
 * first, fit into the rates' ports and resources (1e-9) and add up to `share` of the throughput at least.
 * NULL if all is well, else what is wrong.
 */
const char *check_solution(const plani_steady_problem_t *p, const plan_steady_t *s, double share);

#endif
