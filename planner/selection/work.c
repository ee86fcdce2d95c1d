/*
 * What an algorithm does on a layout: its messages, counted by the stage engine on two platforms of the links that it
 * uses. On one, a message takes a second, whatever its size; on the other, a byte does, and passes the cards of hosts
 * one after the other.
 */
#include "planner/selection/selection.h"
#include "graphs/trees/rounds.h"
#include "graphs/trees/trees.h"
#include "planner/cost/cost.h"
#include "planner/plan/rounds.h"
#include "lib/base/base.h"
#include "planner/taulop/score.h"
#include <math.h>
#include <stdlib.h>

enum { MESSAGES, BYTES, UNITS };

/* Where the time is what a unit takes; one of the three is not NULL, if there is more than one rank. */
typedef struct {
    plan_platform_t *pf;
    plani_stages_t *stages; /* of the tree */
    plani_split_t *split;
    plani_rounds_t *rounds;
} counter_t;

struct sel_work {
    sel_way_t way;
    sel_layout_t layout;
    plan_tree_t *tree;
    counter_t by[UNITS];
};

/* ---- links ---- */

typedef struct {
    size_t n, room;
    plan_link_t *link;
    bool failed;
} links_t;

static void add_link(links_t *to, int from, int into)
{
    plan_link_t *more = to->failed ? NULL : plani_grown(to->link, to->n, &to->room, sizeof *more);
    to->failed = more == NULL;
    if (to->failed) return;
    to->link = more;
    to->link[to->n++] = (plan_link_t){.from = from, .to = into};
}

static void add_tree(links_t *to, const plan_tree_t *tree)
{
    const plan_tree_data_t *d = plan_tree_data(tree);
    for (int v = 0; v < d->ranks; v++)
        if (d->parent[v] >= 0) add_link(to, d->parent[v], v);
}

static plan_status_t add_exchange(links_t *to, int ranks)
{
    int *partner = malloc((size_t)ranks * sizeof *partner);
    plan_status_t rc = partner != NULL ? plani_split_binary_partners(ranks, 0, partner) : PLAN_ENOMEM;
    for (int v = 1; v < ranks && rc == PLAN_OK; v++) add_link(to, partner[v] < 0 ? 0 : partner[v], v);
    free(partner);
    return rc;
}

static plan_status_t add_rounds(links_t *to, plan_schedule_kind_t kind, int ranks)
{
    for (int v = 0; v < ranks; v++) {
        plani_schedule_t s;
        size_t round = 0, times = 0;
        plan_status_t rc = plani_schedule_init(kind, ranks, v, &s);
        if (rc != PLAN_OK) return rc;
        for (size_t g = 0; plani_schedule_group(&s, (size_t)ranks, g, &round, &times); g++) {
            plani_blocks_t out = plani_schedule_round(&s, (size_t)ranks, round).out;
            if (out.count > 0) add_link(to, v, out.place);
        }
    }
    return PLAN_OK;
}

static int by_ends(const void *x, const void *y)
{
    const plan_link_t *a = x, *b = y;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

static void sort_links(links_t *l)
{
    size_t n = 0;
    if (l->n > 0) qsort(l->link, l->n, sizeof *l->link, by_ends);
    for (size_t i = 0; i < l->n; i++)
        if (n == 0 || by_ends(&l->link[n - 1], &l->link[i]) != 0) l->link[n++] = l->link[i];
    l->n = n;
}

/* ---- cards ---- */

/* The cards that some link between hosts uses: out of host h is card 2 h, into it 2 h + 1. */
typedef struct {
    size_t n, *first, *link;
    plan_resource_t *card;
} cards_t;

static plan_status_t find_cards(const links_t *l, sel_layout_t on, cards_t *out)
{
    size_t all = 2 * (size_t)((on.ranks - 1) / on.per_host + 1), n = 0;
    out->first = calloc(all + 2, sizeof *out->first);
    out->link = malloc((2 * l->n + 1) * sizeof *out->link);
    out->card = calloc(all, sizeof *out->card);
    if (out->first == NULL || out->link == NULL || out->card == NULL) return PLAN_ENOMEM;
    size_t *end = out->first + 1; /* of those before; becomes the end of each */
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = 0; i < l->n; i++) {
            size_t from = (size_t)(l->link[i].from / on.per_host), to = (size_t)(l->link[i].to / on.per_host);
            if (from == to) continue;
            if (!fill) end[2 * from + 1]++, end[2 * to + 2]++;
            if (fill) out->link[end[2 * from]++] = i, out->link[end[2 * to + 1]++] = i;
        }
        for (size_t c = 1; c <= all && !fill; c++) end[c] += end[c - 1];
    }
    for (size_t c = 0; c < all; c++)
        if (out->first[c + 1] > out->first[c])
            out->card[n++] = (plan_resource_t){.name = c % 2 ? "in" : "out",
                                               .s_per_byte = 1,
                                               .nlinks = out->first[c + 1] - out->first[c],
                                               .link = out->link + out->first[c]};
    out->n = n;
    return PLAN_OK;
}

static void cards_clear(cards_t *c)
{
    free(c->first);
    free(c->link);
    free(c->card);
}

/* ---- platforms ---- */

/* Without a table, sends overlap. */
static const double together[] = {1, 1};

