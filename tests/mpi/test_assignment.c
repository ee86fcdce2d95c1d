/* Slices are assigned to trees in proportion to their rates, smoothly, and every slice once. */
#include "mpi_suite.h"
#include "cast.h"
#include "lib/mpi/execute/binding.h"
#include "planner/plan/assignment.h"
#include <math.h>
#include <stdint.h>

static void init(plani_part_t *part, int n, const double *rate)
{
    plan_candidate_t c = {.size = sizeof c, .run = PLAN_RUN_TREES, .slice = 10, .window = 1, .ntrees = (size_t)n};
    plan_tree_t *tree[8];
    double rates[8];
    int parent = -1;
    for (int t = 0; t < n; t++) {
        rates[t] = rate[t];
        CU_ASSERT_EQUAL_FATAL(plan_tree_create(1, &parent, NULL, &tree[t]), PLAN_OK);
    }
    c.tree = tree;
    c.rate = rates;
    CU_ASSERT_EQUAL_FATAL(plani_part_init(part, &c, 0), PLAN_OK);
    for (int t = 0; t < n; t++) plan_tree_destroy(&tree[t]); /* one rank has no children to be borrowed */
}

/* Hare and tortoise: 3 to 1 by Sainte-Lague, as in every textbook of apportionment. */
static void three_to_one_is_dealt_by_the_book(void)
{
    static const unsigned weight[2] = {3, 1};
    static const int expected[8] = {0, 0, 1, 0, 0, 0, 1, 0};
    int assigned[2], tree_of[8];
    plani_assign_slices(2, weight, 8, assigned, tree_of);
    for (int k = 0; k < 8; k++) CU_ASSERT_EQUAL(tree_of[k], expected[k]);
    CU_ASSERT_EQUAL(assigned[0], 6);
    CU_ASSERT_EQUAL(assigned[1], 2);
}

/* At every beginning of the sequence each tree is within two slices of its share. */
static void every_beginning_is_proportional(void)
{
    rng_t r = {8};
    for (int trial = 0; trial < 100; trial++) {
        plani_part_t part;
        int n = 1 + rng_below(&r, 8), assigned[8] = {0};
        double rate[8], sum = 0;
        for (int t = 0; t < n; t++) sum += rate[t] = 1 + rng_below(&r, trial % 2 ? 1000 : 3);
        init(&part, n, rate);
        for (int k = 0; k < part.period; k++) {
            assigned[part.tree_of[k]]++;
            for (int t = 0; t < n; t++) CU_ASSERT(fabs(assigned[t] - (k + 1) * rate[t] / sum) < 2);
        }
        plani_part_clear(&part);
    }
}

/* Counting, and going from a tree's j-th slice to the message's, agree with dealing one by one, over several periods.
 */
static void every_slice_has_one_tree(void)
{
    rng_t r = {9};
    for (int trial = 0; trial < 20; trial++) {
        plani_part_t part;
        int n = 1 + rng_below(&r, 8);
        double rate[8];
        size_t count[8] = {0};
        for (int t = 0; t < n; t++) rate[t] = rng_below(&r, 5) ? 1 + rng_below(&r, 1000) : 0;
        rate[rng_below(&r, n)] = 7;
        init(&part, n, rate);
        for (size_t k = 0; k < 3 * (size_t)part.period + 5; k++) {
            int t = part.tree_of[k % (size_t)part.period];
            CU_ASSERT(n == 1 || rate[t] > 0);
            CU_ASSERT_EQUAL(plani_branch_slice(&part, t, count[t]), k);
            count[t]++;
            if (k % 97 != 0) continue;
            for (int s = 0; s < n; s++) CU_ASSERT_EQUAL(plani_branch_slices(&part, s, k + 1), count[s]);
        }
        plani_part_clear(&part);
    }
}

static void odd_rates_are_harmless(void)
{
    plani_part_t part;
    double none[2] = {0, 0}, wild[4] = {INFINITY, NAN, -1, 3};
    init(&part, 2, none); /* no rate at all: equal shares */
    CU_ASSERT_EQUAL(part.branch[0].weight, part.branch[1].weight);
    plani_part_clear(&part);
    init(&part, 4, wild);
    CU_ASSERT_EQUAL(part.branch[3].weight, part.period);
    plani_part_clear(&part);
}

MPI_SUITE_MAIN("deal", TEST(three_to_one_is_dealt_by_the_book), TEST(every_beginning_is_proportional),
               TEST(every_slice_has_one_tree), TEST(odd_rates_are_harmless))
