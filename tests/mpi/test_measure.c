/* Measuring on real ranks of one host: results are plausible, and all ranks return the same status. */
#include "mpi_suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <planbcast/mpi.h>
#include "lib/mpi/measure/phases/profile.h"
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/measure/validate.h"

static plan_options_t options(double budget)
{
    plan_options_t o;
    plan_options_init(&o, NULL);
    o.budget_s = budget;
    return o;
}

static void check_links(const plan_platform_data_t *d)
{
    CU_ASSERT_EQUAL(d->nlinks, (size_t)(d->ranks * (d->ranks - 1)));
    for (size_t i = 0; i < d->nlinks; i++) {
        const plan_link_t *l = &d->link[i];
        CU_ASSERT_TRUE(isfinite(l->latency_s) && l->latency_s >= 0);
        CU_ASSERT_TRUE(isfinite(l->s_per_byte) && l->s_per_byte >= 0);
        CU_ASSERT_TRUE(isfinite(l->delay_s) && l->delay_s >= 0);
        CU_ASSERT_TRUE(plan_link_cost(l, 65536) > 1e-8 && plan_link_cost(l, 65536) < 1);
        CU_ASSERT_TRUE(l->channel >= 0 && (size_t)l->channel < d->nchannels);
    }
}

static void check_channel(const plan_channel_t *c)
{
    CU_ASSERT_FALSE(c->network);
    CU_ASSERT_TRUE(strlen(c->name) > 0);
    CU_ASSERT_TRUE(c->nsizes >= 4);
    for (size_t i = 0; i < c->nsizes; i++) {
        CU_ASSERT_TRUE(i == 0 || c->bytes[i] > c->bytes[i - 1]);
        CU_ASSERT_TRUE(isfinite(c->overhead_s[i]) && c->overhead_s[i] > 0);
        CU_ASSERT_TRUE(isfinite(c->gap_s[i]) && c->gap_s[i] > 0 && c->gap_s[i] < 1);
        CU_ASSERT_TRUE(isfinite(c->p2p_s[i]) && c->p2p_s[i] >= c->gap_s[i] && c->p2p_s[i] < 1);
        CU_ASSERT_TRUE(i == 0 || (c->gap_s[i] >= c->gap_s[i - 1] && c->p2p_s[i] >= c->p2p_s[i - 1]));
    }
    for (size_t i = 0; i < c->ngamma; i++) {
        CU_ASSERT_TRUE(c->gamma[i] >= 1 && c->gamma[i] <= (double)(i + 1));
        CU_ASSERT_TRUE(i == 0 || c->gamma[i] >= c->gamma[i - 1]);
    }
}

/* All samples of brief experiments; of a flow's many arrivals a few, the last among them. */
static void check_samples(const json_t *samples)
{
    for (size_t i = 0; i < json_array_size(samples); i++) {
        const json_t *row = json_array_get(samples, i), *a = json_object_get(row, "a"), *b = json_object_get(row, "b");
        size_t n = json_array_size(a);
        CU_ASSERT_TRUE(n > 0 && n == json_array_size(b));
        if (strcmp(json_string_value(json_object_get(row, "experiment")), "flow") != 0) continue;
        CU_ASSERT_TRUE(n <= 8);
        for (size_t k = 1; k < n; k++)
            CU_ASSERT_TRUE(json_number_value(json_array_get(b, k)) > json_number_value(json_array_get(b, k - 1)));
    }
}

static void check_validation(const plani_machine_t *m, int ranks)
{
    const json_t *tried = json_object_get(m->provenance, "validation");
    CU_ASSERT_EQUAL(json_array_size(tried) >= 2, ranks > 1);
    for (size_t i = 0; i < json_array_size(tried); i++) {
        const json_t *at = json_array_get(tried, i);
        CU_ASSERT_TRUE(json_number_value(json_object_get(at, "predicted_s")) > 0);
        CU_ASSERT_TRUE(json_number_value(json_object_get(at, "measured_s")) > 0);
    }
}

