#include "planner/algorithms/cluster_bound.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "graphs/machine/machine.h"
#include "lib/base/base.h"
#include "lp/machine.h"
#include "planner/cost/parameters.h"

/* The program's nodes: the whole, groups with hosts in them, hosts, and ranks where a host has several: the root, and
 * one that stands for all others. Equal hosts of a group are one node, the root's apart. */
typedef struct {
    const plani_cluster_t *c;
    bool guesses;  /* limit as well */
    bool messages; /* inside hosts limit */
    plani_machine_problem_t p;
    int *parent, *count, *group_of, *host_of; /* [nodes] group or host that it is; -1: none */
    int *next;                                /* [nodes] of hosts: other hosts of the group; -1: there are no more */
    double *out, *in, *inside;
    double *medium; /* [nodes] [s/B] of a half-duplex card; else 0 */
    bool *host;     /* [nodes] */
    bool *single;   /* [nhosts] hosts that have paths of their own; NULL: no flow is limited */
    double *flow;   /* [nodes^2]; NULL: none is limited, or there are too many */
} nodes_t;

static void clear(nodes_t *n)
{
    free(n->parent);
    free(n->out);
    free(n->host);
    free(n->single);
    free(n->flow);
    *n = (nodes_t){0};
}

static plan_status_t allocate(const plani_cluster_t *c, bool guesses, bool messages, nodes_t *n)
{
    size_t most = 1 + (size_t)c->ngroups + 3 * (size_t)c->nhosts;
    *n = (nodes_t){.c = c,
                   .guesses = guesses,
                   .messages = messages,
                   .parent = malloc(5 * most * sizeof *n->parent),
                   .out = malloc(4 * most * sizeof *n->out),
                   .host = calloc(most, sizeof *n->host)};
    if (n->parent == NULL || n->out == NULL || n->host == NULL) return PLAN_ENOMEM; /* the caller clears */
    n->count = n->parent + most;
    n->group_of = n->parent + 2 * most;
    n->host_of = n->parent + 3 * most;
    n->next = n->parent + 4 * most;
    n->in = n->out + most;
    n->inside = n->out + 2 * most;
    n->medium = n->out + 3 * most;
    return PLAN_OK;
}

static bool is_guess(const nodes_t *n, const plani_machine_kind_t *k, bool out)
{
    return !n->guesses && plani_kind_is_guess(k, out);
}

static bool is_half_duplex(const nodes_t *n, const plani_machine_kind_t *k)
{
    return plani_kind_shares_medium(k) && !is_guess(n, k, true);
}

/* Whether flows are limited, and which hosts then have paths of their own. */
static plan_status_t find_flows(nodes_t *n)
{
    const plani_machine_t *m = n->c->machine;
    bool limited = false;

    for (int i = 0; m != NULL && i < m->npaths; i++) limited = limited || m->path[i].flow_bytes_per_s > 0;
    for (int k = 0; m != NULL && k < m->nkinds; k++) limited = limited || is_half_duplex(n, &m->kind[k]);
    if (!limited) return PLAN_OK;
    if ((n->single = calloc((size_t)m->nhosts + 1, sizeof *n->single)) == NULL) return PLAN_ENOMEM;
    for (int i = 0; i < m->npaths; i++) {
        if (m->path[i].from_host >= 0) n->single[m->path[i].from_host] = true;
        if (m->path[i].to_host >= 0) n->single[m->path[i].to_host] = true;
    }
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
    n->medium[x] = 0;
    return x;
}

/* A half-duplex card carries the mean of its rates, both ways together; one flow gets no more than one way's. */
static void share_medium(nodes_t *n, int x, int h)
{
    const plani_machine_kind_t *kind = n->c->machine != NULL ? &n->c->machine->kind[n->c->machine->host[h].kind] : NULL;
    if (kind == NULL || !is_half_duplex(n, kind)) return;
    n->medium[x] = 2 / (kind->out.bytes_per_s + kind->in.bytes_per_s);
    n->out[x] = n->in[x] = INFINITY;
}

