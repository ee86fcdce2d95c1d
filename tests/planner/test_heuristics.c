/* Every heuristic spans every platform; those of papers give the trees of the printed algorithms. */
#include "graphs/trees/trees.h"
#include "suite.h"
#include "alloc.h"
#include "oracle/trees_by_hand.h"
#include "sample.h"
#include <math.h>
#include <string.h>
#include "planner/algorithms/heuristics/heuristic.h"
#include "planner/cost/cost.h"

/* Stand-ins for n_uv: any numbers will do for the rules, zeros and ties among them. */
static double *made_up_rates(const plan_platform_data_t *d, uint64_t seed)
{
    double *rate = malloc((d->nlinks + 1) * sizeof *rate);
    for (size_t l = 0; l < d->nlinks; l++) rate[l] = sample_below(&seed, 4) / 4.0;
    return rate;
}

static sample_t nth(uint64_t seed)
{
    static const double density[] = {0.0, 0.1, 0.3, 2};
    return (sample_t){.ranks = 1 + (int)(seed % 17),
                      .density = density[seed % 4],
                      .costs = seed % 3 == 0 ? 3 : 0,
                      .resources = (int)(seed % 5 == 0) * 2,
                      .multiport = seed % 7 == 0,
                      .seed = seed};
}

static void every_heuristic_spans_every_platform(void)
{
    size_t n;
    const plan_heuristic_t *h = plan_heuristics(&n);
    int wrong = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        sample_t s = nth(seed);
        plan_platform_t *pf = sample_platform(&s);
        double *rate = made_up_rates(plan_platform_data(pf), seed);
        int root = (int)(seed / 3 % (uint64_t)s.ranks);
        for (size_t i = 0; i < n; i++) {
            plan_tree_t *t = NULL;
            if (h[i].routed) continue;
            plan_status_t rc = plan_heuristic_tree(h[i].name, pf, root, 1, seed % 2 ? 100 : 0, rate, &t, NULL);
            if (rc == PLAN_EUNSUPPORTED && strncmp(h[i].name, "host-", 5) == 0 && s.density < 1) {
                refused++;
                continue;
            }
            wrong += rc != PLAN_OK || plan_tree_data(t)->root != root || plani_tree_check(t, pf, NULL) != PLAN_OK;
            plan_tree_destroy(&t);
        }
        free(rate);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(refused > 0);
}

static void two_ranks_have_one_tree(void)
{
    size_t n;
    const plan_heuristic_t *h = plan_heuristics(&n);
    plan_platform_t *pf = sample_complete(2);
    const double rate[] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        plan_tree_t *t = NULL;
        if (h[i].routed) continue;
        CU_ASSERT_EQUAL(plan_heuristic_tree(h[i].name, pf, 1, 1, 0, rate, &t, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plan_tree_data(t)->parent[0], 1);
        plan_tree_destroy(&t);
    }
    plan_platform_destroy(&pf);
}

