/* Rankings: for the largest message as a table, and over message sizes as a table and a chart. */
#include "planner/report/sections.h"
#include "planner/select/ranking.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LISTED = 30, /* candidates in the table of the largest message */
    SERIES = 8,  /* of the chart */
    LEADERS = 4  /* of them, at most, the best of the largest message */
};

/* ---- one size ---- */

static void put_slice(const plan_candidate_t *c, plani_text_t *to)
{
    if (c->run == PLAN_RUN_NATIVE || c->run == PLAN_RUN_SHARED)
        plani_page_put(to, "<td>-</td><td>-</td><td>-</td>");
    else if (c->run == PLAN_RUN_ROUNDS && c->schedule != PLAN_CIRCULANT)
        plani_text_add(to, "<td>per rank</td><td>%d</td><td>-</td>", c->window);
    else
        plani_text_add(to, "<td>%s</td><td>%d</td><td>%zu</td>", c->slice ? plani_bytes((double)c->slice).s : "whole",
                       c->window, c->ntrees);
}

static void put_candidate(const plan_ranking_t *ranking, const plan_candidate_t *c, bool measured, plani_text_t *to)
{
    double slice = c->slice ? (double)c->slice : (double)ranking->bytes;
    bool rated = c->throughput > 0 && isfinite(c->throughput);

    plani_text_add(to, "<tr%s><td>", c == ranking->candidate ? " class=\"first\"" : "");
    plani_page_text(to, c->name);
    plani_text_add(to, "%s</td>", c->run == PLAN_RUN_NOT ? " (not executable)" : "");
    put_slice(c, to);
    plani_text_add(to, "<td>%s</td><td>", rated ? plani_rate(c->throughput * slice).s : "-");
    if (rated && isfinite(c->lp_ratio))
        plani_text_add(to, "%.1f%%", 100 * c->lp_ratio);
    else
        plani_page_put(to, "-");
    plani_text_add(to, "</td><td>%s</td>", plani_seconds(c->predicted_s).s);
    if (measured) plani_text_add(to, "<td>%s</td>", plani_seconds(c->measured_s).s);
    plani_page_put(to, "</tr>\n");
}

static void put_bound(const plani_report_t *r, const plan_ranking_t *ranking, plani_text_t *to)
{
    double slice = (double)ranking->bound_slice;
    if (ranking->ranks < 2 || !isfinite(ranking->bound)) return;
    plani_text_add(
        to, "<p>No %s %s%s rank %d sustains more than %s, the bound of the %s.</p>\n",
        plani_report_reduces(r) ? "reduction" : "broadcast", plani_ranking_shares_memory(ranking) ? "by messages " : "",
        plani_report_reduces(r) ? "to" : "from", ranking->root, plani_rate(ranking->bound * slice).s,
        ranking->bound_of_machine ? "machine as described or measured" : "platform's links, ports and resources");
}

void plani_section_ranking(const plani_report_t *r, plani_text_t *to)
{
    bool measured = false;

    if (r->nrankings == 0) return;
    const plan_ranking_t *last = r->ranking[r->nrankings - 1];
    for (size_t i = 0; i < last->ncandidates; i++) measured |= isfinite(last->candidate[i].measured_s) != 0;
    plani_page_heading(to, "ranking", "The ranking");
    bool reduces = plani_report_reduces(r);
    plani_text_add(to, "<p>%s of %s %s rank %d %s %d ranks, best first; predicted by the model%s.</p>\n",
                   reduces ? "Reductions" : "Broadcasts", plani_bytes((double)last->bytes).s, reduces ? "to" : "from",
                   last->root, reduces ? "of" : "to", last->ranks,
                   measured ? ", and measured where they were timed" : "");
    put_bound(r, last, to);
    plani_text_add(to,
                   "<div class=\"wide\"><table>\n<tr><th>candidate</th><th>slice</th><th>window</th><th>trees</th>"
                   "<th>sustains</th><th>of bound</th><th>predicted</th>%s</tr>\n",
                   measured ? "<th>measured</th>" : "");
    for (size_t i = 0; i < last->ncandidates && i < LISTED; i++) put_candidate(last, &last->candidate[i], measured, to);
    plani_page_put(to, "</table></div>\n");
    if (last->ncandidates > LISTED)
        plani_text_add(to, "<p class=\"dim\">... and %zu more</p>\n", last->ncandidates - LISTED);
}

/* ---- all sizes ---- */

typedef struct {
    const plani_report_t *r;
    int n;
    const char *name[SERIES];
} series_t;

static const plan_candidate_t *find(const plan_ranking_t *ranking, const char *name)
{
    for (size_t i = 0; i < ranking->ncandidates; i++)
        if (strcmp(ranking->candidate[i].name, name) == 0) return &ranking->candidate[i];
    return NULL;
}

