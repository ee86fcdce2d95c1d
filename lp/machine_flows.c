/*
 * Limits of single flows. A machine of few leaves is written out, without nodes that stand for several, as the general
 * program (program.h), with a link for each pair of leaves. Each way out of a node and into it, its memory and its
 * processors are a resource that lists the links which pass it, and so is each limited flow. No ports are held.
 */
#include "lp/machine_flows.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "lp/program.h"

enum { OUT, IN, INSIDE, THROUGH, WORK, KINDS };
static const double EXACT = 1e-9; /* relative gap */
static const double FREE = 1e-3;  /* load of a link that nothing limits, at most */
static const double ROUGH = 1e-3; /* of the largest price: less counts as 0 */

/* The machine written out. The copies of a node follow each other, after those of its parent. Rows: KINDS of each copy,
 * then one of each link. */
typedef struct {
    const plani_machine_problem_t *p;
    int copies, leaves, root;
    int *of, *around, *host; /* [copies] its node; the copy that it is in; the host that it is or is in, -1: none */
    int *leaf;               /* [leaves] copies */
    size_t links, entries;
    int *from, *to;      /* [links] leaves */
    double *cost, *port; /* [links] [s/B] */
    size_t *first;       /* [rows + 1] entries of each row */
    size_t *link;        /* [entries]; NULL while they are counted */
    double *entry;       /* [entries] [s/B] */
    double sum;          /* [B/s] of all entries: no rate that is limited at all exceeds it */
} written_t;

static void clear(written_t *w)
{
    free(w->of);
    free(w->from);
    free(w->cost);
    free(w->first);
    free(w->link);
    free(w->entry);
}

static size_t rows_of(const written_t *w)
{
    return KINDS * (size_t)w->copies + w->links;
}

/* ---- nodes ---- */

/* 1: some flow is limited; -1: no limit that could be one. */
static int any_limit(const plani_machine_problem_t *p, plan_error_t *err)
{
    int any = 0;
    for (int x = 0; x < p->nodes; x++)
        for (int y = 0; y < p->nodes && p->host[x]; y++) {
            double flow = p->flow[(size_t)x * (size_t)p->nodes + (size_t)y];
            if (!p->host[y]) continue;
            if (!(flow > 0)) {
                plani_fail(err, PLAN_EINVAL, "nodes %d and %d: flows of %g; give more than 0", x, y, flow);
                return -1;
            }
            any = any || isfinite(flow);
        }
    return any;
}

/* Room for all copies; false: there are more leaves than are written out. */
static bool count_copies(const plani_machine_problem_t *p, const int *children, const double *number, written_t *w)
{
    double copies = 1, leaves = 0;
    for (int x = 1; x < p->nodes; x++) {
        copies += number[x];
        if (children[x] == 0) leaves += number[x];
    }
    if (leaves > PLANI_FLOW_LEAVES) return false;
    w->copies = (int)copies, w->leaves = (int)leaves;
    w->links = (size_t)w->leaves * (size_t)(w->leaves - 1);
    return true;
}

/* Each leaf is or lies in one host, and nothing around hosts stands for several. */
static plan_status_t copy_nodes(written_t *w, const int *children, const double *number, plan_error_t *err)
{
    const plani_machine_problem_t *p = w->p;
    int next = 0, leaves = 0, *start = w->leaf + w->leaves; /* [nodes] the first copy of each */
    for (int x = 0; x < p->nodes; x++) {
        int above = x > 0 ? start[p->parent[x]] : -1, count = p->count != NULL ? p->count[x] : 1;
        start[x] = next;
        for (int k = 0; k < (int)number[x]; k++, next++) {
            int up = x > 0 ? above + k / count : -1, host = x > 0 ? w->host[up] : -1;
            if (p->host[x] && host >= 0) return plani_fail(err, PLAN_EINVAL, "node %d: a host within a host", x);
            w->of[next] = x, w->around[next] = up, w->host[next] = p->host[x] ? next : host;
            if (x > 0 && w->host[next] < 0 && (children[x] == 0 || count != 1))
                return plani_fail(err, PLAN_EINVAL, "node %d: a group of hosts that has none, or stands for several",
                                  x);
            if (x == p->root) w->root = leaves;
            if (children[x] == 0) w->leaf[leaves++] = next;
        }
    }
    return PLAN_OK;
}

