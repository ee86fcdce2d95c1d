#include "planner/schedule/periodic.h"
#include "lib/base/base.h"
#include "planner/cost/cost.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ROUNDED = 1e-9; /* of a slice, of a period: less is a rounding error */
enum { MOST_LAG = 1000000 };

/* What is needed to make a schedule only. */
typedef struct {
    const plan_platform_data_t *d;
    const plan_steady_data_t *s;
    size_t rows;   /* send ports, receive ports, resources */
    size_t *via;   /* [s->ntrees * ranks] the link into each rank */
    double *load;  /* [s->ntrees * rows] [s] of a slice down each tree */
    int *per_tree; /* [s->ntrees] */
    size_t *mine;  /* [s->ntrees] scratch */
    int *count;    /* [nlinks] slices on each link in a period */
    size_t nused;
    size_t *used;   /* [nused] links with slices */
    int *from, *to; /* [nused] */
    double *busy_s; /* [nused] */
} making_t;

static plan_status_t making_create(const plan_platform_data_t *d, const plan_steady_data_t *s, making_t *x)
{
    size_t n = s->ntrees, ranks = (size_t)d->ranks, rows = 2 * ranks + d->nresources;
    *x = (making_t){.d = d,
                    .s = s,
                    .rows = rows,
                    .via = calloc(n * ranks, sizeof *x->via),
                    .load = calloc(n * rows, sizeof *x->load),
                    .per_tree = calloc(n, sizeof *x->per_tree),
                    .mine = calloc(n, sizeof *x->mine),
                    .count = calloc(d->nlinks, sizeof *x->count),
                    .used = calloc(d->nlinks, sizeof *x->used),
                    .from = calloc(d->nlinks, sizeof *x->from),
                    .to = calloc(d->nlinks, sizeof *x->to),
                    .busy_s = calloc(d->nlinks, sizeof *x->busy_s)};
    return x->via != NULL && x->load != NULL && x->per_tree != NULL && x->mine != NULL && x->count != NULL &&
                   x->used != NULL && x->from != NULL && x->to != NULL && x->busy_s != NULL
               ? PLAN_OK
               : PLAN_ENOMEM;
}

static void making_clear(making_t *x)
{
    free(x->via);
    free(x->load);
    free(x->per_tree);
    free(x->mine);
    free(x->count);
    free(x->used);
    free(x->from);
    free(x->to);
    free(x->busy_s);
}

/* ---- how many slices go down each tree ---- */

static plan_status_t weigh(making_t *x, const plan_platform_t *pf, double slice)
{
    const plan_platform_data_t *d = x->d;
    size_t ranks = (size_t)d->ranks;

    for (size_t t = 0; t < x->s->ntrees; t++) {
        double *load = x->load + t * x->rows;
        for (int v = 0; v < d->ranks; v++) {
            int u = x->s->tree_parent[t][v];
            if (u < 0) continue;
            size_t l = plan_platform_find_link(pf, u, v);
            if (l == (size_t)-1) return PLAN_EINVAL;
            double cost = plan_link_cost(&d->link[l], slice);
            x->via[t * ranks + (size_t)v] = l;
            load[u] += cost, load[d->ranks + v] += cost;
            for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++)
                load[2 * ranks + d->use[k]] += plan_resource_cost(&d->resource[d->use[k]], slice);
        }
    }
    return PLAN_OK;
}

/* [s] the busiest of the first `rows` with so many slices down each tree */
static double busiest(const making_t *x, const size_t *slices, size_t rows)
{
    double most = 0;
    for (size_t row = 0; row < rows; row++) {
        double sum = 0;
        for (size_t t = 0; t < x->s->ntrees; t++)
            if (slices[t] > 0) sum += (double)slices[t] * x->load[t * x->rows + row];
        most = fmax(most, sum);
    }
    return most;
}

/* Of equal throughputs the shortest period. */
static void round_rates(making_t *x, int most, plani_periodic_t *p)
{
    double total = 0, best = 0;

    for (size_t t = 0; t < x->s->ntrees; t++) total += x->s->tree_rate[t];
    for (int k = 1; k <= most; k++) {
        plani_apportion(x->s->ntrees, x->s->tree_rate, total, (size_t)k, x->mine);
        double period = busiest(x, x->mine, x->rows);
        if (k / period <= best * (1 + ROUNDED)) continue;
        best = k / period;
        p->slices = k, p->period_s = period, p->ports_s = busiest(x, x->mine, 2 * (size_t)x->d->ranks);
        for (size_t t = 0; t < x->s->ntrees; t++) x->per_tree[t] = (int)x->mine[t];
    }
}

