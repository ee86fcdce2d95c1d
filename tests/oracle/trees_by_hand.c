#include "oracle/trees_by_hand.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    const plan_platform_data_t *d;
    int root;
    const double *weight, *rate, *send;
    bool *in; /* [nlinks] TreeEdges */
    size_t count;
} hand_t;

/* Is every rank reachable from the root by links of TreeEdges other than `without`? */
static bool connected(const hand_t *h, size_t without)
{
    bool *seen = calloc((size_t)h->d->ranks, sizeof *seen), more = true, all = true;
    seen[h->root] = true;
    while (more) {
        more = false;
        for (size_t l = 0; l < h->d->nlinks; l++)
            if (h->in[l] && l != without && seen[h->d->link[l].from] && !seen[h->d->link[l].to])
                seen[h->d->link[l].to] = more = true;
    }
    for (int r = 0; r < h->d->ranks; r++) all = all && seen[r];
    free(seen);
    return all;
}

/* The link not yet done[] with the largest sign * key, ties: the lowest; from `only` if that is >= 0. */
static size_t largest(const hand_t *h, const double *key, double sign, const bool *done, int only)
{
    size_t best = (size_t)-1;
    for (size_t l = 0; l < h->d->nlinks; l++) {
        if (done[l] || !h->in[l] || (only >= 0 && h->d->link[l].from != only)) continue;
        if (best == (size_t)-1 || sign * key[l] > sign * key[best]) best = l;
    }
    return best;
}

/* Algorithms 1 (key T, sign 1) and 6 (key n_uv, sign -1). */
static void simple_pruning(hand_t *h, const double *key, double sign)
{
    bool *done = calloc(h->d->nlinks + 1, sizeof *done);
    while (h->count > (size_t)h->d->ranks - 1) {
        for (size_t l = 0; l < h->d->nlinks; l++) done[l] = false;
        for (size_t e; (e = largest(h, key, sign, done, -1)) != (size_t)-1;) {
            done[e] = true;
            if (!connected(h, e)) continue;
            h->in[e] = false;
            h->count--;
        }
    }
    free(done);
}

/* What a sender is judged by: its weighted out-degree, or max(children * send_u, max T_uv) with several ports. */
static double judge(const hand_t *h, bool multiport, int u)
{
    double sum = 0, most = 0;
    int children = 0;
    for (size_t l = 0; l < h->d->nlinks; l++) {
        if (!h->in[l] || h->d->link[l].from != u) continue;
        sum += h->weight[l];
        most = fmax(most, h->weight[l]);
        children++;
    }
    return multiport ? fmax(children * h->send[u], most) : sum;
}

/* One turn of Algorithm 2's while: delete one link, and go to 4. */
static void refined_turn(hand_t *h, bool multiport, double *load, bool *done)
{
    bool *tried = calloc((size_t)h->d->ranks, sizeof *tried);
    for (bool deleted = false; !deleted;) {
        int u = -1;
        for (int r = 0; r < h->d->ranks; r++)
            if (!tried[r] && (u < 0 || load[r] > load[u])) u = r;
        tried[u] = true;
        for (size_t l = 0; l < h->d->nlinks; l++) done[l] = false;
        for (size_t e; !deleted && (e = largest(h, h->weight, 1, done, u)) != (size_t)-1;) {
            done[e] = true;
            if (!connected(h, e)) continue;
            h->in[e] = false;
            h->count--;
            load[u] = multiport ? judge(h, true, u) : load[u] - h->weight[e];
            deleted = true;
        }
    }
    free(tried);
}

static void refined_pruning(hand_t *h, bool multiport)
{
    double *load = calloc((size_t)h->d->ranks, sizeof *load);
    bool *done = calloc(h->d->nlinks + 1, sizeof *done);
    for (int u = 0; u < h->d->ranks; u++) load[u] = judge(h, multiport, u);
    while (h->count > (size_t)h->d->ranks - 1) refined_turn(h, multiport, load, done);
    free(load);
    free(done);
}

/* What adding link l costs to Algorithms 3, 5 and 7. */
static double price(const hand_t *h, int number, size_t l)
{
    double sum = 0, most = h->weight[l];
    int children = 1;
    if (number == 7) return -h->rate[l];
    for (size_t k = 0; k < h->d->nlinks; k++)
        if (h->in[k] && h->d->link[k].from == h->d->link[l].from) {
            sum += h->weight[k];
            most = fmax(most, h->weight[k]);
            children++;
        }
    return number == 3 ? sum + h->weight[l] : fmax(children * h->send[h->d->link[l].from], most);
}

