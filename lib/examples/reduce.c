/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan once, reduce often.
 *
 *     mpicc reduce.c -o reduce $(pkg-config --cflags --libs planbcast)
 *     mpirun -n 4 ./reduce
 */
#include <planbcast/mpi.h>
#include <stdio.h>

enum { COUNT = 1 << 18, TIMES = 10 };

static void check(int rc)
{
    if (rc == 0) return;
    fprintf(stderr, "reduce: error %d%s%s\n", rc, rc < 0 ? ": " : "", rc < 0 ? plan_status_string(rc) : "");
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    static double x[COUNT], sum[COUNT];
    plan_options_t options;
    plan_t *plan = NULL;
    int rank, ranks, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    check(plan_options_init(&options, NULL));
    options.budget_s = 2;
    check(plan_reduce(MPI_COMM_WORLD, 0, sizeof x, &options, &plan)); /* to rank 0 */

    for (int t = 0; t < TIMES; t++) {
        for (int i = 0; i < COUNT; i++) x[i] = i + t + rank;
        check(plan_reduce_execute(plan, x, sum, COUNT, MPI_DOUBLE, MPI_SUM)); /* sum: at the root */
        for (int i = 0; i < COUNT && rank == 0; i++) wrong |= sum[i] != ranks * (i + t + (ranks - 1) / 2.0);
    }
    plan_destroy(&plan);

    if (rank == 0) printf("%d reductions of %zu bytes: %s\n", TIMES, sizeof x, wrong ? "WRONG" : "all right");
    MPI_Finalize();
    return wrong;
}