static bool lies_in(plani_ends_t ends, double x)
{
    return !(ends.high > 0) || (ends.low <= x && x <= ends.high);
}

/* Each value lies in the interval of its runs; where ranks share a busy machine, all may have run once. */
static void check_intervals(const plani_machine_t *m, int ranks)
{
    const plani_capacity_t *memory = &m->inside.memory;
    int known = memory->interval.high > 0;

    CU_ASSERT_TRUE(lies_in(memory->interval, memory->bytes_per_s));
    for (int c = 0; c < m->nchannels; c++) {
        const plani_machine_channel_t *ch = &m->channel[c];
        known += ch->byte_interval.high > 0;
        CU_ASSERT_TRUE(lies_in(ch->byte_interval, ch->s_per_byte));
        CU_ASSERT_TRUE(lies_in(ch->latency_interval, ch->latency_s));
        CU_ASSERT_TRUE(lies_in(ch->delay_interval, ch->delay_s));
    }
    if (ranks == 1) CU_ASSERT_EQUAL(known, 0);
}

static void every_value_is_sane(void)
{
    plan_options_t o = options(3);
    plan_profile_t *profile = NULL;
    int rc = plan_measure(MPI_COMM_WORLD, &o, &profile);

    CU_ASSERT_ALL_FATAL(rc == 0);
    CU_ASSERT_EQUAL(profile != NULL, rank_in(MPI_COMM_WORLD) == 0);
    if (profile != NULL) {
        const plan_platform_data_t *d = plan_platform_data(plan_profile_platform(profile));
        CU_ASSERT_EQUAL(d->ranks, ranks_of(MPI_COMM_WORLD));
        CU_ASSERT_EQUAL(d->hosts, 1);
        CU_ASSERT_EQUAL(d->sites, 1);
        check_links(d);
        for (size_t c = 0; c < d->nchannels; c++) check_channel(&d->channel[c]);
        CU_ASSERT_EQUAL(d->nchannels == 0, d->ranks == 1);
        check_samples(json_object_get(plani_profile_document(profile), "samples"));
        check_validation(plani_profile_machine(profile), d->ranks);
        check_intervals(plani_profile_machine(profile), d->ranks);
    }
    plan_profile_destroy(&profile);
    CU_ASSERT_PTR_NULL(profile);
}

static void hosts_are_those_that_share_memory(void)
{
    MPI_Comm host;
    plani_place_t place[64];
    int hosts = 0, same = 0, ranks = ranks_of(MPI_COMM_WORLD), me = rank_in(MPI_COMM_WORLD);

    CU_ASSERT_ALL_FATAL(ranks <= 64 && plani_find_places(MPI_COMM_WORLD, place, NULL, &hosts) == MPI_SUCCESS);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    for (int r = 0; r < ranks; r++) same += place[r].host == place[me].host;
    CU_ASSERT_EQUAL(same, ranks_of(host));
    CU_ASSERT_TRUE(hosts >= 1 && place[0].host == 0);
    MPI_Comm_free(&host);
}

static void what_ranks_share_is_the_closest_thing(void)
{
    plani_place_t a = {0, {1, 0, 0}}, b = {0, {1, 0, 0}}, c = {0, {2, 0, 0}}, d = {0, {3, 1, 0}},
                  free_ = {0, {-1, -1, -1}};

    CU_ASSERT_EQUAL(plani_level(&a, &b), PLANI_SAME_L2);
    CU_ASSERT_EQUAL(plani_level(&a, &c), PLANI_SAME_L3);
    CU_ASSERT_EQUAL(plani_level(&a, &d), PLANI_SAME_PACKAGE);
    CU_ASSERT_EQUAL(plani_level(&a, &free_), PLANI_SAME_HOST);
    CU_ASSERT_EQUAL(plani_level(&free_, &free_), PLANI_SAME_HOST);
}

