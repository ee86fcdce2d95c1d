/* Slices and windows: the best is found, and of those that are about as fast, the largest. */
#include "graphs/trees/trees.h"
#include "suite.h"
#include "rankings.h"
#include "sample.h"
#include <math.h>
#include <planbcast/generate.h>
#include "planner/taulop/score.h"
#include <string.h>

/* Fastest of one tree over all slice sizes above `least` and windows that may be chosen, one by one. */
static double brute_force(const plan_platform_t *pf, const plan_tree_t *tree, size_t bytes, size_t least, double best)
{
    plan_tree_t *const copy[1] = {(plan_tree_t *)(uintptr_t)tree};
    const double whole = 1;
    plani_sharing_t sharing;
    CU_ASSERT_EQUAL(plani_sharing_of(pf, 1, copy, &whole, &sharing), PLAN_OK);
    for (size_t slice = 0; slice <= (size_t)1 << 20; slice = slice ? 2 * slice : 1024) {
        if (slice >= bytes) break;
        if (slice != 0 && slice <= least) continue;
        for (int window = 4; window <= 16; window *= 2) {
            double s = 0;
            CU_ASSERT_EQUAL(plani_score_trees(pf, 1, copy, NULL, bytes, slice, window, &s), PLAN_OK);
            best = fmin(best, s * plani_sharing_factor(&sharing, (double)bytes, s));
        }
    }
    return best;
}

/* One tree's slice: not much slower than the best, and every larger one is. */
static void check_slice(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes, double best)
{
    CU_ASSERT(c->predicted_s >= best * (1 - 1e-7));
    CU_ASSERT(c->predicted_s * (1 - PLANI_WORTH_SMALLER) <= best * (1 + 1e-7));
    if (c->slice == 0) return;
    double larger = brute_force(pf, c->tree[0], bytes, c->slice, INFINITY);
    CU_ASSERT(larger * (1 - PLANI_WORTH_SMALLER) > best * (1 - 1e-7));
}

/* Every heuristic and every topology of a ranking, made and scored again through the public functions alone. */
static void check_against_brute_force(const plan_platform_t *pf, int root, size_t bytes)
{
    static const double typical[] = {256, 16384, 1048576};
    const plan_choice_t stages = {.size = sizeof stages, .model = "taulop"};
    plan_ranking_t *ranking = ranking_of(pf, root, bytes, &stages);
    size_t n = 0, seen = 0;
    const plan_heuristic_t *h = plan_heuristics(&n);
    double fastest = INFINITY;
    for (size_t i = 0; i < n; i++) {
        double best = INFINITY;
        const plan_candidate_t *c = find(ranking, h[i].name);
        for (int k = 0; k < 3 && !h[i].routed && !h[i].needs_rates; k++) {
            plan_tree_t *tree = NULL;
            if (k > 0 && typical[k] > 4.0 * (double)bytes) break;
            if (plan_heuristic_tree(h[i].name, pf, root, typical[k], 0, NULL, &tree, NULL) == PLAN_OK)
                best = brute_force(pf, tree, bytes, 0, best);
            plan_tree_destroy(&tree);
        }
        if (!isfinite(best)) continue;
        seen++;
        CU_ASSERT_PTR_NOT_NULL_FATAL(c);
        if (strcmp(h[i].name, "best-tree") == 0) { /* searches for this very size, too */
            CU_ASSERT(c->predicted_s <= best / (1 - PLANI_WORTH_SMALLER) * (1 + 1e-7));
        } else {
            check_slice(pf, c, bytes, best);
        }
    }
    for (int kind = 0; kind < PLAN_TOPOLOGIES; kind++) {
        plan_tree_t *tree = NULL;
        char name[64];
        if (kind == PLAN_SPLIT_BINARY) continue;
        snprintf(name, sizeof name, "ompi-%s", plan_topology_name((plan_topology_t)kind));
        CU_ASSERT_EQUAL_FATAL(plan_tree_topology((plan_topology_t)kind, ranking->ranks, root, 0, &tree), PLAN_OK);
        const plan_candidate_t *c = find(ranking, name);
        if (plani_tree_check(tree, pf, NULL) == PLAN_OK) {
            double best = brute_force(pf, tree, bytes, 0, INFINITY);
            CU_ASSERT_PTR_NOT_NULL_FATAL(c);
            check_slice(pf, c, bytes, best);
            seen++;
        } else {
            CU_ASSERT_PTR_NULL(c);
        }
        plan_tree_destroy(&tree);
    }
    for (size_t i = 0; i < ranking->ncandidates; i++) fastest = fmin(fastest, plani_weighed(&ranking->candidate[i]));
    CU_ASSERT_EQUAL(plani_weighed(&ranking->candidate[0]), fastest);
    CU_ASSERT(seen >= 8);
    plan_ranking_destroy(&ranking);
}

