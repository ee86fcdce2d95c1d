/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal functions on trees. */
#ifndef PLANI_TREES_H
#define PLANI_TREES_H

#include <planbcast/tree.h>

plan_status_t plani_tree_copy(const plan_tree_t *tree, plan_tree_t **out);
/** n trees, and their array; NULL: nothing. */
void plani_trees_destroy(size_t n, plan_tree_t **tree);
/** PLAN_ENOTREE if the tree uses a link that the platform lacks, or the rank counts differ. */
plan_status_t plani_tree_check(const plan_tree_t *tree, const plan_platform_t *pf, plan_error_t *err);

/**
 * Two binary trees, each for half of the slices, such that no rank except the root is an inner node of both: Sanders,
 * Speck, Traeff 2009. The edges can be coloured so that in each step a rank sends one slice and receives one.
 * \param order [ranks] the rank at each place, the root first; neighbours in it are near each other in both trees
 * \retval PLAN_EINVAL  ranks < 1, or a rank in order[] is out of range
 * \retval PLAN_ENOTREE order is not a permutation
 */
plan_status_t plani_two_trees(int ranks, const int *order, plan_tree_t *out[2]);

/**
 * The exchange phase of split-binary: pairs of ranks of both sides that exchange halves at the end. With an even number
 * of ranks the last one on the left is paired with the root, which sends it the right half and receives nothing.
 * \param partner [ranks] out: the partner of each rank; -1: none (the root of an odd number of ranks)
 * \retval PLAN_EINVAL ranks < 1 or root out of range
 */
plan_status_t plani_split_binary_partners(int ranks, int root, int *partner);

#endif
