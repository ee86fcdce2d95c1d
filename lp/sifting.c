/* Links in use, and the minimum-cost arborescence over all links, whose pricing adds more of them. */
#include "lp/lp.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP = 3 }; /* most links added per rank and pass */

void plani_sifting_destroy(plani_sifting_t **sift)
{
    if (sift == NULL || *sift == NULL) return;
    plani_sifting_t *s = *sift;
    plani_arb_destroy(&s->arb);
    free(s->link);
    free(s->has);
    free(s->weight);
    free(s->pick);
    free(s->lo);
    free(s->hi);
    free(s->at);
    free(s->next);
    free(s->inner);
    free(s->sum);
    free(s->wanted);
    free(s->how_wanted);
    free(s);
    *sift = NULL;
}

static void add(plani_sifting_t *s, size_t link)
{
    if (s->has[link]) return;
    s->has[link] = 1;
    s->link[s->count++] = link;
}

/* Add the `most` cheapest of the listed links, by insertion: `most` is small. */
static void add_cheapest(plani_sifting_t *s, const size_t *list, size_t first, size_t last, int most)
{
    const double *cost = s->lp->cost;
    size_t best[16];
    int n = 0;

    for (size_t k = first; k < last; k++) {
        size_t l = list != NULL ? list[k] : k;
        if (n == most && cost[l] >= cost[best[n - 1]]) continue;
        int i = n < most ? n++ : n - 1;
        for (; i > 0 && cost[l] < cost[best[i - 1]]; i--) best[i] = best[i - 1];
        best[i] = l;
    }
    for (int i = 0; i < n; i++) add(s, best[i]);
}

static plan_status_t allocate(plani_sifting_t *s)
{
    size_t n = (size_t)s->lp->n, m = s->lp->m;

    s->link = calloc(m, sizeof *s->link);
    s->has = calloc(m, 1);
    s->weight = calloc(m, sizeof *s->weight);
    s->pick = calloc(n, sizeof *s->pick);
    s->lo = calloc(2 * n, sizeof *s->lo);
    s->hi = calloc(2 * n, sizeof *s->hi);
    s->at = calloc(n, sizeof *s->at);
    s->next = calloc(2 * n, sizeof *s->next);
    s->inner = calloc(n, sizeof *s->inner);
    s->sum = calloc(2 * n, sizeof *s->sum);
    s->wanted = calloc(KEEP * n, sizeof *s->wanted);
    s->how_wanted = calloc(KEEP * n, sizeof *s->how_wanted);
    return s->link && s->has && s->weight && s->pick && s->lo && s->hi && s->at && s->next && s->inner && s->sum &&
                   s->wanted && s->how_wanted
               ? plani_arb_create(s->lp->n, m, &s->arb)
               : PLAN_ENOMEM;
}

plan_status_t plani_sifting_create(const plani_lp_t *lp, int nearest, plani_sifting_t **out)
{
    plani_sifting_t *s = calloc(1, sizeof *s);

    if (s == NULL) return PLAN_ENOMEM;
    s->lp = lp;
    if (allocate(s) != PLAN_OK) {
        plani_sifting_destroy(&s);
        return PLAN_ENOMEM;
    }
    if (nearest > 16) nearest = 16;
    for (int v = 0; v < lp->n && nearest > 0; v++) {
        add_cheapest(s, lp->out, lp->out_first[v], lp->out_first[v + 1], nearest);
        add_cheapest(s, NULL, lp->in_first[v], lp->in_first[v + 1], nearest);
    }
    for (size_t l = 0; l < lp->m && nearest <= 0; l++) add(s, l);
    if (plani_arb_solve(s->arb, lp, s->link, s->count, lp->cost, NULL) < 0) { /* they do not reach every rank */
        plani_arb_solve(s->arb, lp, NULL, lp->m, lp->cost, s->pick);
        for (int v = 0; v < lp->n; v++)
            if (v != lp->root) add(s, s->pick[v]);
    }
    *out = s;
    return PLAN_OK;
}

