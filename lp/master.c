/* The master program of the method of cuts, kept in GLPK and solved again as rows and columns are added. */
#include "lp/master.h"
#include "lp/simplex.h"
#include "lib/base/base.h"
#include "lib/base/splitmix.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void plani_master_destroy(plani_master_t **master)
{
    if (master == NULL || *master == NULL) return;
    plani_master_t *m = *master;
    plani_discard(&m->prob);
    free(m->scale);
    free(m->inside);
    free(m->idle);
    free(m->index);
    free(m->value);
    free(m->price);
    free(m->rate);
    free(m);
    *master = NULL;
}

static void start(void *arg)
{
    plani_master_t *m = arg;
    int rows = (int)m->lp->rows;

    m->prob = glp_create_prob();
    glp_set_obj_dir(m->prob, GLP_MAX);
    glp_add_rows(m->prob, rows);
    for (int i = 1; i <= rows; i++) glp_set_row_bnds(m->prob, i, GLP_UP, 0, 1);
    glp_add_cols(m->prob, 1);
    glp_set_col_bnds(m->prob, 1, GLP_DB, 0,
                     2); /* `bound` is a bound: 2 is never reached, but keeps the first program bounded */
    glp_set_obj_coef(m->prob, 1, 1);
}

/* A link that saturates a port or resource at less than `bound` has a column in units of its own capacity. */
static void set_scales(plani_master_t *m)
{
    const plani_lp_t *lp = m->lp;

    for (size_t l = 0; l < lp->m; l++) {
        double most = lp->cost[l];
        for (size_t k = lp->share_first[l]; k < lp->share_first[l + 1]; k++)
            if (lp->share_cost[k] > most) most = lp->share_cost[k];
        m->scale[l] = most * m->bound > 1 ? 1 / (most * m->bound) : 1;
    }
}

