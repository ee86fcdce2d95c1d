/*
 * The machine behind a platform, from which links share a resource: all links out of some hosts and no others share the
 * way out of them, and likewise the way in. Those of one host are its card, those of several the trunk of a group.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "graphs/machine/cluster.h"
#include "lib/base/base.h"

typedef enum { NEITHER, OUT, IN, INSIDE } way_t;

/* Hosts behind one trunk, or one host behind its card. */
typedef struct {
    int n, *host; /* [n] ascending */
    double out, in;
} gate_set_t;

typedef struct {
    const plan_platform_data_t *d;
    bool *sends, *receives; /* [hosts] of the resource at hand */
    size_t nsets, room;
    gate_set_t *set;
    double inside; /* [B/s] */
} inference_t;

static void inference_clear(inference_t *x)
{
    for (size_t i = 0; i < x->nsets; i++) free(x->set[i].host);
    free(x->set);
    free(x->sends);
    free(x->receives);
}

/* How many links go out of the marked hosts (OUT), or into them. */
static size_t count_crossing(const plan_platform_data_t *d, const bool *marked, way_t way)
{
    size_t n = 0;
    for (int r = 0; r < d->ranks; r++) {
        if (!marked[d->host[r]]) continue;
        if (way == OUT)
            for (size_t l = d->out_first[r]; l < d->out_first[r + 1]; l++) n += !marked[d->host[d->link[l].to]];
        else
            for (size_t i = d->in_first[r]; i < d->in_first[r + 1]; i++)
                n += !marked[d->host[d->link[d->in_link[i]].from]];
    }
    return n;
}

static int count(const bool *marked, int n)
{
    int sum = 0;
    for (int h = 0; h < n; h++) sum += marked[h];
    return sum;
}

/* Between two hosts, or two sites, the way out of one is that into the other: of the fewer hosts. */
static way_t classify(inference_t *x, const plan_resource_t *r)
{
    const plan_platform_data_t *d = x->d;
    size_t within = 0;
    bool out = true, in = true;

    memset(x->sends, 0, (size_t)d->hosts * sizeof *x->sends);
    memset(x->receives, 0, (size_t)d->hosts * sizeof *x->receives);
    for (size_t k = 0; k < r->nlinks; k++) {
        int a = d->host[d->link[r->link[k]].from], b = d->host[d->link[r->link[k]].to];
        x->sends[a] = x->receives[b] = true;
        within += a == b;
    }
    if (within > 0) return within == r->nlinks && count(x->sends, d->hosts) == 1 ? INSIDE : NEITHER;
    for (size_t k = 0; k < r->nlinks; k++) {
        const plan_link_t *l = &d->link[r->link[k]];
        out = out && !x->sends[d->host[l->to]];
        in = in && !x->receives[d->host[l->from]];
    }
    out = out && count_crossing(d, x->sends, OUT) == r->nlinks;
    in = in && count_crossing(d, x->receives, IN) == r->nlinks;
    if (out && in) return count(x->receives, d->hosts) < count(x->sends, d->hosts) ? IN : OUT;
    return out ? OUT : in ? IN : NEITHER;
}

static bool is_set(const gate_set_t *set, const bool *marked, int n)
{
    for (int i = 0; i < set->n; i++)
        if (!marked[set->host[i]]) return false;
    return set->n == n;
}

static plan_status_t add_gate(inference_t *x, way_t way, double rate)
{
    const bool *marked = way == OUT ? x->sends : x->receives;
    int n = count(marked, x->d->hosts);
    size_t i = 0;

    while (i < x->nsets && !is_set(&x->set[i], marked, n)) i++;
    if (i == x->nsets) {
        gate_set_t *more = plani_grown(x->set, x->nsets, &x->room, sizeof *more);
        if (more == NULL) return PLAN_ENOMEM;
        x->set = more;
        x->set[i] = (gate_set_t){.host = malloc((size_t)n * sizeof *x->set[i].host), .out = INFINITY, .in = INFINITY};
        if (x->set[i].host == NULL) return PLAN_ENOMEM;
        for (int h = 0; h < x->d->hosts; h++)
            if (marked[h]) x->set[i].host[x->set[i].n++] = h;
        x->nsets++;
    }
    double *gate = way == OUT ? &x->set[i].out : &x->set[i].in;
    *gate = fmin(*gate, rate);
    return PLAN_OK;
}

