/* What the tests of measuring without ranks share. */
#ifndef PLANBCAST_TESTS_MEASURE_SUITE_H
#define PLANBCAST_TESTS_MEASURE_SUITE_H

#include "suite.h"
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/splitmix.h"
#include "lib/mpi/measure/engine/findings.h"

static inline double uniform(uint64_t *state)
{
    return plani_random_unit(state);
}

#endif
