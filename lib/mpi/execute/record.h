/* Records: what a broadcast is, sent ahead of it, private. */
#ifndef PLANI_RECORD_H
#define PLANI_RECORD_H

#include "lib/mpi/execute/binding.h"

/**
 * Goes down a binomial tree from the root where the messages of the broadcast itself would not tell a rank that expects
 * another one how to take part in it: before rounds and MPI_Bcast, for no bytes, and where the root fails.
 */
typedef struct {
    uint64_t bytes;
    uint32_t range;
    uint16_t failed; /* the root has no data, and nothing follows */
    uint16_t closed; /* another record at the end says whether the root could send all */
} plani_record_t;

/** Where this rank gets records from; -1: it is the root. */
int plani_record_parent(int rank, int ranks, int root);
/**
 * Send the root's record to all; elsewhere *record is filled in.
 * \return 0 or an MPI error code; PLAN_EDISAGREE with other->any: something else has come of this broadcast
 */
int plani_record_cast(plani_binding_t *b, int root, plani_record_t *record, plani_found_t *other);
/** The tag base of records of the current broadcast. */
int plani_record_base(const plani_binding_t *b);

#endif
