/* Tuning with times from a model of the machine instead of a clock, on one rank. */
#include "mpi_suite.h"
#include "lib/base/base.h"
#include "lib/mpi/autotune/sampler.h"
#include "lib/mpi/autotune/tune.h"
#include "planner/plan/plan_private.h"
#include <math.h>
#include <planbcast/platform.h>
#include <string.h>

enum { HOSTS = 8, LINKS = HOSTS * (HOSTS - 1), ARMS = 24, RUNS = 16, SIZES = 21 };

/* What the machine does. */
static struct {
    double (*seconds)(const plan_candidate_t *c, size_t bytes); /* of one broadcast, but for noise */
    double noise;                                               /* up to so much more, in parts */
    size_t memory;                                              /* [B] of a broadcast at most */
    double now_s, longest_s;
    int broadcasts, most_arms, most_runs;
    size_t sizes, size[PLANI_SIZES]; /* that were timed */
    plani_rng_t rng;
} machine;

double __wrap_MPI_Wtime(void);
double __wrap_MPI_Wtime(void)
{
    return machine.now_s;
}

/* A pass as it is, but for the clock. */
int __wrap_plani_sample(plani_sampler_t *s, size_t bytes, int rounds, double budget_s, plani_arm_t *arm, int n);
int __wrap_plani_sample(plani_sampler_t *s, size_t bytes, int rounds, double budget_s, plani_arm_t *arm, int n)
{
    double end = machine.now_s + budget_s;
    int in = 0;

    (void)s;
    if (bytes > machine.memory) return PLAN_ENOMEM;
    for (size_t i = 0; i < machine.sizes; i++)
        if (machine.size[i] == bytes) goto known;
    machine.size[machine.sizes++] = bytes;
known:
    for (int i = 0; i < n; i++) in += !arm[i].out;
    machine.most_arms = in > machine.most_arms ? in : machine.most_arms;
    for (int k = 0; k < rounds; k++) {
        int who[PLANI_ARMS], m = plani_draw_round(&machine.rng, arm, n, who);
        for (int i = 0; i < m; i++) {
            plani_arm_t *a = &arm[who[i]];
            double more = machine.noise * (double)plani_rng_below(&machine.rng, 1000) / 1000;
            double took = machine.seconds(&a->c, bytes) * (1 + more);
            if (machine.now_s + plani_arm_expected(a) > end) return 0;
            plani_arm_add(a, took);
            machine.now_s += took;
            machine.longest_s = fmax(machine.longest_s, took);
            machine.most_runs = a->n > machine.most_runs ? a->n : machine.most_runs;
            machine.broadcasts++;
        }
    }
    return 0;
}

/* Equal hosts at one switch: 100 MB/s, 20 us. */
static plan_platform_t *equal_hosts(void)
{
    static plan_link_t link[LINKS];
    static int host[HOSTS];
    plan_platform_t *pf = NULL;
    size_t n = 0;

    for (int u = 0; u < HOSTS; u++) {
        host[u] = u;
        for (int v = 0; v < HOSTS; v++)
            if (u != v)
                link[n++] = (plan_link_t){
                    .from = u, .to = v, .latency_s = 5e-6, .s_per_byte = 1e-8, .delay_s = 15e-6, .channel = -1};
    }
    plan_platform_data_t d = {
        .size = sizeof d, .ranks = HOSTS, .nlinks = n, .link = link, .hosts = HOSTS, .host = host};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

/* The shortest time that the model knows for so many bytes, about [s]. */
static double about(size_t bytes)
{
    return 60e-6 + 1.5e-8 * (double)bytes;
}

static double as_predicted(const plan_candidate_t *c, size_t bytes)
{
    return c->run == PLAN_RUN_NATIVE ? 5 * about(bytes) : c->predicted_s;
}

static double five_times_as_predicted(const plan_candidate_t *c, size_t bytes)
{
    return c->run == PLAN_RUN_NATIVE ? about(bytes) : 5 * c->predicted_s;
}

static double chains_five_times_as_predicted(const plan_candidate_t *c, size_t bytes)
{
    bool chain = c->ntrees == 1 && plan_tree_data(c->tree[0])->height > HOSTS / 2;
    return chain ? 5 * c->predicted_s : as_predicted(c, bytes);
}

static uint64_t luck;

/* With few bytes, candidates are faster than the model has it, some by much: all may be by chance. */
static double lucky_with_few_bytes(const plan_candidate_t *c, size_t bytes)
{
    plani_rng_t rng;
    plani_rng_seed(&rng, plani_hash_bytes(luck, c->name, strlen(c->name)));
    return as_predicted(c, bytes) * (bytes <= 4096 ? 0.3 + 0.007 * (double)plani_rng_below(&rng, 101) : 1);
}

static double native_is_one_percent_faster(const plan_candidate_t *c, size_t bytes)
{
    return c->run == PLAN_RUN_NATIVE ? 0.99 * about(bytes) : about(bytes);
}

/* MPI's own is good at short messages alone. */
static double native_wins_below_4_kib(const plan_candidate_t *c, size_t bytes)
{
    if (c->run != PLAN_RUN_NATIVE) return c->predicted_s;
    return bytes < 4096 ? 0.5 * about(bytes) : 5 * about(bytes);
}

/* Where the model errs much at few bytes, it expects longer times of many than MPI's own has in proportion. */
static double plans_win_what_is_timed(const plan_candidate_t *c, size_t bytes)
{
    double errs = bytes < 2048 ? 1000 : 1;
    return errs * (c->run == PLAN_RUN_NATIVE ? 3 * about(bytes) : c->predicted_s);
}

static void start(double (*seconds)(const plan_candidate_t *c, size_t bytes), double noise, uint64_t seed)
{
    memset(&machine, 0, sizeof machine);
    machine.seconds = seconds;
    machine.noise = noise;
    machine.memory = SIZE_MAX;
    plani_rng_seed(&machine.rng, seed);
}

/* The plan for messages of up to 16 MiB, or more. */
static plan_t *plan_by_duel(double budget_s, size_t max_bytes)
{
    plan_options_t options;
    plan_error_t err = {.text = ""};
    plan_platform_t *pf = equal_hosts();
    plan_t *plan = NULL;

    CU_ASSERT_EQUAL_FATAL(plan_options_init(&options, NULL), PLAN_OK);
    options.mode = PLAN_DUEL;
    options.budget_s = budget_s;
    plani_request_t request = {.pf = pf, .choice = &options.choice};
    const plani_tuning_t tuning = plani_tuning_of(&options);
    plani_decision_t decision;
    request.n = plani_ladder(max_bytes, request.bytes);
    CU_ASSERT_EQUAL_FATAL(plani_decide_together(MPI_COMM_SELF, &request, &tuning, NULL, &decision, &err), 0);
    plan = decision.plan, decision.plan = NULL;
    plani_decision_clear(&decision);
    plan_platform_destroy(&pf);
    return plan;
}

/* The part of the ranges, by the plan, whose choice is MPI_Bcast, or was timed. */
static size_t natives(const plan_t *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan_data(plan)->nranges; i++) n += plan_data(plan)->range[i].chosen->run == PLAN_RUN_NATIVE;
    return n;
}

