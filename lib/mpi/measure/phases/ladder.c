/* The ladder of each channel class: overhead o(m), gap g(m) and point-to-point time of its representative pair. */
#include "lib/mpi/measure/engine/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>

const int plani_size[PLANI_SIZES] = {8,     128,   1024,   2048,   4096,   8192,   16384,
                                     32768, 65536, 131072, 262144, 524288, 1048576};

static const double AGAIN = 0.7; /* of the phase's time: later there is no use in another pass */
enum { PASSES = PLANI_REPEATS(3), LEAST_SLICE = 1024, SMALL = 32768, SMALL_WINDOW = 16, LARGE_WINDOW = 4 };

/* One value that is measured again until it is certain; the passes' median counts. */
typedef struct {
    double value[PASSES];
    int n;
    bool certain;
} estimate_t;

typedef struct {
    estimate_t p2p[PLANI_SIZES], gap[PLANI_SIZES], overhead[PLANI_SIZES], empty;
} ladder_t;

/* Seconds that m bytes take at the class's rate; 1 GB/s before it is known. */
static double wire_time(const plani_class_t *c, int m)
{
    return m / (c->rate > 0 ? c->rate : 1e9);
}

/*
 * The gap of a slice is what a stream of them shows, if its window does not hold it up: as many as pass in the time of
 * sixteen latencies, four times what a message and its credits take. Smaller messages than slices are never streamed.
 * Large ones are mostly sent by rendezvous, and many at once arrive in clumps: no more than that are in flight.
 */
static int window_of(const plani_class_t *c, int bytes)
{
    static const double LATENCIES = 16;
    int window = bytes <= SMALL ? SMALL_WINDOW : LARGE_WINDOW, most = PLANI_POOL / (bytes < 1 ? 1 : bytes);

    if (!c->network || bytes < LEAST_SLICE) return window;
    if (most > PLANI_WINDOW_MOST) most = PLANI_WINDOW_MOST;
    while (2 * window <= most && window * wire_time(c, bytes) < LATENCIES * c->latency) window *= 2;
    return window;
}

/* Larger messages than the time allows are left to the line through the others. */
static bool affordable(const plani_class_t *c, int m)
{
    return wire_time(c, m) < 6e-3;
}

static void add_value(estimate_t *e, double value, bool certain)
{
    if (e->n < PASSES) e->value[e->n++] = value;
    e->certain = e->certain || certain;
}

/* Messages alone are late, never early: their best pass counts. */
static double least_of(const estimate_t *e)
{
    double least = e->value[0];

    for (int i = 1; i < e->n; i++) least = fmin(least, e->value[i]);
    return least;
}

static double value_of(const estimate_t *e)
{
    double x[PASSES];
    plani_summary_t s;

    for (int i = 0; i < e->n; i++) x[i] = e->value[i];
    plani_summarize(x, e->n, &s);
    return s.median;
}

/* The experiments that this class still needs, in order; every `stride`th size. */
static plan_status_t add_experiments(const plani_class_t *c, const ladder_t *l, int mark, int stride,
                                     plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;
    plani_task_t t = {.from = c->from, .to = c->to, .mark = mark, .step = mark, .inside = !c->network, .seconds = 5e-3};

    if (!l->empty.certain) rc = plani_tasks_add(tasks, t);
    for (int i = 0; i < PLANI_SIZES && rc == PLAN_OK; i += stride) {
        t.bytes = plani_size[i];
        if (!affordable(c, t.bytes)) continue;
        t.kind = PLANI_PINGPONG, t.window = 0, t.order++;
        t.seconds = fmin(80e-3, fmax(4e-3, 10 * wire_time(c, t.bytes)));
        if (!l->p2p[i].certain) rc = plani_tasks_add(tasks, t);
        t.kind = PLANI_FLOW, t.order++;
        t.window = window_of(c, t.bytes);
        t.seconds = fmin(150e-3, fmax(6e-3, 30 * wire_time(c, t.bytes)));
        if (!l->gap[i].certain && rc == PLAN_OK) rc = plani_tasks_add(tasks, t);
    }
    return rc;
}

