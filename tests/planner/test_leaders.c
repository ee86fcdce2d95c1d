/* Who leads is replayed: what is predicted by replays, and which slices they find. */
#include "suite.h"
#include "alloc.h"
#include "rankings.h"
#include "planner/plan/plan_private.h"
#include <math.h>
#include <planbcast/generate.h>
#include <string.h>

/* How long one candidate's replay takes, weighed for flows that take turns. */
static double replayed(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes)
{
    plani_replay_t *x = NULL;
    plani_turns_t turns;
    double share[PLANI_REGISTRY_ROOM], total = 0, t = 0;
    CU_ASSERT_EQUAL_FATAL(plani_replay_create(pf, &x), PLAN_OK);
    if (c->run == PLAN_RUN_ROUNDS) {
        CU_ASSERT_EQUAL(plani_replay_rounds(x, c->schedule, c->order, bytes, c->slice, c->window, &t), PLAN_OK);
    } else {
        for (size_t k = 0; k < c->ntrees; k++) total += c->rate[k];
        for (size_t k = 0; k < c->ntrees; k++) share[k] = c->rate[k] / total;
        CU_ASSERT_EQUAL(plani_replay_trees(x, c->ntrees, c->tree, share, bytes, c->slice, c->window, NULL, &t),
                        PLAN_OK);
        CU_ASSERT_EQUAL(plani_turns(pf, c->ntrees, c->tree, share, &turns), PLAN_OK);
        t *= plani_turns_stretch(&turns, (double)bytes, t);
    }
    plani_replay_destroy(&x);
    return t;
}

/* Messages that are cut in many slices: every candidate is predicted by its replay, and none at its slice comes before
 * a faster one.
 */
static void the_last_word_has_the_replay(void)
{
    plan_platform_t *pf = sites(3, 9, 0);
    for (size_t bytes = 100000; bytes <= 4 << 20; bytes *= 6) {
        plan_ranking_t *ranking = ranking_of(pf, 0, bytes, NULL);
        for (size_t i = 0; i < ranking->ncandidates; i++) {
            const plan_candidate_t *c = &ranking->candidate[i];
            if (!plani_is_planned(c)) continue;
            CU_ASSERT_DOUBLE_EQUAL(c->predicted_s, replayed(pf, c, bytes), 1e-9 * c->predicted_s);
            CU_ASSERT(plani_weighed(c) >= plani_weighed(&ranking->candidate[0]));
        }
        plan_ranking_destroy(&ranking);
    }
    plan_platform_destroy(&pf);
}

