/* Platforms as plain arrays, in the classes on which the bound is timed. */
#ifndef BENCH_LP_PLATFORMS_H
#define BENCH_LP_PLATFORMS_H

#include "lp/program.h"

typedef struct {
    plani_steady_problem_t p;
    int *from, *to;
    double *cost;
    size_t room;
} bench_platform_t;

/**
 * Make a platform of a class: "random" (parameter: density), "complete", "hierarchical" (complete; hosts of 8 ranks,
 * sites of 4 hosts, costs by level with some spread), "tiers" (WAN, MAN and LAN levels, sparse), "geometric" (points in
 * the unit square, linked to the nearest; cost grows with distance), "decades" (parameter: density; costs spread evenly
 * over three decades). Root 0. Random numbers: lib/base/splitmix.h. Returns 0, or -1 if the class is unknown or memory
 * runs out.
 */
int bench_platform(const char *kind, int ranks, double parameter, unsigned long seed, bench_platform_t *out);
void bench_platform_free(bench_platform_t *b);

#endif
