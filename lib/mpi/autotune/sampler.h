/* SPDX-License-Identifier: BSD-3-Clause */
/* Timed runs of candidates: rank 0 orders them, all ranks take part. */
#ifndef PLANI_SAMPLER_H
#define PLANI_SAMPLER_H

#include <planbcast/mpi.h>
#include "lib/mpi/autotune/halving.h"

typedef struct plani_sampler plani_sampler_t;
struct plani_sampler {
    MPI_Comm comm;
    int rank, root;
    bool reduces;              /* candidates reduce to the root */
    const plan_platform_t *pf; /* rank 0 */
    plan_error_t *err;
    uint64_t passes; /* rank 0: number so far */
    double aside_s;  /* rank 0: [s] overhead of a run besides its broadcast, in the last pass */
    /* What the tuner calls, which is in the planner's library: plani_sample, and MPI_Wtime. */
    int (*sample)(plani_sampler_t *s, size_t bytes, int rounds, double budget_s, plani_arm_t *arm, int n);
    double (*now)(void);
};

/**
 * One pass of up to `rounds` rounds. In a round every arm that is still in broadcasts `bytes` once, in random order, so
 * that disturbances affect all arms alike. The pass ends when no further run is expected to fit into budget_s. All
 * ranks begin each broadcast at the same time; the time is that from the root's start to the last rank's end (Hunold,
 * Carpen-Amarie 2016, "MPI benchmarking revisited"). An arm's first broadcast sets up connections and is not timed.
 *
 * Collective: rank 0 calls it, while the others are in plani_sampler_follow.
 * \return 0, PLAN_ENOMEM if a rank has no memory for the message, or an error of the broadcasts
 */
int plani_sample(plani_sampler_t *s, size_t bytes, int rounds, double budget_s, plani_arm_t *arm, int n);
/** Rank 0: end plani_sampler_follow on the other ranks, with status rc. \return rc, or the error of telling them */
int plani_sampler_close(const plani_sampler_t *s, int rc);
/** The other ranks: take part until rank 0 closes. \return its status */
int plani_sampler_follow(plani_sampler_t *s);

#endif
