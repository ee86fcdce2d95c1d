/*
 * A program that calls MPI_Bcast and MPI_Reduce and does not use planbcast itself, run with the preloaded library. The
 * argument is what to do: "planned" or "native" is the expected kind of broadcasts in many communicators; for the
 * others see main.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures, rank, ranks;
static int spawned; /* this process has been, without the library */

static void check(int good, const char *what)
{
    if (!good) fprintf(stderr, "rank %d: %s\n", rank, what);
    failures += !good;
}

/* The count of a preloaded library. */
static long count_of(const char *name)
{
    long (*count)(void);
    void *symbol = dlsym(RTLD_DEFAULT, name);
    if (symbol == NULL) {
        check(0, "a library is not preloaded");
        return -1;
    }
    memcpy(&count, &symbol, sizeof count);
    return count();
}

static long planned(void)
{
    return spawned ? 0 : count_of("plan_preload_count");
}

static char value(int root, int bytes, int i)
{
    return (char)(root + bytes + i * 7 + i / 251);
}

/* Broadcast bytes as what `kind` says (1: a vector; 2: by MPI_Bcast_c); returns how many were run by a plan. */
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
#if MPI_VERSION >= 4
    } else if (kind == 2) {
        MPI_Bcast_c(data, bytes, MPI_BYTE, root, comm);
#endif
    } else {
        MPI_Bcast(data, bytes, MPI_BYTE, root, comm);
    }
    for (int i = 0; i < bytes; i++) good &= data[i * stride] == value(root, bytes, i);
    check(good, "wrong bytes");
    free(data);
    return planned() - before;
}

/* Not one of MPI's own, though it commutes. */
static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++) ((int *)inout)[i] += ((int *)in)[i];
}

/* Reduce bytes / 4 integers as what `kind` says (1: in place; 2: by MPI_Reduce_c; 3: by an operation of the program;
 * 4: pairs by MPI_MAXLOC), and compare with MPI_Allreduce, which this library leaves alone. */
static long reduce(MPI_Comm comm, int root, int bytes, int kind)
{
    int me, size, n = bytes / (int)sizeof(int), good = 1;
    int *own = calloc((size_t)n + 1, sizeof *own), *sum = calloc((size_t)n + 1, sizeof *sum);
    int *right = calloc((size_t)n + 1, sizeof *right);
    MPI_Datatype type = kind == 4 ? MPI_2INT : MPI_INT;
    MPI_Op op = kind == 4 ? MPI_MAXLOC : MPI_SUM;
    int count = kind == 4 ? n / 2 : n;
    long before = planned();

    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < n; i++) own[i] = kind == 4 ? (i * (me + 3)) % 17 : me * 3 + i;
    MPI_Allreduce(own, right, count, type, op, comm);
    if (kind == 3) MPI_Op_create(add, 1, &op);
    memcpy(sum, own, (size_t)n * sizeof *sum);
    if (kind == 1 && me == root) MPI_Reduce(MPI_IN_PLACE, sum, count, type, op, root, comm);
#if MPI_VERSION >= 4
    else if (kind == 2)
        MPI_Reduce_c(own, sum, count, type, op, root, comm);
#endif
    else
        MPI_Reduce(own, me == root ? sum : NULL, count, type, op, root, comm);
    if (kind == 3) MPI_Op_free(&op);
    for (int i = 0; i < 2 * (count / 2); i++) good &= sum[i] == (me == root ? right[i] : own[i]);
    check(good, "a wrong reduction");
    free(own);
    free(sum);
    free(right);
    return planned() - before;
}

/* The first of its kind is left to MPI. */
static void cast_once(MPI_Comm comm, int root)
{
    check(cast(comm, root, 99999, 0) == 0, "the first of its kind");
}

/* Communicators come and go in any order; the last is left to MPI_Finalize. */
static void cast_on_many(int by_plan)
{
    MPI_Comm same, mirrored;
    MPI_Comm_dup(MPI_COMM_WORLD, &same);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &mirrored);
    /* There is a plan for these ranks, which duplicates share, unless it is made from a profile. */
    check(cast(same, 0, 99999, 0) == (by_plan && getenv("PLANBCAST_PROFILE") == NULL), "the first on a duplicate");
    check(cast(same, 0, 100000, 0) == by_plan, "on a duplicate");
    cast_once(mirrored, 0);
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
        cast_once(comm, 0);
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

