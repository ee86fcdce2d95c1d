/* Who leads is simulated: what is predicted by simulations, and which slices they find. */
#include "suite.h"
#include "alloc.h"
#include "rankings.h"
#include "planner/plan/plan_private.h"
#include <math.h>
#include <planbcast/generate.h>
#include <string.h>

/* How long one candidate's simulation takes, weighed for flows that take sharing. */
static double simulated(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes)
{
    plani_simulation_t *x = NULL;
    plani_sharing_t sharing;
    double share[PLANI_REGISTRY_ROOM], total = 0, t = 0;
    CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, &x), PLAN_OK);
    if (c->run == PLAN_RUN_ROUNDS) {
        CU_ASSERT_EQUAL(plani_simulate_rounds(x, c->schedule, c->order, bytes, c->slice, c->window, &t), PLAN_OK);
    } else {
        for (size_t k = 0; k < c->ntrees; k++) total += c->rate[k];
        for (size_t k = 0; k < c->ntrees; k++) share[k] = c->rate[k] / total;
        CU_ASSERT_EQUAL(plani_simulate_trees(x, c->ntrees, c->tree, share, bytes, c->slice, c->window, NULL, &t),
                        PLAN_OK);
        CU_ASSERT_EQUAL(plani_sharing_of(pf, c->ntrees, c->tree, share, &sharing), PLAN_OK);
        t *= plani_sharing_factor(&sharing, (double)bytes, t);
    }
    plani_simulation_destroy(&x);
    return t;
}

/* Messages that are cut in many slices: every candidate is predicted by its simulation, and none at its slice comes
 * before a faster one.
 */
static void the_simulation_decides(void)
{
    plan_platform_t *pf = sites(3, 9, 0);
    for (size_t bytes = 100000; bytes <= 4 << 20; bytes *= 6) {
        plan_ranking_t *ranking = ranking_of(pf, 0, bytes, NULL);
        for (size_t i = 0; i < ranking->ncandidates; i++) {
            const plan_candidate_t *c = &ranking->candidate[i];
            if (!plani_is_planned(c)) continue;
            CU_ASSERT_DOUBLE_EQUAL(c->predicted_s, simulated(pf, c, bytes), 1e-9 * c->predicted_s);
            CU_ASSERT(plani_weighed(c) >= plani_weighed(&ranking->candidate[0]));
        }
        plan_ranking_destroy(&ranking);
    }
    plan_platform_destroy(&pf);
}

/* Where only winners count few are simulated; what wins is hardly slower than what wins of all. */
static void few_simulations_find_almost_the_best(void)
{
    const plan_choice_t simulation = {.size = sizeof simulation, .model = "simulation"};
    plani_context_t all, winners;
    plan_error_t err;
    plan_platform_t *pf = sites(3, 9, 0);
    open_context(pf, 0, &simulation, 4 << 20, false, &all);
    open_context(pf, 0, &simulation, 4 << 20, true, &winners);
    for (size_t bytes = 1024; bytes <= 4 << 20; bytes *= 2) {
        plan_ranking_t *a = NULL, *w = NULL;
        CU_ASSERT_EQUAL_FATAL(plani_rank(&all, bytes, &a, &err), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_rank(&winners, bytes, &w, &err), PLAN_OK);
        CU_ASSERT(plani_weighed(&w->candidate[0]) <= 1.05 * plani_weighed(&a->candidate[0]));
        plan_ranking_destroy(&a);
        plan_ranking_destroy(&w);
    }
    plani_context_clear(&all);
    plani_context_clear(&winners);
    plan_platform_destroy(&pf);
}

/* What stages and simulations say of the algorithms of a registry, for one message. */
typedef struct {
    plani_context_t ctx; /* all are scored, at all slice sizes; winners are looked for */
    size_t bytes;
    plani_scores_t scores;
    plani_best_t staged[PLANI_REGISTRY_ROOM], best[PLANI_REGISTRY_ROOM]; /* before and after */
} shortlist_t;

static shortlist_t shortlist;

