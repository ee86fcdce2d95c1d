/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a plan: one rank's part in a candidate, the user's buffer as packed bytes. Private. */
#ifndef PLANI_BINDING_H
#define PLANI_BINDING_H

#include "graphs/trees/rounds.h"
#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <planbcast/mpi.h>
#include "lib/mpi/comm/fiber.h"
#include "lib/mpi/execute/timing.h"
#include "lib/mpi/execute/common.h"
#include "lib/mpi/execute/tag.h"
#include "planner/plan/assignment.h"

/** [B] Messages up to this size are sent with MPI_Send, which returns at once. With longer ones, Open MPI's shared
 * memory waits until the receiver has taken the message: the sends to all children are started before the first wait.
 * */
#define PLANI_SMALL ((size_t)256)

/* ---- view.c, blocks*.c: the user's (buffer, count, datatype) as a string of packed bytes ---- */

typedef struct plani_block_type plani_block_type_t; /* the blocks of a datatype; blocks.h */

typedef struct {
    void *base;
    MPI_Count count;
    MPI_Datatype type;
    MPI_Datatype own;          /* owned: what `type` is, if it is not the caller's; else MPI_DATATYPE_NULL */
    MPI_Comm comm;             /* for MPI_Pack */
    size_t bytes;              /* [B] size of the whole message, packed */
    bool direct;               /* contiguous: the packed bytes are those at base */
    bool none;                 /* no buffer: plani_view_get and plani_view_put fail */
    bool past_caches;          /* how plani_view_put copies contiguous data (copy.h) */
    plani_block_type_t *parts; /* the datatype's blocks, from the first plani_view_get or _put on; else NULL */
} plani_view_t;

/** A datatype without gaps that MPI defines, so that its handle is never another one's. Zeros: none. */
typedef struct {
    MPI_Datatype type;
    size_t size; /* [B] */
} plani_named_t;

/** `last`: to ask MPI about its types once, in a row of equal ones; or NULL. \retval PLAN_EINVAL count < 0, no
 * datatype, or more than PTRDIFF_MAX bytes. MPI error codes > 0. */
int plani_view_open(plani_view_t *view, void *buffer, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                    plani_named_t *last);
/** After plani_view_open: let the caller free the datatype before the view is closed. */
int plani_view_keep_type(plani_view_t *view);
void plani_view_close(plani_view_t *view);
/** Copy packed bytes [offset, offset + len) out of the user's buffer, or into it; len <= PLANI_CHUNK. 0, PLAN_ENOMEM or
 * an MPI error code. Pieces may come in any order, and begin and end inside elements. */
int plani_view_get(plani_view_t *view, size_t offset, size_t len, char *out);
int plani_view_put(plani_view_t *view, size_t offset, size_t len, char *in);

/** A run of packed bytes and the direction of the copy. */
typedef struct {
    size_t offset, len;
    char *packed;
    bool put; /* into the user's buffer; else out of it */
    MPI_Comm comm;
} plani_piece_t;

/** Copy a piece of consecutive elements of a datatype that start at base. */
int plani_blocks_move(plani_block_type_t *t, void *base, plani_piece_t piece);
/** The datatype is borrowed until plani_blocks_destroy. */
int plani_blocks_create(MPI_Datatype type, plani_block_type_t **out);
void plani_blocks_destroy(plani_block_type_t **t);
/** base + distance [B]; base may be MPI_BOTTOM. */
void *plani_at(void *base, MPI_Aint distance);

/* ---- part.c: one rank's part in one candidate ---- */

/** One rank's place in one tree. The tree's j-th slice is slice (j / weight) * period + position[j % weight] of the
 * message. */
typedef struct {
    int parent;  /* -1: the root */
    bool inside; /* slices come through the host's ring, not from the parent */
    int nchildren;
    const int *child;    /* [nchildren] in send order; borrowed from the tree, or from the part's `outside` */
    const int *window;   /* [ranks] of the link into each rank, borrowed from the candidate; NULL: the part's for all */
    int weight;          /* slices of each period that use this tree; may be 0 */
    const int *position; /* [weight] ascending */
} plani_branch_t;

typedef struct {
    plan_run_t run; /* with MPI_Bcast and shared memory the members below are unused */
    size_t slice;   /* [B] 1..PLANI_CHUNK */
    int window;     /* most slices in flight per child, and most receives posted */
    int period;
    int ntrees;
    int *tree_of;           /* [period] owned: the tree of slice k mod period */
    plani_branch_t *branch; /* [ntrees] owned */
    int *position;          /* [period] owned; the branches' position[] point into it */
    bool hosts;             /* inside hosts, slices go through shared memory: */
    int *outside;           /* owned: the children on other hosts */
    /* Of rounds, besides slice and window: */
    plani_schedule_t schedule; /* this rank's */
    const int *order;          /* the rank at each place; borrowed from the candidate */
} plani_part_t;

