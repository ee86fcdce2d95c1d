/* Simulations equal closed forms, are never slower than stages without shared resources, and reach the throughput. */
#include "suite.h"
#include "simulated.h"
#include "alloc.h"
#include "sample.h"
#include "graphs/trees/rounds.h"
#include "planner/simulate/simulation.h"
#include "planner/simulate/simulation_private.h"
#include <planbcast/heuristics.h>
#include "planner/taulop/score.h"
#include <math.h>
#include <stdint.h>

enum { RANKS = 12 };

/* Every pair of ranks has a link; cost(l) fills it in. */
typedef struct {
    plan_link_t link[RANKS * RANKS];
    plan_platform_data_t data;
} scene_t;

static scene_t scene;

static void equal_links(int ranks, double latency_s, double s_per_byte, double delay_s)
{
    size_t n = 0;
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++)
            if (u != v) scene.link[n++] = (plan_link_t){u, v, latency_s, s_per_byte, delay_s, -1};
    scene.data =
        (plan_platform_data_t){.size = sizeof(plan_platform_data_t), .ranks = ranks, .nlinks = n, .link = scene.link};
}

static plan_platform_t *platform(void)
{
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&scene.data, &pf, NULL), PLAN_OK);
    return pf;
}

static plan_tree_t *chain(int ranks, int root)
{
    int parent[RANKS];
    plan_tree_t *tree = NULL;
    for (int i = 0; i < ranks; i++) parent[(root + i) % ranks] = i > 0 ? (root + i - 1) % ranks : -1;
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(ranks, parent, NULL, &tree), PLAN_OK);
    return tree;
}

static plan_tree_t *star(int ranks)
{
    int parent[RANKS] = {-1};
    plan_tree_t *tree = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(ranks, parent, NULL, &tree), PLAN_OK);
    return tree;
}

#define NEARLY(a, b) CU_ASSERT_DOUBLE_EQUAL(a, b, 1e-9 * fabs(b))

/* n slices down a chain of k hops: the first takes k hops, and each of the others one more of them. */
static void chain_takes_its_hops_and_then_one_for_each_slice(void)
{
    const double hop = 2 + 5 * 1;
    for (int ranks = 2; ranks <= RANKS; ranks++) {
        equal_links(ranks, 2, 1, 3);
        plan_platform_t *pf = platform();
        plan_tree_t *tree = chain(ranks, ranks / 2);
        for (size_t n = 1; n < 5000; n = n * 3 + 1) { /* far more than are simulated */
            NEARLY(simulation(pf, tree, 5 * n, 5, 0), ((double)n + ranks - 2) * hop + (ranks - 1) * 3);
        }
        NEARLY(simulation(pf, tree, 5, 0, 4), (ranks - 1) * (hop + 3.0));
        NEARLY(simulation(pf, tree, 7, 5, 0), (ranks - 1) * (hop + 3.0) + 2 + 2); /* the last slice is short */
        plan_tree_destroy(&tree);
        plan_platform_destroy(&pf);
    }
}

static void star_is_held_up_by_its_root(void)
{
    equal_links(7, 1, 1, 0);
    plan_platform_t *pf = platform();
    plan_tree_t *tree = star(7);
    for (size_t n = 1; n < 4000; n = n * 2 + 1) NEARLY(simulation(pf, tree, 4 * n, 4, 0), 6.0 * (double)n * 5);
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
}

/* Several ports: a rank's sends hold it for its own share each, one after the other, and each link on its own for T. */
static void ranks_of_several_ports_send_side_by_side(void)
{
    enum { CHILDREN = 4 };
    const double hop = 2 + 5 * 1, flight = 3;
    double send_s[RANKS];
    for (double share = 0.5; share < 16; share *= 2) {
        for (int r = 0; r < RANKS; r++) send_s[r] = share;
        equal_links(CHILDREN + 1, 2, 1, flight);
        scene.data.ports = PLAN_PORTS_MULTI;
        scene.data.send_s = send_s;
        plan_platform_t *pf = platform();
        plan_tree_t *wide = star(CHILDREN + 1), *line = chain(CHILDREN + 1, 2);
        double slowest = fmax(share, hop); /* alone a message takes as long as the slower of port and link */
        for (size_t n = 1; n < 4000; n = n * 3 + 1) {
            double last = (CHILDREN - 1) * share + slowest + ((double)n - 1) * fmax(CHILDREN * share, hop);
            NEARLY(simulation(pf, wide, 5 * n, 5, 0), last + flight);
            NEARLY(simulation(pf, line, 5 * n, 5, 0), ((double)n + CHILDREN - 1) * slowest + CHILDREN * flight);
        }
        plan_tree_destroy(&wide);
        plan_tree_destroy(&line);
        plan_platform_destroy(&pf);
    }
}

