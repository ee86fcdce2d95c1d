/*
 * For every node x: s(x) leaves it, i(x) enters it, and T(x) is what its children are sent, by each other and from
 * outside. With the children c of x, each standing for m(c):
 *
 *     maximize L subject to
 *     s(x) <= out(x), i(x) <= in(x), send_s(x) s(x) + receive_s(x) i(x) <= 1
 *     leaves: i = L, but 0 for the root; s(root) >= L
 *     groups that the root is not in: i(x) >= L; that it is in, but not everything: s(x) >= L; the whole: s = i = 0
 *     T(x) = sum m(c) s(c) + i(x) = sum m(c) i(c) + s(x)      what is sent in x arrives in it, or leaves it
 *     s(c) + i(c) <= T(x)                                     nothing is sent to itself,
 *     s(x) + i(x) <= T(x)                                     nor passed through x alone
 *     T(x) - s(x) - i(x) <= inside(x), T(x) <= through(x)
 *
 * Equal nodes may be taken together because the program is convex: the mean of an optimum over all ways of exchanging
 * them is one, too, and treats them alike.
 *
 * Of leaves c whose sending costs no work, only the sum of s(c) over each x occurs, but for s(c) + L <= T(x). So one
 * column stands for them, up to the sum of out(c). Where a solution has more in it than the sum of the lesser of out(c)
 * and T(x) - L, those leaves with out(c) > T(x) - L get columns of their own, and the program is solved again.
 */
#include "lp/machine.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include "lib/base/base.h"
#include "lp/lp.h"
#include "lp/machine_flows.h"
#include "lp/simplex.h"

enum { ENTRIES = 20 };

/** Kinds of rows whose duals tell what a resource is worth. Rates are bounds of columns. */
typedef struct {
    const plani_machine_problem_t *p;
    double unit;                /* [B/s] the bound is at most so much */
    double most;                /* in units: more than anything could use */
    double *number;             /* [nodes] of equal ones in the whole machine */
    int *children, least_in;    /* of each node; the leaf that can take in least */
    int *first, *next;          /* [nodes] children of a node; 0: no more */
    int *sent_row;              /* [nodes] of inner nodes: what is sent in it */
    bool *joined;               /* [nodes] leaves that share one column with others of their parent */
    bool *apart;                /* a row keeps it from sending to itself */
    bool *around;               /* the root lies in it, */
    int whole;                  /* and everything in this one and all above it */
    int *inside_row, *work_row; /* 0: none */
    int *row, *col, entries, rows;
    double *value;
    glp_prob *prob;
    int status[2];
    plani_machine_bound_t *out;
} program_t;

enum { RATE_COLUMN = 1, NODE_COLUMNS = 3 };

static inline int sent_column(int x)
{
    return 2 + NODE_COLUMNS * x;
}

static inline int received_column(int x)
{
    return 3 + NODE_COLUMNS * x;
}

static inline int turnover_column(int x)
{
    return 4 + NODE_COLUMNS * x;
}

static double number_of(const plani_machine_problem_t *p, int x)
{
    return p->count != NULL ? p->count[x] : 1;
}

static bool is_leaf(const program_t *g, int x)
{
    return g->children[x] == 0;
}

/* ---- the arrays ---- */

static plan_status_t check_node(const plani_machine_problem_t *p, int x, plan_error_t *err)
{
    if (x == 0 ? p->parent[x] != -1 : p->parent[x] < 0 || p->parent[x] >= x)
        return plani_fail(err, PLAN_EINVAL, "node %d: its parent %d does not come before it", x, p->parent[x]);
    if (x > 0 && (!(p->out[x] > 0) || !(p->in[x] > 0)))
        return plani_fail(err, PLAN_EINVAL, "node %d: rates of %g and %g; give more than 0", x, p->out[x], p->in[x]);
    if (p->count != NULL && p->count[x] < 1)
        return plani_fail(err, PLAN_EINVAL, "node %d stands for %d; give at least 1", x, p->count[x]);
    if (p->inside != NULL && !(p->inside[x] > 0))
        return plani_fail(err, PLAN_EINVAL, "node %d: a rate of %g inside; give more than 0", x, p->inside[x]);
    if (p->through != NULL && !(p->through[x] > 0))
        return plani_fail(err, PLAN_EINVAL, "node %d: a rate of %g through it; give more than 0", x, p->through[x]);
    if ((p->send_s != NULL && !(p->send_s[x] >= 0 && isfinite(p->send_s[x]))) ||
        (p->receive_s != NULL && !(p->receive_s[x] >= 0 && isfinite(p->receive_s[x]))))
        return plani_fail(err, PLAN_EINVAL, "node %d: give seconds per byte, finite and not negative", x);
    return PLAN_OK;
}

