/* Hockney, LogGP and PLogP: Tables 1-4 of Pjesivac-Grbovic et al. 2007 computed by hand, and arbitrary trees. */
#include "suite.h"
#include "alloc.h"
#include "planner/literature/models.h"
#include <planbcast/generate.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Table 5, the Frodo cluster, in microseconds; combining takes 0.01 us a byte. */
static lit_network_owned_t *frodo(void)
{
    lit_network_owned_t *w = NULL;
    CU_ASSERT_EQUAL_FATAL(lit_network_from_loggp(61.22, 8.2, 23.8, 0.084, &w), PLAN_OK);
    return w;
}

typedef struct {
    lit_collective_t collective;
    const char *algorithm;
    int ranks;
    size_t bytes, segment;
    double expected[LIT_MODELS]; /* Hockney, LogGP, PLogP [us] */
} point_t;

/* Worked out by hand: one segment of 1 KiB takes 163.636 (Hockney), 163.552 and then 109.732 each (LogGP, PLogP). */
static const point_t points[] = {
    {LIT_BARRIER, "linear", 8, 0, 0, {543.34, 298.04, 298.04}},
    {LIT_BARRIER, "double_ring", 8, 0, 0, {1241.92, 1491.52, 1241.92}},
    {LIT_BARRIER, "recursive_doubling", 8, 0, 0, {232.86, 279.66, 232.86}},
    {LIT_BARRIER, "recursive_doubling", 6, 0, 0, {310.48, 372.88, 310.48}},
    {LIT_BARRIER, "bruck", 6, 0, 0, {232.86, 279.66, 232.86}},
    {LIT_BROADCAST, "linear", 8, 1024, 0, {1145.452, 821.944, 821.944}},
    {LIT_BROADCAST, "pipeline", 8, 8192, 1024, {2290.904, 1912.988, 1912.988}},
    {LIT_BROADCAST, "binomial", 8, 1024, 0, {490.908, 490.656, 490.656}},
    {LIT_BROADCAST, "binary", 7, 8192, 1024, {2171.304, 2130.416, 2082.816}},
    {LIT_BROADCAST, "split_binary", 7, 8192, 1024, {1627.964, 1626.56, 1626.56}},
    {LIT_REDUCE, "linear", 8, 1024, 0, {1217.132, 885.956, 821.944}},
    {LIT_REDUCE, "pipeline", 8, 8192, 1024, {2434.264, 2004.548, 1970.388}},
    {LIT_REDUCE, "binomial", 8, 8192, 1024, {4173.024, 2770.428, 2795.028}},
    {LIT_REDUCE, "binary", 7, 8192, 1024, {3129.768, 2218.632, 2140.216}},
    {LIT_ALLTOALL, "linear", 4, 8192, 1024, {7873.204, 10515.556, 10420.356}},
    {LIT_ALLTOALL, "pairwise", 4, 8192, 1024, {2297.244, 2343.792, 2296.992}},
};

static void tables_1_to_4_at_points_worked_out_by_hand(void)
{
    lit_network_owned_t *w = frodo();
    lit_network_t network = *lit_network(w);
    network.gamma_s_per_byte = 0.01;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        for (int model = 0; model < LIT_MODELS; model++) {
            const point_t *p = &points[i];
            double t = NAN;
            CU_ASSERT_EQUAL(lit_predict_collective(&network, (lit_model_t)model, p->collective, p->algorithm, p->ranks,
                                                   p->bytes, p->segment, &t),
                            PLAN_OK);
            CU_ASSERT_DOUBLE_EQUAL(t, p->expected[model], 1e-9);
        }
    lit_network_destroy(&w);
}

static void every_algorithm_has_a_point(void)
{
    for (int c = 0; c < LIT_COLLECTIVES; c++) {
        const char *name;
        for (size_t k = 0; (name = lit_collective_algorithm((lit_collective_t)c, k)) != NULL; k++) {
            int found = 0;
            for (size_t i = 0; i < sizeof points / sizeof *points; i++)
                found |= points[i].collective == (lit_collective_t)c && strcmp(points[i].algorithm, name) == 0;
            CU_ASSERT_TRUE(found);
        }
    }
}

