/* A growing list of trees with rates. */
#include "lp/lp.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

plan_status_t plani_packing_add(plani_packing_t *p, const plani_lp_t *lp, const size_t *pick, double rate)
{
    size_t n = (size_t)lp->n;

    double *rates = plani_grown(p->rate, p->count, &p->rate_room, sizeof *rates);
    if (rates == NULL) return PLAN_ENOMEM;
    p->rate = rates;
    int *parents = plani_grown(p->parent, p->count, &p->parent_room, n * sizeof *parents);
    if (parents == NULL) return PLAN_ENOMEM;
    p->parent = parents;
    for (int v = 0; v < lp->n; v++) p->parent[p->count * n + (size_t)v] = v == lp->root ? -1 : lp->from[pick[v]];
    p->rate[p->count++] = rate;
    return PLAN_OK;
}

void plani_packing_clear(plani_packing_t *p)
{
    free(p->rate);
    free(p->parent);
    memset(p, 0, sizeof *p);
}

typedef struct {
    double rate;
    size_t found;
} order_t;

static int larger_first(const void *a, const void *b)
{
    const order_t *x = a, *y = b;
    if (x->rate != y->rate) return x->rate < y->rate ? 1 : -1;
    return x->found < y->found ? -1 : x->found > y->found;
}

plan_status_t plani_packing_sort(plani_packing_t *p)
{
    plan_status_t rc = PLAN_ENOMEM;
    size_t n = (size_t)p->n;
    order_t *order = calloc(p->count + 1, sizeof *order);
    int *parent = malloc((p->count * n + 1) * sizeof *parent);

    if (order == NULL || parent == NULL) goto done;
    for (size_t i = 0; i < p->count; i++) order[i] = (order_t){p->rate[i], i};
    qsort(order, p->count, sizeof *order, larger_first);
    for (size_t i = 0; i < p->count; i++) {
        p->rate[i] = order[i].rate;
        memcpy(parent + i * n, p->parent + order[i].found * n, n * sizeof *parent);
    }
    free(p->parent);
    p->parent = parent, parent = NULL;
    p->parent_room = p->count;
    rc = PLAN_OK;
done:
    free(order);
    free(parent);
    return rc;
}
