/*
 * The stages of a pipelined broadcast: Nuriyev et al. 2022, eqs (9)-(12), for any tree.
 *
 * In stage s the ranks at depth d forward slice s - d, if there is one:
 *
 *     depth 0   0 1 2 3 4 - -        5 slices (the last one, 4, is short), height 3: 7 stages
 *           1   - 0 1 2 3 4 -
 *           2   - - 0 1 2 3 4
 *
 * A stage costs as much as its costliest flat tree or its busiest resource. Stage H - 1 is the first in which all
 * depths are at work on full slices, and it repeats until the last slice leaves the root: more than H + 1 slices need
 * no computation. In the others the active depths are a window that slides down the tree: the maximum over it is kept
 * in a monotonic queue, loads of resources that several depths use as counts in a tournament. Resources with a burst
 * keep what is saved up from stage to stage (bucket.c), in time that grows with their number times the height. Full
 * pipelines are kept for longer messages (stages_kept.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "planner/taulop/stages_private.h"

plani_cut_t plani_cut(size_t bytes, size_t slice)
{
    if (bytes == 0) return (plani_cut_t){0, 0, 0};
    if (slice == 0 || slice >= bytes) return (plani_cut_t){1, (double)bytes, (double)bytes};
    size_t n = bytes / slice, rest = bytes % slice;
    return (plani_cut_t){n + (rest > 0), (double)slice, (double)(rest > 0 ? rest : slice)};
}

/* Fluid links pass slices together, while all of them are in flight. This is the longest time for which one of them is
 * not busy.
 */
static double fluid_flat_tree(const int *child, int n, const double *busy, const double *idle)
{
    double sum = 0, longest = 0;

    for (int i = 0; i < n; i++) sum += busy[child[i]] - idle[child[i]], longest = plani_max(longest, idle[child[i]]);
    return sum + longest;
}

double plani_stages_receives(const plani_stages_t *st, int which, double bytes, int u)
{
    if (st->data == NULL || !plani_takes_turns(st->data) || u == plan_tree_data(st->tree)->root) return 0;
    if (st->data->send_s != NULL) return plan_receive_cost(st->data, u, bytes);
    return which == 0 ? st->full[u] : st->last[u];
}

double plani_stages_flat_tree(const plani_stages_t *st, int which, double bytes, int u, double receives)
{
    int n = 0;
    const double *busy = which == 0 ? st->full : st->last, *idle = st->idle[which];
    const int *child = plan_tree_children(st->tree, u, &n);
    bool several_ports = st->data != NULL && st->data->send_s != NULL;
    double longest = 0;

    if (n == 0) return receives;
    if (st->fluid && !several_ports) return fluid_flat_tree(child, n, busy, idle) + receives;
    if (!several_ports) {
        for (int i = 0; i < n; i++) {
            st->send[i] = (plani_send_t){st->channel_of[child[i]], busy[child[i]] - idle[child[i]]};
            longest = plani_max(longest, idle[child[i]]);
        }
        return plani_nbft(st->channel, (size_t)n, st->send) + longest + receives;
    }
    for (int i = 0; i < n; i++)
        longest = plani_max(longest, plani_max(busy[child[i]], plan_receive_cost(st->data, child[i], bytes)));
    /* Beaumont, Marchal, Robert 2004, 3.2 */
    return plani_max(n * plan_send_cost(st->data, u, bytes) + receives, longest);
}

/* Resources without a burst that one depth alone uses count like the flat trees of its ranks. */
static void cost_alone(plani_stages_t *st, plani_cut_t cut, int depth)
{
    for (size_t i = st->used_alone[depth]; i < st->used_first[depth + 1]; i++) {
        const plani_depth_use_t *used = &st->used[i];
        double links = (double)used->links;
        double full = plani_cached_held(st->row, st->data, used->resource, used->links, cut.full), last = full;
        if (cut.last != cut.full)
            last = plani_resource_time(&st->data->resource[used->resource], links, links * cut.last);
        st->full_at[depth] = plani_max(st->full_at[depth], full);
        st->last_at[depth] = plani_max(st->last_at[depth], last);
    }
}

