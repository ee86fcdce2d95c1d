/* The optimum of single trees by branch and bound: against the enumeration of all trees on small platforms, and as the
 * reference of best-tree on larger ones. */
#include "suite.h"
#include "oracle/least_period.h"
#include "oracle/trees_by_hand.h"
#include "sample.h"
#include <math.h>
#include <planbcast/generate.h>
#include <planbcast/heuristics.h>

static double period_of(const char *name, const plan_platform_t *pf, int root, double slice)
{
    plan_tree_t *t = NULL;
    double tp = 0;
    CU_ASSERT_EQUAL_FATAL(plan_heuristic_tree(name, pf, root, slice, 0, NULL, &t, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t, NULL, slice, &tp, NULL), PLAN_OK);
    plan_tree_destroy(&t);
    return 1 / tp;
}

/* From a poor tree on, so that it has to find the optimum and not only to prove it. */
static void branch_and_bound_is_the_least_of_all_trees(void)
{
    int wrong = 0, asked = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        const sample_t s = {.ranks = 2 + (int)(seed % 5),
                            .density = seed % 3 == 0 ? 2 : 0.5,
                            .costs = seed % 4 == 0 ? 3 : 0,
                            .resources = (int)(seed % 4),
                            .multiport = seed % 7 == 0,
                            .seed = seed};
        plan_platform_t *pf = sample_platform(&s);
        const plan_platform_data_t *d = plan_platform_data(pf);
        int root = (int)(seed / 7 % (uint64_t)s.ranks);
        double least = by_hand_best_period(d, root, 2);
        oracle_least_t found;
        CU_ASSERT_EQUAL_FATAL(oracle_least_period(d, root, 2, 1.5 * period_of("fef", pf, root, 2), 60, &found), 0);
        asked += found.asked;
        wrong += !(fabs(found.period - least) <= 1e-11 * least) || found.proven != found.period;
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(asked > 100);
}

/* On 10 to 30 ranks, with resources that a third of the links share each. The optimum is proven within 20 s. */
static void best_tree_comes_within_a_percent_of_the_optimum(int resources, int all, int most)
{
    int near = 0, below = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)all; seed++) {
        const sample_t s = {
            .ranks = 10 + (int)(seed % 3) * 10, .density = 0.12, .resources = resources, .seed = 100 + seed};
        plan_platform_t *pf = sample_platform(&s);
        double mine = period_of("best-tree", pf, 0, 2);
        oracle_least_t optimum;
        CU_ASSERT_EQUAL_FATAL(oracle_least_period(plan_platform_data(pf), 0, 2, mine, 20, &optimum), 0);
        near += mine <= 1.01 * optimum.proven;
        below += mine < optimum.proven * (1 - 1e-9);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(below, 0);
    CU_ASSERT(near >= most);
}

static void best_tree_is_near_the_optimum_of_ports(void)
{
    best_tree_comes_within_a_percent_of_the_optimum(0, 20, 18);
}

static void best_tree_is_near_the_optimum_of_resources(void)
{
    best_tree_comes_within_a_percent_of_the_optimum(3, 20, 18);
}

SUITE_MAIN("least period", TEST(branch_and_bound_is_the_least_of_all_trees),
           TEST(best_tree_is_near_the_optimum_of_ports), TEST(best_tree_is_near_the_optimum_of_resources))
