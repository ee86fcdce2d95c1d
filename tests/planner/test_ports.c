/* Platforms without ports (PLAN_PORTS_NONE): between hosts, messages load network cards and trunks but not ranks. */
#include "suite.h"
#include "spec_text.h"
#include "alloc.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <planbcast/plan.h>
#include "graphs/generate/sites.h"
#include "lib/base/rng.h"
#include "planner/algorithms/cluster_bound.h"
#include "planner/cost/cost.h"
#include "planner/simulate/simulation.h"
#include "planner/taulop/score.h"

static void begin(void)
{
    length = 0;
    put("{\"format\": \"planbcast-cluster\", \"version\": 1, \"sites\": [", 0, 0, 0);
}

/* So many hosts of one rank, with rates in and out [MB/s]. */
static void put_hosts(int count, double in, double out)
{
    put("{\"count\": %.0f, \"in_bytes_per_s\": %ge6, \"out_bytes_per_s\": %ge6}", count, in, out);
}

static plani_cluster_t *finish(void)
{
    put("]}", 0, 0, 0);
    return parse_text();
}

static plan_platform_t *platform_of(const plani_cluster_t *c)
{
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(c, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_platform_data(pf)->ports, PLAN_PORTS_NONE);
    return pf;
}

/* One to three sites, some behind trunks, of one to four kinds of hosts. */
static plani_cluster_t *random_cluster(uint64_t seed)
{
    static const double rate[] = {1, 2, 3, 5, 10, 20, 60};
    plani_rng_t rng;
    plani_rng_seed(&rng, seed);
#define RATE rate[plani_rng_below(&rng, 7)]
    begin();
    int sites = 1 + (int)plani_rng_below(&rng, 3);
    for (int s = 0; s < sites; s++) {
        put(s > 0 ? ", {" : "{", 0, 0, 0);
        if (plani_rng_below(&rng, 2)) {
            double in = RATE, out = RATE;
            put("\"trunk\": {\"in_bytes_per_s\": %ge6, \"out_bytes_per_s\": %ge6}, ", in, out, 0);
        }
        put("\"hosts\": [", 0, 0, 0);
        for (int k = 1 + (int)plani_rng_below(&rng, 3); k > 0; k--) {
            double in = RATE, out = RATE;
            put_hosts(1 + (int)plani_rng_below(&rng, 2), in, out);
            put(k > 1 ? ", " : "]}", 0, 0, 0);
        }
    }
    return finish();
}

/* The platform's program, of links and cuts, and the machine's, of hosts and groups, agree. */
static void the_bound_is_that_of_the_machine(void)
{
    int compared = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        plani_cluster_t *c = random_cluster(seed);
        if (c->ranks > 1) {
            const double slice = 1 << 30;
            plan_platform_t *pf = platform_of(c);
            plan_steady_t *s = NULL;
            plani_cluster_bound_t b;
            int root = (int)(seed % (uint64_t)c->ranks);
            CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, root, slice, NULL, &s, NULL), PLAN_OK);
            CU_ASSERT_EQUAL_FATAL(plani_cluster_bound(c, root, &b, NULL), PLAN_OK);
            CU_ASSERT_DOUBLE_EQUAL(plan_steady_data(s)->throughput * slice / b.rate, 1, 1e-6);
            compared++;
            plani_cluster_bound_clear(&b);
            plan_steady_destroy(&s);
            plan_platform_destroy(&pf);
        }
        plani_cluster_destroy(&c);
    }
    CU_ASSERT(compared > 150);
}