/* The trees that have slices, in the places of the first ones. */
static plan_status_t keep_trees(making_t *x, plani_periodic_t *p)
{
    size_t ranks = (size_t)p->ranks;
    int k = 0;

    for (size_t t = 0; t < x->s->ntrees; t++) p->ntrees += x->per_tree[t] > 0;
    if (p->slices < 1 || p->ntrees == 0) return PLAN_EINVAL; /* costs whose sum is not finite */
    p->per_tree = malloc(p->ntrees * sizeof *p->per_tree);
    p->parent = malloc(p->ntrees * ranks * sizeof *p->parent);
    p->tree_of = malloc((size_t)p->slices * sizeof *p->tree_of);
    p->finish_s = calloc((size_t)p->slices, sizeof *p->finish_s);
    if (p->per_tree == NULL || p->parent == NULL || p->tree_of == NULL || p->finish_s == NULL) return PLAN_ENOMEM;
    for (size_t t = 0, kept = 0; t < x->s->ntrees; t++) {
        if (x->per_tree[t] == 0) continue;
        p->per_tree[kept] = x->per_tree[t];
        memcpy(p->parent + kept * ranks, x->s->tree_parent[t], ranks * sizeof *p->parent);
        memmove(x->via + kept * ranks, x->via + t * ranks, ranks * sizeof *x->via);
        for (int i = 0; i < x->per_tree[t]; i++) p->tree_of[k++] = (int)kept;
        kept++;
    }
    return PLAN_OK;
}

/* ---- which slices go over a link when ---- */

static bool uses(const making_t *x, const plani_periodic_t *p, int tree, size_t link)
{
    size_t at = (size_t)tree * (size_t)p->ranks + (size_t)x->d->link[link].to;
    return p->parent[at] >= 0 && x->via[at] == link;
}

static void list_links(making_t *x, const plani_periodic_t *p)
{
    for (size_t t = 0; t < p->ntrees; t++)
        for (size_t v = 0; v < (size_t)p->ranks; v++)
            if (p->parent[t * (size_t)p->ranks + v] >= 0) x->count[x->via[t * (size_t)p->ranks + v]] += p->per_tree[t];
    for (size_t l = 0; l < x->d->nlinks; l++) {
        if (x->count[l] == 0) continue;
        x->used[x->nused] = l;
        x->from[x->nused] = x->d->link[l].from, x->to[x->nused] = x->d->link[l].to;
        x->busy_s[x->nused++] = x->count[l] * plan_link_cost(&x->d->link[l], p->slice);
    }
}

/* How far a link has come in a period. */
typedef struct {
    double gone_s, steps_s; /* [s] of its steps so far, and of all: busy_s less what rounding left out */
    double sent;            /* slices */
    int slice;              /* that is under way */
    int before;             /* slices that are over */
    int part;
    size_t piece, step; /* the last ones */
} progress_t;

static void next_slice(const making_t *x, const plani_periodic_t *p, size_t link, progress_t *at)
{
    while (++at->slice < p->slices && !uses(x, p, p->tree_of[at->slice], link)) continue;
    at->part = 0;
}

/* The pieces of one link in one step. */
static void put_pieces(const making_t *x, size_t step, size_t i, progress_t *at, plani_periodic_t *p)
{
    size_t link = x->used[i];
    double each = at->steps_s / x->count[link], length = p->steps.length[step]; /* [s] */
    double first = at->gone_s / each, last = (at->gone_s + length) / each;      /* slices */

    at->gone_s += length;
    while (last - at->sent > ROUNDED && at->slice < p->slices) {
        double begin = at->sent - at->before, end = last - at->before;
        if (end > 1 - ROUNDED) end = 1;
        double start = fmax(0, (at->sent - first) * each), stop = fmin(length, (at->before + end - first) * each);
        if (at->part == 0 || at->step + 1 != step) { /* else it goes on */
            at->piece = p->npieces++;
            p->piece[at->piece] = (plani_piece_t){.step = step,
                                                  .link = link,
                                                  .slice = at->slice,
                                                  .part = at->part++,
                                                  .begin = begin,
                                                  .start_s = p->steps.start[step] + start};
        }
        p->piece[at->piece].end = end, at->step = step;
        p->piece[at->piece].length = p->steps.start[step] + stop - p->piece[at->piece].start_s;
        at->sent = at->before + end;
        if (end < 1) continue;
        at->before++;
        next_slice(x, p, link, at);
    }
}

static int by_time(const void *a, const void *b)
{
    const plani_piece_t *x = a, *y = b;
    if (x->start_s != y->start_s) return x->start_s < y->start_s ? -1 : 1;
    return x->link != y->link ? (x->link < y->link ? -1 : 1) : (x->begin > y->begin) - (x->begin < y->begin);
}

