/* The bound of a machine by the general linear program: a variable for each pair of leaves, a row for each cut. */
#ifndef TESTS_ORACLE_LEAF_CUTS_H
#define TESTS_ORACLE_LEAF_CUTS_H

#include "lp/machine.h"

enum { ORACLE_LEAVES = 9 };

/**
 * Edmonds 1973: capacities n_uv between leaves carry L slices per second from the root to all leaves if every set of
 * leaves without the root is entered by L at least. Maximizes L over n_uv >= 0 that fit the machine's rates, with all
 * 2^(leaves - 1) - 1 sets written out. Nodes that stand for several are not expanded: give none.
 *
 * \return the bound [B/s]; NAN if GLPK fails or there are more than ORACLE_LEAVES leaves
 */
double oracle_leaf_cuts(const plani_machine_problem_t *p);

#endif
