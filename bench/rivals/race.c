/* One message size: rounds in which every setting that is still in broadcasts once, in an order shuffled anew. Rank 0
 * says who takes part; the others follow. As in Hunold, Carpen-Amarie 2016 ("MPI benchmarking revisited"): the same
 * barrier before each, the time of the slowest rank, medians with intervals. Other than there, rivals that are far
 * behind drop out, so that the time goes to those that matter. */
#include "rivals.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A setting drops out after `samples` if its fastest is more than `factor` times the best rival's median. */
typedef struct {
    int samples;
    double factor;
} drop_t;
static const drop_t full_drops[] = {{2, 5}, {5, 2}, {9, 1.3}}, quick_drops[] = {{1, 3}, {2, 1.6}, {4, 1.25}};
enum { DROPS = 3, LEAST_ROUNDS = 9, LEAST_QUICK_ROUNDS = 4 };

typedef struct {
    MPI_Comm comm;
    int rank;
    const options_t *o;
    const settings_t *s;
    cell_t *cell;
    unsigned char *buffer;
    uint64_t random;
} race_t;

/* splitmix64 (Vigna 2015) */
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Bytes without a period, other ones for each setting and size. */
static unsigned char expected(uint64_t state, size_t i)
{
    uint64_t x = (state + i) * UINT64_C(0xbf58476d1ce4e5b9);
    return (unsigned char)((x ^ (x >> 29)) >> 40);
}

static void prepare(race_t *r, int which)
{
    uint64_t state = r->o->seed + 1000003u * (unsigned)which + r->cell->bytes;
    for (size_t i = 0; i < r->cell->bytes; i++)
        r->buffer[i] = (unsigned char)(expected(state, i) ^ (r->rank == r->o->root ? 0 : 0xff));
}

static long long wrong_bytes(const race_t *r, int which)
{
    uint64_t state = r->o->seed + 1000003u * (unsigned)which + r->cell->bytes;
    long long wrong = 0;
    for (size_t i = 0; i < r->cell->bytes; i++) wrong += r->buffer[i] != expected(state, i);
    return wrong;
}

static int broadcast(const setting_t *s, void *buffer, size_t bytes, int root)
{
    if (s->plan != NULL) return plan_execute(s->plan, buffer, (MPI_Count)bytes, MPI_BYTE);
    return MPI_Bcast(buffer, (int)bytes, MPI_BYTE, root, s->comm);
}

/* One timed broadcast; the first of a setting is checked, too. */
static int once(race_t *r, int which)
{
    entry_t *e = &r->cell->entry[which];
    bool check = e->n == 0;
    double mine, slowest;

    if (check) prepare(r, which);
    int rc = MPI_Barrier(r->comm);
    double start = MPI_Wtime();
    if (rc == 0) rc = broadcast(&r->s->at[which], r->buffer, r->cell->bytes, r->o->root);
    mine = MPI_Wtime() - start;
    if (rc != 0) return rc;
    if ((rc = MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, r->comm)) != 0) return rc;
    if (e->n < MOST_SAMPLES) e->sample[e->n++] = slowest;
    if (!check) return 0;
    long long wrong = wrong_bytes(r, which);
    return MPI_Allreduce(&wrong, &e->wrong, 1, MPI_LONG_LONG, MPI_SUM, r->comm);
}

/* --- rank 0's decisions ---------------------------------------------------------------------------------------------
 */

/* What a setting took for the size before: its own time, or its algorithm's unsegmented where that was the same. */
static double formerly(const settings_t *s, const cell_t *before, int which)
{
    if (before->entry[which].n > 0) return before->entry[which].median;
    if (s->at[which].segment < before->bytes) return INFINITY; /* was left out already */
    while (s->at[which].segment > 0) which--;                  /* the unsegmented one comes first */
    return before->entry[which].n > 0 ? before->entry[which].median : INFINITY;
}

