/* The candidates that are timed: by expected time, the best of each shape first, and variants that differ in effect. */
#include "suite.h"
#include "graphs/trees/trees.h"
#include "planner/select/timed_shortlist.h"
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

static plan_ranking_t list(size_t bytes, size_t n, plan_candidate_t *c)
{
    return (plan_ranking_t){.ranks = RANKS, .bytes = bytes, .ncandidates = n, .candidate = c};
}

static void expect(const plani_timed_t *timed, const plan_ranking_t *ranking, size_t most, const char *names)
{
    char got[256] = "";
    size_t pick[MOST], n = plani_timed_shortlist(timed, ranking, most, pick);
    for (size_t i = 0; i < n; i++) {
        strncat(got, i > 0 ? " " : "", sizeof got - strlen(got) - 1);
        strncat(got, ranking->candidate[pick[i]].name, sizeof got - strlen(got) - 1);
    }
    CU_ASSERT_STRING_EQUAL(got, names);
    if (strcmp(got, names) != 0) fprintf(stderr, "\ngot '%s' instead of '%s'\n", got, names);
}

static const plani_timed_t nothing = {.n = 0};

/* The one expected fastest, MPI_Bcast, of each shape the best, then the others; who takes four times as long is not
 * worth a run, and what is not executable is left out. */
static void each_shape_is_there_once_before_any_twice(void)
{
    plan_candidate_t c[MOST];
    make_trees();
    plan_ranking_t ranking = list(1 << 18, fill(c), c);
    expect(&nothing, &ranking, 0, "");
    expect(&nothing, &ranking, 1, "chain");
    expect(&nothing, &ranking, 2, "chain native");
    expect(&nothing, &ranking, 4, "chain native bushy trees");
    expect(&nothing, &ranking, MOST, "chain native bushy trees rounds longer longest");
    for (size_t i = 0; i < ranking.ncandidates; i++)
        if (strcmp(c[i].name, "flat") == 0) c[i].predicted_s = 39.9e-3;
    expect(&nothing, &ranking, MOST, "chain native bushy trees rounds flat longer longest");
    drop_trees();
}

/* Several trees and rounds are expected to take longer than they are predicted to. */
static void predictions_are_weighed(void)
{
    plan_candidate_t c[2], then[1];
    make_trees();
    c[0] = other("rounds", PLAN_RUN_ROUNDS, 10e-3), c[1] = one("tree", PLAN_BINARY, 4096, 11e-3);
    then[0] = one("other", PLAN_BINOMIAL, 4096, 3e-3);
    plan_ranking_t ranking = list(1 << 18, 2, c), before = list(1 << 18, 1, then);
    plan_ranking_t *const seen[] = {&before};
    const plani_timed_t timed = {.n = 1, .ranking = seen};
    expect(&timed, &ranking, 2, "tree rounds"); /* 11.5 ms */
    CU_ASSERT_DOUBLE_EQUAL(plani_expected(&timed, &c[0], 1 << 18), 1.15 * 10e-3, 1e-15);
    then[0].measured_s = 3e-3; /* as predicted */
    expect(&timed, &ranking, 2, "tree rounds");
    CU_ASSERT_DOUBLE_EQUAL(plani_expected(&timed, &c[0], 1 << 18), 1.15 * 10e-3, 1e-15);
    drop_trees();
}

/* What the model takes comes early, also where what was timed speaks against it. */
static void the_models_own_choice_is_timed(void)
{
    plan_candidate_t then[MOST], now[MOST];
    make_trees();
    plan_ranking_t before = list(1 << 18, fill(then), then), ranking = list(1 << 18, fill(now), now);
    plan_ranking_t *const seen[] = {&before};
    const plani_timed_t timed = {.n = 1, .ranking = seen};
    then[0].measured_s = 30e-3; /* chain: three times its prediction */
    then[6].measured_s = 17e-3; /* rounds: as predicted */
    expect(&timed, &ranking, 3, "rounds native chain");
    drop_trees();
}

