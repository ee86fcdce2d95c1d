/* SPDX-License-Identifier: BSD-3-Clause */
/* Slices inside a host: one rank writes each to a ring of shared memory, the others read it. Private. */
#ifndef PLANI_HOST_RING_H
#define PLANI_HOST_RING_H

#include "lib/mpi/execute/lane.h"

/** Before the lanes are used: finds out whether this rank shares its host, and which lanes write to the ring. */
void plani_host_ring_begin(plani_tree_bcast_t *run);
/** Write to the ring what has arrived from other hosts, and read what others have written, as far as possible now.
 * \return whether any slice was written or read. Sets run->gave_up and run->other if the others run this broadcast by
 * another range or size. */
bool plani_host_ring_move(plani_tree_bcast_t *run);
/** Whether all slices of the message have been written and read on this rank. */
static inline bool plani_host_ring_done(const plani_tree_bcast_t *run)
{
    return run->ring == NULL || run->passed == run->slices;
}
/** Whether all that has arrived from other hosts has been written to the ring. */
bool plani_host_ring_written(const plani_tree_bcast_t *run);
/** After the look-th poll in vain: sleep if only another rank of this host can bring the next slice. \return whether it
 * slept in vain: then MPI should be called, which may have messages to move. */
bool plani_host_ring_rest(plani_tree_bcast_t *run, unsigned look, bool messages);
/** When the wait is over. */
void plani_host_ring_rested(plani_tree_bcast_t *run, unsigned looks, bool messages);

/** For ranks that do not know the message: write slice `n` of the ring; `label` without order and plan. Waits for room.
 */
void plani_host_ring_write(plani_binding_t *b, unsigned long n, const char *data, plani_label_t label);
/** And wait for the next slice of the current broadcast. It stays until plani_ring_take. */
const plani_label_t *plani_host_ring_wait(plani_binding_t *b);

#endif
