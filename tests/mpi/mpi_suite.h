/* A CUnit program for several ranks: every rank runs all tests; ranks other than 0 print failures only. */
#ifndef PLANBCAST_TESTS_MPI_SUITE_H
#define PLANBCAST_TESTS_MPI_SUITE_H

#include <mpi.h>
#include "suite.h"

static inline int rank_in(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

static inline int ranks_of(MPI_Comm comm)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    return ranks;
}

static inline int world_rank(void)
{
    return rank_in(MPI_COMM_WORLD);
}

static inline int world_size(void)
{
    return ranks_of(MPI_COMM_WORLD);
}

/* Fails on all ranks if it fails on one, so that the ranks stay together when the test ends here. */
#define CU_ASSERT_ALL_FATAL(condition)                                                                                 \
    do {                                                                                                               \
        int mine_ = (condition) ? 1 : 0, all_ = 0;                                                                     \
        MPI_Allreduce(&mine_, &all_, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);                                             \
        CU_ASSERT_FATAL(all_);                                                                                         \
    } while (0)

#define MPI_SUITE_MAIN(suite_name, ...)                                                                                \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        static CU_TestInfo tests[] = {__VA_ARGS__, CU_TEST_INFO_NULL};                                                 \
        static char name[] = suite_name;                                                                               \
        CU_SuiteInfo suites[] = {{name, NULL, NULL, NULL, NULL, tests}, CU_SUITE_INFO_NULL};                           \
        int rank, any = 0;                                                                                             \
        MPI_Init(&argc, &argv);                                                                                        \
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);                                                                          \
        if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) return 2;            \
        CU_basic_set_mode(rank == 0 ? CU_BRM_VERBOSE : CU_BRM_SILENT);                                                 \
        CU_basic_run_tests();                                                                                          \
        int bad = CU_get_number_of_tests_failed() + CU_get_number_of_failures() > 0 || !CU_get_number_of_tests_run();  \
        if (bad && rank != 0) CU_basic_show_failures(CU_get_failure_list());                                           \
        CU_cleanup_registry();                                                                                         \
        MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);                                                \
        MPI_Finalize();                                                                                                \
        return any ? EXIT_FAILURE : EXIT_SUCCESS;                                                                      \
    }

#endif
