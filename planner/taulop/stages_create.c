/* A tree made ready for scoring: its levels, links, classes and resources looked up once. */
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "planner/taulop/stages_private.h"

static void *allocate(size_t n, size_t size)
{
    return calloc(n ? n : 1, size);
}

/* Allocate for any tree of as many ranks, on `data` (NULL: without a platform). */
static plan_status_t allocate_stages(const plan_tree_t *tree, const plan_platform_data_t *data, plani_stages_t **out)
{
    plani_stages_t *st = calloc(1, sizeof *st);
    if (st == NULL) return PLAN_ENOMEM;
    size_t n = (size_t)plan_tree_data(tree)->ranks;

    *out = st;
    st->tree = tree;
    st->data = data;
    for (size_t i = 0; data != NULL && i < data->nchannels; i++) st->fluid = st->fluid || data->channel[i].fluid;
    st->idles = st->fluid || (data != NULL && data->ports == PLAN_PORTS_NONE);
    st->ranks = (int)n;
    st->level = allocate(n + 1, sizeof *st->level);
    st->link = allocate(n, sizeof *st->link);
    st->channel_of = allocate(n, sizeof *st->channel_of);
    st->full = allocate(n, sizeof *st->full);
    st->last = allocate(n, sizeof *st->last);
    st->idle[0] = allocate(n, sizeof *st->idle[0]);
    st->idle[1] = allocate(n, sizeof *st->idle[1]);
    st->flat[0] = allocate(n, sizeof *st->flat[0]);
    st->flat[1] = allocate(n, sizeof *st->flat[1]);
    st->flight = allocate(n, sizeof *st->flight);
    st->arrival = allocate(n, sizeof *st->arrival);
    st->send = allocate(n, sizeof *st->send);
    st->full_at = allocate(n, sizeof *st->full_at);
    st->last_at = allocate(n, sizeof *st->last_at);
    st->top = allocate(n, sizeof *st->top);
    st->queue = allocate(n, sizeof *st->queue);
    if (!st->level || !st->link || !st->channel_of || !st->full || !st->last || !st->idle[0] || !st->idle[1] ||
        !st->flat[0] || !st->flat[1] || !st->flight || !st->arrival || !st->send || !st->full_at || !st->last_at ||
        !st->queue || !st->top)
        return PLAN_ENOMEM;
    return PLAN_OK;
}

static plan_status_t allocate_resources(plani_stages_t *st)
{
    const plan_platform_data_t *d = st->data;

    st->nresources = d->nresources;
    if (d->nresources == 0) return PLAN_OK;
    for (st->leaves = 1; st->leaves < d->nresources;) st->leaves *= 2;
    st->load = allocate(d->nresources, sizeof *st->load);
    st->used_first = allocate((size_t)st->ranks + 1, sizeof *st->used_first);
    st->used_alone = allocate((size_t)st->ranks, sizeof *st->used_alone);
    st->winner = allocate(2 * st->leaves, sizeof *st->winner);
    if (!st->load || !st->used_first || !st->used_alone || !st->winner) return PLAN_ENOMEM;
    plan_status_t rc = plani_buckets_create(d->nresources, &st->buckets);
    for (size_t i = 0; i < d->nresources && rc == PLAN_OK; i++) {
        bool burst = d->resource[i].burst_bytes > 0;
        st->load[i].bucket = burst ? plani_buckets_add(&st->buckets, &d->resource[i]) : PLANI_NO_BUCKET;
    }
    return rc;
}

static void find_levels(plani_stages_t *st)
{
    st->height = plan_tree_data(st->tree)->height;
    const int *order = plan_tree_data(st->tree)->breadth_first, *depth = plan_tree_data(st->tree)->depth;

    for (int i = 0; i < st->ranks; i++) st->level[depth[order[i]] + 1] = i + 1;
}

