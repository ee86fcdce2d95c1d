#include "planner/select/diagnose.h"
#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "planner/simulate/sharing.h"
#include "planner/simulate/simulation.h"

enum { MOST = 128 };                  /* resources that are tried */
static const double LEAST = 1.0 / 32; /* smaller factors are not tried, nor larger ones than 1 / LEAST */
static const double MODEST = 0.02;  /* a change by a factor of e has to lower the error by at least this [mean |ln|] */
static const double RELEVANT = 0.5; /* of the largest load: less loaded resources gain nothing by a higher rate */
static const double LIMITS = 0.9;   /* a resource of at least so much of a link's time per byte limits the link */

/* A small platform for repeated simulation: the links that the trees use, the links back, and their resources. */
typedef struct {
    const plan_candidate_t *c;
    size_t bytes;
    const double *observed;
    plan_platform_data_t d; /* link, resource: the arrays below */
    plan_link_t *link;
    plan_resource_t *resource;
    size_t *member, *of; /* of: [nresources] index in the given platform */
    size_t *place;       /* [nlinks of the given platform] index here; SIZE_MAX: not used */
    double *load;        /* [nresources] [s] occupation by the message */
    double *arrival;     /* [ranks] scratch */
} probe_t;

static double share_of(const plan_candidate_t *c, size_t t)
{
    double total = 0;
    for (size_t i = 0; i < c->ntrees; i++) total += c->rate[i];
    return c->ntrees > 1 ? c->rate[t] / total : 1;
}

static plan_status_t simulate(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes, double *arrival)
{
    plani_simulation_t *x = NULL;
    plani_sharing_t sharing;
    double *share = malloc((c->ntrees + 1) * sizeof *share), last = 0;
    int ranks = plan_platform_data(pf)->ranks;
    plan_status_t rc = share != NULL ? PLAN_OK : PLAN_ENOMEM;

    for (size_t t = 0; t < c->ntrees && rc == PLAN_OK; t++) share[t] = share_of(c, t);
    if (rc == PLAN_OK) rc = plani_sharing_of(pf, c->ntrees, c->tree, share, &sharing);
    if (rc == PLAN_OK) rc = plani_simulation_create(pf, NULL, &x);
    if (rc == PLAN_OK && c->run == PLAN_RUN_HOSTS) plani_simulation_share(x);
    if (rc == PLAN_OK)
        rc = plani_simulate_arrivals(x, c->ntrees, c->tree, c->ntrees > 1 ? share : NULL,
                                     (plani_pipeline_t){bytes, c->slice, c->window}, arrival);
    for (int v = 0; v < ranks && rc == PLAN_OK; v++) last = fmax(last, arrival[v]);
    for (int v = 0; v < ranks && rc == PLAN_OK; v++) arrival[v] *= plani_sharing_factor(&sharing, (double)bytes, last);
    plani_simulation_destroy(&x);
    free(share);
    return rc;
}

plan_status_t plani_predict_arrivals(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes,
                                     double *arrival)
{
    return simulate(pf, c, bytes, arrival);
}

/* ---- the links and resources that count ---- */

/* Mark the links of all trees, and the links back. */
static plan_status_t mark(const plan_platform_t *pf, probe_t *p)
{
    for (size_t t = 0; t < p->c->ntrees; t++) {
        const plan_tree_data_t *tree = plan_tree_data(p->c->tree[t]);
        for (int v = 0; v < tree->ranks; v++) {
            if (tree->parent[v] < 0) continue;
            size_t there = plan_platform_find_link(pf, tree->parent[v], v),
                   back = plan_platform_find_link(pf, v, tree->parent[v]);
            if (there == SIZE_MAX) return PLAN_ENOTREE;
            p->place[there] = 0;
            if (back != SIZE_MAX) p->place[back] = 0;
        }
    }
    return PLAN_OK;
}

static void take_links(const plan_platform_data_t *d, probe_t *p)
{
    for (size_t l = 0; l < d->nlinks; l++) {
        if (p->place[l] == SIZE_MAX) continue;
        p->place[l] = p->d.nlinks;
        p->link[p->d.nlinks++] = d->link[l];
    }
}

static void take_resources(const plan_platform_data_t *d, probe_t *p)
{
    size_t *next = p->member;
    for (size_t r = 0; r < d->nresources; r++) {
        const plan_resource_t *from = &d->resource[r];
        plan_resource_t *to = &p->resource[p->d.nresources];
        *to = *from, to->link = next, to->nlinks = 0;
        for (size_t i = 0; i < from->nlinks; i++)
            if (p->place[from->link[i]] != SIZE_MAX) next[to->nlinks++] = p->place[from->link[i]];
        next += to->nlinks;
        if (to->nlinks > 0) p->of[p->d.nresources++] = r;
    }
}

