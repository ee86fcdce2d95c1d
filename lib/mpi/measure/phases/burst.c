/*
 * Bursts: the bytes that a shaped card or trunk (a token bucket) lets pass at once after a pause, before its rate
 * limits. A broadcast of some kilobytes is faster than the rate for that reason.
 *
 * One message after a pause arrives earlier than the rate allows, by the burst. Of a few messages the fastest counts,
 * for noise only delays. A message crosses several resources, and each lets at least its burst pass. So the burst of a
 * resource is the largest that was measured across it.
 */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>

/* [B] A path gets the next size if ALMOST of the message passed at once. */
static const int sizes[] = {32768, 131072, 524288};
enum { SIZES = sizeof sizes / sizeof *sizes };
static const double ALMOST = 0.8;
static const double LONGEST = 60e-3; /* [s] longer messages are left out: they would take too much of the budget */

/* A pair of hosts. */
typedef struct {
    int from, to, size;
    bool again; /* almost all of the message passed at once */
} path_t;

typedef struct {
    plani_findings_t *s;
    path_t *path; /* [room] */
    size_t n;
    bool *seen_out, *seen_in; /* [hosts] the card is the bottleneck of some path already */
} paths_t;

static bool alike(double a, double b)
{
    return fabs(a - b) <= 0.1 * fmax(a, b);
}

static void add_path(paths_t *p, int from, int to)
{
    const plani_findings_t *s = p->s;

    for (size_t i = 0; i < p->n; i++)
        if (p->path[i].from == from && p->path[i].to == to) return;
    p->path[p->n++] = (path_t){.from = from, .to = to};
    double rate = plani_host_rate(s, from, to);
    p->seen_out[from] = p->seen_out[from] || alike(rate, s->card_out[from]);
    p->seen_in[to] = p->seen_in[to] || alike(rate, s->card_in[to]);
}

/* The other end of a path out of (or into) a host: one for which the host's card is the bottleneck, preferably with a
 * card as fast that no path covers yet. -1: there is no other host. */
static int partner(const paths_t *p, int host, bool out)
{
    const plani_findings_t *s = p->s;
    double mine = out ? s->card_out[host] : s->card_in[host], most = -1;
    int best = -1;

    for (int h = 0; h < s->hosts; h++) {
        if (h == host) continue;
        double other = out ? s->card_in[h] : s->card_out[h];
        double rate = out ? plani_host_rate(s, host, h) : plani_host_rate(s, h, host);
        bool useful = !(out ? p->seen_in[h] : p->seen_out[h]) && alike(rate, other);
        double worth = fmin(1, rate / mine) + (useful ? 0.05 : 0) + (h > host ? 0.01 : 0); /* prefer a ring */
        if (worth > most) most = worth, best = h;
    }
    return best;
}

static void add_cards(paths_t *p)
{
    const plani_findings_t *s = p->s;

    for (int h = 0; h < s->hosts; h++)
        for (int out = 1; out >= 0; out--) {
            if (!(out ? s->shared_out[h] : s->shared_in[h]) || (out ? p->seen_out[h] : p->seen_in[h])) continue;
            int other = partner(p, h, out);
            add_path(p, out ? h : other, out ? other : h);
        }
}

/* The fastest path between two groups of sites, so that the trunk in question is its bottleneck; in_group [sites]. */
static void add_crossing(paths_t *p, const bool *in_group, bool out)
{
    const plani_findings_t *s = p->s;
    int from = -1, to = -1;
    double most = 0;

    for (int a = 0; a < s->sites; a++)
        for (int b = 0; b < s->sites; b++) {
            double rate = s->site_rate[a * s->sites + b];
            if (in_group[a] != out || in_group[b] == out || rate <= most) continue;
            most = rate, from = a, to = b;
        }
    if (from >= 0) add_path(p, plani_host_of_site(s, from, 0), plani_host_of_site(s, to, 0));
}

