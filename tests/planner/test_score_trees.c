/* Scores of several trees: one tree has the plain score, two disjoint ones half of it, loads of resources add up. */
#include "suite.h"
#include "alloc.h"
#include "sample.h"
#include <planbcast/heuristics.h>
#include "planner/taulop/score.h"
#include <math.h>

static plan_tree_t *tree_of(int n, const int *parent)
{
    plan_tree_t *t = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(n, parent, NULL, &t), PLAN_OK);
    return t;
}

static void random_parents(int n, uint64_t *state, int *parent)
{
    parent[0] = -1;
    for (int v = 1; v < n; v++) parent[v] = sample_below(state, v);
}

/* Whether listed once or by its two halves, a tree is the same; and no set of trees beats the tree's own bottleneck. */
static void one_tree_is_the_plain_score(void)
{
    plan_platform_t *pf = sample_complete(9);
    uint64_t state = 3;
    for (int round = 0; round < 50; round++) {
        int parent[9];
        random_parents(9, &state, parent);
        plan_tree_t *t[2] = {tree_of(9, parent), tree_of(9, parent)};
        double share[] = {0.25, 0}, one = -1, same = -2, with_idle = -3;
        size_t bytes = 1 + (size_t)sample_below(&state, 500), slice = (size_t)sample_below(&state, 50);
        CU_ASSERT_EQUAL(plani_score_taulop(pf, t[0], bytes, slice, 2, &one), PLAN_OK);
        CU_ASSERT_EQUAL(plani_score_trees(pf, 1, t, NULL, bytes, slice, 2, &same), PLAN_OK);
        CU_ASSERT_EQUAL(plani_score_trees(pf, 2, t, share, bytes, slice, 2, &with_idle), PLAN_OK);
        CU_ASSERT_EQUAL(one, same);
        CU_ASSERT_DOUBLE_EQUAL(with_idle / one, 1, 1e-12);
        plan_tree_destroy(&t[0]), plan_tree_destroy(&t[1]);
    }
    plan_platform_destroy(&pf);
}

/*
 * 0 feeds 1 and 2, which swap: two chains 0-1-2 and 0-2-1 put one slice each on every link. 100 slices down one chain
 * take 101 s. Shared, the send port of 0 still sends 100 slices, and 1 s fills the second hop.
 */
