/* What a process keeps for its next communicators: no host is measured twice, and equal communicators share a plan. */
#include "mpi_suite.h"
#include <planbcast/mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "lib/mpi/api/job.h"
#include "lib/mpi/measure/phases/profile.h"
#include "lib/mpi/autotune/tune.h"

static int measured, decided; /* calls of this process */

int __wrap_plan_measure(MPI_Comm comm, const plan_options_t *options, plan_profile_t **out);
int __real_plan_measure(MPI_Comm comm, const plan_options_t *options, plan_profile_t **out);
int __wrap_plan_measure(MPI_Comm comm, const plan_options_t *options, plan_profile_t **out)
{
    measured++;
    return __real_plan_measure(comm, options, out);
}

int __wrap_plani_decide_together(MPI_Comm comm, const plani_request_t *request, const plani_tuning_t *tuning,
                                 const plan_options_t *options, plani_decision_t *out, plan_error_t *err);
int __real_plani_decide_together(MPI_Comm comm, const plani_request_t *request, const plani_tuning_t *tuning,
                                 const plan_options_t *options, plani_decision_t *out, plan_error_t *err);
int __wrap_plani_decide_together(MPI_Comm comm, const plani_request_t *request, const plani_tuning_t *tuning,
                                 const plan_options_t *options, plani_decision_t *out, plan_error_t *err)
{
    decided++;
    return __real_plani_decide_together(comm, request, tuning, options, out, err);
}

static plan_options_t options(void)
{
    plan_options_t o;
    CU_ASSERT_EQUAL(plan_options_init(&o, NULL), PLAN_OK);
    o.mode = PLAN_ESTIMATE, o.budget_s = 0.3;
    return o;
}

/* Plan, broadcast a pattern, compare. Returns the plan's hash. */
static unsigned long long plan_and_run(MPI_Comm comm, int root, const plan_options_t *o)
{
    enum { BYTES = 50000 };
    static unsigned char data[BYTES];
    plan_t *plan = NULL;
    int wrong = 0;

    CU_ASSERT_EQUAL_FATAL(plan_bcast(comm, root, 1 << 20, o, &plan), 0);
    for (int i = 0; i < BYTES; i++) data[i] = rank_in(comm) == root ? (unsigned char)(i * 7 + root) : 0;
    CU_ASSERT_EQUAL(plan_execute(plan, data, BYTES, MPI_BYTE), 0);
    for (int i = 0; i < BYTES; i++) wrong += data[i] != (unsigned char)(i * 7 + root);
    CU_ASSERT_EQUAL(wrong, 0);
    unsigned long long hash = plan_data(plan)->hash;
    plan_destroy(&plan);
    return hash;
}

static void the_first_communicator_is_measured(void)
{
    plan_options_t o = options();
    plan_and_run(MPI_COMM_WORLD, 0, &o);
    CU_ASSERT_EQUAL(measured, 1);
    CU_ASSERT_EQUAL(decided, 1);
}

static void its_duplicates_share_its_plan(void)
{
    plan_options_t o = options();
    unsigned long long hash = plan_and_run(MPI_COMM_WORLD, 0, &o);
    for (int i = 0; i < 20; i++) {
        MPI_Comm duplicate;
        MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
        CU_ASSERT_EQUAL(plan_and_run(duplicate, 0, &o), hash);
        MPI_Comm_free(&duplicate);
    }
    CU_ASSERT(measured == 1 && decided == 1);
}

static void note_nothing(void *context, const plan_trial_t *trial)
{
    (void)context, (void)trial;
}

/* A plan that there is needs no trials. */
static void who_would_hear_of_trials_shares_it_too(void)
{
    plan_options_t o = options();
    o.trial = note_nothing;
    plan_and_run(MPI_COMM_WORLD, 0, &o);
    CU_ASSERT(measured == 1 && decided == 1);
}

