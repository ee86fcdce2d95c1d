/* Periodic schedules: unrolled and checked moment by moment, against closed forms and the linear program. */
#include "suite.h"
#include "alloc.h"
#include "sample.h"
#include "../oracle/goal.h"
#include "lp/direct.h"
#include "planner/cost/bound.h"
#include "planner/schedule/periodic.h"
#include <math.h>
#include <string.h>

/* ---- steps ---- */

enum { MOST_TRANSFERS = 144 };

typedef struct {
    int ranks;
    size_t n;
    int from[MOST_TRANSFERS], to[MOST_TRANSFERS];
    double seconds[MOST_TRANSFERS];
} transfers_t;

static double busiest_port(const transfers_t *t)
{
    double load[2][12] = {{0}}, most = 0;
    for (size_t i = 0; i < t->n; i++) {
        most = fmax(most, load[0][t->from[i]] += t->seconds[i]);
        most = fmax(most, load[1][t->to[i]] += t->seconds[i]);
    }
    return most;
}

/* No port twice in a step; each transfer gets its time; the steps follow one another and last as long as the busiest
 * port. */
static void check_steps(const transfers_t *t, const plani_matchings_t *m)
{
    double most = busiest_port(t), got[MOST_TRANSFERS] = {0}, end = 0;
    for (size_t s = 0; s < m->n; s++) {
        bool used[2][12] = {{false}};
        CU_ASSERT_DOUBLE_EQUAL(m->start[s], end, 1e-9 * most);
        end = m->start[s] + m->length[s];
        for (size_t k = m->first[s]; k < m->first[s + 1]; k++) {
            size_t i = m->active[k];
            CU_ASSERT(!used[0][t->from[i]] && !used[1][t->to[i]]);
            used[0][t->from[i]] = used[1][t->to[i]] = true;
            got[i] += m->length[s];
        }
    }
    CU_ASSERT_DOUBLE_EQUAL(end, most, 1e-9 * most);
    for (size_t i = 0; i < t->n; i++) {
        CU_ASSERT_DOUBLE_EQUAL(got[i], t->seconds[i], 1e-9 * most);
        CU_ASSERT(got[i] > 0);
    }
    CU_ASSERT(m->n <= 2 * (t->n + (size_t)t->ranks));
}

/* costs 0: over six decades; -1: over 30; else one of so many small multiples of 0.1, which binary fractions do not
 * hold */
static void draw(uint64_t seed, int costs, transfers_t *t)
{
    *t = (transfers_t){.ranks = 2 + sample_below(&seed, 11)};
    int dense = 1 + sample_below(&seed, 4);
    for (int u = 0; u < t->ranks; u++)
        for (int v = 0; v < t->ranks; v++) {
            if (u == v || sample_below(&seed, dense) > 0) continue;
            t->from[t->n] = u, t->to[t->n] = v;
            t->seconds[t->n++] = costs > 0 ? 0.1 * (1 + sample_below(&seed, costs))
                                           : pow(10, -sample_below(&seed, 1000000) / (costs == 0 ? 166666. : 33333.));
        }
}

static void steps_take_as_long_as_the_busiest_port(void)
{
    for (uint64_t seed = 0; seed < 600; seed++) {
        transfers_t t;
        plani_matchings_t m = {.n = 0};
        draw(seed, seed % 4 == 3 ? -1 : (int)(seed % 4) * 4, &t);
        if (t.n == 0) continue;
        CU_ASSERT_EQUAL_FATAL(plani_matchings_create(t.ranks, t.n, t.from, t.to, t.seconds, &m), PLAN_OK);
        check_steps(&t, &m);
        plani_matchings_clear(&m);
    }
}

