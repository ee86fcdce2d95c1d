#include <math.h>
#include <stdio.h>
#include <planbcast/generate.h>
#include <planbcast/heuristics.h>
#include "tables.h"

/* The heuristics of the paper that make spanning trees. */
static const char *const paper[] = {"prune-simple", "prune-degree", "grow", "lp-prune", "lp-grow"};
enum { PAPER = sizeof paper / sizeof *paper };

typedef struct {
    int count;
    double mine, each[PAPER]; /* sums of shares of the bound */
    double best_of_each;      /* sum of the best heuristic's on each platform */
    double seconds, worst_s;
} sums_t;

static int add(const plan_platform_t *pf, sums_t *s)
{
    plan_steady_t *bound = NULL;
    const plan_steady_options_t options = {.size = sizeof options, .gap = 1e-6};
    double seconds = 0, best = 0;
    if (plan_platform_bound(pf, 0, bench_slice, &options, &bound, NULL) != PLAN_OK) return 1;
    double upper = plan_steady_data(bound)->upper;
    for (int i = 0; i < PAPER; i++) {
        double share = bench_tree(paper[i], pf, plan_steady_data(bound)->rate, NULL) / upper;
        s->each[i] += share;
        best = fmax(best, share);
    }
    s->best_of_each += best;
    s->mine += bench_tree("best-tree", pf, plan_steady_data(bound)->rate, &seconds) / upper;
    s->seconds += seconds;
    s->worst_s = fmax(s->worst_s, seconds);
    s->count++;
    plan_steady_destroy(&bound);
    return 0;
}

static void print(int ranks, const sums_t *s)
{
    int best = 0;
    for (int i = 1; i < PAPER; i++)
        if (s->each[i] > s->each[best]) best = i;
    double mine = 100 * s->mine / s->count, theirs = 100 * s->each[best] / s->count;
    printf("| %d | %d | %.1f%% | %.1f%% (%s) | %.1f | %.1f%% | %.0f ms | %.0f ms |\n", ranks, s->count, mine, theirs,
           paper[best], mine - theirs, 100 * s->best_of_each / s->count, 1e3 * s->seconds / s->count, 1e3 * s->worst_s);
    fflush(stdout);
}

int throughput_table(int instances)
{
    printf(
        "| ranks | platforms | best-tree | best of the papers' | points ahead | best of the papers' on each platform | "
        "mean time | worst time |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (int ranks = 30; ranks <= 50; ranks += 10) {
        sums_t s = {0};
        for (int density = 4; density <= 20; density += 4)
            for (int seed = 1; seed <= instances; seed++) {
                plan_platform_t *pf = NULL;
                if (plan_generate_random(ranks, 0.01 * density, (uint64_t)seed, &pf) != PLAN_OK) return 1;
                int bad = add(pf, &s);
                plan_platform_destroy(&pf);
                if (bad) return 1;
            }
        print(ranks, &s);
    }
    return 0;
}
