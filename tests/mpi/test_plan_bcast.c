/* Collective planning: all ranks return the same status. */
#include "mpi_suite.h"
#include "cast.h"
#include "lib/mpi/autotune/time.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* All ranks got the same code. */
static bool all_get(int rc, int expected)
{
    int mine = rc == expected, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

/* One name for all ranks, and for no other job in this folder: collective. */
static const char *profile_name(void)
{
    static char name[64];
    int id = (int)getpid();
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "test_plan_bcast.%d.json", id);
    return name;
}

/* Rank 0 writes a complete platform, all ranks on one host unless `apart` is on another; missing: no link into rank 1.
 */
static void write_profile(int ranks, int apart, bool missing)
{
    const char *name = profile_name();
    if (rank_in(MPI_COMM_WORLD) == 0) {
        FILE *f = fopen(name, "w");
        const char *comma = "";
        CU_ASSERT_PTR_NOT_NULL_FATAL(f);
        fprintf(f, "{\"format\": \"planbcast-platform\", \"version\": 1, \"ranks\": %d, \"links\": [", ranks);
        for (int u = 0; u < ranks; u++)
            for (int v = 0; v < ranks; v++) {
                if (u == v || (missing && v == 1)) continue;
                fprintf(f, "%s{\"from\": %d, \"to\": %d, \"latency_s\": 1e-6, \"s_per_byte\": 1e-9}", comma, u, v);
                comma = ",\n";
            }
        fprintf(f, "], \"hosts\": [");
        for (int u = 0; u < ranks; u++) fprintf(f, "%s%d", u ? ", " : "", u == apart ? 1 : 0);
        fprintf(f, "]}\n");
        fclose(f);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void remove_profile(void)
{
    const char *name = profile_name();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_in(MPI_COMM_WORLD) == 0) remove(name);
}

static int reports[2];

static void count_report(void *context, int level, const char *line)
{
    CU_ASSERT_PTR_EQUAL(context, reports);
    CU_ASSERT(strlen(line) > 0 && strchr(line, '\n') == NULL);
    reports[level]++;
}

static plan_options_t from_profile(plan_error_t *err)
{
    plan_options_t options;
    CU_ASSERT_EQUAL(plan_options_init(&options, NULL), PLAN_OK);
    options.load_profile = profile_name();
    options.error = err;
    options.report = count_report;
    options.report_context = reports;
    reports[0] = reports[1] = 0;
    return options;
}

static bool same_everywhere(uint64_t value)
{
    uint64_t both[2] = {value, ~value}, least[2];
    MPI_Allreduce(both, least, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    return least[0] == ~least[1];
}

static void try_plan(plan_t *plan, int root)
{
    CU_ASSERT_PTR_NOT_NULL_FATAL(plan);
    CU_ASSERT(same_everywhere(plan_data(plan)->hash));
    CU_ASSERT_EQUAL(plan_data(plan)->root, root);
    for (size_t bytes = 1; bytes < 3000000; bytes *= 11) CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, root, bytes, 3));
}

static void a_loaded_profile_is_planned_from(void)
{
    plan_error_t err;
    plan_t *plan = NULL;
    int root = ranks_of(MPI_COMM_WORLD) - 1;
    write_profile(ranks_of(MPI_COMM_WORLD), -1, false);
    plan_options_t options = from_profile(&err);
    CU_ASSERT(all_get(plan_bcast(MPI_COMM_WORLD, root, 1 << 20, &options, &plan), 0));
    CU_ASSERT_EQUAL(err.status, PLAN_OK);
    try_plan(plan, root);
    CU_ASSERT(rank_in(MPI_COMM_WORLD) == 0 ? reports[0] > 0 : reports[0] + reports[1] == 0);
    plan_destroy(&plan);
    CU_ASSERT_PTR_NULL(plan);
    remove_profile();
}