/* Order the ranks so that every set of the laminar family is an interval. */
static void order_leaves(plani_sifting_t *s, const int *up, const double *z, int nodes)
{
    int n = s->lp->n, place = 0;

    for (int i = 0; i < nodes; i++) s->hi[i] = i < n;
    for (int i = 0; i < nodes; i++) /* enclosing nodes come later */
        if (up[i] >= 0) s->hi[up[i]] += s->hi[i];
    for (int i = nodes - 1; i >= 0; i--) {
        int size = s->hi[i], *start = up[i] >= 0 ? &s->next[up[i]] : &place;
        s->lo[i] = s->next[i] = *start;
        *start += size;
        s->hi[i] = s->lo[i] + size;
        s->sum[i] = z[i] + (up[i] >= 0 ? s->sum[up[i]] : 0);
        if (i < n) s->at[i] = s->lo[i];
    }
}

/* For rank v: inner[position] is the sum of the duals of the sets that contain both v and the rank at that position.
 * From the innermost set around v outwards, each set fills the positions on both sides of the one before. */
static void fill_inner(plani_sifting_t *s, const int *up, int v)
{
    int lo = s->lo[v], hi = s->hi[v];

    s->inner[lo] = s->sum[v];
    for (int i = up[v]; i >= 0; i = up[i]) {
        while (lo > s->lo[i]) s->inner[--lo] = s->sum[i];
        while (hi < s->hi[i]) s->inner[hi++] = s->sum[i];
    }
    while (lo > 0) s->inner[--lo] = 0;
    while (hi < s->lp->n) s->inner[hi++] = 0;
}

/* Find links of negative reduced cost that are not in use, for each rank the KEEP most negative. Returns their number.
 * */
static size_t price(plani_sifting_t *s, double tolerance)
{
    const plani_lp_t *lp = s->lp;
    const int *up;
    const double *z;
    int nodes;
    size_t found = 0;

    plani_arb_family(s->arb, &up, &z, &nodes);
    order_leaves(s, up, z, nodes);
    for (int v = 0; v < lp->n; v++) {
        int kept = 0;
        double *how = s->how_wanted + found;
        size_t *wanted = s->wanted + found;
        if (v == lp->root) continue;
        fill_inner(s, up, v);
        for (size_t l = lp->in_first[v]; l < lp->in_first[v + 1]; l++) {
            double r = s->weight[l] - s->sum[v] + s->inner[s->at[lp->from[l]]]; /* the link's reduced cost */
            if (r >= -tolerance || s->has[l] || (kept == KEEP && r >= how[kept - 1])) continue;
            int i = kept < KEEP ? kept++ : kept - 1;
            for (; i > 0 && r < how[i - 1]; i--) how[i] = how[i - 1], wanted[i] = wanted[i - 1];
            how[i] = r;
            wanted[i] = l;
        }
        found += (size_t)kept;
    }
    return found;
}

double plani_sifting_solve_near(plani_sifting_t *s, const double *y)
{
    const plani_lp_t *lp = s->lp;

    for (size_t k = 0; k < s->count; k++) s->weight[s->link[k]] = plani_lp_weight(lp, y, s->link[k]);
    return plani_arb_solve(s->arb, lp, s->link, s->count, s->weight, s->pick);
}

double plani_sifting_solve(plani_sifting_t *s, const double *y)
{
    const plani_lp_t *lp = s->lp;

    plani_lp_weights(lp, y, s->weight);
    for (;;) {
        double value = plani_arb_solve(s->arb, lp, s->link, s->count, s->weight, s->pick);
        double tolerance = 1e-13 * value;
        if (s->count == lp->m) return value;
        size_t found = price(s, tolerance);
        if (found == 0) return value - tolerance * lp->n;
        for (size_t k = 0; k < found; k++) add(s, s->wanted[k]);
    }
}

double plani_sifting_upper(plani_sifting_t *s, const double *y)
{
    double value = plani_sifting_solve(s, y), sum = 0;

    for (size_t i = 0; i < s->lp->rows; i++) sum += y[i];
    return value > 0 ? sum / value * (1 + 1e-14) : INFINITY;
}
