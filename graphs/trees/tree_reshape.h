/* A tree under change, for searches that look at thousands. */
#ifndef PLANI_TREE_RESHAPE_H
#define PLANI_TREE_RESHAPE_H

#include <planbcast/tree.h>

/**
 * Make another tree of as many ranks of this one, in place; children by rank. Nothing else may be borrowing it.
 * \param parent [ranks] exactly one -1, the others in range
 * \retval PLAN_ENOTREE there is a cycle: the tree is of no use until reshaped again
 *
 * O(n), and allocates nothing.
 */
plan_status_t plani_tree_reshape(plan_tree_t *tree, const int *parent);

#endif
