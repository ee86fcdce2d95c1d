/* Simulation of the candidates that may be fastest: which are simulated, their predicted times, and their slices. */
#include "suite.h"
#include "alloc.h"
#include "rankings.h"
#include "spec_text.h"
#include "graphs/generate/sites.h"
#include "graphs/machine/machine.h"
#include "planner/plan/plan_private.h"
#include "planner/select/simulated_shortlist.h"
#include <math.h>
#include <planbcast/generate.h>
#include <string.h>

/* How long one candidate's simulation takes, weighed for flows that take turns. */
static double simulated(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes)
{
    plani_simulation_t *x = NULL;
    plani_sharing_t sharing;
    double share[PLANI_REGISTRY_ROOM], total = 0, t = 0;
    CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &x), PLAN_OK);
    if (c->run == PLAN_RUN_ROUNDS) {
        CU_ASSERT_EQUAL(
            plani_simulate_rounds(x, c->schedule, c->order, (plani_pipeline_t){bytes, c->slice, c->window}, &t),
            PLAN_OK);
    } else {
        for (size_t k = 0; k < c->ntrees; k++) total += c->rate[k];
        for (size_t k = 0; k < c->ntrees; k++) share[k] = c->rate[k] / total;
        CU_ASSERT_EQUAL(plani_simulate_trees(x, c->ntrees, c->tree, share,
                                             (plani_pipeline_t){bytes, c->slice, c->window}, NULL, &t),
                        PLAN_OK);
        CU_ASSERT_EQUAL(plani_sharing_of(pf, c->ntrees, c->tree, share, &sharing), PLAN_OK);
        t *= plani_sharing_factor(&sharing, (double)bytes, t);
    }
    plani_simulation_destroy(&x);
    return t;
}

/* The first of a ranking is predicted by its simulation, and comes before all others by that. */
static void the_simulation_decides(void)
{
    plan_platform_t *pf = sites(3, 9, 0);
    size_t by_stages = 0;
    for (size_t bytes = 1000; bytes <= 4 << 20; bytes *= 6) {
        const plan_choice_t stages = {.size = sizeof stages, .model = "taulop"};
        plan_ranking_t *ranking = ranking_of(pf, 0, bytes, NULL), *staged = ranking_of(pf, 0, bytes, &stages);
        const plan_candidate_t *first = &ranking->candidate[0];
        CU_ASSERT_DOUBLE_EQUAL(first->predicted_s, simulated(pf, first, bytes), 1e-9 * first->predicted_s);
        for (size_t i = 1; i < ranking->ncandidates; i++)
            if (plani_is_planned(&ranking->candidate[i]))
                CU_ASSERT(plani_weighed(&ranking->candidate[i]) >= plani_weighed(first));
        by_stages += strcmp(first->name, staged->candidate[0].name) == 0;
        plan_ranking_destroy(&ranking);
        plan_ranking_destroy(&staged);
    }
    CU_ASSERT(by_stages < 5); /* else nothing shows that it is not the stages */
    plan_platform_destroy(&pf);
}

/* What stages and simulations say of the algorithms of a registry, for one message. */
typedef struct {
    plani_context_t ctx;
    size_t bytes;
    plani_scores_t scores;
    plani_scored_t staged[PLANI_REGISTRY_ROOM], best[PLANI_REGISTRY_ROOM]; /* before and after */
} shortlist_t;

static shortlist_t shortlist;

/* Each algorithm starts at the start-th slice size, or, where start is negative, at the one that stages see best. */
static void score(size_t bytes, int start)
{
    shortlist.bytes = bytes;
    CU_ASSERT_EQUAL_FATAL(plani_score_instances(&shortlist.ctx, bytes, PLANI_ALL, &shortlist.scores), PLAN_OK);
    for (size_t i = 0; i < shortlist.ctx.registry.n; i++) {
        shortlist.best[i] = plani_best_of_algorithm(&shortlist.ctx, &shortlist.scores, i);
        if (start < 0 || (size_t)start >= shortlist.scores.slices) continue;
        plani_scored_t there = plani_fastest_at(&shortlist.ctx, &shortlist.scores, i, (size_t)start);
        if (isfinite(there.seconds)) shortlist.best[i] = there;
    }
}

