/* Probes a simulated cluster. probe host: prints RANK HOST RANKS-THERE for every rank. probe rate FROM TO [FROM TO]...:
 * prints the sum of the rates of long messages that start at the same time [B/s]. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 16 << 20, MOST = 8 };

static void tell_host(int rank)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int len, together;
    MPI_Comm host;

    MPI_Get_processor_name(name, &len);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &together);
    printf("%d %s %d\n", rank, name, together);
    MPI_Comm_free(&host);
}

static void tell_rate(int rank, int pairs, char **pair)
{
    MPI_Request request[2 * MOST];
    char *out = calloc(BYTES, 1), *in = calloc((size_t)pairs, BYTES);
    double mine, slowest;
    int n = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < pairs; i++) {
        int from = atoi(pair[2 * i]), to = atoi(pair[2 * i + 1]);
        if (rank == from) MPI_Isend(out, BYTES, MPI_BYTE, to, i, MPI_COMM_WORLD, &request[n++]);
        if (rank == to) MPI_Irecv(in + (size_t)i * BYTES, BYTES, MPI_BYTE, from, i, MPI_COMM_WORLD, &request[n++]);
    }
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    mine = MPI_Wtime() - start;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%g\n", pairs * (double)BYTES / slowest);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 2 && strcmp(argv[1], "host") == 0)
        tell_host(rank);
    else if (argc >= 4 && argc <= 2 + 2 * MOST && strcmp(argv[1], "rate") == 0)
        tell_rate(rank, (argc - 2) / 2, argv + 2);
    MPI_Finalize();
    return 0;
}