/* Between hosts without ports, a link slower than all that it passes limits its own flow: a rank feeds several children
 * in the time of one. Two trees that use the same links share their flows. */
static void single_flows_leave_their_ranks_free(void)
{
    enum { CHILDREN = 5 };
    static const int host[] = {0, 1, 2, 3, 4, 5};
    const double equal[] = {1, 1};
    equal_links(CHILDREN + 1, 0, 1, 0);
    scene.data.ports = PLAN_PORTS_NONE, scene.data.host = host;
    plan_platform_t *pf = platform();
    plan_tree_t *tree[] = {star(CHILDREN + 1), star(CHILDREN + 1)};
    for (size_t n = 1; n < 1000; n = n * 3 + 1) {
        plani_simulation_t *x = NULL;
        double t = 0;
        NEARLY(simulation(pf, tree[0], 5 * n, 5, 0), 5 * (double)n);
        CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &x), PLAN_OK);
        CU_ASSERT_EQUAL(plani_simulate_trees(x, 2, tree, equal, (plani_pipeline_t){5 * n, 5, 0}, NULL, &t), PLAN_OK);
        NEARLY(t, 5 * (double)n);
        plani_simulation_destroy(&x);
    }
    plan_tree_destroy(&tree[0]);
    plan_tree_destroy(&tree[1]);
    plan_platform_destroy(&pf);
}

/* Slice k may go once slice k - 1 has left the port, and once there is word of slice k - w. */
static void window_waits_for_word_of_an_earlier_slice(void)
{
    enum { SLICES = 200 };
    double start[SLICES];
    equal_links(2, 1, 1, 40);
    plan_platform_t *pf = platform();
    plan_tree_t *tree = chain(2, 0);
    for (int w = 1; w <= 128; w++) {
        for (int k = 0; k < SLICES; k++) {
            start[k] = k > 0 ? start[k - 1] + 3 : 0;
            if (k >= w) start[k] = fmax(start[k], start[k - w] + 3 + 80);
        }
        NEARLY(simulation(pf, tree, 2 * SLICES, 2, w), start[SLICES - 1] + 3 + 40);
    }
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
}

/* A window wider than what is simulated holds up the slices beyond all the same. */
static void window_holds_up_slices_that_are_not_simulated(void)
{
    enum { WINDOW = 200, SLICES = 200000 };
    const double round = 3 + 2 * 400.;
    equal_links(RANKS, 1, 1, 400);
    plan_platform_t *pf = platform();
    plan_tree_t *tree = chain(RANKS, 0);
    CU_ASSERT_DOUBLE_EQUAL(simulation(pf, tree, 2 * (size_t)SLICES, 2, WINDOW), SLICES * round / WINDOW,
                           0.01 * SLICES * round / WINDOW);
    NEARLY(simulation(pf, tree, 2 * (size_t)SLICES, 2, 0), (SLICES + RANKS - 2) * 3. + (RANKS - 1) * 400);
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
}

/* Rank 1 sends 10 B to rank 2, at 1 s/B, when 3 B from rank 0 arrive: rank 0 knows of them once the 10 B are out, but
 * for 4 B that the card lets pass at once. */