/* The root, one node for each of both kinds of hosts, their site, and the whole; in any order of the hosts. */
static void alike_hosts_are_one_node(void)
{
    double rate[2];
    for (int mixed = 0; mixed < 2; mixed++) {
        plani_cluster_bound_t b;
        begin();
        put("{\"hosts\": [", 0, 0, 0);
        put_hosts(1, 60, 60);
        for (int i = 0; i < 20; i++) {
            bool fast = mixed ? i % 2 : i < 10;
            put(", ", 0, 0, 0);
            put_hosts(1, fast ? 20 : 10, fast ? 10 : 5);
        }
        put("]}", 0, 0, 0);
        plani_cluster_t *c = finish();
        CU_ASSERT_EQUAL_FATAL(plani_cluster_bound(c, 0, &b, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(b.nodes, 5);
        rate[mixed] = b.rate;
        plani_cluster_bound_clear(&b);
        plani_cluster_destroy(&c);
    }
    CU_ASSERT_DOUBLE_EQUAL(rate[0] / rate[1], 1, 1e-9);
}

static plan_tree_t *star(int ranks)
{
    int parent[16] = {-1};
    plan_tree_t *tree = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(ranks, parent, NULL, &tree), PLAN_OK);
    return tree;
}

/* A card of 60 MB/s sends to six of 10 MB/s at once: by throughput, stages and simulation. */
static void a_fast_card_feeds_slow_ones_at_once(void)
{
    enum { BYTES = 4 << 20 };
    begin();
    put("{\"hosts\": [", 0, 0, 0);
    put_hosts(1, 60, 60);
    put(", ", 0, 0, 0);
    put_hosts(6, 10, 10);
    put("]}", 0, 0, 0);
    plani_cluster_t *c = finish();
    plan_platform_t *pf = platform_of(c);
    plan_tree_t *tree = star(7);
    plani_simulation_t *x = NULL;
    double slices, stages, simulated, once_s = BYTES / 10e6;
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &tree, NULL, 65536, &slices, NULL), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(slices * 65536 / 10e6, 1, 1e-9);
    CU_ASSERT_EQUAL(plani_score_taulop(pf, tree, BYTES, 65536, 4, &stages), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(stages / once_s, 1, 0.02);
    CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &x), PLAN_OK);
    CU_ASSERT_EQUAL(plani_simulate_trees(x, 1, &tree, NULL, (plani_pipeline_t){BYTES, 65536, 4}, NULL, &simulated),
                    PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(simulated / once_s, 1, 0.02);
    plani_simulation_destroy(&x);
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
    plani_cluster_destroy(&c);
}

/* A class's ladder of 1 s/B and 6 s of software, 30 s where a receiver has to be woken up; three pairs of the class
 * whose cards are not all as fast as those of the pair that was measured, and one whose flow alone is slower. */