/* Koenig: a bipartite graph of degree d has d matchings. */
static void equal_times_need_as_many_steps_as_the_degree(void)
{
    for (int d = 1; d <= 6; d++) {
        transfers_t t = {.ranks = 9};
        plani_matchings_t m = {.n = 0};
        for (int u = 0; u < 9; u++)
            for (int k = 1; k <= d; k++) t.from[t.n] = u, t.to[t.n] = (u + k) % 9, t.seconds[t.n++] = 0.1;
        CU_ASSERT_EQUAL_FATAL(plani_matchings_create(9, t.n, t.from, t.to, t.seconds, &m), PLAN_OK);
        CU_ASSERT_EQUAL(m.n, (size_t)d);
        check_steps(&t, &m);
        plani_matchings_clear(&m);
    }
}

static void bad_times_are_refused(void)
{
    const int from[] = {0, 0}, to[] = {1, 1};
    const double bad[] = {0, -1, NAN, INFINITY};
    plani_matchings_t m = {.n = 0};
    for (size_t i = 0; i < 4; i++) CU_ASSERT_EQUAL(plani_matchings_create(2, 1, from, to, &bad[i], &m), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_matchings_create(2, 0, from, to, bad, &m), PLAN_EINVAL);
    CU_ASSERT_EQUAL(m.n, 0);
}

/* ---- schedules ---- */

