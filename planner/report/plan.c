/* The plan on the machine: its trees over hosts, left to right; or the order of its rounds. */
#include "planner/report/sections.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANKS = 64,   /* beyond, what stays in a group (without groups: on a host) is one node */
    NODES = 96,   /* of one picture; what lies below others is counted */
    TREES = 4,    /* pictures */
    COLUMNS = 10, /* of a picture; longer chains go on below */
    ROW = 26,
    HIGH = 20,
    TINTS = 6
};

typedef struct {
    char text[64];
    int tint;          /* of its outermost group; -1 */
    int child, next;   /* nodes; -1 */
    int last;          /* child */
    int ranks, hidden; /* that it stands for, that lie below it and are not drawn */
    bool root, worst, worst_in;
} node_t;

typedef struct {
    const plani_report_t *r;
    const plani_view_t *v;
    const plan_candidate_t *c;
    plani_text_t *to;
    bool *worst; /* [links] pass what holds the plan up; NULL: none do */
    int n;
    node_t *node; /* [ranks] */
    int *of;      /* [ranks] node of each rank; -1: below one that is drawn, which is: */
    int *under;   /* [ranks] */
    /* while a picture is laid out: */
    int queue[NODES], queued; /* nodes whose children go on below */
    int rows, columns, width;
} tree_t;

/* ---- what is drawn ---- */

static int unit_of(const tree_t *t, int rank)
{
    int host = t->v->host_of[rank];
    if (t->v->ranks <= RANKS) return rank;
    return t->v->ngroups > 1 ? plani_view_outermost(t->v, host) : host;
}

/* What goes between a rank and its child. */
static bool is_worst(const tree_t *t, int from, int to)
{
    bool up = plani_report_reduces(t->r);
    if (t->worst == NULL) return false;
    size_t l = plan_platform_find_link(t->r->pf, up ? to : from, up ? from : to);
    return l != (size_t)-1 && t->worst[l];
}

static void add_node(tree_t *t, int rank, int above)
{
    int group = plani_view_outermost(t->v, t->v->host_of[rank]);
    node_t *n = &t->node[t->n];

    *n = (node_t){.child = -1, .next = -1, .last = -1, .tint = group >= 0 ? group % TINTS : -1, .root = above < 0};
    if (t->v->ranks <= RANKS)
        snprintf(n->text, sizeof n->text, "%s", plani_view_rank(t->v, rank).s);
    else if (t->v->ngroups > 1 && group >= 0)
        snprintf(n->text, sizeof n->text, "%.24s", t->v->group[group].name);
    else
        snprintf(n->text, sizeof n->text, "%.24s", t->v->host[t->v->host_of[rank]].name);
    if (above >= 0) {
        node_t *up = &t->node[above];
        if (up->last >= 0)
            t->node[up->last].next = t->n;
        else
            up->child = t->n;
        up->last = t->n;
    }
    t->of[rank] = t->n++;
}

/* Children in send order below their parents: breadth first, by the order of each parent's children. */
static void take(tree_t *t, const plan_tree_t *tree, int u)
{
    int n = 0;
    const int *child = plan_tree_children(tree, u, &n);
    bool one = t->v->ranks > RANKS;

    for (int i = 0; i < n; i++) {
        int v = child[i], node = t->of[u];
        t->under[v] = node >= 0 ? node : t->under[u];
        if (one && node >= 0 && unit_of(t, v) == unit_of(t, u)) {
            t->of[v] = node;
        } else if (node >= 0 && t->n < NODES) {
            add_node(t, v, node);
            t->node[t->of[v]].worst_in = is_worst(t, u, v);
        } else {
            t->of[v] = -1;
        }
        if (t->of[v] >= 0)
            t->node[t->of[v]].ranks++;
        else
            t->node[t->under[v]].hidden++;
        if (t->of[v] >= 0 && plani_is_at_rank(&t->c->bottleneck, v)) t->node[t->of[v]].worst = true;
    }
}

static void make_nodes(tree_t *t, const plan_tree_t *tree)
{
    const plan_tree_data_t *d = plan_tree_data(tree);

    t->n = 0;
    add_node(t, d->root, -1);
    t->node[0].ranks = 1;
    t->node[0].worst = plani_is_at_rank(&t->c->bottleneck, d->root);
    t->under[d->root] = 0;
    for (int i = 0; i < d->ranks; i++) take(t, tree, d->breadth_first[i]);
    t->width = 0;
    for (int k = 0; k < t->n; k++) {
        node_t *n = &t->node[k];
        size_t used = strlen(n->text);
        if (d->ranks > RANKS && n->ranks > 1) snprintf(n->text + used, sizeof n->text - used, " (%d ranks)", n->ranks);
        used = strlen(n->text);
        if (n->hidden > 0) snprintf(n->text + used, sizeof n->text - used, " +%d", n->hidden);
        int chars = 0;
        for (const char *c = n->text; *c != '\0'; c++) chars += ((unsigned char)*c & 0xc0) != 0x80;
        if (7 * chars + 14 > t->width) t->width = 7 * chars + 14;
    }
}

