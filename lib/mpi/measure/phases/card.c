/* Cards: one host sends to several at once, then receives from several. What they get together is the card's rate. */
#include "lib/mpi/measure/engine/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MOST = PLANI_REPEATS(6), RUNS_BOTH = PLANI_REPEATS(2) };
/* Of the phase's time: to look at all cards once, then at flows alone too, before another look at the cards. */
static const double ONCE = 0.4, ALONE = 0.75;

/* One host in the middle and its partners. */
typedef struct {
    int host, partners, partner[PLANI_FLOWS];
    bool out;          /* the middle sends */
    double alone;      /* sum of what each flow gets alone [B/s] */
    size_t task;       /* first of its tasks */
    plani_runs_t runs; /* together */
    int step;          /* -1: not to run */
} star_t;

static double alone(const plani_findings_t *s, int u, int v)
{
    double r = s->rate[u * s->hosts + v];

    if (s->site[u] != s->site[v]) return plani_host_rate(s, u, v); /* the other one was seen beside others */
    return r > 0 ? r : fmin(s->card_out[u], s->card_in[v]);
}

/* How many flows of the star this host has already. */
static int uses(const star_t *star, int host)
{
    int n = 0;

    for (int i = 0; i < star->partners; i++) n += star->partner[i] == host;
    return n;
}

/* What the kth flow of the star gets alone. */
static double flow_alone(const plani_findings_t *s, const star_t *star, int k)
{
    return star->out ? alone(s, star->host, star->partner[k]) : alone(s, star->partner[k], star->host);
}

/* The next partner: a host of the same site with a rank to spare, used least; then the one with the fastest card. */
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
    int site = s->site[host], mate = plani_host_of_site(s, site, 0), best = -1;

    if (PLANI_FLOWS_BY_COUNT || plani_hosts_in(s, site) != 2) return -1; /* flows that end by count must be alike */
    if (mate == host) mate = plani_host_of_site(s, site, 1);
    double most = SEEN * (out ? alone(s, host, mate) : alone(s, mate, host));
    for (int h = 0; h < s->hosts; h++) {
        double r = out ? alone(s, host, h) : alone(s, h, host);
        if (s->site[h] != site && r > most) best = h, most = r;
    }
    return best;
}

static void gather_partners(const plani_findings_t *s, int many, star_t *star)
{
    int beyond = plani_beyond(s, star->host, star->out);

    star->partners = 0;
    if (beyond >= 0) many = 1;
    while (star->partners < many) {
        int h = best_partner(s, star);
        if (h < 0) break;
        star->partner[star->partners++] = h;
    }
    if (beyond >= 0) star->partner[star->partners++] = beyond;
}

/* Is this host of the site, other than its own, that the star reaches into? All hosts there share a trunk. */
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

/* Stars out of each other's way run at the same time: each takes the first step where all its hosts are free. */
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

/* Several ranks of a host share its card: the middle's flows start from different ranks as far as there are any. */
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
        int middle = s->rank_at[s->host_first[star->host] + k % many];
        int other = s->rank_at[s->host_first[star->partner[k]] + uses(&before, star->partner[k])];
        int beside = (star->partners - 1) / many;
        plani_task_t t = star->out ? plani_flow_task(star->step, middle, other, seconds, beside)
                                   : plani_flow_task(star->step, other, middle, seconds, beside);
        t.at_sender = star->out; /* one clock for all flows, where one rank has them all */
        rc = plani_tasks_add(tasks, t);
    }
    return rc;
}

/* What a star gets together is its card's rate, at least. */
static void note_star(plani_findings_t *s, const star_t *star, double rate)
{
    int h = star->host;
    if (rate <= 0) return; /* nothing seen */
    plani_table_t *table = &s->card_table[2 * h + !star->out];
    double one = 0;
    for (int k = 0; k < star->partners; k++) one = fmax(one, flow_alone(s, star, k));
    bool shared = star->partners > 1 && plani_is_full(table, star->partners, rate, star->alone);
    plani_table_add(table, PLANI_LARGE, 1, fmin(one, rate));
    plani_table_add(table, PLANI_LARGE, star->partners, rate);

    if (star->out)
        s->card_out[h] = shared ? rate : fmax(rate, s->card_out[h]), s->shared_out[h] = shared;
    else
        s->card_in[h] = shared ? rate : fmax(rate, s->card_in[h]), s->shared_in[h] = shared;
}