static plan_status_t check(const plani_machine_problem_t *p, plan_error_t *err)
{
    if (p->nodes < 2 || p->nodes > INT_MAX / ENTRIES)
        return plani_fail(err, PLAN_EINVAL, "a machine of %d nodes; give at least 1", p->nodes);
    for (int x = 0; x < p->nodes; x++) {
        plan_status_t rc = check_node(p, x, err);
        if (rc != PLAN_OK) return rc;
    }
    if (p->root < 1 || p->root >= p->nodes)
        return plani_fail(err, PLAN_EINVAL, "there is no node %d to broadcast from", p->root);
    for (int x = 0; x < p->nodes; x++)
        if (p->parent[x] == p->root)
            return plani_fail(err, PLAN_EINVAL, "the broadcast begins in node %d, which has nodes in it", p->root);
    for (int x = p->root; x >= 0; x = p->parent[x])
        if (number_of(p, x) != 1)
            return plani_fail(err, PLAN_EINVAL, "node %d is or holds the root, and stands for several", x);
    return PLAN_OK;
}

/* An upper bound of the rate: what has to leave the root and all around it, and enter all others, and what all leaves
 * can send. */
static void find_unit(program_t *g)
{
    const double *number = g->number;
    const plani_machine_problem_t *p = g->p;
    double leaves = 0, all = 0;
    g->unit = INFINITY;
    for (int x = 1; x < p->nodes; x++) {
        const double *work = g->around[x] ? p->send_s : p->receive_s;
        bool needed = !g->around[x] || x > g->whole;
        if (needed) g->unit = plani_min(g->unit, g->around[x] ? p->out[x] : p->in[x]);
        if (needed && work != NULL && work[x] > 0) g->unit = plani_min(g->unit, 1 / work[x]);
        if (!is_leaf(g, x)) continue;
        leaves += number[x];
        all += number[x] * p->out[x];
        if (!g->around[x] && (g->least_in == 0 || p->in[x] < p->in[g->least_in])) g->least_in = x;
    }
    if (leaves > 1) g->unit = plani_min(g->unit, all / (leaves - 1));
    g->most = 2 * leaves;
    if (isfinite(g->unit)) return;
    g->most = INFINITY; /* memory alone may limit it, or nothing */
    for (int x = 0; x < p->nodes && p->inside != NULL; x++)
        if (isfinite(p->inside[x]) && !(g->unit < p->inside[x])) g->unit = p->inside[x];
    for (int x = 0; x < p->nodes && p->through != NULL; x++)
        if (isfinite(p->through[x]) && !(g->unit < p->through[x])) g->unit = p->through[x];
}

/* ---- rows ---- */

static void put(program_t *g, int col, double value)
{
    g->entries++;
    g->row[g->entries] = g->rows;
    g->col[g->entries] = col;
    g->value[g->entries] = value;
}

/* Of columns that are fixed at 0 nothing comes. */
static void put_received(program_t *g, int x, double times)
{
    if (!is_leaf(g, x))
        put(g, received_column(x), times);
    else if (x != g->p->root)
        put(g, RATE_COLUMN, times);
}

static int new_row(program_t *g, int type, double low, double high)
{
    g->rows++;
    glp_add_rows(g->prob, 1);
    glp_set_row_bnds(g->prob, g->rows, type, low, high);
    return g->rows;
}

/* The first of the joined leaves of x, whose column stands for them; 0: there are none. */
static int joined_in(const program_t *g, int x)
{
    int c = g->first[x];
    while (c > 0 && !g->joined[c]) c = g->next[c];
    return c;
}

