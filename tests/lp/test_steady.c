/* The steady-state bound against closed forms, and by cuts against the direct program. */
#include "lp/direct.h"
#include "suite.h"
#include "arrays.h"
#include "check.h"
#include "lib/base/splitmix.h"
#include "oracle/tree_packing.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const plan_steady_options_t CUTS = {.size = sizeof CUTS, .gap = 1e-9, .pack_trees = true};
static plani_solver_t *const both[] = {plani_steady_direct, plani_steady_solve};

/* Both methods give `expected` (to 1e-9), and what they return holds together. */
static void gives(const arrays_t *a, double expected)
{
    for (int i = 0; i < 2; i++) {
        plan_steady_t *s = NULL;
        plan_error_t err;
        CU_ASSERT_EQUAL_FATAL(both[i](&a->p, &CUTS, &s, &err), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(plan_steady_data(s)->throughput, expected, 2e-9 * expected);
        CU_ASSERT_DOUBLE_EQUAL(plan_steady_data(s)->upper, expected, 2e-9 * expected);
        CU_ASSERT_PTR_NULL(check_solution(&a->p, s, 0.9999));
        plan_steady_destroy(&s);
        CU_ASSERT_PTR_NULL(s);
    }
}

/* One link of 0.25 s: 4 slices per second. */
static void two_ranks_run_at_the_rate_of_their_link(void)
{
    arrays_t a;
    arrays_start(&a, 2, 1);
    arrays_link(&a, 1, 0, 0.25);
    gives(&a, 4);
}

/* The hub sends every slice once down each link, one after the other. */
static void star_is_bound_by_the_sum_of_its_costs(void)
{
    arrays_t a;
    arrays_start(&a, 5, 0);
    for (int v = 1; v < 5; v++) arrays_link(&a, 0, v, 1e-6 * v);
    gives(&a, 1e6 / (1 + 2 + 3 + 4));
}

static void chain_is_bound_by_its_slowest_link(void)
{
    arrays_t a;
    arrays_start(&a, 5, 0);
    for (int v = 1; v < 5; v++) arrays_link(&a, v - 1, v, v == 3 ? 0.5 : 0.1);
    gives(&a, 2);
}

/* Equal costs c on all links: n - 1 receptions by n senders, but the receive ports and the root allow 1/c at most. */
static void complete_homogeneous_is_bound_by_one_port(void)
{
    arrays_t a;
    arrays_start(&a, 8, 3);
    for (int u = 0; u < 8; u++)
        for (int v = 0; v < 8; v++)
            if (u != v) arrays_link(&a, u, v, 1e-3);
    gives(&a, 1e3);
}

/* Two leaves below the root, linked to each other both ways: two trees at half the rate each beat any single one. */
static void two_trees_beat_one_where_the_root_is_slow(void)
{
    arrays_t a;
    arrays_start(&a, 3, 0);
    arrays_link(&a, 0, 1, 1);
    arrays_link(&a, 0, 2, 1);
    arrays_link(&a, 1, 2, 2);
    arrays_link(&a, 2, 1, 2);
    gives(
        &a,
        0.75); /* x down each root link, y across each way: 2x <= 1 at the root, x + 2y <= 1 into a leaf, TP = x + y */
}

/* The same below a link that holds its ports and a resource for less than its own time of 2.5 s. One tree sustains 0.5
 * slices/s, which is more than that time allows, and less than two trees do. */
static void a_link_is_bound_by_what_it_holds(void)
{
    static const double port[] = {0.1, 1, 1, 2, 2};
    arrays_t a;
    arrays_start(&a, 4, 0);
    arrays_link(&a, 0, 1, 2.5);
    arrays_link(&a, 1, 2, 1);
    arrays_link(&a, 1, 3, 1);
    arrays_link(&a, 2, 3, 2);
    arrays_link(&a, 3, 2, 2);
    arrays_resource(&a, 1);
    arrays_hold(&a, 0);
    a.p.port = port;
    gives(&a, 0.75);
}

/* Two hosts of 4 ranks; inside a host 1 us, between hosts 2 us, and both directions of the second host's card are
 * shared at 5 us per slice: every slice has to come through that card once. */
static void shared_card_bounds_eight_ranks(void)
{
    arrays_t a;
    arrays_start(&a, 8, 0);
    for (int u = 0; u < 8; u++)
        for (int v = 0; v < 8; v++)
            if (u != v) arrays_link(&a, u, v, u / 4 == v / 4 ? 1e-6 : 2e-6);
    arrays_resource(&a, 5e-6);
    for (size_t l = 0; l < a.p.nlinks; l++)
        if (a.from[l] / 4 != a.to[l] / 4) arrays_hold(&a, l);
    gives(&a, 2e5);
}

/* Eight ranks alone on their hosts but behind one trunk: the trunk carries each slice to all of them unless one of them
 * may pass it on. Here none may. */
static void trunk_carries_a_slice_for_every_rank_behind_it(void)
{
    arrays_t a;
    arrays_start(&a, 9, 0);
    for (int v = 1; v < 9; v++) arrays_link(&a, 0, v, 1e-3);
    arrays_resource(&a, 4e-3);
    for (size_t l = 0; l < 8; l++) arrays_hold(&a, l);
    gives(&a, 1 / 32e-3);
}

/* Cayley: n^(n-2) trees, each an arborescence from every root. */
static void oracle_knows_all_arborescences(void)
{
    arrays_t a;
    size_t trees;
    arrays_start(&a, 6, 2);
    for (int u = 0; u < 6; u++)
        for (int v = 0; v < 6; v++)
            if (u != v) arrays_link(&a, u, v, 1);
    CU_ASSERT_DOUBLE_EQUAL(oracle_tree_packing(&a.p, &trees), 1, 1e-12);
    CU_ASSERT_EQUAL(trees, 6 * 6 * 6 * 6);
}

static void all_trees_together_reach_the_bound_and_no_more(void)
{
    for (unsigned long seed = 0; seed < 200; seed++) {
        arrays_t a;
        size_t trees;
        arrays_random(&a, 6, 1e-4, seed % 3, seed % 2, 1000 + seed);
        double expected = oracle_tree_packing(&a.p, &trees);
        for (int i = 0; i < 2; i++) {
            plan_steady_t *s = NULL;
            CU_ASSERT_EQUAL_FATAL(both[i](&a.p, &CUTS, &s, NULL), PLAN_OK);
            CU_ASSERT_DOUBLE_EQUAL(plan_steady_data(s)->throughput, expected, 2e-9 * expected);
            CU_ASSERT_DOUBLE_EQUAL(plan_steady_data(s)->upper, expected, 2e-9 * expected);
            CU_ASSERT_PTR_NULL(check_solution(&a.p, s, 0.9999));
            plan_steady_destroy(&s);
        }
    }
}

static void methods_agree(int count, int most, double typical, double decades, int resources)
{
    plan_steady_options_t direct = {.size = sizeof direct, .gap = 0},
                          cuts = {.size = sizeof cuts, .gap = 1e-8, .pack_trees = true};

    for (int i = 0; i < count; i++) {
        arrays_t a;
        plan_steady_t *d = NULL, *c = NULL;
        plan_error_t err;
        arrays_random(&a, most, typical, decades, resources, (uint64_t)i);
        CU_ASSERT_EQUAL_FATAL(plani_steady_direct(&a.p, &direct, &d, &err), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_steady_solve(&a.p, &cuts, &c, &err), PLAN_OK);
        double tp = plan_steady_data(d)->throughput;
        const char *wrong = check_solution(&a.p, c, 0.999);
        if (wrong == NULL) wrong = check_solution(&a.p, d, 0);
        if (wrong == NULL && fabs(plan_steady_data(c)->throughput - tp) > 1e-7 * tp) wrong = "lower ends differ";
        if (wrong == NULL && fabs(plan_steady_data(c)->upper - plan_steady_data(d)->upper) > 1e-7 * tp)
            wrong = "upper ends differ";
        if (wrong == NULL && fabs(plan_steady_data(d)->gap) > 1e-7) wrong = "the direct program leaves a gap";
        if (wrong != NULL)
            printf("\n  seed %d: %s: direct %.12g %.12g, cuts %.12g %.12g", i, wrong, tp, plan_steady_data(d)->upper,
                   plan_steady_data(c)->throughput, plan_steady_data(c)->upper);
        CU_ASSERT_PTR_NULL(wrong);
        plan_steady_destroy(&d);
        plan_steady_destroy(&c);
    }
}

static void methods_agree_on_ports_alone(void)
{
    methods_agree(100, 12, 1e-3, 0.5, 0);
}

static void methods_agree_with_resources(void)
{
    methods_agree(100, 12, 1e-5, 0.5, 1);
}

static void methods_agree_over_decades_of_cost(void)
{
    methods_agree(100, 12, 1, 4, 0);
    methods_agree(50, 10, 1, 3, 1);
}

static void methods_agree_on_nanoseconds_and_hours(void)
{
    methods_agree(30, 10, 1e-9, 1, 1);
    methods_agree(30, 10, 1e3, 1, 1);
}

/* Other costs of the same links: each up to 1 + spread times as much, in another unit. */
static void change_costs(arrays_t *a, double spread, uint64_t seed)
{
    for (size_t l = 0; l < a->p.nlinks; l++) a->cost[l] *= 7 * (1 + spread * plani_random_unit(&seed));
    for (size_t i = 0; i < a->p.nresources; i++) a->share[i] *= 7 * (1 + spread * plani_random_unit(&seed));
}

/* What another program's solution tells holds here, and no round is spent; where it does not do, the program is
 * solved. */
static void a_known_solution_bounds_other_costs(void)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        double spread = seed % 3 == 0 ? 0 : 0.05;
        plan_steady_t *known = NULL, *direct = NULL, *s = NULL, *solved = NULL;
        arrays_t a;
        arrays_random(&a, 12, 1e-3, seed % 4, seed % 2, seed);
        CU_ASSERT_EQUAL_FATAL(plani_steady_solve(&a.p, &CUTS, &known, NULL), PLAN_OK);
        change_costs(&a, spread, seed);
        CU_ASSERT_EQUAL_FATAL(plani_steady_direct(&a.p, &CUTS, &direct, NULL), PLAN_OK);
        const plan_steady_t *list[] = {known};
        plan_steady_options_t how = {
            .size = sizeof how, .gap = spread > 0 ? 0.2 : 1e-8, .pack_trees = true, .known = list, .nknown = 1};
        CU_ASSERT_EQUAL_FATAL(plani_steady_solve(&a.p, &how, &s, NULL), PLAN_OK);
        CU_ASSERT_STRING_EQUAL(plan_steady_data(s)->method, "known");
        CU_ASSERT_EQUAL(plan_steady_data(s)->rounds, 0);
        CU_ASSERT_PTR_NULL(check_solution(&a.p, s, spread > 0 ? 1 - how.gap : 0.999));
        double optimum = plan_steady_data(direct)->throughput;
        CU_ASSERT(plan_steady_data(s)->throughput <= optimum * (1 + 1e-7) &&
                  plan_steady_data(s)->upper >= optimum * (1 - 1e-7));
        CU_ASSERT(plan_steady_data(s)->gap <= how.gap);
        how.gap = 1e-8;
        CU_ASSERT_EQUAL_FATAL(plani_steady_solve(&a.p, &how, &solved, NULL), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(plan_steady_data(solved)->upper, optimum, 1e-7 * optimum);
        plan_steady_destroy(&known);
        plan_steady_destroy(&direct);
        plan_steady_destroy(&s);
        plan_steady_destroy(&solved);
    }
}

