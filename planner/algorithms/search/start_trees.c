#include "planner/algorithms/search/start_trees.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "planner/algorithms/search/capped.h"
#include "planner/algorithms/search/period_bound.h"

#define BISECTIONS 10
#define ENOUGH 1e-3        /* a period this near to the least that is possible is not lowered */
#define PRUNE_LINKS 100000 /* beyond, pruning for a start takes a good part of the search */
#define CAPS 14            /* caps on the period, from the least upwards */
#define CAP_STEP 1.25

/* Take in the tree of scratch[], unless it is there. */
static plan_status_t add(plani_starts_t *s)
{
    size_t n = (size_t)s->problem->d->ranks, bytes = n * sizeof *s->via;
    for (size_t i = 0; i < s->n; i++)
        if (memcmp(plani_starts_tree(s, i), s->scratch, bytes) == 0) return PLAN_OK;
    size_t *via = plani_grown(s->via, s->n, &s->room, bytes);
    if (via == NULL) return PLAN_ENOMEM;
    s->via = via;
    memcpy(s->via + s->n * n, s->scratch, bytes);
    plani_loads_set(&s->anneal.loads, s->scratch, INFINITY);
    double period = plani_loads_period(&s->anneal.loads);
    if (period < s->period) {
        s->period = period;
        s->max_throughput = s->n;
    }
    s->n++;
    return PLAN_OK;
}

static plan_status_t build(plani_starts_t *s, plani_builder_t *const *make, size_t n)
{
    const plani_problem_t *problem = s->problem;
    plan_status_t rc = PLAN_OK;
    for (size_t i = 0; rc == PLAN_OK && i < n; i++) {
        rc = make[i](problem, &s->shape);
        for (int v = 0; rc == PLAN_OK && v < problem->d->ranks; v++)
            s->scratch[v] =
                v == problem->root ? PLANI_NO_LINK : plan_platform_find_link(problem->pf, s->shape.parent[v], v);
        if (rc == PLAN_OK)
            rc = add(s);
        else if (rc == PLAN_EUNSUPPORTED) /* a shape that this platform cannot take */
            rc = PLAN_OK;
    }
    return rc;
}

/* Lower the period by bisection between what no tree can beat and the tree of the highest throughput. */
static plan_status_t lower_period(plani_starts_t *s, long moves)
{
    double low = 0, least = s->problem->most > 0 ? 1 / s->problem->most : 0;
    plan_status_t rc = plani_period_bound(s->problem, &low);
    if (rc != PLAN_OK) return rc;
    for (int i = 0; rc == PLAN_OK && i < BISECTIONS && s->period > plani_max(low, least) * (1 + ENOUGH); i++) {
        double tau = i == 0 ? low * (1 + 1e-12) : low + (s->period - low) / 2;
        memcpy(s->scratch, plani_starts_tree(s, s->max_throughput), (size_t)s->problem->d->ranks * sizeof *s->scratch);
        if (tau >= least && plani_anneal(&s->anneal, s->scratch, tau, moves / BISECTIONS))
            rc = add(s);
        else
            low = tau;
    }
    return rc;
}

static plan_status_t allocate(const plani_problem_t *problem, plani_starts_t *s)
{
    size_t n = (size_t)problem->d->ranks;
    plan_status_t rc = PLAN_OK;
    *s = (plani_starts_t){.problem = problem, .period = INFINITY};
    if ((rc = plani_anneal_create(problem, 1, problem->seed, &s->anneal)) != PLAN_OK) return rc;
    if ((rc = plani_fill_time_create(&s->anneal.loads, &s->fill)) != PLAN_OK) return rc;
    s->shape.parent = malloc(n * sizeof *s->shape.parent);
    s->shape.order = calloc(n, sizeof *s->shape.order);
    s->scratch = malloc(n * sizeof *s->scratch);
    return s->shape.parent && s->shape.order && s->scratch ? PLAN_OK : PLAN_ENOMEM;
}

plan_status_t plani_starts_create(const plani_problem_t *problem, long moves, plani_starts_t **out)
{
    static plani_builder_t *const always[] = {plani_grow,       plani_ecef,          plani_fef,           plani_fnf,
                                              plani_host_chain, plani_host_binomial, plani_multiport_grow};
    static plani_builder_t *const pruning[] = {plani_prune_degree};
    static plani_builder_t *const with_rates[] = {plani_lp_grow, plani_lp_prune};
    bool prune = problem->d->nlinks <= PRUNE_LINKS;
    plani_starts_t *s = malloc(sizeof *s);
    plan_status_t rc = s != NULL ? allocate(problem, s) : PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = build(s, always, sizeof always / sizeof *always);
    if (rc == PLAN_OK && prune) rc = build(s, pruning, 1);
    if (rc == PLAN_OK && problem->rates != NULL) rc = build(s, with_rates, prune ? 2 : 1);
    if (rc == PLAN_OK && problem->d->ranks > 2) rc = lower_period(s, moves);
    if (rc != PLAN_OK) plani_starts_destroy(&s);
    if (rc == PLAN_OK) *out = s;
    return rc;
}

void plani_starts_destroy(plani_starts_t **starts)
{
    plani_starts_t *s = *starts;
    *starts = NULL;
    if (s == NULL) return;
    plani_anneal_clear(&s->anneal);
    plani_fill_time_clear(&s->fill);
    free(s->shape.parent);
    free(s->shape.order);
    free(s->scratch);
    free(s->via);
    free(s);
}

/* Between the tree of the highest throughput and the one that fills fastest. */
static plan_status_t add_capped(plani_starts_t *s)
{
    plan_status_t rc = PLAN_OK;
    double cap = s->period;
    plani_capped_t *capped = NULL;
    if ((rc = plani_capped_create(s->problem, &capped)) != PLAN_OK) return rc;
    for (int i = 0; rc == PLAN_OK && i < 2 * CAPS; i++) {
        bool found = false, shallow = i % 2;
        rc = plani_capped_tree(capped, cap, shallow, s->scratch, &found);
        if (rc == PLAN_OK && found) rc = add(s);
        if (shallow) cap *= CAP_STEP;
    }
    plani_capped_destroy(&capped);
    return rc;
}

plan_status_t plani_starts_extend(plani_starts_t *s)
{
    static plani_builder_t *const pruning[] = {plani_prune_simple, plani_multiport_prune};
    plan_status_t rc = PLAN_OK;
    if (s->extended) return rc;
    if (s->problem->d->nlinks <= PRUNE_LINKS) rc = build(s, pruning, sizeof pruning / sizeof *pruning);
    if (rc == PLAN_OK && s->problem->d->ranks > 2) rc = add_capped(s);
    s->extended = rc == PLAN_OK;
    return rc;
}