static void the_best_of_all_slices_and_windows_is_found(void)
{
    plan_platform_t *pf = sites(3, 9, 0), *gaps = sites(2, 8, 5);
    static const size_t bytes[] = {1, 1000, 50000, 4 << 20};
    for (size_t i = 0; i < 4; i++) {
        check_against_brute_force(pf, 0, bytes[i]);
        check_against_brute_force(gaps, 3, bytes[i]);
    }
    plan_platform_destroy(&pf);
    plan_platform_destroy(&gaps);
}

/* Of three ranks in a chain, whose links take as long for one slice as for several smaller ones; whole messages, too.
 */
static void slices_by_rendezvous_are_weighed(void)
{
    const double bytes[] = {1024, 1 << 20}, overhead[] = {1e-6, 1e-6}, gap[] = {1e-4, 0.1024}, p2p[] = {1.2e-4, 0.1026};
    const plan_channel_t network = {.name = "network",
                                    .network = true,
                                    .nsizes = 2,
                                    .bytes = bytes,
                                    .overhead_s = overhead,
                                    .gap_s = gap,
                                    .p2p_s = p2p,
                                    .rendezvous_bytes = 65536};
    const plan_link_t link[] = {{0, 1, 0, 1e-7, 0, 0}, {1, 2, 0, 1e-7, 0, 0}};
    const plan_platform_data_t d = {
        .size = sizeof d, .ranks = 3, .nlinks = 2, .link = link, .nchannels = 1, .channel = &network};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    for (size_t slice = 16384; slice <= 262144; slice *= 2) {
        const plan_choice_t fixed = {.size = sizeof fixed, .slice = slice, .only = "ompi-pipeline"};
        plan_ranking_t *ranking = ranking_of(pf, 0, 16 << 20, &fixed);
        CU_ASSERT_EQUAL(ranking->candidate[0].slice, slice);
        CU_ASSERT_DOUBLE_EQUAL(ranking->candidate[0].weight, slice >= 65536 ? 1.05 : 1, 1e-12);
        plan_ranking_destroy(&ranking);
    }
    plan_platform_destroy(&pf);
}

static void whole_messages_by_rendezvous_are_weighed(void)
{
    const plan_platform_data_t four = {.size = sizeof four, .ranks = 4};
    const plani_context_t ctx = {.d = &four, .rendezvous = 65536};
    const plani_context_t inside = {.d = &four, .rendezvous = 65536, .one_host = true}; /* of the hosts' network */
    for (size_t bytes = 16384; bytes <= 262144; bytes *= 2) {
        double tree = plani_weight_on(&ctx, bytes, 1, false, 0);
        CU_ASSERT_DOUBLE_EQUAL(tree, bytes >= 65536 ? 1.05 : 1, 1e-12);
        CU_ASSERT_EQUAL(plani_weight_on(&ctx, bytes, 1, false, 1 << 20), tree); /* no slice is larger */
        CU_ASSERT_EQUAL(plani_weight_on(&ctx, bytes, 0, true, 0), plani_weight(0, true));
        CU_ASSERT_EQUAL(plani_weight_on(&inside, bytes, 1, false, 0), 1);
    }
}