static void a_bad_budget_fails_alike_on_all_ranks(void)
{
    static const double budget[] = {0, -1, INFINITY, NAN};

    for (size_t i = 0; i < sizeof budget / sizeof *budget; i++) {
        plan_error_t err;
        plan_options_t o = options(rank_in(MPI_COMM_WORLD) == 0 ? budget[i] : 1); /* rank 0's counts */
        plan_profile_t *profile = NULL;
        o.error = &err;
        CU_ASSERT_EQUAL(plan_measure(MPI_COMM_WORLD, &o, &profile), PLAN_EINVAL);
        CU_ASSERT_EQUAL(err.status, PLAN_EINVAL);
        CU_ASSERT_TRUE(strlen(err.text) > 0);
        CU_ASSERT_PTR_NULL(profile);
    }
}

static void without_a_communicator_or_a_place_nothing_is_measured(void)
{
    plan_error_t err;
    plan_options_t o = options(0.1);
    plan_profile_t *profile = NULL;
    o.error = &err;
    CU_ASSERT_EQUAL(plan_measure(MPI_COMM_NULL, &o, &profile), PLAN_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "MPI_COMM_NULL"));
    CU_ASSERT_EQUAL(plan_measure(MPI_COMM_WORLD, &o, NULL), PLAN_EINVAL);
    CU_ASSERT_TRUE(strlen(err.text) > 0);
    double offset = 0;
    CU_ASSERT_EQUAL(plan_clock_sync(MPI_COMM_NULL, &offset), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_clock_sync(MPI_COMM_WORLD, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_line_up(MPI_COMM_NULL, 0), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_line_up(MPI_COMM_WORLD, 0), MPI_SUCCESS);
}

static void a_tiny_budget_still_gives_a_platform(void)
{
    plan_options_t o = options(0.01);
    plan_profile_t *profile = NULL;
    int rc = plan_measure(MPI_COMM_WORLD, &o, &profile);

    CU_ASSERT_ALL_FATAL(rc == 0);
    if (profile != NULL) check_links(plan_platform_data(plan_profile_platform(profile)));
    plan_profile_destroy(&profile);
}

static void a_part_of_the_ranks_can_measure_itself(void)
{
    MPI_Comm half;
    plan_options_t o = options(0.3);
    plan_profile_t *profile = NULL;

    MPI_Comm_split(MPI_COMM_WORLD, rank_in(MPI_COMM_WORLD) % 2, 0, &half);
    CU_ASSERT_EQUAL(plan_measure(half, &o, &profile), 0);
    if (profile != NULL) CU_ASSERT_EQUAL(plan_platform_data(plan_profile_platform(profile))->ranks, ranks_of(half));
    plan_profile_destroy(&profile);
    MPI_Comm_free(&half);
}

static void count_line(void *context, int level, const char *line)
{
    int *lines = context;
    if (level == 1 && strchr(line, '\n') == NULL && strlen(line) > 0) ++*lines;
}

static void progress_is_reported_on_rank_0_alone(void)
{
    int lines = 0;
    plan_options_t o = options(0.2);
    plan_profile_t *profile = NULL;

    o.report = count_line, o.report_context = &lines;
    CU_ASSERT_EQUAL(plan_measure(MPI_COMM_WORLD, &o, &profile), 0);
    CU_ASSERT_EQUAL(lines > 0, rank_in(MPI_COMM_WORLD) == 0 && ranks_of(MPI_COMM_WORLD) > 1);
    plan_profile_destroy(&profile);
}

