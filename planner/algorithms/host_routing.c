#define _GNU_SOURCE /* qsort_r */
#include "planner/algorithms/host_routing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEEPER = 0.3;   /* a holder one level deeper costs so much more */
static const double ENOUGH = 0.995; /* of the bound: no further search */
static const double ANOTHER = 0.98; /* else another order is tried */
static const double STEEPEST = 500; /* exp() of it is finite, and so are sums of it */
enum { TARGETS = 6, PASSES = 2 };   /* rates that are tried after the bound, and passes for each */

/*
 * In which order hosts are served: those that are cheap to leave first. Where ways are tight it matters what counts:
 * the host's own way, all ways from it to the top, or, before these, who is near the root, which may have no way to
 * spare for those who come late.
 */
typedef enum { BY_HOST, BY_WAY, BY_NEARNESS, ORDERS } order_t;

/*
 * Nodes: 0 is the whole, then groups, then hosts; the higher number of two is never above the other. For every group a
 * tournament of its children tells the holder of the slice that it is cheapest to leave from.
 */
typedef struct {
    int nodes, hosts, first_host, root, ntrees; /* root: a node */
    int *parent, *slot, *board, *leaves;        /* [nodes] slot: place in the parent's tournament, which begins at its
                                                   board and has so many leaves */
    int *winner;                                /* the tournaments: nodes, -1: none */
    size_t winners;
    double *out, *in;     /* [nodes] [B/s] INFINITY: no limit */
    int *sent, *received; /* [nodes] by all slices */
    int *before;          /* [nodes] sent by others than the slice at hand */
    int *depth;           /* [nodes] of holders of the slice at hand; -1: others */
    double *out_price, *in_price;
    double *key;     /* [nodes] price from the cheapest holder in it to beyond it; INFINITY: no holder */
    double *leaving; /* [nodes] by which hosts are served */
    int *order;      /* [hosts] nodes */
    int *near;       /* [nodes] how many groups around a host are around the root, too */
    order_t by;
    int *above, *best;       /* [ntrees * hosts] the trees, as nodes */
    double unit, eta, least; /* slices per period and B/s; least: what leaving any holder costs */
} routing_t;

/* ---- prices ---- */

static double price(const routing_t *r, int load, double capacity)
{
    if (isinf(capacity)) return 0;
    double slices = capacity * r->unit;
    return exp(fmin(r->eta * (load / slices - 1), STEEPEST)) / slices;
}

static void price_out(routing_t *r, int x)
{
    int load = r->sent[x] + 1;
    if (x >= r->first_host && load <= r->out[x] * r->unit * (1 + 1e-9)) load = r->before[x] + 1;
    r->out_price[x] = price(r, load, r->out[x]);
}

static void price_in(routing_t *r, int x)
{
    r->in_price[x] = price(r, r->received[x] + 1, r->in[x]);
}

/* ---- tournaments ---- */

static double key_of(const routing_t *r, int x)
{
    if (x >= r->first_host)
        return r->depth[x] < 0 ? INFINITY : (r->out_price[x] + r->least) * (1 + DEEPER * r->depth[x]);
    int best = r->winner[r->board[x] + 1];
    return best < 0 ? INFINITY : r->key[best] + r->out_price[x];
}

/* Of equals the one that comes first. */
static int cheaper(const routing_t *r, int a, int b)
{
    if (a < 0 || b < 0) return a < 0 ? b : a;
    return r->key[b] < r->key[a] ? b : a;
}

/* What leaving x costs has changed: it, and all around it, take their places. */
static void lift(routing_t *r, int x)
{
    for (; x > 0; x = r->parent[x]) {
        int p = r->parent[x], *winner = r->winner + r->board[p], i = r->leaves[p] + r->slot[x];
        r->key[x] = key_of(r, x);
        winner[i] = isfinite(r->key[x]) ? x : -1;
        for (i /= 2; i >= 1; i /= 2) winner[i] = cheaper(r, winner[2 * i], winner[2 * i + 1]);
    }
}

