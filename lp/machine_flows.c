/*
 * Limits of single flows in the program of machine_program.c. y(u, v) is what all leaves of node u send all leaves of
 * node v in other hosts. With N(x) nodes like x, and F(u, v) flows from leaves like u to leaves like v in other hosts:
 *
 *     y(u, v) <= F(u, v) flow(host of u, host of v)
 *     N(h) s(h) = sum y(u, v) over u in h          hosts, and likewise i(h), and groups
 *     N(u) s(u) >= sum y(u, v) over v              leaves of a host, and likewise i(u)
 *     T(h) - s(h) - i(h) >= s(u) + i(u) - what u exchanges with other hosts       nothing is sent to itself
 *     sum y into S >= L                            sets S of hosts without the root's
 *
 * The last rows are separated by minimum cuts from the root's host to each other one. Equal hosts exchange equal parts,
 * so that a cut for one of them treats the others alike: it has three sorts of hosts, the host itself, those like it,
 * and others.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "lp/machine_program.h"

static const double VIOLATED = 1e-9; /* of the rate: a cut that carries less by so much gets a row */

static double count_of(const plani_machine_problem_t *p, int x)
{
    return p->count != NULL ? p->count[x] : 1;
}

static double flow_of(const plani_machine_program_t *g, int i, int j)
{
    const plani_flow_program_t *f = &g->flow;
    return g->p->flow[(size_t)f->node[f->host[i]] * (size_t)g->p->nodes + (size_t)f->node[f->host[j]]];
}

/* How many flows there are from leaves like the i-th to leaves like the j-th in other hosts. */
static double flows_between(const plani_machine_program_t *g, int i, int j)
{
    const plani_flow_program_t *f = &g->flow;
    double pairs = g->number[f->leaf[i]] * g->number[f->leaf[j]];
    if (f->leaf[j] == g->p->root) return 0;
    return f->host[i] != f->host[j] ? pairs : pairs * (1 - 1 / count_of(g->p, f->node[f->host[i]]));
}

static int pair_column(const plani_flow_program_t *f, int i, int j)
{
    return f->first + 1 + i * f->n + j;
}

static bool is_within(const plani_machine_problem_t *p, int x, int node)
{
    while (x > node) x = p->parent[x];
    return x == node;
}

/* ---- what there is ---- */

void plani_flows_clear(plani_flow_program_t *f)
{
    free(f->leaf);
    free(f->between);
    free(f->index);
    *f = (plani_flow_program_t){.n = 0};
}

/* 1: some flow is limited; -1: no limit that could be one. */
static int any_limit(const plani_machine_problem_t *p, plan_error_t *err)
{
    int any = 0;
    for (int x = 0; x < p->nodes && p->flow != NULL; x++)
        for (int y = 0; y < p->nodes && p->host[x]; y++) {
            double flow = p->flow[(size_t)x * (size_t)p->nodes + (size_t)y];
            if (!p->host[y]) continue;
            if (!(flow > 0)) {
                plani_fail(err, PLAN_EINVAL, "nodes %d and %d: flows of %g; give more than 0", x, y, flow);
                return -1;
            }
            any = any || isfinite(flow);
        }
    return any;
}

/* Each leaf is or lies in one host, and nothing around hosts stands for several. */
static plan_status_t list_leaves(plani_machine_program_t *g, int *number_of, plan_error_t *err)
{
    const plani_machine_problem_t *p = g->p;
    plani_flow_program_t *f = &g->flow;
    for (int x = 1; x < p->nodes; x++) {
        int around = number_of[p->parent[x]];
        if (p->host[x] && around >= 0) return plani_fail(err, PLAN_EINVAL, "node %d: a host within a host", x);
        number_of[x] = p->host[x] ? f->hosts : around;
        if (p->host[x]) f->node[f->hosts++] = x;
        if (number_of[x] < 0 && (g->children[x] == 0 || count_of(p, x) != 1))
            return plani_fail(err, PLAN_EINVAL, "node %d: a group of hosts that has none, or stands for several", x);
        if (g->children[x] == 0) f->leaf[f->n] = x, f->host[f->n++] = number_of[x];
        if (x == p->root) f->root = number_of[x];
    }
    return PLAN_OK;
}

