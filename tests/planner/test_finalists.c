/* Who is timed: of each shape the best, more where broadcasts are cheap, and variants that do something else. */
#include "suite.h"
#include "planner/select/finalists.h"
#include <math.h>
#include "planner/taulop/score.h"
#include <stdio.h>
#include <string.h>

enum { RANKS = 8, MOST = 12 };

static plan_tree_t *tree[PLAN_TOPOLOGIES];
static double rate[2] = {1, 1};
static plan_tree_t *pair[2];
static int order[RANKS] = {0, 1, 2, 3, 4, 5, 6, 7};

static void make_trees(void)
{
    for (int k = 0; k < PLAN_TOPOLOGIES; k++)
        CU_ASSERT_EQUAL_FATAL(plan_tree_topology((plan_topology_t)k, RANKS, 0, 0, &tree[k]), PLAN_OK);
    pair[0] = tree[PLAN_BINARY], pair[1] = tree[PLAN_PIPELINE];
}

static void drop_trees(void)
{
    for (int k = 0; k < PLAN_TOPOLOGIES; k++) plan_tree_destroy(&tree[k]);
}

static plan_candidate_t one(const char *name, plan_topology_t kind, size_t slice, double predicted_s)
{
    plan_candidate_t c = {
        .size = sizeof c, .run = PLAN_RUN_TREES, .slice = slice, .window = 4, .ntrees = 1, .tree = &tree[kind]};
    snprintf(c.name, sizeof c.name, "%s", name);
    c.rate = rate;
    c.predicted_s = predicted_s;
    c.measured_s = NAN;
    return c;
}

static plan_candidate_t other(const char *name, plan_run_t run, double predicted_s)
{
    plan_candidate_t c = {.size = sizeof c, .run = run, .window = 4, .measured_s = NAN, .predicted_s = predicted_s};
    snprintf(c.name, sizeof c.name, "%s", name);
    if (run == PLAN_RUN_TREES) c.ntrees = 2, c.tree = pair, c.rate = rate;
    if (run == PLAN_RUN_ROUNDS) c.schedule = PLAN_CIRCULANT, c.places = RANKS, c.order = order;
    return c;
}

/* By prediction: chains first, then one of every other shape, one of them far off, and what is no plan. */
static size_t fill(plan_candidate_t c[MOST])
{
    size_t n = 0;
    c[n++] = one("chain", PLAN_PIPELINE, 4096, 10e-3);
    c[n++] = one("duplicate", PLAN_PIPELINE, 4096, 10e-3); /* does the same */
    c[n++] = one("longer", PLAN_PIPELINE, 8192, 10.1e-3);
    c[n++] = one("longest", PLAN_PIPELINE, 16384, 10.2e-3);
    c[n++] = one("bushy", PLAN_BINOMIAL, 4096, 15e-3);
    c[n++] = other("trees", PLAN_RUN_TREES, 16e-3);
    c[n++] = other("rounds", PLAN_RUN_ROUNDS, 17e-3);
    c[n++] = one("flat", PLAN_LINEAR, 0, 80e-3);
    c[n++] = other("native", PLAN_RUN_NATIVE, NAN);
    c[n++] = other("paper", PLAN_RUN_NOT, 1e-3);
    return n;
}

static plan_ranking_t ranking_of(size_t bytes, size_t n, plan_candidate_t *c)
{
    return (plan_ranking_t){.ranks = RANKS, .bytes = bytes, .ncandidates = n, .candidate = c};
}

static void expect(const plan_ranking_t *ranking, plani_finals_t how, const char *names)
{
    char got[256] = "";
    size_t pick[PLANI_FINALISTS], n = plani_finalists(ranking, &how, pick);
    for (size_t i = 0; i < n; i++) {
        strncat(got, i > 0 ? " " : "", sizeof got - strlen(got) - 1);
        strncat(got, ranking->candidate[pick[i]].name, sizeof got - strlen(got) - 1);
    }
    CU_ASSERT_STRING_EQUAL(got, names);
    if (strcmp(got, names) != 0) fprintf(stderr, "\ngot '%s' instead of '%s'\n", got, names);
}

