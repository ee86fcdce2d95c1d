/* Closed forms of the Open MPI topologies. That Open MPI sends along them is tests/mpi/test_topology_monitor. */
#include "graphs/trees/trees.h"
#include "suite.h"
#include "alloc.h"
#include <planbcast/tree.h>
#include <string.h>

static int floor_log(int base, int x)
{
    int l = 0;
    for (long long power = base; power <= x; power *= base) l++;
    return l;
}

static int height(plan_topology_t kind, int ranks, int root, int fanout)
{
    plan_tree_t *t = NULL;
    if (plan_tree_topology(kind, ranks, root, fanout, &t) != PLAN_OK) return -1;
    int h = plan_tree_data(t)->root == root ? plan_tree_data(t)->height : -2;
    plan_tree_destroy(&t);
    return h;
}

/* Most ones among the binary digits of 0 .. n - 1: the depth of v in the binomial tree is its count of ones. */
static int binomial_height(int n)
{
    int most = 0;
    for (int v = 0; v < n; v++) {
        int ones = 0;
        for (int x = v; x; x /= 2) ones += x % 2;
        if (ones > most) most = ones;
    }
    return most;
}

static void heights_are_those_of_the_closed_forms(void)
{
    for (int n = 1; n <= 300; n++)
        for (int root = 0; root < n; root += 1 + n / 3) {
            CU_ASSERT_EQUAL(height(PLAN_LINEAR, n, root, 0), n > 1);
            CU_ASSERT_EQUAL(height(PLAN_PIPELINE, n, root, 0), n - 1);
            CU_ASSERT_EQUAL(height(PLAN_CHAIN, n, root, 0), (n - 1 + 3) / 4);
            CU_ASSERT_EQUAL(height(PLAN_CHAIN, n, root, 7), (n - 1 + 6) / 7);
            CU_ASSERT_EQUAL(height(PLAN_CHAIN, n, root, 1000), (n - 1 + 31) / 32);
            CU_ASSERT_EQUAL(height(PLAN_BINARY, n, root, 0), floor_log(2, n));
            CU_ASSERT_EQUAL(height(PLAN_SPLIT_BINARY, n, root, 2), floor_log(2, n));
            CU_ASSERT_EQUAL(height(PLAN_BINOMIAL, n, root, 0), binomial_height(n));
            CU_ASSERT_EQUAL(height(PLAN_KNOMIAL, n, root, 2), binomial_height(n));
        }
    for (int k = 2; k <= 9; k++) /* k^e ranks: e digits */
        for (int e = 1, n = k; n < 5000; n *= k, e++) CU_ASSERT_EQUAL(height(PLAN_KNOMIAL, n, 1, k), e);
    CU_ASSERT_EQUAL(height(PLAN_KNOMIAL, 256, 3, 0), 4);
    CU_ASSERT_EQUAL(height(PLAN_KNOMIAL, 256, 3, 1 << 30), 1);
    CU_ASSERT_EQUAL(height(PLAN_BINARY, 1 << 20, 3, 0), 20);
    CU_ASSERT_EQUAL(height(PLAN_PIPELINE, 1 << 20, 3, 0), (1 << 20) - 1);
}

static void the_root_of_a_binomial_tree_sends_to_the_powers_of_two(void)
{
    plan_tree_t *t = NULL;
    int n;
    CU_ASSERT_EQUAL_FATAL(plan_tree_topology(PLAN_BINOMIAL, 20, 5, 0, &t), PLAN_OK);
    const int *child = plan_tree_children(t, 5, &n);
    static const int expected[] = {6, 7, 9, 13, 1};
    CU_ASSERT(n == 5 && memcmp(child, expected, sizeof expected) == 0);
    plan_tree_destroy(&t);
    CU_ASSERT_EQUAL_FATAL(plan_tree_topology(PLAN_KNOMIAL, 20, 5, 0, &t), PLAN_OK);
    child = plan_tree_children(t, 5, &n); /* 16, then 4 8 12, then 1 2 3 */
    static const int knomial[] = {1, 9, 13, 17, 6, 7, 8};
    CU_ASSERT(n == 7 && memcmp(child, knomial, sizeof knomial) == 0);
    plan_tree_destroy(&t);
}