/* ---- the picture ---- */

static int left_of(const tree_t *t, int column)
{
    return 4 + column * (t->width + 26);
}

static void put_node(const tree_t *t, int k, int column, int row, bool again)
{
    const node_t *n = &t->node[k];
    int x = left_of(t, column), y = row * ROW + 4;

    plani_text_add(t->to, "<rect class=\"node");
    if (n->root) plani_page_put(t->to, " root");
    if (n->worst) plani_page_put(t->to, " worst");
    if (again) plani_page_put(t->to, " again");
    if (!n->root && n->tint >= 0) plani_text_add(t->to, " g%d", n->tint);
    plani_text_add(t->to,
                   "\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/><text class=\"%s\" x=\"%d\" "
                   "y=\"%d\" text-anchor=\"middle\">",
                   x, y, t->width, HIGH,
                   n->root        ? "root"
                   : n->tint >= 0 ? "on"
                                  : "",
                   x + t->width / 2, y + 14);
    plani_page_text(t->to, n->text);
    plani_page_put(t->to, "</text>\n");
}

static void put_edge(const tree_t *t, int k, int column, int start, int end)
{
    int x = left_of(t, column) - 26, from = start * ROW + 4 + HIGH / 2, at = end * ROW + 4 + HIGH / 2;
    bool up = plani_report_reduces(t->r);
    const char *worst = t->node[k].worst_in ? " worst" : "";
    plani_text_add(t->to, "<path class=\"edge%s\" d=\"M%d %dH%dV%dH%d\"/>", worst, x, from, x + 12, at, x + 24);
    plani_text_add(t->to, "<path class=\"edge%s\" d=\"M%d %dl%d 4l%d 4\"/>\n", worst, up ? x + 7 : x + 19,
                   (up ? from : at) - 4, up ? -5 : 5, up ? 5 : -5);
}

/* Node k and what is below it, from a row on; returns the first row below. Children are in send order, the first on the
 * row of its parent. */
static int lay_out(tree_t *t, int k, int column, int row, bool again)
{
    int next = row;

    put_node(t, k, column, row, again);
    if (column + 1 > t->columns) t->columns = column + 1;
    if (t->node[k].child >= 0 && column + 1 >= COLUMNS) {
        plani_text_add(t->to, "<text class=\"dim\" x=\"%d\" y=\"%d\">...</text>\n", left_of(t, column) + t->width + 4,
                       row * ROW + 18);
        t->queue[t->queued++] = k;
        return row + 1;
    }
    for (int child = t->node[k].child; child >= 0; child = t->node[child].next) {
        put_edge(t, child, column + 1, row, next);
        next = lay_out(t, child, column + 1, next, false);
    }
    return next > row ? next : row + 1;
}

/* The picture goes into a text of its own, for its size is known last. */
static void put_tree(tree_t *t)
{
    plani_text_t body = {0}, *page = t->to;

    t->to = &body;
    t->queued = t->columns = 0;
    t->rows = lay_out(t, 0, 0, 0, false);
    for (int i = 0; i < t->queued; i++) t->rows = lay_out(t, t->queue[i], 0, t->rows, true);
    t->to = page;
    int width = left_of(t, t->columns) + 4, height = t->rows * ROW + 6;
    plani_text_add(page,
                   "<div class=\"wide\"><svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
                   "aria-label=\"tree\">\n",
                   width, height, width, height);
    if (body.failed) page->failed = true;
    if (body.at != NULL) plani_page_put(page, body.at);
    plani_page_put(page, "</svg></div>\n");
    free(body.at);
}

/* Links that pass the resource, or are the link, that holds the plan up. */
static bool find_worst(tree_t *t)
{
    const plan_bottleneck_t *b = &t->c->bottleneck;
    const plan_platform_data_t *d = t->r->pf != NULL ? plan_platform_data(t->r->pf) : NULL;

    if (d == NULL || !(b->seconds > 0)) return true;
    bool resource = b->at == PLAN_AT_RESOURCE && b->index < d->nresources;
    if (!resource && !(b->at == PLAN_AT_LINK && b->index < d->nlinks)) return true;
    if ((t->worst = calloc(d->nlinks + 1, sizeof *t->worst)) == NULL) return false;
    if (!resource) t->worst[b->index] = true;
    for (size_t i = 0; resource && i < d->resource[b->index].nlinks; i++)
        t->worst[d->resource[b->index].link[i]] = true;
    return true;
}

