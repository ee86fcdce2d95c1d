#include "lib/mpi/measure/phases/findings.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>

plan_status_t plani_tasks_add(plani_tasks_t *tasks, plani_task_t task)
{
    plani_task_t *room = plani_grown(tasks->task, tasks->n, &tasks->room, sizeof *room);
    if (room == NULL) return PLAN_ENOMEM;
    tasks->task = room;
    tasks->task[tasks->n++] = task;
    return PLAN_OK;
}

size_t plani_step_end(const plani_tasks_t *tasks, size_t first)
{
    size_t end = first + 1;

    while (end < tasks->n && tasks->task[end].step == tasks->task[first].step) end++;
    return end;
}

plan_status_t plani_step_rate(const plani_tasks_t *tasks, size_t first, size_t *end, double *rate)
{
    *end = plani_step_end(tasks, first);
    return plani_flows_rate(tasks->task + first, tasks->result + first, *end - first, rate);
}

void plani_tasks_clear(plani_tasks_t *tasks)
{
    free(tasks->task);
    free(tasks->result);
    *tasks = (plani_tasks_t){0};
}

int plani_best_totals(plani_findings_t *s, plani_tasks_t *tasks, int runs, double *best)
{
    int rc = PLAN_OK;

    for (int run = 0; run < runs && rc == PLAN_OK; run++) {
        tasks->optional = run > 0, tasks->wanted = run == 0;
        rc = plani_experiments_run(s, tasks);
        for (size_t first = 0, end = 0; first < tasks->n && rc == PLAN_OK; first = end) {
            double together, *total = &best[tasks->task[first].step];
            rc = plani_step_rate(tasks, first, &end, &together);
            if (rc == PLAN_OK) *total = fmax(*total, together);
        }
    }
    return rc;
}

double plani_rounded(double x)
{
    if (x == 0 || !isfinite(x)) return 0;
    double unit = pow(10, floor(log10(fabs(x))) - 4);
    return round(x / unit) * unit;
}