/*
 * The holder with the cheapest way to host b: the best of each group around b, plus the ways in from there. The best of
 * a group may lie on b's own side of it; then it was cheaper one level below.
 */
static int find_holder(const routing_t *r, int b)
{
    double in = 0, least = INFINITY;
    int best = -1;
    for (int p = r->parent[b]; p >= 0; p = r->parent[p]) {
        int w = r->winner[r->board[p] + 1];
        if (w >= 0 && r->key[w] + in < least) least = r->key[w] + in, best = w;
        in += r->in_price[p];
    }
    while (best < r->first_host) best = r->winner[r->board[best] + 1];
    return best;
}

/* ---- loads ---- */

/* One transfer more, which raises prices. */
static void add_edge(routing_t *r, int a, int b)
{
    int x = r->parent[a], y = r->parent[b];
    r->sent[a]++;
    price_out(r, a);
    while (x != y) {
        if (x > y) {
            r->sent[x]++;
            price_out(r, x);
            x = r->parent[x];
        } else {
            r->received[y]++;
            price_in(r, y);
            y = r->parent[y];
        }
    }
}

/* A slice that is not routed yet will leave the root and all around it, and enter every group that the root is not in.
 */
static void load_reserve(routing_t *r, int times)
{
    for (int x = 1; x < r->first_host; x++) r->received[x] += times;
    for (int x = r->root; x > 0; x = r->parent[x]) {
        r->sent[x] += times;
        if (x < r->first_host) r->received[x] -= times;
    }
}

/* Prices are left as they are: the next slice works them all out. */
static void remove_slice(routing_t *r, const int *above)
{
    for (int h = 0; h < r->hosts; h++) {
        if (above[h] < 0) continue;
        int x = r->parent[above[h]], y = r->parent[r->first_host + h];
        r->sent[above[h]]--;
        while (x != y)
            if (x > y)
                r->sent[x]--, x = r->parent[x];
            else
                r->received[y]--, y = r->parent[y];
    }
}

/* ---- one slice ---- */

/* What leaving each host costs in this order, before the slice is anywhere. */
static void weigh_hosts(routing_t *r)
{
    for (int x = r->first_host; x < r->nodes; x++) {
        r->leaving[x] = r->out_price[x];
        for (int p = r->parent[x]; p > 0 && r->by != BY_HOST; p = r->parent[p]) r->leaving[x] += r->out_price[p];
    }
}

/* By the price of leaving; of equal ones the first host of every group, then the second of each, ...: a slice is early
 * everywhere. */
static int by_turn(const void *a, const void *b, void *context)
{
    const routing_t *r = context;
    const int x = *(const int *)a, y = *(const int *)b;
    if (r->by == BY_NEARNESS && r->near[x] != r->near[y]) return r->near[x] < r->near[y] ? 1 : -1;
    if (r->leaving[x] != r->leaving[y]) return r->leaving[x] > r->leaving[y] ? 1 : -1;
    if (r->slot[x] != r->slot[y]) return r->slot[x] > r->slot[y] ? 1 : -1;
    return (x > y) - (x < y);
}

static void sort_hosts(routing_t *r)
{
    size_t n = 0;
    weigh_hosts(r);
    for (int x = r->first_host; x < r->nodes; x++)
        if (x != r->root) r->order[n++] = x;
    qsort_r(r->order, n, sizeof *r->order, by_turn, r);
}

static void route_slice(routing_t *r, int *above)
{
    memcpy(r->before, r->sent, (size_t)r->nodes * sizeof *r->before);
    for (size_t i = 0; i < r->winners; i++) r->winner[i] = -1;
    for (int x = 0; x < r->nodes; x++) {
        r->depth[x] = -1;
        price_out(r, x);
        price_in(r, x);
    }
    r->in_price[0] = 0;
    sort_hosts(r);
    above[r->root - r->first_host] = -1;
    r->depth[r->root] = 0;
    lift(r, r->root);
    for (int i = 0; i < r->hosts - 1; i++) {
        int b = r->order[i], a = find_holder(r, b);
        above[b - r->first_host] = a;
        add_edge(r, a, b);
        r->depth[b] = r->depth[a] + 1;
        lift(r, a);
        lift(r, b);
    }
}