static void word_waits_behind_what_its_sender_sends(void)
{
    static const size_t out_0[] = {0, 1}, out_1[] = {2, 3};
    static const int host[] = {0, 1, 2};
    plan_resource_t card[] = {{.name = "0", .s_per_byte = 1, .nlinks = 2, .link = out_0},
                              {.name = "1", .s_per_byte = 1, .nlinks = 2, .link = out_1}};
    for (int burst = 0; burst <= 4; burst += 4) {
        plani_simulation_t *x = NULL;
        plani_notice_t notice;
        size_t there, on;
        equal_links(3, 0, 1, 0);
        card[1].burst_bytes = burst;
        scene.data.nresources = 2, scene.data.resource = card, scene.data.host = host;
        scene.data.ports = PLAN_PORTS_NONE;
        plan_platform_t *pf = platform();
        CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &x), PLAN_OK);
        plani_network_clear(x);
        CU_ASSERT_EQUAL(plani_network_route(x, 0, NULL, 3, 1, &there), PLAN_OK);
        CU_ASSERT_EQUAL(plani_network_route(x, 3, NULL, 10, 1, &on), PLAN_OK);
        CU_ASSERT_EQUAL(plani_network_send(x, on, true, 1), PLAN_OK);
        CU_ASSERT_EQUAL(plani_network_send(x, there, true, 0), PLAN_OK);
        CU_ASSERT(plani_network_next(x, &notice) && notice.arrived && notice.what == 0 && x->now == 3);
        CU_ASSERT_FALSE(plani_network_is_known(x, notice.message));
        plani_network_announce(x, notice.message);
        while (plani_network_next(x, &notice) && notice.arrived) continue;
        CU_ASSERT_EQUAL(notice.what, 0);
        CU_ASSERT_EQUAL(x->now, 10 - burst);
        plani_simulation_destroy(&x);
        plan_platform_destroy(&pf);
    }
}

/* A card of 1 s/B with 50 B saved up: slices of 10 B pass at the 2 s of the software until it is spent. */
static void burst_passes_at_the_pace_of_the_software(void)
{
    size_t only[] = {0};
    const plan_resource_t card = {.name = "card", .s_per_byte = 1, .burst_bytes = 50, .nlinks = 1, .link = only};
    equal_links(2, 2, 1, 0);
    scene.data.nresources = 1, scene.data.resource = &card;
    plan_platform_t *pf = platform();
    plan_tree_t *tree = chain(2, 0);
    for (size_t n = 1; n <= 400; n++)
        NEARLY(simulation(pf, tree, 10 * n, 10, 0), fmax(2 * (double)n, 10 * (double)n - 50));
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
}

/* Cards out and in of one host each, and what all links share: each transfer waits for both. */
static void shared_resource_serves_one_after_the_other(void)
{
    size_t all[RANKS * RANKS];
    equal_links(5, 0, 1, 0);
    for (size_t i = 0; i < scene.data.nlinks; i++) all[i] = i;
    const plan_resource_t bus = {.name = "bus", .s_per_message = 2, .s_per_byte = 3, .nlinks = 20, .link = all};
    scene.data.nresources = 1, scene.data.resource = &bus;
    plan_platform_t *pf = platform();
    plan_tree_t *tree = chain(5, 0);
    for (size_t n = 1; n < 100; n += 7) { /* 4 hops of n slices, one at a time */
        double t = simulation(pf, tree, n, 1, 0);
        CU_ASSERT(t >= (double)(4 * n) * 5 * (1 - 1e-9));
        CU_ASSERT(t <= (double)(4 * n + 12) * 5);
    }
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
}

static double unit(uint64_t *state)
{
    return (double)(sample_next(state) >> 11) / 9007199254740992.0;
}

static plan_tree_t *draw(uint64_t *state)
{
    int n = 2 + sample_below(state, RANKS - 1), parent[RANKS] = {-1}, reach = 1 + sample_below(state, n);
    plan_tree_t *tree = NULL;
    equal_links(n, 0, 1, 0);
    for (size_t i = 0; i < scene.data.nlinks; i++) {
        scene.link[i].latency_s = unit(state);
        scene.link[i].s_per_byte = 0.1 + unit(state);
        scene.link[i].delay_s = sample_below(state, 2) * unit(state);
    }
    for (int v = 1; v < n; v++) parent[v] = v - 1 - sample_below(state, v < reach ? v : reach);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(n, parent, NULL, &tree), PLAN_OK);
    return tree;
}

/* Processors that take 1 for each message of a stream take 2.5 calls for the first to each rank, if that is more, and
 * half of the difference more for every other; those that take time for bytes alone, 1 again, do not. What they do
 * beyond 1 each adds to the time of the longest path; `from` is the root's card, if it has one. */
static plan_platform_t *on_processors(int ranks, double call, plan_resource_t processors, const plan_resource_t *from)
{
    const double size = 8, gap = 0.01, p2p = 100;
    size_t all[RANKS * RANKS];
    const plan_channel_t network = {"network", true, 1, &size, &call, &gap, &p2p, 0, NULL, false, 0};
    plan_resource_t resource[2] = {processors};
    equal_links(ranks, 0, 1, 0);
    for (size_t l = 0; l < scene.data.nlinks; l++) all[l] = l, scene.link[l].channel = 0;
    resource[0].name = "processors", resource[0].nlinks = scene.data.nlinks, resource[0].link = all;
    if (from != NULL) resource[1] = *from;
    scene.data.nchannels = 1, scene.data.channel = &network;
    scene.data.nresources = from != NULL ? 2 : 1, scene.data.resource = resource;
    return platform();
}

