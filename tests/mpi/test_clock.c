/* Clock synchronisation, with local clocks that this test offsets. */
#include "mpi_suite.h"
#include <planbcast/mpi.h>
#include <time.h>

static time_t ahead; /* of this rank's clock [s] */

int __real_clock_gettime(clockid_t which, struct timespec *t);
int __wrap_clock_gettime(clockid_t which, struct timespec *t);

/* The library's clock, by the linker. */
int __wrap_clock_gettime(clockid_t which, struct timespec *t)
{
    int rc = __real_clock_gettime(which, t);
    t->tv_sec += ahead;
    return rc;
}

static void clocks_that_may_be_one_are_taken_as_one(void)
{
    double offset = 7;
    ahead = 0;
    CU_ASSERT_EQUAL(plan_clock_sync(MPI_COMM_WORLD, &offset), 0);
    CU_ASSERT_EQUAL(offset, 0);
}

/* Thousands of seconds apart; a round trip takes less than one. */
static void offsets_bring_all_clocks_to_rank_0s(void)
{
    double offset = 0;
    ahead = 10000 * (world_rank() % 3) - 3000 * world_rank();
    CU_ASSERT_EQUAL(plan_clock_sync(MPI_COMM_WORLD, &offset), 0);
    CU_ASSERT_DOUBLE_EQUAL(offset, -(double)ahead, 60);
    ahead = 0;
}

/* By the true clock nobody goes on before the last one came, whatever the ranks' clocks show. */
static void ranks_line_up_behind_the_last(void)
{
    double offset = 0, times[2], all[2];
    const struct timespec nap = {0, 3000000};
    ahead = 10000 * (world_rank() % 3) - 3000 * world_rank();
    CU_ASSERT_EQUAL(plan_clock_sync(MPI_COMM_WORLD, &offset), 0);
    if (world_rank() == world_size() - 1) nanosleep(&nap, NULL);
    times[0] = plan_clock() - (double)ahead;
    CU_ASSERT_EQUAL(plan_line_up(MPI_COMM_WORLD, offset), 0);
    times[1] = -(plan_clock() - (double)ahead);
    CU_ASSERT_EQUAL(MPI_Allreduce(times, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), 0);
    CU_ASSERT_TRUE(all[0] <= -all[1]);
    ahead = 0;
}

/* Else this test ends by its time limit. */
static void nobody_waits_for_clocks_that_are_not_one(void)
{
    ahead = 100000 * world_rank();
    CU_ASSERT_EQUAL(plan_line_up(MPI_COMM_WORLD, 0), 0);
    ahead = 0;
}

static void a_span_goes_from_the_roots_start_to_the_last_end(void)
{
    int root = world_size() - 1;
    plan_span_t all, mine = plan_span(world_rank() == root, world_rank(), 100 + 2 * world_rank(), 0.5);
    CU_ASSERT_EQUAL(MPI_Allreduce(&mine, &all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), 0);
    CU_ASSERT_EQUAL(plan_span_seconds(all), 100 + 2 * root - root);
}

MPI_SUITE_MAIN("clock", TEST(clocks_that_may_be_one_are_taken_as_one), TEST(offsets_bring_all_clocks_to_rank_0s),
               TEST(ranks_line_up_behind_the_last), TEST(nobody_waits_for_clocks_that_are_not_one),
               TEST(a_span_goes_from_the_roots_start_to_the_last_end))