static void a_shared_send_port_does_not_get_faster(void)
{
    plan_platform_t *pf = sample_complete(3);
    static const int a[] = {-1, 0, 1}, b[] = {-1, 2, 0};
    plan_tree_t *t[2] = {tree_of(3, a), tree_of(3, b)};
    double share[] = {1, 1}, s = 0;
    CU_ASSERT_EQUAL(plani_score_trees(pf, 2, t, share, 100, 1, 0, &s), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(s, 101, 1e-9);
    plan_tree_destroy(&t[0]), plan_tree_destroy(&t[1]);
    plan_platform_destroy(&pf);
}

/*
 * 0 reaches 2 by way of 1 and of 3, over links of 2 s: two trees share the slices and no send port is busy for long,
 * but all slices come in at rank 2's receive port.
 */
static void a_receive_port_holds_two_trees_up(void)
{
    plan_link_t link[] = {{0, 1, 0, 0.5, 0, -1}, {0, 3, 0, 0.5, 0, -1}, {1, 2, 0, 2, 0, -1},
                          {3, 2, 0, 2, 0, -1},   {1, 3, 0, 0.1, 0, -1}, {3, 1, 0, 0.1, 0, -1}};
    plan_platform_data_t d = {.size = sizeof d, .ranks = 4, .nlinks = 6, .link = link};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    static const int by_1[] = {-1, 0, 1, 1}, by_3[] = {-1, 3, 3, 0};
    plan_tree_t *t[2] = {tree_of(4, by_1), tree_of(4, by_3)};
    double share[] = {1, 1}, one = 0, both = 0;
    CU_ASSERT_EQUAL(plani_score_trees(pf, 1, t, share, 100, 1, 0, &one), PLAN_OK);
    CU_ASSERT_EQUAL(plani_score_trees(pf, 2, t, share, 100, 1, 0, &both), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(one, 100 * 2.1 + 0.5, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(both, 100 * 2 + 0.5, 1e-9);
    plan_tree_destroy(&t[0]), plan_tree_destroy(&t[1]);
    plan_platform_destroy(&pf);
}

/* Root 0 with two hosts behind trunks: the bottleneck of each tree is its own trunk, or that of both is one trunk; but
 * for the first 10 bytes, once, where that is its burst. */
static void shared_resources_add_up(void)
{
    for (int way = 0; way < 4; way++) {
        int shared = way % 2;
        double burst = way < 2 ? 0 : 10;
        plan_link_t link[] = {
            {0, 1, 0, 0.1, 0, -1}, {0, 2, 0, 0.1, 0, -1}, {1, 2, 0, 0.1, 0, -1}, {2, 1, 0, 0.1, 0, -1}};
        size_t first[] = {0, 1}, second[] = {1};
        plan_resource_t r[] = {
            {.name = "a", .s_per_byte = 1, .burst_bytes = burst, .nlinks = shared ? 2 : 1, .link = first},
            {.name = "b", .s_per_byte = 1, .burst_bytes = burst, .nlinks = 1, .link = second}};
        plan_platform_data_t d = {
            .size = sizeof d, .ranks = 3, .nlinks = 4, .link = link, .nresources = 2, .resource = r};
        plan_platform_t *pf = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
        static const int a[] = {-1, 0, 1}, b[] = {-1, 2, 0};
        plan_tree_t *t[2] = {tree_of(3, a), tree_of(3, b)};
        double share[] = {1, 3}, s = 0;
        CU_ASSERT_EQUAL(plani_score_trees(pf, 2, t, share, 1000, 1, 0, &s), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(s, (shared ? 1000 : 750) - burst + 0.1, 1e-9);
        plan_tree_destroy(&t[0]), plan_tree_destroy(&t[1]);
        plan_platform_destroy(&pf);
    }
}

/* A trunk that carries 1 B/s in large slices, and half of it in small ones: two trees know it as one does. */
static void small_slices_get_what_the_table_says(void)
{
    plan_link_t link[] = {{0, 1, 0, 0.1, 0, -1}, {0, 2, 0, 0.1, 0, -1}, {1, 2, 0, 0.1, 0, -1}, {2, 1, 0, 0.1, 0, -1}};
    size_t both[] = {0, 1};
    plan_pairs_t table[] = {{1, 16, 0.5}, {100, 16, 1}};
    plan_resource_t r = {.name = "trunk", .s_per_byte = 1, .nlinks = 2, .link = both, .npairs = 2, .pairs = table};
    plan_platform_data_t d = {.size = sizeof d, .ranks = 3, .nlinks = 4, .link = link, .nresources = 1, .resource = &r};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    static const int a[] = {-1, 0, 1}, b[] = {-1, 2, 0};
    plan_tree_t *t[2] = {tree_of(3, a), tree_of(3, b)};
    double share[] = {1, 1}, small = 0, large = 0, halfway = 0;
    CU_ASSERT_EQUAL(plani_score_trees(pf, 2, t, share, 1000, 1, 0, &small), PLAN_OK);
    CU_ASSERT_EQUAL(plani_score_trees(pf, 2, t, share, 1000, 100, 0, &large), PLAN_OK);
    CU_ASSERT_EQUAL(plani_score_trees(pf, 2, t, share, 1000, 10, 0, &halfway), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(small, 2000 + 0.1, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(halfway, 2000 + 1, 1e-9); /* of two sizes as near by ratio, the smaller one */
    CU_ASSERT_DOUBLE_EQUAL(large, 1000 + 10, 1e-9);
    plan_tree_destroy(&t[0]), plan_tree_destroy(&t[1]);
    plan_platform_destroy(&pf);
}

/* Slices are assigned whole, the odd one to the largest remainder; huge counts do not lose any. */
static void more_slices_never_cost_less(void)
{
    plan_platform_t *pf = sample_complete(6);
    uint64_t state = 8;
    plan_tree_t *t[3];
    double share[] = {0.2, 0.5, 0.3}, before = 0, s = 0;
    for (int k = 0; k < 3; k++) {
        int parent[6];
        random_parents(6, &state, parent);
        t[k] = tree_of(6, parent);
    }
    for (size_t bytes = 0; bytes < 300; bytes += 10) {
        CU_ASSERT_EQUAL(plani_score_trees(pf, 3, t, share, bytes, 10, 0, &s), PLAN_OK);
        CU_ASSERT(bytes == 0 ? s == 0 : s > before);
        before = s;
    }
    CU_ASSERT_EQUAL(plani_score_trees(pf, 3, t, share, (size_t)-1, 1, 0, &s), PLAN_OK);
    CU_ASSERT(s > 18446744073709551615.0 && s < 6 * 18446744073709551615.0);
    for (int k = 0; k < 3; k++) plan_tree_destroy(&t[k]);
    plan_platform_destroy(&pf);
}

/* Of 10^9 slices almost all go at the steady state's throughput, which another file works out, for one to three trees.
 */
static void long_messages_approach_the_steady_state(void)
{
    enum { N = 10 };
    uint64_t state = 11;
    for (int round = 0; round < 60; round++) {
        sample_t s = {.ranks = N, .density = 1, .resources = round % 4, .multiport = false, .seed = (uint64_t)round};
        plan_platform_t *pf = sample_platform(&s);
        size_t ntrees = 1 + (size_t)round % 3, slices = 1000000000;
        plan_tree_t *t[3];
        double share[3], seconds = 0, throughput = 0;
        for (size_t k = 0; k < ntrees; k++) {
            int parent[N];
            random_parents(N, &state, parent);
            t[k] = tree_of(N, parent);
            share[k] = 1 + sample_below(&state, 4);
        }
        CU_ASSERT_EQUAL(plani_score_trees(pf, ntrees, t, share, 7 * slices, 7, 0, &seconds), PLAN_OK);
        CU_ASSERT_EQUAL(plan_throughput(pf, ntrees, t, share, 7, &throughput, NULL), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(seconds * throughput / (double)slices, 1, 1e-6);
        for (size_t k = 0; k < ntrees; k++) plan_tree_destroy(&t[k]);
        plan_platform_destroy(&pf);
    }
}

static void bad_shares_are_refused(void)
{
    plan_platform_t *pf = sample_complete(3);
    static const int a[] = {-1, 0, 1};
    plan_tree_t *t[2] = {tree_of(3, a), tree_of(3, a)};
    double negative[] = {1, -1}, nan[] = {1, NAN}, none[] = {0, 0}, good[] = {1, 1}, s = 7;
    CU_ASSERT_EQUAL(plani_score_trees(pf, 2, t, negative, 10, 1, 0, &s), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_score_trees(pf, 2, t, nan, 10, 1, 0, &s), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_score_trees(pf, 2, t, none, 10, 1, 0, &s), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_score_trees(pf, 2, t, NULL, 10, 1, 0, &s), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_score_trees(pf, 0, t, good, 10, 1, 0, &s), PLAN_EINVAL);
    CU_ASSERT_EQUAL(s, 7);
    ALLOC_EACH(plani_score_trees(pf, 2, t, good, 10, 1, 0, &s), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_tree_destroy(&t[0]), plan_tree_destroy(&t[1]);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("score_trees", TEST(one_tree_is_the_plain_score), TEST(a_shared_send_port_does_not_get_faster),
           TEST(a_receive_port_holds_two_trees_up), TEST(shared_resources_add_up),
           TEST(small_slices_get_what_the_table_says), TEST(more_slices_never_cost_less),
           TEST(long_messages_approach_the_steady_state), TEST(bad_shares_are_refused))