/* What the joined leaves of x can send together if each sends `most` at most; in units. */
static double joined_rate(const program_t *g, int x, double most)
{
    double sum = 0;
    for (int c = g->first[x]; c > 0; c = g->next[c])
        if (g->joined[c]) sum += number_of(g->p, c) * plani_min(g->p->out[c] / g->unit, most);
    return sum;
}

static void put_sent(program_t *g, int x)
{
    int all = joined_in(g, x);
    put(g, turnover_column(x), -1);
    if (x > 0) put(g, received_column(x), 1);
    if (all > 0) put(g, sent_column(all), 1);
    for (int c = g->first[x]; c > 0; c = g->next[c])
        if (!g->joined[c]) put(g, sent_column(c), number_of(g->p, c));
}

/* What its children send and receive. */
static void add_balance(program_t *g, int x)
{
    g->sent_row[x] = new_row(g, GLP_FX, 0, 0);
    put_sent(g, x);
    new_row(g, GLP_FX, 0, 0);
    double leaves = 0;
    put(g, turnover_column(x), -1);
    if (x > 0) put(g, sent_column(x), 1);
    for (int c = g->first[x]; c > 0; c = g->next[c])
        if (!is_leaf(g, c))
            put(g, received_column(c), number_of(g->p, c));
        else if (c != g->p->root)
            leaves += number_of(g->p, c);
    if (leaves > 0) put(g, RATE_COLUMN, leaves);
}

static void add_inside(program_t *g, int x)
{
    double rate = g->p->inside != NULL ? g->p->inside[x] / g->unit : INFINITY;
    bool limited = rate < g->most;
    int row = new_row(g, limited ? GLP_DB : GLP_LO, 0, rate);
    if (limited) g->inside_row[x] = row;
    put(g, turnover_column(x), 1);
    if (x == 0) return;
    put(g, sent_column(x), -1);
    put(g, received_column(x), -1);
}

static void add_work(program_t *g, int x)
{
    double send = g->p->send_s != NULL ? g->p->send_s[x] * g->unit : 0;
    double receive = g->p->receive_s != NULL ? g->p->receive_s[x] * g->unit : 0;
    if (x == 0 || !(send > 0 || receive > 0)) return;
    g->work_row[x] = new_row(g, GLP_UP, 0, 1);
    if (send > 0) put(g, sent_column(x), send);
    if (receive > 0) put_received(g, x, receive);
}

static void add_least(program_t *g, int x)
{
    if ((x <= g->whole && g->around[x]) || (is_leaf(g, x) && x != g->p->root)) return;
    new_row(g, GLP_LO, 0, 0);
    put(g, g->around[x] ? sent_column(x) : received_column(x), 1);
    put(g, RATE_COLUMN, -1);
}

static void add_not_to_itself(program_t *g, int x)
{
    if (x == 0) return;
    g->apart[x] = true;
    new_row(g, GLP_LO, 0, 0);
    put(g, turnover_column(g->p->parent[x]), 1);
    put(g, sent_column(x), -1);
    put_received(g, x, -1);
}

static void limit(program_t *g, int col, double rate)
{
    if (rate < g->most)
        glp_set_col_bnds(g->prob, col, GLP_DB, 0, rate);
    else
        glp_set_col_bnds(g->prob, col, GLP_LO, 0, 0);
}

/* Replace the row's coefficients by the entries from `first` on, which are dropped. */
static void write_row(program_t *g, int row, int first)
{
    glp_set_mat_row(g->prob, row, g->entries - first, g->col + first, g->value + first);
    g->entries = first;
}

static void add_apart(program_t *g, int x)
{
    int first = g->entries;
    add_not_to_itself(g, x);
    write_row(g, g->rows, first);
}

static void limit_joined(program_t *g, int x)
{
    int all = joined_in(g, x);
    if (all > 0) limit(g, sent_column(all), joined_rate(g, x, INFINITY));
}

/* Joined leaves of x that could send more than they may, all that children of x are sent but what they receive, get
 * columns of their own if together they do. \return the number of rows added */
