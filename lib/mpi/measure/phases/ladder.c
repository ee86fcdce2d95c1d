/* The ladder of each channel class: overhead o(m), gap g(m) and point-to-point time of its representative pair. */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>

const int plani_size[PLANI_LADDER] = {8,     128,   1024,   2048,   4096,   8192,   16384,
                                      32768, 65536, 131072, 262144, 524288, 1048576};

static const double AGAIN = 0.7; /* part of the phase's time, until which another pass is begun */
enum {
    PASSES = PLANI_REPEATS(3),
    TWICE = PLANI_REPEATS(2),
    LEAST_SLICE = 1024,
    SMALL = 32768,
    SMALL_WINDOW = 16,
    LARGE_WINDOW = 4
};

/* A quantity [s] that is measured in several passes until it has converged. */
typedef struct {
    double value[PASSES];
    int n;
    bool certain;
} estimate_t;

typedef struct {
    estimate_t p2p[PLANI_LADDER], gap[PLANI_LADDER], overhead[PLANI_LADDER], empty;
} ladder_t;

/* [s] Time of m bytes at the class's rate; at 1 GB/s while that is unknown. */
static double wire_time(const plani_class_t *c, int m)
{
    return m / (c->rate > 0 ? c->rate : 1e9);
}

/*
 * The window of the stream that shows the gap of a slice. On networks, slices need a window that does not limit the
 * stream: what passes in 16 latencies, four times what a message and its credit take. Messages smaller than slices are
 * never streamed. Large ones mostly use rendezvous; many of them at once would arrive in groups, so few are in flight.
 */
static int window_of(const plani_class_t *c, int bytes)
{
    static const double LATENCIES = 16;
    int window = bytes <= SMALL ? SMALL_WINDOW : LARGE_WINDOW, most = PLANI_POOL / (bytes < 1 ? 1 : bytes);

    if (PLANI_FLOWS_IN_BLOCKS && c->network) return LARGE_WINDOW; /* note_flow leaves the latency out */
    if (!c->network || bytes < LEAST_SLICE) return window;
    if (most > PLANI_WINDOW_MOST) most = PLANI_WINDOW_MOST;
    while (2 * window <= most && window * wire_time(c, bytes) < LATENCIES * c->latency) window *= 2;
    return window;
}

/* Messages of 6 ms and more are not measured, but extrapolated. */
static bool affordable(const plani_class_t *c, int m)
{
    return wire_time(c, m) < 6e-3;
}

static void add_value(estimate_t *e, double value, bool certain)
{
    if (e->n < PASSES) e->value[e->n++] = value;
    e->certain = e->certain || certain;
}

/* [s] The best pass: single messages are delayed by noise, never early. */
static double least_of(const estimate_t *e)
{
    double least = e->value[0];

    for (int i = 1; i < e->n; i++) least = fmin(least, e->value[i]);
    return least;
}

/* [s] The value of one pass, or of the last before it; below 0: the median of the passes. */
static double value_of(const estimate_t *e, int pass)
{
    double x[PASSES];
    plani_summary_t s;

    if (pass >= 0) return e->value[pass < e->n ? pass : e->n - 1];
    for (int i = 0; i < e->n; i++) x[i] = e->value[i];
    plani_summarize(x, e->n, &s);
    return s.median;
}

/* Whether no more runs of a stream are needed: one run has no interval. */
static bool is_sure(const estimate_t *gap)
{
    return gap->certain && gap->n >= TWICE;
}

/* [s] How long an experiment lasts. Without noise it ends after a number of messages. */
static double duration(const plani_class_t *c, const plani_task_t *t)
{
    double wire = wire_time(c, t->bytes);

    if (PLANI_NO_NOISE) return PLANI_BLOCK_IDLE * c->latency + fmax(1, t->window) * wire;
    return t->kind == PLANI_PINGPONG ? fmin(80e-3, fmax(4e-3, 10 * wire)) : fmin(150e-3, fmax(6e-3, 30 * wire));
}

