/* Sites: the rate of one flow alone between every two preliminary sites. Where that shows no trunk, flows between
 * several hosts of both at once tell whether the two are one site. */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int plani_host_of_site(const plani_findings_t *s, int site, int nth)
{
    for (int h = 0; h < s->hosts; h++)
        if (s->site[h] == site && nth-- == 0) return h;
    return -1;
}

int plani_hosts_in(const plani_findings_t *s, int site)
{
    int n = 0;

    for (int h = 0; h < s->hosts; h++) n += s->site[h] == site;
    return n;
}

/* [B/s] The mean of a host's flows to the hosts of a site (or from them), as far as they are known. */
static double mean_rate(const plani_findings_t *s, int host, int site, bool out)
{
    double sum = 0;
    int n = 0;

    for (int h = 0; h < s->hosts; h++) {
        double r = s->rate[out ? host * s->hosts + h : h * s->hosts + host];
        if (s->site[h] == site && r > 0) sum += r, n++;
    }
    return n > 0 ? sum / n : 0;
}

/* The first host of a site, or one that sends clearly faster to another site (or receives so from it). Flows ran beside
 * others, so that one alone says little; but the other ends are the same for all. */
static int fastest_in(const plani_findings_t *s, int site, int other, bool out)
{
    static const double CLEARLY = 1.5;
    double most = 0;
    int best = -1;

    for (int h = 0; h < s->hosts; h++) {
        double rate = s->site[h] == site ? mean_rate(s, h, other, out) : -1;
        if (best < 0 ? rate >= 0 : rate > CLEARLY * most) most = rate, best = h;
    }
    return best;
}

static const double ALONE = 0.6, JOINTLY = 0.8; /* parts of the phase's time until the end of single, of joint flows */
enum { RUNS = PLANI_REPEATS(2) };               /* two, for one may be disturbed */

/* ---- one flow alone ----
 *
 * Where a site has a clearly faster host, it is that host's: a slower one would hide what trunks carry.
 *
 * To save time, up to PLANI_MEET_MOST sites run two pairs at a time. In the first run both pairs send from the lower to
 * the higher site, then both back; in the second run the second pair has its directions exchanged. So flows a -> b and
 * c -> d run together once, and once each beside a flow in the opposite direction, with which they share nothing. */

static int pairs_at_once(const plani_findings_t *s)
{
    return s->sites > PLANI_MEET_MOST ? s->sites / 2 : 2;
}

/* Few sites have two runs even where there is no noise: in one of them a flow may share a trunk with the other. */
static int runs_alone(const plani_findings_t *s)
{
    return s->sites > PLANI_MEET_MOST ? RUNS : 2;
}

static plan_status_t flows_alone(const plani_findings_t *s, bool turned, double seconds, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int k = 0; k < plani_meeting_steps(s->sites, pairs_at_once(s)); k++)
        for (int nth = 0; nth < s->sites / 2 && rc == PLAN_OK; nth++) {
            int a, b;
            if (!plani_meets(s->sites, pairs_at_once(s), turned, k, nth, &a, &b)) continue;
            int from = plani_first_rank(s, fastest_in(s, a, b, true)),
                to = plani_first_rank(s, fastest_in(s, b, a, false));
            rc = plani_tasks_add(tasks, plani_flow_task(k, from, to, seconds, 0));
        }
    return rc;
}

/* One run; rate [sites^2] [B/s] of each flow. */
static int measure_alone(plani_findings_t *s, int run, double *rate)
{
    plani_tasks_t tasks = {.optional = run > 0, .wanted = run == 0};
    double slot = plani_phase_slot(s, ALONE, (runs_alone(s) - run) * plani_meeting_steps(s->sites, pairs_at_once(s)),
                                   3e-3, plani_flow_most(s, 40e-3)),
           err;
    int rc = flows_alone(s, run > 0, slot, &tasks);

    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    for (size_t i = 0; i < tasks.n && rc == PLAN_OK; i++) {
        int a = s->site[s->place[tasks.task[i].from].host], b = s->site[s->place[tasks.task[i].to].host];
        double *r = &s->site_rate[a * s->sites + b];
        rate[a * s->sites + b] = plani_flow_rate(&tasks.task[i], &tasks.result[i], &err);
        *r = plani_combine(*r, rate[a * s->sites + b]);
    }
    plani_tasks_clear(&tasks);
    return rc;
}