/* Compare one heuristic with its printed algorithm on many platforms, ties included. */
static void agrees(const char *name, int number)
{
    int wrong = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        sample_t s = nth(seed);
        plan_platform_t *pf = sample_platform(&s);
        const plan_platform_data_t *d = plan_platform_data(pf);
        double *rate = made_up_rates(d, seed), *weight = malloc((d->nlinks + 1) * sizeof *weight), send[17];
        int parent[17], root = (int)(seed % (uint64_t)s.ranks);
        plan_tree_t *t = NULL;
        for (size_t l = 0; l < d->nlinks; l++) weight[l] = plan_link_cost(&d->link[l], 2);
        for (size_t i = 0; i < d->nresources; i++) /* a link behind something slower costs what that takes */
            for (size_t k = 0; k < d->resource[i].nlinks; k++)
                weight[d->resource[i].link[k]] =
                    fmax(weight[d->resource[i].link[k]], plan_resource_cost(&d->resource[i], 2));
        for (int u = 0; u < s.ranks; u++) {
            double least = INFINITY;
            for (size_t l = d->out_first[u]; l < d->out_first[u + 1]; l++) least = fmin(least, weight[l]);
            send[u] = d->send_s != NULL ? d->send_s[u] : 0.80 * least;
        }
        by_hand_algorithm(number, d, root, weight, rate, send, parent);
        wrong += plan_heuristic_tree(name, pf, root, 2, 0, rate, &t, NULL) != PLAN_OK;
        wrong += memcmp(parent, plan_tree_data(t)->parent, (size_t)s.ranks * sizeof *parent) != 0;
        plan_tree_destroy(&t);
        free(rate);
        free(weight);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void prune_simple_is_algorithm_1(void)
{
    agrees("prune-simple", 1);
}

static void prune_degree_is_algorithm_2(void)
{
    agrees("prune-degree", 2);
}

static void grow_is_algorithm_3(void)
{
    agrees("grow", 3);
}

static void multiport_grow_is_algorithm_5(void)
{
    agrees("multiport-grow", 5);
}

static void multiport_prune_is_algorithm_2_by_periods(void)
{
    agrees("multiport-prune", 522);
}

static void lp_prune_is_algorithm_6(void)
{
    agrees("lp-prune", 6);
}

static void lp_grow_is_algorithm_7(void)
{
    agrees("lp-grow", 7);
}

/* Complete and equal: earliest completing edge first doubles the ranks that hold the message in every round. */
static void ecef_on_equal_links_is_a_binomial_tree(void)
{
    plan_platform_t *pf = sample_complete(16);
    plan_tree_t *t = NULL;
    int children = 0, histogram[5] = {0};
    CU_ASSERT_EQUAL_FATAL(plan_heuristic_tree("ecef", pf, 0, 1, 0, NULL, &t, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_tree_data(t)->height, 4);
    for (int r = 0; r < 16; r++) {
        plan_tree_children(t, r, &children);
        CU_ASSERT_FATAL(children <= 4);
        histogram[children]++;
    }
    CU_ASSERT(histogram[0] == 8 && histogram[1] == 4 && histogram[2] == 2 && histogram[3] == 1 && histogram[4] == 1);
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
}

/* Rank 1 receives quickly but sends slowly; rank 2 is the other way round, and so comes first. */
static void fnf_takes_the_fast_sender_first(void)
{
    static const plan_link_t link[] = {
        {0, 1, 0, 1, 0, -1}, {0, 2, 0, 3, 0, -1}, {1, 2, 0, 9, 0, -1}, {2, 1, 0, 1, 0, -1}};
    const plan_platform_data_t d = {.size = sizeof d, .ranks = 3, .nlinks = 4, .link = link};
    plan_platform_t *pf = NULL;
    plan_tree_t *t = NULL;
    int n;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_heuristic_tree("fnf", pf, 0, 1, 0, NULL, &t, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_tree_children(t, 0, &n)[0], 2);
    CU_ASSERT(n == 2); /* 0 is free at 3 s, and so is 2: the lower rank sends to 1 */
    plan_tree_destroy(&t);
    CU_ASSERT_EQUAL_FATAL(plan_heuristic_tree("fef", pf, 0, 1, 0, NULL, &t, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_tree_children(t, 0, &n)[0], 1);
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
}

/* Rank 1 is in at 1 s, and 0 is free then: whose slice is with 2 sooner sends it, and flight counts. */
static void fnf_takes_the_sender_that_gets_there_first(void)
{
    for (int delay = 0; delay < 6; delay++) {
        const plan_link_t link[] = {
            {0, 1, 0, 1, 0, -1}, {0, 2, 0, 4, 0, -1}, {1, 2, 0, 1, delay, -1}, {2, 1, 0, 9, 0, -1}};
        const plan_platform_data_t d = {.size = sizeof d, .ranks = 3, .nlinks = 4, .link = link};
        plan_platform_t *pf = NULL;
        plan_tree_t *t = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_heuristic_tree("fnf", pf, 0, 1, 0, NULL, &t, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plan_tree_data(t)->parent[1], 0);
        CU_ASSERT_EQUAL(plan_tree_data(t)->parent[2], 1 + 1 + delay < 1 + 4 ? 1 : 0); /* a tie: the lower rank */
        plan_tree_destroy(&t);
        plan_platform_destroy(&pf);
    }
}

enum { SITES = 3, HOSTS = 9, DEALT = 18 };

/* 3 sites of 3 hosts of 2 ranks, dealt round robin to hosts. (With two hosts per site a binomial tree of all hosts,
 * too, enters each site once.) */
static plan_platform_t *dealt(void)
{
    int host[DEALT], site[DEALT];
    plan_link_t link[DEALT * DEALT];
    size_t n = 0;
    plan_platform_t *pf = NULL;
    for (int r = 0; r < DEALT; r++) host[r] = r % HOSTS, site[r] = host[r] / (HOSTS / SITES);
    for (int u = 0; u < DEALT; u++)
        for (int v = 0; v < DEALT; v++)
            if (u != v) link[n++] = (plan_link_t){u, v, 0, host[u] == host[v] ? 1 : site[u] == site[v] ? 5 : 50, 0, -1};
    const plan_platform_data_t d = {
        .size = sizeof d, .ranks = DEALT, .nlinks = n, .link = link, .host = host, .site = site};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

static void enters_each_site_and_host_once(const char *name, int height)
{
    plan_platform_t *pf = dealt();
    const plan_platform_data_t *d = plan_platform_data(pf);
    plan_tree_t *t = NULL;
    int into_host[HOSTS] = {0}, into_site[SITES] = {0}, root = 7;
    CU_ASSERT_EQUAL_FATAL(plan_heuristic_tree(name, pf, root, 1, 0, NULL, &t, NULL), PLAN_OK);
    for (int v = 0; v < DEALT; v++) {
        int u = plan_tree_data(t)->parent[v];
        if (u < 0) continue;
        into_host[d->host[v]] += d->host[u] != d->host[v];
        into_site[d->site[v]] += d->site[u] != d->site[v];
    }
    for (int h = 0; h < HOSTS; h++) CU_ASSERT_EQUAL(into_host[h], h != d->host[root]);
    for (int s = 0; s < SITES; s++) CU_ASSERT_EQUAL(into_site[s], s != d->site[root]);
    CU_ASSERT_EQUAL(plan_tree_data(t)->height, height);
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
}

static void host_chain_enters_each_site_and_host_once(void)
{
    enters_each_site_and_host_once("host-chain", DEALT - 1);
}

static void host_binomial_enters_each_site_and_host_once(void)
{
    enters_each_site_and_host_once("host-binomial", 3);
}

/* Six ranks in a directed ring from root 2: every transfer is routed around it. By relative rank (m = 2): 0->2 (2
 * links), 0->1, 2->3, and last 0->4, 1->5 (4 links each). */
static void binomial_paths_count_every_crossing(void)
{
    plan_link_t link[6];
    plan_platform_t *pf = NULL;
    int uses[6] = {9, 9, 9, 9, 9, 9}, relative[6];
    double tp = 0;
    plan_bottleneck_t at;
    for (int r = 0; r < 6; r++) link[r] = (plan_link_t){r, (r + 1) % 6, 0, 1 + r, 0, -1};
    const plan_platform_data_t d = {.size = sizeof d, .ranks = 6, .nlinks = 6, .link = link};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_binomial_paths(pf, 2, 1, uses), PLAN_OK);
    for (int r = 0; r < 6; r++) relative[r] = uses[(r + 2) % 6]; /* link r -> r + 1 by relative rank */
    CU_ASSERT(relative[0] == 3 && relative[1] == 3 && relative[2] == 3 && relative[3] == 2 && relative[4] == 1 &&
              relative[5] == 0);
    CU_ASSERT_EQUAL(plani_throughput_of_uses(pf, uses, 1, &tp, &at), PLAN_OK);
    CU_ASSERT(at.at == PLAN_AT_SEND_PORT && at.index == 4 && at.seconds == 15);
    plan_platform_destroy(&pf);
}

/* Complete and equal: every transfer takes its own link, so the counts are the binomial tree itself. */
static void binomial_paths_on_a_complete_platform_is_the_binomial_tree(void)
{
    for (int n = 1; n <= 9; n++) {
        plan_platform_t *pf = sample_complete(n);
        int uses[72], sum = 0, m = 0;
        CU_ASSERT_EQUAL_FATAL(plani_binomial_paths(pf, n - 1, 1, uses), PLAN_OK);
        for (size_t l = 0; l < plan_platform_data(pf)->nlinks; l++) sum += uses[l];
        while (n >> (m + 1) > 0) m++;
        CU_ASSERT_EQUAL(sum, n - 1);
        for (int p = 0; p < m; p++)
            CU_ASSERT_EQUAL(uses[plan_platform_find_link(pf, n - 1, (n - 1 + (1 << p)) % n)], 1);
        plan_platform_destroy(&pf);
    }
}

static void bad_requests_are_refused_with_a_line(void)
{
    plan_platform_t *pf = sample_complete(3);
    static const plan_link_t one_way[] = {{0, 1, 0, 1, 0, -1}};
    const plan_platform_data_t d = {.size = sizeof d, .ranks = 2, .nlinks = 1, .link = one_way};
    plan_platform_t *half = NULL;
    plan_tree_t *t = NULL;
    plan_error_t err;
    int uses[6];
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &half, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_heuristic_tree("no-such", pf, 0, 1, 0, NULL, &t, &err), PLAN_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "no-such"));
    CU_ASSERT_EQUAL(plan_heuristic_tree("lp-prune", pf, 0, 1, 0, NULL, &t, &err), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_heuristic_tree("grow", pf, 3, 1, 0, NULL, &t, &err), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_heuristic_tree("grow", pf, -1, 1, 0, NULL, &t, &err), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_heuristic_tree("grow", pf, 0, 0, 0, NULL, &t, &err), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_heuristic_tree("grow", pf, 0, NAN, 0, NULL, &t, &err), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_heuristic_tree("grow", pf, 0, 1, -1, NULL, &t, &err), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_heuristic_tree("binomial-paths", pf, 0, 1, 0, NULL, &t, &err), PLAN_EUNSUPPORTED);
    CU_ASSERT_EQUAL(plan_heuristic_tree("grow", half, 1, 1, 0, NULL, &t, &err), PLAN_EUNREACHABLE);
    CU_ASSERT(strlen(err.text) > 0);
    CU_ASSERT_EQUAL(plan_heuristic_tree("grow", half, 1, 1, 0, NULL, &t, NULL), PLAN_EUNREACHABLE);
    CU_ASSERT_EQUAL(plani_binomial_paths(half, 1, 1, uses), PLAN_EUNREACHABLE);
    CU_ASSERT_EQUAL(plani_binomial_paths(pf, 3, 1, uses), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_binomial_paths(pf, 0, 0, uses), PLAN_EINVAL);
    CU_ASSERT_PTR_NULL(t);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&half);
}