/* Add the experiments that this class still needs, in order; of sizes every `stride`-th. */
static plan_status_t add_experiments(const plani_class_t *c, const ladder_t *l, int label, int stride,
                                     plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;
    plani_task_t t = {
        .from = c->from, .to = c->to, .label = label, .step = label, .inside = !c->network, .seconds = 5e-3};

    if (PLANI_NO_NOISE) t.seconds = duration(c, &t);
    if (!l->empty.certain) rc = plani_tasks_add(tasks, t);
    for (int i = 0; i < PLANI_LADDER && rc == PLAN_OK; i += stride) {
        t.bytes = plani_size[i];
        if (!affordable(c, t.bytes)) continue;
        t.kind = PLANI_PINGPONG, t.window = 0, t.order++;
        t.seconds = duration(c, &t);
        if (!l->p2p[i].certain) rc = plani_tasks_add(tasks, t);
        t.kind = PLANI_FLOW, t.order++;
        t.window = window_of(c, t.bytes);
        t.seconds = duration(c, &t);
        if (!is_sure(&l->gap[i]) && rc == PLAN_OK) rc = plani_tasks_add(tasks, t);
    }
    return rc;
}

/* The index of a size in plani_size. */
static int rung(int bytes)
{
    int i = 0;

    while (i < PLANI_LADDER - 1 && plani_size[i] < bytes) i++;
    return i;
}

/* A round trip [s] may converge to a time far too long when other programs use the processors: measure again. */
static bool plausible(const plani_class_t *c, int bytes, double trip)
{
    return c->latency <= 0 || trip < 20e-6 + 6 * c->latency + 3 * wire_time(c, bytes);
}

static void note_pingpong(const plani_class_t *c, const plani_task_t *t, plani_result_t *r, ladder_t *l)
{
    plani_summary_t trip, busy;
    int i = rung(t->bytes);

    plani_summarize(r->a, r->n, &trip);
    plani_summarize(r->b, r->n, &busy);
    bool sure = trip.converged && plausible(c, t->bytes, trip.median);
    if (t->bytes == 0) {
        add_value(&l->empty, trip.median, sure);
    } else {
        add_value(&l->p2p[i], trip.median, sure); /* the empty answer comes off later */
        add_value(&l->overhead[i], busy.median, true);
    }
}

/* [B/s] Of a flow in blocks: the first window arrives later than the answer to one message comes back by the time that
 * its further messages take. */
static double rate_beyond_one(const plani_task_t *t, const plani_result_t *r, const estimate_t *one)
{
    double more = r->n > t->window && one->n > 0 ? r->a[t->window] - one->value[0] : 0;

    return more > 0 ? (r->b[t->window] - r->b[1]) / more : 0;
}

static void note_flow(plani_class_t *c, const plani_task_t *t, const plani_result_t *r, ladder_t *l)
{
    double err, rate = plani_flow_rate(t, r, &err);

    c->fluid = c->fluid || (t->bytes >= LEAST_SLICE && plani_flow_is_fluid(r));

    if (PLANI_FLOWS_IN_BLOCKS && c->network) rate = rate_beyond_one(t, r, &l->p2p[rung(t->bytes)]);
    if (rate > 0) add_value(&l->gap[rung(t->bytes)], t->bytes / rate, err < 0.025);
}

/* [s] What an experiment takes at least: round trips, of which noise asks for several. */
static double least_time(const plani_class_t *c, const plani_task_t *t)
{
    enum { TRIPS = 4 }; /* one to warm up, and three samples (engine/pair.c) */

    return PLANI_NO_NOISE ? t->seconds : fmax(t->seconds, TRIPS * 2 * c->latency);
}

/* Without noise: the class between hosts of the least latency, which costs least. It is measured at all sizes, and
 * others are like it at those that time does not allow; -1: none. */
static int reference(const plani_findings_t *s)
{
    int best = -1;

    for (int c = 0; c < s->nclasses && PLANI_NO_NOISE; c++)
        if (s->class_[c].network && s->class_[c].latency > 0 &&
            (best < 0 || s->class_[c].latency < s->class_[best].latency))
            best = c;
    return best;
}

/* Whether a class may take long, so that it waits for the others: all between hosts but the reference. */
static bool is_long(const plani_findings_t *s, int c)
{
    return s->class_[c].network && c != reference(s);
}

/* List the experiments of all classes that take long, or of all others, fitted into `left` seconds: by shorter
 * experiments, then by fewer sizes. Without noise the others take next to none, and have all sizes. */