/* Ranks that pass another number of elements than the root: an error of theirs or of the root's, and all goes on. */
static void reduce_unlike_numbers(void)
{
    int class = MPI_SUCCESS, n = rank == 1 ? 20000 : 30000;
    int *own = calloc((size_t)n, sizeof *own), *sum = calloc((size_t)n, sizeof *sum);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Reduce(own, sum, n, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD), &class);
    if (rank == 0 || rank == 1) check(class == MPI_ERR_TRUNCATE, "a reduction of unlike numbers");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    check(reduce(MPI_COMM_WORLD, 0, 120000, 0) == 1, "after unlike numbers");
    free(own);
    free(sum);
}

static void reduce_everything(int by_plan)
{
    MPI_Comm same;
    for (int root = 0; root < ranks; root += ranks - 1)
        for (int round = 0; round < 3; round++)
            check(reduce(MPI_COMM_WORLD, root, 100000 + 4 * round, 0) == (round > 0 && by_plan), "a long reduction");
    for (int kind = 1; kind <= 4; kind++)
        check(reduce(MPI_COMM_WORLD, 0, 80000, kind) == (by_plan && kind != 3), "a reduction of its kind");
    check(reduce(MPI_COMM_WORLD, 0, 65532, 0) == 0, "a short reduction");
    check(reduce(MPI_COMM_WORLD, 0, 0, 0) == 0, "an empty reduction");
    MPI_Comm_dup(MPI_COMM_WORLD, &same);
    reduce(same, 0, 100000, 0);
    check(reduce(same, 0, 100000, 1) == by_plan, "a reduction on a duplicate");
    check(cast(same, 0, 100000, 0) == 0 || getenv("PLANBCAST_PROFILE") == NULL, "a broadcast after reductions");
    MPI_Comm_free(&same);
    if (by_plan) reduce_unlike_numbers();
}

/* Reductions whose fates are known: see test_preload.sh. */
static void reduce_a_series(void)
{
    for (int i = 0; i < 4; i++) reduce(MPI_COMM_WORLD, 0, 100000, 0);
    reduce(MPI_COMM_WORLD, 0, 100000, 3);
    reduce(MPI_COMM_WORLD, 1, 2000, 0);
    reduce(MPI_COMM_WORLD, ranks - 1, 100000, 0);
}

/* All that a program may do, in communicators of all ranks. */
static void cast_everything(int by_plan)
{
    MPI_Comm half;

    for (int root = 0; root < ranks; root += ranks - 1)
        for (int round = 0; round < 3; round++)
            check(cast(MPI_COMM_WORLD, root, 100000 + round, 0) == (round > 0 && by_plan), "a long broadcast");
    check(cast(MPI_COMM_WORLD, 0, 70000, rank % 2) == by_plan, "a broadcast of two datatypes");
    check(cast(MPI_COMM_WORLD, 0, 70000, 2) == by_plan, "a broadcast of a large count");
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
    reduce_everything(by_plan);
}

/* Ten broadcasts, whose fates are known: see test_preload.sh. */
static void cast_a_series(void)
{
    MPI_Comm half;
    for (int i = 0; i < 4; i++) cast(MPI_COMM_WORLD, 0, 100000, 0); /* the second and all later ones may be planned */
    cast(MPI_COMM_WORLD, 0, 1000, 0);                               /* too short */
    cast(MPI_COMM_WORLD, 1, 2000, 0);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    cast(half, 0, 100000, 0); /* too few ranks: a broadcast on each half */
    MPI_Comm_free(&half);
    cast_between_groups();
    cast(MPI_COMM_WORLD, ranks - 1, 100000, 0); /* the first from its root */
}

/* Every root in turn, in all communicators of a process grid: as many as there are ranks, not the first few alone. */
static void cast_in_a_grid(void)
{
    MPI_Comm grid[3] = {MPI_COMM_WORLD};
    int columns = ranks % 2 == 0 ? 2 : 1, size;
    MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &grid[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &grid[2]);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 3; i++) {
            MPI_Comm_size(grid[i], &size);
            for (int root = 0; root < size; root++)
                check(cast(grid[i], root, 3000, 0) == (round > 0 && size > 1), "in a process grid");
            check(reduce(grid[i], size - 1, 4000, 0) == (round > 0 && size > 1), "a reduction in a process grid");
        }
    MPI_Comm_free(&grid[1]);
    MPI_Comm_free(&grid[2]);
}

