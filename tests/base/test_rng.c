/* The generator equals the published one; its distributions have the right moments. */
#include "suite.h"
#include "lib/base/rng.h"
#include <math.h>

/* The published first outputs from the state 1, 2, 3, 4. */
static void outputs_are_those_of_xoshiro256starstar(void)
{
    plani_rng_t r = {.state = {1, 2, 3, 4}};
    CU_ASSERT_EQUAL(plani_rng_u64(&r), 11520);
    CU_ASSERT_EQUAL(plani_rng_u64(&r), 0);
    CU_ASSERT_EQUAL(plani_rng_u64(&r), UINT64_C(1509978240));
    CU_ASSERT_EQUAL(plani_rng_u64(&r), UINT64_C(1215971899390074240));
}

/* The published first outputs of splitmix64 from 1234567. */
static void seeds_are_spread_by_splitmix64(void)
{
    static const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                        UINT64_C(9817491932198370423), UINT64_C(4593380528125082431)};
    plani_rng_t r;
    plani_rng_seed(&r, 1234567);
    for (int i = 0; i < 4; i++) CU_ASSERT_EQUAL(r.state[i], expected[i]);
}

static void below_is_uniform(void)
{
    enum { KINDS = 7, DRAWS = 70000 };
    int count[KINDS] = {0};
    plani_rng_t r;
    plani_rng_seed(&r, 3);
    for (int i = 0; i < DRAWS; i++) count[plani_rng_below(&r, KINDS)]++;
    double chi2 = 0;
    for (int k = 0; k < KINDS; k++) chi2 += pow(count[k] - DRAWS / KINDS, 2) / (DRAWS / KINDS);
    CU_ASSERT(chi2 < 22.5); /* 0.1% at 6 degrees of freedom */
    CU_ASSERT_EQUAL(plani_rng_below(&r, 1), 0);
}

static void gauss_has_its_moments(void)
{
    enum { DRAWS = 200000 };
    double sum = 0, squares = 0, beyond = 0;
    plani_rng_t r;
    plani_rng_seed(&r, 5);
    for (int i = 0; i < DRAWS; i++) {
        double x = plani_rng_gauss(&r);
        sum += x, squares += x * x, beyond += fabs(x) > 1.959964;
    }
    CU_ASSERT_DOUBLE_EQUAL(sum / DRAWS, 0, 0.01);
    CU_ASSERT_DOUBLE_EQUAL(squares / DRAWS, 1, 0.015);
    CU_ASSERT_DOUBLE_EQUAL(beyond / DRAWS, 0.05, 0.003);
    for (int i = 0; i < 1000; i++) {
        double u = plani_rng_unit(&r);
        CU_ASSERT(u >= 0 && u < 1);
    }
}

SUITE_MAIN("rng", TEST(outputs_are_those_of_xoshiro256starstar), TEST(seeds_are_spread_by_splitmix64),
           TEST(below_is_uniform), TEST(gauss_has_its_moments))
