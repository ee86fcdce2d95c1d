/*
 * All links out of some hosts and no others share the way out of them, and likewise the way in. Those of one host are
 * its card, those of several the trunk of a group.
 */
#include "graphs/machine/ways.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"

typedef struct {
    const plan_platform_data_t *d;
    bool *sends, *receives; /* [hosts] of the resource at hand */
    plani_ways_t *out;
} search_t;

void plani_ways_clear(plani_ways_t *ways)
{
    for (size_t i = 0; i < ways->nsets; i++) {
        free(ways->set[i].host);
        free(ways->set[i].use);
    }
    free(ways->set);
    *ways = (plani_ways_t){.nsets = 0};
}

/* How many links go out of the marked hosts (OUT), or into them: at the ranks of those or at the others, whichever are
 * fewer. */
static size_t count_crossing(const plan_platform_data_t *d, const bool *marked, plani_way_t way)
{
    size_t n = 0;
    int ranks = 0;
    for (int r = 0; r < d->ranks; r++) ranks += marked[d->host[r]];
    const bool others = 2 * ranks > d->ranks, out = (way == PLANI_WAY_OUT) != others;
    for (int r = 0; r < d->ranks; r++) {
        if (marked[d->host[r]] == others) continue;
        if (out)
            for (size_t l = d->out_first[r]; l < d->out_first[r + 1]; l++)
                n += marked[d->host[d->link[l].to]] == others;
        else
            for (size_t i = d->in_first[r]; i < d->in_first[r + 1]; i++)
                n += marked[d->host[d->link[d->in_link[i]].from]] == others;
    }
    return n;
}

static int count(const bool *marked, int n)
{
    int sum = 0;
    for (int h = 0; h < n; h++) sum += marked[h];
    return sum;
}

static size_t count_inside(const plan_platform_data_t *d, int host)
{
    size_t n = 0;
    for (int r = 0; r < d->ranks; r++)
        for (size_t l = d->out_first[r]; l < d->out_first[r + 1] && d->host[r] == host; l++)
            n += d->host[d->link[l].to] == host;
    return n;
}

/* The one host that every link has an end in; -1: there is none. */
static int common_host(const plan_platform_data_t *d, const plan_resource_t *r)
{
    const plan_link_t *first = &d->link[r->link[0]];
    const int end[2] = {d->host[first->from], d->host[first->to]};
    for (int k = 0; k < 2; k++) {
        bool all = true;
        for (size_t i = 0; i < r->nlinks && all; i++) {
            const plan_link_t *l = &d->link[r->link[i]];
            all = d->host[l->from] == end[k] || d->host[l->to] == end[k];
        }
        if (all) return end[k];
    }
    return -1;
}

/* All that touches one host from others, inside it, too, or not. */
static plani_way_t classify_around_one(search_t *x, const plan_resource_t *r, size_t within)
{
    const plan_platform_data_t *d = x->d;
    int host = common_host(d, r);
    if (host < 0) return PLANI_WAY_NONE;
    memset(x->sends, 0, (size_t)d->hosts * sizeof *x->sends);
    x->sends[host] = true;
    size_t crossing = count_crossing(d, x->sends, PLANI_WAY_OUT) + count_crossing(d, x->sends, PLANI_WAY_IN);
    if (r->nlinks != crossing + within || (within > 0 && within != count_inside(d, host))) return PLANI_WAY_NONE;
    return within > 0 ? PLANI_WAY_ALL : PLANI_WAY_BOTH;
}

static plani_way_t classify(search_t *x, const plan_resource_t *r)
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
    if (within == r->nlinks && count(x->sends, d->hosts) == 1) {
        int host = d->host[d->link[r->link[0]].from];
        return within == count_inside(d, host) ? PLANI_WAY_INSIDE : PLANI_WAY_NONE;
    }
    if (within > 0) return classify_around_one(x, r, within);
    for (size_t k = 0; k < r->nlinks; k++) {
        const plan_link_t *l = &d->link[r->link[k]];
        out = out && !x->sends[d->host[l->to]];
        in = in && !x->receives[d->host[l->from]];
    }
    out = out && count_crossing(d, x->sends, PLANI_WAY_OUT) == r->nlinks;
    in = in && count_crossing(d, x->receives, PLANI_WAY_IN) == r->nlinks;
    if (out && in) return count(x->receives, d->hosts) < count(x->sends, d->hosts) ? PLANI_WAY_IN : PLANI_WAY_OUT;
    return out ? PLANI_WAY_OUT : in ? PLANI_WAY_IN : classify_around_one(x, r, 0);
}

