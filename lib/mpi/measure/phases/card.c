/* Network cards: one host sends to several at once, then receives from several. Their total rate is the card's rate. */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MOST = PLANI_REPEATS(6), RUNS_BOTH = PLANI_REPEATS(2) };
/* Times the phase's time until the end of the first run of all cards, of the flows alone after it, and of those among
 * them that run between sites. */
static const double ONCE = 0.4, ALONE = 0.75, BETWEEN = 1.5;

/* Flows between one host, the centre, and its partners. */
typedef struct {
    int host, partners, partner[PLANI_FLOWS];
    bool out;          /* the centre sends */
    double alone;      /* [B/s] sum of the rates of each flow alone */
    size_t task;       /* index of its first task */
    plani_runs_t runs; /* of the total rate */
    int step;          /* -1: does not run */
    bool fast;         /* slices of some size so far, which are smaller, reached the rate of large ones */
} star_t;

/* [B/s] Rate of one flow alone from host u to host v, as far as known. */
static double alone(const plani_findings_t *s, int u, int v)
{
    double r = s->rate[u * s->hosts + v];

    if (s->site[u] != s->site[v]) return plani_host_rate(s, u, v); /* s->rate ran beside others */
    return r > 0 ? r : plani_cards_allow(s, u, v);
}

/* How many flows of the star end at this host already. */
static int uses(const star_t *star, int host)
{
    int n = 0;

    for (int i = 0; i < star->partners; i++) n += star->partner[i] == host;
    return n;
}

/* [B/s] Rate of the kth flow of the star alone. */
static double flow_alone(const plani_findings_t *s, const star_t *star, int k)
{
    return star->out ? alone(s, star->host, star->partner[k]) : alone(s, star->partner[k], star->host);
}

/* [B/s] The fastest of the star's flows alone. */
static double fastest_alone(const plani_findings_t *s, const star_t *star)
{
    double most = 0;

    for (int k = 0; k < star->partners; k++) most = fmax(most, flow_alone(s, star, k));
    return most;
}

/* The next partner: of the hosts of the same site with an unused rank the least used; ties: the fastest flow alone. */
static int best_partner(const plani_findings_t *s, const star_t *star)
{
    int best = -1, least = 0;
    double most = 0;

    for (int h = 0; h < s->hosts; h++) {
        int used = uses(star, h);
        if (h == star->host || s->site[h] != s->site[star->host] || used == plani_ranks_on(s, h)) continue;
        double r = star->out ? alone(s, star->host, h) : alone(s, h, star->host);
        if (best < 0 || used < least || (used == least && r > most)) best = h, least = used, most = r;
    }
    return best;
}

int plani_beyond(const plani_findings_t *s, int host, bool out)
{
    static const double SEEN = 0.25;
    int site = s->site[host], best = -1;
    double most = 0;

    if (PLANI_FLOWS_IN_BLOCKS) return -1; /* flows in blocks need equal rates */
    for (int h = 0; h < s->hosts; h++)
        if (h != host && s->site[h] == site) most = fmax(most, SEEN * (out ? alone(s, host, h) : alone(s, h, host)));
    for (int h = 0; h < s->hosts; h++) {
        double r = out ? alone(s, host, h) : alone(s, h, host);
        if (s->site[h] != site && r > most) best = h, most = r;
    }
    return best;
}

/* Fill in up to `many` partners. Where the site has fewer, each host of it is one, and, if it helps, one outside. */
static void gather_partners(const plani_findings_t *s, int many, star_t *star)
{
    int inside = plani_hosts_in(s, s->site[star->host]) - 1,
        beyond = inside > 0 && inside < many ? plani_beyond(s, star->host, star->out) : -1;

    star->partners = 0;
    if (beyond >= 0) many = inside;
    while (star->partners < many) {
        int h = best_partner(s, star);
        if (h < 0) break;
        star->partner[star->partners++] = h;
    }
    if (beyond >= 0) star->partner[star->partners++] = beyond;
}

