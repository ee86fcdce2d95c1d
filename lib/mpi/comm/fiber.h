/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions on stacks of their own, which stop where they would wait and are moved on later. Private. */
#ifndef PLANI_FIBER_H
#define PLANI_FIBER_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct plani_fiber plani_fiber_t;

extern atomic_int plani_fibers_under_way; /* only for this header and fiber.c */

/** NULL: out of memory, or this system has no fibers, or ranks must block. */
plani_fiber_t *plani_fiber_create(void);
/** NULL-safe. A function under way is never moved on again. */
void plani_fiber_destroy(plani_fiber_t **fiber);

/** Begin function(argument) and run it until it would wait. Not while a function is under way on this fiber. */
void plani_fiber_start(plani_fiber_t *fiber, void (*function)(void *), void *argument);
/** Whether the function has returned. */
bool plani_fiber_is_done(const plani_fiber_t *fiber);
/** Move on a function that is alone: it waits in place, until it has returned or another fiber is under way. */
void plani_fiber_run_alone(plani_fiber_t *fiber);
/** Move on every function under way in this process until it would wait, in the order in which they began. Not from a
 * fiber. */
void plani_fibers_progress(void);

static inline bool plani_fibers_any(void)
{
    return atomic_load_explicit(&plani_fibers_under_way, memory_order_relaxed) > 0;
}
static inline bool plani_fibers_single(void)
{
    return atomic_load_explicit(&plani_fibers_under_way, memory_order_relaxed) == 1;
}

bool plani_fibers_give_way(void); /* only for plani_yield */
/**
 * After a poll in vain. In a fiber: stop here, and return true when moved on. Elsewhere the functions under way are
 * moved on, for other ranks may wait for them; false: the caller goes on waiting in its own way.
 */
static inline bool plani_yield(void)
{
    return plani_fibers_any() && plani_fibers_give_way();
}

#endif