/* [sites^2] Between which runs the rates lie. */
static void note_ends(plani_findings_t *s, const double *rate /* [2 sites^2] */)
{
    size_t cells = (size_t)s->sites * (size_t)s->sites;

    for (size_t i = 0; i < cells; i++) {
        plani_runs_t runs = {0};
        plani_runs_add(&runs, rate[i]);
        plani_runs_add(&runs, rate[cells + i]);
        s->site_ends[i] = plani_runs_ends(&runs);
    }
}

static int measure_all_alone(plani_findings_t *s)
{
    size_t cells = (size_t)s->sites * (size_t)s->sites;
    double *rate = calloc(2 * cells, sizeof *rate);
    int rc = rate == NULL ? PLAN_ENOMEM : PLAN_OK;

    for (int run = 0; run < runs_alone(s) && rc == PLAN_OK; run++)
        rc = measure_alone(s, run, rate + (size_t)run * cells);
    if (rc == PLAN_OK) note_ends(s, rate);
    free(rate);
    return rc;
}

/* Unknown rates of a flow alone: that of a flow beside others between the two sites, else no limit but the cards'. */
static void fill_unseen(plani_findings_t *s)
{
    for (int u = 0; u < s->hosts; u++)
        for (int v = 0; v < s->hosts; v++) {
            int cell = s->site[u] * s->sites + s->site[v];
            if (s->site[u] == s->site[v] || s->site_rate[cell] > 0) continue;
            s->site_rate[cell] = s->rate[u * s->hosts + v];
            s->site_ends[cell] = s->rate_ends[u * s->hosts + v];
        }
    for (int i = 0; i < s->sites * s->sites; i++)
        if (s->site_rate[i] <= 0) s->site_rate[i] = INFINITY;
}

/* ---- preliminary sites that are one ---- */

static double card_rate(const plani_findings_t *s, int a, int b)
{
    return plani_cards_allow(s, fastest_in(s, a, b, true), fastest_in(s, b, a, false));
}

/* One flow alone is as fast as the cards, in both directions: no trunk between the two, or a faster one. And they are
 * no farther from each other than hosts of one site: slow hosts notice no trunk. */
static bool seems_one(const plani_findings_t *s, const double *latency, int a, int b)
{
    return a != b && !plani_far_apart(s->sites, latency, s->latency_noise, a, b) &&
           plani_together(card_rate(s, a, b), s->site_rate[a * s->sites + b]) == PLANI_SHARED_NOT &&
           plani_together(card_rate(s, b, a), s->site_rate[b * s->sites + a]) == PLANI_SHARED_NOT;
}

/* Mean relative loss of the flows from site a to site b beside others. */
static double mean_loss(const plani_findings_t *s, int a, int b)
{
    double sum = 0;
    int n = 0;

    for (int u = 0; u < s->hosts; u++)
        for (int v = 0; v < s->hosts; v++) {
            double r = s->slowest[u * s->hosts + v];
            if (s->site[u] != a || s->site[v] != b || r <= 0) continue;
            sum += fmax(0, 1 - r / plani_cards_allow(s, u, v)), n++;
        }
    return n > 0 ? sum / n : 0;
}

plan_status_t plani_add_joint(const plani_findings_t *s, int a, int b, int step, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;
    int hosts_a = plani_hosts_in(s, a), hosts_b = plani_hosts_in(s, b), less = hosts_a < hosts_b ? hosts_a : hosts_b,
        many = hosts_a < hosts_b ? hosts_b : hosts_a;

    for (int i = 0; i < many && i < PLANI_FLOWS * less && rc == PLAN_OK; i++) {
        plani_task_t t =
            plani_flow_task(step, plani_first_rank(s, plani_host_of_site(s, a, i % hosts_a)),
                            plani_first_rank(s, plani_host_of_site(s, b, i % hosts_b)), 0, PLANI_FLOWS - 1);
        t.label = a * s->sites + b;
        rc = plani_tasks_add(tasks, t);
    }
    return rc;
}

