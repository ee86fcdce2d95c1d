/* The parts of the search for the best tree, each against all trees or a plain sum. */
#include "suite.h"
#include "oracle/trees_by_hand.h"
#include "sample.h"
#include <math.h>
#include "planner/algorithms/search/anneal.h"
#include "planner/algorithms/search/capped.h"
#include "planner/algorithms/search/period_bound.h"

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
        plani_problem_t problem;
        plani_capped_t *c = NULL;
        size_t via[12];
        CU_ASSERT_EQUAL_FATAL(plani_problem_create(pf, 0, 2, 10, NULL, &problem, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_capped_create(&problem, &c), PLAN_OK);
        for (double cap = 4; cap < 1000; cap *= 1.2) {
            bool found = false;
            CU_ASSERT_EQUAL(plani_capped_tree(c, cap, seed % 2, via, &found), PLAN_OK);
            finds += found;
            stuck += !found;
            above += found && period_of(problem.d, via, 2) > cap * (1 + 1e-9);
        }
        plani_capped_destroy(&c);
        plani_problem_clear(&problem);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(above, 0);
    CU_ASSERT(finds > 100 && stuck > 100);
}

/* Without ports a slice takes 11 s on its way between hosts, of which it holds the ports 5 and the cards 6. */
static void caps_count_what_is_held_not_how_long_links_take(void)
{
    static const plan_link_t link[] = {{0, 1, 5, 6, 0, -1}, {1, 2, 5, 6, 0, -1}};
    static const size_t of[] = {0, 1};
    static const int host[] = {0, 1, 2};
    const plan_resource_t card[] = {{.name = "0 out", .s_per_byte = 6, .nlinks = 1, .link = &of[0]},
                                    {.name = "1 out", .s_per_byte = 6, .nlinks = 1, .link = &of[1]}};
    const plan_platform_data_t d = {.size = sizeof d,
                                    .ranks = 3,
                                    .nlinks = 2,
                                    .link = link,
                                    .nresources = 2,
                                    .resource = card,
                                    .host = host,
                                    .ports = PLAN_PORTS_NONE};
    plan_platform_t *pf = NULL;
    plani_problem_t problem;
    plani_capped_t *c = NULL;
    size_t via[3];
    bool found = false;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_problem_create(pf, 0, 1, 10, NULL, &problem, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_capped_create(&problem, &c), PLAN_OK);
    CU_ASSERT_EQUAL(plani_capped_tree(c, 6, false, via, &found), PLAN_OK);
    CU_ASSERT(found);
    CU_ASSERT_EQUAL(plani_capped_tree(c, 5.9, false, via, &found), PLAN_OK);
    CU_ASSERT(!found);
    plani_capped_destroy(&c);
    plani_problem_clear(&problem);
    plan_platform_destroy(&pf);
}

