/*
 * Wake-up delay: extra latency of a short message while all other ranks wait for one, too, as they do in a broadcast.
 *
 * Ladders are measured between two ranks while the others sleep. Ranks that wait by polling do not disturb each other
 * if each has its own processor. If ranks share processors, the receiver notices a message only when it is scheduled. A
 * tree has that delay at each level, a pipeline once. A ping-pong does not show it, for the scheduler favours two ranks
 * that answer each other over those that only wait. So a message runs down a chain of all ranks, each of which has
 * waited when it arrives; and down a chain of one rank per host, while the other ranks wait.
 */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>

enum { BYTES = 8, ALONE = 128 }; /* [B]; messages up to ALONE are never slices of larger ones */

/* Part of the time alone; smaller delays are noise, or other programs. */
static const double NOTICED = 0.25;

/* The links of a chain. */
typedef struct {
    int links[2];    /* number inside hosts, between hosts */
    double alone[2]; /* [s] sum of the times of their messages alone */
} sum_t;

static plan_status_t add_up(const plani_findings_t *s, int from, int to, void *context)
{
    sum_t *sum = context;
    const plani_class_t *c = &s->class_[plani_class_between(s, from, to)];

    sum->links[c->network]++;
    sum->alone[c->network] += c->network ? c->alone[0] : c->p2p[0]; /* inside hosts no port is freed below */
    return PLAN_OK;
}

/* The message from the last rank back to the root counts as one more link of average time. */
static void add_way_back(sum_t *sum, bool network)
{
    if (sum->links[network] == 0) return;
    sum->alone[network] += sum->alone[network] / sum->links[network];
    sum->links[network]++;
}

/* One chain, the first of `ways` that share the phase's time. *seconds: down the chain and back to the root. */
static int measure(plani_findings_t *s, plani_chain_ranks_t way, int ways, double *seconds)
{
    plani_tasks_t tasks = {0};
    plani_link_tasks_t adding = {&tasks,
                                 {.kind = PLANI_CHAIN, .bytes = BYTES, .window = 1, .slices = 1, .others_wait = true}};
    plani_summary_t sum = {.median = 0};

    tasks.wanted = true;
    adding.task.seconds = plani_phase_slot(s, 1, ways, 0, 1);
    int rc = plani_findings_walk(s, way, &adding, plani_add_link);
    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    if (rc == PLAN_OK && tasks.result[0].n > 0) plani_summarize(tasks.result[0].a, tasks.result[0].n, &sum);
    *seconds = sum.median;
    plani_tasks_clear(&tasks);
    return rc;
}

/* [s] Extra latency per link, 0 if it may be noise. */
static double later(double seconds, const sum_t *sum, int kind)
{
    double more = seconds - sum->alone[kind];

    return sum->links[kind] > 0 && more > NOTICED * sum->alone[kind] ? more / sum->links[kind] : 0;
}

/*
 * In streams of short messages the gap is made of the calls of both ranks, and of others that share their processors,
 * and of headers on slow cards. Where ranks wait these calls are work (planner/simulate/network.c), the port is busy
 * with bytes alone, and a message takes no longer for the gap.
 */
static void free_port(plani_class_t *k)
{
    for (int i = 0; i < PLANI_LADDER && plani_size[i] <= ALONE; i++) {
        k->gap[i] = fmin(k->gap[i], plani_size[i] * k->s_per_byte);
        k->p2p[i] = fmax(k->alone[i], k->gap[i]);
    }
}

static void note(plani_findings_t *s, bool network, double wake)
{
    for (int c = 0; c < s->nclasses; c++) {
        plani_class_t *k = &s->class_[c];
        if (k->network != network) continue;
        k->wake_s = wake;
        if (network && wake > 0) free_port(k);
        for (int i = 0; i < PLANI_LADDER; i++) k->p2p[i] += wake;
        k->delay_s += wake;
        if (k->delay_ends.high > 0) k->delay_ends.low += wake, k->delay_ends.high += wake;
    }
}

int plani_measure_wakes(plani_findings_t *s)
{
    const plani_chain_ranks_t everyone = {0}, leaders = {.leaders = true};
    sum_t all = {{0}, {0}}, few = {{0}, {0}};
    double seconds = 0, between = 0;

    if (PLANI_OWN_PROCESSOR || s->ranks < 3) return PLAN_OK; /* no other ranks that wait */
    int rc = plani_phase_begin(s, PLANI_PHASE_WAKING);
    if (rc == PLAN_OK) rc = plani_findings_walk(s, everyone, &all, add_up);
    if (rc == PLAN_OK) rc = plani_findings_walk(s, leaders, &few, add_up);
    add_way_back(&all, s->hosts > 1);
    add_way_back(&few, true);
    if (rc == PLAN_OK && few.links[true] > 0) rc = measure(s, leaders, 2, &between);
    if (rc == PLAN_OK) note(s, true, later(between, &few, true));
    if (rc == PLAN_OK && all.links[false] > 0) rc = measure(s, everyone, 1, &seconds);
    if (rc == PLAN_OK)
        note(s, false, later(seconds - between * all.links[true] / fmax(1, few.links[true]), &all, false));
    return rc;
}