/* Where only winners count few are replayed; what wins is hardly slower than what wins of all. */
static void few_replays_find_almost_the_best(void)
{
    const plan_choice_t replay = {.model = "replay"};
    plani_context_t all, winners;
    plan_error_t err;
    plan_platform_t *pf = sites(3, 9, 0);
    open_context(pf, 0, &replay, 4 << 20, false, &all);
    open_context(pf, 0, &replay, 4 << 20, true, &winners);
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

/* What stages and replays say of the algorithms of a registry, for one message. */
typedef struct {
    plani_context_t ctx; /* all are scored, at all slice sizes; winners are looked for */
    size_t bytes;
    plani_scores_t scores;
    plani_best_t staged[PLANI_REGISTRY_ROOM], best[PLANI_REGISTRY_ROOM]; /* before and after */
} hall_t;

static hall_t hall;

/* Each algorithm starts at the start-th slice size, or, where start is negative, at the one that stages see best. */
static void score(size_t bytes, int start)
{
    hall.bytes = bytes;
    hall.ctx.winners = false;
    CU_ASSERT_EQUAL_FATAL(plani_score_instances(&hall.ctx, bytes, &hall.scores), PLAN_OK);
    for (size_t i = 0; i < hall.ctx.registry.n; i++) {
        hall.best[i] = plani_best_of_algorithm(&hall.ctx, &hall.scores, i);
        if (start < 0 || (size_t)start >= hall.scores.slices) continue;
        plani_best_t there = plani_fastest_at(&hall.ctx, &hall.scores, i, (size_t)start);
        if (isfinite(there.seconds)) hall.best[i] = there;
    }
}

static void replay_leaders(bool winners)
{
    memcpy(hall.staged, hall.best, sizeof hall.best);
    hall.ctx.winners = winners;
    CU_ASSERT_EQUAL(plani_replay_leaders(&hall.ctx, hall.bytes, &hall.scores, hall.best), PLAN_OK);
}

static double replay_of(const plani_best_t *b)
{
    double t = INFINITY;
    if (!isfinite(b->seconds)) return t;
    const plani_instance_t *f = &hall.ctx.instance[b->instance];
    CU_ASSERT_EQUAL(plani_instance_replay(&hall.ctx, f, hall.bytes, b->slice, b->window, &t), PLAN_OK);
    return t;
}

static bool is_replayed(size_t algorithm)
{
    return isfinite(hall.best[algorithm].seconds) && hall.best[algorithm].seconds == replay_of(&hall.best[algorithm]);
}

static size_t first_of(const plani_best_t *best)
{
    size_t first = 0;
    for (size_t i = 1; i < hall.ctx.registry.n; i++)
        if (plani_best_weighed(&hall.ctx, &best[i]) < plani_best_weighed(&hall.ctx, &best[first])) first = i;
    return first;
}

static size_t slice_index(const plani_best_t *b)
{
    size_t s = 0;
    while (hall.scores.at[b->instance * hall.scores.slices + s].slice != b->slice) s++;
    return s;
}

static double replay_at(size_t algorithm, size_t s)
{
    plani_best_t b = plani_fastest_at(&hall.ctx, &hall.scores, algorithm, s);
    return replay_of(&b);
}

/*
 * Of the slice sizes between the one that was begun with and the one taken none is faster by what a smaller slice has
 * to be worth; the next smaller one isn't either; and the next larger one, unless one came from there, is slower by so
 * much than any of them.
 */
static void check_slice(size_t algorithm)
{
    const double worth = 1 - PLANI_WORTH_SMALLER, rounding = 1 + 1e-8;
    const plani_best_t *best = &hall.best[algorithm];
    size_t from = slice_index(&hall.staged[algorithm]), to = slice_index(best);
    double least = fmin(best->seconds, replay_of(&hall.staged[algorithm]));

    for (size_t s = from < to ? from : to; s <= (from < to ? to : from); s++)
        if (s != from) least = fmin(least, replay_at(algorithm, s));
    CU_ASSERT(best->seconds * worth <= least * rounding);
    if (to > 0 && to <= from) CU_ASSERT(replay_at(algorithm, to - 1) * worth * rounding > least);
    if (to + 1 < hall.scores.slices) CU_ASSERT(replay_at(algorithm, to + 1) * rounding >= best->seconds * worth);
}

static void check_winner(size_t bytes, int start)
{
    score(bytes, start);
    replay_leaders(true);
    size_t first = first_of(hall.best);
    CU_ASSERT(is_replayed(first));
    check_slice(first);
    free(hall.scores.at);
}

static plan_platform_t *platform(uint64_t seed, double density)
{
    plan_platform_t *pf = NULL;
    if (seed == 0) return sites(3, 9, 0);
    CU_ASSERT_EQUAL_FATAL(plan_generate_random(10, density, seed, &pf), PLAN_OK);
    return pf;
}

static void the_winner_is_replayed_at_the_slices_that_suit_it(void)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        plan_platform_t *pf = platform(seed, seed % 2 ? 1 : 0.4);
        open_context(pf, 0, NULL, 4 << 20, false, &hall.ctx);
        for (size_t bytes = 1000; bytes <= 4 << 20; bytes *= 3) check_winner(bytes, -1);
        plani_context_clear(&hall.ctx);
        plan_platform_destroy(&pf);
    }
}

