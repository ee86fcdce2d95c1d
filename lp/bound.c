/* The default method: mix trees, then generate columns, then cut, until the interval is narrow enough. */
#include "lp/lp.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>

/* The mix ends at this gap, or after as many trees that hardly helped: columns go on from there. */
static const double ROUGH = 2e-3;
enum { PATIENCE = 10 };
/* Platforms with more links per rank than this start from the nearest few of each. */
enum { SPARSE = 12, NEAREST = 6 };

int plani_close_enough(const plani_answer_t *answer, double gap)
{
    return answer->upper - answer->lower <= gap * answer->upper;
}

/* Upper ends that cost nothing: what the root alone can send, and what each rank alone can receive. */
static double one_port(const plani_lp_t *lp)
{
    double bound = INFINITY;

    for (int v = 0; v < lp->n; v++) {
        double least = INFINITY;
        for (size_t k = lp->out_first[v]; v == lp->root && k < lp->out_first[v + 1]; k++)
            least = fmin(least, lp->cost[lp->out[k]]);
        for (size_t l = lp->in_first[v]; l < lp->in_first[v + 1]; l++) least = fmin(least, lp->cost[l]);
        bound = fmin(bound, 1 / least);
    }
    return bound;
}

static plan_status_t stages(plani_sift_t *sift, double gap, double deadline, plani_answer_t *answer, double *y,
                            plani_trees_t *trees)
{
    plan_status_t rc;

    answer->method = "mix";
    rc = plani_mix(sift, fmax(gap, ROUGH), PATIENCE, deadline, answer, y, trees);
    if (rc != PLAN_OK || plani_close_enough(answer, gap) || plani_left(deadline) <= 0) return rc;
    answer->method = "columns";
    rc = plani_columns(sift, gap, deadline, answer, y, trees);
    if (rc != PLAN_OK || plani_close_enough(answer, gap) || plani_left(deadline) <= 0) return rc;
    answer->method = "cuts";
    rc = plani_cuts(sift, gap, deadline, answer, y);
    return rc == PLAN_ETIME || rc == PLAN_ESOLVER ? PLAN_OK : rc; /* the interval reached so far is an answer */
}

plan_status_t plani_bound(const plani_lp_t *lp, double gap, double deadline, plani_answer_t *answer, plan_error_t *err)
{
    plan_status_t rc;
    plani_sift_t *sift = NULL;
    plani_trees_t trees = {0};
    double *y = calloc(lp->rows, sizeof *y);

    answer->lower = 0;
    answer->upper = one_port(lp) * (1 + 1e-14);
    rc = y == NULL ? PLAN_ENOMEM : plani_sift_create(lp, lp->m > SPARSE * (size_t)lp->n ? NEAREST : 0, &sift);
    if (rc == PLAN_OK) rc = stages(sift, gap, deadline, answer, y, &trees);
    if (rc != PLAN_OK) plani_fail(err, rc, "the steady-state program: %s", plan_status_string(rc));
    plani_sift_destroy(&sift);
    plani_trees_clear(&trees);
    free(y);
    return rc;
}