static plani_periodic_t schedule(const plan_platform_t *pf, int root, double slice, int most, plani_solver_t *solve)
{
    const plan_steady_options_t o = {.size = sizeof o, .gap = 1e-8, .pack_trees = true};
    plan_steady_t *s = NULL;
    plani_periodic_t p = {.ranks = 0};
    CU_ASSERT_EQUAL_FATAL(plani_platform_bound_by(solve, pf, root, slice, false, &o, &s, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_periodic_create(pf, root, slice, most, s, &p, NULL), PLAN_OK);
    plan_steady_destroy(&s);
    return p;
}

typedef struct {
    double start, end;
} span_t;

static int by_start(const void *a, const void *b)
{
    const span_t *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

enum { BATCHES = 4, MOST_SPANS = 40000 };

/* All that a port does in the first periods, from the pieces alone: one thing at a time. */
static void check_port(const plani_periodic_t *p, const plan_platform_data_t *d, int rank, bool sends)
{
    static span_t span[MOST_SPANS];
    size_t n = 0;
    for (size_t i = 0; i < p->npieces; i++) {
        const plani_piece_t *x = &p->piece[i];
        if ((sends ? d->link[x->link].from : d->link[x->link].to) != rank) continue;
        for (int b = 0; b < BATCHES; b++) {
            double start = (b + x->lag) * p->period_s + x->start_s;
            CU_ASSERT_FATAL(n < MOST_SPANS);
            span[n++] = (span_t){start, start + x->length};
        }
        CU_ASSERT(x->start_s >= 0 && x->start_s + x->length <= p->period_s * (1 + 1e-9));
    }
    qsort(span, n, sizeof *span, by_start);
    size_t wrong = 0;
    for (size_t i = 1; i < n; i++) wrong += span[i].start < span[i - 1].end - 1e-9 * p->period_s;
    CU_ASSERT_EQUAL(wrong, 0);
}

/* When rank v has slice k of batch 0, from the pieces into it; checks that these are the slice, once, in order. */
static double arrival(const plani_periodic_t *p, const plan_platform_data_t *d, int k, int v, double *first)
{
    double part = 0, seconds = 0, end = 0;
    size_t link = (size_t)-1;
    *first = INFINITY;
    for (size_t i = 0; i < p->npieces; i++) {
        const plani_piece_t *x = &p->piece[i];
        if (x->slice != k || d->link[x->link].to != v) continue;
        CU_ASSERT(link == (size_t)-1 || link == x->link);
        CU_ASSERT_DOUBLE_EQUAL(x->begin, part, 1e-9);
        link = x->link, part = x->end, seconds += x->length;
        double start = x->lag * p->period_s + x->start_s;
        CU_ASSERT(start >= end - 1e-9 * p->period_s);
        *first = fmin(*first, start), end = start + x->length;
    }
    CU_ASSERT_FATAL(link != (size_t)-1);
    CU_ASSERT_EQUAL(part, 1);
    CU_ASSERT_DOUBLE_EQUAL(seconds, plan_link_cost(&d->link[link], p->slice), 1e-9 * p->period_s);
    CU_ASSERT_EQUAL(d->link[link].from, p->parent[p->tree_of[k] * p->ranks + v]);
    return end + d->link[link].delay_s;
}

/* Nothing is sent before it is there; the last arrival is the start-up. */
static void check_slices(const plani_periodic_t *p, const plan_platform_data_t *d)
{
    double last = 0, *has = calloc((size_t)p->ranks, sizeof *has), *first = calloc((size_t)p->ranks, sizeof *first);
    for (int k = 0; k < p->slices; k++) {
        const int *parent = p->parent + p->tree_of[k] * p->ranks;
        double finish = 0;
        has[p->root] = 0;
        for (int v = 0; v < p->ranks; v++)
            if (v != p->root) has[v] = arrival(p, d, k, v, &first[v]), finish = fmax(finish, has[v]);
        for (int v = 0; v < p->ranks; v++)
            if (v != p->root) CU_ASSERT(first[v] >= has[parent[v]] - 2e-9 * p->period_s);
        CU_ASSERT_DOUBLE_EQUAL(p->finish_s[k], finish, 1e-9 * p->period_s);
        last = fmax(last, finish);
    }
    CU_ASSERT_DOUBLE_EQUAL(p->startup_s, last, 1e-9 * p->period_s);
    free(has);
    free(first);
}

/* The period is the load of the busiest port or resource, summed up here from the trees. */
static void check_period(const plani_periodic_t *p, const plan_platform_t *pf)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    double ports = 0, resources = 0, *load = calloc(2 * (size_t)p->ranks + d->nresources, sizeof *load);
    for (int k = 0; k < p->slices; k++)
        for (int v = 0; v < p->ranks; v++) {
            int u = p->parent[p->tree_of[k] * p->ranks + v];
            if (u < 0) continue;
            size_t l = plan_platform_find_link(pf, u, v);
            load[u] += plan_link_cost(&d->link[l], p->slice);
            load[p->ranks + v] += plan_link_cost(&d->link[l], p->slice);
            for (size_t i = d->use_first[l]; i < d->use_first[l + 1]; i++)
                load[2 * (size_t)p->ranks + d->use[i]] += plan_resource_cost(&d->resource[d->use[i]], p->slice);
        }
    for (int i = 0; i < 2 * p->ranks; i++) ports = fmax(ports, load[i]);
    for (size_t i = 0; i < d->nresources; i++) resources = fmax(resources, load[2 * (size_t)p->ranks + i]);
    CU_ASSERT_DOUBLE_EQUAL(p->ports_s, ports, 1e-9 * ports);
    CU_ASSERT_DOUBLE_EQUAL(p->period_s, fmax(ports, resources), 1e-9 * ports);
    double steps = p->steps.start[p->steps.n - 1] + p->steps.length[p->steps.n - 1];
    CU_ASSERT_DOUBLE_EQUAL(steps, ports, 1e-9 * ports);
    free(load);
}

static void check(const plani_periodic_t *p, const plan_platform_t *pf)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    double delay = 0;
    for (size_t l = 0; l < d->nlinks; l++) delay = fmax(delay, d->link[l].delay_s);
    for (int r = 0; r < p->ranks; r++) check_port(p, d, r, true), check_port(p, d, r, false);
    check_slices(p, d);
    check_period(p, pf);
    CU_ASSERT(plani_periodic_throughput(p) <= p->bound * (1 + 1e-7));
    if (delay == 0) CU_ASSERT(p->startup_s <= p->height * p->period_s * (1 + 1e-9));
    CU_ASSERT_EQUAL(plani_periodic_time(p, (size_t)p->slices), p->startup_s);
    CU_ASSERT_DOUBLE_EQUAL(plani_periodic_time(p, 3 * (size_t)p->slices), p->startup_s + 2 * p->period_s,
                           1e-9 * p->startup_s);
}

