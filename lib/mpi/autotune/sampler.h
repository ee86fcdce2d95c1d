/* Runs of candidates, which rank 0 orders and all ranks take part in. */
#ifndef PLANI_SAMPLER_H
#define PLANI_SAMPLER_H

#include <planbcast/mpi.h>
#include "lib/mpi/autotune/halving.h"

typedef struct {
    MPI_Comm comm;
    int rank, root;
    const plan_platform_t *pf; /* rank 0 */
    plan_error_t *err;
    uint64_t passes; /* rank 0: so far */
    double aside_s;  /* rank 0: what a run took besides its broadcast, by the last pass [s] */
} plani_sampler_t;

/**
 * One pass: up to `rounds` rounds, in each of which every arm that is in broadcasts `bytes` once, in a newly drawn
 * order, so that whatever disturbs the machine disturbs all alike; it ends when the next run is expected to last longer
 * than what is left of budget_s. All ranks begin each broadcast at once, and the slowest rank's time counts (Hunold,
 * Carpen-Amarie 2016, "MPI benchmarking revisited"). An arm's first broadcast, which makes connections, does not count.
 *
 * Collective: rank 0 calls it, while the others are in plani_sampler_follow.
 * \return 0, PLAN_ENOMEM where a rank has no memory for the message, or what broadcasting returns
 */
int plani_sample(plani_sampler_t *s, size_t bytes, int rounds, double budget_s, plani_arm_t *arm, int n);
/** Rank 0 tells the others that no more passes come, and how it ended. \return that */
int plani_sampler_close(const plani_sampler_t *s, int rc);
/** The other ranks: take part until rank 0 closes. \return how it ended */
int plani_sampler_follow(plani_sampler_t *s);

#endif
