/*
 * Small messages: plan_execute of a binomial plan and MPI_Bcast, alternating in one run.
 *
 *     mpirun -n 8 small [repetitions]
 *
 * Prints, for 8 B to 4 KiB, the median and the quartiles of the slowest rank's time after a barrier, and the ratio of
 * the medians.
 */
#include <mpi.h>
#include <planbcast/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <gsl/gsl_sort_double.h>

enum { MOST_BYTES = 4096 };

static plan_t *binomial(int ranks)
{
    plan_tree_t *tree = NULL;
    double rate = 1;
    plan_t *offline = NULL, *plan = NULL;
    plan_error_t err;

    if (plan_tree_topology(PLAN_BINOMIAL, ranks, 0, 0, &tree) != PLAN_OK) return NULL;
    plan_candidate_t c = {.size = sizeof c, .name = "ompi-binomial", .run = PLAN_RUN_TREES, .window = 1, .ntrees = 1};
    c.tree = &tree;
    c.rate = &rate;
    plan_range_t range = {.up_to = MOST_BYTES, .chosen = &c};
    if (plan_from_ranges(ranks, 0, 1, &range, NULL, &offline) == PLAN_OK)
        plan_bind(MPI_COMM_WORLD, offline, &plan, &err);
    plan_destroy(&offline);
    plan_tree_destroy(&tree);
    return plan;
}

/* One broadcast by the plan, or by MPI_Bcast if plan is NULL; [s] from the end of the barrier. */
static double once(plan_t *plan, void *buffer, int bytes)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    if (plan != NULL)
        plan_execute(plan, buffer, bytes, MPI_BYTE);
    else
        MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

static void compare(plan_t *plan, int bytes, int n, double *ours, double *native, double *slow)
{
    static char buffer[MOST_BYTES];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = -10; i < n; i++) { /* the first ten warm up */
        double a, b;
        if (i % 2)
            a = once(plan, buffer, bytes), b = once(NULL, buffer, bytes);
        else
            b = once(NULL, buffer, bytes), a = once(plan, buffer, bytes);
        if (i >= 0) ours[i] = a, native[i] = b;
    }
    for (int which = 0; which < 2; which++) {
        double *mine = which ? native : ours;
        MPI_Reduce(mine, slow, n, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++) mine[i] = slow[i];
        gsl_sort(mine, 1, (size_t)n);
    }
    if (rank == 0)
        printf("%6d   %8.2f %8.2f %8.2f   %8.2f %8.2f %8.2f   %6.2f\n", bytes, ours[n / 4] * 1e6, ours[n / 2] * 1e6,
               ours[3 * n / 4] * 1e6, native[n / 4] * 1e6, native[n / 2] * 1e6, native[3 * n / 4] * 1e6,
               ours[n / 2] / native[n / 2]);
}

int main(int argc, char **argv)
{
    char *end = "";
    long given = argc > 1 ? strtol(argv[1], &end, 10) : 2000;
    if (argc > 2 || *end != '\0' || given < 1 || given > 10000000) {
        fprintf(stderr, "usage: mpirun bench_small [REPETITIONS]\n");
        return 2;
    }
    int ranks, rank, n = (int)given;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *times = calloc((size_t)(3 * n), sizeof *times);
    plan_t *plan = binomial(ranks);
    if (times == NULL || plan == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0)
        printf("%d ranks, %d repetitions, microseconds of the slowest rank\n"
               "%6s   %26s   %26s   %6s\n%6s   %8s %8s %8s   %8s %8s %8s   %6s\n",
               ranks, n, "", "plan_execute, binomial", "MPI_Bcast", "ratio of", "bytes", "25%", "median", "75%", "25%",
               "median", "75%", "medians");
    for (int bytes = 8; bytes <= MOST_BYTES; bytes *= 2) compare(plan, bytes, n, times, times + n, times + 2 * n);
    plan_destroy(&plan);
    free(times);
    MPI_Finalize();
    return 0;
}
