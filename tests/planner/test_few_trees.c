/* few-trees: keeps within every port and resource, is close to the bound, and no worse than one tree. */
#include "graphs/trees/trees.h"
#include "suite.h"
#include "alloc.h"
#include "oracle/trees_by_hand.h"
#include "sample.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <planbcast/generate.h>
#include <planbcast/heuristics.h>
#include "planner/cost/bound.h"

enum { MOST = 8 };

typedef struct {
    plan_tree_t *tree[MOST];
    double share[MOST];
    size_t n;
} few_t;

static few_t search_for(long moves, const plan_platform_t *pf, int root, double slice, size_t k)
{
    few_t f = {.n = 0};
    plan_error_t err;
    plan_status_t rc = plan_few_trees(pf, root, slice, k, NULL, 0, moves, f.tree, f.share, &f.n, &err);
    CU_ASSERT_EQUAL_FATAL(rc, PLAN_OK);
    CU_ASSERT_FATAL(f.n >= 1 && f.n <= k);
    return f;
}

static few_t search(const plan_platform_t *pf, int root, double slice, size_t k)
{
    return search_for(100000, pf, root, slice, k);
}

static void drop(few_t *f)
{
    for (size_t t = 0; t < f->n; t++) plan_tree_destroy(&f->tree[t]);
}

static double throughput(const plan_platform_t *pf, const few_t *f, double slice)
{
    double tp = 0;
    CU_ASSERT_EQUAL(plan_throughput(pf, f->n, f->tree, f->share, slice, &tp, NULL), PLAN_OK);
    return tp;
}

static double bound_of(const plan_platform_t *pf, int root, double slice)
{
    plan_steady_t *s = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, root, slice, NULL, &s, NULL), PLAN_OK);
    double bound = plan_steady_data(s)->upper;
    plan_steady_destroy(&s);
    return bound;
}

/* The seconds for which a slice per second, dealt by the shares, holds the busiest port or resource: summed by hand. */
static double held_by_hand(const plan_platform_data_t *d, const few_t *f, double slice)
{
    double *load = calloc(2 * (size_t)d->ranks + d->nresources, sizeof *load), worst = 0;
    for (size_t t = 0; t < f->n; t++)
        for (size_t l = 0; l < d->nlinks; l++) {
            const plan_link_t *k = &d->link[l];
            if (plan_tree_data(f->tree[t])->parent[k->to] != k->from) continue;
            load[k->from] += f->share[t] * plan_link_cost(k, slice);
            load[d->ranks + k->to] += f->share[t] * plan_link_cost(k, slice);
            for (size_t i = 0; i < d->nresources; i++)
                for (size_t m = 0; m < d->resource[i].nlinks; m++)
                    if (d->resource[i].link[m] == l)
                        load[2 * (size_t)d->ranks + i] += f->share[t] * plan_resource_cost(&d->resource[i], slice);
        }
    for (size_t i = 0; i < 2 * (size_t)d->ranks + d->nresources; i++) worst = fmax(worst, load[i]);
    free(load);
    return worst;
}

static void nothing_is_held_for_longer_than_it_is_there(void)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        sample_t s = {.ranks = 2 + (int)(seed % 15), .density = 0.5, .resources = (int)(seed % 4), .seed = seed};
        plan_platform_t *pf = sample_platform(&s);
        int root = (int)(seed % (uint64_t)s.ranks);
        double bound = bound_of(pf, root, 2), sum = 0;
        few_t f = search(pf, root, 2, 1 + seed % MOST);
        for (size_t t = 0; t < f.n; t++) {
            CU_ASSERT_EQUAL(plani_tree_check(f.tree[t], pf, NULL), PLAN_OK);
            CU_ASSERT_EQUAL(plan_tree_data(f.tree[t])->root, root);
            CU_ASSERT(f.share[t] > 0);
            sum += f.share[t];
        }
        CU_ASSERT_DOUBLE_EQUAL(sum, 1, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(held_by_hand(plan_platform_data(pf), &f, 2) * throughput(pf, &f, 2), 1, 1e-9);
        CU_ASSERT(throughput(pf, &f, 2) <= bound * (1 + 1e-9));
        drop(&f);
        plan_platform_destroy(&pf);
    }
}

