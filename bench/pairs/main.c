/*
 * Pairs of ranks of one host that exchange messages at once, by what they share of its hardware: Algorithm 1 of Thune,
 * Reinemo, Skeie, Cai 2023.
 *
 *     mpirun --bind-to none -n 16 bench_pairs [BYTES] > rates.json
 *
 * For each level of the machine by hwloc (same core, L2, L3, NUMA node, package; across packages), for one message and
 * for 1, 2, 4, ... pairs: messages of 1, 2, 4 and 8 times BYTES (262144), AT_ONCE in each direction, repeated for
 * LONG_ENOUGH. Ranks bind themselves to the processors in question. Where there are more pairs than such processors,
 * they take turns at them; the table says so.
 *
 * Standard output has what `planbcast predict messages --network` reads, and all levels; standard error a table:
 * BW_MP(N) of N receivers, by Huber's regression, that of the max-rate model, min(N BW_SP, BW_max), and by how much the
 * times by either differ from those measured, by eq. (11).
 */
#include "fit.h"
#include "places.h"
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZES = 4, AT_ONCE = 4, ROUNDS = 5, MOST_ROUNDS = 101, MOST_PAIRS = 4096, MOST_COUNTS = 16 };

static const double long_enough = 0.1; /* [s] of one size */

/* What was measured of one level. */
typedef struct {
    int n, processors; /* how many counts of receivers; processors of its pairs */
    int receivers[MOST_COUNTS];
    double tau_s[MOST_COUNTS], bytes_per_s[MOST_COUNTS], median_s[MOST_COUNTS][SIZES];
} found_t;

typedef struct {
    int rank, ranks, least; /* [B] */
    hwloc_topology_t topology;
} place_t;

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "bench_pairs: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1); /* not reached */
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* [s] per message, of the last receiver; one way: from rank 0 to rank 1. */
static double exchange(MPI_Comm comm, int rank, bool one_way, int bytes, char *out, char *in)
{
    MPI_Request request[2 * AT_ONCE];
    bool sends = !one_way || rank == 0, receives = !one_way || rank == 1;
    int n = 0;

    MPI_Barrier(comm);
    double start = MPI_Wtime();
    for (int i = 0; i < AT_ONCE; i++) {
        size_t at = (size_t)i * (size_t)bytes;
        if (receives) MPI_Irecv(in + at, bytes, MPI_BYTE, rank ^ 1, 0, comm, &request[n++]);
        if (sends) MPI_Isend(out + at, bytes, MPI_BYTE, rank ^ 1, 0, comm, &request[n++]);
    }
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    double mine = receives ? (MPI_Wtime() - start) / AT_ONCE : 0, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
    return all;
}

/* Whether time is left, by rank 0's clock. */
static int goes_on(MPI_Comm comm, double begun)
{
    int go = MPI_Wtime() - begun < long_enough;
    MPI_Bcast(&go, 1, MPI_INT, 0, comm);
    return go;
}

/* Times of all sizes; the first of each is not counted. \return how many */
static int measure(MPI_Comm comm, int rank, bool one_way, int least, double *bytes, double *seconds, double *median)
{
    size_t room = (size_t)least << (SIZES - 1) << 2;
    char *out = malloc(room), *in = malloc(room);
    int n = 0;

    if (out == NULL || in == NULL) give_up("out of memory");
    memset(out, 1, room), memset(in, 1, room); /* near the processor that this rank is bound to */
    for (int k = 0; k < SIZES; k++) {
        double sorted[MOST_ROUNDS], begun = MPI_Wtime();
        int rounds = 0, size = least << k;
        exchange(comm, rank, one_way, size, out, in);
        while (rounds < ROUNDS || (rounds < MOST_ROUNDS && goes_on(comm, begun))) {
            sorted[rounds] = seconds[n] = exchange(comm, rank, one_way, size, out, in);
            bytes[n++] = size;
            rounds++;
        }
        qsort(sorted, (size_t)rounds, sizeof *sorted, ascending);
        median[k] = sorted[rounds / 2];
    }
    free(out);
    free(in);
    return n;
}