/* [B/s] of a host's card; 0: no limit is known for certain. */
static double certain_card(const nodes_t *n, int h, bool out)
{
    const plani_cluster_t *c = n->c;
    if (c->machine != NULL && is_guess(n, &c->machine->kind[c->machine->host[h].kind], out)) return 0;
    return out ? c->host[h].card.out_bytes_per_s : c->host[h].card.in_bytes_per_s;
}

static int add_host(nodes_t *n, int h, int parent, bool has_root)
{
    const plani_host_t *host = &n->c->host[h];
    int x = add(n, parent, certain_card(n, h, true), certain_card(n, h, false));
    n->host_of[x] = h;
    n->host[x] = true;
    share_medium(n, x, h);
    if (has_root) n->p.root = x;
    if (host->ranks == 1) return x;
    if (n->messages) n->inside[x] = n->c->memory_bytes_per_s;
    if (has_root) n->p.root = add(n, x, INFINITY, INFINITY);
    int others = add(n, x, INFINITY, INFINITY);
    n->count[others] = host->ranks - has_root;
    return x;
}

static bool are_alike(const nodes_t *n, int g, int h)
{
    const plani_host_t *a = &n->c->host[g], *b = &n->c->host[h];
    if (n->c->machine != NULL && n->c->machine->host[g].kind != n->c->machine->host[h].kind) return false;
    if (n->single != NULL && (n->single[g] || n->single[h])) return false;
    return a->group == b->group && a->ranks == b->ranks && a->card.out_bytes_per_s == b->card.out_bytes_per_s &&
           a->card.in_bytes_per_s == b->card.in_bytes_per_s;
}

/* The node of hosts like h, of those of its group, which are listed from the last one on; -1: there is none. */
static int find_alike(const nodes_t *n, const int *last, int h)
{
    int x = last[n->c->host[h].group + 1];
    while (x >= 0 && !are_alike(n, n->host_of[x], h)) x = n->next[x];
    return x;
}

/* `node` [ngroups] the node of each group; last [1 + ngroups] scratch. */
static void add_hosts(nodes_t *n, int root, const int *node, int *last)
{
    const plani_cluster_t *c = n->c;
    for (int g = 0; g <= c->ngroups; g++) last[g] = -1;
    for (int h = 0; h < c->nhosts; h++) {
        bool has_root = h == c->host_of[root];
        int group = c->host[h].group, x = has_root ? -1 : find_alike(n, last, h);
        if (x >= 0) {
            n->count[x]++;
            continue;
        }
        x = add_host(n, h, group < 0 ? 0 : node[group], has_root);
        if (has_root) continue;
        n->next[x] = last[group + 1];
        last[group + 1] = x;
    }
}

/* [B/s] of a group's trunk; 0: no limit is known for certain. */
static double certain_rate(const nodes_t *n, int g, bool out)
{
    const plani_cluster_t *c = n->c;
    const plani_machine_group_t *group = c->machine != NULL && !n->guesses ? &c->machine->group[g] : NULL;
    if (group != NULL && (out ? group->out.guess : group->in.guess)) return 0;
    return out ? c->group[g].trunk.out_bytes_per_s : c->group[g].trunk.in_bytes_per_s;
}

/* `node` [ngroups] receives the node of each group, -1 for those without hosts; last [1 + ngroups] scratch. */
static void fill(nodes_t *n, int root, int *node, int *last)
{
    const plani_cluster_t *c = n->c;
    for (int g = 0; g < c->ngroups; g++) node[g] = -1;
    for (int h = 0; h < c->nhosts; h++)
        for (int g = c->host[h].group; g >= 0 && node[g] < 0; g = c->group[g].above) node[g] = 0;
    add(n, -1, 0, 0);
    for (int g = 0; g < c->ngroups; g++) {
        const plani_group_t *group = &c->group[g];
        if (node[g] < 0) continue;
        node[g] =
            add(n, group->above < 0 ? 0 : node[group->above], certain_rate(n, g, true), certain_rate(n, g, false));
        n->group_of[node[g]] = g;
    }
    add_hosts(n, root, node, last);
    n->p.parent = n->parent;
    n->p.count = n->count;
    n->p.out = n->out;
    n->p.in = n->in;
    n->p.inside = n->inside;
    n->p.send_s = n->p.receive_s = n->medium;
    n->p.host = n->host;
}

