/* Choosing among a library's own broadcasts: counts against closed forms, parameters against those that times were made
 * of. */
#include "suite.h"
#include "alloc.h"
#include "lib/base/text.h"
#include "planner/selection/selection.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static sel_way_t way_of(const char *name, size_t segment)
{
    sel_way_t w = {plani_target_find(&plani_open_mpi, name), segment};
    CU_ASSERT_PTR_NOT_NULL_FATAL(w.setting);
    return w;
}

/* ---- counts ---- */

static void expect_counts(const char *name, size_t segment, sel_layout_t on, size_t bytes, double stages, double serial)
{
    sel_way_t way = way_of(name, segment);
    sel_work_t *work = NULL;
    double a = 0, c = 0;
    CU_ASSERT_EQUAL_FATAL(sel_work_create(&way, on, 0, NULL, &work), PLAN_OK);
    sel_work_count(work, bytes, &a, &c);
    CU_ASSERT_DOUBLE_EQUAL(a, stages, 1e-9 * stages);
    CU_ASSERT_DOUBLE_EQUAL(c, serial, 1e-9 * serial);
    sel_work_destroy(&work);
}

static void one_rank_per_host_counts_as_the_closed_forms(void)
{
    const size_t m = 1 << 20;
    for (int q = 1; q <= 8; q++) {
        const int P = 1 << q;
        const sel_layout_t on = {P, 1};
        const double M = (double)m, block = M / P;
        expect_counts("linear", 0, on, m, 1, (P - 1) * M);
        expect_counts("binomial", 0, on, m, q, q * (q + 1) / 2 * M);
        expect_counts("pipeline", 0, on, m, P - 1, (P - 1) * M);
        expect_counts("pipeline", m / 64, on, m, P + 62, (P + 62) * M / 64);
        expect_counts("scatter_allgather", 0, on, m, 2 * q, 2 * (P - 1) * block);
        expect_counts("scatter_allgather_ring", 0, on, m, q + P - 1, 2 * (P - 1) * block);
        if (q % 2 == 0) expect_counts("knomial/4", 0, on, m, q / 2, 3 * (q / 2) * (q / 2 + 1) / 2 * M);
    }
}

/* 256 ranks: a binary tree of 8 levels, the last one of one child; then the exchange. */
static void binary_trees_count_their_children_one_by_one(void)
{
    const double M = 1 << 20;
    expect_counts("binary", 0, (sel_layout_t){256, 1}, 1 << 20, 8, 15 * M);
    expect_counts("split_binary", 0, (sel_layout_t){256, 1}, 1 << 20, 9, 7.5 * M + 0.5 * M);
    expect_counts("binary", 0, (sel_layout_t){255, 1}, 1 << 20, 7, 14 * M);
}

/*
 * 16 ranks, 4 per host. Stage 0 of the binomial tree: rank 0 sends to 1, 2, 4, 8. Stage 1: ranks 1 and 2, on one host,
 * send to 5, 9 and 6, 10 on others; 1 also to 3. Stage 2: rank 3 sends to 7 and 11, rank 5 to 13, and so on. Stage 3:
 * 7 to 15. Cards are busier than ranks in stage 1 alone.
 */
static void a_host_sends_through_one_card(void)
{
    const double M = 4096;
    expect_counts("binomial", 0, (sel_layout_t){16, 4}, 4096, 4, (4 + 4 + 2 + 1) * M);
    expect_counts("binomial", 0, (sel_layout_t){16, 16}, 4096, 4, (4 + 3 + 2 + 1) * M);
}

static plan_tree_t *tree_of(const plani_target_t *target, const char *name, int ranks)
{
    plan_tree_t *tree = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_setting_tree(plani_target_find(target, name), ranks, 0, &tree), PLAN_OK);
    return tree;
}

/* The paper's tree of 8 ranks, and messages between halves of the ranks, of which binomial trees send half of the
 * ranks. */
