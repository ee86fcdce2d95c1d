/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting without using the processor. */
#ifndef PLANI_WAIT_H
#define PLANI_WAIT_H

#include "lib/mpi/comm/fiber.h"
#include "lib/mpi/comm/simulator.h"
#include <mpi.h>

/** Returns at once if `seconds` is not positive. */
void plani_sleep(double seconds);
/** Wait for a request, with sleeps between tests that grow with the wait, to 5 ms, for ranks may share a core: 30 idle
 * ranks that test every 0.3 ms occupy two processors. */
int plani_calm_wait(MPI_Request *request);
/** To be called after the look-th poll (from 0) in vain: in a fiber it stops there. Elsewhere it moves fibers on, and
 * after 100 polls yields the processor, which the awaited ranks need if there are more ranks than cores. */
void plani_give_way(int look);
/** As MPI_Wait, but giving way. */
int plani_await(MPI_Request *request, MPI_Status *status);
/** Wait until the fiber's function has returned; others under way are moved on as well. */
void plani_wait_for_fiber(plani_fiber_t *fiber);

#endif
