/*
 * Measuring on modelled networks: test_measure_model [OPTION]... SPEC...
 *
 * plan_measure runs as it is, but the engine's experiments and the clock are replaced by a model of the spec's network.
 * Flows that run at the same time get max-min fair shares of the cards and trunks on their way, and arrive evenly. So
 * measuring takes milliseconds, has no noise, and must find the machine of the spec. Compared are the rates of all
 * flows at once across the boundary of each group, of flows out of and into each host, and the bound from each root.
 * Prints a line for each spec; status 1 if one is off by more than is allowed, or takes longer than 1.2 times the
 * budget.
 *
 *   --budget S     seconds for measuring, of the model (8)
 *   --acks PART    part of its rate that a flow takes on the way back (0)
 *   --late PART    part of what its way allows that a flow still gets while its receiver's card is busy sending: its
 *                  acknowledgements wait there (1)
 *   --flow B/S     most that one flow gets, whatever its way allows (no limit)
 *   --noise PART   part of a flow that noise takes, at most (0)
 *   --intervals    all rates between hosts have to have an interval, from one run to another one
 *   --start N      latencies until a flow is as fast as it gets: before, 64 KiB pass in two of them (0)
 *   --agree S      seconds that an agreement of all ranks takes (1e-4)
 *   --bounds TIMES bounds may be so many times too high or too low (1.03)
 *   --rates TIMES  and rates (not tested)
 *   --headers B    that each message of a stream has, too; a message alone passes with them at once (0)
 *   --wake S       seconds that a message takes longer while all ranks wait (0)
 *   --brief TIMES  times of 8 B while all wait may be so many times too high or too low (not tested)
 *   --large TIMES  and those of 256 KiB alone on their way (not tested)
 *   --plans TIMES  on the spec's machine, the plan for 16 MiB from what was found may sustain so many times less than
 *                  the plan from the spec (not tested)
 *   --verbose      print all that is compared
 *   --dump         print the machine that was found
 */
#include <math.h>
#include <mpi.h>
#include <planbcast/heuristics.h>
#include <planbcast/mpi.h>
#include <planbcast/plan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "graphs/machine/machine.h"
#include "lib/base/splitmix.h"
#include "lib/mpi/measure/phases/profile.h"
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/measure/validate.h"
#include "planner/algorithms/resource_bound.h"
#include "planner/cost/cost.h"

/* The network that stands for all ranks, one to a host. */
static struct {
    plani_machine_t *machine;
    int hosts, *host; /* [hosts] of each rank */
    double acks;      /* part of a flow's rate that its acknowledgements take the other way */
    double late;      /* part that a flow gets whose acknowledgements are late */
    double flow;      /* [B/s] most that one flow gets */
    double start;     /* latencies until a flow gets its rate */
    double noise;     /* part of a flow's rate */
    uint64_t random;
    double headers; /* [B] of each message in a stream */
    double wake;    /* [s] that a message takes longer while all ranks wait */
    double now;     /* [s] */
} net = {.late = 1, .flow = INFINITY};

static struct {
    double budget, rates, bounds, brief, large, plans, agree;
    bool verbose, dump, intervals;
} options = {.budget = 8,
             .rates = INFINITY,
             .bounds = 1.03,
             .brief = INFINITY,
             .large = INFINITY,
             .plans = INFINITY,
             .agree = 1e-4};

enum { VERDICTS = 5 };

/* ---- max-min fair shares ---- */

enum { WAYS = 2 * PLANI_MACHINE_DEPTH + 4 };

typedef struct {
    int from, to;          /* hosts */
    int n, way[WAYS];      /* resources on the way */
    int nback, back[WAYS]; /* on the way back */
    double most, rate;     /* [B/s] of this flow alone by its path; now */
    bool full;
} share_t;

