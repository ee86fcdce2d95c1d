/* The plan compared with MPI_Bcast or MPI_Reduce: timed in turns, all ranks beginning at one instant; every byte is
 * checked. */
#include "lib/cli/tool.h"
#include "lib/base/statistics.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_statistics_double.h>

enum {
    MAX_PAIRS = 200,
    MIN_PAIRS = 4, /* as many broadcasts as plan_review needs */
    MOST = 1 << 30
}; /* elements in one call of MPI, whose counts are of type int */

enum { BY_PLAN, BY_MPI };

/* What is compared, on this rank. */
typedef struct {
    MPI_Comm comm;
    plan_t *plan;
    size_t bytes;
    int rank, root;
    bool reduces;
    unsigned char *sent;    /* of a reduction: what this rank contributes, of elements of `type`; else NULL */
    unsigned char *data[2]; /* on each side the message, or the result of the reduction at the root */
    MPI_Datatype type;
    size_t element; /* [B] */
} sides_t;

/* xorshift64, Marsaglia 2003 */
static uint64_t next(uint64_t *x)
{
    *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
    return *x;
}

/* A pseudo-random pattern, different for each turn: it shows slices in a wrong place or of an earlier turn. */
static void fill(unsigned char *at, size_t n, uint64_t turn)
{
    uint64_t x = (turn + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < n; i++) at[i] = (unsigned char)(next(&x) >> 32);
}

/* The same of whole numbers up to 255, whose sums are exact in any order. */
static void fill_numbers(unsigned char *at, size_t n, uint64_t turn)
{
    uint64_t x = (turn + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < n; i++) {
        double number = (double)(next(&x) >> 56);
        memcpy(at + i * sizeof number, &number, sizeof number);
    }
}

static long long differing(const unsigned char *a, const unsigned char *b, size_t n)
{
    long long wrong = 0;
    if (memcmp(a, b, n) == 0) return 0;
    for (size_t i = 0; i < n; i++) wrong += a[i] != b[i];
    return wrong;
}

/* Before turn `n`: new data, and results that are of no turn. */
static void prepare(const sides_t *s, int n)
{
    memset(s->data[BY_PLAN], n & 1 ? 0xff : 0x00, s->bytes);
    memset(s->data[BY_MPI], 0x55, s->bytes);
    if (s->reduces) {
        uint64_t turn = (uint64_t)n << 32 | (uint64_t)s->rank;
        (s->element > 1 ? fill_numbers : fill)(s->sent, s->bytes / s->element, turn);
    } else if (s->rank == s->root) {
        fill(s->data[BY_MPI], s->bytes, (uint64_t)n);
        memcpy(s->data[BY_PLAN], s->data[BY_MPI], s->bytes);
    }
}

static int by_plan(const sides_t *s)
{
    MPI_Count count = (MPI_Count)(s->bytes / s->element);
    return s->reduces ? plan_reduce_execute(s->plan, s->sent, s->data[BY_PLAN], count, s->type, MPI_SUM)
                      : plan_execute(s->plan, s->data[BY_PLAN], count, s->type);
}

static int by_mpi(const sides_t *s)
{
    for (size_t done = 0; done < s->bytes || s->bytes == 0;) {
        size_t left = (s->bytes - done) / s->element;
        int n = (int)(left < MOST ? left : MOST);
        unsigned char *at = s->data[BY_MPI] + done;
        int rc = s->reduces ? MPI_Reduce(s->sent + done, at, n, s->type, MPI_SUM, s->root, s->comm)
                            : MPI_Bcast(at, n, s->type, s->root, s->comm);
        if (rc != MPI_SUCCESS || s->bytes == 0) return rc;
        done += (size_t)n * s->element;
    }
    return MPI_SUCCESS;
}

/* One of both, which all ranks begin at one instant; *seconds: from the root's start to the last rank's end. */
static int timed(const sides_t *s, int side, double *seconds)
{
    plan_span_t mine, all;
    double offset = 0;
    int rc = plan_clock_sync(s->comm, &offset);
    if (rc == MPI_SUCCESS) rc = plan_line_up(s->comm, offset);
    if (rc != MPI_SUCCESS) return rc;
    double start = plan_clock();
    rc = side == BY_PLAN ? by_plan(s) : by_mpi(s);
    mine = plan_span(s->rank == s->root, start, plan_clock(), offset);
    if (rc == MPI_SUCCESS) rc = MPI_Allreduce(&mine, &all, 2, MPI_DOUBLE, MPI_MAX, s->comm);
    if (rc == MPI_SUCCESS) *seconds = plan_span_seconds(all);
    return rc;
}