static void software_time_of_slices_is_that_of_streams(void)
{
    static const plan_link_t link[] = {
        {0, 1, 1, 0.95, 0, 0}, {0, 2, 1, 1, 0, 0}, {0, 3, 1, 1.05, 0, 0}, {1, 2, 1, 3, 0, 0}};
    static const size_t of[] = {0, 1, 2};
    static const double bytes[] = {8, 128, 1024, 16384}, call[] = {4, 4, 5, 5}, gap[] = {30, 140, 1030, 16390},
                        p2p[] = {120, 240, 1150, 16500};
    static const plan_channel_t network = {"network", true, 4, bytes, call, gap, p2p, 0, NULL, false, 0};
    static const int host[] = {0, 1, 2, 3};
    plan_resource_t card[3];
    for (int i = 0; i < 3; i++)
        card[i] = (plan_resource_t){.name = "card", .s_per_byte = link[i].s_per_byte, .nlinks = 1, .link = &of[i]};
    plan_platform_data_t d = {.size = sizeof d, .ranks = 4, .nlinks = 4, .link = link};
    d.nresources = 3, d.resource = card, d.nchannels = 1, d.channel = &network;
    d.host = host, d.ports = PLAN_PORTS_NONE;
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    for (size_t l = 0; l < 3; l++) {
        CU_ASSERT_DOUBLE_EQUAL(plani_link_time(plan_platform_data(pf), l, 4096).busy, 6, 1e-9);
        CU_ASSERT_DOUBLE_EQUAL(plani_link_time(plan_platform_data(pf), l, 8).busy, 22, 1e-9);
    }
    CU_ASSERT_DOUBLE_EQUAL(plani_link_time(plan_platform_data(pf), 3, 4096).flow, 3 * 4096, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(plani_link_time(plan_platform_data(pf), 3, 4096).busy, 6, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(plani_link_time(plan_platform_data(pf), 3, 8).flow, 30, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(plani_link_time(plan_platform_data(pf), 3, 8).busy, 22, 1e-9);
    plan_platform_destroy(&pf);
}

/* Between hosts ports are held for latency_s alone; a link that is slower than its resources is held as well, and
 * leaves its ranks free. */
static void ports_are_held_for_what_no_resource_carries(void)
{
    static const plan_link_t link[] = {
        {0, 1, 1, 1, 0, -1}, {0, 2, 1, 2, 0, -1}, {0, 3, 1, 3, 0, -1}, {1, 2, 1, 2, 0, -1}};
    static const size_t all[] = {0, 1, 2};
    static const plan_resource_t card = {.name = "card", .s_per_byte = 2, .nlinks = 3, .link = all};
    static const int host[] = {0, 0, 1, 2};
    plan_platform_data_t d = {.size = sizeof d,
                              .ranks = 4,
                              .nlinks = 4,
                              .link = link,
                              .nresources = 1,
                              .resource = &card,
                              .host = host,
                              .ports = PLAN_PORTS_NONE};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    const plan_platform_data_t *p = plan_platform_data(pf);
    CU_ASSERT_EQUAL(plani_port_cost(p, 0, 10), 11); /* inside a host */
    CU_ASSERT_EQUAL(plani_port_cost(p, 1, 10), 1);
    CU_ASSERT_EQUAL(plani_port_cost(p, 2, 10), 1);
    CU_ASSERT_EQUAL(plani_own_cost(p, 0, 10), 0);
    CU_ASSERT_EQUAL(plani_own_cost(p, 1, 10), 0);
    CU_ASSERT_EQUAL(plani_own_cost(p, 2, 10), 31); /* slower than the card */
    CU_ASSERT_EQUAL(plani_own_cost(p, 3, 10), 21); /* in no resource */
    CU_ASSERT_EQUAL(plani_link_time(p, 1, 10).busy, 1);
    CU_ASSERT_EQUAL(plani_link_time(p, 1, 10).through, 21);
    CU_ASSERT_EQUAL(plani_link_time(p, 2, 10).busy, 1);
    CU_ASSERT_EQUAL(plani_link_time(p, 2, 10).flow, 31);
    CU_ASSERT_EQUAL(plani_link_time(p, 2, 10).through, 31);
    plan_platform_destroy(&pf);
    d.ports = PLAN_PORTS_ONE;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plani_port_cost(plan_platform_data(pf), 1, 10), 21);
    CU_ASSERT_EQUAL(plani_own_cost(plan_platform_data(pf), 2, 10), 0);
    plan_platform_destroy(&pf);
}

/* From a card of 60 MB/s to three hosts, each over a flow of 10: the star sustains 10, which is the bound, and what
 * limits it is a link. */
static void slow_flows_leave_their_ranks_free(void)
{
    enum { RANKS = 4, SLICE = 1 << 16 };
    plan_link_t link[RANKS * RANKS];
    size_t of[2 * RANKS][RANKS];
    plan_resource_t card[2 * RANKS];
    static const int host[RANKS] = {0, 1, 2, 3};
    plan_platform_data_t d = {.size = sizeof d, .ranks = RANKS, .link = link, .resource = card, .host = host};
    plan_platform_t *pf = NULL;
    plan_ranking_t *ranking = NULL;
    plan_tree_t *tree = star(RANKS), *few[3];
    plan_bottleneck_t at;
    double slices = 0, share[3];
    size_t ntrees = 0;

    for (int i = 0; i < 2 * RANKS; i++)
        card[i] = (plan_resource_t){.name = "card", .s_per_byte = 1 / 60e6, .link = of[i]};
    for (int u = 0; u < RANKS; u++)
        for (int v = 0; v < RANKS; v++) {
            if (u == v) continue;
            of[u][card[u].nlinks++] = of[RANKS + v][card[RANKS + v].nlinks++] = d.nlinks;
            link[d.nlinks++] = (plan_link_t){u, v, 0, 1e-7, 0, -1};
        }
    d.nresources = 2 * RANKS, d.ports = PLAN_PORTS_NONE;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &tree, NULL, SLICE, &slices, &at), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(slices * SLICE / 10e6, 1, 1e-9);
    CU_ASSERT(at.at == PLAN_AT_LINK && at.index == 0);
    CU_ASSERT_EQUAL_FATAL(plan_few_trees(pf, 0, SLICE, 3, NULL, 1, 0, few, share, &ntrees, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_throughput(pf, ntrees, few, share, SLICE, &slices, NULL), PLAN_OK);
    CU_ASSERT(slices * SLICE > 0.98 * 30e6); /* each by a flow from the root and two from others */
    while (ntrees > 0) plan_tree_destroy(&few[--ntrees]);
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 0, 4 << 20, NULL, &ranking, NULL), PLAN_OK);
    for (size_t i = 0; i < ranking->ncandidates; i++) CU_ASSERT(ranking->candidate[i].lp_ratio <= 1 + 1e-9);
    plan_ranking_destroy(&ranking);
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
}