/* Of host h: 2 h out, 2 h + 1 in; then groups alike. */
static double capacity(const plani_machine_t *m, int way)
{
    const plani_capacity_t *c;
    int at = way / 2;

    if (at < m->nhosts) {
        const plani_machine_kind_t *k = &m->kind[m->host[at].kind];
        c = way % 2 ? &k->in : &k->out;
    } else {
        c = way % 2 ? &m->group[at - m->nhosts].in : &m->group[at - m->nhosts].out;
    }
    return c->bytes_per_s > 0 ? c->bytes_per_s : INFINITY;
}

static bool is_used_up(const plani_machine_t *m, int way, const double *left)
{
    double all = capacity(m, way);
    return isfinite(all) && left[way] <= 1e-9 * all;
}

static int find_way(const plani_machine_t *m, int from, int to, int *way)
{
    int n = 0, a = m->host[from].group, b = m->host[to].group;

    way[n++] = 2 * from;
    while (a != b)
        if (a > b)
            way[n++] = 2 * (m->nhosts + a), a = m->group[a].above;
        else
            way[n++] = 2 * (m->nhosts + b) + 1, b = m->group[b].above;
    way[n++] = 2 * to + 1;
    return n;
}

/* [B/s] What the machine's path says of one flow. */
static double flow_limit(const plani_machine_t *m, int u, int v)
{
    double any = INFINITY;

    for (int i = 0; i < m->npaths; i++) {
        const plani_machine_path_t *p = &m->path[i];
        double rate = p->flow_bytes_per_s > 0 ? p->flow_bytes_per_s : INFINITY;
        if (p->from_host == u && p->to_host == v) return rate;
        if (p->from_host >= 0 || p->to_host >= 0 || !isinf(any)) continue;
        if ((p->from_group < 0 || p->from_group == m->host[u].group) &&
            (p->to_group < 0 || p->to_group == m->host[v].group) &&
            (p->from_kind < 0 || p->from_kind == m->host[u].kind) && (p->to_kind < 0 || p->to_kind == m->host[v].kind))
            any = rate;
    }
    return any;
}

static void open_share(const plani_machine_t *m, int from, int to, share_t *f)
{
    *f = (share_t){
        .from = from, .to = to, .most = fmin(flow_limit(m, from, to), m == net.machine ? net.flow : INFINITY)};
    f->n = find_way(m, from, to, f->way);
    f->nback = find_way(m, to, from, f->back);
}

/* All flows grow at the same pace until something on their way is full. \return the sum [B/s] */
static double share_fairly(const plani_machine_t *m, double acks, share_t *flow, size_t n)
{
    size_t ways = 2 * (size_t)(m->nhosts + m->ngroups);
    double *left = malloc(2 * ways * sizeof *left), *load = left + ways, sum = 0;
    size_t open = n;

    if (left == NULL) abort();
    for (size_t w = 0; w < ways; w++) left[w] = capacity(m, (int)w);
    while (open > 0) {
        double more = INFINITY;
        for (size_t w = 0; w < ways; w++) load[w] = 0;
        for (size_t i = 0; i < n; i++) {
            if (flow[i].full) continue;
            for (int k = 0; k < flow[i].n; k++) load[flow[i].way[k]] += 1;
            for (int k = 0; k < flow[i].nback; k++) load[flow[i].back[k]] += acks;
            more = fmin(more, flow[i].most - flow[i].rate);
        }
        for (size_t w = 0; w < ways; w++)
            if (load[w] > 0) more = fmin(more, left[w] / load[w]);
        if (isinf(more)) abort(); /* a path without a limit */
        for (size_t w = 0; w < ways; w++) left[w] -= load[w] > 0 ? more * load[w] : 0;
        for (size_t i = 0; i < n; i++) {
            share_t *f = &flow[i];
            if (f->full) continue;
            f->rate += more;
            bool full = f->rate >= f->most * (1 - 1e-9);
            for (int k = 0; k < f->n; k++) full = full || is_used_up(m, f->way[k], left);
            for (int k = 0; k < f->nback && acks > 0; k++) full = full || is_used_up(m, f->back[k], left);
            if (!full) continue;
            f->full = true, sum += f->rate, open--;
        }
    }
    free(left);
    return sum;
}

