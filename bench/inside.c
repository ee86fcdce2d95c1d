/*
 * Candidates and MPI_Bcast in turns in one run, with the processor time that they take: for broadcasts inside hosts.
 *
 *     mpirun -n 16 bench_inside [most bytes [candidate]...]
 *
 * Prints, for 8 B to the largest message, for each candidate (default: shared-memory) and MPI_Bcast: the median time
 * from the root's start to the last rank's end, and the processor time of all ranks per broadcast, of some broadcasts
 * back to back. `copying` is the part of the time that all ranks take to copy a message of this size, each from one own
 * buffer to another. The machine is measured as for any plan, or read from PLANBCAST_MACHINE.
 */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <mpi.h>
#include <planbcast/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { ROUNDS = 31, WAYS = 6 };

static int rank, ranks, ways;

/* Broadcast by the plan, or by MPI_Bcast if it is NULL. */
static void broadcast(plan_t *plan, char *buffer, size_t bytes)
{
    if (plan != NULL)
        plan_execute(plan, buffer, (MPI_Count)bytes, MPI_BYTE);
    else
        MPI_Bcast(buffer, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* Planning is collective and has agreed on its result: all ranks end. */
static plan_t *make_plan(size_t most, const char *candidates)
{
    plan_t *plan = NULL;
    plan_error_t err;
    plan_options_t options = {.size = sizeof options};

    plan_options_init(&options, &err);
    options.error = &err;
    options.choice.only = candidates;
    options.mode = PLAN_ESTIMATE;
    if (plan_bcast(MPI_COMM_WORLD, 0, most, &options, &plan) == 0) return plan;
    if (rank == 0) fprintf(stderr, "bench_inside: %s\n", err.text);
    MPI_Finalize();
    exit(1);
}

/* [s] One broadcast that all ranks begin at the same time, at rank 0. */
static double timed(plan_t *plan, char *buffer, size_t bytes, double offset)
{
    plan_span_t mine, all = {0};
    plan_line_up(MPI_COMM_WORLD, offset);
    double start = plan_clock();
    broadcast(plan, buffer, bytes);
    mine = plan_span(rank == 0, start, plan_clock(), offset);
    MPI_Reduce(&mine, &all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return plan_span_seconds(all);
}

static double processor_s(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* [s] Processor time of all ranks per broadcast, at rank 0. */
static double busy(plan_t *plan, char *buffer, size_t bytes)
{
    int n = bytes > 1 << 20 ? 8 : 256;
    double all = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double mine = processor_s();
    for (int i = 0; i < n; i++) broadcast(plan, buffer, bytes);
    mine = processor_s() - mine;
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all / n;
}

/* [s] All ranks copy a message at the same time, each between own buffers: until the last has, at rank 0. */
static double copying(char *buffer, char *other, size_t bytes)
{
    double best = INFINITY, last = 0;
    for (int i = 0; i < 5; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double mine = MPI_Wtime();
        memcpy(buffer, other, bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        mine = MPI_Wtime() - mine;
        MPI_Reduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        best = fmin(best, last);
    }
    return best;
}

static void compare(plan_t *const *plan, size_t bytes, char *buffer, char *other)
{
    double sample[WAYS][ROUNDS], offset = 0, used[WAYS];

    for (int i = -2; i < ROUNDS; i++) { /* the first two warm up */
        if (bytes >= 1024 || i % 8 == 0 || i < 0) plan_clock_sync(MPI_COMM_WORLD, &offset);
        for (int k = 0; k < ways; k++) {
            int way = (k + i + 2) % ways;
            double s = timed(plan[way], buffer, bytes, offset);
            if (i >= 0) sample[way][i] = s;
        }
    }
    for (int k = 0; k < ways; k++) used[k] = busy(plan[k], buffer, bytes);
    double copies_s = copying(buffer, other, bytes);
    if (rank != 0) return;
    printf("%9zu", bytes);
    for (int k = 0; k < ways; k++) {
        double median = gsl_stats_median(sample[k], 1, ROUNDS);
        printf("   %11.1f %9.1f %6.0f%%", median * 1e6, used[k] * 1e6, 100 * copies_s / median);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char *end = "", *names[] = {"shared-memory"}, **name = argc > 2 ? argv + 2 : names;
    long most = argc > 1 ? strtol(argv[1], &end, 10) : 64 << 20;
    plan_t *plan[WAYS] = {NULL};

    ways = argc > 2 ? argc - 1 : 2; /* MPI_Bcast is the last */
    if (ways > WAYS || *end != '\0' || most < 8 || most > 1 << 30) {
        fprintf(stderr, "usage: mpirun bench_inside [MOST BYTES [CANDIDATE]...]; five candidates at most\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int k = 0; k < ways - 1; k++) plan[k] = make_plan((size_t)most, name[k]);
    char *buffer = calloc(1, (size_t)most), *other = calloc(1, (size_t)most);
    if (buffer == NULL || other == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    memset(other, rank, (size_t)most);
    if (rank == 0) {
        printf("%d ranks, microseconds\n%9s", ranks, "");
        for (int k = 0; k < ways; k++) printf("   %28s", k + 1 < ways ? name[k] : "MPI_Bcast");
        printf("\n%9s", "bytes");
        for (int k = 0; k < ways; k++) printf("   %11s %9s %7s", "time", "processor", "copying");
        printf("\n");
    }
    for (size_t bytes = 8; bytes <= (size_t)most; bytes *= bytes < 1024 ? 8 : 4) compare(plan, bytes, buffer, other);
    for (int k = 0; k < ways - 1; k++) plan_destroy(&plan[k]);
    free(buffer);
    free(other);
    MPI_Finalize();
    return 0;
}
