/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/base/base.h"
#include <time.h>

double plani_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