/* ---- experiments ---- */

static double latency_between(int u, int v)
{
    const plani_machine_t *m = net.machine;
    int way[WAYS], n = find_way(m, u, v, way);
    double sum = 0;

    for (int k = 0; k < n; k++)
        sum += way[k] / 2 < m->nhosts ? m->kind[m->host[way[k] / 2].kind].latency_s
                                      : m->group[way[k] / 2 - m->nhosts].latency_s;
    return sum;
}

static int host_of(int rank)
{
    return net.host[rank];
}

/* [B/s] One message alone, from host u to host v. */
static double message_rate(int u, int v)
{
    share_t f;

    open_share(net.machine, u, v, &f);
    return share_fairly(net.machine, 0, &f, 1);
}

/* [s] */
static double message_time(int from, int to, double bytes)
{
    return latency_between(host_of(from), host_of(to)) + bytes / message_rate(host_of(from), host_of(to));
}

/* Flows into hosts that send at the same time, as fast as their cards can, get a part of what their way allows. */
static void delay_acknowledgements(share_t *flow, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double sent = 0, card = capacity(net.machine, 2 * flow[i].to);
        for (size_t k = 0; k < n; k++) sent += flow[k].from == flow[i].to ? flow[k].rate : 0;
        if (sent >= 0.9 * card) flow[i].most = fmin(flow[i].most, net.late * message_rate(flow[i].from, flow[i].to));
    }
    for (size_t i = 0; i < n; i++) flow[i].rate = 0, flow[i].full = false;
    share_fairly(net.machine, net.acks, flow, n);
}

/* [B] What of a flow of this rate [B/s] has arrived so many seconds after its first byte. */
static double arrived(double rate, double latency, double seconds)
{
    double slow = latency > 0 ? fmin(rate, 65536 / (2 * latency)) : rate, until = fmin(seconds, net.start * latency);

    return slow * until + rate * (seconds - until);
}

static void run_flows(const plani_task_t *task, size_t n, plani_result_t *result)
{
    share_t *flow = calloc(n, sizeof *flow);
    double longest = 0;

    if (flow == NULL) abort();
    for (size_t i = 0; i < n; i++) open_share(net.machine, host_of(task[i].from), host_of(task[i].to), &flow[i]);
    share_fairly(net.machine, net.acks, flow, n);
    if (net.late < 1) delay_acknowledgements(flow, n);
    for (size_t i = 0; i < n; i++) {
        double latency = latency_between(flow[i].from, flow[i].to), seconds = fmax(task[i].seconds, 1e-3);
        double payload = task[i].bytes > 0 ? task[i].bytes / (task[i].bytes + net.headers) : 1; /* else large slices */
        payload *= 1 - net.noise * plani_random_unit(&net.random);
        result[i].n = PLANI_LOG / 2;
        for (int k = 0; k < result[i].n; k++) {
            result[i].a[k] = latency + seconds * (k + 1) / result[i].n;
            result[i].b[k] = payload * arrived(flow[i].rate, latency, result[i].a[k] - latency);
        }
        longest = fmax(longest, 1.1 * seconds + 2 * latency);
    }
    net.now += longest;
    free(flow);
}

/* Broadcasts of 1 and of all slices by turns: the most loaded card or trunk limits them. */
static void run_chain(const plani_task_t *task, size_t n, plani_result_t *result)
{
    const plani_machine_t *m = net.machine;
    size_t ways = 2 * (size_t)(m->nhosts + m->ngroups);
    double *load = calloc(ways, sizeof *load), slice = 1e-6, latency = 0;
    int way[WAYS];

    if (load == NULL) abort();
    for (size_t i = 0; i < n; i++) {
        int many = find_way(m, host_of(task[i].from), host_of(task[i].to), way);
        for (int k = 0; k < many; k++) load[way[k]] += task[i].bytes;
        latency += latency_between(host_of(task[i].from), host_of(task[i].to));
    }
    for (size_t w = 0; w < ways; w++) slice = fmax(slice, load[w] / capacity(m, (int)w));
    result->n = 6;
    for (int k = 0; k < result->n; k++) {
        result->b[k] = k % 2 ? task->slices : 1;
        result->a[k] = latency + result->b[k] * slice;
        net.now += result->a[k];
    }
    free(load);
}