static void one_tree_is_the_best_of_all_trees(void)
{
    int equal = 0, above = 0, all = 60;
    for (uint64_t seed = 1; seed <= (uint64_t)all; seed++) {
        sample_t s = {.ranks = 2 + (int)(seed % 5),
                      .density = 0.5,
                      .resources = (int)(seed % 3),
                      .multiport = seed % 7 == 0,
                      .seed = seed};
        plan_platform_t *pf = sample_platform(&s);
        few_t f = search(pf, 0, 2, 1);
        double tp = throughput(pf, &f, 2), best = 1 / by_hand_best_period(plan_platform_data(pf), 0, 2);
        above += tp > best * (1 + 1e-12);
        equal += tp > best * 0.99;
        drop(&f);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(above, 0);
    CU_ASSERT(equal >= all * 9 / 10);
}

/* Table 2 of Beaumont, Marchal, Robert 2004. */
static void four_trees_reach_95_percent_on_random_platforms(void)
{
    double sum = 0;
    int n = 0;
    for (uint64_t seed = 1; seed <= 6; seed++, n++) {
        plan_platform_t *pf = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_generate_random(30 + 10 * (int)(seed % 3), 0.2, seed, &pf), PLAN_OK);
        double bound = bound_of(pf, 0, 1e6);
        few_t f = search(pf, 0, 1e6, 4);
        sum += throughput(pf, &f, 1e6) / bound;
        drop(&f);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT(sum / n >= 0.95);
}

/* Complete, hosts of 8 ranks, one port per rank; between hosts a slice takes ten times as long, by 20% more or less.
 * The best single tree sustains a quarter of the bound. */
static plan_platform_t *hosts_of_eight(int ranks, uint64_t seed)
{
    plan_link_t *link = calloc((size_t)ranks * (size_t)ranks, sizeof *link);
    plan_platform_data_t d = {.size = sizeof d, .ranks = ranks, .link = link};
    plan_platform_t *pf = NULL;
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++) {
            double cost = (u / 8 == v / 8 ? 1 : 10) * (0.8 + 0.0004 * sample_below(&seed, 1001));
            if (u != v) link[d.nlinks++] = (plan_link_t){.from = u, .to = v, .s_per_byte = cost, .channel = -1};
        }
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    free(link);
    return pf;
}

static void eight_trees_reach_95_percent_on_hosts_of_eight(void)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        plan_platform_t *pf = hosts_of_eight(16, seed);
        double bound = bound_of(pf, 3, 1);
        few_t one = search(pf, 3, 1, 1), eight = search_for(0, pf, 3, 1, 8);
        CU_ASSERT(throughput(pf, &one, 1) < 0.3 * bound);
        CU_ASSERT(throughput(pf, &eight, 1) >= 0.95 * bound);
        drop(&one);
        drop(&eight);
        plan_platform_destroy(&pf);
    }
}

/* Several ports: two trees, 0 feeds 1 or 2, which feed each other; every link takes 2 s, a sender's share is 1 s. One
 * tree sustains 1/2 slice/s. Half the slices down each tree hold no link for more than 1 s, and the root's port for 1:
 * 1 slice/s. */