static plan_status_t plan_pass(const plani_findings_t *s, const ladder_t *ladder, bool are_long, double left,
                               plani_tasks_t *tasks)
{
    static const double SHORTEST = PLANI_NO_NOISE ? 1 : 0.3;
    double scale = 0;

    for (int stride = 1; stride <= 4 && scale < SHORTEST; stride *= 2) {
        double planned = s->nclasses * s->engine->agree_s + 1e-9;
        tasks->n = 0;
        for (int c = 0; c < s->nclasses; c++)
            if (is_long(s, c) == are_long &&
                add_experiments(&s->class_[c], &ladder[c], c, PLANI_NO_NOISE && !are_long ? 1 : stride, tasks) !=
                    PLAN_OK)
                return PLAN_ENOMEM;
        for (size_t i = 0; i < tasks->n; i++)
            planned += 1.4 * least_time(&s->class_[tasks->task[i].label], &tasks->task[i]);
        scale = fmin(1, fmax(0.1, left / planned));
    }
    for (size_t i = 0; i < tasks->n; i++) tasks->task[i].seconds *= scale;
    return PLAN_OK;
}

/* [s] What the step of task i takes, if it is one without noise; else 0. */
static double class_time(const plani_tasks_t *tasks, size_t i)
{
    double sum = 0;

    for (size_t k = 0; k < tasks->n && PLANI_NO_NOISE; k++)
        if (tasks->task[k].step == tasks->task[i].step) sum += tasks->task[k].seconds;
    return sum;
}

/* One pass over all classes that take long, or over all others. In the first pass those are left out once time is over.
 */
static int pass_over(plani_findings_t *s, bool are_long, bool first, double left, ladder_t *ladder)
{
    plani_tasks_t tasks = {.wanted = are_long && first};
    int rc = plan_pass(s, ladder, are_long, left, &tasks);

    for (size_t i = 0; i < tasks.n; i++) tasks.task[i].expected = class_time(&tasks, i);

    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    for (size_t i = 0; i < tasks.n && rc == PLAN_OK; i++) {
        int c = tasks.task[i].label;
        if (tasks.result[i].n == 0) continue; /* time did not allow it */
        if (tasks.task[i].kind == PLANI_PINGPONG)
            note_pingpong(&s->class_[c], &tasks.task[i], &tasks.result[i], &ladder[c]);
        else
            note_flow(&s->class_[c], &tasks.task[i], &tasks.result[i], &ladder[c]);
    }
    plani_tasks_clear(&tasks);
    return rc;
}

/* Each class has an equal part of the phase's time. */
static int pass(plani_findings_t *s, bool first, ladder_t *ladder)
{
    int inside = 0;

    for (int c = 0; c < s->nclasses; c++) inside += !s->class_[c].network;
    int rc = pass_over(s, false, first, plani_phase_left(s, 1) * inside / s->nclasses, ladder);
    return rc == PLAN_OK ? pass_over(s, true, first, plani_phase_left(s, 1), ladder) : rc;
}

/* [s] Least time of anything, where the clock shows none. */
static const double LEAST_S = 1e-9;

/*
 * [s] The gap of a stream, corrected if its window was the bottleneck. A window of w messages takes at least the time
 * of a message and of the credits, which come back one after the other: (p2p + 3 half round trips) / w per message.
 * With long latencies that is a property of the path, not of the port. Then the gap is the longer of the sender's
 * overhead and the time of the card.
 */
static double port_gap(const plani_class_t *c, int i, double gap)
{
    double least = fmax(c->overhead[i], c->port_rate > 0 ? plani_size[i] / c->port_rate : 0);
    double held = (c->p2p[i] + 1.5 * c->round_trip) / window_of(c, plani_size[i]);

    if (PLANI_FLOWS_IN_BLOCKS) return gap; /* note_flow left the latency out */
    return c->network && least > 0 && gap > 2 * least && gap < 1.5 * held ? least : gap;
}

/* Values at size i as those of another class, with this one's latency and rate: what a message takes longer than its
 * bytes, in proportion to latencies. With ref NULL a message takes just latency and bytes. */