/* Down the chain and back to the root, while all wait: in place of the way back the average of the links. */
static void run_waiting_chain(const plani_task_t *task, size_t n, plani_result_t *result)
{
    double seconds = 0;

    for (size_t i = 0; i < n; i++) seconds += message_time(task[i].from, task[i].to, task[i].bytes) + net.wake;
    seconds *= (double)(n + 1) / (double)n;
    result->n = 6;
    for (int k = 0; k < result->n; k++) {
        result->a[k] = seconds, result->b[k] = 1;
        net.now += seconds;
    }
}

static void run_one(const plani_task_t *t, plani_result_t *result)
{
    double there = message_time(t->from, t->to, t->kind == PLANI_CONSENT ? 0 : t->bytes),
           back = message_time(t->to, t->from, 0);

    result->n = t->kind == PLANI_CONSENT ? 1 : 8;
    for (int k = 0; k < result->n; k++) {
        result->a[k] = t->kind == PLANI_CONSENT ? 65536 : there + back;
        result->b[k] = t->kind == PLANI_PINGPONG ? 1e-7 : t->kind == PLANI_FLAT ? 2 * back : 32768;
        net.now += there + back + t->rest;
    }
}

static size_t turn_end(const plani_task_t *task, size_t i, size_t end)
{
    size_t k = i + 1;

    while (k < end && task[k].kind == task[i].kind &&
           (task[i].kind == PLANI_FLOW ? task[k].order == task[i].order
                                       : task[i].kind == PLANI_CHAIN && !plani_starts_chain(task, k)))
        k++;
    return k;
}

static void run_step(const plani_task_t *task, size_t n, plani_result_t *result)
{
    double start = net.now, longest = 0, *free_at = malloc((size_t)net.hosts * sizeof *free_at);

    if (free_at == NULL) abort();
    for (int r = 0; r < net.hosts; r++) free_at[r] = start;
    for (size_t i = 0, end; i < n; i = end) {
        end = turn_end(task, i, n);
        /* Ping-pongs and chains of a step run at the same time, those that begin at one rank one after the other. */
        if (task[i].kind != PLANI_FLOW) net.now = free_at[task[i].from];
        if (task[i].kind == PLANI_FLOW)
            run_flows(task + i, end - i, result + i);
        else if (task[i].kind == PLANI_CHAIN && task[i].others_wait)
            run_waiting_chain(task + i, end - i, result + i);
        else if (task[i].kind == PLANI_CHAIN)
            run_chain(task + i, end - i, result + i);
        else
            run_one(&task[i], &result[i]);
        free_at[task[i].from] = net.now;
        longest = fmax(longest, net.now - start);
    }
    net.now = start + longest;
    free(free_at);
}

/* ---- instead of parts of the library (linked with --wrap) ---- */

double __wrap_MPI_Wtime(void);
int __wrap_plani_engine_open(MPI_Comm comm, plani_engine_t *engine, plan_error_t *err);
int __wrap_plani_engine_agree(plani_engine_t *engine, int status);
int __wrap_plani_engine_dismiss(plani_engine_t *engine, int status);
int __wrap_plani_engine_run(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result);
void __wrap_plani_engine_close(plani_engine_t *engine);
int __wrap_plani_find_places(MPI_Comm comm, plani_place_t *place, plani_name_t *name, int *hosts);
int __wrap_plani_validate(MPI_Comm comm, const plan_platform_t *pf, double budget_s, plani_validation_t *out,
                          plan_error_t *err);

