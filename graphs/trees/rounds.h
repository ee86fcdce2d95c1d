/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of rounds: the blocks that each place sends and receives in each round. */
#ifndef PLANI_TREES_ROUNDS_H
#define PLANI_TREES_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/schedule.h>

/** PLAN_EINVAL if `name` is none of them. */
plan_status_t plani_schedule_from_name(const char *name, plan_schedule_kind_t *kind);

/** [B] What each rank receives before the rounds: the size and the range of the broadcast, by which it notices that
 * another rank passed other arguments. */
#define PLANI_ROUNDS_RECORD 24

#define PLANI_SCHEDULE_STEPS 31 /* ceil(log2 places) at most */

/** One place's part in a schedule; a plain value for the functions below. */
typedef struct {
    plan_schedule_kind_t kind;
    int places, place;
    int steps;                        /* ceil(log2 places) */
    int skip[PLANI_SCHEDULE_STEPS];   /* circulant: in step k places are skip[k] apart */
    int sends[PLANI_SCHEDULE_STEPS];  /* circulant: block sent in step k of the first phase; < 0: none yet */
    int brings[PLANI_SCHEDULE_STEPS]; /* circulant: block received in step k of the first phase; < 0: none yet */
} plani_schedule_t;

/**
 * Compute one place's part, independently of the others. O(log^2 places), without allocation.
 * \retval PLAN_EINVAL places < 1, place out of range, or no such kind
 *
 * Circulant: Traeff 2022, "(Poly)logarithmic time construction of round-optimal n-block broadcast schedules".
 * Scatter: Thakur, Rabenseifner, Gropp 2005, section 4.2, without sending blocks to places that have them from the
 * scatter. Doubling: Bruck et al. 1997, for any number of places.
 */
plan_status_t plani_schedule_init(plan_schedule_kind_t kind, int places, int place, plani_schedule_t *out);

/** Number of blocks of a message of `bytes`: one per place for scatter schedules, else one per slice of `slice` bytes
 * (0: whole). */
size_t plani_schedule_blocks(plan_schedule_kind_t kind, int places, size_t bytes, size_t slice);
/** Number of rounds for `blocks` (>= 1) blocks. */
size_t plani_schedule_rounds(const plani_schedule_t *s, size_t blocks);

/** Blocks first, first + 1, ... that go to or come from one place, wrapping around to block 0. */
typedef struct {
    int place;
    size_t first, count; /* count 0: nothing */
} plani_blocks_t;

/** The blocks that a place sends and receives in one round. */
typedef struct {
    plani_blocks_t out, in;
} plani_schedule_round_t;

/** O(1). round < plani_schedule_rounds. */
plani_schedule_round_t plani_schedule_round(const plani_schedule_t *s, size_t blocks, size_t round);

/**
 * Groups of rounds of equal cost, which differ only in the indices of blocks. *round: one round of the g-th group;
 * *times: number of its rounds. False beyond the last group. There are O(log places) groups, whatever the number of
 * rounds. Short blocks occur only in groups of a single round.
 */
bool plani_schedule_group(const plani_schedule_t *s, size_t blocks, size_t g, size_t *round, size_t *times);

#endif
