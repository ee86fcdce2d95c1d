#include "planner/algorithms/heuristics/witness.h"
#include <stdlib.h>
#include <string.h>

#define NONE ((size_t)-1)

/* mark[] relative to 4 * search: */
enum { OUTSIDE = 1, INSIDE = 2, QUEUED = 3 };

static int seen(const plani_witness_t *w, int x)
{
    int m = w->mark[x] - 4 * w->search;
    return m > 0 ? m : 0;
}

static void breadth_first(plani_witness_t *w)
{
    int head = 0, tail = 0;
    for (int v = 0; v < w->d->ranks; v++) w->via[v] = NONE;
    w->queue[tail++] = w->root;
    while (head < tail) {
        int u = w->queue[head++];
        for (size_t l = w->d->out_first[u]; l < w->d->out_first[u + 1]; l++) {
            int v = w->d->link[l].to;
            if (v == w->root || w->via[v] != NONE) continue;
            w->via[v] = l;
            w->queue[tail++] = v;
        }
    }
}

plan_status_t plani_witness_create(const plan_platform_data_t *d, int root, plani_witness_t *w)
{
    size_t n = (size_t)d->ranks, m = d->nlinks;
    *w = (plani_witness_t){.d = d,
                           .root = root,
                           .left = m,
                           .gone = calloc(m + 1, sizeof *w->gone),
                           .via = malloc(n * sizeof *w->via),
                           .in_link = malloc((m + 1) * sizeof *w->in_link),
                           .in_count = malloc(n * sizeof *w->in_count),
                           .next = malloc(n * sizeof *w->next),
                           .queue = malloc(n * sizeof *w->queue),
                           .mark = calloc(n, sizeof *w->mark),
                           .trail = malloc(n * sizeof *w->trail)};
    if (w->gone == NULL || w->via == NULL || w->in_link == NULL || w->in_count == NULL || w->next == NULL ||
        w->queue == NULL || w->mark == NULL || w->trail == NULL) {
        plani_witness_clear(w);
        return PLAN_ENOMEM;
    }
    if (m > 0) memcpy(w->in_link, d->in_link, m * sizeof *w->in_link);
    for (size_t v = 0; v < n; v++) w->in_count[v] = d->in_first[v + 1] - d->in_first[v];
    breadth_first(w);
    return PLAN_OK;
}

void plani_witness_clear(plani_witness_t *w)
{
    free(w->gone);
    free(w->via);
    free(w->in_link);
    free(w->in_count);
    free(w->next);
    free(w->queue);
    free(w->mark);
    free(w->trail);
    *w = (plani_witness_t){0};
}

/* Does the witness reach x without passing the cut-off rank (which is marked INSIDE)? Remembers what it walks over. */
static bool outside(plani_witness_t *w, int x)
{
    int steps = 0;
    while (seen(w, x) == 0 && x != w->root) {
        w->trail[steps++] = x;
        x = w->d->link[w->via[x]].from;
    }
    int side = x == w->root || seen(w, x) == OUTSIDE ? OUTSIDE : INSIDE;
    while (steps > 0) w->mark[w->trail[--steps]] = 4 * w->search + side;
    return side == OUTSIDE;
}

/* Hang x onto link l, and every rank from x on towards the cut-off rank onto the one before it. */
static void rehang(plani_witness_t *w, int x, size_t l, int cut_off)
{
    for (;;) {
        size_t on = w->next[x];
        w->via[x] = l;
        if (x == cut_off) return;
        l = on;
        x = w->d->link[on].to;
    }
}

/* Search backwards from the cut-off rank for a rank that is still reached. */
static bool reconnect(plani_witness_t *w, int cut_off)
{
    int head = 0, tail = 0;
    w->search++;
    w->mark[cut_off] = 4 * w->search + QUEUED;
    w->next[cut_off] = NONE;
    w->queue[tail++] = cut_off;
    while (head < tail) {
        int x = w->queue[head++];
        size_t *in = w->in_link + w->d->in_first[x];
        for (size_t k = 0; k < w->in_count[x];) {
            size_t l = in[k];
            if (w->gone[l]) {
                in[k] = in[--w->in_count[x]];
                continue;
            }
            k++;
            int y = w->d->link[l].from;
            if (seen(w, y) == QUEUED) continue;
            if (outside(w, y)) {
                rehang(w, x, l, cut_off);
                return true;
            }
            w->mark[y] = 4 * w->search + QUEUED;
            w->next[y] = l;
            w->queue[tail++] = y;
        }
    }
    return false;
}

bool plani_witness_delete(plani_witness_t *w, size_t link)
{
    int v = w->d->link[link].to;
    w->gone[link] = true;
    if (v != w->root && w->via[v] == link && !reconnect(w, v)) {
        w->gone[link] = false; /* via[] is as it was; the search has dropped the link from the list into v */
        w->in_link[w->d->in_first[v] + w->in_count[v]++] = link;
        return false;
    }
    w->left--;
    return true;
}
