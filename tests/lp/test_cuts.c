/* Cut generation from an empty set of cuts against the direct program. On small platforms, column generation seldom
 * leaves it any work, so it is tested separately. */
#include "suite.h"
#include "alloc.h"
#include "arrays.h"
#include "lib/base/base.h"
#include "lp/direct.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    plani_lp_t *lp;
    plani_sifting_t *sift;
    plani_answer_t answer;
} state_t;

static const plani_goal_t GOAL = {.gap = 1e-8};

/* Everything ready for plani_cuts: no rates, prices of 1 and the bound that they give. */
static plan_status_t start(const arrays_t *a, int nearest, state_t *s)
{
    plan_status_t rc;

    *s = (state_t){0};
    if ((rc = plani_lp_create(&a->p, &s->lp, NULL)) != PLAN_OK) return rc;
    if ((rc = plani_sifting_create(s->lp, nearest, &s->sift)) != PLAN_OK) return rc;
    s->answer.rate = calloc(s->lp->m, sizeof(double));
    s->answer.price = calloc(s->lp->rows, sizeof(double));
    if (s->answer.rate == NULL || s->answer.price == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < s->lp->rows; i++) s->answer.price[i] = 1;
    return plani_certify_upper(s->lp, s->answer.price, &s->answer.upper);
}

static void stop(state_t *s)
{
    plani_sifting_destroy(&s->sift);
    plani_lp_destroy(&s->lp);
    free(s->answer.rate);
    free(s->answer.price);
}

static void cuts_agree_with_the_direct_program(int nearest)
{
    for (uint64_t seed = 0; seed < 120; seed++) {
        arrays_t a;
        state_t s;
        plani_answer_t direct = {0};
        arrays_random(&a, 12, 1e-3, seed % 3, seed % 2, seed);
        CU_ASSERT_EQUAL_FATAL(start(&a, nearest, &s), PLAN_OK);
        direct.rate = calloc(s.lp->m, sizeof(double));
        CU_ASSERT_EQUAL_FATAL(plani_direct(s.lp, 0, &direct, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plani_cuts(s.sift, GOAL, 0, &s.answer), PLAN_OK);
        int agree = fabs(s.answer.lower - direct.lower) <= 1e-7 * direct.lower &&
                    fabs(s.answer.upper - direct.upper) <= 1e-7 * direct.upper && s.answer.lower <= s.answer.upper;
        if (!agree)
            printf("\n  seed %llu: direct %.12g, cuts %.12g %.12g", (unsigned long long)seed, direct.lower,
                   s.answer.lower, s.answer.upper);
        CU_ASSERT(agree);
        double again = 0;
        CU_ASSERT_EQUAL(plani_certify_lower(s.lp, s.answer.rate, 0, &again), PLAN_OK);
        CU_ASSERT(again >= s.answer.lower * (1 - 1e-11));
        free(direct.rate);
        stop(&s);
    }
}

static void cuts_on_all_links_agree_with_the_direct_program(void)
{
    cuts_agree_with_the_direct_program(0);
}

/* With one link in and out per rank to start from, nearly everything has to be priced in. */
static void cuts_on_few_links_agree_with_the_direct_program(void)
{
    cuts_agree_with_the_direct_program(1);
}

static void every_failed_allocation_comes_back(void)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        arrays_t a;
        arrays_random(&a, 12, 1e-3, 1, seed % 2, seed);
        for (long k = 1;; k++) {
            state_t s;
            alloc_fail(k);
            plan_status_t rc = start(&a, 2, &s);
            if (rc == PLAN_OK) rc = plani_cuts(s.sift, GOAL, 0, &s.answer);
            int failed = alloc_failed();
            stop(&s);
            CU_ASSERT_EQUAL(rc, failed ? PLAN_ENOMEM : PLAN_OK);
            if (!failed) break;
        }
    }
}

static void a_passed_deadline_is_told(void)
{
    arrays_t a;
    state_t s;
    arrays_random(&a, 12, 1e-3, 1, 1, 5);
    CU_ASSERT_EQUAL_FATAL(start(&a, 2, &s), PLAN_OK);
    CU_ASSERT_EQUAL(plani_cuts(s.sift, GOAL, plani_now() - 1, &s.answer), PLAN_ETIME);
    stop(&s);
}

/* Measuring the cuts of many ranks takes long: it gives up, and the mix is worth what its trees are for certain. */
static void late_flows_give_up_and_the_mix_holds(void)
{
    arrays_t a;
    state_t s;
    plani_flow_t *flow = NULL;
    plani_trees_t trees = {0};
    double lower = 1;
    uint64_t seed = 0;
    do arrays_random(&a, 20, 1e-3, 1, 1, seed++);
    while (a.p.ranks < 18);
    CU_ASSERT_EQUAL_FATAL(start(&a, 0, &s), PLAN_OK);
    for (size_t l = 0; l < s.lp->m; l++) s.answer.rate[l] = 1;
    CU_ASSERT_EQUAL_FATAL(plani_flow_create(s.lp->n, s.lp->m, &flow), PLAN_OK);
    CU_ASSERT(plani_flow_cuts(flow, s.lp, NULL, s.lp->m, s.answer.rate, 1, NULL, NULL) >= 0);
    plani_flow_until(flow, plani_now() - 1);
    CU_ASSERT_EQUAL(plani_flow_cuts(flow, s.lp, NULL, s.lp->m, s.answer.rate, 1, NULL, NULL), -INFINITY);
    CU_ASSERT_EQUAL(plani_certify_lower(s.lp, s.answer.rate, plani_now() - 1, &lower), PLAN_OK);
    CU_ASSERT_EQUAL(lower, 0);
    s.answer.lower = 0, s.answer.upper = s.lp->alone;
    CU_ASSERT_EQUAL(plani_frank_wolfe(s.sift, 0, 10, plani_now() - 1, &s.answer, s.answer.price, &trees), PLAN_OK);
    CU_ASSERT(s.answer.lower > 0);
    CU_ASSERT_EQUAL(plani_certify_lower(s.lp, s.answer.rate, 0, &lower), PLAN_OK);
    CU_ASSERT(s.answer.lower <= lower * (1 + 1e-12));
    plani_flow_destroy(&flow);
    plani_trees_clear(&trees);
    stop(&s);
}

SUITE_MAIN("cuts", TEST(cuts_on_all_links_agree_with_the_direct_program),
           TEST(cuts_on_few_links_agree_with_the_direct_program), TEST(every_failed_allocation_comes_back),
           TEST(a_passed_deadline_is_told), TEST(late_flows_give_up_and_the_mix_holds))
