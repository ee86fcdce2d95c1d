/* Trunks: all hosts of a site send to the others at once, then receive; and one flow alone for every pair of sites. */
#include "lib/mpi/measure_study.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int first_host(const plani_study_t *s, int site, int nth)
{
    for (int h = 0; h < s->hosts; h++)
        if (s->site[h] == site && nth-- == 0) return h;
    return -1;
}

static int hosts_in(const plani_study_t *s, int site)
{
    int n = 0;

    for (int h = 0; h < s->hosts; h++) n += s->site[h] == site;
    return n;
}

/* What one flow between hosts gets alone, as far as cards and its pair of sites go. */
static double pair_rate(const plani_study_t *s, int u, int v)
{
    return fmin(fmin(s->card_out[u], s->card_in[v]), s->site_rate[s->site[u] * s->sites + s->site[v]]);
}

/* ---- one flow alone ---- */

/* A flow from site to site; pairs of sites in disjoint rounds, first one way, then the other. */
static plan_status_t flows_alone(const plani_study_t *s, double seconds, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int k = 0; k < 2 * plani_rounds(s->sites); k++)
        for (int a = 0; a < s->sites && rc == PLAN_OK; a++) {
            int b = plani_partner(s->sites, k / 2, a);
            if (b < 0 || (a < b) != (k % 2 == 0)) continue;
            int from = plani_first_rank(s, first_host(s, a, 0)), to = plani_first_rank(s, first_host(s, b, 0));
            rc = plani_tasks_add(tasks, plani_flow_task(k, from, to, seconds, 0));
        }
    return rc;
}

static int measure_alone(plani_study_t *s)
{
    plani_tasks_t tasks = {0};
    double slot = plani_study_slot(s, 0.5, 4 * plani_rounds(s->sites), 3e-3, 40e-3), err;
    int rc = flows_alone(s, slot, &tasks);

    if (rc == PLAN_OK) rc = plani_study_run(s, &tasks);
    for (size_t i = 0; i < tasks.n && rc == PLAN_OK; i++) {
        int a = s->site[s->place[tasks.task[i].from].host], b = s->site[s->place[tasks.task[i].to].host];
        double *r = &s->site_rate[a * s->sites + b];
        *r = fmax(*r, plani_flow_rate(&tasks.task[i], &tasks.result[i], &err));
    }
    plani_tasks_clear(&tasks);
    return rc;
}

/* A flow that could not be seen alone: as fast as one beside others, or as the cards. */
static void fill_unseen(plani_study_t *s)
{
    for (int u = 0; u < s->hosts; u++)
        for (int v = 0; v < s->hosts; v++) {
            double *r = &s->site_rate[s->site[u] * s->sites + s->site[v]];
            if (s->site[u] != s->site[v] && *r <= 0) *r = s->rate[u * s->hosts + v];
        }
    for (int i = 0; i < s->sites * s->sites; i++)
        if (s->site_rate[i] <= 0) s->site_rate[i] = INFINITY;
}

/* ---- all together ---- */

/* The nth flow between `site` and the others: its hosts in turn, the other sites in turn, their hosts in turn. */
static void crossing(const plani_study_t *s, int site, int nth, int *inside, int *outside)
{
    int other = nth % (s->sites - 1), turn = nth / (s->sites - 1);

    other += other >= site;
    *inside = first_host(s, site, nth % hosts_in(s, site));
    *outside = first_host(s, other, turn % hosts_in(s, other));
}

/* As many flows as it takes to keep all cards of the site busy, at least one to each other site; up to 32. */
static int crossings(const plani_study_t *s, int site)
{
    int n = hosts_in(s, site);

    if (n < s->sites - 1) n = s->sites - 1;
    if (n < 2) n = 2;
    return n < 32 ? n : 32;
}

/* Two flows may share both ends when sites are small; such a pair runs once. */
static bool is_new(const plani_tasks_t *tasks, size_t first, int from, int to)
{
    int into = 0, out_of = 0;

    for (size_t i = first; i < tasks->n; i++) {
        if (tasks->task[i].from == from && tasks->task[i].to == to) return false;
        into += tasks->task[i].to == to;
        out_of += tasks->task[i].from == from;
    }
    return into < PLANI_FLOWS && out_of < PLANI_FLOWS;
}