/* Each algorithm starts at the start-th slice size, or, where start is negative, at the one that stages see best. */
static void score(size_t bytes, int start)
{
    shortlist.bytes = bytes;
    shortlist.ctx.winners = false;
    CU_ASSERT_EQUAL_FATAL(plani_score_instances(&shortlist.ctx, bytes, &shortlist.scores), PLAN_OK);
    for (size_t i = 0; i < shortlist.ctx.registry.n; i++) {
        shortlist.best[i] = plani_best_of_algorithm(&shortlist.ctx, &shortlist.scores, i);
        if (start < 0 || (size_t)start >= shortlist.scores.slices) continue;
        plani_best_t there = plani_fastest_at(&shortlist.ctx, &shortlist.scores, i, (size_t)start);
        if (isfinite(there.seconds)) shortlist.best[i] = there;
    }
}

static void simulate_leaders(bool winners)
{
    memcpy(shortlist.staged, shortlist.best, sizeof shortlist.best);
    shortlist.ctx.winners = winners;
    CU_ASSERT_EQUAL(plani_simulate_shortlist(&shortlist.ctx, shortlist.bytes, &shortlist.scores, shortlist.best),
                    PLAN_OK);
}

static double simulation_of(const plani_best_t *b)
{
    double t = INFINITY;
    if (!isfinite(b->seconds)) return t;
    const plani_instance_t *f = &shortlist.ctx.instance[b->instance];
    CU_ASSERT_EQUAL(plani_instance_simulate(&shortlist.ctx, f, shortlist.bytes, b->slice, b->window, &t), PLAN_OK);
    return t;
}

static bool is_simulated(size_t algorithm)
{
    return isfinite(shortlist.best[algorithm].seconds) &&
           shortlist.best[algorithm].seconds == simulation_of(&shortlist.best[algorithm]);
}

static size_t first_of(const plani_best_t *best)
{
    size_t first = 0;
    for (size_t i = 1; i < shortlist.ctx.registry.n; i++)
        if (plani_best_weighed(&shortlist.ctx, &best[i]) < plani_best_weighed(&shortlist.ctx, &best[first])) first = i;
    return first;
}

static size_t slice_index(const plani_best_t *b)
{
    size_t s = 0;
    while (shortlist.scores.at[b->instance * shortlist.scores.slices + s].slice != b->slice) s++;
    return s;
}

static double simulated_at(size_t algorithm, size_t s)
{
    plani_best_t b = plani_fastest_at(&shortlist.ctx, &shortlist.scores, algorithm, s);
    return simulation_of(&b);
}

/*
 * Of the slice sizes between the one that was begun with and the one taken none is faster by what a smaller slice has
 * to be worth; the next smaller one isn't either; and the next larger one, unless one came from there, is slower by so
 * much than any of them.
 */
static void check_slice(size_t algorithm)
{
    const double worth = 1 - PLANI_WORTH_SMALLER, rounding = 1 + 1e-8;
    const plani_best_t *best = &shortlist.best[algorithm];
    size_t from = slice_index(&shortlist.staged[algorithm]), to = slice_index(best);
    double least = fmin(best->seconds, simulation_of(&shortlist.staged[algorithm]));

    for (size_t s = from < to ? from : to; s <= (from < to ? to : from); s++)
        if (s != from) least = fmin(least, simulated_at(algorithm, s));
    CU_ASSERT(best->seconds * worth <= least * rounding);
    if (to > 0 && to <= from) CU_ASSERT(simulated_at(algorithm, to - 1) * worth * rounding > least);
    if (to + 1 < shortlist.scores.slices)
        CU_ASSERT(simulated_at(algorithm, to + 1) * rounding >= best->seconds * worth);
}

static void check_winner(size_t bytes, int start)
{
    score(bytes, start);
    simulate_leaders(true);
    size_t first = first_of(shortlist.best);
    CU_ASSERT(is_simulated(first));
    check_slice(first);
    free(shortlist.scores.at);
}

static plan_platform_t *platform(uint64_t seed, double density)
{
    plan_platform_t *pf = NULL;
    if (seed == 0) return sites(3, 9, 0);
    CU_ASSERT_EQUAL_FATAL(plan_generate_random(10, density, seed, &pf), PLAN_OK);
    return pf;
}

static void the_winner_is_simulated_at_the_slices_that_suit_it(void)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        plan_platform_t *pf = platform(seed, seed % 2 ? 1 : 0.4);
        open_context(pf, 0, NULL, 4 << 20, false, &shortlist.ctx);
        for (size_t bytes = 1000; bytes <= 4 << 20; bytes *= 3) check_winner(bytes, -1);
        plani_context_clear(&shortlist.ctx);
        plan_platform_destroy(&pf);
    }
}