/* ---- all slices ---- */

static void aim(routing_t *r, double rate, double eta)
{
    r->unit = r->ntrees / rate;
    r->eta = eta;
    r->least = 1e-3 * exp(-eta) / r->ntrees;
}

static void route_again(routing_t *r)
{
    for (int t = 0; t < r->ntrees; t++) {
        int *above = r->above + (size_t)t * (size_t)r->hosts;
        remove_slice(r, above);
        route_slice(r, above);
    }
}

/* [B/s] of all trees together, at equal rates. */
static double rate_of(const routing_t *r)
{
    double each = INFINITY;
    for (int x = 1; x < r->nodes; x++) {
        if (r->sent[x] > 0) each = fmin(each, r->out[x] / r->sent[x]);
        if (r->received[x] > 0) each = fmin(each, r->in[x] / r->received[x]);
    }
    return each * r->ntrees;
}

static void keep(routing_t *r, double *most)
{
    double rate = rate_of(r);
    if (!(rate > *most)) return;
    *most = rate;
    memcpy(r->best, r->above, (size_t)r->ntrees * (size_t)r->hosts * sizeof *r->best);
}

static double route_all(routing_t *r, double bound, double most)
{
    double high = bound;
    memset(r->sent, 0, (size_t)r->nodes * sizeof *r->sent);
    memset(r->received, 0, (size_t)r->nodes * sizeof *r->received);
    aim(r, bound, 8);
    for (int t = 0; t < r->ntrees; t++) load_reserve(r, 1);
    for (int t = 0; t < r->ntrees; t++) {
        load_reserve(r, -1);
        route_slice(r, r->above + (size_t)t * (size_t)r->hosts);
    }
    keep(r, &most);
    for (double eta = 8; eta <= 64 && most < ENOUGH * bound; eta *= 2) {
        aim(r, bound, eta);
        route_again(r);
        keep(r, &most);
    }
    for (int i = 0; i < TARGETS && most < ENOUGH * bound; i++) { /* whole slices leave room only below the bound */
        double target = (most + high) / 2;
        for (int pass = 0; pass < PASSES && most < target; pass++) {
            aim(r, target, 32 << pass);
            route_again(r);
            keep(r, &most);
        }
        if (most < target) high = target;
    }
    return most;
}

/* ---- the machine ---- */

static void *ints(size_t n)
{
    return malloc(n * sizeof(int));
}

static plan_status_t allocate(const plani_cluster_t *c, routing_t *r)
{
    size_t n = (size_t)r->nodes, all = (size_t)r->ntrees * (size_t)r->hosts;
    r->parent = ints(9 * n);
    r->out = malloc(6 * n * sizeof *r->out);
    r->order = ints((size_t)c->nhosts);
    r->above = ints(all);
    r->best = ints(all);
    if (!r->parent || !r->out || !r->order || !r->above || !r->best) return PLAN_ENOMEM;
    r->slot = r->parent + n;
    r->board = r->parent + 2 * n;
    r->leaves = r->parent + 3 * n;
    r->sent = r->parent + 4 * n;
    r->received = r->parent + 5 * n;
    r->before = r->parent + 6 * n;
    r->depth = r->parent + 7 * n;
    r->near = r->parent + 8 * n;
    r->in = r->out + n;
    r->out_price = r->out + 2 * n;
    r->in_price = r->out + 3 * n;
    r->key = r->out + 4 * n;
    r->leaving = r->out + 5 * n;
    return PLAN_OK;
}

