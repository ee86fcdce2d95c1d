/* No single tree exceeds the bound of the linear program, for any shared resources. */
#include "lp/direct.h"
#include "planner/cost/bound.h"
#include "suite.h"
#include "sample.h"
#include <math.h>
#include <planbcast/heuristics.h>
#include <planbcast/plan.h>

static void no_tree_beats_the_bound(void)
{
    size_t n;
    const plan_heuristic_t *h = plan_heuristics(&n);
    int above = 0, failed = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        sample_t s = {.ranks = 2 + (int)(seed % 14),
                      .density = 0.3,
                      .resources = (int)(seed % 3),
                      .multiport = seed % 2,
                      .seed = seed};
        plan_platform_t *pf = sample_platform(&s);
        const plan_steady_options_t options = {.size = sizeof options, .gap = 1e-7};
        plan_steady_t *bound = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, 0, 3, &options, &bound, NULL), PLAN_OK);
        for (size_t i = 0; i < n; i++) {
            plan_tree_t *t = NULL;
            double tp = INFINITY;
            if (h[i].routed) continue;
            plan_status_t rc = plan_heuristic_tree(h[i].name, pf, 0, 3, 0, plan_steady_data(bound)->rate, &t, NULL);
            if (rc == PLAN_EUNSUPPORTED) continue;
            failed += rc != PLAN_OK || plan_throughput(pf, 1, &t, NULL, 3, &tp, NULL) != PLAN_OK;
            above += tp > plan_steady_data(bound)->upper * (1 + 1e-9);
            plan_tree_destroy(&t);
        }
        plan_steady_destroy(&bound);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(failed, 0);
    CU_ASSERT_EQUAL(above, 0);
}

/* 8 ranks behind one card, the root outside: a slice of 2 bytes enters the host once at best, for 2.5 s each and
 * `per_message`. */
static void one_card_for_eight(double per_message)
{
    plan_link_t link[90];
    size_t card[90], crossing = 0, n = 0;
    for (int u = 0; u < 9; u++)
        for (int v = 0; v < 9; v++) {
            if (u == v) continue;
            if (u == 0) card[crossing++] = n;
            link[n++] = (plan_link_t){u, v, 0, 1, 0, -1};
        }
    const plan_resource_t resource = {
        .name = "card in", .s_per_message = per_message, .s_per_byte = 2.5, .nlinks = crossing, .link = card};
    const plan_platform_data_t d = {
        .size = sizeof d, .ranks = 9, .nlinks = n, .link = link, .nresources = 1, .resource = &resource};
    plan_platform_t *pf = NULL;
    plan_steady_t *bound = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, 0, 2, NULL, &bound, NULL), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(plan_steady_data(bound)->throughput, 1 / (5 + per_message), 1e-6);
    plan_steady_destroy(&bound);
    plan_platform_destroy(&pf);
}

static void the_card_of_a_host_bounds_its_ranks(void)
{
    one_card_for_eight(0);
    one_card_for_eight(1.5);
}

/* The direct program carries the same rows: cards, trunks and processors that a link's slices hold, by byte and by
 * message. */
static void both_methods_agree_on_shared_resources(void)
{
    int apart = 0, bound_by_resources = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const sample_t s = {.ranks = 3 + (int)(seed % 10),
                            .density = 0.4,
                            .resources = 1 + (int)(seed % 4),
                            .multiport = seed % 3 == 0,
                            .seed = seed};
        const sample_t bare = {.ranks = s.ranks, .density = 0.4, .multiport = s.multiport, .seed = seed};
        const plan_steady_options_t cuts = {.size = sizeof cuts, .gap = 1e-8}, direct = {.size = sizeof direct};
        plan_platform_t *pf = sample_platform(&s), *ports = sample_platform(&bare);
        plan_steady_t *c = NULL, *d = NULL, *p = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, 0, 2, &cuts, &c, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_platform_bound_by(plani_steady_direct, pf, 0, 2, false, &direct, &d, NULL),
                              PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_platform_bound(ports, 0, 2, &cuts, &p, NULL), PLAN_OK);
        double tp = plan_steady_data(d)->throughput;
        apart +=
            fabs(plan_steady_data(c)->throughput - tp) > 1e-7 * tp || fabs(plan_steady_data(c)->upper - tp) > 1e-7 * tp;
        bound_by_resources += tp < plan_steady_data(p)->throughput * (1 - 1e-6);
        plan_steady_destroy(&c);
        plan_steady_destroy(&d);
        plan_steady_destroy(&p);
        plan_platform_destroy(&pf);
        plan_platform_destroy(&ports);
    }
    CU_ASSERT_EQUAL(apart, 0);
    CU_ASSERT(bound_by_resources > 10);
}