/* A homogeneous complete platform whose class has PLogP's ladder. */
static plan_platform_t *homogeneous(int ranks, const lit_network_t *w)
{
    double bytes[] = {1, 1e6}, overhead[] = {w->loggp.o, w->loggp.o}, gap[2], p2p[2];
    for (int i = 0; i < 2; i++) {
        gap[i] = w->loggp.g + (bytes[i] - 1) * w->loggp.G;
        p2p[i] = gap[i] + w->plogp.L;
    }
    plan_channel_t channel = {.name = "net",
                              .network = true,
                              .nsizes = 2,
                              .bytes = bytes,
                              .overhead_s = overhead,
                              .gap_s = gap,
                              .p2p_s = p2p};
    plan_link_t *link = calloc((size_t)ranks * (size_t)ranks, sizeof *link);
    size_t n = 0;
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++)
            if (u != v) link[n++] = (plan_link_t){.from = u, .to = v, .latency_s = 1, .channel = 0};
    plan_platform_data_t d = {
        .size = sizeof d, .ranks = ranks, .nlinks = n, .link = link, .nchannels = 1, .channel = &channel};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    free(link);
    return pf;
}

static void agrees(const lit_network_t *w, plan_topology_t kind, const char *algorithm, int ranks, lit_model_t model,
                   size_t bytes, size_t slice)
{
    plan_platform_t *pf = homogeneous(ranks, w);
    plan_tree_t *tree = NULL;
    double ours = NAN, theirs = NAN;
    CU_ASSERT_EQUAL_FATAL(plan_tree_topology(kind, ranks, 0, 0, &tree), PLAN_OK);
    CU_ASSERT_EQUAL(lit_score_network(pf, model, 1, &tree, NULL, bytes, slice, 0, &ours), PLAN_OK);
    CU_ASSERT_EQUAL(lit_predict_collective(w, model, LIT_BROADCAST, algorithm, ranks, bytes, slice, &theirs), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(ours, theirs, 1e-9 * theirs);
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
}

/* LogGP's G from a ladder is g(m) / m at its end, so that the table's own G is not met to the last digit; PLogP is. */
static void trees_on_a_homogeneous_platform_take_what_table_2_says(void)
{
    lit_network_owned_t *w = frodo();
    for (int ranks = 2; ranks <= 17; ranks += 3) {
        agrees(lit_network(w), PLAN_LINEAR, "linear", ranks, LIT_PLOGP, 8192, 1024);
        agrees(lit_network(w), PLAN_PIPELINE, "pipeline", ranks, LIT_PLOGP, 8192, 1024);
        agrees(lit_network(w), PLAN_PIPELINE, "pipeline", ranks, LIT_PLOGP, 8192, 0);
    }
    agrees(lit_network(w), PLAN_BINOMIAL, "binomial", 16, LIT_PLOGP, 1024, 0);
    for (int ranks = 3; ranks <= 31; ranks = 2 * ranks + 1)
        agrees(lit_network(w), PLAN_BINARY, "binary", ranks, LIT_PLOGP, 8192, 1024);
    lit_network_destroy(&w);
}

/* LogGP (Culler et al. 1993, Alexandrov et al. 1995): m bytes hold a port for g + (m - 1) G, and are there after L + 2
 * o
 * + (m - 1) G. The class's own numbers count: g = 5, o = 1, L = 8 + 5 - 2, G = 20 / 10. */
static void loggp_counts_gaps_at_ports_and_overheads_on_the_way(void)
{
    double bytes[] = {1, 10}, overhead[] = {1, 1}, gap[] = {5, 20}, p2p[] = {13, 30}, t = NAN;
    const plan_link_t link[] = {{0, 1, 1, 0, 0, 0}, {0, 2, 1, 0, 0, 0}, {1, 3, 1, 0, 0, 0}};
    const plan_channel_t channel = {"net", true, 2, bytes, overhead, gap, p2p, 0, NULL, false, 0};
    const plan_platform_data_t d = {
        .size = sizeof d, .ranks = 4, .nlinks = 3, .link = link, .nchannels = 1, .channel = &channel};
    const int parent[] = {-1, 0, 0, 1};
    const double port = 5 + 3 * 2., hop = 11 + 2 + 3 * 2., pace = 2 * port; /* of 4 bytes; the root's two sends */
    plan_platform_t *pf = NULL;
    plan_tree_t *tree = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(4, parent, NULL, &tree), PLAN_OK);
    CU_ASSERT_EQUAL(lit_score_network(pf, LIT_LOGGP, 1, &tree, NULL, 4, 0, 0, &t), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(t, 2 * hop, 1e-12); /* 0 to 1 to 3; 2 has it at port + hop */
    CU_ASSERT_EQUAL(lit_score_network(pf, LIT_LOGGP, 1, &tree, NULL, 40, 4, 0, &t), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(t, 2 * hop + 9 * pace, 1e-12);
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
}

/* Two trees that both leave rank 0 by the same port take together what they hold it for. */
static void trees_that_share_the_slices_share_the_ports(void)
{
    lit_network_owned_t *w = frodo();
    plan_platform_t *pf = homogeneous(3, lit_network(w));
    int there[] = {-1, 0, 1}, back[] = {-1, 2, 0};
    plan_tree_t *tree[2] = {NULL, NULL};
    double share[] = {3, 1}, t = NAN, one = NAN, bad[] = {1, -1};
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(3, there, NULL, &tree[0]), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(3, back, NULL, &tree[1]), PLAN_OK);
    CU_ASSERT_EQUAL(lit_score_network(pf, LIT_PLOGP, 2, tree, share, 8192, 1024, 0, &t), PLAN_OK);
    CU_ASSERT_EQUAL(lit_score_network(pf, LIT_PLOGP, 1, tree, NULL, 8192, 1024, 0, &one), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(t, one, 1e-9 * one); /* a chain each, eight slices from the root */
    CU_ASSERT_EQUAL(lit_score_network(pf, LIT_PLOGP, 2, tree, NULL, 8192, 1024, 0, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_score_network(pf, LIT_PLOGP, 2, tree, bad, 8192, 1024, 0, &t), PLAN_EINVAL);
    ALLOC_EACH(lit_score_network(pf, LIT_PLOGP, 2, tree, share, 8192, 1024, 1, &t),
               CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    CU_ASSERT_TRUE(t > one); /* one slice in flight: each waits for the flight of the one before */
    plan_tree_destroy(&tree[0]);
    plan_tree_destroy(&tree[1]);
    plan_platform_destroy(&pf);
    lit_network_destroy(&w);
}

/* A link without a ladder holds both ports for T and flies for D. */
static void links_without_a_ladder_count_their_own_costs(void)
{
    plan_link_t link[] = {{.from = 0, .to = 1, .latency_s = 2, .s_per_byte = 0.5, .delay_s = 3, .channel = -1},
                          {.from = 0, .to = 2, .latency_s = 1, .s_per_byte = 1, .delay_s = 0, .channel = -1}};
    plan_platform_data_t d = {.size = sizeof d, .ranks = 3, .nlinks = 2, .link = link};
    plan_platform_t *pf = NULL;
    plan_tree_t *tree = NULL;
    double t = NAN;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_topology(PLAN_LINEAR, 3, 0, 0, &tree), PLAN_OK);
    /* slices of 10, 10 and 4 bytes: 7 + 11, then 18, then 4 + 5 */
    CU_ASSERT_EQUAL(lit_score_network(pf, LIT_LOGGP, 1, &tree, NULL, 24, 10, 0, &t), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(t, 18 + 18 + 9, 1e-12);
    CU_ASSERT_EQUAL(lit_score_network(pf, LIT_PLOGP, 1, &tree, NULL, 24, 10, 0, &t), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(t, 18 + 18 + 9, 1e-12);
    CU_ASSERT_EQUAL(lit_score_network(pf, LIT_HOCKNEY, 1, &tree, NULL, 24, 10, 0, &t),
                    PLAN_OK); /* waits for the flight, too */
    CU_ASSERT_DOUBLE_EQUAL(t, 21 + 21 + 12, 1e-12);
    CU_ASSERT_EQUAL(lit_score_network(pf, LIT_HOCKNEY, 1, &tree, NULL, 0, 10, 0, &t), PLAN_OK);
    CU_ASSERT_EQUAL(t, 0);
    CU_ASSERT_EQUAL(lit_score_network(pf, LIT_MODELS, 1, &tree, NULL, 24, 10, 0, &t), PLAN_EINVAL);
    ALLOC_EACH(lit_score_network(pf, LIT_PLOGP, 1, &tree, NULL, 24, 10, 0, &t), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
}

/* A ladder made up: L = 9 - 4 beyond the gap, o = 2 and g = 4 of one byte, G = 64 / 1000 of the largest; what Hockney
 * says of a size on the ladder is its p2p. The network keeps its numbers when the ladder changes. */
static void a_ladder_gives_all_three_models(void)
{
    double bytes[] = {1, 100, 1000}, overhead[] = {2, 3, 5}, gap[] = {4, 10, 64}, p2p[] = {9, 20, 75};
    plan_channel_t ladder = {"net", true, 3, bytes, overhead, gap, p2p, 0, NULL, false, 0}, none = {.name = "net"};
    const double two_sends[][LIT_MODELS + 1] = {/* bytes, then Hockney, LogGP, PLogP */
                                                {1, 2 * 9, 5 + 2 * 4, 5 + 2 * 4},
                                                {100, 2 * 20, 5 + 2 * (4 + 99 * .064), 5 + 2 * 10},
                                                {550, 2 * (9 + 550 * .088), 5 + 2 * (4 + 549 * .064), 5 + 2 * 37},
                                                {1000, 2 * 75, 5 + 2 * (4 + 999 * .064), 5 + 2 * 64}};
    lit_network_owned_t *w = NULL;
    double t;

    CU_ASSERT_EQUAL(lit_network_from_channel(&none, &w), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_network_from_channel(NULL, &w), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_network_from_channel(&ladder, NULL), PLAN_EINVAL);
    ALLOC_EACH(lit_network_from_channel(&ladder, &w), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    CU_ASSERT_PTR_NOT_NULL_FATAL(w);
    memset(bytes, 0, sizeof bytes), memset(overhead, 0, sizeof overhead), memset(gap, 0, sizeof gap);
    for (size_t i = 0; i < sizeof two_sends / sizeof *two_sends; i++)
        for (int model = 0; model < LIT_MODELS; model++) {
            CU_ASSERT_EQUAL(lit_predict_collective(lit_network(w), (lit_model_t)model, LIT_BROADCAST, "linear", 3,
                                                   (size_t)two_sends[i][0], 0, &t),
                            PLAN_OK);
            CU_ASSERT_DOUBLE_EQUAL(t, two_sends[i][1 + model], 1e-9);
        }
    CU_ASSERT_EQUAL(lit_network(w)->plogp.os_s[1], 3);
    CU_ASSERT_EQUAL(lit_network(w)->plogp.or_s[2], 5);
    lit_network_destroy(&w);
}

static void models_and_collectives_have_the_names_of_the_header(void)
{
    static const char *const model[] = {"hockney", "loggp", "plogp"};
    static const char *const collective[] = {"barrier", "broadcast", "reduce", "alltoall"};
    static const char *const wrong[] = {"", "Hockney", "broadcast ", "reduc", NULL};
    lit_model_t m = LIT_MODELS;
    lit_collective_t c = LIT_COLLECTIVES;

    for (int i = 0; i < LIT_MODELS; i++) {
        CU_ASSERT_STRING_EQUAL(lit_model_name((lit_model_t)i), model[i]);
        CU_ASSERT(lit_model_from_name(model[i], &m) == PLAN_OK && (int)m == i);
        CU_ASSERT_EQUAL(lit_collective_from_name(model[i], &c), PLAN_EINVAL);
    }
    for (int i = 0; i < LIT_COLLECTIVES; i++) {
        CU_ASSERT_STRING_EQUAL(lit_collective_name((lit_collective_t)i), collective[i]);
        CU_ASSERT(lit_collective_from_name(collective[i], &c) == PLAN_OK && (int)c == i);
        CU_ASSERT_EQUAL(lit_model_from_name(collective[i], &m), PLAN_EINVAL);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CU_ASSERT_EQUAL(lit_model_from_name(wrong[i], &m), PLAN_EINVAL);
        CU_ASSERT_EQUAL(lit_collective_from_name(wrong[i], &c), PLAN_EINVAL);
    }
    CU_ASSERT(m == LIT_PLOGP && c == LIT_ALLTOALL); /* untouched by what failed */
    CU_ASSERT_EQUAL(lit_model_from_name("loggp", NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_collective_from_name("reduce", NULL), PLAN_EINVAL);
    CU_ASSERT(lit_model_name(LIT_MODELS) == NULL && lit_collective_name(LIT_COLLECTIVES) == NULL);
    CU_ASSERT(lit_model_name((lit_model_t)-1) == NULL);
    CU_ASSERT(lit_collective_name((lit_collective_t)-1) == NULL);
}

static plan_status_t parse(const char *text, lit_network_owned_t **w, plan_error_t *err)
{
    return lit_network_parse(text, strlen(text), "net.json", w, err);
}

static void a_file_may_give_any_of_the_models(void)
{
    static const char text[] =
        "{\"loggp\": {\"L\": 1, \"o\": 2, \"g\": 3, \"G\": 4}, \"gamma\": 0.5,"
        " \"plogp\": {\"L\": 5, \"bytes\": [1, 3], \"os\": [1, 1], \"or\": [2, 2], \"g\": [3, 7]}}";
    lit_network_owned_t *w = NULL;
    double t;
    CU_ASSERT_EQUAL_FATAL(parse(text, &w, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(lit_network(w)->gamma_s_per_byte, 0.5);
    CU_ASSERT_EQUAL(lit_predict_collective(lit_network(w), LIT_PLOGP, LIT_BROADCAST, "linear", 3, 2, 0, &t), 0);
    CU_ASSERT_EQUAL(t, 5 + 2 * 5.);
    CU_ASSERT_EQUAL(lit_predict_collective(lit_network(w), LIT_HOCKNEY, LIT_BROADCAST, "linear", 3, 2, 0, &t), 0);
    CU_ASSERT_EQUAL(t, 2 * (5 + 2 * 4.)); /* alpha = L + 2 o, beta = G */
    lit_network_destroy(&w);
    ALLOC_EACH(parse(text, &w, NULL), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    lit_network_destroy(&w);
    lit_network_destroy(&w);
}

static void bad_files_are_refused_in_one_line(void)
{
    static const char *const bad[][2] = {
        {"{}", "loggp"},
        {"{\"loggp\": {\"L\": -1, \"o\": 2, \"g\": 3, \"G\": 4}}", "loggp.L is -1"},
        {"{\"loggp\": {\"L\": 1, \"o\": 2, \"g\": 3}}", "G"},
        {"{\"loggp\": {\"L\": 1, \"o\": 2, \"g\": 3, \"G\": 4}, \"gamma\": -1}", "gamma"},
        {"{\"loggp\": {\"L\": 1, \"o\": 2, \"g\": 3, \"G\": 4}, \"hockney\": {\"bytes\": []}}", "1 to"},
        {"{\"loggp\": {\"L\": 1, \"o\": 2, \"g\": 3, \"G\": 4}, \"hockney\": {\"bytes\": [2, 1], \"alpha\": [1, 1],"
         " \"beta\": [1, 1]}}",
         "larger"},
        {"{\"loggp\": {\"L\": 1, \"o\": 2, \"g\": 3, \"G\": 4}, \"hockney\": {\"bytes\": [1, 2], \"alpha\": [1]}}",
         "each"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lit_network_owned_t *w = NULL;
        plan_error_t err = {0};
        CU_ASSERT_EQUAL(parse(bad[i][0], &w, &err), PLAN_EFORMAT);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad[i][1]));
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "net.json"));
        CU_ASSERT_PTR_NULL(w);
    }
}

static void bad_arguments_are_refused(void)
{
    lit_network_owned_t *w = frodo(), *none = NULL;
    lit_network_t n = *lit_network(w);
    plan_error_t err;
    double t = 7;
    CU_ASSERT_EQUAL(lit_network_from_loggp(-1, 0, 0, 0, &none), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_network_from_loggp(NAN, 0, 0, 0, &none), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_network_parse(NULL, 0, "x", &none, &err), PLAN_EINVAL);
    CU_ASSERT_NOT_EQUAL(err.text[0], '\0');
    CU_ASSERT_EQUAL(lit_predict_collective(&n, LIT_LOGGP, LIT_BROADCAST, "bruck", 4, 1, 0, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_predict_collective(&n, LIT_LOGGP, LIT_BROADCAST, "linear", 0, 1, 0, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_predict_collective(&n, LIT_MODELS, LIT_BROADCAST, "linear", 4, 1, 0, &t), PLAN_EINVAL);
    n.plogp.n = 0;
    CU_ASSERT_EQUAL(lit_predict_collective(&n, LIT_PLOGP, LIT_BROADCAST, "linear", 4, 1, 0, &t), PLAN_EINVAL);
    n.loggp.g = NAN;
    CU_ASSERT_EQUAL(lit_predict_collective(&n, LIT_LOGGP, LIT_BROADCAST, "linear", 4, 1, 0, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(t, 7);
    CU_ASSERT_EQUAL(lit_predict_collective(&n, LIT_HOCKNEY, LIT_BROADCAST, "linear", 1, 1, 0, &t), PLAN_OK);
    CU_ASSERT_EQUAL(t, 0);
    lit_network_destroy(&w);
}

SUITE_MAIN("models", TEST(tables_1_to_4_at_points_worked_out_by_hand), TEST(every_algorithm_has_a_point),
           TEST(trees_on_a_homogeneous_platform_take_what_table_2_says),
           TEST(loggp_counts_gaps_at_ports_and_overheads_on_the_way), TEST(trees_that_share_the_slices_share_the_ports),
           TEST(links_without_a_ladder_count_their_own_costs), TEST(a_ladder_gives_all_three_models),
           TEST(models_and_collectives_have_the_names_of_the_header), TEST(a_file_may_give_any_of_the_models),
           TEST(bad_files_are_refused_in_one_line), TEST(bad_arguments_are_refused))