static void tree_takes(plan_tree_t *tree, double call, plan_resource_t processors, const plan_resource_t *from,
                       size_t bytes, size_t slice, double seconds)
{
    plan_platform_t *pf = on_processors(plan_tree_data(tree)->ranks, call, processors, from);
    NEARLY(simulation(pf, tree, bytes, slice, 4), seconds);
    plan_platform_destroy(&pf);
}

static const plan_resource_t per_message = {.s_per_message = 1}, per_byte = {.s_per_byte = 1. / 8};

static void messages_wake_their_receivers(void)
{
    const double flight = 99;
    plan_tree_t *tree = star(5);
    tree_takes(tree, 4, per_message, NULL, 8, 0, 4 * 10 + flight);
    tree_takes(tree, 4, per_message, NULL, 16, 8, 4 * 10 + 4 * (1 + 0.5 * 9) + flight);
    tree_takes(tree, 0.1, per_message, NULL, 8, 0, 4 + flight);
    tree_takes(tree, 0.1, per_message, NULL, 16, 8, 8 + flight);
    tree_takes(tree, 4, per_byte, NULL, 8, 0, 4 + flight);
    tree_takes(tree, 4, per_byte, NULL, 16, 8, 8 + flight);
    plan_tree_destroy(&tree);
}

static void messages_of_rounds_wake_their_receivers(void)
{
    plani_simulation_t *x = NULL;
    const int order[] = {0, 1};
    double t = 0;
    plan_platform_t *pf = on_processors(2, 4, per_message, NULL);
    CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &x), PLAN_OK);
    CU_ASSERT_EQUAL(plani_simulate_rounds(x, PLAN_CIRCULANT, order, (plani_pipeline_t){72, 24, 4}, &t), PLAN_OK);
    NEARLY(t, 10 + 3 * (1 + 0.5 * 9) + 3 * 100 - 1); /* after the record three slices, as long as it is */
    plani_simulation_destroy(&x);
    plan_platform_destroy(&pf);
}

static void work_and_the_longest_path_add_up(void)
{
    const double flight = 99, path = 2 + flight + 1 + flight; /* the root's second message, and one of its receiver's */
    const int parent[] = {-1, 0, 0, 1, 2};
    plan_tree_t *tree = NULL, *line = chain(5, 0);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(5, parent, NULL, &tree), PLAN_OK);
    tree_takes(tree, 4, per_message, NULL, 8, 0, path + 4 * 9);
    tree_takes(line, 4, per_message, NULL, 8, 0, 4 * (1 + flight) + 4 * 9);
    plan_tree_destroy(&tree);
    plan_tree_destroy(&line);
}

/* Two ranks wait for a card that takes 50 for each: the work for both, 18, is done meanwhile. */
static void work_is_done_while_messages_wait_for_a_card(void)
{
    enum { CARD = 50 };
    size_t out[] = {0, 1}; /* the root's links */
    plan_tree_t *tree = star(3);
    const plan_resource_t card = {.name = "card", .s_per_byte = CARD / 8., .nlinks = 2, .link = out};
    tree_takes(tree, 4, per_message, &card, 8, 0, 2 * CARD + (100 - CARD));
    plan_tree_destroy(&tree);
}

/* Without resources every rank sends in the order in which stages do, only that it waits for no other. */
static void simulation_never_takes_longer_than_stages_that_share_nothing(void)
{
    uint64_t state = 7;
    int sooner = 0;
    for (int round = 0; round < 500; round++) {
        plan_tree_t *tree = draw(&state);
        plan_platform_t *pf = platform();
        size_t slice = 1 + (size_t)sample_below(&state, 9), bytes = 1 + (size_t)sample_below(&state, 300);
        double stages = 0, t = simulation(pf, tree, bytes, slice, 0);
        CU_ASSERT_EQUAL(plani_score_taulop(pf, tree, bytes, slice, 0, &stages), PLAN_OK);
        CU_ASSERT(t <= stages * (1 + 1e-9));
        sooner += t < 0.98 * stages;
        plan_platform_destroy(&pf);
        plan_tree_destroy(&tree);
    }
    CU_ASSERT(sooner > 50); /* it is worth simulating */
}