static void add_name(series_t *s, const char *name)
{
    for (int k = 0; k < s->n; k++)
        if (strcmp(s->name[k], name) == 0) return;
    if (s->n < SERIES) s->name[s->n++] = name;
}

/* Which candidates are drawn: MPI's own, the best of each size from the largest on, Open MPI's best tree, the next. */
static void choose(series_t *s)
{
    const plani_report_t *r = s->r;
    const plan_ranking_t *last = r->ranking[r->nrankings - 1];
    const plan_candidate_t *ompi = NULL, *own = find(last, "native");

    if (own != NULL && isfinite(own->measured_s)) add_name(s, own->name);
    for (size_t i = r->nrankings; i-- > 0 && s->n < SERIES - LEADERS;)
        if (r->ranking[i]->ncandidates > 0) add_name(s, r->ranking[i]->candidate[0].name);
    for (size_t i = 0; i < last->ncandidates; i++) {
        const plan_candidate_t *c = &last->candidate[i];
        if (strncmp(c->name, "ompi-", 5) != 0 || !isfinite(c->predicted_s)) continue;
        if (ompi == NULL || c->predicted_s < ompi->predicted_s) ompi = c;
    }
    if (ompi != NULL) add_name(s, ompi->name);
    if (find(last, "ompi-binomial") != NULL) add_name(s, "ompi-binomial");
    for (size_t i = 0; i < last->ncandidates && s->n < SERIES; i++)
        if (plani_is_planned(&last->candidate[i])) add_name(s, last->candidate[i].name);
}

/* MPI's own was timed against the plan as well. */
static double measured_of(const plani_report_t *r, size_t i, const plan_candidate_t *c)
{
    for (size_t k = 0; k < r->ncompared; k++)
        if (r->compared[k].bytes == r->ranking[i]->bytes) {
            if (c->run == PLAN_RUN_NATIVE) return r->compared[k].native_s;
            if (strcmp(c->name, r->compared[k].name) == 0) return r->compared[k].plan_s;
        }
    return c->measured_s;
}

static void put_time(const plani_report_t *r, size_t i, const char *name, plani_text_t *to)
{
    const plan_candidate_t *c = find(r->ranking[i], name);

    plani_page_put(to, "<td>");
    if (c == NULL) {
        plani_page_put(to, "-</td>");
        return;
    }
    bool first = c == r->ranking[i]->candidate;
    double measured = measured_of(r, i, c);
    plani_text_add(to, "%s%s%s", first ? "<b>" : "", plani_seconds(c->predicted_s).s, first ? "</b>" : "");
    if (isfinite(measured)) plani_text_add(to, "<small>%s measured</small>", plani_seconds(measured).s);
    plani_page_put(to, "</td>");
}

static void put_name(const series_t *s, int k, plani_text_t *to)
{
    bool native = strcmp(s->name[k], "native") == 0;
    plani_page_text(to, s->name[k]);
    if (native) plani_text_add(to, " (%s)", plani_report_native(s->r));
}

static void put_table(const series_t *s, plani_text_t *to)
{
    plani_page_put(to, "<div class=\"wide\"><table>\n<tr><th>candidate</th>");
    for (size_t i = 0; i < s->r->nrankings; i++)
        plani_text_add(to, "<th>%s</th>", plani_bytes((double)s->r->ranking[i]->bytes).s);
    plani_page_put(to, "</tr>\n");
    for (int k = 0; k < s->n; k++) {
        plani_page_put(to, "<tr><td>");
        put_name(s, k, to);
        plani_page_put(to, "</td>");
        for (size_t i = 0; i < s->r->nrankings; i++) put_time(s->r, i, s->name[k], to);
        plani_page_put(to, "</tr>\n");
    }
    plani_page_put(to, "</table></div>\n");
}

/* ---- the chart ---- */

enum { LEFT = 62, TOP = 12, WIDE = 640, HIGH = 330 };

typedef struct {
    const series_t *s;
    plani_text_t *to;
    double from, up_to, low, high; /* [B], [s]: the corners */
} chart_t;

static double across(const chart_t *c, double bytes)
{
    return c->up_to > c->from ? LEFT + WIDE * log(bytes / c->from) / log(c->up_to / c->from) : LEFT + WIDE / 2.0;
}

static double down(const chart_t *c, double seconds)
{
    return TOP + HIGH * (1 - log(seconds / c->low) / log(c->high / c->low));
}

static void widen(chart_t *c, double seconds)
{
    if (!isfinite(seconds) || seconds <= 0) return;
    c->low = fmin(c->low, seconds);
    c->high = fmax(c->high, seconds);
}