static void bind_to(const place_t *p, int processor)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (set == NULL) give_up("out of memory");
    hwloc_bitmap_only(set, (unsigned)processor);
    if (hwloc_set_cpubind(p->topology, set, HWLOC_CPUBIND_THREAD) != 0)
        give_up("this process may not be bound to a processor; try mpirun --bind-to none");
    hwloc_bitmap_free(set);
}

/* Those that do not take part leave the processors alone. */
static void rest_until_all_are_done(void)
{
    MPI_Request all;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    while (MPI_Test(&all, &done, MPI_STATUS_IGNORE), !done) nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* One count of pairs, the last of which is not more than there are ranks. */
static void add_count(const place_t *p, int available, const pairs_processors_t *pair, int pairs, bool one_way,
                      int receivers, found_t *f)
{
    static double bytes[SIZES * MOST_ROUNDS], seconds[SIZES * MOST_ROUNDS];
    MPI_Comm active;
    bool takes_part = p->rank < 2 * pairs;

    MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, p->rank, &active);
    if (takes_part) {
        const pairs_processors_t *at = &pair[p->rank / 2 % available];
        bind_to(p, p->rank % 2 == 0 ? at->first : at->second);
        int n = measure(active, p->rank, one_way, p->least, bytes, seconds, f->median_s[f->n]);
        f->receivers[f->n] = receivers;
        if (p->rank == 0 && pairs_fit((size_t)n, bytes, seconds, receivers, &f->tau_s[f->n], &f->bytes_per_s[f->n]))
            f->n++;
        MPI_Comm_free(&active);
    }
    rest_until_all_are_done();
}

/* Across packages each has a receiver of each pair, and counts its own; else both ends count. */
static void measure_level(const place_t *p, pairs_level_t level, found_t *f)
{
    static pairs_processors_t pair[MOST_PAIRS];
    int available = pairs_find(p->topology, level, MOST_PAIRS, pair), most = p->ranks / 2,
        each = level == PAIRS_ACROSS_PACKAGES ? 1 : 2;

    f->n = 0;
    f->processors = 2 * available;
    if (available == 0) return;
    if (each == 2) add_count(p, available, pair, 1, true, 1, f);
    for (int k = 1; k <= most; k *= 2) add_count(p, available, pair, k, false, each * k, f);
}

/* Eq. (11) of the medians, by the fitted table or by the max-rate model, with the start-up time of two receivers. */
static double error_of(const found_t *f, int least, bool max_rate)
{
    double off = 0, all = 0;

    for (int i = 0; i < f->n; i++)
        for (int k = 0; k < SIZES; k++) {
            double rate =
                max_rate ? fmin(f->receivers[i] * f->bytes_per_s[0], f->bytes_per_s[f->n - 1]) : f->bytes_per_s[i];
            off += fabs(f->median_s[i][k] - f->tau_s[f->n > 1] - f->receivers[i] * (double)(least << k) / rate);
            all += f->median_s[i][k];
        }
    return off / all;
}

static void print_table(const found_t *f, int least)
{
    for (int level = 0; level < PAIRS_LEVELS; level++, f++) {
        if (f->n == 0) continue;
        fprintf(stderr, "%s, %d processors: off by %.1f%%, by the max-rate model by %.1f%%\n", pairs_level_name[level],
                f->processors, 100 * error_of(f, least, false), 100 * error_of(f, least, true));
        for (int i = 0; i < f->n; i++)
            fprintf(stderr, "  %4d receivers  %8.0f MB/s  (max-rate %8.0f)  tau %6.1f us%s\n", f->receivers[i],
                    f->bytes_per_s[i] / 1e6, fmin(f->receivers[i] * f->bytes_per_s[0], f->bytes_per_s[f->n - 1]) / 1e6,
                    1e6 * f->tau_s[i],
                    (level == PAIRS_ACROSS_PACKAGES ? 2 : 1) * f->receivers[i] > f->processors
                        ? "  (they take turns at processors)"
                        : "");
    }
}