static void growing(hand_t *h, int number)
{
    bool *vertex = calloc((size_t)h->d->ranks, sizeof *vertex);
    vertex[h->root] = true;
    for (int step = 1; step < h->d->ranks; step++) {
        size_t best = (size_t)-1;
        double least = INFINITY;
        for (size_t l = 0; l < h->d->nlinks; l++) {
            if (!vertex[h->d->link[l].from] || vertex[h->d->link[l].to]) continue;
            double p = price(h, number, l);
            if (best != (size_t)-1 && !(p < least) && !(p == least && number != 7 && h->weight[l] < h->weight[best]))
                continue;
            best = l;
            least = p;
        }
        vertex[h->d->link[best].to] = true;
        h->in[best] = true;
    }
    free(vertex);
}

void by_hand_algorithm(int number, const plan_platform_data_t *d, int root, const double *weight, const double *rate,
                       const double *send, int *parent)
{
    hand_t h = {d, root, weight, rate, send, calloc(d->nlinks + 1, sizeof(bool)), d->nlinks};
    bool prune = number == 1 || number == 2 || number == 6 || number == 522;
    for (size_t l = 0; l < d->nlinks; l++) h.in[l] = prune;
    if (number == 1) simple_pruning(&h, weight, 1);
    if (number == 6) simple_pruning(&h, rate, -1);
    if (number == 2 || number == 522) refined_pruning(&h, number == 522);
    if (!prune) growing(&h, number);
    parent[root] = -1;
    for (size_t l = 0; l < d->nlinks; l++)
        if (h.in[l]) parent[d->link[l].to] = d->link[l].from;
    free(h.in);
}

static size_t link_between(const plan_platform_data_t *d, int from, int to)
{
    size_t l = d->out_first[from];
    while (d->link[l].to != to) l++;
    return l;
}

double by_hand_period(const plan_platform_data_t *d, const int *parent, double slice)
{
    double worst = 0;
    for (int u = 0; u < d->ranks; u++) {
        double sum = 0, own = 0;
        for (size_t l = d->out_first[u]; l < d->out_first[u + 1]; l++) {
            if (parent[d->link[l].to] != u) continue;
            double cost = plan_link_cost(&d->link[l], slice);
            worst = fmax(worst, cost);
            sum += cost;
            own += d->send_s != NULL ? d->send_s[u] : 0;
        }
        if (parent[u] >= 0 && d->ports == PLAN_PORTS_ONE_WAY)
            sum += plan_link_cost(&d->link[link_between(d, parent[u], u)], slice);
        if (parent[u] >= 0 && d->receive_s != NULL) own += d->receive_s[u];
        worst = fmax(worst, d->send_s != NULL ? own : sum);
    }
    for (size_t i = 0; i < d->nresources; i++) {
        double held = 0;
        for (size_t k = 0; k < d->resource[i].nlinks; k++) {
            const plan_link_t *l = &d->link[d->resource[i].link[k]];
            if (parent[l->to] == l->from) held += d->resource[i].s_per_message + slice * d->resource[i].s_per_byte;
        }
        worst = fmax(worst, held);
    }
    return worst;
}

static bool is_tree(const plan_platform_data_t *d, const int *parent, int root)
{
    for (int v = 0; v < d->ranks; v++) {
        int steps = 0;
        for (int x = v; x != root; x = parent[x])
            if (++steps >= d->ranks) return false;
    }
    return true;
}

/* Every choice of one link into each rank, like the digits of a number. */
double by_hand_best_period(const plan_platform_data_t *d, int root, double slice)
{
    double best = INFINITY;
    size_t digit[8];
    int parent[8], v;
    for (int r = 0; r < d->ranks; r++) digit[r] = d->in_first[r];
    do {
        for (int r = 0; r < d->ranks; r++) parent[r] = r == root ? -1 : d->link[d->in_link[digit[r]]].from;
        if (is_tree(d, parent, root)) best = fmin(best, by_hand_period(d, parent, slice));
        for (v = 0; v < d->ranks; v++) {
            if (v == root) continue;
            if (++digit[v] < d->in_first[v + 1]) break;
            digit[v] = d->in_first[v];
        }
    } while (v < d->ranks);
    return best;
}
