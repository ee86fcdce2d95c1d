/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/base/base.h"
#include <time.h>

double plani_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void plani_date(char text[32])
{
    time_t now = time(NULL);
    struct tm utc;

    text[0] = '\0';
    if (gmtime_r(&now, &utc) != NULL) strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
