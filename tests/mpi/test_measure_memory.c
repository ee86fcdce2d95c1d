/* Allocations fail in turn on one rank, each of the first ones, then some: all ranks return the error, none hangs, and
 * no memory leaks. */
#include "mpi_suite.h"
#include "alloc.h"
#include <planbcast/mpi.h>

static void measure_short_of_memory(int poor)
{
    int rank, any = 1;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (long k = 1; any; k += 1 + k / 128) { /* most are those of planning, which has tests of its own */
        plan_options_t o;
        plan_profile_t *profile = NULL;
        plan_options_init(&o, NULL);
        o.budget_s = 1e-3;
        if (rank == poor) alloc_fail(k);
        int rc = plan_measure(MPI_COMM_WORLD, &o, &profile);
        int failed = rank == poor && alloc_failed();
        MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CU_ASSERT_EQUAL(rc, any ? PLAN_ENOMEM : PLAN_OK);
        CU_ASSERT_EQUAL(profile != NULL, !any && rank == 0);
        plan_profile_destroy(&profile);
    }
}

static void want_of_memory_on_rank_0_is_known_to_all(void)
{
    measure_short_of_memory(0);
}

static void want_of_memory_on_the_last_rank_is_known_to_all(void)
{
    int ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    measure_short_of_memory(ranks - 1);
}

MPI_SUITE_MAIN("measuring, short of memory", TEST(want_of_memory_on_rank_0_is_known_to_all),
               TEST(want_of_memory_on_the_last_rank_is_known_to_all))
