/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways of long messages: through the slots, into or past the caches, or straight out of the root's memory: by the
 * kernel (process_vm_readv), or mapped (XPMEM). */
#ifndef PLANI_SINGLE_COPY_H
#define PLANI_SINGLE_COPY_H

#include "lib/mpi/execute/ring.h"

/** Where the readers find a message of this rank: for the label, which has its way. */
void plani_single_copy_offer(const plani_ring_t *ring, const void *data, plani_label_t *label);
/** Whether messages are offered so by this way. */
static inline bool plani_single_copy_by(int way)
{
    return way == PLANI_BY_SINGLE_COPY || way == PLANI_BY_MAPPING;
}
/** Whether the message of the label is. */
static inline bool plani_single_copy_offered(const plani_label_t *label)
{
    return plani_single_copy_by(label->way);
}
/** Copy bytes [at, at + len) of a message that is offered. \return false: the kernel refuses; then no message is
 * offered by its way any more */
bool plani_single_copy_read(plani_ring_t *ring, const plani_label_t *label, size_t at, size_t len, char *out);

/** After how many messages of about this size, at most, their root has tried all ways that are possible; 0: there is
 * one only. */
int plani_single_copy_trials(const plani_ring_t *ring, size_t bytes);
/** Choose the way of the next message of so many bytes at `data`: that by which the fastest of the last PLANI_TRIALS of
 * about this size was fastest, or, now and then, another. If this message cannot be mapped, none is from now on.
 * \param timed whether plani_single_copy_note is to be called: always where readers need the root's memory, and else
 * for trials and for those that they are compared with, as to wait for the readers takes longer */
int plani_single_copy_choose(plani_ring_t *ring, const void *data, size_t bytes, bool *timed);
/** Note how long it took until all ranks had read it [s]. */
void plani_single_copy_note(plani_ring_t *ring, size_t bytes, int way, double seconds);

#endif
