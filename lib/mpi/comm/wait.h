/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting without using the processor. */
#ifndef PLANI_WAIT_H
#define PLANI_WAIT_H

#include "lib/mpi/comm/fiber.h"
#include "lib/mpi/comm/simulator.h"
#include <mpi.h>
#include <stdbool.h>

/** Returns at once if `seconds` is not positive. */
void plani_sleep(double seconds);
/** Wait for a request, with sleeps between tests that grow with the wait, to 5 ms, for ranks may share a core: 30 idle
 * ranks that test every 0.3 ms occupy two processors. */
int plani_calm_wait(MPI_Request *request);
/** To be called after the look-th poll (from 0) in vain: in a fiber it stops there. Elsewhere it moves fibers on, and
 * after 10 polls yields the processor, which the awaited ranks need if there are more ranks than cores. */
void plani_give_way(unsigned look);

/**
 * How ranks wait in a long broadcast where processes share processors. One that yields in vain, again and again, takes
 * time from those that have messages to move; so it sleeps for a part of the time that it usually waits. It does not
 * while nobody else wants its processor, nor in the first 20 ms, for in short broadcasts each delay counts.
 */
typedef struct {
    double begun_s;  /* when the broadcast began on this rank: on plan_clock */
    double since_s;  /* when this wait began; 0: not yet */
    double usual_s;  /* the mean of waits, weighted towards the last ones */
    long takeovers;  /* how often other processes had taken the processor over before the broadcast */
    bool shared;     /* one has since then */
    unsigned napped; /* in this wait */
} plani_rest_t;

#define PLANI_LONGEST_NAP_S 1e-3 /* a rank may be needed for other messages */

/** When a broadcast begins. */
void plani_rest_begin(plani_rest_t *rest);
/** After a poll in vain: whether to sleep before the next one. */
bool plani_rest_due(plani_rest_t *rest);
/** Sleep for a part of the usual wait. */
void plani_nap(plani_rest_t *rest);
/** When a wait is over. */
void plani_rested(plani_rest_t *rest);

/** As MPI_Wait, but giving way. */
int plani_await(MPI_Request *request, MPI_Status *status);
/** Wait until the fiber's function has returned; others under way are moved on as well. */
void plani_wait_for_fiber(plani_fiber_t *fiber);

#endif
