/* For another MPI library than the preloaded one was built for: some broadcasts and reductions, with the argument
 * "session" on a communicator of a session, where that library has them. */
#include <mpi.h>
#include <string.h>

static int cast_on(MPI_Comm comm)
{
    enum { BYTES = 100000 };
    static char data[BYTES], most[BYTES];
    int rank, wrong = 0;
    MPI_Comm_rank(comm, &rank);
    for (int round = 1; round < 4; round++) {
        if (rank == 0) memset(data, round, sizeof data);
        MPI_Bcast(data, BYTES, MPI_BYTE, 0, comm);
        for (int i = 0; i < BYTES; i++) wrong += data[i] != round;
        MPI_Reduce(data, most, BYTES, MPI_SIGNED_CHAR, MPI_MAX, 0, comm);
        for (int i = 0; i < BYTES && rank == 0; i++) wrong += most[i] != round;
    }
    return wrong;
}

#ifdef MPI_SESSION_NULL
static int cast_in_a_session(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "planbcast.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    int wrong = cast_on(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return wrong;
}
#endif

int main(int argc, char **argv)
{
    int wrong;
#ifdef MPI_SESSION_NULL
    if (argc > 1 && strcmp(argv[1], "session") == 0) return cast_in_a_session() > 0;
#endif
    MPI_Init(&argc, &argv);
    wrong = cast_on(MPI_COMM_WORLD);
    MPI_Finalize();
    return wrong > 0;
}