/* The last sample and every `step`-th before it. Whole numbers as JSON integers: these are read in half the time. */
static json_t *array_of(const double *x, int n, int step)
{
    json_t *array = json_array();

    for (int i = (n - 1) % step; i < n && array != NULL; i += step) {
        double sample = plani_rounded(x[i]);
        bool whole = sample == floor(sample) && sample < 1e15;
        if (json_array_append_new(array, whole ? json_integer((json_int_t)sample) : json_real(sample)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* Keep one experiment for the profile. Of a flow at most OF_A_FLOW arrivals are kept: they lie on a line, and fewer
 * samples load faster. */
static plan_status_t keep_samples(plani_findings_t *s, const plani_task_t *t, const plani_result_t *r)
{
    static const char *const name[] = {"ping-pong", "flow", "flat tree", "chain", "shared memory", "consent"};
    enum { OF_A_FLOW = 8 };
    int step = t->kind == PLANI_FLOW ? (r->n + OF_A_FLOW - 1) / OF_A_FLOW : 1;
    json_t *a = array_of(r->a, r->n, step), *b = array_of(r->b, r->n, step);

    if (a == NULL || b == NULL) {
        json_decref(a);
        json_decref(b);
        return PLAN_ENOMEM;
    }
    json_t *row =
        json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:f, s:o, s:o}", "phase", s->phase, "experiment", name[t->kind],
                  "step", t->step, "from", t->from, "to", t->to, "bytes", t->bytes > 0 ? t->bytes : 0, "window",
                  t->window, "seconds", plani_rounded(t->seconds), "a", a, "b", b);
    if (row == NULL || json_array_append_new(s->samples, row) != 0) return PLAN_ENOMEM;
    return PLAN_OK;
}

/* [B/s] Of a flow alone from site a to site b; if that was not measured, the slowest of those that were, so that no
 * flow takes longer than expected. INFINITY: none was. */
static double between_sites(const plani_findings_t *s, int a, int b)
{
    double least = INFINITY;

    if (s->site_rate == NULL) return INFINITY;
    double rate = s->site_rate[a * s->sites + b];
    if (rate > 0 && isfinite(rate)) return rate;
    for (int i = 0; i < s->sites * s->sites; i++)
        if (s->site_rate[i] > 0) least = fmin(least, s->site_rate[i]);
    return least;
}

/* [B/s] Rate of a flow alone between the hosts of a task; INFINITY if unknown. Flows between sites may have been
 * measured beside others, so that this is rather too high than too low. */
static double known_rate(const plani_findings_t *s, const plani_task_t *t)
{
    int u = s->place[t->from].host, v = s->place[t->to].host;
    double rate = s->rate[u * s->hosts + v];

    if (u == v) return INFINITY;
    if (s->site[u] != s->site[v]) rate = between_sites(s, s->site[u], s->site[v]);
    if (!(rate > 0)) rate = INFINITY;
    if (s->card_out[u] > 0) rate = fmin(rate, s->card_out[u]);
    return s->card_in[v] > 0 ? fmin(rate, s->card_in[v]) : rate;
}

/* Which of the ends of two tasks are the same host, or the same site, if both tasks leave it. */
static bool shares_end(const plani_findings_t *s, const plani_task_t *a, const plani_task_t *b, bool from, bool site)
{
    int mine = s->place[from ? a->from : a->to].host, other = s->place[from ? b->from : b->to].host;

    if (!site) return mine == other;
    return s->site[mine] == s->site[other] && s->site[s->place[a->from].host] != s->site[s->place[a->to].host] &&
           s->site[s->place[b->from].host] != s->site[s->place[b->to].host];
}

/* In simulators flows that share something get parts of it in inverse proportion to their latencies. */
static double weight(const plani_task_t *t)
{
    static const double NEAREST = 1e-9; /* [s] */

    return 1 / fmax(t->latency, NEAREST);
}

/* [B/s] The most of task i's flow, if all flows that share one end with it get parts by weight, but for those that get
 * less alone; together they get what the fastest of them gets alone. Infinite if not even task i has that end. */
static double level(const plani_findings_t *s, const plani_tasks_t *tasks, size_t first, size_t end, size_t i, int kind)
{
    double most = 0, each = 0; /* each [B/s]: for a weight of 1 */

    for (bool settled = false; !settled;) {
        double less = 0, more = 0, before = each;
        for (size_t k = first; k < end; k++) {
            if (!shares_end(s, &tasks->task[i], &tasks->task[k], kind % 2, kind / 2)) continue;
            double alone = known_rate(s, &tasks->task[k]), part = weight(&tasks->task[k]);
            most = fmax(most, alone);
            if (alone > each * part)
                more += part;
            else
                less += alone;
        }
        if (more > 0) each = (most - less) / more;
        settled = !(more > 0) || !(each > before);
    }
    return each > 0 ? each * weight(&tasks->task[i]) : INFINITY;
}

/* [B/s] What the flow of task i gets, as far as flows at either end, or out of or into the same site, limit it. */
static double fair_share(const plani_findings_t *s, const plani_tasks_t *tasks, size_t first, size_t end, size_t i)
{
    double least = known_rate(s, &tasks->task[i]);

    for (int kind = 0; kind < 4 && isfinite(least); kind++) least = fmin(least, level(s, tasks, first, end, i, kind));
    return least;
}

/* Whether a flow leads to another site, and only its cards' rates are known. */
static bool is_blind(const plani_findings_t *s, const plani_task_t *t)
{
    int a = s->site[s->place[t->from].host], b = s->site[s->place[t->to].host];

    return a != b && isinf(between_sites(s, a, b));
}

/* One past the last of the flows that run at the same time as task `first`. */
static size_t turn_end(const plani_tasks_t *tasks, size_t first)
{
    size_t end = first + 1, last = plani_step_end(tasks, first);

    while (end < last && tasks->task[end].kind == PLANI_FLOW && tasks->task[end].order == tasks->task[first].order)
        end++;
    return end;
}

/* [s] How long each block of the flows of one turn lasts: so long that latencies, also those of other flows, and the
 * least slice matter little. share [B/s]; infinite if unknown. */
static double block_time(const plani_task_t *task, size_t n, const double *share)
{
    double latencies = n > 1 ? PLANI_BLOCK_BESIDE : PLANI_BLOCK_LATENCIES, time = 0;

    for (size_t i = 0; i < n; i++) time = fmax(time, fmax(latencies * task[i].latency, PLANI_BLOCK_LEAST / share[i]));
    return time;
}

/* Flows in blocks have few slices in flight: one, unless it would be too large. Where the rates are known, slices last
 * equally long; else they grow. Flows that run at the same time last until the slowest has sent its blocks. Flows of
 * small slices end after a number of messages, which their time depends on. share [tasks->n]: scratch */
static void suit_blocks(const plani_findings_t *s, plani_tasks_t *tasks, double *share)
{
    enum { FEW = 1, SOME = 2 };        /* windows of flows whose bytes begin to pass at one time, of others */
    static const double MARGIN = 0.25; /* windows */

    for (size_t first = 0, end; first < tasks->n; first = end) {
        end = first + 1;
        if (tasks->task[first].kind != PLANI_FLOW) continue;
        end = turn_end(tasks, first);
        for (size_t i = first; i < end; i++) share[i] = fair_share(s, tasks, first, end, i);
        double time = block_time(tasks->task + first, end - first, share + first), latency = 0;
        bool aligned = tasks->task[first].bytes <= 0;
        for (size_t i = first; i < end; i++) {
            latency = fmax(latency, tasks->task[i].latency);
            aligned = aligned && (isfinite(share[i]) || end - first == 1);
        }
        for (size_t i = first; i < end; i++) {
            plani_task_t *t = &tasks->task[i];
            t->blocks = aligned || end - first == 1 ? FEW : SOME;
            t->delay = aligned ? PLANI_BLOCK_IDLE * (latency - t->latency) : 0;
            t->seconds = (t->blocks - 1 + MARGIN) * time;
            double lasts = t->bytes > 0 ? (double)t->bytes * t->window / share[i] : time;
            t->expected = t->blocks * (PLANI_BLOCK_IDLE * latency + lasts);
            if (t->bytes > 0 || !isfinite(share[i])) t->seconds = 0;
            if (t->bytes > 0) continue;
            double bytes = isfinite(share[i]) ? time * share[i] : 0;
            t->window = t->latency > 0 ? 1 : PLANI_BLOCK_WINDOW;
            int most = is_blind(s, t) ? t->window : PLANI_BLOCK_WINDOW;
            while (bytes > t->window * (double)PLANI_POOL && t->window < most) t->window *= 2;
            t->bytes = (int)fmin(PLANI_POOL, fmax(PLANI_BLOCK_LEAST, bytes / t->window));
            if (!isfinite(share[i])) t->bytes = -PLANI_POOL;
        }
    }
}

/* Whether a step is expected to end within the budget. Where experiments cannot be shorter, one may take far longer. */
static bool fits(const plani_findings_t *s, const plani_task_t *task)
{
    return s->engine->now() + task->expected < s->start + s->budget;
}

/* [s] How long a step of flows alone is expected to last; INFINITY: it has others, or rates are not known. */
static double step_time(const plani_task_t *task, size_t first, size_t end)
{
    double most = 0;

    for (size_t i = first; i < end; i++) {
        if (task[i].kind != PLANI_FLOW || task[i].order != 0 || task[i].bytes < 0) return INFINITY;
        most = fmax(most, task[i].expected);
    }
    return most > 0 ? most : INFINITY;
}

/* Where all ranks have one clock: short steps become turns of one step, for which ranks agree once, since an agreement
 * takes longer than they do. A turn begins when the one before is long over. task [tasks->n]: a copy of the list, with
 * other steps. */
static void join_short_steps(const plani_findings_t *s, const plani_tasks_t *tasks, plani_task_t *task)
{
    static const double LONG_OVER = 3,
                        AGREEMENTS = 4; /* times what a turn is expected to last; most of a joined step */
    double begin = INFINITY;            /* [s] of the next turn of this step; INFINITY: of another step */
    size_t start = 0;
    int step = -1;

    for (size_t first = 0, end; first < tasks->n; first = end) {
        end = plani_step_end(tasks, first);
        double time = step_time(task, first, end);
        bool joins =
            time < s->engine->agree_s && begin < AGREEMENTS * s->engine->agree_s && end - start <= s->engine->room;
        if (!joins) start = first, begin = 0, step++;
        for (size_t i = first; i < end; i++) {
            task[i].step = step;
            if (isinf(time)) continue;
            task[i].order = (int)(first - start);
            task[i].begin = begin;
            task[i].expected += begin;
        }
        begin = time < s->engine->agree_s ? begin + LONG_OVER * time : INFINITY;
    }
}

/* How many steps of the list are those that the engine has left out of the joined list task [tasks->n]. */
static size_t left_out(const plani_tasks_t *tasks, const plani_task_t *task, size_t joined)
{
    size_t first = tasks->n, steps = 0;

    for (; joined > 0 && first > 0; joined--) {
        int step = task[--first].step;
        while (first > 0 && task[first - 1].step == step) first--;
    }
    for (; first < tasks->n; first = plani_step_end(tasks, first)) steps++;
    return steps;
}

/* Run a copy of the tasks, of which some steps may be joined. */
static int run_joined(plani_findings_t *s, const plani_tasks_t *tasks)
{
    plani_task_t *task = malloc(tasks->n * sizeof *task);

    if (task == NULL) return PLAN_ENOMEM;
    memcpy(task, tasks->task, tasks->n * sizeof *task);
    if (PLANI_ONE_CLOCK) join_short_steps(s, tasks, task);
    int rc = s->engine->run(s->engine, task, tasks->n, tasks->result);
    if (!tasks->optional) s->left_out += left_out(tasks, task, s->engine->left_out);
    free(task);
    return rc;
}

int plani_experiments_run(plani_findings_t *s, plani_tasks_t *tasks)
{
    free(tasks->result);
    tasks->result = NULL;
    if (tasks->n == 0) return PLAN_OK;
    if ((tasks->result = calloc(tasks->n, sizeof *tasks->result)) == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < tasks->n; i++)
        tasks->task[i].latency =
            fabs(s->latency[s->place[tasks->task[i].from].host * s->hosts + s->place[tasks->task[i].to].host]);
    if (PLANI_FLOWS_IN_BLOCKS) {
        double *share = calloc(tasks->n, sizeof *share);
        if (share == NULL) return PLAN_ENOMEM;
        suit_blocks(s, tasks, share);
        free(share);
    }
    bool known = s->card_out[0] > 0; /* without any rate there is no machine */
    s->engine->until = tasks->wanted     ? plani_phase_deadline(s)
                       : tasks->optional ? s->engine->now() + plani_phase_left(s, 1)
                                         : INFINITY;
    s->engine->one_anyway = !tasks->optional && (!PLANI_NO_NOISE || !known || fits(s, &tasks->task[0]));
    int rc = run_joined(s, tasks);
    for (size_t i = 0; i < tasks->n && rc == PLAN_OK; i++)
        if (tasks->result[i].n > 0) rc = keep_samples(s, &tasks->task[i], &tasks->result[i]);
    return rc;
}

double plani_cards_allow(const plani_findings_t *s, int u, int v)
{
    return fmin(s->card_out[u], s->card_in[v]);
}

int plani_first_rank(const plani_findings_t *s, int host)
{
    return s->rank_at[s->host_first[host]];
}

int plani_ranks_on(const plani_findings_t *s, int host)
{
    return s->host_first[host + 1] - s->host_first[host];
}

int plani_fullest_host(const plani_findings_t *s)
{
    int best = 0;

    for (int h = 1; h < s->hosts; h++)
        if (plani_ranks_on(s, h) > plani_ranks_on(s, best)) best = h;
    return best;
}

/* ---- rates of flows in blocks ----
 *
 * In simulated time there is no noise. The first entry of a log is the start. Slices that were sent together arrive
 * together, a window at a time, but for the time of the sender's and receiver's calls. Each slice is sent when its
 * place in the window is free. After a time that the latency determines its bytes pass, at a constant rate. */

/* Whether the log has all arrivals of slices so large that the time in which nothing passes is known. */
static bool is_whole(const plani_result_t *r)
{
    return r->n > 1 && r->n < PLANI_LOG && r->b[1] - r->b[0] >= PLANI_BLOCK_LEAST;
}

/* Whether the block continues after the i-th arrival, of small slices: the next one comes in a tenth of the average
 * time, or less. */
static bool goes_on(const plani_result_t *r, int i)
{
    return i > 0 && i + 1 < r->n &&
           10 * (r->a[i + 1] - r->a[i]) * (r->b[r->n - 1] - r->b[0]) <=
               (r->b[i + 1] - r->b[i]) * (r->a[r->n - 1] - r->a[0]);
}

/* When the bytes of an arrival passed. */
typedef struct {
    double from, to, bytes; /* [s], [s], [B] */
} passing_t;

/* Of one flow, at most PLANI_LOG. Returns their number. */
static int passings(const plani_task_t *task, const plani_result_t *r, passing_t *out)
{
    double idle = PLANI_BLOCK_IDLE * task->latency, small = PLANI_SMALL_IDLE * task->latency;
    int n = 0;

    if (is_whole(r)) {
        for (int i = 1; i < r->n; i++) {
            double sent = r->a[i > task->window ? i - task->window : 0];
            double from = sent + fmin(idle, 0.9 * (r->a[i] - sent));
            out[n++] = (passing_t){from, r->a[i], r->b[i] - r->b[i - 1]};
        }
        return n;
    }
    for (int i = 1, last = 0; i < r->n; i++) {
        if (goes_on(r, i)) continue;
        double from = r->a[last] + fmin(small, 0.9 * (r->a[i] - r->a[last]));
        out[n++] = (passing_t){from, r->a[i], r->b[i] - r->b[last]};
        last = i;
    }
    return n;
}

static int by_start(const void *a, const void *b)
{
    double x = ((const passing_t *)a)->from, y = ((const passing_t *)b)->from;

    return (x > y) - (x < y);
}

/* [B/s] Bytes that passed until `to` / the time in which any passed. Sorts the n passings. */
static double rate_of(passing_t *p, size_t n, double to)
{
    double bytes = 0, busy = 0, until = -INFINITY;

    qsort(p, n, sizeof *p, by_start);
    for (size_t i = 0; i < n && p[i].from < to; i++) {
        double end = fmin(p[i].to, to);
        bytes += p[i].bytes * (end - p[i].from) / (p[i].to - p[i].from);
        busy += fmax(0, end - fmax(until, p[i].from));
        until = fmax(until, end);
    }
    return busy > 0 ? bytes / busy : 0;
}

/* [B/s] Total rate of n flows until the first of them ends; 0 if a flow has no arrival. Of one block the bytes of all
 * begin to pass at the same time. Of several, while one flow waits for a latency to pass, others may get more. If they
 * share all, the total is that of all bytes in the time in which any pass. If they share nothing, it is the sum of each
 * flow's own. Flows that keep step with each other have the same of both; of others the mean counts. */
static plan_status_t block_rate(const plani_task_t *task, const plani_result_t *result, size_t n, double *rate)
{
    passing_t *p = malloc((n * PLANI_LOG + 1) * sizeof *p);
    double to = INFINITY, own = 0;
    size_t many = 0;

    *rate = 0;
    if (p == NULL) return PLAN_ENOMEM;
    for (size_t k = 0; k < n; k++) to = fmin(to, result[k].n < 2 ? -INFINITY : result[k].a[result[k].n - 1]);
    for (size_t k = 0; k < n && isfinite(to); k++) {
        size_t mine = (size_t)passings(&task[k], &result[k], p + many);
        own += rate_of(p + many, mine, to);
        many += mine;
    }
    if (many > 0) *rate = 0.5 * (own + rate_of(p, many, to));
    free(p);
    return PLAN_OK;
}

double plani_flow_rate(const plani_task_t *task, const plani_result_t *result, double *rel_err)
{
    if (!PLANI_FLOWS_IN_BLOCKS)
        return plani_steady_rate(result->a, result->b, result->n, task->seconds, task->latency, rel_err);
    passing_t p[PLANI_LOG] = {{0}};
    *rel_err = 0;
    return result->n < 2 ? 0 : rate_of(p, (size_t)passings(task, result, p), result->a[result->n - 1]);
}

bool plani_flow_is_fluid(const plani_result_t *result)
{
    return PLANI_FLOWS_IN_BLOCKS && goes_on(result, 1);
}

/* ---- several flows as one ---- */

/* [B] Bytes of a flow that had arrived by time t [s]; evenly: as if they arrived evenly from one noted arrival to the
 * next. at: arrivals noted until then, which only grows from call to call. */
static double arrived(const plani_result_t *r, double t, bool evenly, int *at)
{
    while (*at < r->n && r->a[*at] <= t) ++*at;
    if (*at == 0) return 0;
    int then = *at - 1;
    if (*at == r->n || !evenly) return r->b[then];
    return r->b[then] + (r->b[*at] - r->b[then]) * (t - r->a[then]) / (r->a[*at] - r->a[then]);
}

/* Merge n flows to one: at all times of arrival, t [s], the bytes [B] of all flows together. at [n]: scratch. Returns
 * the number of arrivals. */
static int merge_arrivals(const plani_result_t *result, size_t n, bool evenly, int *at, double *t, double *bytes)
{
    int arrivals = 0;

    for (size_t k = 0; k < n; k++)
        for (int i = at[k] = 0; i < result[k].n; i++) t[arrivals++] = result[k].a[i];
    gsl_sort(t, 1, (size_t)arrivals);
    for (int i = 0; i < arrivals; i++) {
        bytes[i] = 0;
        for (size_t k = 0; k < n; k++) bytes[i] += arrived(&result[k], t[i], evenly, &at[k]);
    }
    return arrivals;
}

/* [s] How long all flows had bytes in flight. These bytes still occupy the shared resource after the time of the flows.
 */
static double all_busy(const plani_task_t *task, const plani_result_t *result, size_t n)
{
    double first = INFINITY, last = INFINITY;

    for (size_t k = 0; k < n; k++) {
        if (result[k].n == 0) return task->seconds;
        first = fmin(first, result[k].a[0]), last = fmin(last, result[k].a[result[k].n - 1]);
    }
    return fmax(task->seconds, last - first);
}

/* As plani_flows_rate of two flows or more. */
static plan_status_t total_rate(const plani_task_t *task, const plani_result_t *result, size_t n, bool evenly,
                                double *rate)
{
    if (PLANI_FLOWS_IN_BLOCKS) return block_rate(task, result, n, rate);
    double *t = malloc(2 * n * PLANI_LOG * sizeof *t);
    int *at = malloc(n * sizeof *at);
    plan_status_t rc = t == NULL || at == NULL ? PLAN_ENOMEM : PLAN_OK;

    if (rc == PLAN_OK) {
        int arrivals = merge_arrivals(result, n, evenly, at, t, t + n * PLANI_LOG);
        *rate = plani_steady_total(t, t + n * PLANI_LOG, arrivals, all_busy(task, result, n), task->latency);
    }
    free(t);
    free(at);
    return rc;
}

plan_status_t plani_flows_rate(const plani_task_t *task, const plani_result_t *result, size_t n, double *rate)
{
    double err;

    *rate = n == 1 ? plani_flow_rate(task, result, &err) : 0;
    return n > 1 ? total_rate(task, result, n, true, rate) : PLAN_OK;
}

plan_status_t plani_card_flows_rate(const plani_task_t *task, const plani_result_t *result, size_t n, double *rate)
{
    double err;

    *rate = 0;
    if (n > 1) return total_rate(task, result, n, false, rate);
    if (n == 1)
        *rate = PLANI_FLOWS_IN_BLOCKS ? plani_flow_rate(task, result, &err)
                                      : plani_steady_rate(result->a, result->b, result->n, all_busy(task, result, 1),
                                                          task->latency, &err);
    return PLAN_OK;
}

double plani_chains_slice(const plani_tasks_t *tasks, double quantile)
{
    double time[2][PLANI_LOG], late[2];
    int n = tasks->n > 0 ? tasks->result[0].n : 0;

    for (size_t k = 0; k < tasks->n; k++) /* repetitions that all chains have */
        if (plani_starts_chain(tasks->task, k) && tasks->result[k].n < n) n = tasks->result[k].n;
    for (int i = 0; i < n; i++) {
        double *slowest = &time[i % 2][i / 2];
        *slowest = 0;
        for (size_t k = 0; k < tasks->n; k++)
            if (plani_starts_chain(tasks->task, k)) *slowest = fmax(*slowest, tasks->result[k].a[i]);
    }
    if (n < 2) return 0;
    for (int k = 0; k < 2; k++) {
        size_t many = (size_t)(n + 1 - k) / 2;
        gsl_sort(time[k], 1, many);
        late[k] = gsl_stats_quantile_from_sorted_data(time[k], 1, many, quantile);
    }
    return fmax(0, late[1] - late[0]) / (tasks->task->slices - 1);
}

void plani_raise(double *known, plani_ends_t *ends, double rate, plani_ends_t rate_ends)
{
    double less = plani_min(*known, rate);

    if (rate > *known || (rate == *known && !(ends->high > 0))) *known = rate, *ends = rate_ends;
    if (!(ends->high > 0) && less < *known && less >= 0.9 * *known) *ends = (plani_ends_t){less, *known};
}

void plani_table_add(plani_table_t *table, double bytes, int messages, double bytes_per_s)
{
    plan_pairs_t *at = table->at;
    size_t i = 0;

    if (!(bytes_per_s > 0)) return;
    while (i < table->n && (at[i].bytes < bytes || (at[i].bytes == bytes && at[i].messages < messages))) i++;
    if (i < table->n && at[i].bytes == bytes && at[i].messages == messages) {
        at[i].bytes_per_s = fmax(at[i].bytes_per_s, bytes_per_s);
    } else if (table->n < PLANI_TABLE) {
        memmove(at + i + 1, at + i, (table->n - i) * sizeof *at);
        at[i] = (plan_pairs_t){bytes, messages, bytes_per_s};
        table->n++;
    }
}

void plani_table_rise(plani_table_t *table)
{
    plan_pairs_t *at = table->at;

    for (size_t i = 1; i < table->n && !PLANI_NO_NOISE; i++)
        for (size_t k = 0; k < i; k++)
            if (at[k].messages == at[i].messages) at[i].bytes_per_s = fmax(at[i].bytes_per_s, at[k].bytes_per_s);
}

void plani_table_keep_most(plani_table_t *table)
{
    size_t n = 0;

    for (size_t i = 0; i < table->n; i++)
        if (table->at[i].bytes < PLANI_LARGE || i + 1 == table->n) table->at[n++] = table->at[i];
    table->n = n;
}

void plani_table_carry_over(const plani_table_t *from, double rate, double other_rate, plani_table_t *other)
{
    for (size_t i = 0; i < from->n && rate > 0; i++)
        if (from->at[i].messages > 1)
            plani_table_add(other, from->at[i].bytes, from->at[i].messages,
                            other_rate * fmin(1, from->at[i].bytes_per_s / rate));
}

bool plani_is_full(const plani_table_t *table, int messages, double together, double alone)
{
    const plan_pairs_t *fewer = NULL;

    for (size_t i = 0; i < table->n; i++)
        if (table->at[i].bytes == PLANI_LARGE && table->at[i].messages > 1 && table->at[i].messages < messages)
            fewer = &table->at[i];
    if (together < 0.9 * alone) return true;
    if (fewer == NULL) return false;
    double added = alone / messages * (messages - fewer->messages);
    return together - fewer->bytes_per_s < 0.5 * added;
}

plani_task_t plani_flow_task(int step, int from, int to, double seconds, int beside)
{
    int most = PLANI_POOL / PLANI_WINDOW / (beside + 1);

    while (most & (most - 1)) most &= most - 1; /* a power of two */
    return (plani_task_t){.kind = PLANI_FLOW,
                          .step = step,
                          .from = from,
                          .to = to,
                          .bytes = -(most < PLANI_LARGE ? most : PLANI_LARGE),
                          .window = PLANI_WINDOW,
                          .seconds = seconds};
}

bool plani_is_new_flow(const plani_tasks_t *tasks, size_t first, int from, int to)
{
    int into = 0, out_of = 0;

    for (size_t i = first; i < tasks->n; i++) {
        if (tasks->task[i].from == from && tasks->task[i].to == to) return false;
        into += tasks->task[i].to == to;
        out_of += tasks->task[i].from == from;
    }
    return into < PLANI_FLOWS && out_of < PLANI_FLOWS;
}
