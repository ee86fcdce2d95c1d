/* When each host gets the first slices, from the simulation: a Gantt chart. Of a reduction, when each sends the last
 * ones: it is a broadcast in reverse. */
#include "planner/report/sections.h"
#include "graphs/platform/transpose.h"
#include "planner/simulate/simulation.h"
#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdlib.h>

enum {
    BARS = 1200, /* about, of the picture */
    SLICES = 64, /* at most */
    ROWS = 48,   /* ranks: of more, some */
    LANES = 4,   /* slices in flight at once that a row has room for side by side */
    LANE = 5,    /* pixels */
    WIDE = 820,  /* of the time axis */
    LABEL = 150, /* of the names */
    SIMULATED = 512
};

static plan_status_t simulate(const plani_report_t *r, const plan_platform_t *pf, const plan_candidate_t *c,
                              size_t bytes, plani_timeline_t *out)
{
    plani_simulation_t *x = NULL;
    double *share = malloc((c->ntrees + 1) * sizeof *share), total = 0;
    int rows = plan_platform_data(r->pf)->ranks < ROWS ? plan_platform_data(r->pf)->ranks : ROWS;
    size_t most = (size_t)(BARS / rows) < SLICES ? (size_t)(BARS / rows) : SLICES;
    plan_status_t rc = share != NULL ? plani_simulation_create(pf, NULL, &x) : PLAN_ENOMEM;

    *out = (plani_timeline_t){.slices = 0};
    for (size_t t = 0; t < c->ntrees; t++) total += c->rate[t];
    for (size_t t = 0; t < c->ntrees && share != NULL; t++) share[t] = c->rate[t] / total;
    if (rc == PLAN_OK && c->run == PLAN_RUN_HOSTS) plani_simulation_share(x);
    if (rc == PLAN_OK)
        rc = plani_simulate_timeline(x, c->ntrees, c->tree, c->ntrees > 1 ? share : NULL,
                                     (plani_pipeline_t){bytes, c->slice, c->window}, most, out);
    plani_simulation_destroy(&x);
    free(share);
    return rc;
}

static double end_of(const plani_timeline_t *t, size_t ranks)
{
    double end = 0;
    for (size_t i = 0; i < t->slices * ranks; i++) end = fmax(end, t->got[i]);
    return end;
}

static void swap(double *a, double *b)
{
    double old = *a;
    *a = *b, *b = old;
}

/* The root, which receives nothing, has zeros in both. */
static void reverse(plani_timeline_t *t, size_t ranks)
{
    size_t n = t->slices * ranks;
    double end = end_of(t, ranks);

    for (size_t i = 0; i < n; i++) {
        double sent = t->sent[i];
        if (t->got[i] <= 0) continue;
        t->sent[i] = end - t->got[i];
        t->got[i] = end - sent;
    }
    for (size_t k = 0; k < t->slices / 2; k++) {
        size_t other = t->slices - 1 - k;
        size_t tree = t->tree[k];
        t->tree[k] = t->tree[other], t->tree[other] = tree;
        for (size_t v = 0; v < ranks; v++) {
            swap(&t->sent[k * ranks + v], &t->sent[other * ranks + v]);
            swap(&t->got[k * ranks + v], &t->got[other * ranks + v]);
        }
    }
}

static plan_status_t simulate_reduction(const plani_report_t *r, const plan_candidate_t *c, plani_timeline_t *out)
{
    plan_platform_t *reversed = NULL;
    plan_status_t rc = plani_platform_transpose(r->pf, r->combine_s_per_byte, &reversed, NULL);

    *out = (plani_timeline_t){.slices = 0};
    if (rc == PLAN_OK) rc = simulate(r, reversed, c, r->bytes, out);
    if (rc == PLAN_OK) reverse(out, (size_t)plan_platform_data(r->pf)->ranks);
    plan_platform_destroy(&reversed);
    return rc;
}

typedef struct {
    const plani_view_t *v;
    const plani_timeline_t *t;
    plani_text_t *to;
    size_t ranks, first; /* first: number of the first slice that is shown */
    double end;          /* [s] of the axis */
} gantt_t;

static double across(const gantt_t *g, double s)
{
    return LABEL + WIDE * s / g->end;
}

/* Ranks but the root by the time at which they have the first slice, at most ROWS of them, evenly. */
static size_t choose_rows(const gantt_t *g, size_t *row, double *first)
{
    size_t n = g->ranks - 1 < ROWS ? g->ranks - 1 : ROWS, *order = malloc(g->ranks * sizeof *order);

    if (order == NULL) return 0;
    for (size_t v = 0; v < g->ranks; v++) {
        first[v] = INFINITY;
        for (size_t k = 0; k < g->t->slices; k++) first[v] = fmin(first[v], g->t->got[k * g->ranks + v]);
    }
    gsl_sort_index(order, first, 1, g->ranks);
    for (size_t i = 0; i < n; i++) row[i] = order[1 + (n > 1 ? i * (g->ranks - 2) / (n - 1) : 0)];
    free(order);
    return n;
}