static void print_numbers(const char *key, const found_t *f, bool rates)
{
    printf(", \"%s\": [", key);
    for (int i = 0; i < f->n; i++) {
        if (i > 0) printf(", ");
        if (rates)
            printf("%.6g", f->bytes_per_s[i]);
        else
            printf("%d", f->receivers[i]);
    }
    printf("]");
}

static void print_level(const char *before, const found_t *f)
{
    printf("%s\"tau\": %.4g", before, f->tau_s[f->n > 1]);
    print_numbers("receivers", f, false);
    print_numbers("bytes_per_s", f, true);
    printf("}");
}

/* A socket is the widest part of a package that was measured. */
static void print_json(const found_t *f, int least)
{
    const found_t *socket = NULL, *across = &f[PAIRS_ACROSS_PACKAGES];
    const char *comma = "";

    for (int level = 0; level < PAIRS_ACROSS_PACKAGES; level++)
        if (f[level].n > 0) socket = &f[level];
    printf("{");
    if (socket != NULL) print_level("\"intra_socket\": {", socket), comma = ",\n ";
    if (across->n > 0) printf("%s", comma), print_level("\"inter_socket\": {", across), comma = ",\n ";
    printf("%s\"levels\": [", comma);
    comma = "";
    for (int level = 0; level < PAIRS_LEVELS; level++) {
        if (f[level].n == 0) continue;
        printf("%s\n  {\"level\": \"%s\", \"processors\": %d, \"error\": %.4f, \"max_rate_error\": %.4f, ", comma,
               pairs_level_name[level], f[level].processors, error_of(&f[level], least, false),
               error_of(&f[level], least, true));
        print_level("", &f[level]);
        comma = ",";
    }
    printf("]}\n");
}

/* \return 0, or the exit status after one line of error */
static int check(const place_t *p, bool usage, bool one_host, bool loaded)
{
    const char *why = !usage         ? "usage: mpirun --bind-to none -n RANKS bench_pairs [BYTES]"
                      : !one_host    ? "bench_pairs: give ranks of one host"
                      : !loaded      ? "bench_pairs: hwloc finds nothing out about this host"
                      : p->ranks < 2 ? "bench_pairs: give two ranks or more"
                                     : NULL;
    if (why != NULL && p->rank == 0) fprintf(stderr, "%s\n", why);
    return why != NULL ? 2 : 0;
}

static bool all_on_one_host(int ranks)
{
    MPI_Comm host;
    int here = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &here);
    MPI_Comm_free(&host);
    return here == ranks;
}

int main(int argc, char **argv)
{
    static found_t found[PAIRS_LEVELS];
    place_t p;
    char *end = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
    long least = argc > 1 ? strtol(argv[1], &end, 10) : 262144;
    bool usage = argc <= 2 && *end == '\0' && least >= 1 && least <= INT_MAX >> (SIZES - 1);
    bool loaded = hwloc_topology_init(&p.topology) == 0 && hwloc_topology_load(p.topology) == 0;
    int status = check(&p, usage, all_on_one_host(p.ranks), loaded), levels = 0;
    p.least = (int)least;
    for (int level = 0; level < PAIRS_LEVELS && status == 0; level++) {
        measure_level(&p, (pairs_level_t)level, &found[level]);
        levels += found[level].n > 0;
    }
    if (status == 0 && p.rank == 0 && levels > 0) print_json(found, p.least), print_table(found, p.least);
    if (status == 0 && p.rank == 0 && levels == 0) {
        fprintf(stderr, "bench_pairs: this host has one processor, and no pairs of them\n");
        status = 1;
    }
    if (loaded) hwloc_topology_destroy(p.topology);
    MPI_Finalize();
    return status;
}
