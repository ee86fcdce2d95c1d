/* The plan object: ranges, deep copies with shared trees, and a hash of all that determines the messages sent. */
#include "graphs/trees/trees.h"
#include "suite.h"
#include "alloc.h"
#include "plans.h"
#include "planner/plan/plan_private.h"

static const int chain[] = {-1, 0, 1, 2}, star[] = {-1, 0, 0, 0}, star_order[] = {0, 2, 1, 0};

static plan_t *plan_of(const plan_candidate_t *c, int ranks, size_t n, const size_t *up_to)
{
    plan_range_t range[8];
    plan_t *plan = NULL;
    for (size_t i = 0; i < n; i++) range[i] = (plan_range_t){up_to[i], &c[i]};
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(ranks, 0, n, range, NULL, &plan), PLAN_OK);
    return plan;
}

static uint64_t hash_of(plan_candidate_t c)
{
    const size_t up_to[] = {1000};
    plan_t *plan = plan_of(&c, c.ntrees ? plan_tree_data(c.tree[0])->ranks : 4, 1, up_to);
    uint64_t h = plan_data(plan)->hash;
    plan_destroy(&plan);
    plani_candidate_clear(&c);
    return h;
}

static void a_size_is_served_by_the_first_range_that_reaches_it(void)
{
    plan_candidate_t c[] = {one_tree("a", 4, star, NULL, 0, 1), one_tree("b", 4, chain, NULL, 4096, 2),
                            one_tree("native", 4, NULL, NULL, 0, 1)};
    const size_t up_to[] = {0, 1000, 5000};
    plan_t *plan = plan_of(c, 4, 3, up_to);
    const struct {
        size_t bytes;
        const char *name;
    } want[] = {{0, "a"}, {1, "b"}, {1000, "b"}, {1001, "native"}, {5000, "native"}, {SIZE_MAX, "native"}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CU_ASSERT_STRING_EQUAL(plan_chosen(plan, want[i].bytes)->name, want[i].name);
    CU_ASSERT_EQUAL(plan_data(plan)->nranges, 3);
    CU_ASSERT_EQUAL(plan_data(plan)->range[1].up_to, 1000);
    CU_ASSERT_EQUAL(plan_data(plan)->nranges, 3);
    CU_ASSERT_EQUAL(plan_data(plan)->ranks, 4);
    CU_ASSERT_EQUAL(plan_data(plan)->root, 0);
    CU_ASSERT_PTR_NULL(plan_data(plan)->host);
    plan_destroy(&plan);
    CU_ASSERT_PTR_NULL(plan);
    plan_destroy(&plan);
    plan_destroy(NULL);
    for (int i = 0; i < 3; i++) plani_candidate_clear(&c[i]);
}

/* Every range's lookup against a linear scan, for 1..40 ranges. */
static void the_search_agrees_with_a_linear_scan(void)
{
    plan_candidate_t c = one_tree("native", 2, NULL, NULL, 0, 1);
    for (size_t n = 1; n <= 40; n++) {
        plan_range_t range[40];
        plan_t *plan = NULL;
        for (size_t i = 0; i < n; i++) range[i] = (plan_range_t){3 * i + 1, &c};
        CU_ASSERT_EQUAL_FATAL(plan_from_ranges(2, 1, n, range, NULL, &plan), PLAN_OK);
        for (size_t bytes = 0; bytes < 3 * n + 5; bytes++) {
            size_t i = 0;
            while (i + 1 < n && range[i].up_to < bytes) i++;
            CU_ASSERT_PTR_EQUAL(plan_chosen(plan, bytes), plan_data(plan)->range[i].chosen);
        }
        plan_destroy(&plan);
    }
}

static void a_plan_owns_copies(void)
{
    int hosts[] = {7, 7, 8, 8};
    plan_candidate_t c = one_tree("a", 4, chain, NULL, 512, 3);
    plan_range_t range = {10, &c};
    plan_t *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(4, 0, 1, &range, hosts, &plan), PLAN_OK);
    plani_candidate_clear(&c);
    hosts[0] = -1;
    CU_ASSERT_EQUAL(plan_data(plan)->host[0], 7);
    CU_ASSERT_EQUAL(plan_tree_data(plan_chosen(plan, 5)->tree[0])->parent[3], 2);
    CU_ASSERT_EQUAL(plan_chosen(plan, 5)->slice, 512);
    plan_destroy(&plan);
}