static void no_tree_beats_the_quick_bound(void)
{
    int above = 0, tight = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        sample_t s = nth(seed, 2 + (int)(seed % 4));
        plan_platform_t *pf = sample_platform(&s);
        plani_problem_t problem;
        double bound = 0, least = by_hand_best_period(plan_platform_data(pf), 0, 2);
        CU_ASSERT_EQUAL_FATAL(plani_problem_create(pf, 0, 2, 0, NULL, &problem, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plani_period_bound(&problem, &bound), PLAN_OK);
        above += bound > least * (1 + 1e-12);
        tight += bound > least * (1 - 1e-12);
        plani_problem_clear(&problem);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(above, 0);
    CU_ASSERT(tight > 10);
}

/* Where the root alone can send, it sends to all the others. */
static void who_cannot_send_takes_no_share(void)
{
    const plan_link_t link[] = {{0, 1, 1, 1, 0, -1}, {0, 2, 2, 1, 0, -1}, {0, 3, 3, 1, 0, -1}};
    const plan_platform_data_t d = {.size = sizeof d, .ranks = 4, .nlinks = 3, .link = link};
    plan_platform_t *pf = NULL;
    plani_problem_t problem;
    double bound = 0;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_problem_create(pf, 0, 2, 0, NULL, &problem, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plani_period_bound(&problem, &bound), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(bound, 3 + 4 + 5, 1e-12);
    plani_problem_clear(&problem);
    plan_platform_destroy(&pf);
}

/* After thousands of moves, made and taken back, every load is still the plain sum over the tree. */
static void loads_stay_the_sums_over_the_tree(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        sample_t s = nth(seed, 20);
        plan_platform_t *pf = sample_platform(&s);
        plani_problem_t problem;
        plani_anneal_t a;
        plani_loads_t fresh;
        size_t via[20];
        bool found = false;
        plani_capped_t *c = NULL;
        CU_ASSERT_EQUAL_FATAL(plani_problem_create(pf, 0, 2, 0, NULL, &problem, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_capped_create(&problem, &c), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_capped_tree(c, 1e6, false, via, &found), PLAN_OK);
        CU_ASSERT_FATAL(found);
        CU_ASSERT_EQUAL_FATAL(plani_anneal_create(&problem, 1, seed, &a), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_loads_create(&problem, 1, &fresh), PLAN_OK);
        double tau = 1; /* too little for any tree */
        for (int v = 1; v < 20; v++) tau = fmax(tau, a.in[problem.d->in_first[v]].key);
        plani_anneal(&a, via, tau, 20000);
        plani_loads_set(&fresh, a.loads.via, tau);
        int wrong = 0;
        for (size_t i = 0; i < 2 * 20 + problem.d->nresources; i++)
            wrong += !(fabs(fresh.load[i] - a.loads.load[i]) <= 1e-9 * (1 + fresh.load[i]));
        CU_ASSERT_EQUAL(wrong, 0);
        CU_ASSERT_DOUBLE_EQUAL(plani_loads_period(&fresh), period_of(problem.d, a.loads.via, 2), 1e-9);
        plani_loads_clear(&fresh);
        plani_anneal_clear(&a);
        plani_capped_destroy(&c);
        plani_problem_clear(&problem);
        plan_platform_destroy(&pf);
    }
}

enum { WIDE = 24 };

/* Every rank sends to every other; all differ, also in how long slices fly. */
static plan_platform_t *with_delays(int ranks, uint64_t seed)
{
    static plan_link_t link[WIDE * WIDE];
    plan_platform_data_t d = {.size = sizeof d, .ranks = ranks, .link = link};
    plan_platform_t *pf = NULL;
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++)
            if (u != v)
                link[d.nlinks++] = (plan_link_t){
                    u, v, 1 + sample_below(&seed, 5), 0, sample_below(&seed, 2) * sample_below(&seed, 9), -1};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

/* When all below u have the slice, its children fed as listed. */
static double fed(const plani_problem_t *problem, int u, const int *child, int n, const double *need)
{
    double port = 0, last = 0;
    for (int i = 0; i < n; i++) {
        const plan_link_t *l = &problem->d->link[plan_platform_find_link(problem->pf, u, child[i])];
        last = fmax(last, port + l->latency_s + l->delay_s + need[child[i]]);
        port += l->latency_s;
    }
    return last;
}

/* The least of all orders; child[] from `at` on is permuted, and as it was afterwards. */
static double least_of_all(const plani_problem_t *problem, int u, int *child, int at, int n, const double *need)
{
    double least = at == n ? fed(problem, u, child, n, need) : INFINITY;
    for (int i = at; i < n; i++) {
        int first = child[at];
        child[at] = child[i], child[i] = first;
        least = fmin(least, least_of_all(problem, u, child, at + 1, n, need));
        first = child[at], child[at] = child[i], child[i] = first;
    }
    return least;
}

static void no_other_order_of_children_is_sooner(void)
{
    uint64_t state = 3;
    int wide = 0, moved = 0;
    for (int round = 0; round < 300; round++) {
        int ranks = 2 + sample_below(&state, 6), parent[WIDE] = {-1}, order[WIDE];
        plan_platform_t *pf = with_delays(ranks, (uint64_t)round);
        plani_shape_t shape = {.parent = parent, .order = order};
        plani_problem_t problem;
        double need[WIDE] = {0};
        CU_ASSERT_EQUAL_FATAL(plani_problem_create(pf, 0, 1, 0, NULL, &problem, NULL), PLAN_OK);
        for (int v = 1; v < ranks; v++) parent[v] = sample_below(&state, sample_below(&state, 2) ? v : 1);
        CU_ASSERT_EQUAL_FATAL(plani_order_children(&problem, &shape), PLAN_OK);
        for (int u = ranks; u-- > 0;) { /* parents have lower numbers */
            int child[WIDE] = {0}, n = 0, listed = 0;
            for (int v = 0; v < ranks; v++) n += parent[v] == u;
            for (int v = 0; v < ranks; v++)
                if (parent[v] == u && order[v] >= 0 && order[v] < n) child[order[v]] = v, listed |= 1 << order[v];
            CU_ASSERT_EQUAL_FATAL(listed, (1 << n) - 1); /* each has a place of its own */
            need[u] = fed(&problem, u, child, n, need);
            for (int i = 1; i < n; i++) moved += child[i] < child[i - 1];
            CU_ASSERT_EQUAL(need[u], least_of_all(&problem, u, child, 0, n, need));
            wide += n > 3;
        }
        plani_problem_clear(&problem);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT(wide > 30 && moved > 100); /* the sample has all the cases */
}

/* Of many children two neighbours are looked at: where no two do better the other way round, no order does. */
static void many_children_are_put_in_order_too(void)
{
    for (int ranks = 16; ranks <= WIDE; ranks++) {
        plan_platform_t *pf = with_delays(ranks, (uint64_t)ranks);
        int parent[WIDE] = {-1}, order[WIDE], child[WIDE] = {0}, listed = 0;
        plani_shape_t shape = {.parent = parent, .order = order};
        plani_problem_t problem;
        const double need[WIDE] = {0};
        CU_ASSERT_EQUAL_FATAL(plani_problem_create(pf, 0, 1, 0, NULL, &problem, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_order_children(&problem, &shape), PLAN_OK);
        for (int v = 1; v < ranks; v++)
            if (order[v] >= 0 && order[v] < ranks - 1) child[order[v]] = v, listed |= 1 << order[v];
        CU_ASSERT_EQUAL_FATAL(listed, (1 << (ranks - 1)) - 1);
        double best = fed(&problem, 0, child, ranks - 1, need);
        for (int i = 1; i < ranks - 1; i++) {
            int pair[] = {child[i], child[i - 1]};
            child[i - 1] = pair[0], child[i] = pair[1];
            CU_ASSERT(fed(&problem, 0, child, ranks - 1, need) >= best);
            child[i - 1] = pair[1], child[i] = pair[0];
        }
        plani_problem_clear(&problem);
        plan_platform_destroy(&pf);
    }
}

SUITE_MAIN("parts of the search", TEST(no_other_order_of_children_is_sooner), TEST(many_children_are_put_in_order_too),
           TEST(capped_trees_keep_to_the_cap), TEST(caps_count_what_is_held_not_how_long_links_take),
           TEST(no_tree_beats_the_quick_bound), TEST(who_cannot_send_takes_no_share),
           TEST(loads_stay_the_sums_over_the_tree))
