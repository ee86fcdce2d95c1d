#include <math.h>
#include <stdbool.h>
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

/* What is known of one platform. */
typedef struct {
    int ranks, density; /* [%] */
    bool proven;
    double gap, proof_s;
    double share[MOST_ENTRIES], seconds[MOST_ENTRIES]; /* of the optimum; that the tree took */
} platform_t;

typedef struct {
    int count;
    platform_t *at; /* [count] */
    double *scratch;
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
static int add(const plan_platform_t *pf, int root, platform_t *p)
{
    size_t entries;
    const plan_heuristic_t *h = plan_heuristics(&entries);
    plan_steady_t *bound = NULL;
    const plan_steady_options_t options = {.size = sizeof options, .gap = 1e-3};
    plani_proved_t best;
    if (plani_prove_tree(pf, root, bench_slice, limit, &best, NULL) != PLAN_OK) return 1;
    if (plan_platform_bound(pf, root, bench_slice, &options, &bound, NULL) != PLAN_OK) return 1;
    for (size_t i = 0; i <= entries; i++) {
        if (i < entries && h[i].routed) continue;
        double tp = i == entries ? in_plans(pf, root, plan_steady_data(bound), &p->seconds[i])
                                 : by_name(&h[i], pf, root, plan_steady_data(bound)->rate, &p->seconds[i]);
        p->share[i] = tp / best.upper;
    }
    p->proven = best.upper <= best.throughput;
    p->gap = best.upper / best.throughput - 1;
    p->proof_s = best.seconds;
    plan_tree_destroy(&best.tree);
    plan_steady_destroy(&bound);
    return 0;
}

typedef bool (*pick_t)(const platform_t *p, int key);

static bool all_of_them(const platform_t *p, int key)
{
    (void)p, (void)key;
    return true;
}

static bool of_ranks(const platform_t *p, int key)
{
    return p->ranks == key;
}

static bool of_density(const platform_t *p, int key)
{
    return p->density == key;
}

/* [s] For a proof, of those picked. */
static double median_proof(shares_t *s, pick_t pick, int key)
{
    int n = 0;
    for (int k = 0; k < s->count; k++)
        if (pick(&s->at[k], key)) s->scratch[n++] = s->at[k].proof_s;
    qsort(s->scratch, (size_t)n, sizeof *s->scratch, ascending);
    return s->scratch[n / 2];
}

static void print_entry(shares_t *s, size_t entry, const char *name)
{
    double total = 0, worst = 0;
    int below = 0;
    for (int k = 0; k < s->count; k++) {
        s->scratch[k] = s->at[k].share[entry];
        total += s->at[k].seconds[entry];
        worst = fmax(worst, s->at[k].seconds[entry]);
        below += s->at[k].share[entry] < 0.98;
    }
    qsort(s->scratch, (size_t)s->count, sizeof *s->scratch, ascending);
    printf("| %s | %.1f%% | %.1f%% | %.1f%% | %d | %.1f ms | %.0f ms |\n", name, 100 * s->scratch[s->count / 2],
           100 * s->scratch[s->count / 20], 100 * s->scratch[0], below, 1e3 * total / s->count, 1e3 * worst);
}

/* How often the tree is 2% below or more, its smallest share, its longest time. */
static void print_part(const shares_t *s, size_t entry, pick_t pick, int key)
{
    double least = 1, longest = 0;
    int below = 0;
    for (int k = 0; k < s->count; k++) {
        if (!pick(&s->at[k], key)) continue;
        below += s->at[k].share[entry] < 0.98;
        least = fmin(least, s->at[k].share[entry]);
        longest = fmax(longest, s->at[k].seconds[entry]);
    }
    printf(" %d | %.1f%% | %.0f ms |", below, 100 * least, 1e3 * longest);
}

static void print_row(shares_t *s, const char *what, pick_t pick, int key)
{
    size_t entries, best = 0;
    const plan_heuristic_t *h = plan_heuristics(&entries);
    double longest = 0;
    int n = 0, proven = 0;
    while (best < entries && strcmp(h[best].name, "best-tree") != 0) best++;
    for (int k = 0; k < s->count; k++) {
        if (!pick(&s->at[k], key)) continue;
        n++;
        proven += s->at[k].proven;
        longest = fmax(longest, s->at[k].proof_s);
    }
    if (n == 0) return;
    printf("| %s | %d | %d | %.2f s | %.1f s |", what, n, proven, median_proof(s, pick, key), longest);
    print_part(s, best, pick, key);
    print_part(s, entries, pick, key);
    printf("\n");
}

static void print(shares_t *s)
{
    size_t entries;
    const plan_heuristic_t *h = plan_heuristics(&entries);
    double gap = 0, longest = 0;
    int proven = 0;
    for (int k = 0; k < s->count; k++) {
        gap = fmax(gap, s->at[k].gap);
        longest = fmax(longest, s->at[k].proof_s);
        proven += s->at[k].proven;
    }
    printf("%d platforms; the optimum of %d proven, the largest gap of the others %.2f%%. Proofs take %.2f s in the "
           "median, "
           "%.1f s at most.\n\n",
           s->count, proven, 100 * gap, median_proof(s, all_of_them, 0), longest);
    printf("| tree | median | 5th percentile | worst | 2%% below or more | mean time | worst time |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i <= entries; i++)
        if (i == entries || !h[i].routed) print_entry(s, i, i < entries ? h[i].name : "best-tree in plans");
    printf("\nBest-tree, and best-tree in plans, by ranks and by density:\n\n"
           "| platforms | number | proven | median proof | longest | 2%% below or more | worst | worst time | in "
           "plans: 2%% "
           "below or more | worst | worst time |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (int ranks = 30; ranks <= 100; ranks++) {
        char what[32];
        snprintf(what, sizeof what, "%d ranks", ranks);
        print_row(s, what, of_ranks, ranks);
    }
    for (int density = 4; density <= 40; density++) {
        char what[32];
        snprintf(what, sizeof what, "density %.2f", 0.01 * density);
        print_row(s, what, of_density, density);
    }
}

static int fill(int seeds, shares_t *s)
{
    for (int ranks = 30; ranks <= 100; ranks += ranks < 70 ? 20 : 30)
        for (int density = 4; density <= 40; density += density < 12 ? 4 : density < 20 ? 8 : 20)
            for (int several = 0; several < 2; several++)
                for (int seed = 1; seed <= seeds; seed++) {
                    plan_platform_t *one = NULL, *multi = NULL;
                    platform_t *p = &s->at[s->count++];
                    *p = (platform_t){.ranks = ranks, .density = density};
                    int bad = plan_generate_random(ranks, 0.01 * density, (uint64_t)seed, &one) != PLAN_OK ||
                              (several && plan_generate_several_ports(one, &multi) != PLAN_OK) ||
                              add(several ? multi : one, 7 * seed % ranks, p);
                    plan_platform_destroy(&one);
                    plan_platform_destroy(&multi);
                    if (bad) return 1;
                }
    return 0;
}

int shares_table(int seeds)
{
    shares_t s = {.at = calloc((size_t)seeds * 40, sizeof *s.at),
                  .scratch = calloc((size_t)seeds * 40, sizeof(double))};
    int bad = s.at == NULL || s.scratch == NULL || fill(seeds, &s);
    if (!bad) print(&s);
    free(s.at);
    free(s.scratch);
    return bad;
}
