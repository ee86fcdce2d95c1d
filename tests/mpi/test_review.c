/* plan_review: what the timings of the ranks say, and what it does where it cannot tell. */
#include "mpi_suite.h"
#include "cast.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/mpi/api/timed.h"

enum { RANKS = 4, BYTES = 1 << 20 };

/* Accounts as ranks would keep them that begin the broadcasts `late` seconds after the root, one rank at a time, and
 * have all after `seconds`, or as long after the last one began as they need. */
static plani_all_timings_t all(plani_timing_t *a, int broadcasts, double late, double seconds)
{
    memset(a, 0, RANKS * PLANI_TIMINGS * sizeof *a);
    for (int n = 1; n <= broadcasts; n++)
        for (int r = 0; r < RANKS; r++) {
            double start = 10.0 * n, own = r == 1 + n % (RANKS - 1) ? late : 0;
            a[r * PLANI_TIMINGS + n % PLANI_TIMINGS] =
                (plani_timing_t){.number = (unsigned long)n,
                                 .bytes = BYTES,
                                 .entry_s = start + own,
                                 .last_s = start + (r > 0 ? fmax(late, 0) + seconds * r / (RANKS - 1) : 0)};
        }
    return (plani_all_timings_t){RANKS, 0, a};
}

static void late_ranks_do_not_make_a_broadcast_slow(void)
{
    static plani_timing_t a[RANKS * PLANI_TIMINGS];
    plani_timed_size_t t[PLANI_TIMINGS];
    double when[RANKS];

    CU_ASSERT_EQUAL_FATAL(plani_timed_sizes(all(a, 9, 0.5, 1), t), 1);
    CU_ASSERT(t[0].bytes == BYTES && t[0].n == 9);
    CU_ASSERT_DOUBLE_EQUAL(t[0].median_s, 1.5, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(t[0].least_s, 1, 1e-9);
    CU_ASSERT(!plani_is_off(&t[0], 1));
    CU_ASSERT(plani_is_off(&t[0], 0.7));  /* slower than predicted, also from when the last rank began */
    CU_ASSERT(!plani_is_off(&t[0], 1.9)); /* 1.5 s from the root's start are no sign of a faster machine */
    CU_ASSERT(plani_is_off(&t[0], 2));
    CU_ASSERT(!plani_timed_arrivals(all(a, 9, 0.5, 1), BYTES, when)); /* too late to tell when others got it */
    CU_ASSERT(plani_timed_arrivals(all(a, 9, 0.1, 1), BYTES, when));
    CU_ASSERT_DOUBLE_EQUAL(when[3], 1.1, 1e-9);
    CU_ASSERT_EQUAL(when[0], 0);
}

static void only_broadcasts_that_all_ranks_know_count(void)
{
    static plani_timing_t a[RANKS * PLANI_TIMINGS];
    plani_timed_size_t t[PLANI_TIMINGS];

    plani_all_timings_t b = all(a, 40, 0, 1); /* the last ones are kept */
    CU_ASSERT(plani_timed_sizes(b, t) == 1 && t[0].n == PLANI_TIMINGS);
    a[2 * PLANI_TIMINGS + 5].number -= PLANI_TIMINGS; /* rank 2 failed in a broadcast */
    a[3 * PLANI_TIMINGS + 6].bytes++;                 /* rank 3 passed another size */
    CU_ASSERT(plani_timed_sizes(b, t) == 1 && t[0].n == PLANI_TIMINGS - 2);
    CU_ASSERT_EQUAL(plani_timed_sizes(all(a, PLANI_TIMED_LEAST - 1, 0, 1), t), 0);
    b = all(a, PLANI_TIMINGS, 0, 1);
    for (int r = 0; r < RANKS; r++)
        for (int i = 0; i < 6; i++) a[r * PLANI_TIMINGS + i].bytes = BYTES / 2;
    CU_ASSERT_EQUAL_FATAL(plani_timed_sizes(b, t), 2);
    CU_ASSERT(t[0].n + t[1].n == PLANI_TIMINGS && t[0].bytes != t[1].bytes);
}

/* As many ranks on a host each, or all on one, whose cards carry `rate` [B/s]. */
static plan_platform_t *chain_platform(double rate, bool apart)
{
    enum { MOST = 16 };
    plan_link_t link[MOST * MOST];
    size_t n = 0, of[MOST][MOST];
    plan_resource_t out[MOST];
    char name[MOST][24];
    int ranks = world_size(), host[MOST];
    plan_platform_t *pf = NULL;

    for (int u = 0; u < ranks; u++) {
        size_t first = n;
        for (int v = 0; v < ranks; v++)
            if (u != v) link[n++] = (plan_link_t){u, v, 1e-6, 1 / rate, 0, -1};
        for (size_t i = first; i < n; i++) of[u][i - first] = i;
        snprintf(name[u], sizeof name[u], "card %d", u);
        out[u] = (plan_resource_t){.name = name[u], .s_per_byte = 1 / rate, .nlinks = n - first, .link = of[u]};
        host[u] = apart ? u : 0;
    }
    plan_platform_data_t d = {.size = sizeof d,
                              .ranks = ranks,
                              .nlinks = n,
                              .link = link,
                              .nresources = ranks > 1 ? (size_t)ranks : 0,
                              .resource = out,
                              .host = host,
                              .ports = PLAN_PORTS_NONE};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

static plan_t *chain(void)
{
    return topology_plan(MPI_COMM_WORLD, 0, PLAN_PIPELINE, 1, 65536, 4);
}

static void broadcast(plan_t *plan, size_t bytes, int times)
{
    char *data = calloc(bytes, 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    for (int i = 0; i < times; i++) CU_ASSERT_EQUAL(plan_execute(plan, data, (MPI_Count)bytes, MPI_BYTE), 0);
    free(data);
}

/* On a platform of 0.1 MB/s memory is much faster than predicted. There is nothing to measure again. */
static void what_is_off_is_said_and_a_platform_is_not_measured_again(void)
{
    plan_t *plan = chain(), *before = plan;
    plan_platform_t *pf = chain_platform(1e5, true);
    plan_options_t o;
    plan_error_t err;
    plan_review_t r = {.size = sizeof r};

    CU_ASSERT_EQUAL(plan_options_init(&o, NULL), PLAN_OK);
    o.platform = pf, o.error = &err;
    CU_ASSERT_EQUAL(plan_review(&plan, &o, world_rank() == 0, &r), 0);
    CU_ASSERT(r.bytes == 0 && !r.off);
    broadcast(plan, 8, 20);
    broadcast(plan, BYTES, 5);
    CU_ASSERT_EQUAL(plan_review(&plan, &o, world_rank() == 0, &r), 0);
    if (world_size() > 1) {
        CU_ASSERT(r.bytes == BYTES && r.broadcasts == 5 && r.off);
        CU_ASSERT(r.predicted_s > BYTES / 1e5 && r.measured_s < r.predicted_s);
    }
    CU_ASSERT(!r.measured && !r.saved && !r.renewed && plan == before);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

static void wrong_arguments_end_in_an_error_on_all_ranks(void)
{
    plan_t *none = NULL, *plan = chain();
    plan_platform_t *pf = chain_platform(1e8, true);
    plan_options_t o;
    plan_error_t err;
    plan_review_t r = {.size = sizeof r};

    CU_ASSERT_EQUAL(plan_options_init(&o, NULL), PLAN_OK);
    o.platform = pf, o.error = &err;
    CU_ASSERT_EQUAL(plan_review(NULL, &o, false, &r), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_review(&none, &o, false, &r), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_review(&plan, &o, false, world_rank() == world_size() - 1 ? NULL : &r), PLAN_EINVAL);
    r.size = 1;
    CU_ASSERT_EQUAL(plan_review(&plan, &o, false, &r), PLAN_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "plan_review_t"));
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

/* The duplicate's plan was not planned by this job, which has no machine. */
static void without_a_machine_there_is_nothing_to_compare_with(void)
{
    plan_t *plan = chain();
    plan_review_t r = {.size = sizeof r};
    plan_options_t o;
    plan_error_t err;

    CU_ASSERT_EQUAL(plan_options_init(&o, NULL), PLAN_OK);
    o.error = &err;
    broadcast(plan, BYTES, 5);
    CU_ASSERT_EQUAL(plan_review(&plan, &o, true, &r), world_size() > 1 ? PLAN_EUNSUPPORTED : 0);
    plan_destroy(&plan);
}

static void save_platform(const char *profile, bool apart)
{
    plan_platform_t *pf = chain_platform(1e5, apart);
    if (world_rank() == 0) CU_ASSERT_EQUAL(plan_platform_save(pf, profile, NULL), PLAN_OK);
    MPI_Barrier(MPI_COMM_WORLD);
    plan_platform_destroy(&pf);
}

/* As plan_bcast plans from it. Here, too, there is nothing to measure again. */
static void a_loaded_profile_is_what_broadcasts_are_compared_with(void)
{
    plan_t *plan = chain(), *before = plan;
    plan_review_t r = {.size = sizeof r};
    plan_options_t o;
    plan_error_t err;
    char profile[64];

    snprintf(profile, sizeof profile, "test_review.%d.json", world_size());
    CU_ASSERT_EQUAL(plan_options_init(&o, NULL), PLAN_OK);
    o.load_profile = world_rank() == 0 ? profile : NULL, o.error = &err; /* rank 0's options count */
    save_platform(profile, false);
    broadcast(plan, BYTES, 5);
    CU_ASSERT_EQUAL(plan_review(&plan, &o, true, &r), 0);
    if (world_size() > 1) CU_ASSERT(r.bytes == BYTES && r.off && r.predicted_s > BYTES / 1e5);
    CU_ASSERT(!r.measured && !r.saved && !r.renewed && plan == before);
    save_platform(profile, true);
    CU_ASSERT_EQUAL(plan_review(&plan, &o, true, &r), world_size() > 1 ? PLAN_EMISMATCH : 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) remove(profile);
    MPI_Barrier(MPI_COMM_WORLD);
    CU_ASSERT_EQUAL(plan_review(&plan, &o, true, &r), world_size() > 1 ? PLAN_EIO : 0);
    plan_destroy(&plan);
}

MPI_SUITE_MAIN("review", TEST(late_ranks_do_not_make_a_broadcast_slow), TEST(only_broadcasts_that_all_ranks_know_count),
               TEST(what_is_off_is_said_and_a_platform_is_not_measured_again),
               TEST(a_loaded_profile_is_what_broadcasts_are_compared_with),
               TEST(wrong_arguments_end_in_an_error_on_all_ranks),
               TEST(without_a_machine_there_is_nothing_to_compare_with))
