/* What the tests of measuring without ranks share. */
#ifndef PLANBCAST_TESTS_MEASURE_SUITE_H
#define PLANBCAST_TESTS_MEASURE_SUITE_H

#include "suite.h"
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "lib/mpi/measure/engine/findings.h"

/* splitmix64 (Steele, Lea, Flood 2014), to [0, 1) */
static inline double uniform(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

#endif