static void imitate_rung(plani_class_t *c, const plani_class_t *ref, int i)
{
    double wire = wire_time(c, plani_size[i]);
    double late = ref != NULL ? ref->alone[i] - wire_time(ref, plani_size[i]) : 0;
    bool alike = ref != NULL && ref->latency > 0 && late > 0;

    c->gap[i] = ref != NULL ? ref->gap[i] * wire / wire_time(ref, plani_size[i]) : wire;
    c->p2p[i] = wire + (alike ? late * c->latency / ref->latency : c->latency);
    c->overhead[i] = ref != NULL ? ref->overhead[i] : 0;
}

/* Values at size i: as measured, or like those of another class, or extrapolated at the class's rate. */
static void settle_rung(plani_class_t *c, const ladder_t *l, const plani_class_t *ref, int i, int pass)
{
    c->measured[i] = l->p2p[i].n > 0;
    if (c->measured[i] || i == 0) {
        double trip = least_of(&l->p2p[i]);
        c->p2p[i] = fmax(trip - 0.5 * c->round_trip, 0.5 * trip);
        c->overhead[i] = least_of(&l->overhead[i]);
        c->gap[i] = l->gap[i].n > 0 ? port_gap(c, i, value_of(&l->gap[i], pass)) : c->p2p[i]; /* else no overlap */
    } else if (ref != NULL && ref->measured[i] && c->latency > 0) {
        imitate_rung(c, ref, i);
    } else {
        double more = wire_time(c, plani_size[i] - plani_size[i - 1]);
        c->p2p[i] = c->p2p[i - 1] + more;
        c->gap[i] = c->gap[i - 1] + more;
        c->overhead[i] = c->overhead[i - 1];
    }
}

/* Turn estimates into a ladder. Times must not fall with the size. Where they do, the smaller value, of the larger
 * size, replaces those before it, for noise mostly adds; in simulations without noise all values stay. p2p is at least
 * the gap. Gaps are those of one pass as of value_of. */
static void settle(plani_class_t *c, const ladder_t *l, const plani_class_t *ref, int pass)
{
    c->round_trip = least_of(&l->empty);
    for (int i = 0; i < PLANI_LADDER; i++) {
        settle_rung(c, l, ref, i, pass);
        c->gap[i] = fmax(c->gap[i], LEAST_S);
        c->p2p[i] = fmax(c->p2p[i], LEAST_S);
    }
    for (int i = PLANI_NO_NOISE ? 0 : PLANI_LADDER - 1; i-- > 0;) {
        c->gap[i] = fmin(c->gap[i], c->gap[i + 1]);
        c->p2p[i] = fmin(c->p2p[i], c->p2p[i + 1]);
    }
    for (int i = 0; i < PLANI_LADDER; i++) {
        c->alone[i] = c->p2p[i];
        c->p2p[i] = fmax(c->p2p[i], c->gap[i]);
        c->part[i] = plani_size[i] / c->gap[i] * c->gap[PLANI_LADDER - 1] / plani_size[PLANI_LADDER - 1];
    }
}

/* If a trunk was the bottleneck of the streams, reduce gaps to the time of the cards: the trunk is a resource of its
 * own. */
static void leave_trunk_out(plani_class_t *c)
{
    if (!c->network || !(c->port_rate > 1.05 * c->rate)) return;
    for (int i = 0; i < PLANI_LADDER; i++)
        c->gap[i] = fmax(fmin(c->gap[i], c->latency_s + plani_size[i] / c->port_rate), fmin(c->gap[i], c->overhead[i]));
}

/* Lines T(m) = a + b m: that of the gaps gives the port's latency_s and s_per_byte; delay_s is what single messages
 * take longer. */
static void fit_class(plani_class_t *c)
{
    double m[PLANI_LADDER], gap[PLANI_LADDER], p2p[PLANI_LADDER], pa, pb;
    int n = 0, known = 0;

    for (int i = 0; i < PLANI_LADDER; i++) known += c->measured[i];
    for (int i = 0; i < PLANI_LADDER; i++) { /* with a single one, its rate has set the next */
        if (!c->measured[i] && (known > 1 || i > 1)) continue;
        m[n] = plani_size[i], gap[n] = c->gap[i], p2p[n++] = c->p2p[i];
    }
    plani_fit_line(m, gap, n, &c->latency_s, &c->s_per_byte);
    plani_fit_line(m, p2p, n, &pa, &pb);
    c->delay_s = fmax(0, pa - c->latency_s);
    leave_trunk_out(c);
    if (c->network && c->rate > 0)
        c->s_per_byte = 1 / c->rate;
    else if (c->s_per_byte > 0)
        c->rate = 1 / c->s_per_byte;
}

