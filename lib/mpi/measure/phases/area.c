/* Areas: groups of sites behind a common trunk, such as the racks of one place. Candidates are sites nearer to each
 * other than to others, by latency; where latencies do not tell, sites whose hosts' flows slowed each other
 * down (phases/crowd.c). All hosts of an area send out at once, then receive: if their total is below what their cards
 * and the trunks of the sites allow, the area has a trunk. */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>

enum { FLOWS_MOST = 24, RUNS = PLANI_REPEATS(2), RUNS_MOST = PLANI_REPEATS(4) };

/* The nth site inside (or outside) of an area, cyclically. */
static int nth_site(const plani_findings_t *s, int area, bool in, int nth)
{
    int many = 0;

    for (int k = 0; k < s->sites; k++) many += (s->area[k] == area) == in;
    if (many > 0) nth %= many;
    for (int k = 0; k < s->sites; k++)
        if ((s->area[k] == area) == in && nth-- == 0) return k;
    return 0;
}

static int sites_in(const plani_findings_t *s, int area)
{
    int n = 0;

    for (int k = 0; k < s->sites; k++) n += s->area[k] == area;
    return n;
}

/* False with only one site inside, or outside: then that site's trunk carries the same links. */
static bool worth_trying(const plani_findings_t *s, int area)
{
    int inside = sites_in(s, area);

    return inside > 1 && s->sites - inside > 1;
}

static int hosts_inside(const plani_findings_t *s, int area)
{
    int n = 0;

    for (int h = 0; h < s->hosts; h++) n += s->area[s->site[h]] == area;
    return n;
}

/* The host of the nth flow across the trunk of an area, inside or outside: sites take turns, and so do their hosts. A
 * slow site takes up one flow of each turn only. */
static int nth_host(const plani_findings_t *s, int area, bool in, int nth)
{
    int sites = in ? sites_in(s, area) : s->sites - sites_in(s, area), site = nth_site(s, area, in, nth);

    return plani_host_of_site(s, site, nth / sites % plani_hosts_in(s, site));
}

static double *total_of(const plani_findings_t *s, int step)
{
    return step % 2 ? &s->area_trunk[step / 2].in : &s->area_trunk[step / 2].out;
}

/* [B/s] The fastest flow alone across the trunk in the direction of a step; infinite where one was not measured, but
 * of those that are `known`. */
static double fastest_alone(const plani_findings_t *s, int step, bool known)
{
    double alone = 0;

    for (int i = 0; i < s->sites * s->sites; i++) {
        int from = s->area[i / s->sites], to = s->area[i % s->sites];
        if (known && isinf(s->site_rate[i])) continue;
        if (from != to && (step % 2 ? to : from) == step / 2) alone = fmax(alone, s->site_rate[i]);
    }
    return alone;
}

/* Number of flows across the trunk: one per host inside, at least one per site outside. */
static int crossings(const plani_findings_t *s, int area)
{
    int n = hosts_inside(s, area), outside = s->sites - sites_in(s, area);

    if (n < outside) n = outside;
    return n < FLOWS_MOST ? n : FLOWS_MOST;
}

/* Step 2 a has flows out of area a, step 2 a + 1 into it. A pair of ranks that comes up twice runs once. doubtful: only
 * those steps whose total one flow contradicts. */
static plan_status_t add_crossings(const plani_findings_t *s, double seconds, bool doubtful, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int k = 0; k < 2 * s->areas; k++) {
        size_t first = tasks->n;
        if (!worth_trying(s, k / 2) ||
            (doubtful && !plani_is_contradicted(*total_of(s, k), fastest_alone(s, k, false))))
            continue;
        for (int i = 0; i < crossings(s, k / 2) && rc == PLAN_OK; i++) {
            int a = plani_first_rank(s, nth_host(s, k / 2, true, i)),
                b = plani_first_rank(s, nth_host(s, k / 2, false, i));
            int from = k % 2 ? b : a, to = k % 2 ? a : b;
            if (plani_is_new_flow(tasks, first, from, to))
                rc = plani_tasks_add(tasks, plani_flow_task(k, from, to, seconds, PLANI_FLOWS - 1));
        }
    }
    return rc;
}

