/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/base/statistics.h"
#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

plani_interval_t plani_interval(double *x, int n)
{
    double reach = 0.98 * sqrt(n);
    int low = (int)floor(n / 2.0 - reach), high = (int)ceil(n / 2.0 + reach); /* counted from 1 */

    qsort(x, (size_t)n, sizeof *x, ascending);
    return (plani_interval_t){.median = (x[(n - 1) / 2] + x[n / 2]) / 2,
                              .low = x[low >= 1 ? low - 1 : 0],
                              .high = x[high < n ? high : n - 1],
                              .bounded = low >= 1 && high < n};
}

bool plani_is_narrow(const plani_interval_t *i)
{
    return i->bounded && (i->high - i->low) / 2 <= 0.025 * i->median;
}

plani_ends_t plani_ends_join(plani_ends_t a, plani_ends_t b)
{
    if (!(b.high > 0)) return a;
    if (!(a.high > 0)) return b;
    return (plani_ends_t){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}
