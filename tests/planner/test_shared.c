/* Shared memory as a candidate: predicted by measured times, chosen where it is fastest, and executed by plans. */
#include "suite.h"
#include "planner/plan/plan_private.h"
#include "planner/cost/cost.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4 };

/* Equal links of 1 us and 1 GB/s; shared memory takes 5 us, and from 4 KiB on 0.1 ns a byte more. */
static plan_platform_t *one_host(size_t nshared)
{
    static const double bytes[] = {8, 4096, 4096 + 1e6}, seconds[] = {5e-6, 5e-6, 105e-6};
    plan_link_t link[RANKS * RANKS];
    int host[RANKS] = {0}, m = 0;
    plan_platform_t *pf = NULL;
    for (int u = 0; u < RANKS; u++)
        for (int v = 0; v < RANKS; v++)
            if (u != v) link[m++] = (plan_link_t){u, v, 1e-6, 1e-9, 0, -1};
    plan_platform_data_t d = {.size = sizeof d,
                              .ranks = RANKS,
                              .nlinks = (size_t)m,
                              .link = link,
                              .host = host,
                              .nshared = nshared,
                              .shared_bytes = bytes,
                              .shared_s = seconds};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

static const plan_candidate_t *find(const plan_ranking_t *ranking)
{
    for (size_t i = 0; i < ranking->ncandidates; i++)
        if (strcmp(ranking->candidate[i].name, "shared-memory") == 0) return &ranking->candidate[i];
    return NULL;
}

static void messages_take_what_was_timed(void)
{
    plan_platform_t *pf = one_host(3);
    const plan_platform_data_t *d = plan_platform_data(pf);
    CU_ASSERT_EQUAL(plani_shared_time(d, 1), 5e-6);
    CU_ASSERT_EQUAL(plani_shared_time(d, 4096), 5e-6);
    CU_ASSERT_DOUBLE_EQUAL(plani_shared_time(d, 4096 + 5e5), 55e-6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(plani_shared_time(d, 4096 + 1e8), 10005e-6, 1e-9);
    plan_platform_destroy(&pf);
    pf = one_host(0);
    CU_ASSERT(isnan(plani_shared_time(plan_platform_data(pf), 8)));
    plan_platform_destroy(&pf);
}

/* Of 1 MB at 10 GB/s and 16 MB at 5 GB/s: 16 MB take 1.6 ms longer than at 10 GB/s, down trees, too, and 2.5 MB, which
 * take 410 us, 160 us longer; what caches hold takes what links say. */
static void what_caches_do_not_hold_is_slower_down_trees_too(void)
{
    static const double bytes[] = {8, 1e6, 16e6}, seconds[] = {5e-6, 1e-4, 3.2e-3};
    const plan_choice_t chain = {.size = sizeof chain, .only = "ompi-pipeline", .slice = 100000};
    static const struct {
        size_t bytes;
        double longer_s;
    } known[] = {{500000, 0}, {1000000, 0}, {16000000, 1.6e-3}, {2500000, 1.6e-4}};
    double took[2][4];
    for (int with = 0; with < 2; with++) {
        plan_platform_t *pf = one_host(0), *timed = NULL;
        plan_platform_data_t d = *plan_platform_data(pf);
        if (with) d.nshared = 3, d.shared_bytes = bytes, d.shared_s = seconds;
        CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &timed, NULL), PLAN_OK);
        for (int i = 0; i < 4; i++) {
            plan_ranking_t *ranking = NULL;
            CU_ASSERT_EQUAL_FATAL(plan_ranking_create(timed, 0, known[i].bytes, &chain, &ranking, NULL), PLAN_OK);
            took[with][i] = ranking->candidate[0].predicted_s;
            plan_ranking_destroy(&ranking);
        }
        plan_platform_destroy(&timed);
        plan_platform_destroy(&pf);
    }
    for (int i = 0; i < 4; i++) CU_ASSERT_DOUBLE_EQUAL(took[1][i] - took[0][i], known[i].longer_s, 1e-12);
}

/* Two rounds of a binomial tree take 2 us, 3 of a star as well at best: less than 5; a megabyte takes 1 ms on a link.
 */
static void it_leads_the_ranking_where_it_is_fastest(void)
{
    plan_ranking_t *ranking = NULL;
    plan_platform_t *pf = one_host(3);
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 1, 8, NULL, &ranking, NULL), PLAN_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(find(ranking));
    CU_ASSERT_PTR_NOT_EQUAL(find(ranking), &ranking->candidate[0]);
    CU_ASSERT_DOUBLE_EQUAL(find(ranking)->predicted_s, 5e-6, 1e-15);
    plan_ranking_destroy(&ranking);
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 1, 1004096, NULL, &ranking, NULL), PLAN_OK);
    CU_ASSERT_PTR_EQUAL(find(ranking), &ranking->candidate[0]);
    CU_ASSERT_EQUAL(ranking->candidate[0].run, PLAN_RUN_SHARED);
    CU_ASSERT_DOUBLE_EQUAL(ranking->candidate[0].predicted_s, 105e-6, 1e-12);
    CU_ASSERT(isnan(ranking->candidate[0].throughput) && isnan(ranking->candidate[0].lp_ratio));
    CU_ASSERT(ranking->bound > 0 && ranking->bound_slice == 1004096);
    plan_ranking_destroy(&ranking);
    plan_platform_destroy(&pf);
}