/* [B/s] Total of the flows [first, end) out of (or into) host h, as limited by its card. */
static double through_card(const plani_findings_t *s, const plani_tasks_t *tasks, size_t first, size_t end, bool from,
                           int h)
{
    double wanted = 0;

    for (size_t i = first; i < end; i++) {
        int u = s->place[tasks->task[i].from].host, v = s->place[tasks->task[i].to].host;
        if ((from ? u : v) == h) wanted += plani_host_rate(s, u, v);
    }
    return fmin(wanted, from ? s->card_out[h] : s->card_in[h]);
}

/* [B/s] Total of the flows [first, end) as limited by the cards and trunks of the sites that they leave (`from`) or
 * enter; trunks that were not measured by their guess. guess [2 sites] */
static double through(const plani_findings_t *s, const plani_tasks_t *tasks, size_t first, size_t end,
                      const double *guess, bool from)
{
    double sum = 0;

    for (int k = 0; k < s->sites; k++) {
        double wanted = 0, trunk = fmax(from ? s->trunk[k].out : s->trunk[k].in, guess[from ? 2 * k : 2 * k + 1]);
        for (int h = 0; h < s->hosts; h++)
            if (s->site[h] == k) wanted += through_card(s, tasks, first, end, from, h);
        sum += trunk > 0 ? fmin(wanted, trunk) : wanted;
    }
    return sum;
}

/* [B/s] Upper bound on the total of the flows [first, end) without a trunk of the area. */
static double allowed(const plani_findings_t *s, const plani_tasks_t *tasks, size_t first, size_t end,
                      const double *guess)
{
    return fmin(through(s, tasks, first, end, guess, true), through(s, tasks, first, end, guess, false));
}

static plani_ends_t *ends_of(plani_findings_t *s, int step)
{
    return step % 2 ? &s->area_trunk[step / 2].in_ends : &s->area_trunk[step / 2].out_ends;
}

/* Note the total rate of each step, combined with that of the run before, for one may be disturbed. */
static plan_status_t note_totals(plani_findings_t *s, const plani_tasks_t *tasks)
{
    for (size_t first = 0, end = 0; first < tasks->n; first = end) {
        plani_trunk_t *trunk = &s->area_trunk[tasks->task[first].step / 2];
        double together, *total = total_of(s, tasks->task[first].step);
        if (plani_step_rate(tasks, first, &end, &together) != PLAN_OK) return PLAN_ENOMEM;
        if (together > 0) *(tasks->task[first].step % 2 ? &trunk->in_seen : &trunk->out_seen) = true;
        if (*total > 0 && together > 0)
            *ends_of(s, tasks->task[first].step) = (plani_ends_t){fmin(*total, together), fmax(*total, together)};
        *total = plani_combine(*total, together);
    }
    return PLAN_OK;
}

/* Set trunks to 0, no limit, where the total is as high as it would be without them. */
static plan_status_t drop_unlimited(plani_findings_t *s, const plani_tasks_t *tasks)
{
    double *guess = calloc(2 * (size_t)s->sites, sizeof *guess);
    plan_status_t rc = guess == NULL ? PLAN_ENOMEM : plani_guess_sites(s, guess);

    for (size_t first = 0, end; first < tasks->n && rc == PLAN_OK; first = end) {
        double *total = total_of(s, tasks->task[first].step);
        end = plani_step_end(tasks, first);
        if (plani_together(allowed(s, tasks, first, end, guess), *total) == PLANI_SHARED_NOT) *total = 0;
    }
    free(guess);
    return rc;
}

/* [B/s] The fastest flow alone out of a site (or into it) that does not cross the trunk of the area; 0: none is known.
 */
static double fastest_beside(const plani_findings_t *s, int area, int site, bool out)
{
    double most = 0;

    for (int k = 0; k < s->sites; k++) {
        double rate = s->site_rate[out ? site * s->sites + k : k * s->sites + site];
        if (k != site && (s->area[k] == area) == (s->area[site] == area) && isfinite(rate)) most = fmax(most, rate);
    }
    return most;
}

/* [B/s] What one flow out of a site (or into it) may get as far as that end limits it: its fastest card, its trunk if
 * it was measured, and the fastest flow that does not cross the trunk of the area. *sure: more than its card is known.
 */
