#include "planner/algorithms/resource_bound.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "graphs/machine/ways.h"
#include "lib/base/base.h"
#include "lp/machine.h"
#include "planner/algorithms/cluster_bound.h"
#include "planner/cost/cost.h"

/* What no link from one host to another takes less than; both 0: something that one of them passes limits it. */
typedef struct {
    double latency_s, s_per_byte;
} fastest_t;

/* Nodes: the whole, groups, hosts, and of hosts with several ranks the root and one that stands for all others. */
struct plani_resource_bound {
    const plan_platform_data_t *d;
    plani_ways_t ways;
    plani_machine_problem_t p;
    int *parent, *count, *set; /* [nodes] `set` of the ways; -1: none */
    int *node;                 /* [hosts] */
    int *ranks;                /* [hosts] how many */
    bool *host;                /* [nodes] */
    double *out, *in, *inside, *through, *work;
    double *flow;     /* [nodes^2]; NULL: none is limited, or there are too many */
    bool slow_links;  /* some link between hosts is slower than what it passes */
    fastest_t *pair;  /* [hosts^2] from the row's host to the column's; NULL: no slow links */
    size_t *everyone; /* [neveryone] resources that all links share, guesses apart */
    size_t neveryone;
    bool *guess; /* [resources] cards that are guesses */
};

void plani_resource_bound_destroy(plani_resource_bound_t **bound)
{
    plani_resource_bound_t *b = *bound;
    if (b == NULL) return;
    plani_ways_clear(&b->ways);
    free(b->parent);
    free(b->node);
    free(b->host);
    free(b->out);
    free(b->flow);
    free(b->pair);
    free(b->everyone);
    free(b->guess);
    free(b);
    *bound = NULL;
}

static plan_status_t allocate(plani_resource_bound_t *b)
{
    size_t hosts = (size_t)b->d->hosts, nodes = 1 + b->ways.nsets + 3 * hosts;
    b->parent = malloc(3 * nodes * sizeof *b->parent);
    b->node = calloc(2 * hosts, sizeof *b->node);
    b->host = calloc(nodes, sizeof *b->host);
    b->out = malloc(5 * nodes * sizeof *b->out);
    b->everyone = malloc((b->d->nresources + 1) * sizeof *b->everyone);
    b->guess = calloc(b->d->nresources + 1, sizeof *b->guess);
    if (b->parent == NULL || b->node == NULL || b->host == NULL || b->out == NULL || b->everyone == NULL ||
        b->guess == NULL)
        return PLAN_ENOMEM;
    b->count = b->parent + nodes, b->set = b->count + nodes;
    b->ranks = b->node + hosts;
    b->in = b->out + nodes, b->inside = b->in + nodes, b->through = b->inside + nodes, b->work = b->through + nodes;
    return PLAN_OK;
}

static int add(plani_resource_bound_t *b, int parent, int count, int set)
{
    int x = b->p.nodes++;
    b->parent[x] = parent;
    b->count[x] = count;
    b->set[x] = set;
    return x;
}

/* Larger sets come first; one that cuts through another limits nothing. */
static void add_groups(plani_resource_bound_t *b, int *of_host)
{
    for (size_t i = 0; i < b->ways.nsets; i++) {
        const plani_way_set_t *set = &b->ways.set[i];
        int above = b->node[set->host[0]];
        bool nested = set->n > 1;
        for (int k = 0; k < set->n; k++) nested = nested && b->node[set->host[k]] == above;
        if (set->n == 1) of_host[set->host[0]] = (int)i;
        if (!nested) continue;
        int x = add(b, above, 1, (int)i);
        for (int k = 0; k < set->n; k++) b->node[set->host[k]] = x;
    }
}

