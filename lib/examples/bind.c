/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run a plan that was made offline, such as by `planbcast plan machine.json --bytes 4M -o plan.json`.
 *
 *     mpicc bind.c -o bind $(pkg-config --cflags --libs planbcast)
 *     mpirun -n 6 ./bind plan.json
 */
#include <planbcast/mpi.h>
#include <stdio.h>

enum { COUNT = 1 << 18 };

int main(int argc, char **argv)
{
    static int x[COUNT];
    plan_error_t err = {.text = ""};
    plan_t *offline = NULL, *plan = NULL;
    int rank, root, rc, wrong = 0, wrongs = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* Rank 0 loads it; where that fails it passes NULL, and all ranks get the error. */
    if (rank == 0 && argc == 2 && plan_load(argv[1], &offline, &err) != PLAN_OK)
        fprintf(stderr, "bind: %s\n", err.text);
    if ((rc = plan_bind(MPI_COMM_WORLD, offline, &plan, &err)) != 0) {
        if (rank == 0) fprintf(stderr, "bind: error %d: %s\n", rc, err.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    plan_destroy(&offline); /* the bound plan is a copy */

    root = plan_data(plan)->root;
    for (int i = 0; i < COUNT && rank == root; i++) x[i] = i;
    if (plan_execute(plan, x, COUNT, MPI_INT) != 0) fprintf(stderr, "bind: %s\n", plan_execute_error(plan));
    for (int i = 0; i < COUNT; i++) wrong |= x[i] != i;
    plan_destroy(&plan);

    MPI_Reduce(&wrong, &wrongs, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("by the plan of %s: %s\n", argv[1], wrongs ? "WRONG" : "all right");
    MPI_Finalize();
    return rank == 0 && wrongs ? 1 : 0;
}
