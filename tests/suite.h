/* One CUnit program per file: SUITE_MAIN defines main() for a list of tests. */
#ifndef PLANBCAST_TESTS_SUITE_H
#define PLANBCAST_TESTS_SUITE_H

#include <CUnit/Basic.h>
#include <stdlib.h>

#define TEST(fn)                                                                                                       \
    {                                                                                                                  \
#fn, fn                                                                                                        \
    }

#define SUITE_MAIN(suite_name, ...)                                                                                    \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        static CU_TestInfo tests[] = {__VA_ARGS__, CU_TEST_INFO_NULL};                                                 \
        static char name[] = suite_name;                                                                               \
        CU_SuiteInfo suites[] = {{name, NULL, NULL, NULL, NULL, tests}, CU_SUITE_INFO_NULL};                           \
        if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) return 2;            \
        CU_basic_set_mode(CU_BRM_VERBOSE);                                                                             \
        CU_basic_run_tests();                                                                                          \
        unsigned bad = CU_get_number_of_tests_failed() + CU_get_number_of_failures();                                  \
        unsigned ran = CU_get_number_of_tests_run();                                                                   \
        CU_cleanup_registry();                                                                                         \
        return bad || !ran ? EXIT_FAILURE : EXIT_SUCCESS;                                                              \
    }

#endif