static bool is_set(const plani_way_set_t *set, const bool *marked, int n)
{
    for (int i = 0; i < set->n; i++)
        if (!marked[set->host[i]]) return false;
    return set->n == n;
}

static plan_status_t add_use(search_t *x, plani_way_t way, size_t resource)
{
    const bool *marked = way == PLANI_WAY_IN ? x->receives : x->sends;
    int n = count(marked, x->d->hosts);
    plani_ways_t *w = x->out;
    size_t i = 0;

    while (i < w->nsets && !is_set(&w->set[i], marked, n)) i++;
    if (i == w->nsets) {
        plani_way_set_t *more = plani_grown(w->set, w->nsets, &w->room, sizeof *more);
        if (more == NULL) return PLAN_ENOMEM;
        w->set = more;
        w->set[i] = (plani_way_set_t){.host = malloc((size_t)n * sizeof *w->set[i].host)};
        if (w->set[i].host == NULL) return PLAN_ENOMEM;
        for (int h = 0; h < x->d->hosts; h++)
            if (marked[h]) w->set[i].host[w->set[i].n++] = h;
        w->nsets++;
    }
    plani_way_set_t *set = &w->set[i];
    struct plani_way_use *use = plani_grown(set->use, set->nuses, &set->room, sizeof *use);
    if (use == NULL) return PLAN_ENOMEM;
    set->use = use;
    set->use[set->nuses++] = (struct plani_way_use){way, resource};
    return PLAN_OK;
}

static int largest_first(const void *a, const void *b)
{
    const plani_way_set_t *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->host[0] > y->host[0]) - (x->host[0] < y->host[0]);
}

plan_status_t plani_ways_find(const plan_platform_data_t *d, plani_ways_t *out)
{
    search_t x = {.d = d, .out = out};
    plan_status_t rc = PLAN_OK;

    *out = (plani_ways_t){.nsets = 0};
    x.sends = malloc((size_t)d->hosts * sizeof *x.sends);
    x.receives = malloc((size_t)d->hosts * sizeof *x.receives);
    if (x.sends == NULL || x.receives == NULL) rc = PLAN_ENOMEM;
    for (size_t i = 0; i < d->nresources && rc == PLAN_OK; i++) {
        if (d->resource[i].nlinks == 0) continue;
        plani_way_t way = classify(&x, &d->resource[i]);
        if (way != PLANI_WAY_NONE) rc = add_use(&x, way, i);
    }
    free(x.sends);
    free(x.receives);
    if (rc == PLAN_OK && out->nsets > 0) qsort(out->set, out->nsets, sizeof *out->set, largest_first);
    if (rc != PLAN_OK) plani_ways_clear(out);
    return rc;
}

double plani_way_cost(const plan_platform_data_t *d, const plani_way_set_t *set, plani_way_t way, double bytes)
{
    double most = 0;
    for (size_t i = 0; i < set->nuses; i++)
        if (set->use[i].way == way && !d->resource[set->use[i].resource].guess)
            most = plani_max(most, plan_resource_cost(&d->resource[set->use[i].resource], bytes));
    return most;
}

void plani_ways_guessed_cards(const plan_platform_data_t *d, const plani_ways_t *ways, bool *guess)
{
    for (size_t i = 0; i < ways->nsets; i++) {
        const plani_way_set_t *set = &ways->set[i];
        for (size_t k = 0; k < set->nuses && set->n == 1; k++)
            guess[set->use[k].resource] = d->resource[set->use[k].resource].guess;
    }
}
