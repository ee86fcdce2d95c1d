/* Invalid arguments return PLAN_EINVAL and, if plan_error_t is passed, one line; they never crash. */
#include "graphs/platform/reach.h"
#include "graphs/trees/trees.h"
#include "planner/taulop/score.h"
#include "suite.h"
#include <limits.h>
#include <math.h>
#include <planbcast.h>
#include <stdint.h>
#include <string.h>

static plan_platform_t *pf;
static plan_t *plan;
static plan_error_t err;

static void open_both(void)
{
    const plan_link_t link[] = {{0, 1, 1e-6, 1e-9, 0, -1}, {1, 0, 1e-6, 1e-9, 0, -1}};
    const plan_platform_data_t d = {.size = sizeof d, .ranks = 2, .nlinks = 2, .link = link};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_create(pf, 0, 1 << 20, NULL, &plan, NULL), PLAN_OK);
}

static void close_both(void)
{
    plan_platform_destroy(&pf);
    plan_destroy(&plan);
}

/* Refused, with a line that is of this call. */
#define REFUSED(call)                                                                                                  \
    do {                                                                                                               \
        err = (plan_error_t){PLAN_OK, ""};                                                                             \
        CU_ASSERT_EQUAL(call, PLAN_EINVAL);                                                                            \
        CU_ASSERT_EQUAL(err.status, PLAN_EINVAL);                                                                      \
        CU_ASSERT_NOT_EQUAL(err.text[0], '\0');                                                                        \
    } while (0)
#define REFUSED_SILENTLY(call) CU_ASSERT_EQUAL(call, PLAN_EINVAL)

static void null_is_refused(void)
{
    plan_platform_t *no_pf = NULL;
    plan_t *no_plan = NULL;
    plan_ranking_t *ranking = NULL;
    plan_steady_t *steady = NULL;
    plan_tree_t *tree = NULL, *trees[1] = {NULL};
    double share[1], x = 0;
    size_t n = 0;
    char *text = NULL;
    open_both();
    REFUSED(plan_platform_create(NULL, &no_pf, &err));
    REFUSED(plan_platform_load(NULL, &no_pf, &err));
    REFUSED(plan_platform_parse(NULL, 0, "x", &no_pf, &err));
    REFUSED(plan_platform_save(NULL, "x", &err));
    REFUSED(plan_platform_save(pf, NULL, &err));
    REFUSED(plani_platform_reaches_all(NULL, 0, &err));
    REFUSED_SILENTLY(plan_platform_to_json(NULL, &text));
    REFUSED(plan_platform_bound(NULL, 0, 1, NULL, &steady, &err));
    REFUSED(plan_platform_bound(pf, 0, 1, NULL, NULL, &err));
    REFUSED(plan_generate_sites(NULL, &no_pf, &err));
    REFUSED(plan_create(NULL, 0, 1, NULL, &no_plan, &err));
    REFUSED(plan_create(pf, 0, 1, NULL, NULL, &err));
    REFUSED(plan_ranking_create(NULL, 0, 1, NULL, &ranking, &err));
    REFUSED(plan_ranking_create(pf, 0, 1, NULL, NULL, &err));
    REFUSED(plan_reduce_create(NULL, 0, 1, 0, NULL, &no_plan, &err));
    REFUSED(plan_reduce_create(pf, 0, 1, 0, NULL, NULL, &err));
    REFUSED(plan_reduce_ranking_create(NULL, 0, 1, 0, NULL, &ranking, &err));
    REFUSED(plan_reduce_ranking_create(pf, 0, 1, 0, NULL, NULL, &err));
    REFUSED(plan_load(NULL, &no_plan, &err));
    REFUSED(plan_parse(NULL, 0, "x", &no_plan, &err));
    REFUSED(plan_parse("{}", 2, "x", NULL, &err));
    REFUSED(plan_save(NULL, "x", &err));
    REFUSED(plan_save(plan, NULL, &err));
    REFUSED(plan_export(NULL, NULL, 1, "dot", &text, &err));
    REFUSED(plan_export(plan, NULL, 1, NULL, &text, &err));
    REFUSED(plan_export(plan, NULL, 1, "dot", NULL, &err));
    REFUSED_SILENTLY(plan_explain(NULL, NULL, 1, &text));
    REFUSED_SILENTLY(plan_explain(plan, NULL, 1, NULL));
    REFUSED_SILENTLY(plan_to_json(NULL, &text));
    REFUSED_SILENTLY(plan_from_ranges(2, 0, 1, NULL, NULL, &no_plan));
    REFUSED(plan_few_trees(NULL, 0, 1, 1, NULL, 0, 0, trees, share, &n, &err));
    REFUSED(plan_few_trees(pf, 0, 1, 1, NULL, 0, 0, NULL, share, &n, &err));
    REFUSED(plan_heuristic_tree(NULL, pf, 0, 1, 1, NULL, &tree, &err));
    REFUSED(plan_heuristic_tree("grow", NULL, 0, 1, 1, NULL, &tree, &err));
    REFUSED(plan_heuristic_tree("grow", pf, 0, 1, 1, NULL, NULL, &err));
    REFUSED(plani_tree_check(NULL, pf, &err));
    REFUSED_SILENTLY(plan_throughput(NULL, 1, trees, NULL, 1, &x, NULL));
    REFUSED_SILENTLY(plani_score_taulop(NULL, NULL, 1, 1, 1, &x));
    CU_ASSERT_PTR_NULL(text);
    close_both();
}

