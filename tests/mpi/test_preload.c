/*
 * A program that calls MPI_Bcast and does not use planbcast itself, run with the preloaded library. The argument is the
 * expected kind of broadcasts: "planned" or "native".
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

/* Communicators come and go in any order; the last is left to MPI_Finalize. */
static void cast_on_many(int by_plan)
{
    MPI_Comm same, mirrored;
    MPI_Comm_dup(MPI_COMM_WORLD, &same);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &mirrored);
    check(cast(same, 0, 100000, 0) == by_plan, "on a duplicate");
    check(cast(mirrored, 0, 100001, 0) == by_plan, "in the order from last to first");
    check(cast(same, 0, 100002, 0) == by_plan, "on the duplicate again");
    MPI_Comm_free(&same);
    check(cast(mirrored, 0, 100003, 1) == by_plan, "after another communicator is freed");
}

/* Each of these gets half of what is left of the time for duels: it never comes to an end. */
static void cast_on_ever_more(int by_plan)
{
    enum { MANY = 70 };
    MPI_Comm comm;
    for (int i = 0; i < MANY; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        check(cast(comm, 0, 100000, 0) == by_plan, "on one of many duplicates");
        MPI_Comm_free(&comm);
    }
}

/* Between two groups nothing is planned: MPI_Bcast as it was. */
static void cast_between_groups(void)
{
    enum { BYTES = 200000 };
    MPI_Comm half, both;
    int low = rank < ranks / 2, good = 1;
    char *data = calloc(BYTES, 1);
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? ranks / 2 : 0, 3, &both);
    memset(data, rank == 0 ? 9 : 0, BYTES);
    long before = planned();
    MPI_Bcast(data, BYTES, MPI_BYTE, rank == 0 ? MPI_ROOT : low ? MPI_PROC_NULL : 0, both);
    for (int i = 0; i < BYTES; i++) good &= data[i] == (low && rank != 0 ? 0 : 9);
    check(good && planned() == before, "between two groups");
    free(data);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

/* An error of a planned broadcast comes back as its code where the caller has asked for codes. (Open MPI's own may end
 * in a segmentation fault here.) */
static void cast_without_a_buffer(void)
{
    int class = MPI_SUCCESS;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rc = MPI_Bcast(NULL, 100000, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Error_class(rc, &class);
    check(class == MPI_ERR_BUFFER, "a broadcast without a buffer");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    check(cast(MPI_COMM_WORLD, 0, 100000, 0) == 1, "after an error");
}

/* Receivers that expect less than the root sends: an error of theirs, as with MPI_Bcast, and all goes on. */
static void cast_to_short_receivers(void)
{
    int class = MPI_SUCCESS, bytes = rank == 0 ? 1 << 20 : 1 << 19;
    char *data = calloc((size_t)bytes, 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD), &class);
    check(class == (rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE), "a broadcast to short receivers");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    check(cast(MPI_COMM_WORLD, 0, 100000, 0) == 1, "after short receivers");
    free(data);
}

int main(int argc, char **argv)
{
    int by_plan = argc > 1 && strcmp(argv[1], "planned") == 0;
    MPI_Comm half;

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
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half); /* too few ranks, and other ones than in the profile */
    check(cast(half, 0, 200000, 0) == 0, "on a half");
    MPI_Comm_free(&half);
    cast_on_many(by_plan);
    if (getenv("PLANBCAST_PROFILE") != NULL) cast_on_ever_more(by_plan);
    cast_between_groups();
    if (by_plan) cast_without_a_buffer();
    if (by_plan) cast_to_short_receivers();
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
