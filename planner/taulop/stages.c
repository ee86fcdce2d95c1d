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
 * depths are at work on full slices, and it repeats until the last slice leaves the root: more than H + 1 slices cost
 * no work. In the others the active depths are a window that slides down the tree: the maximum over it is kept in a
 * monotonic queue, resource loads as counts in a tournament. Resources with a burst keep what is saved up from stage to
 * stage (bucket.c), in time that grows with their number times the height.
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

/* Fluid links pass their slices together, while all are in flight: of the time that they are not at work the longest.
 */
static double fluid_flat_tree(const int *child, int n, const double *busy, const double *idle)
{
    double sum = 0, longest = 0;

    for (int i = 0; i < n; i++) sum += busy[child[i]] - idle[child[i]], longest = plani_max(longest, idle[child[i]]);
    return sum + longest;
}

/* Seconds for which rank u's slice of one size, whose link times are busy[], keeps u. */
static double flat_tree(const plani_stages_t *st, int u, const double *busy, const double *idle)
{
    int n = 0;
    const int *child = plan_tree_children(st->tree, u, &n);
    const double *send_s = st->data != NULL ? st->data->send_s : NULL;
    double longest = 0;

    if (st->fluid && send_s == NULL) return fluid_flat_tree(child, n, busy, idle);
    if (send_s == NULL) {
        for (int i = 0; i < n; i++) {
            st->send[i] = (plani_send_t){st->channel_of[child[i]], busy[child[i]] - idle[child[i]]};
            longest = plani_max(longest, idle[child[i]]);
        }
        return plani_nbft(st->channel, (size_t)n, st->send) + longest;
    }
    for (int i = 0; i < n; i++) longest = busy[child[i]] > longest ? busy[child[i]] : longest;
    return n * send_s[u] > longest ? n * send_s[u] : longest; /* Beaumont, Marchal, Robert 2004, section 3.2 */
}

/* The flat trees of all ranks but the deepest, and the costliest of each depth, for both sizes. */
static void cost_depths(plani_stages_t *st, plani_cut_t cut)
{
    const int *order = plan_tree_data(st->tree)->breadth_first;

    for (int d = 0; d < st->height && !st->costed; d++) {
        double most = -1;
        st->full_at[d] = st->last_at[d] = 0;
        for (int i = st->level[d]; i < st->level[d + 1]; i++) {
            double full = cut.n > 1 ? flat_tree(st, order[i], st->full, st->idle[0]) : 0;
            double last = cut.last == cut.full && cut.n > 1 ? full : flat_tree(st, order[i], st->last, st->idle[1]);
            if ((cut.n > 1 ? full : last) > most) most = cut.n > 1 ? full : last, st->top[d] = order[i];
            if (full > st->full_at[d]) st->full_at[d] = full;
            if (last > st->last_at[d]) st->last_at[d] = last;
            st->flat[0][order[i]] = full;
            st->flat[1][order[i]] = last;
        }
    }
    st->costed = true;
}

