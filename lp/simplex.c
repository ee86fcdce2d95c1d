#include "lp/simplex.h"
#include "lp/lp.h"
#include <limits.h>

glp_smcp plani_simplex_settings(glp_prob *prob, double deadline)
{
    glp_smcp parm;
    double left = 1e3 * plani_left(deadline);

    glp_init_smcp(&parm);
    parm.msg_lev = GLP_MSG_OFF;
    parm.tol_bnd = parm.tol_dj = 1e-9;
    parm.it_lim = 10000 + 50 * (glp_get_num_rows(prob) + glp_get_num_cols(prob));
    parm.tm_lim = left < 1 ? 1 : left < INT_MAX ? (int)left : INT_MAX;
    return parm;
}

static void discard(void *arg)
{
    glp_prob **prob = arg;
    if (*prob != NULL) glp_delete_prob(*prob);
    *prob = NULL;
}

plan_status_t plani_discard(glp_prob **prob)
{
    return plani_glpk(discard, prob, prob);
}
