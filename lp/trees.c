#include "lp/lp.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

plan_status_t plani_trees_add(plani_trees_t *t, const plani_lp_t *lp, const size_t *pick)
{
    size_t n = (size_t)lp->n;

    int *link = plani_grown(t->link, t->count, &t->room, n * sizeof *link);
    if (link == NULL) return PLAN_ENOMEM;
    t->link = link;
    for (int v = 0; v < lp->n; v++) t->link[t->count * n + (size_t)v] = v == lp->root ? -1 : (int)pick[v];
    t->count++;
    return PLAN_OK;
}

void plani_trees_clear(plani_trees_t *t)
{
    free(t->link);
    memset(t, 0, sizeof *t);
}

void plani_trees_load(const plani_trees_t *t, const plani_lp_t *lp, size_t i, double *load)
{
    const int *link = t->link + i * (size_t)lp->n;

    for (size_t r = 0; r < lp->rows; r++) load[r] = 0;
    for (int v = 0; v < lp->n; v++) {
        if (link[v] < 0) continue;
        size_t l = (size_t)link[v];
        load[lp->from[l]] += lp->port[l];
        load[lp->n + v] += lp->port[l];
        for (size_t k = lp->share_first[l]; k < lp->share_first[l + 1]; k++)
            load[lp->share_row[k]] += lp->share_cost[k];
    }
}
