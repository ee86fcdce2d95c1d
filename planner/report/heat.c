/* Heat maps: latency and rate of a single message from each host to each other, or among classes of hosts. */
#include "planner/report/sections.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    UNITS = 32, /* rows that are drawn: beyond, hosts of a group and kind are one */
    TINTS = 7,
    WITH_FIGURES = 12 /* rows up to which cells have room for figures */
};

typedef struct {
    int n, ranks;
    int *of; /* [ranks] unit of each rank */
    plani_label_t *label;
    double *latency, *rate; /* [n * n] NAN: no link */
} map_t;

static void clear(map_t *m)
{
    free(m->of);
    free(m->label);
    free(m->latency);
    free(m->rate);
}

/* Ranks are units on one host; else hosts, or, of many, those of a group and kind. example: [hosts] scratch */
static void find_units(const plani_view_t *v, map_t *m, int *unit, int *example)
{
    for (int r = 0; r < m->ranks; r++) m->of[r] = v->nhosts > 1 ? v->host_of[r] : r;
    m->n = v->nhosts > 1 ? v->nhosts : m->ranks;
    if (m->n <= UNITS || v->nhosts == 1) return;
    m->n = 0;
    for (int h = 0; h < v->nhosts; h++) {
        int k = 0;
        while (k < m->n &&
               (v->host[example[k]].group != v->host[h].group || v->host[example[k]].kind != v->host[h].kind))
            k++;
        if (k == m->n) example[m->n++] = h;
        unit[h] = k;
    }
    for (int r = 0; r < m->ranks; r++) m->of[r] = unit[v->host_of[r]];
}

static void name_units(const plani_view_t *v, map_t *m)
{
    bool classes = v->nhosts > 1 && m->n != v->nhosts;
    for (int r = m->ranks - 1; r >= 0; r--) {
        const plani_view_host_t *host = &v->host[v->host_of[r]];
        char text[64];
        if (!classes && v->nhosts > 1)
            snprintf(text, sizeof text, "%s", host->name);
        else if (!classes)
            snprintf(text, sizeof text, "rank %d", r);
        else
            snprintf(text, sizeof text, "%.20s like %.12s", host->group >= 0 ? v->group[host->group].name : "hosts",
                     host->name);
        m->label[m->of[r]] = plani_label(text);
    }
}

static bool allocate(const plani_view_t *v, map_t *m)
{
    int *scratch = malloc((2 * (size_t)v->nhosts + 1) * sizeof *scratch);

    m->ranks = v->ranks;
    m->of = malloc(((size_t)v->ranks + 1) * sizeof *m->of);
    if (scratch != NULL && m->of != NULL) find_units(v, m, scratch, scratch + v->nhosts);
    free(scratch);
    if (scratch == NULL || m->of == NULL) return false;
    if (m->n > UNITS) return true; /* not drawn */
    size_t cells = (size_t)m->n * (size_t)m->n;
    m->label = calloc((size_t)m->n + 1, sizeof *m->label);
    m->latency = malloc((cells + 1) * sizeof *m->latency);
    m->rate = malloc((cells + 1) * sizeof *m->rate);
    if (m->label == NULL || m->latency == NULL || m->rate == NULL) return false;
    name_units(v, m);
    for (size_t i = 0; i < cells; i++) m->latency[i] = m->rate[i] = NAN;
    return true;
}

/* The least latency, and the largest rate, of links from one unit to another. */
static void fill(const plan_platform_data_t *d, map_t *m)
{
    for (size_t l = 0; l < d->nlinks; l++) {
        const plan_link_t *link = &d->link[l];
        size_t cell = (size_t)m->of[link->from] * (size_t)m->n + (size_t)m->of[link->to];
        m->latency[cell] = fmin(m->latency[cell], link->latency_s + link->delay_s);
        if (link->s_per_byte > 0) m->rate[cell] = fmax(m->rate[cell], 1 / link->s_per_byte);
    }
}

typedef struct {
    const map_t *m;
    const double *value;
    plani_quantity_t (*unit)(double);
    bool high_is_bad;
    double low, high;
    int cell, left, top; /* pixels */
} picture_t;

/* 0: best; 6: worst, on a logarithmic scale. Values that differ by noise have one tint. */
static int tint(const picture_t *p, double x)
{
    if (!(p->low > 0) || p->high <= p->low * (1 + PLANI_ALIKE)) return 0;
    double at = log(x / p->low) / log(p->high / p->low);
    int step = (int)fmin(TINTS - 1, floor(TINTS * at));
    return p->high_is_bad ? step : TINTS - 1 - step;
}