static plan_status_t make_platform(links_t *l, int unit, sel_layout_t on, size_t ngamma, const double *gamma,
                                   plan_platform_t **out)
{
    cards_t cards = {0};
    plan_channel_t channel = {.name = "messages", .network = true, .ngamma = ngamma, .gamma = gamma};
    plan_platform_data_t d = {
        .size = sizeof d, .name = "work", .ranks = on.ranks, .nlinks = l->n, .link = l->link, .ports = PLAN_PORTS_ONE};
    plan_error_t err;
    plan_status_t rc = PLAN_OK;

    if (ngamma == 0) channel.ngamma = 2, channel.gamma = together;
    for (size_t i = 0; i < l->n; i++) {
        l->link[i].latency_s = unit == MESSAGES;
        l->link[i].s_per_byte = unit == BYTES;
        l->link[i].channel = unit == MESSAGES ? 0 : -1;
    }
    if (unit == MESSAGES) d.nchannels = 1, d.channel = &channel;
    if (unit == BYTES && (rc = find_cards(l, on, &cards)) == PLAN_OK) d.nresources = cards.n, d.resource = cards.card;
    if (rc == PLAN_OK) rc = plan_platform_create(&d, out, &err);
    cards_clear(&cards);
    return rc;
}

static plan_status_t make_rounds(counter_t *c, plan_schedule_kind_t kind, int ranks)
{
    int *order = malloc((size_t)ranks * sizeof *order);
    if (order == NULL) return PLAN_ENOMEM;
    for (int v = 0; v < ranks; v++) order[v] = v;
    plan_status_t rc = plani_rounds_create(c->pf, kind, order, NULL, &c->rounds);
    free(order);
    return rc;
}

static plan_status_t make_counter(const sel_work_t *w, counter_t *c)
{
    const plani_setting_t *s = w->way.setting;
    if (s->shape == PLANI_SHAPE_ROUNDS) return make_rounds(c, (plan_schedule_kind_t)s->kind, w->layout.ranks);
    if (s->shape == PLANI_SHAPE_SPLIT) return plani_split_create(c->pf, 0, NULL, &c->split);
    return plani_stages_create(c->pf, w->tree, NULL, &c->stages);
}

static plan_status_t collect(sel_work_t *w, links_t *l)
{
    const plani_setting_t *s = w->way.setting;
    plan_status_t rc = PLAN_OK;
    if (s->shape == PLANI_SHAPE_ROUNDS) {
        rc = add_rounds(l, (plan_schedule_kind_t)s->kind, w->layout.ranks);
    } else {
        rc = s->shape == PLANI_SHAPE_SPLIT ? plan_tree_topology(PLAN_SPLIT_BINARY, w->layout.ranks, 0, 0, &w->tree)
                                           : plani_setting_tree(s, w->layout.ranks, 0, &w->tree);
        if (rc == PLAN_OK) add_tree(l, w->tree);
        if (rc == PLAN_OK && s->shape == PLANI_SHAPE_SPLIT) rc = add_exchange(l, w->layout.ranks);
    }
    sort_links(l);
    return l->failed ? PLAN_ENOMEM : rc;
}

plan_status_t sel_work_create(const sel_way_t *way, sel_layout_t on, size_t ngamma, const double *gamma,
                              sel_work_t **out)
{
    links_t links = {.n = 0};
    sel_work_t *w = calloc(1, sizeof *w);
    plan_status_t rc = on.ranks >= 1 && on.per_host >= 1 ? PLAN_OK : PLAN_EINVAL;

    if (w == NULL) return PLAN_ENOMEM;
    w->way = *way, w->layout = on;
    if (rc == PLAN_OK && on.ranks > 1) rc = collect(w, &links);
    for (int u = 0; u < UNITS && rc == PLAN_OK && on.ranks > 1; u++)
        if ((rc = make_platform(&links, u, on, ngamma, gamma, &w->by[u].pf)) == PLAN_OK)
            rc = make_counter(w, &w->by[u]);
    free(links.link);
    if (rc == PLAN_OK)
        *out = w;
    else
        sel_work_destroy(&w);
    return rc;
}

void sel_work_destroy(sel_work_t **work)
{
    sel_work_t *w = *work;
    *work = NULL;
    if (w == NULL) return;
    for (int u = 0; u < UNITS; u++) {
        plani_stages_destroy(&w->by[u].stages);
        plani_split_destroy(&w->by[u].split);
        plani_rounds_destroy(&w->by[u].rounds);
        plan_platform_destroy(&w->by[u].pf);
    }
    plan_tree_destroy(&w->tree);
    free(w);
}

static double count(const sel_work_t *w, const counter_t *c, size_t bytes)
{
    if (w->layout.ranks == 1 || bytes == 0) return 0;
    if (c->rounds != NULL) return plani_rounds_score(c->rounds, bytes, 0);
    if (c->split != NULL) return plani_split_score(c->split, bytes, w->way.segment, 0);
    return plani_stages_score(c->stages, plani_cut(bytes, w->way.segment), 0, INFINITY);
}

void sel_work_count(sel_work_t *w, size_t bytes, double *stages, double *serial_bytes)
{
    *stages = count(w, &w->by[MESSAGES], bytes);
    *serial_bytes = count(w, &w->by[BYTES], bytes);
}
