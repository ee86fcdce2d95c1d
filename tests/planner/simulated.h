/* The simulated time of one tree. */
#ifndef PLANBCAST_TESTS_SIMULATED_H
#define PLANBCAST_TESTS_SIMULATED_H

#include "suite.h"
#include "planner/simulate/simulation.h"

/** [s]; a failure ends the test. */
static inline double simulation(const plan_platform_t *pf, plan_tree_t *tree, size_t bytes, size_t slice, int window)
{
    plani_simulation_t *x = NULL;
    double seconds = -1;
    CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &x), PLAN_OK);
    CU_ASSERT_EQUAL(plani_simulate_trees(x, 1, &tree, NULL, (plani_pipeline_t){bytes, slice, window}, NULL, &seconds),
                    PLAN_OK);
    plani_simulation_destroy(&x);
    return seconds;
}

#endif