static void another_request_is_another_plan(void)
{
    plan_options_t o = options();
    int last = ranks_of(MPI_COMM_WORLD) - 1;
    plan_t *plan = NULL;

    plan_and_run(MPI_COMM_WORLD, last, &o);
    CU_ASSERT_EQUAL(decided, last > 0 ? 2 : 1);
    plan_and_run(MPI_COMM_WORLD, last, &o);
    CU_ASSERT_EQUAL(decided, last > 0 ? 2 : 1);
    o.choice.only = "ompi-binomial,ompi-chain";
    int before = decided;
    plan_and_run(MPI_COMM_WORLD, 0, &o);
    CU_ASSERT_EQUAL(decided, before + 1);
    CU_ASSERT_EQUAL(plan_bcast(MPI_COMM_WORLD, rank_in(MPI_COMM_WORLD) == 0 ? 0 : 1, 1 << 20, &o, &plan) == 0,
                    ranks_of(MPI_COMM_WORLD) == 1); /* ranks disagree about the root, as if nothing were kept */
    plan_destroy(&plan);
    CU_ASSERT_EQUAL(measured, 1);
}

/* A file that is named counts before what is known; a report says so. */
static char source[200], why[200];

static void note(void *context, int level, const char *line)
{
    static const char measuring[] = "the machine has to be measured: ";
    (void)context, (void)level;
    if (strncmp(line, measuring, strlen(measuring)) == 0) snprintf(why, sizeof why, "%s", line + strlen(measuring));
    if (strncmp(line, "machine: ", 9) == 0) snprintf(source, sizeof source, "%s", line + 9);
}

static void a_machine_that_is_named_comes_first(void)
{
    plan_options_t o = options();
    char path[64];
    int pid = (int)getpid();

    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "test-job-%d.json", pid);
    plan_profile_t *profile = NULL;
    CU_ASSERT_EQUAL_FATAL(__real_plan_measure(MPI_COMM_WORLD, &o, &profile), 0);
    if (profile != NULL)
        CU_ASSERT_EQUAL(plani_machine_add_to_file(plani_profile_machine(profile), path, NULL, NULL), PLAN_OK);
    plan_profile_destroy(&profile);
    o.machine = path, o.report = note;
    plan_and_run(MPI_COMM_WORLD, 0, &o);
    CU_ASSERT_EQUAL(measured, 1);
    if (world_rank() == 0) CU_ASSERT_STRING_EQUAL(source, path);
    o.machine = "no-such-machine.json";
    plan_t *plan = NULL;
    CU_ASSERT_EQUAL(plan_bcast(MPI_COMM_WORLD, 0, 1 << 20, &o, &plan), PLAN_EIO);
    if (world_rank() == 0) unlink(path);
}

static void parts_of_the_job_are_not_measured_again(void)
{
    plan_options_t o = options();
    MPI_Comm half, backwards;
    int rank = rank_in(MPI_COMM_WORLD);

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    plan_and_run(half, ranks_of(half) - 1, &o);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards); /* another rank decides */
    plan_and_run(backwards, 0, &o);
    CU_ASSERT_EQUAL(measured, 1);
    MPI_Comm_free(&half);
    MPI_Comm_free(&backwards);
}

/* How many hosts the machine with "a" and this host has, once it is found. */
static int look_for(const char *other, const plani_machine_t **machine)
{
    plani_job_t *job = NULL;
    plani_place_t place[2] = {{.host = 0}, {.host = 1}};
    plani_name_t name[2] = {{.text = "a", .signature = "alike"}, {.signature = "alike"}};
    const plani_placement_t placement = {.ranks = 2, .hosts = 2, .place = place, .name = name, .known = true};
    int host[2];
    plani_found_machine_t found = {.host = host};
    plan_error_t err;

    snprintf(name[1].text, sizeof name[1].text, "%s", other);
    if (plani_job_find(&job) != PLAN_OK || job == NULL) return -1;
    const plani_machine_t *m = plani_job_machine(job, &placement, NULL, &found, &err);
    int hosts = m != NULL ? m->nhosts : -1;
    if (machine != NULL)
        *machine = m; /* and it stays locked */
    else if (m != NULL)
        plani_job_release(job);
    return hosts;
}

