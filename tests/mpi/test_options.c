/* Options from the environment, error messages that name the wrong variable, and the arithmetic of clocks. */
#include "mpi_suite.h"
#include "lib/mpi/autotune/time.h"
#include <string.h>

static const char *const names[] = {"PLANBCAST_MODE",   "PLANBCAST_PROFILE", "PLANBCAST_SAVE_PROFILE",
                                    "PLANBCAST_BUDGET", "PLANBCAST_MODEL",   "PLANBCAST_CANDIDATES",
                                    "PLANBCAST_SLICE",  "PLANBCAST_CHECK"};

static void unset_all(void)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) unsetenv(names[i]);
}

static void defaults_hold_in_an_empty_environment(void)
{
    plan_options_t o;
    unset_all();
    CU_ASSERT_EQUAL(plan_options_init(&o, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(o.mode, PLAN_DEFAULT);
    CU_ASSERT_EQUAL(o.budget_s, 10);
    CU_ASSERT_EQUAL(o.shortlist, 11);
    CU_ASSERT_PTR_NULL(o.load_profile);
    CU_ASSERT_PTR_NULL(o.save_profile);
    CU_ASSERT_PTR_NULL(o.choice.only);
    CU_ASSERT_EQUAL(o.choice.slice, 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) setenv(names[i], "", 1); /* the same as unset */
    CU_ASSERT_EQUAL(plan_options_init(&o, NULL), PLAN_OK);
    CU_ASSERT_PTR_NULL(o.load_profile);
    unset_all();
}

static void every_variable_counts(void)
{
    plan_options_t o;
    setenv("PLANBCAST_MODE", "measure", 1);
    setenv("PLANBCAST_PROFILE", "a", 1);
    setenv("PLANBCAST_SAVE_PROFILE", "b", 1);
    setenv("PLANBCAST_BUDGET", "0.5", 1);
    setenv("PLANBCAST_MODEL", "simulation", 1);
    setenv("PLANBCAST_CANDIDATES", "best-tree,native", 1);
    setenv("PLANBCAST_SLICE", "65536", 1);
    CU_ASSERT_EQUAL(plan_options_init(&o, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(o.mode, PLAN_MEASURE);
    CU_ASSERT_STRING_EQUAL(o.load_profile, "a");
    CU_ASSERT_STRING_EQUAL(o.save_profile, "b");
    CU_ASSERT_EQUAL(o.budget_s, 0.5);
    CU_ASSERT_STRING_EQUAL(o.choice.model, "simulation");
    CU_ASSERT_STRING_EQUAL(o.choice.only, "best-tree,native");
    CU_ASSERT_EQUAL(o.choice.slice, 65536);
    CU_ASSERT_FALSE(o.check);
    setenv("PLANBCAST_MODE", "duel", 1);
    setenv("PLANBCAST_MODEL", "taulop", 1);
    CU_ASSERT_EQUAL(plan_options_init(&o, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(o.mode, PLAN_DUEL);
    CU_ASSERT_STRING_EQUAL(o.choice.model, "taulop");
    setenv("PLANBCAST_MODE", "default", 1);
    setenv("PLANBCAST_CHECK", "1", 1);
    CU_ASSERT_EQUAL(plan_options_init(&o, NULL), PLAN_OK);
    CU_ASSERT_TRUE(o.check);
    CU_ASSERT_EQUAL(o.mode, PLAN_DEFAULT);
    setenv("PLANBCAST_SLICE", "auto", 1);
    CU_ASSERT_EQUAL(plan_options_init(&o, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(o.choice.slice, 0);
    unset_all();
}

/* As a program that was compiled with other headers passes them. */
static void options_of_another_size_are_refused(void)
{
    plan_options_t o;
    plan_error_t err;
    plan_profile_t *profile = NULL;
    plan_t *plan = NULL;
    unset_all();
    memset(&o, 7, sizeof o);
    CU_ASSERT_EQUAL(plan_options_read(&o, sizeof o - 8, &err), PLAN_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "plan_options_t"));
    CU_ASSERT_EQUAL(o.shortlist, 0x07070707); /* nothing is written */
    CU_ASSERT_EQUAL(plan_options_init(&o, &err), PLAN_OK);
    CU_ASSERT(o.size == sizeof o && o.choice.size == sizeof o.choice);
    o.error = &err;
    for (int smaller = 0; smaller < 2; smaller++) {
        o.size = sizeof o + (smaller ? (size_t)-8 : 8);
        CU_ASSERT_EQUAL(plan_bcast(MPI_COMM_WORLD, 0, 100, &o, &plan), PLAN_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "plan_options_t of size"));
        CU_ASSERT_EQUAL(plan_measure(MPI_COMM_WORLD, &o, &profile), PLAN_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "plan_options_t of size"));
    }
    CU_ASSERT(plan == NULL && profile == NULL);
}

/* Without options, plan_measure reads the environment itself. */
static void measuring_by_a_bad_environment_is_refused(void)
{
    plan_profile_t *profile = NULL;
    unset_all();
    setenv("PLANBCAST_BUDGET", "ten", 1);
    CU_ASSERT_EQUAL(plan_measure(MPI_COMM_WORLD, NULL, &profile), PLAN_EINVAL);
    CU_ASSERT_PTR_NULL(profile);
    unset_all();
}

static void a_bad_value_is_named(void)
{
    static const char *const bad[][2] = {
        {"PLANBCAST_MODE", "fast"},   {"PLANBCAST_BUDGET", "-1"},        {"PLANBCAST_BUDGET", "0"},
        {"PLANBCAST_BUDGET", "ten"},  {"PLANBCAST_BUDGET", "1s"},        {"PLANBCAST_BUDGET", "nan"},
        {"PLANBCAST_BUDGET", "inf"},  {"PLANBCAST_SLICE", "0"},          {"PLANBCAST_SLICE", "-5"},
        {"PLANBCAST_SLICE", "1e3"},   {"PLANBCAST_SLICE", "2000000000"}, {"PLANBCAST_SLICE", "99999999999999999999"},
        {"PLANBCAST_MODEL", "loggp"}, {"PLANBCAST_CHECK", "yes"},        {"PLANBCAST_BUDGET", "0x10"},
        {"PLANBCAST_BUDGET", " 3"},   {"PLANBCAST_SLICE", "0x100"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        plan_options_t o;
        plan_error_t err;
        unset_all();
        setenv(bad[i][0], bad[i][1], 1);
        CU_ASSERT_EQUAL(plan_options_init(&o, &err), PLAN_EINVAL);
        CU_ASSERT_EQUAL(err.status, PLAN_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad[i][0]));
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad[i][1]));
    }
    unset_all();
}

/* n = 100: the interval is from the 40th to the 61st value (0.98 * 10 on both sides of 50, outwards). */
static void the_median_knows_its_interval(void)
{
    double x[100];
    int narrow;
    for (int i = 0; i < 100; i++) x[i] = 100 - i;
    CU_ASSERT_DOUBLE_EQUAL(plani_median(x, 100, &narrow), 50.5, 1e-12);
    CU_ASSERT_FALSE(narrow);
    for (int i = 0; i < 100; i++) x[i] = i >= 39 && i <= 60 ? 1000 + i : i < 39 ? 1 : 1e9;
    CU_ASSERT_DOUBLE_EQUAL(plani_median(x, 100, &narrow), 1049.5, 1e-9);
    CU_ASSERT(narrow);
    x[39] = 1;
    plani_median(x, 100, &narrow);
    CU_ASSERT_FALSE(narrow);
    for (int i = 0; i < 3; i++) x[i] = 7;
    CU_ASSERT_EQUAL(plani_median(x, 3, &narrow), 7);
    CU_ASSERT_FALSE(narrow); /* three values say nothing yet */
}

MPI_SUITE_MAIN("options", TEST(defaults_hold_in_an_empty_environment), TEST(every_variable_counts),
               TEST(options_of_another_size_are_refused), TEST(a_bad_value_is_named),
               TEST(measuring_by_a_bad_environment_is_refused), TEST(the_median_knows_its_interval))
