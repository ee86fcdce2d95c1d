/* Schedules of rounds, prepared for predictions at many message sizes and slice sizes. */
#ifndef PLANI_ROUNDS_H
#define PLANI_ROUNDS_H

#include <planbcast/heuristics.h>
#include <planbcast/platform.h>
#include "graphs/trees/rounds.h"
#include "planner/plan/assignment.h"

typedef struct plani_rounds plani_rounds_t;
struct plani_cost_cache;

/** [B] Block size of a message in `blocks` blocks (plani_schedule_blocks); the last block may be shorter. */
size_t plani_block_size(plan_schedule_kind_t kind, size_t blocks, size_t bytes, size_t slice);

/**
 * \param order [ranks] the rank at each place; copied. Borrows pf and, unless it is NULL, costs.
 * \retval PLAN_ENOTREE a rank sends along a link that pf lacks
 */
plan_status_t plani_rounds_create(const plan_platform_t *pf, plan_schedule_kind_t kind, const int *order,
                                  struct plani_cost_cache *costs, plani_rounds_t **out);
void plani_rounds_destroy(plani_rounds_t **rounds);

plan_schedule_kind_t plani_rounds_kind(const plani_rounds_t *rounds);
int *plani_rounds_order(const plani_rounds_t *rounds);
/** [s] As plani_score_rounds. Allocates nothing. */
double plani_rounds_score(plani_rounds_t *rounds, size_t bytes, size_t slice);
/** [s] Until the record that the executor sends before rounds is on all ranks, which plani_rounds_score leaves out. */
double plani_rounds_record(const plani_rounds_t *rounds);
/** The port, resource or link occupied longest by all rounds together, per slice (0: per message) as in
 * plan_throughput; ties: the first. */
plan_bottleneck_t plani_rounds_bottleneck(plani_rounds_t *rounds, size_t bytes, size_t slice);

#endif
