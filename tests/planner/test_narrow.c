/* A candidate for a message has exactly the trees that carry slices of it. */
#include "suite.h"
#include "plans.h"
#include "sample.h"
#include "graphs/trees/trees.h"
#include "planner/plan/assignment.h"
#include "planner/literature/models.h"
#include "planner/select/timed_shortlist.h"

static const int chain[] = {-1, 0, 1, 2}, star[] = {-1, 0, 0, 0}, other[] = {-1, 2, 0, 2};

/* Slices of 64 KiB go 1, 0, 1, ... where the second tree is twice as fast. */
static void slow_trees_wait_for_their_first_slice(void)
{
    plan_candidate_t c = two_trees("two", 4, chain, star, 100, 200);
    bool used[PLANI_MAX_TREES];
    CU_ASSERT_EQUAL(plani_trees_used(&c, 0, used), 1);
    CU_ASSERT(!used[0] && used[1]);
    CU_ASSERT_EQUAL(plani_trees_used(&c, 65536, used), 1);
    CU_ASSERT(!used[0] && used[1]);
    CU_ASSERT_EQUAL(plani_trees_used(&c, 65537, used), 2);
    c.slice = 0;
    CU_ASSERT_EQUAL(plani_trees_used(&c, PLANI_CHUNK, used), 1);
    CU_ASSERT_EQUAL(plani_trees_used(&c, PLANI_CHUNK + 1, used), 2); /* which is not sent in one piece */
    c.rate[0] = 0;
    CU_ASSERT_EQUAL(plani_trees_used(&c, SIZE_MAX, used), 1);
    plani_candidate_clear(&c);
}

static void rates_become_integers_of_thirty_bits(void)
{
    const double rates[] = {1, 4, 0, -1, NAN, INFINITY, 3, 1e-300}, none[] = {INFINITY, 0, NAN};
    const unsigned want[] = {1U << 28, 1U << 30, 0, 0, 0, 0, 3U << 28, 0};
    unsigned weight[8];
    plani_slice_weights(8, rates, weight);
    for (int t = 0; t < 8; t++) CU_ASSERT_EQUAL(weight[t], want[t]);
    plani_slice_weights(3, none, weight); /* as where one rank has nothing to send */
    for (int t = 0; t < 3; t++) CU_ASSERT_EQUAL(weight[t], 1);
}

static void what_stays_is_what_runs(void)
{
    for (int whole = 0; whole < 2; whole++) {
        plan_candidate_t c = two_trees("two", 4, chain, star, 100, 200);
        give_link_windows(&c);
        plani_candidate_narrow(&c, whole ? 65536 : 1 << 20);
        CU_ASSERT_EQUAL_FATAL(c.ntrees, whole ? 1 : 2);
        CU_ASSERT_EQUAL(c.rate[c.ntrees - 1], 200);
        CU_ASSERT_EQUAL(plan_tree_data(c.tree[c.ntrees - 1])->parent[3], 0);
        CU_ASSERT_EQUAL(plani_link_windows(&c), whole ? 4 : 8);
        for (int v = 0; v < 4; v++) CU_ASSERT_EQUAL(c.link_window[4 * (c.ntrees - 1) + (size_t)v], 5 + v);
        plani_candidate_clear(&c);
    }
}

/* Of three trees the middle one gets nothing of two slices: the last one's windows, 9 to 12, move up. */
static void windows_stay_with_their_trees(void)
{
    plan_candidate_t c = two_trees("three", 4, chain, chain, 100, 1), d = one_tree("star", 4, star, NULL, 65536, 4);
    c.tree = realloc(c.tree, 3 * sizeof *c.tree), c.rate = realloc(c.rate, 3 * sizeof *c.rate);
    CU_ASSERT_FATAL(c.tree != NULL && c.rate != NULL);
    c.tree[2] = d.tree[0], c.rate[2] = 90, c.ntrees = 3;
    d.ntrees = 0; /* the tree is c's now */
    plani_candidate_clear(&d);
    give_link_windows(&c);
    plani_candidate_narrow(&c, 2 * 65536);
    CU_ASSERT_EQUAL_FATAL(c.ntrees, 2);
    CU_ASSERT_EQUAL(c.rate[1], 90);
    CU_ASSERT_EQUAL(plan_tree_data(c.tree[1])->parent[3], 0);
    for (int k = 0; k < 8; k++) CU_ASSERT_EQUAL(c.link_window[k], (k < 4 ? 1 : 5) + k);
    plani_candidate_clear(&c);
}

