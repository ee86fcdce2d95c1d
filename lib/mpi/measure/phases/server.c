/* Servers beside a rack. No single flow between a host that is clearly faster and the others of its site fills a trunk
 * between the two, so that it seems to be one of them. All others' flows at once may fill it, to the server or back:
 * what they get less than their cards allow, and than the server exchanges with other sites, a trunk takes. */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>
#include <stdlib.h>

enum { RUNS = PLANI_REPEATS(2) };
/* The four steps of one test: to the server and from it, with the slower hosts of its site and with other sites. */
enum { OUT = 1, ELSEWHERE = 2, STEPS = 4 };
static const double LEAST_S = 8e-3, MOST_S = 20e-3; /* [s] of a step */
static const double SHARE = 1.8;                    /* times the phase's time, until which servers are tested */

static bool is_slower(const plani_findings_t *s, int host, int server)
{
    static const double CLEARLY = 1.25;

    return s->site[host] == s->site[server] && CLEARLY * s->card_out[host] < s->card_out[server];
}

/* Whether a host sends clearly faster than most of its site do, two at least. */
static bool is_server(const plani_findings_t *s, int host)
{
    int slower = 0;

    for (int h = 0; h < s->hosts; h++) slower += is_slower(s, h, host);
    return slower > 1 && 2 * slower > plani_hosts_in(s, s->site[host]) - 1;
}

/* One step: flows between the server and as many hosts as it may have flows. */
static plan_status_t add_flows(const plani_findings_t *s, int server, int step, double seconds, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;
    size_t first = tasks->n;

    for (int i = 0; i < s->hosts && tasks->n < first + PLANI_FLOWS && rc == PLAN_OK; i++) {
        int site = s->site[server], other = step & ELSEWHERE ? plani_nth_outside(s, site, site, i) : i;
        int a = plani_first_rank(s, server), b = plani_first_rank(s, other);
        int from = step & OUT ? a : b, to = step & OUT ? b : a;
        if (!(step & ELSEWHERE || is_slower(s, other, server)) || !plani_is_new_flow(tasks, first, from, to)) continue;
        plani_task_t t = plani_flow_task(step, from, to, seconds, PLANI_FLOWS - 1);
        t.label = server;
        rc = plani_tasks_add(tasks, t);
    }
    return rc;
}

/* The four steps of each server. */
static plan_status_t add_tests(const plani_findings_t *s, int servers, plani_tasks_t *tasks)
{
    double slot = plani_phase_slot(s, SHARE, RUNS * STEPS * servers, LEAST_S, MOST_S);
    plan_status_t rc = PLAN_OK;
    int step = 0;

    for (int h = 0; h < s->hosts; h++) {
        if (!is_server(s, h)) continue;
        for (int k = 0; k < STEPS && rc == PLAN_OK; k++) rc = add_flows(s, h, step++, slot, tasks);
    }
    return rc;
}

/* [B/s] What the cards of those in one step allow, whatever the server's does. */
static double others_allow(const plani_findings_t *s, const plani_tasks_t *tasks, size_t first, size_t end)
{
    double sum = 0;

    for (size_t i = first; i < end; i++) {
        const plani_task_t *t = &tasks->task[i];
        sum += t->step & OUT ? s->card_in[s->place[t->to].host] : s->card_out[s->place[t->from].host];
    }
    return sum;
}

/* Make a server a site of its own, if the slower hosts of its site get clearly less than they could, to it or from it.
 * total [step] [B/s] */
static void part_held_back(plani_findings_t *s, const plani_tasks_t *tasks, const double *total)
{
    for (size_t first = 0, end = 0; first < tasks->n; first = end) {
        int step = tasks->task[first].step, h = tasks->task[first].label, mark = s->hosts + 1 + h;
        end = plani_step_end(tasks, first);
        if (step & ELSEWHERE || s->fan[h] == mark || !(total[step] > 0)) continue;
        double could = fmin(others_allow(s, tasks, first, end), total[step + ELSEWHERE]);
        if (plani_together(could, total[step]) == PLANI_SHARED) s->site[h] = s->sites++, s->fan[h] = mark;
    }
}

int plani_part_servers(plani_findings_t *s)
{
    int servers = 0;
    plani_tasks_t tasks = {0};

    for (int h = 0; h < s->hosts && s->sites > 1; h++) servers += is_server(s, h);
    if (servers == 0) return PLAN_OK;
    double *total = calloc(STEPS * (size_t)servers, sizeof *total);
    int *scratch = malloc((size_t)s->hosts * sizeof *scratch);
    int rc = total == NULL || scratch == NULL ? PLAN_ENOMEM : add_tests(s, servers, &tasks);

    if (rc == PLAN_OK) rc = plani_best_totals(s, &tasks, RUNS, total);
    if (rc == PLAN_OK) {
        part_held_back(s, &tasks, total);
        s->sites = plani_number_sites(s->hosts, scratch, s->site);
    }
    plani_tasks_clear(&tasks);
    free(total);
    free(scratch);
    return rc;
}
