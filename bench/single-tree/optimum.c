#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <planbcast/generate.h>
#include <planbcast/heuristics.h>
#include "oracle/least_period.h"
#include "tables.h"

static const double limit = 60; /* [s] for each proof */

typedef struct {
    int count, proven, near, programs;
    double worst, of_bound, seconds;
} sums_t;

static int add(const plan_platform_t *pf, sums_t *s)
{
    oracle_least_t least;
    plan_steady_t *bound = NULL;
    const plan_steady_options_t options = {.size = sizeof options, .gap = 1e-6};
    double tp = bench_tree("best-tree", pf, NULL, NULL);
    clock_t start = clock();
    if (!(tp > 0) || oracle_least_period(plan_platform_data(pf), 0, bench_slice, 1 / tp, limit, &least) != 0) return 1;
    s->seconds = fmax(s->seconds, (double)(clock() - start) / CLOCKS_PER_SEC);
    if (plan_platform_bound(pf, 0, bench_slice, &options, &bound, NULL) != PLAN_OK) return 1;
    double behind = 1 / tp / least.proven - 1;
    s->count++;
    s->proven += least.proven == least.period;
    s->near += behind <= 0.01;
    s->programs += least.asked;
    s->worst = fmax(s->worst, behind);
    s->of_bound += 1 / least.period / plan_steady_data(bound)->upper;
    plan_steady_destroy(&bound);
    return 0;
}

static void print(const char *name, const sums_t *s)
{
    printf("| %s | %d | %d | %d | %.2f%% | %.1f%% | %d | %.2f s |\n", name, s->count, s->proven, s->near,
           100 * s->worst, 100 * s->of_bound / s->count, s->programs, s->seconds);
    fflush(stdout);
}

static int random_rows(void)
{
    for (int ranks = 10; ranks <= 30; ranks += 5) {
        sums_t s = {0};
        char name[32];
        for (int i = 0; i < 10; i++) { /* two of each density */
            plan_platform_t *pf = NULL;
            if (plan_generate_random(ranks, 0.04 * (1 + i % 5), (uint64_t)(100 + i), &pf) != PLAN_OK) return 1;
            int bad = add(pf, &s);
            plan_platform_destroy(&pf);
            if (bad) return 1;
        }
        snprintf(name, sizeof name, "random, %d ranks", ranks);
        print(name, &s);
    }
    return 0;
}

int optimum_table(int nfiles, char **file)
{
    printf("| platforms | number | proven | within 1%% | furthest | optimum of bound | integer programs | longest "
           "proof |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    if (random_rows() != 0) return 1;
    for (int i = 0; i < nfiles; i++) {
        sums_t s = {0};
        plan_platform_t *pf = NULL;
        plan_error_t err;
        if (plan_platform_load(file[i], &pf, &err) != PLAN_OK) return fprintf(stderr, "%s\n", err.text), 1;
        int bad = add(pf, &s);
        const char *name = plan_platform_data(pf)->name;
        if (bad)
            fprintf(stderr, "%s: no optimum: too many stars, or no memory\n", file[i]);
        else
            print(name != NULL ? name : file[i], &s);
        plan_platform_destroy(&pf);
    }
    return 0;
}