/* What the message puts on each resource. */
static plan_status_t take_loads(const plan_platform_t *pf, probe_t *p)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    double *load = calloc(d->nresources + 1, sizeof *load);
    if (load == NULL) return PLAN_ENOMEM;
    for (size_t t = 0; t < p->c->ntrees; t++) {
        const plan_tree_data_t *tree = plan_tree_data(p->c->tree[t]);
        for (int v = 0; v < tree->ranks; v++) {
            if (tree->parent[v] < 0) continue;
            if (p->c->run == PLAN_RUN_HOSTS && d->host[tree->parent[v]] == d->host[v]) continue;
            size_t l = plan_platform_find_link(pf, tree->parent[v], v);
            for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++)
                load[d->use[k]] += share_of(p->c, t) * (double)p->bytes * d->resource[d->use[k]].s_per_byte;
        }
    }
    for (size_t i = 0; i < p->d.nresources; i++) p->load[i] = load[p->of[i]];
    free(load);
    return PLAN_OK;
}

static plan_status_t prepare(const plan_platform_t *pf, probe_t *p)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    size_t members = 0;
    plan_status_t rc;

    for (size_t r = 0; r < d->nresources; r++) members += d->resource[r].nlinks;
    p->d = *d, p->d.nlinks = p->d.nresources = 0;
    p->link = malloc((d->nlinks + 1) * sizeof *p->link);
    p->place = malloc((d->nlinks + 1) * sizeof *p->place);
    p->resource = malloc((d->nresources + 1) * sizeof *p->resource);
    p->of = malloc((d->nresources + 1) * sizeof *p->of);
    p->load = calloc(d->nresources + 1, sizeof *p->load);
    p->member = malloc((members + 1) * sizeof *p->member);
    p->arrival = calloc((size_t)d->ranks, sizeof *p->arrival);
    if (!p->link || !p->place || !p->resource || !p->of || !p->load || !p->member || !p->arrival) return PLAN_ENOMEM;
    for (size_t l = 0; l < d->nlinks; l++) p->place[l] = SIZE_MAX;
    if ((rc = mark(pf, p)) != PLAN_OK) return rc;
    take_links(d, p);
    take_resources(d, p);
    p->d.link = p->link, p->d.resource = p->resource;
    return take_loads(pf, p);
}

static void release(probe_t *p)
{
    free(p->link);
    free(p->place);
    free(p->resource);
    free(p->of);
    free(p->load);
    free(p->member);
    free(p->arrival);
}

/* ---- one change ---- */

static double error_of(const probe_t *p, const double *arrival)
{
    double sum = 0;
    int n = 0;
    for (int v = 0; v < p->d.ranks; v++) {
        if (!(p->observed[v] > 0) || !(arrival[v] > 0)) continue;
        sum += fabs(log(arrival[v] / p->observed[v]));
        n++;
    }
    return n > 0 ? sum / n : INFINITY;
}

static bool uses(const plan_resource_t *r, size_t link)
{
    for (size_t i = 0; i < r->nlinks; i++)
        if (r->link[i] == link) return true;
    return false;
}

/* Links whose rate came from the resource become as fast as their resources are now. */
static void speed_links(probe_t *p, const plan_resource_t *old, double s_per_byte)
{
    for (size_t i = 0; i < old->nlinks; i++) {
        plan_link_t *l = &p->link[old->link[i]];
        double now = s_per_byte;
        if (old->s_per_byte < LIMITS * l->s_per_byte) continue;
        for (size_t r = 0; r < p->d.nresources; r++) {
            const plan_resource_t *other = &p->resource[r];
            if (other->link != old->link && uses(other, old->link[i])) now = fmax(now, other->s_per_byte);
        }
        l->s_per_byte = fmin(l->s_per_byte, now);
    }
}

/* The error with resource k at `factor` times its rate. */
static plan_status_t try_change(probe_t *p, size_t k, double factor, double *error)
{
    plan_resource_t *r = &p->resource[k], old = *r;
    plan_link_t *links = malloc((p->d.nlinks + 1) * sizeof *links);
    plan_pairs_t *pairs = malloc((old.npairs + 1) * sizeof *pairs);
    plan_platform_t *pf = NULL;
    plan_status_t rc = links != NULL && pairs != NULL ? PLAN_OK : PLAN_ENOMEM;

    if (rc != PLAN_OK) goto done;
    memcpy(links, p->link, p->d.nlinks * sizeof *links);
    for (size_t i = 0; i < old.npairs; i++) pairs[i] = old.pairs[i], pairs[i].bytes_per_s *= factor;
    r->s_per_byte /= factor, r->pairs = pairs;
    if (factor > 1) speed_links(p, &old, r->s_per_byte);
    if ((rc = plan_platform_create(&p->d, &pf, NULL)) == PLAN_OK) rc = simulate(pf, p->c, p->bytes, p->arrival);
    if (rc == PLAN_OK) *error = error_of(p, p->arrival);
    memcpy(p->link, links, p->d.nlinks * sizeof *links);
    *r = old;
done:
    plan_platform_destroy(&pf);
    free(links);
    free(pairs);
    return rc;
}

