/* What is shared, the slowest first, how well its measurement repeated, and whether the machine is to be trusted. */
#include "planner/report/limits.h"
#include "planner/report/sections.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    HOSTS = 64, /* beyond, kinds of hosts are listed, not hosts */
    ROWS = 48   /* trunks are listed beyond as well */
};

typedef struct {
    char what[200];
    double rate, message_s; /* 0: none */
    plani_ends_t interval;
    bool trunk, worst, guess;
    size_t nth;
} row_t;

static int slower(const void *a, const void *b)
{
    const row_t *x = a, *y = b;
    double p = x->rate > 0 ? x->rate : INFINITY, q = y->rate > 0 ? y->rate : INFINITY;
    if (p != q) return p < q ? -1 : 1;
    return x->nth < y->nth ? -1 : x->nth > y->nth;
}

/* The interval of a card's or trunk's rate, where the machine has it. */
static plani_ends_t interval_of(const plani_report_t *r, const plani_view_t *v, plani_view_place_t place)
{
    const plani_machine_t *m = r->machine;
    int host = place.host >= 0 ? v->host[place.host].machine : -1;
    int group = place.group >= 0 ? v->group[place.group].machine : -1;

    if (m != NULL && host >= 0 && (place.out || place.in)) {
        const plani_machine_kind_t *kind = &m->kind[m->host[host].kind];
        return place.out ? kind->out.interval : kind->in.interval;
    }
    if (m != NULL && group >= 0) return place.out ? m->group[group].out.interval : m->group[group].in.interval;
    return (plani_ends_t){0, 0};
}

/* Rows of a platform's resources; NULL: out of memory. */
static row_t *of_platform(const plani_report_t *r, const plani_view_t *v, size_t *n)
{
    const plan_platform_data_t *d = plan_platform_data(r->pf);
    const plan_candidate_t *c = plani_report_sent(r, false);
    row_t *row = calloc(d->nresources + 1, sizeof *row);

    for (size_t i = 0; row != NULL && i < d->nresources; i++) {
        plani_view_place_t place = plani_view_place(v, d, i);
        const plan_resource_t *from = &d->resource[i];
        row[i] = (row_t){.rate = from->s_per_byte > 0 ? 1 / from->s_per_byte : 0,
                         .message_s = from->s_per_message,
                         .interval = interval_of(r, v, place),
                         .trunk = place.group >= 0,
                         .guess = from->guess,
                         .nth = i};
        row[i].worst =
            c != NULL && c->bottleneck.seconds > 0 && c->bottleneck.at == PLAN_AT_RESOURCE && c->bottleneck.index == i;
        snprintf(row[i].what, sizeof row[i].what, "%s", plani_resource_name(d, i).s);
    }
    *n = d->nresources;
    return row;
}

/* Rows of the kinds, trunks and flows of a machine; NULL: out of memory. */
static row_t *of_machine(const plani_machine_t *m, size_t *n)
{
    plani_limits_t l;
    if (plani_limits_list(m, &l) != PLAN_OK) return NULL;
    row_t *row = calloc((size_t)l.n + 1, sizeof *row);

    *n = (size_t)l.n;
    for (size_t i = 0; row != NULL && i < *n; i++) {
        row[i] = (row_t){.rate = l.at[i].bytes_per_s,
                         .interval = l.at[i].interval,
                         .trunk = l.at[i].trunk,
                         .guess = l.at[i].guess,
                         .nth = i};
        snprintf(row[i].what, sizeof row[i].what, "%s", l.at[i].what);
    }
    plani_limits_free(&l);
    return row;
}

static void put_row(const row_t *row, bool messages, bool intervals, plani_text_t *to)
{
    plani_text_add(to, "<tr%s><td>", row->worst ? " class=\"worst\"" : "");
    plani_page_text(to, row->what);
    plani_text_add(to, "</td><td>%s</td>", row->rate > 0 ? plani_rate(row->rate).s : "-");
    if (intervals && row->interval.high > 0)
        plani_text_add(to, "<td>%s to %s</td>", plani_rate(row->interval.low).s, plani_rate(row->interval.high).s);
    else if (intervals)
        plani_page_put(to, "<td>-</td>");
    if (messages) plani_text_add(to, "<td>%s</td>", row->message_s > 0 ? plani_seconds(row->message_s).s : "-");
    plani_text_add(to, "<td class=\"l\">%s</td></tr>\n",
                   row->worst && row->guess ? "limits the plan; a guess, not measured"
                   : row->worst             ? "limits the plan"
                   : row->guess             ? "a guess, not measured"
                                            : "");
}