void plani_stages_cost_depths(plani_stages_t *st, plani_cut_t cut)
{
    const int *order = plan_tree_data(st->tree)->breadth_first;

    for (int d = 0; d < st->height && !st->costed; d++) {
        st->full_at[d] = st->last_at[d] = 0;
        st->top[d] = order[st->level[d]];
        for (int i = st->level[d]; i < st->level[d + 1]; i++) {
            /* While it forwards a slice, a rank receives the next one; after the last one there is none. */
            double receives = plani_stages_receives(st, 0, cut.full, order[i]);
            double full = plani_stages_flat_tree(st, 0, cut.full, order[i], receives), last = full;
            if (cut.last != cut.full || receives > 0) last = plani_stages_flat_tree(st, 1, cut.last, order[i], 0);
            if (full > st->full_at[d]) st->full_at[d] = full, st->top[d] = order[i];
            if (last > st->last_at[d]) st->last_at[d] = last;
            st->flat[0][order[i]] = full;
            st->flat[1][order[i]] = last;
        }
        if (st->nresources > 0) cost_alone(st, cut, d);
    }
    st->costed = true;
}

/* The ranks at this depth forward (or stop forwarding) full or last slices: update the resources that they share with
 * other depths, or that have a burst. */
static void shift_resources(plani_stages_t *st, plani_cut_t cut, int depth, int full, int last)
{
    const plan_platform_data_t *d = st->data;

    if (st->nresources == 0) return;
    for (size_t i = st->used_first[depth]; i < st->used_alone[depth]; i++) {
        const plani_depth_use_t *used = &st->used[i];
        plani_load_t *load = &st->load[used->resource];
        double seconds;
        load->full += full * used->links;
        load->last += last * used->links;
        if (load->last == 0) {
            seconds = plani_cached_held(st->row, d, used->resource, load->full, cut.full);
        } else {
            double bytes = (double)load->full * cut.full + (double)load->last * cut.last;
            seconds = plani_resource_time(&d->resource[used->resource], (double)(load->full + load->last), bytes);
        }
        if (load->bucket == PLANI_NO_BUCKET) {
            plani_tournament_set(st, used->resource, seconds);
            continue;
        }
        st->buckets.load[load->bucket] = seconds;
        if (st->note != NULL) *st->note++ = (plani_drain_step_t){load->bucket, seconds};
    }
}

/* The longest sum of flights from the root to a rank; arrival times are those of the first slice. */
static double longest_flight(plani_stages_t *st)
{
    const int *order = plan_tree_data(st->tree)->breadth_first, *parent = plan_tree_data(st->tree)->parent;
    double longest = 0;

    st->arrival[order[0]] = 0;
    for (int i = 1; i < st->ranks; i++) {
        int v = order[i];
        st->arrival[v] = st->arrival[parent[v]] + st->flight[v];
        if (st->arrival[v] > longest) longest = st->arrival[v];
    }
    return longest;
}

/*
 * [s] A lower bound of all stages: every depth forwards every slice, and while the pipeline is full every resource
 * without a burst is used by all of its links.
 */
static double least_time(const plani_stages_t *st, plani_cut_t cut)
{
    double longest = 0, least = 0, steady = cut.n > (size_t)st->height ? (double)(cut.n - (size_t)st->height) : 0;

    for (int d = 0; d < st->height; d++) {
        double seconds = (double)(cut.n - 1) * st->full_at[d] + st->last_at[d];
        if (seconds > least) least = seconds;
        if (st->full_at[d] > longest) longest = st->full_at[d];
    }
    double others = ((double)(cut.n - 1) - steady) * longest;
    for (size_t i = 0; i < st->nresources && steady > 0; i++) {
        const plani_load_t *load = &st->load[i];
        double seconds = steady * plani_cached_held(st->row, st->data, i, load->uses, cut.full);
        seconds += load->bucket != PLANI_NO_BUCKET ? -st->buckets.burst[load->bucket] : others;
        if (seconds > least) least = seconds;
    }
    return least;
}

