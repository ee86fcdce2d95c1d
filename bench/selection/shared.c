#include "shared.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what an algorithm sends ---- */

typedef struct {
    double stages, messages, bytes; /* one after the other */
} sends_t;

static bool count_anew(const sel_way_t *way, int ranks, size_t bytes, sends_t *out)
{
    static const double serial[] = {1, 2}; /* gamma(P) = P - 1 */
    const sel_layout_t on = {ranks, 1};
    sel_work_t *together = NULL, *alone = NULL;
    bool ok = sel_work_create(way, on, 0, NULL, &together) == PLAN_OK &&
              sel_work_create(way, on, 2, serial, &alone) == PLAN_OK;
    if (ok) sel_work_count(together, bytes, &out->stages, &out->bytes);
    if (ok) sel_work_count(alone, bytes, &out->messages, &out->bytes);
    sel_work_destroy(&together);
    sel_work_destroy(&alone);
    return ok;
}

/* The same, kept: there are few algorithms, sizes and numbers of ranks. */
static bool count(const sel_way_t *way, int ranks, size_t bytes, sends_t *out)
{
    enum { MOST = 4096 };
    static struct {
        sel_way_t way;
        int ranks;
        size_t bytes;
        sends_t sends;
    } kept[MOST];
    static int n;
    for (int i = 0; i < n; i++)
        if (kept[i].way.setting == way->setting && kept[i].way.segment == way->segment && kept[i].ranks == ranks &&
            kept[i].bytes == bytes) {
            *out = kept[i].sends;
            return true;
        }
    if (!count_anew(way, ranks, bytes, out)) return false;
    if (n < MOST) {
        kept[n].way = *way, kept[n].ranks = ranks, kept[n].bytes = bytes;
        kept[n++].sends = *out;
    }
    return true;
}

/* Shares of a message of m bytes in the curve's values at its knots: linear between them, constant below, in proportion
 * beyond. */
static void add_hat(const shared_t *s, double m, double times, double *term)
{
    int last = s->nknots - 1, i = 0;
    while (i < last && s->knot[i + 1] < m) i++;
    if (m <= s->knot[0])
        term[0] += times;
    else if (m >= s->knot[last])
        term[last] += times * m / s->knot[last];
    else {
        double x = (m - s->knot[i]) / (s->knot[i + 1] - s->knot[i]);
        term[i] += times * (1 - x);
        term[i + 1] += times * x;
    }
}

/* Scattering halves messages from step to step; the allgather doubles them again, or sends a block to the neighbour. */
static void add_scattered(const shared_t *s, const sel_way_t *way, int ranks, double m, double *term)
{
    double block = m / ranks;
    bool ring = way->setting->kind == PLAN_SCATTER_RING;
    for (double part = block; part < m; part *= 2) add_hat(s, part, ring ? 1 : 2, term);
    if (ring) add_hat(s, block, ranks - 1, term);
}

static bool terms_of(const shared_t *s, const sel_way_t *way, int ranks, size_t bytes, double term[MOST_TERMS])
{
    sends_t n = {0};
    if (!count(way, ranks, bytes, &n)) return false;
    memset(term, 0, MOST_TERMS * sizeof *term);
    term[0] = s->model == HOCKNEY ? n.messages : n.stages;
    if (s->model == HOCKNEY) term[1] = n.bytes;
    if (s->model == LOGGP) term[1] = n.messages - n.stages, term[2] = n.bytes;
    if (s->model != PLOGP) return true;
    if (way->setting->shape == PLANI_SHAPE_ROUNDS)
        add_scattered(s, way, ranks, (double)bytes, term + 1);
    else
        add_hat(s, n.bytes / n.messages, n.messages, term + 1);
    return true;
}

/* ---- estimation ---- */

static void add_knot(shared_t *s, double bytes)
{
    int i = s->nknots;
    for (int k = 0; k < s->nknots; k++)
        if (s->knot[k] == bytes) return;
    if (s->nknots == MOST_KNOTS) return;
    for (; i > 0 && s->knot[i - 1] > bytes; i--) s->knot[i] = s->knot[i - 1];
    s->knot[i] = bytes;
    s->nknots++;
}

/* What a column adds to the sum of rows by its size: parameters have different units. */
static double weight(size_t n, const double *x, int columns, int k)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fabs(x[i * (size_t)columns + (size_t)k]);
    return sum;
}

/* Leave out the most negative parameter and solve again, until there is none. x is [n][nterms]. */
static bool solve(shared_t *s, size_t n, const double *x, const double *y, double *some)
{
    bool out[MOST_TERMS] = {false};
    for (;;) {
        int column[MOST_TERMS], p = 0, least = 0;
        double c[MOST_TERMS];
        for (int k = 0; k < s->nterms; k++)
            if (!out[k]) column[p++] = k;
        if (p == 0 || n < (size_t)p) return false;
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < p; k++) some[i * (size_t)p + (size_t)k] = x[i * (size_t)s->nterms + (size_t)column[k]];
        if (!sel_huber(n, (size_t)p, some, y, c)) return false;
        for (int k = 1; k < p; k++)
            if (c[k] * weight(n, x, s->nterms, column[k]) < c[least] * weight(n, x, s->nterms, column[least]))
                least = k;
        if (c[least] >= 0) {
            for (int k = 0; k < p; k++) s->parameter[column[k]] = c[k];
            return true;
        }
        out[column[least]] = true;
    }
}

bool shared_fit(const sel_table_t *t, const bool *use, shared_model_t model, shared_t *s)
{
    *s = (shared_t){.model = model};
    for (size_t i = 0; i < t->n && model == PLOGP; i++)
        if (use[i]) add_knot(s, (double)t->timing[i].bytes);
    s->nterms = model == HOCKNEY ? 2 : model == LOGGP ? 3 : s->nknots + 1;
    double *x = calloc(t->n * MOST_TERMS + 1, sizeof *x), *some = calloc(t->n * MOST_TERMS + 1, sizeof *some),
           *y = calloc(t->n + 1, sizeof *y), term[MOST_TERMS];
    bool ok = x != NULL && some != NULL && y != NULL;
    size_t n = 0;
    for (size_t i = 0; i < t->n && ok; i++) {
        const sel_timing_t *r = &t->timing[i];
        double sign = n % 2 ? -1 : 1; /* else y would have no spread, which is the regression's least scale */
        if (r->way < 0 || !use[i]) continue;
        ok = terms_of(s, &t->way[r->way], r->layout.ranks, r->bytes, term);
        for (int k = 0; k < s->nterms; k++) x[n * (size_t)s->nterms + (size_t)k] = sign * term[k] / r->seconds;
        y[n++] = sign;
    }
    ok = ok && solve(s, n, x, y, some);
    free(x);
    free(y);
    free(some);
    return ok;
}

double shared_predict(const shared_t *s, const sel_way_t *way, int ranks, size_t bytes)
{
    double term[MOST_TERMS], seconds = 0;
    if (!terms_of(s, way, ranks, bytes, term)) return INFINITY;
    for (int k = 0; k < s->nterms; k++) seconds += s->parameter[k] * term[k];
    return seconds;
}