/* Segments as long as the message make no difference; hopeless ones of the size before stay hopeless. */
static bool enters(const race_t *r, const cell_t *before, int which)
{
    const setting_t *s = &r->s->at[which];
    if (s->kind != KIND_RIVAL) return true;
    if (s->segment >= r->cell->bytes) return false;
    int best = before != NULL ? cell_best(r->s, before, KIND_RIVAL) : -1;
    if (best < 0 || before->bytes < 65536) return true; /* small messages foretell nothing */
    double then = formerly(r->s, before, which), factor = !r->o->quick ? 5 : before->bytes < 1000000 ? 3 : 1.5;
    return !(then > factor * before->entry[best].median);
}

static void drop_slow(race_t *r)
{
    /* Short messages scatter more and cost nothing. */
    const drop_t *drop = r->o->quick && r->cell->bytes >= 65536 ? quick_drops : full_drops;
    int best = cell_best(r->s, r->cell, KIND_RIVAL);

    for (int i = 0; i < r->s->n && best >= 0; i++) {
        entry_t *e = &r->cell->entry[i];
        if (r->s->at[i].kind != KIND_RIVAL || !e->entered || e->dropped) continue;
        double fastest = INFINITY;
        for (int k = 0; k < e->n; k++) fastest = fmin(fastest, e->sample[k]);
        for (int d = 0; d < DROPS; d++)
            if (e->n >= drop[d].samples && fastest > drop[d].factor * r->cell->entry[best].median) e->dropped = true;
    }
}

/* Plans, default and best rival known to 2.5%. */
static bool certain(const race_t *r)
{
    int best = cell_best(r->s, r->cell, KIND_RIVAL);
    for (int i = 0; i < r->s->n; i++) {
        const entry_t *e = &r->cell->entry[i];
        if (r->s->at[i].kind == KIND_RIVAL && i != best) continue;
        if (e->n < 6 || (e->high - e->low) / 2 > 0.025 * e->median) return false;
    }
    return true;
}

/* Who takes part in the next round, in their order; returns how many, 0: enough. */
static int draw(race_t *r, int round, double spent, int *order)
{
    int n = 0, least = r->o->quick ? LEAST_QUICK_ROUNDS : LEAST_ROUNDS;

    for (int i = 0; i < r->s->n; i++) summarise(&r->cell->entry[i]);
    drop_slow(r);
    if (round >= r->o->rounds) return 0;
    if (round >= least && (spent >= r->o->budget_s || certain(r))) return 0;
    for (int i = 0; i < r->s->n; i++)
        if (r->cell->entry[i].entered && !r->cell->entry[i].dropped) order[n++] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(next(&r->random) % (uint64_t)(i + 1)), swap = order[i];
        order[i] = order[j], order[j] = swap;
    }
    return n;
}

/* --------------------------------------------------------------------------------------------------------------------
 */

static int run_rounds(race_t *r)
{
    int order[MOST_SETTINGS + 1] = {0}, rc = 0; /* order[MOST_SETTINGS]: how many */
    double start = MPI_Wtime();

    for (int round = 0; rc == 0; round++) {
        if (r->rank == 0) order[MOST_SETTINGS] = draw(r, round, MPI_Wtime() - start, order);
        if ((rc = MPI_Bcast(order, MOST_SETTINGS + 1, MPI_INT, 0, r->comm)) != 0) break;
        if (order[MOST_SETTINGS] == 0) break;
        for (int i = 0; i < order[MOST_SETTINGS] && rc == 0; i++) rc = once(r, order[i]);
    }
    r->cell->spent_s = MPI_Wtime() - start;
    return rc;
}

int race(MPI_Comm comm, const options_t *o, const settings_t *s, const cell_t *before, cell_t *cell)
{
    race_t r = {.comm = comm, .o = o, .s = s, .cell = cell, .random = o->seed ^ cell->bytes};

    MPI_Comm_rank(comm, &r.rank);
    if ((r.buffer = malloc(cell->bytes)) == NULL) MPI_Abort(comm, EXIT_FAILURE); /* the others are waiting */
    for (int i = 0; i < s->n && r.rank == 0; i++) cell->entry[i].entered = enters(&r, before, i);
    int rc = run_rounds(&r);
    free(r.buffer);
    return rc;
}
