/* Transferred bounds, from solutions of the same platform at other costs. Rates are scaled until they are feasible
 * here, and prices bound the throughput at any costs. Neither needs a program or a flow: cuts scale with the rates. */
#include "lp/lp.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

plan_status_t plani_transfer_bounds(plani_sifting_t *sift, const double *rate, double throughput, const double *price,
                                    plani_answer_t *answer)
{
    const plani_lp_t *lp = sift->lp;
    double *mine = malloc((lp->m + 1) * sizeof *mine), *load = calloc(lp->rows, sizeof *load);
    double most = 0;
    plan_status_t rc = mine != NULL && load != NULL ? PLAN_OK : PLAN_ENOMEM;

    if (rc != PLAN_OK) goto done;
    double upper = plani_sifting_upper(sift, price);
    if (upper < answer->upper) {
        answer->upper = upper;
        memcpy(answer->price, price, lp->rows * sizeof *price);
    }
    for (size_t l = 0; l < lp->m; l++) mine[l] = rate[lp->given[l]] * lp->unit_s;
    plani_lp_loads(lp, mine, load);
    for (size_t i = 0; i < lp->rows; i++) most = fmax(most, load[i]);
    double lower = most > 0 ? throughput * lp->unit_s / (most * (1 + 1e-14)) : 0;
    if (lower <= answer->lower) goto done;
    answer->lower = lower;
    for (size_t l = 0; l < lp->m; l++) answer->rate[l] = mine[l] / (most * (1 + 1e-14));
done:
    free(mine);
    free(load);
    return rc;
}
