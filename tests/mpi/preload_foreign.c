/* A program of foreign_mpi.h, which calls each function that the preloaded library replaces. */
#include "foreign_mpi.h"
#include <stdio.h>

int main(void)
{
    struct handle *h = foreign_handle(), *session;
    char from = 0, to = 0;
    const int wrong[] = {MPI_Session_init(h, h, &session),
                         PMPI_Session_init(h, h, &session),
                         MPI_Bcast(&to, 1, h, 0, h),
                         PMPI_Bcast(&to, 1, h, 0, h),
                         MPI_Bcast_c(&to, 1, h, 0, h),
                         PMPI_Bcast_c(&to, 1, h, 0, h),
                         MPI_Reduce(&from, &to, 1, h, h, 0, h),
                         PMPI_Reduce(&from, &to, 1, h, h, 0, h),
                         MPI_Reduce_c(&from, &to, 1, h, h, 0, h),
                         PMPI_Reduce_c(&from, &to, 1, h, h, 0, h),
                         MPI_Init(NULL, NULL),
                         PMPI_Init(NULL, NULL),
                         MPI_Finalize(),
                         PMPI_Finalize()};
    int failures = 0;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (wrong[i]) fprintf(stderr, "call %zu: another argument has come through\n", i);
        failures += wrong[i];
    }
    return failures > 0;
}