static bool same_platform(const plan_platform_t *a, const plan_platform_t *b)
{
    const plan_platform_data_t *x = plan_platform_data(a), *y = plan_platform_data(b);
    bool same = x->ranks == y->ranks && x->nlinks == y->nlinks && x->nresources == y->nresources &&
                x->nchannels == y->nchannels && x->hosts == y->hosts && x->sites == y->sites;

    for (size_t i = 0; same && i < x->nlinks; i++)
        same = fabs(x->link[i].s_per_byte - y->link[i].s_per_byte) <= 1e-9 * x->link[i].s_per_byte &&
               fabs(x->link[i].delay_s - y->link[i].delay_s) <= 1e-9 * x->link[i].delay_s &&
               x->link[i].channel == y->link[i].channel;
    for (size_t i = 0; same && i < x->nchannels; i++)
        same = strcmp(x->channel[i].name, y->channel[i].name) == 0 && x->channel[i].ngamma == y->channel[i].ngamma &&
               x->channel[i].nsizes == y->channel[i].nsizes;
    return same;
}

static void a_saved_profile_loads_as_the_same_platform(void)
{
    plan_options_t o = options(0.3);
    plan_profile_t *profile = NULL, *loaded = NULL, *again = NULL;
    plan_error_t err;
    char path[64], other[64];

    CU_ASSERT_ALL_FATAL(plan_measure(MPI_COMM_WORLD, &o, &profile) == 0);
    if (profile == NULL) return;
    snprintf(path, sizeof path, "profile-%d.json", (int)getpid());
    snprintf(other, sizeof other, "profile-%d-again.json", (int)getpid());
    CU_ASSERT_EQUAL(plan_profile_save(profile, path, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_profile_load(path, &loaded, &err), PLAN_OK);
    CU_ASSERT_TRUE(same_platform(plan_profile_platform(profile), plan_profile_platform(loaded)));
    CU_ASSERT_EQUAL(plan_profile_save(loaded, other, &err), PLAN_OK);
    CU_ASSERT_EQUAL(plan_profile_load(other, &again, &err), PLAN_OK);
    plan_platform_t *pf = NULL; /* a profile is read as the platform it holds */
    CU_ASSERT_EQUAL(plan_platform_load(path, &pf, &err), PLAN_OK);
    if (pf != NULL) CU_ASSERT_TRUE(same_platform(plan_profile_platform(profile), pf));
    plan_platform_destroy(&pf);
    plan_profile_destroy(&profile);
    plan_profile_destroy(&loaded);
    plan_profile_destroy(&again);
    unlink(path);
    unlink(other);
}

/* ---- the schedule ---- */

/* Four hosts, one rank each, of one site or of two; every phase takes `times` its time. Returns what is left. */
static double left_at_the_end(int sites, double times)
{
    static const plan_options_t quiet = {.size = sizeof quiet, .report = NULL};
    plani_engine_t engine = {.now = MPI_Wtime};
    plani_findings_t s = {.engine = &engine, .options = &quiet, .budget = 1000, .hosts = 4, .ranks = 4, .sites = sites};

    s.phases = json_array();
    s.start = MPI_Wtime();
    for (int phase = 0; phase < PLANI_PHASE_SPARE; phase++) {
        if (sites == 1 && (phase == PLANI_PHASE_SITES || phase == PLANI_PHASE_TRUNKS || phase == PLANI_PHASE_AREAS))
            continue;
        if (phase == PLANI_PHASE_MEMORY || phase == PLANI_PHASE_COPYING || phase == PLANI_PHASE_SHARED) continue;
        CU_ASSERT_EQUAL(plani_phase_begin(&s, phase), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(plani_phase_left(&s, 1), s.phase_s, 1);
        CU_ASSERT_DOUBLE_EQUAL(plani_phase_left(&s, 0.5), 0.5 * s.phase_s, 1);
        CU_ASSERT_TRUE(s.phase_s > 0);
        s.start -= times * s.phase_s; /* so much later it is now */
    }
    double left = s.start + s.budget - MPI_Wtime();
    json_decref(s.phases);
    return left;
}

/* Who takes its time leaves the spare one; who takes half of it leaves more, and who overruns takes it from the others.
 */
static void phases_that_keep_to_their_time_end_in_time(void)
{
    for (int sites = 1; sites <= 2; sites++) {
        double left = left_at_the_end(sites, 1);
        CU_ASSERT_TRUE(left > 30 && left < 100);
        CU_ASSERT_TRUE(left_at_the_end(sites, 0.5) > 2 * left);
        CU_ASSERT_TRUE(left_at_the_end(sites, 1.2) > 0);
    }
    CU_ASSERT_TRUE(left_at_the_end(1, 1) > left_at_the_end(2, 1)); /* phases that do not come need none */
}

/* A fifth of the time for each of five steps; never more or less than wanted, however much there is. */
static void slots_divide_what_is_left(void)
{
    plani_engine_t engine = {.agree_s = 0.1, .now = MPI_Wtime};
    plani_findings_t s = {.engine = &engine, .phase_start = MPI_Wtime(), .phase_s = 100};

    CU_ASSERT_DOUBLE_EQUAL(plani_phase_slot(&s, 0.5, 5, 1, 50), (10 - 0.1) / 1.5, 0.2);
    CU_ASSERT_EQUAL(plani_phase_slot(&s, 1, 5, 1, 2), 2);
    CU_ASSERT_EQUAL(plani_phase_slot(&s, 1, 1000000, 1, 2), 1);
    CU_ASSERT_EQUAL(plani_phase_slot(&s, 1, 0, 1, 2), 2);
    CU_ASSERT_EQUAL(plani_phase_steps(&s, 0.5, 2), 16); /* of 0.1 + 1.5 * 2 s each, in a little less than 50 s */
    CU_ASSERT_EQUAL(plani_phase_steps(&s, -1, 2), 0);
    CU_ASSERT_TRUE(plani_phase_time_left(&s, 1));
    s.phase_start -= 60;
    CU_ASSERT_TRUE(plani_phase_time_left(&s, 1));
    CU_ASSERT_FALSE(plani_phase_time_left(&s, 0.5));
}

/* No step is begun once time is over, or only the first, on no rank, and nothing fails; then the engine goes on as
 * before. */
static void nothing_is_begun_when_time_is_over(void)
{
    plani_engine_t engine;
    const plani_task_t task[] = {{.kind = PLANI_PINGPONG, .step = 0, .from = 0, .to = 1, .seconds = 1e-3},
                                 {.kind = PLANI_PINGPONG, .step = 1, .from = 1, .to = 0, .seconds = 1e-3}};
    static plani_result_t result[2];

    CU_ASSERT_EQUAL_FATAL(plani_engine_open(MPI_COMM_WORLD, &engine, NULL), 0);
    if (engine.rank == 0 && engine.ranks > 1) {
        engine.until = 0;
        result[0].n = result[1].n = 7;
        CU_ASSERT_EQUAL(plani_engine_run(&engine, task, 2, result), 0);
        CU_ASSERT_EQUAL(result[0].n + result[1].n, 0);
        CU_ASSERT_EQUAL(engine.left_out, 2);
        engine.one_anyway = true;
        CU_ASSERT_EQUAL(plani_engine_run(&engine, task, 2, result), 0);
        CU_ASSERT_TRUE(result[0].n > 0 && result[1].n == 0);
        CU_ASSERT_EQUAL(engine.left_out, 1);
        engine.until = INFINITY;
        CU_ASSERT_EQUAL(plani_engine_run(&engine, task, 2, result), 0);
        CU_ASSERT_TRUE(result[0].n > 0 && result[1].n > 0);
    }
    CU_ASSERT_EQUAL(engine.rank == 0 ? plani_engine_dismiss(&engine, 0) : plani_engine_serve(&engine), 0);
    plani_engine_close(&engine);
}

/* Rank 0 has a ping-pong with every other rank, one after the other in one step, and two with the last. */
static void one_rank_meets_all_others_in_one_step(void)
{
    plani_engine_t engine;

    CU_ASSERT_EQUAL_FATAL(plani_engine_open(MPI_COMM_WORLD, &engine, NULL), 0);
    size_t others = (size_t)engine.ranks - 1, n = others > 0 ? others + 1 : 0;
    if (engine.rank == 0 && n > 0) {
        plani_task_t *task = calloc(n, sizeof *task);
        plani_result_t *result = calloc(n, sizeof *result);
        CU_ASSERT_TRUE_FATAL(task != NULL && result != NULL);
        for (size_t i = 0; i < n; i++)
            task[i] = (plani_task_t){
                .kind = PLANI_PINGPONG, .to = (int)(i < others ? i + 1 : others), .seconds = 1e-3, .bytes = 64};
        CU_ASSERT_EQUAL(plani_engine_run(&engine, task, n, result), 0);
        CU_ASSERT_EQUAL(engine.experiments, n);
        for (size_t i = 0; i < n; i++) CU_ASSERT_TRUE(result[i].n > 0 && result[i].a[0] > 0);
        free(task);
        free(result);
    }
    CU_ASSERT_EQUAL(engine.rank == 0 ? plani_engine_dismiss(&engine, 0) : plani_engine_serve(&engine), 0);
    plani_engine_close(&engine);
}

/* A platform on which a message of 64 KiB takes minutes is not this one. */
static void a_platform_of_another_machine_is_marked(void)
{
    int ranks = ranks_of(MPI_COMM_WORLD), n = 0;
    plan_link_t *link = calloc((size_t)ranks * (size_t)ranks, sizeof *link);
    plan_platform_t *pf = NULL;
    plani_validation_t tried;
    plan_error_t err;

    CU_ASSERT_PTR_NOT_NULL_FATAL(link);
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++)
            if (u != v) link[n++] = (plan_link_t){.from = u, .to = v, .s_per_byte = 1e-3, .channel = -1};
    plan_platform_data_t d = {.size = sizeof d, .ranks = ranks, .nlinks = (size_t)n, .link = link};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    bool leader = rank_in(MPI_COMM_WORLD) == 0;
    CU_ASSERT_EQUAL(plani_validate(MPI_COMM_WORLD, leader ? pf : NULL, 0.05, &tried, &err), 0);
    CU_ASSERT_EQUAL(tried.n > 0, leader && ranks > 1);
    json_t *json = plani_validation_json(&tried);
    CU_ASSERT_EQUAL(json_array_size(json), (size_t)tried.n);
    if (leader) CU_ASSERT_EQUAL(plani_validation_error(json) > 10, ranks > 1);
    json_decref(json);
    plan_platform_destroy(&pf);
    free(link);
}

static void a_time_is_as_far_off_as_its_ratio(void)
{
    json_t *tried = json_pack("[{s:f, s:f}, {s:f, s:f}]", "predicted_s", 1.0, "measured_s", 1.1, "predicted_s", 1.5,
                              "measured_s", 1.0);
    CU_ASSERT_DOUBLE_EQUAL(plani_validation_error(tried), 0.5, 1e-12);
    CU_ASSERT_EQUAL(plani_validation_error(NULL), 0);
    json_decref(tried);
}

MPI_SUITE_MAIN("measuring", TEST(every_value_is_sane), TEST(hosts_are_those_that_share_memory),
               TEST(what_ranks_share_is_the_closest_thing), TEST(a_bad_budget_fails_alike_on_all_ranks),
               TEST(without_a_communicator_or_a_place_nothing_is_measured), TEST(a_tiny_budget_still_gives_a_platform),
               TEST(phases_that_keep_to_their_time_end_in_time), TEST(slots_divide_what_is_left),
               TEST(nothing_is_begun_when_time_is_over), TEST(a_part_of_the_ranks_can_measure_itself),
               TEST(one_rank_meets_all_others_in_one_step), TEST(a_part_of_the_ranks_can_measure_itself),
               TEST(progress_is_reported_on_rank_0_alone), TEST(a_platform_of_another_machine_is_marked),
               TEST(a_time_is_as_far_off_as_its_ratio), TEST(a_saved_profile_loads_as_the_same_platform))