/* The instance that the two trees of c are, made of copies. */
static size_t add_pair(plani_context_t *ctx, const plan_candidate_t *c)
{
    plan_tree_t **tree = calloc(2, sizeof(plan_tree_t *));
    double *share = calloc(2, sizeof *share);
    CU_ASSERT_FATAL(tree != NULL && share != NULL);
    for (int t = 0; t < 2; t++) {
        CU_ASSERT_EQUAL_FATAL(plani_tree_copy(c->tree[t], &tree[t]), PLAN_OK);
        share[t] = 0.5;
    }
    CU_ASSERT_EQUAL_FATAL(plani_context_add(ctx, 0, 2, tree, share), PLAN_OK);
    return ctx->ninstances - 1;
}

/* A variant in so few slices that a tree gets none is another candidate's. */
static void variants_keep_all_trees(void)
{
    plan_candidate_t c = two_trees("two", 4, chain, other, 100, 100), v;
    plan_platform_t *pf = sample_platform(&(sample_t){.ranks = 4, .density = 1, .seed = 1});
    plani_context_t ctx;
    CU_ASSERT_EQUAL_FATAL(plani_context_open(pf, 0, NULL, true, &ctx, NULL), PLAN_OK);
    c.instance = add_pair(&ctx, &c);
    c.predicted_s = 1;
    CU_ASSERT_TRUE(plani_variant(&ctx, &c, 4 << 16, 2 << 16, 4, &v));
    CU_ASSERT_FALSE(plani_variant(&ctx, &c, 4 << 16, 4 << 16, 4, &v));
    CU_ASSERT_FALSE(plani_variant(&ctx, &c, 4 << 16, 0, 4, &v));
    plani_candidate_clear(&c);
    plani_context_clear(&ctx);
    plan_platform_destroy(&pf);
}

/* Every candidate of a ranking, and every range of a plan at the size that its figures are of. */
static void names_only_what_runs(const plan_candidate_t *c, size_t bytes)
{
    bool used[PLANI_MAX_TREES];
    if (c->run != PLAN_RUN_TREES) return;
    CU_ASSERT_EQUAL(plani_trees_used(c, bytes, used), c->ntrees);
    CU_ASSERT(c->ntrees == 1 || (c->slice != 0 && c->slice < bytes));
    double total = 0;
    for (size_t t = 0; t < c->ntrees; t++) total += c->rate[t];
    CU_ASSERT_DOUBLE_EQUAL(total, c->throughput, 1e-9 * total);
}

static void ranking_and_plans_name_what_runs(void)
{
    lit_model_t hockney = LIT_HOCKNEY;
    const plan_choice_t choice[] = {
        {.size = sizeof(plan_choice_t), .slice = 0},
        {.size = sizeof(plan_choice_t), .slice = 4096},
        {.size = sizeof(plan_choice_t), .slice = 0, .only = "lp-trees,few-trees,two-tree"},
        {.size = sizeof(plan_choice_t), .slice = 0, .scorer = lit_scorer, .scorer_context = &hockney}};
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (size_t k = 0; k < sizeof choice / sizeof *choice; k++) {
            plan_platform_t *pf =
                sample_platform(&(sample_t){.ranks = 7, .density = 0.9, .resources = 3, .seed = seed});
            plan_t *plan = NULL;
            plan_error_t err;
            size_t several = 0;
            for (size_t bytes = 1; bytes <= 1 << 20; bytes *= 32) {
                plan_ranking_t *ranking = NULL;
                CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 0, bytes, &choice[k], &ranking, &err), PLAN_OK);
                for (size_t i = 0; i < ranking->ncandidates; i++) {
                    names_only_what_runs(&ranking->candidate[i], bytes);
                    several += ranking->candidate[i].ntrees > 1;
                }
                plan_ranking_destroy(&ranking);
            }
            CU_ASSERT(several > 0);
            CU_ASSERT_EQUAL_FATAL(plan_create(pf, 0, 1 << 20, &choice[k], &plan, &err), PLAN_OK);
            for (size_t i = 0; i < plan_data(plan)->nranges; i++)
                names_only_what_runs(plan_data(plan)->range[i].chosen, plan->note[i].at_bytes);
            plan_destroy(&plan);
            plan_platform_destroy(&pf);
        }
}

SUITE_MAIN("dealing", TEST(slow_trees_wait_for_their_first_slice), TEST(rates_become_integers_of_thirty_bits),
           TEST(what_stays_is_what_runs), TEST(windows_stay_with_their_trees), TEST(variants_keep_all_trees),
           TEST(ranking_and_plans_name_what_runs))
