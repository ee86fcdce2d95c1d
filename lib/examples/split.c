/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sub-communicators: even and odd ranks broadcast among themselves. The machine is measured once, at the first plan;
 * the others take it from the job.
 *
 *     mpicc split.c -o split $(pkg-config --cflags --libs planbcast)
 *     mpirun -n 4 ./split
 */
#include <planbcast/mpi.h>
#include <stdio.h>

enum { COUNT = 1 << 16 };

static void check(int rc)
{
    if (rc == 0) return;
    fprintf(stderr, "split: error %d: %s\n", rc, rc < 0 ? plan_status_string((plan_status_t)rc) : "of MPI");
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    static int x[COUNT];
    plan_options_t options;
    plan_t *all = NULL, *half = NULL;
    MPI_Comm comm;
    int rank, wrong = 0, wrongs = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check(plan_options_init(&options, NULL));
    options.budget_s = 1;
    check(plan_bcast(MPI_COMM_WORLD, 0, sizeof x, &options, &all)); /* all ranks: measures */

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    check(plan_bcast(comm, 0, sizeof x, &options, &half)); /* the ranks of comm; its rank 0 is the root */
    MPI_Comm_free(&comm);                                  /* the plan has a duplicate */

    for (int i = 0; i < COUNT && rank < 2; i++) x[i] = rank + i;
    check(plan_execute(half, x, COUNT, MPI_INT));
    for (int i = 0; i < COUNT; i++) wrong |= x[i] != rank % 2 + i;
    check(plan_execute(all, x, COUNT, MPI_INT));
    for (int i = 0; i < COUNT; i++) wrong |= x[i] != i;
    plan_destroy(&half);
    plan_destroy(&all);

    MPI_Reduce(&wrong, &wrongs, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("all ranks, and both halves: %s\n", wrongs ? "WRONG" : "all right");
    MPI_Finalize();
    return rank == 0 && wrongs ? 1 : 0;
}