/* The ranks at this depth forward (or stop forwarding) full or last slices: their links' resources feel it. */
static void shift_resources(plani_stages_t *st, plani_cut_t cut, int depth, int full, int last)
{
    const plan_platform_data_t *d = st->data;
    const int *order = plan_tree_data(st->tree)->breadth_first;
    size_t felt = 0;

    if (st->nresources == 0) return;
    for (int i = st->level[depth + 1]; i < st->level[depth + 2]; i++)
        for (size_t l = st->link[order[i]], k = d->use_first[l]; k < d->use_first[l + 1]; k++) {
            plani_load_t *load = &st->load[d->use[k]];
            load->full += full;
            load->last += last;
            if (!load->felt) st->felt[felt++] = d->use[k];
            load->felt = true;
        }
    for (size_t i = 0; i < felt; i++) {
        size_t r = st->felt[i];
        plani_load_t *load = &st->load[r];
        long all = load->full + load->last;
        double bytes = (double)load->full * cut.full + (double)load->last * cut.last;
        double seconds = load->last == 0 ? plani_cached_held(st->row, d, r, all, cut.full)
                                         : plani_resource_time(&d->resource[r], (double)all, bytes);
        load->felt = false;
        if (load->bucket != PLANI_NO_BUCKET)
            st->buckets.load[load->bucket] = seconds;
        else
            plani_tournament_set(st, r, seconds);
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
 * What the stages take at least: every depth forwards every slice, and while the pipeline is full every resource
 * without a burst is held by all of its links.
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

/* Whether the pipeline gets full, and one slice more changes nothing else: no window, short slice or burst does. */
static bool is_steady(const plani_stages_t *st, plani_cut_t cut, int window)
{
    return st->costs != NULL && st->buckets.n == 0 && cut.last == cut.full && st->height > 0 &&
           cut.n > (size_t)st->height && cut.n > (size_t)window;
}

static const plani_full_pipeline_t *find_steady(const plani_stages_t *st, plani_cut_t cut, int window)
{
    for (size_t i = 0; i < st->nsteady && is_steady(st, cut, window); i++)
        if (st->steady[i].slice == cut.full && st->steady[i].window == window) return &st->steady[i];
    return NULL;
}

static void keep_steady(plani_stages_t *st, plani_full_pipeline_t steady)
{
    size_t at = st->nsteady < PLANI_STEADY ? st->nsteady++ : st->oldest++ % PLANI_STEADY;
    st->steady[at] = steady;
}

static double steady_time(const plani_stages_t *st, const plani_full_pipeline_t *steady, plani_cut_t cut)
{
    return steady->fill + steady->stage * (double)(cut.n - (size_t)st->height) + steady->flight;
}

double plani_stages_run(plani_stages_t *st, plani_cut_t cut, double most)
{
    plani_full_pipeline_t steady = {.slice = cut.full, .window = st->window};
    const plani_full_pipeline_t *known = find_steady(st, cut, st->window);
    double total = 0, repeated = 0;
    int height = st->height, head = 0, tail = 0;
    int n = cut.n > (size_t)height + 1 ? height + 1 : (int)cut.n; /* the rest repeats stage height - 1 */
    bool alike = cut.full == cut.last;

    if (n == 0 || height == 0) return 0;
    if (known != NULL) {
        double seconds = steady_time(st, known, cut);
        return seconds > most ? INFINITY : seconds;
    }
    cost_depths(st, cut);
    double flight = steady.flight = longest_flight(st);
    if (least_time(st, cut) + flight > most * (1 + 1e-9)) return INFINITY;
    plani_tournament_clear(st);
    for (int s = 0; s < n + height - 1; s++) {
        int last = s + 1 - n; /* the depth that forwards the last slice */
        double cost = 0;

        if (s < height) { /* depth s begins */
            while (tail > head && st->full_at[st->queue[tail - 1]] <= st->full_at[s]) tail--;
            st->queue[tail++] = s;
            shift_resources(st, cut, s, 1, 0);
        }
        if (last > 0) shift_resources(st, cut, last - 1, alike ? -1 : 0, alike ? 0 : -1);
        if (last >= 0 && last < height) {
            if (!alike) shift_resources(st, cut, last, -1, 1);
            cost = st->last_at[last];
        }
        while (tail > head && st->queue[head] <= last) head++;
        if (tail > head && st->full_at[st->queue[head]] > cost) cost = st->full_at[st->queue[head]];
        if (plani_tournament_best(st) > cost) cost = plani_tournament_best(st);
        if (s == height - 1 && st->buckets.n == 0) {
            steady.stage = cost;
            repeated = (double)(cut.n - (size_t)n + 1);
        } else {
            total += plani_buckets_pass(&st->buckets, cost, s == height - 1 ? (double)(cut.n - (size_t)n + 1) : 1);
        }
        if (total + steady.stage * repeated + flight > most) return INFINITY;
    }
    steady.fill = total;
    if (is_steady(st, cut, st->window)) keep_steady(st, steady);
    return total + steady.stage * repeated + flight;
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
    const plani_full_pipeline_t *known = find_steady(st, cut, window);
    double seconds;
    if (cut.n == 0) return 0;
    if (known != NULL) return (seconds = steady_time(st, known, cut)) > most ? INFINITY : seconds;
    plani_stages_time_links(st, cut, window);
    return plani_stages_run(st, cut, most);
}

bool plani_stages_idle(const plani_stages_t *st)
{
    return st->idles;
}

/* [s] In which a rank's flat tree, of a full (0) or last (1) slice, leaves its port to others. */
static double idle_of(const plani_stages_t *st, int which, int u)
{
    int n = 0;
    const int *child = plan_tree_children(st->tree, u, &n);
    double longest = 0;

    for (int i = 0; i < n && st->idles; i++) longest = plani_max(longest, st->idle[which][child[i]]);
    return longest;
}

void plani_stages_add_loads(plani_stages_t *st, plani_cut_t cut, bool idle, double *send, double *receive,
                            double *resource)
{
    const plan_platform_data_t *d = st->data;
    const int *order = plan_tree_data(st->tree)->breadth_first;
    bool alike = cut.last == cut.full;
    double full = (double)(cut.n - !alike), last = alike ? 0 : 1, less = idle ? 0 : 1;

    cost_depths(st, cut);
    for (int i = 0; i < st->ranks; i++) {
        int v = order[i];
        if (i < st->level[st->height]) /* the deepest have no children */
            send[v] += (double)(cut.n - 1) * (st->flat[0][v] - less * idle_of(st, 0, v)) + st->flat[1][v] -
                       less * idle_of(st, 1, v);
        if (i == 0) continue;
        if (d->send_s == NULL)
            receive[v] += full * (st->full[v] - less * st->idle[0][v]) + last * (st->last[v] - less * st->idle[1][v]);
        for (size_t l = st->link[v], k = d->use_first[l]; k < d->use_first[l + 1]; k++) {
            size_t r = d->use[k];
            resource[r] += full * plani_cached_steady(st->row, d, r, cut.full);
            if (!alike) resource[r] += plani_cached_steady(NULL, d, r, cut.last);
        }
    }
}
