/*
 * What planning costs on equal communicators: duplicates of MPI_COMM_WORLD, with and without plans, all
 * kept until the end.
 *
 *     mpirun -n 8 bench_duplicates [duplicates]
 *
 * Prints the seconds until the first plan, and the slowest rank's time per duplicate of MPI_Comm_dup alone and of
 * MPI_Comm_dup and plan_bcast.
 */
#include <mpi.h>
#include <planbcast/mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 1 << 20 };

static int rank;

/* Planning is collective and has agreed on its result: all ranks end. */
static void plan_on(MPI_Comm comm, plan_t **plan)
{
    plan_error_t err;
    plan_options_t options = {.size = sizeof options};

    plan_options_init(&options, &err);
    options.error = &err;
    if (plan_bcast(comm, 0, MOST_BYTES, &options, plan) == 0) return;
    if (rank == 0) fprintf(stderr, "bench_duplicates: %s\n", err.text);
    MPI_Finalize();
    exit(1);
}

/* [s] The slowest rank's. */
static double slowest(double seconds)
{
    double most = seconds;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* [s] n duplicates; with plans if plan is not NULL. */
static double duplicate(MPI_Comm *comm, plan_t **plan, long n)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (long i = 0; i < n; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        if (plan != NULL) plan_on(comm[i], &plan[i]);
    }
    return slowest(MPI_Wtime() - start);
}

int main(int argc, char **argv)
{
    char *end = "";
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 10000;

    if (argc > 2 || *end != '\0' || n < 1 || n > 15000) {
        fprintf(stderr, "usage: mpirun bench_duplicates [DUPLICATES]\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm *comm = malloc(2 * (size_t)n * sizeof(MPI_Comm));
    plan_t **plan = calloc((size_t)n, sizeof *plan), *first = NULL;
    double start = MPI_Wtime();

    if (comm == NULL || plan == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    plan_on(MPI_COMM_WORLD, &first);
    double first_s = slowest(MPI_Wtime() - start), alone_s = duplicate(comm, NULL, n),
           both_s = duplicate(comm + n, plan, n);
    if (rank == 0)
        printf("first plan %.2f s; %ld duplicates: MPI_Comm_dup %.3f ms each, with plan_bcast %.3f ms more\n", first_s,
               n, 1e3 * alone_s / (double)n, 1e3 * (both_s - alone_s) / (double)n);
    for (long i = 0; i < n; i++) plan_destroy(&plan[i]);
    for (long i = 0; i < 2 * n; i++) MPI_Comm_free(&comm[i]);
    plan_destroy(&first);
    free(comm);
    free(plan);
    MPI_Finalize();
    return 0;
}
