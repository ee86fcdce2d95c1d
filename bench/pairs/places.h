/* Pairs of processors by the closest part of the hardware that they share. */
#ifndef BENCH_PAIRS_PLACES_H
#define BENCH_PAIRS_PLACES_H

#include <hwloc.h>

typedef enum {
    PAIRS_SAME_CORE,
    PAIRS_SAME_L2,
    PAIRS_SAME_L3,
    PAIRS_SAME_NUMA,
    PAIRS_SAME_PACKAGE,
    PAIRS_ACROSS_PACKAGES,
    PAIRS_LEVELS
} pairs_level_t;

extern const char *const pairs_level_name[PAIRS_LEVELS];

typedef struct {
    int first, second; /* of Linux */
} pairs_processors_t;

/**
 * Pairs with no processor in common, each of which shares exactly this: within the first package, or between the first
 * two. But for PAIRS_SAME_CORE, one processor of each core.
 *
 * \param[out] pair  [most]
 * \return how many
 */
int pairs_find(hwloc_topology_t topology, pairs_level_t level, int most, pairs_processors_t *pair);

#endif
