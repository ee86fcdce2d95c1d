/* SPDX-License-Identifier: BSD-3-Clause */
/* Detecting that other ranks run the broadcast by another range or size than this rank expects. Private. */
#ifndef PLANI_PROBE_H
#define PLANI_PROBE_H

#include "lib/mpi/execute/binding.h"

enum {
    PLANI_SHARED_MEMORY = -1, /* a slice in shared memory is expected */
    PLANI_NOTHING = -2        /* nothing is expected: report whatever comes */
};

/** Whether to call plani_probe after `look` unsuccessful polls: at powers of two from 64 on, and at every 1024th. It is
 * slow: where ranks outnumber processors, each call may last a time slice of the scheduler. */
static inline bool plani_probe_now(unsigned look)
{
    return look >= 64 && ((look & (look - 1)) == 0 || look % 1024 == 0);
}

/**
 * Whether something unexpected of the current broadcast has arrived: by another range of the plan, or of another size.
 * Probes for messages from each rank that sends to this one in some range or in records, and looks at the ring of
 * shared memory. Receives nothing.
 *
 * \param expected  tag base of the expected messages, or PLANI_SHARED_MEMORY or PLANI_NOTHING
 * \param *found    what has arrived; untouched if nothing has
 */
bool plani_probe(const plani_binding_t *b, int expected, plani_unexpected_t *found);

#endif