/* The corners: whole powers of ten of seconds. */
static void find_corners(chart_t *c)
{
    const plani_report_t *r = c->s->r;

    c->from = fmax(1, (double)r->ranking[0]->bytes);
    c->up_to = fmax(1, (double)r->ranking[r->nrankings - 1]->bytes);
    for (int k = 0; k < c->s->n; k++)
        for (size_t i = 0; i < r->nrankings; i++) {
            const plan_candidate_t *x = find(r->ranking[i], c->s->name[k]);
            if (x != NULL) widen(c, x->predicted_s), widen(c, measured_of(r, i, x));
        }
    c->low = pow(10, floor(log10(c->low)));
    c->high = pow(10, ceil(log10(c->high) - 1e-9));
    if (c->high <= c->low) c->high = 10 * c->low;
}

static void put_axes(const chart_t *c)
{
    const plani_report_t *r = c->s->r;
    size_t step = r->nrankings / 12 + 1;

    for (double s = c->low; s <= c->high * 1.001; s *= 10)
        plani_text_add(c->to,
                       "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text class=\"dim\" "
                       "x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                       LEFT, LEFT + WIDE, down(c, s), down(c, s), LEFT - 6, down(c, s) + 4, plani_seconds(s).s);
    for (size_t i = 0; i < r->nrankings; i++) {
        double x = across(c, fmax(1, (double)r->ranking[i]->bytes));
        plani_text_add(c->to, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", x, x, TOP,
                       TOP + HIGH);
        if (i % step == 0)
            plani_text_add(c->to, "<text class=\"dim\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x,
                           TOP + HIGH + 16, plani_bytes((double)r->ranking[i]->bytes).s);
    }
}

static const char *dashes(int k)
{
    static const char *const dash[] = {"", "7 3", "2 3", "9 3 2 3"};
    return dash[k % 4];
}

static void put_series(const chart_t *c, int k)
{
    const plani_report_t *r = c->s->r;
    bool joined = false;

    plani_text_add(c->to, "<path class=\"line s%d\" stroke-dasharray=\"%s\" d=\"", plani_page_series((unsigned)k),
                   dashes(k));
    for (size_t i = 0; i < r->nrankings; i++) {
        const plan_candidate_t *x = find(r->ranking[i], c->s->name[k]);
        bool known = x != NULL && isfinite(x->predicted_s) && x->predicted_s > 0;
        if (known)
            plani_text_add(c->to, "%c%.1f %.1f", joined ? 'L' : 'M', across(c, fmax(1, (double)r->ranking[i]->bytes)),
                           down(c, x->predicted_s));
        joined = known;
    }
    plani_page_put(c->to, "\"/>\n");
    for (size_t i = 0; i < r->nrankings; i++) {
        const plan_candidate_t *x = find(r->ranking[i], c->s->name[k]);
        double s = x != NULL ? measured_of(r, i, x) : NAN;
        if (isfinite(s) && s > 0)
            plani_text_add(c->to, "<circle class=\"mark f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>\n",
                           plani_page_series((unsigned)k), across(c, fmax(1, (double)r->ranking[i]->bytes)),
                           down(c, s));
    }
}

static void put_legend(const series_t *s, plani_text_t *to)
{
    plani_page_put(to, "<p class=\"legend\">");
    for (int k = 0; k < s->n; k++) {
        plani_text_add(to,
                       "<span><svg width=\"34\" height=\"12\"><line class=\"line s%d\" stroke-dasharray=\"%s\" "
                       "x1=\"1\" x2=\"33\" y1=\"6\" y2=\"6\"/></svg>",
                       plani_page_series((unsigned)k), dashes(k));
        put_name(s, k, to);
        plani_page_put(to, "</span>");
    }
    plani_page_put(to, "<span class=\"dim\">lines: by the model; dots: measured</span></p>\n");
}

static void put_chart(const series_t *s, plani_text_t *to)
{
    chart_t c = {.s = s, .to = to, .low = INFINITY, .high = 0};

    find_corners(&c);
    if (!isfinite(c.low) || !isfinite(c.high)) return;
    put_legend(s, to);
    plani_text_add(to,
                   "<div class=\"wide\"><svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
                   "aria-label=\"Time over message size\">\n",
                   LEFT + WIDE + 40, TOP + HIGH + 24, LEFT + WIDE + 40, TOP + HIGH + 24);
    put_axes(&c);
    for (int k = s->n; k-- > 0;) put_series(&c, k);
    plani_page_put(to, "</svg></div>\n");
}

void plani_section_sizes(const plani_report_t *r, plani_text_t *to)
{
    series_t s = {.r = r};

    if (r->nrankings < 2) return;
    choose(&s);
    plani_page_heading(to, "sizes", "Time over message size");
    plani_text_add(to,
                   "<p>The time until the %s has the last byte, each candidate at its best slice size; the "
                   "best of each size is bold.</p>\n",
                   plani_report_reduces(r) ? "root" : "last rank");
    put_chart(&s, to);
    put_table(&s, to);
}
