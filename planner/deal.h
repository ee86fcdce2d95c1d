/* Which slice goes down which tree: for the executor, and for the replay, which foretells it. */
#ifndef PLANI_DEAL_H
#define PLANI_DEAL_H

/**
 * Rates as integers of 30 bits: products with counts up to 2^31 are exact, so that all machines deal alike. A rate that
 * is no number, or nothing beside the others, gets no slice; of equals without a rate each gets as many.
 */
void plani_weigh(int n, const double *rate, unsigned *weight);

/**
 * Deal n slices to trees in proportion to weight[] (> 0 for one at least): each slice goes to the tree that is furthest
 * behind, Sainte-Lague's rule, (2 dealt + 1) / weight; ties to the lowest tree. Every beginning of the sequence is as
 * proportional as it can be.
 * \param[out] dealt   [ntrees] how many each tree has got
 * \param[out] tree_of [n]
 */
void plani_deal(int ntrees, const unsigned *weight, int n, int *dealt, int *tree_of);

#endif