/* "mix" where trees alone close the gap, "columns" where a program over them does; cuts are seldom needed here. */
static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All of it, and no more than passed: a clock of the test's own runs around them all. */
static void the_time_taken_lies_within_the_time_that_passed(void)
{
    double told = 0, start = seconds_now();
    arrays_t a;

    arrays_random(&a, 12, 1e-4, 1, 4, 5);
    for (int i = 0; i < 20; i++) {
        plan_steady_t *s = NULL;
        CU_ASSERT_EQUAL_FATAL(both[i % 2](&a.p, &CUTS, &s, NULL), PLAN_OK);
        CU_ASSERT(plan_steady_data(s)->seconds > 0);
        told += plan_steady_data(s)->seconds;
        plan_steady_destroy(&s);
    }
    CU_ASSERT(told <= seconds_now() - start);
}

static void the_stage_that_ended_it_is_named(void)
{
    static const char *const names[] = {"mix", "columns", "cuts"};
    int count[3] = {0};
    arrays_t a;
    plan_steady_t *s = NULL;
    arrays_start(&a, 2, 0);
    arrays_link(&a, 0, 1, 1);
    CU_ASSERT_EQUAL_FATAL(plani_steady_solve(&a.p, &CUTS, &s, NULL), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(plan_steady_data(s)->method, "mix");
    plan_steady_destroy(&s);
    CU_ASSERT_EQUAL_FATAL(plani_steady_direct(&a.p, &CUTS, &s, NULL), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(plan_steady_data(s)->method, "direct");
    plan_steady_destroy(&s);
    for (uint64_t seed = 0; seed < 60; seed++) {
        plan_steady_options_t rough = CUTS;
        rough.gap = seed % 3 == 0 ? 1e-2 : 1e-9; /* a hundredth is the mix's to close, mostly */
        arrays_random(&a, 20, 1e-3, seed % 4, seed % 2, seed);
        CU_ASSERT_EQUAL_FATAL(plani_steady_solve(&a.p, &rough, &s, NULL), PLAN_OK);
        for (int i = 0; i < 3; i++) count[i] += strcmp(plan_steady_data(s)->method, names[i]) == 0;
        plan_steady_destroy(&s);
    }
    CU_ASSERT_EQUAL(count[0] + count[1] + count[2], 60);
    CU_ASSERT(count[0] > 5 && count[1] > 5);
}

SUITE_MAIN("steady", TEST(two_ranks_run_at_the_rate_of_their_link), TEST(star_is_bound_by_the_sum_of_its_costs),
           TEST(chain_is_bound_by_its_slowest_link), TEST(complete_homogeneous_is_bound_by_one_port),
           TEST(two_trees_beat_one_where_the_root_is_slow), TEST(a_link_is_bound_by_what_it_holds),
           TEST(shared_card_bounds_eight_ranks), TEST(trunk_carries_a_slice_for_every_rank_behind_it),
           TEST(oracle_knows_all_arborescences), TEST(all_trees_together_reach_the_bound_and_no_more),
           TEST(methods_agree_on_ports_alone), TEST(methods_agree_with_resources),
           TEST(methods_agree_over_decades_of_cost), TEST(methods_agree_on_nanoseconds_and_hours),
           TEST(a_known_solution_bounds_other_costs), TEST(the_time_taken_lies_within_the_time_that_passed),
           TEST(the_stage_that_ended_it_is_named))