/* Whatever slices stages see best, one goes from there to those that its neighbours are not worth leaving for. */
static void any_slice_leads_to_slices_that_suit(void)
{
    static const char *const only[] = {"best-tree", "circulant", "two-tree", "grow"};
    for (uint64_t seed = 0; seed < 3; seed++)
        for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
            const plan_choice_t choice = {.size = sizeof choice, .only = only[i]};
            plan_platform_t *pf = platform(seed, 1);
            open_context(pf, 0, &choice, 4 << 20, false, &shortlist.ctx);
            for (size_t bytes = 3000; bytes <= 4 << 20; bytes *= 6)
                for (int start = 0; start < 12; start++) check_winner(bytes, start);
            plani_context_clear(&shortlist.ctx);
            plan_platform_destroy(&pf);
        }
}

/* How many are simulated, and of how many, where stages see this algorithm first by far, with this slice. */
static size_t count_simulated(const char *name, size_t slice, bool winners, size_t *all)
{
    size_t n = 0;
    score(1 << 20, -1);
    for (size_t i = 0; i < shortlist.ctx.registry.n; i++)
        if (strcmp(shortlist.ctx.registry.algorithm[i].name, name) == 0) {
            size_t s = 0;
            while (shortlist.scores.at[s].slice != slice) s++;
            shortlist.best[i] = plani_fastest_at(&shortlist.ctx, &shortlist.scores, i, s);
            shortlist.best[i].seconds /= 1000;
        }
    simulate_leaders(winners);
    *all = 0;
    for (size_t i = 0; i < shortlist.ctx.registry.n; i++)
        n += is_simulated(i), *all += isfinite(shortlist.best[i].seconds);
    free(shortlist.scores.at);
    return n;
}

/* A few simulations of many slices, or of a block per rank, take long; whole messages and few slices take no time. */
static void few_are_simulated_where_each_takes_long(void)
{
    static const struct {
        const char *name;
        size_t slice;
        bool few;
    } is[] = {{"scatter-ring", 0, true},        {"circulant", 0, false},       {"circulant", 4096, true},
              {"ompi-binomial", 0, false},      {"ompi-binomial", 4096, true}, {"ompi-pipeline", 1 << 19, false},
              {"ompi-pipeline", 1 << 17, true}, {"two-tree", 1 << 17, true}};
    plan_platform_t *pf = sites(3, 9, 0);
    open_context(pf, 0, NULL, 4 << 20, false, &shortlist.ctx);
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        size_t all = 0, n = count_simulated(is[i].name, is[i].slice, true, &all);
        CU_ASSERT(is[i].few ? n >= 3 && n <= 6 : n == all);
        CU_ASSERT(all > 12);
        n = count_simulated(is[i].name, is[i].slice, false, &all);
        CU_ASSERT_EQUAL(n, all);
    }
    plani_context_clear(&shortlist.ctx);
    plan_platform_destroy(&pf);
}

static void every_failing_allocation_of_a_simulation_comes_back(void)
{
    plan_platform_t *pf = sites(2, 6, 0);
    const plan_choice_t choice = {.size = sizeof choice, .only = "grow,circulant,two-tree"};
    plani_best_t best[PLANI_REGISTRY_ROOM];
    open_context(pf, 0, &choice, 1 << 20, false, &shortlist.ctx);
    score(1 << 20, 4);
    ALLOC_EACH((plani_simulation_destroy(&shortlist.ctx.simulation), memcpy(best, shortlist.best, sizeof best),
                plani_simulate_shortlist(&shortlist.ctx, shortlist.bytes, &shortlist.scores, best)),
               CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    free(shortlist.scores.at);
    plani_context_clear(&shortlist.ctx);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("leaders", TEST(few_are_simulated_where_each_takes_long),
           TEST(every_failing_allocation_of_a_simulation_comes_back),
           TEST(the_winner_is_simulated_at_the_slices_that_suit_it), TEST(any_slice_leads_to_slices_that_suit),
           TEST(the_simulation_decides), TEST(few_simulations_find_almost_the_best))
