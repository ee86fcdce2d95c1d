/*
 * Times the broadcast methods of Pjesivac-Grbovic et al. 2007 that Open MPI's coll/tuned has (it is derived from their
 * library), and MPI_Bcast by its default decision, for each message size on the first 3, 4, ... ranks:
 *
 *     mpirun --mca coll_tuned_use_dynamic_rules 1 paper_004_measure RAW SECONDS SEED
 *
 * Rank 0 appends to the file RAW, the last two after each cell:
 *
 *     receive  bytes  seconds    PLogP's or(m), once
 *     time  ranks  bytes  algorithm  segment  seconds (median)  low  high  samples
 *     cell  ranks  bytes  seed
 *
 * Cells that are in RAW already are skipped, so that a second run continues the first. It ends after about SECONDS.
 * Methods and rounds are those of bench/baselines.
 */
#include "bench/baselines/baselines.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEAST = 3, ROUNDS = 60, WARM = 32768 };
static const size_t segment[] = {0, 1 << 10, 8 << 10};
/* Widely spaced sizes come first, so that an interrupted run still covers the range. */
static const size_t sizes[] = {8,       512,      8 << 10,   64 << 10, 1 << 20, 64,
                               2 << 10, 16 << 10, 256 << 10, 1 << 10,  4 << 10, 32 << 10};
enum { SIZES = sizeof sizes / sizeof *sizes };
/* The profile's sizes that Open MPI sends eagerly over TCP. Longer messages arrive only once the receive is posted, so
 * or(m) is not defined for them. */
static const size_t eager[] = {8, 128, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10};
enum { EAGER = sizeof eager / sizeof *eager, RECEIVES = 41, MOST_EAGER = 32 << 10 };

typedef struct {
    const char *raw;
    double end; /* MPI_Wtime() */
    uint64_t seed;
    int rank, ranks, left; /* cells */
} run_t;

/* Whether a line of RAW begins with this text. */
static bool has(const run_t *r, const char *beginning)
{
    char line[256];
    bool found = false;
    FILE *file = fopen(r->raw, "r");
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL)
        found = strncmp(line, beginning, strlen(beginning)) == 0;
    if (file != NULL) fclose(file);
    return found;
}

static bool done(const run_t *r, int ranks, size_t bytes)
{
    char cell[64];
    snprintf(cell, sizeof cell, "cell\t%d\t%zu\t", ranks, bytes);
    return has(r, cell);
}

