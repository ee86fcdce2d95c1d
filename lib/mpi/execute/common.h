/* SPDX-License-Identifier: BSD-3-Clause */
/* State that all plans of one communicator share. Private. */
#ifndef PLANI_COMMON_H
#define PLANI_COMMON_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <planbcast/mpi.h>
#include "lib/mpi/execute/ring.h"

/** The name of communicators that plans use, by which the library to preload knows them. */
#define PLANI_COMM_NAME "planbcast"

/** The arguments of one rank to a broadcast. */
typedef struct {
    uint64_t bytes, root, hash; /* hash: of the plan */
} plani_arguments_t;

/** Exists while a communicator has it as an attribute, or a plan uses it. Communicators of the same ranks in the same
 * order share one, unless several threads may broadcast at once. With one thread, every rank calls the collectives of
 * all of them in the same order, or the program could also hang in MPI's own collectives. */
typedef struct plani_common {
    struct plani_common *next; /* list of all of this process */
    int ranks, *world;         /* [ranks] in MPI_COMM_WORLD; NULL: not shared with other communicators */
    int uses;                  /* communicators and bound plans */
    unsigned long order;       /* broadcasts so far, by all plans that use it */
    unsigned long turns;       /* turns of broadcasts given out, and ended: they run one after the other here */
    atomic_ulong ended;
    unsigned long plans;          /* plans so far with a range through shared memory */
    plani_ring_t *ring;           /* NULL: not opened */
    MPI_Comm check;               /* for PLANBCAST_CHECK; MPI_COMM_NULL if no plan uses that */
    int checking;                 /* plans that use it */
    plani_arguments_t *arguments; /* [ranks] if checking > 0 */
} plani_common_t;

/** The state of a communicator, created at the first call. Local. NULL: out of memory, or MPI cannot set attributes. */
plani_common_t *plani_common_of(MPI_Comm comm);
/** Let a duplicate share the state of a communicator. Local. PLAN_ENOMEM or an MPI error code. */
int plani_common_share(MPI_Comm comm, MPI_Comm duplicate);
void plani_common_use(plani_common_t *common);
/** Give up a use; the last one frees it. NULL-safe. Local. */
void plani_common_drop(plani_common_t **common);

/** Make a communicator of the same ranks as an intracommunicator, without its attributes and hints. It has
 * MPI_ERRORS_RETURN and shares the state of the communicator; the caller's error handler is not called. PLAN_EINVAL for
 * MPI_COMM_NULL and intercommunicators. */
int plani_comm_dup(MPI_Comm comm, MPI_Comm *out, plan_error_t *err);

/** Open the ring of shared memory, unless it is open on all ranks. Collective over a communicator of the same ranks; as
 * plani_ring_open. */
int plani_common_ring(plani_common_t *common, MPI_Comm comm, plan_error_t *err);
/** Synchronise the ring's counters on all ranks, after some may have missed broadcasts; those under way end before.
 * Collective. */
int plani_common_settle(plani_common_t *common, MPI_Comm comm, plan_error_t *err);

/** Take the next turn, and wait until all earlier ones have ended: the slices of two broadcasts cannot be mixed in the
 * ring. Then end it. */
void plani_common_begin_turn(plani_common_t *common);
void plani_common_end_turn(plani_common_t *common);

/** Begin and end checking (PLANBCAST_CHECK) for one plan. Collective over a communicator of the same ranks. `over`: MPI
 * is finalised. */
int plani_check_begin(plani_common_t *common, MPI_Comm comm, plan_error_t *err);
void plani_check_end(plani_common_t *common, bool over);
/** Compare the arguments of all ranks. Collective. PLAN_EDISAGREE: `err`, the same on all ranks, names a rank that
 * differs from rank 0, and the argument. */
int plani_check(const plani_common_t *common, const plani_arguments_t *mine, unsigned long number, plan_error_t *err);

#endif