/* The links by which ranks receive. */
static plan_status_t find_links(plani_stages_t *st, const plan_platform_t *pf, const size_t *via)
{
    const plan_platform_data_t *d = st->data;
    const int *parent = plan_tree_data(st->tree)->parent;
    size_t uses = 0;

    for (int v = 0; v < st->ranks; v++) {
        if (parent[v] < 0) continue;
        size_t l = via != NULL ? via[v] : plan_platform_find_link(pf, parent[v], v);
        if (l == (size_t)-1) return PLAN_ENOTREE;
        st->link[v] = l;
        st->channel_of[v] = d->link[l].channel;
        uses += d->use_first[l + 1] - d->use_first[l];
    }
    if (uses <= st->used_room) return PLAN_OK;
    free(st->used);
    st->used_room = 0;
    if ((st->used = malloc(uses * sizeof *st->used)) == NULL) return PLAN_ENOMEM;
    st->used_room = uses;
    return PLAN_OK;
}

/* What links from each depth use, and how many of all use each resource. */
static void find_used(plani_stages_t *st)
{
    const plan_platform_data_t *d = st->data;
    const int *order = plan_tree_data(st->tree)->breadth_first;
    size_t n = 0;

    for (size_t i = 0; i < st->nresources; i++) st->load[i].uses = 0, st->load[i].used = 0;
    for (int depth = 0; depth < st->height && st->nresources > 0; depth++) {
        size_t first = st->used_first[depth] = n;
        for (int i = st->level[depth + 1]; i < st->level[depth + 2]; i++)
            for (size_t l = st->link[order[i]], k = d->use_first[l]; k < d->use_first[l + 1]; k++) {
                plani_load_t *load = &st->load[d->use[k]];
                if (load->used == 0) {
                    st->used[n] = (plani_depth_use_t){.resource = d->use[k], .links = 0};
                    load->used = ++n;
                }
                st->used[load->used - 1].links++; /* NOLINT(clang-analyzer-core.uninitialized.Assign): set above */
                load->uses++;
            }
        for (size_t i = first; i < n; i++) st->load[st->used[i].resource].used = 0;
        st->used_first[depth + 1] = n;
    }
    for (int depth = 0; depth < st->height && st->nresources > 0; depth++) {
        size_t alone = st->used_first[depth + 1];
        for (size_t i = st->used_first[depth]; i < alone;) {
            plani_depth_use_t used = st->used[i];
            const plani_load_t *load = &st->load[used.resource];
            if (load->uses == used.links && load->bucket == PLANI_NO_BUCKET)
                st->used[i] = st->used[--alone], st->used[alone] = used;
            else
                i++;
        }
        st->used_alone[depth] = alone;
    }
}

plan_status_t plani_stages_look(plani_stages_t *st, const plan_platform_t *pf, const size_t *via)
{
    st->nkept = 0;
    st->ran = 0;
    st->timed = st->costed = false;
    find_levels(st);
    plan_status_t rc = find_links(st, pf, via);
    if (rc == PLAN_OK) find_used(st);
    return rc;
}

plan_status_t plani_stages_create(const plan_platform_t *pf, const plan_tree_t *tree, plani_cost_cache_t *costs,
                                  plani_stages_t **out)
{
    plan_status_t rc = PLAN_OK;
    plani_stages_t *st = NULL;

    if (plan_platform_data(pf)->ranks != plan_tree_data(tree)->ranks) return PLAN_ENOTREE;
    if ((rc = allocate_stages(tree, plan_platform_data(pf), &st)) != PLAN_OK) goto done;
    st->channel = st->data->channel;
    st->costs = costs;
    if ((rc = allocate_resources(st)) != PLAN_OK) goto done;
    if ((rc = plani_stages_look(st, pf, NULL)) != PLAN_OK) goto done;
    *out = st, st = NULL;
done:
    plani_stages_destroy(&st);
    return rc;
}

plan_status_t plani_stages_create_abstract(const plan_tree_t *tree, const plan_channel_t *channel,
                                           const int *channel_of, plani_stages_t **out)
{
    plan_status_t rc = PLAN_OK;
    plani_stages_t *st = NULL;

    if ((rc = allocate_stages(tree, NULL, &st)) != PLAN_OK) goto done;
    st->channel = channel;
    find_levels(st);
    memcpy(st->channel_of, channel_of, (size_t)st->ranks * sizeof *channel_of);
    *out = st, st = NULL;
done:
    plani_stages_destroy(&st);
    return rc;
}