static int part(program_t *g, int x, bool all_of_them)
{
    int added = 0, all = joined_in(g, x), first = g->entries;
    if (all == 0) return 0;
    double turnover = glp_get_col_prim(g->prob, turnover_column(x));
    double most = fmax(0, turnover - glp_get_col_prim(g->prob, RATE_COLUMN));
    double sent = glp_get_col_prim(g->prob, sent_column(all));
    if (!all_of_them && sent <= joined_rate(g, x, most) + 1e-9 * turnover) return 0;
    for (int c = g->first[x]; c > 0; c = g->next[c]) {
        if (!g->joined[c] || !(all_of_them || g->p->out[c] / g->unit > most)) continue;
        g->joined[c] = false;
        limit(g, sent_column(c), g->p->out[c] / g->unit);
        add_apart(g, c);
        added++;
    }
    limit_joined(g, x);
    put_sent(g, x);
    write_row(g, g->sent_row[x], first);
    return added;
}

/* Only leaves of very high rates can violate the rows that forbid sending to itself, so that the others get no such
 * row. Where nothing limits the rate without these rows, all leaves get them. \return the number of rows added */
static int add_missing(program_t *g)
{
    int added = 0;
    bool all_of_them = g->status[1] == GLP_UNBND;
    double rate = glp_get_col_prim(g->prob, RATE_COLUMN);
    for (int x = 1; x < g->p->nodes; x++) {
        double all = glp_get_col_prim(g->prob, turnover_column(g->p->parent[x]));
        double own = glp_get_col_prim(g->prob, sent_column(x)) + (x != g->p->root ? rate : 0);
        if (g->joined[x] || g->apart[x] || (!all_of_them && own <= all * (1 + 1e-9))) continue;
        add_apart(g, x);
        added++;
    }
    for (int x = 0; x < g->p->nodes; x++)
        if (!is_leaf(g, x)) added += part(g, x, all_of_them);
    return added;
}

/* In units. */
static double through(const program_t *g, int x)
{
    return x > 0 && !is_leaf(g, x) && g->p->through != NULL ? g->p->through[x] / g->unit : INFINITY;
}

static void add_columns(program_t *g)
{
    const plani_machine_problem_t *p = g->p;
    glp_add_cols(g->prob, 1 + NODE_COLUMNS * p->nodes);
    for (int j = 1; j <= 1 + NODE_COLUMNS * p->nodes; j++) glp_set_col_bnds(g->prob, j, GLP_FX, 0, 0);
    glp_set_obj_coef(g->prob, RATE_COLUMN, 1);
    limit(g, RATE_COLUMN, g->least_in > 0 ? p->in[g->least_in] / g->unit : INFINITY);
    for (int x = 0; x < p->nodes; x++) {
        if (!is_leaf(g, x)) limit(g, turnover_column(x), through(g, x));
        if (x > 0 && !g->joined[x]) limit(g, sent_column(x), p->out[x] / g->unit);
        if (x > 0 && !is_leaf(g, x)) limit(g, received_column(x), p->in[x] / g->unit);
        if (!is_leaf(g, x)) limit_joined(g, x);
    }
}

/* ---- solving ---- */

static double worth(double price, double times)
{
    return price > 0 ? price * times : 0;
}

/* Joined leaves send in proportion to what they can. */
static void take_joined(program_t *g, int x, double rate)
{
    int all = joined_in(g, x);
    if (all == 0) return;
    double most = fmax(0, glp_get_col_prim(g->prob, turnover_column(x)) - rate);
    double sent = glp_get_col_prim(g->prob, sent_column(all)), room = joined_rate(g, x, most);
    double price = glp_get_col_dual(g->prob, sent_column(all));
    bool limited = joined_rate(g, x, INFINITY) < g->most;
    for (int c = all; c > 0; c = g->next[c]) {
        if (!g->joined[c]) continue;
        double own = g->p->out[c] / g->unit;
        g->out->sent[c] = room > 0 ? plani_min(own, most) * sent / room * g->unit : 0;
        g->out->out_worth[c] = limited ? worth(price, number_of(g->p, c) * own / rate) : 0;
    }
}

