/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans as bytes, for the ranks of one job: all have the same types. Files hold plans as JSON (plan_write.c). */
#include "graphs/trees/trees.h"
#include "lib/base/base.h"
#include "planner/plan/plan_private.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    int ranks, root, reduces, hosts;    /* hosts: whether [ranks] of them follow */
    unsigned long long ntrees, nranges; /* then the trees, parent[ranks] and order[ranks] of each, and the ranges */
} head_t;

/* Of one range. After it: of each tree its index and rate, windows of links [ntrees * ranks], the order [places]. */
typedef struct {
    char name[64];
    unsigned long long up_to, slice, ntrees;
    int run, window, schedule, places, windows; /* windows: whether there are any */
    double throughput, lp_ratio, predicted_s, measured_s;
    plan_bottleneck_t bottleneck;
    plani_note_t note;
} packed_t;

typedef struct {
    unsigned long long tree;
    double rate;
} share_t;

/* ---- packing ---- */

typedef struct {
    unsigned char *to; /* NULL: only counts */
    size_t n;
} writer_t;

static void put(writer_t *w, const void *data, size_t n)
{
    if (w->to != NULL && n > 0) memcpy(w->to + w->n, data, n);
    w->n += n;
}

/* order [ranks]: scratch */
static void put_tree(writer_t *w, const plan_tree_t *tree, int *order)
{
    const plan_tree_data_t *d = plan_tree_data(tree);

    memset(order, 0, (size_t)d->ranks * sizeof *order);
    for (int u = 0; u < d->ranks; u++) {
        int n = 0;
        const int *child = plan_tree_children(tree, u, &n);
        for (int i = 0; i < n; i++) order[child[i]] = i;
    }
    put(w, d->parent, (size_t)d->ranks * sizeof *d->parent);
    put(w, order, (size_t)d->ranks * sizeof *order);
}

static void put_range(writer_t *w, const plan_t *plan, size_t i)
{
    const plan_candidate_t *c = &plan->candidate[i];
    packed_t p;

    memset(&p, 0, sizeof p); /* padding, too */
    memcpy(p.name, c->name, sizeof p.name);
    p.up_to = plan->range[i].up_to, p.slice = c->slice, p.ntrees = c->ntrees;
    p.run = (int)c->run, p.window = c->window, p.schedule = (int)c->schedule, p.places = c->places;
    p.windows = c->link_window != NULL;
    p.throughput = c->throughput, p.lp_ratio = c->lp_ratio;
    p.predicted_s = c->predicted_s, p.measured_s = c->measured_s;
    p.bottleneck.at = c->bottleneck.at, p.bottleneck.index = c->bottleneck.index;
    p.bottleneck.seconds = c->bottleneck.seconds;
    p.note = plan->note[i];
    put(w, &p, sizeof p);
    for (size_t t = 0; t < c->ntrees; t++) {
        share_t s = {.tree = 0, .rate = c->rate[t]};
        while (plan->pool.tree[s.tree] != c->tree[t]) s.tree++;
        put(w, &s, sizeof s);
    }
    put(w, c->link_window, plani_link_windows(c) * sizeof *c->link_window);
    put(w, c->order, (size_t)c->places * sizeof *c->order);
}

static void put_plan(writer_t *w, const plan_t *plan, int *order)
{
    head_t h;

    memset(&h, 0, sizeof h);
    h.ranks = plan->ranks, h.root = plan->root, h.reduces = plan->reduces, h.hosts = plan->hosts != NULL;
    h.ntrees = plan->pool.n, h.nranges = plan->nranges;
    put(w, &h, sizeof h);
    if (h.hosts) put(w, plan->hosts, (size_t)plan->ranks * sizeof *plan->hosts);
    for (size_t i = 0; i < plan->pool.n; i++) put_tree(w, plan->pool.tree[i], order);
    for (size_t i = 0; i < plan->nranges; i++) put_range(w, plan, i);
}

plan_status_t plani_plan_pack(const plan_t *plan, void **bytes, size_t *len)
{
    writer_t w = {NULL, 0};
    int *order = malloc((size_t)plan->ranks * sizeof *order);

    if (order == NULL) return PLAN_ENOMEM;
    put_plan(&w, plan, order);
    *len = w.n;
    if ((*bytes = w.to = malloc(w.n)) != NULL) {
        w.n = 0;
        put_plan(&w, plan, order);
    }
    free(order);
    return *bytes != NULL ? PLAN_OK : PLAN_ENOMEM;
}

/* ---- unpacking ---- */

typedef struct {
    const unsigned char *from;
    size_t left;
    head_t head;
    int *hosts;                  /* [ranks] or NULL */
    plan_tree_t **tree;          /* [ntrees] */
    plan_candidate_t *candidate; /* [nranges] their trees are those above */
    plan_range_t *range;         /* [nranges] */
    plani_note_t *note;          /* [nranges] */
} reader_t;

static plan_status_t take(reader_t *r, void *data, size_t n)
{
    if (n > r->left) return PLAN_EFORMAT;
    if (n > 0) memcpy(data, r->from, n);
    r->from += n, r->left -= n;
    return PLAN_OK;
}

/* n elements of this size; *out stays NULL where there are none. */
static plan_status_t take_array(reader_t *r, size_t n, size_t size, void *out)
{
    void *array;

    if (n == 0) return PLAN_OK;
    if (n > r->left / size) return PLAN_EFORMAT;
    if ((array = malloc(n * size)) == NULL) return PLAN_ENOMEM;
    memcpy(out, &array, sizeof array);
    return take(r, array, n * size);
}