/* ---- links ---- */

/* What one byte over link l takes of a row; nothing of those without a limit. */
static void add(written_t *w, size_t row, size_t l, double seconds)
{
    if (!(seconds > 0)) return;
    w->cost[l] = plani_max(w->cost[l], seconds);
    if (w->link != NULL) {
        w->link[w->first[row]] = l;
        w->entry[w->first[row]] = seconds;
    } else {
        w->entries++;
        w->sum += 1 / seconds;
    }
    w->first[row]++;
}

static void pass(written_t *w, int copy, size_t l, bool out)
{
    const plani_machine_problem_t *p = w->p;
    size_t row = KINDS * (size_t)copy;
    int x = w->of[copy];
    bool leaf = copy == w->leaf[w->from[l]] || copy == w->leaf[w->to[l]];
    const double *work = out ? p->send_s : p->receive_s;
    add(w, row + (out ? OUT : IN), l, 1 / (out ? p->out[x] : p->in[x]));
    if (p->through != NULL && !leaf) add(w, row + THROUGH, l, 1 / p->through[x]);
    if (work != NULL) add(w, row + WORK, l, work[x]);
}

/* All that link l takes. `rate` [B/s]: what a link that nothing limits is asked for at most; INFINITY: leave it out. */
static void use(written_t *w, size_t l, double rate)
{
    const plani_machine_problem_t *p = w->p;
    int up = w->leaf[w->from[l]], down = w->leaf[w->to[l]], a = w->host[up], b = w->host[down];
    size_t own = KINDS * (size_t)w->copies + l;
    while (up != down) { /* the higher number is not around the other */
        int *farther = up > down ? &up : &down;
        pass(w, *farther, l, up > down);
        *farther = w->around[*farther];
    }
    if (p->inside != NULL) add(w, KINDS * (size_t)up + INSIDE, l, 1 / p->inside[w->of[up]]);
    if (p->through != NULL && up > 0) add(w, KINDS * (size_t)up + THROUGH, l, 1 / p->through[w->of[up]]);
    if (a != b) add(w, own, l, 1 / p->flow[(size_t)w->of[a] * (size_t)p->nodes + (size_t)w->of[b]]);
    if (w->cost[l] == 0) add(w, own, l, FREE / rate);
}

static void list_links(written_t *w)
{
    size_t l = 0;
    for (int u = 0; u < w->leaves; u++)
        for (int v = 0; v < w->leaves; v++)
            if (u != v) w->from[l] = u, w->to[l++] = v;
}

/* Rows are counted, then filled. */
static plan_status_t list_rows(written_t *w, double rate)
{
    size_t rows = rows_of(w), sum = 0;
    for (size_t l = 0; l < w->links; l++) use(w, l, INFINITY);
    if (w->sum == 0) return PLAN_OK;
    if (!isfinite(rate)) rate = w->sum;
    for (size_t l = 0; l < w->links; l++)
        if (w->cost[l] == 0) w->first[KINDS * (size_t)w->copies + l]++, w->entries++;
    for (size_t i = 0; i <= rows; i++) {
        size_t n = w->first[i];
        w->first[i] = sum;
        sum += n;
    }
    w->link = malloc((w->entries + 1) * sizeof *w->link);
    w->entry = malloc((w->entries + 1) * sizeof *w->entry);
    if (w->link == NULL || w->entry == NULL) return PLAN_ENOMEM;
    for (size_t l = 0; l < w->links; l++) use(w, l, rate);
    memmove(w->first + 1, w->first, rows * sizeof *w->first);
    w->first[0] = 0;
    return PLAN_OK;
}