static double cost_of(plani_change_t c)
{
    return c.error + MODEST * fabs(log(c.factor));
}

static plan_status_t improve(probe_t *p, size_t k, double factor, plani_change_t *best)
{
    plani_change_t c = {.resource = k, .factor = factor};
    if (!(factor >= LEAST && factor <= 1 / LEAST)) return PLAN_OK;
    plan_status_t rc = try_change(p, k, factor, &c.error);
    if (rc == PLAN_OK && cost_of(c) < cost_of(*best)) *best = c;
    return rc;
}

/* The best factor of one resource: in steps of 2^(1/4) from `from` on, then nearer. */
static plan_status_t search(probe_t *p, size_t k, double from, int steps, plani_change_t *best)
{
    plan_status_t rc = PLAN_OK;

    *best = (plani_change_t){.resource = k, .factor = 1, .error = INFINITY};
    for (int i = 0; i < steps && rc == PLAN_OK; i++) rc = improve(p, k, from * pow(2, i / 4.0), best);
    for (double step = pow(2, 1 / 8.0); step > 1.03 && rc == PLAN_OK && isfinite(best->error); step = sqrt(step)) {
        double at = best->factor;
        rc = improve(p, k, at * step, best);
        if (rc == PLAN_OK) rc = improve(p, k, at / step, best);
    }
    return rc;
}

/* ---- all resources ---- */

static void keep(plani_change_t change[PLANI_CHANGES], size_t *n, plani_change_t c)
{
    size_t i = *n;
    if (*n == PLANI_CHANGES && cost_of(c) >= cost_of(change[PLANI_CHANGES - 1])) return;
    if (*n < PLANI_CHANGES) ++*n;
    if (i == PLANI_CHANGES) i--;
    for (; i > 0 && cost_of(c) < cost_of(change[i - 1]); i--) change[i] = change[i - 1];
    change[i] = c;
}

/* The load that MOST resources reach at least. */
static double least_load(const probe_t *p)
{
    double largest[MOST] = {0};
    if (p->d.nresources > MOST) gsl_sort_largest(largest, MOST, p->load, 1, p->d.nresources);
    return largest[MOST - 1];
}

static plan_status_t search_all(probe_t *p, bool slower, double seconds, double before,
                                plani_change_t change[PLANI_CHANGES], size_t *n)
{
    double least = least_load(p), most = 0;
    plan_status_t rc = PLAN_OK;

    for (size_t i = 0; i < p->d.nresources; i++) most = fmax(most, p->load[i]);
    for (size_t i = 0; i < p->d.nresources && rc == PLAN_OK; i++) {
        plani_change_t best;
        if (!(p->load[i] > 0) || p->load[i] < least) continue;
        if (!slower && p->load[i] < RELEVANT * most) continue;
        /* A resource cannot be busy for longer than the broadcast, which bounds how slow it can be. */
        double from = slower ? p->load[i] / seconds : pow(2, 1 / 4.0);
        if (slower && from >= 1) continue;
        rc = search(p, i, fmax(from, LEAST), slower ? 6 : 13, &best);
        if (rc == PLAN_OK && cost_of(best) < before) keep(change, n, best);
    }
    for (size_t i = 0; i < *n; i++) change[i].resource = p->of[change[i].resource];
    return rc;
}

plan_status_t plani_diagnose(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes, const double *observed,
                             plani_change_t change[PLANI_CHANGES], size_t *n)
{
    probe_t p = {.c = c, .bytes = bytes, .observed = observed};
    plan_status_t rc = prepare(pf, &p);
    double last[2] = {0, 0}; /* [s] simulated, observed */

    *n = 0;
    if (rc == PLAN_OK) rc = simulate(pf, c, bytes, p.arrival);
    if (rc == PLAN_OK) {
        for (int v = 0; v < p.d.ranks; v++) last[0] = fmax(last[0], p.arrival[v]), last[1] = fmax(last[1], observed[v]);
        rc = search_all(&p, last[1] > last[0], last[1], error_of(&p, p.arrival), change, n);
    }
    release(&p);
    return rc;
}
