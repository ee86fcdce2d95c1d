/*
 * The single-tree algorithms of Beaumont, Marchal, Robert 2004 (LIP RR-2004-46), implemented as printed, with a
 * new search of reachability for every query. Slow, and independent of the planner.
 */
#ifndef PLANBCAST_ORACLE_TREES_BY_HAND_H
#define PLANBCAST_ORACLE_TREES_BY_HAND_H

#include <planbcast/platform.h>

/** Algorithms 1, 2, 3, 5, 6, 7, and 522: Algorithm 2 judged by the multi-port period, as in section 5.2.2; weight
 * [nlinks] is T_uv, rate [nlinks] n_uv; parent [ranks] is filled. */
void by_hand_algorithm(int number, const plan_platform_data_t *d, int root, const double *weight, const double *rate,
                       const double *send, int *parent);

/** The least period of any spanning tree, by enumeration of all of them; ranks <= 8 (n = 6: 7776 at most). */
double by_hand_best_period(const plan_platform_data_t *d, int root, double slice);
/** The period of one tree: 1 / throughput. */
double by_hand_period(const plan_platform_data_t *d, const int *parent, double slice);

#endif
