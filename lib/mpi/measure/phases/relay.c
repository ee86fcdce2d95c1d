/* Relays: the loss of rate into a host of another site while that host forwards everything to several neighbours.
 *
 * Networks differ. Where acknowledgements do not wait in full queues, the loss is small. In SimGrid it is large: flows
 * share a card with weights by latency, and slices arrive in blocks. Then both directions share the
 * card's time. A broadcast that the relay forwards is compared with one that ends there, both run by the executor. */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>

enum { SLICE = 8192 }; /* [B] */
enum { RUNS = PLANI_REPEATS(2) };
static const double CLEARLY = 1.1; /* times as long; less may be noise */

/* One host of a site, the host of another site with the fastest flow to it that it can pass on, and how many neighbours
 * saturate its card. */
typedef struct {
    int host, from, fan; /* from -1: none */
    bool wanted;
    double in;          /* [B/s] of one flow alone */
    double alone, both; /* [s] per slice of a broadcast that ends at the relay, of one that it forwards; the least */
    double alone_most, both_most; /* [s] the second least; 0: one run */
} relay_t;

/* Whether neighbour h takes in what comes as fast as that does. */
static bool keeps_up(const plani_findings_t *s, const relay_t *r, int h)
{
    return h != r->host && s->site[h] == s->site[r->host] && plani_relay_fan(r->in, s->card_in[h]) > 0;
}

static relay_t choose_relay(const plani_findings_t *s, int site)
{
    relay_t r = {.host = -1, .from = -1};
    int neighbours = 0;

    for (int h = 0; h < s->hosts && r.host < 0; h++)
        if (s->site[h] == site && s->shared_out[h] && !s->half_duplex[h]) r.host = h;
    for (int k = 0; k < s->sites && r.host >= 0; k++) {
        int h = plani_host_of_site(s, k, 0);
        double in = k != site ? plani_host_rate(s, h, r.host) : 0;
        if (in > r.in && plani_relay_fan(in, s->card_out[r.host]) > 0) r.from = h, r.in = in;
    }
    for (int h = 0; h < s->hosts && r.from >= 0; h++)
        if (keeps_up(s, &r, h)) neighbours += plani_ranks_on(s, h);
    r.wanted = neighbours > 0;
    r.alone = SLICE / r.in, r.both = INFINITY;
    if (r.wanted) r.fan = (int)fmin(plani_relay_fan(r.in, s->card_out[r.host]), fmin(PLANI_FLOWS, neighbours));
    return r;
}

/* Slices in flight that saturate a flow of `rate` [B/s] from host u to host v: what passes in 6 latencies. */
static int window_of(const plani_findings_t *s, int u, int v, double rate)
{
    double bytes = rate * 6 * s->latency[u * s->hosts + v];
    int window = 4;

    while (window < PLANI_WINDOW_MOST && window * SLICE < bytes) window *= 2;
    return window;
}

/* Slices of a broadcast, at most what fits into the pool. In blocks of a window they need enough of them. */
static int slices_of(int window)
{
    int most = PLANI_POOL / SLICE;

    if (!PLANI_FLOWS_IN_BLOCKS) return (int)fmax(24, 2 * window);
    return 16 * window < most ? 16 * window : most;
}

/* The link into the relay, then those out of it, with windows as in plans. */
static plan_status_t add_relay(const plani_findings_t *s, const relay_t *r, int fan, bool half, plani_task_t t,
                               plani_tasks_t *tasks)
{
    plan_status_t rc;

    t.from = plani_first_rank(s, r->from), t.to = plani_first_rank(s, r->host);
    t.window = window_of(s, r->from, r->host, r->in);
    t.slices = slices_of(t.window) / (half ? 2 : 1);
    rc = plani_tasks_add(tasks, t);
    t.from = t.to;
    for (int nth = 0; fan > 0 && rc == PLAN_OK; nth++) /* every neighbour once, then other ranks of theirs */
        for (int h = 0; h < s->hosts && fan > 0 && rc == PLAN_OK; h++) {
            if (!keeps_up(s, r, h) || nth >= plani_ranks_on(s, h)) continue;
            t.to = s->rank_at[s->host_first[h] + nth];
            t.window = window_of(s, r->host, h, plani_cards_allow(s, r->host, h));
            rc = plani_tasks_add(tasks, t);
            fan--;
        }
    return rc;
}

