/* Who runs next in a race, and who wins, where a table says what each run takes: no clock, no ranks. */
#include "suite.h"
#include "lib/mpi/autotune/race.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 10, NATIVE = 1 };
static const double aside_s = 5e-3;

/* What the k-th run of a candidate takes [s]. */
typedef double (*table_t)(plani_rng_t *rng, int who, int k);

typedef struct {
    plani_runner_t runner[N];
    plan_candidate_t c[N];
    double spent_s, longest_s;
} race_t;

/* One candidate is MPI_Bcast, which stays, and the others are plans; all are predicted to take as long. */
static const plani_runner_t *run(race_t *r, table_t table, double budget_s, uint64_t seed)
{
    plani_heat_t heat = {.budget_s = budget_s};
    plani_judge_t judge = {.heat = &heat};
    plani_round_t round;
    plani_rng_t rng;

    memset(r, 0, sizeof *r);
    plani_rng_seed(&rng, seed);
    plani_rng_seed(&judge.rng, seed);
    for (int i = 0; i < N; i++) {
        r->c[i] = (plan_candidate_t){.size = sizeof(plan_candidate_t),
                                     .run = i == NATIVE ? PLAN_RUN_NATIVE : PLAN_RUN_TREES,
                                     .predicted_s = 0.083};
        r->runner[i] = (plani_runner_t){.c = &r->c[i], .stays = i == NATIVE, .median = NAN};
    }
    for (;;) {
        double took[PLANI_FIELD];
        plani_judge_draw(&judge, r->runner, N, &round);
        if (round.n == 0) break;
        for (int i = 0; i < round.n; i++) {
            took[i] = table(&rng, round.who[i], r->runner[round.who[i]].n);
            judge.spent_s += took[i] + aside_s;
            r->longest_s = fmax(r->longest_s, took[i] + aside_s);
        }
        plani_judge_note(&judge, r->runner, &round, took);
    }
    r->spent_s = judge.spent_s;
    return plani_runners_pick(r->runner, N);
}

/* Plan 5 is lucky in its first run. */
static double lucky_once(plani_rng_t *rng, int who, int k)
{
    (void)rng;
    if (who == 5) return k == 0 ? 0.082 : 0.120;
    return who == 7 ? 0.083 : 0.090 + 0.001 * who;
}

/* The time does not do for two runs of each. */
static void who_was_lucky_once_runs_again_and_loses(void)
{
    race_t r;
    for (int runs = 13; runs < 20; runs++) {
        const plani_runner_t *won = run(&r, lucky_once, runs * 0.1, 1);
        CU_ASSERT_PTR_EQUAL(won, &r.runner[7]);
        CU_ASSERT(r.runner[7].n >= 2 && r.runner[5].n >= 2);
    }
}

static double steady(plani_rng_t *rng, int who, int k)
{
    (void)rng, (void)k;
    return 0.083 + 0.001 * who;
}

/* Time for seven runs: six begin, and the best runs again. */
static void nobody_begins_without_time_to_run_the_best_again(void)
{
    race_t r;
    const plani_runner_t *won = run(&r, steady, 7 * 0.09, 1);
    CU_ASSERT_PTR_EQUAL_FATAL(won, &r.runner[0]);
    CU_ASSERT_EQUAL(won->n, 2);
    for (int i = 1; i < N; i++) CU_ASSERT_EQUAL(r.runner[i].n, i < 6);
}

/* However little time there is. */
static void who_stays_begins_in_any_case(void)
{
    race_t r;
    run(&r, steady, 2.5 * 0.09, 1);
    for (int i = 1; i < N; i++) CU_ASSERT_EQUAL(r.runner[i].n, i == NATIVE);
}

static double brief(plani_rng_t *rng, int who, int k)
{
    (void)rng, (void)k;
    return 1e-3 * (1 + 0.01 * who);
}

/* Who leads after a few rounds says little there. */
static void brief_broadcasts_run_equally_often(void)
{
    race_t r;
    run(&r, brief, 0.3, 1);
    for (int i = 0; i < N; i++) CU_ASSERT(r.runner[i].n >= 4 && abs(r.runner[i].n - r.runner[0].n) <= 2);
}

/* One of four runs of a message sent whole is as fast as the plans 0, 2 and 3, which are sliced. */
static double at_times_fast(plani_rng_t *rng, int who, int k)
{
    (void)k;
    if (who != NATIVE && who <= 3) return 0.083 + 0.001 * plani_rng_unit(rng);
    return plani_rng_below(rng, 4) == 0 ? 0.082 : 0.110 + 0.030 * plani_rng_unit(rng);
}

static void races_end_in_time(void)
{
    race_t r;
    for (int i = 0; i < 200; i++) {
        double budget_s = 0.05 + 0.02 * i;
        run(&r, at_times_fast, budget_s, (uint64_t)i);
        CU_ASSERT(r.spent_s <= budget_s + 2 * r.longest_s);
    }
}

/* Whoever takes the least of single runs takes a whole message in four of five of these races. */
static void luck_seldom_wins(void)
{
    static const int slots[] = {18, 24, 30};
    race_t r;
    for (int s = 0; s < 3; s++) {
        int lucky = 0, native = 0;
        for (int i = 0; i < 500; i++) {
            const plani_runner_t *won = run(&r, at_times_fast, slots[s] * 0.1, (uint64_t)i);
            int who = (int)(won - r.runner);
            lucky += who > 3;
            native += !plani_runner_beats(won, &r.runner[NATIVE]);
        }
        CU_ASSERT(lucky < 500 / 8);
        CU_ASSERT(native < 500 / 50);
    }
}

SUITE_MAIN("judge", TEST(who_was_lucky_once_runs_again_and_loses),
           TEST(nobody_begins_without_time_to_run_the_best_again), TEST(who_stays_begins_in_any_case),
           TEST(brief_broadcasts_run_equally_often), TEST(races_end_in_time), TEST(luck_seldom_wins))