/* Is this host in the other site that the star has a partner in? All hosts there share a trunk. */
static bool is_beyond(const plani_findings_t *s, const star_t *star, int host)
{
    int last = s->site[star->partner[star->partners - 1]];

    return s->site[host] == last && last != s->site[star->host];
}

static bool has_busy(const plani_findings_t *s, const star_t *star, const char *busy /* [hosts] */)
{
    bool has = busy[star->host];

    for (int k = 0; k < star->partners; k++) has = has || busy[star->partner[k]];
    if (!is_beyond(s, star, star->partner[star->partners - 1])) return has;
    for (int h = 0; h < s->hosts; h++) has = has || (busy[h] && is_beyond(s, star, h));
    return has;
}

static void make_busy(const plani_findings_t *s, const star_t *star, char *busy /* [hosts] */)
{
    busy[star->host] = 1;
    for (int k = 0; k < star->partners; k++) busy[star->partner[k]] = 1;
    for (int h = 0; h < s->hosts; h++) busy[h] = busy[h] || is_beyond(s, star, h);
}

/* Disjoint stars run at the same time: each takes the first step in which all its hosts are free. */
static int place_stars(const plani_findings_t *s, star_t *star, int n, char *busy /* [n * hosts] */)
{
    int steps = 0;

    memset(busy, 0, (size_t)n * (size_t)s->hosts);
    for (int i = 0; i < n; i++) {
        int step = 0;
        if (star[i].step < 0) continue;
        while (has_busy(s, &star[i], busy + (size_t)step * (size_t)s->hosts)) step++;
        make_busy(s, &star[i], busy + (size_t)step * (size_t)s->hosts);
        star[i].step = step;
        if (step >= steps) steps = step + 1;
    }
    return steps;
}

/* The tasks of a star. Several ranks of a host share its card, so the centre's flows use different ranks while there
 * are any. */
static plan_status_t add_star(const plani_findings_t *s, star_t *star, double seconds, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;
    int many = plani_ranks_on(s, star->host);
    double card = star->out ? s->card_out[star->host] : s->card_in[star->host];

    seconds = plani_long_enough(seconds, card);
    star->task = tasks->n;
    for (int k = 0; k < star->partners && rc == PLAN_OK; k++) {
        star_t before = *star;
        before.partners = k;
        int centre = s->rank_at[s->host_first[star->host] + k % many];
        int other = s->rank_at[s->host_first[star->partner[k]] + uses(&before, star->partner[k])];
        int beside = (star->partners - 1) / many;
        plani_task_t t = star->out ? plani_flow_task(star->step, centre, other, seconds, beside)
                                   : plani_flow_task(star->step, other, centre, seconds, beside);
        t.at_sender = star->out; /* log at the centre: one clock for all of its flows */
        rc = plani_tasks_add(tasks, t);
    }
    return rc;
}

void plani_raise_card(plani_findings_t *s, int host, bool out, double rate, plani_ends_t ends)
{
    plani_raise(out ? &s->card_out[host] : &s->card_in[host], &s->card_ends[2 * host + !out], rate, ends);
}

/* The total rate of a star is a lower bound on its card's rate, and the rate itself if the card is saturated. */
static void note_star(plani_findings_t *s, const star_t *star)
{
    int h = star->host;
    double rate = plani_runs_rate(&star->runs);
    if (star->partners > 1)
        s->card_unseen[2 * h + !star->out] = !(rate > 0) && s->card_table[2 * h + !star->out].n == 0;
    if (!(rate > 0)) return;
    plani_table_t *table = &s->card_table[2 * h + !star->out];
    bool shared = star->partners > 1 && plani_is_full(table, star->partners, rate, star->alone);
    plani_table_add(table, PLANI_LARGE, star->partners, rate);

    *(star->out ? &s->shared_out[h] : &s->shared_in[h]) = shared;
    if (shared) *(star->out ? &s->card_out[h] : &s->card_in[h]) = 0; /* not what flows suggested */
    plani_raise_card(s, h, star->out, rate, plani_runs_ends(&star->runs));
}