/* Rounding gives each tree less than one slice too many: the period is longer by less than a slice down each tree. */
static double least_throughput(const plan_platform_t *pf, int root, double slice, int most)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    const plan_steady_options_t o = {.size = sizeof o, .gap = 1e-8, .pack_trees = true};
    plan_steady_t *s = NULL;
    double load[2][16] = {{0}}, more = 0, total = 0;
    CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, root, slice, &o, &s, NULL), PLAN_OK);
    const plan_steady_data_t *x = plan_steady_data(s);
    for (size_t t = 0; t < x->ntrees; t++) {
        total += x->tree_rate[t];
        for (int v = 0; v < d->ranks; v++) {
            int u = x->tree_parent[t][v];
            if (u < 0) continue;
            double cost = plan_link_cost(&d->link[plan_platform_find_link(pf, u, v)], slice);
            more = fmax(more, fmax(load[0][u] += cost, load[1][v] += cost));
        }
    }
    plan_steady_destroy(&s);
    return most / (most / total + more);
}

static void schedules_of_random_platforms_sustain_the_bound(void)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        const sample_t how = {
            2 + (int)(seed % 11), 0.15 + 0.1 * (double)(seed % 7), seed % 2 ? 0 : 4, 0, false, seed, 0};
        plan_platform_t *pf = sample_platform(&how);
        int root = (int)(seed / 11) % how.ranks, most = seed % 3 ? 40 : 7;
        plani_periodic_t p = schedule(pf, root, 1, most, plani_steady_solve);
        check(&p, pf);
        CU_ASSERT(plani_periodic_throughput(&p) >= least_throughput(pf, root, 1, most) * (1 - 1e-9));
        plani_periodic_clear(&p);
        plan_platform_destroy(&pf);
    }
}

