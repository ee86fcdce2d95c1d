/* Explanations of plans made by hand, with figures that are computed by hand. */
#include "suite.h"
#include "plans.h"
#include "planner/plan/plan_private.h"

static const int chain[] = {-1, 0, 1, 2}, star[] = {-1, 0, 0, 0}, hosts[] = {0, 1, 0, 1};

/* The plan of candidate c (which is consumed) explains a message of `bytes` as `text`. */
static void says(plan_candidate_t c, plani_note_t note, const int *on, size_t bytes, const char *text)
{
    plan_range_t range = {4 << 20, &c};
    plan_t *plan = NULL;
    char *is = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_plan_create(4, 0, 1, &range, &note, on, &plan, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_explain(plan, NULL, bytes, &is), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(is, text);
    if (strcmp(is, text) != 0) fprintf(stderr, "\nsays\n%sinstead of\n%s", is, text);
    free(is);
    plan_destroy(&plan);
    plani_candidate_clear(&c);
}

static plan_candidate_t timed(plan_candidate_t c, double predicted_s, double measured_s)
{
    c.predicted_s = predicted_s;
    c.measured_s = measured_s;
    c.throughput = c.lp_ratio = NAN;
    return c;
}

static void times_are_told_beside_the_next_best(void)
{
    const plani_note_t none = {.runner_up_s = NAN};
    says(timed(one_tree("grow", 4, chain, NULL, 0, 1), 2e-3, NAN), none, NULL, 4096,
         "4 KiB from rank 0 to 4 ranks: grow, sent whole\npredicted 2 ms\n"
         "one tree: height 3, rank 0 sends to 1\n");
    says(timed(one_tree("grow", 4, star, NULL, 0, 1), 2e-3, 4e-3),
         (plani_note_t){.at_bytes = 8192, .runner_up = "chain", .runner_up_s = 6e-3}, NULL, 4096,
         "4 KiB from rank 0 to 4 ranks: grow, sent whole\n"
         "measured 4 ms (predicted 2 ms) for 8 KiB; next best: chain, 6 ms (1.50 times as long)\n"
         "one tree: height 1, rank 0 sends to 1, 2, 3\n");
    says(timed(one_tree("native", 4, NULL, NULL, 0, 1), NAN, 5e-3),
         (plani_note_t){.at_bytes = 4096, .runner_up = "chain", .runner_up_s = 6e-3}, NULL, 4096,
         "4 KiB from rank 0 to 4 ranks: native, the MPI library's own MPI_Bcast\n"
         "measured 5 ms; next best: chain, 6 ms (1.20 times as long)\n");
}

/* Five slices of 1,000 bytes for 4,096; a hundred a second are half of 200, or 5/4 of 80. */
static void rates_are_told_beside_the_bound(void)
{
    const plani_note_t none = {.runner_up_s = NAN};
    plan_candidate_t c = timed(one_tree("grow", 4, chain, NULL, 1000, 3), 2, NAN);
    c.throughput = 100;
    c.lp_ratio = 0.5;
    c.bottleneck = (plan_bottleneck_t){.at = PLAN_AT_LINK, .index = 3, .seconds = 0.01};
    says(c, none, hosts, 4096,
         "4 KiB from rank 0 to 4 ranks: grow, 5 slices of 1000 B, up to 3 in flight per child\npredicted 2 s\n"
         "by the model sustains 100 slices/s (100 kB/s), 50.0% of the bound of the platform planned on, 200\n"
         "bottleneck: link 3, busy for 10 ms per slice\n"
         "one tree: height 3, rank 0 sends to 1; 3 links between hosts, where 1 is the least\n");
    for (int known = 0; known < 2; known++) { /* no bound is known, or none was found */
        c = timed(one_tree("grow", 4, star, NULL, 0, 3), 2, NAN);
        c.throughput = 1;
        c.lp_ratio = known ? 0 : NAN;
        says(c, none, NULL, 4096,
             "4 KiB from rank 0 to 4 ranks: grow, sent whole\npredicted 2 s\n"
             "by the model sustains 1 slices/s (4.1 kB/s)\n"
             "one tree: height 1, rank 0 sends to 1, 2, 3\n");
    }
    c = timed(one_tree("grow", 4, star, NULL, 0, 3), 2, NAN); /* planned at 8 KiB, whole */
    c.throughput = 1;
    c.bottleneck = (plan_bottleneck_t){.at = PLAN_AT_LINK, .index = 3, .seconds = 0.5};
    says(c, (plani_note_t){.at_bytes = 8192, .runner_up_s = NAN}, NULL, 4096,
         "4 KiB from rank 0 to 4 ranks: grow, sent whole\npredicted 2 s for 8 KiB\n"
         "by the model sustains 1 slices/s of 8 KiB (8.19 kB/s)\n"
         "bottleneck: link 3, busy for 500 ms per slice of 8 KiB\n"
         "one tree: height 1, rank 0 sends to 1, 2, 3\n");
    c = timed(one_tree("grow", 4, star, NULL, 0, 3), 2, NAN);
    c.throughput = c.lp_ratio = 1; /* the bound itself */
    says(c, none, NULL, 4096,
         "4 KiB from rank 0 to 4 ranks: grow, sent whole\npredicted 2 s\n"
         "by the model sustains 1 slices/s (4.1 kB/s), 100.0% of the bound of the platform planned on, 1\n"
         "one tree: height 1, rank 0 sends to 1, 2, 3\n");
    c = timed(one_tree("grow", 4, star, NULL, 4096, 3), 2, NAN);
    c.throughput = 100;
    c.lp_ratio = 1.25;
    c.bottleneck = (plan_bottleneck_t){.at = PLAN_AT_SEND_PORT, .index = 3, .seconds = 0.01};
    says(c, none, hosts, 4096,
         "4 KiB from rank 0 to 4 ranks: grow, sent whole\npredicted 2 s\n"
         "by the model sustains 100 slices/s (410 kB/s), 125.0% of the bound of the platform planned on, 80\n"
         "bottleneck: rank 3 (host 1), sending, busy for 10 ms per slice\n"
         "one tree: height 1, rank 0 sends to 1, 2, 3; 2 links between hosts, where 1 is the least\n");
}

static void shares_of_trees_are_told(void)
{
    const plani_note_t none = {.runner_up_s = NAN};
    says(timed(two_trees("lp-trees", 4, chain, star, 30, 10), NAN, NAN), none, NULL, 4 << 16,
         "256 KiB from rank 0 to 4 ranks: lp-trees, 4 slices of 64 KiB, up to 4 in flight per child\n"
         "tree 1 with 75.0% of the slices: height 3, rank 0 sends to 1\n"
         "tree 2 with 25.0% of the slices: height 1, rank 0 sends to 1, 2, 3\n");
    says(timed(two_trees("lp-trees", 4, chain, star, 30, 10), NAN, NAN), none, NULL, 65537, /* both go down the first */
         "64 KiB from rank 0 to 4 ranks: lp-trees, 2 slices of 64 KiB, up to 4 in flight per child\n"
         "one tree: height 3, rank 0 sends to 1\n");
    says(timed(two_trees("lp-trees", 4, chain, star, 10, 30), NAN, NAN), none, NULL, 65536,
         "64 KiB from rank 0 to 4 ranks: lp-trees, sent whole\n"
         "one tree: height 1, rank 0 sends to 1, 2, 3\n");
}

/* Circulant rounds for four ranks and seven blocks: 7 - 1 + 2. What holds up blocks that are no slices is told for
 * the whole message, twice what is held for half of it. */
static void rounds_are_told_as_blocks(void)
{
    static const int order[] = {0, 2, 3, 1};
    const plani_note_t none = {.runner_up_s = NAN};
    plan_candidate_t c = timed(in_rounds("circulant", PLAN_CIRCULANT, 4, order, 1000, 2), NAN, NAN);
    c.bottleneck = (plan_bottleneck_t){.at = PLAN_AT_RESOURCE, .index = 7, .seconds = 0.25};
    says(c, none, NULL, 6001,
         "5.86 KiB from rank 0 to 4 ranks: circulant, 7 slices of 1000 B, up to 2 in flight each way\n"
         "bottleneck: resource 7, busy for 250 ms per slice\n"
         "schedule circulant: 7 blocks in 8 rounds, the ranks in the order 0 2 3 1\n");
    c = timed(in_rounds("scatter-ring", PLAN_SCATTER_RING, 4, order, 500, 2), NAN, NAN);
    c.bottleneck = (plan_bottleneck_t){.at = PLAN_AT_RECV_PORT, .index = 2, .seconds = 0.25};
    says(c, none, hosts, 1000,
         "1000 B from rank 0 to 4 ranks: scatter-ring, in one block per rank\n"
         "bottleneck: rank 2 (host 0), receiving, busy for 500 ms in all rounds together\n"
         "schedule scatter-ring: 4 blocks in 5 rounds, the ranks in the order 0 2 3 1\n");
}

static void manners_are_told_in_a_word(void)
{
    static const int order[] = {0, 2, 3, 1};
    const struct {
        plan_candidate_t c;
        size_t bytes;
        const char *manner;
    } at[] = {{one_tree("native", 4, NULL, NULL, 0, 1), 9000, "by the MPI library"},
              {one_tree("grow", 4, star, NULL, 0, 3), 9000, "whole"},
              {one_tree("grow", 4, star, NULL, 4096, 3), 4096, "whole"},
              {one_tree("grow", 4, star, NULL, 4096, 3), 4097, "in slices of 4 KiB, window 3"},
              {in_rounds("circulant", PLAN_CIRCULANT, 4, order, 512, 2), 9000, "in slices of 512 B, window 2"},
              {in_rounds("scatter-ring", PLAN_SCATTER_RING, 4, order, 512, 2), 9000, "in one block per rank"}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        plan_candidate_t c = at[i].c;
        CU_ASSERT_STRING_EQUAL(plani_sending(&c, at[i].bytes).s, at[i].manner);
        plani_candidate_clear(&c);
    }
}

/* Up to eight children are named. */
static void many_children_are_cut_short(void)
{
    static const int wide[] = {-1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (int ranks = 9; ranks <= 10; ranks++) {
        plan_candidate_t c = timed(one_tree("flat", ranks, wide, NULL, 0, 1), NAN, NAN);
        plan_range_t range = {1, &c};
        plan_t *plan = NULL;
        char *is = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_from_ranges(ranks, 0, 1, &range, NULL, &plan), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_explain(plan, NULL, 1, &is), PLAN_OK);
        CU_ASSERT_PTR_NOT_NULL(strstr(is, ranks == 9 ? "sends to 1, 2, 3, 4, 5, 6, 7, 8\n"
                                                     : "sends to 1, 2, 3, 4, 5, 6, 7, 8, ... (9 ranks)\n"));
        free(is);
        plan_destroy(&plan);
        plani_candidate_clear(&c);
    }
}

SUITE_MAIN("explain", TEST(times_are_told_beside_the_next_best), TEST(rates_are_told_beside_the_bound),
           TEST(shares_of_trees_are_told), TEST(rounds_are_told_as_blocks), TEST(many_children_are_cut_short),
           TEST(manners_are_told_in_a_word))