static void put_trees(const plani_report_t *r, const plani_view_t *v, const plan_candidate_t *c, plani_text_t *to)
{
    size_t ranks = (size_t)v->ranks;
    double total = 0;
    tree_t t = {.r = r, .v = v, .c = c, .to = to};

    t.node = calloc(ranks + 1, sizeof *t.node);
    t.of = calloc(ranks + 1, sizeof *t.of);
    t.under = calloc(ranks + 1, sizeof *t.under);
    if (t.node == NULL || t.of == NULL || t.under == NULL || !find_worst(&t)) {
        to->failed = true;
        goto done;
    }
    plani_text_add(to, "<p class=\"dim\">Each box %s right of it, the uppermost first%s%s.</p>\n",
                   plani_report_reduces(r) ? "combines with its own what it receives from those" : "sends to those",
                   t.worst != NULL ? "; what passes the bottleneck is red" : "",
                   v->ranks > RANKS ? "; +n counts ranks below that are not drawn" : "");
    for (size_t k = 0; k < c->ntrees; k++) total += c->rate[k];
    for (size_t k = 0; k < c->ntrees && k < TREES; k++) {
        if (c->ntrees > 1)
            plani_text_add(to, "<h3>Tree %zu of %zu: %.0f%% of the slices</h3>\n", k + 1, c->ntrees,
                           100 * c->rate[k] / total);
        make_nodes(&t, c->tree[k]);
        put_tree(&t);
    }
    if (c->ntrees > TREES) plani_text_add(to, "<p class=\"dim\">... and %zu more trees</p>\n", c->ntrees - TREES);
done:
    free(t.node);
    free(t.of);
    free(t.under);
    free(t.worst);
}

/* ---- without trees ---- */

static void put_chip(const plani_view_t *v, int rank, bool root, plani_text_t *to)
{
    plani_text_add(to, "<span%s>", root ? " class=\"root\"" : "");
    plani_page_text(to, plani_view_rank(v, rank).s);
    plani_page_put(to, "</span>");
}

static void put_order(const plani_view_t *v, const plan_candidate_t *c, plani_text_t *to)
{
    enum { MOST = 256 };
    plani_text_add(to, "<p>Rounds of %s among the ranks in this order:</p>\n<div class=\"chips\">",
                   plan_schedule_name(c->schedule));
    for (int i = 0; i < c->places && i < MOST; i++) put_chip(v, c->order[i], i == 0, to);
    plani_text_add(to, "%s</div>\n", c->places > MOST ? "..." : "");
}

static void put_shared(const plani_report_t *r, const plani_view_t *v, plani_text_t *to)
{
    enum { MOST = 256 };
    int root = r->plan != NULL ? plan_data(r->plan)->root : r->nrankings > 0 ? r->ranking[0]->root : 0;
    plani_page_put(to, "<p>The root writes into memory that all ranks of the host share, and the others read it:</p>\n"
                       "<div class=\"chips\">");
    for (int rank = 0; rank < v->ranks && rank < MOST; rank++) put_chip(v, rank, rank == root, to);
    plani_text_add(to, "%s</div>\n", v->ranks > MOST ? "..." : "");
}

static void put_text(const plani_report_t *r, plani_text_t *to)
{
    char *why = NULL;

    if (r->plan == NULL) return;
    plan_status_t rc = plan_explain(r->plan, r->pf, r->bytes, &why);
    if (rc == PLAN_ENOMEM) to->failed = true;
    if (rc != PLAN_OK) return;
    plani_page_put(to, "<p class=\"facts\">");
    for (char *line = why, *end; *line != '\0'; line = end) {
        end = line + strcspn(line, "\n");
        bool more = *end != '\0';
        if (more) *end++ = '\0';
        plani_page_text(to, line);
        plani_page_put(to, more && *end != '\0' ? "<br/>\n" : "");
    }
    plani_page_put(to, "</p>\n");
    free(why);
}

void plani_section_plan(const plani_report_t *r, const plani_view_t *view, plani_text_t *to)
{
    const plan_candidate_t *c = r->chosen;

    if (c == NULL || view->ranks < 2) return;
    plani_page_heading(to, "plan", "The plan on the machine");
    put_text(r, to);
    if (plani_has_trees(c))
        put_trees(r, view, c, to);
    else if (c->run == PLAN_RUN_ROUNDS)
        put_order(view, c, to);
    else if (c->run == PLAN_RUN_SHARED)
        put_shared(r, view, to);
}