/* Run all stars once. */
static int run_as(plani_findings_t *s, plani_tasks_t tasks, star_t *star, int n, int steps, double seconds)
{
    int rc = PLAN_OK;

    for (int step = 0; step < steps; step++)
        for (int i = 0; i < n && rc == PLAN_OK; i++)
            if (star[i].step == step) rc = add_star(s, &star[i], seconds, &tasks);
    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    for (int i = 0; i < n && rc == PLAN_OK; i++) {
        double rate;
        star_t *k = &star[i];
        if (k->step < 0) continue;
        rc = plani_card_flows_rate(tasks.task + k->task, tasks.result + k->task, (size_t)k->partners, &rate);
        if (rc == PLAN_OK) plani_runs_add(&k->runs, rate);
    }
    plani_tasks_clear(&tasks);
    return rc;
}

static int run_once(plani_findings_t *s, star_t *star, int n, int steps, double seconds)
{
    const plani_tasks_t how = {.optional = n > 0 && star->runs.n > 0, .wanted = n > 0 && star->runs.n == 0};
    return run_as(s, how, star, n, steps, seconds);
}

/* Does the star's rate differ by more than 6% from all others in its direction? It may be disturbed. */
static bool odd_one_out(const star_t *star, int n, int i)
{
    double rate = plani_runs_rate(&star[i].runs);

    for (int k = 0; k < n; k++) {
        double other = plani_runs_rate(&star[k].runs);
        if (k != i && star[k].out == star[i].out && fabs(other - rate) < 0.06 * fmax(other, rate)) return false;
    }
    return true;
}

/* Choose the stars to run again (step 0, others -1): those whose two best runs disagree, or that one flow alone
 * contradicts; and, once, those whose rate no other star has. Returns their number. */
static int choose_again(const plani_findings_t *s, star_t *star, int n)
{
    int again = 0;

    for (int i = 0; i < n; i++) {
        const plani_runs_t *runs = &star[i].runs;
        bool sure = runs->n > 1 && plani_runs_agree(runs) &&
                    !plani_is_contradicted(plani_runs_rate(runs), fastest_alone(s, &star[i])) &&
                    !(runs->n == 2 && odd_one_out(star, n, i));
        bool wanted = runs->n < RUNS_MOST && !sure;
        star[i].step = wanted ? 0 : -1;
        again += wanted;
    }
    return again;
}

/* Note the results of all stars, compared with the rates of their flows alone, as known by now. */
static void note_stars(plani_findings_t *s, star_t *star, int n)
{
    for (int i = 0; i < n; i++) {
        star[i].alone = 0;
        for (int k = 0; k < star[i].partners; k++) star[i].alone += flow_alone(s, &star[i], k);
        note_star(s, &star[i]);
    }
}

/* Run stars up to `most` times. Each runs twice; after that, those that choose_again wants, while time is left up to
 * `share` of the phase. */
static int run_stars(plani_findings_t *s, star_t *star, int n, int most, double share)
{
    char *busy = calloc((size_t)n * (size_t)s->hosts + 1, 1);
    int rc = busy == NULL ? PLAN_ENOMEM : PLAN_OK;
    double slot = 0;

    for (int times = 0; times < most && rc == PLAN_OK; times++) {
        if (choose_again(s, star, n) == 0 || (star[0].runs.n > 0 && !plani_phase_time_left(s, share))) break;
        int steps = place_stars(s, star, n, busy);
        if (times == 0) slot = plani_phase_slot(s, share, steps, 3e-3, 30e-3);
        rc = run_once(s, star, n, steps, slot);
    }
    if (rc == PLAN_OK) note_stars(s, star, n);
    free(busy);
    return rc;
}

/* Stars of `many` partners for every card that is not known to be saturated. Returns their number. */
static int choose_stars(const plani_findings_t *s, int many, star_t *star)
{
    int n = 0;

    for (int h = 0; h < s->hosts; h++)
        for (int out = 0; out < 2; out++) {
            if (out ? s->shared_out[h] : s->shared_in[h]) continue;
            star[n] = (star_t){.host = h, .out = out};
            gather_partners(s, many, &star[n]);
            if (star[n].partners > many / 2) n++; /* else as many partners as last time */
        }
    return n;
}

