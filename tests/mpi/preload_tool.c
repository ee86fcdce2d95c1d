/* Another tool of the profiling interface, to preload: it counts the calls of MPI_Bcast and of MPI_Reduce. */
#include <mpi.h>

#define EXPORT __attribute__((visibility("default")))

static long calls, reductions;

EXPORT long tool_count(void);
long tool_count(void)
{
    return calls;
}

EXPORT long tool_reduce_count(void);
long tool_reduce_count(void)
{
    return reductions;
}

EXPORT int MPI_Reduce(const void *send, void *recv, int count, MPI_Datatype datatype, MPI_Op op, int root,
                      MPI_Comm comm)
{
    reductions++;
    return PMPI_Reduce(send, recv, count, datatype, op, root, comm);
}

EXPORT int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    calls++;
    return PMPI_Bcast(buffer, count, datatype, root, comm);
}
