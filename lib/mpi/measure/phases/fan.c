/* SPDX-License-Identifier: BSD-3-Clause */
/* Trunks that only one host can fill. Where uploads are weak, the trunk of a site may be wider than any flow into it,
 * and than all that other hosts send; but a server's flows to several of its hosts fill it. So the server sends to two
 * hosts at a time: two that get clearly less together than alone, and than the server's card carries, are behind one
 * trunk. */
#include "lib/mpi/measure/phases/findings.h"
#include <math.h>
#include <stdlib.h>

enum { LEAST = 3 };                                 /* hosts beside the server */
static const double LEAST_S = 8e-3, MOST_S = 20e-3; /* [s] of a step */
static const double SHARE = 1.6;                    /* times the phase's time, until which pairs are tested */
static const plani_ends_t once = {0, 0};            /* of a rate that was measured once */

typedef struct {
    int server, n; /* hosts: the one that sends; how many others of its site there are */
    int *host;     /* [n] */
    double *alone; /* [n] [B/s] */
    double card;   /* [B/s] what the server sends to many at once */
    double *total; /* [n] [B/s] of a flow to one host and to each other, at the same time */
} fan_t;

static plan_status_t add_flow(const plani_findings_t *s, const fan_t *f, int step, int to, int beside,
                              plani_tasks_t *tasks)
{
    plani_task_t t = plani_flow_task(step, plani_first_rank(s, f->server), plani_first_rank(s, f->host[to]), 0, beside);
    t.label = to;
    return plani_tasks_add(tasks, t);
}

static int run(plani_findings_t *s, int steps, plani_tasks_t *tasks)
{
    double slot = plani_phase_slot(s, SHARE, steps, LEAST_S, MOST_S);
    for (size_t i = 0; i < tasks->n; i++) tasks->task[i].seconds = slot;
    tasks->wanted = true;
    return plani_experiments_run(s, tasks);
}

/* Flows to all hosts of the fan, one after the other. */
static int run_alone(plani_findings_t *s, fan_t *f)
{
    plani_tasks_t tasks = {0};
    int rc = PLAN_OK;

    for (int i = 0; i < f->n && rc == PLAN_OK; i++) rc = add_flow(s, f, i, i, 0, &tasks);
    if (rc == PLAN_OK) rc = run(s, f->n, &tasks);
    for (size_t i = 0; i < tasks.n && rc == PLAN_OK; i++) {
        int k = tasks.task[i].label;
        double err, rate = fmax(0, plani_flow_rate(&tasks.task[i], &tasks.result[i], &err));
        f->alone[k] = rate;
        plani_raise_card(s, f->host[k], false, rate, once);
    }
    plani_tasks_clear(&tasks);
    return rc;
}

/* All at once: what the server's card carries. */
static int run_all(plani_findings_t *s, fan_t *f)
{
    plani_tasks_t tasks = {0};
    int rc = PLAN_OK, many = f->n < PLANI_FLOWS ? f->n : PLANI_FLOWS;
    size_t end;

    for (int i = 0; i < many && rc == PLAN_OK; i++) rc = add_flow(s, f, 0, i, many - 1, &tasks);
    if (rc == PLAN_OK) rc = run(s, 1, &tasks);
    if (rc == PLAN_OK) rc = plani_step_rate(&tasks, 0, &end, &f->card);
    for (int i = 0; i < f->n; i++) f->card = fmax(f->card, f->alone[i]);
    plani_tasks_clear(&tasks);
    return rc;
}

/* Host p of the fan and each other one that is in no group, at the same time. */
static int run_pairs(plani_findings_t *s, fan_t *f, int p, const int *group)
{
    plani_tasks_t tasks = {0};
    int rc = PLAN_OK, steps = 0;

    for (int i = 0; i < f->n; i++) f->total[i] = 0;
    for (int i = p + 1; i < f->n && rc == PLAN_OK; i++) {
        if (group[i] > 0) continue;
        rc = add_flow(s, f, steps, i, 1, &tasks);
        if (rc == PLAN_OK) rc = add_flow(s, f, steps++, p, 1, &tasks);
    }
    if (rc == PLAN_OK && steps > 0) rc = run(s, steps, &tasks);
    for (size_t first = 0, end = 0; first < tasks.n && rc == PLAN_OK; first = end)
        rc = plani_step_rate(&tasks, first, &end, &f->total[tasks.task[first].label]);
    plani_tasks_clear(&tasks);
    return rc;
}

