/* Another tool of the profiling interface, to preload: it counts the calls of MPI_Bcast. */
#include <mpi.h>

#define EXPORT __attribute__((visibility("default")))

static long calls;

EXPORT long tool_count(void);
long tool_count(void)
{
    return calls;
}

EXPORT int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    calls++;
    return PMPI_Bcast(buffer, count, datatype, root, comm);
}