static void shortlist_is_timed(void)
{
    plan_error_t err;
    plan_t *plan = NULL;
    write_profile(ranks_of(MPI_COMM_WORLD), -1, false);
    plan_options_t options = from_profile(&err);
    options.mode = PLAN_MEASURE;
    options.shortlist = 2;
    options.budget_s = 0.5; /* how many sizes fit into it is the machine's affair; the first always does */
    CU_ASSERT(all_get(plan_bcast(MPI_COMM_WORLD, 0, 100000, &options, &plan), 0));
    try_plan(plan, 0);
    if (rank_in(MPI_COMM_WORLD) == 0 && ranks_of(MPI_COMM_WORLD) > 1) CU_ASSERT(reports[1] >= 2);
    if (ranks_of(MPI_COMM_WORLD) > 1) CU_ASSERT(plan_data(plan)->range[0].chosen->measured_s > 0);
    plan_destroy(&plan);
    remove_profile();
}

static struct {
    size_t n, last; /* distinct sizes, which come in ascending order; the last one */
} timed[2];         /* sizes at which plans have been timed, and MPI_Bcast */

static void note_trial(void *context, const plan_trial_t *trial)
{
    int i = strcmp(trial->name, "native") == 0;
    CU_ASSERT_PTR_EQUAL(context, reports);
    CU_ASSERT(trial->runs > 0 && trial->median_s > 0 && trial->bytes >= timed[i].last);
    timed[i].n += trial->bytes > timed[i].last;
    timed[i].last = trial->bytes;
}

/* Plans and MPI_Bcast, for each range and up to the largest message. A plan that took much longer than another is
 * expected to take is not chosen, so what is chosen may not have been timed. Rank 0 alone knows. */
static bool all_are_timed(const plan_t *plan, size_t most)
{
    for (int i = 0; i < 2 && ranks_of(MPI_COMM_WORLD) > 1 && rank_in(MPI_COMM_WORLD) == 0; i++)
        if (timed[i].n < plan_data(plan)->nranges || timed[i].last != most) return false;
    return true;
}

/* The default times a plan and MPI_Bcast at every size, and all ranks hold the same plan, whoever won. */
static void the_default_ends_with_a_duel(void)
{
    plan_error_t err;
    plan_t *plan = NULL;
    int root = ranks_of(MPI_COMM_WORLD) - 1;
    write_profile(ranks_of(MPI_COMM_WORLD), -1, false);
    plan_options_t options = from_profile(&err);
    CU_ASSERT_EQUAL(options.mode, PLAN_DEFAULT);
    options.budget_s = 1000; /* no machine is too busy */
    options.trial = note_trial;
    memset(timed, 0, sizeof timed);
    CU_ASSERT(all_get(plan_bcast(MPI_COMM_WORLD, root, 1 << 20, &options, &plan), 0));
    try_plan(plan, root);
    CU_ASSERT(all_are_timed(plan, 1 << 20));
    plan_destroy(&plan);
    options.trial = NULL;
    options.choice.only = "ompi-chain"; /* then nobody is there to fight */
    CU_ASSERT(all_get(plan_bcast(MPI_COMM_WORLD, root, 1 << 20, &options, &plan), 0));
    for (size_t i = 0; i < plan_data(plan)->nranges; i++)
        CU_ASSERT_STRING_EQUAL(plan_data(plan)->range[i].chosen->name, "ompi-chain");
    plan_destroy(&plan);
    remove_profile();
}

/* Unless the duel is asked for: the preloaded library does. */
static void a_platform_that_is_passed_is_trusted(void)
{
    plan_error_t err;
    plan_t *plan = NULL;
    plan_platform_t *pf = NULL;
    write_profile(ranks_of(MPI_COMM_WORLD), -1, false);
    plan_options_t options = from_profile(&err);
    CU_ASSERT_EQUAL_FATAL(plan_platform_load(profile_name(), &pf, NULL), PLAN_OK);
    options.platform = pf;
    CU_ASSERT(all_get(plan_bcast(MPI_COMM_WORLD, 0, 1 << 20, &options, &plan), 0));
    for (size_t i = 0; i < plan_data(plan)->nranges; i++)
        CU_ASSERT_FALSE(plan_data(plan)->range[i].chosen->measured_s > 0);
    plan_destroy(&plan);
    options.mode = PLAN_DUEL;
    options.budget_s = 1000;
    options.trial = note_trial;
    memset(timed, 0, sizeof timed);
    CU_ASSERT(all_get(plan_bcast(MPI_COMM_WORLD, 0, 1 << 20, &options, &plan), 0));
    CU_ASSERT(all_are_timed(plan, 1 << 20));
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
    remove_profile();
}

