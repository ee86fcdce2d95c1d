/* Random and Tiers-like platforms are as their papers describe, connected, and the same on every machine. */
#include "graphs/platform/reach.h"
#include "suite.h"
#include "alloc.h"
#include <planbcast/generate.h>
#include "lib/base/base.h"
#include <math.h>
#include <string.h>

static uint64_t hash_of(const plan_platform_t *pf)
{
    char *text = NULL;
    if (plan_platform_to_json(pf, &text) != PLAN_OK) return 0;
    uint64_t hash = plani_hash_bytes(PLANI_HASH_START, text, strlen(text));
    free(text);
    return hash;
}

static bool strongly_connected(const plan_platform_t *pf)
{
    for (int root = 0; root < plan_platform_data(pf)->ranks; root++)
        if (plani_platform_reaches_all(pf, root, NULL) != PLAN_OK) return false;
    return true;
}

static double density_of(const plan_platform_t *pf)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    return (double)d->nlinks / ((double)d->ranks * (d->ranks - 1));
}

static void every_random_platform_of_table_2_is_connected(void)
{
    for (int ranks = 10; ranks <= 50; ranks += 10)
        for (int percent = 4; percent <= 20; percent += 4)
            for (uint64_t seed = 0; seed < 10; seed++) {
                plan_platform_t *pf = NULL;
                CU_ASSERT_EQUAL_FATAL(plan_generate_random(ranks, percent / 100.0, seed, &pf), PLAN_OK);
                CU_ASSERT(strongly_connected(pf));
                plan_platform_destroy(&pf);
            }
}

/* 50 ranks at 0.2: hardly ever drawn again, so the share of links is binomial. */
static void density_and_bandwidths_are_as_asked_for(void)
{
    double links = 0, sum = 0, squares = 0, least = INFINITY;
    for (uint64_t seed = 0; seed < 50; seed++) {
        plan_platform_t *pf = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_generate_random(50, 0.2, seed, &pf), PLAN_OK);
        const plan_platform_data_t *d = plan_platform_data(pf);
        for (size_t l = 0; l < d->nlinks; l++) {
            double rate = 1 / d->link[l].s_per_byte;
            sum += rate, squares += rate * rate, links++;
            if (rate < least) least = rate;
            CU_ASSERT(d->link[l].latency_s == 0 && d->link[l].delay_s == 0);
        }
        plan_platform_destroy(&pf);
    }
    double mean = sum / links, deviation = sqrt(squares / links - mean * mean);
    CU_ASSERT_DOUBLE_EQUAL(links / (50.0 * 50 * 49), 0.2, 0.004); /* 3.5 deviations */
    CU_ASSERT_DOUBLE_EQUAL(mean, 100e6, 0.5e6);
    CU_ASSERT_DOUBLE_EQUAL(deviation, 20e6, 0.5e6);
    CU_ASSERT(least >= 9999999);
}

static void the_extremes_of_random_platforms_hold(void)
{
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_generate_random(1, 0.5, 1, &pf), PLAN_OK);
    CU_ASSERT_EQUAL(plan_platform_data(pf)->nlinks, 0);
    plan_platform_destroy(&pf);
    CU_ASSERT_EQUAL_FATAL(plan_generate_random(2, 1e-9, 1, &pf), PLAN_OK);
    CU_ASSERT_EQUAL(plan_platform_data(pf)->nlinks, 2);
    plan_platform_destroy(&pf);
    CU_ASSERT_EQUAL_FATAL(plan_generate_random(30, 1, 1, &pf), PLAN_OK);
    CU_ASSERT_EQUAL(plan_platform_data(pf)->nlinks, 30 * 29);
    plan_platform_destroy(&pf);
    CU_ASSERT_EQUAL_FATAL(plan_generate_random(300, 1e-9, 1, &pf), PLAN_OK);
    CU_ASSERT_EQUAL(plan_platform_data(pf)->nlinks, 300); /* a circle is the least */
    CU_ASSERT(strongly_connected(pf));
    plan_platform_destroy(&pf);
    CU_ASSERT_EQUAL(plan_generate_random(0, 0.5, 1, &pf), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_generate_random(16385, 0.5, 1, &pf), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_generate_random(10, 0, 1, &pf), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_generate_random(10, 1.01, 1, &pf), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_generate_random(10, NAN, 1, &pf), PLAN_EINVAL);
    CU_ASSERT_PTR_NULL(pf);
}

