/* One message size: rounds in which every setting that is still in broadcasts once, in an order shuffled anew. Rank 0
 * says who takes part; the others follow. As in Hunold, Carpen-Amarie 2016 ("MPI benchmarking revisited"): the same
 * barrier before each, from the root's start to the last rank's end, medians with intervals. Other than there, rivals
 * that are far behind drop out, so that the time goes to those that matter. */
#include "rivals.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A setting drops out after `samples` if its fastest is more than `factor` times the best rival's median. */
typedef struct {
    int samples;
    double factor;
} drop_t;
static const drop_t long_drops[] = {{1, 3}, {2, 1.6}, {4, 1.25}}, short_drops[] = {{2, 5}, {5, 2}, {9, 1.3}};
enum { DROPS = 3, LEAST_ROUNDS = 3, RIVALS = 2 };
enum { LONG = 65536 }; /* [B] below, times scatter and cost nothing */

/* How far behind the best of its kind a setting was at the size before if it is not worth trying again. Small messages
 * foretell nothing: a pipeline's way through all ranks counts in them. */
static double hopeless(const before_t *before)
{
    return before->bytes < 1 << 18 ? INFINITY : before->bytes < 1 << 20 ? 3 : 2;
}

typedef struct {
    MPI_Comm comm;
    int rank;
    const options_t *o;
    const settings_t *s;
    cell_t *cell;
    unsigned char *buffer;
    uint64_t random;
    double budget_s, most_s; /* of the cell; of one broadcast */
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
    plan_span_t mine, all;
    double offset = 0;

    if (check) prepare(r, which);
    if (r->rank == 0) guard_watch(r->s->at[which].name, r->cell->bytes, r->most_s);
    int rc = plan_clock_sync(r->comm, &offset);
    if (rc == 0) rc = MPI_Barrier(r->comm);
    double start = plan_clock();
    if (rc == 0) rc = broadcast(&r->s->at[which], r->buffer, r->cell->bytes, r->o->root);
    mine = plan_span(r->rank == r->o->root, start, plan_clock(), offset);
    if (rc != 0) return rc;
    if ((rc = MPI_Allreduce(&mine, &all, 2, MPI_DOUBLE, MPI_MAX, r->comm)) != 0) return rc;
    if (e->n < MOST_SAMPLES) e->sample[e->n++] = plan_span_seconds(all);
    if (!check) return 0;
    long long wrong = wrong_bytes(r, which);
    return MPI_Allreduce(&wrong, &e->wrong, 1, MPI_LONG_LONG, MPI_SUM, r->comm);
}

/* --- rank 0's decisions ---------------------------------------------------------------------------------------------
 */

static bool optional(const setting_t *s)
{
    return s->kind == KIND_RIVAL || s->kind == KIND_CANDIDATE;
}

static bool takes_part(const race_t *r, int i)
{
    const entry_t *e = &r->cell->entry[i];
    return r->s->at[i].same_as < 0 && e->skipped[0] == '\0' && !e->dropped;
}

/* Why a setting need not be timed; "": it must. */
static void admit(const setting_t *s, const before_t *before, entry_t *e, size_t bytes)
{
    double then = before_scaled(before, s, bytes), best = before_best(before, s->kind, bytes);
    if (s->kind == KIND_CANDIDATE) best = fmin(best, before_best(before, KIND_PLAN, bytes));
    if (guard_broken(s->name, bytes))
        snprintf(e->skipped, sizeof e->skipped, "broke");
    else if (s->kind == KIND_RIVAL && s->segment >= bytes)
        snprintf(e->skipped, sizeof e->skipped, "segment as long as the message");
    else if (!optional(s) || !isfinite(hopeless(before)))
        return;
    else if (s->kind == KIND_RIVAL && isnan(then))
        snprintf(e->skipped, sizeof e->skipped, "far behind at smaller sizes");
    else if (then > hopeless(before) * best)
        snprintf(e->skipped, sizeof e->skipped, "%.1f times the best at %zu B", then / best, before->bytes);
}

/* The slowest of the optional ones that are still to be timed; -1: no more than must stay. */
static int slowest(const settings_t *s, const before_t *before, const cell_t *c)
{
    int which = -1, rivals = 0;
    double most = 0;
    for (int i = 0; i < s->n; i++) rivals += s->at[i].kind == KIND_RIVAL && c->entry[i].skipped[0] == '\0';
    for (int i = 0; i < s->n; i++) {
        double then = before_scaled(before, &s->at[i], c->bytes);
        if (!optional(&s->at[i]) || c->entry[i].skipped[0] != '\0' || s->at[i].same_as >= 0) continue;
        if (s->at[i].kind == KIND_RIVAL && rivals <= RIVALS) continue;
        if (then > most) most = then, which = i;
    }
    return which;
}

