#include "lp/program.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double check_load(const plani_steady_problem_t *p, const double *rate)
{
    const double *port = p->port != NULL ? p->port : p->cost;
    double most = 0;

    for (int r = 0; r < p->ranks; r++) {
        double in = 0, out = 0;
        for (size_t l = 0; l < p->nlinks; l++) {
            if (p->from[l] == r) out += rate[l] * port[l];
            if (p->to[l] == r) in += rate[l] * port[l];
        }
        most = fmax(most, fmax(in, out));
    }
    for (size_t i = 0; i < p->nresources; i++) {
        double load = 0;
        for (size_t k = p->resource_first[i]; k < p->resource_first[i + 1]; k++)
            load += rate[p->resource_link[k]] * p->resource_cost[i];
        most = fmax(most, load);
    }
    return most;
}

/* cap[u * n + v] residual; one shortest augmenting path; what it carries. */
static double augment(double *cap, int n, int root, int sink, int *queue, int *before)
{
    int head = 0, tail = 0;
    double most = INFINITY;

    for (int v = 0; v < n; v++) before[v] = -1;
    before[root] = root;
    queue[tail++] = root;
    while (head < tail && before[sink] < 0) {
        int u = queue[head++];
        for (int v = 0; v < n; v++)
            if (before[v] < 0 && cap[u * n + v] > 0) before[v] = u, queue[tail++] = v;
    }
    if (before[sink] < 0) return 0;
    for (int v = sink; v != root; v = before[v]) most = fmin(most, cap[before[v] * n + v]);
    for (int v = sink; v != root; v = before[v]) {
        cap[before[v] * n + v] -= most;
        cap[v * n + before[v]] += most;
    }
    return most;
}

double check_cut(const plani_steady_problem_t *p, const double *rate)
{
    int n = p->ranks;
    double *cap = malloc((size_t)n * (size_t)n * sizeof *cap), least = INFINITY;
    int *queue = malloc((size_t)n * sizeof *queue), *before = malloc((size_t)n * sizeof *before);

    for (int sink = 0; sink < n && cap && queue && before; sink++) {
        double value = 0, got;
        if (sink == p->root) continue;
        memset(cap, 0, (size_t)n * (size_t)n * sizeof *cap);
        for (size_t l = 0; l < p->nlinks; l++) cap[p->from[l] * n + p->to[l]] += rate[l];
        while ((got = augment(cap, n, p->root, sink, queue, before)) > 0) value += got;
        least = fmin(least, value);
    }
    free(cap);
    free(queue);
    free(before);
    return least;
}

int check_arborescence(const plani_steady_problem_t *p, const int *parent)
{
    for (int v = 0; v < p->ranks; v++) {
        int steps = 0, linked = v == p->root ? parent[v] == -1 : 0;
        for (int u = v; u != p->root; u = parent[u])
            if (u < 0 || u >= p->ranks || steps++ > p->ranks) return 0;
        for (size_t l = 0; l < p->nlinks; l++) linked |= p->to[l] == v && p->from[l] == parent[v];
        if (!linked) return 0;
    }
    return 1;
}

static const char *check_trees(const plani_steady_problem_t *p, const plan_steady_t *s, double share)
{
    double *rate = calloc(p->nlinks, sizeof *rate), sum = 0;
    const char *wrong = rate == NULL ? "no memory" : NULL;

    for (size_t i = 0; i < plan_steady_data(s)->ntrees && wrong == NULL; i++) {
        const int *parent = plan_steady_data(s)->tree_parent[i];
        double r = plan_steady_data(s)->tree_rate[i];
        if (!(r > 0)) wrong = "a tree without a rate";
        if (i > 0 && r > plan_steady_data(s)->tree_rate[i - 1]) wrong = "trees out of order";
        if (!check_arborescence(p, parent)) wrong = "not a spanning arborescence of links";
        for (size_t l = 0; l < p->nlinks && wrong == NULL; l++)
            if (parent[p->to[l]] == p->from[l]) rate[l] += r;
        sum += r;
    }
    if (wrong == NULL && check_load(p, rate) > 1 + 1e-9) wrong = "trees overload a port or resource";
    if (wrong == NULL && !(sum >= share * plan_steady_data(s)->throughput)) wrong = "trees add up to too little";
    if (wrong == NULL && sum > plan_steady_data(s)->upper * (1 + 1e-9)) wrong = "trees beat the upper bound";
    free(rate);
    return wrong;
}

const char *check_solution(const plani_steady_problem_t *p, const plan_steady_t *s, double share)
{
    const double *rate = plan_steady_data(s)->rate;

    if (!(plan_steady_data(s)->throughput > 0)) return "no throughput";
    if (!(plan_steady_data(s)->upper >= plan_steady_data(s)->throughput) || !isfinite(plan_steady_data(s)->upper))
        return "no interval";
    for (size_t l = 0; l < p->nlinks; l++)
        if (!(rate[l] >= 0)) return "a negative rate";
    if (check_load(p, rate) > 1 + 1e-9) return "rates overload a port or resource";
    if (check_cut(p, rate) < plan_steady_data(s)->throughput * (1 - 1e-11))
        return "a cut falls short of the throughput";
    return share > 0 ? check_trees(p, s, share) : NULL;
}