static void tiers_have_the_density_of_the_paper_and_links_both_ways(void)
{
    for (uint64_t seed = 0; seed < 100; seed++)
        for (int big = 0; big < 2; big++) {
            plan_platform_t *pf = NULL;
            int wrong = 0;
            CU_ASSERT_EQUAL_FATAL(plan_generate_tiers(big ? 65 : 30, seed, &pf), PLAN_OK);
            const plan_platform_data_t *d = plan_platform_data(pf);
            CU_ASSERT(density_of(pf) >= (big ? 0.05 : 0.11) && density_of(pf) <= (big ? 0.063 : 0.14));
            for (size_t l = 0; l < d->nlinks; l++)
                wrong += plan_platform_find_link(pf, d->link[l].to, d->link[l].from) == SIZE_MAX;
            CU_ASSERT_EQUAL(wrong, 0);
            CU_ASSERT_EQUAL(plani_platform_reaches_all(pf, 0, NULL), PLAN_OK);
            CU_ASSERT_EQUAL(d->sites, big ? 8 : 3);
            plan_platform_destroy(&pf);
        }
}

/* Ranks are numbered by level: an eighth in the wide-area network, three in the metropolitan ones, hosts. */
static int level_of(int rank, int ranks)
{
    return rank < ranks / 8 ? 0 : rank < ranks / 8 + 3 * ranks / 8 ? 1 : 2;
}

static void tiers_link_no_further_than_the_level_above(void)
{
    enum { RANKS = 64 };
    for (uint64_t seed = 0; seed < 50; seed++) {
        plan_platform_t *pf = NULL;
        int wrong = 0, up[RANKS] = {0};
        CU_ASSERT_EQUAL_FATAL(plan_generate_tiers(RANKS, seed, &pf), PLAN_OK);
        const plan_platform_data_t *d = plan_platform_data(pf);
        for (size_t l = 0; l < d->nlinks; l++) {
            int from = d->link[l].from, to = d->link[l].to, a = level_of(from, RANKS), b = level_of(to, RANKS);
            wrong += b - a > 1 || a - b > 1;
            wrong += d->site[from] != d->site[to] && a > 0 && b > 0; /* sites meet in the wide-area network alone */
            up[from] += a == b + 1;
        }
        for (int r = RANKS / 2; r < RANKS; r++) wrong += up[r] == 0; /* each host is its star's */
        CU_ASSERT_EQUAL(wrong, 0);
        plan_platform_destroy(&pf);
    }
}