/* ---- one medium for both directions ---- */

/* Cards that may be half duplex: they were slower when all pairs of hosts exchanged in both directions (out_both and
 * in_both [hosts], [B/s]) than in one direction. A fast card among slow ones shows the same. So each gets two stars at
 * the same time, out and in, one host after the other. */
static int choose_suspects(const plani_findings_t *s, const double *out_both, const double *in_both, star_t *star)
{
    int n = 0;

    for (int h = 0; h < s->hosts; h++) {
        if (!s->shared_out[h] || !s->shared_in[h] ||
            !plani_half_duplex(s->card_out[h], s->card_in[h], out_both[h], in_both[h]))
            continue;
        for (int out = 0; out < 2; out++, n++) {
            star[n] = (star_t){.host = h, .out = out, .step = n / 2};
            gather_partners(s, PLANI_FLOWS, &star[n]);
        }
    }
    return n;
}

static int find_half_duplex(plani_findings_t *s, const double *out_both, const double *in_both, star_t *star)
{
    int n = choose_suspects(s, out_both, in_both, star), rc = PLAN_OK;

    if (n == 0 || !plani_phase_time_left(s, 1)) return PLAN_OK; /* full duplex is assumed */
    double slot = plani_phase_slot(s, 1, n, 3e-3, 50e-3);
    for (int times = 0; times < RUNS_BOTH && rc == PLAN_OK; times++) rc = run_once(s, star, n, n / 2, slot);
    for (int i = 0; i + 1 < n && rc == PLAN_OK; i += 2) {
        int h = star[i].host; /* star i is in, i + 1 out */
        s->half_duplex[h] = plani_half_duplex(s->card_out[h], s->card_in[h], plani_runs_rate(&star[i + 1].runs),
                                              plani_runs_rate(&star[i].runs));
    }
    return rc;
}

/* ---- flows that were slower than they can be ----
 *
 * In the pairwise exchange, flows ran in both directions at once: the returning flow of a slow card delayed the
 * acknowledgements of a fast one. And any flow may have been disturbed. So for each card that is not saturated, one
 * flow alone in one direction shows what is available. Then flows within a site that were clearly slower are repeated.
 * */

enum { LOOKS = PLANI_REPEATS(2) };
static const double PAIR_S = 20e-3; /* [s] least duration of a repeated flow; if time is short, fewer are repeated */

/* cap [2 hosts] [B/s]: what one flow can get out of and into each host: the rate of a saturated card, else the fastest
 * flow measured. */
static void find_caps(const plani_findings_t *s, double *cap)
{
    for (int h = 0; h < s->hosts; h++) {
        double most_out = 0, most_in = 0;
        for (int v = 0; v < s->hosts; v++) {
            most_out = fmax(most_out, s->rate[h * s->hosts + v]);
            most_in = fmax(most_in, s->rate[v * s->hosts + h]);
        }
        cap[2 * h] = s->shared_out[h] ? s->card_out[h] : most_out;
        cap[2 * h + 1] = s->shared_in[h] ? s->card_in[h] : most_in;
    }
}

static star_t one_flow(int from, int to)
{
    return (star_t){.host = from, .partners = 1, .partner = {to}, .out = true};
}

/* The host with the fastest card for a flow out of this host (or into it): of the same site, or of another where that
 * is clearly faster, for hosts with weak uploads alone cannot fill each other's cards. Of equal ones the next in cyclic
 * order, so that all these flows can run at the same time. -1: there is none. */
static int fastest_for(const plani_findings_t *s, int host, bool out)
{
    static const double CLEARLY = 1.5;
    const double *card = out ? s->card_in : s->card_out;
    int best = -1, beyond = -1;

    for (int k = 1; k < s->hosts; k++) {
        int h = (host + k) % s->hosts, *fastest = s->site[h] == s->site[host] ? &best : &beyond;
        if (*fastest < 0 || card[h] > 1.1 * card[*fastest]) *fastest = h;
    }
    return best >= 0 && beyond >= 0 && card[beyond] > CLEARLY * card[best] ? beyond : best;
}

