/* Rates whose cuts all reach TP can be packed into arborescences of that total (Edmonds 1973). They are found one by
 * one. Choose an arborescence that crosses every cut known to be tight once: the cheapest, if a link costs the number
 * of tight cuts that it crosses, with a small preference for links of large rate. Give it the largest rate that leaves
 * every cut enough for the rest. That rate is found by Newton's method: each cut that would be too small gives a
 * smaller rate, at which it is tight. */
#include "lp/lp.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { IN_VAIN = 100 }; /* ends after so many trees in a row without a rate: only rounding errors are left */

typedef struct {
    const plani_lp_t *lp;
    plani_arb_t *arb;
    plani_flow_t *flow;
    double *rest;    /* [m] rates not given to trees yet */
    double *without; /* [m] rest without the current tree */
    double *crossed; /* [m] number of tight cuts that the link crosses */
    double *weight;  /* [m] */
    size_t *link;    /* [m] links with a rest */
    size_t links;
    size_t *pick;         /* [n] */
    unsigned char *binds; /* [found * n] cuts found for the current tree */
    double *limit;        /* [found] largest rate that each allows */
    size_t found, binds_room, limit_room;
    double left, step; /* total of the trees to come; rate of the current tree */
    plan_status_t failed;
    bool late;
} pack_t;

static void destroy(pack_t *p)
{
    plani_arb_destroy(&p->arb);
    plani_flow_destroy(&p->flow);
    free(p->rest);
    free(p->without);
    free(p->crossed);
    free(p->weight);
    free(p->link);
    free(p->pick);
    free(p->binds);
    free(p->limit);
}

static plan_status_t create(pack_t *p, const double *rate)
{
    size_t m = p->lp->m;
    plan_status_t rc;

    p->rest = calloc(m, sizeof *p->rest);
    p->without = calloc(m, sizeof *p->without);
    p->crossed = calloc(m, sizeof *p->crossed);
    p->weight = calloc(m, sizeof *p->weight);
    p->link = calloc(m, sizeof *p->link);
    p->pick = calloc((size_t)p->lp->n, sizeof *p->pick);
    if (!p->rest || !p->without || !p->crossed || !p->weight || !p->link || !p->pick) return PLAN_ENOMEM;
    memcpy(p->rest, rate, m * sizeof *p->rest);
    if ((rc = plani_arb_create(p->lp->n, m, &p->arb)) != PLAN_OK) return rc;
    return plani_flow_create(p->lp->n, m, &p->flow);
}

static int crosses(const plani_lp_t *lp, const unsigned char *inside, size_t l)
{
    return inside[lp->to[l]] && !inside[lp->from[l]];
}

/* Called for a cut that is too small if the tree gets `step`: it allows (rest across it - left) / (crossings - 1). */
static int limit_step(void *context, const unsigned char *inside, double value)
{
    pack_t *p = context;
    const plani_lp_t *lp = p->lp;
    double across = 0;
    int crossings = 0;

    (void)value;
    unsigned char *binds = plani_grown(p->binds, p->found, &p->binds_room, (size_t)lp->n);
    if (binds != NULL) p->binds = binds;
    double *limit = plani_grown(p->limit, p->found, &p->limit_room, sizeof *limit);
    if (limit != NULL) p->limit = limit;
    if (binds == NULL || limit == NULL) {
        p->failed = PLAN_ENOMEM;
        return 1;
    }
    for (size_t k = 0; k < p->links; k++)
        if (crosses(lp, inside, p->link[k])) across += p->rest[p->link[k]];
    for (int v = 0; v < lp->n; v++) crossings += v != lp->root && crosses(lp, inside, p->pick[v]);
    memcpy(p->binds + p->found * (size_t)lp->n, inside, (size_t)lp->n);
    if (across < p->left) p->left = across; /* links of nearly no rate were dropped: pack less */
    p->limit[p->found++] = crossings > 1 ? (across - p->left) / (crossings - 1) : INFINITY;
    return 0;
}

/* Choose the arborescence with the fewest crossings of tight cuts. 0: the rest does not reach every rank. */
static int choose(pack_t *p, double nothing)
{
    const plani_lp_t *lp = p->lp;
    double fattest = 0;

    p->links = 0;
    for (size_t l = 0; l < lp->m; l++) {
        if (p->rest[l] <= nothing) continue;
        p->link[p->links++] = l;
        if (p->rest[l] > fattest) fattest = p->rest[l];
    }
    for (size_t k = 0; k < p->links; k++) {
        size_t l = p->link[k];
        p->weight[l] = p->crossed[l] + 0.5 / lp->n * (1 - p->rest[l] / fattest);
    }
    return plani_arb_solve(p->arb, lp, p->link, p->links, p->weight, p->pick) >= 0;
}

/* The largest rate of the current tree, in p->step. The cuts that bind it are counted as tight. Returns their number.
 * */
static size_t newton(pack_t *p)
{
    const plani_lp_t *lp = p->lp;
    size_t tight = 0, seen = 0;

    p->step = p->left;
    for (int v = 0; v < lp->n; v++)
        if (v != lp->root && p->rest[p->pick[v]] < p->step) p->step = p->rest[p->pick[v]];
    p->found = 0;
    for (double target; (target = p->left - p->step) > 0;) {
        memcpy(p->without, p->rest, lp->m * sizeof *p->without);
        for (int v = 0; v < lp->n; v++)
            if (v != lp->root) p->without[p->pick[v]] -= p->step;
        double least_cut =
            plani_flow_cuts(p->flow, lp, p->link, p->links, p->without, target - 1e-10 * p->left, limit_step, p);
        p->late = isinf(least_cut);
        if (p->late || p->failed != PLAN_OK || p->found == seen) break;
        double least = p->step, left = target + p->step;
        for (; seen < p->found; seen++)
            if (p->limit[seen] < least) least = p->limit[seen];
        if (least >= p->step && p->left >= left) break; /* only rounding errors */
        p->step = least;
    }
    for (size_t i = 0; i < p->found; i++) {
        if (p->limit[i] > p->step + 1e-9 * p->left) continue;
        for (size_t k = 0; k < p->links; k++)
            p->crossed[p->link[k]] += crosses(lp, p->binds + i * (size_t)lp->n, p->link[k]);
        tight++;
    }
    return tight;
}

plan_status_t plani_pack(const plani_lp_t *lp, const double *rate, double throughput, double rest, double deadline,
                         plani_packing_t *packing)
{
    plan_status_t rc = PLAN_OK;
    pack_t p = {.lp = lp, .left = throughput};
    const double nothing = 3e-8 * throughput, enough = rest * throughput;
    int in_vain = 0;

    packing->n = lp->n;
    if ((rc = create(&p, rate)) != PLAN_OK) goto done;
    plani_flow_until(p.flow, deadline);
    while (p.left > enough && in_vain < IN_VAIN && plani_left(deadline) > 0 && choose(&p, nothing)) {
        size_t tight = newton(&p);
        if ((rc = p.failed) != PLAN_OK) goto done;
        if (p.late) break;
        if (p.step <= nothing) { /* the cuts just found lead to another tree */
            in_vain = tight > 0 ? in_vain + 1 : IN_VAIN;
            continue;
        }
        in_vain = 0;
        if ((rc = plani_packing_add(packing, lp, p.pick, p.step)) != PLAN_OK) goto done;
        p.left -= p.step;
        for (int v = 0; v < lp->n; v++)
            if (v != lp->root) p.rest[p.pick[v]] -= p.step;
    }
    rc = plani_packing_sort(packing);
done:
    destroy(&p);
    return rc;
}
