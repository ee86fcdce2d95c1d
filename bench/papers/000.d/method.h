#ifndef PAPER_000_METHOD_H
#define PAPER_000_METHOD_H

/*
 * The method of Nuriyev et al. 2022, section 5, with the output of paper_000_measure: gamma and Q from flat trees,
 * T_p2p of each algorithm from broadcasts and gathers by Huber regression, and the algorithms that it selects.
 *
 * Prints
 *
 *     gamma      shared|network  processes  gamma
 *     Q          Q
 *     parameter  algorithm  T_p2p^1 [s]  L^0 [s]
 *     cell       KB  best  selected  penalty %  MPI_Bcast's penalty %
 *
 * Return the exit status.
 */
int method(const char *measured, int ranks, int ranks_per_host);

#endif
