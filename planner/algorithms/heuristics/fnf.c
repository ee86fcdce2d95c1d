/*
 * Fastest node first (Banikazemi, Moorthy, Panda 1998): the quickest rank that is not in yet comes next, and the sender
 * that completes soonest brings it in.
 *
 * There a sender costs the same to everybody; here a rank's cost is its mean T over its links out, as Bhat,
 * Raghavendra, Prasanna 2003 compare with it. Where links are missing, only ranks that the tree can reach by one link
 * are eligible. Ties: lowest rank, lowest link. O(n^2 + m).
 */
#include <math.h>
#include <stdlib.h>
#include "planner/algorithms/heuristics/heuristic.h"

typedef struct {
    const plani_problem_t *problem;
    double *slowness; /* [ranks] mean T out [s]; INFINITY for a rank that cannot send */
    double *ready;    /* [ranks] when it can send next [s]; < 0: not in the tree */
    bool *eligible;   /* [ranks] has a link from the tree */
    int *children;    /* [ranks] */
} fnf_t;

static void enter(fnf_t *f, int u, double at)
{
    const plan_platform_data_t *d = f->problem->d;
    f->ready[u] = at;
    for (size_t l = d->out_first[u]; l < d->out_first[u + 1]; l++) f->eligible[d->link[l].to] = true;
}

static int fastest(const fnf_t *f)
{
    int best = -1;
    for (int v = 0; v < f->problem->d->ranks; v++)
        if (f->ready[v] < 0 && f->eligible[v] && (best < 0 || f->slowness[v] < f->slowness[best])) best = v;
    return best;
}

static size_t soonest(const fnf_t *f, int v)
{
    const plan_platform_data_t *d = f->problem->d;
    size_t best = PLANI_NO_LINK;
    double best_at = INFINITY;
    for (size_t k = d->in_first[v]; k < d->in_first[v + 1]; k++) {
        size_t l = d->in_link[k];
        double ready = f->ready[d->link[l].from];
        if (ready < 0 || (best != PLANI_NO_LINK && !(ready + plani_flight(f->problem, l) < best_at))) continue;
        best = l;
        best_at = ready + plani_flight(f->problem, l);
    }
    return best;
}

static void start(fnf_t *f)
{
    const plan_platform_data_t *d = f->problem->d;
    for (int u = 0; u < d->ranks; u++) {
        double sum = 0;
        size_t links = d->out_first[u + 1] - d->out_first[u];
        for (size_t l = d->out_first[u]; l < d->out_first[u + 1]; l++) sum += f->problem->through[l];
        f->slowness[u] = links > 0 ? sum / (double)links : INFINITY;
        f->ready[u] = -1;
    }
    enter(f, f->problem->root, 0);
}

plan_status_t plani_fnf(const plani_problem_t *problem, plani_shape_t *shape)
{
    const plan_platform_data_t *d = problem->d;
    size_t n = (size_t)d->ranks;
    plan_status_t rc = PLAN_OK;
    fnf_t f = {.problem = problem,
               .slowness = malloc(n * sizeof *f.slowness),
               .ready = malloc(n * sizeof *f.ready),
               .eligible = calloc(n, sizeof *f.eligible),
               .children = calloc(n, sizeof *f.children)};
    if (f.slowness == NULL || f.ready == NULL || f.eligible == NULL || f.children == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    start(&f);
    shape->parent[problem->root] = -1;
    for (int step = 1; step < d->ranks; step++) {
        int v = fastest(&f);
        size_t l = soonest(&f, v);
        int u = d->link[l].from;
        shape->parent[v] = u;
        shape->order[v] = f.children[u]++;
        enter(&f, v, f.ready[u] + plani_flight(problem, l));
        f.ready[u] += plani_busy(problem, l);
    }
    shape->ordered = true;
done:
    free(f.slowness);
    free(f.ready);
    free(f.eligible);
    free(f.children);
    return rc;
}