/* No host gets more than all flows into it. Where none of these are all limited, any limit gives the unit. */
static void tighten_unit(plani_machine_program_t *g)
{
    const plani_flow_program_t *f = &g->flow;
    double largest = 0;
    for (int host = 0; host < f->hosts; host++) {
        double most = 0;
        for (int j = 0; j < f->n && host != f->root; j++)
            for (int i = 0; i < f->n && f->host[j] == host; i++) {
                double flows = flows_between(g, i, j);
                if (flows > 0) most += flows * flow_of(g, i, j);
                if (flows > 0 && isfinite(flow_of(g, i, j))) largest = plani_max(largest, flow_of(g, i, j));
            }
        if (most > 0) g->unit = plani_min(g->unit, most / g->number[f->node[host]]);
    }
    if (!isfinite(g->unit) && largest > 0) g->unit = largest;
}

static int depth_of(const plani_machine_problem_t *p, int x)
{
    int depth = 0;
    for (; x > 0; x = p->parent[x]) depth++;
    return depth;
}

plan_status_t plani_flows_create(plani_machine_program_t *g, size_t *entries, plan_error_t *err)
{
    plani_flow_program_t *f = &g->flow;
    size_t nodes = (size_t)g->p->nodes, depth = 0;
    plan_status_t rc = PLAN_OK;

    int any = any_limit(g->p, err);
    if (any <= 0) return any < 0 ? PLAN_EINVAL : PLAN_OK;
    int *number_of = malloc(nodes * sizeof *number_of);
    if ((f->leaf = calloc(4 * nodes + 1, sizeof *f->leaf)) == NULL || number_of == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    f->host = f->leaf + nodes, f->node = f->host + nodes, f->from = f->node + nodes;
    number_of[0] = -1;
    if ((rc = list_leaves(g, number_of, err)) != PLAN_OK) goto done;
    size_t hosts = (size_t)f->hosts, pairs = (size_t)f->n * (size_t)f->n;
    f->between = malloc((2 * (hosts + 1) * (hosts + 1) + pairs + 2) * sizeof *f->between);
    f->index = malloc((pairs + 2) * sizeof *f->index);
    if (f->between == NULL || f->index == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    f->capacity = f->between + hosts * hosts;
    f->value = f->capacity + (hosts + 1) * (hosts + 1);
    for (int i = 0; i < f->n; i++) {
        size_t mine = (size_t)depth_of(g->p, f->leaf[i]);
        depth = mine > depth ? mine : depth;
    }
    f->first = 1 + PLANI_NODE_COLUMNS * g->p->nodes;
    *entries += (2 * depth + 4) * pairs + 8 * nodes;
    tighten_unit(g);
done:
    free(number_of);
    if (rc != PLAN_OK) plani_flows_clear(f);
    return rc == PLAN_ENOMEM ? plani_fail(err, rc, "out of memory for flows between %d nodes", g->p->nodes) : rc;
}

/* ---- columns and rows ---- */

/* What leaves x, or enters it, is what goes over its pairs. */
static void add_way(plani_machine_program_t *g, int x, bool out)
{
    const plani_flow_program_t *f = &g->flow;
    plani_machine_row(g, GLP_FX, 0, 0);
    if (out)
        plani_machine_entry(g, plani_sent_column(x), g->number[x]);
    else
        plani_machine_received(g, x, g->number[x]);
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < f->n; j++) {
            int node = f->leaf[out ? i : j];
            bool crosses = g->p->host[x] || f->host[i] != f->host[j];
            if (!is_within(g->p, node, x) || !crosses) continue;
            if (!g->p->host[x] && is_within(g->p, f->leaf[out ? j : i], x)) continue;
            plani_machine_entry(g, pair_column(f, i, j), -1);
        }
}

/* Of a leaf in a host. */
static void add_leaf_way(plani_machine_program_t *g, int at, bool out)
{
    const plani_flow_program_t *f = &g->flow;
    int x = f->leaf[at];
    plani_machine_row(g, GLP_LO, 0, 0);
    if (out)
        plani_machine_entry(g, plani_sent_column(x), g->number[x]);
    else
        plani_machine_received(g, x, g->number[x]);
    for (int k = 0; k < f->n; k++) plani_machine_entry(g, out ? pair_column(f, at, k) : pair_column(f, k, at), -1);
}

static void add_apart(plani_machine_program_t *g, int at)
{
    const plani_flow_program_t *f = &g->flow;
    int x = f->leaf[at], host = g->p->parent[x];
    plani_machine_row(g, GLP_LO, 0, 0);
    plani_machine_entry(g, plani_turnover_column(host), 1);
    plani_machine_entry(g, plani_sent_column(host), -1);
    plani_machine_received(g, host, -1);
    plani_machine_entry(g, plani_sent_column(x), -1);
    plani_machine_received(g, x, -1);
    for (int k = 0; k < f->n; k++) {
        double part = 1 / g->number[x];
        plani_machine_entry(g, pair_column(f, at, k), k == at ? 2 * part : part);
        if (k != at) plani_machine_entry(g, pair_column(f, k, at), part);
    }
}

void plani_flows_add(plani_machine_program_t *g)
{
    const plani_flow_program_t *f = &g->flow;
    if (f->n == 0) return;
    glp_add_cols(g->prob, f->n * f->n);
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < f->n; j++) {
            double flows = flows_between(g, i, j), most = flows > 0 ? flows * flow_of(g, i, j) / g->unit : 0;
            int type = !(most > 0) ? GLP_FX : isfinite(most) ? GLP_DB : GLP_LO;
            glp_set_col_bnds(g->prob, pair_column(f, i, j), type, 0, isfinite(most) ? most : 0);
        }
    for (int x = 1; x < g->p->nodes; x++) {
        bool inside = !g->p->host[x];
        for (int y = g->p->parent[x]; y > 0 && inside; y = g->p->parent[y]) inside = !g->p->host[y];
        if (!g->p->host[x] && !inside) continue; /* leaves of hosts come below */
        add_way(g, x, true);
        add_way(g, x, false);
    }
    for (int i = 0; i < f->n; i++) {
        if (f->leaf[i] == f->node[f->host[i]]) continue;
        add_leaf_way(g, i, true);
        add_leaf_way(g, i, false);
        if (g->p->parent[f->leaf[i]] == f->node[f->host[i]]) add_apart(g, i);
    }
}

