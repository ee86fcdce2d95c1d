/* A library that stands in for another MPI library than the preloaded one was built for. Its handles are pointers, as
 * Open MPI's are. It only looks whether they are its own: functions return 0 if so, else 1. */
#ifndef FOREIGN_MPI_H
#define FOREIGN_MPI_H

struct handle;

/* A handle for all purposes. */
struct handle *foreign_handle(void);

int MPI_Get_library_version(char *version, int *length);
int PMPI_Get_library_version(char *version, int *length);
int MPI_Init(int *argc, char ***argv);
int PMPI_Init(int *argc, char ***argv);
int MPI_Session_init(struct handle *info, struct handle *handler, struct handle **session);
int PMPI_Session_init(struct handle *info, struct handle *handler, struct handle **session);
int MPI_Bcast(void *buffer, int count, struct handle *type, int root, struct handle *comm);
int PMPI_Bcast(void *buffer, int count, struct handle *type, int root, struct handle *comm);
int MPI_Bcast_c(void *buffer, long long count, struct handle *type, int root, struct handle *comm);
int PMPI_Bcast_c(void *buffer, long long count, struct handle *type, int root, struct handle *comm);
int MPI_Reduce(const void *send, void *recv, int count, struct handle *type, struct handle *op, int root,
               struct handle *comm);
int PMPI_Reduce(const void *send, void *recv, int count, struct handle *type, struct handle *op, int root,
                struct handle *comm);
int MPI_Reduce_c(const void *send, void *recv, long long count, struct handle *type, struct handle *op, int root,
                 struct handle *comm);
int PMPI_Reduce_c(const void *send, void *recv, long long count, struct handle *type, struct handle *op, int root,
                  struct handle *comm);
int MPI_Finalize(void);
int PMPI_Finalize(void);

#endif