static void each_shape_is_there_once_before_any_twice(void)
{
    plan_candidate_t c[MOST];
    make_trees();
    plan_ranking_t ranking = ranking_of(1 << 18, fill(c), c);
    expect(&ranking, (plani_finals_t){.least = 1},
           "chain bushy trees rounds"); /* four times as long is not worth a run */
    expect(&ranking, (plani_finals_t){.least = 5}, "chain longer bushy trees rounds");
    expect(&ranking, (plani_finals_t){.least = 0}, "");
    expect(&ranking, (plani_finals_t){.least = 1000}, "chain longer longest bushy trees rounds flat");
    drop_trees();
}

static void cheap_broadcasts_are_all_tried(void)
{
    plan_candidate_t c[MOST];
    make_trees();
    plan_ranking_t ranking = ranking_of(1 << 18, fill(c), c);
    expect(&ranking, (plani_finals_t){.least = 1, .budget_s = 10}, "chain longer longest bushy trees rounds");
    expect(&ranking,
           (plani_finals_t){.least = 1, .budget_s = 1.2}, /* 8 runs of each: 0.57 s, and 0.65 s with one more */
           "chain longer bushy trees rounds");
    drop_trees();
}

/* Trees that differ, but not for the model: two of them are enough while there are others. */
static void who_cannot_be_told_apart_is_tried_twice(void)
{
    plan_candidate_t c[4];
    make_trees();
    c[0] = one("a", PLAN_BINARY, 4096, 10e-3);
    c[1] = one("b", PLAN_BINOMIAL, 4096, 10e-3);
    c[2] = one("c", PLAN_KNOMIAL, 4096, 10e-3);
    c[3] = one("d", PLAN_BINOMIAL, 8192, 11e-3);
    plan_ranking_t ranking = ranking_of(1 << 18, 4, c);
    expect(&ranking, (plani_finals_t){.least = 4, .budget_s = 100}, "a b d");
    drop_trees();
}

/* What was timed at a smaller size counts: by name, else by shape. */
static void the_size_before_corrects_what_is_expected(void)
{
    plan_candidate_t then[MOST], now[MOST];
    make_trees();
    plan_ranking_t before = ranking_of(1 << 18, fill(then), then), ranking = ranking_of(1 << 20, fill(now), now);
    then[0].measured_s = 20e-3;   /* chain: twice its prediction */
    then[2].measured_s = 10.1e-3; /* longer: as predicted */
    then[4].measured_s = 15e-3;   /* bushy: as predicted */
    then[5].measured_s = 48e-3;   /* trees: three times, and far behind */
    CU_ASSERT_DOUBLE_EQUAL(plani_expected(&before, &now[0]), sqrt(2) * 10e-3, 1e-15); /* half of its error */
    CU_ASSERT_DOUBLE_EQUAL(plani_expected(&before, &now[3]), 10.2e-3, 1e-15);         /* like the best chain */
    CU_ASSERT_DOUBLE_EQUAL(plani_expected(&before, &now[6]), plani_expected(NULL, &now[6]),
                           1e-15); /* nothing like it */
    CU_ASSERT_DOUBLE_EQUAL(plani_expected(NULL, &now[0]), 10e-3, 1e-15);
    CU_ASSERT(plani_expected(NULL, &now[6]) > 17e-3); /* weighed, where nothing is known */
    CU_ASSERT_TRUE(plani_is_hopeless(&before, &ranking, "trees"));
    CU_ASSERT_FALSE(plani_is_hopeless(&before, &ranking, "chain"));
    CU_ASSERT_FALSE(plani_is_hopeless(&before, &ranking, "native")); /* was not timed */
    expect(&ranking, (plani_finals_t){.least = 2, .before = &before}, "longer chain bushy");
    before.bytes = 65536, ranking.bytes = 1 << 18;
    CU_ASSERT_TRUE(plani_is_hopeless(&before, &ranking, "trees"));
    before.bytes = 65535; /* small messages say little of large ones */
    CU_ASSERT_FALSE(plani_is_hopeless(&before, &ranking, "trees"));
    before.bytes = 1 << 18;
    ranking.bytes = 1 << 22; /* too far from it to rule anybody out */
    CU_ASSERT_FALSE(plani_is_hopeless(&before, &ranking, "trees"));
    drop_trees();
}

