/* SPDX-License-Identifier: BSD-3-Clause */
/* What differs in simulated time (SimGrid 3.32, the preset `simgrid`), as properties that other files ask for. A test
 * checks that the simulator's own names occur in no other file. */
#ifndef PLANI_SIMULATOR_H
#define PLANI_SIMULATOR_H

#include <stddef.h>

#ifdef PLANBCAST_SIMULATED
enum { PLANI_SIMULATED = 1 }; /* only for this file */
#else
enum { PLANI_SIMULATED = 0 };
#endif

enum {
    /** Ranks must not poll, but wait in MPI. Simulated time does not advance while a rank polls. And each rank's list
     * of completed messages is searched for every message: MPI_Wait and MPI_Waitany remove entries from it, MPI_Test
     * and MPI_Waitsome do not, and the list must stay short. */
    PLANI_MUST_BLOCK = PLANI_SIMULATED,
    /** Use MPI_Issend where there may be many messages at once. Short messages of MPI_Send and MPI_Isend in flight are
     * in one list of all ranks, which is searched, too. MPI_Issend arrives no later. */
    PLANI_SEND_SYNCHRONOUSLY = PLANI_SIMULATED,
    /** All ranks read one clock, MPI_Wtime. */
    PLANI_ONE_CLOCK = PLANI_SIMULATED,
    /** Each rank has its own processor and caches; those of the machine that simulates do not matter. */
    PLANI_OWN_PROCESSOR = PLANI_SIMULATED,
    /** No noise: a repeated measurement has the same result. */
    PLANI_NO_NOISE = PLANI_SIMULATED,
    /** Slices that are sent together arrive together. A flow needs few of them, for its rate is constant; simulating
     * costs real time per message, hardly per byte. */
    PLANI_FLOWS_IN_BLOCKS = PLANI_SIMULATED,
    /** What messages lose by their size they lose on every link (SimGrid's smpi/bw-factor), so that one link tells of
     * all. On real links small messages cost their hosts time, and trunks little. */
    PLANI_LOSS_BY_SIZE = PLANI_SIMULATED,
    /** Making a communicator takes time that is none of this library's: SimGrid broadcasts its number by the program's
     * selector; with Open MPI's that took 25 s among 1,024 ranks on long links, before anything was measured. */
    PLANI_SLOW_COMMUNICATORS = PLANI_SIMULATED,
    /** Ranks can share memory. Simulated hosts have none. */
    PLANI_CAN_SHARE_MEMORY = !PLANI_SIMULATED,
    /** Token buckets on the path may let bursts pass. Simulated links have none. */
    PLANI_BURSTS = !PLANI_SIMULATED,
    /** Each rank is a process, which launchers number. Simulated ranks are parts of one process. */
    PLANI_NUMBERED_PROCESSES = !PLANI_SIMULATED,
};

/** Flows in blocks: half round trips of empty messages that pass between a block and the next. SimGrid stretches
 * latencies 2 times for empty messages, such as credits, and 11.6 times for long ones (smpi/lat-factor). */
#define PLANI_BLOCK_IDLE (1 + 11.6436 / 2.01467)
/** The same of messages below 64 KiB, of which latencies are stretched 1.6 to 3.5 times. */
#define PLANI_SMALL_IDLE (1 + 2.4 / 2)

/** Number of runs of an experiment that needs n runs where there is noise. A constant. */
#define PLANI_REPEATS(n) (PLANI_NO_NOISE ? 1 : (n))

/** Memory for messages whose content does not matter, touched; NULL: out of memory. All simulated ranks get the same
 * memory, and nothing is copied. */
void *plani_pool_create(size_t size);
void plani_pool_destroy(void *pool);

#endif