double __wrap_MPI_Wtime(void)
{
    return net.now;
}

int __wrap_plani_engine_open(MPI_Comm comm, plani_engine_t *engine, plan_error_t *err)
{
    (void)err;
    *engine = (plani_engine_t){
        .comm = comm, .ranks = net.hosts, .until = INFINITY, .run = __wrap_plani_engine_run, .now = __wrap_MPI_Wtime};
    return MPI_SUCCESS;
}

int __wrap_plani_engine_agree(plani_engine_t *engine, int status)
{
    (void)engine;
    net.now += options.agree;
    return status;
}

int __wrap_plani_engine_dismiss(plani_engine_t *engine, int status)
{
    (void)engine;
    return status;
}

void __wrap_plani_engine_close(plani_engine_t *engine)
{
    (void)engine;
}

int __wrap_plani_find_places(MPI_Comm comm, plani_place_t *place, plani_name_t *name, int *hosts)
{
    (void)comm;
    *hosts = net.hosts;
    for (int r = 0; r < net.hosts; r++) {
        place[r] = (plani_place_t){r, {-1, -1, -1}};
        snprintf(name[r].text, sizeof name[r].text, "%.60s", net.machine->host[host_of(r)].name);
    }
    return MPI_SUCCESS;
}

int __wrap_plani_validate(MPI_Comm comm, const plan_platform_t *pf, double budget_s, plani_validation_t *out,
                          plan_error_t *err)
{
    (void)comm, (void)pf, (void)budget_s, (void)err;
    out->n = 0;
    return 0;
}

int __wrap_plani_engine_run(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result)
{
    bool over = false;

    engine->left_out = 0;
    for (size_t i = 0, end; i < n; i = end) {
        if (!over) net.now += options.agree; /* of the first step that is left out, too */
        over = over || (net.now > engine->until && (i > 0 || !engine->one_anyway));
        end = i;
        while (end < n && task[end].step == task[i].step) end++;
        for (size_t k = i; k < end; k++) result[k].n = 0;
        engine->left_out += over;
        if (!over) run_step(task + i, end - i, result + i), engine->experiments += end - i;
    }
    return MPI_SUCCESS;
}

/* ---- is it the machine of the spec? ---- */

typedef struct {
    double least, most; /* ratios of what was found to what is */
    char which[2][80];
} verdict_t;

static void judge(verdict_t *v, double found, double real, const char *what, const char *name)
{
    if (isinf(found) && isinf(real)) return;
    double ratio = found / real;
    if (options.verbose) printf("  %s %s: %.1f of %.1f\n", what, name, found / 1e6, real / 1e6);
    if (ratio < v->least) v->least = ratio, snprintf(v->which[0], sizeof v->which[0], "%s %s", what, name);
    if (ratio > v->most) v->most = ratio, snprintf(v->which[1], sizeof v->which[1], "%s %s", what, name);
}

static bool is_inside(const plani_machine_t *m, int host, int group)
{
    int g = m->host[host].group;

    while (g > group) g = m->group[g].above;
    return g == group;
}

/* [B/s] All flows between the hosts of a set and all others at once. `rank_of`: numbers of hosts in m; NULL: as is */
static double across(const plani_machine_t *m, const int *number, const bool *in, int hosts, bool out)
{
    share_t *flow = malloc((size_t)hosts * (size_t)hosts * sizeof *flow);
    size_t n = 0;

    if (flow == NULL) abort();
    for (int u = 0; u < hosts; u++)
        for (int v = 0; v < hosts; v++)
            if (in[u] == out && in[v] != out)
                open_share(m, number == NULL ? u : number[u], number == NULL ? v : number[v], &flow[n++]);
    double sum = share_fairly(m, 0, flow, n);
    free(flow);
    return sum;
}