static plan_status_t find_gates(inference_t *x)
{
    plan_status_t rc = PLAN_OK;
    for (size_t i = 0; i < x->d->nresources && rc == PLAN_OK; i++) {
        const plan_resource_t *r = &x->d->resource[i];
        if (r->nlinks == 0 || !(r->s_per_byte > 0)) continue;
        way_t way = classify(x, r);
        if (way == INSIDE) x->inside = fmin(x->inside, 1 / r->s_per_byte);
        if (way == OUT || way == IN) rc = add_gate(x, way, 1 / r->s_per_byte);
    }
    return rc;
}

/* ---- the cluster ---- */

static int largest_first(const void *a, const void *b)
{
    const gate_set_t *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->host[0] > y->host[0]) - (x->host[0] < y->host[0]);
}

/* Rates of 0 are none. */
static plani_gate_t gate_of(const gate_set_t *set)
{
    return (plani_gate_t){.out_bytes_per_s = isfinite(set->out) ? set->out : 0,
                          .in_bytes_per_s = isfinite(set->in) ? set->in : 0};
}

/* Hosts are within all sets around them; a set that cuts through another one is left out. */
static void nest(const inference_t *x, plani_cluster_t *c)
{
    for (size_t i = 0; i < x->nsets; i++) {
        const gate_set_t *set = &x->set[i];
        int above = c->host[set->host[0]].group;
        bool nested = true;
        for (int k = 0; k < set->n; k++) nested = nested && c->host[set->host[k]].group == above;
        if (!nested) continue;
        if (set->n == 1) {
            plani_gate_t card = gate_of(set), *was = &c->host[set->host[0]].card;
            if (card.out_bytes_per_s > 0) was->out_bytes_per_s = card.out_bytes_per_s;
            if (card.in_bytes_per_s > 0) was->in_bytes_per_s = card.in_bytes_per_s;
            continue;
        }
        c->group[c->ngroups] = (plani_group_t){.above = above, .trunk = gate_of(set)};
        for (int k = 0; k < set->n; k++) c->host[set->host[k]].group = c->ngroups;
        c->ngroups++;
    }
}

/* Without a card, a host is as fast as its fastest link. */
static void fill_hosts(const plan_platform_data_t *d, plani_cluster_t *c)
{
    for (int h = 0; h < d->hosts; h++) c->host[h].group = -1;
    for (int r = 0; r < d->ranks; r++) {
        c->host_of[r] = d->host[r];
        c->host[d->host[r]].ranks++;
    }
    for (size_t l = 0; l < d->nlinks; l++) {
        int a = d->host[d->link[l].from], b = d->host[d->link[l].to];
        double rate = d->link[l].s_per_byte > 0 ? 1 / d->link[l].s_per_byte : 1e15;
        if (a == b) continue;
        c->host[a].card.out_bytes_per_s = fmax(c->host[a].card.out_bytes_per_s, rate);
        c->host[b].card.in_bytes_per_s = fmax(c->host[b].card.in_bytes_per_s, rate);
    }
}

static plan_status_t make_cluster(const inference_t *x, plani_cluster_t **out)
{
    const plan_platform_data_t *d = x->d;
    plani_cluster_t *c = calloc(1, sizeof *c);
    if (c == NULL) return PLAN_ENOMEM;
    c->ranks = d->ranks;
    c->memory_bytes_per_s = x->inside;
    c->group = calloc(x->nsets + 1, sizeof *c->group);
    c->host = calloc((size_t)d->hosts, sizeof *c->host);
    c->host_of = calloc((size_t)d->ranks, sizeof *c->host_of);
    if (c->group == NULL || c->host == NULL || c->host_of == NULL) {
        plani_cluster_destroy(&c);
        return PLAN_ENOMEM;
    }
    c->nhosts = d->hosts;
    fill_hosts(d, c);
    qsort(x->set, x->nsets, sizeof *x->set, largest_first);
    nest(x, c);
    *out = c;
    return PLAN_OK;
}

plan_status_t plani_cluster_infer(const plan_platform_data_t *d, plani_cluster_t **out)
{
    inference_t x = {.d = d, .inside = 1e15};
    plan_status_t rc = PLAN_OK;

    *out = NULL;
    if (d->ports != PLAN_PORTS_NONE || d->hosts < 2) return PLAN_OK;
    x.sends = malloc((size_t)d->hosts * sizeof *x.sends);
    x.receives = malloc((size_t)d->hosts * sizeof *x.receives);
    if (x.sends == NULL || x.receives == NULL) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = find_gates(&x);
    if (rc == PLAN_OK && x.nsets > 0) rc = make_cluster(&x, out);
    inference_clear(&x);
    return rc;
}