static void put_cell(const picture_t *p, int a, int b, plani_text_t *to)
{
    double x = p->value[(size_t)a * (size_t)p->m->n + (size_t)b];
    int left = p->left + b * p->cell, top = p->top + a * p->cell, t;

    if (!isfinite(x)) return;
    t = tint(p, x);
    plani_page_put(to, "<g><title>");
    plani_page_text(to, p->m->label[a].s);
    plani_page_put(to, " to ");
    plani_page_text(to, p->m->label[b].s);
    plani_text_add(to, ": %s</title><rect class=\"h%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", p->unit(x).s,
                   t, left, top, p->cell - 1, p->cell - 1);
    if (p->m->n <= WITH_FIGURES)
        plani_text_add(to, "<text class=\"i%d\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>", t,
                       left + p->cell / 2, top + p->cell / 2 + 4, p->unit(x).s);
    plani_page_put(to, "</g>\n");
}

static void put_labels(const picture_t *p, plani_text_t *to)
{
    for (int a = 0; a < p->m->n; a++) {
        int at = a * p->cell + p->cell / 2;
        plani_text_add(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", p->left - 6, p->top + at + 4);
        plani_page_text(to, p->m->label[a].s);
        plani_text_add(to, "</text><text transform=\"translate(%d %d) rotate(-45)\">", p->left + at, p->top - 5);
        plani_page_text(to, p->m->label[a].s);
        plani_page_put(to, "</text>\n");
    }
}

static void put_scale(const picture_t *p, plani_text_t *to)
{
    plani_text_add(to,
                   "<p class=\"legend\"><span>%s</span><svg width=\"112\" height=\"12\" role=\"img\" "
                   "aria-label=\"scale\">",
                   p->unit(p->high_is_bad ? p->low : p->high).s);
    for (int i = 0; i < TINTS; i++)
        plani_text_add(to, "<rect class=\"h%d\" x=\"%d\" y=\"0\" width=\"16\" height=\"12\"/>", i, 16 * i);
    plani_text_add(to, "</svg><span>%s</span></p>\n", p->unit(p->high_is_bad ? p->high : p->low).s);
}

/* Pixels that a text of this font takes at most, about. */
static int width_of(const map_t *m)
{
    int most = 0;
    for (int a = 0; a < m->n; a++) {
        int n = 0;
        for (const char *c = m->label[a].s; *c != '\0'; c++) n += ((unsigned char)*c & 0xc0) != 0x80;
        if (n > most) most = n;
    }
    return 7 * most + 10;
}

static void put_map(const map_t *m, const char *title, const double *value, plani_quantity_t (*unit)(double),
                    bool high_is_bad, plani_text_t *to)
{
    picture_t p = {m, value, unit, high_is_bad, INFINITY, 0, m->n <= WITH_FIGURES ? 56 : 20, width_of(m), 0};
    size_t cells = (size_t)m->n * (size_t)m->n;

    p.top = (int)(0.72 * p.left) + 16;
    for (size_t i = 0; i < cells; i++)
        if (isfinite(value[i])) p.low = fmin(p.low, value[i]), p.high = fmax(p.high, value[i]);
    if (!(p.high > 0)) return;
    int width = p.left + m->n * p.cell + p.top, height = p.top + m->n * p.cell + 2;
    plani_text_add(to, "<div><h3>%s</h3>\n", title);
    put_scale(&p, to);
    plani_text_add(to,
                   "<div class=\"wide\"><svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
                   "aria-label=\"%s\">\n",
                   width, height, width, height, title);
    put_labels(&p, to);
    for (int a = 0; a < m->n; a++)
        for (int b = 0; b < m->n; b++) put_cell(&p, a, b, to);
    plani_page_put(to, "</svg></div></div>\n");
}

void plani_section_heat(const plani_report_t *r, const plani_view_t *view, plani_text_t *to)
{
    map_t m = {.n = 0};

    if (r->pf == NULL || view->ranks < 2) return;
    if (!allocate(view, &m)) {
        to->failed = true;
    } else if (m.n > 1 && m.n <= UNITS) {
        fill(plan_platform_data(r->pf), &m);
        plani_page_heading(to, "heat", "Latency and rate of one message");
        plani_text_add(to, "<p class=\"dim\">From the %s of a row to that of a column, alone; dark is slow.</p>\n",
                       view->nhosts == 1     ? "rank"
                       : m.n == view->nhosts ? "host"
                                             : "class of hosts (those of a group with equal cards)");
        plani_page_put(to, "<div class=\"maps\">\n");
        put_map(&m, "Latency", m.latency, plani_seconds, true, to);
        put_map(&m, "Rate", m.rate, plani_rate, false, to);
        plani_page_put(to, "</div>\n");
    }
    clear(&m);
}
