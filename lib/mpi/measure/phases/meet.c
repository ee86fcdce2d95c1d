/* Pairwise exchange between all hosts, in the rounds of a round-robin tournament (infer/rounds.c): first ping-pongs for
 * latencies, then flows in both directions for rates, all pairs of a round at the same time. Preliminary sites are
 * inferred from both. With many hosts only some pairs are measured (sample.c).
 *
 * A pair sees a trunk only beside others that fill it. So there are two tournaments, the second one of hosts in another
 * order: each pair meets beside two sets of others, and its slower flow tells of trunks, the faster one of cards. */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/base/splitmix.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDERS = 2 };

/* In which order hosts take part: as they are, or any other, but always the same. order [hosts] */
static void find_order(int hosts, bool shuffled, int *order)
{
    uint64_t state = 1;

    for (int h = 0; h < hosts; h++) {
        int k = shuffled ? (int)plani_random_below(&state, (uint32_t)h + 1) : h;
        order[h] = h; /* and now in the place of the k-th */
        order[h] = order[k];
        order[k] = h;
    }
}

/* Flows in both directions between every pair of hosts, the disjoint pairs of a round at the same time. */
static plan_status_t add_flows(const plani_findings_t *s, bool shuffled, double seconds, plani_tasks_t *tasks)
{
    int *order = malloc((size_t)s->hosts * sizeof *order);
    plan_status_t rc = order == NULL ? PLAN_ENOMEM : PLAN_OK;

    if (rc == PLAN_OK) find_order(s->hosts, shuffled, order);
    for (int k = 0; k < plani_rounds(s->hosts); k++)
        for (int h = 0; h < s->hosts && rc == PLAN_OK; h++) {
            int other = plani_partner(s->hosts, k, h);
            if (other < 0) continue;
            rc = plani_tasks_add(tasks, plani_flow_task(k, plani_first_rank(s, order[h]),
                                                        plani_first_rank(s, order[other]), seconds, 0));
        }
    free(order);
    return rc;
}

plan_status_t plani_add_ping(const plani_findings_t *s, int step, int u, int v, double seconds, plani_tasks_t *tasks)
{
    plani_task_t t = {.kind = PLANI_PINGPONG, .step = step, .seconds = seconds, .at_once = PLANI_OWN_PROCESSOR};

    if (t.at_once) t.step = (int)(tasks->n / s->engine->room);
    t.from = plani_first_rank(s, u), t.to = plani_first_rank(s, v);
    return plani_tasks_add(tasks, t);
}

/* Ping-pongs between every pair of hosts, up to `lanes` disjoint pairs at the same time. */
static plan_status_t add_pingpongs(const plani_findings_t *s, int lanes, double seconds, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;
    int step = -1;

    for (int k = 0; k < plani_rounds(s->hosts); k++)
        for (int h = 0, lane = 0; h < s->hosts && rc == PLAN_OK; h++) {
            int other = plani_partner(s->hosts, k, h);
            if (other < h) continue;
            if (lane++ % lanes == 0) step++;
            rc = plani_add_ping(s, step, h, other, seconds, tasks);
        }
    return rc;
}

plan_status_t plani_note_latencies(plani_findings_t *s, const plani_tasks_t *tasks)
{
    double *above = calloc(tasks->n, sizeof *above);
    plani_summary_t sum;

    if (above == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < tasks->n; i++) {
        int u = s->place[tasks->task[i].from].host, v = s->place[tasks->task[i].to].host;
        plani_summarize(tasks->result[i].a, tasks->result[i].n, &sum);
        double known = s->latency[u * s->hosts + v], least = 0.5 * (known > 0 ? fmin(2 * known, sum.min) : sum.min);
        s->latency[u * s->hosts + v] = s->latency[v * s->hosts + u] = least;
        above[i] = 0.5 * (sum.median - sum.min);
    }
    plani_summarize(above, (int)tasks->n, &sum);
    s->latency_noise = sum.median;
    free(above);
    return PLAN_OK;
}

/* Latencies of all pairs of hosts. As few pairs at a time as the phase's time allows, for hosts may share processors
 * (containers, emulated clusters). */
