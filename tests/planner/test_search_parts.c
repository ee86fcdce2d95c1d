/* The parts of the search for the best tree, each against all trees or a plain sum. */
#include "suite.h"
#include "oracle/trees_by_hand.h"
#include "sample.h"
#include <math.h>
#include "planner/search/anneal.h"
#include "planner/search/capped.h"
#include "planner/search/period_bound.h"

static sample_t nth(uint64_t seed, int ranks)
{
    return (sample_t){.ranks = ranks,
                      .density = seed % 2 ? 0.5 : 2,
                      .resources = (int)(seed % 3),
                      .multiport = seed % 5 == 0,
                      .seed = seed};
}

static double period_of(const plan_platform_data_t *d, const size_t *via, double slice)
{
    int parent[32];
    for (int v = 0; v < d->ranks; v++) parent[v] = via[v] == PLANI_NO_LINK ? -1 : d->link[via[v]].from;
    return by_hand_period(d, parent, slice);
}

static void capped_trees_keep_to_the_cap(void)
{
    int above = 0, finds = 0, stuck = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        sample_t s = nth(seed, 12);
        plan_platform_t *pf = sample_platform(&s);
        plani_task_t task;
        plani_capped_t *c = NULL;
        size_t via[12];
        CU_ASSERT_EQUAL_FATAL(plani_task_create(pf, 0, 2, 10, NULL, &task, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_capped_create(&task, &c), PLAN_OK);
        for (double cap = 4; cap < 1000; cap *= 1.2) {
            bool found = false;
            CU_ASSERT_EQUAL(plani_capped_tree(c, cap, seed % 2, via, &found), PLAN_OK);
            finds += found;
            stuck += !found;
            above += found && period_of(task.d, via, 2) > cap * (1 + 1e-9);
        }
        plani_capped_destroy(&c);
        plani_task_clear(&task);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(above, 0);
    CU_ASSERT(finds > 100 && stuck > 100);
}

static void no_tree_beats_the_quick_bound(void)
{
    int above = 0, tight = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        sample_t s = nth(seed, 2 + (int)(seed % 4));
        plan_platform_t *pf = sample_platform(&s);
        plani_task_t task;
        double bound = 0, least = by_hand_best_period(plan_platform_data(pf), 0, 2);
        CU_ASSERT_EQUAL_FATAL(plani_task_create(pf, 0, 2, 0, NULL, &task, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plani_period_bound(&task, &bound), PLAN_OK);
        above += bound > least * (1 + 1e-12);
        tight += bound > least * (1 - 1e-12);
        plani_task_clear(&task);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(above, 0);
    CU_ASSERT(tight > 10);
}

/* Where the root alone can send, it sends to all the others. */
static void who_cannot_send_takes_no_share(void)
{
    const plan_link_t link[] = {{0, 1, 1, 1, 0, -1}, {0, 2, 2, 1, 0, -1}, {0, 3, 3, 1, 0, -1}};
    const plan_platform_data_t d = {.ranks = 4, .nlinks = 3, .link = link};
    plan_platform_t *pf = NULL;
    plani_task_t task;
    double bound = 0;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_task_create(pf, 0, 2, 0, NULL, &task, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plani_period_bound(&task, &bound), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(bound, 3 + 4 + 5, 1e-12);
    plani_task_clear(&task);
    plan_platform_destroy(&pf);
}

/* After thousands of moves, made and taken back, every load is still the plain sum over the tree. */
static void loads_stay_the_sums_over_the_tree(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        sample_t s = nth(seed, 20);
        plan_platform_t *pf = sample_platform(&s);
        plani_task_t task;
        plani_anneal_t a;
        plani_loads_t fresh;
        size_t via[20];
        bool found = false;
        plani_capped_t *c = NULL;
        CU_ASSERT_EQUAL_FATAL(plani_task_create(pf, 0, 2, 0, NULL, &task, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_capped_create(&task, &c), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_capped_tree(c, 1e6, false, via, &found), PLAN_OK);
        CU_ASSERT_FATAL(found);
        CU_ASSERT_EQUAL_FATAL(plani_anneal_create(&task, 1, seed, &a), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_loads_create(&task, 1, &fresh), PLAN_OK);
        double tau = 1; /* too little for any tree */
        for (int v = 1; v < 20; v++) tau = fmax(tau, task.cost[a.in[task.d->in_first[v]].link]);
        plani_anneal(&a, via, tau, 20000);
        plani_loads_set(&fresh, a.loads.via, tau);
        int wrong = 0;
        for (size_t i = 0; i < 2 * 20 + task.d->nresources; i++)
            wrong += !(fabs(fresh.load[i] - a.loads.load[i]) <= 1e-9 * (1 + fresh.load[i]));
        CU_ASSERT_EQUAL(wrong, 0);
        CU_ASSERT_DOUBLE_EQUAL(plani_loads_period(&fresh), period_of(task.d, a.loads.via, 2), 1e-9);
        plani_loads_clear(&fresh);
        plani_anneal_clear(&a);
        plani_capped_destroy(&c);
        plani_task_clear(&task);
        plan_platform_destroy(&pf);
    }
}

SUITE_MAIN("parts of the search", TEST(capped_trees_keep_to_the_cap), TEST(no_tree_beats_the_quick_bound),
           TEST(who_cannot_send_takes_no_share), TEST(loads_stay_the_sums_over_the_tree))