static void simulate_shortlist(void)
{
    memcpy(shortlist.staged, shortlist.best, sizeof shortlist.best);
    CU_ASSERT_EQUAL(plani_simulate_shortlist(&shortlist.ctx, &shortlist.scores, shortlist.best), PLAN_OK);
}

static double simulation_of(const plani_scored_t *b)
{
    if (!isfinite(b->seconds)) return INFINITY;
    plani_prediction_t p;
    CU_ASSERT_EQUAL(plani_predict(&shortlist.ctx, b->instance, b->how, PLANI_SIMULATION, &p), PLAN_OK);
    return p.seconds;
}

static bool is_simulated(size_t algorithm)
{
    return isfinite(shortlist.best[algorithm].seconds) &&
           shortlist.best[algorithm].seconds == simulation_of(&shortlist.best[algorithm]);
}

static size_t first_of(const plani_scored_t *best)
{
    size_t first = 0;
    for (size_t i = 1; i < shortlist.ctx.registry.n; i++)
        if (plani_scored_weighed(&shortlist.ctx, &best[i]) < plani_scored_weighed(&shortlist.ctx, &best[first]))
            first = i;
    return first;
}

static size_t slice_index(const plani_scored_t *b)
{
    size_t s = 0;
    while (shortlist.scores.at[b->instance * shortlist.scores.slices + s].how.slice != b->how.slice) s++;
    return s;
}

static double weighed(const plani_scored_t *b)
{
    return plani_scored_weighed(&shortlist.ctx, b);
}

static double weighed_simulation(plani_scored_t b)
{
    b.seconds = simulation_of(&b);
    return weighed(&b);
}

static double simulated_at(size_t algorithm, size_t s)
{
    return weighed_simulation(plani_fastest_at(&shortlist.ctx, &shortlist.scores, algorithm, s));
}

/*
 * Of the slice sizes between the one that was begun with and the one taken none is faster by what a smaller slice has
 * to be worth; the next smaller one isn't either; and the next larger one, unless one came from there, is slower by so
 * much than any of them.
 */
static void check_slice(size_t algorithm)
{
    const double worth = 1 - PLANI_WORTH_SMALLER, rounding = 1 + 1e-8;
    const plani_scored_t *best = &shortlist.best[algorithm];
    size_t from = slice_index(&shortlist.staged[algorithm]), to = slice_index(best);
    double found = weighed(best), least = fmin(found, weighed_simulation(shortlist.staged[algorithm]));

    for (size_t s = from < to ? from : to; s <= (from < to ? to : from); s++)
        if (s != from) least = fmin(least, simulated_at(algorithm, s));
    CU_ASSERT(found * worth <= least * rounding);
    if (to > 0 && to <= from) CU_ASSERT(simulated_at(algorithm, to - 1) * worth * rounding > least);
    if (to + 1 < shortlist.scores.slices) CU_ASSERT(simulated_at(algorithm, to + 1) * rounding >= found * worth);
}

static void check_winner(size_t bytes, int start)
{
    score(bytes, start);
    simulate_shortlist();
    size_t first = first_of(shortlist.best);
    CU_ASSERT(is_simulated(first));
    check_slice(first);
    free(shortlist.scores.at);
}

static plan_platform_t *platform_of_text(void)
{
    plan_platform_t *pf = NULL;
    plani_cluster_t *c = parse_text();
    CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(c, &pf, NULL), PLAN_OK);
    plani_cluster_destroy(&c);
    return pf;
}

/* Hosts of equal cards, where chains of several algorithms are equally fast. */
static plan_platform_t *equal_hosts(void)
{
    length = 0;
    put("{\"format\": \"planbcast-cluster\", \"version\": 1, \"sites\": [{\"hosts\": [{\"count\": 8, ", 0, 0, 0);
    put("\"in_bytes_per_s\": 25e6, \"out_bytes_per_s\": 25e6, \"latency_s\": 5e-5}]}], ", 0, 0, 0);
    put("\"burst\": {\"seconds\": 5e-4, \"bytes\": 9100}}", 0, 0, 0);
    return platform_of_text();
}

