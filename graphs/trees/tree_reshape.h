/* SPDX-License-Identifier: BSD-3-Clause */
/* Changing a tree in place, for searches over thousands of trees. */
#ifndef PLANI_TREE_RESHAPE_H
#define PLANI_TREE_RESHAPE_H

#include <planbcast/tree.h>

/**
 * Replace a tree by another one of as many ranks, in place; children are in the order of ranks. The tree must not be
 * borrowed.
 * \param parent [ranks] exactly one -1, the others in range
 * \retval PLAN_ENOTREE there is a cycle: the tree is invalid until it is reshaped again
 *
 * O(n), and allocates nothing.
 */
plan_status_t plani_tree_reshape(plan_tree_t *tree, const int *parent);

#endif
