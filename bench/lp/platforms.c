#include "platforms.h"
#include "lib/base/base.h"
#include "lib/base/splitmix.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Seconds for 1 MB at a Gaussian bandwidth of 100 +- 20 MB/s, at least 10 (Beaumont, Marchal, Robert 2004, Table 2). */
static double paper_cost(uint64_t *state)
{
    double bandwidth;
    do {
        double r = sqrt(-2 * log(1 - plani_random_unit(state)));
        bandwidth = 100 + 20 * r * cos(6.283185307179586 * plani_random_unit(state));
    } while (bandwidth < 10);
    return 1 / bandwidth;
}

static int add(bench_platform_t *b, int from, int to, double cost)
{
    size_t n = b->p.nlinks, room[3] = {b->room, b->room, b->room};
    int *f = plani_grown(b->from, n, &room[0], sizeof *f);
    if (f == NULL) return -1;
    b->from = f;
    int *t = plani_grown(b->to, n, &room[1], sizeof *t);
    if (t == NULL) return -1;
    b->to = t;
    double *c = plani_grown(b->cost, n, &room[2], sizeof *c);
    if (c == NULL) return -1;
    b->cost = c;
    b->room = room[2];
    b->from[b->p.nlinks] = from;
    b->to[b->p.nlinks] = to;
    b->cost[b->p.nlinks++] = cost;
    return 0;
}

/* Random links, and a ring so that every rank reaches every other. */
static int random_links(bench_platform_t *b, double density, int decades, uint64_t *s)
{
    int n = b->p.ranks;

    for (int u = 0; u < n; u++)
        for (int v = 0; v < n; v++) {
            int there = plani_random_unit(s) < density || v == (u + 1) % n;
            double cost = decades ? 1e-3 * pow(10, 3 * plani_random_unit(s)) : paper_cost(s);
            if (u != v && there && add(b, u, v, cost) != 0) return -1;
        }
    return 0;
}

static int hierarchical(bench_platform_t *b, uint64_t *s)
{
    for (int u = 0; u < b->p.ranks; u++)
        for (int v = 0; v < b->p.ranks; v++) {
            double cost = u / 8 == v / 8 ? 1e-4 : u / 32 == v / 32 ? 1e-3 : 1e-2;
            if (u != v && add(b, u, v, cost * (0.8 + 0.4 * plani_random_unit(s))) != 0) return -1;
        }
    return 0;
}

/* Both directions of a link cost the same: linked[u * n + v] is the cost. */
static void pair(double *linked, int n, int u, int v, double cost)
{
    if (u == v) return;
    linked[(size_t)u * n + v] = linked[(size_t)v * n + u] = cost;
}

/* One WAN of n/20 routers, MANs of 4 around each, LANs as stars on the rest, some redundant links on each level. */
static void tiers(double *linked, int n, uint64_t *s)
{
    int wan = n / 20 > 2 ? n / 20 : 2, man = wan + n / 5;

    for (int v = 1; v < n; v++) {
        int wide = v < wan, metro = !wide && v < man;
        int u = wide    ? (int)(plani_random_unit(s) * v)
                : metro ? (int)(plani_random_unit(s) * wan)
                        : wan + (int)(plani_random_unit(s) * (man - wan));
        double bandwidth = wide    ? 5 + 10 * plani_random_unit(s)
                           : metro ? 20 + 40 * plani_random_unit(s)
                                   : 80 + 120 * plani_random_unit(s);
        pair(linked, n, u, v, 1 / bandwidth);
        if (metro && plani_random_unit(s) < 0.5) pair(linked, n, (int)(plani_random_unit(s) * wan), v, 1 / bandwidth);
        if (wide && plani_random_unit(s) < 0.8) pair(linked, n, (int)(plani_random_unit(s) * v), v, 1 / bandwidth);
    }
}

/* Points in the unit square with links below a distance (8 neighbours on average), and to the nearest earlier point. */
static int geometric(double *linked, int n, uint64_t *s)
{
    double *x = malloc(2 * (size_t)n * sizeof *x), reach = sqrt(8 / (3.141592653589793 * n));

    if (x == NULL) return -1;
    for (int i = 0; i < 2 * n; i++) x[i] = plani_random_unit(s);
    for (int v = 1; v < n; v++) {
        int nearest = 0;
        double least = INFINITY;
        for (int u = 0; u < v; u++) {
            double d = hypot(x[2 * u] - x[2 * v], x[2 * u + 1] - x[2 * v + 1]);
            if (d < least) least = d, nearest = u;
            if (d < reach) pair(linked, n, u, v, 1e-3 * (0.1 + d / reach));
        }
        pair(linked, n, nearest, v, 1e-3 * (0.1 + least / reach));
    }
    free(x);
    return 0;
}

static int from_matrix(bench_platform_t *b, int is_tiers, uint64_t *s)
{
    int n = b->p.ranks, rc = 0;
    double *linked = calloc((size_t)n * (size_t)n, sizeof *linked);

    if (linked == NULL) return -1;
    if (is_tiers)
        tiers(linked, n, s);
    else
        rc = geometric(linked, n, s);
    for (int u = 0; u < n && rc == 0; u++)
        for (int v = 0; v < n && rc == 0; v++)
            if (linked[(size_t)u * n + v] > 0) rc = add(b, u, v, linked[(size_t)u * n + v]);
    free(linked);
    return rc;
}

int bench_platform(const char *kind, int ranks, double parameter, unsigned long seed, bench_platform_t *b)
{
    uint64_t s = seed;
    int rc = -1;

    memset(b, 0, sizeof *b);
    b->p.ranks = ranks;
    if (strcmp(kind, "random") == 0) rc = random_links(b, parameter, 0, &s);
    if (strcmp(kind, "decades") == 0) rc = random_links(b, parameter, 1, &s);
    if (strcmp(kind, "complete") == 0) rc = random_links(b, 1, 0, &s);
    if (strcmp(kind, "hierarchical") == 0) rc = hierarchical(b, &s);
    if (strcmp(kind, "tiers") == 0) rc = from_matrix(b, 1, &s);
    if (strcmp(kind, "geometric") == 0) rc = from_matrix(b, 0, &s);
    b->p.from = b->from;
    b->p.to = b->to;
    b->p.cost = b->cost;
    if (rc != 0) bench_platform_free(b);
    return rc;
}

void bench_platform_free(bench_platform_t *b)
{
    free(b->from);
    free(b->to);
    free(b->cost);
    memset(b, 0, sizeof *b);
}