/* By name, shape and size: the mean of what was off, in powers, and a little of what all were. */
static void what_was_timed_corrects_what_is_expected(void)
{
    plan_candidate_t a[3], b[1], now[4];
    make_trees();
    a[0] = one("chain", PLAN_PIPELINE, 4096, 10e-3), a[0].measured_s = 20e-3;  /* twice its prediction */
    a[1] = one("bushy", PLAN_BINOMIAL, 4096, 15e-3), a[1].measured_s = 7.5e-3; /* half */
    a[2] = one("unknown", PLAN_BINOMIAL, 4096, 1e-3);                          /* was not timed */
    b[0] = one("chain", PLAN_PIPELINE, 4096, 30e-3), b[0].measured_s = 120e-3; /* four times, two doublings farther */
    now[0] = one("chain", PLAN_PIPELINE, 8192, 40e-3);
    now[1] = one("another chain", PLAN_PIPELINE, 8192, 40e-3);
    now[2] = one("flat", PLAN_LINEAR, 8192, 40e-3);
    now[3] = one("bushy", PLAN_BINOMIAL, 8192, 40e-3);
    plan_ranking_t small = list(1 << 16, 3, a), large = list(1 << 18, 1, b);
    plan_ranking_t *const seen[] = {&small, &large};
    const plani_timed_t timed = {.n = 2, .ranking = seen};
    const double same = 1, shape = 0.3, prior = 0.2, far = 0.6 * 0.6; /* at the size of the first */
    static const double twice = 1, half = -1, four = 2;               /* log2 of the ratios */
    const double all = (twice + half + far * four) / (2 + far);
    const double want[] = {(same * twice + far * same * four + prior * all) / (same + far * same + prior),
                           (shape * twice + far * shape * four + prior * all) / (shape + far * shape + prior), all,
                           (same * half + prior * all) / (same + prior)};
    for (int i = 0; i < 4; i++)
        CU_ASSERT_DOUBLE_EQUAL(plani_expected(&timed, &now[i], 1 << 16), 40e-3 * exp2(want[i]), 1e-12);
    now[0].measured_s = 1; /* no expectation any more */
    CU_ASSERT_EQUAL(plani_expected(&timed, &now[0], 1 << 16), 1);
    drop_trees();
}

