#ifndef PAPER_000_METHOD_H
#define PAPER_000_METHOD_H

/*
 * The method of Nuriyev et al. 2022, section 5, on what paper_000_measure printed: gamma and Q from flat trees, T_p2p
 * of each algorithm from broadcasts and gathers by Huber regression, and what it selects.
 *
 * The library's calibration (plan_options_t.calibrate) follows the same section, but is another estimate: its
 * broadcasts are the library's own, not Open MPI's; it fits a scale and a cost per level to relative errors, where (16)
 * to (19) have o and L; and it leans on the measured ladders and links, where the paper has gamma and Q alone. What is
 * to be reproduced here is the paper's, from its own experiments to its own unknowns.
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
