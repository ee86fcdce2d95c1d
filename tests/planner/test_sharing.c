/* The penalty for flows that share two saturated resources: closed forms. */
#include "suite.h"
#include "alloc.h"
#include "planner/simulate/sharing.h"
#include <math.h>

/* Links 0-1 and 0-2 use the card of rank 0; 0-1 also uses a trunk; 1-2 uses neither. */
static plan_platform_t *card_and_trunk(double trunk, double burst)
{
    static const plan_link_t link[] = {{0, 1, 0, 1, 0, -1}, {0, 2, 0, 1, 0, -1}, {1, 2, 0, 1, 0, -1}};
    static const size_t both[] = {0, 1};
    const plan_resource_t r[] = {{.name = "card", .s_per_byte = 1, .burst_bytes = burst, .nlinks = 2, .link = both},
                                 {.name = "trunk", .s_per_byte = trunk, .nlinks = 1, .link = both}};
    const plan_platform_data_t d = {
        .size = sizeof d, .ranks = 3, .nlinks = 3, .link = link, .nresources = 2, .resource = r};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

static plani_sharing_t turns_of(const plan_platform_t *pf, const int *first, const int *second)
{
    const double share[] = {second != NULL ? 0.5 : 1, 0.5};
    plan_tree_t *tree[2] = {NULL, NULL};
    plani_sharing_t sharing;
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(3, first, NULL, &tree[0]), PLAN_OK);
    if (second != NULL) CU_ASSERT_EQUAL_FATAL(plan_tree_create(3, second, NULL, &tree[1]), PLAN_OK);
    CU_ASSERT_EQUAL(plani_sharing_of(pf, second != NULL ? 2 : 1, tree, share, &sharing), PLAN_OK);
    plan_tree_destroy(&tree[0]), plan_tree_destroy(&tree[1]);
    return sharing;
}

static const int star[] = {-1, 0, 0}, chain[] = {-1, 0, 1};

/* The card takes sharing between two flows. A trunk that is as full waits; one that is half as full hardly does. */
static void two_full_resources_wait_for_turns(void)
{
    plan_platform_t *pf = card_and_trunk(2, 0);
    plani_sharing_t t = turns_of(pf, star, NULL);
    CU_ASSERT_DOUBLE_EQUAL(t.index, 0.5 * 0.5, 1e-12);
    CU_ASSERT_EQUAL(t.s_per_byte, 2);
    plan_platform_destroy(&pf);
    pf = card_and_trunk(1, 0);
    t = turns_of(pf, star, NULL);
    CU_ASSERT(t.index > 0 && t.index < 0.5 * 0.004);
    plan_platform_destroy(&pf);
}

static void single_flows_and_single_bottlenecks_wait_for_nothing(void)
{
    plan_platform_t *pf = card_and_trunk(1, 0);
    CU_ASSERT_EQUAL(turns_of(pf, chain, NULL).index, 0); /* both are full of one flow */
    plan_platform_destroy(&pf);
    pf = card_and_trunk(1e-9, 0);
    CU_ASSERT_DOUBLE_EQUAL(turns_of(pf, star, NULL).index, 0, 1e-12);
    plan_platform_destroy(&pf);
}

/* Half of the bytes by either tree: twice to 1 and once to 2 by the card, twice by the trunk. */
static void flows_of_several_trees_take_turns(void)
{
    plan_platform_t *pf = card_and_trunk(1.5, 0);
    plani_sharing_t t = turns_of(pf, star, chain);
    CU_ASSERT_DOUBLE_EQUAL(t.s_per_byte, 1.5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(t.index, (1 - 1.0 / 3) * 0.5, 1e-12);
    plan_platform_destroy(&pf);
}

/* In proportion to the time for which the fullest one is busy, but for what it lets pass at once. */
static void the_time_grows_by_what_is_spent_waiting(void)
{
    plani_sharing_t t = {.index = 0.5, .s_per_byte = 2};
    CU_ASSERT_DOUBLE_EQUAL(plani_sharing_factor(&t, 100, 200), 1.05, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(plani_sharing_factor(&t, 100, 400), 1.025, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(plani_sharing_factor(&t, 100, 100), 1.05, 1e-12);
    t.burst_s = 100;
    CU_ASSERT_DOUBLE_EQUAL(plani_sharing_factor(&t, 100, 200), 1.025, 1e-12);
    CU_ASSERT_EQUAL(plani_sharing_factor(&t, 10, 200), 1);
    CU_ASSERT_EQUAL(plani_sharing_factor(&t, 100, 0), 1);
    plan_platform_t *pf = card_and_trunk(2, 7);
    CU_ASSERT_EQUAL(turns_of(pf, star, NULL).burst_s, 7); /* of the first of equals */
    plan_platform_destroy(&pf);
}

static void what_cannot_be_told_is_refused(void)
{
    static const int back[] = {1, -1, 0};
    const double share = 1;
    plan_platform_t *pf = card_and_trunk(2, 0);
    plan_tree_t *tree = NULL, *missing = NULL;
    plani_sharing_t t;
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(3, star, NULL, &tree), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(3, back, NULL, &missing), PLAN_OK);
    CU_ASSERT_EQUAL(plani_sharing_of(pf, 1, &missing, &share, &t), PLAN_ENOTREE);
    ALLOC_EACH(plani_sharing_of(pf, 1, &tree, &share, &t), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_tree_destroy(&tree), plan_tree_destroy(&missing);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("sharing", TEST(two_full_resources_wait_for_turns),
           TEST(single_flows_and_single_bottlenecks_wait_for_nothing), TEST(flows_of_several_trees_take_turns),
           TEST(the_time_grows_by_what_is_spent_waiting), TEST(what_cannot_be_told_is_refused))