static plan_status_t divide_links(const making_t *x, plani_periodic_t *p)
{
    const plani_matchings_t *m = &p->steps;
    progress_t *at = malloc(x->nused * sizeof *at);
    size_t most = m->first[m->n];

    for (size_t i = 0; i < x->nused; i++) most += (size_t)x->count[x->used[i]];
    if (at == NULL || (p->piece = malloc(most * sizeof *p->piece)) == NULL) {
        free(at);
        return PLAN_ENOMEM;
    }
    for (size_t i = 0; i < x->nused; i++) {
        at[i] = (progress_t){.slice = -1};
        next_slice(x, p, x->used[i], &at[i]);
    }
    for (size_t step = 0; step < m->n; step++)
        for (size_t k = m->first[step]; k < m->first[step + 1]; k++) at[m->active[k]].steps_s += m->length[step];
    for (size_t step = 0; step < m->n; step++)
        for (size_t k = m->first[step]; k < m->first[step + 1]; k++)
            put_pieces(x, step, m->active[k], &at[m->active[k]], p);
    free(at);
    qsort(p->piece, p->npieces, sizeof *p->piece, by_time);
    return PLAN_OK;
}

/* ---- in which period ---- */

static size_t into(const making_t *x, const plani_periodic_t *p, const plani_piece_t *piece)
{
    return (size_t)piece->slice * (size_t)p->ranks + (size_t)x->d->link[piece->link].to;
}

static plan_status_t index_pieces(const making_t *x, plani_periodic_t *p)
{
    size_t n = (size_t)p->slices * (size_t)p->ranks;
    p->into_first = calloc(n + 2, sizeof *p->into_first);
    p->into = malloc(p->npieces * sizeof *p->into);
    if (p->into_first == NULL || p->into == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < p->npieces; i++) p->into_first[into(x, p, &p->piece[i]) + 2]++;
    for (size_t i = 2; i <= n + 1; i++) p->into_first[i] += p->into_first[i - 1];
    for (size_t i = 0; i < p->npieces; i++) p->into[p->into_first[into(x, p, &p->piece[i]) + 1]++] = i;
    return PLAN_OK;
}

/* Each rank, from the root down, gets slice k in the first period that the order of the steps permits. */
static plan_status_t lag_slice(const making_t *x, int k, const int *order, const int *depth, double *has_s,
                               plani_periodic_t *p)
{
    size_t ranks = (size_t)p->ranks;
    const int *parent = p->parent + (size_t)p->tree_of[k] * ranks;

    has_s[p->root] = 0; /* [s] since batch 0 began, when it has the slice */
    for (int i = 1; i < p->ranks; i++) {
        int v = order[i];
        size_t first = p->into_first[(size_t)k * ranks + (size_t)v],
               end = p->into_first[(size_t)k * ranks + (size_t)v + 1];
        double early = has_s[parent[v]] - p->piece[p->into[first]].start_s;
        double periods = fmax(0, ceil(early / p->period_s - ROUNDED));
        if (periods > MOST_LAG) return PLAN_EUNSUPPORTED;
        int lag = (int)periods;
        for (size_t j = first; j < end; j++) p->piece[p->into[j]].lag = lag;
        const plani_piece_t *last = &p->piece[p->into[end - 1]];
        has_s[v] = lag * p->period_s + last->start_s + last->length + x->d->link[last->link].delay_s;
        p->finish_s[k] = fmax(p->finish_s[k], has_s[v]);
    }
    p->startup_s = fmax(p->startup_s, p->finish_s[k]);
    if (depth[order[p->ranks - 1]] > p->height) p->height = depth[order[p->ranks - 1]];
    return PLAN_OK;
}

/* Ranks by their depth in a tree. */
static void order_ranks(const plani_periodic_t *p, const int *parent, int *order, int *depth)
{
    int n = 0;
    for (int v = 0; v < p->ranks; v++) {
        depth[v] = 0;
        for (int u = v; parent[u] >= 0; u = parent[u]) depth[v]++;
    }
    for (int level = 0; n < p->ranks; level++)
        for (int v = 0; v < p->ranks; v++)
            if (depth[v] == level) order[n++] = v;
}

static plan_status_t lag_all(const making_t *x, plani_periodic_t *p)
{
    int *order = malloc((size_t)p->ranks * sizeof *order), *depth = malloc((size_t)p->ranks * sizeof *depth);
    double *has_s = malloc((size_t)p->ranks * sizeof *has_s);
    plan_status_t rc = order != NULL && depth != NULL && has_s != NULL ? PLAN_OK : PLAN_ENOMEM;

    for (int k = 0; k < p->slices && rc == PLAN_OK; k++) {
        if (k == 0 || p->tree_of[k] != p->tree_of[k - 1])
            order_ranks(p, p->parent + (size_t)p->tree_of[k] * (size_t)p->ranks, order, depth);
        rc = lag_slice(x, k, order, depth, has_s, p);
    }
    free(order);
    free(depth);
    free(has_s);
    return rc;
}

/* ---- */