/* ---- cuts ---- */

static double *capacity(const plani_flow_program_t *f, int a, int b)
{
    return &f->capacity[(size_t)a * (size_t)(f->hosts + 1) + (size_t)b];
}

/* Between all hosts, of the solution at hand. */
static void sum_pairs(plani_machine_program_t *g)
{
    const plani_flow_program_t *f = &g->flow;
    memset(f->between, 0, (size_t)f->hosts * (size_t)f->hosts * sizeof *f->between);
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < f->n; j++)
            f->between[(size_t)f->host[i] * (size_t)f->hosts + (size_t)f->host[j]] +=
                glp_get_col_prim(g->prob, pair_column(f, i, j));
}

/* The graph around one host like `sink`; the others like it are the last vertex. */
static void fill_capacities(const plani_machine_program_t *g, int sink)
{
    const plani_flow_program_t *f = &g->flow;
    int rest = f->hosts;
    double one = 1 / count_of(g->p, f->node[sink]);
    for (int a = 0; a <= rest; a++)
        for (int b = 0; b <= rest; b++) {
            int x = a == rest ? sink : a, y = b == rest ? sink : b;
            double y_xy = f->between[(size_t)x * (size_t)f->hosts + (size_t)y];
            double part = (a == rest || b == rest ? 1 - one : 1) * (a == sink || b == sink ? one : 1);
            if (x == sink && y == sink) part = a != b ? one : 0;
            *capacity(f, a, b) = a == b ? 0 : y_xy * part;
        }
}