static void the_machine_is_measured_where_no_profile_is_given(void)
{
    plan_error_t err;
    plan_t *plan = NULL;
    plan_options_t options = from_profile(&err);
    options.load_profile = NULL;
    options.save_profile = profile_name();
    options.budget_s = 0.5;
    CU_ASSERT(all_get(plan_bcast(MPI_COMM_WORLD, 0, 1 << 20, &options, &plan), 0));
    try_plan(plan, 0);
    plan_destroy(&plan);
    options = from_profile(&err); /* what was saved serves the next run */
    CU_ASSERT(all_get(plan_bcast(MPI_COMM_WORLD, 0, 1 << 20, &options, &plan), 0));
    try_plan(plan, 0);
    plan_destroy(&plan);
    remove_profile();
}

static void fails(const plan_options_t *options, int root, size_t max_bytes, int expected, const char *what)
{
    plan_t *plan = NULL;
    int rc = plan_bcast(MPI_COMM_WORLD, root, max_bytes, options, &plan);
    if (rc != expected) fprintf(stderr, "%d instead of %d: %s\n", rc, expected, options->error->text);
    CU_ASSERT(all_get(rc, expected));
    CU_ASSERT_PTR_NULL(plan);
    CU_ASSERT_EQUAL(options->error->status, expected);
    CU_ASSERT_PTR_NOT_NULL(strstr(options->error->text, what));
    if (strstr(options->error->text, what) == NULL) fprintf(stderr, "'%s' not in: %s\n", what, options->error->text);
}

static void profiles_of_other_machines_are_refused(void)
{
    plan_error_t err;
    int ranks = ranks_of(MPI_COMM_WORLD);
    plan_options_t options = from_profile(&err);
    write_profile(ranks + 1, -1, false);
    fails(&options, 0, 1000, PLAN_EMISMATCH, "ranks");
    remove_profile();
    fails(&options, 0, 1000, PLAN_EIO, profile_name());
    if (ranks == 1) return;
    write_profile(ranks, ranks - 1, false);
    fails(&options, 0, 1000, PLAN_EMISMATCH, "share");
    write_profile(ranks, -1, true);
    fails(&options, 0, 1000, PLAN_EUNREACHABLE, "1");
    remove_profile();
}

static void arguments_that_differ_are_refused(void)
{
    plan_error_t err;
    plan_options_t options = from_profile(&err);
    int rank = rank_in(MPI_COMM_WORLD), ranks = ranks_of(MPI_COMM_WORLD);
    write_profile(ranks, -1, false);
    fails(&options, ranks, 1000, PLAN_EINVAL, "root");
    fails(&options, -1, 1000, PLAN_EINVAL, "root");
    if (ranks > 1) {
        fails(&options, rank == 0, 1000, PLAN_EDISAGREE, "root");
        fails(&options, 0, rank == 0 ? 1000 : 2000, PLAN_EDISAGREE, "max_bytes");
        CU_ASSERT(
            all_get(plan_bcast(MPI_COMM_WORLD, 0, 9, &options, rank == 1 ? NULL : &(plan_t *){NULL}), PLAN_EINVAL));
    }
    options.choice.only = "no-such-tree";
    fails(&options, 0, 1000, PLAN_EINVAL, "no-such-tree");
    options.mode = PLAN_MEASURE;
    if (ranks > 1) fails(&options, 0, 1000, PLAN_EINVAL, "no-such-tree");
    options.choice.only = NULL;
    options.mode = (plan_mode_t)7;
    fails(&options, 0, 1000, PLAN_EINVAL, "mode");
    remove_profile();
}

