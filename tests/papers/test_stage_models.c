/* The models of broadcast and reduce of the report 003 at points computed by hand, and where closed forms and stages
 * must be equal. */
#include "suite.h"
#include "bench/papers/003.d/models.h"

static const double gammas[] = {1, 1.25, 1.5, 2};
static const channels_t channels = {0.25, 1, 4, gammas}; /* Q = 4 */

/* Four children at once take gamma(5); one after the other they would take 4, eqs (1) and (4). */
static void linear_takes_gamma_of_all_ranks(void)
{
    CU_ASSERT_DOUBLE_EQUAL(closed_linear(1, &channels, 5), 2, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(closed_linear_bound(1, 5), 4, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(stages_broadcast(&channels, PLAN_LINEAR, 5, 1, 1), 2, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(stages_reduce(&channels, PLAN_LINEAR, 5, 1, 1), 2, 1e-12);
}

/* 4 ranks, 3 segments: 4 + 3 - 2 = 5 stages, eq. (2). */
static void chain_takes_ranks_and_segments_less_two(void)
{
    CU_ASSERT_DOUBLE_EQUAL(closed_chain(&channels, 4, 1, 3), 5, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(closed_chain(&channels, 4, 4, 3), 5 * 0.25, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(stages_broadcast(&channels, PLAN_PIPELINE, 4, 1, 3), 5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(stages_reduce(&channels, PLAN_PIPELINE, 4, 1, 3), 5, 1e-12);
}

/*
 * 6 ranks in hosts of 2, 2 segments; links 2 and 4 cross hosts (x: a segment passes, X: across hosts):
 *
 *     stage    1 2 3 4 5 6
 *     link 1   x x
 *     link 2     X X
 *     link 3       x x
 *     link 4         X X
 *     link 5           x x       four stages of the network, two of shared memory
 */
static void chain_across_hosts_pays_for_the_network_while_a_segment_crosses(void)
{
    CU_ASSERT_DOUBLE_EQUAL(closed_chain(&channels, 6, 2, 2), 4 + 2 * 0.25, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(stages_broadcast(&channels, PLAN_PIPELINE, 6, 2, 2), 4.5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(stages_reduce(&channels, PLAN_PIPELINE, 6, 2, 2), 4.5, 1e-12);
}

/* 7 ranks, 4 segments: 2 + 4 - 1 = 5 stages of gamma(3), eq. (3). */
static void binary_takes_its_height_and_segments_less_one(void)
{
    CU_ASSERT_DOUBLE_EQUAL(closed_binary(1, &channels, 7, 4), 5 * 1.25, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(stages_broadcast(&channels, PLAN_BINARY, 7, 1, 4), 6.25, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(stages_reduce(&channels, PLAN_BINARY, 7, 1, 4), 6.25, 1e-12);
}

/* A reduce is its broadcast backwards: the same stages, for any tree and placement. */
static void reduce_costs_what_the_broadcast_does(void)
{
    for (int kind = 0; kind < PLAN_TOPOLOGIES; kind++)
        for (int ranks = 2; ranks <= 5; ranks++)
            for (int per_host = 1; per_host <= 5; per_host++)
                for (int segments = 1; segments <= 9; segments += 4)
                    CU_ASSERT_DOUBLE_EQUAL(
                        stages_broadcast(&channels, (plan_topology_t)kind, ranks, per_host, segments),
                        stages_reduce(&channels, (plan_topology_t)kind, ranks, per_host, segments), 1e-12);
}

static void chains_meet_their_closed_form_everywhere(void)
{
    for (int ranks = 2; ranks <= 13; ranks++)
        for (int per_host = 1; per_host <= 14; per_host++)
            for (int segments = 1; segments <= 9; segments++)
                CU_ASSERT_DOUBLE_EQUAL(closed_chain(&channels, ranks, per_host, segments),
                                       stages_broadcast(&channels, PLAN_PIPELINE, ranks, per_host, segments), 1e-12);
}

SUITE_MAIN("stage models", TEST(linear_takes_gamma_of_all_ranks), TEST(chain_takes_ranks_and_segments_less_two),
           TEST(chain_across_hosts_pays_for_the_network_while_a_segment_crosses),
           TEST(binary_takes_its_height_and_segments_less_one), TEST(reduce_costs_what_the_broadcast_does),
           TEST(chains_meet_their_closed_form_everywhere))
