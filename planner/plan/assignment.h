/* Which slice goes down which tree: for the executor, and for the simulation, which foretells it. */
#ifndef PLANI_ASSIGNMENT_H
#define PLANI_ASSIGNMENT_H

#include <stdbool.h>
#include "planner/plan/plan_private.h"

/** No single transfer is longer [B], whatever the plan says: it bounds what non-contiguous data are staged in, and
 * keeps far below INT_MAX. */
#define PLANI_CHUNK ((size_t)64 << 20)
/** Slices after which several trees' pattern repeats: shares are met to 1 / 8192. */
#define PLANI_PERIOD 4096

/**
 * Rates as integers of 30 bits: products with counts up to 2^31 are exact, so that all machines assign alike. A rate
 * that is no number, or nothing beside the others, gets no slice; of equals without a rate each gets as many.
 */
void plani_slice_weights(int n, const double *rate, unsigned *weight);

/**
 * Assign n slices to trees in proportion to weight[] (> 0 for one at least): each slice goes to the tree that is
 * furthest behind, Sainte-Lague's rule, (2 assigned + 1) / weight; ties to the lowest tree. Every beginning of the
 * sequence is as proportional as it can be.
 *
 * \param[out] assigned [ntrees] how many each tree has got
 * \param[out] tree_of  [n]
 */
void plani_assign_slices(int ntrees, const unsigned *weight, int n, int *assigned, int *tree_of);

/** Which trees get a slice of a message of `bytes`, cut as c says. \return how many. O(slices until all have one) */
size_t plani_trees_used(const plan_candidate_t *c, size_t bytes, bool used[PLANI_MAX_TREES]);
/** Leave out those that get none: what stays is what runs. A whole message has one tree. c owns its trees. */
void plani_candidate_narrow(plan_candidate_t *c, size_t bytes);

#endif