/* Run all stars once. */
static int run_once(plani_findings_t *s, star_t *star, int n, int steps, double seconds)
{
    plani_tasks_t tasks = {.optional = n > 0 && star->runs.n > 1};
    int rc = PLAN_OK;

    for (int step = 0; step < steps; step++)
        for (int i = 0; i < n && rc == PLAN_OK; i++)
            if (star[i].step == step) rc = add_star(s, &star[i], seconds, &tasks);
    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    for (int i = 0; i < n && rc == PLAN_OK; i++) {
        double rate;
        star_t *k = &star[i];
        if (k->step < 0) continue;
        rc = plani_flows_rate(tasks.task + k->task, tasks.result + k->task, (size_t)k->partners, &rate);
        if (rc == PLAN_OK) plani_runs_add(&k->runs, rate);
    }
    plani_tasks_clear(&tasks);
    return rc;
}

/* Rates that stand alone in their direction, more than 6% above or below the next: odd, or disturbed. */
static bool odd_one_out(const star_t *star, int n, int i)
{
    double rate = plani_runs_rate(&star[i].runs);

    for (int k = 0; k < n; k++) {
        double other = plani_runs_rate(&star[k].runs);
        if (k != i && star[k].out == star[i].out && fabs(other - rate) < 0.06 * fmax(other, rate)) return false;
    }
    return true;
}

/* Which stars run once more: those whose two best runs disagree, and those unlike all others, once. Returns how many.
 */
static int choose_again(star_t *star, int n)
{
    int again = 0;

    for (int i = 0; i < n; i++) {
        const plani_runs_t *runs = &star[i].runs;
        bool sure = runs->n > 1 && plani_runs_agree(runs) && !(runs->n == 2 && odd_one_out(star, n, i));
        bool wanted = runs->n < RUNS_MOST && !sure;
        star[i].step = wanted ? 0 : -1;
        again += wanted;
    }
    return again;
}

/* Judged by what their flows get alone, as far as that is known by now. */
static void note_stars(plani_findings_t *s, star_t *star, int n)
{
    for (int i = 0; i < n; i++) {
        star[i].alone = 0;
        for (int k = 0; k < star[i].partners; k++) star[i].alone += flow_alone(s, &star[i], k);
        note_star(s, &star[i], plani_runs_rate(&star[i].runs));
    }
}

/* Run all stars, up to `most` times: once, then twice and those that need it again, as long as there is time up to
 * `share` of the phase. */
static int run_stars(plani_findings_t *s, star_t *star, int n, int most, double share)
{
    char *busy = calloc((size_t)n * (size_t)s->hosts + 1, 1);
    int rc = busy == NULL ? PLAN_ENOMEM : PLAN_OK;
    double slot = 0;

    for (int times = 0; times < most && rc == PLAN_OK; times++) {
        if (choose_again(star, n) == 0 || (star[0].runs.n > 1 && !plani_phase_time_left(s, share))) break;
        int steps = place_stars(s, star, n, busy);
        if (times == 0) slot = plani_phase_slot(s, share, steps, 3e-3, 30e-3);
        rc = run_once(s, star, n, steps, slot);
    }
    if (rc == PLAN_OK) note_stars(s, star, n);
    free(busy);
    return rc;
}

/* Stars of `many` partners for every card that is not known to be full yet. Returns how many. */
static int choose_stars(const plani_findings_t *s, int many, star_t *star)
{
    int n = 0;

    for (int h = 0; h < s->hosts; h++)
        for (int out = 0; out < 2; out++) {
            if (out ? s->shared_out[h] : s->shared_in[h]) continue;
            star[n] = (star_t){.host = h, .out = out};
            gather_partners(s, many, &star[n]);
            if (star[n].partners > many / 2) n++; /* else there are no more partners than last time */
        }
    return n;
}

/* ---- one medium for both directions ---- */