static void many_slices_go_at_the_throughput(void)
{
    uint64_t state = 11;
    for (int round = 0; round < 100; round++) {
        plan_tree_t *tree = draw(&state);
        plan_platform_t *pf = platform();
        double per_second = 0, t = simulation(pf, tree, 4 * 300, 4, 0), more = simulation(pf, tree, 4 * 100300, 4, 0);
        CU_ASSERT_EQUAL(plan_throughput(pf, 1, &tree, NULL, 4, &per_second, NULL), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL((more - t) / 1e5, 1 / per_second, 1e-3 / per_second);
        plan_platform_destroy(&pf);
        plan_tree_destroy(&tree);
    }
}

/* Two chains that go round both ways: each port is busy all the time, but for what it waits at the ends. */
static void two_trees_share_the_slices(void)
{
    const double equal[] = {1, 1}, most[] = {3, 1};
    plani_simulation_t *x = NULL;
    equal_links(3, 0, 1, 0);
    plan_platform_t *pf = platform();
    int back[] = {-1, 2, 0};
    plan_tree_t *tree[2] = {chain(3, 0), NULL};
    double t = 0, alone = 0;
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(3, back, NULL, &tree[1]), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &x), PLAN_OK);
    for (size_t n = 2; n < 300; n += 2) {
        CU_ASSERT_EQUAL(plani_simulate_trees(x, 2, tree, equal, (plani_pipeline_t){n, 1, 4}, NULL, &t), PLAN_OK);
        CU_ASSERT(t >= (double)n && t <= (double)n + 3);
        CU_ASSERT_EQUAL(plani_simulate_trees(x, 2, tree, most, (plani_pipeline_t){4 * n, 1, 4}, NULL, &t), PLAN_OK);
        CU_ASSERT(t >= 4 * (double)n && t <= 4 * (double)n + 6);
    }
    CU_ASSERT_EQUAL(plani_simulate_trees(x, 1, tree, NULL, (plani_pipeline_t){40, 2, 3}, NULL, &alone), PLAN_OK);
    CU_ASSERT_EQUAL(plani_simulate_trees(x, 2, tree, most, (plani_pipeline_t){99, 2, 3}, NULL, &t), PLAN_OK);
    CU_ASSERT_EQUAL(plani_simulate_trees(x, 1, tree, NULL, (plani_pipeline_t){40, 2, 3}, NULL, &t), PLAN_OK);
    CU_ASSERT_EQUAL(t, alone); /* nothing is left of what was simulated before */
    plani_simulation_destroy(&x);
    plan_tree_destroy(&tree[0]);
    plan_tree_destroy(&tree[1]);
    plan_platform_destroy(&pf);
}

/* [s] of n slices of 1 B down a chain and two stars, in turn, whose messages fly for 5 s each. */
static double chain_and_stars(const plan_platform_t *pf, size_t n)
{
    plan_tree_t *tree[] = {chain(RANKS, 0), star(RANKS), star(RANKS)};
    plani_simulation_t *x = NULL;
    const double share[] = {1, 1, 1};
    double t = -1;
    CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &x), PLAN_OK);
    CU_ASSERT_EQUAL(plani_simulate_trees(x, 3, tree, share, (plani_pipeline_t){n, 1, 0}, NULL, &t), PLAN_OK);
    plani_simulation_destroy(&x);
    for (int i = 0; i < 3; i++) plan_tree_destroy(&tree[i]);
    return t;
}

/* The root sends 1 + 11 + 11 times for every three slices, however much later those of the chain arrive. */
static void trees_that_fill_late_go_at_the_common_pace(void)
{
    const double each = (1 + 2 * (RANKS - 1)) / 3.;
    equal_links(RANKS, 0, 1, 5);
    plan_platform_t *pf = platform();
    double t = chain_and_stars(pf, 3000);
    for (size_t n = 3; n < 3000; n *= 3) NEARLY(chain_and_stars(pf, 3000 + n) - t, (double)n * each);
    plan_platform_destroy(&pf);
}

/* What a shorter one tells of a message is what a simulation of all of it does, whatever the window and the last slice.
 */
