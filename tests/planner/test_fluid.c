/* Fluid channels, as in network simulators: concurrent messages share the bandwidth and arrive together. Closed forms
 * against stages and simulations, and the windows of plans. */
#include "suite.h"
#include "simulated.h"
#include "planner/simulate/simulation.h"
#include <planbcast/plan.h>
#include "planner/taulop/score.h"
#include <math.h>

enum { RANKS = 12 };
static const double GAP = 7, FLIGHT = 3; /* [s] of a slice of 5 B */

static plan_platform_t *platform_with(int ranks, bool fluid, double flight)
{
    static plan_link_t link[RANKS * RANKS];
    plan_channel_t channel = {.name = "network", .network = true, .fluid = fluid};
    plan_platform_data_t d = {.size = sizeof d, .ranks = ranks, .link = link, .nchannels = 1, .channel = &channel};
    plan_platform_t *pf = NULL;

    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++)
            if (u != v) link[d.nlinks++] = (plan_link_t){u, v, 2, 1, flight, 0};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

static plan_platform_t *platform(int ranks, bool fluid)
{
    return platform_with(ranks, fluid, FLIGHT);
}

static plan_tree_t *tree(int ranks, int (*parent_of)(int))
{
    int parent[RANKS];
    plan_tree_t *t = NULL;
    for (int i = 0; i < ranks; i++) parent[i] = parent_of(i);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(ranks, parent, NULL, &t), PLAN_OK);
    return t;
}

static int before(int i)
{
    return i - 1;
}

static int root(int i)
{
    return i > 0 ? 0 : -1;
}

/* 0 sends to 1, 2 and 3, and 1 to 4. */
static int fork_of(int i)
{
    return i == 4 ? 1 : root(i);
}

static double stages(const plan_platform_t *pf, plan_tree_t *t, size_t bytes, size_t slice, int window)
{
    double seconds = -1;
    CU_ASSERT_EQUAL(plani_score_taulop(pf, t, bytes, slice, window, &seconds), PLAN_OK);
    return seconds;
}

#define NEARLY(a, b, part) CU_ASSERT_DOUBLE_EQUAL(a, b, (part)*fabs(b))

/* The slices of a window are one block: each hop takes its window * GAP + FLIGHT, and so does each block that follows.
 */
static void a_window_goes_down_a_chain_as_one_block(void)
{
    for (int ranks = 2; ranks <= RANKS; ranks += 5) {
        plan_platform_t *pf = platform(ranks, true);
        plan_tree_t *t = tree(ranks, before);
        for (int window = 1; window <= 4; window *= 2)
            for (size_t blocks = 1; blocks < 2000; blocks = blocks * 3 + 1) {
                size_t bytes = 5 * blocks * (size_t)window;
                double all = (ranks - 1 + (double)blocks - 1) * (window * GAP + FLIGHT);
                NEARLY(simulation(pf, t, bytes, 5, window), all, window > 1 ? 0.12 : 1e-9);
                NEARLY(stages(pf, t, bytes, 5, window), all, window > 1 ? 0.12 : 1e-9);
            }
        plan_tree_destroy(&t);
        plan_platform_destroy(&pf);
    }
}

/* A window that long links need is more slices than are simulated where messages queue; the pace is that of blocks.
 * The first of them goes on before all of it has arrived, as pieces of messages take turns. */
static void wide_windows_on_long_links_are_blocks(void)
{
    enum { WINDOW = 128 };
    const double far = 500;

    for (int ranks = 2; ranks <= RANKS; ranks += 5) {
        plan_platform_t *pf = platform_with(ranks, true, far);
        plan_tree_t *t = tree(ranks, before);
        for (size_t blocks = 1; blocks < 2000; blocks = blocks * 3 + 1) {
            double all = (ranks - 1 + (double)blocks - 1) * (WINDOW * GAP + far);
            NEARLY(simulation(pf, t, 5 * WINDOW * blocks, 5, WINDOW), all, blocks > 10 ? 0.07 : 0.25);
        }
        plan_tree_destroy(&t);
        plan_platform_destroy(&pf);
    }
}

/* Inside a host memory is busy, not the ports; messages take as long as their link all the same, where it is slower.
 */
static void messages_inside_a_host_take_as_long_as_their_link(void)
{
    const plan_link_t link[] = {{0, 1, 2, 1, FLIGHT, 0}};
    static const size_t of[] = {0};
    static const int host[] = {0, 0};
    const plan_resource_t memory = {.name = "memory", .s_per_byte = 0.1, .nlinks = 1, .link = of};
    const plan_channel_t channel = {.name = "same host", .fluid = true};
    const plan_platform_data_t d = {.size = sizeof d,
                                    .ranks = 2,
                                    .nlinks = 1,
                                    .link = link,
                                    .nresources = 1,
                                    .resource = &memory,
                                    .host = host,
                                    .nchannels = 1,
                                    .channel = &channel};
    plan_platform_t *pf = NULL;
    plan_tree_t *t = tree(2, before);
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    NEARLY(simulation(pf, t, 5, 0, 1), GAP + FLIGHT, 1e-9);
    NEARLY(simulation(pf, t, 50, 5, 1), 10 * (GAP + FLIGHT), 1e-9);
    NEARLY(simulation(pf, t, 50, 5, 10), 10 * GAP + FLIGHT, 1e-9); /* which they share */
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
}

/* All children have a message when the last one has. */
static void children_wait_for_their_siblings(void)
{
    plan_platform_t *fluid = platform(5, true), *queue = platform(5, false);
    plan_tree_t *star = tree(5, root), *fork = tree(5, fork_of);
    double together = 4 * GAP + FLIGHT;

    NEARLY(simulation(fluid, star, 5, 0, 1), together, 1e-9);
    NEARLY(stages(fluid, star, 5, 0, 1), together, 1e-9);
    NEARLY(simulation(queue, fork, 5, 0, 1), 3 * GAP + FLIGHT, 1e-9); /* 1, being first, is done when 3 is served */
    double last = simulation(fluid, fork, 5, 0, 1), all = 4 * GAP + 2 * FLIGHT;
    CU_ASSERT(last > 0.93 * all && last <= all);
    NEARLY(stages(fluid, fork, 5, 0, 1), all, 1e-9);
    plan_tree_destroy(&star);
    plan_tree_destroy(&fork);
    plan_platform_destroy(&fluid);
    plan_platform_destroy(&queue);
}

/* Where a window holds up what is in it, plans take narrow ones; and none is wider than it is worth. */
static void plans_for_fluid_channels_have_narrow_windows(void)
{
    plan_platform_t *pf = platform(RANKS, true);
    plan_choice_t choice = {.size = sizeof choice, .only = "host-chain", .slice = 1024};
    plan_t *plan = NULL;

    CU_ASSERT_EQUAL_FATAL(plan_create(pf, 0, 16384, &choice, &plan, NULL), PLAN_OK);
    const plan_candidate_t *c = plan_chosen(plan, 16384);
    CU_ASSERT(c->ntrees == 1 && c->window == 1);
    plan_tree_t *t = tree(RANKS, before);
    NEARLY(c->predicted_s, simulation(pf, t, 16384, 1024, 1), 1e-6);
    CU_ASSERT(c->predicted_s < simulation(pf, t, 16384, 1024, 4));
    plan_tree_destroy(&t);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("fluid", TEST(a_window_goes_down_a_chain_as_one_block), TEST(wide_windows_on_long_links_are_blocks),
           TEST(messages_inside_a_host_take_as_long_as_their_link), TEST(children_wait_for_their_siblings),
           TEST(plans_for_fluid_channels_have_narrow_windows))
