/* Which sites share a trunk, where latencies do not tell. All hosts of one site send to those of another one, while
 * those of a second site send to a third; first one way, then the other, and then each beside flows of the opposite
 * direction, with which it shares nothing. Two that get less together than each of them does then pass one trunk: the
 * first two sites, or the other two, are behind it. */
#include "lib/mpi/measure/phases/findings.h"
#include <stdlib.h>

static const double SHARE = 0.35;                   /* part of the phase's time */
static const double LEAST_S = 5e-3, MOST_S = 30e-3; /* [s] of a step */
enum { PAIRS = 2, RUNS = 2 };                       /* at the same time; straight and turned */

static plan_status_t add_flows(const plani_findings_t *s, bool turned, double seconds, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int k = 0; k < plani_meeting_steps(s->sites, PAIRS); k++)
        for (int nth = 0; nth < s->sites / 2 && rc == PLAN_OK; nth++) {
            int a, b;
            if (plani_meets(s->sites, PAIRS, turned, k, nth, &a, &b)) rc = plani_add_joint(s, a, b, k, tasks);
        }
    for (size_t i = 0; i < tasks->n; i++) tasks->task[i].seconds = seconds;
    return rc;
}

/* rate [sites^2] [B/s]: the total of each pair's flows. */
static int run(plani_findings_t *s, bool turned, double *rate)
{
    plani_tasks_t tasks = {.wanted = true};
    double slot = plani_phase_slot(s, SHARE, (RUNS - turned) * plani_meeting_steps(s->sites, PAIRS), LEAST_S,
                                   plani_flow_most(s, MOST_S));
    int rc = add_flows(s, turned, slot, &tasks);

    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    for (size_t first = 0, end = 0; first < tasks.n && rc == PLAN_OK; first = end) {
        const plani_task_t *t = &tasks.task[first];
        while (end < tasks.n && tasks.task[end].step == t->step && tasks.task[end].label == t->label) end++;
        rc = plani_flows_rate(t, &tasks.result[first], end - first, &rate[t->label]);
    }
    plani_tasks_clear(&tasks);
    return rc;
}

int plani_meet_crowds(plani_findings_t *s, plani_met_t *met, size_t *n)
{
    size_t cells = (size_t)s->sites * (size_t)s->sites;
    int rc = PLAN_OK;

    *n = 0;
    if (s->sites < 2 * PAIRS || s->sites > PLANI_MEET_MOST ||
        plani_phase_steps(s, SHARE, LEAST_S) < RUNS * plani_meeting_steps(s->sites, PAIRS))
        return PLAN_OK;
    double *rate = calloc(RUNS * cells, sizeof *rate);
    if (rate == NULL) return PLAN_ENOMEM;
    for (int k = 0; k < RUNS && rc == PLAN_OK; k++) rc = run(s, k > 0, rate + (size_t)k * cells);
    if (rc == PLAN_OK) *n = plani_who_met(s->sites, rate, rate + cells, met);
    free(rate);
    return rc;
}