static int meet_briefly(plani_findings_t *s)
{
    static const double LEAST = 1e-3, MOST = 4e-3; /* [s] per pair */
    plani_tasks_t tasks = {0};
    double left = plani_phase_left(s, 1), pairs = 0.5 * s->hosts * plani_rounds(s->hosts);
    double wanted = left > 0 ? 1 + pairs * (MOST + s->engine->agree_s) / left : INFINITY;
    int most = s->hosts / 2, lanes = wanted < most && !PLANI_OWN_PROCESSOR ? (int)wanted : most;
    double slot = plani_phase_slot(s, 1, (int)(pairs / lanes) + 1, LEAST, MOST);
    int rc = add_pingpongs(s, lanes, slot, &tasks);

    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    if (rc == PLAN_OK) rc = plani_note_latencies(s, &tasks);
    plani_tasks_clear(&tasks);
    return rc;
}

/* The runs of a pair that count. */
typedef struct {
    double err; /* relative, as of plani_steady_rate: the least */
    plani_runs_t runs;
} met_t;

/* Add the rate [B/s] of another run of a pair. A steady flow replaces unsteady ones. */
static void take_in(double rate, double err, met_t *met)
{
    static const double STEADY = 0.1;

    if (met->runs.best == 0 || (rate > 0 && err < STEADY && met->err >= STEADY))
        *met = (met_t){.err = err};
    else if (!(rate > 0) || (err >= STEADY && met->err < STEADY))
        return;
    plani_runs_add(&met->runs, rate);
    met->err = fmin(err, met->err);
}

/* What is known of a pair from all orders: the faster of its flows, and the slower one. met [ORDERS hosts^2] */
static void note_rates(plani_findings_t *s, int cell, const met_t *met)
{
    s->rate[cell] = s->slowest[cell] = 0;
    for (int k = 0; k < ORDERS; k++) {
        const plani_runs_t *runs = &met[(size_t)(k * s->hosts * s->hosts + cell)].runs;
        double rate = plani_runs_rate(runs);
        if (!(rate > 0)) continue;
        if (rate > s->rate[cell]) s->rate[cell] = rate, s->rate_ends[cell] = plani_runs_ends(runs);
        if (s->slowest[cell] == 0 || rate < s->slowest[cell]) s->slowest[cell] = rate;
    }
}

/* One run of flows between pairs of hosts, in rounds. met [ORDERS hosts^2]; *moved: the median relative change of a
 * rate in this order. */
static int meet_at_length(plani_findings_t *s, bool again, int order, int rounds, double seconds, met_t *met,
                          double *moved)
{
    plani_tasks_t tasks = {0};
    plani_summary_t sum;
    double *all = NULL;
    int rc =
        plani_sampled(s) ? plani_sample_flows(s, rounds, seconds, &tasks) : add_flows(s, order > 0, seconds, &tasks);

    tasks.optional = again, tasks.wanted = !again;
    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    if (rc == PLAN_OK && (all = calloc(tasks.n, sizeof *all)) == NULL) rc = PLAN_ENOMEM;
    for (size_t i = 0; i < tasks.n && rc == PLAN_OK; i++) {
        double now, r = plani_flow_rate(&tasks.task[i], &tasks.result[i], &now);
        int cell = s->place[tasks.task[i].from].host * s->hosts + s->place[tasks.task[i].to].host;
        met_t *mine = &met[(size_t)(order * s->hosts * s->hosts + cell)];
        double before = plani_runs_rate(&mine->runs);
        all[i] = before > 0 && r > 0 ? fabs(1 - r / before) : 1;
        take_in(r, now, mine);
        note_rates(s, cell, met);
    }
    if (rc == PLAN_OK) {
        plani_summarize(all, (int)tasks.n, &sum);
        *moved = sum.median;
    }
    free(all);
    plani_tasks_clear(&tasks);
    return rc;
}

/* The runs of the flows that preliminary card rates are those of. */
static void find_card_ends(plani_findings_t *s)
{
    for (int u = 0; u < s->hosts; u++)
        for (int v = 0; v < s->hosts; v++) {
            int cell = u * s->hosts + v;
            if (s->rate[cell] == s->card_out[u]) s->card_ends[2 * u] = s->rate_ends[cell];
            if (s->rate[cell] == s->card_in[v]) s->card_ends[2 * v + 1] = s->rate_ends[cell];
        }
}