static void judge_set(verdict_t *v, const plani_machine_t *found, const int *number, const bool *in, const char *name)
{
    for (int out = 0; out < 2; out++)
        judge(v, across(found, number, in, net.hosts, out), across(net.machine, NULL, in, net.hosts, out),
              out ? "out of" : "into", name);
}

/* The platform of the spec. */
static plan_platform_t *real_platform(void)
{
    plan_platform_t *real = NULL;
    plani_place_t *place = calloc((size_t)net.hosts, sizeof *place);

    if (place == NULL) abort();
    for (int r = 0; r < net.hosts; r++) place[r] = (plani_place_t){host_of(r), {-1, -1, -1}};
    if (plani_machine_platform(net.machine, net.hosts, place, &real, NULL) != PLAN_OK) abort();
    free(place);
    return real;
}

static void judge_bounds(verdict_t *v, const plan_platform_t *found, const plan_platform_t *real)
{
    for (int root = 0; root < net.hosts; root++) {
        plani_resource_bound_t *a = NULL, *b = NULL;
        double x = 0, y = 0;
        if (plani_resource_bound_create(plan_platform_data(found), root, &a) != PLAN_OK ||
            plani_resource_bound_create(plan_platform_data(real), root, &b) != PLAN_OK)
            abort();
        if (a != NULL && b != NULL && plani_resource_bound_at(a, 1e6, &x, NULL) == PLAN_OK &&
            plani_resource_bound_at(b, 1e6, &y, NULL) == PLAN_OK)
            judge(v, x, y, "bound from", net.machine->host[host_of(root)].name);
        plani_resource_bound_destroy(&a);
        plani_resource_bound_destroy(&b);
    }
}

/* [B/s] What the plan for 16 MiB from one platform sustains on another one: large slices, so that rates alone count. */
static double sustained(const plan_platform_t *planned, const plan_platform_t *real, int root)
{
    static const double SLICE = 1 << 20;
    plan_choice_t choice = {.size = sizeof choice};
    plan_ranking_t *ranking = NULL;
    double slices = 0;

    if (plan_ranking_create(planned, root, 16 << 20, &choice, &ranking, NULL) != PLAN_OK) abort();
    const plan_candidate_t *c = &ranking->candidate[0];
    if (plan_throughput(real, c->ntrees, c->tree, c->rate, SLICE, &slices, NULL) != PLAN_OK) abort();
    plan_ranking_destroy(&ranking);
    return SLICE * slices;
}

static void judge_plans(verdict_t *v, const plan_platform_t *found, const plan_platform_t *real)
{
    for (int root = 0; root < net.hosts; root++)
        judge(v, sustained(found, real, root), sustained(real, real, root), "plan from",
              net.machine->host[host_of(root)].name);
}

/* Bytes per second of messages of 8 B, by the channel classes. */
static void judge_brief(verdict_t *v, const plan_platform_t *found)
{
    const plan_platform_data_t *d = plan_platform_data(found);

    for (size_t l = 0; l < d->nlinks; l++) {
        const plan_channel_t *c = &d->channel[d->link[l].channel];
        double real = message_time(d->link[l].from, d->link[l].to, c->bytes[0]) + net.wake;
        judge(v, c->bytes[0] / c->p2p_s[0], c->bytes[0] / real, "8 B by", c->name);
    }
}

/* Bytes per second of a large message alone, by the tables of the cards and trunks on its way. */
static void judge_large(verdict_t *v, const plan_platform_t *found)
{
    const plan_platform_data_t *d = plan_platform_data(found);

    for (size_t l = 0; l < d->nlinks; l++) {
        int from = d->link[l].from, to = d->link[l].to;
        double seconds = PLANI_LARGE * d->link[l].s_per_byte;
        char name[40];
        for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++)
            seconds = fmax(seconds, plani_resource_time(&d->resource[d->use[k]], 1, PLANI_LARGE));
        snprintf(name, sizeof name, "from rank %d to %d", from, to);
        judge(v, PLANI_LARGE / seconds, message_rate(host_of(from), host_of(to)), "256 KiB", name);
    }
}