static double site_allows(const plani_findings_t *s, int area, int site, bool out, bool *sure)
{
    double most = 0, trunk = out ? s->trunk[site].out : s->trunk[site].in, beside = fastest_beside(s, area, site, out);

    for (int h = 0; h < s->hosts; h++)
        if (s->site[h] == site) most = fmax(most, out ? s->card_out[h] : s->card_in[h]);
    *sure = trunk > 0 || beside > 0;
    if (trunk > 0) most = fmin(most, trunk);
    return beside > 0 ? fmin(most, beside) : most;
}

/* [B/s] What flows alone let guess of the trunk in the direction of a step: the rate of the fastest; 0 if the ends of
 * one that is about as fast explain it, and both ends of none are known to carry more. */
static double evidence(const plani_findings_t *s, int step)
{
    double alone = fastest_alone(s, step, true);
    bool explained = false;

    for (int i = 0; i < s->sites * s->sites; i++) {
        int a = i / s->sites, b = i % s->sites, area = step / 2;
        bool sure[2];
        if (s->area[a] == s->area[b] || s->area[step % 2 ? b : a] != area || isinf(s->site_rate[i]) ||
            plani_together(alone, s->site_rate[i]) == PLANI_SHARED)
            continue;
        double ends = fmin(site_allows(s, area, a, true, &sure[0]), site_allows(s, area, b, false, &sure[1]));
        bool explains = plani_together(ends, s->site_rate[i]) == PLANI_SHARED_NOT;
        if (!explains && sure[0] && sure[1]) return alone;
        explained = explained || explains;
    }
    return explained ? 0 : alone;
}

/* What is known of all areas' trunks, [2 areas]. Nothing of those of one site alone, or of all but one: they limit no
 * other links than the site's. */
static void see_all(const plani_findings_t *s, plani_way_seen_t *trunk)
{
    for (int k = 0; k < 2 * s->areas; k++) {
        const plani_trunk_t *t = &s->area_trunk[k / 2];
        if (!worth_trying(s, k / 2)) continue;
        trunk[k] = (plani_way_seen_t){.rate = k % 2 ? t->in : t->out, .hosts = hosts_inside(s, k / 2)};
        trunk[k].measured = k % 2 ? t->in_seen : t->out_seen;
        trunk[k].alone = evidence(s, k);
        for (int h = 0; h < s->hosts; h++)
            if (s->area[s->site[h]] == k / 2) trunk[k].cards += k % 2 ? s->card_in[h] : s->card_out[h];
    }
}

plan_status_t plani_guess_areas(const plani_findings_t *s, double *guess)
{
    size_t n = 2 * (size_t)s->areas;
    plani_way_seen_t *trunk = calloc(n + 1, sizeof *trunk);

    if (trunk == NULL) return PLAN_ENOMEM;
    see_all(s, trunk);
    for (size_t k = 0; k < n; k++) guess[k] = trunk[k].measured ? 0 : plani_guess_trunk(trunk, (int)n, (int)k);
    free(trunk);
    return PLAN_OK;
}

/* Without any trunk, be it a guess, there are no areas. An area without one beside others that have theirs limits
 * nothing. guess [2 areas] */
static void drop_unproven(plani_findings_t *s, const double *guess)
{
    int proven = 0;

    for (int a = 0; a < s->areas; a++)
        proven += s->area_trunk[a].out > 0 || s->area_trunk[a].in > 0 || guess[2 * a] > 0 || guess[2 * a + 1] > 0;
    if (proven == 0) s->areas = 0;
}

/* [B/s] What all other areas send into (`out`), or take from, the area: through its trunk, if it has one. */
static double beyond(const plani_findings_t *s, int area, bool out)
{
    double trunk = out ? s->area_trunk[area].in : s->area_trunk[area].out, sum = 0;

    for (int k = 0; k < s->sites; k++)
        if (s->area[k] != area) sum += plani_site_passes(s, k, out);
    return trunk > 0 ? fmin(trunk, sum) : sum;
}

/* Drop trunks of an area's sites that are explained by what its other sites and all other areas pass.
 * scratch [4 (sites + 1)] */