static void tiers_of_all_small_sizes_are_connected(void)
{
    plan_platform_t *pf = NULL;
    for (int ranks = 4; ranks <= 120; ranks++) {
        CU_ASSERT_EQUAL_FATAL(plan_generate_tiers(ranks, 7, &pf), PLAN_OK);
        CU_ASSERT_EQUAL(plani_platform_reaches_all(pf, ranks - 1, NULL), PLAN_OK);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(plan_generate_tiers(3, 7, &pf), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_generate_tiers(16385, 7, &pf), PLAN_EINVAL);
}

static void a_seed_makes_one_platform_and_another_seed_another(void)
{
    plan_platform_t *pf = NULL;
    uint64_t random[3], tiers[3];
    static const uint64_t seeds[] = {1, 1, 2};
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL_FATAL(plan_generate_random(20, 0.12, seeds[i], &pf), PLAN_OK);
        random[i] = hash_of(pf);
        plan_platform_destroy(&pf);
        CU_ASSERT_EQUAL_FATAL(plan_generate_tiers(30, seeds[i], &pf), PLAN_OK);
        tiers[i] = hash_of(pf);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT(random[0] == random[1] && random[0] != random[2]);
    CU_ASSERT(tiers[0] == tiers[1] && tiers[0] != tiers[2]);
    /* As every machine has made them: whoever changes these changes what seeds mean. */
    CU_ASSERT_EQUAL(random[0], UINT64_C(0xdd6e08d2cd03ceaa));
    CU_ASSERT_EQUAL(tiers[0], UINT64_C(0x93007225e1369e8f));
    if (random[0] != UINT64_C(0xdd6e08d2cd03ceaa) || tiers[0] != UINT64_C(0x93007225e1369e8f))
        printf("\n   got %016llx and %016llx", (unsigned long long)random[0], (unsigned long long)tiers[0]);
}

static void every_failing_allocation_is_reported(void)
{
    plan_platform_t *pf = NULL;
    ALLOC_EACH(plan_generate_random(12, 0.05, 1, &pf), CU_ASSERT_EQUAL(status, PLAN_ENOMEM); CU_ASSERT_PTR_NULL(pf));
    plan_platform_destroy(&pf);
    ALLOC_EACH(plan_generate_tiers(12, 1, &pf), CU_ASSERT_EQUAL(status, PLAN_ENOMEM); CU_ASSERT_PTR_NULL(pf));
    plan_platform_destroy(&pf);
}

/* send_u(L) is 80% of the shortest T_uw(L), at every L; files keep it. */
static void senders_of_several_ports_take_80_percent_of_the_shortest_link(void)
{
    static const double bytes[] = {1, 1e3, 1e6};
    plan_platform_t *one = NULL, *multi = NULL, *again = NULL, *third = NULL;
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_generate_random(20, 0.12, 3, &one), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_generate_several_ports(one, &multi), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_platform_to_json(multi, &text), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_platform_parse(text, strlen(text), "text", &again, NULL), PLAN_OK);
    const plan_platform_data_t *d = plan_platform_data(again);
    CU_ASSERT_EQUAL(d->ports, PLAN_PORTS_MULTI);
    CU_ASSERT_EQUAL(d->nlinks, plan_platform_data(one)->nlinks);
    for (int i = 0; i < 3; i++)
        for (int u = 0; u < d->ranks; u++) {
            double shortest = INFINITY;
            for (size_t l = 0; l < d->nlinks; l++)
                if (d->link[l].from == u) shortest = fmin(shortest, plan_link_cost(&d->link[l], bytes[i]));
            CU_ASSERT_DOUBLE_EQUAL(plan_send_cost(d, u, bytes[i]) / (0.80 * shortest), 1, 1e-12);
        }
    CU_ASSERT_EQUAL(plan_generate_several_ports(multi, &third), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_generate_several_ports(NULL, &third), PLAN_EINVAL);
    ALLOC_EACH(plan_generate_several_ports(one, &third), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    free(text);
    plan_platform_destroy(&one);
    plan_platform_destroy(&multi);
    plan_platform_destroy(&again);
    plan_platform_destroy(&third);
}

SUITE_MAIN("generate", TEST(senders_of_several_ports_take_80_percent_of_the_shortest_link),
           TEST(every_random_platform_of_table_2_is_connected), TEST(density_and_bandwidths_are_as_asked_for),
           TEST(the_extremes_of_random_platforms_hold), TEST(tiers_have_the_density_of_the_paper_and_links_both_ways),
           TEST(tiers_link_no_further_than_the_level_above), TEST(tiers_of_all_small_sizes_are_connected),
           TEST(a_seed_makes_one_platform_and_another_seed_another), TEST(every_failing_allocation_is_reported))
