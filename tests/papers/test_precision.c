/* The precision of means, by hand with Student's t from tables. */
#include "suite.h"
#include "bench/papers/000.d/precision.h"
#include <math.h>

/* t(4 degrees, 97.5%) = 2.776445, t(2 degrees) = 4.302653, t(1 degree) = 12.7062. */
static void precision_by_hand(void)
{
    const double five[] = {1, 2, 3, 4, 5}, three[] = {0.99, 1, 1.01}, two[] = {1, 3};
    precision_t p = precision_of(five, 5);
    CU_ASSERT_DOUBLE_EQUAL(p.mean, 3, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(p.precision, 2.776445 * sqrt(2.5) / sqrt(5) / 3, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(precision_of(three, 3).precision, 4.302653 * 0.01 / sqrt(3), 1e-8);
    CU_ASSERT_DOUBLE_EQUAL(precision_of(two, 2).precision, 12.7062 * sqrt(2) / sqrt(2) / 2, 1e-4);
}

static void one_value_is_not_known_and_equal_ones_are(void)
{
    const double equal[] = {2, 2, 2};
    CU_ASSERT(isinf(precision_of(equal, 1).precision));
    CU_ASSERT_EQUAL(precision_of(equal, 1).mean, 2);
    CU_ASSERT_EQUAL(precision_of(equal, 3).precision, 0);
}

SUITE_MAIN("precision", TEST(precision_by_hand), TEST(one_value_is_not_known_and_equal_ones_are))
