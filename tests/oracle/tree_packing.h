/* The bound by brute force: enumerate all arborescences, and pack them. */
#ifndef TESTS_ORACLE_TREE_PACKING_H
#define TESTS_ORACLE_TREE_PACKING_H

#include "lp/program.h"

/**
 * Most slices per second that any mix of spanning arborescences carries within all ports and resources: all
 * arborescences are written down as columns of "max sum x, A x <= 1, x >= 0", which a plain tableau simplex with
 * Bland's rule solves. For up to 6 ranks; NAN if memory runs out. *trees receives how many there are.
 */
double oracle_tree_packing(const plani_steady_problem_t *p, size_t *trees);

#endif
