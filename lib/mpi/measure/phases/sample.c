/* Many hosts: latencies are measured from a few pivot hosts only, in about 2 hosts * sites experiments instead of
 * hosts^2 / 2. Groups of hosts are split until they are sites. In each round, each group's pivot runs a ping-pong with
 * every other host of the group. Hosts clearly farther from the pivot than the nearest one form new groups, by their
 * latency. A group is a site once two pivots in a row have split nothing off. */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_HOSTS = 24, ROUNDS_MOST = 48, PIVOTS = 2, MEETINGS = 4 };
static const double LATEST = 0.5;  /* part of the budget: nothing is split off later, where noise may seem far */
static const double MEET_S = 4e-3; /* [s] ping-pong of one pair */
static const double ALIKE = 0.5;   /* sorted latencies of one group grow by at most this part from one to the next */

typedef struct {
    int n;           /* groups; at most as many as hosts, for none is empty */
    int *group;      /* [hosts] the group of each host */
    int *pivot;      /* [n] the next pivot of each group */
    int *calm;       /* [n] pivots in a row that split nothing off */
    double *x;       /* [hosts] scratch */
    size_t *scratch; /* [2 hosts] */
    int *label;      /* [hosts] scratch */
} groups_t;

bool plani_sampled(const plani_findings_t *s)
{
    return s->hosts > FEW_HOSTS;
}

static plan_status_t add_meeting(const plani_findings_t *s, int step, int u, int v, plani_tasks_t *tasks)
{
    return plani_add_ping(s, step, u, v, MEET_S, tasks);
}

/* Ping-pongs of the pivots of all groups at the same time, each with one host of its group after the other, in one
 * step: ranks agree before every step, and of many hosts that share processors that takes far longer than a ping-pong.
 * Or all at once, if that disturbs nobody. */
static plan_status_t add_pivots(const plani_findings_t *s, const groups_t *g, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int h = 0; h < s->hosts && rc == PLAN_OK; h++) {
        int k = g->group[h];
        if (g->calm[k] < PIVOTS && h != g->pivot[k]) rc = add_meeting(s, 0, g->pivot[k], h, tasks);
    }
    return rc;
}

static double latency(const plani_findings_t *s, int u, int v)
{
    return s->latency[u * s->hosts + v];
}

/* The host of group k with the least latency to its pivot; -1 if the pivot is alone. */
static int nearest(const plani_findings_t *s, const groups_t *g, int k)
{
    int best = -1;

    for (int h = 0; h < s->hosts; h++)
        if (g->group[h] == k && h != g->pivot[k] &&
            (best < 0 || latency(s, g->pivot[k], h) < latency(s, g->pivot[k], best)))
            best = h;
    return best;
}

/* Whether host h is clearly farther from the pivot of group k than the nearest one, at `least` [s]. */
static bool is_far(const plani_findings_t *s, const groups_t *g, int k, int h, double least)
{
    return g->group[h] == k && h != g->pivot[k] &&
           plani_farness(latency(s, g->pivot[k], h), least, s->latency_noise) > 0;
}

/* Once more with the hosts that seem far: most of a few round trips may have been disturbed. */
static plan_status_t add_far(const plani_findings_t *s, const groups_t *g, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int k = 0; k < g->n && rc == PLAN_OK; k++) {
        int near = g->calm[k] < PIVOTS ? nearest(s, g, k) : -1;
        for (int h = 0; h < s->hosts && near >= 0 && rc == PLAN_OK; h++)
            if (is_far(s, g, k, h, latency(s, g->pivot[k], near))) rc = add_meeting(s, 0, g->pivot[k], h, tasks);
    }
    return rc;
}

/* Split the hosts far from its pivot off group k, in new groups by latency; the nearest host is the next pivot. */
static void split(const plani_findings_t *s, groups_t *g, int k)
{
    int pivot = g->pivot[k], near = nearest(s, g, k), n = 0;
    size_t *host = g->scratch + s->hosts;

    g->calm[k]++;
    if (near < 0) {
        g->calm[k] = PIVOTS; /* a site of one host */
        return;
    }
    double least = latency(s, pivot, near);
    for (int h = 0; h < s->hosts; h++)
        if (is_far(s, g, k, h, least)) g->x[n] = latency(s, pivot, h), host[n++] = (size_t)h;
    g->pivot[k] = near;
    if (n == 0) return;
    g->calm[k] = 1;
    int groups = plani_group_values(g->x, (size_t)n, ALIKE, g->scratch, g->label);
    for (int i = 0; i < n; i++) g->group[host[i]] = g->n + g->label[i];
    for (int i = n; i-- > 0;) g->pivot[g->group[host[i]]] = (int)host[i], g->calm[g->group[host[i]]] = 0;
    g->n += groups;
}

