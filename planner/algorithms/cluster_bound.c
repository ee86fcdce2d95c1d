#include "planner/algorithms/cluster_bound.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "lib/base/base.h"
#include "lp/machine.h"

/* The program's nodes: the whole, groups with hosts in them, hosts, and ranks where a host has several: the root, and
 * one that stands for all others. Equal hosts of a group that follow one another are one node, the root's apart. */
typedef struct {
    const plani_cluster_t *c;
    plani_machine_problem_t p;
    int *parent, *count, *group_of, *host_of; /* [nodes] group or host that it is; -1: none */
    double *out, *in, *inside;
} nodes_t;

static void clear(nodes_t *n)
{
    free(n->parent);
    free(n->out);
    *n = (nodes_t){0};
}

static plan_status_t allocate(const plani_cluster_t *c, nodes_t *n)
{
    size_t most = 1 + (size_t)c->ngroups + 3 * (size_t)c->nhosts;
    *n = (nodes_t){.c = c, .parent = malloc(4 * most * sizeof *n->parent), .out = malloc(3 * most * sizeof *n->out)};
    if (n->parent == NULL || n->out == NULL) {
        clear(n);
        return PLAN_ENOMEM;
    }
    n->count = n->parent + most;
    n->group_of = n->parent + 2 * most;
    n->host_of = n->parent + 3 * most;
    n->in = n->out + most;
    n->inside = n->out + 2 * most;
    return PLAN_OK;
}

static int add(nodes_t *n, int parent, double out, double in)
{
    int x = n->p.nodes++;
    n->parent[x] = parent;
    n->count[x] = 1;
    n->group_of[x] = n->host_of[x] = -1;
    n->out[x] = out > 0 ? out : INFINITY; /* trunks without limit have rates of 0 */
    n->in[x] = in > 0 ? in : INFINITY;
    n->inside[x] = INFINITY;
    return x;
}

static int add_host(nodes_t *n, int h, int parent, bool has_root)
{
    const plani_host_t *host = &n->c->host[h];
    int x = add(n, parent, host->card.out_bytes_per_s, host->card.in_bytes_per_s);
    n->host_of[x] = h;
    if (has_root) n->p.root = x;
    if (host->ranks == 1) return x;
    n->inside[x] = n->c->memory_bytes_per_s;
    if (has_root) n->p.root = add(n, x, INFINITY, INFINITY);
    int others = add(n, x, INFINITY, INFINITY);
    n->count[others] = host->ranks - has_root;
    return x;
}

static bool are_alike(const plani_host_t *a, const plani_host_t *b)
{
    return a->group == b->group && a->ranks == b->ranks && a->card.out_bytes_per_s == b->card.out_bytes_per_s &&
           a->card.in_bytes_per_s == b->card.in_bytes_per_s;
}

/* `node` [ngroups] the node of each group. */
static void add_hosts(nodes_t *n, int root, const int *node)
{
    const plani_cluster_t *c = n->c;
    int last = -1, x = -1; /* without the root, and its node */
    for (int h = 0; h < c->nhosts; h++) {
        bool has_root = h == c->host_of[root];
        if (!has_root && last >= 0 && are_alike(&c->host[last], &c->host[h])) {
            n->count[x]++;
            continue;
        }
        int added = add_host(n, h, c->host[h].group < 0 ? 0 : node[c->host[h].group], has_root);
        if (!has_root) last = h, x = added;
    }
}

/* `node` [ngroups] receives the node of each group, -1 for those without hosts. */
static void fill(nodes_t *n, int root, int *node)
{
    const plani_cluster_t *c = n->c;
    for (int g = 0; g < c->ngroups; g++) node[g] = -1;
    for (int h = 0; h < c->nhosts; h++)
        for (int g = c->host[h].group; g >= 0 && node[g] < 0; g = c->group[g].above) node[g] = 0;
    add(n, -1, 0, 0);
    for (int g = 0; g < c->ngroups; g++) {
        const plani_group_t *group = &c->group[g];
        if (node[g] < 0) continue;
        node[g] = add(n, group->above < 0 ? 0 : node[group->above], group->trunk.out_bytes_per_s,
                      group->trunk.in_bytes_per_s);
        n->group_of[node[g]] = g;
    }
    add_hosts(n, root, node);
    n->p.parent = n->parent;
    n->p.count = n->count;
    n->p.out = n->out;
    n->p.in = n->in;
    n->p.inside = n->inside;
}

/* ---- its bottleneck ---- */

static void name_of(const nodes_t *n, int x, const char *what, char name[160])
{
    const plani_cluster_t *c = n->c;
    bool host = n->host_of[x] >= 0;
    const char *given = host ? c->host[n->host_of[x]].name : c->group[n->group_of[x]].name;
    const char *kind = host ? "host" : c->group[n->group_of[x]].above < 0 ? "site" : "group";
    snprintf(name, 160, "%s %s%s %s", kind, given != NULL ? given : "", host ? "" : " trunk", what);
}

static int by_worth(const void *a, const void *b)
{
    const plani_cluster_limit_t *x = a, *y = b;
    return (x->worth < y->worth) - (x->worth > y->worth);
}

static plan_status_t list(const nodes_t *n, const plani_machine_bound_t *b, plani_cluster_bound_t *out)
{
    const struct {
        const char *what;
        const double *worth;
    } way[] = {{"out", b->out_worth}, {"in", b->in_worth}, {"memory", b->inside_worth}};
    const double least = 1e-9;

    out->limit = calloc(3 * (size_t)n->p.nodes, sizeof *out->limit);
    if (out->limit == NULL) return PLAN_ENOMEM;
    for (int x = 1; x < n->p.nodes; x++)
        for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
            if (!(way[k].worth[x] > least)) continue;
            name_of(n, x, way[k].what, out->limit[out->n].name);
            out->limit[out->n].count = n->host_of[x] >= 0 ? n->count[x] : 1;
            out->limit[out->n++].worth = way[k].worth[x];
        }
    qsort(out->limit, out->n, sizeof *out->limit, by_worth);
    return PLAN_OK;
}

void plani_cluster_bound_clear(plani_cluster_bound_t *bound)
{
    free(bound->limit);
    *bound = (plani_cluster_bound_t){0};
}

plan_status_t plani_cluster_bound(const plani_cluster_t *c, int root, plani_cluster_bound_t *bound, plan_error_t *err)
{
    nodes_t n = {0};
    plani_machine_bound_t b = {0};
    plan_status_t rc = PLAN_ENOMEM;

    *bound = (plani_cluster_bound_t){.rate = INFINITY};
    if (root < 0 || root >= c->ranks)
        return plani_fail(err, PLAN_EINVAL, "root %d: must be in 0..%d", root, c->ranks - 1);
    int *node = malloc(((size_t)c->ngroups + 1) * sizeof *node);
    if (node != NULL) rc = allocate(c, &n);
    if (rc != PLAN_OK) {
        plani_fail(err, rc, "out of memory for the bound of %d hosts", c->nhosts);
        goto done;
    }
    fill(&n, root, node);
    if ((rc = plani_machine_bound(&n.p, &b, err)) != PLAN_OK) goto done;
    if ((rc = list(&n, &b, bound)) != PLAN_OK) plani_fail(err, rc, "out of memory");
    bound->rate = b.rate;
    bound->seconds = b.seconds;
    bound->nodes = n.p.nodes;
done:
    free(node);
    clear(&n);
    plani_machine_bound_clear(&b);
    if (rc != PLAN_OK) plani_cluster_bound_clear(bound);
    return rc;
}