/* Cards whose directions seem to have taken from each other when all hosts met, both ways at once: suspects, for fast
 * cards among slow ones look alike. Two stars for each, out and in, at the same time; one host after the other. */
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

    if (n == 0 || !plani_phase_time_left(s, 1)) return PLAN_OK; /* two directions, then, until seen otherwise */
    double slot = plani_phase_slot(s, 1, n, 3e-3, 50e-3);
    for (int times = 0; times < RUNS_BOTH && rc == PLAN_OK; times++) rc = run_once(s, star, n, n / 2, slot);
    for (int i = 0; i + 1 < n && rc == PLAN_OK; i += 2) {
        int h = star[i].host; /* first in, then out */
        s->half_duplex[h] = plani_half_duplex(s->card_out[h], s->card_in[h], plani_runs_rate(&star[i + 1].runs),
                                              plani_runs_rate(&star[i].runs));
    }
    return rc;
}

/* ---- flows that were slower than they can be ----
 *
 * When all met, flows ran both ways at once: what came back through a slow card kept the acknowledgements of a fast
 * flow waiting. And any flow may have been disturbed. So one flow alone, one way, tells what is available of each
 * card that is not known to be full; and those within a site that got clearly less get a second chance. */

enum { LOOKS = PLANI_REPEATS(2) };
static const double PAIR_S = 20e-3; /* a shorter flow tells little: then only the most doubtful ones get a chance */

/* What one flow can get of each card, [2 hosts] out and in: all of a full one, else what one was seen to get. */
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

/* The host of the same site with the fastest card for a flow out of this one (or into it); of equal ones the next, for
 * then all can run at the same time. -1: there is none. */
static int fastest_for(const plani_findings_t *s, int host, bool out)
{
    const double *card = out ? s->card_in : s->card_out;
    int best = -1;

    for (int k = 1; k < s->hosts; k++) {
        int h = (host + k) % s->hosts;
        if (s->site[h] == s->site[host] && (best < 0 || card[h] > 1.1 * card[best])) best = h;
    }
    return best;
}

/* A flow for each card that is not full; star [2 hosts]. */
static int choose_single(const plani_findings_t *s, star_t *star)
{
    int n = 0;

    for (int h = 0; h < s->hosts; h++)
        for (int out = 0; out < 2; out++) {
            int other = fastest_for(s, h, out);
            bool wanted = other >= 0 && !(out ? s->shared_out[h] : s->shared_in[h]);
            star_t flow = out ? one_flow(h, other) : one_flow(other, h);
            for (int i = 0; i < n; i++) /* chosen by the host at its other end */
                wanted = wanted && (star[i].host != flow.host || star[i].partner[0] != flow.partner[0]);
            if (wanted) star[n++] = flow;
        }
    return n;
}

/* A card lets pass what one flow gets. */
static void note_pair(plani_findings_t *s, const star_t *star)
{
    int u = star->host, v = star->partner[0];
    double *r = &s->rate[u * s->hosts + v];

    *r = fmax(*r, plani_runs_rate(&star->runs));
    if (!s->shared_out[u]) s->card_out[u] = fmax(s->card_out[u], *r);
    if (!s->shared_in[v]) s->card_in[v] = fmax(s->card_in[v], *r);
}

/* Run flows once, as many as there is time for, the first ones first. */
static int run_flows(plani_findings_t *s, star_t *star, int n)
{
    char *busy = calloc((size_t)n * (size_t)s->hosts + 1, 1);
    int rc = busy == NULL ? PLAN_ENOMEM : PLAN_OK;
    int steps = rc == PLAN_OK ? place_stars(s, star, n, busy) : 0;

    steps = (int)fmax(0, fmin(steps, plani_phase_left(s, ALONE) / (PAIR_S + s->engine->agree_s)));
    for (int i = 0; i < n; i++)
        if (star[i].step >= steps) star[i].step = -1;
    if (rc == PLAN_OK) rc = run_once(s, star, n, steps, plani_phase_slot(s, ALONE, steps, PAIR_S, 30e-3));
    for (int i = 0; i < n && rc == PLAN_OK; i++)
        if (star[i].step >= 0) note_pair(s, &star[i]);
    free(busy);
    return rc;
}