static void bine_trees_keep_messages_near(void)
{
    static const int parent[] = {-1, 0, 3, 0, 3, 4, 7, 0};
    plan_tree_t *tree = tree_of(&plani_bine, "bine", 8);
    for (int v = 0; v < 8; v++) CU_ASSERT_EQUAL(plan_tree_data(tree)->parent[v], parent[v]);
    plan_tree_destroy(&tree);
    for (int q = 1; q <= 10; q++) {
        int P = 1 << q, degree = 0, far[2] = {0, 0};
        for (int b = 0; b < 2; b++) {
            tree = tree_of(&plani_bine, b ? "bine" : "binomial", P);
            const plan_tree_data_t *d = plan_tree_data(tree);
            CU_ASSERT_EQUAL(d->height, q);
            plan_tree_children(tree, 0, &degree);
            CU_ASSERT_EQUAL(degree, q);
            for (int v = 1; v < P; v++) {
                int hop = abs(v - d->parent[v]);
                far[b] += hop < P - hop ? hop : P - hop;
            }
            plan_tree_destroy(&tree);
        }
        CU_ASSERT(q < 3 || far[1] < far[0]);
    }
    CU_ASSERT_EQUAL(plani_setting_tree(plani_target_find(&plani_bine, "bine"), 6, 0, &tree), PLAN_EUNSUPPORTED);
}