/* What it takes at least until a setting is known or has dropped out [s]. */
static double cost_of(const setting_t *s, const before_t *before, size_t bytes)
{
    double then = before_scaled(before, s, bytes), best = before_best(before, s->kind, bytes);
    if (isnan(then)) return LEAST_ROUNDS * fmax(0, before_best(before, KIND_PLAN, bytes));
    for (int d = 0; d < DROPS; d++)
        if (optional(s) && long_drops[d].samples < LEAST_ROUNDS && then > long_drops[d].factor * best)
            return long_drops[d].samples * then;
    return LEAST_ROUNDS * then;
}

void race_admit(const settings_t *s, const before_t *before, double budget_s, cell_t *cell)
{
    int which;
    for (int i = 0; i < s->n; i++) admit(&s->at[i], before, &cell->entry[i], cell->bytes);
    if (!isfinite(hopeless(before))) return;
    for (;;) {
        double cost = 0;
        for (int i = 0; i < s->n; i++)
            if (cell->entry[i].skipped[0] == '\0' && s->at[i].same_as < 0)
                cost += cost_of(&s->at[i], before, cell->bytes);
        if (!(cost > budget_s) || (which = slowest(s, before, cell)) < 0) return;
        snprintf(cell->entry[which].skipped, sizeof cell->entry[which].skipped, "no time: would take %.3g s",
                 before_scaled(before, &s->at[which], cell->bytes));
    }
}

/* Who is far behind the best rival, or, a candidate, behind the best of all. */
static void drop_slow(race_t *r)
{
    const drop_t *drop = r->cell->bytes >= LONG ? long_drops : short_drops;
    int best[KINDS];
    double all = INFINITY;

    for (int k = 0; k < KINDS; k++) {
        best[k] = cell_best(r->s, r->cell, (kind_t)k);
        if (best[k] >= 0) all = fmin(all, r->cell->entry[best[k]].median);
    }
    for (int i = 0; i < r->s->n && isfinite(all); i++) {
        const setting_t *s = &r->s->at[i];
        entry_t *e = &r->cell->entry[i];
        double fastest = INFINITY, target = s->kind == KIND_CANDIDATE ? all : NAN;
        if (s->kind == KIND_RIVAL && best[KIND_RIVAL] >= 0) target = r->cell->entry[best[KIND_RIVAL]].median;
        /* The default is asked for at every size, but not again and again where it has lost. */
        if (s->kind == KIND_DEFAULT && e->n >= LEAST_ROUNDS && r->cell->bytes >= LONG) target = 3 * all;
        for (int k = 0; k < e->n; k++) fastest = fmin(fastest, e->sample[k]);
        for (int d = 0; d < DROPS; d++)
            if (e->n >= drop[d].samples && fastest > drop[d].factor * target) e->dropped = true;
    }
}

/* Plans, default and best rival known to 2.5%. */
static bool certain(const race_t *r)
{
    int best = cell_best(r->s, r->cell, KIND_RIVAL);
    for (int i = 0; i < r->s->n; i++) {
        const entry_t *e = &r->cell->entry[i];
        if ((optional(&r->s->at[i]) && i != best) || !takes_part(r, i)) continue;
        if (e->n < 6 || (e->high - e->low) / 2 > 0.025 * e->median) return false;
    }
    return true;
}

/* Who takes part in the next round, in their order; returns how many, 0: enough. */
static int draw(race_t *r, int round, double spent, int *order)
{
    int n = 0;

    for (int i = 0; i < r->s->n; i++) summarise(&r->cell->entry[i]);
    drop_slow(r);
    if (round >= r->o->rounds) return 0;
    if (round >= LEAST_ROUNDS && (spent >= r->budget_s || certain(r))) return 0;
    if (round >= 1 && spent >= 3 * r->budget_s) return 0;
    for (int i = 0; i < r->s->n; i++)
        if (takes_part(r, i)) order[n++] = i;
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

/* A twin's result is the setting's that it does the same as. */
static void copy_twins(const settings_t *s, cell_t *cell)
{
    for (int i = 0; i < s->n; i++)
        if (s->at[i].same_as >= 0) cell->entry[i] = cell->entry[s->at[i].same_as];
}

/* Long enough for the slowest tree through the slowest link. */
static double patience(const before_t *before, size_t bytes)
{
    double known = 0;
    for (int k = 0; k < KINDS; k++) known = fmax(known, fmax(0, before_best(before, (kind_t)k, bytes)));
    return 60 + 20 * known + 1e-6 * (double)bytes;
}

int race(MPI_Comm comm, const options_t *o, const settings_t *s, const before_t *before, double budget_s, cell_t *cell)
{
    race_t r = {.comm = comm,
                .o = o,
                .s = s,
                .cell = cell,
                .random = o->seed ^ cell->bytes,
                .budget_s = budget_s,
                .most_s = patience(before, cell->bytes)};

    MPI_Comm_rank(comm, &r.rank);
    if ((r.buffer = malloc(cell->bytes)) == NULL) MPI_Abort(comm, EXIT_FAILURE); /* the others are waiting */
    if (r.rank == 0) race_admit(s, before, budget_s, cell);
    int rc = run_rounds(&r);
    guard_rest();
    for (int i = 0; i < s->n; i++) summarise(&cell->entry[i]);
    copy_twins(s, cell);
    free(r.buffer);
    return rc;
}
