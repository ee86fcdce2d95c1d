/* Four tables about the best single tree, as Markdown on standard output. Each returns 0, or 1 if it failed. */
#ifndef BENCH_SINGLE_TREE_TABLES_H
#define BENCH_SINGLE_TREE_TABLES_H

#include <planbcast/platform.h>

/** Throughput as a share of the bound, with that of the papers' heuristics; `instances` platforms for each number of
 * ranks and density. */
int throughput_table(int instances);
/** Throughput as a share of the proven optimum: random platforms, then those of `file`. */
int optimum_table(int nfiles, char **file);
/** Every heuristic's throughput as a share of the proven optimum: random platforms of one port and several, `seeds` of
 * each number of ranks and density. */
int shares_table(int seeds);
/** Predicted times for several message sizes relative to all other single trees, on the platforms of `file`. */
int makespan_table(int nfiles, char **file);

static const double bench_slice = 1e6; /* [B] as in Table 2 of Beaumont, Marchal, Robert 2004 */

/** Throughput of a heuristic's tree at that slice size [slices/s], and the time to construct it [s]. 0: none. */
double bench_tree(const char *name, const plan_platform_t *pf, const double *rates, double *seconds);

/** [s] of a monotonic clock. */
double bench_now(void);

#endif
