/*
 * Forwarding: processor time per message and per byte on cores that ranks share, while ranks work as in a pipelined
 * broadcast.
 *
 * All ranks form chains, one per site, so that no trunk is the bottleneck. All chains run at once. The time per slice
 * is then the longer of two: that of the ports of the slowest link, and the processor time of all links together. Hosts
 * with cards so slow that they would hide the processors are left out.
 */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>

enum { SIZES = 8, SMALLEST = 128 }; /* SMALLEST [B]; sizes double up to 16 KiB */
enum { HEADERS = 180 };             /* [B] per message, estimated: MPI, TCP, IP and Ethernet, and acknowledgements */
enum { WINDOW = 4, SLICES = 32 };   /* as in a broadcast; in longer ones messages queue up and cost less each */

/* The hosts that take part, and properties of their chains. */
typedef struct {
    double rate; /* [B/s] least card rate of a host that takes part */
    int links;
    double narrowest; /* [B/s] of the slowest link between hosts, which may be slower than the cards */
    double burst;     /* [B] burst of the slowest card */
    double gap;       /* [s] largest gap of small messages on any link */
} chains_t;

static plani_chain_ranks_t way_of(const chains_t *chains)
{
    return (plani_chain_ranks_t){.by_site = true, .rate = chains->rate};
}

static plan_status_t count_link(const plani_findings_t *s, int from, int to, void *context)
{
    chains_t *chains = context;
    int u = s->place[from].host, v = s->place[to].host;

    chains->links++;
    if (u != v) chains->narrowest = fmin(chains->narrowest, plani_host_rate(s, u, v));
    chains->gap = fmax(chains->gap, s->class_[plani_class_between(s, from, to)].gap[0]);
    return PLAN_OK;
}

/* Choose the least card rate with the largest product of number of links and rate of the slowest link: with many fast
 * links, processors are the bottleneck up to the largest slices. */
static chains_t choose_chains(const plani_findings_t *s)
{
    chains_t best = {0};

    if (s->hosts == 1) return best; /* see phases/copying.c */
    for (int h = 0; h < s->hosts; h++) {
        chains_t chains = {.rate = plani_card_rate(s, h), .narrowest = INFINITY};
        plani_findings_walk(s, way_of(&chains), &chains, count_link);
        chains.burst = s->card_out[h] < s->card_in[h] ? s->burst_out[h] : s->burst_in[h];
        double speed = isfinite(chains.narrowest) ? chains.narrowest : 1;
        double least = isfinite(best.narrowest) ? best.narrowest : 1;
        if (chains.links > 0 && (best.links == 0 || chains.links * speed > best.links * least)) best = chains;
    }
    return best;
}

static plan_status_t add_chains(const plani_findings_t *s, const chains_t *chains, int bytes, double seconds,
                                plani_tasks_t *tasks)
{
    plani_link_tasks_t adding = {
        tasks, {.kind = PLANI_CHAIN, .bytes = bytes, .window = WINDOW, .slices = SLICES, .seconds = seconds}};

    tasks->n = 0;
    return plani_findings_walk(s, way_of(chains), &adding, plani_add_link);
}

/* [s] Time per slice of the slowest link, after its card's burst. */
static double link_time(const chains_t *chains, int bytes)
{
    return fmax(0, SLICES * (bytes + HEADERS) - chains->burst) / chains->narrowest / (SLICES - 1);
}

/* Results at n sizes. */
typedef struct {
    int n;
    double bytes[SIZES], message[SIZES]; /* [B] size; [s] processor time per message */
    bool limited[SIZES];                 /* links were about as slow: message is an upper bound */
} found_t;

/* Measure slices of growing size until links are the bottleneck. *shared: processors are shared. */
static int find(plani_findings_t *s, const chains_t *chains, bool *shared, found_t *found)
{
    static const double many = 2.5; /* gaps per slice: a rank on its own core needs two, to receive and to send */
    plani_tasks_t tasks = {.wanted = true};
    bool limited = false;
    int rc = PLAN_OK;

    for (int k = 0; k < SIZES && !limited && (k == 0 || (*shared && plani_phase_time_left(s, 1))); k++) {
        int bytes = SMALLEST << k;
        if ((rc = add_chains(s, chains, bytes, plani_phase_slot(s, 1, SIZES - k, 0, 1), &tasks)) != PLAN_OK) break;
        if ((rc = plani_experiments_run(s, &tasks)) != PLAN_OK) break;
        double slice = plani_chains_slice(&tasks, 0.25);
        if (slice <= 0) continue; /* lost in noise */
        double own = plani_beside_cards(slice, link_time(chains, bytes));
        limited = own <= 0;
        *shared = *shared || slice > many * chains->gap;
        found->bytes[found->n] = bytes, found->message[found->n] = (limited ? slice : own) / chains->links;
        found->limited[found->n++] = limited;
    }
    plani_tasks_clear(&tasks);
    return rc;
}

int plani_measure_passing(plani_findings_t *s)
{
    chains_t chains = choose_chains(s);
    bool shared = s->message_s > 0;
    found_t found = {0};
    double message, byte;

    if (PLANI_OWN_PROCESSOR || chains.links < 2) return PLAN_OK;
    int rc = plani_phase_begin(s, PLANI_PHASE_PASSING);
    if (rc == PLAN_OK) rc = find(s, &chains, &shared, &found);
    if (rc == PLAN_OK && shared &&
        plani_fit_passing(found.bytes, found.message, found.limited, found.n, &message, &byte))
        s->message_s = message, s->message_byte_s = byte;
    return rc;
}
