/* The default method: Frank-Wolfe, then column generation, then cuts, until the gap is small enough. */
#include "lp/lp.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>

/* Relative gap at which Frank-Wolfe ends, with up to FEW ranks, and with more: column generation goes on from there.
 * Its programs are small if ranks are few. At 2e-3, plans of 16 ranks took a third longer. */
static const double ROUGH = 2e-2, ROUGH_OF_MANY = 1e-2;
enum { FEW = 100 };
enum { PATIENCE = 10 }; /* Frank-Wolfe also ends after so many trees that closed less than a tenth of the gap */

int plani_close_enough(const plani_answer_t *answer, double gap)
{
    return answer->upper - answer->lower <= gap * answer->upper;
}

static plan_status_t stages(plani_sifting_t *sift, plani_goal_t goal, double deadline, plani_answer_t *answer,
                            plani_trees_t *trees)
{
    plan_status_t rc;
    double gap = goal.gap, rough = sift->lp->n <= FEW ? ROUGH : ROUGH_OF_MANY, *y = answer->price;

    answer->method = "mix";
    rc = plani_frank_wolfe(sift, fmax(gap, rough), PATIENCE, deadline, answer, y, trees);
    if (rc != PLAN_OK || plani_close_enough(answer, gap) || plani_left(deadline) <= 0) return rc;
    answer->method = "columns";
    rc = plani_columns(sift, gap, deadline, answer, y, trees);
    if (rc != PLAN_OK || plani_close_enough(answer, gap) || plani_left(deadline) <= 0) return rc;
    answer->method = "cuts";
    rc = plani_cuts(sift, goal, deadline, answer);
    return rc == PLAN_ETIME || rc == PLAN_ESOLVER ? PLAN_OK : rc; /* the interval reached so far is an answer */
}

plan_status_t plani_bound(plani_sifting_t *sift, plani_goal_t goal, double deadline, plani_answer_t *answer,
                          plan_error_t *err)
{
    plani_trees_t trees = {0};

    answer->lower = 0;
    answer->upper = sift->lp->alone;
    plan_status_t rc = stages(sift, goal, deadline, answer, &trees);
    if (rc != PLAN_OK) plani_fail(err, rc, "the steady-state program: %s", plan_status_string(rc));
    plani_trees_clear(&trees);
    return rc;
}
