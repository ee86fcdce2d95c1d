/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast while computing: begin the broadcast of the next block, compute on the block before, and let the broadcast
 * proceed in between.
 *
 *     mpicc overlap.c -o overlap $(pkg-config --cflags --libs planbcast)
 *     mpirun -n 4 ./overlap
 */
#include <planbcast/mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 16, BLOCKS = 8, STEP = 1 << 12 };

static void check(int rc, const plan_t *plan)
{
    if (rc == 0) return;
    fprintf(stderr, "overlap: error %d: %s\n", rc, plan_execute_error(plan));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fill(double *x, int block)
{
    for (int i = 0; i < COUNT; i++) x[i] = block + i;
}

/* Adds up a block; plan_test now and then, while the next block is under way. */
static double sum(const double *x, plan_t *plan, bool under_way)
{
    double s = 0;
    for (int i = 0; i < COUNT; i++) {
        s += x[i];
        if (i % STEP != 0 || !under_way) continue;
        bool done;
        check(plan_test(plan, &done), plan);
        under_way = !done;
    }
    if (under_way) check(plan_wait(plan), plan);
    return s;
}

int main(int argc, char **argv)
{
    static double x[2][COUNT];
    plan_options_t options;
    plan_error_t err;
    plan_t *plan = NULL;
    int rank, wrong = 0, wrongs = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (plan_options_init(&options, &err) != PLAN_OK) MPI_Abort(MPI_COMM_WORLD, 1);
    options.budget_s = 1;
    if (plan_bcast(MPI_COMM_WORLD, 0, sizeof x[0], &options, &plan) != 0) MPI_Abort(MPI_COMM_WORLD, 1);

    if (rank == 0) fill(x[0], 0);
    check(plan_execute(plan, x[0], COUNT, MPI_DOUBLE), plan);
    for (int block = 0; block < BLOCKS; block++) {
        bool more = block + 1 < BLOCKS;
        double *now = x[block % 2], *next = x[(block + 1) % 2];
        if (more && rank == 0) fill(next, block + 1);
        if (more) check(plan_start(plan, next, COUNT, MPI_DOUBLE), plan);
        wrong |= sum(now, plan, more) != (double)COUNT * block + (double)COUNT * (COUNT - 1) / 2;
    }
    plan_destroy(&plan);

    MPI_Reduce(&wrong, &wrongs, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d blocks: %s\n", BLOCKS, wrongs ? "WRONG" : "all right");
    MPI_Finalize();
    return rank == 0 && wrongs ? 1 : 0;
}