/* Ping-pongs between the pivots of every two groups, disjoint pairs at the same time (round robin). */
static plan_status_t add_between(const plani_findings_t *s, const groups_t *g, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int round = 0; round < plani_rounds(g->n); round++)
        for (int k = 0; k < g->n && rc == PLAN_OK; k++) {
            int other = plani_partner(g->n, round, k);
            if (other > k) rc = add_meeting(s, round, g->pivot[k], g->pivot[other], tasks);
        }
    return rc;
}

static int meet(plani_findings_t *s, plan_status_t added, plani_tasks_t *tasks)
{
    int rc = added;

    if (rc == PLAN_OK) rc = plani_experiments_run(s, tasks);
    if (rc == PLAN_OK && tasks->n > 0) rc = plani_note_latencies(s, tasks);
    tasks->n = 0;
    return rc;
}

static bool may_split(const plani_findings_t *s)
{
    return PLANI_NO_NOISE || s->engine->now() < s->start + LATEST * s->budget;
}

/* One round: the pivots of all groups meet their hosts. */
static int meet_pivots(plani_findings_t *s, groups_t *g, plani_tasks_t *tasks)
{
    int rc = meet(s, add_pivots(s, g, tasks), tasks);
    double noise = s->latency_noise;

    if (rc != PLAN_OK || PLANI_NO_NOISE) return rc;
    rc = meet(s, add_far(s, g, tasks), tasks);
    s->latency_noise = fmax(noise, s->latency_noise);
    return rc;
}

static int find_groups(plani_findings_t *s, groups_t *g)
{
    plani_tasks_t tasks = {0};
    int rc = PLAN_OK;

    g->n = 1;
    for (int round = 0; round < ROUNDS_MOST && rc == PLAN_OK; round++) {
        int open = 0, groups = g->n;
        for (int k = 0; k < groups; k++) open += g->calm[k] < PIVOTS;
        if (open == 0 || (round > 0 && !may_split(s))) break;
        rc = meet_pivots(s, g, &tasks);
        for (int k = 0; k < groups && rc == PLAN_OK; k++)
            if (g->calm[k] < PIVOTS) split(s, g, k);
    }
    if (rc == PLAN_OK) rc = meet(s, add_between(s, g, &tasks), &tasks);
    plani_tasks_clear(&tasks);
    return rc;
}

int plani_sample_latencies(plani_findings_t *s)
{
    size_t n = (size_t)s->hosts;
    groups_t g = {.group = s->site, .pivot = calloc(3 * n, sizeof *g.pivot)};
    int rc = PLAN_ENOMEM;

    memset(s->site, 0, n * sizeof *s->site);
    g.x = calloc(n, sizeof *g.x);
    g.scratch = calloc(2 * n, sizeof *g.scratch);
    if (g.pivot != NULL && g.x != NULL && g.scratch != NULL) {
        g.calm = g.pivot + n, g.label = g.calm + n;
        rc = find_groups(s, &g);
        s->sites = g.n;
    }
    free(g.pivot);
    free(g.x);
    free(g.scratch);
    return rc == PLAN_OK ? plani_sample_fill(s, false) : rc;
}

/* [sites^2] The smallest known latency [s] between hosts of two sites, symmetric; 0: none is known. To be freed; NULL:
 * out of memory. */
static double *least_known(const plani_findings_t *s)
{
    size_t n = (size_t)s->sites, hosts = (size_t)s->hosts;
    double *least = calloc(n * n, sizeof *least);

    for (size_t i = 0; i < hosts * hosts && least != NULL; i++) {
        double *l = &least[(size_t)s->site[i / hosts] * n + (size_t)s->site[i % hosts]];
        if (s->latency[i] > 0 && (*l == 0 || s->latency[i] < *l)) *l = s->latency[i];
    }
    return least;
}

/* Ping-pongs of the first host of site a with some of site b, or of its own, one after the other: one alone may be
 * disturbed. */
static plan_status_t add_unknown(const plani_findings_t *s, int step, int a, int b, plani_tasks_t *tasks)
{
    int first = a == b;
    plan_status_t rc = PLAN_OK;

    for (int i = first; i < first + MEETINGS && i < plani_hosts_in(s, b) && rc == PLAN_OK; i++)
        rc = add_meeting(s, step, plani_host_of_site(s, a, 0), plani_host_of_site(s, b, i), tasks);
    return rc;
}