static plan_status_t take_tree(reader_t *r, plan_tree_t **out)
{
    size_t n = (size_t)r->head.ranks;
    int *parent = NULL, *order = NULL;
    plan_status_t rc = take_array(r, n, sizeof *parent, &parent);

    if (rc == PLAN_OK) rc = take_array(r, n, sizeof *order, &order);
    if (rc == PLAN_OK) rc = plan_tree_create(r->head.ranks, parent, order, out);
    free(parent);
    free(order);
    return rc;
}

static plan_status_t take_shares(reader_t *r, plan_candidate_t *c)
{
    plan_status_t rc = PLAN_OK;

    if (c->ntrees == 0) return PLAN_OK;
    c->tree = calloc(c->ntrees, sizeof(plan_tree_t *));
    c->rate = calloc(c->ntrees, sizeof *c->rate);
    if (c->tree == NULL || c->rate == NULL) return PLAN_ENOMEM;
    for (size_t t = 0; t < c->ntrees && rc == PLAN_OK; t++) {
        share_t s;
        if ((rc = take(r, &s, sizeof s)) == PLAN_OK && s.tree >= r->head.ntrees) rc = PLAN_EFORMAT;
        if (rc == PLAN_OK) c->tree[t] = r->tree[s.tree], c->rate[t] = s.rate;
    }
    return rc;
}

static plan_status_t take_range(reader_t *r, size_t i)
{
    plan_candidate_t *c = &r->candidate[i];
    packed_t p;
    plan_status_t rc = take(r, &p, sizeof p);

    if (rc != PLAN_OK) return rc;
    if (p.ntrees > PLANI_MAX_TREES || p.places < 0) return PLAN_EFORMAT;
    *c = (plan_candidate_t){.size = sizeof *c,
                            .run = (plan_run_t)p.run,
                            .slice = (size_t)p.slice,
                            .window = p.window,
                            .ntrees = (size_t)p.ntrees,
                            .schedule = (plan_schedule_kind_t)p.schedule,
                            .places = p.places,
                            .throughput = p.throughput,
                            .lp_ratio = p.lp_ratio,
                            .predicted_s = p.predicted_s,
                            .measured_s = p.measured_s,
                            .bottleneck = p.bottleneck};
    memcpy(c->name, p.name, sizeof c->name);
    r->range[i] = (plan_range_t){.up_to = (size_t)p.up_to, .chosen = c};
    r->note[i] = p.note;
    rc = take_shares(r, c);
    if (rc == PLAN_OK && p.windows)
        rc = take_array(r, c->ntrees * (size_t)r->head.ranks, sizeof *c->link_window, &c->link_window);
    if (rc == PLAN_OK) rc = take_array(r, (size_t)c->places, sizeof *c->order, &c->order);
    return rc;
}

static plan_status_t take_all(reader_t *r)
{
    plan_status_t rc = take(r, &r->head, sizeof r->head);
    const head_t *h = &r->head;

    if (rc != PLAN_OK) return rc;
    if (h->ranks < 1 || h->ranks > PLANI_MAX_RANKS || h->ntrees > r->left || h->nranges > r->left / sizeof(packed_t))
        return PLAN_EFORMAT;
    r->tree = calloc((size_t)h->ntrees + 1, sizeof(plan_tree_t *));
    r->candidate = calloc((size_t)h->nranges + 1, sizeof *r->candidate);
    r->range = calloc((size_t)h->nranges + 1, sizeof *r->range);
    r->note = calloc((size_t)h->nranges + 1, sizeof *r->note);
    if (r->tree == NULL || r->candidate == NULL || r->range == NULL || r->note == NULL) return PLAN_ENOMEM;
    if (h->hosts) rc = take_array(r, (size_t)h->ranks, sizeof *r->hosts, &r->hosts);
    for (size_t i = 0; i < h->ntrees && rc == PLAN_OK; i++) rc = take_tree(r, &r->tree[i]);
    for (size_t i = 0; i < h->nranges && rc == PLAN_OK; i++) rc = take_range(r, i);
    return rc;
}

static void release(reader_t *r)
{
    for (size_t i = 0; r->tree != NULL && i < r->head.ntrees; i++) plan_tree_destroy(&r->tree[i]);
    for (size_t i = 0; r->candidate != NULL && i < r->head.nranges; i++) plani_candidate_free_arrays(&r->candidate[i]);
    free(r->tree);
    free(r->candidate);
    free(r->range);
    free(r->note);
    free(r->hosts);
}

plan_status_t plani_plan_unpack(const void *bytes, size_t len, plan_t **out, plan_error_t *err)
{
    reader_t r = {.from = bytes, .left = len};
    plan_status_t rc = take_all(&r);

    if (rc == PLAN_OK)
        rc = plani_plan_create(r.head.ranks, r.head.root, (size_t)r.head.nranges, r.range, r.note, r.hosts, out, err);
    else if (rc == PLAN_ENOMEM)
        plani_fail(err, rc, "out of memory for a plan of %d ranks", r.head.ranks);
    else
        rc = plani_fail(err, PLAN_EFORMAT, "the plan is damaged: %s", plan_status_string(rc));
    if (rc == PLAN_OK && r.head.reduces) plani_plan_let_reduce(*out);
    release(&r);
    return rc;
}