static void put_rows(row_t *row, size_t n, plani_text_t *to)
{
    bool messages = false, intervals = false;
    size_t put = 0;

    for (size_t i = 0; i < n; i++) messages |= row[i].message_s > 0, intervals |= row[i].interval.high > 0;
    qsort(row, n, sizeof *row, slower);
    plani_text_add(to, "<div class=\"wide\"><table>\n<tr><th>resource</th><th>rate</th>%s%s<th></th></tr>\n",
                   intervals ? "<th>interval of its runs</th>" : "", messages ? "<th>a message</th>" : "");
    for (size_t i = 0; i < n; i++)
        if (i < ROWS || row[i].trunk || row[i].worst) put_row(&row[i], messages, intervals, to), put++;
    plani_page_put(to, "</table></div>\n");
    if (put < n) plani_text_add(to, "<p class=\"dim\">... and %zu more, which are faster.</p>\n", n - put);
}

/* ---- trust ---- */

static void put_tried(const json_t *tried, plani_text_t *to)
{
    plani_page_put(to, "<div class=\"wide\"><table>\n<tr><th>tried on broadcasts</th><th>of</th><th>predicted</th>"
                       "<th>took</th><th></th></tr>\n");
    for (size_t i = 0; i < json_array_size(tried); i++) {
        const json_t *at = json_array_get(tried, i);
        const char *what = json_string_value(json_object_get(at, "name"));
        double predicted = json_number_value(json_object_get(at, "predicted_s")),
               measured = json_number_value(json_object_get(at, "measured_s"));
        plani_page_put(to, "<tr><td>");
        plani_page_text(to, plani_label(what != NULL ? what : "").s);
        plani_text_add(to, "</td><td>%s</td><td>%s</td><td>%s</td><td>",
                       plani_bytes(json_number_value(json_object_get(at, "bytes"))).s, plani_seconds(predicted).s,
                       plani_seconds(measured).s);
        if (predicted > 0) plani_text_add(to, "%+.0f%%", 100 * (measured / predicted - 1));
        plani_page_put(to, "</td></tr>\n");
    }
    plani_page_put(to, "</table></div>\n");
}

static void put_trust(const json_t *provenance, plani_text_t *to)
{
    const json_t *tried = json_object_get(provenance, "validation");
    long long left_out = (long long)json_integer_value(json_object_get(provenance, "left_out"));
    double error = plani_validation_error(tried);

    if (provenance == NULL) {
        plani_page_put(to, "<p>These figures were described, not measured, as far as the file says.</p>\n");
        return;
    }
    if (json_array_size(tried) == 0)
        plani_page_put(to, "<p>No broadcast has tried these figures.</p>\n");
    else if (error > PLANI_OFF)
        plani_text_add(
            to,
            "<p><b>Not to be trusted:</b> the broadcasts that tried these figures took times that differ from "
            "the prediction by a factor of up to %.1f. Measure again.</p>\n",
            1 + error);
    else
        plani_text_add(to,
                       "<p>The broadcasts that tried these figures took what was predicted, to a factor of %.2f.</p>\n",
                       1 + error);
    if (left_out > 0)
        plani_text_add(to, "<p>Time did not allow %lld steps of measuring: measure again, with a larger budget.</p>\n",
                       left_out);
    if (json_array_size(json_object_get(provenance, "guessed")) > 0)
        plani_text_add(to,
                       "<p>The rates of %zu trunks, or of the cards of a kind, are guesses for plans, which the bound "
                       "ignores.</p>\n",
                       json_array_size(json_object_get(provenance, "guessed")));
    if (json_array_size(tried) > 0) put_tried(tried, to);
}

void plani_section_resources(const plani_report_t *r, const plani_view_t *view, plani_text_t *to)
{
    bool by_host =
        r->pf != NULL && plan_platform_data(r->pf)->nresources > 0 && (view->nhosts <= HOSTS || r->machine == NULL);
    size_t n = 0;
    row_t *row = NULL;

    if (!by_host && r->machine == NULL) return;
    plani_page_heading(to, "resources", "What is shared, slowest first");
    row = by_host ? of_platform(r, view, &n) : of_machine(r->machine, &n);
    if (row == NULL)
        to->failed = true;
    else if (n > 0)
        put_rows(row, n, to);
    free(row);
    put_trust(r->provenance, to);
}
