/* Single-host sites: a host that is slower than a site's trunk does not notice the trunk, and seems to belong to the
 * site. To find out, flows between the site and others saturate the trunk. If a flow between the host and the site
 * adds its rate alone to their total, it does not cross the trunk, and the host is inside. */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>

enum { RUNS = PLANI_REPEATS(2) };
/* The four steps of one test: into and out of the site, without and with the single host's flow. */
enum { WITH = 1, OUT = 2, STEPS = 4 };
enum { FLOWS_MOST = 16 };

int plani_nth_outside(const plani_findings_t *s, int a, int b, int nth)
{
    int others = s->sites - (a == b ? 1 : 2);

    for (int k = 0, turn = others > 0 ? nth % others : -1; k < s->sites && turn >= 0; k++)
        if (k != a && k != b && turn-- == 0) return plani_host_of_site(s, k, nth / others % plani_hosts_in(s, k));
    return -1;
}

/* Flows between the hosts of the site but the first and others outside, two for each host. WITH: also one between the
 * first host and the single one. */
static plan_status_t add_flows(const plani_findings_t *s, int lone, int site, int step, double seconds,
                               plani_tasks_t *tasks)
{
    int many = plani_hosts_in(s, site) - 1, flows = 2 * many < FLOWS_MOST ? 2 * many : FLOWS_MOST;
    size_t first = tasks->n;
    plan_status_t rc = PLAN_OK;

    for (int i = step & WITH ? -1 : 0; i < flows && rc == PLAN_OK; i++) {
        int outside = i < 0 ? plani_host_of_site(s, lone, 0) : plani_nth_outside(s, lone, site, i),
            inside = plani_host_of_site(s, site, i < 0 ? 0 : 1 + i % many);
        int a = plani_first_rank(s, step & OUT ? inside : outside),
            b = plani_first_rank(s, step & OUT ? outside : inside);
        plani_task_t t = plani_flow_task(step, a, b, seconds, PLANI_FLOWS - 1);
        t.label = lone * s->sites + site;
        if (plani_is_new_flow(tasks, first, a, b)) rc = plani_tasks_add(tasks, t);
    }
    return rc;
}

/* Whether single-host site `lone` may belong to `site`, and a test is possible. */
static bool in_doubt(const plani_findings_t *s, const double *loss, int lone, int site)
{
    return lone != site && isfinite(loss[lone * s->sites + site]) && plani_hosts_in(s, lone) == 1 &&
           plani_hosts_in(s, site) > 1 && plani_nth_outside(s, lone, site, 0) >= 0;
}

static plan_status_t add_tests(const plani_findings_t *s, const double *loss, int tests, plani_tasks_t *tasks)
{
    double slot = plani_phase_slot(s, 1, RUNS * STEPS * tests, 8e-3, plani_flow_most(s, 40e-3));
    plan_status_t rc = PLAN_OK;
    int step = 0;

    for (int lone = 0; lone < s->sites; lone++)
        for (int site = 0; site < s->sites; site++)
            for (int k = 0; k < STEPS && rc == PLAN_OK && in_doubt(s, loss, lone, site); k++)
                rc = add_flows(s, lone, site, step++, slot, tasks);
    return rc;
}

static void note_losses(const plani_findings_t *s, const plani_tasks_t *tasks, const double *best, double *loss)
{
    for (size_t i = 0; i < tasks->n; i++) {
        int step = tasks->task[i].step, at = tasks->task[i].label, back = at % s->sites * s->sites + at / s->sites;
        if (!(best[step - !!(step & WITH)] > 0) || !(best[step] > 0)) continue; /* no result */
        if (step & WITH && plani_crosses(best[step - WITH], best[step], s->site_rate[step & OUT ? back : at]))
            loss[at] = loss[back] = INFINITY;
    }
}

int plani_measure_lone(plani_findings_t *s, double *loss)
{
    plani_tasks_t tasks = {0};
    int tests = 0;

    if (s->sites > PLANI_MEET_MOST) return PLAN_OK; /* would take too long */
    for (int i = 0; i < s->sites * s->sites; i++) tests += in_doubt(s, loss, i / s->sites, i % s->sites);
    if (tests == 0) return PLAN_OK;
    double *best = calloc(STEPS * (size_t)tests, sizeof *best);
    int rc = best == NULL ? PLAN_ENOMEM : add_tests(s, loss, tests, &tasks);
    if (rc == PLAN_OK) rc = plani_best_totals(s, &tasks, RUNS, best);
    if (rc == PLAN_OK) note_losses(s, &tasks, best, loss);
    plani_tasks_clear(&tasks);
    free(best);
    return rc;
}
