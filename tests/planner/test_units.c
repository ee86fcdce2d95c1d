/* Formatting of numbers with units. */
#include "planner/plan/units.h"
#include "suite.h"
#include <math.h>

static void expect(plani_quantity_t word, const char *text)
{
    CU_ASSERT_STRING_EQUAL(word.s, text);
}

static void three_digits_and_the_unit_that_suits_them(void)
{
    expect(plani_seconds(2.1), "2.1 s");
    expect(plani_seconds(0.713), "713 ms");
    expect(plani_seconds(0.99951), "1 s");
    expect(plani_seconds(1.25e-6), "1.25 us");
    expect(plani_seconds(4e-13), "0 ns");
    expect(plani_bytes(1536), "1.5 KiB");
    expect(plani_bytes(4194304), "4 MiB");
    expect(plani_rate(12.5e6), "12.5 MB/s");
    expect(plani_rate(1e12), "1000 GB/s");
}

static void what_is_not_finite_is_a_dash(void)
{
    expect(plani_seconds(NAN), "-");
    expect(plani_bytes(INFINITY), "-");
    expect(plani_rate(-INFINITY), "-");
}

static void zero_has_no_sign_and_no_fraction(void)
{
    expect(plani_seconds(0), "0 s");
    expect(plani_seconds(-0.0), "0 s");
    expect(plani_seconds(-4e-13), "0 ns");
    expect(plani_bytes(0), "0 B");
}

static void negative_times_keep_their_unit(void)
{
    expect(plani_seconds(-2e-3), "-2 ms");
}

SUITE_MAIN("units", TEST(three_digits_and_the_unit_that_suits_them), TEST(what_is_not_finite_is_a_dash),
           TEST(zero_has_no_sign_and_no_fraction), TEST(negative_times_keep_their_unit));