static plan_status_t add_trunks(paths_t *p)
{
    const plani_findings_t *s = p->s;
    bool *in_group = calloc((size_t)s->sites, sizeof *in_group);

    if (in_group == NULL) return PLAN_ENOMEM;
    for (int k = 0; k < s->sites + s->areas && s->trunk != NULL; k++) {
        const plani_trunk_t *t = k < s->sites ? &s->trunk[k] : &s->area_trunk[k - s->sites];
        for (int i = 0; i < s->sites; i++) in_group[i] = k < s->sites ? i == k : s->area[i] == k - s->sites;
        if (t->out > 0) add_crossing(p, in_group, true);
        if (t->in > 0) add_crossing(p, in_group, false);
    }
    free(in_group);
    return PLAN_OK;
}

static void raise_burst(double *burst, double bytes)
{
    *burst = fmax(*burst, bytes);
}

/* Note a burst with all resources of the path. */
static void note_burst(plani_findings_t *s, const path_t *p, double bytes)
{
    int a = s->site[p->from], b = s->site[p->to];

    raise_burst(&s->burst_out[p->from], bytes);
    raise_burst(&s->burst_in[p->to], bytes);
    if (a == b || s->trunk == NULL) return;
    raise_burst(&s->trunk[a].burst_out, bytes);
    raise_burst(&s->trunk[b].burst_in, bytes);
    if (s->areas == 0 || s->area[a] == s->area[b]) return;
    raise_burst(&s->area_trunk[s->area[a]].burst_out, bytes);
    raise_burst(&s->area_trunk[s->area[b]].burst_in, bytes);
}

/* One message size: all paths that need it, one after the other, as long as there is time. */
static int run_once(paths_t *p, int size)
{
    plani_findings_t *s = p->s;
    plani_tasks_t tasks = {.optional = true};
    double left = plani_phase_left(s, 1);
    int rc = PLAN_OK;

    for (size_t i = 0; i < p->n && rc == PLAN_OK && left > 0; i++) {
        double wire = sizes[size] / plani_host_rate(s, p->path[i].from, p->path[i].to);
        if ((size > 0 && !p->path[i].again) || wire > LONGEST) continue;
        left -= 4 * (2 * wire + 0.5e-3);
        rc = plani_tasks_add(&tasks, (plani_task_t){.kind = PLANI_PINGPONG,
                                                    .step = (int)i,
                                                    .from = plani_first_rank(s, p->path[i].from),
                                                    .to = plani_first_rank(s, p->path[i].to),
                                                    .bytes = sizes[size],
                                                    .label = (int)i,
                                                    .rest = 0.3e-3 + 0.8 * wire});
    }
    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    for (size_t i = 0; i < p->n; i++) p->path[i].again = false;
    for (size_t i = 0; i < tasks.n && rc == PLAN_OK; i++) {
        path_t *path = &p->path[tasks.task[i].label];
        double latency = s->latency[path->from * s->hosts + path->to];
        plani_summary_t trip;
        if (tasks.result[i].n == 0) continue;
        plani_summarize(tasks.result[i].a, tasks.result[i].n, &trip);
        double bytes = plani_burst(sizes[size], trip.min - latency, latency, plani_host_rate(s, path->from, path->to));
        note_burst(s, path, bytes);
        path->again = bytes > ALMOST * sizes[size];
    }
    plani_tasks_clear(&tasks);
    return rc;
}

int plani_measure_bursts(plani_findings_t *s)
{
    if (!PLANI_BURSTS) return PLAN_OK;
    size_t hosts = (size_t)s->hosts, room = 2 * hosts + 2 * (size_t)(s->sites + s->areas);
    paths_t p = {.s = s,
                 .path = calloc(room, sizeof *p.path),
                 .seen_out = calloc(hosts, sizeof *p.seen_out),
                 .seen_in = calloc(hosts, sizeof *p.seen_in)};
    int rc = p.path && p.seen_out && p.seen_in ? plani_phase_begin(s, PLANI_PHASE_BURSTS) : PLAN_ENOMEM;

    if (rc == PLAN_OK) rc = add_trunks(&p);
    if (rc == PLAN_OK) add_cards(&p);
    for (int size = 0; size < SIZES && rc == PLAN_OK; size++) rc = run_once(&p, size);
    free(p.path);
    free(p.seen_out);
    free(p.seen_in);
    return rc;
}
