#include "lp/program.h"
#include "arrays.h"
#include "lib/base/splitmix.h"
#include <math.h>
#include <string.h>

void arrays_start(arrays_t *a, int ranks, int root)
{
    memset(a, 0, sizeof *a);
    a->p = (plani_steady_problem_t){.ranks = ranks,
                                    .root = root,
                                    .from = a->from,
                                    .to = a->to,
                                    .cost = a->cost,
                                    .resource_first = a->first,
                                    .resource_link = a->link,
                                    .resource_cost = a->share};
}

void arrays_link(arrays_t *a, int from, int to, double cost)
{
    size_t l = a->p.nlinks++;
    a->from[l] = from;
    a->to[l] = to;
    a->cost[l] = cost;
}

void arrays_resource(arrays_t *a, double cost)
{
    size_t i = a->p.nresources++;
    a->share[i] = cost;
    a->first[i + 1] = a->first[i];
}

void arrays_hold(arrays_t *a, size_t link)
{
    a->link[a->first[a->p.nresources]++] = link;
}

static void cards(arrays_t *a, uint64_t *s)
{
    int hosts = 1 + a->p.ranks / 3;

    for (int h = 0; h < hosts; h++)
        for (int out = 0; out < 2; out++) {
            arrays_resource(a, a->cost[0] * (0.2 + plani_random_unit(s)));
            for (size_t l = 0; l < a->p.nlinks; l++) {
                int u = a->from[l] % hosts, v = a->to[l] % hosts;
                if (u != v && (out ? u : v) == h) arrays_hold(a, l);
            }
        }
    for (int i = 0; i < 3; i++) {
        arrays_resource(a, a->cost[a->p.nlinks / 2] * plani_random_unit(s) + 1e-6 * a->cost[0]);
        for (size_t l = 0; l < a->p.nlinks; l++)
            if (plani_random_unit(s) < 0.2) arrays_hold(a, l);
    }
}

void arrays_random(arrays_t *a, int most, double typical, double decades, int resources, uint64_t seed)
{
    uint64_t s = seed;
    int n = 2 + (int)(plani_random_unit(&s) * (most - 1)), root = (int)(plani_random_unit(&s) * n);
    double density = 0.1 + 0.9 * plani_random_unit(&s);
    int parent[64];

    arrays_start(a, n, root);
    for (int i = 1; i < n; i++) parent[i] = (int)(plani_random_unit(&s) * i); /* of rank root + i, so all are reached */
    for (int u = 0; u < n; u++)
        for (int v = 0; v < n; v++) {
            int i = (v - root + n) % n, there = i > 0 && (root + parent[i]) % n == u;
            double keep = plani_random_unit(&s), cost = typical * pow(10, decades * (plani_random_unit(&s) - 0.5));
            if (u != v && (there || keep < density)) arrays_link(a, u, v, cost);
        }
    if (resources) cards(a, &s);
}