/* [B/s] What the cards at one end of the flows [first, end) let pass. */
static double cards_pass(const plani_findings_t *s, const plani_tasks_t *tasks, size_t first, size_t end, bool out)
{
    double sum = 0;

    for (int h = 0; h < s->hosts; h++) {
        double wanted = 0;
        for (size_t i = first; i < end; i++) {
            int u = s->place[tasks->task[i].from].host, v = s->place[tasks->task[i].to].host;
            if ((out ? u : v) == h) wanted += plani_cards_allow(s, u, v);
        }
        sum += fmin(wanted, out ? s->card_out[h] : s->card_in[h]);
    }
    return sum;
}

/* best[a * sites + b]: total rate of the joint flows / what their cards let pass, the largest of all runs. */
static plan_status_t best_joint(const plani_findings_t *s, const plani_tasks_t *tasks, double *best)
{
    plan_status_t rc = PLAN_OK;

    for (size_t first = 0, end = 0; first < tasks->n && rc == PLAN_OK; first = end) {
        const plani_task_t *t = &tasks->task[first];
        double together, *part = &best[t->label];
        while (end < tasks->n && tasks->task[end].step == t->step && tasks->task[end].label == t->label) end++;
        rc = plani_flows_rate(t, &tasks->result[first], end - first, &together);
        if (rc != PLAN_OK) continue;
        *part = fmax(*part,
                     together / fmin(cards_pass(s, tasks, first, end, true), cards_pass(s, tasks, first, end, false)));
    }
    return rc;
}

/* Whether joint flows may tell that two sites are not one. */
static bool may_be_one(const plani_findings_t *s, const double *loss, int a, int b)
{
    return isfinite(loss[a * s->sites + b]) && plani_hosts_in(s, a) > 1 && plani_hosts_in(s, b) > 1;
}

/* How many pairs have their joint flows at the same time: one, unless there are many pairs. */
static int joint_at_once(const plani_findings_t *s, const double *loss)
{
    enum { TESTS_MOST = 12 };
    int tests = 0;

    for (int a = 0; a < s->sites; a++)
        for (int b = a + 1; b < s->sites; b++) tests += may_be_one(s, loss, a, b);
    return tests > TESTS_MOST ? pairs_at_once(s) : 1;
}

plan_status_t plani_choose_joint(const plani_findings_t *s, const double *loss, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;
    int at_once = joint_at_once(s, loss), steps = plani_meeting_steps(s->sites, at_once), step = 0;

    for (int k = 0; k < RUNS * steps; k++) {
        size_t first = tasks->n;
        for (int nth = 0; nth < s->sites / 2 && rc == PLAN_OK; nth++) {
            int a, b;
            if (plani_meets(s->sites, at_once, false, k % steps, nth, &a, &b) && may_be_one(s, loss, a, b))
                rc = plani_add_joint(s, a, b, step, tasks);
        }
        step += tasks->n > first;
    }
    return rc;
}

/* loss [sites^2]: mean loss between sites, INFINITY where there is a trunk. best, latency [sites^2] scratch; best is
 * zeroed. */
static int find_losses(plani_findings_t *s, double *loss, double *best, double *latency)
{
    plani_tasks_t tasks = {.wanted = true};
    plani_meetings_t m = plani_meetings(s);
    int n = s->sites;

    plani_site_latencies(&m, s->site, n, latency);
    for (int i = 0; i < n * n; i++) {
        int a = i / n, b = i % n;
        bool lone = plani_hosts_in(s, a) == 1 && plani_hosts_in(s, b) == 1; /* merged last */
        bool apart = s->fan[plani_host_of_site(s, a, 0)] != s->fan[plani_host_of_site(s, b, 0)];
        loss[i] =
            !apart && seems_one(s, latency, a, b) ? lone + 0.5 * (mean_loss(s, a, b) + mean_loss(s, b, a)) : INFINITY;
    }
    int rc = plani_choose_joint(s, loss, &tasks);
    double slot = plani_phase_slot(s, JOINTLY, tasks.n > 0 ? tasks.task[tasks.n - 1].step + 1 : 1, 5e-3,
                                   plani_flow_most(s, 40e-3));
    for (size_t i = 0; i < tasks.n; i++) tasks.task[i].seconds = slot;
    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    if (rc == PLAN_OK) rc = best_joint(s, &tasks, best);
    for (size_t i = 0; i < tasks.n && rc == PLAN_OK; i++) {
        int at = tasks.task[i].label, back = at % n * n + at / n;
        if (best[at] > 0 && plani_together(1, best[at]) == PLANI_SHARED) loss[at] = loss[back] = INFINITY;
    }
    plani_tasks_clear(&tasks);
    return rc == PLAN_OK ? plani_measure_lone(s, loss) : rc;
}

