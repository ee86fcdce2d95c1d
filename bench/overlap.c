/*
 * How much of a broadcast hides behind computing: plan_start with plan_test every so often, and MPI_Ibcast with
 * MPI_Test.
 *
 *     mpirun -n 8 bench_overlap [bytes [step in microseconds]]
 *
 * For each of the two: the time of the broadcast alone, started and awaited; the time of about as much computing alone,
 * on all ranks; and of both together, with a test after each step of computing. The hidden share is
 * (alone + computing - together) / alone. Times are medians, in turns, of the slowest rank from a barrier on. The plan
 * is made as any; the environment says for which machine.
 */
#include <gsl/gsl_statistics_double.h>
#include <mpi.h>
#include <planbcast/mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 15, WAYS = 2 };
static const char *const name[WAYS] = {"plan_start", "MPI_Ibcast"};

typedef struct {
    int way; /* WAYS: no broadcast */
    plan_t *plan;
    MPI_Request request;
    char *data;
    int bytes;
    bool done;
} cast_t;

static void start(cast_t *c)
{
    c->done = c->way == WAYS;
    if (c->way == 0) plan_start(c->plan, c->data, c->bytes, MPI_BYTE);
    if (c->way == 1) MPI_Ibcast(c->data, c->bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &c->request);
}

static void test(cast_t *c)
{
    int flag = 0;
    if (c->done) return;
    if (c->way == 0) {
        plan_test(c->plan, &c->done);
    } else {
        MPI_Test(&c->request, &flag, MPI_STATUS_IGNORE);
        c->done = flag;
    }
}

static void finish(cast_t *c)
{
    if (!c->done && c->way == 0) plan_wait(c->plan);
    if (!c->done && c->way == 1) MPI_Wait(&c->request, MPI_STATUS_IGNORE);
}

static void compute(long n)
{
    static volatile double x = 1;
    double y = x;
    for (long i = 0; i < n; i++) y = y * 0.999999 + 1e-6;
    x = y;
}

/* [s] of the slowest rank, on all ranks. */
static double timed(cast_t *c, int steps, long step)
{
    double mine, slowest = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    mine = MPI_Wtime();
    start(c);
    for (int i = 0; i < steps; i++) {
        compute(step);
        test(c);
    }
    finish(c);
    mine = MPI_Wtime() - mine;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

/* Iterations that take about `seconds` when all ranks compute; the same on all ranks. The shortest of some runs counts,
 * for other programs make runs longer. */
static long calibrate(cast_t *none, double seconds)
{
    long n = 1000;
    double least = 0;
    while (least < 20 * seconds && n < 1L << 40) {
        n *= 2;
        least = timed(none, 1, n);
        for (int i = 0; i < 6; i++) {
            double s = timed(none, 1, n);
            if (s < least) least = s;
        }
    }
    n = (long)((double)n * seconds / least);
    MPI_Bcast(&n, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return n;
}

static void compare(int rank, cast_t cast[WAYS + 1], double step_s)
{
    double alone[WAYS][ROUNDS], busy[WAYS][ROUNDS], both[WAYS][ROUNDS], total[WAYS];
    long step = calibrate(&cast[WAYS], step_s);
    int steps[WAYS];

    for (int i = -2; i < ROUNDS; i++) /* the first two warm up */
        for (int w = 0; w < WAYS; w++) {
            double s = timed(&cast[w], 0, 0);
            if (i >= 0) alone[w][i] = s;
        }
    for (int w = 0; w < WAYS; w++) {
        total[w] = gsl_stats_median(alone[w], 1, ROUNDS);
        steps[w] = (int)(total[w] / step_s) + 1;
        MPI_Bcast(&steps[w], 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < ROUNDS; i++)
        for (int w = 0; w < WAYS; w++) {
            busy[w][i] = timed(&cast[WAYS], steps[w], step);
            both[w][i] = timed(&cast[w], steps[w], step);
        }
    for (int w = 0; w < WAYS && rank == 0; w++) {
        double computing = gsl_stats_median(busy[w], 1, ROUNDS), together = gsl_stats_median(both[w], 1, ROUNDS);
        printf("%9d  %-10s %10.2f %10.2f %10.2f %7.0f%%\n", cast[w].bytes, name[w], 1e3 * total[w], 1e3 * computing,
               1e3 * together, 100 * (total[w] + computing - together) / total[w]);
    }
}

/* Planning is collective and has agreed on its result: all ranks end. */
static plan_t *make_plan(int rank, size_t most)
{
    plan_t *plan = NULL;
    plan_error_t err;
    plan_options_t options;

    if (plan_options_init(&options, &err) == PLAN_OK) {
        options.error = &err;
        if (plan_bcast(MPI_COMM_WORLD, 0, most, &options, &plan) == 0) return plan;
    }
    if (rank == 0) fprintf(stderr, "bench_overlap: %s\n", err.text);
    MPI_Finalize();
    exit(1);
}

int main(int argc, char **argv)
{
    char *end = "", *rest = "";
    long most = argc > 1 ? strtol(argv[1], &end, 10) : 4 << 20, step_us = argc > 2 ? strtol(argv[2], &rest, 10) : 100;
    int rank, ranks;

    if (argc > 3 || *end != '\0' || *rest != '\0' || most < 1 || most > 1 << 30 || step_us < 1) {
        fprintf(stderr, "usage: mpirun bench_overlap [BYTES [STEP IN MICROSECONDS]]\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    plan_t *plan = make_plan(rank, (size_t)most);
    char *data = calloc(1, (size_t)most);
    if (data == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0) {
        printf("%d ranks, a test every %ld us of computing; milliseconds; planned: %s\n", ranks, step_us,
               plan_chosen(plan, (size_t)most)->name);
        printf("%9s  %-10s %10s %10s %10s %8s\n", "bytes", "", "alone", "computing", "together", "hidden");
    }
    for (long bytes = most > 1 << 14 ? most >> 6 : most; bytes <= most; bytes *= 8) {
        cast_t cast[WAYS + 1];
        for (int w = 0; w <= WAYS; w++) cast[w] = (cast_t){.way = w, .plan = plan, .data = data, .bytes = (int)bytes};
        compare(rank, cast, 1e-6 * (double)step_us);
    }
    plan_destroy(&plan);
    free(data);
    MPI_Finalize();
    return 0;
}
