/* Small linear programs for the tests, with their own memory. */
#ifndef TESTS_LP_ARRAYS_H
#define TESTS_LP_ARRAYS_H

#include <stdint.h>
#include "lp/program.h"

enum { MOST_LINKS = 400, MOST_RESOURCES = 32 };

typedef struct {
    plani_steady_problem_t p;
    int from[MOST_LINKS], to[MOST_LINKS];
    double cost[MOST_LINKS];
    size_t first[MOST_RESOURCES + 1], link[MOST_RESOURCES * MOST_LINKS];
    double share[MOST_RESOURCES];
} arrays_t;

/** No links, no resources. */
void arrays_start(arrays_t *a, int ranks, int root);
/** Links in the order of (from, to), as the program wants them. */
void arrays_link(arrays_t *a, int from, int to, double cost);
/** A resource; then the links it holds. */
void arrays_resource(arrays_t *a, double cost);
void arrays_hold(arrays_t *a, size_t link);

/**
 * A random program in which every rank can be reached: 2..most ranks, any root and density, costs over 0 to `decades`
 * decades around `typical`, and, with resources, host cards (in and out) and random groups of links.
 */
void arrays_random(arrays_t *a, int most, double typical, double decades, int resources, uint64_t seed);

#endif
