/* Both ends of the interval, independent of the solver. The lower end is that of feasible rates, whose smallest cut is
 * computed. The upper end follows from prices and the minimum-cost arborescence at them (duality). */
#include "lp/lp.h"
#include <math.h>
#include <stdlib.h>

plan_status_t plani_certify_lower(const plani_lp_t *lp, double *rate, double deadline, double *lower)
{
    plan_status_t rc = PLAN_OK;
    plani_flow_t *flow = NULL;
    double *load = calloc(lp->rows, sizeof *load), most = 0, in = 0, target = INFINITY;

    if (load == NULL || plani_flow_create(lp->n, lp->m, &flow) != PLAN_OK) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    for (size_t l = 0; l < lp->m; l++)
        if (!(rate[l] > 0)) rate[l] = 0;
    plani_lp_loads(lp, rate, load);
    for (size_t i = 0; i < lp->rows; i++)
        if (load[i] > most) most = load[i];
    if (most > 0)
        for (size_t l = 0; l < lp->m; l++) rate[l] /= most * (1 + 1e-14);
    for (int v = 0; v < lp->n; v++) { /* the links into a rank are a cut, too */
        if (v == lp->root) continue;
        in = 0;
        for (size_t k = lp->in_first[v]; k < lp->in_first[v + 1]; k++) in += rate[k];
        if (in < target) target = in;
    }
    plani_flow_until(flow, deadline);
    *lower = target > 0 ? fmax(0, plani_flow_cuts(flow, lp, NULL, lp->m, rate, target, NULL, NULL)) : 0;
done:
    free(load);
    plani_flow_destroy(&flow);
    return rc;
}

plan_status_t plani_certify_upper(const plani_lp_t *lp, const double *y, double *upper)
{
    plan_status_t rc = PLAN_OK;
    plani_arb_t *arb = NULL;
    double *price = calloc(lp->rows, sizeof *price), *weight = calloc(lp->m, sizeof *weight), sum = 0, value;

    if (price == NULL || weight == NULL || plani_arb_create(lp->n, lp->m, &arb) != PLAN_OK) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    for (size_t i = 0; i < lp->rows; i++) sum += price[i] = y[i] > 0 ? y[i] : 0;
    plani_lp_weights(lp, price, weight);
    value = plani_arb_solve(arb, lp, NULL, lp->m, weight, NULL);
    *upper = value > 0 ? sum / value * (1 + 1e-14) : INFINITY;
done:
    free(price);
    free(weight);
    plani_arb_destroy(&arb);
    return rc;
}