/* One host that sends fast, and 4 to 9 that send slowly: all have to help. */
static void plans_come_near_the_bound_where_uploads_are_scarce(void)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        plani_rng_t rng;
        plan_ranking_t *ranking = NULL;
        plani_rng_seed(&rng, seed);
        int peers = 4 + (int)plani_rng_below(&rng, 6);
        double in = 10 + 10 * plani_rng_unit(&rng), out = in * (0.15 + 0.5 * plani_rng_unit(&rng));
        begin();
        put("{\"hosts\": [", 0, 0, 0);
        put_hosts(1, 100, in * (1.2 + (peers - 1.2) * plani_rng_unit(&rng)));
        put(", ", 0, 0, 0);
        put_hosts(peers, in, out);
        put("]}", 0, 0, 0);
        plani_cluster_t *c = finish();
        plan_platform_t *pf = platform_of(c);
        CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 0, 4 << 20, NULL, &ranking, NULL), PLAN_OK);
        double lp = 0;
        for (size_t i = 0; i < ranking->ncandidates && i < 1; i++) lp = ranking->candidate[i].lp_ratio;
        CU_ASSERT(lp >= 0.9);
        if (lp < 0.9) printf("seed %d: %d peers, %s: %.3f\n", (int)seed, peers, ranking->candidate[0].name, lp);
        plan_ranking_destroy(&ranking);
        plan_platform_destroy(&pf);
        plani_cluster_destroy(&c);
    }
}

static void every_failing_allocation_of_the_bound_comes_back(void)
{
    plani_cluster_t *c = random_cluster(5);
    plani_cluster_bound_t b;
    plan_error_t err;
    CU_ASSERT_FATAL(c->ranks > 1);
    ALLOC_EACH(plani_cluster_bound(c, 0, &b, &err), {
        CU_ASSERT_EQUAL(status, PLAN_ENOMEM);
        CU_ASSERT(err.text[0] != '\0');
        CU_ASSERT_PTR_NULL(b.limit);
    });
    plani_cluster_bound_clear(&b);
    plani_cluster_destroy(&c);
}

SUITE_MAIN("ports", TEST(the_bound_is_that_of_the_machine), TEST(alike_hosts_are_one_node),
           TEST(a_fast_card_feeds_slow_ones_at_once), TEST(ports_are_held_for_what_no_resource_carries),
           TEST(slow_flows_leave_their_ranks_free), TEST(software_time_of_slices_is_that_of_streams),
           TEST(plans_come_near_the_bound_where_uploads_are_scarce),
           TEST(every_failing_allocation_of_the_bound_comes_back))