static void pace_of_a_message_is_that_of_longer_ones(void)
{
    static const double share[] = {3, 1};
    plani_simulation_t *x = NULL;
    int back[] = {-1, 2, 3, 4, 0};
    equal_links(5, 1, 1, 0.5);
    plan_platform_t *pf = platform();
    plan_tree_t *tree[2] = {chain(5, 0), NULL};
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(5, back, NULL, &tree[1]), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &x), PLAN_OK);
    for (int window = 0; window <= 512; window = window == 0 ? 1 : 4 * window) {
        plani_extrapolation_t from = {0};
        double told = 0, afresh = 0;
        for (size_t bytes = 100; bytes < 10000; bytes += bytes / 7) {
            CU_ASSERT_EQUAL(plani_simulate_trees(x, 2, tree, share, (plani_pipeline_t){bytes, 2, window}, &from, &told),
                            PLAN_OK);
            CU_ASSERT_EQUAL(
                plani_simulate_trees(x, 2, tree, share, (plani_pipeline_t){bytes, 2, window}, NULL, &afresh), PLAN_OK);
            CU_ASSERT_EQUAL(told, afresh);
        }
        CU_ASSERT_EQUAL(from.slices > 0, window > 0);
        if (from.slices == 0) continue;
        from.period *= 2; /* only messages of many slices, none of them short, go by it */
        CU_ASSERT_EQUAL(plani_simulate_trees(x, 2, tree, share, (plani_pipeline_t){10000, 2, window}, NULL, &afresh),
                        PLAN_OK);
        CU_ASSERT_EQUAL(plani_simulate_trees(x, 2, tree, share, (plani_pipeline_t){10000, 2, window}, &from, &told),
                        PLAN_OK);
        CU_ASSERT(told > 1.5 * afresh);
        CU_ASSERT_EQUAL(plani_simulate_trees(x, 2, tree, share, (plani_pipeline_t){100, 2, window}, NULL, &afresh),
                        PLAN_OK);
        CU_ASSERT_EQUAL(plani_simulate_trees(x, 2, tree, share, (plani_pipeline_t){100, 2, window}, &from, &told),
                        PLAN_OK);
        CU_ASSERT_EQUAL(told, afresh);
        CU_ASSERT_EQUAL(plani_simulate_trees(x, 2, tree, share, (plani_pipeline_t){9999, 2, window}, NULL, &afresh),
                        PLAN_OK);
        CU_ASSERT_EQUAL(plani_simulate_trees(x, 2, tree, share, (plani_pipeline_t){9999, 2, window}, &from, &told),
                        PLAN_OK);
        CU_ASSERT_EQUAL(told, afresh);
    }
    plani_simulation_destroy(&x);
    plan_tree_destroy(&tree[0]);
    plan_tree_destroy(&tree[1]);
    plan_platform_destroy(&pf);
}

/* [s] A record over a link of equal_links(.., 1, 1, ..). */
static const double record_s = 1 + PLANI_ROUNDS_RECORD;

/* Equal links: rounds in step, as no rank has to wait for another's port. Before them each rank has sent or received
 * three records, one after the other. */
