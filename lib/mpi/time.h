/* Timing broadcasts and choosing by the clock, private. */
#ifndef PLANI_TIME_H
#define PLANI_TIME_H

#include <planbcast/mpi.h>

/** As plan_time_candidate, on a communicator whose errors return and which stays the caller's. */
int plani_time(MPI_Comm comm, int root, const plan_candidate_t *c, size_t bytes, double budget_s, double *seconds,
               plan_error_t *err);

/**
 * Plan by the clock: at each of a ladder of sizes time the finalists of the scoreboard and MPI_Bcast, all ranks
 * together. Collective; rank 0 receives the plan. pf and options are significant at rank 0 alone.
 */
int plani_tournament(MPI_Comm comm, const plan_platform_t *pf, int root, size_t max_bytes,
                     const plan_options_t *options, plan_t **out, plan_error_t *err);

/** One line to the caller's report, if there is one. */
void plani_report(const plan_options_t *options, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Median of n values and whether its 95% interval is within 2.5%; sorts x. n >= 1. Order statistics: the median lies
 * between the values of ranks n / 2 -+ 0.98 sqrt(n), whatever their distribution. */
double plani_median(double *x, int n, int *narrow);

#endif