static plan_status_t flows_together(const plani_study_t *s, double seconds, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int k = 0; k < 2 * s->sites; k++) {
        size_t first = tasks->n;
        for (int nth = 0; nth < crossings(s, k / 2) && rc == PLAN_OK; nth++) {
            int in, out;
            crossing(s, k / 2, nth, &in, &out);
            int from = plani_first_rank(s, k % 2 ? out : in), to = plani_first_rank(s, k % 2 ? in : out);
            if (is_new(tasks, first, from, to))
                rc = plani_tasks_add(tasks, plani_flow_task(k, from, to, seconds, PLANI_FLOWS - 1));
        }
    }
    return rc;
}

/* What the flows of step k got, and what each would get alone as far as its cards carry them all. */
static void add_up(const plani_study_t *s, const plani_tasks_t *tasks, int k, double *alone, double *together)
{
    *alone = *together = 0;
    for (int h = 0; h < s->hosts; h++) {
        double wanted = 0, err;
        for (size_t i = 0; i < tasks->n; i++) {
            const plani_task_t *t = &tasks->task[i];
            int u = s->place[t->from].host, v = s->place[t->to].host;
            if (t->step != k || (k % 2 ? v : u) != h) continue;
            wanted += pair_rate(s, u, v);
            *together += plani_flow_rate(t, &tasks->result[i], &err);
        }
        *alone += fmin(wanted, k % 2 ? s->card_in[h] : s->card_out[h]);
    }
}

static void judge(plani_study_t *s, const plani_tasks_t *tasks)
{
    for (int k = 0; k < 2 * s->sites; k++) {
        double alone, together;
        add_up(s, tasks, k, &alone, &together);
        double rate = plani_together(alone, together) == PLANI_SHARED ? together : 0;
        if (k % 2)
            s->trunk[k / 2].in = rate;
        else
            s->trunk[k / 2].out = rate;
    }
}

static int measure_together(plani_study_t *s)
{
    plani_tasks_t tasks = {0};
    double slot = plani_study_slot(s, 0.65, 2 * s->sites, 5e-3, 100e-3);
    int rc = flows_together(s, slot, &tasks);

    if (rc == PLAN_OK) rc = plani_study_run(s, &tasks);
    if (rc == PLAN_OK) judge(s, &tasks);
    plani_tasks_clear(&tasks);
    return rc;
}

/* Trunks that those of the other sites explain are not kept. */
static plan_status_t drop_explained(plani_study_t *s)
{
    size_t n = (size_t)s->sites;
    double *rate = malloc(4 * n * sizeof *rate);

    if (rate == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        rate[i] = rate[2 * n + i] = s->trunk[i].out;
        rate[n + i] = rate[3 * n + i] = s->trunk[i].in;
    }
    plani_explained_trunks(s->sites, rate + 3 * n, rate);
    plani_explained_trunks(s->sites, rate + 2 * n, rate + n);
    for (size_t i = 0; i < n; i++) s->trunk[i] = (plani_trunk_t){rate[i], rate[n + i]};
    free(rate);
    return PLAN_OK;
}

int plani_study_trunks(plani_study_t *s)
{
    size_t n = (size_t)s->sites;

    s->site_rate = calloc(n * n, sizeof *s->site_rate);
    s->trunk = calloc(n, sizeof *s->trunk);
    if (s->site_rate == NULL || s->trunk == NULL) return PLAN_ENOMEM;
    if (n < 2) return PLAN_OK;
    int rc = plani_study_phase(s, "trunks between sites");
    for (int times = 0; times < 2 && rc == PLAN_OK; times++) rc = measure_alone(s); /* the better one counts */
    fill_unseen(s);
    if (rc == PLAN_OK) rc = measure_together(s);
    if (rc == PLAN_OK) rc = drop_explained(s);
    return rc;
}