/* Prices are per unit of a rate; worth is price times rate. */
static void take(program_t *g)
{
    const plani_machine_problem_t *p = g->p;
    plani_machine_bound_t *o = g->out;
    double rate = glp_get_col_prim(g->prob, RATE_COLUMN);
    o->rate = rate * g->unit;
    for (int x = 1; x < p->nodes; x++) {
        o->sent[x] = glp_get_col_prim(g->prob, sent_column(x)) * g->unit;
        o->received[x] = !is_leaf(g, x) ? glp_get_col_prim(g->prob, received_column(x)) * g->unit
                         : x != p->root ? o->rate
                                        : 0;
        if (p->out[x] / g->unit < g->most)
            o->out_worth[x] = worth(glp_get_col_dual(g->prob, sent_column(x)), p->out[x] / g->unit / rate);
        if (!is_leaf(g, x) && p->in[x] / g->unit < g->most)
            o->in_worth[x] = worth(glp_get_col_dual(g->prob, received_column(x)), p->in[x] / g->unit / rate);
    }
    for (int x = 0; x < p->nodes; x++) {
        if (!is_leaf(g, x)) take_joined(g, x, rate);
        if (g->inside_row[x] > 0)
            o->inside_worth[x] = worth(glp_get_row_dual(g->prob, g->inside_row[x]), p->inside[x] / g->unit / rate);
        if (through(g, x) < g->most)
            o->inside_worth[x] += worth(glp_get_col_dual(g->prob, turnover_column(x)), through(g, x) / rate);
        if (g->work_row[x] > 0) o->worker_worth[x] = worth(glp_get_row_dual(g->prob, g->work_row[x]), 1 / rate);
    }
    if (g->least_in > 0 && p->in[g->least_in] / g->unit < g->most)
        o->in_worth[g->least_in] = worth(glp_get_col_dual(g->prob, RATE_COLUMN), p->in[g->least_in] / g->unit / rate);
}

/* Runs inside the guard. */
static void solve(void *arg)
{
    program_t *g = arg;

    g->prob = glp_create_prob();
    glp_set_obj_dir(g->prob, GLP_MAX);
    add_columns(g);
    for (int x = 0; x < g->p->nodes; x++) {
        if (!is_leaf(g, x)) add_balance(g, x);
        if (!is_leaf(g, x)) add_inside(g, x);
        add_work(g, x);
        add_least(g, x);
        if (!is_leaf(g, x)) add_not_to_itself(g, x);
    }
    glp_load_matrix(g->prob, g->entries, g->row, g->col, g->value);
    glp_scale_prob(g->prob, GLP_SF_GM | GLP_SF_EQ);
    glp_adv_basis(g->prob, 0);
    do { /* rows that are missing leave the dual feasible */
        glp_smcp parm = plani_simplex_settings(g->prob, 0);
        parm.meth = g->status[1] == GLP_OPT ? GLP_DUALP : GLP_PRIMAL;
        g->status[0] = glp_simplex(g->prob, &parm);
        g->status[1] = glp_get_status(g->prob);
    } while (g->status[0] == 0 && (g->status[1] == GLP_OPT || g->status[1] == GLP_UNBND) && add_missing(g) > 0);
    if (g->status[0] == 0 && g->status[1] == GLP_OPT) take(g);
}

/* By duality all resources together are worth 1. */
static bool is_exact(const program_t *g)
{
    double sum = 0;
    for (int x = 0; x < g->p->nodes; x++)
        sum += g->out->out_worth[x] + g->out->in_worth[x] + g->out->inside_worth[x] + g->out->worker_worth[x];
    return fabs(sum - 1) < 1e-7;
}

static plan_status_t solve_program(program_t *g, plan_error_t *err)
{
    bool begun = plani_glpk_begin();
    plan_status_t rc = plani_glpk(solve, g, &g->prob);
    if (plani_discard(&g->prob) != PLAN_OK) rc = PLAN_ESOLVER;
    plani_glpk_end(begun);
    if (rc == PLAN_OK && g->status[0] == 0 && g->status[1] == GLP_UNBND) return PLAN_OK;
    if (rc == PLAN_ENOMEM) return plani_fail(err, rc, "out of memory for the program of %d nodes", g->p->nodes);
    if (rc != PLAN_OK || g->status[0] != 0 || g->status[1] != GLP_OPT)
        return plani_fail(err, PLAN_ESOLVER, "GLPK failed on the machine's program (%d, %d)", g->status[0],
                          g->status[1]);
    if (!is_exact(g)) return plani_fail(err, PLAN_ESOLVER, "the machine's program was not solved exactly");
    return PLAN_OK;
}