/* ---- single flows ---- */

/* [B/s] What the slowest card or trunk from one node's hosts to another's carries. */
static double slowest_between(const nodes_t *n, int x, int y)
{
    double rate = INFINITY;
    int up = x, down = y;
    if (n->medium[x] > 0) rate = 1 / n->medium[x];
    if (n->medium[y] > 0) rate = plani_min(rate, 1 / n->medium[y]);
    if (x == y) return plani_min(rate, plani_min(n->out[x], n->in[x]));
    while (up != down) { /* the higher number is not above the other */
        rate = plani_min(rate, up > down ? n->out[up] : n->in[down]);
        *(up > down ? &up : &down) = n->parent[up > down ? up : down];
    }
    return rate;
}

/* Whether a card that is a guess may limit the flow: then no other limit is told from it, as in resource_bound.c. */
static bool is_of_guess(const nodes_t *n, const plani_machine_kind_t *k, bool out, double flow)
{
    return is_guess(n, k, out) && plani_kind_rate(k, out) > 0 && flow >= plani_kind_rate(k, out);
}

/* [B/s] of one flow between hosts of two nodes, or between two of one node's; INFINITY: cards and trunks limit it,
 * within the error of measuring. */
static double flow_between(const nodes_t *n, int x, int y)
{
    const plani_machine_t *m = n->c->machine;
    int a = n->host_of[x], b = n->host_of[y];
    int path = x == y ? plani_machine_path(m, a, a) : plani_machine_path_between(m, a, b);
    const plani_machine_kind_t *from = &m->kind[m->host[a].kind], *to = &m->kind[m->host[b].kind];
    double flow = path >= 0 && m->path[path].flow_bytes_per_s > 0 ? m->path[path].flow_bytes_per_s : INFINITY;
    if (is_half_duplex(n, from)) flow = plani_min(flow, from->out.bytes_per_s);
    if (is_half_duplex(n, to)) flow = plani_min(flow, to->in.bytes_per_s);
    if (is_of_guess(n, from, true, flow) || is_of_guess(n, to, false, flow)) return INFINITY;
    return flow < slowest_between(n, x, y) * (1 - PLANI_MISSED) ? flow : INFINITY;
}

/* Into the rows and columns of a host's node; *out, *in [B/s]: what all its flows carry, or as many as its card does.
 */
static void sum_flows(const nodes_t *n, int x, double *out, double *in)
{
    size_t nodes = (size_t)n->p.nodes;
    double card = n->medium[x] > 0 ? 1 / n->medium[x] : INFINITY;
    *out = *in = 0;
    for (int y = 0; y < n->p.nodes; y++) {
        double others = n->count[y] - (x == y);
        if (!n->host[y] || others == 0) continue;
        if (n->flow == NULL && *out >= plani_min(card, n->out[x]) && *in >= plani_min(card, n->in[x])) return;
        double there = flow_between(n, x, y);
        if (n->flow != NULL) n->flow[(size_t)x * nodes + (size_t)y] = there;
        *out += others * there;
        *in += others * flow_between(n, y, x);
    }
}

