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

static plan_status_t add_flow(const plani_findings_t *s, int server, int step, int other, double seconds,
                              plani_tasks_t *tasks)
{
    bool out = step & OUT;
    plani_task_t t = plani_flow_task(step, plani_first_rank(s, out ? server : other),
                                     plani_first_rank(s, out ? other : server), seconds, PLANI_FLOWS - 1);

    t.label = server;
    return plani_tasks_add(tasks, t);
}

/* One step: flows between the server and as many hosts as it may have flows. */
static plan_status_t add_flows(const plani_findings_t *s, int server, int step, double seconds, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;
    size_t first = tasks->n;

    for (int i = 0; i < s->hosts && tasks->n < first + PLANI_FLOWS && rc == PLAN_OK; i++) {
        int site = s->site[server], other = step & ELSEWHERE ? plani_nth_outside(s, site, site, i) : i;
        bool takes_part = step & ELSEWHERE || is_slower(s, other, server);
        int rank = plani_first_rank(s, other), own = plani_first_rank(s, server);
        if (takes_part && plani_is_new_flow(tasks, first, step & OUT ? own : rank, step & OUT ? rank : own))
            rc = add_flow(s, server, step, other, seconds, tasks);
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

/* total, allowed [STEPS hosts] [B/s] of each server's steps: the largest of all runs, and what the others' cards allow.
 */
static int run_steps(plani_findings_t *s, plani_tasks_t *tasks, double *total, double *allowed)
{
    int rc = PLAN_OK;

    for (int run = 0; run < RUNS && rc == PLAN_OK; run++) {
        tasks->optional = run > 0, tasks->wanted = run == 0;
        rc = plani_experiments_run(s, tasks);
        for (size_t first = 0, end = 0; first < tasks->n && rc == PLAN_OK; first = end) {
            double together;
            int at = STEPS * tasks->task[first].label + tasks->task[first].step % STEPS;
            rc = plani_step_rate(tasks, first, &end, &together);
            total[at] = fmax(total[at], together);
            allowed[at] = others_allow(s, tasks, first, end);
        }
    }
    return rc;
}

/* Of one direction: whether the slower hosts of the server's site get clearly less than they could. */
static bool is_held_back(const double *total, const double *allowed)
{
    return total[0] > 0 && plani_together(fmin(allowed[0], total[ELSEWHERE]), total[0]) == PLANI_SHARED;
}

int plani_part_servers(plani_findings_t *s)
{
    size_t n = (size_t)s->hosts;
    double *total = calloc(STEPS * n, sizeof *total), *allowed = calloc(STEPS * n, sizeof *allowed);
    int *scratch = malloc(n * sizeof *scratch), servers = 0, step = 0;
    int rc = total == NULL || allowed == NULL || scratch == NULL ? PLAN_ENOMEM : PLAN_OK;
    plani_tasks_t tasks = {0};

    for (int h = 0; h < s->hosts && s->sites > 1; h++) servers += is_server(s, h);
    double slot = plani_phase_slot(s, SHARE, RUNS * STEPS * servers, LEAST_S, MOST_S);
    for (int h = 0; h < s->hosts && servers > 0; h++)
        for (int k = 0; k < STEPS && is_server(s, h) && rc == PLAN_OK; k++) rc = add_flows(s, h, step++, slot, &tasks);
    if (rc == PLAN_OK && servers > 0) rc = run_steps(s, &tasks, total, allowed);
    for (int h = 0; h < s->hosts && rc == PLAN_OK && servers > 0; h++) {
        size_t at = STEPS * (size_t)h;
        if (is_held_back(total + at, allowed + at) || is_held_back(total + at + OUT, allowed + at + OUT))
            s->site[h] = s->sites++, s->fan[h] = s->hosts + 1 + h;
    }
    if (rc == PLAN_OK) s->sites = plani_number_sites(s->hosts, scratch, s->site);
    plani_tasks_clear(&tasks);
    free(total);
    free(allowed);
    free(scratch);
    return rc;
}
