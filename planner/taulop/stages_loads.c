/* How long slices of one tree occupy ports and resources, for several trees that share them. */
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "planner/taulop/stages_private.h"

/* Entries for ports and resources, and, where some links idle, for ports without that time. */
static size_t width_of(const plani_stages_t *st)
{
    size_t ports = 2 * (size_t)st->ranks;
    return ports + st->nresources + (st->idles ? ports : 0);
}

plan_status_t plani_stages_weigh(plani_stages_t *st)
{
    size_t width = width_of(st), bytes = PLANI_KEPT * width * sizeof *st->unit;
    bool keeps = st->kept != NULL && bytes <= PLANI_MOST_KEPT;

    if (st->loads == NULL) st->loads = malloc(2 * width * sizeof *st->loads);
    if (st->unit == NULL && keeps) st->unit = malloc(bytes);
    return st->loads != NULL && (st->unit != NULL || !keeps) ? PLAN_OK : PLAN_ENOMEM;
}

/* [s] The part of a rank's flat tree, of a full (0) or last (1) slice, in which its port can serve others. */
static double idle_of(const plani_stages_t *st, int which, int u)
{
    int n = 0;
    const int *child = plan_tree_children(st->tree, u, &n);
    double longest = 0;

    for (int i = 0; i < n; i++) longest = plani_max(longest, st->idle[which][child[i]]);
    return longest;
}

/* Loads by one full (0) or last (1) slice, with the current link times. */
static void work_out(const plani_stages_t *st, int which, double bytes, double *held)
{
    const plan_platform_data_t *d = st->data;
    const int *order = plan_tree_data(st->tree)->breadth_first;
    const double *occupied = which == 0 ? st->full : st->last;
    double *send = held, *receive = send + st->ranks, *resource = receive + st->ranks;

    memset(held, 0, width_of(st) * sizeof *held);
    for (int i = 0; i < st->ranks; i++) {
        int v = order[i];
        if (i < st->level[st->height]) send[v] = st->flat[which][v]; /* the deepest have no children */
        if (i == 0) continue;
        if (plani_takes_turns(d))
            send[v] = plani_stages_flat_tree(st, which, bytes, v, plani_stages_receives(st, which, bytes, v));
        else if (d->send_s == NULL)
            receive[v] = occupied[v];
        for (size_t l = st->link[v], k = d->use_first[l]; k < d->use_first[l + 1]; k++)
            resource[d->use[k]] += plani_cached_steady(which == 0 ? st->row : NULL, d, d->use[k], bytes);
    }
    if (!st->idles) return;
    double *busy_send = resource + st->nresources, *busy_receive = busy_send + st->ranks;
    for (int i = 0; i < st->ranks; i++) {
        int v = order[i];
        if (i < st->level[st->height]) busy_send[v] = send[v] - idle_of(st, which, v);
        if (i > 0 && d->send_s == NULL && !plani_takes_turns(d)) busy_receive[v] = receive[v] - st->idle[which][v];
    }
}

static plani_loads_of_slice_t loads_in(const plani_stages_t *st, const double *held)
{
    return (plani_loads_of_slice_t){held, st->idles ? held + 2 * (size_t)st->ranks + st->nresources : held};
}

plani_loads_of_slice_t plani_stages_loads(plani_stages_t *st, plani_cut_t cut, int window, bool last)
{
    plani_full_pipeline_t *kept = NULL;
    double *held = st->loads + (last ? width_of(st) : 0);

    if (st->unit != NULL && cut.n > 1 && !last) kept = plani_kept_of(st, cut.full, plani_stages_limit(st, cut, window));
    if (kept != NULL) held = st->unit + width_of(st) * (size_t)(kept - st->kept);
    if (kept != NULL && kept->loaded) return loads_in(st, held);
    plani_stages_time_links(st, cut, window);
    plani_stages_cost_depths(st, cut);
    work_out(st, last, last ? cut.last : cut.full, held);
    if (kept != NULL) kept->loaded = true;
    return loads_in(st, held);
}