/* A flow for each card that is not saturated: those inside sites, or those between sites; star [2 hosts]. Returns their
 * number. */
static int choose_single(const plani_findings_t *s, bool between, star_t *star)
{
    int n = 0;

    for (int h = 0; h < s->hosts; h++)
        for (int out = 0; out < 2; out++) {
            int other = fastest_for(s, h, out);
            bool wanted =
                other >= 0 && (s->site[other] != s->site[h]) == between && !(out ? s->shared_out[h] : s->shared_in[h]);
            star_t flow = out ? one_flow(h, other) : one_flow(other, h);
            for (int i = 0; i < n; i++) /* chosen already, for the card at its other end */
                wanted = wanted && (star[i].host != flow.host || star[i].partner[0] != flow.partner[0]);
            if (wanted) star[n++] = flow;
        }
    return n;
}

/* Raise the rates of a pair and of its cards to that of its flow. */
static void note_pair(plani_findings_t *s, const star_t *star)
{
    int u = star->host, v = star->partner[0], cell = u * s->hosts + v;

    if (star->runs.best > 0) s->alone[cell] = true;
    plani_raise(&s->rate[cell], &s->rate_ends[cell], plani_runs_rate(&star->runs), plani_runs_ends(&star->runs));
    if (!s->shared_out[u]) plani_raise_card(s, u, true, s->rate[cell], s->rate_ends[cell]);
    if (!s->shared_in[v]) plani_raise_card(s, v, false, s->rate[cell], s->rate_ends[cell]);
}

/* Run flows once, in order, as many as there is time for until `share` of the phase's. */
static int run_flows(plani_findings_t *s, double share, star_t *star, int n)
{
    char *busy = calloc((size_t)n * (size_t)s->hosts + 1, 1);
    int rc = busy == NULL ? PLAN_ENOMEM : PLAN_OK;
    int steps = rc == PLAN_OK ? place_stars(s, star, n, busy) : 0;

    steps = (int)fmax(0, fmin(steps, plani_phase_left(s, share) / (PAIR_S + s->engine->agree_s)));
    for (int i = 0; i < n; i++)
        if (star[i].step >= steps) star[i].step = -1;
    if (rc == PLAN_OK) rc = run_once(s, star, n, steps, plani_phase_slot(s, share, steps, PAIR_S, 30e-3));
    for (int i = 0; i < n && rc == PLAN_OK; i++)
        if (star[i].step >= 0) note_pair(s, &star[i]);
    free(busy);
    return rc;
}

/* Repeat the flows that plani_doubtful lists. *n: their number. cap [2 hosts], pair [hosts^2] scratch. */
static int run_doubtful(plani_findings_t *s, double *cap, int *pair, int *n)
{
    plani_meetings_t m = plani_meetings(s);

    find_caps(s, cap);
    *n = plani_doubtful(&m, s->site, cap, pair);
    star_t *star = calloc((size_t)*n + 1, sizeof *star);
    if (star == NULL) return PLAN_ENOMEM;
    for (int i = 0; i < *n; i++) star[i] = one_flow(pair[i] / s->hosts, pair[i] % s->hosts);
    int rc = run_flows(s, ALONE, star, *n);
    free(star);
    return rc;
}

static int look_inside(plani_findings_t *s, star_t *star)
{
    return run_flows(s, ALONE, star, choose_single(s, false, star));
}

/* Flows alone between sites, for nothing else tells what cards carry that need them; then repetitions of slow flows.
 * star [2 hosts] scratch. */
static int look_beyond(plani_findings_t *s, star_t *star)
{
    size_t hosts = (size_t)s->hosts;
    double *cap = malloc(2 * hosts * sizeof *cap);
    int *pair = malloc(hosts * hosts * sizeof *pair);
    int rc = cap == NULL || pair == NULL ? PLAN_ENOMEM : run_flows(s, BETWEEN, star, choose_single(s, true, star));

    for (int times = 0, n = 1; times < LOOKS && n > 0 && rc == PLAN_OK; times++) rc = run_doubtful(s, cap, pair, &n);
    free(cap);
    free(pair);
    return rc;
}

