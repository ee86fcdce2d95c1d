/* splitmix64 (Steele, Lea, Flood 2014): small, seeded, and the same on every machine. */
#ifndef PLANI_RANDOM_H
#define PLANI_RANDOM_H

#include <stdint.h>

static inline uint64_t plani_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/** 0..n-1, n below 2^32. */
static inline uint32_t plani_random_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(((plani_random(state) >> 32) * n) >> 32);
}

#endif