void plani_stages_destroy(plani_stages_t **st)
{
    if (st == NULL || *st == NULL) return;
    free((*st)->level);
    free((*st)->link);
    free((*st)->channel_of);
    free((*st)->full);
    free((*st)->last);
    free((*st)->idle[0]);
    free((*st)->idle[1]);
    free((*st)->flat[0]);
    free((*st)->flat[1]);
    free((*st)->flight);
    free((*st)->arrival);
    free((*st)->send);
    free((*st)->full_at);
    free((*st)->last_at);
    free((*st)->queue);
    free((*st)->top);
    free((*st)->load);
    free((*st)->used);
    free((*st)->used_first);
    free((*st)->used_alone);
    free((*st)->winner);
    free((*st)->kept);
    free((*st)->full_state);
    free((*st)->change);
    free((*st)->unit);
    free((*st)->loads);
    plani_buckets_clear(&(*st)->buckets);
    free(*st);
    *st = NULL;
}

/* [s] The part of a link's occupation in which its ports can serve other links. */
static double idle_in(const plani_time_t *t, double occupation)
{
    return t->fluid ? occupation - t->through : t->carried ? plani_max(0, occupation - t->free_busy) : 0;
}

/* [s] Set the occupation of rank v's link, and its flight. Results of the old times become invalid. */
static void set_times(plani_stages_t *st, int v, double full, double last, double flight)
{
    if (st->timed && st->full[v] == full && st->last[v] == last && st->flight[v] == flight) return;
    st->full[v] = full;
    st->last[v] = last;
    st->flight[v] = flight;
    st->costed = false;
    st->ran = 0;
}

void plani_stages_time_links(plani_stages_t *st, plani_cut_t cut, int window)
{
    const int *parent = plan_tree_data(st->tree)->parent;
    int root = plan_tree_data(st->tree)->root, limit = plani_stages_limit(st, cut, window);
    plani_cost_row_t *whole = plani_cost_cache_row(st->costs, cut.full);
    plani_cost_row_t *part = cut.last != cut.full ? plani_cost_cache_row(st->costs, cut.last) : whole;
    bool known = st->timed && st->of_full == cut.full && st->of_last == cut.last;

    st->row = whole;
    if (known && st->limit == limit) return;
    if (!known) st->timed = st->costed = false, st->ran = 0;
    for (int v = 0; v < st->ranks; v++) {
        if (v == root) continue;
        plani_time_t room[2];
        const plani_time_t *full = plani_cached_link_at(whole, st->data, st->link[v], cut.full, &room[0]), *last = full;
        int most = full->fluid ? plani_link_window(*full, limit < 0 ? -limit : limit) : limit > 0 ? limit : 0;
        double full_s = plani_windowed(full, most), last_s = full_s;
        if (cut.last != cut.full) {
            last = plani_cached_link_at(part, st->data, st->link[v], cut.last, &room[1]);
            last_s = plani_windowed(last, most);
        }
        bool filled = full->fluid && parent[v] == root; /* the root has all of a window */
        set_times(st, v, full_s, last_s, filled ? 0 : plani_lag(full, most));
        st->idle[0][v] = idle_in(full, full_s);
        st->idle[1][v] = last == full ? st->idle[0][v] : idle_in(last, last_s);
    }
    st->timed = true;
    st->of_full = cut.full;
    st->of_last = cut.last;
    st->limit = limit;
}

void plani_stages_time_classes(plani_stages_t *st, const double *full, const double *last)
{
    int root = plan_tree_data(st->tree)->root;

    for (int v = 0; v < st->ranks; v++) {
        if (v == root) continue;
        st->full[v] = full[st->channel_of[v]];
        st->last[v] = last[st->channel_of[v]];
    }
    st->costed = false;
    st->ran = 0;
}
