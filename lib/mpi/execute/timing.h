/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's times of its own broadcasts: when it began each and when it had received all of it. Private. */
#ifndef PLANI_TIMING_H
#define PLANI_TIMING_H

#include <stddef.h>
#include <planbcast/mpi.h>

enum {
    PLANI_TIMINGS = 16,           /* broadcasts that are kept: the last ones */
    PLANI_TIMING_LEAST = 64 << 10 /* [B] shorter messages are not timed: their time depends on latency, not on rates */
};

/** One broadcast down trees, by this rank's plan_clock. */
typedef struct {
    unsigned long number; /* plani_binding_t.number, the same on all ranks; 0: none */
    size_t bytes, range;
    double entry_s, last_s; /* [s] when this rank began it, and had its last byte; at the root: when it began, twice */
} plani_timing_t;

typedef struct {
    plani_timing_t of[PLANI_TIMINGS]; /* the broadcast of number n at n % PLANI_TIMINGS */
    double last_s;                    /* of the broadcast that is under way */
} plani_timings_t;

/** The rank has just received the last slice of a tree. */
static inline void plani_timing_arrival(plani_timings_t *a, size_t bytes)
{
    if (bytes >= PLANI_TIMING_LEAST) a->last_s = plan_clock();
}

#endif
