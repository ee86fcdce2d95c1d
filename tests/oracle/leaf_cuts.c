#include "oracle/leaf_cuts.h"
#include <glpk.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { PAIRS = ORACLE_LEAVES * ORACLE_LEAVES, MAX_NODES = 64 };

typedef struct {
    const plani_machine_problem_t *p;
    int n, leaf[ORACLE_LEAVES];
    glp_prob *prob;
    double unit;
    int index[PAIRS + 2];
    double value[PAIRS + 2];
} cuts_t;

static bool holds(const plani_machine_problem_t *p, int x, int leaf)
{
    while (leaf > x) leaf = p->parent[leaf];
    return leaf == x;
}

/* The child of x that holds the leaf. */
static int child_with(const plani_machine_problem_t *p, int x, int leaf)
{
    while (p->parent[leaf] != x) leaf = p->parent[leaf];
    return leaf;
}

static void add_row(cuts_t *c, int n, int type, double bound)
{
    int row = glp_add_rows(c->prob, 1);
    glp_set_row_bnds(c->prob, row, type, bound, bound);
    glp_set_mat_row(c->prob, row, n, c->index, c->value);
}

static void add_limit(cuts_t *c, int x, double leaves, double enters, double inside, double most)
{
    int n = 0;
    if (!isfinite(most)) return;
    for (int u = 0; u < c->n; u++)
        for (int v = 0; v < c->n; v++) {
            bool from = holds(c->p, x, c->leaf[u]), to = holds(c->p, x, c->leaf[v]);
            double times = from && !to ? leaves : to && !from ? enters : 0;
            if (from && to && u != v && c->leaf[u] != x &&
                child_with(c->p, x, c->leaf[u]) != child_with(c->p, x, c->leaf[v]))
                times = inside;
            if (u == v || times == 0) continue;
            c->index[++n] = 2 + u * c->n + v;
            c->value[n] = times;
        }
    if (n > 0) add_row(c, n, GLP_UP, most);
}

static int host_of(const plani_machine_problem_t *p, int leaf)
{
    while (!p->host[leaf]) leaf = p->parent[leaf];
    return leaf;
}

static void limit_flows(cuts_t *c)
{
    for (int u = 0; u < c->n && c->p->flow != NULL; u++)
        for (int v = 0; v < c->n; v++) {
            int x = host_of(c->p, c->leaf[u]), y = host_of(c->p, c->leaf[v]);
            double most = c->p->flow[x * c->p->nodes + y] / c->unit;
            if (x != y && isfinite(most)) glp_set_col_bnds(c->prob, 2 + u * c->n + v, GLP_DB, 0, most);
        }
}

static void add_cut(cuts_t *c, unsigned set)
{
    int n = 0;
    for (int u = 0; u < c->n; u++)
        for (int v = 0; v < c->n; v++)
            if (!(set >> u & 1) && set >> v & 1) c->index[++n] = 2 + u * c->n + v, c->value[n] = 1;
    c->index[++n] = 1;
    c->value[n] = -1;
    add_row(c, n, GLP_LO, 0);
}

double oracle_leaf_cuts(const plani_machine_problem_t *p)
{
    cuts_t c = {.p = p, .unit = INFINITY};
    double rate = NAN;
    glp_smcp parm;

    if (p->nodes > MAX_NODES) return NAN;
    for (int x = 1; x < p->nodes; x++) {
        bool leaf = true;
        for (int y = x + 1; y < p->nodes; y++) leaf = leaf && p->parent[y] != x;
        if (leaf && c.n == ORACLE_LEAVES) return NAN;
        if (leaf) c.leaf[c.n++] = x;
        c.unit = fmin(c.unit, fmin(p->out[x], p->in[x]));
    }
    for (int x = 0; x < p->nodes && !isfinite(c.unit); x++) {
        if (p->inside != NULL) c.unit = fmin(c.unit, p->inside[x]);
        if (p->through != NULL) c.unit = fmin(c.unit, p->through[x]);
    }
    if (!isfinite(c.unit)) c.unit = 1;
    c.prob = glp_create_prob();
    glp_term_out(GLP_OFF);
    glp_set_obj_dir(c.prob, GLP_MAX);
    glp_add_cols(c.prob, 1 + c.n * c.n);
    glp_set_obj_coef(c.prob, 1, 1);
    for (int j = 1; j <= 1 + c.n * c.n; j++) glp_set_col_bnds(c.prob, j, GLP_LO, 0, 0);
    limit_flows(&c);
    for (int x = 0; x < p->nodes; x++) {
        if (x > 0) add_limit(&c, x, 1, 0, 0, p->out[x] / c.unit);
        if (x > 0) add_limit(&c, x, 0, 1, 0, p->in[x] / c.unit);
        if (p->inside != NULL) add_limit(&c, x, 0, 0, 1, p->inside[x] / c.unit);
        bool inner = false;
        for (int u = 0; u < c.n; u++) inner = inner || (c.leaf[u] != x && holds(p, x, c.leaf[u]));
        if (x > 0 && inner && p->through != NULL) add_limit(&c, x, 1, 1, 1, p->through[x] / c.unit);
        if (x > 0 && p->send_s != NULL) add_limit(&c, x, p->send_s[x] * c.unit, p->receive_s[x] * c.unit, 0, 1);
    }
    for (unsigned set = 1; set < 1u << c.n; set++) {
        bool root = false;
        for (int u = 0; u < c.n; u++) root = root || (set >> u & 1 && c.leaf[u] == p->root);
        if (!root) add_cut(&c, set);
    }
    glp_init_smcp(&parm);
    parm.msg_lev = GLP_MSG_OFF;
    parm.tol_bnd = parm.tol_dj = 1e-9;
    int rc = glp_simplex(c.prob, &parm);
    if (rc == 0 && glp_get_status(c.prob) == GLP_OPT) rate = glp_get_obj_val(c.prob) * c.unit;
    if (rc == 0 && glp_get_status(c.prob) == GLP_UNBND) rate = INFINITY;
    glp_delete_prob(c.prob);
    return rate;
}
