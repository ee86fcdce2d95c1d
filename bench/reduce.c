/*
 * Planned reductions against MPI_Reduce, default and forced, in one run.
 *
 *     mpirun --mca coll_tuned_use_dynamic_rules 1 bench_reduce NAME BYTES < /dev/null
 *
 * Prints a row of a table in Markdown for a message size [B], of MPI_SUM of MPI_DOUBLE to rank 0. Times are from the
 * root's start to the last rank's end, in the median. Of long messages an eighth goes first, by every setting once:
 * those that take twice as long as the fastest of them are left out. Then every way runs once; those that took up to
 * three times as long as the slower plan run again, in turns. Each planned result is compared with the exact sum. The
 * machine is measured as for any plan, or read from PLANBCAST_PROFILE or PLANBCAST_MACHINE. `bound`: the least time by
 * the bound of the platform reversed, at the slice size of the plan.
 */
#include "bench/baselines/forced.h"
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <mpi.h>
#include <planbcast/mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 9, WAYS = 64, PLANS = 2, LONG = 1 << 20 };

typedef struct {
    char name[48];
    plan_t *plan; /* NULL: MPI_Reduce on comm */
    MPI_Comm comm;
    double sample[RUNS];
    int n;
    bool hopeless; /* of this message size */
} way_t;

static int rank, ranks, ways;
static way_t way[WAYS];
static double *mine, *sum;

static way_t *add(const char *name, size_t segment)
{
    way_t *w = &way[ways++];
    *w = (way_t){.comm = MPI_COMM_NULL};
    if (segment > 0)
        snprintf(w->name, sizeof w->name, "%s/%zuK", name, segment >> 10);
    else
        snprintf(w->name, sizeof w->name, "%s", name);
    return w;
}

static void add_plan(const char *name, plan_mode_t mode, size_t most)
{
    plan_error_t err;
    plan_options_t options;

    plan_options_init(&options, &err);
    options.error = &err;
    options.mode = mode;
    if (plan_reduce(MPI_COMM_WORLD, 0, most, &options, &add(name, 0)->plan) == 0) return;
    if (rank == 0) fprintf(stderr, "bench_reduce: %s\n", err.text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void add_native(void)
{
    static const char *const name[] = {"linear",   "chain",           "pipeline",    "binary",
                                       "binomial", "in-order_binary", "rabenseifner"};
    forced_component_t component[FORCED_COMPONENTS];

    MPI_Comm_dup(MPI_COMM_WORLD, &add("default", 0)->comm);
    for (int a = 1; a <= 7; a++)
        for (int i = 0; i < (a == 1 || a == 7 ? 1 : FORCED_SEGMENTS); i++) {
            MPI_Comm forced = forced_algorithm(MPI_COMM_WORLD, "reduce", a, forced_segment[i]);
            if (forced != MPI_COMM_NULL) add(name[a - 1], forced_segment[i])->comm = forced;
        }
    int n = forced_components(MPI_COMM_WORLD, component);
    for (int i = 0; i < n; i++) add(component[i].name, 0)->comm = component[i].comm;
}

static void reduce(const way_t *w, size_t n)
{
    int rc = w->plan != NULL ? plan_reduce_execute(w->plan, mine, sum, (MPI_Count)n, MPI_DOUBLE, MPI_SUM)
                             : MPI_Reduce(mine, sum, (int)n, MPI_DOUBLE, MPI_SUM, 0, w->comm);
    if (rc == 0) return;
    fprintf(stderr, "bench_reduce: %s failed with %d\n", w->name, rc);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* All ranks begin at the same time. */
static void run(way_t *w, size_t n)
{
    plan_span_t span, all = {0};
    double offset = 0;

    memset(sum, 0, n * sizeof *sum);
    plan_clock_sync(MPI_COMM_WORLD, &offset);
    plan_line_up(MPI_COMM_WORLD, offset);
    double start = plan_clock();
    reduce(w, n);
    span = plan_span(rank == 0, start, plan_clock(), offset);
    MPI_Reduce(&span, &all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    double seconds = plan_span_seconds(all);
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    w->sample[w->n++] = seconds;
    for (size_t i = 0; i < n && rank == 0; i++) {
        if (sum[i] == (double)ranks * (double)(i % 1000) + ranks * (ranks - 1) / 2.0) continue;
        fprintf(stderr, "bench_reduce: %s: element %zu is wrong\n", w->name, i);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static double median_of(const way_t *w)
{
    double sorted[RUNS];
    memcpy(sorted, w->sample, sizeof sorted);
    return gsl_stats_median(sorted, 1, (size_t)w->n);
}

static double bound_s(const plan_t *plan, size_t bytes)
{
    const plan_candidate_t *c = plan_chosen(plan, bytes);
    size_t slice = c->slice == 0 || c->slice > bytes ? bytes : c->slice;
    return (double)bytes / ((double)slice * c->throughput / c->lp_ratio);
}

/* Leave out settings that are far behind at an eighth of the message; the default stays. */
static void admit(size_t n)
{
    double fastest = INFINITY;
    for (int k = PLANS; k < ways; k++) run(&way[k], n), fastest = fmin(fastest, way[k].sample[0]);
    for (int k = PLANS; k < ways; k++) way[k].hopeless = k > PLANS && way[k].sample[0] > 2 * fastest, way[k].n = 0;
}

static void compare(const char *name, size_t bytes)
{
    size_t n = bytes / sizeof *mine;
    double best = INFINITY;
    int baseline = 0;

    for (size_t i = 0; i < n; i++) mine[i] = (double)(i % 1000) + rank;
    if (bytes >= LONG) admit(n / 8);
    for (int k = 0; k < ways; k++)
        if (!way[k].hopeless) run(&way[k], n);
    double limit = 3 * fmax(way[0].sample[0], way[1].sample[0]);
    for (int i = 1; i < RUNS; i++)
        for (int k = 0; k < ways; k++)
            if (!way[k].hopeless && way[k].sample[0] <= limit) run(&way[k], n);
    for (int k = PLANS; k < ways; k++)
        if (!way[k].hopeless && median_of(&way[k]) < best) best = median_of(&way[k]), baseline = k;
    if (rank != 0) return;
    const plan_candidate_t *c = plan_chosen(way[1].plan, bytes);
    double timed = median_of(&way[1]), bound = bound_s(way[0].plan, bytes);
    printf("| %s | %zu KiB | %.1f ms | %s, %.1f ms | %.1f ms | %s, %.1f ms | ", name, bytes >> 10,
           1e3 * median_of(&way[PLANS]), way[baseline].name, 1e3 * best, 1e3 * median_of(&way[0]), c->name,
           1e3 * timed);
    printf(bound > 0 && isfinite(bound) ? "%.1f ms" : "-", 1e3 * bound); /* MPI_Reduce itself has none */
    printf(" | %.2f |\n", best / timed);
}

int main(int argc, char **argv)
{
    size_t bytes = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    int provided;

    if (bytes < 8 * sizeof *mine || bytes > 1 << 30) {
        fprintf(stderr, "usage: mpirun bench_reduce NAME BYTES; 64 B to 1 GiB\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mine = calloc(1, bytes);
    sum = calloc(1, bytes);
    if (mine == NULL || sum == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    add_plan("plan, estimated", PLAN_ESTIMATE, bytes);
    add_plan("plan", PLAN_DEFAULT, bytes);
    add_native();
    compare(argv[1], bytes);
    for (int k = 0; k < ways; k++) {
        if (way[k].comm != MPI_COMM_NULL) MPI_Comm_free(&way[k].comm);
        plan_destroy(&way[k].plan);
    }
    free(mine);
    free(sum);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
