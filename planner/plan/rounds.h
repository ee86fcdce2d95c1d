/* Schedules of rounds, made ready to be scored at many message sizes and slices. */
#ifndef PLANI_ROUNDS_H
#define PLANI_ROUNDS_H

#include <planbcast/heuristics.h>
#include <planbcast/platform.h>
#include "graphs/trees/rounds.h"

/** [B] The executor sends longer runs of blocks in several transfers, on all ranks alike. */
enum { PLANI_LONGEST_TRANSFER = 128 << 10 };

typedef struct plani_rounds plani_rounds_t;

/** [B] All of `blocks` blocks but the last, of a message cut in so many (plani_schedule_blocks). */
size_t plani_block_size(plan_schedule_kind_t kind, size_t blocks, size_t bytes, size_t slice);

/**
 * \param order [ranks] the rank at each place; copied. Borrows pf.
 * \retval PLAN_ENOTREE a rank sends along a link that pf lacks
 */
plan_status_t plani_rounds_create(const plan_platform_t *pf, plan_schedule_kind_t kind, const int *order,
                                  plani_rounds_t **out);
void plani_rounds_destroy(plani_rounds_t **rounds);

plan_schedule_kind_t plani_rounds_kind(const plani_rounds_t *rounds);
int *plani_rounds_order(const plani_rounds_t *rounds);
/** As plani_score_rounds [s], or INFINITY once it is clear that this takes longer than `most` [s]; allocates nothing.
 */
double plani_rounds_score(plani_rounds_t *rounds, size_t bytes, size_t slice, double most);
/** What all rounds together hold longest, per slice (0: the message) as plan_throughput counts; of equals the first. */
plan_bottleneck_t plani_rounds_bottleneck(plani_rounds_t *rounds, size_t bytes, size_t slice);

#endif