/* Twelve hosts in racks of two sites that share two processors, as measured: bursts, waking, and all that stages leave
 * out. */
static plan_platform_t *measured_racks(void)
{
    plan_platform_t *pf = NULL;
    plani_machine_t *m = NULL;
    plani_place_t place[12] = {{0}};
    CU_ASSERT_EQUAL_FATAL(plani_machine_load(PLANBCAST_MEASURED "/measured_racks.json", &m, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(m->nhosts, 12);
    for (int r = 0; r < 12; r++) place[r].host = r;
    CU_ASSERT_EQUAL_FATAL(plani_machine_platform(m, 12, place, &pf, NULL), PLAN_OK);
    plani_machine_destroy(&m);
    return pf;
}

static plan_platform_t *platform(uint64_t seed, double density)
{
    plan_platform_t *pf = NULL;
    if (seed == 0) return sites(3, 9, 0);
    if (seed == 4) return equal_hosts();
    if (seed == 5) return measured_racks();
    CU_ASSERT_EQUAL_FATAL(plan_generate_random(10, density, seed, &pf), PLAN_OK);
    return pf;
}

static void the_winner_is_simulated_at_the_slices_that_suit_it(void)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        plan_platform_t *pf = platform(seed, seed % 2 ? 1 : 0.4);
        open_context(pf, 0, NULL, 4 << 20, &shortlist.ctx);
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
            open_context(pf, 0, &choice, 4 << 20, &shortlist.ctx);
            for (size_t bytes = 3000; bytes <= 4 << 20; bytes *= 6)
                for (int start = 0; start < 12; start++) check_winner(bytes, start);
            plani_context_clear(&shortlist.ctx);
            plan_platform_destroy(&pf);
        }
}

/* Whatever is simulated, of all algorithms at all slice sizes, hardly anything is faster than what wins. */
static void few_simulations_find_almost_the_best(void)
{
    static const struct {
        uint64_t seed;
        int root;
    } of[] = {{0, 0}, {1, 0}, {2, 0}, {5, 0}, {5, 11}};
    double losses = 0;
    int cases = 0;
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        plan_platform_t *pf = platform(of[k].seed, 1);
        open_context(pf, of[k].root, NULL, 4 << 20, &shortlist.ctx);
        for (size_t bytes = 1024; bytes <= 4 << 20; bytes *= 4) {
            double least = INFINITY;
            score(bytes, -1);
            simulate_shortlist();
            for (size_t i = 0; i < shortlist.ctx.registry.n; i++)
                for (size_t s = 0; s < shortlist.scores.slices; s++) {
                    plani_scored_t b = plani_fastest_at(&shortlist.ctx, &shortlist.scores, i, s);
                    b.seconds = simulation_of(&b);
                    least = fmin(least, weighed(&b));
                }
            double loss = weighed(&shortlist.best[first_of(shortlist.best)]) / least;
            CU_ASSERT(loss <= 1.08);
            losses += log(loss);
            cases++;
            free(shortlist.scores.at);
        }
        plani_context_clear(&shortlist.ctx);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT(exp(losses / cases) <= 1.01);
}

/* Of those that are not simulated none is left out before one that stages see behind it. */
static void those_whom_stages_see_first_are_simulated(void)
{
    size_t left_out = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        plan_platform_t *pf = platform(seed, seed % 2 ? 1 : 0.4);
        open_context(pf, 0, NULL, 4 << 20, &shortlist.ctx);
        size_t n = shortlist.ctx.registry.n;
        for (size_t bytes = 1000; bytes <= 4 << 20; bytes *= 3) {
            score(bytes, -1);
            simulate_shortlist();
            for (size_t i = 0; i < n; i++) {
                if (!isfinite(shortlist.staged[i].seconds) || is_simulated(i)) continue;
                left_out++;
                CU_ASSERT_EQUAL(shortlist.best[i].seconds, shortlist.staged[i].seconds);
                for (size_t k = 0; k < n; k++)
                    if (shortlist.best[k].seconds != shortlist.staged[k].seconds)
                        CU_ASSERT(weighed(&shortlist.staged[k]) <= weighed(&shortlist.staged[i]) * (1 + 1e-8));
            }
            free(shortlist.scores.at);
        }
        plani_context_clear(&shortlist.ctx);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT(left_out > 0);
}