static plan_platform_t *equal_links(void)
{
    plan_link_t link[RANKS * RANKS];
    plan_platform_data_t d = {.size = sizeof d, .ranks = RANKS, .link = link};
    plan_platform_t *pf = NULL;
    for (int u = 0; u < RANKS; u++)
        for (int v = 0; v < RANKS; v++)
            if (u != v) link[d.nlinks++] = (plan_link_t){u, v, 1e-5, 1e-8, 0, -1};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

static bool has(int n, const plan_candidate_t *v, size_t slice, int window)
{
    for (int i = 0; i < n; i++)
        if (v[i].slice == slice && v[i].window == window) return true;
    return false;
}

static void variants_do_something_else(void)
{
    plan_candidate_t c, v[PLANI_VARIANTS];
    plan_choice_t choice = {.size = sizeof choice, .slice = 0};
    make_trees();
    plan_platform_t *pf = equal_links();
    c = one("chain", PLAN_PIPELINE, 4096, 1);
    c.measured_s = 2; /* that of c alone */
    int n = plani_variants(pf, &choice, &c, 1 << 20, v);
    CU_ASSERT_EQUAL(n, 5);
    CU_ASSERT(has(n, v, 2048, 4) && has(n, v, 8192, 4) && has(n, v, 0, 4) && has(n, v, 4096, 8) && has(n, v, 4096, 2));
    double mine = 0, its = 0; /* predicted in proportion */
    CU_ASSERT_EQUAL(plani_score_trees(pf, 1, c.tree, rate, 1 << 20, 4096, 4, &mine), PLAN_OK);
    CU_ASSERT_EQUAL(plani_score_trees(pf, 1, c.tree, rate, 1 << 20, v[0].slice, v[0].window, &its), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(v[0].predicted_s, its / mine, 1e-12);
    n = plani_variants(pf, &choice, &c, 4096 * 3, v); /* three slices: a wider window changes nothing */
    CU_ASSERT_EQUAL(n, 4);
    CU_ASSERT_FALSE(has(n, v, 4096, 8));
    c.slice = 4096;
    n = plani_variants(pf, &choice, &c, 8192, v); /* doubled, it is whole: once */
    CU_ASSERT_EQUAL(n, 2);
    CU_ASSERT(has(n, v, 2048, 4) && has(n, v, 0, 4));
    plan_candidate_t heir;
    CU_ASSERT_TRUE(plani_variant(pf, &choice, &c, 1 << 20, 16384, 8, &heir));
    CU_ASSERT(heir.slice == 16384 && heir.window == 8 && heir.predicted_s > 0 && isnan(heir.measured_s));
    CU_ASSERT_FALSE(plani_variant(pf, &choice, &c, 1 << 20, 4096, 4, &heir)); /* c itself */
    CU_ASSERT_FALSE(plani_variant(pf, &choice, &c, 8192, 16384, 65, &heir));
    choice.slice = 4096; /* fixed by the caller */
    n = plani_variants(pf, &choice, &c, 1 << 20, v);
    CU_ASSERT_EQUAL(n, 2);
    CU_ASSERT(has(n, v, 4096, 2) && has(n, v, 4096, 8));
    choice.window = 4;
    CU_ASSERT_EQUAL(plani_variants(pf, &choice, &c, 1 << 20, v), 0);
    plan_platform_destroy(&pf);
    drop_trees();
}

/* As trees are: a simulated time and one by stages do not compare. */
static void variants_of_rounds_are_predicted_in_proportion(void)
{
    plan_candidate_t c = other("rounds", PLAN_RUN_ROUNDS, 7), v[PLANI_VARIANTS];
    const plan_choice_t choice = {.size = sizeof choice, .slice = 0};
    plan_platform_t *pf = equal_links();
    double mine = 0, its = 0;
    c.slice = 4096;
    int n = plani_variants(pf, &choice, &c, 1 << 20, v);
    CU_ASSERT_EQUAL(n, 5);
    CU_ASSERT_EQUAL(plani_score_rounds(pf, PLAN_CIRCULANT, order, 1 << 20, 4096, &mine), PLAN_OK);
    for (int i = 0; i < n; i++) {
        CU_ASSERT_EQUAL(plani_score_rounds(pf, PLAN_CIRCULANT, order, 1 << 20, v[i].slice, &its), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(v[i].predicted_s, 7 * its / mine, 1e-9);
    }
    c.schedule = PLAN_SCATTER_RING; /* has a block per rank, whatever the slice */
    n = plani_variants(pf, &choice, &c, 1 << 20, v);
    for (int i = 0; i < n; i++) CU_ASSERT_EQUAL(v[i].slice, 4096);
    plan_platform_destroy(&pf);
}

/* Slices of 512 bytes to the whole message, windows of 1 to 64, and no window wider than there are slices. */
static void variants_stay_within_limits(void)
{
    plan_candidate_t c, v[PLANI_VARIANTS];
    plan_choice_t choice = {.size = sizeof choice, .slice = 0};
    make_trees();
    plan_platform_t *pf = equal_links();
    c = one("chain", PLAN_PIPELINE, 1024, 1);
    for (int window = 1; window <= 64; window++) {
        c.window = window;
        int n = plani_variants(pf, &choice, &c, 1 << 20, v);
        CU_ASSERT_EQUAL(has(n, v, 1024, 2 * window), window <= 32);
        CU_ASSERT_EQUAL(has(n, v, 1024, window / 2), window >= 2);
    }
    CU_ASSERT_EQUAL(has(plani_variants(pf, &choice, &c, 1 << 20, v), v, 512, 64), 1);
    c.slice = 1023;
    CU_ASSERT_EQUAL(has(plani_variants(pf, &choice, &c, 1 << 20, v), v, 511, 64), 0);
    c.slice = 1000; /* with a last slice that is not full */
    for (int slices = 2; slices < 10; slices++)
        for (size_t over = 0; over < 1000; over += 999) {
            c.window = 4; /* a window of eight keeps more in flight, if there are more than four slices at all */
            size_t bytes = 1000 * (size_t)slices - over;
            CU_ASSERT_EQUAL(has(plani_variants(pf, &choice, &c, bytes, v), v, 1000, 8), slices > 4);
            CU_ASSERT_EQUAL(has(plani_variants(pf, &choice, &c, bytes, v), v, 1000, 2), slices > 2);
        }
    plan_platform_destroy(&pf);
    drop_trees();
}

/* Any two that do the same, not only the best one and another. */
static void no_broadcast_is_timed_twice(void)
{
    plan_candidate_t c[4];
    make_trees();
    c[0] = one("a", PLAN_BINARY, 4096, 10e-3);
    c[1] = one("b", PLAN_PIPELINE, 4096, 11e-3);
    c[2] = one("b again", PLAN_PIPELINE, 4096, 11e-3);
    c[3] = one("b otherwise", PLAN_PIPELINE, 8192, 12e-3);
    plan_ranking_t ranking = ranking_of(1 << 18, 4, c);
    expect(&ranking, (plani_finals_t){.least = 1000}, "a b b otherwise");
    expect(&(plan_ranking_t){.ranks = RANKS, .bytes = 1 << 18}, (plani_finals_t){.least = 4}, "");
    expect(&(plan_ranking_t){.ranks = RANKS, .bytes = 1 << 18, .ncandidates = 1, .candidate = c},
           (plani_finals_t){.least = 1}, "a");
    drop_trees();
}

SUITE_MAIN("finalists", TEST(each_shape_is_there_once_before_any_twice), TEST(cheap_broadcasts_are_all_tried),
           TEST(who_cannot_be_told_apart_is_tried_twice), TEST(the_size_before_corrects_what_is_expected),
           TEST(variants_do_something_else), TEST(variants_of_rounds_are_predicted_in_proportion),
           TEST(variants_stay_within_limits), TEST(no_broadcast_is_timed_twice))
