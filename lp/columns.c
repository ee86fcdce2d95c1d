/* Column generation: the program over trees, max sum of their rates with no row loaded above 1. Only rows that are
 * nearly full are in it, so it is small where few ports or resources are bottlenecks; there the method of cuts needs
 * many. New trees are minimum-cost arborescences at prices between the program's and the best known (dual smoothing,
 * Wentges 1997), which oscillate less. */
#include "lib/base/base.h"
#include "lp/lp.h"
#include "lp/simplex.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 10 };                          /* ends after so many trees that closed less than a fifth of the gap */
static const double SMOOTHING = 0.4, NEAR = 0.7; /* weight of the best prices; load of rows in the first program */

typedef struct {
    plani_sifting_t *sift;
    plani_trees_t *trees;
    plani_answer_t *answer;
    double *best; /* [rows] prices of answer->upper; their sum is 1 */
    double deadline, unit;
    glp_prob *prob;
    size_t columns;                 /* trees in the program */
    int *number;                    /* [rows] row of the program, 0: not in it */
    int rows;                       /* number in the program */
    double *load, *price, *between; /* [rows] */
    double *flow;                   /* [m] rates of links under the program's solution */
    double *amount;                 /* [amounts] rates of trees */
    size_t amounts;
    int *index; /* [rows + 1] */
    double *value;
    int simplex, status;
} columns_t;

static void destroy(columns_t *c)
{
    plani_discard(&c->prob);
    free(c->number);
    free(c->load);
    free(c->price);
    free(c->between);
    free(c->flow);
    free(c->amount);
    free(c->index);
    free(c->value);
}

static plan_status_t create(columns_t *c)
{
    const plani_lp_t *lp = c->sift->lp;

    c->number = calloc(lp->rows, sizeof *c->number);
    c->load = calloc(lp->rows, sizeof *c->load);
    c->price = calloc(lp->rows, sizeof *c->price);
    c->between = calloc(lp->rows, sizeof *c->between);
    c->flow = calloc(lp->m, sizeof *c->flow);
    c->index = calloc(lp->rows + 1, sizeof *c->index);
    c->value = calloc(lp->rows + 1, sizeof *c->value);
    return c->number && c->load && c->price && c->between && c->flow && c->index && c->value ? PLAN_OK : PLAN_ENOMEM;
}

/* Runs inside the guard: add new trees as columns, and solve. */
static void solve(void *arg)
{
    columns_t *c = arg;
    const plani_lp_t *lp = c->sift->lp;

    if (c->prob == NULL) {
        c->prob = glp_create_prob();
        glp_set_obj_dir(c->prob, GLP_MAX);
        glp_add_rows(c->prob, c->rows);
        for (int i = 1; i <= c->rows; i++) glp_set_row_bnds(c->prob, i, GLP_UP, 0, 1);
    }
    for (; c->columns < c->trees->count; c->columns++) {
        int j = glp_add_cols(c->prob, 1), n = 0;
        plani_trees_load(c->trees, lp, c->columns, c->load);
        for (size_t i = 0; i < lp->rows; i++)
            if (c->number[i] > 0 && c->load[i] > 0) c->index[++n] = c->number[i], c->value[n] = c->load[i] * c->unit;
        glp_set_mat_col(c->prob, j, n, c->index, c->value);
        glp_set_obj_coef(c->prob, j, 1);
        glp_set_col_bnds(c->prob, j, GLP_LO, 0, 0);
    }
    const glp_smcp parm = plani_simplex_settings(c->prob, c->deadline);
    c->simplex = glp_simplex(c->prob, &parm);
    c->status = glp_get_status(c->prob);
    if (c->simplex != 0 || c->status != GLP_OPT) return;
    for (size_t i = 0; i < lp->rows; i++) {
        double y = c->number[i] > 0 ? glp_get_row_dual(c->prob, c->number[i]) : 0;
        c->price[i] = y > 0 ? y : 0;
    }
    for (size_t k = 0; k < c->columns; k++) {
        double x = glp_get_col_prim(c->prob, 1 + (int)k);
        c->amount[k] = x > 0 ? x : 0;
    }
}