/* The first stars of all cards, and flows alone, which tell more than a second run, and with which all stars are
 * compared. Without noise stars have one run: it tells which cards need the flows between sites, that take long. */
static int run_first(plani_findings_t *s, star_t *star, int n, star_t *scratch /* [2 hosts] */)
{
    int rc = RUNS_MOST > 1 ? run_stars(s, star, n, 1, ONCE) : PLAN_OK;

    if (rc == PLAN_OK) rc = look_inside(s, scratch);
    if (rc == PLAN_OK && RUNS_MOST == 1) rc = run_stars(s, star, n, 1, 1);
    return rc == PLAN_OK ? look_beyond(s, scratch) : rc;
}

/* ---- rates of smaller slices ----
 *
 * Of cards of about the same rate one is measured; the others are assumed to behave alike. */

/* [B] The others are not measured once slices of one size, or smaller ones, have reached the rate of large ones on all
 * cards. */
static const int SMALLER[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536};
static const double ALIKE = 0.12; /* largest relative difference of neighbouring rates of one group of cards */

/* [B/s] Rate of a card as indexed in card_table: 2 host out, 2 host + 1 in; 0 if it is no resource. */
static double card_rate(const plani_findings_t *s, int card)
{
    int h = card / 2;

    if (s->half_duplex[h] || !(card % 2 ? s->shared_in[h] : s->shared_out[h])) return 0;
    return card % 2 ? s->card_in[h] : s->card_out[h];
}

/* As many flows as saturated the card with large slices, or one per rank if these are more, for the time per message is
 * that of each rank's own processor. */
static int flows_of(const plani_findings_t *s, int card)
{
    const plani_table_t *table = &s->card_table[card];
    double most = plani_ranks_on(s, card / 2);

    for (size_t i = 0; i < table->n; i++) most = fmax(most, table->at[i].messages);
    return (int)fmin(most, PLANI_FLOWS);
}

/* Group the cards of one direction by rate; append a star for the first card of each group. example[card]: the card
 * that is measured in its place, which may be itself; -1: none. */
static plan_status_t choose_examples(const plani_findings_t *s, int in, int *example, star_t *star, int *n)
{
    size_t hosts = (size_t)s->hosts, cards = 0, *scratch = malloc(hosts * sizeof *scratch);
    int *label = malloc(hosts * sizeof *label);
    double *x = malloc(hosts * sizeof *x);
    plan_status_t rc = scratch != NULL && label != NULL && x != NULL ? PLAN_OK : PLAN_ENOMEM;

    for (int h = 0; h < s->hosts && rc == PLAN_OK; h++) {
        double rate = card_rate(s, 2 * h + in);
        example[2 * h + in] = -1;
        if (rate > 0 && plani_hosts_in(s, s->site[h]) > 1) x[cards++] = rate;
    }
    int groups = rc == PLAN_OK && cards > 0 ? plani_group_values(x, cards, ALIKE, scratch, label) : 0;
    for (int g = 0; g < groups; g++) {
        int first = -1;
        cards = 0;
        for (int h = 0; h < s->hosts; h++) {
            if (!(card_rate(s, 2 * h + in) > 0) || plani_hosts_in(s, s->site[h]) < 2 || label[cards++] != g) continue;
            if (first < 0) first = 2 * h + in;
            example[2 * h + in] = first;
        }
        star[*n] = (star_t){.host = first / 2, .out = !in, .step = *n};
        gather_partners(s, flows_of(s, first), &star[(*n)++]);
    }
    free(scratch);
    free(label);
    free(x);
    return rc;
}

/* Slices of one size, one star after the other, for small ones need processors that other hosts may share. *less: some,
 * and all that are smaller, were clearly slower than large ones. */