/* v[0]: of flows at once; v[1]: of bounds; v[2]: of brief messages; v[3]: of large ones; v[4]: of plans. */
static void compare(const plan_profile_t *profile, verdict_t v[VERDICTS])
{
    const plani_machine_t *found = plani_profile_machine(profile);
    int *number = malloc((size_t)net.hosts * sizeof *number); /* of the spec's hosts in the found machine */
    bool *in = malloc((size_t)net.hosts * sizeof *in);
    plan_platform_t *real = real_platform();

    if (number == NULL || in == NULL) abort();
    for (int k = 0; k < VERDICTS; k++) v[k] = (verdict_t){.least = INFINITY};
    for (int r = 0; r < net.hosts; r++) number[host_of(r)] = r;
    for (int g = 0; g < net.machine->ngroups; g++) {
        int inside = 0;
        for (int h = 0; h < net.hosts; h++) inside += in[h] = is_inside(net.machine, h, g);
        if (inside < net.hosts) judge_set(&v[0], found, number, in, net.machine->group[g].name);
    }
    for (int g = 0; g < net.hosts; g++) {
        for (int h = 0; h < net.hosts; h++) in[h] = h == g;
        judge_set(&v[0], found, number, in, net.machine->host[g].name);
    }
    judge_bounds(&v[1], plan_profile_platform(profile), real);
    judge_brief(&v[2], plan_profile_platform(profile));
    judge_large(&v[3], plan_profile_platform(profile));
    if (isfinite(options.plans)) judge_plans(&v[4], plan_profile_platform(profile), real);
    plan_platform_destroy(&real);
    free(number);
    free(in);
}

/* ---- the command ---- */

static bool load(const char *path)
{
    plani_cluster_t *c = NULL;
    plan_error_t err;

    if (plani_cluster_load(path, &c, &err) != PLAN_OK || plani_machine_of_cluster(c, &net.machine) != PLAN_OK) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        return false;
    }
    net.hosts = 0;
    net.host = malloc((size_t)c->nhosts * sizeof *net.host);
    if (net.host == NULL) abort();
    for (int r = 0; r < c->ranks; r++) { /* the first rank of each host */
        bool known = false;
        for (int k = 0; k < net.hosts; k++) known = known || net.host[k] == c->host_of[r];
        if (!known) net.host[net.hosts++] = c->host_of[r];
    }
    plani_cluster_destroy(&c);
    return net.hosts == net.machine->nhosts;
}

/* \return 1 where a rate has no interval, be it of a single run */
static int lacks(plani_ends_t interval, double rate, bool guess, const char *what, int which)
{
    if (!(rate > 0) || guess || interval.low < interval.high) return 0;
    if (options.verbose) printf("  no interval: %s %d, %.1f\n", what, which, rate / 1e6);
    return 1;
}

/* How many rates between hosts have no interval. */
static int count_lacking(const plani_machine_t *m)
{
    int n = 0;

    for (int k = 0; k < m->nkinds; k++) {
        n += lacks(m->kind[k].out.interval, m->kind[k].out.bytes_per_s, m->kind[k].out.guess, "out of kind", k);
        n += lacks(m->kind[k].in.interval, m->kind[k].in.bytes_per_s, m->kind[k].in.guess, "into kind", k);
    }
    for (int g = 0; g < m->ngroups; g++) {
        n += lacks(m->group[g].out.interval, m->group[g].out.bytes_per_s, m->group[g].out.guess, "out of group", g);
        n += lacks(m->group[g].in.interval, m->group[g].in.bytes_per_s, m->group[g].in.guess, "into group", g);
    }
    for (int c = 0; c < m->nchannels; c++)
        n += lacks(m->channel[c].byte_interval, 1 / m->channel[c].s_per_byte, !m->channel[c].ladder.network, "channel",
                   c);
    for (int p = 0; p < m->npaths; p++)
        n += lacks(m->path[p].flow_interval, m->path[p].flow_bytes_per_s, m->path[p].likely, "path", p);
    return n;
}

