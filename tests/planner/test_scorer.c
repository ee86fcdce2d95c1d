/* A caller's own performance model instead of the library's. */
#include "suite.h"
#include "sample.h"
#include "planner/literature/models.h"
#include <math.h>
#include <planbcast/plan.h>
#include <string.h>

static plan_platform_t *complete(void)
{
    return sample_platform(&(sample_t){.ranks = 8, .density = 1, .seed = 3});
}

/* Seconds are the links from the root to the farthest rank, and little more for small slices. */
static plan_status_t by_height(void *calls, const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree,
                               const double *share, size_t bytes, size_t slice, int window, double *seconds)
{
    int height = 0;
    CU_ASSERT(pf != NULL && bytes > 0 && window >= 1 && (ntrees == 1 || share != NULL));
    ++*(int *)calls;
    for (size_t t = 0; t < ntrees; t++)
        if (plan_tree_data(tree[t])->height > height) height = plan_tree_data(tree[t])->height;
    *seconds = height + (slice != 0 && slice < bytes ? 0.1 : 0);
    return PLAN_OK;
}

static void its_order_is_the_rankings_order(void)
{
    plan_platform_t *pf = complete();
    plan_ranking_t *ranking = NULL;
    int calls = 0;
    const plan_choice_t choice = {.size = sizeof choice,
                                  .only = "ompi-linear,ompi-binomial,ompi-pipeline,circulant",
                                  .scorer = by_height,
                                  .scorer_context = &calls};
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 0, 65536, &choice, &ranking, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(ranking->ncandidates, 3); /* it knows nothing of rounds */
    CU_ASSERT_STRING_EQUAL(ranking->candidate[0].name, "ompi-linear");
    CU_ASSERT_STRING_EQUAL(ranking->candidate[1].name, "ompi-binomial");
    CU_ASSERT_STRING_EQUAL(ranking->candidate[2].name, "ompi-pipeline");
    CU_ASSERT_EQUAL(ranking->candidate[0].predicted_s, 1);
    CU_ASSERT_EQUAL(ranking->candidate[2].predicted_s, 7);
    CU_ASSERT_EQUAL(ranking->candidate[2].slice, 0);
    CU_ASSERT(calls > 0);
    plan_ranking_destroy(&ranking);
    plan_platform_destroy(&pf);
}

static void models_of_the_literature_are_scorers(void)
{
    plan_platform_t *pf = complete();
    for (lit_model_t model = LIT_HOCKNEY; model < LIT_MODELS; model++) {
        const plan_choice_t choice = {.size = sizeof choice, .scorer = lit_scorer, .scorer_context = &model};
        plan_ranking_t *ranking = NULL;
        plan_t *plan = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 0, 65536, &choice, &ranking, NULL), PLAN_OK);
        for (size_t i = 0; i < ranking->ncandidates; i++) {
            const plan_candidate_t *c = &ranking->candidate[i];
            double t = 0;
            if (c->run != PLAN_RUN_TREES) continue;
            CU_ASSERT_EQUAL(lit_score_network(pf, model, c->ntrees, c->tree, c->rate, 65536, c->slice, c->window, &t),
                            PLAN_OK);
            CU_ASSERT_DOUBLE_EQUAL(c->predicted_s, t, 1e-9 * t);
        }
        CU_ASSERT_EQUAL(plan_create(pf, 0, 65536, &choice, &plan, NULL), PLAN_OK);
        plan_destroy(&plan);
        plan_ranking_destroy(&ranking);
    }
    plan_platform_destroy(&pf);
}

static plan_status_t fails(void *rc, const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree,
                           const double *share, size_t bytes, size_t slice, int window, double *seconds)
{
    (void)pf, (void)ntrees, (void)tree, (void)share, (void)bytes, (void)slice, (void)window;
    *seconds = -1;
    return *(plan_status_t *)rc;
}

static void its_errors_end_planning(void)
{
    plan_platform_t *pf = complete();
    plan_status_t its[] = {PLAN_ESOLVER, PLAN_OK}, ours[] = {PLAN_ESOLVER, PLAN_EINVAL}; /* -1 s is no time */
    for (int i = 0; i < 2; i++) {
        const plan_choice_t choice = {.size = sizeof choice, .scorer = fails, .scorer_context = &its[i]};
        plan_ranking_t *ranking = NULL;
        plan_t *plan = NULL;
        plan_error_t err;
        CU_ASSERT_EQUAL(plan_ranking_create(pf, 0, 4096, &choice, &ranking, &err), ours[i]);
        CU_ASSERT(err.status == ours[i] && err.text[0] != '\0');
        CU_ASSERT_EQUAL(plan_create(pf, 0, 4096, &choice, &plan, &err), ours[i]);
        CU_ASSERT(err.status == ours[i] && err.text[0] != '\0');
        CU_ASSERT(ranking == NULL && plan == NULL);
    }
    plan_platform_destroy(&pf);
}

static void a_model_and_a_scorer_are_refused(void)
{
    plan_platform_t *pf = complete();
    lit_model_t model = LIT_LOGGP;
    const plan_choice_t both = {.size = sizeof both, .model = "taulop", .scorer = lit_scorer, .scorer_context = &model},
                        unknown = {.size = sizeof unknown, .model = "loggp"};
    plan_t *plan = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL(plan_create(pf, 0, 4096, &both, &plan, &err), PLAN_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "scorer"));
    CU_ASSERT_EQUAL(plan_create(pf, 0, 4096, &unknown, &plan, &err), PLAN_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "known: simulation, taulop"));
    plan_platform_destroy(&pf);
}

SUITE_MAIN("scorer", TEST(its_order_is_the_rankings_order), TEST(models_of_the_literature_are_scorers),
           TEST(its_errors_end_planning), TEST(a_model_and_a_scorer_are_refused))
