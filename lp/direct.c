/* Program (2) of Beaumont, Marchal, Robert 2004 as printed, on resources:
 *
 *   maximize TP subject to
 *   (a) for every w != root:             sum of x_w^{root,v} over v = TP     (the paper's indices are swapped there)
 *   (b) for every w != root:             sum of x_w^{v,w} over v = TP
 *   (c) for every w, v != root, v != w:  sum of x_w^{u,v} over u = sum of x_w^{v,u} over u
 *   (d) for every link:                  n_uv = max over w of x_w^{uv}       (n_uv >= each, as it only costs)
 *   (e)-(j) t_uv = n_uv T_uv; t_uv <= 1; what enters and what leaves every rank takes at most 1
 *   and one row of the same kind per resource.
 *
 * Missing in the paper: nothing for w may leave w, and nothing may enter the root. Otherwise (a) to (c) allow two
 * cycles, one through w and one through the root, that "deliver" TP to w without a path between them. */
#include "lp/direct.h"
#include "lp/lp.h"
#include "lp/simplex.h"
#include "lib/base/base.h"
#include <limits.h>
#include <stdlib.h>

typedef struct {
    const plani_lp_t *lp;
    double deadline;
    glp_prob *prob;
    int *row, *col; /* [entries + 1] triplets, from index 1 on, as in GLPK */
    double *value;
    int entries;
    int *status; /* [2] out: of the simplex call and of the solution */
    double *rate, *price;
} direct_t;

/* Columns: TP, then n_uv, then x_w^{uv} by w. Rows: (a), (b), (c) at (w, v), the balance at v of data for w; then (d)
 * in the order of x; then ports and resources. */
static int column_n(size_t l)
{
    return 2 + (int)l;
}

static int column_x(const plani_lp_t *lp, int w, size_t l)
{
    return 2 + (int)lp->m + (int)((size_t)w * lp->m + l);
}

static int row_balance(const plani_lp_t *lp, int w, int v)
{
    return 1 + w * lp->n + v;
}

static int row_max(const plani_lp_t *lp, int w, size_t l)
{
    return 1 + lp->n * lp->n + (int)((size_t)w * lp->m + l);
}

static int row_load(const plani_lp_t *lp, size_t i)
{
    return 1 + lp->n * lp->n + lp->n * (int)lp->m + (int)i;
}

static void entry(direct_t *d, int row, int col, double value)
{
    d->entries++;
    d->row[d->entries] = row;
    d->col[d->entries] = col;
    d->value[d->entries] = value;
}

/* Data for w: TP leaves the root (a), TP reaches w (b), other ranks forward it (c). */
static void add_destination(direct_t *d, int w)
{
    const plani_lp_t *lp = d->lp;

    entry(d, row_balance(lp, w, lp->root), 1, -1);
    entry(d, row_balance(lp, w, w), 1, -1);
    for (size_t l = 0; l < lp->m; l++) {
        int u = lp->from[l], v = lp->to[l], x = column_x(lp, w, l);
        if (u == w) continue; /* no data for w leave w */
        entry(d, row_balance(lp, w, u), x, u == lp->root ? 1 : -1);
        entry(d, row_balance(lp, w, v), x, 1);
        entry(d, row_max(lp, w, l), column_n(l), 1);
        entry(d, row_max(lp, w, l), x, -1);
    }
}

static void fill(direct_t *d)
{
    const plani_lp_t *lp = d->lp;

    for (int w = 0; w < lp->n; w++) /* the root's rows stay empty */
        if (w != lp->root) add_destination(d, w);
    for (size_t l = 0; l < lp->m; l++) {
        entry(d, row_load(lp, (size_t)lp->from[l]), column_n(l), lp->port[l]);
        entry(d, row_load(lp, (size_t)lp->n + (size_t)lp->to[l]), column_n(l), lp->port[l]);
        for (size_t k = lp->share_first[l]; k < lp->share_first[l + 1]; k++)
            entry(d, row_load(lp, lp->share_row[k]), column_n(l), lp->share_cost[k]);
    }
}

