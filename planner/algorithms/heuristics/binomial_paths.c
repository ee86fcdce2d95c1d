/*
 * The binomial tree over shortest paths: Beaumont, Marchal, Robert 2004, Algorithm 4.
 *
 * Differences from the print:
 * - The source has index 0 there, so rank r has index (r - root) mod n here.
 * - The last stage sends from u - 2^m to u, once, after the other stages. It is printed the other way round, while the
 *   text has x receive from x - 2^m.
 * - A link counts as often as the paths use it; the paper's set of edges counts it once.
 */
#include "planner/algorithms/heuristics/heuristic.h"
#include <math.h>
#include <stdlib.h>
#include "graphs/platform/paths.h"

typedef struct {
    const plan_platform_data_t *d;
    plani_paths_t *paths;
    int root, from; /* from: whose paths via[] holds */
    size_t *via;    /* [ranks] */
    int *uses;      /* [nlinks] */
} routes_t;

/* Send from index x to index y along the shortest path. */
static plan_status_t route(routes_t *r, int x, int y)
{
    const plan_platform_data_t *d = r->d;
    int from = (x + r->root) % d->ranks, to = (y + r->root) % d->ranks;
    if (r->from != from) {
        plan_status_t rc = plani_paths_from(r->paths, from, r->via);
        if (rc != PLAN_OK) return rc;
        r->from = from;
    }
    for (int v = to; v != from; v = d->link[r->via[v]].from) {
        if (r->via[v] == (size_t)-1) return PLAN_EUNREACHABLE;
        r->uses[r->via[v]]++;
    }
    return PLAN_OK;
}

plan_status_t plani_binomial_paths(const plan_platform_t *pf, int root, double slice, int *uses)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    plan_status_t rc = PLAN_OK;
    int m = 0;
    if (root < 0 || root >= d->ranks || !(slice > 0) || !isfinite(slice)) return PLAN_EINVAL;
    routes_t r = {.d = d, .root = root, .from = -1, .uses = uses};
    if ((rc = plani_paths_create(pf, slice, &r.paths)) != PLAN_OK) return rc;
    if ((r.via = malloc((size_t)d->ranks * sizeof *r.via)) == NULL) rc = PLAN_ENOMEM;

    for (size_t l = 0; l < d->nlinks; l++) uses[l] = 0;
    while (d->ranks >> (m + 1) > 0) m++;
    /* All sends of one index in a row, so that its paths are searched once. Order does not matter to the counts. */
    for (int x = 0; rc == PLAN_OK && x < 1 << m; x++) {
        for (int p = 0; rc == PLAN_OK && p < m; p++)
            if (x % (1 << (m - p)) == 0) rc = route(&r, x, x + (1 << (m - p - 1)));
        if (rc == PLAN_OK && x + (1 << m) < d->ranks) rc = route(&r, x, x + (1 << m));
    }
    free(r.via);
    plani_paths_destroy(&r.paths);
    return rc;
}