/* Slices of 1 KiB were chosen for a gain of 0.1% over slices of many times the size. */
static void small_slices_are_not_chosen_for_little(void)
{
    const plan_link_t link[] = {{0, 1, 1e-8, 1e-9, 0, -1}, {1, 2, 1e-8, 1e-9, 0, -1}};
    const plan_platform_data_t d = {.size = sizeof d, .ranks = 3, .nlinks = 2, .link = link};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    const plan_choice_t stages = {.size = sizeof stages, .model = "taulop"};
    plan_ranking_t *ranking = ranking_of(pf, 0, 4 << 20, &stages);
    const plan_candidate_t *c = &ranking->candidate[0];
    double fastest = brute_force(pf, c->tree[0], 4 << 20, 0, INFINITY);
    CU_ASSERT_EQUAL(c->slice, 65536); /* the last rank waits for one slice more: 1.6% of 64 */
    CU_ASSERT(c->predicted_s > fastest && c->predicted_s < 1.02 * fastest);
    plan_ranking_destroy(&ranking);
    plan_platform_destroy(&pf);
}

static plan_platform_t *random_platform(uint64_t seed)
{
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_generate_random(10, seed % 2 ? 1 : 0.4, seed, &pf), PLAN_OK);
    return pf;
}

/* Every instance at every slice size, with the window that is best at that. */
static void nothing_is_left_out_where_all_pairs_are_links(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        plan_platform_t *pf = random_platform(seed);
        plani_context_t ctx;
        open_context(pf, 2, NULL, 1 << 20, &ctx);
        for (size_t bytes = 1000; bytes <= 1 << 20; bytes *= 10) {
            plani_scores_t scores;
            CU_ASSERT_EQUAL_FATAL(plani_score_instances(&ctx, bytes, PLANI_WINNERS, &scores), PLAN_OK);
            for (size_t k = 0; k < ctx.ninstances * scores.slices; k++) {
                const plani_scored_t *b = &scores.at[k];
                plani_prediction_t p;
                CU_ASSERT_EQUAL(b->scored, ctx.instance[b->instance].duplicate == b->instance);
                if (!b->scored) continue;
                CU_ASSERT_EQUAL(plani_predict(&ctx, b->instance, b->how, PLANI_STAGES, &p), PLAN_OK);
                CU_ASSERT_EQUAL(b->seconds, p.seconds);
            }
            free(scores.at);
        }
        plani_context_clear(&ctx);
        plan_platform_destroy(&pf);
    }
}

/* Each instance once, and where only single trees are asked for, no other. */
static void scores_are_of_the_instances_asked_for(void)
{
    plan_platform_t *pf = sites(3, 9, 0);
    plani_context_t ctx;
    size_t several = 0;
    open_context(pf, 0, NULL, 1 << 20, &ctx);
    for (int singles = 0; singles < 2; singles++) {
        plani_scores_t scores;
        CU_ASSERT_EQUAL_FATAL(
            plani_score_instances(&ctx, 1 << 20, singles == 1 ? PLANI_SINGLE_TREES : PLANI_ALL, &scores), PLAN_OK);
        for (size_t i = 0; i < ctx.ninstances; i++) { /* sent whole, which all can be */
            bool one = ctx.instance[i].ntrees == 1, scored = isfinite(scores.at[i * scores.slices].seconds);
            CU_ASSERT_EQUAL(scored, ctx.instance[i].duplicate == i && (one || !singles));
            several += !one;
        }
        free(scores.at);
    }
    CU_ASSERT(several > 0);
    plani_context_clear(&ctx);
    plan_platform_destroy(&pf);
}

/* A window that the long link 0->1 asks for is too wide for 1->2, which 1 + 2 * flight / busy slices keep busy, and for
 * 2->3, which has the common one. */