/* Whatever slices stages see best, one goes from there to those that its neighbours are not worth leaving for. */
static void any_slice_leads_to_slices_that_suit(void)
{
    static const char *const only[] = {"best-tree", "circulant", "two-tree", "grow"};
    for (uint64_t seed = 0; seed < 3; seed++)
        for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
            const plan_choice_t choice = {.only = only[i]};
            plan_platform_t *pf = platform(seed, 1);
            open_context(pf, 0, &choice, 4 << 20, false, &hall.ctx);
            for (size_t bytes = 3000; bytes <= 4 << 20; bytes *= 6)
                for (int start = 0; start < 12; start++) check_winner(bytes, start);
            plani_context_clear(&hall.ctx);
            plan_platform_destroy(&pf);
        }
}

/* How many are replayed, and of how many, where stages see this algorithm first by far, with this slice. */
static size_t count_replayed(const char *name, size_t slice, bool winners, size_t *all)
{
    size_t n = 0;
    score(1 << 20, -1);
    for (size_t i = 0; i < hall.ctx.registry.n; i++)
        if (strcmp(hall.ctx.registry.algorithm[i].name, name) == 0) {
            size_t s = 0;
            while (hall.scores.at[s].slice != slice) s++;
            hall.best[i] = plani_fastest_at(&hall.ctx, &hall.scores, i, s);
            hall.best[i].seconds /= 1000;
        }
    replay_leaders(winners);
    *all = 0;
    for (size_t i = 0; i < hall.ctx.registry.n; i++) n += is_replayed(i), *all += isfinite(hall.best[i].seconds);
    free(hall.scores.at);
    return n;
}

/* A few replays of many slices, or of a block per rank, take long; whole messages and few slices take no time. */
static void few_are_replayed_where_each_takes_long(void)
{
    static const struct {
        const char *name;
        size_t slice;
        bool few;
    } is[] = {{"scatter-ring", 0, true},        {"circulant", 0, false},       {"circulant", 4096, true},
              {"ompi-binomial", 0, false},      {"ompi-binomial", 4096, true}, {"ompi-pipeline", 1 << 19, false},
              {"ompi-pipeline", 1 << 17, true}, {"two-tree", 1 << 17, true}};
    plan_platform_t *pf = sites(3, 9, 0);
    open_context(pf, 0, NULL, 4 << 20, false, &hall.ctx);
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        size_t all = 0, n = count_replayed(is[i].name, is[i].slice, true, &all);
        CU_ASSERT(is[i].few ? n >= 3 && n <= 6 : n == all);
        CU_ASSERT(all > 12);
        n = count_replayed(is[i].name, is[i].slice, false, &all);
        CU_ASSERT_EQUAL(n, all);
    }
    plani_context_clear(&hall.ctx);
    plan_platform_destroy(&pf);
}

static void every_failing_allocation_of_a_replay_comes_back(void)
{
    plan_platform_t *pf = sites(2, 6, 0);
    const plan_choice_t choice = {.only = "grow,circulant,two-tree"};
    plani_best_t best[PLANI_REGISTRY_ROOM];
    open_context(pf, 0, &choice, 1 << 20, false, &hall.ctx);
    score(1 << 20, 4);
    ALLOC_EACH((plani_replay_destroy(&hall.ctx.replay), memcpy(best, hall.best, sizeof best),
                plani_replay_leaders(&hall.ctx, hall.bytes, &hall.scores, best)),
               CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    free(hall.scores.at);
    plani_context_clear(&hall.ctx);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("leaders", TEST(few_are_replayed_where_each_takes_long),
           TEST(every_failing_allocation_of_a_replay_comes_back),
           TEST(the_winner_is_replayed_at_the_slices_that_suit_it), TEST(any_slice_leads_to_slices_that_suit),
           TEST(the_last_word_has_the_replay), TEST(few_replays_find_almost_the_best))