int plani_sample_between(plani_findings_t *s)
{
    plani_tasks_t tasks = {0};
    plan_status_t added = PLAN_OK;
    int rounds = plani_rounds(s->sites);
    double noise = s->latency_noise;

    if (plani_phase_steps(s, 1, MEETINGS * MEET_S) <= rounds) return PLAN_OK; /* too short for all */
    double *known = least_known(s);
    if (known == NULL) added = PLAN_ENOMEM;
    for (int round = 0; round <= rounds; round++) /* the last one within sites */
        for (int a = 0; a < s->sites && added == PLAN_OK; a++) {
            int b = round < rounds ? plani_partner(s->sites, round, a) : a;
            if (b >= a && known[a * s->sites + b] == 0) added = add_unknown(s, round, a, b, &tasks);
        }
    int rc = meet(s, added, &tasks);
    s->latency_noise = fmax(noise, s->latency_noise);
    plani_tasks_clear(&tasks);
    free(known);
    return rc;
}

int plani_sample_fill(plani_findings_t *s, bool inside)
{
    size_t n = (size_t)s->sites, hosts = (size_t)s->hosts;
    double *least = least_known(s);

    if (least == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < hosts * hosts; i++) {
        size_t a = (size_t)s->site[i / hosts], b = (size_t)s->site[i % hosts];
        if (s->latency[i] <= 0 && i / hosts != i % hosts)
            s->latency[i] = (a == b && !inside ? -1 : 1) * least[a * n + b];
    }
    free(least);
    return PLAN_OK;
}

void plani_sample_forget(plani_findings_t *s)
{
    for (int u = 0; u < s->hosts; u++)
        for (int v = 0; v < s->hosts; v++)
            if (s->site[u] == s->site[v] && s->rate[u * s->hosts + v] <= 0 && s->rate[v * s->hosts + u] <= 0)
                s->latency[u * s->hosts + v] = 0;
}

/* ---- flows inside groups ---- */

enum { FLOW_ROUNDS = 5 };
static const double FLOW_S = 20e-3; /* [s] of one round */

int plani_sample_rounds(const plani_findings_t *s)
{
    int fit = PLANI_FLOWS_IN_BLOCKS ? 0 : plani_phase_steps(s, 0.5, FLOW_S);

    return fit > FLOW_ROUNDS ? fit : FLOW_ROUNDS;
}

/* In how many of `rounds` rounds the hosts of a site meet. Few hosts all meet: one that met nobody of its rack would
 * seem to have a card as slow as the rack's trunk. */
static int rounds_of(int hosts, int rounds)
{
    return hosts > FEW_HOSTS && rounds < plani_rounds(hosts) ? rounds : plani_rounds(hosts);
}

/* Rounds 0 and 1 together connect all hosts of a site in one ring; the others are spread over the schedule. */
static int round_of(int hosts, int k, int rounds)
{
    return k < 2 ? k : (int)((long)k * plani_rounds(hosts) / rounds_of(hosts, rounds));
}

plan_status_t plani_sample_flows(const plani_findings_t *s, int rounds, double seconds, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int k = 0; k < (rounds > FEW_HOSTS ? rounds : FEW_HOSTS); k++)
        for (int site = 0; site < s->sites; site++) {
            int n = plani_hosts_in(s, site);
            for (int i = 0; i < n && k < rounds_of(n, rounds) && rc == PLAN_OK; i++) {
                int other = plani_partner(n, round_of(n, k, rounds), i);
                if (other < 0) continue;
                int u = plani_host_of_site(s, site, i), v = plani_host_of_site(s, site, other);
                rc = plani_tasks_add(tasks,
                                     plani_flow_task(k, plani_first_rank(s, u), plani_first_rank(s, v), seconds, 0));
            }
        }
    return rc;
}

int plani_sample_pairs(plani_findings_t *s, int rounds)
{
    plani_tasks_t flows = {0}, pings = {0};
    plan_status_t added = PLANI_OWN_PROCESSOR ? plani_sample_flows(s, rounds, 0, &flows) : PLAN_OK;

    for (size_t i = 0; i < flows.n && added == PLAN_OK; i++) {
        int u = s->place[flows.task[i].from].host, v = s->place[flows.task[i].to].host;
        if (u < v && !(s->latency[u * s->hosts + v] > 0)) added = plani_add_ping(s, 0, u, v, MEET_S, &pings);
    }
    int rc = pings.n > 0 || added != PLAN_OK ? meet(s, added, &pings) : PLAN_OK;
    plani_tasks_clear(&flows);
    plani_tasks_clear(&pings);
    return rc;
}
