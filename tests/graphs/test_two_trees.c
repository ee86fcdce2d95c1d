/* The two trees of Sanders, Speck, Traeff 2009: the properties that the paper proves. */
#include "graphs/trees/trees.h"
#include "suite.h"
#include "alloc.h"
#include <planbcast/tree.h>

enum { MOST = 600 };

/* The root at place 0; a rank at each place, neighbours in order far apart in number. */
static void scatter(int ranks, int root, int *order)
{
    for (int v = 0; v < ranks; v++) order[v] = v;
    for (int v = ranks - 1; v > 0; v--) {
        int other = (int)(((unsigned)v * 7919u + 13u) % ((unsigned)v + 1u)), swap = order[v];
        order[v] = order[other], order[other] = swap;
    }
    for (int v = 0; v < ranks; v++)
        if (order[v] == root) {
            order[v] = order[0];
            order[0] = root;
            break;
        }
}

static void nobody_but_the_root_is_interior_twice(void)
{
    int order[MOST];
    for (int ranks = 1; ranks <= MOST; ranks++) {
        plan_tree_t *t[2] = {NULL, NULL};
        int root = ranks * 5 / 7, low = 0;
        scatter(ranks, root, order);
        CU_ASSERT_EQUAL_FATAL(plani_two_trees(ranks, order, t), PLAN_OK);
        while ((1 << low) <= ranks - 1) low++; /* as deep as a binary tree of the others, and the root above */
        for (int r = 0; r < ranks; r++) {
            int n[2];
            for (int k = 0; k < 2; k++) plan_tree_children(t[k], r, &n[k]);
            if (r == root) {
                CU_ASSERT(n[0] == (ranks > 1) && n[1] == n[0]);
            } else {
                CU_ASSERT(n[0] <= 2 && n[1] <= 2);
                CU_ASSERT(n[0] == 0 || n[1] == 0);
            }
        }
        for (int k = 0; k < 2; k++) {
            CU_ASSERT_EQUAL(plan_tree_data(t[k])->root, root);
            CU_ASSERT(plan_tree_data(t[k])->height <= low);
            plan_tree_destroy(&t[k]);
        }
    }
}

static void bad_orders_are_refused(void)
{
    plan_tree_t *t[2] = {NULL, NULL};
    const int twice[] = {0, 1, 1}, beyond[] = {0, 1, 3}, good[] = {2, 0, 1};
    CU_ASSERT_EQUAL(plani_two_trees(3, twice, t), PLAN_ENOTREE);
    CU_ASSERT_EQUAL(plani_two_trees(3, beyond, t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_two_trees(0, good, t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_two_trees(3, NULL, t), PLAN_EINVAL);
    CU_ASSERT(t[0] == NULL && t[1] == NULL);
    ALLOC_EACH(plani_two_trees(3, good, t), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    for (int k = 0; k < 2; k++) plan_tree_destroy(&t[k]);
}

SUITE_MAIN("two trees", TEST(nobody_but_the_root_is_interior_twice), TEST(bad_orders_are_refused))
