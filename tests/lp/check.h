/* Checks of any solution of the linear program, from the arrays only. */
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
 * Checks the interval, rates and trees of a solution; NULL, or a description of the first violation:
 * - rates keep within ports and resources (1e-9), and every cut carries the throughput;
 * - trees span, are sorted by decreasing rate, keep within ports and resources (1e-9), and their rates add up to at
 *   least `share` of the throughput.
 */
const char *check_solution(const plani_steady_problem_t *p, const plan_steady_t *s, double share);

#endif
