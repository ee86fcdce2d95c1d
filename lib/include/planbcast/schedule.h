/* Broadcasts by schedules of rounds, in which ranks send and receive blocks of the message, rather than by trees. */
#ifndef PLANBCAST_SCHEDULE_H
#define PLANBCAST_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Ranks are assigned to places 0 .. places - 1 by the plan, the root to place 0. The message is cut into blocks of
 * equal size (the last may be short, or missing). In each round a place sends to at most one place, and receives from
 * at most one. Every place but 0 receives every block exactly once.
 */
typedef enum {
    PLAN_SCATTER_RING,     /* a block per place: binomial scatter, then the blocks go round a ring */
    PLAN_SCATTER_DOUBLING, /* a block per place: binomial scatter, then each place's share doubles in each round */
    PLAN_CIRCULANT,        /* n blocks in n - 1 + ceil(log2 places) rounds, the least possible */
    PLAN_SCHEDULES
} plan_schedule_kind_t;

/** "scatter-ring", "scatter-doubling", "circulant". */
PLAN_API const char *plan_schedule_name(plan_schedule_kind_t kind);
/** PLAN_EINVAL if `name` is none of them. */
PLAN_API plan_status_t plan_schedule_from_name(const char *name, plan_schedule_kind_t *kind);

#define PLAN_SCHEDULE_STEPS 31 /* ceil(log2 places) at most */

/** One place's part in a schedule; a plain value, for use by the functions below. */
typedef struct {
    plan_schedule_kind_t kind;
    int places, place;
    int steps;                       /* ceil(log2 places) */
    int skip[PLAN_SCHEDULE_STEPS];   /* circulant: in step k places are skip[k] apart */
    int sends[PLAN_SCHEDULE_STEPS];  /* circulant: block sent in step k of the first phase; < 0: none yet */
    int brings[PLAN_SCHEDULE_STEPS]; /* circulant: block received in step k of the first phase; < 0: none yet */
} plan_schedule_t;

/**
 * Compute one place's part, independently of the others. O(log^2 places), without allocation.
 * \retval PLAN_EINVAL places < 1, place out of range, or no such kind
 *
 * Circulant: Traeff 2022, "(Poly)logarithmic time construction of round-optimal n-block broadcast schedules".
 * Scatter: Thakur, Rabenseifner, Gropp 2005, section 4.2; blocks that a place has from the scatter are not sent again.
 * Doubling: Bruck et al. 1997, for any number of places.
 */
PLAN_API plan_status_t plan_schedule_init(plan_schedule_kind_t kind, int places, int place, plan_schedule_t *out);

/** Blocks of a message of `bytes` in slices of `slice` (0: whole): one per place when scattered, else one per slice. */
PLAN_API size_t plan_schedule_blocks(plan_schedule_kind_t kind, int places, size_t bytes, size_t slice);
/** How many rounds `blocks` (>= 1) blocks take. */
PLAN_API size_t plan_schedule_rounds(const plan_schedule_t *s, size_t blocks);

/** Blocks first, first + 1, ... that go to or come from one place, wrapping around to block 0. */
typedef struct {
    int place;
    size_t first, count; /* count 0: nothing */
} plan_blocks_t;

/** What a place does in one round. */
typedef struct {
    plan_blocks_t out, in;
} plan_round_t;

/** O(1). round < plan_schedule_rounds. */
PLAN_API plan_round_t plan_schedule_round(const plan_schedule_t *s, size_t blocks, size_t round);

/**
 * Groups of rounds that differ only in the blocks sent, so that costs are the same throughout a group. Fills in one
 * round of the g-th group and the number of its rounds. False beyond the last group. There are O(log places) groups,
 * however many rounds. Only groups of a single round have short blocks.
 */
PLAN_API bool plan_schedule_group(const plan_schedule_t *s, size_t blocks, size_t g, size_t *round, size_t *times);

#ifdef __cplusplus
}
#endif
#endif