static void short_links_have_narrower_windows_than_long_ones(void)
{
    const double busy = 1e-6 + 8192e-9;
    plan_link_t link[] = {{0, 1, 1e-6, 1e-9, 1e-2, -1}, {1, 2, 1e-6, 1e-9, 2e-4, -1}, {2, 3, 1e-6, 1e-9, 5e-5, -1}};
    plan_platform_data_t d = {.size = sizeof d, .ranks = 4, .nlinks = 3, .link = link};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    for (int window = 16; window <= 128; window *= 8) {
        plan_choice_t choice = {.size = sizeof choice, .only = "ompi-pipeline", .slice = 8192, .window = window};
        plan_ranking_t *ranking = ranking_of(pf, 0, 1 << 20, &choice);
        const plan_candidate_t *c = &ranking->candidate[0];
        if (window == 16) {
            CU_ASSERT_PTR_NULL(c->link_window);
        } else {
            CU_ASSERT_PTR_NOT_NULL_FATAL(c->link_window);
            CU_ASSERT_EQUAL(c->link_window[1], 128);
            CU_ASSERT_EQUAL(c->link_window[2], (int)ceil((busy + 2 * 2e-4) / busy));
            CU_ASSERT_EQUAL(c->link_window[3], PLANI_COMMON_WINDOW);
        }
        plan_ranking_destroy(&ranking);
    }
    plan_platform_destroy(&pf);
}

/* Without latency no window helps. */
static void windows_are_wide_only_where_that_helps(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        plan_platform_t *pf = sample_platform(&(sample_t){.ranks = 8, .density = 0.8, .resources = 3, .seed = seed});
        plani_context_t ctx;
        open_context(pf, 0, NULL, 64 << 10, &ctx);
        for (size_t bytes = 64; bytes <= 64 << 10; bytes *= 2) {
            plan_ranking_t *ranking = NULL;
            CU_ASSERT_EQUAL_FATAL(plani_rank(&ctx, bytes, true, &ranking, NULL), PLAN_OK);
            for (size_t i = 0; i < ranking->ncandidates; i++) CU_ASSERT(ranking->candidate[i].window <= 4);
            plan_ranking_destroy(&ranking);
        }
        plani_context_clear(&ctx);
        plan_platform_destroy(&pf);
    }
}

/* 129 ranks are not simulated in rounds. A record goes before these, down a binomial tree. */
static void rounds_count_the_record_before_them(void)
{
    enum { RANKS = 129 };
    const plan_choice_t ring = {.size = sizeof ring, .only = "scatter-ring"};
    plan_link_t *link = malloc(RANKS * RANKS * sizeof *link);
    plan_platform_data_t d = {.size = sizeof d, .ranks = RANKS, .link = link};
    plan_platform_t *pf = NULL;
    int order[RANKS];
    double rounds = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(link);
    for (int u = 0; u < RANKS; u++) {
        order[u] = u;
        for (int v = 0; v < RANKS; v++)
            if (u != v) link[d.nlinks++] = (plan_link_t){u, v, 1, 0, 0, -1};
    }
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    plan_ranking_t *ranking = ranking_of(pf, 0, 100000, &ring);
    CU_ASSERT_EQUAL(plani_score_rounds(pf, PLAN_SCATTER_RING, order, 100000, 0, &rounds), PLAN_OK);
    /* the root sends to 8 others; of these the 64th to 6, of which the 96th to 5, ... */
    CU_ASSERT_DOUBLE_EQUAL(ranking->candidate[0].predicted_s, rounds + 8 + 3 * 7, 1e-9);
    plan_ranking_destroy(&ranking);
    plan_platform_destroy(&pf);
    free(link);
}

SUITE_MAIN("scores", TEST(rounds_count_the_record_before_them), TEST(windows_are_wide_only_where_that_helps),
           TEST(short_links_have_narrower_windows_than_long_ones), TEST(nothing_is_left_out_where_all_pairs_are_links),
           TEST(scores_are_of_the_instances_asked_for), TEST(the_best_of_all_slices_and_windows_is_found),
           TEST(slices_by_rendezvous_are_weighed), TEST(whole_messages_by_rendezvous_are_weighed),
           TEST(small_slices_are_not_chosen_for_little))