static int run_slices(plani_findings_t *s, star_t *star, int n, int bytes, bool *less)
{
    plani_tasks_t tasks = {.optional = true};
    double slot = plani_phase_slot(s, 1, n, 3e-3, 20e-3);
    int rc = PLAN_OK;

    for (int i = 0; i < n && rc == PLAN_OK; i++) rc = add_star(s, &star[i], slot, &tasks);
    for (size_t i = 0; i < tasks.n; i++) {
        plani_task_t *t = &tasks.task[i];
        double latency = s->latency[s->place[t->from].host * s->hosts + s->place[t->to].host];
        t->bytes = bytes, t->window = PLANI_WINDOW;
        while (2 * t->window <= PLANI_WINDOW_MOST && 2 * t->window * bytes <= PLANI_UNDER_WAY &&
               t->window * bytes <
                   plani_window_s(latency) * plani_host_rate(s, s->place[t->from].host, s->place[t->to].host))
            t->window *= 2;
    }
    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    for (int i = 0; i < n && rc == PLAN_OK; i++) {
        int card = 2 * star[i].host + !star[i].out;
        double together = 0, large = card_rate(s, card);
        rc = plani_card_flows_rate(tasks.task + star[i].task, tasks.result + star[i].task, (size_t)star[i].partners,
                                   &together);
        if (rc != PLAN_OK || !(together > 0)) continue;
        bool fast = together >= PLANI_LESS * large;
        plani_table_add(&s->card_table[card], bytes, star[i].partners, fast ? large : together);
        star[i].fast = star[i].fast || fast;
        *less = *less || !star[i].fast;
    }
    plani_tasks_clear(&tasks);
    return rc;
}

/* [B/s] The fastest flow of a card inside its site, *cards what its two cards allow. Those that ran alone count, if
 * there are any (*alone). */
static double fastest_flow(const plani_findings_t *s, int card, bool *alone, double *cards)
{
    int h = card / 2;
    double most = 0;

    *alone = false, *cards = 0;
    for (int v = 0; v < s->hosts; v++) {
        int from = card % 2 ? v : h, to = card % 2 ? h : v, cell = from * s->hosts + to;
        if (v == h || s->site[v] != s->site[h] || s->alone[cell] < *alone) continue;
        if (s->alone[cell] == *alone && s->rate[cell] <= most) continue;
        *alone = s->alone[cell], most = s->rate[cell], *cards = plani_cards_allow(s, from, to);
    }
    return most;
}

/* [B/s] The limit of each flow of a card, if its cards do not explain the fastest; 0: none is seen. Flows of the first
 * rounds ran beside one the other way, which holds back their acknowledgements where its card is slow. They count if
 * the fewest at once had the same each, and more of them had more. */
static double flow_limit(const plani_findings_t *s, int card)
{
    static const double MORE = 1.1;
    const plani_table_t *table = &s->card_table[card];
    const plan_pairs_t *few = NULL, *many = NULL;
    bool alone;
    double cards, most = fastest_flow(s, card, &alone, &cards);

    if (PLANI_NO_NOISE) return most; /* there nothing waits so long */
    if (!plani_is_contradicted(most, cards)) return 0;
    for (size_t i = table->n; i > 0 && table->at[i - 1].bytes == PLANI_LARGE; i--) {
        if (many == NULL) many = &table->at[i - 1];
        few = &table->at[i - 1];
    }
    bool same = few != NULL && !plani_is_contradicted(most, few->bytes_per_s / few->messages);
    return alone || (same && many->bytes_per_s > MORE * few->bytes_per_s) ? most : 0;
}

/* What one large message gets, where each flow has a limit; else fewer messages than the most are as fast as their
 * links let them. */
static void keep_limits(plani_findings_t *s, int card)
{
    double one = flow_limit(s, card);

    if (one > 0)
        plani_table_add(&s->card_table[card], PLANI_LARGE, 1, one);
    else
        plani_table_keep_most(&s->card_table[card]);
}