static void mpi_bcast_wins_where_the_model_errs_grossly(void)
{
    start(five_times_as_predicted, 0, 1);
    plan_t *plan = plan_by_duel(1e4, 16 << 20);
    CU_ASSERT_EQUAL(natives(plan), plan_data(plan)->nranges);
    plan_destroy(&plan);
}

static void plans_win_where_the_model_is_right(void)
{
    start(as_predicted, 0, 1);
    plan_t *plan = plan_by_duel(1e4, 16 << 20);
    CU_ASSERT_EQUAL(natives(plan), 0);
    for (size_t i = 0; i < plan_data(plan)->nranges; i++)
        CU_ASSERT_DOUBLE_EQUAL(plan_data(plan)->range[i].chosen->measured_s,
                               plan_data(plan)->range[i].chosen->predicted_s, 1e-9);
    plan_destroy(&plan);
}

static void a_tie_goes_to_the_plan(void)
{
    start(native_is_one_percent_faster, 0, 1);
    plan_t *plan = plan_by_duel(1e4, 16 << 20);
    CU_ASSERT_EQUAL(natives(plan), 0);
    plan_destroy(&plan);
}

static void noise_does_not_decide(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        start(as_predicted, 0.5, seed);
        plan_t *plan = plan_by_duel(1e4, 1 << 20);
        CU_ASSERT_EQUAL(natives(plan), 0);
        plan_destroy(&plan);
        start(five_times_as_predicted, 0.5, seed);
        plan = plan_by_duel(1e4, 1 << 20);
        CU_ASSERT_EQUAL(natives(plan), plan_data(plan)->nranges);
        plan_destroy(&plan);
    }
}

static bool is_chain(const plan_candidate_t *c)
{
    return c->run == PLAN_RUN_TREES && c->ntrees == 1 && plan_tree_data(c->tree[0])->height > HOSTS / 2;
}

/* What sizes that there was time for have shown corrects the prediction of those beyond. */
static void who_disappoints_loses_larger_sizes_too(void)
{
    start(as_predicted, 0, 1);
    plan_t *plan = plan_by_duel(2, 16 << 20);
    const plan_candidate_t *last = plan_chosen(plan, 16 << 20);
    CU_ASSERT(machine.sizes > 3 && machine.sizes < SIZES);
    bool was_chain = is_chain(last);
    plan_destroy(&plan);
    start(chains_five_times_as_predicted, 0, 1);
    plan = plan_by_duel(2, 16 << 20);
    CU_ASSERT(machine.sizes > 3 && machine.sizes < SIZES);
    for (size_t i = 0; i < plan_data(plan)->nranges; i++) CU_ASSERT_FALSE(is_chain(plan_data(plan)->range[i].chosen));
    CU_ASSERT(was_chain);
    plan_destroy(&plan);
}