static void with_several_ports_links_are_shared_one_by_one(void)
{
    const plan_link_t link[] = {{0, 1, 0, 2, 0, -1}, {0, 2, 0, 2, 0, -1}, {1, 2, 0, 2, 0, -1}, {2, 1, 0, 2, 0, -1}};
    const plan_platform_data_t d = {.size = sizeof d,
                                    .ranks = 3,
                                    .nlinks = 4,
                                    .link = link,
                                    .ports = PLAN_PORTS_MULTI,
                                    .send_s = (double[]){1, 1, 1}};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    few_t one = search(pf, 0, 1, 1), two = search(pf, 0, 1, 2);
    CU_ASSERT_DOUBLE_EQUAL(bound_of(pf, 0, 1), 1, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(throughput(pf, &one, 1), 0.5, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(throughput(pf, &two, 1), 1, 0.01);
    drop(&one);
    drop(&two);
    plan_platform_destroy(&pf);
}

/* The root sends in 1 s, ranks 1 and 2 to each other in 4 s. The chain sustains 1/4, the star 1/2. The star for 3/5 of
 * the slices and each chain for 1/5: the root is held 0.6 * 2 + 0.4 = 1.6 s, a receiver 0.6 + 0.2 + 0.2 * 4 = 1.6 s,
 * and so 1 / 1.6 slices/s. */
static void fast_root_and_slow_ranks_want_several_trees(void)
{
    const plan_link_t link[] = {{0, 1, 0, 1, 0, -1}, {0, 2, 0, 1, 0, -1}, {1, 2, 0, 4, 0, -1}, {2, 1, 0, 4, 0, -1}};
    const plan_platform_data_t d = {.size = sizeof d, .ranks = 3, .nlinks = 4, .link = link};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    double bound = bound_of(pf, 0, 1);
    few_t f = search(pf, 0, 1, 3);
    CU_ASSERT_DOUBLE_EQUAL(bound, 1 / 1.6, 1e-6);
    CU_ASSERT(throughput(pf, &f, 1) > 0.99 * bound);
    drop(&f);
    plan_platform_destroy(&pf);
}

/* Trees keep to guesses, so they are searched for by rates that do, too. */
static void without_rates_those_of_plans_are_taken(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        plan_platform_t *pf =
            sample_platform(&(sample_t){.ranks = 12, .density = 0.4, .resources = 3, .guesses = 3, .seed = seed});
        plan_steady_t *rates = NULL;
        few_t a = search_for(5000, pf, 0, 1, 3), b = {.n = 0};
        CU_ASSERT_EQUAL_FATAL(plani_platform_rates(pf, 0, 1, NULL, &rates, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plan_few_trees(pf, 0, 1, 3, rates, 0, 5000, b.tree, b.share, &b.n, NULL), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(throughput(pf, &a, 1) / throughput(pf, &b, 1), 1, 1e-9);
        drop(&a);
        drop(&b);
        plan_steady_destroy(&rates);
        plan_platform_destroy(&pf);
    }
}

static void same_seed_same_trees(void)
{
    plan_platform_t *pf = sample_platform(&(sample_t){.ranks = 30, .density = 0.3, .seed = 9});
    few_t a = search(pf, 0, 1, 4), b = search(pf, 0, 1, 4);
    CU_ASSERT_EQUAL_FATAL(a.n, b.n);
    CU_ASSERT_EQUAL(memcmp(a.share, b.share, a.n * sizeof(double)), 0);
    for (size_t t = 0; t < a.n; t++)
        CU_ASSERT_EQUAL(memcmp(plan_tree_data(a.tree[t])->parent, plan_tree_data(b.tree[t])->parent, 30 * sizeof(int)),
                        0);
    drop(&a);
    drop(&b);
    plan_platform_destroy(&pf);
}

static void one_and_two_ranks_and_bad_requests(void)
{
    few_t f = {.n = 0};
    plan_error_t err;
    for (int ranks = 1; ranks <= 2; ranks++) {
        plan_platform_t *pf = sample_complete(ranks);
        f = search(pf, ranks - 1, 1, 4);
        drop(&f);
        CU_ASSERT_EQUAL(plan_few_trees(pf, 0, 1, 0, NULL, 0, 0, f.tree, f.share, &f.n, &err), PLAN_EINVAL);
        CU_ASSERT_EQUAL(plan_few_trees(pf, 0, 1, PLAN_MOST_TREES + 1, NULL, 0, 0, f.tree, f.share, &f.n, &err),
                        PLAN_EINVAL);
        CU_ASSERT_EQUAL(plan_few_trees(pf, 0, 0, 2, NULL, 0, 0, f.tree, f.share, &f.n, &err), PLAN_EINVAL);
        CU_ASSERT_EQUAL(plan_few_trees(pf, ranks, 1, 2, NULL, 0, 0, f.tree, f.share, &f.n, &err), PLAN_EINVAL);
        CU_ASSERT_EQUAL(plan_few_trees(pf, 0, 1, 2, NULL, 0, -1, f.tree, f.share, &f.n, &err), PLAN_EINVAL);
        plan_platform_destroy(&pf);
    }
}

static void every_failing_allocation_comes_back(void)
{
    plan_platform_t *pf = sample_platform(&(sample_t){.ranks = 6, .density = 0.5, .resources = 2, .seed = 3});
    for (long k = 1;; k++) {
        few_t f = {.n = 0};
        alloc_fail(k);
        plan_status_t rc = plan_few_trees(pf, 0, 1, 3, NULL, 0, 500, f.tree, f.share, &f.n, NULL);
        bool failed = alloc_failed();
        CU_ASSERT_EQUAL(rc, failed ? PLAN_ENOMEM : PLAN_OK);
        if (rc == PLAN_OK) drop(&f);
        if (!failed) break;
        CU_ASSERT_FATAL(k < 2000);
    }
    plan_platform_destroy(&pf);
}

SUITE_MAIN("few trees", TEST(nothing_is_held_for_longer_than_it_is_there), TEST(one_tree_is_the_best_of_all_trees),
           TEST(four_trees_reach_95_percent_on_random_platforms), TEST(eight_trees_reach_95_percent_on_hosts_of_eight),
           TEST(with_several_ports_links_are_shared_one_by_one), TEST(fast_root_and_slow_ranks_want_several_trees),
           TEST(without_rates_those_of_plans_are_taken), TEST(same_seed_same_trees),
           TEST(one_and_two_ranks_and_bad_requests), TEST(every_failing_allocation_comes_back))
