/* SPDX-License-Identifier: BSD-3-Clause */
/* splitmix64 (Steele, Lea, Flood 2014): small, seeded, and the same on every machine. */
#ifndef PLANI_SPLITMIX_H
#define PLANI_SPLITMIX_H

#include <stdint.h>

/** A hash of x (the finaliser of splitmix64). */
static inline uint64_t plani_mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint64_t plani_random(uint64_t *state)
{
    return plani_mixed(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/** 0..n-1, n below 2^32. */
static inline uint32_t plani_random_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(((plani_random(state) >> 32) * n) >> 32);
}

/** Uniform in [0, 1): a multiple of 2^-53. */
static inline double plani_random_unit(uint64_t *state)
{
    return (double)(plani_random(state) >> 11) * 0x1p-53;
}

#endif
