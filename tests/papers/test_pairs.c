/* Pairs of processors on made-up hosts whose levels are known, and fits of times that are made from a table. */
#include "suite.h"
#include "bench/pairs/fit.h"
#include "bench/pairs/places.h"

enum { MOST = 64 };

static hwloc_topology_t host_of(const char *description)
{
    hwloc_topology_t t = NULL;
    CU_ASSERT_EQUAL_FATAL(hwloc_topology_init(&t), 0);
    CU_ASSERT_EQUAL_FATAL(hwloc_topology_set_synthetic(t, description), 0);
    CU_ASSERT_EQUAL_FATAL(hwloc_topology_load(t), 0);
    return t;
}

static void counts_are(const char *description, const int count[PAIRS_LEVELS])
{
    hwloc_topology_t t = host_of(description);
    for (int level = 0; level < PAIRS_LEVELS; level++) {
        pairs_processors_t pair[MOST];
        int n = pairs_find(t, (pairs_level_t)level, MOST, pair), taken[MOST] = {0};
        CU_ASSERT_EQUAL(n, count[level]);
        for (int i = 0; i < n; i++) taken[pair[i].first]++, taken[pair[i].second]++;
        for (int i = 0; i < MOST; i++) CU_ASSERT(taken[i] <= 1);
        CU_ASSERT_EQUAL(pairs_find(t, (pairs_level_t)level, 1, pair), count[level] > 0);
    }
    hwloc_topology_destroy(t);
}

/* The order: same core, L2, L3, NUMA node, package; across packages. */
static void levels_that_a_host_lacks_have_no_pairs(void)
{
    counts_are("pack:2 numa:1 l3:2 l2:2 core:1 pu:2", (const int[]){4, 0, 2, 2, 0, 4});
    counts_are("pack:2 numa:2 l3:1 l2:1 core:2 pu:1", (const int[]){0, 2, 0, 0, 2, 4});
    counts_are("pack:1 numa:1 l3:1 l2:2 core:1 pu:1", (const int[]){0, 0, 1, 0, 0, 0});
    counts_are("pack:1 core:1 pu:1", (const int[]){0, 0, 0, 0, 0, 0});
}

static void pairs_across_packages_have_one_processor_of_each(void)
{
    hwloc_topology_t t = host_of("pack:3 l3:1 core:4 pu:1");
    pairs_processors_t pair[MOST];
    CU_ASSERT_EQUAL_FATAL(pairs_find(t, PAIRS_ACROSS_PACKAGES, MOST, pair), 4);
    for (int i = 0; i < 4; i++) CU_ASSERT(pair[i].first / 4 == 0 && pair[i].second / 4 == 1);
    hwloc_topology_destroy(t);
}

/* Times of 4 receivers at 16 GB/s after tau, ten of each of four sizes, each off by up to a half per cent. */
static size_t make_times(double tau, double *bytes, double *seconds)
{
    size_t n = 0;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 10; i++, n++) {
            bytes[n] = 262144 << k;
            seconds[n] = (tau + 4 * bytes[n] / 16e9) * (1 + 0.001 * (i - 4.5));
        }
    return n;
}

static void a_fit_finds_what_times_are_made_of(void)
{
    double bytes[MOST], seconds[MOST], tau = -1, rate = -1;
    size_t n = make_times(20e-6, bytes, seconds);
    CU_ASSERT_FATAL(pairs_fit(n, bytes, seconds, 4, &tau, &rate));
    CU_ASSERT_DOUBLE_EQUAL(tau, 20e-6, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(rate, 16e9, 0.1e9);
    seconds[3] *= 20, seconds[17] *= 8, seconds[38] *= 5; /* as by other work on the machine */
    CU_ASSERT_FATAL(pairs_fit(n, bytes, seconds, 4, &tau, &rate));
    CU_ASSERT_DOUBLE_EQUAL(tau, 20e-6, 2e-6);
    CU_ASSERT_DOUBLE_EQUAL(rate, 16e9, 0.2e9);
}

static void a_start_is_never_less_than_nothing(void)
{
    double bytes[MOST], seconds[MOST], tau = -1, rate = -1;
    size_t n = make_times(-20e-6, bytes, seconds);
    CU_ASSERT_FATAL(pairs_fit(n, bytes, seconds, 4, &tau, &rate));
    CU_ASSERT_EQUAL(tau, 0);
    CU_ASSERT(rate > 16e9 && rate < 25e9);
    CU_ASSERT_FALSE(pairs_fit(2, bytes, seconds, 4, &tau, &rate)); /* too few */
}

SUITE_MAIN("pairs", TEST(levels_that_a_host_lacks_have_no_pairs),
           TEST(pairs_across_packages_have_one_processor_of_each), TEST(a_fit_finds_what_times_are_made_of),
           TEST(a_start_is_never_less_than_nothing))
