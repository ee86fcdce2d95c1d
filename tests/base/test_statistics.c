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

static void ends_span_those_that_are_known(void)
{
    static const plani_ends_t none = {0, 0}, a = {1, 3}, b = {2, 5};
    plani_ends_t both = plani_ends_join(a, b), back = plani_ends_join(b, a);

    CU_ASSERT(both.low == 1 && both.high == 5 && back.low == 1 && back.high == 5);
    CU_ASSERT(plani_ends_join(a, none).low == 1 && plani_ends_join(none, a).high == 3);
    CU_ASSERT_EQUAL(plani_ends_join(none, none).high, 0);
}

static void intervals_are_narrow_within_2_5_percent(void)
{
    plani_interval_t i = {.median = 100, .low = 98, .high = 103, .bounded = true};

    CU_ASSERT_TRUE(plani_is_narrow(&i));
    i.high = 103.1;
    CU_ASSERT_FALSE(plani_is_narrow(&i));
    i = (plani_interval_t){.median = 100, .low = 100, .high = 100};
    CU_ASSERT_FALSE(plani_is_narrow(&i)); /* of too few values */
}

SUITE_MAIN("statistics", TEST(ends_span_those_that_are_known), TEST(intervals_are_narrow_within_2_5_percent),
           TEST(the_median_is_in_the_middle), TEST(intervals_hold_the_median_with_95_percent))