/* 20 ranges over two different trees of 1,024 ranks hold two trees. */
static void equal_trees_are_kept_once(void)
{
    int parent[1024], other[1024];
    plan_candidate_t c[20];
    plan_range_t range[20];
    plan_t *plan = NULL;
    for (int r = 0; r < 1024; r++) parent[r] = r - 1, other[r] = r ? (r - 1) / 2 : -1;
    for (size_t i = 0; i < 20; i++) {
        c[i] = one_tree("a", 1024, i % 2 ? parent : other, NULL, 1024 << i / 2, 4);
        range[i] = (plan_range_t){i, &c[i]};
    }
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(1024, 0, 20, range, NULL, &plan), PLAN_OK);
    CU_ASSERT_EQUAL(plan->pool.n, 2);
    CU_ASSERT_PTR_EQUAL(plan_data(plan)->range[0].chosen->tree[0], plan_data(plan)->range[2].chosen->tree[0]);
    CU_ASSERT_PTR_NOT_EQUAL(plan_data(plan)->range[0].chosen->tree[0], plan_data(plan)->range[1].chosen->tree[0]);
    plan_destroy(&plan);
    for (int i = 0; i < 20; i++) plani_candidate_clear(&c[i]);
}

static void the_hash_tells_every_decision_apart(void)
{
    uint64_t h[16];
    size_t n = 0;
    h[n++] = hash_of(one_tree("a", 4, star, NULL, 4096, 4));
    h[n++] = hash_of(one_tree("a", 4, star, star_order, 4096, 4)); /* children's order */
    h[n++] = hash_of(one_tree("a", 4, chain, NULL, 4096, 4));
    h[n++] = hash_of(one_tree("a", 4, chain, NULL, 4097, 4));
    h[n++] = hash_of(one_tree("a", 4, chain, NULL, 4096, 5));
    h[n++] = hash_of(one_tree("a", 3, chain, NULL, 4096, 4));
    h[n++] = hash_of(one_tree("a", 4, NULL, NULL, 4096, 4));
    h[n++] = hash_of(two_trees("a", 4, star, chain, 1, 2));
    h[n++] = hash_of(two_trees("a", 4, chain, star, 1, 2));
    h[n++] = hash_of(two_trees("a", 4, star, chain, 1, nextafter(2, 3)));
    h[n++] = hash_of(two_trees("a", 4, star, star, 1, 2));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) CU_ASSERT_NOT_EQUAL(h[i], h[j]);
}

static void the_hash_tells_ranges_and_roots_apart(void)
{
    const int up[] = {1, 2, 3, -1};
    plan_candidate_t c[] = {one_tree("a", 4, chain, NULL, 0, 1), one_tree("a", 4, chain, NULL, 0, 1)};
    plan_candidate_t back = one_tree("a", 4, up, NULL, 0, 1);
    const size_t narrow[] = {10, 20}, wide[] = {11, 20};
    plan_t *a = plan_of(c, 4, 2, narrow), *b = plan_of(c, 4, 2, wide), *d = plan_of(c, 4, 1, narrow), *e = NULL;
    plan_range_t range = {10, &back};
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(4, 3, 1, &range, NULL, &e), PLAN_OK);
    CU_ASSERT_NOT_EQUAL(plan_data(a)->hash, plan_data(b)->hash);
    CU_ASSERT_NOT_EQUAL(plan_data(a)->hash, plan_data(d)->hash);
    CU_ASSERT_NOT_EQUAL(plan_data(d)->hash, plan_data(e)->hash);
    plan_destroy(&a), plan_destroy(&b), plan_destroy(&d), plan_destroy(&e);
    plani_candidate_clear(&c[0]), plani_candidate_clear(&c[1]), plani_candidate_clear(&back);
}

/* Names and predictions decide nothing; neither does which of two equal trees is whose. */
static void the_hash_ignores_what_decides_nothing(void)
{
    plan_candidate_t c = one_tree("other", 4, chain, NULL, 4096, 4);
    c.predicted_s = 3, c.throughput = 4, c.lp_ratio = 5, c.measured_s = 6;
    CU_ASSERT_EQUAL(hash_of(c), hash_of(one_tree("a", 4, chain, NULL, 4096, 4)));
    /* FNV-1a over the fields in order, worked out by another program */
    CU_ASSERT_EQUAL(hash_of(one_tree("a", 4, star, star_order, 4096, 4)), UINT64_C(0x3f2acbb47b71a657));
}