static void drop_explained(plani_findings_t *s, int area, double *scratch)
{
    double *out = scratch, *in = out + s->sites + 1, *other_out = in + s->sites + 1,
           *other_in = other_out + s->sites + 1;
    int n = 0;

    for (int k = 0; k < s->sites; k++) {
        if (s->area[k] != area) continue;
        out[n] = s->trunk[k].out, other_out[n] = plani_site_passes(s, k, true);
        in[n] = s->trunk[k].in, other_in[n] = plani_site_passes(s, k, false);
        n++;
    }
    other_in[n] = beyond(s, area, false), other_out[n] = beyond(s, area, true), out[n] = in[n] = 0;
    plani_explained_trunks(n + 1, other_in, out);
    plani_explained_trunks(n + 1, other_out, in);
    n = 0;
    for (int k = 0; k < s->sites; k++) {
        if (s->area[k] != area) continue;
        s->trunk[k].out = out[n];
        s->trunk[k].in = in[n];
        n++;
    }
}

/* Areas' trunks are assumed to treat small slices like sites' trunks: the tables are copied, scaled by the rates. */
static void fill_tables(plani_findings_t *s)
{
    for (int k = 0; k < 2 * s->sites; k++) {
        const plani_trunk_t *trunk = &s->trunk[k / 2];
        int step = 2 * s->area[k / 2] + k % 2;
        plani_table_carry_over(&s->trunk_table[k], k % 2 ? trunk->in : trunk->out, *total_of(s, step),
                               &s->area_table[step]);
    }
}

/* scratch [4 (sites + 1)], guess [2 areas] */
static int measure_areas(plani_findings_t *s, double *scratch, double *guess)
{
    plani_tasks_t tasks = {0}, all = {0};
    double slot = plani_phase_slot(s, 1, 4 * s->areas, fmin(20e-3, 4e-3 * s->budget), plani_flow_most(s, 50e-3));
    int rc = add_crossings(s, slot, false, &all);

    for (int times = 0; times < RUNS_MOST && rc == PLAN_OK; times++) {
        tasks.n = 0, tasks.optional = times > 0, tasks.wanted = times == 0;
        rc = add_crossings(s, slot, times >= RUNS, &tasks);
        if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
        if (rc == PLAN_OK) rc = note_totals(s, &tasks);
    }
    if (rc == PLAN_OK) rc = drop_unlimited(s, &all);
    if (rc == PLAN_OK) rc = plani_guess_areas(s, guess);
    if (rc == PLAN_OK) {
        drop_unproven(s, guess);
        if (s->areas > 0) fill_tables(s);
        for (int a = 0; a < s->areas; a++) drop_explained(s, a, scratch);
    }
    plani_tasks_clear(&tasks);
    plani_tasks_clear(&all);
    return rc;
}

/* scratch [2 sites^2], iscratch [2 sites], met [2 sites^2] */
static int find_areas(plani_findings_t *s, double *scratch, int *iscratch, plani_met_t *met)
{
    plani_meetings_t m = plani_meetings(s);
    double *latency = scratch + (size_t)s->sites * (size_t)s->sites;
    int worth = 0, rc = PLAN_OK;
    size_t n;

    plani_site_latencies(&m, s->site, s->sites, latency);
    int areas = plani_areas_by_latency(s->sites, latency, s->latency_noise, scratch, iscratch, s->area);
    if (areas == 1 || areas == s->sites) {
        rc = plani_meet_crowds(s, met, &n);
        if (rc == PLAN_OK) areas = plani_areas(s->sites, met, n, s->site_rate, scratch, iscratch, s->area);
    }
    for (int a = 0; a < areas; a++) worth += sites_in(s, a) > 1 && areas > 1;
    s->areas = worth > 0 ? areas : 0;
    return rc;
}

/* ---- one flow alone between areas ----
 *
 * Flows "alone" between disjoint sites ran at the same time (phases/site.c), and so shared the trunks of areas. A flow
 * between the fastest hosts of two areas, while no other one leaves the first or enters the second, tells what each
 * flow between them may get. */

/* The host of an area that sends (or takes) most, as far as single flows have shown. */
static int fastest_host(const plani_findings_t *s, int area, bool out)
{
    double most = 0;
    int best = -1;

    for (int h = 0; h < s->hosts; h++) {
        double rate = 0;
        if (s->area[s->site[h]] != area) continue;
        for (int k = 0; k < s->sites; k++)
            if (k != s->site[h])
                rate = fmax(rate, s->site_rate[out ? s->site[h] * s->sites + k : k * s->sites + s->site[h]]);
        rate = fmin(rate, out ? s->card_out[h] : s->card_in[h]);
        if (best < 0 || rate > most) best = h, most = rate;
    }
    return best;
}

