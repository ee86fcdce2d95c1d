/* What solving the bound takes and yields, on a fixed set of problems, for comparisons of builds: bench/lp/constants.
 *
 *   bench_effort    a line for each problem: name, seconds of the processor (the least of several), rounds, relative
 * gap, number of trees and the part of the throughput that they carry; separated by tabs */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "lib/base/rng.h"
#include "lp/machine.h"
#include "lp/program.h"
#include "platforms.h"

enum { SEEDS = 3, MOST_SOLVES = 9, HOSTS = 12 };
static const double SPENT = 0.2, LIMIT = 20; /* [s] on a problem, after which it is not solved again; of one solve */

typedef struct {
    const char *kind;
    int ranks;
    double parameter;
} class_t;

static const class_t classes[] = {
    {"random", 30, 0.16},    {"random", 65, 0.2},   {"random", 300, 0.04},   {"tiers", 65, 0},
    {"tiers", 300, 0},       {"complete", 150, 1},  {"hierarchical", 16, 1}, {"hierarchical", 32, 1},
    {"hierarchical", 64, 1}, {"geometric", 300, 0}, {"decades", 60, 0.2},    {"decades", 300, 0.04},
};

static double processor_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* [s] of the processor, the least of several solves; *out: the last solution. Infinite: it failed. */
static double least_s(const plani_steady_problem_t *p, bool pack, plan_steady_t **out)
{
    const plan_steady_options_t how = {.size = sizeof how, .time_limit_s = LIMIT, .pack_trees = pack};
    double least = INFINITY, spent = 0;

    for (int i = 0; i < MOST_SOLVES && spent < SPENT; i++) {
        double start = processor_s();
        plan_steady_destroy(out);
        if (plani_steady_solve(p, &how, out, NULL) != PLAN_OK) return INFINITY;
        double took = processor_s() - start;
        least = fmin(least, took);
        spent += took;
    }
    return least;
}

static int solve(const class_t *c, unsigned long seed)
{
    bench_platform_t b;
    plan_steady_t *s = NULL;
    double carried = 0;

    if (bench_platform(c->kind, c->ranks, c->parameter, seed, &b) != 0) return -1;
    double alone = least_s(&b.p, false, &s), packed = least_s(&b.p, true, &s);
    bool solved = isfinite(alone) && isfinite(packed);
    if (solved) {
        const plan_steady_data_t *d = plan_steady_data(s);
        for (size_t t = 0; t < d->ntrees; t++) carried += d->tree_rate[t];
        printf("%s %d %g, seed %lu\t%.6f\t%.6f\t%d\t%.3e\t%zu\t%.7f\n", c->kind, c->ranks, c->parameter, seed, alone,
               fmax(0, packed - alone), d->rounds, d->gap, d->ntrees, carried / d->throughput);
    }
    plan_steady_destroy(&s);
    bench_platform_free(&b);
    return solved ? 0 : -1;
}

/* A machine of hosts with different rates, in which each flow between two of them is limited. */
static int solve_machine(unsigned long seed)
{
    int parent[HOSTS + 1] = {-1}, solves = 0;
    double out[HOSTS + 1], in[HOSTS + 1], flow[(HOSTS + 1) * (HOSTS + 1)], least = INFINITY, rate = 0;
    bool host[HOSTS + 1];
    plani_rng_t rng;
    plan_status_t rc = PLAN_OK;

    plani_rng_seed(&rng, seed);
    for (int x = 0; x <= HOSTS; x++) {
        if (x > 0) parent[x] = 0;
        host[x] = x > 0;
        out[x] = 1e8 * (0.2 + plani_rng_unit(&rng));
        in[x] = 1e8 * (0.2 + plani_rng_unit(&rng));
        for (int y = 0; y <= HOSTS; y++) flow[x * (HOSTS + 1) + y] = 3e7 * (0.1 + plani_rng_unit(&rng));
    }
    const plani_machine_problem_t problem = {
        .nodes = HOSTS + 1, .root = 1, .parent = parent, .out = out, .in = in, .flow = flow, .host = host};
    for (; solves < MOST_SOLVES && rc == PLAN_OK; solves++) {
        plani_machine_bound_t bound;
        double start = processor_s();
        rc = plani_machine_bound(&problem, &bound, NULL);
        least = fmin(least, processor_s() - start);
        if (rc != PLAN_OK) break;
        rate = bound.rate;
        plani_machine_bound_clear(&bound);
    }
    if (rc == PLAN_OK) printf("machine of %d hosts, seed %lu\t%.6f\t0\t0\t0\t0\t%.9g\n", HOSTS, seed, least, rate);
    return rc == PLAN_OK ? 0 : -1;
}

int main(void)
{
    int failed = 0;

    for (unsigned long seed = 1; seed <= SEEDS; seed++) {
        for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) failed |= solve(&classes[i], seed);
        failed |= solve_machine(seed);
    }
    return failed != 0;
}