static void what_is_out_of_range_is_refused(void)
{
    plan_t *none = NULL;
    plan_ranking_t *ranking = NULL;
    const plan_choice_t choice[] = {
        {.size = sizeof(plan_choice_t), .slice = SIZE_MAX},  {.size = sizeof(plan_choice_t), .window = -1},
        {.size = sizeof(plan_choice_t), .window = INT_MAX},  {.size = sizeof(plan_choice_t), .model = ""},
        {.size = sizeof(plan_choice_t), .time_limit_s = -1}, {.size = sizeof(plan_choice_t), .only = "nobody"},
        {.size = sizeof(plan_choice_t), .only = ","},        {.size = sizeof(plan_choice_t), .time_limit_s = NAN}};
    const int root[] = {INT_MIN, -1, 2, INT_MAX};
    const double combine[] = {-1, NAN, INFINITY};
    open_both();
    for (size_t i = 0; i < sizeof choice / sizeof *choice; i++)
        REFUSED(plan_create(pf, 0, 100, &choice[i], &none, &err));
    for (size_t i = 0; i < sizeof root / sizeof *root; i++) REFUSED(plan_create(pf, root[i], 100, NULL, &none, &err));
    for (size_t i = 0; i < sizeof combine / sizeof *combine; i++) {
        REFUSED(plan_reduce_create(pf, 0, 100, combine[i], NULL, &none, &err));
        REFUSED(plan_reduce_ranking_create(pf, 0, 100, combine[i], NULL, &ranking, &err));
    }
    REFUSED(plan_create(pf, 0, SIZE_MAX, NULL, &none, &err));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "max_bytes is 18446744073709551615"));
    REFUSED(plan_ranking_create(pf, 0, SIZE_MAX, NULL, &ranking, &err));
    CU_ASSERT_PTR_NULL(none);
    CU_ASSERT_PTR_NULL(ranking);
    close_both();
}

/* As a program that was compiled with other headers passes them, or one that has forgotten the size. */
static void structs_of_other_sizes_are_refused(void)
{
    enum { NO_SIZE, SMALLER, LARGER, CASES };
    open_both();
    for (int i = 0; i < CASES; i++) {
        bool none = i == NO_SIZE;
        size_t by = i == SMALLER ? (size_t)-8 : 8;
        plan_platform_data_t d = *plan_platform_data(pf);
        plan_choice_t choice = {.size = none ? 0 : sizeof choice + by};
        plan_steady_options_t options = {.size = none ? 0 : sizeof options + by};
        plan_candidate_t c = *plan_chosen(plan, 1);
        plan_range_t range = {.up_to = 1, .chosen = &c};
        plan_platform_t *no_pf = NULL;
        plan_ranking_t *ranking = NULL;
        plan_steady_t *steady = NULL;
        plan_t *no_plan = NULL;
        d.size = none ? 0 : sizeof d + by;
        c.size = none ? 0 : sizeof c + by;
        REFUSED(plan_platform_create(&d, &no_pf, &err));
        REFUSED(plan_create(pf, 0, 100, &choice, &no_plan, &err));
        REFUSED(plan_ranking_create(pf, 0, 100, &choice, &ranking, &err));
        REFUSED(plan_platform_bound(pf, 0, 1, &options, &steady, &err));
        REFUSED_SILENTLY(plan_from_ranges(2, 0, 1, &range, NULL, &no_plan));
    }
    close_both();
}

/* Sizes are summed and scaled on the way: the largest that is taken must not overflow. */
static void the_largest_message_is_planned(void)
{
    const size_t most = (size_t)1 << 62;
    plan_t *large = NULL;
    plan_ranking_t *ranking = NULL;
    open_both();
    CU_ASSERT_EQUAL_FATAL(plan_create(pf, 0, most, NULL, &large, &err), PLAN_OK);
    CU_ASSERT_EQUAL(plan_data(large)->range[plan_data(large)->nranges - 1].up_to, most);
    plan_destroy(&large);
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 0, most, NULL, &ranking, &err), PLAN_OK);
    CU_ASSERT_EQUAL(ranking->bytes, most);
    plan_ranking_destroy(&ranking);
    REFUSED(plan_ranking_create(pf, 0, most + 1, NULL, &ranking, &err));
    REFUSED(plan_create(pf, 0, most + 1, NULL, &large, &err));
    close_both();
}

SUITE_MAIN("arguments", TEST(null_is_refused), TEST(what_is_out_of_range_is_refused),
           TEST(structs_of_other_sizes_are_refused), TEST(the_largest_message_is_planned))
