/*
 * The experiments of Nuriyev et al. 2022, section 5, for ranks in blocks of RANKS_PER_HOST:
 *
 *     mpirun paper_000_measure RANKS_PER_HOST nbft
 *         flat trees of 2..5 processes, by network and by shared memory
 *     mpirun paper_000_measure RANKS_PER_HOST NAME [SECONDS]
 *         broadcasts of 16 KB..4 MB by MPI_Bcast with the algorithm that MPI's parameters select, each followed by a
 *         gather of segments; NAME labels the output
 *
 * Rank 0 prints:
 *
 *     nbft   network|shared  processes  seconds for one call and a barrier
 *     bcast  NAME  KB  seconds of the broadcast (slowest rank)  seconds of broadcast and gather (root)  repetitions
 *            precision  precision
 *
 * Times of broadcasts are means, as in the paper: of at least three repetitions, until the 95% intervals of both lie
 * within 2.5% of them, or SECONDS (1) are over. The precisions are what was reached: half of each interval, as a part
 * of the mean. Times of flat trees are medians.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/statistics.h"
#include "precision.h"

enum { SEGMENT = 8192, SIZES = 9, SMALLEST = 16384, LEAST = 3, CALLS = 50, ROUNDS = 9, LARGEST_TREE = 5 };

static const double enough = 0.025; /* section 5: the precision of each time */

/* Section 5.1: CALLS non-blocking flat trees with barriers between them, timed by the root. */
static double flat_tree(MPI_Comm comm, char *buffer)
{
    double took[ROUNDS];
    MPI_Request request[LARGEST_TREE];
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int r = 0; r < ROUNDS; r++) {
        MPI_Barrier(comm);
        double start = MPI_Wtime();
        for (int i = 0; i < CALLS; i++) {
            if (rank == 0) {
                for (int to = 1; to < size; to++) MPI_Isend(buffer, SEGMENT, MPI_BYTE, to, 0, comm, &request[to - 1]);
                MPI_Waitall(size - 1, request, MPI_STATUSES_IGNORE);
            } else
                MPI_Recv(buffer, SEGMENT, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
            MPI_Barrier(comm);
        }
        took[r] = (MPI_Wtime() - start) / CALLS;
    }
    return plani_interval(took, ROUNDS).median;
}

/* Trees of the first rank with other ranks of its host, or with the first ranks of other hosts. */
static void flat_trees(int rank, int ranks, int per_host, char *buffer)
{
    static const char *const name[] = {"shared", "network"};
    for (int network = 0; network < 2; network++) {
        int step = network ? per_host : 1, most = network ? ranks / per_host : per_host;
        for (int p = 2; p <= most && p <= LARGEST_TREE; p++) {
            int in = rank % step == 0 && rank / step < p;
            MPI_Comm comm;
            MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, rank, &comm);
            if (in) {
                double s = flat_tree(comm, buffer);
                if (rank == 0) printf("nbft\t%s\t%d\t%.6g\n", name[network], p, s), fflush(stdout);
                MPI_Comm_free(&comm);
            }
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
}

/* A linear gather without synchronisation: every rank sends a segment, and the root receives them by rank. */
static void gather(int rank, int ranks, char *buffer)
{
    if (rank != 0) {
        MPI_Send(buffer, SEGMENT, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        return;
    }
    for (int from = 1; from < ranks; from++)
        MPI_Recv(buffer, SEGMENT, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Section 5.2: broadcast, allreduce of the times (which synchronises), gather. */
static void experiment(const char *name, int rank, int ranks, int bytes, double budget, char *buffer)
{
    repeated_t broadcast = {0}, both = {0};
    double begun = MPI_Wtime();
    int go = 1;
    MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); /* connections are made */
    while (go) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime(), slowest = 0;
        MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        double mine = MPI_Wtime() - start;
        MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        gather(rank, ranks, buffer);
        repeated_add(&both, MPI_Wtime() - start);
        repeated_add(&broadcast, slowest);
        bool known = rank == 0 && repeated_precision(&broadcast) <= enough && repeated_precision(&both) <= enough;
        go = both.n < LEAST || (!known && MPI_Wtime() - begun < budget);
        MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD); /* the root's clock decides */
    }
    if (rank == 0) {
        printf("bcast\t%s\t%d\t%.6g\t%.6g\t%d\t%.4f\t%.4f\n", name, bytes >> 10, broadcast.mean, both.mean, both.n,
               repeated_precision(&broadcast), repeated_precision(&both));
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int per_host = argc > 1 ? atoi(argv[1]) : 0, status = 0;
    char *buffer = calloc(1, (size_t)SMALLEST << (SIZES - 1));
    if (argc < 3 || argc > 4 || per_host < 1 || ranks < 2) {
        if (rank == 0) fprintf(stderr, "usage: mpirun paper_000_measure RANKS_PER_HOST nbft|NAME [SECONDS]\n");
        status = 2;
    } else if (buffer == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    else if (strcmp(argv[2], "nbft") == 0)
        flat_trees(rank, ranks, per_host, buffer);
    else
        for (int i = 0; i < SIZES; i++)
            experiment(argv[2], rank, ranks, SMALLEST << i, argc == 4 ? atof(argv[3]) : 1, buffer);
    free(buffer);
    MPI_Finalize();
    return status;
}
