/* Running a plan, private: one rank's part in a candidate, the user's buffer as packed bytes. */
#ifndef PLANI_BINDING_H
#define PLANI_BINDING_H

#include "graphs/trees/rounds.h"
#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <planbcast/mpi.h>
#include "lib/mpi/execute/common.h"
#include "lib/mpi/execute/tag.h"
#include "planner/plan/assignment.h"

/** Up to here [B] a message is sent with MPI_Send, which leaves at once; above, Open MPI's shared memory waits until
 * the receiver has taken it, so that all children's sends have to be under way before waiting for the first. */
#define PLANI_SMALL ((size_t)256)

/* ---- view.c, blocks*.c: the user's (buffer, count, datatype) as a string of packed bytes ---- */

typedef struct plani_block_type plani_block_type_t; /* a datatype taken apart; blocks.h */

typedef struct {
    void *base;
    MPI_Count count;
    MPI_Datatype type;
    MPI_Datatype moved;        /* the view's own, where the user's is one of addresses; else MPI_DATATYPE_NULL */
    MPI_Comm comm;             /* that MPI_Pack asks for */
    size_t bytes;              /* of the whole message, packed */
    bool direct;               /* the packed bytes are those at base */
    bool none;                 /* there is no place for data: getting and putting them fails */
    plani_block_type_t *parts; /* of the datatype, once a slice has cut an element; else NULL */
} plani_view_t;

/** \retval PLAN_EINVAL count < 0, or more bytes than a size_t counts. MPI error codes > 0. */
int plani_view_open(plani_view_t *view, void *buffer, MPI_Count count, MPI_Datatype type, MPI_Comm comm);
void plani_view_close(plani_view_t *view);
/** Copy packed bytes [offset, offset + len) out of the user's buffer, or into it; len <= PLANI_CHUNK. 0, PLAN_ENOMEM or
 * an MPI error code. Pieces may come in any order, and cut elements anywhere. */
int plani_view_get(plani_view_t *view, size_t offset, size_t len, char *out);
int plani_view_put(plani_view_t *view, size_t offset, size_t len, char *in);

/** A run of packed bytes and which way they go. */
typedef struct {
    size_t offset, len;
    char *packed;
    bool put; /* into the user's buffer */
    MPI_Comm comm;
} plani_piece_t;

/** Move a piece of elements of a datatype that start at base. */
int plani_blocks_move(plani_block_type_t *t, void *base, plani_piece_t piece);
/** The datatype is borrowed until plani_blocks_destroy. */
int plani_blocks_create(MPI_Datatype type, plani_block_type_t **out);
void plani_blocks_destroy(plani_block_type_t **t);
/** An address moved by a signed distance; also for MPI_BOTTOM. */
void *plani_at(void *base, MPI_Aint distance);

/* ---- part.c: one rank's part in one candidate ---- */

/** One tree as one rank sees it. Its j-th slice is slice (j / weight) * period + position[j % weight] of the message.
 */
typedef struct {
    int parent; /* -1: the root */
    int nchildren;
    const int *child;    /* [nchildren] in send order; the tree's */
    const int *window;   /* [ranks] the candidate's, of the link into each; NULL: the part's for all */
    int weight;          /* slices of each period that are this tree's; may be 0 */
    const int *position; /* [weight] ascending */
} plani_branch_t;

typedef struct {
    plan_run_t run; /* MPI_Bcast, shared memory: nothing below counts */
    size_t slice;   /* [B] 1..PLANI_CHUNK */
    int window;     /* slices in flight per child, and receives posted ahead, at most */
    int period;
    int ntrees;
    int *tree_of;           /* [period] owned: the tree that slice k mod period goes down */
    plani_branch_t *branch; /* [ntrees] owned */
    int *position;          /* [period] owned; what the branches' position[] point into */
    /* Of rounds, besides slice and window: */
    plani_schedule_t schedule; /* this rank's */
    const int *order;          /* the candidate's: the rank at each place */
} plani_part_t;

/** Borrows the candidate's trees. PLAN_ENOMEM. */
plan_status_t plani_part_init(plani_part_t *part, const plan_candidate_t *c, int rank);
void plani_part_clear(plani_part_t *part);
/** Slices in flight on this tree's link into `rank`: this rank, or a child. */
size_t plani_branch_window(const plani_part_t *part, int tree, int rank);
/** How many of the message's first `slices` slices are this tree's. O(log weight). */
size_t plani_branch_slices(const plani_part_t *part, int tree, size_t slices);
/** Which slice of the message this tree's j-th is. */
size_t plani_branch_slice(const plani_part_t *part, int tree, size_t j);

/* ---- execute.c, pipeline.c, one_slice.c, rounds.c, shared.c: broadcasts on a binding ---- */