static void summarise(double t[2][MAX_PAIRS], int n, tool_row_t *row)
{
    double ratio[MAX_PAIRS] = {0};
    for (int i = 0; i < n; i++) ratio[i] = t[1][i] / t[0][i];
    row->plan_s = plani_interval(t[0], n).median;
    row->native_s = plani_interval(t[1], n).median;
    row->ratio = plani_interval(ratio, n).median; /* and sorted */
    row->ratio_lo = gsl_stats_quantile_from_sorted_data(ratio, 1, (size_t)n, 0.25);
    row->ratio_hi = gsl_stats_quantile_from_sorted_data(ratio, 1, (size_t)n, 0.75);
    row->pairs = n;
}

/* What this rank has copied so far, as in plani_copied_t; plans that reduce do not count. */
static void copied(const plan_t *plan, double c[6])
{
    plan_copies_t copies = {.size = sizeof copies};
    memset(c, 0, 6 * sizeof *c);
    if (plan_copies(plan, &copies) != 0) return;
    c[0] = (double)copies.sent, c[1] = (double)copies.written, c[2] = (double)copies.read;
    c[3] = (double)copies.single, c[4] = (double)copies.packed, c[5] = (double)copies.native;
}

/* Since it was `before`: the mean over n broadcasts, per byte of the message. */
static int copied_since(const sides_t *s, const double before[6], int n, plani_copied_t *out)
{
    double c[6], all[6] = {0}, bytes = (double)s->bytes * n;
    copied(s->plan, c);
    for (int i = 0; i < 6; i++) c[i] = bytes > 0 ? (c[i] - before[i]) / bytes : 0;
    int rc = MPI_Allreduce(c, all, 6, MPI_DOUBLE, MPI_SUM, s->comm);
    *out = (plani_copied_t){all[0], all[1], all[2], all[3], all[4], all[5]};
    return rc;
}

/* On all ranks or none. Whole numbers of doubles are added as such, others byte by byte. */
static int reserve(sides_t *s)
{
    bool doubles = s->reduces && s->bytes % sizeof(double) == 0;
    size_t room = s->bytes > 0 ? s->bytes : 1;

    s->type = doubles ? MPI_DOUBLE : s->reduces ? MPI_UNSIGNED_CHAR : MPI_BYTE;
    s->element = doubles ? sizeof(double) : 1;
    for (int side = 0; side < 2; side++) s->data[side] = malloc(room);
    s->sent = s->reduces ? malloc(room) : NULL;
    int lacking = s->data[0] == NULL || s->data[1] == NULL || (s->reduces && s->sent == NULL), some = 0;
    int rc = MPI_Allreduce(&lacking, &some, 1, MPI_INT, MPI_MAX, s->comm);
    return rc != MPI_SUCCESS ? rc : some ? PLAN_ENOMEM : PLAN_OK;
}

int tool_compare(MPI_Comm comm, plan_t *plan, size_t bytes, double seconds, tool_row_t *row)
{
    double t[2][MAX_PAIRS], before[6], spent = 0, start = MPI_Wtime();
    sides_t s = {
        .comm = comm, .plan = plan, .bytes = bytes, .root = plan_data(plan)->root, .reduces = plan_data(plan)->reduces};
    long long wrong = 0;
    int n, rc;

    MPI_Comm_rank(comm, &s.rank);
    if ((rc = reserve(&s)) != PLAN_OK) goto done;
    copied(plan, before);
    for (n = 0; n < MAX_PAIRS && (n < MIN_PAIRS || spent < seconds); n++) {
        prepare(&s, n);
        for (int turn = 0; turn < 2; turn++) { /* alternate which one is first */
            int side = (turn + n) & 1;
            if ((rc = timed(&s, side, &t[side][n])) != MPI_SUCCESS) goto done;
        }
        if (!s.reduces || s.rank == s.root) wrong += differing(s.data[BY_PLAN], s.data[BY_MPI], bytes);
        /* Rank 0's clock decides, so that all ranks run the same number of turns. */
        spent = MPI_Wtime() - start;
        if ((rc = MPI_Bcast(&spent, 1, MPI_DOUBLE, 0, comm)) != MPI_SUCCESS) goto done;
    }
    memset(row, 0, sizeof *row);
    row->bytes = bytes;
    snprintf(row->chosen, sizeof row->chosen, "%s", plan_chosen(plan, bytes)->name);
    summarise(t, n, row);
    rc = copied_since(&s, before, n, &row->copied);
    if (rc == MPI_SUCCESS) rc = MPI_Allreduce(&wrong, &row->wrong, 1, MPI_LONG_LONG, MPI_SUM, comm);
done:
    free(s.sent);
    free(s.data[0]);
    free(s.data[1]);
    return rc;
}