static void expect_counts_of(const plani_target_t *target, const char *name, int ranks, double stages, double serial)
{
    sel_way_t way = {plani_target_find(target, name), 0};
    sel_work_t *work = NULL;
    double a = 0, c = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(way.setting);
    CU_ASSERT_EQUAL_FATAL(sel_work_create(&way, (sel_layout_t){ranks, 1}, 0, NULL, &work), PLAN_OK);
    sel_work_count(work, 4096, &a, &c);
    CU_ASSERT_DOUBLE_EQUAL(a, stages, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(c, serial * 4096, 1e-6);
    sel_work_destroy(&work);
}

/* MPICH's on 64 = 4^3 ranks: k-ary heaps of 85 ranks are complete for k = 4. Bine trees cost what binomial ones do
 * where every rank has a card of its own. */
static void other_libraries_count_as_the_closed_forms(void)
{
    expect_counts_of(&plani_mpich, "binomial", 64, 6, 21);
    expect_counts_of(&plani_mpich, "scatter_recursive_doubling_allgather", 64, 12, 2 * 63. / 64);
    expect_counts_of(&plani_mpich, "scatter_ring_allgather", 64, 69, 2 * 63. / 64);
    expect_counts_of(&plani_mpich, "kary/4", 85, 3, 12);
    expect_counts_of(&plani_mpich, "kary/1", 9, 8, 8);
    expect_counts_of(&plani_bine, "bine", 64, 6, 21);
}

static void gamma_stretches_stages(void)
{
    const double gamma[] = {1, 1.5, 2};
    sel_way_t way = way_of("binomial", 0);
    sel_work_t *work = NULL;
    double a = 0, c = 0;
    CU_ASSERT_EQUAL_FATAL(sel_work_create(&way, (sel_layout_t){8, 1}, 3, gamma, &work), PLAN_OK);
    sel_work_count(work, 1024, &a, &c);
    CU_ASSERT_DOUBLE_EQUAL(a, 2 + 1.5 + 1, 1e-12);
    sel_work_destroy(&work);
    CU_ASSERT_EQUAL(sel_work_create(&way, (sel_layout_t){0, 1}, 0, NULL, &work), PLAN_EINVAL);
}

/* ---- tables ---- */

static sel_table_t table_of(const char *text)
{
    sel_table_t t;
    plan_error_t err = {PLAN_OK, ""};
    plan_status_t rc = sel_table_parse(text, strlen(text), "times", &plani_open_mpi, &t, &err);
    CU_ASSERT_STRING_EQUAL(err.text, "");
    CU_ASSERT_EQUAL_FATAL(rc, PLAN_OK);
    return t;
}

static void the_median_of_equal_rows_counts(void)
{
    sel_table_t t = table_of("binomial 8 1 64 3e-6\nbinomial 8 1 64 1e-6\nbinomial 8 1 64 9e-6\n# end");
    CU_ASSERT_EQUAL(t.n, 3);
    CU_ASSERT_EQUAL(sel_table_time(&t, 0, (sel_layout_t){8, 1}, 64), 3e-6);
    CU_ASSERT(isnan(sel_table_time(&t, 0, (sel_layout_t){8, 2}, 64)));
    sel_table_clear(&t);
}

static void ways_are_in_the_order_of_the_library(void)
{
    sel_table_t t = table_of("knomial 8 1 64 3e-6\nchain 8 1 64 1e-6 32\nchain 8 1 64 2e-6\nlinear 8 1 64 1e-6");
    CU_ASSERT_EQUAL_FATAL(t.nways, 4);
    CU_ASSERT_STRING_EQUAL(t.way[0].setting->name, "linear");
    CU_ASSERT_STRING_EQUAL(t.way[1].setting->name, "chain/4");
    CU_ASSERT_EQUAL(t.way[1].segment, 0);
    CU_ASSERT_EQUAL(t.way[2].segment, 32);
    CU_ASSERT_STRING_EQUAL(t.way[3].setting->name, "knomial/4");
    CU_ASSERT_EQUAL(sel_table_time(&t, 1, (sel_layout_t){8, 1}, 64), 2e-6);
    sel_table_clear(&t);
}

static void expect_error(const char *text, const char *message)
{
    sel_table_t t;
    plan_error_t err = {PLAN_OK, ""};
    CU_ASSERT_EQUAL(sel_table_parse(text, strlen(text), "times", &plani_open_mpi, &t, &err), PLAN_EFORMAT);
    CU_ASSERT_STRING_EQUAL(err.text, message);
}

static void bad_lines_are_named(void)
{
    expect_error("", "times: no timed broadcast; see planbcast select --help");
    expect_error("binomial 0 1 64 1e-6", "times:1: 0: give the number of ranks, up to 1048576");
    expect_error("#\nbinomial 8 1 64 -1", "times:2: -1: give the time in seconds, above 0");
    expect_error("binomial 8 1 64 nan", "times:1: nan: give the time in seconds, above 0");
    expect_error("scatter_allgather 8 1 64 1 8", "times:1: scatter_allgather: cannot be sent in segments");
}

/* ---- parameters ---- */

enum { SIZES = 9 };

/* Times of a way made of o and L at SIZES sizes from 64 B; every one whose bit is set in `off` is off by a factor. */
static void put_times(plani_text_t *to, const char *name, sel_layout_t on, double o, double L, unsigned off,
                      double factor)
{
    sel_way_t way = way_of(name, 0);
    sel_work_t *work = NULL;
    CU_ASSERT_EQUAL_FATAL(sel_work_create(&way, on, 0, NULL, &work), PLAN_OK);
    for (int i = 0; i < SIZES; i++) {
        size_t bytes = (size_t)2048 << 2 * i;
        double a = 0, c = 0;
        sel_work_count(work, bytes, &a, &c);
        plani_text_add(to, "%s %d %d %zu %.17g\n", name, on.ranks, on.per_host, bytes,
                       (o * a + L * c) * (off >> i & 1 ? factor : 1));
    }
    sel_work_destroy(&work);
}

static sel_fit_t fit_of(const sel_table_t *t, const sel_settings_t *how)
{
    sel_fit_t fit;
    plan_error_t err = {PLAN_OK, ""};
    CU_ASSERT_EQUAL_FATAL(sel_fit(t, how, &fit, &err), PLAN_OK);
    return fit;
}

static void expect_parameters(unsigned off, double factor, double tolerance)
{
    const sel_settings_t how = {.parameters_alone = true};
    plani_text_t text = {0};
    char *lines = NULL;
    put_times(&text, "binomial", (sel_layout_t){64, 1}, 2e-6, 1e-10, off, factor);
    put_times(&text, "scatter_allgather_ring", (sel_layout_t){64, 4}, 5e-6, 3e-10, off, factor);
    CU_ASSERT_EQUAL_FATAL(plani_text_take(&text, &lines), PLAN_OK);
    sel_table_t t = table_of(lines);
    sel_fit_t fit = fit_of(&t, &how);
    CU_ASSERT_DOUBLE_EQUAL(fit.parameters[0].o, 2e-6, 2e-6 * tolerance);
    CU_ASSERT_DOUBLE_EQUAL(fit.parameters[0].L, 1e-10, 1e-10 * tolerance);
    CU_ASSERT_DOUBLE_EQUAL(fit.parameters[1].o, 5e-6, 5e-6 * tolerance);
    CU_ASSERT_DOUBLE_EQUAL(fit.parameters[1].L, 3e-10, 3e-10 * tolerance);
    CU_ASSERT_EQUAL(fit.parameters[1].rows, SIZES);
    sel_fit_clear(&fit);
    sel_table_clear(&t);
    free(lines);
}

static void exact_times_yield_their_parameters(void)
{
    expect_parameters(0, 1, 1e-9);
}

static void outliers_do_not_change_parameters(void)
{
    expect_parameters(1u << 2, 3, 1e-4);
    expect_parameters(1u << 2 | 1u << 6, 3, 1e-4);
    expect_parameters(1u << 5, 10, 1e-4);
}

/* As measured where messages wait: no algorithm has a negative time for a byte or a stage. */
static void parameters_are_not_negative(void)
{
    sel_table_t t = table_of("binomial 8 1 64 9e-6\nbinomial 8 1 128 5e-6\nlinear 8 1 1024 1e-6\nlinear 8 1 2048 3e-6");
    sel_fit_t fit = fit_of(&t, &(sel_settings_t){.parameters_alone = true});
    CU_ASSERT_EQUAL(fit.parameters[0].o, 0);
    CU_ASSERT(fit.parameters[0].L > 0);
    CU_ASSERT(fit.parameters[1].o > 0);
    CU_ASSERT_EQUAL(fit.parameters[1].L, 0);
    sel_fit_clear(&fit);
    sel_table_clear(&t);
}

/* ---- predictions ---- */

static double predict(sel_fit_t *fit, int way, sel_layout_t on, size_t bytes)
{
    double s = NAN;
    CU_ASSERT_EQUAL(sel_predict(fit, way, on, bytes, &s), PLAN_OK);
    return s;
}

/* Two curves on 4 ranks. The binomial tree has 3 m serial bytes, in its last step 1e-9 s/B; the linear one as many, in
 * its last step 3e-9 s/B: the machine's is 2e-9. */
static const char two[] = "binomial 4 1 1000 10e-6\nbinomial 4 1 100000 40e-6\nbinomial 4 1 1100000 3040e-6\n"
                          "linear 4 1 1000 5e-6\nlinear 4 1 100000 100e-6\nlinear 4 1 1100000 9100e-6\n";

static void curves_pass_through_their_points(void)
{
    const sel_layout_t on = {4, 1};
    sel_table_t t = table_of(two);
    sel_fit_t fit = fit_of(&t, &(sel_settings_t){.ngamma = 0});
    CU_ASSERT_DOUBLE_EQUAL(fit.s_per_byte, 2e-9, 1e-20);
    CU_ASSERT_EQUAL(predict(&fit, 1, on, 1000), 10e-6);
    /* Halfway on logarithmic scales; the line is at 10 us + 30 us / 11. */
    CU_ASSERT_DOUBLE_EQUAL(predict(&fit, 1, on, 10000), sqrt(20e-6 * (10e-6 + 30e-6 / 11)), 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(predict(&fit, 1, on, 2100000), 3040e-6 + 3 * 2e-9 * 1e6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(predict(&fit, 1, on, 10), 10e-6 - 990 * 30e-6 / 99000, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(predict(&fit, 0, on, 10), 5e-6 - 990 * 95e-6 / 99000, 1e-15);
    CU_ASSERT_EQUAL(predict(&fit, 0, (sel_layout_t){1, 1}, 10), 0);
    sel_fit_clear(&fit);
    sel_table_clear(&t);
}

static void other_layouts_follow_the_parameters(void)
{
    plani_text_t text = {0};
    char *lines = NULL;
    double seconds = 0;
    put_times(&text, "binomial", (sel_layout_t){64, 1}, 2e-6, 1e-10, 0, 1);
    CU_ASSERT_EQUAL_FATAL(plani_text_take(&text, &lines), PLAN_OK);
    sel_table_t t = table_of(lines);
    sel_fit_t fit = fit_of(&t, &(sel_settings_t){.ngamma = 0});
    seconds = predict(&fit, 0, (sel_layout_t){256, 1}, 2048 << 4); /* 8 stages, 36 m */
    CU_ASSERT_DOUBLE_EQUAL(seconds, 8 * 2e-6 + 36 * 1e-10 * (2048 << 4), 1e-6 * seconds);
    sel_fit_clear(&fit);
    sel_table_clear(&t);
    free(lines);
}

/* Fewer elements than ranks are not scattered; where they are timed, they were. */
static void small_messages_are_not_scattered(void)
{
    sel_table_t t = table_of("scatter_allgather 64 1 256 1e-6\nscatter_allgather 64 1 4096 3e-6\n");
    sel_fit_t fit = fit_of(&t, &(sel_settings_t){.ngamma = 0});
    CU_ASSERT(isinf(predict(&fit, 0, (sel_layout_t){64, 1}, 255)));
    CU_ASSERT_EQUAL(predict(&fit, 0, (sel_layout_t){64, 1}, 256), 1e-6);
    CU_ASSERT(isinf(predict(&fit, 0, (sel_layout_t){128, 1}, 1023)));
    CU_ASSERT(isfinite(predict(&fit, 0, (sel_layout_t){128, 1}, 1024)));
    sel_fit_clear(&fit);
    sel_table_clear(&t);
}

/* ---- choices ---- */

/* The binomial tree takes 6 o + 21 m L, the ring (6 + 63) 3 o + 2 (63 / 64) m L: they meet at about 211 KB. */
static void choices_change_where_the_times_meet(void)
{
    plani_text_t text = {0};
    char *lines = NULL;
    const sel_layout_t on = {64, 1};
    const double meet = (69 * 6e-6 - 6 * 2e-6) / ((21 - 2 * 63. / 64) * 1e-10);
    plani_rules_t rules;
    plan_error_t err = {PLAN_OK, ""};
    put_times(&text, "binomial", on, 2e-6, 1e-10, 0, 1);
    put_times(&text, "scatter_allgather_ring", on, 6e-6, 1e-10, 1, 4);
    CU_ASSERT_EQUAL_FATAL(plani_text_take(&text, &lines), PLAN_OK);
    sel_table_t t = table_of(lines);
    sel_fit_t fit = fit_of(&t, &(sel_settings_t){.parameters_alone = true});
    for (size_t bytes = 64; bytes < (size_t)1 << 30; bytes += bytes / 8) {
        int way = -1;
        double s = 0;
        CU_ASSERT_EQUAL(sel_choose(&fit, on, bytes, &way, &s), PLAN_OK);
        CU_ASSERT_EQUAL(way, (double)bytes > meet);
    }
    CU_ASSERT_EQUAL_FATAL(sel_rules(&fit, 1, &on, 1 << 20, &rules, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(rules.comm[0].n, 2);
    CU_ASSERT_EQUAL(rules.comm[0].rule[0].setting, t.way[0].setting);
    CU_ASSERT_EQUAL(rules.comm[0].rule[1].setting, t.way[1].setting);
    CU_ASSERT(rules.comm[0].rule[1].from > meet / 2 && rules.comm[0].rule[1].from < 2 * meet);
    plani_rules_clear(&rules);
    sel_fit_clear(&fit);
    sel_table_clear(&t);
    free(lines);
}

static void rules_need_what_sends_small_messages(void)
{
    const sel_layout_t on = {64, 1};
    plani_rules_t rules;
    plan_error_t err = {PLAN_OK, ""};
    sel_table_t t = table_of("scatter_allgather 64 1 4096 3e-6\n");
    sel_fit_t fit = fit_of(&t, &(sel_settings_t){.ngamma = 0});
    CU_ASSERT_EQUAL(sel_rules(&fit, 1, &on, 1 << 20, &rules, &err), PLAN_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "no timed algorithm broadcasts small messages: time one that sends them whole");
    sel_fit_clear(&fit);
    sel_table_clear(&t);
}

/* Table 3's column of Open MPI, all 54 cells: split-binary up to 256 KB, the chain from 512 KB on. */
static void listing_1_is_the_open_mpi_of_table_3(void)
{
    const int ranks[] = {450, 600, 400, 1000, 96, 480};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < SIZES; k++)
            CU_ASSERT_STRING_EQUAL(sel_listing1(ranks[i], (size_t)16384 << k), k < 5 ? "split_binary" : "pipeline");
    CU_ASSERT_STRING_EQUAL(sel_listing1(1000, 2047), "binomial");
    CU_ASSERT_STRING_EQUAL(sel_listing1(1000, 2048), "split_binary");
    CU_ASSERT_STRING_EQUAL(sel_listing1(2, 370728), "pipeline"); /* 2 < 0.598 + 2.1102 */
    CU_ASSERT_STRING_EQUAL(sel_listing1(3, 370728), "split_binary");
    CU_ASSERT_STRING_EQUAL(sel_listing1(12, 6129788), "split_binary"); /* 12 = a_p128 6129788.02 + b_p128 */
    CU_ASSERT_STRING_EQUAL(sel_listing1(12, 6129789), "pipeline");
    CU_ASSERT_STRING_EQUAL(sel_listing1(13, 370728), "pipeline");
}

/* ---- memory ---- */

static plan_status_t everything(void)
{
    sel_table_t t = {.n = 0};
    sel_fit_t fit = {.ncurves = 0};
    plani_rules_t rules = {.n = 0};
    plan_error_t err = {PLAN_OK, ""};
    const sel_layout_t on = {8, 2};
    plan_status_t rc = sel_table_parse(two, strlen(two), "times", &plani_open_mpi, &t, &err);
    if (rc == PLAN_OK) rc = sel_fit(&t, &(sel_settings_t){.ngamma = 0}, &fit, &err);
    if (rc == PLAN_OK) rc = sel_rules(&fit, 1, &on, 64, &rules, &err);
    if (rc == PLAN_OK) plani_rules_clear(&rules);
    sel_fit_clear(&fit);
    sel_table_clear(&t);
    return rc;
}

static void every_failed_allocation_is_an_error(void)
{
    ALLOC_EACH(everything(), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
}

SUITE_MAIN("selection", TEST(one_rank_per_host_counts_as_the_closed_forms),
           TEST(binary_trees_count_their_children_one_by_one), TEST(a_host_sends_through_one_card),
           TEST(bine_trees_keep_messages_near), TEST(other_libraries_count_as_the_closed_forms),
           TEST(gamma_stretches_stages), TEST(the_median_of_equal_rows_counts),
           TEST(ways_are_in_the_order_of_the_library), TEST(bad_lines_are_named),
           TEST(exact_times_yield_their_parameters), TEST(outliers_do_not_change_parameters),
           TEST(parameters_are_not_negative), TEST(curves_pass_through_their_points),
           TEST(other_layouts_follow_the_parameters), TEST(small_messages_are_not_scattered),
           TEST(choices_change_where_the_times_meet), TEST(rules_need_what_sends_small_messages),
           TEST(listing_1_is_the_open_mpi_of_table_3), TEST(every_failed_allocation_is_an_error))