static void unsuitable_communicators_are_refused(void)
{
    MPI_Comm half, inter;
    plan_error_t err;
    plan_t *plan = NULL;
    int rank = rank_in(MPI_COMM_WORLD), low;
    plan_options_t options = from_profile(&err);
    CU_ASSERT_EQUAL(plan_bcast(MPI_COMM_NULL, 0, 10, &options, &plan), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_bind(MPI_COMM_NULL, NULL, &plan, &err), PLAN_EINVAL);
    if (ranks_of(MPI_COMM_WORLD) == 1) return;
    low = rank < ranks_of(MPI_COMM_WORLD) / 2;
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? ranks_of(MPI_COMM_WORLD) / 2 : 0, 5, &inter);
    CU_ASSERT_EQUAL(plan_bcast(inter, 0, 10, &options, &plan), PLAN_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "two groups"));
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static plan_t *offline_plan(int ranks, int root)
{
    plan_tree_t *tree = NULL;
    double rate = 1;
    plan_t *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_tree_topology(PLAN_CHAIN, ranks, root, 2, &tree), PLAN_OK);
    plan_candidate_t c = {
        .size = sizeof c, .name = "mine", .run = PLAN_RUN_TREES, .slice = 900, .window = 2, .ntrees = 1};
    c.tree = &tree;
    c.rate = &rate;
    plan_range_t range = {.up_to = 1 << 20, .chosen = &c};
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(ranks, root, 1, &range, NULL, &plan), PLAN_OK);
    plan_tree_destroy(&tree);
    return plan;
}

static void offline_plans_are_bound(void)
{
    plan_error_t err;
    int ranks = ranks_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
    plan_t *plan = NULL, *offline = rank == 0 ? offline_plan(ranks, 0) : NULL;
    CU_ASSERT(all_get(plan_bind(MPI_COMM_WORLD, offline, &plan, &err), 0));
    if (rank == 0) CU_ASSERT_EQUAL(plan_data(plan)->hash, plan_data(offline)->hash);
    plan_destroy(&offline); /* the bound one is a copy */
    try_plan(plan, 0);
    plan_destroy(&plan);
    CU_ASSERT(all_get(plan_bind(MPI_COMM_WORLD, NULL, &plan, NULL), PLAN_EINVAL));
    offline = offline_plan(ranks + 1, 0);
    CU_ASSERT(all_get(plan_bind(MPI_COMM_WORLD, offline, &plan, &err), PLAN_EMISMATCH));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "ranks"));
    CU_ASSERT_PTR_NULL(plan);
    plan_destroy(&offline);
}

static void candidates_are_timed(void)
{
    int ranks = ranks_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
    double seconds = -1;
    plan_candidate_t native = {.size = sizeof native, .name = "native", .run = PLAN_RUN_NATIVE, .window = 1};
    plan_t *plan = rank == 0 ? offline_plan(ranks, 0) : NULL;
    const plan_candidate_t *mine = plan ? plan_chosen(plan, 10) : NULL;
    CU_ASSERT(all_get(plani_time(MPI_COMM_WORLD, 0, rank ? NULL : &native, 1000, 0.05, &seconds, NULL, NULL), 0));
    CU_ASSERT(seconds > 0 && seconds < 60);
    CU_ASSERT(same_everywhere((uint64_t)(seconds * 1e12)));
    CU_ASSERT(all_get(plani_time(MPI_COMM_WORLD, 0, mine, 0, 0, &seconds, NULL, NULL), 0));
    CU_ASSERT(all_get(plani_time(MPI_COMM_WORLD, 0, mine, 30000, 0.05, &seconds, NULL, NULL), 0));
    CU_ASSERT(seconds > 0 && seconds < 60);
    plan_destroy(&plan);
}

MPI_SUITE_MAIN("plan_bcast", TEST(a_loaded_profile_is_planned_from), TEST(shortlist_is_timed),
               TEST(the_default_ends_with_a_duel), TEST(a_platform_that_is_passed_is_trusted),
               TEST(the_machine_is_measured_where_no_profile_is_given), TEST(profiles_of_other_machines_are_refused),
               TEST(arguments_that_differ_are_refused), TEST(unsuitable_communicators_are_refused),
               TEST(offline_plans_are_bound), TEST(candidates_are_timed))
