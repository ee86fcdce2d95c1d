/* Taking part in a broadcast that is not the one expected, or without its data, private. */
#ifndef PLANI_SINK_H
#define PLANI_SINK_H

#include "lib/mpi/execute/record.h"

/**
 * Take what comes of the current broadcast, whatever its range and size, and pass it on, so that all other ranks get
 * theirs, and nothing is left that a later broadcast could find.
 *
 * \param found    what has come; NULL: wait for it
 * \param arrived  [ntrees] slices of each tree that have been taken and passed on already; NULL: none
 * \return 0, or an error after which the plan cannot be used any more
 */
int plani_sink(plani_binding_t *b, const plani_found_t *found, const size_t *arrived);
/** What follows a record that is not the expected one. */
int plani_follow_record(plani_binding_t *b, const plani_record_t *record);
/** As plani_sink, and the root, which has nothing to send, says so to all others. */
int plani_give_up(plani_binding_t *b, const plani_found_t *found, const size_t *arrived);

#endif