static void add_hosts(plani_resource_bound_t *b, int root, const int *of_host)
{
    const plan_platform_data_t *d = b->d;
    for (int h = 0; h < d->hosts; h++) {
        int x = add(b, b->node[h], 1, of_host[h]);
        bool has_root = d->host[root] == h;
        b->node[h] = x;
        b->host[x] = true;
        if (has_root) b->p.root = b->ranks[h] > 1 ? add(b, x, 1, -1) : x;
        if (b->ranks[h] > 1) add(b, x, b->ranks[h] - has_root, -1);
    }
}

/* Whether some link between hosts is slower than what it passes; the ranks of the hosts, and resources of all links. */
static void look_at_links(plani_resource_bound_t *b)
{
    const plan_platform_data_t *d = b->d;
    for (int r = 0; r < d->ranks; r++) b->ranks[d->host[r]]++;
    for (size_t l = 0; l < d->nlinks && !b->slow_links; l++) b->slow_links = plani_is_slow(d, b->guess, l);
    for (size_t i = 0; i < d->nresources; i++)
        if (d->resource[i].nlinks == d->nlinks && !d->resource[i].guess) b->everyone[b->neveryone++] = i;
}

/* Once for all slices: there are many more links than pairs of hosts. */
static plan_status_t find_pairs(plani_resource_bound_t *b)
{
    const plan_platform_data_t *d = b->d;
    size_t hosts = (size_t)d->hosts;
    if ((b->pair = malloc(hosts * hosts * sizeof *b->pair)) == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < hosts * hosts; i++) b->pair[i] = (fastest_t){INFINITY, INFINITY};
    for (size_t l = 0; l < d->nlinks; l++) {
        const plan_link_t *link = &d->link[l];
        int from = d->host[link->from], to = d->host[link->to];
        fastest_t *p = &b->pair[(size_t)from * hosts + (size_t)to];
        if (from == to || p->latency_s + p->s_per_byte == 0) continue;
        if (!plani_is_slow(d, b->guess, l)) *p = (fastest_t){0, 0};
        p->latency_s = plani_min(p->latency_s, link->latency_s);
        p->s_per_byte = plani_min(p->s_per_byte, link->s_per_byte);
    }
    return PLAN_OK;
}

static plan_status_t fill(plani_resource_bound_t *b, int root)
{
    int *of_host = malloc((size_t)b->d->hosts * sizeof *of_host);
    if (of_host == NULL) return PLAN_ENOMEM;
    for (int h = 0; h < b->d->hosts; h++) of_host[h] = -1;
    plani_ways_guessed_cards(b->d, &b->ways, b->guess);
    look_at_links(b);
    add(b, -1, 1, -1);
    add_groups(b, of_host);
    add_hosts(b, root, of_host);
    free(of_host);
    size_t nodes = (size_t)b->p.nodes;
    if (b->slow_links && find_pairs(b) != PLAN_OK) return PLAN_ENOMEM;
    if (b->slow_links && b->d->ranks <= PLANI_FLOW_LEAVES &&
        (b->flow = malloc(nodes * nodes * sizeof *b->flow)) == NULL)
        return PLAN_ENOMEM;
    b->p.parent = b->parent;
    b->p.count = b->count;
    b->p.out = b->out;
    b->p.in = b->in;
    b->p.inside = b->inside;
    b->p.through = b->through;
    b->p.send_s = b->p.receive_s = b->work;
    b->p.host = b->host;
    b->p.flow = b->flow;
    return PLAN_OK;
}

plan_status_t plani_resource_bound_create(const plan_platform_data_t *d, int root, plani_resource_bound_t **out)
{
    size_t ranks = (size_t)d->ranks;
    *out = NULL;
    if (d->ports != PLAN_PORTS_NONE || d->hosts < 2 || d->nlinks != ranks * (ranks - 1)) return PLAN_OK;
    plani_resource_bound_t *b = calloc(1, sizeof *b);
    if (b == NULL) return PLAN_ENOMEM;
    b->d = d;
    plan_status_t rc = plani_ways_find(d, &b->ways);
    if (rc == PLAN_OK) rc = allocate(b);
    if (rc == PLAN_OK) rc = fill(b, root);
    if (rc == PLAN_OK && b->ways.nsets > 0) *out = b, b = NULL;
    plani_resource_bound_destroy(&b);
    return rc;
}