static void what_cannot_be_run_is_refused(void)
{
    plan_candidate_t good = one_tree("a", 4, chain, NULL, 4096, 4), c;
    plan_range_t range[] = {{10, &c}, {20, &good}};
    plan_t *plan = NULL;
    plan_error_t err;
#define REFUSED(change, needle)                                                                                        \
    do {                                                                                                               \
        c = good;                                                                                                      \
        err.text[0] = '\0';                                                                                            \
        change;                                                                                                        \
        CU_ASSERT_EQUAL(plani_plan_create(4, 0, 2, range, NULL, NULL, &plan, &err), PLAN_EINVAL);                      \
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, needle));                                                              \
        CU_ASSERT_PTR_NULL(plan);                                                                                      \
    } while (0)
    double rate = good.rate[0];
    int none[4] = {4, 4, 0, 4};
    REFUSED(c.window = 0, "window 0");
    REFUSED(c.window = 1025, "window 1025");
    REFUSED(c.slice = PLANI_MAX_SLICE + 1, "slice of 1073741825");
    REFUSED((c.link_window = none, c.run = PLAN_RUN_NATIVE, c.ntrees = 0), "takes no windows");
    REFUSED(c.link_window = none, "window 0 of a link");
    REFUSED(c.run = PLAN_RUN_NOT, "not executable");
    REFUSED(c.run = PLAN_RUN_NATIVE, "takes no trees");
    REFUSED(c.run = PLAN_RUN_SHARED, "takes no trees");
    REFUSED((c.run = PLAN_RUN_ROUNDS, c.ntrees = 0, c.schedule = PLAN_SCHEDULES), "there is no schedule");
    REFUSED(c.ntrees = 0, "0 trees");
    REFUSED(c.name[0] = '\0', "name");
    REFUSED(c.name[0] = '\n', "name");
    REFUSED(memset(c.name, 'x', sizeof c.name), "name");
    REFUSED(good.rate[0] = NAN, "rate");
    REFUSED(good.rate[0] = INFINITY, "rate");
    REFUSED(good.rate[0] = 0, "rate");
    good.rate[0] = rate;
    c = good;
    CU_ASSERT_EQUAL(plan_from_ranges(5, 0, 1, range, NULL, &plan), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_from_ranges(4, 1, 1, range, NULL, &plan), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_from_ranges(4, 4, 1, range, NULL, &plan), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_from_ranges(0, 0, 1, range, NULL, &plan), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_from_ranges(4, 0, 0, range, NULL, &plan), PLAN_EINVAL);
    range[1].up_to = 10;
    CU_ASSERT_EQUAL(plan_from_ranges(4, 0, 2, range, NULL, &plan), PLAN_EINVAL);
    range[1].up_to = SIZE_MAX - 1;
    CU_ASSERT_EQUAL(plan_from_ranges(4, 0, 2, range, NULL, &plan), PLAN_EINVAL);
    range[1].chosen = NULL;
    CU_ASSERT_EQUAL(plan_from_ranges(4, 0, 2, range, NULL, &plan), PLAN_EINVAL);
    CU_ASSERT_PTR_NULL(plan);
    plani_candidate_clear(&good);
}

/* Every rank stands at one place, the root at the first. */
static void orders_that_are_none_are_refused(void)
{
    static const struct {
        int order[4], places;
        const char *why;
    } at[] = {{{2, 0, 3, 1}, 4, "begins with rank 2, not with the root 0"},
              {{0, 4, 1, 2}, 4, "names rank 4, which is none"},
              {{0, -1, 1, 2}, 4, "names rank -1, which is none"},
              {{0, 3, 1, 3}, 4, "names rank 3, which is there already"},
              {{0, 1, 2, 3}, 3, "an order of 3 places; give the 4 ranks"}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        plan_candidate_t c = in_rounds("circulant", PLAN_CIRCULANT, 4, at[i].order, 512, 2);
        const plan_range_t range = {10, &c};
        plan_t *plan = NULL;
        plan_error_t err = {.text = ""};
        c.places = at[i].places;
        CU_ASSERT_EQUAL(plani_plan_create(4, 0, 1, &range, NULL, NULL, &plan, &err), PLAN_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, at[i].why));
        CU_ASSERT_PTR_NULL(plan);
        plani_candidate_clear(&c);
    }
}