/* Left of the root are the ranks that lie at odd distance; partners come from both sides. */
static void split_binary_partners_swap_halves(void)
{
    for (int n = 1; n <= 65; n++)
        for (int root = 0; root < n; root++) {
            int partner[65], wrong = 0;
            CU_ASSERT_EQUAL(plani_split_binary_partners(n, root, partner), PLAN_OK);
            for (int r = 0; r < n; r++) {
                if (partner[r] == -1) {
                    wrong += r != root || n % 2 == 0;
                    continue;
                }
                wrong += partner[r] == r || partner[partner[r]] != r;
                wrong += r != root && ((partner[r] - root + n) % n + (r - root + n) % n) % 2 == 0 && partner[r] != root;
            }
            CU_ASSERT_EQUAL(wrong, 0);
        }
    int partner[1];
    CU_ASSERT_EQUAL(plani_split_binary_partners(0, 0, partner), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_split_binary_partners(1, 1, partner), PLAN_EINVAL);
}

static void names_are_those_of_the_command(void)
{
    static const char *const names[] = {"linear", "chain", "pipeline", "split_binary", "binary", "binomial", "knomial"};
    plan_topology_t kind;
    for (int k = 0; k < PLAN_TOPOLOGIES; k++) {
        CU_ASSERT_STRING_EQUAL(plan_topology_name((plan_topology_t)k), names[k]);
        CU_ASSERT(plan_topology_from_name(names[k], &kind) == PLAN_OK && (int)kind == k);
    }
    CU_ASSERT_EQUAL(plan_topology_from_name("ring", &kind), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_topology_from_name("", &kind), PLAN_EINVAL);
    CU_ASSERT_STRING_EQUAL(plan_topology_name(PLAN_TOPOLOGIES), "unknown");
}

static void what_a_topology_does_not_take_is_refused(void)
{
    CU_ASSERT_EQUAL(height(PLAN_LINEAR, 5, 0, 1), -1);
    CU_ASSERT_EQUAL(height(PLAN_CHAIN, 5, 0, -1), -1);
    CU_ASSERT_EQUAL(height(PLAN_PIPELINE, 5, 0, 2), -1);
    CU_ASSERT_EQUAL(height(PLAN_BINARY, 5, 0, 3), -1);
    CU_ASSERT_EQUAL(height(PLAN_KNOMIAL, 5, 0, 1), -1);
    CU_ASSERT_EQUAL(height(PLAN_TOPOLOGIES, 5, 0, 0), -1);
    CU_ASSERT_EQUAL(height(PLAN_BINARY, 0, 0, 0), -1);
    CU_ASSERT_EQUAL(height(PLAN_BINARY, 5, 5, 0), -1);
    CU_ASSERT_EQUAL(height(PLAN_BINARY, 5, -1, 0), -1);
}

static void every_failing_allocation_is_reported(void)
{
    for (int k = 0; k < PLAN_TOPOLOGIES; k++) {
        plan_tree_t *t = NULL;
        ALLOC_EACH(plan_tree_topology((plan_topology_t)k, 9, 2, 0, &t), CU_ASSERT_EQUAL(status, PLAN_ENOMEM);
                   CU_ASSERT_PTR_NULL(t));
        plan_tree_destroy(&t);
    }
}

SUITE_MAIN("topology", TEST(heights_are_those_of_the_closed_forms),
           TEST(the_root_of_a_binomial_tree_sends_to_the_powers_of_two), TEST(split_binary_partners_swap_halves),
           TEST(names_are_those_of_the_command), TEST(what_a_topology_does_not_take_is_refused),
           TEST(every_failing_allocation_is_reported))