/* A step of 1, 2 or 5 times a power of ten that divides the axis into 4 to 10 parts. */
static double step_of(double end)
{
    double step = pow(10, floor(log10(end)));
    return end / step < 2 ? step / 5 : end / step < 5 ? step / 2 : step;
}

static void put_axis(const gantt_t *g, int height)
{
    for (double s = 0, step = step_of(g->end); s <= g->end * 1.0001; s += step)
        plani_text_add(g->to,
                       "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"/><text class=\"dim\" "
                       "x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                       across(g, s), across(g, s), height, across(g, s), height + 15, plani_seconds(s).s);
}

static void put_row(const gantt_t *g, size_t v, int top)
{
    double busy[LANES] = {0};

    plani_text_add(g->to, "<g><text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LABEL - 8, top + 3 * LANE);
    plani_page_text(g->to, plani_view_rank(g->v, (int)v).s);
    plani_page_put(g->to, "</text>\n");
    for (size_t k = 0; k < g->t->slices; k++) {
        double sent = g->t->sent[k * g->ranks + v], got = g->t->got[k * g->ranks + v];
        if (got <= 0) continue;
        int lane = 0;
        for (int i = 1; i < LANES && busy[lane] > sent * (1 + 1e-9); i++)
            if (busy[i] < busy[lane]) lane = i;
        busy[lane] = got;
        plani_text_add(g->to,
                       "<rect class=\"f%d%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>slice %zu: %s to "
                       "%s</title></rect>\n",
                       plani_page_series((unsigned)g->t->tree[k]), k % 2 ? " pale" : "", across(g, sent),
                       top + lane * LANE, fmax(1, across(g, got) - across(g, sent) - 0.7), LANE - 1, g->first + k,
                       plani_seconds(sent).s, plani_seconds(got).s);
    }
    plani_page_put(g->to, "</g>\n");
}

static void put_gantt(gantt_t *g)
{
    enum { HIGH = LANES * LANE + 5 };
    size_t *row = malloc(g->ranks * sizeof *row);
    double *first = malloc(g->ranks * sizeof *first);
    size_t n = row != NULL && first != NULL ? choose_rows(g, row, first) : 0;

    if (n == 0) {
        g->to->failed = true;
    } else {
        int height = (int)n * HIGH, width = LABEL + WIDE + 40;
        plani_text_add(g->to,
                       "<div class=\"wide\"><svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
                       "aria-label=\"timeline\">\n",
                       width, height + 20, width, height + 20);
        put_axis(g, height);
        for (size_t i = 0; i < n; i++) put_row(g, row[i], (int)i * HIGH + 2);
        plani_page_put(g->to, "</svg></div>\n");
    }
    free(row);
    free(first);
}

static void explain(const plani_report_t *r, const plan_candidate_t *c, const gantt_t *g)
{
    plani_cut_t cut = plani_cut(r->bytes, c->slice);
    bool reduces = plani_report_reduces(r);

    plani_page_put(g->to, "<p>");
    plani_page_text(g->to, c->name);
    plani_text_add(g->to, ", %s", plani_bytes((double)r->bytes).s);
    if (cut.n > 1)
        plani_text_add(g->to, ": the %s %zu of %zu slices of %s", reduces ? "last" : "first", g->t->slices, cut.n,
                       plani_bytes(cut.full).s);
    plani_text_add(g->to,
                   "%s. A bar begins when the %s, and ends when the rank %s has it. Slices "
                   "that are under way at once, up to %d, lie side by side; neighbours differ in shade%s.%s</p>\n",
                   reduces ? ", simulated as a broadcast in reverse" : "",
                   reduces ? "rank of the row posts the slice" : "sender posts the slice",
                   reduces ? "above it" : "of the row", c->window, c->ntrees > 1 ? ", and trees in colour" : "",
                   g->ranks > ROWS ? " Some of the ranks are shown, from the first to the last that is reached." : "");
}

void plani_section_timeline(const plani_report_t *r, const plani_view_t *view, plani_text_t *to)
{
    const plan_candidate_t *c = plani_report_sent(r, true);
    plani_timeline_t t;

    if (r->pf == NULL || c == NULL || view->ranks < 2 || view->ranks > SIMULATED || r->bytes == 0) return;
    bool reduces = plani_report_reduces(r);
    plan_status_t rc = reduces ? simulate_reduction(r, c, &t) : simulate(r, r->pf, c, r->bytes, &t);
    if (rc == PLAN_ENOMEM) to->failed = true;
    gantt_t g = {.v = view, .t = &t, .to = to, .ranks = (size_t)view->ranks};
    if (rc == PLAN_OK) g.end = end_of(&t, g.ranks);
    if (rc == PLAN_OK && reduces) g.first = plani_cut(r->bytes, c->slice).n - t.slices;
    if (rc == PLAN_OK && g.end > 0) {
        plani_page_heading(to, "timeline", reduces ? "The last slices, simulated" : "The first slices, simulated");
        explain(r, c, &g);
        put_gantt(&g);
    }
    plani_timeline_clear(&t);
}