/* Where processors are shared, a message down trees, of 2 us here, does not come before one through shared memory,
 * which takes 5 us, up to 4 KiB. */
static void ranks_wait_for_their_turns_by_messages_too(void)
{
    plan_platform_t *pf = one_host(3), *turns = NULL;
    plan_platform_data_t d = *plan_platform_data(pf);
    size_t all[RANKS * RANKS];
    for (size_t l = 0; l < d.nlinks; l++) all[l] = l;
    const plan_resource_t processors = {
        .name = "host 0 processors", .s_per_message = 1e-8, .nlinks = d.nlinks, .link = all};
    d.nresources = 1, d.resource = &processors;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &turns, NULL), PLAN_OK);
    static const size_t bytes[] = {8, 1024, 4096};
    for (int i = 0; i < 3; i++) {
        plan_ranking_t *ranking = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_ranking_create(turns, 1, bytes[i], NULL, &ranking, NULL), PLAN_OK);
        CU_ASSERT_PTR_EQUAL(find(ranking), &ranking->candidate[0]);
        for (size_t k = 0; k < ranking->ncandidates; k++)
            CU_ASSERT(isnan(ranking->candidate[k].predicted_s) ||
                      ranking->candidate[k].predicted_s >= 5e-6 * (1 - 1e-9));
        plan_ranking_destroy(&ranking);
    }
    plan_platform_destroy(&turns);
    plan_platform_destroy(&pf);
}

static void nobody_is_offered_memory_that_is_not_shared(void)
{
    const plan_choice_t only = {.size = sizeof only, .only = "shared-memory"};
    plan_ranking_t *ranking = NULL;
    plan_platform_t *pf = one_host(0);
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 0, 1 << 20, NULL, &ranking, NULL), PLAN_OK);
    CU_ASSERT_PTR_NULL(find(ranking));
    plan_ranking_destroy(&ranking);
    CU_ASSERT_EQUAL(plan_ranking_create(pf, 0, 1 << 20, &only, &ranking, NULL), PLAN_EUNSUPPORTED);
    plan_platform_destroy(&pf);
}

/* Where its range begins it takes as long as the tree before it. */
static void plans_change_over_where_it_becomes_the_fastest(void)
{
    plan_platform_t *pf = one_host(3);
    plan_t *plan = NULL, *again = NULL;
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_create(pf, 2, 1 << 22, NULL, &plan, NULL), PLAN_OK);
    CU_ASSERT_NOT_EQUAL(plan_chosen(plan, 8)->run, PLAN_RUN_SHARED);
    CU_ASSERT_EQUAL(plan_chosen(plan, 1 << 16)->run, PLAN_RUN_SHARED);
    CU_ASSERT_EQUAL(plan_chosen(plan, 1 << 22)->run, PLAN_RUN_SHARED);
    size_t last = plan_data(plan)->range[plan_data(plan)->nranges - 2].up_to; /* 2 (1 us + x 1 ns/B) = 5 us at 1500 B */
    CU_ASSERT(last > 1300 && last < 2100);
    CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &text), PLAN_OK);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"run\": \"shared\""));
    CU_ASSERT_EQUAL_FATAL(plan_parse(text, strlen(text), "plan", &again, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_data(again)->hash, plan_data(plan)->hash);
    CU_ASSERT_EQUAL(plan_chosen(again, 1 << 20)->run, PLAN_RUN_SHARED);
    plan_destroy(&again);
    free(text);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

static void it_is_explained_and_drawn_and_has_no_tree_to_export(void)
{
    const plan_choice_t only = {.size = sizeof only, .only = "shared-memory"};
    plan_platform_t *pf = one_host(3);
    plan_t *plan = NULL;
    plan_error_t err;
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_create(pf, 0, 1 << 20, &only, &plan, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_data(plan)->nranges, 1);
    CU_ASSERT_EQUAL_FATAL(plan_explain(plan, pf, 1 << 20, &text), PLAN_OK);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "shared-memory, through memory that all ranks share\n"));
    CU_ASSERT_PTR_NULL(strstr(text, "bound"));
    free(text);
    CU_ASSERT_STRING_EQUAL(plani_sending(plan_chosen(plan, 8), 8).s, "through shared memory");
    CU_ASSERT_EQUAL(plan_export(plan, pf, 8, "graphml", &text, &err), PLAN_EUNSUPPORTED);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "shared memory"));
    CU_ASSERT_EQUAL_FATAL(plan_export(plan, pf, 8, "dot", &text, &err), PLAN_OK);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "through shared memory"));
    free(text);
    CU_ASSERT_EQUAL_FATAL(plan_export(plan, pf, 8, "json", &text, &err), PLAN_OK);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"run\": \"shared\""));
    free(text);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("shared memory", TEST(messages_take_what_was_timed), TEST(what_caches_do_not_hold_is_slower_down_trees_too),
           TEST(it_leads_the_ranking_where_it_is_fastest), TEST(ranks_wait_for_their_turns_by_messages_too),
           TEST(nobody_is_offered_memory_that_is_not_shared), TEST(plans_change_over_where_it_becomes_the_fastest),
           TEST(it_is_explained_and_drawn_and_has_no_tree_to_export))