/** Borrows the candidate's trees. PLAN_ENOMEM. */
plan_status_t plani_part_init(plani_part_t *part, const plan_candidate_t *c, int rank);
void plani_part_clear(plani_part_t *part);
/** Let slices go through the ring inside this host. `ranks` [n], ascending: those of this host. \retval
 * PLAN_EUNSUPPORTED a tree enters the host more than once; PLAN_ENOMEM. Then nothing has changed. */
plan_status_t plani_part_share(plani_part_t *part, const plan_candidate_t *c, int rank, int n, const int *ranks);
/** Undo plani_part_share. */
void plani_part_unshare(plani_part_t *part, const plan_candidate_t *c, int rank);
/** Slices in flight on this tree's link into `rank`: this rank, or a child. */
size_t plani_branch_window(const plani_part_t *part, int tree, int rank);
/** How many of the message's first `slices` slices use this tree. O(log weight). */
size_t plani_branch_slices(const plani_part_t *part, int tree, size_t slices);
/** The index in the message of this tree's j-th slice. */
size_t plani_branch_slice(const plani_part_t *part, int tree, size_t j);

/* ---- execute.c, start.c, pipeline.c, one_slice.c, rounds.c, shared.c: broadcasts on a binding ---- */

/** One tree of the current broadcast. */
typedef struct {
    size_t n;         /* slices of this tree */
    size_t posted;    /* receives posted */
    size_t arrived;   /* slices received; root: packed */
    size_t unpacked;  /* copied to the user's buffer, in order */
    size_t written;   /* to the host's ring */
    size_t passed;    /* read from it, or not needed */
    bool writes;      /* this rank writes the tree's slices to the ring */
    MPI_Request *in;  /* [window] receive of slice j at j % window */
    MPI_Request *out; /* [nchildren * window] send of slice j to child c at c * window + j % window */
    size_t *sent;     /* [nchildren] sends posted to each child */
    size_t *done;     /* [nchildren] completed ones of these, in order */
    char *ring;       /* staging of `slots` slices, slice j at j % slots; NULL: directly in the user's buffer */
    size_t slots;
} plani_lane_t;

/** Work space of broadcasts, as large as the largest part needs. Broadcasts of contiguous data allocate nothing. */
typedef struct {
    plani_lane_t *lane;   /* [most trees] */
    size_t *counter;      /* [2 * most children over all trees] */
    MPI_Request *request; /* [most requests]; all MPI_REQUEST_NULL between broadcasts */
    MPI_Request *oldest;  /* [most trees + most children]: requests to wait for, where ranks must block */
    size_t *arrived;      /* [most trees] after a broadcast was given up: slices received and forwarded, */
    size_t passed;        /* and those of the message that the host's ring has passed on this rank */
    char *stage;          /* staging, kept for the next broadcast */
    size_t stage_size;    /* [B] */
} plani_work_t;

/** An unexpected slice or message of the current broadcast: other ranks run it by another range or size. */
typedef struct {
    bool any;     /* there is one */
    bool shared;  /* a slice in shared memory; else a message */
    int base;     /* its tag base; 0: the broadcast sends no messages */
    size_t range; /* of the plan, that it belongs to */
} plani_unexpected_t;

/** The broadcast that plan_start began. */
typedef struct {
    plani_fiber_t *fiber; /* owned; NULL: none was started yet, or there are no fibers */
    bool under_way;       /* until plan_test or plan_wait has returned its result */
    bool runs;            /* the current broadcast is this one, not one of plan_execute */
    int opened;           /* result of opening the view */
    plani_view_t view;
    int rc;             /* of the broadcast, once the fiber is done, */
    plan_error_t error; /* and its line, if that says more than rc */
} plani_started_t;

/** What plan_bind attaches to a plan. First what each broadcast needs: a short one takes less than a microsecond, and
 * lines that are not in the nearest cache show. */
typedef struct {
    MPI_Comm comm; /* owned; MPI_ERRORS_RETURN */
    int rank, ranks, root;
    atomic_flag busy; /* a thread is in a call of plan_execute, plan_start, plan_test or plan_wait */
    bool broken;      /* messages of an earlier broadcast may be left, or may never come */
    bool checked;     /* compare the arguments of all ranks before each broadcast */
    size_t nparts;
    size_t *up_to;          /* [nparts] [B] largest message of each range */
    plani_part_t *part;     /* [nparts] */
    plani_common_t *common; /* a use of it, or NULL */
    plani_ring_t *ring;     /* if some range uses shared memory: that of `common`; else NULL */
    unsigned long number;   /* broadcasts so far */
    unsigned long order;    /* number of the current broadcast, over all plans with the same `common` */
    unsigned long serial;   /* number of this plan among these */
    plani_named_t named;    /* the last datatype, if MPI defines it */
    plani_tags_t tags;
    struct plani_reducer *reducer; /* owned; NULL: the plan broadcasts */
    plan_copies_t copies;          /* of all broadcasts */
    plani_started_t started;
    plan_error_t error; /* of the last broadcast that failed */
    plani_work_t work;
    uint64_t hash;           /* of the plan */
    int nsources, *source;   /* [nsources] owned: ranks that send to this one in some range, or in records */
    plani_timings_t timings; /* of the last broadcasts down trees */
} plani_binding_t;

