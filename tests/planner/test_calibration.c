/* What a calibration makes of experiments, and what a ranking makes of a calibration. */
#include "suite.h"
#include <gsl/gsl_vector.h>
#include <math.h>
#include <string.h>
#include <planbcast/plan.h>
#include "planner/literature/calibration.h"

enum { N = 8 };

/* measured = scale * modelled + level_s * levels over sizes from microseconds to seconds. */
static void draw(double scale, double level_s, plani_experiment_t *e)
{
    double modelled = 3e-6;
    for (int i = 0; i < N; i++, modelled *= 7) {
        double levels = 2 + i % 5;
        e[i] = (plani_experiment_t){modelled, levels, scale * modelled + level_s * levels};
    }
}

static void a_line_is_found_from_microseconds_to_seconds(void)
{
    static const double scale[] = {1, 0.7, 2.5}, level_s[] = {0, 1e-4, 3e-6};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            plani_experiment_t e[N];
            plan_calibration_t c;
            draw(scale[i], level_s[k], e);
            CU_ASSERT_EQUAL_FATAL(plani_calibration_fit(N, e, &c), PLAN_OK);
            CU_ASSERT_DOUBLE_EQUAL(c.scale, scale[i], 1e-6);
            CU_ASSERT_DOUBLE_EQUAL(c.level_s, level_s[k], 1e-9);
            CU_ASSERT(c.error_with < 1e-5);
            CU_ASSERT(c.error_without >= c.error_with - 1e-5);
        }
}

