/* Helpers of the tests of inference. */
#ifndef PLANBCAST_TESTS_INFER_SUITE_H
#define PLANBCAST_TESTS_INFER_SUITE_H

#include "suite.h"
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/splitmix.h"
#include "lib/mpi/measure/infer/infer.h"

static inline double uniform(uint64_t *state)
{
    return plani_random_unit(state);
}

#endif