/* [s] The time of stage s of n slices without bursts, after the stages before it. */
static double next_stage(plani_stages_t *st, plani_cut_t cut, int n, int s)
{
    int last = s + 1 - n; /* the depth that forwards the last slice */
    bool alike = cut.full == cut.last;
    double cost = 0;

    if (s < st->height) { /* depth s begins */
        while (st->tail > st->head && st->full_at[st->queue[st->tail - 1]] <= st->full_at[s]) st->tail--;
        st->queue[st->tail++] = s;
        shift_resources(st, cut, s, 1, 0);
    }
    if (last > 0) shift_resources(st, cut, last - 1, alike ? -1 : 0, alike ? 0 : -1);
    if (last >= 0 && last < st->height) {
        if (!alike) shift_resources(st, cut, last, -1, 1);
        cost = st->last_at[last];
    }
    while (st->tail > st->head && st->queue[st->head] <= last) st->head++;
    if (st->tail > st->head) cost = plani_max(cost, st->full_at[st->queue[st->head]]);
    return plani_max(cost, plani_tournament_best(st));
}

/* [s] The sum of all stages, without flight. kept: where the full pipeline is kept, or NULL. INFINITY as of
 * plani_stages_run. */
static double all_stages(plani_stages_t *st, plani_cut_t cut, double flight, double most, plani_full_pipeline_t *kept)
{
    double total = 0, full = 0;
    int height = st->height, n = cut.n > (size_t)height + 1 ? height + 1 : (int)cut.n;

    plani_tournament_clear(st);
    st->head = st->tail = 0;
    for (int s = 0; s < n + height - 1; s++) {
        double cost = next_stage(st, cut, n, s);
        double times = s == height - 1 ? (double)(cut.n - (size_t)n + 1) : 1; /* the rest repeats this stage */
        if (kept != NULL && s == height - 1) plani_kept_begin(st, kept, total, cost);
        if (s == height - 1 && st->buckets.n == 0)
            full = cost * times;
        else if (s == height - 1)
            total += plani_buckets_pass(&st->buckets, cost, times);
        else
            total += plani_kept_pass(st, cost, 1);
        if (total + full + flight > most) break;
    }
    st->note = NULL;
    if (kept != NULL && st->buckets.n == 0) kept->fill = total;
    return total + full;
}

static double at_most(double seconds, double most)
{
    return seconds > most ? INFINITY : seconds;
}

/* [s] The stages with the current link times. A full pipeline that is kept is computed even if it takes more than
 * `most`, for longer messages use it.
 */
static double run(plani_stages_t *st, plani_cut_t cut, double most)
{
    plani_full_pipeline_t *kept = plani_kept_pipeline(st, cut, st->limit);

    if (kept != NULL && kept->full) return plani_full_pipeline_time(st, kept, cut);
    plani_stages_cost_depths(st, cut);
    double flight = longest_flight(st);
    if (kept == NULL && least_time(st, cut) + flight > most * (1 + 1e-9)) return INFINITY;
    double seconds = all_stages(st, cut, flight, kept != NULL ? INFINITY : most, kept) + flight;
    if (kept != NULL) kept->full = true, kept->flight = flight;
    if (kept != NULL || seconds <= most) st->ran = cut.n, st->total = seconds;
    return seconds;
}

double plani_stages_run(plani_stages_t *st, plani_cut_t cut, double most)
{
    if (cut.n == 0 || st->height == 0) return 0;
    return at_most(st->ran == cut.n ? st->total : run(st, cut, most), most);
}

int plani_stages_costliest(const plani_stages_t *st, int *rank)
{
    memcpy(rank, st->top, (size_t)st->height * sizeof *rank);
    return st->height;
}

double plani_stages_flat_blocking(const plani_stages_t *st)
{
    int n = 0;
    const int *child = plan_tree_children(st->tree, plan_tree_data(st->tree)->root, &n);
    double sum = 0;

    for (int i = 0; i < n; i++) sum += st->last[child[i]];
    return sum;
}

double plani_stages_score(plani_stages_t *st, plani_cut_t cut, int window, double most)
{
    if (cut.n == 0 || st->height == 0) return 0;
    plani_full_pipeline_t *kept = plani_kept_pipeline(st, cut, plani_stages_limit(st, cut, window));
    if (kept != NULL && kept->full) return at_most(plani_full_pipeline_time(st, kept, cut), most);
    plani_stages_time_links(st, cut, window);
    return plani_stages_run(st, cut, most);
}
