/* plan_tree_create accepts exactly the spanning arborescences, and indexes them right. */
#include "graphs/trees/trees.h"
#include "suite.h"
#include "alloc.h"
#include <planbcast/tree.h>
#include <stdbool.h>
#include <string.h>

/* Oracle: one root, and every rank comes to it within n steps upwards. */
static bool is_arborescence(int n, const int *parent)
{
    int roots = 0;
    for (int r = 0; r < n; r++) roots += parent[r] == -1;
    for (int r = 0; r < n; r++) {
        int u = r, steps = 0;
        while (parent[u] != -1 && steps++ < n) u = parent[u];
        if (parent[u] != -1) return false;
    }
    return roots == 1;
}

static int depth_of(const int *parent, int r)
{
    int d = 0;
    while (parent[r] != -1) r = parent[r], d++;
    return d;
}

static bool indexed_right(const plan_tree_t *t, int n, const int *parent)
{
    int edges = 0, height = 0, seen[8] = {0};
    for (int r = 0; r < n; r++) {
        int nchildren, depth = depth_of(parent, r);
        const int *child = plan_tree_children(t, r, &nchildren);
        if (plan_tree_data(t)->parent[r] != parent[r] || plan_tree_data(t)->depth[r] != depth) return false;
        if (depth > height) height = depth;
        for (int i = 0; i < nchildren; i++)
            if (parent[child[i]] != r || (i > 0 && child[i] <= child[i - 1])) return false;
        edges += nchildren;
    }
    for (int i = 0; i < n; i++) { /* parents first, and by depth */
        int r = plan_tree_data(t)->breadth_first[i];
        if (seen[r]++ || (parent[r] != -1 && !seen[parent[r]])) return false;
        if (i > 0 && depth_of(parent, plan_tree_data(t)->breadth_first[i - 1]) > depth_of(parent, r)) return false;
    }
    return edges == n - 1 && plan_tree_data(t)->height == height && parent[plan_tree_data(t)->root] == -1;
}

/* Cayley: n^(n-1) rooted labelled trees. */
static void all_parent_arrays_up_to_six_ranks_are_judged_right(void)
{
    static const int rooted[] = {0, 1, 2, 9, 64, 625, 7776};
    for (int n = 1; n <= 6; n++) {
        int parent[6], accepted = 0, wrong = 0;
        for (int r = 0; r < n; r++) parent[r] = -2;
        for (bool more = true; more;) {
            plan_tree_t *t = NULL;
            plan_status_t rc = plan_tree_create(n, parent, NULL, &t);
            bool range = true;
            for (int r = 0; r < n; r++) range = range && parent[r] >= -1 && parent[r] < n;
            if (range && is_arborescence(n, parent)) {
                wrong += rc != PLAN_OK || !indexed_right(t, n, parent);
                accepted++;
            } else {
                wrong += rc != PLAN_ENOTREE || t != NULL;
            }
            plan_tree_destroy(&t);
            more = false;
            for (int r = 0; r < n && !more; r++) { /* count up: -2 .. n */
                more = ++parent[r] <= n;
                if (!more) parent[r] = -2;
            }
        }
        CU_ASSERT_EQUAL(wrong, 0);
        CU_ASSERT_EQUAL(accepted, rooted[n]);
    }
}

/*     2
 *   / | \
 *  4  0  1     sent to in this order
 *     |
 *     3        */
static void children_are_in_send_order_and_a_copy_keeps_it(void)
{
    static const int parent[] = {2, 2, -1, 0, 2}, order[] = {7, 7, 0, 0, -5};
    plan_tree_t *t = NULL, *copy = NULL;
    int n;

    CU_ASSERT_EQUAL_FATAL(plan_tree_create(5, parent, order, &t), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_tree_copy(t, &copy), PLAN_OK);
    plan_tree_destroy(&t);
    const int *child = plan_tree_children(copy, 2, &n);
    CU_ASSERT_EQUAL_FATAL(n, 3);
    CU_ASSERT(child[0] == 4 && child[1] == 0 && child[2] == 1);
    static const int breadth_first[] = {2, 4, 0, 1, 3};
    CU_ASSERT_EQUAL(memcmp(plan_tree_data(copy)->breadth_first, breadth_first, sizeof breadth_first), 0);
    CU_ASSERT_EQUAL(plan_tree_data(copy)->ranks, 5);
    CU_ASSERT_EQUAL(plan_tree_data(copy)->height, 2);
    plan_tree_children(copy, 4, &n);
    CU_ASSERT_EQUAL(n, 0);
    plan_tree_destroy(&copy);
    CU_ASSERT_PTR_NULL(copy);
    plan_tree_destroy(&copy);
    plan_tree_destroy(NULL);
}

