/* best-tree: equal to the best of all trees where they can be enumerated, and never better. */
#include "graphs/trees/trees.h"
#include "suite.h"
#include "alloc.h"
#include "oracle/trees_by_hand.h"
#include "sample.h"
#include <math.h>
#include <string.h>
#include "planner/algorithms/heuristics/heuristic.h"
#include "planner/taulop/score.h"

enum { MOVES = 20000 };

/* "best-tree", by so many moves from this seed. */
static plan_status_t best(const plan_platform_t *pf, int root, double slice, double bytes, uint64_t seed, long moves,
                          plan_tree_t **out)
{
    plani_problem_t problem;
    plan_status_t rc = plani_problem_create(pf, root, slice, bytes, NULL, &problem, NULL);
    if (rc != PLAN_OK) return rc;
    if (seed != 0) problem.seed = seed;
    problem.moves = moves;
    rc = plani_build(plani_best_tree, &problem, out, NULL);
    plani_problem_clear(&problem);
    return rc;
}

static plan_tree_t *search(const plan_platform_t *pf, int root, double slice, double bytes, uint64_t seed)
{
    plan_tree_t *t = NULL;
    CU_ASSERT_EQUAL_FATAL(best(pf, root, slice, bytes, seed, MOVES, &t), PLAN_OK);
    CU_ASSERT_EQUAL(plani_tree_check(t, pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_tree_data(t)->root, root);
    return t;
}

static sample_t nth(uint64_t seed)
{
    return (sample_t){.ranks = 2 + (int)(seed % 5),
                      .density = seed % 3 == 0 ? 2 : 0.4,
                      .costs = seed % 4 == 0 ? 3 : 0,
                      .resources = (int)(seed % 3),
                      .multiport = seed % 7 == 0,
                      .seed = seed};
}

/* All arborescences of up to 6 ranks, one port and several, with shared resources and without. */
static void period_is_the_least_of_all_trees(void)
{
    int equal = 0, below = 0, all = 300;
    for (uint64_t seed = 1; seed <= (uint64_t)all; seed++) {
        sample_t s = nth(seed);
        plan_platform_t *pf = sample_platform(&s);
        int root = (int)(seed / 7 % (uint64_t)s.ranks);
        plan_tree_t *t = search(pf, root, 2, 0, 1);
        double tp = 0, least = by_hand_best_period(plan_platform_data(pf), root, 2);
        CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t, NULL, 2, &tp, NULL), PLAN_OK);
        equal += fabs(1 / tp - least) <= 1e-12 * least;
        below += 1 / tp < least * (1 - 1e-12);
        plan_tree_destroy(&t);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(below, 0);
    CU_ASSERT(equal >= all * 99 / 100);
}

/* The least predicted time of all parent arrays that are trees of pf; ranks <= 5. */
static double least_time(const plan_platform_t *pf, int root, size_t slice, size_t bytes)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    double least = INFINITY;
    int codes = 1;
    for (int r = 0; r < d->ranks; r++) codes *= d->ranks;
    for (int code = 0; code < codes; code++) {
        int parent[5];
        plan_tree_t *t = NULL;
        double seconds = 0;
        for (int r = 0, c = code; r < d->ranks; r++, c /= d->ranks) parent[r] = r == root ? -1 : c % d->ranks;
        if (plan_tree_create(d->ranks, parent, NULL, &t) != PLAN_OK) continue;
        if (plani_score_taulop(pf, t, bytes, slice, 0, &seconds) == PLAN_OK) least = fmin(least, seconds);
        plan_tree_destroy(&t);
    }
    return least;
}