/* What a few bytes took tells nothing of 16 MiB, of which there is no time to try any. */
static void luck_with_few_bytes_does_not_last(void)
{
    start(as_predicted, 0, 1);
    plan_t *plan = plan_by_duel(2, 16 << 20);
    double least_s = plan_chosen(plan, 16 << 20)->predicted_s;
    CU_ASSERT(isnan(plan_chosen(plan, 16 << 20)->measured_s));
    plan_destroy(&plan);
    for (luck = 1; luck <= 20; luck++) {
        start(lucky_with_few_bytes, 0, 1);
        plan = plan_by_duel(0.2, 16 << 20);
        CU_ASSERT(isnan(plan_chosen(plan, 16 << 20)->measured_s));
        CU_ASSERT(plan_chosen(plan, 16 << 20)->predicted_s <= 1.01 * least_s);
        plan_destroy(&plan);
    }
}

/* And where the others are no better, MPI_Bcast goes on. */
static void mpi_bcast_goes_on_where_nothing_is_timed(void)
{
    start(five_times_as_predicted, 0, 1);
    plan_t *plan = plan_by_duel(2, 16 << 20);
    CU_ASSERT(machine.sizes > 3 && machine.sizes < SIZES);
    CU_ASSERT_EQUAL(natives(plan), plan_data(plan)->nranges);
    plan_destroy(&plan);
}

/* A plan up to 16 MiB, of which less than 4 KiB can be timed. */
static plan_t *plan_by_few_bytes(double (*seconds)(const plan_candidate_t *c, size_t bytes))
{
    start(seconds, 0, 1);
    machine.memory = 4095;
    return plan_by_duel(1e4, 16 << 20);
}

/* Its time with few bytes does not grow as a plan's would. */
static void mpi_bcast_wins_no_untimed_size_by_few_bytes(void)
{
    plan_t *plan = plan_by_few_bytes(native_wins_below_4_kib);
    CU_ASSERT_EQUAL(plan_chosen(plan, 64)->run, PLAN_RUN_NATIVE);
    CU_ASSERT_NOT_EQUAL(plan_chosen(plan, 16 << 20)->run, PLAN_RUN_NATIVE);
    plan_destroy(&plan);
}

static void mpi_bcast_wins_no_untimed_size_after_losing(void)
{
    plan_t *plan = plan_by_few_bytes(plans_win_what_is_timed);
    CU_ASSERT_NOT_EQUAL(plan_chosen(plan, 2048)->run, PLAN_RUN_NATIVE);
    CU_ASSERT_NOT_EQUAL(plan_chosen(plan, 16 << 20)->run, PLAN_RUN_NATIVE);
    plan_destroy(&plan);
}

static void no_more_is_run_than_the_budget_allows(void)
{
    for (double budget_s = 0.01; budget_s < 300; budget_s *= 3) {
        start(as_predicted, 0.5, 7);
        plan_t *plan = plan_by_duel(budget_s, 16 << 20);
        CU_ASSERT(machine.now_s <= PLANI_DUEL_PART * budget_s + machine.longest_s);
        CU_ASSERT(machine.most_arms <= ARMS && machine.most_runs <= RUNS);
        plan_destroy(&plan);
    }
    CU_ASSERT(machine.sizes == SIZES && machine.broadcasts <= SIZES * ARMS * RUNS);
}

/* Without memory for a broadcast, and beyond 16 MiB, what is known has to do. */
static void sizes_that_memory_does_not_do_for_are_expected(void)
{
    start(five_times_as_predicted, 0, 1);
    machine.memory = 100000;
    plan_t *plan = plan_by_duel(1e4, 16 << 20);
    CU_ASSERT_EQUAL(natives(plan), plan_data(plan)->nranges);
    CU_ASSERT_EQUAL(machine.sizes, 13); /* 1 B, 8 B, 64 B to 64 KiB */
    plan_destroy(&plan);
    start(as_predicted, 0, 1);
    plan = plan_by_duel(1e4, (size_t)1 << 30);
    CU_ASSERT_EQUAL(machine.sizes, SIZES);
    CU_ASSERT_EQUAL(plan_data(plan)->range[plan_data(plan)->nranges - 1].up_to, (size_t)1 << 30);
    plan_destroy(&plan);
}

MPI_SUITE_MAIN("tune", TEST(mpi_bcast_wins_where_the_model_errs_grossly), TEST(plans_win_where_the_model_is_right),
               TEST(a_tie_goes_to_the_plan), TEST(noise_does_not_decide), TEST(who_disappoints_loses_larger_sizes_too),
               TEST(luck_with_few_bytes_does_not_last), TEST(mpi_bcast_goes_on_where_nothing_is_timed),
               TEST(mpi_bcast_wins_no_untimed_size_by_few_bytes), TEST(mpi_bcast_wins_no_untimed_size_after_losing),
               TEST(no_more_is_run_than_the_budget_allows), TEST(sizes_that_memory_does_not_do_for_are_expected))
