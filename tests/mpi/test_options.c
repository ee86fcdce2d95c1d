/* The environment is read into options, and what is wrong in it is named. And the clock's arithmetic. */
#include "mpi_suite.h"
#include "lib/mpi/autotune/contest.h"
#include "lib/mpi/autotune/race.h"
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
    CU_ASSERT_EQUAL(o.finalists, 4);
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
    CU_ASSERT_EQUAL(o.finalists, 0x07070707); /* nothing is written */
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

static plani_runner_t runner_of(int n, double first, double least, double step)
{
    plani_runner_t r = {.n = n};
    for (int i = 0; i < n; i++) r.sample[i] = i == 0 ? first : least + step * (n - i);
    plani_runner_sum_up(&r);
    return r;
}

/* The first run sets connections up; the interval is that of the median. */
static void a_first_short_run_does_not_count(void)
{
    plani_runner_t r = runner_of(1, 1e-3, 0, 0);
    CU_ASSERT(r.median == 1e-3 && r.low == 1e-3 && r.high == 1e-3);
    r = runner_of(4, 1e-3, 1e-5, 0);
    CU_ASSERT(r.median == 1e-5 && r.low == 1e-5 && r.high == 1e-5);
    r = runner_of(3, 1, 2, 0); /* a second is no set-up */
    CU_ASSERT(r.median == 2 && r.low == 1 && r.high == 2);
    r = runner_of(3, 50e-3, 1e-3, 0); /* but this is */
    CU_ASSERT(r.median == 1e-3);
    r = runner_of(101, 0, 0, 1e-6); /* 100 values from 1 to 100 us */
    CU_ASSERT_DOUBLE_EQUAL(r.median, 50.5e-6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(r.low, 40e-6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(r.high, 61e-6, 1e-12);
}

static void what_noise_explains_beats_nobody(void)
{
    plani_runner_t a = runner_of(50, 1, 100e-6, 0.1e-6), b = runner_of(50, 1, 101e-6, 0.1e-6);
    CU_ASSERT_FALSE(plani_runner_beats(&a, &b)); /* 1% */
    b = runner_of(50, 1, 110e-6, 0.1e-6);
    CU_ASSERT_TRUE(plani_runner_beats(&a, &b));
    CU_ASSERT_FALSE(plani_runner_beats(&b, &a));
    a = runner_of(9, 1, 100e-6, 20e-6), b = runner_of(9, 1, 110e-6, 20e-6); /* 5%, within wide intervals */
    CU_ASSERT_FALSE(plani_runner_beats(&a, &b));
    b = (plani_runner_t){.n = 0};
    plani_runner_sum_up(&b);
    CU_ASSERT_FALSE(plani_runner_beats(&a, &b));
    CU_ASSERT_FALSE(plani_runner_beats(&b, &a));
}

static void a_plan_need_not_be_faster_where_broadcasts_are_long(void)
{
    plani_runner_t a = runner_of(3, 84e-3, 84e-3, 0), b = runner_of(3, 83e-3, 83e-3, 0);
    CU_ASSERT_TRUE(plani_runner_beats(&a, &b)); /* 1% */
    a = runner_of(3, 87e-3, 87e-3, 0);
    CU_ASSERT_FALSE(plani_runner_beats(&a, &b)); /* 5% */
}

static plan_candidate_t planned = {.size = sizeof planned, .run = PLAN_RUN_TREES},
                        native = {.size = sizeof native, .run = PLAN_RUN_NATIVE};

static plani_runner_t planned_of(int n, double first, double least, double step)
{
    plani_runner_t r = runner_of(n, first, least, step);
    r.c = &planned;
    return r;
}

/* Medians 2.5% apart are a tie. */
static void of_equals_the_surest_is_picked(void)
{
    plani_runner_t r[] = {planned_of(41, 1, 100e-6, 1e-6),
                          planned_of(41, 1, 119e-6, 0.1e-6),
                          planned_of(41, 1, 130e-6, 0),
                          runner_of(41, 1, 10e-6, 0),
                          {.n = 0, .c = &planned}};
    r[3].c = &native; /* fastest, but no plan */
    plani_runner_sum_up(&r[4]);
    CU_ASSERT_PTR_EQUAL(plani_runners_pick(r, 5), &r[1]); /* 120.5 and 121.05 us */
    CU_ASSERT_PTR_EQUAL(plani_runners_pick(&r[2], 3), &r[2]);
    CU_ASSERT_PTR_NULL(plani_runners_pick(&r[3], 2));
    r[0].out = r[1].out = true;
    CU_ASSERT_PTR_EQUAL(plani_runners_pick(r, 5), &r[2]); /* the others lost when they dropped out */
    r[2].out = true;
    CU_ASSERT_PTR_EQUAL(plani_runners_pick(r, 5), &r[1]);
}

static void a_single_run_wins_against_no_other(void)
{
    plani_runner_t r[] = {planned_of(1, 82e-3, 0, 0), planned_of(2, 83e-3, 83e-3, 0), planned_of(1, 85e-3, 0, 0)};
    CU_ASSERT_PTR_EQUAL(plani_runners_pick(r, 3), &r[1]);
    r[1] = planned_of(1, 83e-3, 0, 0); /* unless all ran once */
    CU_ASSERT_PTR_EQUAL(plani_runners_pick(r, 3), &r[0]);
}

static void who_is_behind_beyond_doubt_drops_out(void)
{
    plani_runner_t r[] = {planned_of(41, 1, 100e-6, 1e-6), planned_of(41, 1, 110e-6, 1e-6),
                          planned_of(41, 1, 150e-6, 1e-6), planned_of(9, 1, 150e-6, 1e-6),
                          planned_of(9, 1, 260e-6, 1e-6),  planned_of(41, 1, 150e-6, 1e-6)};
    r[5].stays = true;
    plani_runners_drop(r, 6);
    CU_ASSERT(!r[0].out && !r[1].out && r[2].out); /* intervals that overlap, and that do not */
    CU_ASSERT(!r[3].out && r[4].out);              /* too few runs to tell; enough for twice as long */
    CU_ASSERT(!r[5].out);
    r[5] = planned_of(3, 1, 500e-6, 0), r[5].stays = true;
    plani_runners_drop(r, 6);
    CU_ASSERT(!r[5].out); /* ranks may have slept */
    r[5] = planned_of(5, 1, 500e-6, 0), r[5].stays = true;
    plani_runners_drop(r, 6);
    CU_ASSERT(r[5].out); /* hopeless */
    plani_runner_t slow[] = {planned_of(3, 1, 1, 0), planned_of(3, 1.25, 1.25, 0), planned_of(2, 1.25, 1.25, 0)};
    plani_runners_drop(slow, 3); /* long broadcasts are dropped sooner */
    CU_ASSERT(!slow[0].out && slow[1].out && !slow[2].out);
}

/* However long it took: it may have set connections up. */
static void nobody_drops_out_for_a_first_run(void)
{
    plani_runner_t r[] = {planned_of(9, 1, 1e-3, 0), planned_of(1, 50e-3, 0, 0), planned_of(4, 50e-3, 50e-3, 0)};
    plani_runners_drop(r, 3);
    CU_ASSERT(!r[0].out && !r[1].out && r[2].out);
    plani_runner_t slow[] = {planned_of(2, 30e-3, 30e-3, 0), planned_of(1, 90e-3, 0, 0)};
    plani_runners_drop(slow, 2);
    CU_ASSERT(slow[1].out); /* unless all take that long */
}

static void a_race_goes_on_while_something_can_be_gained(void)
{
    plani_runner_t r[] = {planned_of(101, 1, 100e-6, 0.01e-6), planned_of(101, 1, 101e-6, 0.01e-6),
                          planned_of(101, 1, 120e-6, 1e-6)};
    CU_ASSERT_TRUE(plani_runners_known(r, 3)); /* whoever it is, 1% at most is lost */
    r[1] = planned_of(101, 1, 52e-6, 1e-6);    /* may be 8% faster */
    CU_ASSERT_FALSE(plani_runners_known(r, 2));
    r[1].out = true;
    CU_ASSERT_TRUE(plani_runners_known(r, 2));
    r[0] = planned_of(4, 1, 100e-6, 0);
    CU_ASSERT_FALSE(plani_runners_known(r, 2)); /* too few runs */
}

enum { LAPS = 4 };

/* A ranking of two plans and MPI_Bcast, and what each took in the contest and in three laps [us], of so many runs. */
static void look_again(const int runs[LAPS], const double us[3][LAPS], plan_candidate_t c[3])
{
    const plan_options_t silent = {.size = sizeof silent, .report = NULL};
    const plani_arena_t arena = {.options = &silent};
    plan_ranking_t ranking = {.ncandidates = 3, .candidate = c};
    static plani_encore_t e;
    const char *name[] = {"native", "one", "other"};

    e = (plani_encore_t){.ranking = &ranking, .n = 3};
    for (int i = 0; i < 3; i++) {
        c[i] = (plan_candidate_t){
            .size = sizeof(plan_candidate_t), .run = i == 0 ? PLAN_RUN_NATIVE : PLAN_RUN_TREES, .measured_s = 1};
        snprintf(c[i].name, sizeof c[i].name, "%s", name[i]);
        e.c[i] = c[i];
        e.c[i].slice = i == 0 ? 0 : 4096;
    }
    for (int lap = 0; lap < LAPS; lap++) {
        for (int i = 0; i < 3; i++) {
            e.runner[i] = (plani_runner_t){.c = &e.c[i], .n = runs[lap], .sample = {900}}; /* the first is cold */
            for (int k = 1; k < runs[lap]; k++) e.runner[i].sample[k] = 1e-6 * us[i][lap];
        }
        plani_encore_count(&e);
    }
    plani_encore_settle(&arena, &e);
}

/* The median of all runs decides, in times of what all took in their lap. */
static void runs_at_other_times_decide(void)
{
    const int alike[LAPS] = {9, 9, 9, 9}, few[LAPS] = {30, 4, 4, 4};
    plan_candidate_t c[3];
    look_again(alike, (const double[3][LAPS]){{90, 90, 180, 90}, {60, 60, 120, 60}, {20, 80, 160, 80}}, c);
    CU_ASSERT_STRING_EQUAL(c[0].name, "one"); /* who was lucky in the contest gains nothing */
    CU_ASSERT_EQUAL(c[0].slice, 4096);
    CU_ASSERT_DOUBLE_EQUAL(c[0].measured_s, 60e-6, 1e-12);
    look_again(alike, (const double[3][LAPS]){{60, 60, 60, 60}, {50, 50, 50, 900}, {80, 80, 80, 80}}, c);
    CU_ASSERT_STRING_EQUAL(c[0].name, "one"); /* disturbed once */
    CU_ASSERT_DOUBLE_EQUAL(c[0].measured_s, 50e-6, 1e-12);
    look_again(few, (const double[3][LAPS]){{60, 60, 60, 60}, {50, 62, 62, 62}, {80, 80, 80, 80}}, c);
    CU_ASSERT_STRING_EQUAL(c[0].name, "one"); /* few runs weigh less than many */
}

/* MPI_Bcast goes only for a plan that is faster by more than 2.5%. */
static void in_doubt_mpi_bcast_stays(void)
{
    const int alike[LAPS] = {9, 9, 9, 9};
    plan_candidate_t c[3];
    look_again(alike, (const double[3][LAPS]){{60, 60, 60, 60}, {59, 59, 59, 59}, {80, 80, 80, 80}}, c);
    CU_ASSERT_STRING_EQUAL(c[0].name, "native");
    look_again(alike, (const double[3][LAPS]){{60, 60, 60, 60}, {40, 62, 62, 62}, {80, 80, 80, 80}}, c);
    CU_ASSERT_STRING_EQUAL(c[0].name, "native");
}

MPI_SUITE_MAIN("options", TEST(defaults_hold_in_an_empty_environment), TEST(every_variable_counts),
               TEST(options_of_another_size_are_refused), TEST(a_bad_value_is_named),
               TEST(measuring_by_a_bad_environment_is_refused), TEST(the_median_knows_its_interval),
               TEST(a_first_short_run_does_not_count), TEST(what_noise_explains_beats_nobody),
               TEST(of_equals_the_surest_is_picked), TEST(a_single_run_wins_against_no_other),
               TEST(a_plan_need_not_be_faster_where_broadcasts_are_long), TEST(who_is_behind_beyond_doubt_drops_out),
               TEST(nobody_drops_out_for_a_first_run), TEST(a_race_goes_on_while_something_can_be_gained),
               TEST(runs_at_other_times_decide), TEST(in_doubt_mpi_bcast_stays))
