/* Tables on the best single tree.
 *
 *   bench_single_tree throughput [INSTANCES]   random platforms of 30..50 ranks: shares of the bound, and times
 *   bench_single_tree optimum [PLATFORM]...    50 random platforms of 10..30 ranks, and these: shares of the optimum
 *   bench_single_tree shares [SEEDS]           all heuristics, random platforms of 30..100 ranks: shares of the optimum
 *   bench_single_tree makespan PLATFORM...     predicted times compared with all other single trees */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <planbcast/heuristics.h>
#include "tables.h"

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_tree(const char *name, const plan_platform_t *pf, const double *rates, double *seconds)
{
    plan_tree_t *t = NULL;
    double tp = 0, start = bench_now();
    if (plan_heuristic_tree(name, pf, 0, bench_slice, 0, rates, &t, NULL) != PLAN_OK) return 0;
    if (seconds != NULL) *seconds = bench_now() - start;
    if (plan_throughput(pf, 1, &t, NULL, bench_slice, &tp, NULL) != PLAN_OK) tp = 0;
    plan_tree_destroy(&t);
    return tp;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "throughput") == 0) return throughput_table(argc > 2 ? atoi(argv[2]) : 10);
    if (strcmp(what, "optimum") == 0) return optimum_table(argc - 2, argv + 2);
    if (strcmp(what, "shares") == 0) return shares_table(argc > 2 ? atoi(argv[2]) : 5);
    if (strcmp(what, "makespan") == 0 && argc > 2) return makespan_table(argc - 2, argv + 2);
    fprintf(stderr, "usage: bench_single_tree throughput [INSTANCES] | optimum [PLATFORM]... | shares [SEEDS] | "
                    "makespan PLATFORM...\n");
    return 2;
}
