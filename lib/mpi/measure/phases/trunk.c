/* Trunks: all hosts of a site send to other sites at once, then receive from them. */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LARGE = 0.8; /* part of the phase's time until the end of the runs of large slices */
enum { RUNS_MOST = PLANI_REPEATS(5), FLOWS_MOST = 32 /* of one step */ };

/* Whether another site is behind the same trunk as this one, as far as is known (phases/area.c). */
static bool is_near(const plani_findings_t *s, int site, int other)
{
    return s->areas > 0 && s->area[other] == s->area[site];
}

/* The number of other sites of the same area, or of other areas. */
static int others_of(const plani_findings_t *s, int site, bool near)
{
    int n = 0;

    for (int k = 0; k < s->sites; k++) n += k != site && is_near(s, site, k) == near;
    return n;
}

/* The nth of them. */
static int other_site(const plani_findings_t *s, int site, bool near, int nth)
{
    for (int k = 0; k < s->sites; k++)
        if (k != site && is_near(s, site, k) == near && nth-- == 0) return k;
    return site;
}

/* Whether a site has others both in its area and beyond: then every other flow ends in the area, for those beyond may
 * be limited by the area's trunk. */
static bool has_both(const plani_findings_t *s, int site)
{
    return others_of(s, site, true) > 0 && others_of(s, site, false) > 0;
}

/* Hosts of the nth flow between `site` and the others: its hosts, the other sites and their hosts, each cyclically. */
static void crossing(const plani_findings_t *s, int site, int nth, int *inside, int *outside)
{
    bool both = has_both(s, site), near = both ? nth % 2 == 0 : others_of(s, site, true) > 0;
    int turn = both ? nth / 2 : nth, others = others_of(s, site, near);

    if (others < 1) others = 1; /* of two sites at least there is another one */
    int other = other_site(s, site, near, turn % others);
    *inside = plani_host_of_site(s, site, turn % plani_hosts_in(s, site));
    *outside = plani_host_of_site(s, other, turn / others % plani_hosts_in(s, other));
}

/* Number of flows of a site: one per host, at least one per other site, at least two, at most `most`; where there are
 * sites in its area and beyond, as many to each. */
static int crossings(const plani_findings_t *s, int site, int most)
{
    int n = plani_hosts_in(s, site), near = others_of(s, site, true), far = others_of(s, site, false);

    if (n < near) n = near;
    if (n < far) n = far;
    if (near > 0 && far > 0) n *= 2;
    if (n < 2) n = 2;
    return n < most ? n : most;
}

/* [B/s] Trunk k as indexed in trunk_table: 2 site out, 2 site + 1 in; 0: no limit. */
static double trunk_rate(const plani_findings_t *s, int k)
{
    return k % 2 ? s->trunk[k / 2].in : s->trunk[k / 2].out;
}

/* The window of small slices that saturates a trunk: what passes in plani_window_s. A larger window takes long to
 * drain; beyond PLANI_UNDER_WAY bytes per flow, simulation takes very long, and a rank's flows do not fit into its
 * pool. */
static int window_of(const plani_findings_t *s, int k, int flows, plani_task_t t)
{
    double latency = s->latency[s->place[t.from].host * s->hosts + s->place[t.to].host];
    double bytes = trunk_rate(s, k) * plani_window_s(latency) / flows;
    int window = 4; /* a credit for each slice */
    double most = fmin(PLANI_WINDOW_MOST, PLANI_UNDER_WAY / t.bytes);

    while (window < most && window * t.bytes < bytes) window *= 2;
    return window;
}

/* [B/s] The fastest flow alone out of or into the site of step k. */
static double fastest_alone(const plani_findings_t *s, int k)
{
    double most = 0;

    for (int other = 0; other < s->sites; other++)
        if (other != k / 2)
            most = fmax(most, s->site_rate[k % 2 ? other * s->sites + k / 2 : k / 2 * s->sites + other]);
    return most;
}

/* Flows of one step. */
typedef struct {
    size_t first; /* index of the first one */
    int n, slice; /* how many there are at first; [B] 0: growing slices */
    double seconds;
} flows_t;