/* Compute the loads of the solution, and improve the lower end by it. Overloaded rows are added to the program. Returns
 * their number. */
static int spread(columns_t *c)
{
    const plani_lp_t *lp = c->sift->lp;
    double sum = 0, most = 0;
    int joined = 0;

    memset(c->flow, 0, lp->m * sizeof *c->flow);
    for (size_t k = 0; k < c->columns; k++) {
        if (c->amount[k] <= 0) continue;
        sum += c->amount[k];
        for (int v = 0; v < lp->n; v++) {
            int l = c->trees->link[k * (size_t)lp->n + (size_t)v];
            if (l >= 0) c->flow[l] += c->amount[k] * c->unit;
        }
    }
    plani_lp_loads(lp, c->flow, c->load);
    for (size_t i = 0; i < lp->rows; i++)
        if (c->load[i] > most) most = c->load[i];
    if (sum * c->unit / most > c->answer->lower) {
        c->answer->lower = sum * c->unit / (most * (1 + 1e-14));
        for (size_t l = 0; l < lp->m; l++) c->answer->rate[l] = c->flow[l] / (most * (1 + 1e-14));
    }
    for (size_t i = 0; i < lp->rows; i++)
        if (c->number[i] == 0 && c->load[i] > 1 + 1e-8) c->number[i] = ++c->rows, joined++;
    return joined;
}

/* The next tree, at prices between the best and the program's. If they lower the upper end, they become the best. */
static plan_status_t price(columns_t *c)
{
    const plani_lp_t *lp = c->sift->lp;
    double sum = 0;

    for (size_t i = 0; i < lp->rows; i++) sum += c->price[i];
    for (size_t i = 0; i < lp->rows; i++) c->between[i] = SMOOTHING * c->best[i] + (1 - SMOOTHING) * c->price[i] / sum;
    double upper = plani_sifting_upper(c->sift, c->between);
    if (upper < c->answer->upper) {
        c->answer->upper = upper;
        memcpy(c->best, c->between, lp->rows * sizeof *c->best);
    }
    return plani_trees_add(c->trees, lp, c->sift->pick);
}

static plan_status_t step(columns_t *c)
{
    plan_status_t rc;

    while (c->trees->count > c->amounts) {
        double *amount = plani_grown(c->amount, c->amounts, &c->amounts, sizeof *amount);
        if (amount == NULL) return PLAN_ENOMEM;
        c->amount = amount;
    }
    for (;;) {
        if ((rc = plani_glpk(solve, c, &c->prob)) != PLAN_OK) return rc;
        if (c->simplex != 0 || c->status != GLP_OPT) return c->simplex == GLP_ETMLIM ? PLAN_ETIME : PLAN_ESOLVER;
        if (spread(c) == 0) break;
        if ((rc = plani_discard(&c->prob)) != PLAN_OK) return rc;
        c->columns = 0; /* rebuild with more rows */
    }
    return price(c);
}

plan_status_t plani_columns(plani_sifting_t *sift, double gap, double deadline, plani_answer_t *answer, double *y,
                            plani_trees_t *trees)
{
    plan_status_t rc;
    columns_t c = {
        .sift = sift, .trees = trees, .answer = answer, .best = y, .deadline = deadline, .unit = answer->upper};
    const plani_lp_t *lp = sift->lp;

    if ((rc = create(&c)) != PLAN_OK) goto done;
    plani_lp_loads(lp, answer->rate, c.load);
    for (size_t i = 0; i < lp->rows; i++)
        if (c.load[i] > NEAR) c.number[i] = ++c.rows;
    double last = INFINITY;
    for (int since = 0; since < PATIENCE && plani_left(deadline) > 0; since++) {
        if ((rc = step(&c)) != PLAN_OK) goto done;
        answer->rounds++;
        double now = 1 - answer->lower / answer->upper;
        if (now <= gap) break;
        if (now < 0.8 * last) last = now, since = 0;
    }
done:
    destroy(&c);
    return rc == PLAN_ENOMEM ? rc : PLAN_OK; /* other errors: the method of cuts goes on */
}