/** Claim the plan for a broadcast, or for a reduction. *b: its binding. 0, PLAN_EINVAL or PLAN_EBUSY; or PLAN_EBROKEN,
 * claimed as well. */
int plani_claim(const plan_t *plan, bool reduces, plani_binding_t **b);
/** Give it back, after noting why the call fails. \return rc */
int plani_give_back(plani_binding_t *b, int rc);
/** The range for a message of this size; the last range has no upper limit. */
const plani_part_t *plani_part_for(const plani_binding_t *b, size_t bytes);
/** Broadcast by range `part`, or by that for the size if NULL; `opened`: result of opening the view. */
int plani_broadcast(plani_binding_t *b, const plani_part_t *part, plani_view_t *view, int opened);
/** The plan is broken, and other ranks may not know: take part in what they could not complete without this rank. */
void plani_stand_aside(plani_binding_t *b, void *buffer, MPI_Count count, MPI_Datatype datatype);

/** Broadcast `bytes` by the given range of a bound plan, whatever sizes it is for: to time it. As plan_execute. */
int plani_execute_range(plan_t *plan, size_t range, void *buffer, size_t bytes);

/** After how many broadcasts of `bytes` through shared memory a bound plan's root has tried all ways to copy them, and
 * takes the fastest; 0: there is one only. */
int plani_shared_trials(const plan_t *plan, size_t bytes);

/** The most requests that a part has active at a time. */
size_t plani_part_requests(const plani_part_t *part);
size_t plani_part_children(const plani_part_t *part);

/** Run one broadcast of more than zero bytes on more than one rank: down trees, through shared memory, or, after a
 * record has been sent, in rounds or by MPI_Bcast. 0, PLAN_* or an MPI error code. PLAN_EDISAGREE with other->any:
 * other ranks run this broadcast by another range or size. Then nothing is active here any more; plani_run has also
 * forwarded what the others sent. */
int plani_run(plani_binding_t *b, const plani_part_t *part, plani_view_t *view, plani_unexpected_t *other);
int plani_run_shared(plani_binding_t *b, size_t range, plani_view_t *view, plani_unexpected_t *other);
int plani_run_rounds(plani_binding_t *b, const plani_part_t *part, plani_view_t *view);
/** Wait for all ranks before tags are used again; where that fails, the plan is broken. 0 or an MPI error code. */
int plani_meet(plani_binding_t *b);
/** A rank that cannot take part: let all slices of a broadcast through the host's ring pass. */
void plani_host_ring_skip(plani_binding_t *b, const plani_part_t *part, size_t bytes);
/** `closed`: a record at the end says whether the root could pack all data. */
int plani_run_native(plani_binding_t *b, plani_view_t *view, bool closed);
/** Whether a message is so short that MPI_Bcast needs no record: it carries a heading instead. */
bool plani_is_native_alone(size_t bytes);
/** Reserve the root's staging for longer messages that are not contiguous, before the record is sent. 0 or PLAN_ENOMEM
 */
int plani_native_prepare(plani_binding_t *b, const plani_view_t *view);
/** Reserve staging for short messages, so that no rank lacks it while the others are in MPI_Bcast. \return false if out
 * of memory */
bool plani_native_reserve(plani_work_t *work);

/* ---- transfer.c: requests and staging ---- */

/** Staging of at least `size` bytes, or NULL if out of memory; then the staging before is kept. plani_stage_trim
 * shrinks it to 1 MiB. */
char *plani_stage(plani_work_t *work, size_t size);
void plani_stage_trim(plani_work_t *work);
/** Start to send; `known`: synchronously, so that it completes only when it has been received. *request is
 * MPI_REQUEST_NULL after an error. */
int plani_send(const void *data, size_t len, int to, int tag, MPI_Comm comm, bool known, MPI_Request *request);
/** Has this request completed? `block`: wait for it. *rc: its MPI error code; 0 while it has not completed. */
bool plani_finished(MPI_Request *request, bool block, MPI_Status *status, int *rc);
/** Cancel a receive. \return false: a message has arrived, and is in its buffer */
bool plani_cancel(MPI_Request *request);
/** Compare the length of a completed receive with `bytes`: 0, PLAN_EDISAGREE or an MPI error code. */
int plani_check_length(const MPI_Status *status, size_t bytes);

#endif