/* Add a flow of step k between a host of its site and another one. */
static plan_status_t add_flow(const plani_findings_t *s, int k, int inside, int outside, flows_t how,
                              plani_tasks_t *tasks)
{
    int from = plani_first_rank(s, k % 2 ? outside : inside), to = plani_first_rank(s, k % 2 ? inside : outside);
    plani_task_t t = plani_flow_task(k, from, to, how.seconds, PLANI_FLOWS - 1);

    if (how.slice > 0) t.bytes = how.slice, t.window = window_of(s, k, how.n, t);
    return plani_is_new_flow(tasks, how.first, from, to) ? plani_tasks_add(tasks, t) : PLAN_OK;
}

/* [B/s] What a host's card carries beside its flows of step k. */
static double unused(const plani_findings_t *s, int k, int host, const plani_tasks_t *tasks, size_t first)
{
    double left = k % 2 ? s->card_in[host] : s->card_out[host];

    for (size_t i = first; i < tasks->n; i++) {
        int u = s->place[tasks->task[i].from].host, v = s->place[tasks->task[i].to].host;
        if (host == (k % 2 ? v : u)) left -= plani_cards_allow(s, u, v);
    }
    return left;
}

/* Add flows of the hosts of step k's site whose cards carry more than one flow each does, as those of hosts with weak
 * uploads are; at most as many again. Else a trunk that is hardly slower than the first flows together would not be
 * seen. */
static plan_status_t use_cards(const plani_findings_t *s, int k, flows_t how, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int h = 0; h < s->hosts; h++)
        for (int i = 1; i < s->hosts && rc == PLAN_OK && tasks->n - how.first < 2 * (size_t)how.n; i++) {
            int other = (h + i) % s->hosts;
            double one = k % 2 ? plani_cards_allow(s, other, h) : plani_cards_allow(s, h, other);
            if (s->site[h] != k / 2 || s->site[other] == k / 2) continue;
            if (unused(s, k, h, tasks, how.first) > one / 2) rc = add_flow(s, k, h, other, how, tasks);
        }
    return rc;
}

/* Whether the flows of step k are known to fill the trunk. */
static bool fill_trunk(const plani_findings_t *s, int k, const plani_tasks_t *tasks, size_t first)
{
    double sum = 0;

    for (size_t i = first; i < tasks->n; i++)
        sum += plani_cards_allow(s, s->place[tasks->task[i].from].host, s->place[tasks->task[i].to].host);
    return trunk_rate(s, k) > 0 && sum > trunk_rate(s, k);
}

/* The trunk that trunk k is taken to be like: the first of about its rate; itself if it is the first, -1 without a
 * limit. What small slices lose depends on the network, less on the place. */
static int like_trunk(const plani_findings_t *s, int k)
{
    static const double ALIKE = 0.12;
    double rate = trunk_rate(s, k);
    int first = 0;

    if (!(rate > 0)) return -1;
    while (fabs(trunk_rate(s, first) - rate) > ALIKE * rate) first++;
    return first;
}

/* Whether a step needs no (further) run: its runs agree, and no flow alone was faster. */
static bool is_sure(const plani_findings_t *s, int k, const plani_runs_t *runs)
{
    return plani_runs_agree(runs) && !plani_is_contradicted(plani_runs_rate(runs), fastest_alone(s, k));
}

/* What is known of all trunks, [2 sites]. Flows alone that were not measured do not count. */
static void see_all(const plani_findings_t *s, plani_way_seen_t *trunk)
{
    for (int k = 0; k < 2 * s->sites; k++) {
        trunk[k] = (plani_way_seen_t){.rate = trunk_rate(s, k), .hosts = plani_hosts_in(s, k / 2)};
        trunk[k].measured = k % 2 ? s->trunk[k / 2].in_seen : s->trunk[k / 2].out_seen;
        for (int other = 0; other < s->sites; other++) {
            double one = s->site_rate[k % 2 ? other * s->sites + k / 2 : k / 2 * s->sites + other];
            if (other != k / 2 && isfinite(one)) trunk[k].alone = fmax(trunk[k].alone, one);
        }
        for (int h = 0; h < s->hosts; h++)
            if (s->site[h] == k / 2) trunk[k].cards += k % 2 ? s->card_in[h] : s->card_out[h];
    }
}

/* In which order trunks are measured, for time may not allow all. order [2 sites] */
static plan_status_t find_order(const plani_findings_t *s, int *order)
{
    plani_way_seen_t *trunk = calloc(2 * (size_t)s->sites, sizeof *trunk);

    if (trunk == NULL) return PLAN_ENOMEM;
    see_all(s, trunk);
    plani_order_trunks(trunk, 2 * s->sites, order);
    free(trunk);
    return PLAN_OK;
}

