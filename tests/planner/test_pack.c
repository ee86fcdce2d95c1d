/* Plans as bytes, as ranks send them to each other. */
#include "suite.h"
#include "alloc.h"
#include "plans.h"

static const int chain[] = {-1, 0, 1, 2}, star[] = {-1, 0, 0, 0}, star_order[] = {0, 2, 1, 0}, order[] = {0, 2, 3, 1};

/* Everything that a plan can hold. */
static plan_t *sample(const int *hosts)
{
    plan_candidate_t c[] = {one_tree("binomial", 4, star, star_order, 0, 1), two_trees("two", 4, chain, star, 1, 3),
                            one_tree("native", 4, NULL, NULL, 0, 1),
                            in_rounds("circulant", PLAN_CIRCULANT, 4, order, 8192, 4),
                            one_tree("chain", 4, chain, NULL, 65536, 16)};
    plan_range_t range[] = {{0, &c[0]}, {4096, &c[1]}, {1 << 20, &c[2]}, {1 << 21, &c[3]}, {SIZE_MAX, &c[4]}};
    plani_note_t note[5] = {{.at_bytes = 1, .runner_up = "chain", .runner_up_s = 0.1}, {.runner_up_s = NAN}};
    plan_t *plan = NULL;

    give_link_windows(&c[4]);
    c[4].bottleneck = (plan_bottleneck_t){.at = PLAN_AT_RESOURCE, .index = 7, .seconds = 0.003};
    CU_ASSERT_EQUAL_FATAL(plani_plan_create(4, 0, 5, range, note, hosts, &plan, NULL), PLAN_OK);
    for (int i = 0; i < 5; i++) plani_candidate_clear(&c[i]);
    return plan;
}

/* The file of a plan has all of it, exactly. */
static void an_unpacked_plan_is_the_plan(void)
{
    const int hosts[] = {0, 0, 1, 2};

    for (int k = 0; k < 2; k++) {
        plan_t *plan = sample(k == 0 ? hosts : NULL), *other = NULL;
        char *text[2] = {NULL, NULL};
        void *bytes = NULL;
        size_t len = 0;
        if (k > 0) plani_plan_let_reduce(plan);
        CU_ASSERT_EQUAL_FATAL(plani_plan_pack(plan, &bytes, &len), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_plan_unpack(bytes, len, &other, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &text[0]), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_to_json(other, &text[1]), PLAN_OK);
        CU_ASSERT_STRING_EQUAL(text[0], text[1]);
        CU_ASSERT_EQUAL(plan_data(plan)->hash, plan_data(other)->hash);
        CU_ASSERT_EQUAL(plan_data(other)->reduces, k > 0);
        free(text[0]);
        free(text[1]);
        free(bytes);
        plan_destroy(&plan);
        plan_destroy(&other);
    }
}

static void a_part_of_a_plan_is_refused(void)
{
    plan_t *plan = sample(NULL), *other = NULL;
    plan_error_t err;
    void *bytes = NULL;
    size_t len = 0;

    CU_ASSERT_EQUAL_FATAL(plani_plan_pack(plan, &bytes, &len), PLAN_OK);
    for (size_t part = 0; part < len; part++) {
        CU_ASSERT_EQUAL(plani_plan_unpack(bytes, part, &other, &err), PLAN_EFORMAT);
        CU_ASSERT_PTR_NULL(other);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "damaged"));
    }
    free(bytes);
    plan_destroy(&plan);
}

static void without_memory_nothing_is_left(void)
{
    plan_t *plan = sample(NULL), *other = NULL;
    void *bytes = NULL;
    size_t len = 0;

    ALLOC_EACH(plani_plan_pack(plan, &bytes, &len), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    ALLOC_EACH(plani_plan_unpack(bytes, len, &other, NULL), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    free(bytes);
    plan_destroy(&plan);
    plan_destroy(&other);
}

SUITE_MAIN("packed plans", TEST(an_unpacked_plan_is_the_plan), TEST(a_part_of_a_plan_is_refused),
           TEST(without_memory_nothing_is_left))
