/* The bound, timed: one line per platform, with the ratio to the direct program where that can run. Processor seconds
 * stand beside those of the wall clock, for machines that are busy with other things.
 *
 *   bench_lp                         the whole table
 *   bench_lp CLASS RANKS PARAMETER SEED [LIMIT_S] [cuts|direct]   one line */
#include "platforms.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    const char *kind;
    int ranks;
    double parameter;
    double target_s; /* what the line should take; 0: no target */
    int direct;      /* compare with the direct program */
} case_t;

static const case_t table[] = {
    {"random", 30, 0.12, 0, 1},    {"random", 30, 0.2, 0, 1},      {"random", 40, 0.12, 0, 1},
    {"random", 40, 0.2, 0, 1},     {"random", 65, 0.12, 0.02, 0},  {"random", 65, 0.2, 0.02, 0},
    {"random", 500, 0.04, 0.5, 0}, {"complete", 500, 1, 0.5, 0},   {"complete", 1000, 1, 2, 0},
    {"complete", 2000, 1, 8, 0},   {"hierarchical", 128, 1, 2, 0}, {"hierarchical", 256, 1, 15, 0},
    {"tiers", 65, 0, 0.02, 0},     {"tiers", 1000, 0, 15, 0},      {"geometric", 1000, 0, 15, 0},
    {"decades", 500, 0.04, 15, 0}, {"decades", 500, 0.2, 15, 0},
};

static plan_status_t solve(const bench_platform_t *b, plan_steady_method_t method, double limit_s, plan_steady_t **s,
                           double *cpu_s)
{
    plan_error_t err;
    plan_steady_options_t o = {.method = method, .time_limit_s = limit_s};
    clock_t start = clock();
    plan_status_t rc = plan_steady_solve(&b->p, &o, s, &err);

    *cpu_s = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (rc != PLAN_OK) printf("    %s\n", err.text);
    return rc;
}

static int line(const case_t *c, unsigned long seed, double limit_s, plan_steady_method_t method)
{
    bench_platform_t b;
    plan_steady_t *s = NULL, *d = NULL;
    double cpu_s, direct_s;

    if (bench_platform(c->kind, c->ranks, c->parameter, seed, &b) != 0) return 1;
    printf("%-13s %5d %8zu ", c->kind, c->ranks, b.p.nlinks);
    fflush(stdout);
    if (solve(&b, method, limit_s, &s, &cpu_s) == PLAN_OK) {
        printf("%-8s %6d %9.4f %9.4f %9.2e %12.6g", plan_steady_method_name(s), plan_steady_rounds(s),
               plan_steady_seconds(s), cpu_s, plan_steady_gap(s), plan_steady_throughput(s));
        if (c->target_s > 0) printf("  target %g s", c->target_s);
        if (c->direct && solve(&b, PLAN_STEADY_DIRECT, 0, &d, &direct_s) == PLAN_OK)
            printf("  direct %.3f cpu s, %.0f times; differs by %.1e", direct_s, direct_s / cpu_s,
                   plan_steady_upper(s) / plan_steady_throughput(d) - 1);
        printf("\n");
    }
    fflush(stdout);
    plan_steady_destroy(&s);
    plan_steady_destroy(&d);
    bench_platform_free(&b);
    return 0;
}

int main(int argc, char **argv)
{
    printf("%-13s %5s %8s %-8s %6s %9s %9s %9s %12s\n", "class", "ranks", "links", "method", "rounds", "seconds",
           "cpu s", "gap", "slices/s");
    if (argc >= 5) {
        case_t one = {argv[1], atoi(argv[2]), atof(argv[3]), 0, 0};
        int direct = argc > 6 && strcmp(argv[6], "direct") == 0;
        return line(&one, strtoul(argv[4], NULL, 10), argc > 5 ? atof(argv[5]) : 60,
                    direct ? PLAN_STEADY_DIRECT : PLAN_STEADY_CUTS);
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (line(&table[i], 1, 60, PLAN_STEADY_CUTS) != 0) return 1;
    return 0;
}