/* [s] Run all relays that are wanted, each in a step of its own; total [sites]: of a message beyond its first slice. */
static int run_once(plani_findings_t *s, const relay_t *relay, bool both, bool half, double *total)
{
    plani_tasks_t tasks = {.wanted = true};
    int rc = PLAN_OK;

    for (int k = 0; k < s->sites && rc == PLAN_OK; k++) {
        plani_task_t t = {.kind = PLANI_CHAIN, .step = k, .bytes = SLICE};
        total[k] = 0;
        if (relay[k].wanted) rc = add_relay(s, &relay[k], both ? relay[k].fan : 0, half, t, &tasks);
    }
    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    for (size_t first = 0, end; first < tasks.n && rc == PLAN_OK; first = end) {
        end = plani_step_end(&tasks, first);
        plani_tasks_t mine = {.n = end - first, .task = tasks.task + first, .result = tasks.result + first};
        total[tasks.task[first].step] = plani_chains_slice(&mine, 0.25) * (tasks.task[first].slices - 1);
    }
    plani_tasks_clear(&tasks);
    return rc;
}

/* The time per slice of each relay. Where slices arrive in blocks, the last block is forwarded after all has arrived:
 * the second half of a message tells. Disturbed runs are too slow: the shorter time counts. scratch [2 sites] */
static int run_relays(plani_findings_t *s, relay_t *relay, bool both, double *scratch)
{
    int rc = run_once(s, relay, both, false, scratch);

    if (rc == PLAN_OK && PLANI_FLOWS_IN_BLOCKS) rc = run_once(s, relay, both, true, scratch + s->sites);
    for (int k = 0; k < s->sites && rc == PLAN_OK; k++) {
        relay_t *r = &relay[k];
        double *least = both ? &r->both : &r->alone, *most = both ? &r->both_most : &r->alone_most;
        if (!r->wanted) continue;
        int slices = slices_of(window_of(s, r->from, r->host, r->in));
        int counted = PLANI_FLOWS_IN_BLOCKS ? slices - slices / 2 : slices - 1;
        double slice = (scratch[k] - scratch[s->sites + k]) / counted; /* of a half: 0 unless it ran */
        if (!(slice > 0)) continue;
        if (isfinite(*least)) *most = *most > 0 ? fmin(*most, fmax(*least, slice)) : fmax(*least, slice);
        *least = fmin(*least, slice);
    }
    return rc;
}

/* Keep those wanted that are clearly slower while they forward. Returns their number. */
static int choose_slow(const plani_findings_t *s, relay_t *relay)
{
    int n = 0;

    for (int k = 0; k < s->sites; k++) {
        relay_t *r = &relay[k];
        r->wanted = r->wanted && isfinite(r->both) && r->both > CLEARLY * r->alone;
        n += r->wanted;
    }
    return n;
}

/* [B/s] The capacity of a relay with the card of host h, by these times per slice. */
static double capacity(const plani_findings_t *s, int h, const relay_t *r, double alone, double both)
{
    return plani_relay_rate(SLICE / alone, s->card_out[h], r->fan, both / alone);
}

/* [B/s] What the two shortest times of either broadcast make of that capacity. */
static plani_ends_t capacity_ends(const plani_findings_t *s, int h, const relay_t *r)
{
    plani_ends_t ends = {0, 0};

    if (!(r->alone_most > 0 && r->both_most > 0)) return ends;
    for (int k = 0; k < 4; k++) {
        double x = capacity(s, h, r, k % 2 ? r->alone_most : r->alone, k / 2 ? r->both_most : r->both);
        ends = plani_ends_join(ends, (plani_ends_t){x, x});
    }
    return ends;
}

/* The result of one host counts for all of its site. */
static void note_relays(plani_findings_t *s, const relay_t *relay)
{
    for (int h = 0; h < s->hosts; h++) {
        const relay_t *r = &relay[s->site[h]];
        if (!r->wanted || !s->shared_out[h]) continue;
        s->relay[h] = capacity(s, h, r, r->alone, r->both);
        s->relay_ends[h] = capacity_ends(s, h, r);
    }
}

int plani_measure_relays(plani_findings_t *s)
{
    if (s->sites < 2) return PLAN_OK;
    relay_t *relay = calloc((size_t)s->sites, sizeof *relay);
    double *scratch = calloc(2 * (size_t)s->sites, sizeof *scratch);
    int rc = relay == NULL || scratch == NULL ? PLAN_ENOMEM : plani_phase_begin(s, PLANI_PHASE_RELAYS);

    for (int k = 0; k < s->sites && rc == PLAN_OK; k++) relay[k] = choose_relay(s, k);
    if (rc == PLAN_OK) rc = run_relays(s, relay, true, scratch);
    /* At first `alone` is that of a flow of larger slices; only relays slower than that are measured further. */
    if (rc == PLAN_OK && choose_slow(s, relay) > 0) {
        for (int k = 0; k < s->sites; k++) relay[k].alone = INFINITY, relay[k].alone_most = 0;
        for (int times = 0; times < RUNS && rc == PLAN_OK; times++) {
            if (times > 0) rc = run_relays(s, relay, true, scratch);
            if (rc == PLAN_OK) rc = run_relays(s, relay, false, scratch);
        }
        choose_slow(s, relay);
        if (rc == PLAN_OK) note_relays(s, relay);
    }
    free(relay);
    free(scratch);
    return rc;
}