/* Step 2 i has flows out of site i, step 2 i + 1 into it. slice [B]: of the first trunk of each rate; 0: growing
 * slices, of all steps that are not sure yet. order [2 sites] */
static plan_status_t flows_together(const plani_findings_t *s, const plani_runs_t *runs, const int *order,
                                    double seconds, int slice, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    tasks->n = 0;
    for (int i = 0; i < 2 * s->sites; i++) {
        int k = order[i];
        flows_t how = {
            .first = tasks->n, .n = crossings(s, k / 2, slice > 0 ? FLOWS_MOST / 2 : FLOWS_MOST), .slice = slice};
        how.seconds = plani_long_enough(seconds, fastest_alone(s, k));
        if (slice > 0 ? like_trunk(s, k) != k : is_sure(s, k, &runs[k])) continue;
        for (int nth = 0; nth < how.n && rc == PLAN_OK; nth++) {
            int in, out;
            crossing(s, k / 2, nth, &in, &out);
            rc = add_flow(s, k, in, out, how, tasks);
        }
        if (rc == PLAN_OK && !fill_trunk(s, k, tasks, how.first)) rc = use_cards(s, k, how, tasks);
    }
    return rc;
}

/* A flow of one step as the cards let it pass. */
typedef struct {
    int from, to;      /* hosts */
    double rate, most; /* [B/s] now; alone */
    bool full;
} share_t;

/* [B/s] How much more each flow that is not full may get by a card. */
static double more_by_card(const share_t *flow, size_t n, bool out, int host, double card)
{
    int open = 0;

    for (size_t i = 0; i < n; i++) {
        if ((out ? flow[i].from : flow[i].to) != host) continue;
        card -= flow[i].rate;
        open += !flow[i].full;
    }
    return open > 0 ? fmax(0, card) / open : INFINITY;
}

/* [B/s] How much more a flow of step k may get. The card of a site of one host is no limit: it cannot be told apart
 * from the trunk. */
static double more_for(const plani_findings_t *s, int k, const share_t *flow, size_t n, const share_t *f)
{
    bool lone = plani_hosts_in(s, k / 2) == 1;
    double more = f->most - f->rate;

    if (k % 2 || !lone) more = fmin(more, more_by_card(flow, n, true, f->from, s->card_out[f->from]));
    if (!(k % 2) || !lone) more = fmin(more, more_by_card(flow, n, false, f->to, s->card_in[f->to]));
    return more;
}

/* [B/s] The total of step k's flows without the trunk, where they share the cards evenly: all get more at the same pace
 * until they are full. Overwrites flow [n]. */
static double share_cards(const plani_findings_t *s, int k, share_t *flow, size_t n)
{
    static const double FULL = 1e-9; /* part of a flow: less is rounding */
    double sum = 0;

    for (size_t open = n; open > 0;) {
        double more = INFINITY;
        for (size_t i = 0; i < n; i++)
            if (!flow[i].full) more = fmin(more, more_for(s, k, flow, n, &flow[i]));
        if (isinf(more)) return INFINITY;
        for (size_t i = 0; i < n; i++)
            if (!flow[i].full) flow[i].rate += more, sum += more;
        for (size_t i = 0; i < n; i++) {
            if (flow[i].full || more_for(s, k, flow, n, &flow[i]) > FULL * flow[i].most) continue;
            flow[i].full = true;
            open--;
        }
    }
    return sum;
}

/* [B/s] The same of the tasks of step k; *n: how many these are. */
static plan_status_t without_trunk(const plani_findings_t *s, const plani_tasks_t *tasks, int k, size_t *n, double *sum)
{
    share_t *flow = calloc(tasks->n + 1, sizeof *flow);

    if (flow == NULL) return PLAN_ENOMEM;
    *n = 0;
    for (size_t i = 0; i < tasks->n; i++) {
        const plani_task_t *t = &tasks->task[i];
        int u = s->place[t->from].host, v = s->place[t->to].host;
        if (t->step == k) flow[(*n)++] = (share_t){.from = u, .to = v, .most = plani_host_rate(s, u, v)};
    }
    *sum = share_cards(s, k, flow, *n);
    free(flow);
    return PLAN_OK;
}