static void rest(double seconds)
{
    const struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

/* or(m) [s] by the method of Kielmann, Bal, Verstoep 2000: request a message, wait until it has arrived, receive it. */
static double receive(int rank, int partner, size_t bytes)
{
    static char buffer[MOST_EAGER];
    static entry_t took;
    double pause = 0;

    took.n = 0;
    for (int i = -2; i < RECEIVES; i++) {
        if (rank == partner) {
            MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
        if (rank != 0) continue;
        double asked = MPI_Wtime();
        MPI_Send(NULL, 0, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
        if (i >= 0) rest(pause);
        double start = MPI_Wtime();
        MPI_Recv(buffer, (int)bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i < 0)
            pause = 1e-3 + 2 * (MPI_Wtime() - asked);
        else
            took.sample[took.n++] = MPI_Wtime() - start;
    }
    summarise(&took);
    return took.median;
}

/* Measure or(m) between the first and the last rank, unless it is in RAW. */
static int receives(const run_t *r)
{
    int wanted = r->rank == 0 && !has(r, "receive\t"), failed = 0;
    FILE *file = NULL;
    MPI_Bcast(&wanted, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!wanted) return 0;
    if (r->rank == 0) failed = (file = fopen(r->raw, "a")) == NULL;
    for (int i = 0; i < EAGER; i++) {
        double s = receive(r->rank, r->ranks - 1, eager[i]);
        if (file != NULL) fprintf(file, "receive\t%zu\t%.6g\n", eager[i], s);
    }
    return (file != NULL && fclose(file) != 0) || failed;
}

static int save(const run_t *r, int ranks, const settings_t *s, const cell_t *c)
{
    FILE *file = fopen(r->raw, "a");
    if (file == NULL) return 1;
    for (int i = 0; i < s->n; i++) {
        const entry_t *e = &c->entry[i];
        if (e->n == 0 || e->wrong > 0) continue;
        fprintf(file, "time\t%d\t%zu\t%.*s\t%zu\t%.6g\t%.6g\t%.6g\t%d\n", ranks, c->bytes,
                (int)strcspn(s->at[i].name, "/"), s->at[i].name, s->at[i].segment, e->median, e->low, e->high, e->n);
    }
    fprintf(file, "cell\t%d\t%zu\t%llu\n", ranks, c->bytes, (unsigned long long)r->seed);
    return fclose(file) != 0;
}

static bool methods(MPI_Comm comm, settings_t *s)
{
    static const char *const name[] = {"linear", NULL, "pipeline", "split_binary", "binary", "binomial"};
    static char buffer[WARM];
    s->n = 0;
    MPI_Comm_dup(comm, &settings_add(s, KIND_DEFAULT, "default", 0)->comm);
    for (int a = 0; a < (int)(sizeof name / sizeof *name); a++)
        for (int k = 0; k < (a == 0 ? 1 : 3) && name[a] != NULL; k++) /* coll/tuned's linear knows no segments */
            if (!settings_add_forced(comm, s, a + 1, name[a], segment[k])) return false;
    for (int i = 0; i < s->n; i++) MPI_Bcast(buffer, WARM, MPI_BYTE, 0, s->at[i].comm); /* connections are made */
    return true;
}

/* Time all sizes on one communicator that are not in RAW, while time is left. */
static int communicator(run_t *r, MPI_Comm comm, int ranks)
{
    static cell_t cell;
    static settings_t s;
    const before_t nothing = {.bytes = 0};
    options_t o = {.root = 0, .rounds = ROUNDS, .seed = r->seed};
    int failed = methods(comm, &s) ? 0 : 1;

    for (int i = 0; i < SIZES && !failed; i++) {
        double share = -1;
        if (r->rank == 0 && !done(r, ranks, sizes[i])) share = (r->end - MPI_Wtime()) / (r->left > 0 ? r->left-- : 1);
        MPI_Bcast(&share, 1, MPI_DOUBLE, 0, comm);
        if (share <= 0) continue;
        memset(&cell, 0, sizeof cell);
        cell.bytes = sizes[i];
        failed = eliminate(comm, &o, &s, &nothing, share, &cell);
        if (r->rank == 0 && !failed) failed = save(r, ranks, &s, &cell);
        MPI_Bcast(&failed, 1, MPI_INT, 0, comm);
    }
    if (r->rank == 0 && failed)
        fprintf(stderr, "paper_004_measure: %s\n", s.n < 2 ? "this MPI has no coll/tuned" : r->raw);
    settings_clear(&s);
    return failed;
}

/* Wait for all ranks without using the processor (a blocking MPI call would poll). */
static int wait_for_all(int failed)
{
    MPI_Request request;
    int all = 0, over = 0;
    MPI_Iallreduce(&failed, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &over, MPI_STATUS_IGNORE) == MPI_SUCCESS && !over) rest(5e-3);
    return all;
}

int main(int argc, char **argv)
{
    run_t r = {.left = 0};
    int failed = 0, provided;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
    if (argc != 4 || r.ranks < LEAST) {
        if (r.rank == 0) fprintf(stderr, "usage: mpirun paper_004_measure RAW SECONDS SEED, with 3 ranks or more\n");
        MPI_Finalize();
        return 2;
    }
    r.raw = argv[1];
    r.end = MPI_Wtime() + strtod(argv[2], NULL);
    r.seed = strtoull(argv[3], NULL, 10);
    for (int p = LEAST; p <= r.ranks; p++)
        for (int i = 0; i < SIZES; i++) r.left += r.rank == 0 && !done(&r, p, sizes[i]);
    failed = wait_for_all(receives(&r));
    for (int p = r.ranks; p >= LEAST && !failed; p--) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, r.rank < p ? 0 : MPI_UNDEFINED, r.rank, &comm);
        if (comm != MPI_COMM_NULL) {
            failed = communicator(&r, comm, p);
            MPI_Comm_free(&comm);
        }
        failed = wait_for_all(failed);
    }
    MPI_T_finalize();
    MPI_Finalize();
    return failed;
}
