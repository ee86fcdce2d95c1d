/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of rounds: broadcasts without trees, in which ranks send and receive blocks of the message. */
#ifndef PLANBCAST_SCHEDULE_H
#define PLANBCAST_SCHEDULE_H

#include <planbcast/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- experimental ---- */

/**
 * Kinds of schedules. Ranks are assigned to places 0 .. places - 1 by the plan, the root to place 0. The message is cut
 * into blocks of equal size (the last may be short, or missing). In each round a place sends to at most one place, and
 * receives from at most one. Every place but 0 receives every block exactly once.
 */
typedef enum {
    PLAN_SCATTER_RING,     /* a block per place: binomial scatter, then ring allgather */
    PLAN_SCATTER_DOUBLING, /* a block per place: binomial scatter, then allgather by recursive doubling */
    PLAN_CIRCULANT,        /* n blocks in n - 1 + ceil(log2 places) rounds, the least possible */
    PLAN_SCHEDULES
} plan_schedule_kind_t;

/** The name of a schedule: "scatter-ring", "scatter-doubling" or "circulant"; "?" for any other number. */
PLAN_API const char *plan_schedule_name(plan_schedule_kind_t kind);

#ifdef __cplusplus
}
#endif
#endif
