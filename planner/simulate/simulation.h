/*
 * A discrete-event simulation of one broadcast, message by message.
 *
 * The stages of Nuriyev et al. 2022 synchronise all ranks: a stage takes as long as its slowest rank. Here every rank
 * proceeds on its own, by the rules of the executor (lib/mpi/execute/pipeline.c, lib/mpi/execute/rounds.c), and
 * messages queue for shared resources. That takes more time than stages, so only the best candidates by stages are
 * simulated.
 */
#ifndef PLANI_SIMULATION_H
#define PLANI_SIMULATION_H

#include <planbcast/platform.h>
#include <planbcast/schedule.h>
#include <planbcast/tree.h>
#include "planner/cost/cost.h"

typedef struct plani_simulation plani_simulation_t;

/** Borrows pf and, unless it is NULL, costs. Memory grows with the simulated broadcasts, and is kept. O(resource uses)
 * time. */
plan_status_t plani_simulation_create(const plan_platform_t *pf, struct plani_cost_cache *costs,
                                      plani_simulation_t **out);
/** From now on slices inside hosts go through shared memory, if the platform knows its times. */
void plani_simulation_share(plani_simulation_t *simulation);
void plani_simulation_destroy(plani_simulation_t **simulation);

/**
 * The simulation of a long message, for extrapolation to longer ones with the same trees, slice size and window: their
 * first slices take the same time, and the others follow at the same rate. Zero-initialise.
 */
typedef struct {
    size_t slices;      /* simulated; 0: none */
    double end, period; /* [s] when all ranks have them; time per further slice */
} plani_extrapolation_t;

/**
 * [s] When the last rank has the last byte, with one tree or several that carry slices in proportion to share.
 *
 * \param share  [ntrees]; NULL for one tree
 * \param from   in: a simulation of the same trees, slices and window, which is used if it suffices; out: this one, for
 *               longer messages. NULL: none
 * \retval PLAN_EINVAL  there is no tree
 * \retval PLAN_ENOTREE a tree uses a link that the platform lacks, or has another number of ranks
 *
 * Deterministic. At most about PLANI_SIMULATED_TRANSFERS transfers are simulated, or 16 slices, or 8 of each of several
 * trees. Of more slices the first are simulated; the others follow at the rate of the second half of each tree's, or in
 * steady state if that is slower.
 */
plan_status_t plani_simulate_trees(plani_simulation_t *simulation, size_t ntrees, plan_tree_t *const *tree,
                                   const double *share, plani_pipeline_t how, plani_extrapolation_t *from,
                                   double *seconds);

/**
 * When each rank has the last byte.
 *
 * \param[out] arrival [ranks] [s] after the root's start; 0 for the root
 *
 * The rest as of plani_simulate_trees. Of more slices than are simulated the others follow at the rate at which the
 * rank received the second half of these.
 */
plan_status_t plani_simulate_arrivals(plani_simulation_t *simulation, size_t ntrees, plan_tree_t *const *tree,
                                      const double *share, plani_pipeline_t how, double *arrival);

/** The first slices of a broadcast one by one, and when each rank gets them. Slice k to rank v is k * ranks + v. */
typedef struct {
    size_t slices;
    double *sent, *got; /* [slices * ranks] [s] after the root's start: its sender has begun, the rank has it; 0 for the
                           root */
    size_t *tree;       /* [slices] that the slice goes down */
} plani_timeline_t;

/**
 * \param most     slices that are wanted; there may be fewer
 * \param[out] out for plani_timeline_clear, also after a failure
 *
 * The rest as of plani_simulate_trees.
 */
plan_status_t plani_simulate_timeline(plani_simulation_t *simulation, size_t ntrees, plan_tree_t *const *tree,
                                      const double *share, plani_pipeline_t how, size_t most, plani_timeline_t *out);
void plani_timeline_clear(plani_timeline_t *timeline);

/**
 * As plani_simulate_trees, for a schedule of rounds.
 *
 * \param order  [ranks] the rank at each place
 * \param how    window: transfers in flight in each direction
 * \retval PLAN_ENOTREE      a rank sends along a link that the platform lacks
 * \retval PLAN_EUNSUPPORTED there are more than 128 ranks: it would take too long
 */
plan_status_t plani_simulate_rounds(plani_simulation_t *simulation, plan_schedule_kind_t kind, const int *order,
                                    plani_pipeline_t how, double *seconds);

#define PLANI_SIMULATED_TRANSFERS 1024

#endif
