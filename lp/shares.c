/* The best rates of a few given trees. The rates of a packing of many trees are not optimal if only a few are kept. */
#include "lp/shares.h"
#include <stdlib.h>
#include "lp/lp.h"
#include "lp/simplex.h"

typedef struct {
    size_t trees, rows;
    const double *load;
    double unit;       /* the largest load */
    size_t *row, kept; /* [kept] rows in the program */
    glp_prob *prob;
    int *index; /* [rows + 1] */
    double *value, *rate;
    int solved;
} shares_t;

/* Runs inside the guard. */
static void solve(void *arg)
{
    shares_t *s = arg;

    s->prob = glp_create_prob();
    glp_set_obj_dir(s->prob, GLP_MAX);
    glp_add_rows(s->prob, (int)s->kept);
    for (int i = 1; i <= (int)s->kept; i++) glp_set_row_bnds(s->prob, i, GLP_UP, 0, 1);
    glp_add_cols(s->prob, (int)s->trees);
    for (size_t t = 0; t < s->trees; t++) {
        int n = 0;
        for (size_t i = 0; i < s->kept; i++) {
            double load = s->load[t * s->rows + s->row[i]];
            if (load <= 0) continue;
            s->index[++n] = (int)i + 1;
            s->value[n] = load / s->unit;
        }
        glp_set_mat_col(s->prob, (int)t + 1, n, s->index, s->value);
        glp_set_obj_coef(s->prob, (int)t + 1, 1);
        glp_set_col_bnds(s->prob, (int)t + 1, GLP_LO, 0, 0);
    }
    const glp_smcp parm = plani_simplex_settings(s->prob, 0);
    s->solved = glp_simplex(s->prob, &parm) == 0 && glp_get_status(s->prob) == GLP_OPT;
    for (size_t t = 0; t < s->trees && s->solved; t++) s->rate[t] = glp_get_col_prim(s->prob, (int)t + 1);
}

/* Does every tree load `row` at least as much as row i? */
static bool covers(const shares_t *s, size_t row, size_t i)
{
    for (size_t t = 0; t < s->trees; t++)
        if (s->load[t * s->rows + row] < s->load[t * s->rows + i]) return false;
    return true;
}

/* Keep only rows that no other row covers: only these can be bottlenecks, and they are few. */
static void keep_rows(shares_t *s)
{
    for (size_t i = 0; i < s->rows; i++) {
        size_t left = 0, k = 0;
        while (k < s->kept && !covers(s, s->row[k], i)) k++;
        if (k < s->kept) continue;
        for (k = 0; k < s->kept; k++)
            if (!covers(s, i, s->row[k])) s->row[left++] = s->row[k];
        s->row[left++] = i;
        s->kept = left;
    }
}

plan_status_t plani_share_rows(size_t trees, size_t rows, const double *load, double *rate)
{
    plan_status_t rc = PLAN_OK;
    bool begun = plani_glpk_begin();
    shares_t s = {.trees = trees,
                  .rows = rows,
                  .load = load,
                  .row = calloc(rows + 1, sizeof *s.row),
                  .index = calloc(rows + 1, sizeof *s.index),
                  .value = calloc(rows + 1, sizeof *s.value),
                  .rate = calloc(trees + 1, sizeof *s.rate)};

    if (s.row == NULL || s.index == NULL || s.value == NULL || s.rate == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    for (size_t i = 0; i < trees * rows; i++)
        if (load[i] > s.unit) s.unit = load[i];
    keep_rows(&s);
    rc = s.unit > 0 ? plani_glpk(solve, &s, &s.prob) : PLAN_ESOLVER;
    if (rc == PLAN_OK && !s.solved) rc = PLAN_ESOLVER;
    for (size_t t = 0; t < trees && rc == PLAN_OK; t++) rate[t] = s.rate[t] > 0 ? s.rate[t] / s.unit : 0;
    plani_discard(&s.prob);
done:
    free(s.row);
    free(s.index);
    free(s.value);
    free(s.rate);
    plani_glpk_end(begun);
    return rc;
}
