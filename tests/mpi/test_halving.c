/* Sequential halving with times from a table instead of a clock, without ranks. */
#include "suite.h"
#include <math.h>
#include <string.h>
#include "lib/mpi/autotune/halving.h"

enum { N = 12, NATIVE = 1, ROUNDS = 4 };

typedef double (*table_t)(plani_rng_t *rng, int who, int pass); /* [s] */

static plani_arm_t arm[N];

static void begin(void)
{
    memset(arm, 0, sizeof arm);
    for (int i = 0; i < N; i++)
        arm[i].c =
            (plan_candidate_t){.size = sizeof(plan_candidate_t), .run = i == NATIVE ? PLAN_RUN_NATIVE : PLAN_RUN_TREES};
}

/* All passes. \return how many broadcasts */
static int play(table_t table, uint64_t seed, int in[PLANI_PASSES])
{
    plani_rng_t rng;
    int runs = 0;
    plani_rng_seed(&rng, seed);
    begin();
    for (int pass = 0; pass < PLANI_PASSES; pass++) {
        in[pass] = 0;
        for (int i = 0; i < N; i++) in[pass] += !arm[i].out;
        for (int k = 0; k < ROUNDS; k++) {
            int who[PLANI_ARMS], n = plani_draw_round(&rng, arm, N, who);
            for (int i = 0; i < n; i++) plani_arm_add(&arm[who[i]], table(&rng, who[i], pass));
            runs += n;
        }
        plani_halve(arm, N);
    }
    return runs;
}

static double noisy(plani_rng_t *rng, int who, int pass)
{
    double noise = 1 + 0.3 * (double)plani_rng_below(rng, 1000) / 1000;
    (void)pass;
    return (who == 7 ? 1 : 1.15 + 0.02 * who) * noise;
}

/* All at once are slower in every other pass, as when ranks move to one processor. */
static double level_shifts(plani_rng_t *rng, int who, int pass)
{
    return noisy(rng, who, pass) * (pass % 2 ? 2 : 1);
}

static double equal(plani_rng_t *rng, int who, int pass)
{
    (void)rng, (void)who, (void)pass;
    return 1;
}

static double lucky_at_first(plani_rng_t *rng, int who, int pass)
{
    return noisy(rng, who, pass) * (who == 3 && pass == 0 ? 0.7 : 1);
}

static void half_of_the_plans_leave_after_each_pass(void)
{
    int in[PLANI_PASSES];
    int runs = play(equal, 1, in);
    CU_ASSERT_EQUAL(in[0], 12); /* 11 plans and MPI_Bcast */
    CU_ASSERT_EQUAL(in[1], 7);
    CU_ASSERT_EQUAL(in[2], 4);
    CU_ASSERT_EQUAL(in[3], 3);
    CU_ASSERT_EQUAL(runs, ROUNDS * (12 + 7 + 4 + 3));
    for (int i = 0; i < N; i++) CU_ASSERT(arm[i].n % ROUNDS == 0 && arm[i].n >= ROUNDS);
    CU_ASSERT_EQUAL(arm[NATIVE].n, PLANI_PASSES * ROUNDS);
}

static void the_fastest_wins_in_spite_of_noise(void)
{
    static const table_t table[] = {noisy, level_shifts, lucky_at_first};
    int in[PLANI_PASSES];
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        int won = 0;
        for (uint64_t seed = 1; seed <= 200; seed++) {
            play(table[k], seed, in);
            won += plani_winner(arm, N) == 7;
        }
        CU_ASSERT(won >= 190); /* chance: 17 */
    }
}

static void mpi_bcast_has_to_be_faster_beyond_the_margin(void)
{
    static const double native[] = {1, 0.98, 0.97, 0.5};
    for (int k = 0; k < 4; k++) {
        begin();
        for (int i = 0; i < N; i++)
            for (int run = 0; run < 10; run++) plani_arm_add(&arm[i], i == NATIVE ? native[k] : 1 + (i != 4) * 0.1);
        CU_ASSERT_EQUAL(plani_winner(arm, N), k < 2 ? 4 : NATIVE);
    }
}

static void mpi_bcast_stays_unless_it_is_hopeless(void)
{
    for (int slow = 0; slow < 2; slow++) {
        begin();
        for (int i = 0; i < N; i++) plani_arm_add(&arm[i], i == NATIVE ? (slow ? 2.1 : 1.9) : 1);
        plani_halve(arm, N);
        CU_ASSERT_EQUAL(arm[NATIVE].out, slow);
    }
}

static void who_has_not_run_stays_by_what_is_expected_and_cannot_win(void)
{
    begin();
    CU_ASSERT_EQUAL(plani_winner(arm, N), -1);
    plani_arm_add(&arm[NATIVE], 1);
    CU_ASSERT_EQUAL(plani_winner(arm, N), -1); /* of one time there is nothing to learn */
    CU_ASSERT_EQUAL(plani_winner(arm + NATIVE, 1), 0);
    plani_arm_add(&arm[2], 5);
    for (int i = 3; i < N; i++) arm[i].expected_s = i; /* of arm 0 nobody knows */
    plani_halve(arm, N);
    for (int i = 0; i < N; i++) CU_ASSERT_EQUAL(arm[i].out, i == 0 || i > 7);
    CU_ASSERT_EQUAL(plani_winner(arm, N), NATIVE);
    arm[NATIVE].n = 0;
    CU_ASSERT_EQUAL(plani_winner(arm, N), 2); /* nobody knows of MPI_Bcast */
    arm[NATIVE].expected_s = 4;
    CU_ASSERT_EQUAL(plani_winner(arm, N), NATIVE);
}