/* ---- at a slice size ---- */

static double rate_of(double slice, double cost)
{
    return cost > 0 ? slice / cost : INFINITY;
}

/* Inside hosts slices may go through shared memory: what messages cost there limits nothing. */
static bool is_shared(const plan_platform_data_t *d)
{
    return d->nshared > 0;
}

static void set_rates(plani_resource_bound_t *b, double slice)
{
    for (int x = 0; x < b->p.nodes; x++) {
        const plani_way_set_t *set = b->set[x] >= 0 ? &b->ways.set[b->set[x]] : NULL;
        double cost[PLANI_WAY_ALL + 1] = {0};
        for (int way = PLANI_WAY_OUT; way <= PLANI_WAY_ALL && set != NULL; way++)
            cost[way] = plani_way_cost(b->d, set, (plani_way_t)way, slice);
        bool several = b->host[x] && x + 1 < b->p.nodes && b->parent[x + 1] == x && !is_shared(b->d);
        b->out[x] = rate_of(slice, cost[PLANI_WAY_OUT]);
        b->in[x] = rate_of(slice, cost[PLANI_WAY_IN]);
        b->inside[x] = several ? rate_of(slice, cost[PLANI_WAY_INSIDE]) : INFINITY;
        b->through[x] = several ? rate_of(slice, cost[PLANI_WAY_ALL]) : INFINITY;
        b->work[x] = plani_max(cost[PLANI_WAY_BOTH], several ? 0 : cost[PLANI_WAY_ALL]) / slice;
    }
}

/* [B/s] of one flow at most: INFINITY where what it passes limits it. */
static double flow_between(const plani_resource_bound_t *b, int from, int to, double slice)
{
    const fastest_t *p = &b->pair[(size_t)from * (size_t)b->d->hosts + (size_t)to];
    return rate_of(slice, p->latency_s + slice * p->s_per_byte);
}

/* What all flows out of each host and into it carry limits them; of few ranks, each does. */
static void set_flows(plani_resource_bound_t *b, double slice)
{
    size_t nodes = (size_t)b->p.nodes;
    for (size_t i = 0; b->flow != NULL && i < nodes * nodes; i++) b->flow[i] = INFINITY;
    for (int h = 0; h < b->d->hosts; h++) {
        double out = 0, in = 0;
        int x = b->node[h];
        for (int k = 0; k < b->d->hosts; k++) {
            if (k == h) continue;
            double there = flow_between(b, h, k, slice), pairs = (double)b->ranks[h] * b->ranks[k];
            if (b->flow != NULL) b->flow[(size_t)x * nodes + (size_t)b->node[k]] = there;
            out += pairs * there;
            in += pairs * flow_between(b, k, h, slice);
        }
        b->out[x] = plani_min(b->out[x], out);
        b->in[x] = plani_min(b->in[x], in);
    }
}

plan_status_t plani_resource_bound_at(plani_resource_bound_t *b, double slice, double *rate, plan_error_t *err)
{
    plani_machine_bound_t bound;
    set_rates(b, slice);
    if (b->slow_links) set_flows(b, slice);
    plan_status_t rc = plani_machine_bound(&b->p, &bound, err);
    if (rc != PLAN_OK) return rc;
    *rate = bound.rate;
    int sent = (is_shared(b->d) ? b->d->hosts : b->d->ranks) - 1; /* ranks that are sent each slice */
    for (size_t i = 0; i < b->neveryone; i++) {
        double cost = plan_resource_cost(&b->d->resource[b->everyone[i]], slice);
        *rate = plani_min(*rate, rate_of(slice, cost * sent));
    }
    plani_machine_bound_clear(&bound);
    return PLAN_OK;
}
