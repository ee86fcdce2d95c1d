/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing one candidate. Private. */
#ifndef PLANI_TIME_H
#define PLANI_TIME_H

#include <planbcast/mpi.h>
#include "lib/base/statistics.h"

/**
 * Time broadcasts of `bytes` bytes by one candidate (MPI_Bcast, for PLAN_RUN_NATIVE), from the root's start to the last
 * rank's end: the median over repetitions, until its 95% interval is within 2.5% or `budget_s` [s] is spent. Collective
 * on comm, which has MPI_ERRORS_RETURN; `c` is significant at rank 0 only. *seconds is set on every rank, and so is
 * *fastest, the time of the fastest run (NULL on all ranks: not needed).
 */
int plani_time(MPI_Comm comm, int root, const plan_candidate_t *c, size_t bytes, double budget_s, double *seconds,
               double *fastest, plan_error_t *err);

/** Median of n values and whether its interval is within 2.5%; sorts x. n >= 1. */
double plani_median(double *x, int n, int *narrow);

#endif
