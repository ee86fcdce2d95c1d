/* Timing of one message size in rounds. In each, every setting that has not dropped out broadcasts once, in a new order
 * that rank 0 draws. The method is that of Hunold, Carpen-Amarie 2016 ("MPI benchmarking revisited"): all ranks
 * start at one time, a sample lasts from the root's start to the last rank's end, and medians have intervals. */
#define _GNU_SOURCE /* CPU_SET */
#include "baselines.h"
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* [B] Below, clocks are synchronised once a round; from this size on before each broadcast, and between hosts all ranks
 * pause first. The pause refills token buckets: else a setting would be slowed by the burst of the one before it. */
enum { RESTLESS = 1024 };

enum {
    BRIEF = 65536, /* [B] for smaller messages, ranks are moved to other processors */
    MOVE_EVERY = 8 /* every MOVE_EVERY rounds; in each round where ranks pause before each broadcast */
};

/* All ranks sleep for 1 ms, so that the network idles. */
static void nap(void)
{
    const struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
}

typedef struct {
    MPI_Comm comm;
    int rank;
    const options_t *o;
    const settings_t *s;
    cell_t *cell;
    uint64_t *buffer;
    double most_s; /* of one broadcast */
    int *place;    /* [ranks] a permutation, the same on all ranks */
    int ranks;
    uint64_t random; /* the same on all ranks */
    bool rests;      /* before each broadcast */
} elimination_t;

/* Ranks that share processors stay on theirs for seconds, even if they sleep. Which ranks share one then favours one
 * tree or another. So each rank is moved to one of the processors that it may use, evenly by a random permutation. Its
 * affinity mask is restored at once, so the scheduler may move it again. */
static void move_ranks(elimination_t *r)
{
    cpu_set_t all, one;

    shuffle(&r->random, r->place, r->ranks);
    if (sched_getaffinity(0, sizeof all, &all) != 0) return;
    int nth = r->place[r->rank] % CPU_COUNT(&all), cpu = 0;
    while (!CPU_ISSET(cpu, &all) || nth-- > 0) cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) sched_setaffinity(0, sizeof all, &all);
}

/* The i-th word of a message: a hash of (state, i), so that it has no period. `state` differs by setting and size. */
static uint64_t expected(uint64_t state, size_t i)
{
    uint64_t x = (state + i) * UINT64_C(0xbf58476d1ce4e5b9);
    return (x ^ (x >> 29)) * UINT64_C(0x94d049bb133111eb);
}

static uint64_t pattern(const elimination_t *r, int which)
{
    return (r->o->seed + 1000003u * (unsigned)which + r->cell->bytes) << 20;
}