static double throughput(const plan_platform_t *pf, bool guesses)
{
    const plan_steady_options_t cuts = {.size = sizeof cuts, .gap = 1e-8};
    plan_steady_t *s = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_platform_bound_by(plani_steady_solve, pf, 0, 2, guesses, &cuts, &s, NULL), PLAN_OK);
    double t = plan_steady_data(s)->throughput;
    plan_steady_destroy(&s);
    return t;
}

/* The bound of a platform with guesses is that of the platform without these resources; rates for plans are not. */
static void the_bound_ignores_guesses_and_rates_do_not(void)
{
    int slower = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const sample_t known = {
            .ranks = 3 + (int)(seed % 8), .density = 0.4, .resources = (int)(seed % 3), .seed = seed};
        sample_t guessed = known, counted = known;
        guessed.guesses = 2 + (int)(seed % 3);
        guessed.resources = counted.resources = known.resources + guessed.guesses;
        plan_platform_t *a = sample_platform(&known), *b = sample_platform(&guessed), *c = sample_platform(&counted);
        double without = throughput(a, true), with = throughput(b, true);
        CU_ASSERT_DOUBLE_EQUAL(throughput(b, false), without, 1e-6 * without);
        CU_ASSERT_DOUBLE_EQUAL(with, throughput(c, false), 1e-6 * with);
        slower += with < without * (1 - 1e-6);
        plan_platform_destroy(&a);
        plan_platform_destroy(&b);
        plan_platform_destroy(&c);
    }
    CU_ASSERT(slower > 10);
}

/* Two ranks, a link of 1 s/B, and a trunk of 3 s/B that nobody measured. */
static void a_ranking_counts_no_guess_into_its_bound(void)
{
    const size_t link = 0;
    const plan_link_t l = {.from = 0, .to = 1, .s_per_byte = 1};
    for (int guess = 0; guess < 2; guess++) {
        const plan_resource_t trunk = {.name = "trunk", .s_per_byte = 3, .nlinks = 1, .link = &link, .guess = guess};
        const plan_platform_data_t d = {
            .size = sizeof d, .ranks = 2, .nlinks = 1, .link = &l, .nresources = 1, .resource = &trunk};
        plan_platform_t *pf = NULL;
        plan_ranking_t *ranking = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 0, 1 << 20, NULL, &ranking, NULL), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(ranking->bound * (double)ranking->bound_slice, guess ? 1 : 1. / 3, 1e-6);
        CU_ASSERT(ranking->candidate[0].predicted_s > 2.9 * (1 << 20)); /* plans keep to it */
        plan_ranking_destroy(&ranking);
        plan_platform_destroy(&pf);
    }
}

static void bad_requests_are_refused(void)
{
    plan_platform_t *pf = sample_complete(3), *one = sample_complete(1);
    plan_steady_t *bound = NULL;
    CU_ASSERT_EQUAL(plan_platform_bound(pf, 3, 1, NULL, &bound, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_platform_bound(pf, 0, 0, NULL, &bound, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_platform_bound(pf, 0, NAN, NULL, &bound, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_platform_bound(one, 0, 1, NULL, &bound, NULL), PLAN_EINVAL);
    CU_ASSERT_PTR_NULL(bound);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&one);
}

SUITE_MAIN("heuristics against the bound", TEST(no_tree_beats_the_bound), TEST(the_card_of_a_host_bounds_its_ranks),
           TEST(both_methods_agree_on_shared_resources), TEST(the_bound_ignores_guesses_and_rates_do_not),
           TEST(a_ranking_counts_no_guess_into_its_bound), TEST(bad_requests_are_refused))
