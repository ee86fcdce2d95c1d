/*
 * The experiments of Thune, Reinemo, Skeie, Cai 2023, for ranks in blocks of RANKS_PER_HOST:
 *
 *     mpirun paper_002_messages RANKS_PER_HOST BYTES [FILE]...
 *
 * First pairs (Algorithm 1) of 1, 2, 4 and 8 times BYTES, and 4 times as much within one of several hosts. All hosts
 * run at the same time, so that they share other resources as in the patterns. Then the patterns of the FILEs
 * (Algorithm 2), lines FROM TO BYTES, each ten times, and ten times more while time is left. Rank 0 prints
 * tab-separated fields:
 *
 *     pairs  on|off  N  bytes  seconds    N receivers on each host, partners on the same host or on another
 *     time   FILE  rank  seconds  seconds  seconds    mean over all repetitions, over the even and over the odd ones
 */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 8, FASTER = 4, AT_ONCE = 4, ROUNDS = 3, MOST_ROUNDS = 51, TIMES = 10, MOST_TENS = 50 };

static const double pairs_s = 0.3, pattern_s = 1; /* is gone on with for so long */

typedef struct {
    int from, to, bytes;
} message_t;

typedef struct {
    int rank, ranks, per_host;
} place_t;

static _Noreturn void out_of_memory(void)
{
    fprintf(stderr, "paper_002_messages: out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1); /* not reached */
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* AT_ONCE messages in each direction, each with its own buffer; negative rank: none. \return [s] per message */
static double exchange(int to, int from, int bytes, char *out, char *in)
{
    MPI_Request request[2 * AT_ONCE];
    int n = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < AT_ONCE; i++) {
        size_t at = (size_t)i * (size_t)bytes;
        if (to >= 0) MPI_Isend(out + at, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD, &request[n++]);
        if (from >= 0) MPI_Irecv(in + at, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, &request[n++]);
    }
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    return (MPI_Wtime() - start) / AT_ONCE;
}

/* This rank's partners when n ranks of each host receive; -1: none. A single receiver on a host does not send. */
static void partners(const place_t *p, int between_hosts, int n, int *to, int *from)
{
    int local = p->rank % p->per_host, host = p->rank / p->per_host;
    *to = *from = -1;
    if (between_hosts) {
        if (local < n) *to = *from = (host ^ 1) * p->per_host + local;
    } else if (n == 1) {
        if (local == 0) *to = p->rank + 1;
        if (local == 1) *from = p->rank - 1;
    } else if (local < n)
        *to = *from = p->rank - local + (local + n / 2) % n;
}

/* Whether time is left, by rank 0's clock; collective. */
static int goes_on(double begun, double budget)
{
    int go = MPI_Wtime() - begun < budget;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return go;
}

/* Time until the last receiver on any host is complete [s], per message; median over the rounds. */
static double pairs(const place_t *p, int between_hosts, int n, int bytes, char *out, char *in)
{
    double took[MOST_ROUNDS], begun = MPI_Wtime();
    int to, from, rounds = 0;
    partners(p, between_hosts, n, &to, &from);
    exchange(to, from, bytes, out, in); /* connections are made */
    while (rounds < ROUNDS || (rounds < MOST_ROUNDS && goes_on(begun, pairs_s))) {
        double mine = exchange(to, from, bytes, out, in);
        if (from < 0) mine = 0;
        MPI_Allreduce(&mine, &took[rounds++], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    qsort(took, (size_t)rounds, sizeof *took, ascending);
    return took[rounds / 2];
}

static void all_pairs(const place_t *p, int least)
{
    size_t room = (size_t)least * LARGEST * FASTER * AT_ONCE;
    char *out = malloc(room), *in = malloc(room);
    if (out == NULL || in == NULL) out_of_memory();
    memset(out, 1, room), memset(in, 1, room);
    int hosts = p->ranks / p->per_host;
    for (int between = 0; between < 2; between++)
        for (int n = 1; n <= p->per_host; n += between || n == 1 ? 1 : 2) {
            if (between ? hosts % 2 != 0 : p->per_host < 2) continue;
            for (int k = 1; k <= LARGEST; k *= 2) {
                int bytes = between || hosts == 1 ? k * least : k * FASTER * least;
                double s = pairs(p, between, n, bytes, out, in);
                if (p->rank == 0) printf("pairs\t%s\t%d\t%d\t%.6g\n", between ? "off" : "on", n, bytes, s);
            }
        }
    free(out);
    free(in);
}

/* The messages of a file that this rank sends or receives; 0: it cannot be read. */
static int read_messages(const char *file, const place_t *p, int *n, message_t **list)
{
    FILE *f = fopen(file, "r");
    message_t m;
    int got = 0, room = 0;
    *n = 0, *list = NULL;
    if (f == NULL) return 0;
    while ((got = fscanf(f, "%d %d %d", &m.from, &m.to, &m.bytes)) == 3) {
        if (m.from < 0 || m.from >= p->ranks || m.to < 0 || m.to >= p->ranks || m.from == m.to || m.bytes < 0) break;
        if (m.from != p->rank && m.to != p->rank) continue;
        if (*n == room) {
            message_t *more = realloc(*list, (size_t)(room = 2 * room + 8) * sizeof m);
            if (more == NULL) out_of_memory();
            *list = more;
        }
        (*list)[(*n)++] = m;
    }
    fclose(f);
    return got == EOF;
}

/* Algorithm 2. Repetition k uses the k-th part of each buffer, so that no message is cached from the repetition before.
 */
static double many_pairs(const place_t *p, int time, int n, const message_t *m, char *const *buffer,
                         MPI_Request *request)
{
    int k = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < n; i++)
        if (m[i].from == p->rank)
            MPI_Isend(buffer[i] + (size_t)time * (size_t)m[i].bytes, m[i].bytes, MPI_BYTE, m[i].to, 0, MPI_COMM_WORLD,
                      &request[k++]);
    for (int i = 0; i < n; i++)
        if (m[i].to == p->rank)
            MPI_Irecv(buffer[i] + (size_t)time * (size_t)m[i].bytes, m[i].bytes, MPI_BYTE, m[i].from, 0, MPI_COMM_WORLD,
                      &request[k++]);
    for (int i = 0; i < k; i++) MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    return MPI_Wtime() - start;
}

static void pattern(const place_t *p, const char *file)
{
    message_t *m = NULL;
    int n = 0;
    if (!read_messages(file, p, &n, &m)) {
        fprintf(stderr, "paper_002_messages: %s: cannot be read, or names other ranks than there are\n", file);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    char **buffer = calloc((size_t)n + 1, sizeof *buffer);
    MPI_Request *request = calloc((size_t)n + 1, sizeof(MPI_Request));
    double *all = calloc(2 * (size_t)p->ranks, sizeof *all), half[2] = {0, 0};
    if (buffer == NULL || request == NULL || all == NULL) out_of_memory();
    for (int i = 0; i < n; i++) {
        size_t room = (size_t)m[i].bytes * (TIMES + 1) + 1;
        if ((buffer[i] = malloc(room)) == NULL) out_of_memory();
        memset(buffer[i], 1, room);
    }
    many_pairs(p, TIMES, n, m, buffer, request); /* connections are made */
    double begun = MPI_Wtime();
    int tens = 0;
    do
        for (int r = 0; r < TIMES; r++) half[r % 2] += many_pairs(p, r, n, m, buffer, request) / (TIMES / 2);
    while (++tens < MOST_TENS && goes_on(begun, pattern_s));
    half[0] /= tens, half[1] /= tens;
    MPI_Gather(half, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int r = 0; p->rank == 0 && r < p->ranks; r++)
        printf("time\t%s\t%d\t%.6g\t%.6g\t%.6g\n", file, r, (all[2 * r] + all[2 * r + 1]) / 2, all[2 * r],
               all[2 * r + 1]);
    for (int i = 0; i < n; i++) free(buffer[i]);
    free(buffer);
    free(request);
    free(all);
    free(m);
}

int main(int argc, char **argv)
{
    place_t p;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
    p.per_host = argc > 2 ? atoi(argv[1]) : 0;
    int least = argc > 2 ? atoi(argv[2]) : 0;
    if (p.per_host < 1 || least < 1 || least > INT_MAX / LARGEST / FASTER || p.ranks % p.per_host != 0) {
        if (p.rank == 0) fprintf(stderr, "usage: mpirun paper_002_messages RANKS_PER_HOST BYTES [FILE]...\n");
        MPI_Finalize();
        return 2;
    }
    all_pairs(&p, least);
    for (int i = 3; i < argc; i++) pattern(&p, argv[i]);
    MPI_Finalize();
    return 0;
}
