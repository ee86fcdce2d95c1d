/*
 * A discrete-event simulation of one broadcast, message by message.
 *
 * The stages of Nuriyev et al. 2022 move all ranks in step: a stage takes as long as its slowest rank. Here every rank
 * goes at its own pace, by the rules of the executor (lib/mpi/execute/pipeline.c, lib/mpi/execute/rounds.c), and every
 * message queues for what it shares. That costs more than stages do, so only the best by stages are simulated.
 */
#ifndef PLANI_SIMULATION_H
#define PLANI_SIMULATION_H

#include <planbcast/platform.h>
#include <planbcast/schedule.h>
#include <planbcast/tree.h>
#include "planner/cost/cost.h"

typedef struct plani_simulation plani_simulation_t;

/** Borrows pf. Room grows with what is simulated, and is kept. O(resource uses) time. */
plan_status_t plani_simulation_create(const plan_platform_t *pf, plani_simulation_t **out);
void plani_simulation_destroy(plani_simulation_t **simulation);

/**
 * What has been simulated of a long message tells all of longer ones in the same slices, that go the same way with the
 * same window: the first slices do the same, and the others follow at the same pace. Zero-initialise.
 */
typedef struct {
    size_t slices;      /* that were simulated, 0: none */
    double end, period; /* when they were everywhere, and the time between those that follow [s] */
} plani_extrapolation_t;

/**
 * When the last rank has the last byte [s], of one or several trees that share the slices.
 *
 * \param share  [ntrees] in which proportion; NULL for one tree
 * \param from   of these trees, slices and window, for shorter messages; simulated is what it does not tell, and noted
 *               what longer ones may go by. NULL: none
 * \retval PLAN_EINVAL  there is no tree
 * \retval PLAN_ENOTREE a tree uses a link that the platform lacks, or has another number of ranks
 *
 * Deterministic. At most about PLANI_SIMULATED_TRANSFERS transfers are simulated: of more slices the first ones, and
 * the others follow at the pace of the last of those, or of the steady state where that is slower.
 */
plan_status_t plani_simulate_trees(plani_simulation_t *simulation, size_t ntrees, plan_tree_t *const *tree,
                                   const double *share, plani_pipeline_t how, plani_extrapolation_t *from,
                                   double *seconds);

/**
 * The same of a schedule of rounds.
 *
 * \param order  [ranks] the rank at each place
 * \param how    window: transfers under way each way
 * \retval PLAN_ENOTREE      a rank sends along a link that the platform lacks
 * \retval PLAN_EUNSUPPORTED there are more than 128 ranks, whose rounds are too many
 */
plan_status_t plani_simulate_rounds(plani_simulation_t *simulation, plan_schedule_kind_t kind, const int *order,
                                    plani_pipeline_t how, double *seconds);

#define PLANI_SIMULATED_TRANSFERS 1024

#endif
