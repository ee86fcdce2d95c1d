/* SPDX-License-Identifier: BSD-3-Clause */
/* Taking part in a broadcast of unexpected range or size, or without data. Private. */
#ifndef PLANI_SINK_H
#define PLANI_SINK_H

#include "lib/mpi/execute/record.h"

/**
 * Receive and forward the current broadcast, whatever its range and size. All other ranks then get their data, and no
 * message is left over for a later broadcast.
 *
 * \param found    what has arrived; NULL: wait for it
 * \param arrived  [ntrees] slices of each tree that have been received and forwarded already; NULL: none
 * \return 0, or an error after which the plan cannot be used any more
 */
int plani_sink(plani_binding_t *b, const plani_unexpected_t *found, const size_t *arrived);
/** Run what follows an unexpected record. */
int plani_follow_record(plani_binding_t *b, const plani_record_t *record);
/** As plani_sink; the root, which has nothing to send, tells all other ranks by a record. */
int plani_give_up(plani_binding_t *b, const plani_unexpected_t *found, const size_t *arrived);

#endif