static plani_ends_t reach(plani_ends_t ends, double x)
{
    return (plani_ends_t){fmin(ends.low, x), fmax(ends.high, x)};
}

/* [s/B] The rate between hosts is that of flows. */
static plani_ends_t ends_of_rate(const plani_class_t *c)
{
    return c->rate_ends.high > 0 ? (plani_ends_t){1 / c->rate_ends.high, 1 / c->rate_ends.low} : (plani_ends_t){0, 0};
}

/* Settle and fit a class: with the gaps of all passes, and with those of each, between which its line lies. */
static void conclude(plani_class_t *c, const ladder_t *l, const plani_class_t *ref)
{
    plani_class_t all = *c;
    int passes = 0;

    for (int i = 0; i < PLANI_LADDER; i++) passes = l->gap[i].n > passes ? l->gap[i].n : passes;
    settle(&all, l, ref, -1);
    fit_class(&all);
    plani_ends_t latency = {all.latency_s, all.latency_s}, byte = {all.s_per_byte, all.s_per_byte},
                 delay = {all.delay_s, all.delay_s};
    for (int pass = 0; pass < passes; pass++) {
        plani_class_t one = *c;
        settle(&one, l, ref, pass);
        fit_class(&one);
        latency = reach(latency, one.latency_s), byte = reach(byte, one.s_per_byte), delay = reach(delay, one.delay_s);
    }
    if (passes > 1) all.latency_ends = latency, all.byte_ends = byte, all.delay_ends = delay;
    if (c->network) all.byte_ends = ends_of_rate(c);
    *c = all;
}

/* A class between hosts that time did not allow, as another one would be with its latency and rate; with ref NULL its
 * messages take just these. */
static void imitate(plani_class_t *c, const plani_class_t *ref)
{
    c->round_trip = 2 * c->latency;
    for (int i = 0; i < PLANI_LADDER; i++) {
        imitate_rung(c, ref, i);
        c->gap[i] = fmax(c->gap[i], LEAST_S);
        c->alone[i] = c->p2p[i];
        c->p2p[i] = fmax(c->p2p[i], c->gap[i]);
        c->measured[i] = ref == NULL || ref->measured[i];
    }
    c->fluid = ref != NULL && ref->fluid;
    c->byte_ends = ends_of_rate(c);
    fit_class(c);
}

/* The first class between hosts that was measured; NULL: none. */
static const plani_class_t *first_measured(const plani_findings_t *s, const ladder_t *ladder)
{
    for (int c = 0; c < s->nclasses; c++)
        if (s->class_[c].network && ladder[c].p2p[0].n > 0) return &s->class_[c];
    return NULL;
}

/* What a trunk of `rate` [B/s] carries of slices of each size, if they lose as much as on the link of a class. */
static void note_losses(const plani_class_t *c, double rate, plani_table_t *table)
{
    enum { LEAST = 2048, MOST = 32768, FLOWS = 16 }; /* as trunks are measured */

    if (!(rate > 0)) return;
    plani_table_add(table, PLANI_LARGE, FLOWS, rate);
    for (int i = 0; i < PLANI_LADDER; i++)
        if (plani_size[i] >= LEAST && plani_size[i] <= MOST)
            plani_table_add(table, plani_size[i], FLOWS, rate * (c->part[i] < PLANI_LESS ? c->part[i] : 1));
}

/* The same of all trunks of sites and areas, measured or guessed. */
static plan_status_t note_trunks(plani_findings_t *s, const plani_class_t *c)
{
    double *guess = calloc(2 * ((size_t)s->sites + (size_t)s->areas), sizeof *guess);
    plan_status_t rc = guess == NULL ? PLAN_ENOMEM : plani_guess_sites(s, guess);

    if (rc == PLAN_OK && s->areas > 0) rc = plani_guess_areas(s, guess + 2 * s->sites);
    for (int k = 0; k < 2 * (s->sites + s->areas) && rc == PLAN_OK; k++) {
        bool area = k >= 2 * s->sites;
        int way = area ? k - 2 * s->sites : k;
        const plani_trunk_t *trunk = area ? &s->area_trunk[way / 2] : &s->trunk[way / 2];
        note_losses(c, fmax(way % 2 ? trunk->in : trunk->out, guess[k]),
                    area ? &s->area_table[way] : &s->trunk_table[way]);
    }
    free(guess);
    return rc;
}