static int rung(int bytes)
{
    int i = 0;

    while (i < PLANI_SIZES - 1 && plani_size[i] < bytes) i++;
    return i;
}

/* Two ranks may agree on a time that is far too long, when other programs take their processors: then once more. */
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
    bool sure = plani_converged(&trip) && plausible(c, t->bytes, trip.median);
    if (t->bytes == 0) {
        add_value(&l->empty, trip.median, sure);
    } else {
        add_value(&l->p2p[i], trip.median, sure); /* the empty answer comes off later */
        add_value(&l->overhead[i], busy.median, true);
    }
}

static void note_flow(plani_class_t *c, const plani_task_t *t, const plani_result_t *r, ladder_t *l)
{
    double err, rate = plani_flow_rate(t, r, &err);

    c->fluid = c->fluid || (t->bytes >= LEAST_SLICE && plani_flow_is_fluid(r));

    if (rate > 0) add_value(&l->gap[rung(t->bytes)], t->bytes / rate, err < 0.025);
}

/* All classes' experiments, made to fit into `left` seconds: shorter, then fewer. */
static plan_status_t plan_pass(const plani_findings_t *s, const ladder_t *ladder, double left, plani_tasks_t *tasks)
{
    double scale = 0;

    for (int stride = 1; stride <= 4 && scale < 0.3; stride *= 2) {
        double planned = s->nclasses * s->engine->agree_s + 1e-9;
        tasks->n = 0;
        for (int c = 0; c < s->nclasses; c++)
            if (add_experiments(&s->class_[c], &ladder[c], c, stride, tasks) != PLAN_OK) return PLAN_ENOMEM;
        for (size_t i = 0; i < tasks->n; i++) planned += 1.4 * tasks->task[i].seconds;
        scale = fmin(1, fmax(0.1, left / planned));
    }
    for (size_t i = 0; i < tasks->n; i++) tasks->task[i].seconds *= scale;
    return PLAN_OK;
}

/* One pass over all classes. */
static int pass(plani_findings_t *s, ladder_t *ladder)
{
    plani_tasks_t tasks = {0};
    int rc = plan_pass(s, ladder, plani_phase_left(s, 1), &tasks);

    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    for (size_t i = 0; i < tasks.n && rc == PLAN_OK; i++) {
        int c = tasks.task[i].mark;
        if (tasks.task[i].kind == PLANI_PINGPONG)
            note_pingpong(&s->class_[c], &tasks.task[i], &tasks.result[i], &ladder[c]);
        else
            note_flow(&s->class_[c], &tasks.task[i], &tasks.result[i], &ladder[c]);
    }
    plani_tasks_clear(&tasks);
    return rc;
}

/* [s] Where a clock sees nothing pass, something has: nothing costs nothing. */
static const double LEAST_S = 1e-9;

/*
 * The gap of a stream, unless its window was all that held it up. A window of w messages passes in no less than the
 * time of one and of the credits that come back one after the other, (p2p + 3 half round trips) / w each: over a long
 * way this says how long the way is, and nothing about the port. Then the port is busy for as long as the sender or the
 * card are, whichever is longer.
 */
static double port_gap(const plani_class_t *c, int i, double gap)
{
    double least = fmax(c->overhead[i], c->port_rate > 0 ? plani_size[i] / c->port_rate : 0);
    double held = (c->p2p[i] + 1.5 * c->round_trip) / window_of(c, plani_size[i]);

    return c->network && least > 0 && gap > 2 * least && gap < 1.5 * held ? least : gap;
}