/* Note the total rate of each step. */
static plan_status_t note_totals(const plani_tasks_t *tasks, plani_runs_t *runs)
{
    for (size_t first = 0, end = 0; first < tasks->n; first = end) {
        double together;
        if (plani_step_rate(tasks, first, &end, &together) != PLAN_OK) return PLAN_ENOMEM;
        plani_runs_add(&runs[tasks->task[first].step], together);
    }
    return PLAN_OK;
}

/* A site of one host has no neighbours to fill its card: it carries what its trunk does, at least. */
static void raise_lone_card(plani_findings_t *s, int k, const plani_runs_t *runs)
{
    int h = plani_host_of_site(s, k / 2, 0);

    if (plani_hosts_in(s, k / 2) == 1) plani_raise_card(s, h, k % 2 == 0, plani_runs_rate(runs), plani_runs_ends(runs));
}

/* Set each trunk's rate; 0 where the total is as high as it would be without a trunk. */
static plan_status_t keep_limits(plani_findings_t *s, const plani_tasks_t *all, const plani_runs_t *runs)
{
    for (int k = 0; k < 2 * s->sites; k++) {
        double rate = plani_runs_rate(&runs[k]), without = 0;
        size_t flows = 0;
        if (!(rate > 0)) continue; /* no result: no limit is known */
        *(k % 2 ? &s->trunk[k / 2].in_seen : &s->trunk[k / 2].out_seen) = true;
        if (without_trunk(s, all, k, &flows, &without) != PLAN_OK) return PLAN_ENOMEM;
        plani_table_add(&s->trunk_table[k], PLANI_LARGE, (int)flows, rate);
        raise_lone_card(s, k, &runs[k]);
        if (plani_together(without, rate) == PLANI_SHARED_NOT) rate = 0;
        *(k % 2 ? &s->trunk[k / 2].in : &s->trunk[k / 2].out) = rate;
        *(k % 2 ? &s->trunk[k / 2].in_ends : &s->trunk[k / 2].out_ends) = plani_runs_ends(&runs[k]);
    }
    return PLAN_OK;
}

/* Run all steps twice, then repeat those whose two best runs do not agree. */
static int measure_together(plani_findings_t *s, const int *order)
{
    plani_tasks_t tasks = {0}, all = {0};
    plani_runs_t *runs = calloc(2 * (size_t)s->sites, sizeof *runs);
    double slot = plani_phase_slot(s, LARGE, 5 * s->sites, fmin(25e-3, 5e-3 * s->budget), plani_flow_most(s, 60e-3));
    int rc = runs == NULL ? PLAN_ENOMEM : flows_together(s, runs, order, slot, 0, &all);

    for (int times = 0; times < RUNS_MOST && rc == PLAN_OK; times++) {
        if (times > 1 && !plani_phase_time_left(s, LARGE)) break;
        rc = flows_together(s, runs, order, slot, 0, &tasks);
        tasks.optional = times > 0, tasks.wanted = times == 0;
        if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
        if (rc == PLAN_OK) rc = note_totals(&tasks, runs);
    }
    if (rc == PLAN_OK) rc = keep_limits(s, &all, runs);
    plani_tasks_clear(&tasks);
    plani_tasks_clear(&all);
    free(runs);
    return rc;
}

plan_status_t plani_guess_sites(const plani_findings_t *s, double *guess)
{
    size_t n = 2 * (size_t)s->sites;
    plani_way_seen_t *trunk = calloc(n, sizeof *trunk);

    if (trunk == NULL) return PLAN_ENOMEM;
    see_all(s, trunk);
    for (size_t k = 0; k < n; k++) guess[k] = trunk[k].measured ? 0 : plani_guess_trunk(trunk, (int)n, (int)k);
    free(trunk);
    return PLAN_OK;
}

double plani_site_passes(const plani_findings_t *s, int site, bool out)
{
    double trunk = out ? s->trunk[site].out : s->trunk[site].in, cards = 0;

    for (int h = 0; h < s->hosts; h++)
        if (s->site[h] == site) cards += out ? s->card_out[h] : s->card_in[h];
    return trunk > 0 ? fmin(trunk, cards) : cards;
}

/* Drop trunks that what the other sites pass explains. */
static plan_status_t drop_explained(plani_findings_t *s)
{
    size_t n = (size_t)s->sites;
    double *rate = malloc(4 * n * sizeof *rate);

    if (rate == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        rate[i] = s->trunk[i].out, rate[2 * n + i] = plani_site_passes(s, (int)i, true);
        rate[n + i] = s->trunk[i].in, rate[3 * n + i] = plani_site_passes(s, (int)i, false);
    }
    plani_explained_trunks(s->sites, rate + 3 * n, rate);
    plani_explained_trunks(s->sites, rate + 2 * n, rate + n);
    for (size_t i = 0; i < n; i++) s->trunk[i].out = rate[i], s->trunk[i].in = rate[n + i];
    free(rate);
    return PLAN_OK;
}

