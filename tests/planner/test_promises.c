/* Invariants of all plans, on random platforms: trees span, no throughput exceeds the bound, no simulated time is below
 * the lower bound of any schedule, and files are lossless. */
#include "graphs/trees/trees.h"
#include "suite.h"
#include "rankings.h"
#include "sample.h"
#include "planner/simulate/simulation.h"
#include <math.h>
#include "planner/taulop/score.h"
#include <string.h>

enum { MOST = 9, PLATFORMS = 24 };

static plan_platform_t *drawn(uint64_t seed, int *root)
{
    uint64_t state = seed;
    int ranks = 1 + sample_below(&state, MOST);
    *root = sample_below(&state, ranks);
    return sample_platform(&(sample_t){.ranks = ranks,
                                       .density = 0.3 + 0.1 * sample_below(&state, 8),
                                       .costs = sample_below(&state, 2) * 3,
                                       .resources = sample_below(&state, 4),
                                       .seed = seed});
}

/* What is sent on a link takes at least so long, alone [s]. */
static double least_time(const plan_platform_data_t *d, size_t link, double bytes)
{
    double t = d->link[link].latency_s + bytes * d->link[link].s_per_byte;
    for (size_t r = 0; r < d->nresources; r++)
        for (size_t k = 0; k < d->resource[r].nlinks; k++)
            if (d->resource[r].link[k] == link)
                t = fmax(t, d->resource[r].s_per_message + bytes * d->resource[r].s_per_byte);
    return t + d->link[link].delay_s;
}

/* No slice is with the last rank before the cheapest ways are gone (Bellman and Ford). */
static double farthest(const plan_platform_data_t *d, int root, double bytes)
{
    double at[MOST], last = 0;
    for (int v = 0; v < d->ranks; v++) at[v] = v == root ? 0 : INFINITY;
    for (int i = 0; i < d->ranks; i++)
        for (size_t l = 0; l < d->nlinks; l++)
            at[d->link[l].to] = fmin(at[d->link[l].to], at[d->link[l].from] + least_time(d, l, bytes));
    for (int v = 0; v < d->ranks; v++) last = fmax(last, at[v]);
    return last;
}

static double bound_of(const plan_platform_t *pf, int root, size_t slice)
{
    const plan_steady_options_t options = {.size = sizeof options, .gap = 1e-9};
    plan_steady_t *steady = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, root, (double)slice, &options, &steady, NULL), PLAN_OK);
    double upper = plan_steady_data(steady)->upper;
    plan_steady_destroy(&steady);
    return upper;
}

static void check_trees(const plan_platform_t *pf, int root, size_t bytes, const plan_candidate_t *c)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    size_t slice = c->slice > 0 && c->slice < bytes ? c->slice : bytes;
    double most = bound_of(pf, root, slice), seconds = 0, rate = 0;
    plani_simulation_t *simulation = NULL;

    CU_ASSERT_FATAL(c->ntrees > 0);
    for (size_t t = 0; t < c->ntrees; t++) {
        CU_ASSERT_EQUAL(plani_tree_check(c->tree[t], pf, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plan_tree_data(c->tree[t])->root, root);
    }
    CU_ASSERT_EQUAL(plan_throughput(pf, c->ntrees, c->tree, c->rate, (double)slice, &rate, NULL), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(rate, c->throughput, 1e-9 * rate);
    CU_ASSERT(rate <= most * (1 + 1e-9));
    CU_ASSERT(c->lp_ratio <= 1 + 1e-9);
    CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &simulation), PLAN_OK);
    CU_ASSERT_EQUAL(plani_simulate_trees(simulation, c->ntrees, c->tree, c->rate,
                                         (plani_pipeline_t){bytes, c->slice, c->window}, NULL, &seconds),
                    PLAN_OK);
    double slices = floor((double)bytes / (double)slice); /* a schedule of all of them is one of the program */
    CU_ASSERT(seconds >= slices / most * (1 - 1e-6));
    CU_ASSERT(seconds >= farthest(d, root, (double)slice) * (1 - 1e-9));
    plani_simulation_destroy(&simulation);
}

