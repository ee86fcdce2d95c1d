/* Bad input, failing allocations and time limits of the steady-state bound. */
#include "lp/direct.h"
#include "suite.h"
#include "alloc.h"
#include "arrays.h"
#include "check.h"
#include <math.h>
#include <string.h>

static void square(arrays_t *a)
{
    arrays_start(a, 3, 0);
    arrays_link(a, 0, 1, 1);
    arrays_link(a, 0, 2, 2);
    arrays_link(a, 1, 2, 1);
    arrays_link(a, 2, 1, 1);
    arrays_resource(a, 1);
    arrays_hold(a, 0);
    arrays_hold(a, 1);
}

/* The call fails with `status` and one line that has `word` in it, and hands out nothing. */
static void refuses(const plani_steady_problem_t *p, const plan_steady_options_t *o, plan_status_t status,
                    const char *word)
{
    plan_steady_t *s = NULL;
    plan_error_t err;

    CU_ASSERT_EQUAL(plani_steady_solve(p, o, &s, &err), status);
    CU_ASSERT_PTR_NULL(s);
    CU_ASSERT_EQUAL(err.status, status);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, word));
    CU_ASSERT_EQUAL(plani_steady_solve(p, o, &s, NULL), status);
}

static void bad_ranks_and_options_are_refused(void)
{
    arrays_t a;
    square(&a);
    refuses(NULL, NULL, PLAN_EINVAL, "no program");
    a.p.ranks = 1;
    refuses(&a.p, NULL, PLAN_EINVAL, "1 ranks");
    a.p.ranks = 3;
    a.p.root = 3;
    refuses(&a.p, NULL, PLAN_EINVAL, "root 3");
    a.p.root = -1;
    refuses(&a.p, NULL, PLAN_EINVAL, "root -1");
    square(&a);
    refuses(&a.p, &(plan_steady_options_t){.size = sizeof(plan_steady_options_t), .gap = -1}, PLAN_EINVAL, "gap");
    refuses(&a.p, &(plan_steady_options_t){.size = sizeof(plan_steady_options_t), .gap = NAN}, PLAN_EINVAL, "gap");
    refuses(&a.p, &(plan_steady_options_t){.size = sizeof(plan_steady_options_t), .time_limit_s = -1}, PLAN_EINVAL,
            "time limit");
    refuses(&a.p, &(plan_steady_options_t){.size = sizeof(plan_steady_options_t), .enough = 1}, PLAN_EINVAL, "enough");
    CU_ASSERT_EQUAL(plani_steady_solve(&a.p, NULL, NULL, NULL), PLAN_EINVAL);
    plan_steady_t *other = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_steady_solve(&a.p, NULL, &other, NULL), PLAN_OK);
    const plan_steady_t *known[] = {other};
    arrays_t fewer;
    square(&fewer);
    fewer.p.nlinks--;
    refuses(&fewer.p, &(plan_steady_options_t){.size = sizeof(plan_steady_options_t), .known = known, .nknown = 1},
            PLAN_EINVAL, "known solution 0");
    plan_steady_destroy(&other);
}

static void bad_links_are_refused(void)
{
    const double costs[] = {0, -1, NAN, INFINITY};
    arrays_t a;

    for (int i = 0; i < 4; i++) {
        square(&a);
        a.cost[2] = costs[i];
        refuses(&a.p, NULL, PLAN_EINVAL, "link 2");
    }
    square(&a);
    a.to[1] = 3;
    refuses(&a.p, NULL, PLAN_EINVAL, "link 1");
    a.to[1] = 1; /* twice */
    refuses(&a.p, NULL, PLAN_EINVAL, "link 1");
    a.to[1] = 0;
    refuses(&a.p, NULL, PLAN_EINVAL, "itself");
    square(&a);
    a.from[0] = 1; /* out of order */
    a.to[0] = 0;
    refuses(&a.p, NULL, PLAN_EINVAL, "out of order");
    square(&a);
    a.p.cost = NULL;
    refuses(&a.p, NULL, PLAN_EINVAL, "arrays");
}

static void bad_resources_are_refused(void)
{
    arrays_t a;
    square(&a);
    a.share[0] = 0;
    refuses(&a.p, NULL, PLAN_EINVAL, "resource 0");
    square(&a);
    a.link[1] = 4;
    refuses(&a.p, NULL, PLAN_EINVAL, "link 4");
    a.link[1] = 0;
    refuses(&a.p, NULL, PLAN_EINVAL, "twice");
    square(&a);
    a.first[0] = 1;
    refuses(&a.p, NULL, PLAN_EINVAL, "start");
    square(&a);
    a.p.resource_cost = NULL;
    refuses(&a.p, NULL, PLAN_EINVAL, "arrays of resources");
}

static void unreachable_ranks_are_named(void)
{
    arrays_t a;
    arrays_start(&a, 4, 1);
    refuses(&a.p, NULL, PLAN_EUNREACHABLE, "rank 0");
    arrays_link(&a, 1, 0, 1);
    arrays_link(&a, 1, 2, 1);
    arrays_link(&a, 3, 0, 1);
    refuses(&a.p, NULL, PLAN_EUNREACHABLE, "rank 3");
    plan_steady_t *s = NULL;
    CU_ASSERT_EQUAL(plani_steady_direct(&a.p, NULL, &s, NULL), PLAN_EUNREACHABLE);
    CU_ASSERT_PTR_NULL(s);
}

