/* The three calls that users make. */
#include <planbcast.h>
#include <planbcast/mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static char buffer[100000];
    plan_options_t options;
    plan_t *plan = NULL;
    int rank, rc, good, all = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(buffer, rank == 0 ? 'x' : ' ', sizeof buffer);
    rc = plan_options_init(&options, NULL);
    options.budget_s = 0.5;
    if (rc == 0) rc = plan_bcast(MPI_COMM_WORLD, 0, sizeof buffer, &options, &plan);
    if (rc == 0) rc = plan_execute(plan, buffer, (MPI_Count)sizeof buffer, MPI_CHAR);
    good = rc == 0 && buffer[0] == 'x' && buffer[sizeof buffer - 1] == 'x';
    MPI_Reduce(&good, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    plan_destroy(&plan);
    if (rank == 0) puts(all ? "ok" : "the broadcast failed");
    MPI_Finalize();
    return 0;
}