static void out_of_memory_is_reported(void)
{
    size_t n;
    const plan_heuristic_t *h = plan_heuristics(&n);
    plan_platform_t *pf = sample_complete(6);
    const double rate[30] = {0};
    int uses[30];
    for (size_t i = 0; i < n; i++) {
        plan_tree_t *t = NULL;
        if (h[i].routed) continue;
        ALLOC_EACH(plan_heuristic_tree(h[i].name, pf, 0, 1, 50, rate, &t, NULL), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
        plan_tree_destroy(&t);
    }
    ALLOC_EACH(plani_binomial_paths(pf, 0, 1, uses), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_platform_destroy(&pf);
}

SUITE_MAIN("heuristics", TEST(every_heuristic_spans_every_platform), TEST(two_ranks_have_one_tree),
           TEST(prune_simple_is_algorithm_1), TEST(prune_degree_is_algorithm_2), TEST(grow_is_algorithm_3),
           TEST(multiport_grow_is_algorithm_5), TEST(multiport_prune_is_algorithm_2_by_periods),
           TEST(lp_prune_is_algorithm_6), TEST(lp_grow_is_algorithm_7), TEST(ecef_on_equal_links_is_a_binomial_tree),
           TEST(fnf_takes_the_fast_sender_first), TEST(fnf_takes_the_sender_that_gets_there_first),
           TEST(host_chain_enters_each_site_and_host_once), TEST(host_binomial_enters_each_site_and_host_once),
           TEST(binomial_paths_count_every_crossing), TEST(binomial_paths_on_a_complete_platform_is_the_binomial_tree),
           TEST(bad_requests_are_refused_with_a_line), TEST(out_of_memory_is_reported))
