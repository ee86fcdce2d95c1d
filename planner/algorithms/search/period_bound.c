#include "planner/algorithms/search/period_bound.h"
#include <math.h>
#include <stdlib.h>

/* Without ports a link holds its ports for the latency alone, and itself or resources for the bytes: it is through
 * later than any of them is free again. */
double plani_held(const plani_problem_t *problem, size_t l)
{
    const plan_platform_data_t *d = problem->d;
    double most = fmax(plani_port(problem, l), problem->own[l]);
    if (d->ports != PLAN_PORTS_NONE) return fmax(problem->through[l], most);
    for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++)
        most = fmax(most, plan_resource_cost(&d->resource[d->use[k]], problem->slice));
    return most;
}

/* Every group (rank, host or site) without the root is entered by some link, and the root's is left if there are more.
 */
static double enter_and_leave(const plani_problem_t *problem, const int *group, int groups, double *entry)
{
    const plan_platform_data_t *d = problem->d;
    int home = group[problem->root];
    double worst = 0;
    for (int g = 0; g < groups; g++) entry[g] = INFINITY; /* entry[home]: the exit from it */
    for (size_t l = 0; l < d->nlinks; l++) {
        int from = group[d->link[l].from], to = group[d->link[l].to];
        if (from == to) continue;
        double seconds = plani_held(problem, l);
        if (to != home) entry[to] = fmin(entry[to], seconds);
        if (from == home) entry[home] = fmin(entry[home], seconds);
    }
    for (int g = 0; groups > 1 && g < groups; g++) worst = fmax(worst, entry[g]);
    return worst;
}

/* n - 1 links at their cheapest, shared by the ranks that can send. */
static double mean_load(const plani_problem_t *problem)
{
    const plan_platform_data_t *d = problem->d;
    double sum = 0;
    int senders = 0;
    for (int v = 0; v < d->ranks; v++) {
        senders += d->out_first[v + 1] > d->out_first[v];
        double least = INFINITY;
        for (size_t k = d->in_first[v]; k < d->in_first[v + 1]; k++)
            least = fmin(least, plani_port(problem, d->in_link[k]));
        if (v != problem->root) sum += least;
    }
    return senders > 0 ? sum / senders : 0;
}

plan_status_t plani_period_bound(const plani_problem_t *problem, double *seconds)
{
    const plan_platform_data_t *d = problem->d;
    int *self = calloc((size_t)d->ranks, sizeof *self);
    double *entry = malloc((size_t)d->ranks * sizeof *entry);
    if (self == NULL || entry == NULL) {
        free(self);
        free(entry);
        return PLAN_ENOMEM;
    }
    for (int r = 0; r < d->ranks; r++) self[r] = r;
    double bound = fmax(mean_load(problem), enter_and_leave(problem, self, d->ranks, entry));
    bound = fmax(bound, enter_and_leave(problem, d->host, d->hosts, entry));
    *seconds = fmax(bound, enter_and_leave(problem, d->site, d->sites, entry));
    free(self);
    free(entry);
    return PLAN_OK;
}
