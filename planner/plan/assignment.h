/* SPDX-License-Identifier: BSD-3-Clause */
/* Assignment of slices to trees, for the executor and for the simulation. */
#ifndef PLANI_ASSIGNMENT_H
#define PLANI_ASSIGNMENT_H

#include <stdbool.h>
#include "planner/plan/plan_private.h"

/** [B] Longest transfer, whatever the slice size: it bounds the staging of non-contiguous data, and is far below
 * INT_MAX.
 */
#define PLANI_CHUNK ((size_t)64 << 20)
/** [B] The executor splits longer runs of blocks into several transfers, on all ranks alike. */
enum { PLANI_LONGEST_TRANSFER = 128 << 10 };

/** Period of the assignment of slices to several trees: shares have errors of up to 1 / 8192. */
#define PLANI_PERIOD 4096

/**
 * Convert rates to weights, integers of 30 bits: products with counts up to 2^31 are exact, so that all machines assign
 * alike. The weight of a rate that is not finite, or negligible, is 0; if no rate is positive, all weights are 1.
 */
void plani_slice_weights(int n, const double *rate, unsigned *weight);

/**
 * Assign n slices to trees in proportion to weight[] (> 0 for one at least) by Sainte-Lague's rule: each slice goes to
 * the tree with the least (2 assigned + 1) / weight; ties: the lowest tree. Every prefix of the sequence is as
 * proportional as possible.
 *
 * \param[out] assigned [ntrees] number of slices of each tree
 * \param[out] tree_of  [n] tree of each slice
 */
void plani_assign_slices(int ntrees, const unsigned *weight, int n, int *assigned, int *tree_of);

/** Which trees get a slice of a message of `bytes`. \return their number. O(slices until all have one) */
size_t plani_trees_used(const plan_candidate_t *c, size_t bytes, bool used[PLANI_MAX_TREES]);
/** Remove the trees that get no slice, as the executor does not use them. c owns its trees. */
void plani_candidate_narrow(plan_candidate_t *c, size_t bytes);

#endif