static void time_is_the_least_of_all_trees(void)
{
    int equal = 0, below = 0, all = 60;
    for (uint64_t seed = 1; seed <= (uint64_t)all; seed++) {
        sample_t s = nth(seed);
        if (s.ranks > 5) s.ranks = 5;
        plan_platform_t *pf = sample_platform(&s);
        size_t bytes = 1 + seed % 12;
        double found = 0, least = least_time(pf, 0, 1, bytes);
        plan_tree_t *t = search(pf, 0, 1, (double)bytes, 1);
        CU_ASSERT_EQUAL(plani_score_taulop(pf, t, bytes, 1, 0, &found), PLAN_OK);
        equal += fabs(found - least) <= 1e-12 * least;
        below += found < least * (1 - 1e-12);
        plan_tree_destroy(&t);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(below, 0);
    CU_ASSERT(equal >= all * 95 / 100);
}

/* Complete and equal: stage by stage, one slice reaches 1 + 3 + 3 * 4 = 16 ranks in 3 + 4 s, and in no less (2, 2, 2
 * and 3, 3 children per depth reach 15 and 13); a long message goes down a chain, or nearly. */
static void small_messages_get_flat_trees_and_large_ones_chains(void)
{
    plan_platform_t *pf = sample_complete(16);
    plan_tree_t *t = search(pf, 3, 1, 1, 1);
    double seconds = 0, tp = 0;
    CU_ASSERT_EQUAL(plani_score_taulop(pf, t, 1, 1, 0, &seconds), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(seconds, 7, 1e-12);
    plan_tree_destroy(&t);
    t = search(pf, 3, 1, 1e6, 1);
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t, NULL, 1, &tp, NULL), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(tp, 1, 1e-12);
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
}

/* 4 hosts of 4 ranks dealt round robin, T = 1 everywhere; a card takes 3 s for a slice in or out. */
static plan_platform_t *with_cards(void)
{
    enum { HOSTS = 4, RANKS = 16 };
    plan_link_t link[RANKS * RANKS];
    int host[RANKS];
    size_t card[2 * HOSTS][RANKS * RANKS], n = 0;
    plan_resource_t resource[2 * HOSTS];
    plan_platform_t *pf = NULL;
    for (int r = 0; r < RANKS; r++) host[r] = r % HOSTS;
    for (int i = 0; i < 2 * HOSTS; i++)
        resource[i] = (plan_resource_t){.name = "card", .s_per_byte = 3, .link = card[i]};
    for (int u = 0; u < RANKS; u++)
        for (int v = 0; v < RANKS; v++) {
            if (u == v) continue;
            link[n] = (plan_link_t){u, v, 0, 1, 0, -1};
            if (host[u] != host[v]) {
                card[host[u]][resource[host[u]].nlinks++] = n;
                card[HOSTS + host[v]][resource[HOSTS + host[v]].nlinks++] = n;
            }
            n++;
        }
    const plan_platform_data_t d = {.size = sizeof d,
                                    .ranks = RANKS,
                                    .nlinks = n,
                                    .link = link,
                                    .nresources = 2 * HOSTS,
                                    .resource = resource,
                                    .host = host};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

static void cards_are_crossed_once(void)
{
    plan_platform_t *pf = with_cards();
    plan_tree_t *t = search(pf, 5, 1, 0, 1);
    plan_bottleneck_t at;
    double tp = 0;
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t, NULL, 1, &tp, &at), PLAN_OK);
    CU_ASSERT(at.at == PLAN_AT_RESOURCE);
    CU_ASSERT_DOUBLE_EQUAL(tp, 1.0 / 3, 1e-12);
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
}

static void is_no_worse_than_any_other_heuristic(void)
{
    size_t n;
    const plan_heuristic_t *h = plan_heuristics(&n);
    int worse = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        plan_platform_t *pf = sample_platform(&(sample_t){.ranks = 24, .density = 0.2, .seed = seed});
        const double sizes[] = {0, 1, 5, 40};
        for (size_t k = 0; k < 4; k++) {
            plan_tree_t *best = search(pf, 0, 1, sizes[k], 1), *t = NULL;
            double mine = 0, other = 0;
            for (size_t i = 0; i < n; i++) {
                if (h[i].routed || h[i].needs_rates || strcmp(h[i].name, "best-tree") == 0) continue;
                if (plan_heuristic_tree(h[i].name, pf, 0, 1, 0, NULL, &t, NULL) != PLAN_OK) continue;
                if (sizes[k] > 0) {
                    plani_score_taulop(pf, best, (size_t)sizes[k], 1, 0, &mine);
                    plani_score_taulop(pf, t, (size_t)sizes[k], 1, 0, &other);
                } else {
                    plan_throughput(pf, 1, &best, NULL, 1, &other, NULL);
                    plan_throughput(pf, 1, &t, NULL, 1, &mine, NULL);
                }
                worse += mine > other * (1 + 1e-12);
                plan_tree_destroy(&t);
            }
            plan_tree_destroy(&best);
        }
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(worse, 0);
}

static void same_seed_same_tree(void)
{
    plan_platform_t *pf = sample_platform(&(sample_t){.ranks = 30, .density = 0.3, .seed = 9});
    for (int bytes = 0; bytes <= 20; bytes += 20) {
        plan_tree_t *a = search(pf, 0, 1, bytes, 4), *b = search(pf, 0, 1, bytes, 4);
        CU_ASSERT_EQUAL(memcmp(plan_tree_data(a)->parent, plan_tree_data(b)->parent, 30 * sizeof(int)), 0);
        plan_tree_destroy(&a);
        plan_tree_destroy(&b);
    }
    plan_platform_destroy(&pf);
}

static void one_and_two_ranks_are_no_trouble(void)
{
    for (int n = 1; n <= 2; n++) {
        plan_platform_t *pf = sample_complete(n);
        for (int bytes = 0; bytes <= 7; bytes += 7) {
            plan_tree_t *t = search(pf, n - 1, 1, bytes, 0);
            CU_ASSERT_EQUAL(plan_tree_data(t)->height, n - 1);
            plan_tree_destroy(&t);
        }
        plan_platform_destroy(&pf);
    }
}

static void out_of_memory_is_reported(void)
{
    plan_platform_t *pf = with_cards();
    plan_tree_t *t = NULL;
    ALLOC_EACH(best(pf, 0, 1, 9, 0, 100, &t), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("best tree", TEST(period_is_the_least_of_all_trees), TEST(time_is_the_least_of_all_trees),
           TEST(small_messages_get_flat_trees_and_large_ones_chains), TEST(cards_are_crossed_once),
           TEST(is_no_worse_than_any_other_heuristic), TEST(same_seed_same_tree),
           TEST(one_and_two_ranks_are_no_trouble), TEST(out_of_memory_is_reported))