/* The program as printed, solved by another method. */
static void the_bound_of_the_printed_program_is_neared(void)
{
    double worst = 1;
    for (uint64_t seed = 1000; seed < 1040; seed++) {
        const sample_t how = {3 + (int)(seed % 5), 0.5, seed % 2 ? 0 : 3, 0, false, seed, 0};
        plan_platform_t *pf = sample_platform(&how);
        const plan_steady_options_t o = {.size = sizeof o, .gap = 1e-8};
        plan_steady_t *s = NULL;
        CU_ASSERT_EQUAL_FATAL(plani_platform_bound_by(plani_steady_direct, pf, 0, 1, false, &o, &s, NULL), PLAN_OK);
        plani_periodic_t p = schedule(pf, 0, 1, 1000, plani_steady_solve);
        double share = plani_periodic_throughput(&p) / plan_steady_data(s)->throughput;
        CU_ASSERT(share <= 1 + 1e-6);
        worst = fmin(worst, share);
        plani_periodic_clear(&p);
        plan_steady_destroy(&s);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT(worst > 0.99);
}

/* From the pieces alone. */
static double time_of(const plani_periodic_t *p, const plan_platform_data_t *d, size_t slices)
{
    double last = 0;
    for (size_t i = 0; i < p->npieces; i++) {
        const plani_piece_t *x = &p->piece[i];
        for (size_t b = 0; b * (size_t)p->slices + (size_t)x->slice < slices; b++)
            last = fmax(last,
                        (double)(b + (size_t)x->lag) * p->period_s + x->start_s + x->length + d->link[x->link].delay_s);
    }
    return last;
}

/* The least of all periods of up to `most` slices. */
static void a_message_gets_the_period_that_takes_least_time(void)
{
    bool several = false;
    for (uint64_t seed = 0; seed < 60; seed++) {
        enum { MOST = 12 };
        const sample_t how = {3 + (int)(seed % 8), 0.4, seed % 2 ? 0 : 4, 0, false, seed, 0};
        const size_t slices = 1 + (size_t)seed * (size_t)seed / 20;
        const plan_steady_options_t o = {.size = sizeof o, .gap = 1e-8, .pack_trees = true};
        plan_platform_t *pf = sample_platform(&how);
        plan_steady_t *s = NULL;
        plani_periodic_t p = {.ranks = 0};
        double least = INFINITY;
        CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, 0, 1, &o, &s, NULL), PLAN_OK);
        for (int most = 1; most <= MOST; most++) {
            CU_ASSERT_EQUAL_FATAL(plani_periodic_create(pf, 0, 1, most, s, &p, NULL), PLAN_OK);
            double t = time_of(&p, plan_platform_data(pf), slices);
            CU_ASSERT_DOUBLE_EQUAL(plani_periodic_time(&p, slices), t, 1e-9 * t);
            least = fmin(least, t);
            plani_periodic_clear(&p);
        }
        CU_ASSERT_EQUAL_FATAL(plani_periodic_create_for(pf, 0, 1, MOST, slices, s, &p, NULL), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(time_of(&p, plan_platform_data(pf), slices), least, 1e-9 * least);
        several = several || p.slices > 1;
        plani_periodic_clear(&p);
        plan_steady_destroy(&s);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT(several);
}

static plan_platform_t *platform(int ranks, size_t nlinks, const plan_link_t *link, plan_ports_t ports)
{
    const plan_platform_data_t d = {.size = sizeof d, .ranks = ranks, .nlinks = nlinks, .link = link, .ports = ports};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

/* A chain of equal links, none of which is ever idle: each rank sends on what it got in the period before. */
static void a_chain_moves_a_slice_one_link_per_period(void)
{
    const plan_link_t link[] = {{0, 1, 0, 3, 0, -1}, {1, 2, 0, 3, 0, -1}, {2, 3, 0, 3, 0, -1}};
    plan_platform_t *pf = platform(4, 3, link, PLAN_PORTS_ONE);
    plani_periodic_t p = schedule(pf, 0, 1, 20, plani_steady_solve);
    check(&p, pf);
    CU_ASSERT_EQUAL(p.slices, 1);
    CU_ASSERT_EQUAL(p.height, 3);
    CU_ASSERT_DOUBLE_EQUAL(p.period_s, 3, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(plani_periodic_throughput(&p), p.bound, 1e-6);
    CU_ASSERT_EQUAL(p.npieces, 3);
    for (size_t i = 0; i < p.npieces; i++) CU_ASSERT_EQUAL(p.piece[i].lag, link[p.piece[i].link].from);
    CU_ASSERT_DOUBLE_EQUAL(p.startup_s, 9, 1e-9);
    plani_periodic_clear(&p);
    plan_platform_destroy(&pf);
}

/* A star without other links: the root sends to all, one after the other, and all arrives in the same period. */
static void a_star_takes_the_sum_of_its_links(void)
{
    const plan_link_t link[] = {{2, 0, 1, 0, 0, -1}, {2, 1, 2, 0, 0, -1}, {2, 3, 4, 0, 0, -1}};
    plan_platform_t *pf = platform(4, 3, link, PLAN_PORTS_ONE);
    plani_periodic_t p = schedule(pf, 2, 1, 20, plani_steady_solve);
    check(&p, pf);
    CU_ASSERT_EQUAL(p.slices, 1);
    CU_ASSERT_DOUBLE_EQUAL(p.period_s, 7, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(p.startup_s, 7, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(plani_periodic_time(&p, 5), 35, 1e-9);
    plani_periodic_clear(&p);
    plan_platform_destroy(&pf);
}

/* Slices a period: a down the star, b down each chain. The root's sends take 4 a + 4 b, each receive port 2 a + 5 b:
 * a = 1 and b = 2 are 5 slices in 12 s. The star alone sustains 3, the chains together 4.8, one of them 4. */
static void three_trees_sustain_more_than_one_or_two(void)
{
    const plan_link_t link[] = {{0, 1, 0, 2, 0, -1}, {0, 2, 0, 2, 0, -1}, {1, 2, 0, 3, 0, -1}, {2, 1, 0, 3, 0, -1}};
    plan_platform_t *pf = platform(3, 4, link, PLAN_PORTS_ONE);
    plani_periodic_t p = schedule(pf, 0, 1, 20, plani_steady_solve);
    check(&p, pf);
    CU_ASSERT_EQUAL(p.ntrees, 3);
    CU_ASSERT_EQUAL(p.slices, 5);
    CU_ASSERT_DOUBLE_EQUAL(p.period_s, 12, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(plani_periodic_throughput(&p), p.bound, 1e-4);
    plani_periodic_clear(&p);
    plan_platform_destroy(&pf);
}

/* While a slice is in flight, it cannot be sent on. */
static void delays_are_waited_for(void)
{
    const plan_link_t link[] = {{0, 1, 0, 1, 2.5, -1}, {1, 2, 0, 1, 0.25, -1}};
    plan_platform_t *pf = platform(3, 2, link, PLAN_PORTS_ONE);
    plani_periodic_t p = schedule(pf, 0, 1, 20, plani_steady_solve);
    check(&p, pf);
    CU_ASSERT_DOUBLE_EQUAL(p.period_s, 1, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(p.startup_s, 4 + 1 + 0.25, 1e-9);
    plani_periodic_clear(&p);
    plan_platform_destroy(&pf);
}

/* Whatever a link costs, each slice passes it. */
static void costs_differ_by_any_factor(void)
{
    const plan_link_t link[] = {{0, 1, 1e-17, 0, 0, -1}, {0, 2, 1e-3, 0, 0, -1},  {1, 2, 1, 0, 0, -1},
                                {1, 3, 1e-9, 0, 0, -1},  {2, 3, 1e-20, 0, 0, -1}, {3, 1, 1e-12, 0, 0, -1}};
    plan_platform_t *pf = platform(4, 6, link, PLAN_PORTS_ONE);
    plani_periodic_t p = schedule(pf, 0, 1, 50, plani_steady_solve);
    check(&p, pf);
    plani_periodic_clear(&p);
    plan_platform_destroy(&pf);
}

static void endless_delays_are_refused(void)
{
    const plan_link_t link[] = {{0, 1, 0, 1, 1e7, -1}, {1, 2, 0, 1, 0, -1}};
    plan_platform_t *pf = platform(3, 2, link, PLAN_PORTS_ONE);
    plan_steady_t *s = NULL;
    plani_periodic_t p = {.ranks = 0};
    plan_error_t err = {PLAN_OK, ""};
    CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, 0, 1, NULL, &s, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plani_periodic_create(pf, 0, 1, 5, s, &p, &err), PLAN_EUNSUPPORTED);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "delay"));
    plan_steady_destroy(&s);
    plan_platform_destroy(&pf);
}

static void resources_lengthen_the_period(void)
{
    bool longer = false;
    for (uint64_t seed = 0; seed < 40; seed++) {
        const sample_t how = {3 + (int)(seed % 6), 0.5, 0, 2, seed % 2 == 1, seed, 0};
        plan_platform_t *pf = sample_platform(&how);
        plani_periodic_t p = schedule(pf, 0, 1, 30, plani_steady_solve);
        check(&p, pf);
        longer = longer || p.period_s > 1.01 * p.ports_s;
        plani_periodic_clear(&p);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT(longer);
}

static void what_has_no_ports_is_refused(void)
{
    const plan_link_t link[] = {{0, 1, 1, 0, 0, -1}};
    plan_platform_t *pf = platform(2, 1, link, PLAN_PORTS_NONE), *one = platform(2, 1, link, PLAN_PORTS_ONE);
    plan_steady_t *s = NULL;
    plani_periodic_t p = {.ranks = 0};
    plan_error_t err = {PLAN_OK, ""};
    CU_ASSERT_EQUAL_FATAL(plan_platform_bound(one, 0, 1, NULL, &s, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plani_periodic_create(pf, 0, 1, 5, s, &p, &err), PLAN_EUNSUPPORTED);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "ports"));
    CU_ASSERT_EQUAL(plani_periodic_create(one, 0, 1, 0, s, &p, &err), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_periodic_create(one, 1, 1, 5, s, &p, &err), PLAN_EINVAL);
    plan_steady_destroy(&s);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&one);
}

/* ---- GOAL ---- */

static char *text_of(const plani_periodic_t *p, const plan_platform_t *pf, size_t bytes)
{
    plani_text_t to = {0};
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_periodic_put_goal(p, pf, bytes, &to, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_text_take(&to, &text), PLAN_OK);
    return text;
}

/* Replayed, every rank receives every byte, none before its parent has it (the replay would say so by waiting for
 * ever), and only over the links of the schedule. */
static void goal_brings_every_byte_to_every_rank(void)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        const sample_t how = {2 + (int)(seed % 8), 0.4, 0, 0, false, seed, 0};
        const size_t bytes = 1 + 37 * (size_t)seed;
        plan_platform_t *pf = sample_platform(&how);
        plani_periodic_t p = schedule(pf, 1, 16, 9, plani_steady_solve);
        char *text = text_of(&p, pf, bytes);
        goal_replay_t r = goal_replay(text);
        size_t *got = calloc((size_t)p.ranks, sizeof *got);
        CU_ASSERT_STRING_EQUAL(r.fault, "");
        for (size_t i = 0; i < r.n; i++)
            if (!r.op[i].send)
                got[r.op[i].rank] += r.op[i].bytes;
            else
                CU_ASSERT_NOT_EQUAL(plan_platform_find_link(pf, r.op[i].rank, r.op[i].peer), (size_t)-1);
        for (int v = 0; v < p.ranks; v++) CU_ASSERT_EQUAL(got[v], v == 1 ? 0 : bytes);
        free(got);
        goal_replay_clear(&r);
        free(text);
        plani_periodic_clear(&p);
        plan_platform_destroy(&pf);
    }
}

static void too_many_messages_are_refused(void)
{
    plan_platform_t *pf = sample_complete(4);
    plani_periodic_t p = schedule(pf, 0, 1, 5, plani_steady_solve);
    plani_text_t to = {0};
    CU_ASSERT_EQUAL(plani_periodic_put_goal(&p, pf, 1u << 30, &to, NULL), PLAN_EUNSUPPORTED);
    CU_ASSERT_EQUAL(plani_periodic_put_goal(&p, pf, 0, &to, NULL), PLAN_EINVAL);
    plani_periodic_clear(&p);
    plan_platform_destroy(&pf);
}

/* ---- memory ---- */

static plan_status_t everything(const plan_platform_t *pf, const plan_steady_t *s)
{
    plani_periodic_t p = {.ranks = 0};
    plani_text_t to = {0};
    char *text = NULL;
    plan_status_t rc = plani_periodic_create_for(pf, 0, 4, 7, 25, s, &p, NULL);
    if (rc == PLAN_OK) rc = plani_periodic_put_goal(&p, pf, 100, &to, NULL);
    if (rc == PLAN_OK) rc = plani_periodic_put_svg(&p, pf, &to, NULL);
    plan_status_t taken = plani_text_take(&to, &text);
    if (rc == PLAN_OK) rc = taken;
    free(text);
    plani_periodic_clear(&p);
    return rc;
}

static void every_failed_allocation_is_an_error(void)
{
    const sample_t how = {5, 0.5, 0, 1, false, 3, 0};
    plan_platform_t *pf = sample_platform(&how);
    plan_steady_t *s = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, 0, 4, NULL, &s, NULL), PLAN_OK);
    ALLOC_EACH(everything(pf, s), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_steady_destroy(&s);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("periodic", TEST(steps_take_as_long_as_the_busiest_port), TEST(equal_times_need_as_many_steps_as_the_degree),
           TEST(bad_times_are_refused), TEST(schedules_of_random_platforms_sustain_the_bound),
           TEST(the_bound_of_the_printed_program_is_neared), TEST(a_message_gets_the_period_that_takes_least_time),
           TEST(a_chain_moves_a_slice_one_link_per_period), TEST(a_star_takes_the_sum_of_its_links),
           TEST(three_trees_sustain_more_than_one_or_two), TEST(delays_are_waited_for),
           TEST(costs_differ_by_any_factor), TEST(endless_delays_are_refused), TEST(resources_lengthen_the_period),
           TEST(what_has_no_ports_is_refused), TEST(goal_brings_every_byte_to_every_rank),
           TEST(too_many_messages_are_refused), TEST(every_failed_allocation_is_an_error))