/* ---- rates of smaller slices ---- */

/* [B] If slices of the first size reach the rate of large ones, the others are not measured. */
static const int SMALLER[] = {16384, 8192, 32768, 4096, 2048};

/* [B/s] Upper bound on the total of n flows by their windows: a credit for a quarter of a window takes one latency at
 * least. Infinite if a latency is unknown. */
static double most_of_windows(const plani_findings_t *s, const plani_task_t *task, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++) {
        double l = s->latency[s->place[task[i].from].host * s->hosts + s->place[task[i].to].host];
        most += task[i].bytes * 0.25 * task[i].window / l;
    }
    return most;
}

/* Note the rates of slices of one size through each trunk. *less: some are clearly below those of large slices. */
static plan_status_t note_slices(plani_findings_t *s, const plani_tasks_t *tasks, int bytes, bool *less)
{
    plan_status_t rc = PLAN_OK;

    for (size_t first = 0, end = 0; first < tasks->n && rc == PLAN_OK; first = end) {
        int k = tasks->task[first].step;
        double together = 0, large = trunk_rate(s, k);
        rc = plani_step_rate(tasks, first, &end, &together);
        if (!(together > 0) || together > 0.75 * most_of_windows(s, tasks->task + first, end - first))
            continue; /* no result, or limited by the windows */
        *less = *less || together < PLANI_LESS * large;
        plani_table_add(&s->trunk_table[k], bytes, (int)(end - first),
                        together < PLANI_LESS * large ? together : large);
    }
    return rc;
}

/* One run of slices of one size. */
static int measure_slices(plani_findings_t *s, const int *order, int bytes, bool *less)
{
    plani_tasks_t tasks = {.optional = true};
    double slot = plani_phase_slot(s, 1, 2 * s->sites, fmin(25e-3, 5e-3 * s->budget), plani_flow_most(s, 60e-3));
    int rc = flows_together(s, NULL, order, slot, bytes, &tasks);

    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    if (rc == PLAN_OK) rc = note_slices(s, &tasks, bytes, less);
    plani_tasks_clear(&tasks);
    return rc;
}

static int measure_smaller(plani_findings_t *s, const int *order)
{
    bool less = true;
    int rc = PLAN_OK;

    for (size_t i = 0; i < sizeof SMALLER / sizeof *SMALLER && rc == PLAN_OK && less; i++) {
        bool some = false;
        if (!plani_phase_time_left(s, 1)) break;
        rc = measure_slices(s, order, SMALLER[i], &some);
        if (i == 0) less = some;
    }
    for (int k = 0; k < 2 * s->sites; k++) plani_table_rise(&s->trunk_table[k]);
    for (int k = 0; k < 2 * s->sites && rc == PLAN_OK; k++) {
        int like = like_trunk(s, k);
        if (like >= 0 && like != k)
            plani_table_carry_over(&s->trunk_table[like], trunk_rate(s, like), trunk_rate(s, k), &s->trunk_table[k]);
    }
    return rc;
}

int plani_measure_trunks(plani_findings_t *s)
{
    s->trunk = calloc((size_t)s->sites, sizeof *s->trunk);
    s->trunk_table = calloc(2 * (size_t)s->sites, sizeof *s->trunk_table);
    if (s->trunk == NULL || s->trunk_table == NULL) return PLAN_ENOMEM;
    if (s->sites < 2) return PLAN_OK;
    int *order = calloc(2 * (size_t)s->sites, sizeof *order);
    int rc = order == NULL ? PLAN_ENOMEM : plani_phase_begin(s, PLANI_PHASE_TRUNKS);
    if (rc == PLAN_OK) rc = plani_find_areas(s);
    if (rc == PLAN_OK) rc = find_order(s, order);
    if (rc == PLAN_OK) rc = measure_together(s, order);
    if (rc == PLAN_OK) rc = drop_explained(s);
    if (rc == PLAN_OK && !PLANI_LOSS_BY_SIZE) rc = measure_smaller(s, order);
    free(order);
    return rc;
}
