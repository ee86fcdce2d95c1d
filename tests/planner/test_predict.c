/* The stage models on an ideal cluster: the paper's figures, and the platform model where both must agree. */
#include "suite.h"
#include "alloc.h"
#include "planner/literature/taulop.h"
#include "planner/taulop/score.h"
#include <math.h>
#include <stdio.h>

/* Nuriyev et al. 2022, Table 1(b), Gros: gamma of 2..7 processes. */
static const double gros[] = {1, 1.084, 1.170, 1.254, 1.339, 1.424};

/* T_p2p^1 = 1 s, so that seconds are multiples of it. */
static lit_taulop_t unit_params(void)
{
    return (lit_taulop_t){.o_net = 0.25,
                          .L_shm = 0.25,
                          .L_net = 0.25,
                          .Q = 12,
                          .ngamma_shm = 2,
                          .ngamma_net = 6,
                          .gamma_shm = gros,
                          .gamma_net = gros};
}

static double predict(const lit_taulop_t *p, plan_topology_t kind, int ranks, int per_host, int root, int fanout,
                      size_t bytes, size_t segment)
{
    double t = NAN;
    CU_ASSERT_EQUAL(lit_predict_taulop(p, kind, ranks, per_host, root, fanout, bytes, segment, &t), PLAN_OK);
    return t;
}

/* Eq. (20): coefficients of the binomial tree on Gros, 16 KB..4 MB; the paper's include 1 for its gather. */
static void gives_the_nine_coefficients_of_equation_20(void)
{
    static const char *expected[] = {"14.31",  "17.15",  "22.85",  "34.24", "57.03",
                                     "102.59", "193.73", "376.00", "740.55"};
    lit_taulop_t p = unit_params();
    for (int i = 0; i < 9; i++) {
        char text[32];
        double t = predict(&p, PLAN_BINOMIAL, 1000, 18, 0, 0, (size_t)16384 << i, 8192);
        snprintf(text, sizeof text, "%.2f", t + 1);
        CU_ASSERT_STRING_EQUAL(text, expected[i]);
    }
}

/* With whole segments, the platform whose links cost T^0 and T^1 must agree, for every topology and placement; of
 * linear, which waits for each send, eq. (1), the platform on which sends never overlap. */
static void equals_the_platform_model_for_all_topologies(void)
{
    lit_taulop_t p = unit_params();
    double gamma[6];
    for (int i = 0; i < 6; i++) gamma[i] = gros[i];
    plan_channel_t channel[] = {{.name = "net", .network = true, .ngamma = 6, .gamma = gamma},
                                {.name = "shm", .ngamma = 2, .gamma = gamma}},
                   without[] = {{.name = "net"}, {.name = "shm"}};
    for (int n = 2; n <= 41; n += 3)
        for (int per_host = 1; per_host <= 9; per_host += 4) {
            plan_link_t *link = calloc((size_t)n * (size_t)n, sizeof *link);
            size_t k = 0;
            for (int u = 0; u < n; u++)
                for (int v = 0; v < n; v++) {
                    int shm = u / per_host == v / per_host;
                    if (u != v) link[k++] = (plan_link_t){u, v, 0, (shm ? 1 / 12. : 1) / 100, 0, shm};
                }
            plan_platform_data_t d = {
                .size = sizeof d, .ranks = n, .nlinks = k, .link = link, .nchannels = 2, .channel = channel};
            plan_platform_t *pf = NULL, *serial = NULL;
            CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
            d.channel = without;
            CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &serial, NULL), PLAN_OK);
            free(link);
            for (int kind = 0; kind < PLAN_TOPOLOGIES; kind++) {
                plan_tree_t *tree = NULL;
                int root = n / 3;
                double t = NAN, mine = predict(&p, (plan_topology_t)kind, n, per_host, root, 0, 1600, 100);
                CU_ASSERT_EQUAL_FATAL(plan_tree_topology((plan_topology_t)kind, n, root, 0, &tree), PLAN_OK);
                if (kind == PLAN_SPLIT_BINARY)
                    CU_ASSERT_EQUAL(plani_score_split_binary(pf, root, 1600, 100, 0, &t), PLAN_OK)
                else
                    CU_ASSERT_EQUAL(kind == PLAN_LINEAR ? plani_score_taulop(serial, tree, 1600, 0, 0, &t)
                                                        : plani_score_taulop(pf, tree, 1600, 100, 0, &t),
                                    PLAN_OK);
                CU_ASSERT_DOUBLE_EQUAL(mine / t, 1, 1e-12);
                plan_tree_destroy(&tree);
            }
            plan_platform_destroy(&pf);
            plan_platform_destroy(&serial);
        }
}

