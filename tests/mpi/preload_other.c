/* For another MPI library than the preloaded one was built for: some broadcasts and reductions. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    enum { BYTES = 100000 };
    static char data[BYTES], most[BYTES];
    int rank, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 1; round < 4; round++) {
        if (rank == 0) memset(data, round, sizeof data);
        MPI_Bcast(data, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
        for (int i = 0; i < BYTES; i++) wrong += data[i] != round;
        MPI_Reduce(data, most, BYTES, MPI_SIGNED_CHAR, MPI_MAX, 0, MPI_COMM_WORLD);
        for (int i = 0; i < BYTES && rank == 0; i++) wrong += most[i] != round;
    }
    MPI_Finalize();
    return wrong > 0;
}
