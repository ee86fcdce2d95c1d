/* The bound by brute force: enumerates all arborescences, and solves the packing program over them. */
#ifndef TESTS_ORACLE_TREE_PACKING_H
#define TESTS_ORACLE_TREE_PACKING_H

#include "lp/program.h"

/**
 * The largest throughput of any mix of spanning arborescences within all ports and resources [slices/s]. Each
 * arborescence is a column of "max sum x, A x <= 1, x >= 0", solved by a tableau simplex with Bland's rule. For up to 6
 * ranks; NAN if memory runs out. *trees receives the number of arborescences.
 */
double oracle_tree_packing(const plani_steady_problem_t *p, size_t *trees);

#endif
