/*
 * A program that knows nothing of planbcast and calls MPI_Bcast, run with the preloadable library in front of MPI. The
 * argument says what is to be expected: "planned" or "native" broadcasts.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures, rank, ranks;

static void check(int good, const char *what)
{
    if (!good) fprintf(stderr, "rank %d: %s\n", rank, what);
    failures += !good;
}

static long planned(void)
{
    long (*count)(void);
    void *symbol = dlsym(RTLD_DEFAULT, "plan_preload_count");
    if (symbol == NULL) {
        check(0, "the library is not preloaded");
        return -1;
    }
    memcpy(&count, &symbol, sizeof count);
    return count();
}

static char value(int root, int bytes, int i)
{
    return (char)(root + bytes + i * 7 + i / 251);
}

/* Broadcast bytes as what `kind` says; returns how many broadcasts were run by a plan. */
static long cast(MPI_Comm comm, int root, int bytes, int kind)
{
    int me, good = 1, size = 2 * bytes + 1;
    char *data = calloc((size_t)size, 1);
    MPI_Datatype every_second;
    long before = planned();

    MPI_Comm_rank(comm, &me);
    int stride = kind == 1 ? 2 : 1;
    for (int i = 0; me == root && i < bytes; i++) data[i * stride] = value(root, bytes, i);
    if (kind == 1) {
        MPI_Type_vector(bytes, 1, 2, MPI_BYTE, &every_second);
        MPI_Type_commit(&every_second);
        MPI_Bcast(data, 1, every_second, root, comm);
        MPI_Type_free(&every_second);
    } else {
        MPI_Bcast(data, bytes, MPI_BYTE, root, comm);
    }
    for (int i = 0; i < bytes; i++) good &= data[i * stride] == value(root, bytes, i);
    check(good, "wrong bytes");
    free(data);
    return planned() - before;
}

int main(int argc, char **argv)
{
    int by_plan = argc > 1 && strcmp(argv[1], "planned") == 0;
    MPI_Comm copy, half;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int root = 0; root < ranks; root += ranks - 1)
        for (int round = 0; round < 3; round++)
            check(cast(MPI_COMM_WORLD, root, 100000 + round, 0) == by_plan, "a long broadcast");
    check(cast(MPI_COMM_WORLD, 0, 70000, rank % 2) == by_plan, "a broadcast of two datatypes");
    check(cast(MPI_COMM_WORLD, 0, 65536, 0) == by_plan, "a broadcast just long enough");
    check(cast(MPI_COMM_WORLD, 0, 65535, 0) == 0, "a short broadcast");
    check(cast(MPI_COMM_WORLD, 1, 0, 0) == 0, "an empty broadcast");
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    check(cast(copy, 1, 200000, 0) == by_plan, "on a duplicate");
    MPI_Comm_free(&copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half); /* too few ranks, and other ones than in the profile */
    check(cast(half, 0, 200000, 0) == 0, "on a half");
    MPI_Comm_free(&half);
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