static void no_candidate_does_what_none_could(void)
{
    int several = 0, sliced = 0;
    for (uint64_t seed = 1; seed <= PLATFORMS; seed++) {
        int root;
        plan_platform_t *pf = drawn(seed, &root);
        size_t bytes = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 5000 : 300000;
        if (plan_platform_data(pf)->ranks > 1) {
            plan_ranking_t *ranking = ranking_of(pf, root, bytes, NULL);
            for (size_t i = 0; i < ranking->ncandidates; i++) {
                const plan_candidate_t *c = &ranking->candidate[i];
                if (c->run != PLAN_RUN_TREES) continue;
                check_trees(pf, root, bytes, c);
                several += c->ntrees > 1;
                sliced += c->slice > 0 && c->slice < bytes;
            }
            plan_ranking_destroy(&ranking);
        }
        plan_platform_destroy(&pf);
    }
    CU_ASSERT(several > 10 && sliced > 10); /* the sample has all the cases */
}

static void plans_come_back_from_their_files_with_all_scores(void)
{
    for (uint64_t seed = 1; seed <= PLATFORMS; seed++) {
        int root;
        plan_platform_t *pf = drawn(seed, &root);
        plan_t *plan = NULL, *back = NULL;
        char *text = NULL, *again = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_create(pf, root, 100000, NULL, &plan, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &text), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_parse(text, strlen(text), "plan", &back, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plan_data(plan)->hash, plan_data(back)->hash);
        CU_ASSERT_EQUAL_FATAL(plan_data(plan)->nranges, plan_data(back)->nranges);
        for (size_t i = 0; i < plan_data(plan)->nranges; i++) {
            const plan_candidate_t *a = plan_data(plan)->range[i].chosen, *b = plan_data(back)->range[i].chosen;
            CU_ASSERT_EQUAL(plan_data(plan)->range[i].up_to, plan_data(back)->range[i].up_to);
            CU_ASSERT_STRING_EQUAL(a->name, b->name);
            CU_ASSERT(a->throughput == b->throughput ||
                      (isinf(a->throughput) && plan_data(plan)->ranks == 1)); /* no number */
            CU_ASSERT_EQUAL(a->lp_ratio, b->lp_ratio);
            CU_ASSERT(a->predicted_s == b->predicted_s || isnan(a->predicted_s));
            CU_ASSERT_EQUAL_FATAL(a->ntrees, b->ntrees);
            for (size_t t = 0; t < a->ntrees; t++) {
                CU_ASSERT_EQUAL(plani_tree_check(b->tree[t], pf, NULL), PLAN_OK);
                CU_ASSERT_EQUAL(a->rate[t], b->rate[t]);
            }
        }
        CU_ASSERT_EQUAL_FATAL(plan_to_json(back, &again), PLAN_OK);
        CU_ASSERT_STRING_EQUAL(text, again);
        free(text), free(again);
        plan_destroy(&plan), plan_destroy(&back);
        plan_platform_destroy(&pf);
    }
}

/* Also where ranks have several ports. */
static void platforms_from_their_files_are_planned_alike(void)
{
    for (uint64_t seed = 1; seed <= PLATFORMS / 2; seed++) {
        const sample_t s = {.ranks = 2 + (int)seed % 6,
                            .density = 0.5,
                            .resources = (int)seed % 4,
                            .multiport = seed % 3 == 0,
                            .seed = seed};
        plan_platform_t *pf = sample_platform(&s), *back = NULL;
        plan_t *plan = NULL, *other = NULL;
        char *text = NULL, *mine = NULL, *its = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_platform_to_json(pf, &text), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_platform_parse(text, strlen(text), "platform", &back, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_create(pf, 1, 20000, NULL, &plan, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_create(back, 1, 20000, NULL, &other, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &mine), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_to_json(other, &its), PLAN_OK);
        CU_ASSERT_STRING_EQUAL(mine, its);
        free(text), free(mine), free(its);
        plan_destroy(&plan), plan_destroy(&other);
        plan_platform_destroy(&pf), plan_platform_destroy(&back);
    }
}

SUITE_MAIN("promises", TEST(no_candidate_does_what_none_could), TEST(plans_come_back_from_their_files_with_all_scores),
           TEST(platforms_from_their_files_are_planned_alike))