/* The tool sees each broadcast of the program once, and none of those that planning makes. */
static void cast_under_a_tool(void)
{
    enum { TIMES = 5 };
    for (int i = 0; i < TIMES; i++) check(cast(MPI_COMM_WORLD, 0, 100000, 0) == (i > 0), "under a tool");
    check(count_of("tool_count") == TIMES, "the tool has counted another number of broadcasts");
    for (int i = 0; i < TIMES; i++) check(reduce(MPI_COMM_WORLD, 0, 100000, 0) == (i > 0), "a reduction under a tool");
    check(count_of("tool_reduce_count") == TIMES, "the tool has counted another number of reductions");
}

/* Ranks agree in MPI_Init, and where a call may be planned, and for nothing else. */
static void cast_short_on_many(void)
{
    enum { MANY = 20 };
    MPI_Comm comm[MANY];
    for (int i = 0; i < MANY; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        check(cast(comm[i], i % ranks, 10000, 0) == 0 && reduce(comm[i], 0, 10000, 0) == 0, "short messages");
    }
    check(count_of("tool_agree_count") == 1, "ranks have agreed for short messages");
    cast_once(comm[0], 0);
    check(count_of("tool_agree_count") == 2, "ranks have not agreed once for a long message");
    for (int i = 0; i < MANY; i++) MPI_Comm_free(&comm[i]);
}

/* Processes that may run without the library take part. Returns 77 where none can be spawned, and with Open MPI 5:
 * all ranks of 5.0.7 wait in MPI_Intercomm_merge for ever. */
static int cast_with_spawned(const char *program, MPI_Comm parents)
{
    char child[] = "spawn", *arguments[] = {child, NULL};
    MPI_Comm both = parents, merged;
    int rc = MPI_SUCCESS;
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
    return 77;
#endif
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!spawned)
        rc = MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &both, MPI_ERRCODES_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (rc != MPI_SUCCESS) return 77;
    MPI_Intercomm_merge(both, spawned, &merged);
    for (int i = 0; i < 3; i++) check(cast(merged, 1, 100000, 0) == 0, "with spawned processes");
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&both);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Without MPI_Init. */
static int cast_in_a_session(void)
{
#ifdef MPI_SESSION_NULL
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "planbcast.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    cast_once(comm, 0);
    check(cast(comm, 0, 100000, 0) == 1, "in a session");
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
#else
    return 77;
#endif
}

static void *cast_four(void *comm)
{
    for (int i = 0; i < 4; i++) cast(*(MPI_Comm *)comm, 0, 100000, 0);
    return NULL;
}

static void cast_in_two_threads(void)
{
    MPI_Comm second;
    pthread_t thread;
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    cast_four(&(MPI_Comm){MPI_COMM_WORLD});
    if (pthread_create(&thread, NULL, cast_four, &second) == 0)
        pthread_join(thread, NULL);
    else
        check(0, "a thread");
    MPI_Comm_free(&second);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Comm parents;
    int threads = MPI_THREAD_SINGLE;

    if (strcmp(what, "session") == 0) return cast_in_a_session();
    if (strcmp(what, "threads") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_get_parent(&parents);
    spawned = parents != MPI_COMM_NULL;
    if (strcmp(what, "spawn") == 0) {
        int status = cast_with_spawned(argv[0], parents);
        MPI_Finalize();
        return status;
    }
    if (strcmp(what, "threads") == 0)
        cast_in_two_threads();
    else if (strcmp(what, "series") == 0)
        cast_a_series();
    else if (strcmp(what, "reductions") == 0)
        reduce_a_series();
    else if (strcmp(what, "grid") == 0)
        cast_in_a_grid();
    else if (strcmp(what, "tool") == 0)
        cast_under_a_tool();
    else if (strcmp(what, "short") == 0)
        cast_short_on_many();
    else
        cast_everything(strcmp(what, "planned") == 0);
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
