/* The throughput of the best 1, 2, 3, 4 and 8 trees and of all trees of the packing, as shares of the bound; the
 * processor time of each search, and the height of its trees. Prints Markdown.
 *
 *   bench_few_trees [INSTANCES [MOVES [CLASS [RANKS]]]]   platforms of each kind; moves of the search (0: the default)
 */
#include "lp/program.h"
#include <planbcast/generate.h>
#include <planbcast/heuristics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench/lp/platforms.h"

static const size_t counts[] = {1, 2, 3, 4, 8};
enum { COUNTS = sizeof counts / sizeof *counts, MOST = 8 };

/* Costs are seconds per slice; one byte is a slice. */
static const double slice = 1;

typedef struct {
    double ratio[COUNTS], least[COUNTS], seconds[COUNTS], height[COUNTS];
    double packed; /* throughput of all trees of the packing [slices/s] */
    double trees;  /* number of trees of the packing */
    double bound_s;
    int n;
} sums_t;

static plan_platform_t *platform_of(const plani_steady_problem_t *p)
{
    plan_platform_t *pf = NULL;
    plan_link_t *link = calloc(p->nlinks, sizeof *link);
    for (size_t l = 0; link != NULL && l < p->nlinks; l++)
        link[l] = (plan_link_t){.from = p->from[l], .to = p->to[l], .s_per_byte = p->cost[l], .channel = -1};
    const plan_platform_data_t d = {.size = sizeof d, .ranks = p->ranks, .nlinks = p->nlinks, .link = link};
    if (link != NULL) plan_platform_create(&d, &pf, NULL);
    free(link);
    return pf;
}

static plan_platform_t *make(const char *kind, int ranks, double parameter, unsigned long seed)
{
    plan_platform_t *pf = NULL;
    bench_platform_t b;
    if (kind[0] == 't') return plan_generate_tiers(ranks, seed, &pf) == PLAN_OK ? pf : NULL;
    if (kind[0] == 'r') return plan_generate_random(ranks, parameter, seed, &pf) == PLAN_OK ? pf : NULL;
    if (bench_platform(kind, ranks, parameter, seed, &b) != 0) return NULL;
    pf = platform_of(&b.p);
    bench_platform_free(&b);
    return pf;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int one(const plan_platform_t *pf, long moves, sums_t *s)
{
    plan_steady_t *steady = NULL;
    plan_error_t err;
    double start = now(), bound, sum = 0;
    if (plan_platform_bound(
            pf, 0, slice,
            &(plan_steady_options_t){.size = sizeof(plan_steady_options_t), .gap = 1e-6, .pack_trees = true}, &steady,
            &err) != PLAN_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    s->bound_s += now() - start;
    bound = plan_steady_data(steady)->upper;
    for (size_t t = 0; t < plan_steady_data(steady)->ntrees; t++) sum += plan_steady_data(steady)->tree_rate[t];
    s->packed += sum / bound;
    s->trees += (double)plan_steady_data(steady)->ntrees;
    for (size_t i = 0; i < COUNTS; i++) {
        plan_tree_t *tree[MOST];
        double share[MOST], tp = 0, height = 0;
        size_t n;
        start = now();
        if (plan_few_trees(pf, 0, slice, counts[i], steady, 0, moves, tree, share, &n, &err) != PLAN_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        s->seconds[i] += now() - start;
        plan_throughput(pf, n, tree, share, slice, &tp, NULL);
        s->ratio[i] += tp / bound;
        s->least[i] = s->n == 0 ? tp / bound : fmin(s->least[i], tp / bound);
        for (size_t t = 0; t < n; t++) height = fmax(height, plan_tree_data(tree[t])->height);
        s->height[i] += height;
        for (size_t t = 0; t < n; t++) plan_tree_destroy(&tree[t]);
    }
    plan_steady_destroy(&steady);
    s->n++;
    return 0;
}

static void row(const char *kind, int ranks, double parameter, const sums_t *s)
{
    char what[64];
    if (kind[0] == 'r')
        snprintf(what, sizeof what, "%s, density %.2f", kind, parameter);
    else
        snprintf(what, sizeof what, "%s", kind);
    printf("| %s | %d |", what, ranks);
    for (size_t i = 0; i < COUNTS; i++) printf(" %.1f (%.1f) |", 100 * s->ratio[i] / s->n, 100 * s->least[i]);
    printf(" %.3f (%.0f) |", 100 * s->packed / s->n, s->trees / s->n);
    for (size_t i = 0; i < COUNTS; i++) printf(" %.0f%s", 1e3 * s->seconds[i] / s->n, i + 1 < COUNTS ? ", " : " |");
    for (size_t i = 0; i < COUNTS; i++) printf(" %.1f%s", s->height[i] / s->n, i + 1 < COUNTS ? ", " : " |\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *kind;
        int ranks;
        double parameter;
    } of[] = {{"random", 30, 0.04},    {"random", 30, 0.12},   {"random", 30, 0.20}, {"random", 40, 0.04},
              {"random", 40, 0.12},    {"random", 40, 0.20},   {"random", 50, 0.04}, {"random", 50, 0.12},
              {"random", 50, 0.20},    {"tiers", 30, 0},       {"tiers", 65, 0},     {"hierarchical", 16, 1},
              {"hierarchical", 32, 1}, {"hierarchical", 64, 1}};
    int instances = argc > 1 ? atoi(argv[1]) : 10;
    long moves = argc > 2 ? atol(argv[2]) : 0;
    if (instances < 1 || moves < 0 || argc > 5) {
        fprintf(stderr, "usage: bench_few_trees [INSTANCES [MOVES [KIND [RANKS]]]]\n");
        return 2;
    }
    printf("| platforms | ranks | 1 tree | 2 trees | 3 trees | 4 trees | 8 trees | all (trees) | ms | height |\n");
    printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        sums_t s = {0};
        if (argc > 3 && strcmp(argv[3], of[i].kind) != 0) continue;
        if (argc > 4 && atoi(argv[4]) != of[i].ranks) continue;
        for (int seed = 1; seed <= instances; seed++) {
            plan_platform_t *pf = make(of[i].kind, of[i].ranks, of[i].parameter, (unsigned long)seed);
            if (pf == NULL || one(pf, moves, &s) != 0) return 1;
            plan_platform_destroy(&pf);
        }
        row(of[i].kind, of[i].ranks, of[i].parameter, &s);
    }
    return 0;
}
