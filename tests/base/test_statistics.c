/* The confidence interval of the median has its coverage by definition. */
#include "suite.h"
#include "lib/base/statistics.h"
#include <math.h>
#include <stdio.h>

static double fill(double *x, int n)
{
    for (int i = 0; i < n; i++) x[i] = (double)((i * 7 + 3) % n) + 1; /* 1 .. n, in another order unless 7 divides n */
    if (n % 7 == 0)
        for (int i = 0; i < n; i++) x[i] = n - i;
    return (n + 1) / 2.0;
}

static void the_median_is_in_the_middle(void)
{
    double x[100];
    for (int n = 1; n <= 100; n++) {
        double middle = fill(x, n);
        plani_interval_t i = plani_interval(x, n);
        CU_ASSERT_EQUAL(i.median, middle);
        CU_ASSERT(i.low <= i.median && i.median <= i.high);
        for (int k = 0; k < n; k++) CU_ASSERT_EQUAL(x[k], k + 1); /* sorted */
    }
}

/* The number of n values below the median has a binomial distribution (n, 1/2). The values of ranks low..high enclose
 * the median unless fewer than `low` values lie below it, or fewer than n + 1 - high above. The probability is at least
 * 95%, and from 30 values on less than 99%. */
static void intervals_hold_the_median_with_95_percent(void)
{
    double x[200];
    for (int n = 1; n <= 200; n++) {
        fill(x, n);
        plani_interval_t i = plani_interval(x, n);
        int low = (int)i.low, above = n + 1 - (int)i.high;
        double heads = pow(0.5, n), missed = 0;
        CU_ASSERT_EQUAL(i.bounded, n >= 8);
        CU_ASSERT(i.bounded || (low == 1 && above == 1));
        for (int k = 0; k < n; k++) { /* heads: probability of k of them */
            missed += (k < low ? heads : 0) + (k < above ? heads : 0);
            heads *= (double)(n - k) / (k + 1);
        }
        if (i.bounded) CU_ASSERT(missed <= 0.05);
        if (n >= 30) CU_ASSERT(missed > 0.01);
    }
}

SUITE_MAIN("statistics", TEST(the_median_is_in_the_middle), TEST(intervals_hold_the_median_with_95_percent))
