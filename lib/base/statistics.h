/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of samples of unknown distribution. */
#ifndef PLANI_STATISTICS_H
#define PLANI_STATISTICS_H

#include <stdbool.h>

/** The median of n values and its 95% interval by order statistics: the median lies between the values of ranks
 * n / 2 -+ 0.98 sqrt(n). */
typedef struct {
    double median, low, high;
    bool bounded; /* n is large enough for both ends (from 8 on); else the ends are the extreme values */
} plani_interval_t;

/** Sorts x; n >= 1. */
plani_interval_t plani_interval(double *x, int n);
/** Whether the interval has both ends, within 2.5% of the median: more repetitions would tell little. */
bool plani_is_narrow(const plani_interval_t *i);

/** The lowest and the highest of the runs that a value follows from. Both 0: not known, as where there was one run. */
typedef struct {
    double low, high;
} plani_ends_t;

/** What spans both; one that is not known is left out. */
plani_ends_t plani_ends_join(plani_ends_t a, plani_ends_t b);

#endif