static void a_wild_experiment_moves_the_line_little(void)
{
    plani_experiment_t e[N];
    plan_calibration_t c;
    draw(1.5, 2e-5, e);
    e[3].measured_s *= 6;
    CU_ASSERT_EQUAL_FATAL(plani_calibration_fit(N, e, &c), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(c.scale, 1.5, 0.15);
    CU_ASSERT_DOUBLE_EQUAL(c.level_s, 2e-5, 4e-6);
    CU_ASSERT(c.error_with < 0.1);
}

static void no_level_takes_less_than_nothing(void)
{
    plani_experiment_t e[N];
    plan_calibration_t c;
    draw(1, 0, e);
    for (int i = 0; i < N; i++) e[i].measured_s -= 1e-7 * e[i].levels;
    CU_ASSERT_EQUAL_FATAL(plani_calibration_fit(N, e, &c), PLAN_OK);
    CU_ASSERT_EQUAL(c.level_s, 0);
    CU_ASSERT(c.scale > 0.5 && c.scale <= 1);
}

/* All count, also the last: of three, each of which is one too few without it, and the errors are those of the model.
 */
static void three_experiments_make_a_line(void)
{
    plani_experiment_t e[N];
    plan_calibration_t c;
    draw(3, 1e-4, e);
    CU_ASSERT_EQUAL_FATAL(plani_calibration_fit(3, e + 2, &c), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(c.scale, 3, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(c.level_s, 1e-4, 1e-9);
    CU_ASSERT_EQUAL(c.error_with, c.error_without);
}

static int vectors_left = -1; /* -1: any number */

gsl_vector *__real_gsl_vector_alloc(size_t n);
gsl_vector *__wrap_gsl_vector_alloc(size_t n);

/* GSL's, by the linker: NULL once none is left. */
gsl_vector *__wrap_gsl_vector_alloc(size_t n)
{
    if (vectors_left == 0) return NULL;
    vectors_left -= vectors_left > 0;
    return __real_gsl_vector_alloc(n);
}

static void out_of_memory_is_no_calibration(void)
{
    plani_experiment_t e[N];
    plan_calibration_t c = {.scale = 7};
    draw(3, 1e-4, e);
    for (vectors_left = 0; vectors_left < 4; vectors_left++) {
        int left = vectors_left;
        CU_ASSERT_EQUAL(plani_calibration_fit(N, e, &c), PLAN_ENOMEM);
        CU_ASSERT_EQUAL(c.scale, 7);
        vectors_left = left;
    }
    vectors_left = -1;
    CU_ASSERT_EQUAL(plani_calibration_fit(N, e, &c), PLAN_OK);
}

static void too_few_experiments_change_nothing(void)
{
    plani_experiment_t e[N];
    plan_calibration_t c;
    draw(3, 1e-3, e);
    for (size_t n = 0; n < 3; n++) {
        CU_ASSERT_EQUAL_FATAL(plani_calibration_fit(n, e, &c), PLAN_OK);
        CU_ASSERT(c.scale == 1 && c.level_s == 0 && c.error_with == c.error_without);
        if (n == 1) CU_ASSERT_DOUBLE_EQUAL(c.error_with, 1 - e[0].modelled_s / e[0].measured_s, 1e-12);
    }
    for (int i = 0; i < N; i++) e[i].measured_s = 1e3 * e[i].modelled_s; /* the model is of another machine */
    CU_ASSERT_EQUAL_FATAL(plani_calibration_fit(N, e, &c), PLAN_OK);
    CU_ASSERT(c.scale == 1 && c.level_s == 0);
}

/* Twenty times too fast or too slow a model still says something; beyond, nothing. */
static void a_model_that_is_far_off_is_left_alone(void)
{
    static const struct {
        double scale;
        bool believed;
    } is[] = {{19, true}, {21, false}, {0.055, true}, {0.045, false}};
    for (int i = 0; i < 4; i++) {
        plani_experiment_t e[N];
        plan_calibration_t c;
        draw(is[i].scale, 0, e);
        CU_ASSERT_EQUAL_FATAL(plani_calibration_fit(N, e, &c), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(c.scale, is[i].believed ? is[i].scale : 1, 1e-6);
        CU_ASSERT_DOUBLE_EQUAL(c.error_without, fabs(1 / is[i].scale - 1), 1e-9);
    }
}

static plan_platform_t *complete(int ranks, size_t ncalibrations, const plan_calibration_t *calibration)
{
    plan_link_t link[64];
    size_t n = 0;
    plan_platform_t *pf = NULL;
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++)
            if (u != v)
                link[n++] = (plan_link_t){.from = u, .to = v, .latency_s = 1e-6, .s_per_byte = 1e-9, .channel = -1};
    const plan_platform_data_t d = {
        .ranks = ranks, .nlinks = n, .link = link, .ncalibrations = ncalibrations, .calibration = calibration};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

static double predicted(const plan_platform_t *pf, const char *name)
{
    const plan_choice_t choice = {.only = name, .slice = 1000, .window = 4};
    plan_ranking_t *ranking = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 0, 1000, &choice, &ranking, NULL), PLAN_OK);
    double seconds = ranking->candidate[0].predicted_s;
    plan_ranking_destroy(&ranking);
    return seconds;
}

static void rankings_predict_as_calibrated(void)
{
    static const plan_calibration_t calibration[] = {{"ompi-pipeline", 2, 1e-3, 0, 0}, {"ompi-linear", 0.5, 0, 0, 0}};
    plan_platform_t *plain = complete(5, 0, NULL), *calibrated = complete(5, 2, calibration);
    CU_ASSERT_DOUBLE_EQUAL(predicted(calibrated, "ompi-pipeline"), 2 * predicted(plain, "ompi-pipeline") + 4e-3, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(predicted(calibrated, "ompi-linear"), predicted(plain, "ompi-linear") / 2, 1e-9);
    CU_ASSERT_EQUAL(predicted(calibrated, "ompi-binomial"), predicted(plain, "ompi-binomial"));
    plan_platform_destroy(&plain);
    plan_platform_destroy(&calibrated);
}

SUITE_MAIN("calibration", TEST(a_line_is_found_from_microseconds_to_seconds),
           TEST(a_wild_experiment_moves_the_line_little), TEST(no_level_takes_less_than_nothing),
           TEST(three_experiments_make_a_line), TEST(out_of_memory_is_no_calibration),
           TEST(too_few_experiments_change_nothing), TEST(a_model_that_is_far_off_is_left_alone),
           TEST(rankings_predict_as_calibrated))