static int find_sites(plani_findings_t *s)
{
    size_t n = (size_t)s->hosts;
    plani_meetings_t m = plani_meetings(s);
    double *scratch = malloc(n * n * sizeof *scratch);
    int *iscratch = malloc(2 * n * sizeof *iscratch), rc = PLAN_ENOMEM;

    if (scratch != NULL && iscratch != NULL) {
        plani_card_rates(&m, s->card_out, s->card_in);
        find_card_ends(s);
        s->sites = plani_sites(&m, s->card_out, s->card_in, scratch, iscratch, s->site);
        s->sites = plani_part_aside(&m, s->sites, iscratch, s->site);
        rc = plani_sampled(s) || PLANI_FLOWS_IN_BLOCKS ? PLAN_OK : plani_measure_fan(s);
        if (rc == PLAN_OK && !plani_sampled(s)) rc = plani_part_servers(s);
        memcpy(s->whole, s->site, n * sizeof *s->whole);
        if (!plani_sampled(s))
            s->sites = plani_part_slow(&m, s->card_out, s->card_in, s->sites, PLANI_MEET_MOST, iscratch, s->site);
    }
    free(scratch);
    free(iscratch);
    return rc;
}

/* Cards without a measured flow get the geometric mean of the others. */
static plan_status_t fill_unseen(plani_findings_t *s, double *card)
{
    double known = 0;
    int n = 0;

    for (int h = 0; h < s->hosts; h++)
        if (card[h] > 0) known += log(card[h]), n++;
    if (n == 0) return PLAN_ETIME; /* the budget was too small for any rate */
    for (int h = 0; h < s->hosts; h++)
        if (card[h] <= 0) card[h] = exp(known / n);
    return PLAN_OK;
}

int plani_measure_meetings(plani_findings_t *s)
{
    static const double SECOND = 0.6, MORE = 0.4; /* parts of the phase's time, until which another run is begun */
    double moved[ORDERS] = {1, 1};
    met_t *met = calloc(ORDERS * (size_t)s->hosts * (size_t)s->hosts, sizeof *met);
    int rc = met == NULL ? PLAN_ENOMEM : plani_phase_begin(s, PLANI_PHASE_LATENCIES);

    if (rc == PLAN_OK) rc = plani_sampled(s) ? plani_sample_latencies(s) : meet_briefly(s);
    if (rc == PLAN_OK) rc = plani_phase_begin(s, PLANI_PHASE_RATES);
    double most = plani_flow_most(s, 40e-3);
    int rounds = plani_sampled(s) ? plani_sample_rounds(s) : plani_rounds(s->hosts);
    if (rc == PLAN_OK && plani_sampled(s)) rc = plani_sample_pairs(s, rounds);
    int orders = plani_sampled(s) ? 1 : ORDERS, least = orders * PLANI_REPEATS(2);
    for (int times = 0; times < orders * PLANI_REPEATS(4) && rc == PLAN_OK; times++) {
        if (moved[times % orders] <= 0.03) continue;
        if (times > 0 && !plani_phase_time_left(s, times < least ? SECOND : MORE)) break;
        double slot = plani_phase_slot(s, 1, (times < least ? least - times : 1) * rounds, 3e-3, most);
        rc = meet_at_length(s, times > 0, times % orders, rounds, slot, met, &moved[times % orders]);
    }
    bool all = !plani_sampled(s) && s->left_out == 0;
    if (!all) plani_sample_forget(s); /* pairs without a rate must not join sites */
    if (rc == PLAN_OK) rc = find_sites(s);
    if (rc == PLAN_OK && plani_sampled(s)) rc = plani_sample_between(s);
    if (rc == PLAN_OK && !all) rc = plani_sample_fill(s, true);
    if (rc == PLAN_OK) rc = fill_unseen(s, s->card_out);
    if (rc == PLAN_OK) rc = fill_unseen(s, s->card_in);
    free(met);
    return rc;
}