/* A few simulations of many slices take long, and those of a block per rank, of which there are two; whole messages and
 * few slices take no time. */
static void few_are_simulated_where_each_takes_long(void)
{
    static const struct {
        const char *only;
        size_t bytes, slice, most; /* SIZE_MAX: all */
    } is[] = {
        {NULL, 1000, 0, SIZE_MAX},
        {"grow,best-tree,ompi-chain,ompi-pipeline,ompi-binary,ompi-binomial,circulant", 1 << 20, 1 << 18, SIZE_MAX},
        {NULL, 1 << 20, 1 << 18, 20},
        {NULL, 1 << 20, 8192, 6},
        {NULL, 1 << 20, 4096, 6}};
    plan_platform_t *pf = sites(3, 9, 0);
    for (size_t k = 0; k < sizeof is / sizeof *is; k++) {
        const plan_choice_t choice = {.size = sizeof choice, .only = is[k].only, .slice = is[k].slice};
        size_t n = 0, all = 0;
        open_context(pf, 0, &choice, 4 << 20, &shortlist.ctx);
        score(is[k].bytes, -1);
        simulate_shortlist();
        for (size_t i = 0; i < shortlist.ctx.registry.n; i++)
            n += is_simulated(i), all += isfinite(shortlist.best[i].seconds);
        CU_ASSERT(is[k].most == SIZE_MAX ? n == all : n >= 3 && n <= is[k].most && n < all);
        CU_ASSERT(all > 5);
        free(shortlist.scores.at);
        plani_context_clear(&shortlist.ctx);
    }
    plan_platform_destroy(&pf);
}