static plan_status_t check(const plan_platform_data_t *d, int root, int most, const plan_steady_data_t *s,
                           plan_error_t *err)
{
    if (d->ports == PLAN_PORTS_NONE)
        return plani_fail(
            err, PLAN_EUNSUPPORTED,
            "the platform has \"ports\": \"none\": its transfers share cards and trunks instead of taking "
            "turns at ports; a schedule needs \"one\"");
    if (d->ports == PLAN_PORTS_ONE_WAY)
        return plani_fail(err, PLAN_EUNSUPPORTED,
                          "the platform has \"ports\": \"one-way\": to send and receive in turns, matchings of any "
                          "graph are needed, and this makes those of two sides; a schedule needs \"one\"");
    if (most < 1 || most > PLANI_MOST_PER_PERIOD)
        return plani_fail(err, PLAN_EINVAL, "%d slices per period: give 1 to %d", most, PLANI_MOST_PER_PERIOD);
    if (root < 0 || root >= d->ranks || s->ntrees == 0 || s->tree_parent[0][root] != -1)
        return plani_fail(err, PLAN_EINVAL, "no trees from rank %d", root);
    return PLAN_OK;
}

static plan_status_t make(making_t *x, const plan_platform_t *pf, int most, plani_periodic_t *p)
{
    plan_status_t rc = weigh(x, pf, p->slice);
    if (rc != PLAN_OK) return rc;
    round_rates(x, most, p);
    if ((rc = keep_trees(x, p)) != PLAN_OK) return rc;
    list_links(x, p);
    rc = plani_matchings_create(p->ranks, x->nused, x->from, x->to, x->busy_s, &p->steps);
    if (rc == PLAN_OK) rc = divide_links(x, p);
    if (rc == PLAN_OK) rc = index_pieces(x, p);
    return rc == PLAN_OK ? lag_all(x, p) : rc;
}

plan_status_t plani_periodic_create(const plan_platform_t *pf, int root, double slice, int most,
                                    const plan_steady_t *steady, plani_periodic_t *out, plan_error_t *err)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    const plan_steady_data_t *s = plan_steady_data(steady);
    plani_periodic_t p = {.ranks = d->ranks, .root = root, .slice = slice, .bound = s->upper};
    making_t x;
    plan_status_t rc = check(d, root, most, s, err);

    if (rc != PLAN_OK) return rc;
    if ((rc = making_create(d, s, &x)) == PLAN_OK) rc = make(&x, pf, most, &p);
    making_clear(&x);
    if (rc == PLAN_OK) {
        *out = p;
        return rc;
    }
    plani_periodic_clear(&p);
    if (rc == PLAN_ENOMEM) return plani_fail(err, rc, "out of memory for a schedule of %d ranks", d->ranks);
    if (rc == PLAN_EUNSUPPORTED)
        return plani_fail(err, rc, "slices are in flight for more than %d periods: the delay of a link is too long",
                          (int)MOST_LAG);
    return plani_fail(err, rc, "the bound's trees are not those of this platform of %d ranks", d->ranks);
}

void plani_periodic_clear(plani_periodic_t *p)
{
    free(p->per_tree);
    free(p->parent);
    free(p->tree_of);
    free(p->finish_s);
    plani_matchings_clear(&p->steps);
    free(p->piece);
    free(p->into_first);
    free(p->into);
    *p = (plani_periodic_t){.ranks = 0};
}

double plani_periodic_time(const plani_periodic_t *p, size_t slices)
{
    double last = 0;
    for (size_t k = 0; k < (size_t)p->slices && k < slices; k++) {
        size_t batch = (slices - 1 - k) / (size_t)p->slices; /* of its last slice with this number */
        last = fmax(last, (double)batch * p->period_s + p->finish_s[k]);
    }
    return last;
}

plan_status_t plani_periodic_create_for(const plan_platform_t *pf, int root, double slice, int most, size_t slices,
                                        const plan_steady_t *steady, plani_periodic_t *out, plan_error_t *err)
{
    plani_periodic_t best = {.ranks = 0};
    plan_status_t rc = plani_periodic_create(pf, root, slice, most, steady, &best, err);

    /* Each schedule has the fewest slices of its throughput, so the next one has less of either. */
    for (int fewer = best.slices - 1; rc == PLAN_OK && fewer > 0;) {
        plani_periodic_t p = {.ranks = 0};
        if ((rc = plani_periodic_create(pf, root, slice, fewer, steady, &p, err)) != PLAN_OK) break;
        fewer = p.slices - 1;
        if (plani_periodic_time(&p, slices) < plani_periodic_time(&best, slices)) {
            plani_periodic_t worse = best;
            best = p, p = worse;
        }
        plani_periodic_clear(&p);
    }
    if (rc == PLAN_OK)
        *out = best;
    else
        plani_periodic_clear(&best);
    return rc;
}
