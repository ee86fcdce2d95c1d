/* Another tool of the profiling interface, to preload: it counts the calls of MPI_Bcast and of MPI_Reduce, and of
 * PMPI_Allreduce, by which the library to preload lets ranks agree. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <mpi.h>
#include <dlfcn.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef int allreduce_t(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

static long calls, reductions, agreements;

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

EXPORT long tool_agree_count(void);
long tool_agree_count(void)
{
    return agreements;
}

EXPORT int PMPI_Allreduce(const void *send, void *recv, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    void *symbol = dlsym(RTLD_NEXT, "PMPI_Allreduce");
    allreduce_t *next;
    memcpy(&next, &symbol, sizeof next);
    agreements++;
    return next(send, recv, count, datatype, op, comm);
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
