/* SPDX-License-Identifier: BSD-3-Clause */
/* Records: size and range of a broadcast, sent ahead of it. Private. */
#ifndef PLANI_RECORD_H
#define PLANI_RECORD_H

#include "lib/mpi/execute/binding.h"

/**
 * Sent down a binomial tree from the root before rounds and MPI_Bcast, instead of a message of no bytes, and if the
 * root fails. Without it, a rank that expects another size could not take part in these.
 */
typedef struct {
    uint64_t bytes;
    uint32_t range;
    uint16_t failed; /* the root has no data; nothing follows */
    uint16_t closed; /* another record follows at the end: whether the root could pack all data */
    uint64_t kind;   /* of a reduction: size of an element [B], number of the operation (0: a user's), whether it
                        commutes, from bits 8, 1 and 0 on; else 0 */
} plani_record_t;

/** The rank that sends records to this one; -1: it is the root. */
int plani_record_parent(int rank, int ranks, int root);
/**
 * Send the root's record to all; elsewhere *record is filled in. `other` NULL: nothing else can arrive instead.
 * \return 0 or an MPI error code; PLAN_EDISAGREE with other->any: other ranks run it by another range or size
 */
int plani_record_cast(plani_binding_t *b, int root, plani_record_t *record, plani_unexpected_t *other);
/** The tag base of records of the current broadcast. */
int plani_record_base(const plani_binding_t *b);

#endif
