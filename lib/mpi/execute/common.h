/* What all plans of one communicator share, private. */
#ifndef PLANI_COMMON_H
#define PLANI_COMMON_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <planbcast/mpi.h>
#include "lib/mpi/execute/ring.h"

/** What one rank is about to broadcast. */
typedef struct {
    uint64_t bytes, root, hash; /* hash: of the plan */
} plani_intent_t;

/** Lives as long as a communicator has it as an attribute, or a plan uses it. Communicators of the same ranks in the
 * same order have one together, unless several threads may broadcast at once: one thread calls collectives of all of
 * them in the same order on every rank, or the program could hang in MPI's own. */
typedef struct plani_common {
    struct plani_common *next; /* of all of this process */
    int ranks, *world;         /* [ranks] in MPI_COMM_WORLD; NULL: it is not for others */
    int uses;                  /* communicators and bound plans */
    unsigned long order;       /* broadcasts so far, by all plans that use it */
    unsigned long plans;       /* so far, that go through its ring */
    plani_ring_t *ring;        /* NULL: none has been opened */
    MPI_Comm check;            /* for PLANBCAST_CHECK, while plans ask for it; else MPI_COMM_NULL */
    int checking;              /* plans that do */
    plani_intent_t *intent;    /* [ranks] while they do */
} plani_common_t;

/** That of a communicator, made if it has none yet. Local. NULL: out of memory, or MPI takes no attribute. */
plani_common_t *plani_common_of(MPI_Comm comm);
/** Let a duplicate share what the communicator has. Local. PLAN_ENOMEM or an MPI error code. */
int plani_common_share(MPI_Comm comm, MPI_Comm duplicate);
void plani_common_use(plani_common_t *common);
/** Give up a use; the last one frees it. NULL-safe. Local. */
void plani_common_drop(plani_common_t **common);

/** Duplicate an intracommunicator; errors return in the duplicate, and the caller's error handler is not called.
 * It shares what the communicator has.
 * PLAN_EINVAL for MPI_COMM_NULL and intercommunicators. */
int plani_comm_dup(MPI_Comm comm, MPI_Comm *out, plan_error_t *err);

/** Open the memory that ranks share, unless it is open. Collective over a communicator of the same ranks; as
 * plani_ring_open. */
int plani_common_ring(plani_common_t *common, MPI_Comm comm, plan_error_t *err);
/** Let all ranks start again in it, whatever some have missed. Collective, while none broadcasts through it. */
int plani_common_settle(plani_common_t *common, MPI_Comm comm, plan_error_t *err);

/** Begin to check, and end. Collective over a communicator of the same ranks. */
int plani_check_begin(plani_common_t *common, MPI_Comm comm, plan_error_t *err);
void plani_check_end(plani_common_t *common, bool over);
/** Whether all ranks intend the same. Collective. PLAN_EDISAGREE: `err` names a rank that differs from rank 0, and in
 * what; the same on all ranks. */
int plani_check(const plani_common_t *common, const plani_intent_t *mine, unsigned long number, plan_error_t *err);

#endif
