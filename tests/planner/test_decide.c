/* Decisions for every message size: rankings, and plans of their first candidates. */
#include "suite.h"
#include "alloc.h"
#include "rankings.h"
#include "plans.h"
#include "graphs/generate/sites.h"
#include "planner/select/decide.h"
#include "planner/plan/plan_private.h"
#include <math.h>
#include <planbcast/generate.h>
#include "planner/taulop/score.h"
#include <string.h>

static void one_rank_needs_nothing(void)
{
    plan_platform_data_t d = {.size = sizeof d, .ranks = 1};
    plan_platform_t *pf = NULL;
    plan_t *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    plan_ranking_t *ranking = ranking_of(pf, 0, 4096, NULL);
    CU_ASSERT_EQUAL(ranking->candidate[0].run, PLAN_RUN_TREES);
    CU_ASSERT_EQUAL(ranking->candidate[0].predicted_s, 0);
    CU_ASSERT_EQUAL(ranking->candidate[0].lp_ratio, 1);
    plan_ranking_destroy(&ranking);
    CU_ASSERT_EQUAL(plan_create(pf, 0, 1 << 20, NULL, &plan, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_data(plan)->nranges, 1);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

/* At every size the plan's choice is as fast as the ranking's winner, but for the neighbourhood of a border. */
static void plans_serve_every_size_well(void)
{
    plan_platform_t *pf = sites(3, 9, 0);
    plan_t *plan = NULL, *again = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(plan_create(pf, 2, 8 << 20, NULL, &plan, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_create(pf, 2, 8 << 20, NULL, &again, &err), PLAN_OK);
    CU_ASSERT_EQUAL(plan_data(plan)->hash, plan_data(again)->hash);
    CU_ASSERT_EQUAL(plan_data(plan)->range[plan_data(plan)->nranges - 1].up_to, 8 << 20);
    CU_ASSERT_EQUAL(plan_data(plan)->host[4], 4);
    CU_ASSERT(plan_data(plan)->nranges >= 2);
    for (size_t bytes = 1; bytes <= (size_t)8 << 20; bytes *= 3) {
        const plan_candidate_t *c = plan_chosen(plan, bytes);
        plan_ranking_t *ranking = ranking_of(pf, 2, bytes, NULL);
        double s = 0;
        CU_ASSERT_EQUAL(plani_score_trees(pf, c->ntrees, c->tree, c->rate, bytes, c->slice, c->window, &s), PLAN_OK);
        CU_ASSERT(s <= 1.1 * ranking->candidate[0].predicted_s);
        plan_ranking_destroy(&ranking);
    }
    plan_destroy(&plan);
    plan_destroy(&again);
    plan_platform_destroy(&pf);
}

static void measured_times_decide_a_plan(void)
{
    plan_platform_t *pf = sites(1, 6, 0);
    plan_choice_t choice = {.size = sizeof choice, .only = "ompi-chain,ompi-binomial,native"};
    plan_ranking_t *ranking[2] = {ranking_of(pf, 0, 100, &choice), ranking_of(pf, 0, 10000, &choice)};
    plan_t *plan = NULL;
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < ranking[i]->ncandidates; k++) ranking[i]->candidate[k].measured_s = 2;
        ((plan_candidate_t *)(uintptr_t)find(ranking[i], i ? "native" : "ompi-chain"))->measured_s = 1;
        plani_ranking_sort(ranking[i]);
    }
    CU_ASSERT_EQUAL_FATAL(plani_plan_from_rankings(2, (const plan_ranking_t *const *)ranking, NULL, NULL, &plan, NULL),
                          PLAN_OK);
    CU_ASSERT_EQUAL(plan_data(plan)->nranges, 2);
    CU_ASSERT_EQUAL(plan_data(plan)->range[0].up_to, 1000); /* sqrt(100 * 10000) */
    CU_ASSERT_STRING_EQUAL(plan_chosen(plan, 1000)->name, "ompi-chain");
    CU_ASSERT_STRING_EQUAL(plan_chosen(plan, 1001)->name, "native");
    plan_destroy(&plan);
    plan_ranking_destroy(&ranking[0]), plan_ranking_destroy(&ranking[1]);
    plan_platform_destroy(&pf);
}

/* Sizes that there was no time for go on with what won before: its time stays with it. */
static void what_was_timed_once_is_kept(void)
{
    plan_platform_t *pf = sites(1, 6, 0);
    plan_choice_t choice = {.size = sizeof choice, .only = "ompi-binomial"};
    plan_ranking_t *ranking[2] = {ranking_of(pf, 0, 100, &choice), ranking_of(pf, 0, 200, &choice)};
    plan_t *plan = NULL;
    ((plan_candidate_t *)(uintptr_t)find(ranking[0], "ompi-binomial"))->measured_s = 1;
    CU_ASSERT_EQUAL_FATAL(plani_plan_from_rankings(2, (const plan_ranking_t *const *)ranking, NULL, NULL, &plan, NULL),
                          PLAN_OK);
    CU_ASSERT_EQUAL(plan_data(plan)->nranges, 1);
    CU_ASSERT_EQUAL(plan_data(plan)->range[0].up_to, 200);
    CU_ASSERT_EQUAL(plan_data(plan)->range[0].chosen->measured_s, 1);
    plan_destroy(&plan);
    plan_ranking_destroy(&ranking[0]), plan_ranking_destroy(&ranking[1]);
    plan_platform_destroy(&pf);
}

/* Copies broadcast the same, at whatever rate all in all; each member that ranks go by tells them apart, names do not.
 */
static void whatever_ranks_go_by_tells_broadcasts_apart(void)
{
    static const int chain[] = {-1, 0, 1, 2}, star[] = {-1, 0, 0, 0}, order[] = {0, 2, 3, 1}, other[] = {0, 3, 2, 1};
    plan_candidate_t two = two_trees("two", 4, chain, star, 30, 10),
                     rounds = in_rounds("r", PLAN_CIRCULANT, 4, order, 9, 2);
    for (int k = 0; k < 6; k++) {
        plan_candidate_t c = two_trees("c", 4, chain, k == 1 ? chain : star, k == 2 ? 61 : 60, 20);
        c.slice += k == 3, c.window += k == 4, c.ntrees -= k == 5;
        CU_ASSERT_EQUAL(plani_same_broadcast(&two, &c), k == 0);
        CU_ASSERT_EQUAL(plani_same_broadcast(&c, &two), k == 0);
        c.ntrees = 2;
        plani_candidate_clear(&c);
    }
    for (int k = 0; k < 6; k++) {
        plan_candidate_t c = in_rounds("c", PLAN_CIRCULANT, 4, k == 1 ? other : order, 9, 2);
        if (k == 2) c.schedule = PLAN_SCATTER_RING;
        if (k == 3) c.run = PLAN_RUN_NATIVE;
        c.places -= k == 4, c.window += k == 5;
        CU_ASSERT_EQUAL(plani_same_broadcast(&rounds, &c), k == 0);
        CU_ASSERT_EQUAL(plani_same_broadcast(&c, &rounds), k == 0);
        plani_candidate_clear(&c);
    }
    plani_candidate_clear(&two), plani_candidate_clear(&rounds);
}

/* The same tree at the same slice size is another choice where one of its links has another window. */
static void windows_of_links_tell_choices_apart(void)
{
    plan_platform_t *pf = sites(1, 6, 0);
    const plan_choice_t choice = {.size = sizeof choice, .only = "ompi-binomial", .slice = 64, .window = 4};
    for (int other = 0; other <= 2; other++) { /* as the first, one window more, none at all */
        plan_ranking_t *ranking[2] = {ranking_of(pf, 3, 10000, &choice), ranking_of(pf, 3, 20000, &choice)};
        plan_t *plan = NULL;
        for (int i = 0; i < 2; i++) {
            int **w = &ranking[i]->candidate[0].link_window;
            CU_ASSERT_PTR_NULL_FATAL(*w);
            if (i == 1 && other == 2) break;
            CU_ASSERT_PTR_NOT_NULL_FATAL(*w = calloc(6, sizeof **w));
            for (int v = 0; v < 6; v++) (*w)[v] = 8 + v;
            (*w)[0] += i * other; /* the root is another rank */
        }
        CU_ASSERT_EQUAL_FATAL(
            plani_plan_from_rankings(2, (const plan_ranking_t *const *)ranking, NULL, NULL, &plan, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plan_data(plan)->nranges, other == 0 ? 1 : 2);
        plan_destroy(&plan);
        plan_ranking_destroy(&ranking[0]), plan_ranking_destroy(&ranking[1]);
    }
    plan_platform_destroy(&pf);
}

/* What a plan of 4 MiB for nine ranks in three sites says holds all of `lines`, of which the last is NULL. */
static void explains(const char *only, const char *const *lines)
{
    plan_platform_t *pf = sites(3, 9, 0);
    plan_choice_t choice = {.size = sizeof choice, .only = only, .slice = 65536};
    plan_t *plan = NULL;
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_create(pf, 0, 4 << 20, &choice, &plan, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_explain(plan, pf, 4 << 20, &text), PLAN_OK);
    for (; *lines != NULL; lines++) {
        if (strstr(text, *lines) == NULL) fprintf(stderr, "\nnot found: %s in\n%s", *lines, text);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, *lines));
    }
    free(text);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

static void plans_explain_themselves(void)
{
    static const char *const tree[] = {"4 MiB from rank 0 to 9 ranks: grow, 64 slices of 64 KiB",
                                       "next best: ompi-pipeline",
                                       "% of the bound of the platform planned on, ",
                                       "bottleneck: rank 3 (host 3, site 0), sending, busy for 5.74 ms",
                                       "one tree: height ",
                                       "links between hosts, where 8 is the least",
                                       NULL};
    static const char *const trees[] = {"tree 1 with ", "tree 2 with ", NULL};
    static const char *const slices[] = {"circulant, 64 slices of 64 KiB, up to 4 in flight each way",
                                         "by the model sustains ",
                                         "% of the bound",
                                         "bottleneck: trunk ",
                                         " per slice",
                                         "schedule circulant: 64 blocks in 67 rounds, the ranks in the order 0",
                                         NULL};
    static const char *const blocks[] = {"scatter-ring, in one block per rank", "bottleneck: trunk ",
                                         " in all rounds together", "schedule scatter-ring: 9 blocks in 12 rounds",
                                         NULL};
    explains("grow,ompi-pipeline", tree);
    explains("two-tree", trees);
    explains("circulant", slices);
    explains("scatter-ring", blocks);
}

static void every_failing_allocation_comes_back(void)
{
    plan_platform_t *pf = sites(2, 4, 0);
    plan_choice_t choice = {
        .size = sizeof choice, .only = "grow,ompi-split-binary,binomial-paths,native", .slice = 4096};
    plan_ranking_t *ranking = NULL;
    plan_t *plan = NULL;
    plan_error_t err;
    ALLOC_EACH(plan_ranking_create(pf, 0, 65536, &choice, &ranking, &err), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    CU_ASSERT_EQUAL(ranking->ncandidates, 4);
    plan_ranking_destroy(&ranking);
    choice.only = "grow,lp-trees";
    ALLOC_EACH(plan_create(pf, 0, 512, &choice, &plan, &err), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

/* Once time is over, the largest size alone gets a ranking: one candidate serves all sizes. */
static void a_plan_out_of_time_serves_all_sizes_at_once(void)
{
    plan_platform_t *pf = NULL;
    plan_t *plan = NULL;
    const plan_choice_t hurried = {.size = sizeof hurried, .time_limit_s = 1e-9};

    CU_ASSERT_EQUAL_FATAL(plan_generate_random(9, 1, 3, &pf), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_create(pf, 4, 16 << 20, &hurried, &plan, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_data(plan)->nranges, 1);
    CU_ASSERT_EQUAL(plan_data(plan)->range[0].up_to, 16 << 20);
    CU_ASSERT_EQUAL(plan_tree_data(plan_data(plan)->range[0].chosen->tree[0])->ranks, 9);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

/* Five ranks that send at rates of their own, and receive at equal ones. */
static plan_platform_t *uneven_senders(bool reversed)
{
    enum { RANKS = 5 };
    plan_link_t link[RANKS * RANKS];
    size_t n = 0;
    plan_platform_t *pf = NULL;
    for (int u = 0; u < RANKS; u++)
        for (int v = 0; v < RANKS; v++)
            if (u != v)
                link[n++] = (plan_link_t){.from = reversed ? v : u,
                                          .to = reversed ? u : v,
                                          .latency_s = 1e-5,
                                          .s_per_byte = 1e-8 * (1 + u * u)};
    plan_platform_data_t d = {.size = sizeof d, .ranks = RANKS, .nlinks = n, .link = link};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

/* The slowest sender, or who receives from it: both take as long. */
static void check_bottleneck(const plan_t *plan, int slowest)
{
    const plan_candidate_t *c = plan_chosen(plan, 1 << 20);
    const plan_bottleneck_t *b = &c->bottleneck;
    bool sends = b->at == PLAN_AT_SEND_PORT && b->index == (size_t)slowest;
    bool receives = false;
    for (size_t t = 0; t < c->ntrees; t++)
        receives = receives || (int)b->index == plan_tree_data(c->tree[t])->parent[slowest];
    CU_ASSERT(sends || (b->at == PLAN_AT_RECV_PORT && receives));
}

/* A reduction is a broadcast on the platform with all links reversed, by trees alone; combining takes time. */
static void a_reduction_is_planned_as_a_broadcast_in_reverse(void)
{
    static const char trees[] = "best-tree,grow,prune-simple,fnf,lp-trees,few-trees,two-tree,ompi-binomial,ompi-chain";
    plan_platform_t *pf = uneven_senders(false), *back = uneven_senders(true);
    const plan_choice_t choice = {.size = sizeof choice, .only = trees};
    plani_request_t reduces = {
        .pf = pf, .root = 1, .choice = &choice, .n = 1, .bytes = {1 << 20}, .complete = 1, .reduces = true};
    plani_request_t casts = reduces;
    plani_decision_t a, b, all, slow;
    plan_ranking_t *ranking = NULL;
    plan_t *made = NULL;

    casts.pf = back;
    casts.reduces = false;
    CU_ASSERT_EQUAL_FATAL(plani_decide(&reduces, &a, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_decide(&casts, &b, NULL), PLAN_OK);
    CU_ASSERT(plan_data(a.plan)->reduces && !plan_data(b.plan)->reduces);
    CU_ASSERT_NOT_EQUAL(plan_data(a.plan)->hash, plan_data(b.plan)->hash);
    plani_plan_let_reduce(b.plan);
    CU_ASSERT_EQUAL(plan_data(a.plan)->hash, plan_data(b.plan)->hash);
    CU_ASSERT_EQUAL(a.ranking[0]->bound, b.ranking[0]->bound);
    CU_ASSERT_EQUAL(a.ranking[0]->candidate[0].predicted_s, b.ranking[0]->candidate[0].predicted_s);
    CU_ASSERT_EQUAL_FATAL(plan_reduce_ranking_create(pf, 1, 1 << 20, 0, &choice, &ranking, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(ranking->candidate[0].predicted_s, a.ranking[0]->candidate[0].predicted_s);
    plan_ranking_destroy(&ranking);
    CU_ASSERT_EQUAL_FATAL(plan_reduce_create(pf, 1, 1 << 20, 0, &choice, &made, NULL), PLAN_OK);
    CU_ASSERT(plan_data(made)->reduces &&
              plani_same_broadcast(plan_chosen(made, 1 << 20), plan_chosen(a.plan, 1 << 20)));
    plan_destroy(&made);
    reduces.choice = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_decide(&reduces, &all, NULL), PLAN_OK);
    for (size_t i = 0; i < all.ranking[0]->ncandidates; i++)
        CU_ASSERT_EQUAL(all.ranking[0]->candidate[i].run, PLAN_RUN_TREES);
    check_bottleneck(all.plan, 4);
    reduces.combine_s_per_byte = 1e-6;
    CU_ASSERT_EQUAL_FATAL(plani_decide(&reduces, &slow, NULL), PLAN_OK);
    CU_ASSERT(slow.ranking[0]->candidate[0].predicted_s > 0.9 * (1 << 20) * 1e-6);
    CU_ASSERT_EQUAL(plan_chosen(slow.plan, 1 << 20)->bottleneck.at, PLAN_AT_RECV_PORT); /* some rank combines */
    plani_decision_clear(&a);
    plani_decision_clear(&b);
    plani_decision_clear(&all);
    plani_decision_clear(&slow);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&back);
}

/* Trees over hosts are found as without it where combining is faster than cards; where it is slower, they heed it. */
static void combining_hides_no_trees_over_hosts(void)
{
    static const char *const cluster[] = {"three-sites", "8x4-block"}; /* 1 and 4 ranks on each host */
    const plan_choice_t choice = {.size = sizeof choice, .only = "host-trees"};

    for (size_t i = 0; i < sizeof cluster / sizeof *cluster; i++) {
        plan_platform_t *pf = NULL;
        plani_cluster_t *c = NULL;
        plani_decision_t d[3];
        char path[400];
        snprintf(path, sizeof path, "%s/%s.json", PLANBCAST_CLUSTERS, cluster[i]);
        CU_ASSERT_EQUAL_FATAL(plani_cluster_load(path, &c, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(c, &pf, NULL), PLAN_OK);
        for (int k = 0; k < 3; k++) {
            plani_request_t reduces = {.pf = pf, .choice = &choice, .n = 1, .bytes = {4 << 20}, .reduces = true};
            reduces.complete = 1;
            reduces.combine_s_per_byte = (const double[]){0, 1e-10, 2e-7}[k];
            CU_ASSERT_EQUAL_FATAL(plani_decide(&reduces, &d[k], NULL), PLAN_OK);
        }
        CU_ASSERT_EQUAL(plan_data(d[0].plan)->hash, plan_data(d[1].plan)->hash);
        CU_ASSERT_EQUAL(d[0].ranking[0]->bound, d[1].ranking[0]->bound);
        CU_ASSERT_DOUBLE_EQUAL(d[1].ranking[0]->candidate[0].lp_ratio, 1, 1e-9);
        if (i == 0) CU_ASSERT(d[2].ranking[0]->candidate[0].lp_ratio > 0.95);
        for (int k = 0; k < 3; k++) plani_decision_clear(&d[k]);
        plan_platform_destroy(&pf);
        plani_cluster_destroy(&c);
    }
}

SUITE_MAIN("decide", TEST(a_plan_out_of_time_serves_all_sizes_at_once), TEST(one_rank_needs_nothing),
           TEST(plans_serve_every_size_well), TEST(measured_times_decide_a_plan), TEST(what_was_timed_once_is_kept),
           TEST(whatever_ranks_go_by_tells_broadcasts_apart), TEST(windows_of_links_tell_choices_apart),
           TEST(plans_explain_themselves), TEST(a_reduction_is_planned_as_a_broadcast_in_reverse),
           TEST(combining_hides_no_trees_over_hosts), TEST(every_failing_allocation_comes_back))