/* One rung: measured, or on the line of the rate if it would have taken too long. */
static void settle_rung(plani_class_t *c, const ladder_t *l, int i)
{
    c->measured[i] = l->p2p[i].n > 0;
    if (c->measured[i] || i == 0) {
        double trip = least_of(&l->p2p[i]);
        c->p2p[i] = fmax(trip - 0.5 * c->round_trip, 0.5 * trip);
        c->overhead[i] = least_of(&l->overhead[i]);
        c->gap[i] = l->gap[i].n > 0 ? port_gap(c, i, value_of(&l->gap[i])) : c->p2p[i]; /* unseen: in order, at worst */
    } else {
        double more = wire_time(c, plani_size[i] - plani_size[i - 1]);
        c->p2p[i] = c->p2p[i - 1] + more;
        c->gap[i] = c->gap[i - 1] + more;
        c->overhead[i] = c->overhead[i - 1];
    }
}

/* Raw estimates to a ladder. A larger message takes no less time, and noise adds more often than it takes away: where
 * times fall with the size, the later ones hold, unless there is no noise. No message is there
 * sooner than the next can follow. */
static void settle(plani_class_t *c, const ladder_t *l)
{
    c->round_trip = least_of(&l->empty);
    for (int i = 0; i < PLANI_SIZES; i++) {
        settle_rung(c, l, i);
        c->gap[i] = fmax(c->gap[i], LEAST_S);
        c->p2p[i] = fmax(c->p2p[i], LEAST_S);
    }
    for (int i = PLANI_NO_NOISE ? 0 : PLANI_SIZES - 1; i-- > 0;) {
        c->gap[i] = fmin(c->gap[i], c->gap[i + 1]);
        c->p2p[i] = fmin(c->p2p[i], c->p2p[i + 1]);
    }
    for (int i = 0; i < PLANI_SIZES; i++) c->p2p[i] = fmax(c->p2p[i], c->gap[i]);
}

/* Streams were held up by a trunk. Ports are held no longer than the cards take: the trunk is a resource of its own. */
static void leave_trunk_out(plani_class_t *c)
{
    if (!c->network || !(c->port_rate > 1.05 * c->rate)) return;
    for (int i = 0; i < PLANI_SIZES; i++)
        c->gap[i] = fmax(fmin(c->gap[i], c->latency_s + plani_size[i] / c->port_rate), fmin(c->gap[i], c->overhead[i]));
}

/* T(m) = a + b m, of the stream for the port, of the single message for what passes in flight. */
static void fit_class(plani_class_t *c)
{
    double m[PLANI_SIZES], pa, pb;
    int n = 0;

    while (n < PLANI_SIZES && (n < 2 || c->measured[n])) m[n] = plani_size[n], n++;
    plani_fit_line(m, c->gap, n, &c->latency_s, &c->s_per_byte);
    plani_fit_line(m, c->p2p, n, &pa, &pb);
    c->delay_s = fmax(0, pa - c->latency_s);
    leave_trunk_out(c);
    if (c->network && c->rate > 0)
        c->s_per_byte = 1 / c->rate;
    else if (c->s_per_byte > 0)
        c->rate = 1 / c->s_per_byte;
}

/* Single messages, for in a stream the protocol of one overlaps with the way of others; measured sizes alone. */
static void find_pieces(plani_class_t *c)
{
    double m[PLANI_SIZES], t[PLANI_SIZES];
    int n = 0;

    for (int i = 0; i < PLANI_SIZES; i++)
        if (c->measured[i]) m[n] = plani_size[i], t[n++] = c->p2p[i];
    c->npieces = plani_fit_pieces(m, t, n, c->piece);
}

static bool certain(const plani_findings_t *s, const ladder_t *ladder)
{
    for (int c = 0; c < s->nclasses; c++) {
        if (!ladder[c].empty.certain) return false;
        for (int i = 0; i < PLANI_SIZES; i++)
            if (affordable(&s->class_[c], plani_size[i]) && !(ladder[c].p2p[i].certain && ladder[c].gap[i].certain))
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
        rc = pass(s, ladder);
    }
    for (int c = 0; c < s->nclasses && rc == PLAN_OK; c++) {
        settle(&s->class_[c], &ladder[c]);
        fit_class(&s->class_[c]);
        find_pieces(&s->class_[c]);
    }
    free(ladder);
    return rc;
}
