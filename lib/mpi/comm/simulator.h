/* What differs where time is simulated (SimGrid 3.32, the preset `simgrid`): properties that all others ask for, so
 * that nobody else knows why. A test sees to it that the simulator's own names stand in no other file. */
#ifndef PLANI_SIMULATOR_H
#define PLANI_SIMULATOR_H

#include <stddef.h>

#ifdef PLANBCAST_SIMULATED
enum { PLANI_SIMULATED = 1 }; /* for this file alone */
#else
enum { PLANI_SIMULATED = 0 };
#endif

enum {
    /** A clock stands still while a rank asks again and again: whoever waits leaves it to MPI. And of what has come,
     * each rank has a list that is walked from end to end for every message, and which must stay short: MPI_Wait and
     * MPI_Waitany take what they complete from it, MPI_Test and MPI_Waitsome do not. So nobody may ask at all. */
    PLANI_MUST_BLOCK = PLANI_SIMULATED,
    /** Another such list is one of all ranks, with every short message on its way that MPI_Send or MPI_Isend sent. What
     * may be many at once is sent by MPI_Issend, which arrives no later. */
    PLANI_SEND_SYNCHRONOUSLY = PLANI_SIMULATED,
    /** All ranks read one clock, MPI_Wtime. */
    PLANI_ONE_CLOCK = PLANI_SIMULATED,
    /** No rank takes a processor or a cache from another, and where the simulator runs says nothing of them. */
    PLANI_OWN_PROCESSOR = PLANI_SIMULATED,
    /** Nothing varies: who measures again is told the same. */
    PLANI_NO_NOISE = PLANI_SIMULATED,
    /** Every message costs real time, little of it for many bytes: a flow ends when enough of it has passed for slices
     * on a long link to be in step, however much simulated time that takes, and what is sent at once arrives at once.
     */
    PLANI_FLOWS_BY_COUNT = PLANI_SIMULATED,
    /** Ranks can share memory. Simulated hosts have none. */
    PLANI_CAN_SHARE_MEMORY = !PLANI_SIMULATED,
    /** Shapers on the way may save up for a burst. Simulated links do not. */
    PLANI_BURSTS = !PLANI_SIMULATED,
};

/** How often an experiment is run that is worth n runs where there is noise. A constant. */
#define PLANI_REPEATS(n) (PLANI_NO_NOISE ? 1 : (n))

/** Memory for messages whose bytes nobody looks at, touched; NULL: none. Simulated ranks all get the same, and nothing
 * is copied. */
void *plani_pool_create(size_t size);
void plani_pool_destroy(void *pool);

#endif