static bool share(const fan_t *f, int p, int i)
{
    return f->total[i] > 0 && f->alone[p] > 0 && f->alone[i] > 0 &&
           plani_together(fmin(f->alone[p] + f->alone[i], f->card), f->total[i]) == PLANI_SHARED;
}

/* group [n]: from 1 on; 0: behind no trunk. */
static int find_groups(plani_findings_t *s, fan_t *f, int *group)
{
    int groups = 0, rc = run_alone(s, f);

    if (rc == PLAN_OK) rc = run_all(s, f);
    for (int p = 0; p + 1 < f->n && rc == PLAN_OK && plani_phase_time_left(s, SHARE); p++) {
        bool any = false;
        if (group[p] > 0) continue;
        rc = run_pairs(s, f, p, group);
        for (int i = p + 1; i < f->n && rc == PLAN_OK; i++)
            if (group[i] == 0 && share(f, p, i)) group[i] = groups + 1, any = true;
        if (any) group[p] = ++groups;
    }
    return rc;
}

/* out [hosts] [B/s]: a flow from each host to the next one of its site, few at the same time and none back. */
static int run_ring(plani_findings_t *s, double *out)
{
    enum { STEPS = 3 }; /* from even hosts, from odd ones, and from the last one if it is even */
    plani_tasks_t tasks = {0};
    int rc = PLAN_OK;

    for (int step = 0; step < STEPS; step++)
        for (int site = 0; site < s->sites; site++) {
            int n = plani_hosts_in(s, site);
            for (int i = 0; i < n && n > 1 && rc == PLAN_OK; i++) {
                if (step != (i % 2 == 0 && i + 1 == n ? 2 : i % 2)) continue;
                int from = plani_host_of_site(s, site, i), to = plani_host_of_site(s, site, (i + 1) % n);
                rc = plani_tasks_add(&tasks,
                                     plani_flow_task(step, plani_first_rank(s, from), plani_first_rank(s, to), 0, 0));
            }
        }
    if (rc == PLAN_OK && tasks.n > 0) rc = run(s, STEPS, &tasks);
    for (size_t i = 0; i < tasks.n && rc == PLAN_OK; i++) {
        int from = s->place[tasks.task[i].from].host;
        double err, rate = fmax(0, plani_flow_rate(&tasks.task[i], &tasks.result[i], &err));
        out[from] = rate;
        plani_raise_card(s, from, true, rate, once);
        plani_raise_card(s, s->place[tasks.task[i].to].host, false, rate, once);
    }
    plani_tasks_clear(&tasks);
    return rc;
}

/* A host that sends clearly faster than most of its site does; n is 0 if there is none. */
static void choose_server(const plani_findings_t *s, const double *out, fan_t *f)
{
    static const double CLEARLY = 1.5;
    int slower = 0;

    f->server = f->n = 0;
    for (int h = 1; h < s->hosts; h++)
        if (out[h] > out[f->server]) f->server = h;
    for (int h = 0; h < s->hosts; h++) {
        if (h == f->server || s->site[h] != s->site[f->server]) continue;
        slower += out[h] > 0 && CLEARLY * out[h] < out[f->server];
        f->host[f->n++] = h;
    }
    if (f->n < LEAST || 2 * slower <= f->n) f->n = 0;
}

/* Groups become sites. scratch [hosts]. */
static void split(plani_findings_t *s, const fan_t *f, const int *group, int *scratch)
{
    for (int i = 0; i < f->n; i++) {
        s->fan[f->host[i]] = group[i];
        if (group[i] > 0) s->site[f->host[i]] = s->hosts + group[i];
    }
    s->sites = plani_number_sites(s->hosts, scratch, s->site);
}

int plani_measure_fan(plani_findings_t *s)
{
    size_t n = (size_t)s->hosts;
    int *host = calloc(3 * n, sizeof *host);
    double *rate = calloc(3 * n, sizeof *rate);
    fan_t f = {.host = host, .alone = rate, .total = rate + n};
    int rc = host == NULL || rate == NULL ? PLAN_ENOMEM : run_ring(s, rate + 2 * n);

    if (rc == PLAN_OK) choose_server(s, rate + 2 * n, &f);
    if (rc == PLAN_OK && f.n > 0) {
        rc = find_groups(s, &f, host + n);
        if (rc == PLAN_OK) split(s, &f, host + n, host + 2 * n);
    }
    free(host);
    free(rate);
    return rc;
}
