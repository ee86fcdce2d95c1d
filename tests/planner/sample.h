/* Platforms for the planner's tests: small, seeded, and independent of the library's generators. */
#ifndef PLANBCAST_TESTS_SAMPLE_H
#define PLANBCAST_TESTS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <planbcast/platform.h>

/** splitmix64 (Steele, Lea, Flood 2014). */
uint64_t sample_next(uint64_t *state);
/** 0..n-1 */
int sample_below(uint64_t *state, int n);

typedef struct {
    int ranks;
    double density; /* of the ordered pairs; a ring through a random order of the ranks is always there */
    int costs;      /* 0: costs over a range of 10; k: one of k small integers (ties, exact sums) */
    int resources;  /* how many, over random links */
    bool multiport;
    uint64_t seed;
    int guesses; /* of the resources, the last ones: their rates are guesses */
} sample_t;

/** NULL: out of memory. Costs are about 1 to 10 s for a slice of 1 byte, without latency. */
plan_platform_t *sample_platform(const sample_t *s);
/** Complete platform with T = 1 s for every link at 1 byte. */
plan_platform_t *sample_complete(int ranks);

#endif
