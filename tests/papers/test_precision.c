/* The precision of means, by hand with Student's t from tables. */
#include "suite.h"
#include "bench/papers/000.d/precision.h"
#include <math.h>

static repeated_t all(int n, const double *x)
{
    repeated_t r = {0};
    for (int i = 0; i < n; i++) repeated_add(&r, x[i]);
    return r;
}

/* t(4 degrees, 97.5%) = 2.776445, t(2 degrees) = 4.302653, t(1 degree) = 12.7062. */
static void precision_by_hand(void)
{
    const double five[] = {1, 2, 3, 4, 5}, three[] = {0.99, 1, 1.01}, two[] = {1, 3};
    repeated_t of_five = all(5, five), of_three = all(3, three), of_two = all(2, two);
    CU_ASSERT_EQUAL(of_five.n, 5);
    CU_ASSERT_DOUBLE_EQUAL(of_five.mean, 3, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(repeated_precision(&of_five), 2.776445 * sqrt(2.5) / sqrt(5) / 3, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(repeated_precision(&of_three), 4.302653 * 0.01 / sqrt(3), 1e-8);
    CU_ASSERT_DOUBLE_EQUAL(repeated_precision(&of_two), 12.7062 * sqrt(2) / sqrt(2) / 2, 1e-4);
}

static void one_value_is_not_known_and_equal_ones_are(void)
{
    const double equal[] = {2, 2, 2};
    repeated_t one = all(1, equal), three = all(3, equal);
    CU_ASSERT(isinf(repeated_precision(&one)));
    CU_ASSERT_EQUAL(one.mean, 2);
    CU_ASSERT_EQUAL(repeated_precision(&three), 0);
}

SUITE_MAIN("precision", TEST(precision_by_hand), TEST(one_value_is_not_known_and_equal_ones_are))