/* Protocols, from the measured times of single messages: in a stream the protocol of one message overlaps with the
 * transfer of others. */
static void find_pieces(plani_class_t *c)
{
    double m[PLANI_LADDER], t[PLANI_LADDER];
    int n = 0;

    for (int i = 0; i < PLANI_LADDER; i++)
        if (c->measured[i]) m[n] = plani_size[i], t[n++] = c->p2p[i];
    c->npieces = plani_fit_pieces(m, t, n, c->piece);
}

/* The class between hosts that is fastest, so that its messages take least time; -1: none. Channels of simulators carry
 * all that is under way at once. */
static int fastest(const plani_findings_t *s)
{
    int best = -1;

    for (int c = 0; c < s->nclasses; c++)
        if (s->class_[c].network && !s->class_[c].fluid && (best < 0 || s->class_[c].rate > s->class_[best].rate))
            best = c;
    return best;
}

/* From which size on messages between hosts wait for their receivers: a property of the MPI library, not of a class. */
static int find_rendezvous(plani_findings_t *s)
{
    static const double LONGEST = 0.25; /* [s] */
    plani_tasks_t tasks = {0};
    int c = fastest(s);

    if (c < 0 || PLANI_MUST_BLOCK) return PLAN_OK;
    plani_task_t t = {.kind = PLANI_CONSENT, .from = s->class_[c].from, .to = s->class_[c].to};
    t.bytes = plani_size[PLANI_LADDER - 1];
    t.seconds = fmin(LONGEST, 0.02 * s->budget);
    int rc = plani_tasks_add(&tasks, t);
    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    for (c = 0; c < s->nclasses && rc == PLAN_OK && tasks.result[0].n > 0; c++)
        if (s->class_[c].network && !s->class_[c].fluid) s->class_[c].rendezvous = tasks.result[0].a[0];
    plani_tasks_clear(&tasks);
    return rc;
}

static bool certain(const plani_findings_t *s, const ladder_t *ladder)
{
    for (int c = 0; c < s->nclasses; c++) {
        if (!ladder[c].empty.certain) return false;
        for (int i = 0; i < PLANI_LADDER; i++)
            if (affordable(&s->class_[c], plani_size[i]) && !(ladder[c].p2p[i].certain && is_sure(&ladder[c].gap[i])))
                return false;
    }
    return true;
}

int plani_measure_ladders(plani_findings_t *s)
{
    ladder_t *ladder = calloc((size_t)s->nclasses + 1, sizeof *ladder);
    int rc = ladder == NULL ? PLAN_ENOMEM : plani_phase_begin(s, PLANI_PHASE_LADDERS);

    for (int k = 0; k < PASSES && rc == PLAN_OK && !certain(s, ladder); k++) {
        if (k > 0 && !plani_phase_time_left(s, AGAIN)) break;
        rc = pass(s, k == 0, ladder);
    }
    int first = reference(s);
    const plani_class_t *ref = first >= 0 && ladder != NULL && ladder[first].p2p[0].n > 0 ? &s->class_[first] : NULL;
    if (ref != NULL && rc == PLAN_OK) conclude(&s->class_[first], &ladder[first], NULL);
    for (int c = 0; c < s->nclasses && rc == PLAN_OK; c++)
        if ((!s->class_[c].network || ladder[c].p2p[0].n > 0) && &s->class_[c] != ref)
            conclude(&s->class_[c], &ladder[c], s->class_[c].network ? ref : NULL);
    for (int c = 0; c < s->nclasses && rc == PLAN_OK; c++) {
        if (s->class_[c].network && ladder[c].p2p[0].n == 0) imitate(&s->class_[c], first_measured(s, ladder));
        find_pieces(&s->class_[c]);
    }
    if (PLANI_LOSS_BY_SIZE && ref != NULL && s->sites > 1 && rc == PLAN_OK) rc = note_trunks(s, ref);
    free(ladder);
    return rc == PLAN_OK ? find_rendezvous(s) : rc;
}