static void mpi_bcast_that_took_all_the_time_makes_way(void)
{
    begin();
    plani_arm_add(&arm[NATIVE], 100);
    plani_halve(arm, N);
    for (int i = 0; i < N; i++) CU_ASSERT_EQUAL(arm[i].out, i == NATIVE);
    plani_arm_add(&arm[5], 1);
    plani_halve(arm, N);
    CU_ASSERT_EQUAL(plani_winner(arm, N), 5);
}

/* A variant that came late, and ran once or twice, does not win because the faster ones have left by then. */
static void who_has_left_may_win(void)
{
    static const double left[] = {2.6, 1.4, 1.6, 1.7}, late[] = {1.8, 2.4};
    begin();
    for (int k = 0; k < 4; k++) plani_arm_add(&arm[3], left[k]);
    arm[3].predicted_s = 2.2;
    for (int k = 0; k < 2; k++) plani_arm_add(&arm[7], late[k]);
    arm[7].predicted_s = 3.1;
    arm[3].out = true;
    CU_ASSERT_EQUAL(plani_winner(arm, N), 3);
}

static void it_is_decided_when_one_plan_is_left_and_mpi_bcast_is_apart(void)
{
    begin();
    for (int i = 0; i < N; i++)
        for (int run = 0; run < 20; run++) plani_arm_add(&arm[i], (i == NATIVE ? 1.5 : 1) + 0.01 * run);
    CU_ASSERT_FALSE(plani_is_decided(arm, N));
    for (int i = 0; i < N; i++) arm[i].out = i != 5 && i != NATIVE;
    CU_ASSERT_TRUE(plani_is_decided(arm, N));
    for (int run = 0; run < 200; run++) plani_arm_add(&arm[NATIVE], 1 + 0.001 * run);
    CU_ASSERT_FALSE(plani_is_decided(arm, N)); /* their intervals overlap */
}

static void rounds_are_permutations_of_those_that_are_in(void)
{
    int who[PLANI_ARMS], first[N] = {0};
    plani_rng_t rng;
    plani_rng_seed(&rng, 3);
    begin();
    arm[4].out = true;
    for (int k = 0; k < 11000; k++) {
        bool seen[N] = {false};
        CU_ASSERT_EQUAL_FATAL(plani_draw_round(&rng, arm, N, who), N - 1);
        for (int i = 0; i < N - 1; i++) seen[who[i]] = true;
        for (int i = 0; i < N; i++) CU_ASSERT_EQUAL(seen[i], i != 4);
        first[who[0]]++;
    }
    for (int i = 0; i < N; i++)
        CU_ASSERT(i == 4 ? first[i] == 0 : first[i] > 800 && first[i] < 1200); /* 1000, 30 off */
}

/* Mean loss of the winner, of 500 games of one run per arm and pass. Runs scatter by up to `scatter` times the time,
 * the times of arms differ from their predictions by up to `off` times. `told`: arms know their predictions. */
static double mean_loss(bool told, double scatter, double off)
{
    plani_rng_t rng;
    double sum = 0;
    plani_rng_seed(&rng, 17);
    for (int game = 0; game < 500; game++) {
        double truth[N], least = INFINITY;
        begin();
        for (int i = 0; i < N; i++) {
            double predicted = 1 + 0.05 * i;
            truth[i] = 2 * predicted * (1 + off * ((double)plani_rng_below(&rng, 1001) / 1000 - 0.5));
            if (i == NATIVE) truth[i] = 4;
            least = fmin(least, truth[i]);
            if (told) arm[i].predicted_s = predicted;
        }
        for (int pass = 0; pass < PLANI_PASSES; pass++) {
            int who[PLANI_ARMS], n = plani_draw_round(&rng, arm, N, who);
            for (int i = 0; i < n; i++)
                plani_arm_add(&arm[who[i]], truth[who[i]] * (1 + scatter * (double)plani_rng_below(&rng, 1001) / 1000));
            plani_halve(arm, N);
        }
        sum += truth[plani_winner(arm, N)] / least - 1;
    }
    return sum / 500;
}

static void predictions_count_where_runs_scatter(void)
{
    double told = mean_loss(true, 1, 0.1), untold = mean_loss(false, 1, 0.1);
    CU_ASSERT(told < 0.02);
    CU_ASSERT(untold > 3 * told);
}

static void runs_count_where_predictions_are_off(void)
{
    CU_ASSERT(mean_loss(true, 0.01, 1) < 0.002);
    CU_ASSERT(mean_loss(true, 0.2, 1) < 0.01);
}

static void samples_beyond_the_room_are_left_out(void)
{
    begin();
    for (int k = 0; k < PLANI_SAMPLES + 10; k++) plani_arm_add(&arm[0], k < PLANI_SAMPLES ? 1 : 99);
    CU_ASSERT_EQUAL(arm[0].n, PLANI_SAMPLES);
    CU_ASSERT_EQUAL(arm[0].median, 1);
}

SUITE_MAIN("halving", TEST(half_of_the_plans_leave_after_each_pass), TEST(the_fastest_wins_in_spite_of_noise),
           TEST(mpi_bcast_has_to_be_faster_beyond_the_margin), TEST(mpi_bcast_stays_unless_it_is_hopeless),
           TEST(who_has_not_run_stays_by_what_is_expected_and_cannot_win), TEST(who_has_left_may_win),
           TEST(mpi_bcast_that_took_all_the_time_makes_way),
           TEST(it_is_decided_when_one_plan_is_left_and_mpi_bcast_is_apart),
           TEST(rounds_are_permutations_of_those_that_are_in), TEST(predictions_count_where_runs_scatter),
           TEST(runs_count_where_predictions_are_off), TEST(samples_beyond_the_room_are_left_out))