/* Doubtful flows, the most doubtful first. *n: how many there were. cap [2 hosts], pair [hosts^2] scratch. */
static int run_doubtful(plani_findings_t *s, double *cap, int *pair, int *n)
{
    plani_meetings_t m = {s->hosts, s->rate, s->latency, s->latency_noise};

    find_caps(s, cap);
    *n = plani_doubtful(&m, s->site, cap, pair);
    star_t *star = calloc((size_t)*n + 1, sizeof *star);
    if (star == NULL) return PLAN_ENOMEM;
    for (int i = 0; i < *n; i++) star[i] = one_flow(pair[i] / s->hosts, pair[i] % s->hosts);
    int rc = run_flows(s, star, *n);
    free(star);
    return rc;
}

/* star [2 hosts] scratch */
static int look_again(plani_findings_t *s, star_t *star)
{
    size_t hosts = (size_t)s->hosts;
    double *cap = malloc(2 * hosts * sizeof *cap);
    int *pair = malloc(hosts * hosts * sizeof *pair);
    int rc = cap == NULL || pair == NULL ? PLAN_ENOMEM : run_flows(s, star, choose_single(s, star));

    for (int times = 0, n = 1; times < LOOKS && n > 0 && rc == PLAN_OK; times++) rc = run_doubtful(s, cap, pair, &n);
    free(cap);
    free(pair);
    return rc;
}

/* ---- smaller slices: do they get as much of a card? ----
 *
 * Of cards that are about as fast one is looked at, and the others are taken to treat slices alike. */

/* [B] If slices of the first size get as much as large ones, so do all. */
static const int SMALLER[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536};
static const double ALIKE = 0.12, LESS = 0.85; /* of what large slices get: noise is not */
static const double UNDER_WAY = 524288;        /* [B] of a flow */

/* The tables of cards: 2 host, or 2 host + 1 of the way in. [B/s] 0: no resource. */
static double card_rate(const plani_findings_t *s, int card)
{
    int h = card / 2;

    if (s->half_duplex[h] || !(card % 2 ? s->shared_in[h] : s->shared_out[h])) return 0;
    return card % 2 ? s->card_in[h] : s->card_out[h];
}

/* As many flows as filled the card with large slices, or one for each rank if these are more: each takes its own time
 * for a message. */
static int flows_of(const plani_findings_t *s, int card)
{
    const plani_table_t *table = &s->card_table[card];
    double most = plani_ranks_on(s, card / 2);

    for (size_t i = 0; i < table->n; i++) most = fmax(most, table->at[i].messages);
    return (int)fmin(most, PLANI_FLOWS);
}

/* A star for the first of all cards of one direction that are about as fast; example[card]: which card stands for it,
 * itself or another one, -1: none. */
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

/* Slices of one size, one star after the other: small ones take processors that others may share. */
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
        while (2 * t->window <= PLANI_WINDOW_MOST && 2 * t->window * bytes <= UNDER_WAY &&
               t->window * bytes <
                   (16 * latency + 2e-3) * plani_host_rate(s, s->place[t->from].host, s->place[t->to].host))
            t->window *= 2;
    }
    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    for (int i = 0; i < n && rc == PLAN_OK; i++) {
        int card = 2 * star[i].host + !star[i].out;
        double together = 0, large = card_rate(s, card);
        rc = plani_flows_rate(tasks.task + star[i].task, tasks.result + star[i].task, (size_t)star[i].partners,
                              &together);
        if (rc != PLAN_OK || !(together > 0)) continue;
        *less = *less || together < LESS * large;
        plani_table_add(&s->card_table[card], bytes, star[i].partners, together < LESS * large ? together : large);
    }
    plani_tasks_clear(&tasks);
    return rc;
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
        if (i == 0) less = some;
    }
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
        if (many == 2) { /* what flows get alone says more than a second run, and judges all stars */
            rc = run_stars(s, star, stars, 1, ONCE);
            if (rc == PLAN_OK) rc = look_again(s, star + 2 * n);
        }
        if (rc == PLAN_OK) rc = run_stars(s, star, stars, RUNS_MOST, 1);
    }
    if (rc == PLAN_OK) rc = find_half_duplex(s, both, both + n, star);
    if (rc == PLAN_OK) rc = measure_smaller(s);
    free(star);
    free(both);
    return rc;
}