/* No model knows it: its time grows with the bytes from the next smaller size; larger ones tell nothing. */
static void mpi_bcast_is_expected_in_proportion_to_the_bytes(void)
{
    plan_candidate_t c[3] = {other("native", PLAN_RUN_NATIVE, NAN), other("native", PLAN_RUN_NATIVE, NAN),
                             other("native", PLAN_RUN_NATIVE, NAN)};
    plan_ranking_t r[3] = {list(1000, 1, &c[0]), list(4000, 1, &c[1]), list(16000, 1, &c[2])};
    plan_ranking_t *const seen[] = {&r[0], &r[1], &r[2]};
    const plani_timed_t timed = {.n = 3, .ranking = seen};
    CU_ASSERT(isnan(plani_expected(&timed, &c[1], 4000)));
    c[2].measured_s = 9;
    CU_ASSERT(isnan(plani_expected(&timed, &c[1], 4000)));
    c[0].measured_s = 2;
    CU_ASSERT_DOUBLE_EQUAL(plani_expected(&timed, &c[1], 4000), 8, 1e-12);
    c[1].measured_s = 3;
    CU_ASSERT_EQUAL(plani_expected(&timed, &c[1], 4000), 3);
    plan_candidate_t now = other("native", PLAN_RUN_NATIVE, NAN);
    CU_ASSERT_DOUBLE_EQUAL(plani_expected(&timed, &now, 8000), 6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(plani_expected(&timed, &now, 32000), 18, 1e-12);
}

/* Where the model says that latency counts, it grows less. */
static void mpi_bcast_grows_no_more_than_the_model_says(void)
{
    make_trees();
    plan_candidate_t then[2] = {one("tree", PLAN_BINARY, 4096, 10e-3), other("native", PLAN_RUN_NATIVE, NAN)},
                     now[2] = {one("tree", PLAN_BINARY, 4096, 15e-3), other("native", PLAN_RUN_NATIVE, NAN)};
    plan_ranking_t r[2] = {list(1000, 2, then), list(4000, 2, now)};
    plan_ranking_t *const seen[] = {&r[0], &r[1]};
    const plani_timed_t timed = {.n = 2, .ranking = seen};
    then[1].measured_s = 2;
    CU_ASSERT_DOUBLE_EQUAL(plani_expected(&timed, &now[1], 4000), 3, 1e-12);
    now[0].predicted_s = 100e-3; /* ten times, with four times the bytes */
    CU_ASSERT_DOUBLE_EQUAL(plani_expected(&timed, &now[1], 4000), 8, 1e-12);
    now[0].predicted_s = 1e-3;
    CU_ASSERT_DOUBLE_EQUAL(plani_expected(&timed, &now[1], 4000), 2, 1e-12);
    drop_trees();
}

/* Whose shape turned out slow is timed late, or not at all. */
static void what_was_timed_decides_who_is_timed_next(void)
{
    plan_candidate_t then[MOST], now[MOST];
    make_trees();
    plan_ranking_t before = list(1 << 18, fill(then), then), ranking = list(1 << 19, fill(now), now);
    plan_ranking_t *const seen[] = {&before};
    const plani_timed_t timed = {.n = 1, .ranking = seen};
    then[0].measured_s = 10e-3; /* chain: as predicted */
    then[5].measured_s = 32e-3; /* trees: twice */
    then[6].measured_s = 80e-3; /* rounds: nearly five times */
    expect(&timed, &ranking, MOST, "chain native bushy trees longer longest");
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

/* A context without trees but the one of c, which becomes its instance. */
static void open_for(const plan_platform_t *pf, plan_candidate_t *c, plani_context_t *ctx)
{
    plan_tree_t *copy = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_context_open(pf, 0, NULL, true, ctx, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_tree_copy(c->tree[0], &copy), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_add_one(ctx, 0, copy), PLAN_OK);
    c->instance = 0;
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
    plani_context_t ctx;
    make_trees();
    plan_platform_t *pf = equal_links();
    c = one("chain", PLAN_PIPELINE, 4096, 1);
    open_for(pf, &c, &ctx);
    c.measured_s = 2; /* that of c alone */
    int n = plani_variants(&ctx, &c, 1 << 20, v);
    CU_ASSERT_EQUAL(n, 5);
    CU_ASSERT(has(n, v, 2048, 4) && has(n, v, 8192, 4) && has(n, v, 0, 4) && has(n, v, 4096, 8) && has(n, v, 4096, 2));
    double mine = 0, its = 0; /* predicted in proportion */
    CU_ASSERT_EQUAL(plani_score_trees(pf, 1, c.tree, rate, 1 << 20, 4096, 4, &mine), PLAN_OK);
    CU_ASSERT_EQUAL(plani_score_trees(pf, 1, c.tree, rate, 1 << 20, v[0].slice, v[0].window, &its), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(v[0].predicted_s, its / mine, 1e-12);
    n = plani_variants(&ctx, &c, 4096 * 3, v); /* three slices: a wider window changes nothing */
    CU_ASSERT_EQUAL(n, 4);
    CU_ASSERT_FALSE(has(n, v, 4096, 8));
    c.slice = 4096;
    n = plani_variants(&ctx, &c, 8192, v); /* doubled, it is whole: once */
    CU_ASSERT_EQUAL(n, 2);
    CU_ASSERT(has(n, v, 2048, 4) && has(n, v, 0, 4));
    plan_candidate_t heir;
    CU_ASSERT_TRUE(plani_variant(&ctx, &c, 1 << 20, 16384, 8, &heir));
    CU_ASSERT(heir.slice == 16384 && heir.window == 8 && heir.predicted_s > 0 && isnan(heir.measured_s));
    CU_ASSERT_FALSE(plani_variant(&ctx, &c, 1 << 20, 4096, 4, &heir)); /* c itself */
    CU_ASSERT_FALSE(plani_variant(&ctx, &c, 8192, 16384, 65, &heir));
    ctx.choice.slice = 4096; /* fixed by the caller */
    n = plani_variants(&ctx, &c, 1 << 20, v);
    CU_ASSERT_EQUAL(n, 2);
    CU_ASSERT(has(n, v, 4096, 2) && has(n, v, 4096, 8));
    ctx.choice.window = 4;
    CU_ASSERT_EQUAL(plani_variants(&ctx, &c, 1 << 20, v), 0);
    plani_context_clear(&ctx);
    plan_platform_destroy(&pf);
    drop_trees();
}

/* As trees are: a simulated time and one by stages do not compare. */
static void variants_of_rounds_are_predicted_in_proportion(void)
{
    plan_candidate_t c = other("rounds", PLAN_RUN_ROUNDS, 7), v[PLANI_VARIANTS];
    plani_rounds_t *rounds = NULL;
    plani_context_t ctx;
    plan_platform_t *pf = equal_links();
    double mine = 0, its = 0, record;
    CU_ASSERT_EQUAL_FATAL(plani_context_open(pf, 0, NULL, true, &ctx, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_rounds_create(pf, PLAN_CIRCULANT, order, NULL, &rounds), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_context_add_rounds(&ctx, 0, rounds), PLAN_OK);
    record = plani_rounds_record(rounds);
    c.slice = 4096;
    int n = plani_variants(&ctx, &c, 1 << 20, v);
    CU_ASSERT_EQUAL(n, 5);
    CU_ASSERT_EQUAL(plani_score_rounds(pf, PLAN_CIRCULANT, order, 1 << 20, 4096, &mine), PLAN_OK);
    for (int i = 0; i < n; i++) {
        CU_ASSERT_EQUAL(plani_score_rounds(pf, PLAN_CIRCULANT, order, 1 << 20, v[i].slice, &its), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(v[i].predicted_s, 7 * (record + its) / (record + mine), 1e-9);
    }
    c.schedule = PLAN_SCATTER_RING; /* has a block per rank, whatever the slice */
    n = plani_variants(&ctx, &c, 1 << 20, v);
    CU_ASSERT(n > 0);
    for (int i = 0; i < n; i++) CU_ASSERT_EQUAL(v[i].slice, 4096);
    plani_context_clear(&ctx);
    plan_platform_destroy(&pf);
}

/* Slices of 512 bytes to the whole message, windows of 1 to 64, and no window wider than there are slices. */
static void variants_stay_within_limits(void)
{
    plan_candidate_t c, v[PLANI_VARIANTS];
    plani_context_t ctx;
    make_trees();
    plan_platform_t *pf = equal_links();
    c = one("chain", PLAN_PIPELINE, 1024, 1);
    open_for(pf, &c, &ctx);
    for (int window = 1; window <= 64; window++) {
        c.window = window;
        int n = plani_variants(&ctx, &c, 1 << 20, v);
        CU_ASSERT_EQUAL(has(n, v, 1024, 2 * window), window <= 32);
        CU_ASSERT_EQUAL(has(n, v, 1024, window / 2), window >= 2);
    }
    CU_ASSERT_EQUAL(has(plani_variants(&ctx, &c, 1 << 20, v), v, 512, 64), 1);
    c.slice = 1023;
    CU_ASSERT_EQUAL(has(plani_variants(&ctx, &c, 1 << 20, v), v, 511, 64), 0);
    c.slice = 1000; /* with a last slice that is not full */
    for (int slices = 2; slices < 10; slices++)
        for (size_t over = 0; over < 1000; over += 999) {
            c.window = 4; /* a window of eight keeps more in flight, if there are more than four slices at all */
            size_t bytes = 1000 * (size_t)slices - over;
            CU_ASSERT_EQUAL(has(plani_variants(&ctx, &c, bytes, v), v, 1000, 8), slices > 4);
            CU_ASSERT_EQUAL(has(plani_variants(&ctx, &c, bytes, v), v, 1000, 2), slices > 2);
        }
    plani_context_clear(&ctx);
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
    plan_ranking_t ranking = list(1 << 18, 4, c), none = list(1 << 18, 0, c), single = list(1 << 18, 1, c);
    expect(&nothing, &ranking, MOST, "a b b otherwise");
    expect(&nothing, &none, MOST, "");
    expect(&nothing, &single, MOST, "a");
    drop_trees();
}

SUITE_MAIN("timed shortlist", TEST(each_shape_is_there_once_before_any_twice), TEST(predictions_are_weighed),
           TEST(the_models_own_choice_is_timed), TEST(what_was_timed_corrects_what_is_expected),
           TEST(mpi_bcast_is_expected_in_proportion_to_the_bytes), TEST(mpi_bcast_grows_no_more_than_the_model_says),
           TEST(what_was_timed_decides_who_is_timed_next), TEST(variants_do_something_else),
           TEST(variants_of_rounds_are_predicted_in_proportion), TEST(variants_stay_within_limits),
           TEST(no_broadcast_is_timed_twice))