void plani_machine_bound_clear(plani_machine_bound_t *b)
{
    free(b->sent);
    *b = (plani_machine_bound_t){0};
}

static plan_status_t allocate(int nodes, plani_machine_bound_t *b)
{
    size_t n = (size_t)nodes;
    double *x = calloc(6 * n, sizeof *x);
    *b = (plani_machine_bound_t){.rate = INFINITY, .sent = x};
    if (x == NULL) return PLAN_ENOMEM;
    b->received = x + n;
    b->out_worth = x + 2 * n;
    b->in_worth = x + 3 * n;
    b->inside_worth = x + 4 * n;
    b->worker_worth = x + 5 * n;
    return PLAN_OK;
}

static plan_status_t make_room(program_t *g, size_t entries, plan_error_t *err)
{
    g->row = malloc((entries + 1) * sizeof *g->row);
    g->col = malloc((entries + 1) * sizeof *g->col);
    g->value = malloc((entries + 1) * sizeof *g->value);
    if (g->row != NULL && g->col != NULL && g->value != NULL) return PLAN_OK;
    return plani_fail(err, PLAN_ENOMEM, "out of memory for the program of %d nodes", g->p->nodes);
}

static void look_at_nodes(program_t *g)
{
    const plani_machine_problem_t *p = g->p;
    for (int x = p->nodes - 1; x > 0; x--) {
        g->children[p->parent[x]]++;
        g->next[x] = g->first[p->parent[x]];
        g->first[p->parent[x]] = x;
    }
    for (int x = p->root; x >= 0; x = p->parent[x]) g->around[x] = true;
    for (int x = 1; x < p->nodes; x++)
        if (p->parent[x] == g->whole && g->children[g->whole] == 1) g->whole = g->around[x] ? x : g->whole;
    g->number[0] = 1;
    for (int x = 1; x < p->nodes; x++) g->number[x] = number_of(p, x) * g->number[p->parent[x]];
    for (int x = 1; x < p->nodes; x++) {
        bool works = (p->send_s != NULL && p->send_s[x] > 0) || (p->receive_s != NULL && p->receive_s[x] > 0);
        g->joined[x] = is_leaf(g, x) && x != p->root && !works;
    }
}

plan_status_t plani_machine_bound(const plani_machine_problem_t *p, plani_machine_bound_t *bound, plan_error_t *err)
{
    program_t g = {.p = p, .out = bound};
    double start = plani_now();
    plan_status_t rc;

    *bound = (plani_machine_bound_t){0};
    if ((rc = check(p, err)) != PLAN_OK) return rc;
    size_t n = (size_t)p->nodes, entries = ENTRIES * n;
    g.children = calloc(6 * n, sizeof *g.children);
    g.around = calloc(3 * n, sizeof *g.around);
    g.number = malloc(n * sizeof *g.number);
    rc = allocate(p->nodes, bound);
    if (!g.children || !g.around || !g.number || rc != PLAN_OK) {
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for the program of %d nodes", p->nodes);
        goto done;
    }
    g.apart = g.around + n;
    g.inside_row = g.children + n;
    g.work_row = g.children + 2 * n;
    g.first = g.children + 3 * n;
    g.next = g.children + 4 * n;
    g.sent_row = g.children + 5 * n;
    g.joined = g.around + 2 * n;
    look_at_nodes(&g);
    find_unit(&g);
    if ((rc = make_room(&g, entries, err)) != PLAN_OK) goto done;
    if (isfinite(g.unit) && g.whole != p->root) rc = solve_program(&g, err);
    if (rc == PLAN_OK && p->flow != NULL) rc = plani_flows_bound(p, g.children, g.number, bound, err);
done:
    free(g.children);
    free(g.around);
    free(g.number);
    free(g.row);
    free(g.col);
    free(g.value);
    if (rc != PLAN_OK) plani_machine_bound_clear(bound);
    bound->seconds = plani_now() - start;
    return rc;
}