static void every_failing_allocation_of_a_simulation_comes_back(void)
{
    plan_platform_t *pf = sites(2, 6, 0);
    const plan_choice_t choice = {.size = sizeof choice, .only = "grow,circulant,two-tree"};
    plani_scored_t best[PLANI_REGISTRY_ROOM];
    open_context(pf, 0, &choice, 1 << 20, &shortlist.ctx);
    score(1 << 20, 4);
    ALLOC_EACH((plani_simulation_destroy(&shortlist.ctx.simulation), memcpy(best, shortlist.best, sizeof best),
                plani_simulate_shortlist(&shortlist.ctx, &shortlist.scores, best)),
               CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    free(shortlist.scores.at);
    plani_context_clear(&shortlist.ctx);
    plan_platform_destroy(&pf);
}

/* A fast root and six hosts that send a quarter of what they receive: each of several trees goes through some of them.
 */
static plan_platform_t *weak_uploads(void)
{
    length = 0;
    put("{\"format\": \"planbcast-cluster\", \"version\": 1, \"sites\": [{\"hosts\": [", 0, 0, 0);
    put("{\"in_bytes_per_s\": 6e7, \"out_bytes_per_s\": 6e7, \"latency_s\": 5e-5}, ", 0, 0, 0);
    put("{\"count\": 6, \"in_bytes_per_s\": 12e6, \"out_bytes_per_s\": 3e6, \"latency_s\": 5e-5}]}]}", 0, 0, 0);
    return platform_of_text();
}

/* [s] of host-trees in such slices, as predicted; *window: given, or 0, which becomes the chosen one. */
static double several_trees(const plan_platform_t *pf, size_t bytes, size_t slice, int *window)
{
    const plan_choice_t choice = {.size = sizeof choice, .only = "host-trees", .slice = slice, .window = *window};
    plan_ranking_t *ranking = ranking_of(pf, 0, bytes, &choice);
    double seconds = ranking->candidate[0].predicted_s;
    CU_ASSERT(ranking->candidate[0].ntrees > 1);
    *window = ranking->candidate[0].window;
    plan_ranking_destroy(&ranking);
    return seconds;
}

/* Windows of 8 KiB took up to four times as long as those of 64 KiB, on busy processors. */
static void several_trees_have_much_in_flight_where_that_costs_little(void)
{
    plan_platform_t *pf = weak_uploads();
    for (size_t slice = 1024; slice <= 4096; slice *= 2) {
        int window = 0, brief = 0, narrow = 4;
        double seconds = several_trees(pf, 4 << 20, slice, &window), least = several_trees(pf, 4 << 20, slice, &narrow);
        CU_ASSERT(window > narrow);
        CU_ASSERT(seconds * (1 - PLANI_WORTH_SMALLER) <= least);
        seconds = several_trees(pf, 65536, slice, &brief); /* where that would be all there is, it has to save time */
        CU_ASSERT(brief == narrow || seconds < several_trees(pf, 65536, slice, &narrow) * (1 - PLANI_WORTH_SMALLER));
    }
    plan_platform_destroy(&pf);
}

/* Two sites of scarce uploads, where stages prefer two trees at 94% of the bound to four at 99%. */
static plan_platform_t *two_weak_sites(void)
{
    length = 0;
    put("{\"format\": \"planbcast-cluster\", \"version\": 1, \"burst\": {\"seconds\": 5e-4, \"bytes\": 9100}, ", 0, 0,
        0);
    put("\"sites\": [{\"trunk\": {\"in_bytes_per_s\": %g, \"out_bytes_per_s\": %g, \"latency_s\": %g}, ", 14e6, 14.3e6,
        1e-4);
    put("\"hosts\": [{\"in_bytes_per_s\": %g, \"out_bytes_per_s\": %g, \"latency_s\": %g}, ", 33.4e6, 38.1e6, 5e-5);
    put("{\"count\": 2, \"in_bytes_per_s\": %g, \"out_bytes_per_s\": %g, \"latency_s\": %g}]}, ", 9.3e6, 1.7e6, 5e-5);
    put("{\"trunk\": {\"in_bytes_per_s\": %g, \"out_bytes_per_s\": %g, \"latency_s\": %g}, ", 18e6, 12.4e6, 1e-4);
    put("\"hosts\": [{\"count\": 2, \"in_bytes_per_s\": %g, \"out_bytes_per_s\": %g, \"latency_s\": %g}, ", 12.3e6,
        2.9e6, 5e-5);
    put("{\"count\": 3, \"in_bytes_per_s\": %g, \"out_bytes_per_s\": %g, \"latency_s\": %g}]}]}", 9.7e6, 4.2e6, 5e-5);
    return platform_of_text();
}

/* None of an algorithm's instances is simulated to be faster in the same slices. */
static void the_fullest_instance_is_tried_too(void)
{
    plan_platform_t *pf = two_weak_sites();
    open_context(pf, 0, NULL, 4 << 20, &shortlist.ctx);
    score(4 << 20, -1);
    simulate_shortlist();
    size_t first = first_of(shortlist.best);
    plani_scored_t b = shortlist.best[first];
    const double found = simulation_of(&b), s_per_byte = shortlist.ctx.instance[b.instance].sharing.s_per_byte;
    CU_ASSERT(b.instance != shortlist.staged[first].instance); /* else nothing shows */
    for (b.instance = 0; b.instance < shortlist.ctx.ninstances; b.instance++) {
        const plani_instance_t *f = &shortlist.ctx.instance[b.instance];
        if (f->algorithm != first || f->duplicate != b.instance || f->sharing.s_per_byte >= s_per_byte) continue;
        CU_ASSERT(simulation_of(&b) >= found);
    }
    free(shortlist.scores.at);
    plani_context_clear(&shortlist.ctx);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("simulated shortlist", TEST(the_fullest_instance_is_tried_too),
           TEST(few_are_simulated_where_each_takes_long), TEST(every_failing_allocation_of_a_simulation_comes_back),
           TEST(the_winner_is_simulated_at_the_slices_that_suit_it), TEST(any_slice_leads_to_slices_that_suit),
           TEST(those_whom_stages_see_first_are_simulated), TEST(the_simulation_decides),
           TEST(few_simulations_find_almost_the_best), TEST(several_trees_have_much_in_flight_where_that_costs_little))
