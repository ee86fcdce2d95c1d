/* The request, checked and weighed. */
#include "graphs/platform/reach.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "planner/algorithms/heuristics/heuristic.h"
#include "planner/cost/cost.h"

/*
 * The sender's share with several ports. Where the platform has one port per rank, the multi-port heuristics read
 * Table 2 of Beaumont, Marchal, Robert 2004: 80% of the sender's cheapest link.
 */
static void weigh_senders(plani_problem_t *problem)
{
    const plan_platform_data_t *d = problem->d;
    for (int u = 0; u < d->ranks; u++) {
        double cheapest = INFINITY;
        for (size_t l = d->out_first[u]; l < d->out_first[u + 1]; l++) cheapest = fmin(cheapest, problem->through[l]);
        problem->send[u] = d->send_s != NULL    ? plan_send_cost(d, u, problem->slice)
                           : isfinite(cheapest) ? 0.80 * cheapest
                                                : 0;
        problem->receive[u] = u == problem->root ? 0 : plan_receive_cost(d, u, problem->slice);
    }
}

/*
 * The papers' trees know links and no resources: to them a link behind a thin trunk costs what the trunk takes. The
 * search knows better that a slow resource leaves the sender's port free.
 */
static void weigh_links(plani_problem_t *problem)
{
    const plan_platform_data_t *d = problem->d;
    for (size_t l = 0; l < d->nlinks; l++) {
        problem->cost[l] = problem->through[l] = plan_link_cost(&d->link[l], problem->slice);
        problem->port[l] = plani_port_cost(d, l, problem->slice);
        problem->own[l] = plani_own_cost(d, l, problem->slice);
        for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++)
            problem->through[l] =
                fmax(problem->through[l], plan_resource_cost(&d->resource[d->use[k]], problem->slice));
    }
}

plan_status_t plani_problem_create(const plan_platform_t *pf, int root, double slice, double bytes, const double *rates,
                                   plani_problem_t *problem, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;

    if (pf == NULL) return plani_fail(err, PLAN_EINVAL, "no platform to find a tree in");
    const plan_platform_data_t *d = plan_platform_data(pf);
    *problem =
        (plani_problem_t){.pf = pf, .d = d, .root = root, .slice = slice, .bytes = bytes, .rates = rates, .seed = 1};
    if (root < 0 || root >= d->ranks)
        return plani_fail(err, PLAN_EINVAL, "root %d: must be in 0..%d", root, d->ranks - 1);
    if (!(slice > 0) || !isfinite(slice))
        return plani_fail(err, PLAN_EINVAL, "slice %g: must be a finite number of bytes above 0", slice);
    if (!(bytes >= 0) || !isfinite(bytes))
        return plani_fail(err, PLAN_EINVAL, "message of %g bytes: must be finite and not below 0", bytes);
    if ((rc = plani_platform_reaches_all(pf, root, err)) != PLAN_OK) return rc;

    problem->cost = malloc((d->nlinks + 1) * sizeof *problem->cost);
    problem->port = malloc((d->nlinks + 1) * sizeof *problem->port);
    problem->own = malloc((d->nlinks + 1) * sizeof *problem->own);
    problem->through = malloc((d->nlinks + 1) * sizeof *problem->through);
    problem->send = malloc((size_t)d->ranks * sizeof *problem->send);
    problem->receive = malloc((size_t)d->ranks * sizeof *problem->receive);
    if (problem->cost == NULL || problem->port == NULL || problem->own == NULL || problem->through == NULL ||
        problem->send == NULL || problem->receive == NULL) {
        plani_problem_clear(problem);
        return plani_fail(err, PLAN_ENOMEM, "no memory to weigh %zu links", d->nlinks);
    }
    weigh_links(problem);
    weigh_senders(problem);
    return PLAN_OK;
}

void plani_problem_clear(plani_problem_t *problem)
{
    free(problem->cost);
    free(problem->port);
    free(problem->own);
    free(problem->through);
    free(problem->send);
    free(problem->receive);
    problem->cost = problem->port = problem->own = problem->through = problem->send = problem->receive = NULL;
}

/* Two sorted runs next to each other, of `left` and of n - left. */
static void merge(const plani_keyed_t *from, size_t left, size_t n, plani_keyed_t *to)
{
    size_t i = 0, k = left;
    while (i < left && k < n) *to++ = plani_is_before(&from[k], &from[i]) ? from[k++] : from[i++];
    memcpy(to, from + i, (left - i) * sizeof *to);
    memcpy(to + (left - i), from + k, (n - k) * sizeof *to);
}

void plani_sort_by_key(plani_keyed_t *link, size_t n, plani_keyed_t *room)
{
    plani_keyed_t *from = link, *to = room;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t i = 0; i < n; i += 2 * run) {
            size_t left = n - i < run ? n - i : run, both = n - i < 2 * run ? n - i : 2 * run;
            merge(from + i, left, both, to + i);
        }
        plani_keyed_t *swap = from;
        from = to, to = swap;
    }
    if (from != link) memcpy(link, from, n * sizeof *link);
}

plani_keyed_t *plani_sorted_out_links(const plan_platform_data_t *d, const double *key, double sign)
{
    plani_keyed_t *sorted = malloc(2 * (d->nlinks + 1) * sizeof *sorted);
    if (sorted == NULL) return NULL;
    plani_keyed_t *room = sorted + d->nlinks + 1;
    for (size_t l = 0; l < d->nlinks; l++) sorted[l] = (plani_keyed_t){sign * key[l], l};
    for (int u = 0; u < d->ranks; u++)
        plani_sort_by_key(sorted + d->out_first[u], d->out_first[u + 1] - d->out_first[u], room);
    return sorted;
}
