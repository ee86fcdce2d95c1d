/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that are the same on every machine: xoshiro256** (Blackman, Vigna 2018), seeded by splitmix64. */
#ifndef PLANI_RNG_H
#define PLANI_RNG_H

#include <stdint.h>

typedef struct {
    uint64_t state[4];
    double spare; /* the second number of a pair of Gaussians */
    int has_spare;
} plani_rng_t;

void plani_rng_seed(plani_rng_t *r, uint64_t seed);
uint64_t plani_rng_u64(plani_rng_t *r);
/** Uniform in [0, 1): a multiple of 2^-53. */
double plani_rng_unit(plani_rng_t *r);
/** Uniform in 0 .. n - 1, without bias; n > 0. */
uint64_t plani_rng_below(plani_rng_t *r, uint64_t n);
/** Gaussian of mean 0 and standard deviation 1 (polar method). The last bits depend on the machine's log(): round
 * results.
 */
double plani_rng_gauss(plani_rng_t *r);

#endif
