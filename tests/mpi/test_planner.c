/*
 * A program that links libplanbcast.so alone, where the planner is what PLANBCAST_PLANNER says:
 *
 *     test_planner STATUS WORD...    plan_bcast returns this on all ranks, with an error that holds all the words
 */
#include <planbcast/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    plan_error_t err = {.text = ""};
    plan_options_t options;
    plan_t *plan = NULL;
    int rank, wrong, all = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int expected = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0, rc = plan_options_init(&options, &err);
    options.budget_s = 0.3, options.error = &err;
    if (rc == 0) rc = plan_bcast(MPI_COMM_WORLD, 0, 1 << 20, &options, &plan);
    wrong = rc != expected;
    for (int i = 2; i < argc; i++) wrong |= strstr(err.text, argv[i]) == NULL;
    if (wrong) fprintf(stderr, "rank %d: status %d, '%s'\n", rank, rc, err.text);
    plan_destroy(&plan);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