static void rounds_take_as_long_as_in_step(void)
{
    plani_simulation_t *x = NULL;
    const int order[] = {0, 1, 2, 3, 4, 5, 6, 7};
    equal_links(8, 1, 1, 0);
    plan_platform_t *pf = platform();
    double t = 0, ring = 0, part = 0;
    CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &x), PLAN_OK);
    for (size_t n = 1; n < 3000; n = 2 * n + 1) { /* n - 1 + log2 8 rounds of a slice of 4 B */
        CU_ASSERT_EQUAL(plani_simulate_rounds(x, PLAN_CIRCULANT, order, (plani_pipeline_t){4 * n, 4, 4}, &t), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(t, 3 * record_s + ((double)n + 2) * 5, 0.02 * t);
    }
    CU_ASSERT_EQUAL(plani_simulate_rounds(x, PLAN_SCATTER_DOUBLING, order, (plani_pipeline_t){800, 0, 4}, &t), PLAN_OK);
    CU_ASSERT_EQUAL(plani_score_rounds(pf, PLAN_SCATTER_DOUBLING, order, 800, 0, &part), PLAN_OK);
    t -= 3 * record_s;
    CU_ASSERT(t <= 1.1 * part && t >= 0.5 * part); /* what goes on at the start of the message waits for its rest */
    CU_ASSERT_EQUAL(plani_simulate_rounds(x, PLAN_SCATTER_RING, order, (plani_pipeline_t){800, 0, 4}, &t), PLAN_OK);
    CU_ASSERT_EQUAL(plani_score_rounds(pf, PLAN_SCATTER_RING, order, 800, 0, &ring), PLAN_OK);
    t -= 3 * record_s;
    CU_ASSERT(t <= ring * (1 + 1e-9) && t >= 0.5 * ring);
    CU_ASSERT_EQUAL(plani_simulate_rounds(x, PLAN_SCATTER_RING, order, (plani_pipeline_t){0, 0, 4}, &t), PLAN_OK);
    CU_ASSERT_EQUAL(t, 0);
    ALLOC_EACH(plani_simulate_rounds(x, PLAN_SCATTER_RING, order, (plani_pipeline_t){800, 0, 4}, &t),
               CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plani_simulation_destroy(&x);
    plan_platform_destroy(&pf);
}

/* Two places: after the record slice after slice, of which `window` may be under way, as down a tree; 0: any number. */
static void rounds_wait_for_word_of_an_earlier_slice(void)
{
    enum { SLICES = 60 };
    const int order[] = {0, 1};
    double start[SLICES];
    plani_simulation_t *x = NULL;
    equal_links(2, 1, 1, 40);
    plan_platform_t *pf = platform();
    CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &x), PLAN_OK);
    for (int w = 0; w <= SLICES + 1; w++) {
        double t = 0;
        for (int k = 0; k < SLICES; k++) {
            start[k] = k > 0 ? start[k - 1] + 3 : record_s;
            if (w > 0 && k >= w) start[k] = fmax(start[k], start[k - w] + 3 + 80);
        }
        CU_ASSERT_EQUAL(plani_simulate_rounds(x, PLAN_CIRCULANT, order, (plani_pipeline_t){2 * SLICES, 2, w}, &t),
                        PLAN_OK);
        NEARLY(t, start[SLICES - 1] + 3 + 40);
    }
    plani_simulation_destroy(&x);
    plan_platform_destroy(&pf);
}

static void nothing_to_send_takes_no_time(void)
{
    equal_links(4, 1, 1, 1);
    plan_platform_t *pf = platform();
    plan_tree_t *tree = chain(4, 1);
    CU_ASSERT_EQUAL(simulation(pf, tree, 0, 0, 1), 0);
    CU_ASSERT_EQUAL(simulation(pf, tree, 0, 8, 1), 0);
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
    equal_links(1, 1, 1, 1);
    pf = platform();
    tree = chain(1, 0);
    CU_ASSERT_EQUAL(simulation(pf, tree, 100, 8, 1), 0);
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
}