static void *look_for_another(void *hosts)
{
    *(int *)hosts = look_for("c", NULL);
    return NULL;
}

/* A machine's hosts moved in memory while other threads read them. */
static void who_has_a_machine_sees_no_hosts_admitted_to_it(void)
{
    static const char text[] =
        "{\"format\": \"planbcast-machine\", \"version\": 1, \"kinds\": [{\"name\": \"k\", "
        "\"signature\": \"alike\", \"out\": {\"bytes_per_s\": 1e7}, \"in\": {\"bytes_per_s\": 1e7}}], "
        "\"groups\": [{\"name\": \"g\", \"hosts\": [{\"names\": \"a,b\", \"kind\": \"k\"}]}]}";
    const struct timespec moment = {.tv_nsec = 50000000};
    const plani_machine_t *m = NULL;
    plani_machine_t *machine = NULL;
    plani_job_t *job = NULL;
    pthread_t other;
    int hosts = 0;

    CU_ASSERT_EQUAL_FATAL(plani_machine_parse(text, strlen(text), "hosts", &machine, NULL), PLAN_OK);
    CU_ASSERT_FATAL(plani_job_find(&job) == PLAN_OK && job != NULL);
    CU_ASSERT_EQUAL_FATAL(plani_job_add(job, NULL, machine, "hosts"), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(look_for("b", &m), 2);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&other, NULL, look_for_another, &hosts), 0);
    nanosleep(&moment, NULL);
    CU_ASSERT_EQUAL(m->nhosts, 2);
    plani_job_release(job);
    pthread_join(other, NULL);
    CU_ASSERT_EQUAL(hosts, 3);
    CU_ASSERT_EQUAL(look_for("b", NULL), 3);
}

/* 10,000 hosts of two ranks each, outside of this job's world. Then two hosts have one name: nothing is known by names
 * from then on, and a line says so. */
static void names_have_to_tell_hosts_apart(void)
{
    enum { HOSTS = 10000 };
    plani_job_t *job = NULL;
    plani_placement_t placement = {.ranks = 2 * HOSTS, .hosts = HOSTS}, mine;

    placement.world = malloc(2 * HOSTS * sizeof *placement.world);
    placement.place = calloc(2 * HOSTS, sizeof *placement.place);
    placement.name = calloc(2 * HOSTS, sizeof *placement.name);
    CU_ASSERT_FATAL(placement.world && placement.place && placement.name && plani_job_find(&job) == PLAN_OK &&
                    job != NULL);
    for (int r = 0; r < 2 * HOSTS; r++) {
        placement.world[r] = -1, placement.place[r].host = r % HOSTS;
        snprintf(placement.name[r].text, sizeof placement.name[r].text, "n%d", r % HOSTS);
    }
    plani_job_learn(job, &placement);
    CU_ASSERT_EQUAL(plani_placement_open(job, MPI_COMM_WORLD, &mine), 0);
    CU_ASSERT_TRUE(mine.known);
    plani_placement_close(&mine);
    placement.name[HOSTS + 4711] = placement.name[0];
    plani_job_learn(job, &placement);
    CU_ASSERT_EQUAL(plani_placement_open(job, MPI_COMM_WORLD, &mine), 0);
    CU_ASSERT_FALSE(mine.known);
    plani_placement_close(&mine);
    plani_placement_close(&placement);
    plan_options_t o = options();
    o.report = note;
    plan_and_run(MPI_COMM_WORLD, 0, &o);
    CU_ASSERT_EQUAL(measured, 2);
    if (world_rank() == 0) CU_ASSERT_PTR_NOT_NULL(strstr(why, "names do not tell this job's hosts apart"));
}

MPI_SUITE_MAIN("job", TEST(the_first_communicator_is_measured), TEST(its_duplicates_share_its_plan),
               TEST(who_would_hear_of_trials_shares_it_too), TEST(another_request_is_another_plan),
               TEST(a_machine_that_is_named_comes_first), TEST(parts_of_the_job_are_not_measured_again),
               TEST(who_has_a_machine_sees_no_hosts_admitted_to_it), TEST(names_have_to_tell_hosts_apart))