static int measure_smaller(plani_findings_t *s)
{
    size_t cards = 2 * (size_t)s->hosts;
    int *example = malloc(cards * sizeof *example), n = 0;
    star_t *star = calloc(cards, sizeof *star);
    int rc = example == NULL || star == NULL ? PLAN_ENOMEM : choose_examples(s, 0, example, star, &n);
    bool less = true;

    if (rc == PLAN_OK) rc = choose_examples(s, 1, example, star, &n);
    for (size_t i = 0; i < sizeof SMALLER / sizeof *SMALLER && rc == PLAN_OK && less && n > 0; i++) {
        bool some = false;
        if (!plani_phase_time_left(s, 1)) break;
        rc = run_slices(s, star, n, SMALLER[i], &some);
        if (i == 0 || !PLANI_NO_NOISE) less = some;
    }
    for (int card = 0; card < (int)cards; card++) plani_table_rise(&s->card_table[card]);
    for (int card = 0; card < (int)cards; card++) keep_limits(s, card);
    for (int card = 0; card < (int)cards && rc == PLAN_OK; card++)
        if (example[card] >= 0 && example[card] != card)
            plani_table_carry_over(&s->card_table[example[card]], card_rate(s, example[card]), card_rate(s, card),
                                   &s->card_table[card]);
    free(example);
    free(star);
    return rc;
}

int plani_measure_cards(plani_findings_t *s)
{
    size_t n = (size_t)s->hosts;
    star_t *star = calloc(4 * n, sizeof *star);
    double *both = malloc(2 * n * sizeof *both);
    int rc = star == NULL || both == NULL ? PLAN_ENOMEM : plani_phase_begin(s, PLANI_PHASE_CARDS);

    if (rc == PLAN_OK) {
        memcpy(both, s->card_out, n * sizeof *both);
        memcpy(both + n, s->card_in, n * sizeof *both);
    }
    for (int many = 2; many <= PLANI_FLOWS && rc == PLAN_OK; many *= 2) {
        int stars = choose_stars(s, many, star);
        if (many > 2 && stars == 0) break;
        if (many == 2) rc = run_first(s, star, stars, star + 2 * n);
        if (rc == PLAN_OK) rc = run_stars(s, star, stars, RUNS_MOST, 1);
    }
    if (rc == PLAN_OK) rc = find_half_duplex(s, both, both + n, star);
    if (rc == PLAN_OK) rc = measure_smaller(s);
    free(star);
    free(both);
    return rc;
}

/* ---- cards of one run ---- */

/* Run each star once, as far as time allows. What a card carried then is another run. busy [n * hosts] scratch */
static int run_again(plani_findings_t *s, star_t *star, int n, char *busy)
{
    const plani_tasks_t late = {.optional = true, .wanted = true};
    int rc = plani_phase_begin(s, PLANI_PHASE_CARDS_AGAIN), steps = place_stars(s, star, n, busy);

    if (rc == PLAN_OK) rc = run_as(s, late, star, n, steps, plani_phase_slot(s, 1, steps, 3e-3, 30e-3));
    for (int i = 0; i < n && rc == PLAN_OK; i++) {
        int card = 2 * star[i].host + !star[i].out;
        double before = card_rate(s, card);
        plani_raise_card(s, star[i].host, star[i].out, star[i].runs.best, (plani_ends_t){0, 0});
        plani_table_t *table = &s->card_table[card]; /* smaller messages were slow in proportion */
        if (card_rate(s, card) > before) plani_table_carry_over(table, before, card_rate(s, card), table);
    }
    return rc;
}

int plani_measure_cards_again(plani_findings_t *s)
{
    size_t hosts = (size_t)s->hosts;
    star_t *star = calloc(2 * hosts, sizeof *star);
    char *busy = malloc(2 * hosts * hosts);
    int n = 0, rc = star == NULL || busy == NULL ? PLAN_ENOMEM : PLAN_OK;

    for (int card = 0; card < 2 * s->hosts && rc == PLAN_OK && !PLANI_NO_NOISE; card++) {
        if (s->card_ends[card].high > 0) continue;
        star[n] = (star_t){.host = card / 2, .out = card % 2 == 0};
        gather_partners(s, flows_of(s, card), &star[n]);
        n += star[n].partners > 0;
    }
    if (n > 0) rc = run_again(s, star, n, busy);
    free(star);
    free(busy);
    return rc;
}