static size_t words(size_t bytes)
{
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static void prepare(elimination_t *r, int which)
{
    uint64_t state = pattern(r, which), flip = r->rank == r->o->root ? 0 : UINT64_MAX;
    for (size_t i = 0; i < words(r->cell->bytes); i++) r->buffer[i] = expected(state, i) ^ flip;
}

static long long wrong_bytes(const elimination_t *r, int which)
{
    uint64_t state = pattern(r, which);
    long long wrong = 0;
    for (size_t i = 0; i < words(r->cell->bytes); i++) {
        uint64_t word = expected(state, i);
        const unsigned char *got = (const unsigned char *)&r->buffer[i], *want = (const unsigned char *)&word;
        if (r->buffer[i] == word) continue;
        for (size_t k = 0; k < sizeof word && i * sizeof word + k < r->cell->bytes; k++) wrong += got[k] != want[k];
    }
    return wrong;
}

static int broadcast(const setting_t *s, void *buffer, size_t bytes, int root)
{
    if (s->plan != NULL) return plan_execute(s->plan, buffer, (MPI_Count)bytes, MPI_BYTE);
    return MPI_Bcast(buffer, (int)bytes, MPI_BYTE, root, s->comm);
}

/* One timed broadcast; the first of each setting is checked byte by byte. */
static int once(elimination_t *r, int which, bool synchronise, double *offset, plan_span_t *span)
{
    entry_t *e = &r->cell->entry[which];
    bool check = e->n == 0;
    int rc = 0;

    if (check) prepare(r, which);
    if (r->rank == 0) guard_watch(r->s->at[which].name, r->cell->bytes, r->most_s);
    if (r->rests) nap();
    if (synchronise) rc = plan_clock_sync(r->comm, offset);
    if (rc == 0) rc = plan_line_up(r->comm, *offset);
    double start = plan_clock();
    if (rc == 0) rc = broadcast(&r->s->at[which], r->buffer, r->cell->bytes, r->o->root);
    *span = plan_span(r->rank == r->o->root, start, plan_clock(), *offset);
    if (rc != 0 || !check) return rc;
    long long wrong = wrong_bytes(r, which);
    return MPI_Allreduce(&wrong, &e->wrong, 1, MPI_LONG_LONG, MPI_SUM, r->comm);
}

static int run_round(elimination_t *r, int round, const int *order, int n)
{
    plan_span_t mine[MOST_SETTINGS], all[MOST_SETTINGS];
    double offset = 0;
    int rc = 0;

    if (r->cell->bytes < BRIEF && (r->rests || round % MOVE_EVERY == 0)) move_ranks(r);
    if (!r->rests) nap();
    for (int i = 0; i < n && rc == 0; i++) {
        rc = once(r, order[i], i == 0 || r->cell->bytes >= RESTLESS, &offset, &mine[i]);
        if (r->rank == 0) progress_go_on(r->o, r->cell->bytes);
    }
    if (rc == 0) rc = MPI_Allreduce(mine, all, 2 * n, MPI_DOUBLE, MPI_MAX, r->comm);
    for (int i = 0; i < n && rc == 0; i++) {
        entry_t *e = &r->cell->entry[order[i]];
        if (e->n < MOST_SAMPLES) e->sample[e->n++] = plan_span_seconds(all[i]);
    }
    return rc;
}

static int run_rounds(elimination_t *r, sampling_t *sampling)
{
    int order[MOST_SETTINGS + 1] = {0}, rc = 0; /* order[MOST_SETTINGS]: how many */
    double start = MPI_Wtime();

    for (int round = 0; rc == 0; round++) {
        if (r->rank == 0) order[MOST_SETTINGS] = sampling_draw(sampling, round, MPI_Wtime() - start, order);
        if ((rc = MPI_Bcast(order, MOST_SETTINGS + 1, MPI_INT, 0, r->comm)) != 0) break;
        if (order[MOST_SETTINGS] == 0) break;
        rc = run_round(r, round, order, order[MOST_SETTINGS]);
    }
    r->cell->spent_s = MPI_Wtime() - start;
    return rc;
}

/* Give each duplicate the result of the setting that was timed for it. */
static void copy_duplicates(const settings_t *s, cell_t *cell)
{
    for (int i = 0; i < s->n; i++)
        if (s->at[i].same_as >= 0) cell->entry[i] = cell->entry[s->at[i].same_as];
}

/* The time after which a broadcast counts as hung [s]: far above that of the slowest tree at 1 MB/s. */
static double patience(const before_t *before, size_t bytes)
{
    double known = 0;
    for (int k = 0; k < KINDS; k++) known = fmax(known, fmax(0, before_best(before, (kind_t)k, bytes)));
    return 60 + 20 * known + 1e-6 * (double)bytes;
}

static bool is_one_host(MPI_Comm comm)
{
    MPI_Comm here = MPI_COMM_NULL;
    int ranks, mine = 0, least = 0;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &mine);
    MPI_Comm_free(&here);
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, comm);
    return least == ranks;
}

int eliminate(MPI_Comm comm, const options_t *o, const settings_t *s, const before_t *before, double budget_s,
              cell_t *cell)
{
    elimination_t r = {.comm = comm, .o = o, .s = s, .cell = cell, .most_s = patience(before, cell->bytes)};
    sampling_t sampling = {
        .s = s, .cell = cell, .rounds = o->rounds, .budget_s = budget_s, .random = o->seed ^ cell->bytes};

    MPI_Comm_rank(comm, &r.rank);
    MPI_Comm_size(comm, &r.ranks);
    r.rests = cell->bytes >= RESTLESS && !is_one_host(comm);
    r.random = o->seed ^ cell->bytes;
    r.buffer = calloc(words(cell->bytes), sizeof *r.buffer);
    r.place = calloc((size_t)r.ranks, sizeof *r.place);
    if (r.buffer == NULL || r.place == NULL) MPI_Abort(comm, EXIT_FAILURE); /* the others are waiting */
    for (int i = 0; i < r.ranks; i++) r.place[i] = i;
    if (r.rank == 0) sampling_admit(s, before, budget_s, cell);
    int rc = run_rounds(&r, &sampling);
    guard_rest();
    for (int i = 0; i < s->n; i++) summarise(&cell->entry[i]);
    copy_duplicates(s, cell);
    free(r.place);
    free(r.buffer);
    return rc;
}