/* A flow for each two areas, the disjoint pairs of a round at the same time, first one way and then the other. */
static plan_status_t add_between(const plani_findings_t *s, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;
    int steps = 2 * plani_rounds(s->areas);
    double slot = plani_phase_slot(s, 0.1, RUNS * steps, 3e-3, plani_flow_most(s, 40e-3));

    for (int k = 0; k < steps; k++)
        for (int a = 0; a < s->areas && rc == PLAN_OK; a++) {
            int b = plani_partner(s->areas, k / 2, a);
            if (b < 0 || (a < b) != (k % 2 == 0)) continue;
            rc = plani_tasks_add(tasks, plani_flow_task(k, plani_first_rank(s, fastest_host(s, a, true)),
                                                        plani_first_rank(s, fastest_host(s, b, false)), slot, 0));
        }
    return rc;
}

/* Raise the rates between the sites of two areas to that of these runs. */
static void raise_between(plani_findings_t *s, int a, int b, const plani_runs_t *runs)
{
    for (int i = 0; i < s->sites; i++)
        for (int k = 0; k < s->sites; k++) {
            int cell = i * s->sites + k;
            if (s->area[i] == a && s->area[k] == b)
                plani_raise(&s->site_rate[cell], &s->site_ends[cell], plani_runs_rate(runs), plani_runs_ends(runs));
        }
}

/* runs [areas^2] */
static int run_between(plani_findings_t *s, plani_tasks_t *tasks, plani_runs_t *runs)
{
    int n = s->areas, rc = add_between(s, tasks);

    for (int times = 0; times < RUNS && rc == PLAN_OK; times++) {
        tasks->optional = times > 0, tasks->wanted = times == 0;
        rc = plani_experiments_run(s, tasks);
        for (size_t i = 0; i < tasks->n && rc == PLAN_OK; i++) {
            const plani_task_t *t = &tasks->task[i];
            double err, rate = plani_flow_rate(t, &tasks->result[i], &err);
            int a = s->area[s->site[s->place[t->from].host]], b = s->area[s->site[s->place[t->to].host]];
            plani_runs_add(&runs[a * n + b], rate);
        }
    }
    for (int i = 0; i < n * n && rc == PLAN_OK; i++) raise_between(s, i / n, i % n, &runs[i]);
    return rc;
}

static int measure_between(plani_findings_t *s)
{
    plani_tasks_t tasks = {0};
    plani_runs_t *runs = calloc((size_t)s->areas * (size_t)s->areas, sizeof *runs);
    int rc = runs == NULL ? PLAN_ENOMEM : run_between(s, &tasks, runs);

    plani_tasks_clear(&tasks);
    free(runs);
    return rc;
}

int plani_find_areas(plani_findings_t *s)
{
    size_t n = (size_t)s->sites;
    double *scratch = calloc(2 * n * n, sizeof *scratch);
    plani_met_t *met = calloc(2 * n * n, sizeof *met);
    int *iscratch = calloc(2 * n, sizeof *iscratch), rc = PLAN_OK;

    s->area = calloc(n, sizeof *s->area);
    s->area_trunk = calloc(n, sizeof *s->area_trunk);
    s->area_table = calloc(2 * n, sizeof *s->area_table);
    if (scratch == NULL || iscratch == NULL || met == NULL || s->area == NULL || s->area_trunk == NULL ||
        s->area_table == NULL)
        rc = PLAN_ENOMEM;
    else if (n > 2)
        rc = find_areas(s, scratch, iscratch, met);
    if (rc == PLAN_OK && s->areas > 0) rc = measure_between(s);
    free(scratch);
    free(iscratch);
    free(met);
    return rc;
}

int plani_measure_areas(plani_findings_t *s)
{
    double *scratch = calloc(6 * ((size_t)s->sites + 1), sizeof *scratch);
    int rc = scratch == NULL ? PLAN_ENOMEM : PLAN_OK, worth = 0;

    for (int a = 0; a < s->areas; a++) worth += worth_trying(s, a);
    if (worth == 0) s->areas = 0;
    if (rc == PLAN_OK && s->areas > 0) {
        rc = plani_phase_begin(s, PLANI_PHASE_AREAS);
        if (rc == PLAN_OK) rc = measure_areas(s, scratch, scratch + 4 * ((size_t)s->sites + 1));
    }
    free(scratch);
    return rc;
}