/* Renumber to `left` sites: label [sites] is the new number of each. old_rate, old_ends [sites^2] scratch. */
static void relabel(plani_findings_t *s, const int *label, int left, double *old_rate, plani_ends_t *old_ends)
{
    int n = s->sites;
    size_t cells = (size_t)n * (size_t)n;

    memcpy(old_rate, s->site_rate, cells * sizeof *old_rate);
    memcpy(old_ends, s->site_ends, cells * sizeof *old_ends);
    memset(s->site_rate, 0, cells * sizeof *old_rate);
    memset(s->site_ends, 0, cells * sizeof *old_ends);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            int cell = label[a] * left + label[b];
            if (label[a] != label[b])
                plani_raise(&s->site_rate[cell], &s->site_ends[cell], old_rate[a * n + b], old_ends[a * n + b]);
        }
    for (int h = 0; h < s->hosts; h++) s->site[h] = label[s->site[h]];
    s->sites = left;
}

/* Put hosts back that seemed slow, but have been faster alone. */
static int rejoin_slow(plani_findings_t *s)
{
    size_t hosts = (size_t)s->hosts, n = (size_t)s->sites;
    plani_meetings_t m = plani_meetings(s);
    double *card = malloc(2 * hosts * sizeof *card), *rate = malloc(n * n * sizeof *rate);
    plani_ends_t *ends = malloc(n * n * sizeof *ends);
    int *label = malloc(2 * n * sizeof *label);
    int rc = card == NULL || rate == NULL || ends == NULL || label == NULL ? PLAN_ENOMEM : PLAN_OK;

    if (rc == PLAN_OK) {
        double *out = card, *in = card + hosts;
        memcpy(out, s->card_out, hosts * sizeof *out);
        memcpy(in, s->card_in, hosts * sizeof *in);
        for (int i = 0; i < s->sites * s->sites; i++) {
            int a = i / s->sites, b = i % s->sites, u = fastest_in(s, a, b, true), v = fastest_in(s, b, a, false);
            if (isinf(s->site_rate[i])) continue; /* unknown */
            out[u] = fmax(out[u], s->site_rate[i]);
            in[v] = fmax(in[v], s->site_rate[i]);
        }
        relabel(s, label, plani_rejoin_slow(&m, out, in, s->whole, s->site, s->sites, label + n, label), rate, ends);
    }
    free(card);
    free(rate);
    free(ends);
    free(label);
    return rc;
}

/* Merge sites that disturbed rates have split, as single and joint flows show. */
static int merge_sites(plani_findings_t *s)
{
    size_t n = (size_t)s->sites;
    double *loss = calloc(3 * n * n, sizeof *loss);
    plani_ends_t *ends = calloc(n * n, sizeof *ends);
    int *label = calloc(n, sizeof *label);
    int rc = loss == NULL || ends == NULL || label == NULL ? PLAN_ENOMEM
                                                           : find_losses(s, loss, loss + n * n, loss + 2 * n * n);

    if (rc == PLAN_OK) relabel(s, label, plani_merge_sites(s->sites, loss, label), loss + n * n, ends);
    free(loss);
    free(ends);
    free(label);
    return rc;
}

int plani_measure_sites(plani_findings_t *s)
{
    size_t n = (size_t)s->sites;
    int rc = PLAN_OK;

    s->site_rate = calloc(n * n, sizeof *s->site_rate);
    s->site_ends = calloc(n * n, sizeof *s->site_ends);
    if (s->site_rate == NULL || s->site_ends == NULL) return PLAN_ENOMEM;
    if (n < 2) return PLAN_OK;
    if ((rc = plani_phase_begin(s, PLANI_PHASE_SITES)) != PLAN_OK) return rc;
    rc = measure_all_alone(s);
    fill_unseen(s);
    if (rc == PLAN_OK && !plani_sampled(s)) rc = rejoin_slow(s);
    return rc == PLAN_OK ? merge_sites(s) : rc;
}
