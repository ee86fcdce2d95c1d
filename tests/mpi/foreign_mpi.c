/* See foreign_mpi.h. VERSION is what it says it is. */
#include "foreign_mpi.h"
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct handle {
    char any;
};

static struct handle only;

static int is_other(const struct handle *h)
{
    return h != &only;
}

EXPORT struct handle *foreign_handle(void)
{
    return &only;
}

EXPORT int PMPI_Get_library_version(char *version, int *length)
{
    strcpy(version, VERSION);
    *length = (int)strlen(version);
    return 0;
}

EXPORT int PMPI_Init(int *argc, char ***argv)
{
    return argc != NULL || argv != NULL;
}

EXPORT int PMPI_Session_init(struct handle *info, struct handle *handler, struct handle **session)
{
    *session = &only;
    return is_other(info) || is_other(handler);
}

static int look_at(const void *buffer, long long count, const struct handle *type, int root, const struct handle *comm)
{
    return buffer == NULL || count != 1 || is_other(type) || root != 0 || is_other(comm);
}

EXPORT int PMPI_Bcast(void *buffer, int count, struct handle *type, int root, struct handle *comm)
{
    return look_at(buffer, count, type, root, comm);
}

EXPORT int PMPI_Bcast_c(void *buffer, long long count, struct handle *type, int root, struct handle *comm)
{
    return look_at(buffer, count, type, root, comm);
}

EXPORT int PMPI_Reduce(const void *send, void *recv, int count, struct handle *type, struct handle *op, int root,
                       struct handle *comm)
{
    return send == NULL || is_other(op) || look_at(recv, count, type, root, comm);
}

EXPORT int PMPI_Reduce_c(const void *send, void *recv, long long count, struct handle *type, struct handle *op,
                         int root, struct handle *comm)
{
    return send == NULL || is_other(op) || look_at(recv, count, type, root, comm);
}

EXPORT int PMPI_Finalize(void)
{
    return 0;
}

#define ALSO(name) __attribute__((visibility("default"), alias(name)))
ALSO("PMPI_Get_library_version") int MPI_Get_library_version(char *version, int *length);
ALSO("PMPI_Init") int MPI_Init(int *argc, char ***argv);
ALSO("PMPI_Session_init")
int MPI_Session_init(struct handle *info, struct handle *handler, struct handle **session);
ALSO("PMPI_Bcast") int MPI_Bcast(void *buffer, int count, struct handle *type, int root, struct handle *comm);
ALSO("PMPI_Bcast_c")
int MPI_Bcast_c(void *buffer, long long count, struct handle *type, int root, struct handle *comm);
ALSO("PMPI_Reduce")
int MPI_Reduce(const void *send, void *recv, int count, struct handle *type, struct handle *op, int root,
               struct handle *comm);
ALSO("PMPI_Reduce_c")
int MPI_Reduce_c(const void *send, void *recv, long long count, struct handle *type, struct handle *op, int root,
                 struct handle *comm);
ALSO("PMPI_Finalize") int MPI_Finalize(void);