/* By hand, one rank per host: each line is one of the equations. */
static void closed_forms(void)
{
    lit_taulop_t p = unit_params();
    CU_ASSERT_DOUBLE_EQUAL(predict(&p, PLAN_LINEAR, 5, 1, 0, 0, 800, 100), 4 * 8, 1e-12);               /* (1) */
    CU_ASSERT_DOUBLE_EQUAL(predict(&p, PLAN_PIPELINE, 5, 1, 0, 0, 800, 100), 4 + 8 - 1, 1e-12);         /* (10) */
    CU_ASSERT_DOUBLE_EQUAL(predict(&p, PLAN_BINARY, 3, 1, 0, 0, 800, 100), 8 * 1.084, 1e-12);           /* (11) */
    CU_ASSERT_DOUBLE_EQUAL(predict(&p, PLAN_CHAIN, 5, 1, 0, 2, 800, 100), 8 * 1.084 + 1, 1e-12);        /* (12) */
    CU_ASSERT_DOUBLE_EQUAL(predict(&p, PLAN_SPLIT_BINARY, 3, 1, 0, 0, 800, 100), 4 * 1.084 + 4, 1e-12); /* (13) */
    CU_ASSERT_DOUBLE_EQUAL(predict(&p, PLAN_PIPELINE, 3, 3, 0, 0, 800, 100), 9 / 12., 1e-12);           /* (3) */
    p.Q = 0;
    CU_ASSERT_DOUBLE_EQUAL(predict(&p, PLAN_PIPELINE, 3, 3, 0, 0, 800, 100), 9 * 0.5, 1e-12);
}

/* Half a segment still costs the whole overhead; 1.5 segments cost 1.5 of everything. */
static void overhead_is_paid_at_least_once(void)
{
    lit_taulop_t p = unit_params();
    CU_ASSERT_DOUBLE_EQUAL(predict(&p, PLAN_LINEAR, 2, 1, 0, 0, 50, 100), 0.25 + 0.5 * 0.75, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(predict(&p, PLAN_LINEAR, 2, 1, 0, 0, 150, 100), 1.5, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(predict(&p, PLAN_PIPELINE, 2, 1, 0, 0, 150, 100), 1 + 0.25 + 0.5 * 0.75, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(predict(&p, PLAN_PIPELINE, 2, 1, 0, 0, 150, 0), 1, 1e-15); /* parameters of the whole */
    CU_ASSERT_EQUAL(predict(&p, PLAN_BINOMIAL, 7, 2, 0, 0, 0, 100), 0);
    CU_ASSERT_EQUAL(predict(&p, PLAN_SPLIT_BINARY, 1, 2, 0, 0, 10, 100), 0);
}

static void bad_parameters_are_refused(void)
{
    lit_taulop_t good = unit_params(), p;
    double t = 7, negative[] = {1, -1};
    p = good, p.o_net = NAN;
    CU_ASSERT_EQUAL(lit_predict_taulop(&p, PLAN_BINARY, 4, 1, 0, 0, 10, 1, &t), PLAN_EINVAL);
    p = good, p.L_shm = -1;
    CU_ASSERT_EQUAL(lit_predict_taulop(&p, PLAN_BINARY, 4, 1, 0, 0, 10, 1, &t), PLAN_EINVAL);
    p = good, p.Q = INFINITY;
    CU_ASSERT_EQUAL(lit_predict_taulop(&p, PLAN_BINARY, 4, 1, 0, 0, 10, 1, &t), PLAN_EINVAL);
    p = good, p.gamma_net = negative, p.ngamma_net = 2;
    CU_ASSERT_EQUAL(lit_predict_taulop(&p, PLAN_BINARY, 4, 1, 0, 0, 10, 1, &t), PLAN_EINVAL);
    p = good, p.gamma_shm = NULL;
    CU_ASSERT_EQUAL(lit_predict_taulop(&p, PLAN_BINARY, 4, 1, 0, 0, 10, 1, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_predict_taulop(&good, PLAN_BINARY, 0, 1, 0, 0, 10, 1, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_predict_taulop(&good, PLAN_BINARY, 4, 0, 0, 0, 10, 1, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_predict_taulop(&good, PLAN_BINARY, 4, 1, 4, 0, 10, 1, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_predict_taulop(&good, PLAN_BINARY, 4, 1, 0, 3, 10, 1, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(t, 7);
}

static void every_failing_allocation_is_reported(void)
{
    lit_taulop_t p = unit_params();
    double t = 0;
    ALLOC_EACH(lit_predict_taulop(&p, PLAN_SPLIT_BINARY, 40, 5, 3, 0, 1000, 10, &t),
               CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
}

SUITE_MAIN("predict", TEST(gives_the_nine_coefficients_of_equation_20),
           TEST(equals_the_platform_model_for_all_topologies), TEST(closed_forms), TEST(overhead_is_paid_at_least_once),
           TEST(bad_parameters_are_refused), TEST(every_failing_allocation_is_reported))