static plan_status_t write_down(const int *children, const double *number, double rate, written_t *w, plan_error_t *err)
{
    size_t copies = (size_t)w->copies, links = w->links;
    plan_status_t rc = PLAN_ENOMEM;
    w->of = calloc(3 * copies + (size_t)w->leaves + (size_t)w->p->nodes, sizeof *w->of);
    w->from = calloc(2 * links + 1, sizeof *w->from);
    w->cost = calloc(2 * links + 1, sizeof *w->cost);
    w->first = calloc(rows_of(w) + 1, sizeof *w->first);
    if (w->of == NULL || w->from == NULL || w->cost == NULL || w->first == NULL) goto done;
    w->around = w->of + copies, w->host = w->around + copies, w->leaf = w->host + copies;
    w->to = w->from + links, w->port = w->cost + links;
    if ((rc = copy_nodes(w, children, number, err)) != PLAN_OK) goto done;
    list_links(w);
    rc = list_rows(w, rate);
done:
    return rc == PLAN_ENOMEM ? plani_fail(err, rc, "out of memory for flows between %d leaves", w->leaves) : rc;
}

/* ---- solving ---- */

/* What prices of rows say that resources are worth. They are rough where the flows into one leaf, without prices, are
 * the least bound: then all rows have some. */
static void take(const written_t *w, const double *price, plani_machine_bound_t *b)
{
    double *const worth[KINDS] = {b->out_worth, b->in_worth, b->inside_worth, b->inside_worth, b->worker_worth};
    size_t rows = rows_of(w), own = KINDS * (size_t)w->copies;
    double sum = 0, most = 0;
    for (size_t i = 0; i < rows; i++) most = plani_max(most, price[i]);
    for (size_t i = 0; i < rows; i++) sum += price[i] > ROUGH * most ? price[i] : 0;
    for (int k = 0; k < KINDS; k++) memset(worth[k], 0, (size_t)w->p->nodes * sizeof *worth[k]);
    b->flows_worth = sum > 0 ? 0 : 1;
    for (size_t i = 0; i < rows; i++)
        if (price[i] > ROUGH * most)
            *(i < own ? &worth[i % KINDS][w->of[i / KINDS]] : &b->flows_worth) += price[i] / sum;
}

static plan_status_t solve(const written_t *w, plani_machine_bound_t *b, plan_error_t *err)
{
    const plani_steady_problem_t problem = {.ranks = w->leaves,
                                            .root = w->root,
                                            .nlinks = w->links,
                                            .from = w->from,
                                            .to = w->to,
                                            .cost = w->cost,
                                            .port = w->port,
                                            .nresources = rows_of(w),
                                            .resource_first = w->first,
                                            .resource_link = w->link,
                                            .entry_cost = w->entry};
    const plan_steady_options_t options = {.size = sizeof options, .gap = EXACT};
    plan_steady_t *s = NULL;
    plan_status_t rc = plani_steady_solve(&problem, &options, &s, err);
    if (rc != PLAN_OK) return rc;
    double rate = plan_steady_data(s)->upper;
    if (rate < b->rate && rate < 2 * w->sum) {
        b->rate = rate;
        take(w, plani_steady_prices(s) + 2 * w->leaves, b);
    }
    plan_steady_destroy(&s);
    return PLAN_OK;
}

plan_status_t plani_flows_bound(const plani_machine_problem_t *p, const int *children, const double *number,
                                plani_machine_bound_t *bound, plan_error_t *err)
{
    written_t w = {.p = p};
    int any = any_limit(p, err);
    if (any <= 0) return any < 0 ? PLAN_EINVAL : PLAN_OK;
    if (!count_copies(p, children, number, &w) || w.links == 0) return PLAN_OK;
    plan_status_t rc = write_down(children, number, bound->rate, &w, err);
    if (rc == PLAN_OK && w.sum > 0) rc = solve(&w, bound, err);
    clear(&w);
    return rc;
}