/* Costs that no arithmetic spans end in an answer or in an error, not in a number that is none. */
static void absurd_costs_give_no_nonsense(void)
{
    const double costs[] = {1e-300, 1e300, 5e-324};
    arrays_t a;

    for (int i = 0; i < 3; i++) {
        plan_steady_t *s = NULL;
        square(&a);
        a.cost[1] = costs[i];
        plan_status_t rc = plani_steady_solve(&a.p, NULL, &s, NULL);
        CU_ASSERT(rc == PLAN_OK || rc == PLAN_ESOLVER);
        if (rc == PLAN_OK) CU_ASSERT_PTR_NULL(check_solution(&a.p, s, 0.999));
        plan_steady_destroy(&s);
    }
}

static void no_failed_allocation_goes_unnoticed(plani_solver_t *solve, const arrays_t *a,
                                                const plan_steady_options_t *o)
{
    plan_steady_t *s = NULL;

    ALLOC_EACH(solve(&a->p, o, &s, NULL), {
        CU_ASSERT_EQUAL(status, PLAN_ENOMEM);
        CU_ASSERT_PTR_NULL(s);
    });
    CU_ASSERT_PTR_NULL(check_solution(&a->p, s, 0.999));
    plan_steady_destroy(&s);
}

static void every_failed_allocation_comes_back_by_cuts(void)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        arrays_t a;
        arrays_random(&a, 12, 1e-3, 1, seed % 2, seed);
        no_failed_allocation_goes_unnoticed(
            plani_steady_solve, &a,
            &(plan_steady_options_t){.size = sizeof(plan_steady_options_t), .gap = 1e-9, .pack_trees = true});
        plan_steady_t *other = NULL;
        CU_ASSERT_EQUAL_FATAL(plani_steady_solve(&a.p, NULL, &other, NULL), PLAN_OK);
        const plan_steady_t *known[] = {other};
        no_failed_allocation_goes_unnoticed(
            plani_steady_solve, &a,
            &(plan_steady_options_t){
                .size = sizeof(plan_steady_options_t), .gap = 1e-3, .pack_trees = true, .known = known, .nknown = 1});
        plan_steady_destroy(&other);
    }
}

static void every_failed_allocation_comes_back_directly(void)
{
    arrays_t a;
    arrays_random(&a, 6, 1e-3, 1, 1, 3);
    no_failed_allocation_goes_unnoticed(plani_steady_direct, &a, NULL);
}

/* However short the limit, and whichever stage it ends: by cuts an interval that holds, directly that or PLAN_ETIME. */
static void a_time_limit_leaves_a_valid_interval(void)
{
    static const double limits[] = {1e-9, 3e-5, 1e-4, 3e-4, 1e-3};
    int wide = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        arrays_t a;
        plan_steady_t *s = NULL, *full = NULL;
        arrays_random(&a, 18, 1e-3, 2, 1, seed);
        plan_steady_options_t o = {
            .size = sizeof o, .gap = 1e-12, .time_limit_s = limits[seed % 5], .pack_trees = seed % 3 == 0};
        CU_ASSERT_EQUAL_FATAL(plani_steady_solve(&a.p, NULL, &full, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_steady_solve(&a.p, &o, &s, NULL), PLAN_OK);
        CU_ASSERT_PTR_NULL(check_solution(&a.p, s, 0));
        CU_ASSERT(plan_steady_data(s)->throughput <= plan_steady_data(full)->upper * (1 + 1e-12));
        CU_ASSERT(plan_steady_data(s)->upper >= plan_steady_data(full)->throughput * (1 - 1e-12));
        double gap = 1 - plan_steady_data(s)->throughput / plan_steady_data(s)->upper;
        CU_ASSERT_DOUBLE_EQUAL(plan_steady_data(s)->gap, gap, 1e-12);
        wide += gap > 1e-6;
        plan_steady_destroy(&s);
        o.time_limit_s = 1e-9;
        plan_status_t rc = plani_steady_direct(&a.p, &o, &s, NULL);
        CU_ASSERT(rc == PLAN_OK || rc == PLAN_ETIME);
        plan_steady_destroy(&s);
        plan_steady_destroy(&full);
    }
    CU_ASSERT(wide > 0); /* some were cut short indeed: at 1 ns all but the simplest */
}

static void same_input_gives_the_same_answer(void)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        arrays_t a;
        plan_steady_t *s = NULL, *t = NULL;
        arrays_random(&a, 14, 1e-3, 1, 1, seed);
        CU_ASSERT_EQUAL_FATAL(plani_steady_solve(&a.p, NULL, &s, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_steady_solve(&a.p, NULL, &t, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plan_steady_data(s)->throughput, plan_steady_data(t)->throughput);
        CU_ASSERT_EQUAL(memcmp(plan_steady_data(s)->rate, plan_steady_data(t)->rate, a.p.nlinks * sizeof(double)), 0);
        CU_ASSERT_EQUAL_FATAL(plan_steady_data(s)->ntrees, plan_steady_data(t)->ntrees);
        for (size_t i = 0; i < plan_steady_data(s)->ntrees; i++)
            CU_ASSERT_EQUAL(memcmp(plan_steady_data(s)->tree_parent[i], plan_steady_data(t)->tree_parent[i],
                                   (size_t)a.p.ranks * sizeof(int)),
                            0);
        plan_steady_destroy(&s);
        plan_steady_destroy(&t);
    }
}

SUITE_MAIN("steady_errors", TEST(bad_ranks_and_options_are_refused), TEST(bad_links_are_refused),
           TEST(bad_resources_are_refused), TEST(unreachable_ranks_are_named), TEST(absurd_costs_give_no_nonsense),
           TEST(every_failed_allocation_comes_back_by_cuts), TEST(every_failed_allocation_comes_back_directly),
           TEST(a_time_limit_leaves_a_valid_interval), TEST(same_input_gives_the_same_answer))