static void trees_are_equal_if_all_send_alike(void)
{
    static const int reversed[] = {0, 3, 2, 1}, more[] = {-1, 0, 1, 2, 0};
    plan_tree_t *t[5] = {NULL};
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(4, star, NULL, &t[0]), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(4, star, reversed, &t[1]), PLAN_OK); /* in another order */
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(4, chain, NULL, &t[2]), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(3, chain, NULL, &t[3]), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(5, more, NULL, &t[4]), PLAN_OK);
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++) CU_ASSERT_EQUAL(plani_tree_equal(t[a], t[b]) != 0, a == b);
    plan_tree_t *copy = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_tree_copy(t[1], &copy), PLAN_OK);
    CU_ASSERT(plani_tree_equal(copy, t[1]));
    CU_ASSERT_EQUAL(plani_tree_hash(copy), plani_tree_hash(t[1]));
    CU_ASSERT_NOT_EQUAL(plani_tree_hash(copy), plani_tree_hash(t[0]));
    plan_tree_destroy(&copy);
    for (int a = 0; a < 5; a++) plan_tree_destroy(&t[a]);
}

static void a_million_ranks_are_enough(void)
{
    plan_candidate_t c = one_tree("native", 1, NULL, NULL, 0, 1);
    const plan_range_t range = {SIZE_MAX, &c};
    plan_t *plan = NULL;
    CU_ASSERT_EQUAL(plan_from_ranges((1 << 20) + 1, 0, 1, &range, NULL, &plan), PLAN_EINVAL);
    CU_ASSERT_PTR_NULL(plan);
    CU_ASSERT_EQUAL(plan_from_ranges(1 << 20, (1 << 20) - 1, 1, &range, NULL, &plan), PLAN_OK);
    CU_ASSERT_EQUAL(plan_data(plan)->ranks, 1 << 20);
    plan_destroy(&plan);
}

/* In use the first time. */
static bool count_unbind(void *binding)
{
    return ++*(int *)binding > 1;
}

static void a_plan_in_use_is_not_destroyed(void)
{
    int calls = 0;
    plan_candidate_t c = one_tree("native", 4, NULL, NULL, 0, 1);
    const size_t up_to[] = {1};
    plan_t *plan = plan_of(&c, 4, 1, up_to);
    plan->binding = &calls;
    plan->unbind = count_unbind;
    plan_destroy(&plan);
    CU_ASSERT_PTR_NOT_NULL(plan);
    plan_destroy(&plan);
    CU_ASSERT_PTR_NULL(plan);
    CU_ASSERT_EQUAL(calls, 2);
}

static void a_copied_candidate_stands_alone(void)
{
    plan_candidate_t c = two_trees("a", 4, chain, star, 1, 2), d = {0};
    CU_ASSERT_EQUAL_FATAL(plani_candidate_copy(&c, &d), PLAN_OK);
    CU_ASSERT_PTR_NOT_EQUAL(c.tree[0], d.tree[0]);
    plani_candidate_clear(&c);
    CU_ASSERT_EQUAL(c.ntrees, 0);
    CU_ASSERT_EQUAL(d.rate[1], 2);
    CU_ASSERT_EQUAL(plan_tree_data(d.tree[0])->height, 3);
    plani_candidate_clear(&d);
    plani_candidate_clear(&d);
    plani_candidate_clear(NULL);
}

static void every_failing_allocation_comes_back(void)
{
    plan_candidate_t c[] = {two_trees("a", 4, chain, star, 1, 2), one_tree("b", 4, star, star_order, 64, 1)}, d = {0};
    plan_range_t range[] = {{10, &c[0]}, {20, &c[1]}};
    const int hosts[] = {0, 0, 1, 1};
    plan_t *plan = NULL;
    give_link_windows(&c[0]);
    ALLOC_EACH(plan_from_ranges(4, 0, 2, range, hosts, &plan), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    ALLOC_EACH(plani_candidate_copy(&c[0], &d), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_destroy(&plan);
    plani_candidate_clear(&d), plani_candidate_clear(&c[0]), plani_candidate_clear(&c[1]);
}

SUITE_MAIN("plan", TEST(a_size_is_served_by_the_first_range_that_reaches_it),
           TEST(the_search_agrees_with_a_linear_scan), TEST(a_plan_owns_copies), TEST(equal_trees_are_kept_once),
           TEST(the_hash_tells_every_decision_apart), TEST(the_hash_tells_ranges_and_roots_apart),
           TEST(the_hash_ignores_what_decides_nothing), TEST(what_cannot_be_run_is_refused),
           TEST(orders_that_are_none_are_refused), TEST(trees_are_equal_if_all_send_alike),
           TEST(a_million_ranks_are_enough), TEST(a_plan_in_use_is_not_destroyed),
           TEST(every_failing_allocation_comes_back), TEST(a_copied_candidate_stands_alone))