/* What all flows out of each host and into it carry limits them; of few ranks, each does. */
static plan_status_t limit_flows(nodes_t *n)
{
    size_t nodes = (size_t)n->p.nodes;
    double *all = NULL;

    if (n->single == NULL) return PLAN_OK;
    if (n->c->ranks <= PLANI_FLOW_LEAVES && (n->flow = malloc(nodes * nodes * sizeof *n->flow)) == NULL)
        return PLAN_ENOMEM;
    for (size_t i = 0; n->flow != NULL && i < nodes * nodes; i++) n->flow[i] = INFINITY;
    if ((all = malloc(2 * nodes * sizeof *all)) == NULL) return PLAN_ENOMEM;
    for (size_t x = 0; x < nodes; x++)
        if (n->host[x]) sum_flows(n, (int)x, &all[2 * x], &all[2 * x + 1]);
    for (size_t x = 0; x < nodes; x++) {
        if (!n->host[x]) continue;
        n->out[x] = plani_min(n->out[x], all[2 * x]);
        n->in[x] = plani_min(n->in[x], all[2 * x + 1]);
    }
    free(all);
    n->p.flow = n->flow;
    return PLAN_OK;
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
    } way[] = {{"out", b->out_worth}, {"in", b->in_worth}, {"memory", b->inside_worth}, {"both ways", b->worker_worth}};
    const double least = 1e-9;

    out->limit = calloc(4 * (size_t)n->p.nodes, sizeof *out->limit); /* node 0 has none: room for the flows */
    if (out->limit == NULL) return PLAN_ENOMEM;
    for (int x = 1; x < n->p.nodes; x++)
        for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
            if (!(way[k].worth[x] > least)) continue;
            name_of(n, x, way[k].what, out->limit[out->n].name);
            out->limit[out->n].count = n->host_of[x] >= 0 ? n->count[x] : 1;
            out->limit[out->n++].worth = way[k].worth[x];
        }
    if (b->flows_worth > least) {
        out->limit[out->n] = (plani_cluster_limit_t){.name = "single flows", .count = 1, .worth = b->flows_worth};
        out->n++;
    }
    qsort(out->limit, out->n, sizeof *out->limit, by_worth);
    return PLAN_OK;
}

void plani_cluster_bound_clear(plani_cluster_bound_t *bound)
{
    free(bound->limit);
    *bound = (plani_cluster_bound_t){0};
}

static plan_status_t solve(const plani_cluster_t *c, int root, bool guesses, bool messages,
                           plani_cluster_bound_t *bound, plan_error_t *err)
{
    nodes_t n = {0};
    plani_machine_bound_t b = {0};
    plan_status_t rc = PLAN_ENOMEM;

    *bound = (plani_cluster_bound_t){.rate = INFINITY};
    if (root < 0 || root >= c->ranks)
        return plani_fail(err, PLAN_EINVAL, "root %d: must be in 0..%d", root, c->ranks - 1);
    int *node = malloc(2 * ((size_t)c->ngroups + 1) * sizeof *node);
    if (node != NULL) rc = allocate(c, guesses, messages, &n);
    if (rc == PLAN_OK) rc = find_flows(&n);
    if (rc == PLAN_OK) fill(&n, root, node, node + c->ngroups + 1);
    if (rc == PLAN_OK) rc = limit_flows(&n);
    if (rc != PLAN_OK) {
        plani_fail(err, rc, "out of memory for the bound of %d hosts", c->nhosts);
        goto done;
    }
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

plan_status_t plani_cluster_bound(const plani_cluster_t *c, int root, plani_cluster_bound_t *bound, plan_error_t *err)
{
    return solve(c, root, false, true, bound, err);
}

static plan_status_t rate_of(const plani_cluster_t *c, int root, bool guesses, bool messages, double *rate,
                             plan_error_t *err)
{
    plani_cluster_bound_t bound;
    plan_status_t rc = solve(c, root, guesses, messages, &bound, err);
    *rate = bound.rate;
    plani_cluster_bound_clear(&bound);
    return rc;
}

plan_status_t plani_cluster_rate(const plani_cluster_t *c, int root, double *rate, plan_error_t *err)
{
    return rate_of(c, root, true, true, rate, err);
}

plan_status_t plani_cluster_bound_between(const plani_cluster_t *c, int root, double *rate, plan_error_t *err)
{
    return rate_of(c, root, false, false, rate, err);
}
