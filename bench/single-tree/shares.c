#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <planbcast/generate.h>
#include <planbcast/heuristics.h>
#include "planner/algorithms/search/prove.h"
#include "planner/algorithms/search/start_trees.h"
#include "planner/cost/parameters.h"
#include "tables.h"

static const double limit = 10; /* [s] for each proof */

enum { MOST_ENTRIES = 32 };

typedef struct {
    int count, proven;
    double gap, seconds;         /* the largest */
    double *share[MOST_ENTRIES]; /* [count] of the optimum */
    double total_s[MOST_ENTRIES], worst_s[MOST_ENTRIES];
} shares_t;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* best-tree with the moves and the bound that plans give it. */
static double in_plans(const plan_platform_t *pf, int root, const plan_steady_data_t *bound, double *seconds)
{
    plani_problem_t problem;
    plani_starts_t *starts = NULL;
    double tp = 0, start = bench_now();
    if (plani_problem_create(pf, root, bench_slice, 0, bound->rate, &problem, NULL) != PLAN_OK) return 0;
    problem.most = bound->upper;
    if (plani_starts_create(&problem, PLANI_THROUGHPUT_MOVES_PER_RANK * (long)problem.d->ranks, &starts) == PLAN_OK)
        tp = 1 / starts->period;
    *seconds = bench_now() - start;
    plani_starts_destroy(&starts);
    plani_problem_clear(&problem);
    return tp;
}

static double by_name(const plan_heuristic_t *h, const plan_platform_t *pf, int root, const double *rates,
                      double *seconds)
{
    plan_tree_t *tree = NULL;
    double tp = 0, start = bench_now();
    plan_status_t rc = plan_heuristic_tree(h->name, pf, root, bench_slice, 0, rates, &tree, NULL);
    *seconds = bench_now() - start;
    if (rc == PLAN_OK && plan_throughput(pf, 1, &tree, NULL, bench_slice, &tp, NULL) != PLAN_OK) tp = 0;
    plan_tree_destroy(&tree);
    return tp;
}

/* The last entry is best-tree in plans. */
static int add(const plan_platform_t *pf, int root, shares_t *s)
{
    size_t entries;
    const plan_heuristic_t *h = plan_heuristics(&entries);
    plan_steady_t *bound = NULL;
    const plan_steady_options_t options = {.size = sizeof options, .gap = 1e-3};
    plani_proved_t best;
    if (plani_prove_tree(pf, root, bench_slice, limit, &best, NULL) != PLAN_OK) return 1;
    if (plan_platform_bound(pf, root, bench_slice, &options, &bound, NULL) != PLAN_OK) return 1;
    for (size_t i = 0; i <= entries; i++) {
        double seconds = 0;
        if (i < entries && h[i].routed) continue;
        double tp = i == entries ? in_plans(pf, root, plan_steady_data(bound), &seconds)
                                 : by_name(&h[i], pf, root, plan_steady_data(bound)->rate, &seconds);
        s->share[i][s->count] = tp / best.upper;
        s->total_s[i] += seconds;
        s->worst_s[i] = fmax(s->worst_s[i], seconds);
    }
    s->count++;
    s->proven += best.upper <= best.throughput;
    s->gap = fmax(s->gap, best.upper / best.throughput - 1);
    s->seconds = fmax(s->seconds, best.seconds);
    plan_tree_destroy(&best.tree);
    plan_steady_destroy(&bound);
    return 0;
}

static void print(shares_t *s)
{
    size_t entries;
    const plan_heuristic_t *h = plan_heuristics(&entries);
    printf(
        "%d platforms; the optimum of %d proven, the largest gap of the others %.2f%%, the longest proof %.1f s.\n\n",
        s->count, s->proven, 100 * s->gap, s->seconds);
    printf("| tree | median | 5th percentile | worst | 2%% below or more | mean time | worst time |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i <= entries; i++) {
        int below = 0;
        if (i < entries && h[i].routed) continue;
        qsort(s->share[i], (size_t)s->count, sizeof *s->share[i], ascending);
        while (below < s->count && s->share[i][below] < 0.98) below++;
        printf("| %s | %.1f%% | %.1f%% | %.1f%% | %d | %.1f ms | %.0f ms |\n",
               i < entries ? h[i].name : "best-tree in plans", 100 * s->share[i][s->count / 2],
               100 * s->share[i][s->count / 20], 100 * s->share[i][0], below, 1e3 * s->total_s[i] / s->count,
               1e3 * s->worst_s[i]);
    }
}

static int fill(int seeds, shares_t *s)
{
    for (int ranks = 30; ranks <= 100; ranks += ranks < 70 ? 20 : 30)
        for (int density = 4; density <= 40; density += density < 12 ? 4 : density < 20 ? 8 : 20)
            for (int several = 0; several < 2; several++)
                for (int seed = 1; seed <= seeds; seed++) {
                    plan_platform_t *one = NULL, *multi = NULL;
                    int bad = plan_generate_random(ranks, 0.01 * density, (uint64_t)seed, &one) != PLAN_OK ||
                              (several && plan_generate_several_ports(one, &multi) != PLAN_OK) ||
                              add(several ? multi : one, 7 * seed % ranks, s);
                    plan_platform_destroy(&one);
                    plan_platform_destroy(&multi);
                    if (bad) return 1;
                }
    return 0;
}

int shares_table(int seeds)
{
    shares_t s = {0};
    int bad = 0;
    for (int i = 0; i < MOST_ENTRIES; i++) bad |= (s.share[i] = calloc((size_t)seeds * 40, sizeof(double))) == NULL;
    bad = bad || fill(seeds, &s);
    if (!bad) print(&s);
    for (int i = 0; i < MOST_ENTRIES; i++) free(s.share[i]);
    return bad;
}