static void set_node(routing_t *r, int x, int parent, const plani_gate_t *gate)
{
    r->parent[x] = parent;
    r->out[x] = gate != NULL && gate->out_bytes_per_s > 0 ? gate->out_bytes_per_s : INFINITY;
    r->in[x] = gate != NULL && gate->in_bytes_per_s > 0 ? gate->in_bytes_per_s : INFINITY;
}

static plan_status_t fill(const plani_cluster_t *c, routing_t *r)
{
    int board = 0;
    set_node(r, 0, -1, NULL);
    for (int g = 0; g < c->ngroups; g++) set_node(r, 1 + g, 1 + c->group[g].above, &c->group[g].trunk);
    for (int h = 0; h < c->nhosts; h++) set_node(r, r->first_host + h, 1 + c->host[h].group, &c->host[h].card);
    for (int x = 0; x < r->nodes; x++) r->near[x] = r->leaves[x] = 0; /* children, for now */
    for (int x = 1; x < r->nodes; x++) r->slot[x] = r->leaves[r->parent[x]]++;
    for (int x = 0; x < r->first_host; x++) {
        int children = r->leaves[x];
        for (r->leaves[x] = 1; r->leaves[x] < children;) r->leaves[x] *= 2;
        r->board[x] = board;
        board += 2 * r->leaves[x];
    }
    for (int x = r->root; x >= 0; x = r->parent[x]) r->near[x] = 1;
    for (int x = 1; x < r->nodes; x++) r->near[x] += r->near[r->parent[x]];
    r->winners = (size_t)board;
    r->winner = ints(r->winners);
    return r->winner != NULL ? PLAN_OK : PLAN_ENOMEM;
}

/* Depths of one tree in `depth`, by paths that end at a host whose depth is known. */
static int height_of(const int *parent, int hosts, int *depth)
{
    int height = 0;
    for (int h = 0; h < hosts; h++) depth[h] = parent[h] < 0 ? 0 : -1;
    for (int h = 0; h < hosts; h++) {
        int up = 0, x = h;
        for (; depth[x] < 0; x = parent[x]) up++;
        int at = depth[x] + up;
        height = at > height ? at : height;
        for (x = h; depth[x] < 0; x = parent[x]) depth[x] = at--;
    }
    return height;
}

static void take(routing_t *r, plani_host_routes_t *out)
{
    size_t hosts = (size_t)r->hosts;
    for (size_t i = 0; i < (size_t)r->ntrees * hosts; i++)
        if (r->best[i] >= 0) r->best[i] -= r->first_host;
    for (int t = 0; t < r->ntrees; t++) {
        int height = height_of(r->best + (size_t)t * hosts, r->hosts, r->order);
        out->height = height > out->height ? height : out->height;
    }
    out->ntrees = r->ntrees;
    out->parent = r->best, r->best = NULL;
}

plan_status_t plani_host_routes_create(const plani_cluster_t *c, int root, double bound, int ntrees,
                                       plani_host_routes_t *out)
{
    routing_t r = {.nodes = 1 + c->ngroups + c->nhosts,
                   .hosts = c->nhosts,
                   .first_host = 1 + c->ngroups,
                   .root = 1 + c->ngroups + root,
                   .ntrees = ntrees};
    plan_status_t rc;

    *out = (plani_host_routes_t){.rate = bound};
    if ((rc = allocate(c, &r)) != PLAN_OK) goto done;
    if ((rc = fill(c, &r)) != PLAN_OK) goto done;
    if (c->nhosts > 1) {
        double most = 0;
        for (r.by = BY_HOST; r.by < ORDERS && most < ANOTHER * bound; r.by++) most = route_all(&r, bound, most);
        out->rate = fmin(bound, most);
    } else
        for (int t = 0; t < ntrees; t++) r.best[t] = -1;
    take(&r, out);
done:
    free(r.parent);
    free(r.out);
    free(r.order);
    free(r.above);
    free(r.best);
    free(r.winner);
    return rc;
}
