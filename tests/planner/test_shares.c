/* Shares of slices among a few trees: against a closed form, and against all shares on a grid. */
#include "suite.h"
#include "alloc.h"
#include "sample.h"
#include "lp/shares.h"
#include "planner/algorithms/context.h"
#include <math.h>
#include <planbcast/generate.h>
#include "planner/taulop/score.h"
#include <stdlib.h>

/* Two trees of 1 and 3 s on one row alone, 2 s both on another: 0.5 slices/s in all, the first's at least 1/4. */
static void rows_limit_the_sum_of_rates(void)
{
    const double load[] = {1, 2, 3, 2}, apart[] = {2, 0, 0, 4};
    double rate[2];
    CU_ASSERT_EQUAL_FATAL(plani_share_rows(2, 2, load, rate), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(rate[0] + rate[1], 0.5, 1e-12);
    CU_ASSERT(rate[0] + 3 * rate[1] <= 1 + 1e-12);
    CU_ASSERT_EQUAL_FATAL(plani_share_rows(2, 2, apart, rate), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(rate[0], 0.5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(rate[1], 0.25, 1e-12);
}

/* The period of two trees that share the slices: the largest row of a sum that is linear in the share. */
static double period(size_t rows, const double *load, double share)
{
    double most = 0;
    for (size_t i = 0; i < rows; i++) most = fmax(most, share * load[i] + (1 - share) * load[rows + i]);
    return most;
}

/* Rows that are alike, that others cover, or that no tree loads: the best share is where two rows are equally full. */
static void rows_that_never_fill_first_change_nothing(void)
{
    enum { ROWS = 40 };
    uint64_t state = 5;
    for (int round = 0; round < 300; round++) {
        size_t rows = 1 + (size_t)sample_below(&state, ROWS);
        double load[2 * ROWS], rate[2];
        for (size_t i = 0; i < 2 * rows; i++) load[i] = sample_below(&state, 6);
        load[0] = load[rows] = 1; /* each tree holds some row */
        double least = fmin(period(rows, load, 0), period(rows, load, 1));
        for (size_t i = 0; i < rows; i++)
            for (size_t k = 0; k < i; k++) {
                double slope = load[i] - load[rows + i] - load[k] + load[rows + k];
                double at = (load[rows + k] - load[rows + i]) / slope;
                if (slope != 0 && at > 0 && at < 1) least = fmin(least, period(rows, load, at));
            }
        CU_ASSERT_EQUAL_FATAL(plani_share_rows(2, rows, load, rate), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(rate[0] + rate[1], 1 / least, 1e-9);
        CU_ASSERT(period(rows, load, rate[0] / (rate[0] + rate[1])) <= least * (1 + 1e-9));
    }
}

static plan_platform_t *complete(int ranks, uint64_t seed)
{
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_generate_random(ranks, 1, seed, &pf), PLAN_OK);
    return pf;
}

/* A chain, a star and a chain the other way round. */
static void make_trees(int ranks, plan_tree_t **tree)
{
    int parent[3][16] = {{-1}, {-1}, {-1}};
    for (int v = 1; v < ranks; v++) parent[0][v] = v - 1, parent[1][v] = 0, parent[2][v] = v + 1 < ranks ? v + 1 : 0;
    for (int t = 0; t < 3; t++) CU_ASSERT_EQUAL_FATAL(plan_tree_create(ranks, parent[t], NULL, &tree[t]), PLAN_OK);
}

/* Resources, and several ports, where what is left of a share's rate is each link's own. */
static plan_platform_t *drawn(uint64_t seed)
{
    return sample_platform(
        &(sample_t){.ranks = 5, .density = 2, .resources = (int)seed % 3, .multiport = seed % 2 == 0, .seed = seed});
}

/* And what is left has a share: together one. */
static void no_other_shares_sustain_more(void)
{
    size_t dropped = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        plan_platform_t *pf = seed <= 20 ? complete(5, seed) : drawn(seed);
        plan_tree_t *all[3], *kept[3];
        double share[3] = {0.2, 0.3, 0.5}, best = 0, got = 0;
        size_t n = 3;
        make_trees(5, all);
        for (int i = 0; i <= 50; i++)
            for (int k = 0; i + k <= 50; k++) {
                double tp = 0, grid[3] = {i, k, 50 - i - k};
                CU_ASSERT_EQUAL(plan_throughput(pf, 3, all, grid, 65536, &tp, NULL), PLAN_OK);
                best = fmax(best, tp);
            }
        make_trees(5, kept);
        CU_ASSERT_EQUAL_FATAL(plani_share(pf, 65536, &n, kept, share), PLAN_OK);
        CU_ASSERT_EQUAL(plan_throughput(pf, n, kept, share, 65536, &got, NULL), PLAN_OK);
        CU_ASSERT(got >= best * (1 - 1e-9));
        CU_ASSERT(got <= best * 1.1);
        double sum = 0;
        for (size_t t = 0; t < n; t++) {
            CU_ASSERT(share[t] > 1e-7 && kept[t] != NULL);
            sum += share[t];
        }
        CU_ASSERT_DOUBLE_EQUAL(sum, 1, 1e-12);
        for (size_t t = n; t < 3; t++, dropped++) CU_ASSERT_PTR_NULL(kept[t]);
        for (size_t t = 0; t < 3; t++) plan_tree_destroy(&all[t]);
        for (size_t t = 0; t < n; t++) plan_tree_destroy(&kept[t]);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT(dropped > 0);
}

static void every_failing_allocation_comes_back(void)
{
    plan_platform_t *pf = complete(5, 1);
    for (long k = 1;; k++) {
        plan_tree_t *tree[3];
        double share[3] = {0.2, 0.3, 0.5};
        size_t n = 3;
        make_trees(5, tree);
        alloc_fail(k);
        plan_status_t rc = plani_share(pf, 65536, &n, tree, share);
        bool failed = alloc_failed();
        for (size_t t = 0; t < n; t++) plan_tree_destroy(&tree[t]);
        CU_ASSERT_EQUAL(rc, failed ? PLAN_ENOMEM : PLAN_OK);
        if (!failed) break;
        CU_ASSERT_FATAL(k < 100);
    }
    plan_platform_destroy(&pf);
}

SUITE_MAIN("shares", TEST(rows_limit_the_sum_of_rates), TEST(rows_that_never_fill_first_change_nothing),
           TEST(no_other_shares_sustain_more), TEST(every_failing_allocation_comes_back))