static bool is_off(const verdict_t *v, double most)
{
    return v->least < 1 / most || v->most > most;
}

/* Print what is off by most. \return whether all is well */
static bool report(const char *path, const plan_profile_t *profile, double seconds)
{
    static const char *const what[] = {"rates", "bounds", "brief messages", "large ones", "plans"};
    verdict_t v[VERDICTS];
    char *text = NULL;

    compare(profile, v);
    printf("%s: %d hosts, %.1f s", path, net.hosts, seconds);
    for (int k = 0; k < VERDICTS - isinf(options.plans); k++)
        printf("; %s %.2f (%s) to %.2f (%s)", what[k], v[k].least, v[k].which[0], v[k].most, v[k].which[1]);
    int lacking = options.intervals ? count_lacking(plani_profile_machine(profile)) : 0;
    if (lacking > 0) printf("; %d rates without an interval", lacking);
    puts("");
    if (options.dump && plani_machine_to_json(plani_profile_machine(profile), &text) == PLAN_OK) puts(text);
    free(text);
    return lacking == 0 && seconds <= 1.2 * options.budget && !is_off(&v[0], options.rates) &&
           !is_off(&v[1], options.bounds) && !is_off(&v[2], options.brief) && !is_off(&v[3], options.large) &&
           v[4].least >= 1 / options.plans;
}

static bool try_spec(const char *path)
{
    plan_profile_t *profile = NULL;
    plan_options_t measuring;
    plan_error_t err = {.text = ""};
    bool good = false;

    if (!load(path) || plan_options_init(&measuring, &err) != PLAN_OK) return false;
    measuring.budget_s = options.budget, measuring.error = &err;
    net.now = 0;
    if (plan_measure(MPI_COMM_SELF, &measuring, &profile) == 0)
        good = report(path, profile, net.now);
    else
        fprintf(stderr, "%s: %s\n", path, err.text);
    plan_profile_destroy(&profile);
    plani_machine_destroy(&net.machine);
    free(net.host);
    return good;
}

/* The number that follows option *i, if this is that one. */
static bool take_number(int argc, char **argv, int *i, const char *name, double *value)
{
    if (strcmp(argv[*i], name) != 0 || *i + 1 >= argc) return false;
    *value = strtod(argv[++*i], NULL);
    return true;
}

int main(int argc, char **argv)
{
    int bad = 0;

    MPI_Init(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--verbose") == 0)
            options.verbose = true;
        else if (strcmp(argv[i], "--dump") == 0)
            options.dump = true;
        else if (strcmp(argv[i], "--intervals") == 0)
            options.intervals = true;
        else if (!take_number(argc, argv, &i, "--budget", &options.budget) &&
                 !take_number(argc, argv, &i, "--acks", &net.acks) &&
                 !take_number(argc, argv, &i, "--late", &net.late) &&
                 !take_number(argc, argv, &i, "--flow", &net.flow) &&
                 !take_number(argc, argv, &i, "--noise", &net.noise) &&
                 !take_number(argc, argv, &i, "--start", &net.start) &&
                 !take_number(argc, argv, &i, "--agree", &options.agree) &&
                 !take_number(argc, argv, &i, "--bounds", &options.bounds) &&
                 !take_number(argc, argv, &i, "--rates", &options.rates) &&
                 !take_number(argc, argv, &i, "--headers", &net.headers) &&
                 !take_number(argc, argv, &i, "--wake", &net.wake) &&
                 !take_number(argc, argv, &i, "--brief", &options.brief) &&
                 !take_number(argc, argv, &i, "--large", &options.large) &&
                 !take_number(argc, argv, &i, "--plans", &options.plans))
            bad += !try_spec(argv[i]);
    }
    MPI_Finalize();
    return bad > 0;
}