static void missing_link_and_failing_allocations_are_told(void)
{
    plani_simulation_t *x = NULL;
    double t = 0;
    equal_links(4, 1, 1, 1);
    scene.data.nlinks--; /* 3 -> 2 */
    plan_platform_t *pf = platform();
    plan_tree_t *missing = chain(4, 1), *tree = NULL, *small = chain(3, 0);
    int parent[] = {-1, 0, 1, 2}, back[] = {1, 2, 3, -1};
    plan_tree_destroy(&missing);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(4, back, NULL, &missing), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(4, parent, NULL, &tree), PLAN_OK);
    plan_tree_t *const twice[] = {tree, tree};
    const double share[] = {1, 2};
    ALLOC_EACH(plani_simulation_create(pf, NULL, &x), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    CU_ASSERT_EQUAL(plani_simulate_trees(x, 1, &missing, NULL, (plani_pipeline_t){10, 1, 4}, NULL, &t), PLAN_ENOTREE);
    CU_ASSERT_EQUAL(plani_simulate_trees(x, 1, &small, NULL, (plani_pipeline_t){10, 1, 4}, NULL, &t), PLAN_ENOTREE);
    ALLOC_EACH(plani_simulate_trees(x, 2, twice, share, (plani_pipeline_t){1000, 3, 64}, NULL, &t),
               CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plani_simulation_destroy(&x);
    plan_tree_destroy(&tree);
    plan_tree_destroy(&missing);
    plan_tree_destroy(&small);
    plan_platform_destroy(&pf);
}

/* [s] of n slices of 5 B to one rank that asks for those of `least` bytes or more. */
static double asked_for(double least, size_t n, int window)
{
    const plan_channel_t channel = {.name = "network", .network = true, .rendezvous_bytes = least};
    equal_links(2, 2, 1, 3);
    scene.link[0].channel = scene.link[1].channel = 0;
    scene.data.nchannels = 1, scene.data.channel = &channel;
    plan_platform_t *pf = platform();
    plan_tree_t *tree = chain(2, 0);
    double seconds = simulation(pf, tree, 5 * n, 5, window);
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
    return seconds;
}

/* A request and its answer fly before the data. A request also waits for the data that are sent before it. */
static void long_messages_wait_until_their_receiver_asks(void)
{
    const double hop = 2 + 5 * 1, flight = 3;
    for (size_t n = 1; n < 5000; n = n * 3 + 1) { /* far more than are simulated */
        NEARLY(asked_for(6, n, 0), (double)n * hop + flight);
        NEARLY(asked_for(5, n, 0), (double)n * hop + 3 * flight);
        NEARLY(asked_for(5, n, 1), (double)n * (hop + 4 * flight) - flight);
    }
    /* The third slice's request goes when the first has arrived, and waits a second for the last byte of the second. */
    NEARLY(asked_for(5, 3, 2), 2 * flight + 2 * hop + 2 * flight + hop + flight);
}

/* Slice k reaches the i-th rank of a chain after i + k hops, and its sender posts it once it has it and may. */
static void timeline_tells_when_each_rank_has_each_slice(void)
{
    const double hop = 2 + 5 * 1;
    equal_links(5, 2, 1, 0);
    plan_platform_t *pf = platform();
    plan_tree_t *tree = chain(5, 0);
    plani_simulation_t *x = NULL;
    plani_timeline_t t;
    CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &x), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_simulate_timeline(x, 1, &tree, NULL, (plani_pipeline_t){15, 5, 0}, 100, &t), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(t.slices, 3);
    for (size_t k = 0; k < 3; k++) {
        CU_ASSERT_EQUAL(t.tree[k], 0);
        CU_ASSERT_EQUAL(t.got[k * 5], 0); /* the root's */
        for (size_t i = 1; i < 5; i++) NEARLY(t.got[k * 5 + i], (double)(i + k) * hop);
        for (size_t i = 1; i < 5; i++) CU_ASSERT(t.sent[k * 5 + i] < t.got[k * 5 + i]);
        for (size_t i = 2; i < 5; i++) CU_ASSERT(t.sent[k * 5 + i] >= t.got[k * 5 + i - 1] * (1 - 1e-12));
    }
    plani_timeline_clear(&t);
    ALLOC_EACH(plani_simulate_timeline(x, 1, &tree, NULL, (plani_pipeline_t){15, 5, 0}, 2, &t), {
        CU_ASSERT_EQUAL(status, PLAN_ENOMEM);
        plani_timeline_clear(&t);
    });
    CU_ASSERT_EQUAL(t.slices, 2);
    plani_timeline_clear(&t);
    plani_simulation_destroy(&x);
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("simulation", TEST(timeline_tells_when_each_rank_has_each_slice),
           TEST(chain_takes_its_hops_and_then_one_for_each_slice), TEST(star_is_held_up_by_its_root),
           TEST(ranks_of_several_ports_send_side_by_side), TEST(single_flows_leave_their_ranks_free),
           TEST(window_waits_for_word_of_an_earlier_slice), TEST(window_holds_up_slices_that_are_not_simulated),
           TEST(word_waits_behind_what_its_sender_sends), TEST(long_messages_wait_until_their_receiver_asks),
           TEST(burst_passes_at_the_pace_of_the_software), TEST(shared_resource_serves_one_after_the_other),
           TEST(messages_wake_their_receivers), TEST(messages_of_rounds_wake_their_receivers),
           TEST(work_and_the_longest_path_add_up), TEST(work_is_done_while_messages_wait_for_a_card),
           TEST(simulation_never_takes_longer_than_stages_that_share_nothing), TEST(many_slices_go_at_the_throughput),
           TEST(two_trees_share_the_slices), TEST(trees_that_fill_late_go_at_the_common_pace),
           TEST(pace_of_a_message_is_that_of_longer_ones), TEST(rounds_take_as_long_as_in_step),
           TEST(rounds_wait_for_word_of_an_earlier_slice), TEST(nothing_to_send_takes_no_time),
           TEST(missing_link_and_failing_allocations_are_told))