static void bound(direct_t *d)
{
    const plani_lp_t *lp = d->lp;
    int rows = row_load(lp, lp->rows) - 1, cols = column_x(lp, lp->n, 0) - 1;

    glp_set_obj_dir(d->prob, GLP_MAX);
    glp_add_rows(d->prob, rows);
    glp_add_cols(d->prob, cols);
    for (int i = 1; i < row_max(lp, 0, 0); i++) glp_set_row_bnds(d->prob, i, GLP_FX, 0, 0);
    for (int i = row_max(lp, 0, 0); i < row_load(lp, 0); i++) glp_set_row_bnds(d->prob, i, GLP_LO, 0, 0);
    for (int i = row_load(lp, 0); i <= rows; i++) glp_set_row_bnds(d->prob, i, GLP_UP, 0, 1);
    glp_set_obj_coef(d->prob, 1, 1);
    glp_set_col_bnds(d->prob, 1, GLP_LO, 0, 0);
    for (size_t l = 0; l < lp->m; l++) /* (h) */
        glp_set_col_bnds(d->prob, column_n(l), lp->port[l] == lp->cost[l] ? GLP_DB : GLP_LO, 0, 1 / lp->cost[l]);
    for (int j = column_x(lp, 0, 0); j <= cols; j++) glp_set_col_bnds(d->prob, j, GLP_LO, 0, 0);
    for (int w = 0; w < lp->n; w++)
        for (size_t l = 0; l < lp->m; l++)
            if (w == lp->root || lp->from[l] == w) glp_set_col_bnds(d->prob, column_x(lp, w, l), GLP_FX, 0, 0);
}

/* Runs inside the guard. */
static void solve(void *arg)
{
    direct_t *d = arg;

    d->prob = glp_create_prob();
    bound(d);
    glp_load_matrix(d->prob, d->entries, d->row, d->col, d->value);
    glp_scale_prob(d->prob, GLP_SF_GM | GLP_SF_EQ);
    glp_smcp parm = plani_simplex_settings(d->prob, d->deadline);
    parm.presolve = GLP_ON;
    parm.it_lim = INT_MAX;
    d->status[0] = glp_simplex(d->prob, &parm);
    d->status[1] = glp_get_status(d->prob);
    for (size_t l = 0; l < d->lp->m; l++) d->rate[l] = glp_get_col_prim(d->prob, column_n(l));
    for (size_t i = 0; i < d->lp->rows; i++) d->price[i] = glp_get_row_dual(d->prob, row_load(d->lp, i));
    for (size_t l = 0; l < d->lp->m; l++) { /* the dual value may be at t_uv <= 1 instead of the port that implies it */
        double y = glp_get_col_dual(d->prob, column_n(l)) / d->lp->cost[l];
        if (y > 0) d->price[d->lp->from[l]] += y;
    }
}

static plan_status_t too_large(const plani_lp_t *lp, plan_error_t *err)
{
    return plani_fail(err, PLAN_EINVAL, "%d ranks and %zu links are too many for the direct program: use cuts", lp->n,
                      lp->m);
}

plan_status_t plani_direct(const plani_lp_t *lp, double deadline, plani_answer_t *answer, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    size_t room = (size_t)lp->n * (4 * lp->m + 2) + 2 * lp->m + lp->share_first[lp->m] + 2;
    int status[2] = {0, GLP_UNDEF};
    direct_t d = {.lp = lp, .deadline = deadline, .rate = answer->rate, .status = status};

    if (room > INT_MAX / 2) return too_large(lp, err);
    d.row = malloc(room * sizeof *d.row);
    d.col = malloc(room * sizeof *d.col);
    d.value = malloc(room * sizeof *d.value);
    d.price = calloc(lp->rows, sizeof *d.price);
    if (d.row == NULL || d.col == NULL || d.value == NULL || d.price == NULL) {
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for the direct program");
        goto done;
    }
    fill(&d);
    rc = plani_glpk(solve, &d, &d.prob);
    if (plani_discard(&d.prob) != PLAN_OK) rc = PLAN_ESOLVER;
    if (status[0] == GLP_ETMLIM)
        rc = plani_fail(err, PLAN_ETIME, "the time limit passed before the direct program was solved");
    else if (rc != PLAN_OK || status[0] != 0 || status[1] != GLP_OPT)
        rc = plani_fail(err, PLAN_ESOLVER, "GLPK failed on the direct program (%d, %d)", status[0], status[1]);
    if (rc != PLAN_OK) goto done;
    answer->rounds = 1;
    answer->method = "direct";
    if ((rc = plani_certify_lower(lp, answer->rate, 0, &answer->lower)) != PLAN_OK ||
        (rc = plani_certify_upper(lp, d.price, &answer->upper)) != PLAN_OK)
        plani_fail(err, rc, "out of memory");
done:
    free(d.row);
    free(d.col);
    free(d.value);
    free(d.price);
    return rc;
}

plan_status_t plani_steady_direct(const plani_steady_problem_t *problem, const plan_steady_options_t *options,
                                  plan_steady_t **out, plan_error_t *err)
{
    return plani_steady_solve_by(plani_direct, problem, options, out, err);
}