/* \return what one more path carries; 0: there is none, and from[] >= 0 marks the root's side */
static double augment(plani_flow_program_t *f, int sink, int *queue)
{
    int n = 0;
    for (int a = 0; a <= f->hosts; a++) f->from[a] = -1;
    f->from[f->root] = f->root;
    queue[n++] = f->root;
    for (int i = 0; i < n && f->from[sink] < 0; i++)
        for (int b = 0; b <= f->hosts; b++)
            if (f->from[b] < 0 && *capacity(f, queue[i], b) > 1e-12) f->from[b] = queue[i], queue[n++] = b;
    if (f->from[sink] < 0) return 0;
    double most = INFINITY;
    for (int b = sink; b != f->root; b = f->from[b]) most = plani_min(most, *capacity(f, f->from[b], b));
    for (int b = sink; b != f->root; b = f->from[b]) {
        *capacity(f, f->from[b], b) -= most;
        *capacity(f, b, f->from[b]) += most;
    }
    return most;
}

/* The part of a pair's total that enters the set that the root's side leaves. */
static double part_that_enters(const plani_machine_program_t *g, int sink, int x, int y)
{
    const plani_flow_program_t *f = &g->flow;
    double one = 1 / count_of(g->p, f->node[sink]), sum = 0;
    for (int k = 0; k < 4; k++) { /* each end may be the sink or one like it */
        int a = k & 1 ? f->hosts : x, b = k & 2 ? f->hosts : y;
        if ((k & 1 && x != sink) || (k & 2 && y != sink) || f->from[a] < 0 || f->from[b] >= 0) continue;
        if (x == sink && y == sink)
            sum += a != b ? one : 0;
        else
            sum += (k != 0 ? 1 - one : 1) * (a == sink || b == sink ? one : 1);
    }
    return sum;
}

static void add_cut(plani_machine_program_t *g, int sink)
{
    plani_flow_program_t *f = &g->flow;
    int n = 0, row = plani_machine_row(g, GLP_LO, 0, 0);
    f->index[++n] = PLANI_RATE_COLUMN;
    f->value[n] = -1;
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < f->n; j++) {
            double part = part_that_enters(g, sink, f->host[i], f->host[j]);
            if (part <= 0) continue;
            f->index[++n] = pair_column(f, i, j);
            f->value[n] = part;
        }
    glp_set_mat_row(g->prob, row, n, f->index, f->value);
}

int plani_flows_add_cuts(plani_machine_program_t *g)
{
    plani_flow_program_t *f = &g->flow;
    double rate = glp_get_col_prim(g->prob, PLANI_RATE_COLUMN);
    int added = 0;
    if (f->n == 0 || g->status[1] != GLP_OPT) return 0;
    sum_pairs(g);
    for (int sink = 0; sink < f->hosts; sink++) {
        double carried = 0, more = 1;
        if (sink == f->root) continue;
        fill_capacities(g, sink);
        while (more > 0 && carried < rate) carried += more = augment(f, sink, f->index);
        if (carried >= rate * (1 - VIOLATED)) continue;
        add_cut(g, sink);
        added++;
    }
    return added;
}

double plani_flows_worth(const plani_machine_program_t *g)
{
    const plani_flow_program_t *f = &g->flow;
    double rate = glp_get_col_prim(g->prob, PLANI_RATE_COLUMN), sum = 0;
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < f->n; j++) {
            int col = pair_column(f, i, j);
            double dual = glp_get_col_dual(g->prob, col);
            if (glp_get_col_type(g->prob, col) == GLP_DB && dual > 0) sum += dual * glp_get_col_ub(g->prob, col) / rate;
        }
    return sum;
}
