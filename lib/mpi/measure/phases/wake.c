/*
 * Waking: how much later a short message is there while all other ranks wait for one, too, as they do in a broadcast.
 *
 * Ladders are measured between two ranks while the others sleep. Ranks that wait by asking again and again do not
 * disturb each other where each has a processor; where they share some, whoever is sent a message notices it when its
 * turn comes. A tree feels that at each level, a pipeline once. Two ranks that answer each other again and again do
 * not: the scheduler favours them over those that have only waited. So a message goes down a chain of all ranks
 * instead, and each has waited when its turn comes; then down one of a rank per host, while the others wait.
 */
#include "lib/mpi/measure/engine/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>

enum { BYTES = 8, ALONE = 128 }; /* [B]; up to ALONE no message is a slice of many */

/* More than that of the time alone: less is noise, or others on the machine. */
static const double NOTICED = 0.25;

/* What a way's links take alone. */
typedef struct {
    int links[2]; /* inside hosts, between them */
    double alone[2];
} sum_t;

static plan_status_t add_up(const plani_findings_t *s, int from, int to, void *context)
{
    sum_t *sum = context;
    const plani_class_t *c = &s->class_[plani_class_between(s, from, to)];

    sum->links[c->network]++;
    sum->alone[c->network] += c->p2p[0];
    return PLAN_OK;
}

/* The last rank's word to the root takes as long as one more link. */
static void add_way_back(sum_t *sum, bool network)
{
    if (sum->links[network] == 0) return;
    sum->alone[network] += sum->alone[network] / sum->links[network];
    sum->links[network]++;
}

/* The first of so many ways. *seconds: down the whole chain and back to the root. */
static int measure(plani_findings_t *s, plani_way_t way, int ways, double *seconds)
{
    plani_tasks_t tasks = {0};
    plani_adding_t adding = {&tasks, {.kind = PLANI_CHAIN, .bytes = BYTES, .window = 1, .slices = 1, .crowd = true}};
    plani_summary_t sum = {.median = 0};

    adding.task.seconds = plani_phase_slot(s, 1, ways, 0, 1);
    int rc = plani_findings_walk(s, way, &adding, plani_add_link);
    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    if (rc == PLAN_OK) plani_summarize(tasks.result[0].a, tasks.result[0].n, &sum);
    *seconds = sum.median;
    plani_tasks_clear(&tasks);
    return rc;
}

/* [s] per link beyond what it takes alone. */
static double later(double seconds, const sum_t *sum, int kind)
{
    double more = seconds - sum->alone[kind];

    return sum->links[kind] > 0 && more > NOTICED * sum->alone[kind] ? more / sum->links[kind] : 0;
}

/*
 * A rank that sends to several others shares its processor with those that it wakes: of the whole time of a small
 * message alone, a quarter keeps its port busy. So much do linear trees take per child of what a message takes down a
 * chain, per link: 14 of 76 us on 8 emulated hosts, 32 to 38 of 110 to 140 us on 12, 43 of 112 us with 16 ranks. In
 * streams of slices nobody has to be woken up.
 */
static void keep_port(plani_class_t *k)
{
    for (int i = 0; i < PLANI_SIZES && plani_size[i] <= ALONE; i++) k->gap[i] = fmax(k->gap[i], 0.25 * k->p2p[i]);
}

static void note(plani_findings_t *s, bool network, double wake)
{
    for (int c = 0; c < s->nclasses; c++) {
        plani_class_t *k = &s->class_[c];
        if (k->network != network) continue;
        k->wake_s = wake;
        for (int i = 0; i < PLANI_SIZES; i++) k->p2p[i] += wake;
        if (network && wake > 0) keep_port(k);
        k->delay_s += wake;
    }
}

int plani_measure_wakes(plani_findings_t *s)
{
    const plani_way_t everyone = {0}, leaders = {.leaders = true};
    sum_t all = {{0}, {0}}, few = {{0}, {0}};
    double seconds = 0, between = 0;

    if (PLANI_OWN_PROCESSOR || s->ranks < 3) return PLAN_OK; /* without a crowd nobody is woken late */
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