static void no_ranks_is_refused(void)
{
    plan_tree_t *t = NULL;
    int parent[] = {-1};
    CU_ASSERT_EQUAL(plan_tree_create(0, parent, NULL, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_tree_create(-3, parent, NULL, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_tree_create(1, NULL, NULL, &t), PLAN_EINVAL);
    CU_ASSERT_PTR_NULL(t);
}

static void what_is_not_there_is_refused(void)
{
    static const int parent[] = {-1};
    const plan_platform_data_t d = {.size = sizeof d, .ranks = 1};
    plan_platform_t *pf = NULL;
    plan_tree_t *t = NULL, *copy = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, &err), PLAN_OK);
    CU_ASSERT_EQUAL(plan_tree_create(1, parent, NULL, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(1, parent, NULL, &t), PLAN_OK);
    CU_ASSERT_EQUAL(plani_tree_copy(NULL, &copy), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_tree_copy(t, NULL), PLAN_EINVAL);
    CU_ASSERT_PTR_NULL(copy);
    CU_ASSERT_EQUAL(plani_tree_check(NULL, pf, &err), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_tree_check(t, NULL, &err), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_tree_check(t, pf, &err), PLAN_OK);
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
}

static void check_wants_every_link(void)
{
    static const plan_link_t link[] = {{0, 1, 1e-6, 0, 0, -1}, {1, 2, 1e-6, 0, 0, -1}, {2, 0, 1e-6, 0, 0, -1}};
    static const int chain[] = {-1, 0, 1}, star[] = {-1, 0, 0}, two[] = {-1, 0};
    plan_platform_data_t d = {.size = sizeof d, .ranks = 3, .nlinks = 3, .link = link};
    plan_platform_t *pf = NULL;
    plan_tree_t *t = NULL;
    plan_error_t err;

    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(3, chain, NULL, &t), PLAN_OK);
    CU_ASSERT_EQUAL(plani_tree_check(t, pf, &err), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(err.text, "");
    plan_tree_destroy(&t);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(3, star, NULL, &t), PLAN_OK);
    CU_ASSERT_EQUAL(plani_tree_check(t, pf, &err), PLAN_ENOTREE);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "0 -> 2"));
    plan_tree_destroy(&t);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(2, two, NULL, &t), PLAN_OK);
    CU_ASSERT_EQUAL(plani_tree_check(t, pf, &err), PLAN_ENOTREE);
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
}

static void every_failing_allocation_is_reported(void)
{
    static const int parent[] = {2, 2, -1, 0, 2};
    plan_tree_t *t = NULL, *copy = NULL;
    ALLOC_EACH(plan_tree_create(5, parent, NULL, &t), CU_ASSERT_EQUAL(status, PLAN_ENOMEM); CU_ASSERT_PTR_NULL(t));
    ALLOC_EACH(plani_tree_copy(t, &copy), CU_ASSERT_EQUAL(status, PLAN_ENOMEM); CU_ASSERT_PTR_NULL(copy));
    CU_ASSERT_EQUAL(plan_tree_data(copy)->height, 2);
    plan_tree_destroy(&t);
    plan_tree_destroy(&copy);
}

SUITE_MAIN("tree", TEST(all_parent_arrays_up_to_six_ranks_are_judged_right),
           TEST(children_are_in_send_order_and_a_copy_keeps_it), TEST(no_ranks_is_refused),
           TEST(what_is_not_there_is_refused), TEST(check_wants_every_link), TEST(every_failing_allocation_is_reported))
