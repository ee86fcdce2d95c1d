/* The best single tree by branch and bound: the least period of all spanning arborescences, with its proof. */
#ifndef TESTS_ORACLE_LEAST_PERIOD_H
#define TESTS_ORACLE_LEAST_PERIOD_H

#include <planbcast/platform.h>

typedef struct {
    double period; /* [s] of the best tree found; `upper` where no better one was found */
    double proven; /* [s] no tree has a smaller one; equals `period` when the search came to its end */
    int asked;     /* integer programs solved */
} oracle_least_t;

/**
 * Which sets of children may a rank have when no port is held longer than tau? Few, when tau is near the optimum. So
 * the program has a variable for each such set ("star") of each rank, one of which the rank takes; a 0/1 variable for
 * each link, which is the sum of the stars that hold it; one link into every rank; a row for each resource; and a row
 * for each cut between the root and some rank that a solution violates. Its relaxation knows all about single ports,
 * and is asked first, for bisection on tau; then branch and bound in GLPK (glp_intopt) for what is left. tau only takes
 * values that a star or a multiple of a resource's cost can have.
 *
 * \param upper   period of a known tree [s]
 * \param limit_s time for the whole search; then proven < period
 * \return 0; -1: out of memory, GLPK failed, or more than 200,000 stars
 */
int oracle_least_period(const plan_platform_data_t *d, int root, double slice, double upper, double limit_s,
                        oracle_least_t *out);

#endif