/** One tree of the broadcast that is under way. */
typedef struct {
    size_t n;         /* slices of this tree */
    size_t posted;    /* receives posted */
    size_t arrived;   /* received; the root: packed */
    size_t unpacked;  /* copied to the user's buffer, in order */
    MPI_Request *in;  /* [window] receive of slice j at j % window */
    MPI_Request *out; /* [nchildren * window] send of slice j to child c at c * window + j % window */
    size_t *sent;     /* [nchildren] sends posted to each child */
    size_t *done;     /* [nchildren] of these finished, in order */
    char *ring;       /* staging of `slots` slices, slice j at j % slots; NULL: the user's buffer */
    size_t slots;
} plani_lane_t;

/** What broadcasts work in, as large as the largest part needs; nothing is allocated for contiguous data. */
typedef struct {
    plani_lane_t *lane;   /* [most trees] */
    size_t *counter;      /* [2 * most children over all trees] */
    MPI_Request *request; /* [most requests]; all MPI_REQUEST_NULL between broadcasts */
    MPI_Request *oldest;  /* [most trees + most children]: what is waited for where ranks must block */
    size_t *arrived;      /* [most trees] where a broadcast was given up: slices received and passed on */
    char *stage;          /* staging kept for the next broadcast */
    size_t stage_size;    /* [B] */
} plani_work_t;

/** Something of the current broadcast that is not what this rank expected. */
typedef struct {
    bool any;     /* there is something: */
    bool shared;  /* in shared memory, or else a message, */
    int base;     /* with this tag base, */
    size_t range; /* by this range of the plan */
} plani_found_t;

/** What plan_bind attaches to a plan. */
typedef struct {
    MPI_Comm comm; /* owned; errors return */
    int rank, ranks, root;
    size_t nparts;
    size_t *up_to;      /* [nparts] as the plan's ranges */
    plani_part_t *part; /* [nparts] */
    plani_work_t work;
    plani_common_t *common; /* used; its ring is there if some range goes through it */
    uint64_t hash;          /* the plan's */
    plani_tags_t tags;
    int nsources, *source; /* [nsources] owned: ranks that send to this one in some range, or in records */
    unsigned long number;  /* broadcasts so far */
    unsigned long order;   /* of this one among those of all plans that use the same common */
    unsigned long serial;  /* which of these plans it is */
    bool broken;           /* messages may be left of an earlier broadcast, or never come */
    bool checked;          /* ranks' arguments are compared before each broadcast */
    plan_error_t error;    /* what the last broadcast that failed said */
    atomic_flag busy;      /* a thread is in plan_execute */
} plani_binding_t;

/** Broadcast bytes by one range of a bound plan, whichever serves their number: to time them. As plan_execute. */
int plani_execute_range(plan_t *plan, size_t range, void *buffer, size_t bytes);

/** Requests that a part keeps in flight at most. */
size_t plani_part_requests(const plani_part_t *part);
size_t plani_part_children(const plani_part_t *part);

/** Run one broadcast of more than zero bytes on more than one rank, down trees or through shared memory, or, after its
 * record, in rounds or by MPI_Bcast. 0, PLAN_* or an MPI error code. PLAN_EDISAGREE with other->any: something else of
 * this broadcast has come, and nothing is under way here any more; plani_run has seen to it. */
int plani_run(plani_binding_t *b, const plani_part_t *part, plani_view_t *view, plani_found_t *other);
int plani_run_shared(plani_binding_t *b, int root, plani_view_t *view, plani_found_t *other);
int plani_run_rounds(plani_binding_t *b, const plani_part_t *part, plani_view_t *view);
/** `closed`: a record at the end says whether the root could send all. */
int plani_run_native(plani_binding_t *b, plani_view_t *view, bool closed);
/** Whether MPI_Bcast of so many bytes goes without a record. */
bool plani_is_native_alone(size_t bytes);
/** The root's staging for longer ones that are not contiguous, before others are told that they come. 0 or PLAN_ENOMEM
 */
int plani_native_prepare(plani_binding_t *b, const plani_view_t *view);
/** Staging for these, so that no rank lacks it while the others are in MPI_Bcast. \return false for want of memory */
bool plani_native_reserve(plani_work_t *work);

/* ---- transfer.c: what these share ---- */

/** Staging of at least `size` bytes, or NULL, and what there was before stays; plani_stage_trim gives large ones back.
 */
char *plani_stage(plani_work_t *work, size_t size);
void plani_stage_trim(plani_work_t *work);
/** Begin to send; `known`: done only when it is known to have arrived. *request is MPI_REQUEST_NULL after an error. */
int plani_send(const void *data, size_t len, int to, int tag, MPI_Comm comm, bool known, MPI_Request *request);
/** Has this request finished? `block`: wait for it. *rc: what MPI says of it, 0 as long as it has not. */
bool plani_finished(MPI_Request *request, bool block, MPI_Status *status, int *rc);
/** Give up a receive that nothing has come for. \return false: something has come, and is in its buffer */
bool plani_cancel(MPI_Request *request);
/** Whether a finished receive brought `bytes`: 0, PLAN_EDISAGREE or an MPI error code. */
int plani_check_length(const MPI_Status *status, size_t bytes);

#endif