plan_status_t plani_master_create(const plani_lp_t *lp, plani_sifting_t *sift, double bound, double deadline,
                                  plani_master_t **out)
{
    plan_status_t rc = PLAN_OK;
    plani_master_t *m = calloc(1, sizeof *m);

    if (m == NULL) return PLAN_ENOMEM;
    m->lp = lp;
    m->sift = sift;
    m->bound = bound;
    m->deadline = deadline;
    m->words = ((size_t)lp->n + 63) / 64;
    m->scale = calloc(lp->m, sizeof *m->scale);
    m->price = calloc(lp->rows, sizeof *m->price);
    m->rate = calloc(lp->m, sizeof *m->rate);
    if (m->scale == NULL || m->price == NULL || m->rate == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    set_scales(m);
    if ((rc = plani_glpk(start, m, &m->prob)) != PLAN_OK) goto done;
    *out = m, m = NULL;
done:
    plani_master_destroy(&m);
    return rc;
}

plan_status_t plani_master_add_cut(plani_master_t *m, const unsigned char *inside)
{
    size_t at = m->cuts + m->pending;

    uint64_t *bits = plani_grown(m->inside, at, &m->inside_room, m->words * sizeof *bits);
    if (bits == NULL) return PLAN_ENOMEM;
    m->inside = bits;
    unsigned char *idle = plani_grown(m->idle, at, &m->idle_room, sizeof *idle);
    if (idle == NULL) return PLAN_ENOMEM;
    m->idle = idle;
    bits += at * m->words;
    memset(bits, 0, m->words * sizeof *bits);
    for (int v = 0; v < m->lp->n; v++)
        if (inside[v]) bits[v / 64] |= UINT64_C(1) << (v % 64);
    for (size_t i = 0; i < at; i++)
        if (memcmp(m->inside + i * m->words, bits, m->words * sizeof *bits) == 0) return PLAN_OK;
    m->idle[at] = 0;
    m->pending++;
    return PLAN_OK;
}

static int holds(const plani_master_t *m, size_t cut, int v)
{
    return (int)(m->inside[cut * m->words + (size_t)v / 64] >> (v % 64) & 1);
}

/* Coefficient of a link in the objective, with a pseudo-random weight that depends on the link only. */
static double aversion_to(const plani_master_t *m, size_t l)
{
    uint64_t state = l * UINT64_C(0x9e3779b97f4a7c15); /* the l-th state */
    double weight = 0.5 + plani_random_unit(&state);
    return m->aversion * weight * m->lp->cost[l] * m->bound * m->scale[l] / m->lp->n;
}

void plani_master_avert(plani_master_t *m, double aversion)
{
    m->turned |= m->aversion != aversion;
    m->aversion = aversion;
}

static void add_columns(plani_master_t *m)
{
    const plani_lp_t *lp = m->lp;

    if (m->sift->count > m->columns) glp_add_cols(m->prob, (int)(m->sift->count - m->columns));
    for (; m->columns < m->sift->count; m->columns++) {
        size_t l = m->sift->link[m->columns];
        int u = lp->from[l], v = lp->to[l], j = 2 + (int)m->columns, n = 2;
        double unit = m->bound * m->scale[l];
        m->index[1] = 1 + u, m->value[1] = lp->port[l] * unit;
        m->index[2] = 1 + lp->n + v, m->value[2] = lp->port[l] * unit;
        for (size_t k = lp->share_first[l]; k < lp->share_first[l + 1]; k++) {
            m->index[++n] = 1 + (int)lp->share_row[k];
            m->value[n] = lp->share_cost[k] * unit;
        }
        for (size_t c = 0; c < m->cuts; c++)
            if (holds(m, c, v) && !holds(m, c, u)) {
                m->index[++n] = 1 + (int)(lp->rows + c);
                m->value[n] = m->scale[l];
            }
        glp_set_mat_col(m->prob, j, n, m->index, m->value);
        glp_set_col_bnds(m->prob, j, GLP_LO, 0, 0);
        glp_set_obj_coef(m->prob, j, -aversion_to(m, l));
        glp_set_col_stat(m->prob, j, GLP_NL);
    }
}

static void add_rows(plani_master_t *m)
{
    const plani_lp_t *lp = m->lp;

    if (m->pending > 0) glp_add_rows(m->prob, (int)m->pending);
    for (; m->pending > 0; m->pending--, m->cuts++) {
        int i = 1 + (int)(lp->rows + m->cuts), n = 1;
        m->index[1] = 1, m->value[1] = -1;
        for (size_t k = 0; k < m->columns; k++) {
            size_t l = m->sift->link[k];
            if (!holds(m, m->cuts, lp->to[l]) || holds(m, m->cuts, lp->from[l])) continue;
            m->index[++n] = 2 + (int)k;
            m->value[n] = m->scale[l];
        }
        glp_set_mat_row(m->prob, i, n, m->index, m->value);
        glp_set_row_bnds(m->prob, i, GLP_LO, 0, 0);
        glp_set_row_stat(m->prob, i, GLP_BS);
    }
}

static void simplex(plani_master_t *m, int method)
{
    glp_smcp parm = plani_simplex_settings(m->prob, m->deadline);

    parm.meth = method;
    int before = glp_get_it_cnt(m->prob);
    m->simplex = glp_simplex(m->prob, &parm);
    m->work += (double)(glp_get_it_cnt(m->prob) - before) * glp_get_num_rows(m->prob);
    m->status = glp_get_status(m->prob);
}

/* After numerical problems, start again from the slack basis (all rates 0), which is feasible. */
static void simplex_or_restart(plani_master_t *m, int method)
{
    simplex(m, method);
    if (m->simplex == GLP_ETMLIM || (m->simplex == 0 && m->status == GLP_OPT)) return;
    glp_std_basis(m->prob);
    simplex(m, GLP_PRIMAL);
}

/* Runs inside the guard. New columns or a new objective keep the basis primal feasible, new rows keep it dual feasible:
 * so columns are added and solved first, then rows. */
static void solve(void *arg)
{
    plani_master_t *m = arg;
    const plani_lp_t *lp = m->lp;
    int first = m->columns == 0, more = m->more_columns && m->sift->count > m->columns;

    for (size_t k = 0; m->turned && k < m->columns; k++)
        glp_set_obj_coef(m->prob, 2 + (int)k, -aversion_to(m, m->sift->link[k]));
    more |= m->turned && !first;
    m->turned = 0;
    if (more) add_columns(m);
    if (first) add_rows(m);
    if (more) simplex_or_restart(m, GLP_PRIMAL);
    if (!first && m->pending > 0) {
        if (more && (m->simplex != 0 || m->status != GLP_OPT)) return;
        add_rows(m);
        simplex_or_restart(m, GLP_DUALP);
    }
    if (m->simplex != 0 || m->status != GLP_OPT) return;
    m->tp = glp_get_col_prim(m->prob, 1) * m->bound;
    for (size_t i = 0; i < lp->rows; i++) {
        double y = glp_get_row_dual(m->prob, 1 + (int)i);
        m->price[i] = y > 0 ? y : 0;
    }
    for (size_t k = 0; k < m->columns; k++) {
        size_t l = m->sift->link[k];
        double x = glp_get_col_prim(m->prob, 2 + (int)k);
        m->rate[l] = x > 0 ? x * m->bound * m->scale[l] : 0;
    }
    for (size_t c = 0; c < m->cuts; c++) {
        int slack = glp_get_row_stat(m->prob, 1 + (int)(lp->rows + c)) == GLP_BS;
        m->idle[c] = slack ? (unsigned char)(m->idle[c] < 255 ? m->idle[c] + 1 : 255) : 0;
    }
}

static plan_status_t make_room(plani_master_t *m)
{
    size_t most = m->sift->count + m->lp->rows + m->cuts + m->pending + 8;

    if (most > INT_MAX / 2) return PLAN_ENOMEM;
    if (most <= m->entries) return PLAN_OK;
    most += most / 2;
    int *index = realloc(m->index, (most + 1) * sizeof *index);
    if (index == NULL) return PLAN_ENOMEM;
    m->index = index;
    double *value = realloc(m->value, (most + 1) * sizeof *value);
    if (value == NULL) return PLAN_ENOMEM;
    m->value = value;
    m->entries = most;
    return PLAN_OK;
}

plan_status_t plani_master_solve(plani_master_t *m, int more_columns)
{
    plan_status_t rc = make_room(m);

    m->more_columns = more_columns;
    if (rc != PLAN_OK) return rc;
    if (m->deadline > 0 && plani_left(m->deadline) <= 0) return PLAN_ETIME;
    if ((rc = plani_glpk(solve, m, &m->prob)) != PLAN_OK) return rc;
    if (m->simplex == GLP_ETMLIM) return PLAN_ETIME;
    return m->simplex == 0 && m->status == GLP_OPT ? PLAN_OK : PLAN_ESOLVER;
}

static void delete_rows(void *arg)
{
    plani_master_t *m = arg;
    glp_del_rows(m->prob, m->index[0], m->index);
}

plan_status_t plani_master_purge(plani_master_t *m, int patience)
{
    size_t kept = 0;
    int gone = 0;
    plan_status_t rc = make_room(m);

    if (rc != PLAN_OK) return rc;
    for (size_t c = 0; c < m->cuts + m->pending; c++) {
        if (c < m->cuts && m->idle[c] >= patience) {
            m->index[++gone] = 1 + (int)(m->lp->rows + c);
            continue;
        }
        if (kept < c) {
            memcpy(m->inside + kept * m->words, m->inside + c * m->words, m->words * sizeof *m->inside);
            m->idle[kept] = m->idle[c];
        }
        kept++;
    }
    if (gone == 0) return PLAN_OK;
    m->cuts -= (size_t)gone;
    m->index[0] = gone;
    return plani_glpk(delete_rows, m, &m->prob);
}
