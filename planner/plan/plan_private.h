/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan in memory, for the planner's files and the MPI side, which attaches its binding. */
#ifndef PLANI_PLAN_PRIVATE_H
#define PLANI_PLAN_PRIVATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <planbcast/plan.h>
#include "planner/plan/units.h"

#define PLANI_MAX_WINDOW 1024             /* slices in flight per child */
#define PLANI_MAX_SLICE ((size_t)1 << 30) /* [B] */
#define PLANI_MAX_BYTES ((size_t)1 << 62) /* [B] of a message: sums still fit */
#define PLANI_MAX_TREES 1024              /* trees of one candidate */

/** A pool of different trees. Trees are equal if all ranks have the same children in the same order. */
typedef struct {
    size_t n, tree_room, hash_room;
    plan_tree_t **tree; /* [n] owned */
    uint64_t *hash;     /* [n] plani_tree_hash of each */
} plani_pool_t;

/** Equal on every machine for the same children in the same order. O(n). */
uint64_t plani_tree_hash(const plan_tree_t *tree);
/** Nonzero if every rank has the same children in the same order. */
int plani_tree_equal(const plan_tree_t *a, const plan_tree_t *b);
/** Index of the pool's tree that equals `tree`; a copy is added if there is none. */
plan_status_t plani_pool_add(plani_pool_t *pool, const plan_tree_t *tree, size_t *index);
void plani_pool_clear(plani_pool_t *pool);

/** Free the arrays of a candidate whose trees belong to another. */
void plani_candidate_free_arrays(plan_candidate_t *c);
/** Free what a candidate owns, and zero it; NULL-safe. */
void plani_candidate_clear(plan_candidate_t *c);
plan_status_t plani_candidate_copy(const plan_candidate_t *c, plan_candidate_t *out);

/** Copy n integers; *to is NULL if there are none. PLAN_ENOMEM. */
plan_status_t plani_copy_ints(const int *from, size_t n, int **to);
/** Number of windows of links of a candidate: ranks * ntrees, or 0. */
size_t plani_link_windows(const plan_candidate_t *c);

/** Origin of a range's figures; for explanations only, not part of the hash. */
typedef struct {
    size_t at_bytes;    /* [B] message size of the range's predicted_s and measured_s; 0: unknown */
    char runner_up[64]; /* second best there; "" if unknown */
    double runner_up_s; /* [s] its measured time, else its predicted one; NAN if unknown */
} plani_note_t;

struct plan_plan {
    plan_data_t data; /* public view: the members down to range, and hash */
    int ranks, root;
    bool reduces; /* to the root */
    int *hosts;   /* [ranks] or NULL */
    size_t nranges;
    plan_range_t *range;         /* [nranges] chosen points into candidate */
    plan_candidate_t *candidate; /* [nranges] their tree[] arrays point into pool and own no tree */
    plani_note_t *note;          /* [nranges] */
    plani_pool_t pool;
    uint64_t hash;
    plan_t *content; /* plan whose content this one borrows; NULL: its own */
    atomic_int uses; /* of its own content: by itself until it is destroyed, and by plans that borrow it */
    void *binding;   /* owned by the MPI side; plan_destroy calls unbind(binding) if unbind is set: */
    bool (*unbind)(void *binding); /* false: it is in use, and nothing has happened */
};

/** As plan_from_ranges, with notes [nranges] (NULL: unknown) and an error message. */
plan_status_t plani_plan_create(int ranks, int root, size_t nranges, const plan_range_t *range,
                                const plani_note_t *note, const int *hosts, plan_t **out, plan_error_t *err);

/** Let a plan that has just been made reduce; its hash changes. Ranges are of trees or MPI's own. */
void plani_plan_let_reduce(plan_t *plan);
/** What limits a candidate at this message size, such as "trunk 1 out, busy for 5.2 ms per slice", which the caller
 * frees; NULL where it is not known. pf: that of its bottleneck. \retval PLAN_ENOMEM */
plan_status_t plani_bottleneck_text(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes, char **text);
/** Whether reductions can run so. */
static inline bool plani_can_reduce(plan_run_t run)
{
    return run == PLAN_RUN_TREES || run == PLAN_RUN_NATIVE;
}

/** pack.c: a plan as bytes, for another process of the same job; the caller frees them. PLAN_ENOMEM. */
plan_status_t plani_plan_pack(const plan_t *plan, void **bytes, size_t *len);
/** PLAN_ENOMEM; PLAN_EFORMAT, PLAN_EINVAL: they are not those of a plan. */
plan_status_t plani_plan_unpack(const void *bytes, size_t len, plan_t **out, plan_error_t *err);

/** An unbound plan with the same content, which is freed with the last plan that uses it. NULL: out of memory. */
plan_t *plani_plan_share(plan_t *plan);

/** Nonzero for one word of printable ASCII within `room` bytes: files, tables and errors do not quote names. */
int plani_is_name(const char *name, size_t room);

/** Whether the library's executor runs it, and models can predict it. */
static inline bool plani_is_planned(const plan_candidate_t *c)
{
    return c->run == PLAN_RUN_TREES || c->run == PLAN_RUN_HOSTS || c->run == PLAN_RUN_ROUNDS ||
           c->run == PLAN_RUN_SHARED;
}

/** Whether it sends slices on known links: trees or rounds. */
static inline bool plani_is_sent(const plan_candidate_t *c)
{
    return c->run == PLAN_RUN_TREES || c->run == PLAN_RUN_HOSTS || c->run == PLAN_RUN_ROUNDS;
}

/** Whether it sends slices down trees, through shared memory inside hosts or not. */
static inline bool plani_has_trees(const plan_candidate_t *c)
{
    return c->run == PLAN_RUN_TREES || c->run == PLAN_RUN_HOSTS;
}

/** Whether it cuts a message into slices: scatter schedules have none, but a block per rank. */
static inline bool plani_is_sliced(const plan_candidate_t *c)
{
    return plani_has_trees(c) || (c->run == PLAN_RUN_ROUNDS && c->schedule == PLAN_CIRCULANT);
}

/** The name of `run` in files: "trees", "hosts", "rounds", "shared" or "native"; NULL if it is not executable. */
const char *plani_run_name(plan_run_t run);
/** Whether what limits the trees is a port of rank r. */
static inline bool plani_is_at_rank(const plan_bottleneck_t *b, int r)
{
    bool port = b->at == PLAN_AT_SEND_PORT || b->at == PLAN_AT_RECV_PORT || b->at == PLAN_AT_PORT;
    return port && b->seconds > 0 && b->index == (size_t)r;
}
/** The name of a kind of bottleneck in plan files: "send port", ...; NULL if out of range. */
const char *plani_bottleneck_name(int at);

/** PLAN_OK if `c` is executable by `ranks` ranks from `root`; else PLAN_EINVAL with the reason in `err`. */
plan_status_t plani_candidate_check(const plan_candidate_t *c, int ranks, int root, plan_error_t *err);

typedef struct {
    char s[80];
} plani_sending_t;
/** How it sends a message, as text: "whole", "in slices of 64 KiB, window 4", "in one block per rank". */
plani_sending_t plani_sending(const plan_candidate_t *c, size_t bytes);

/** Index of the range for messages of `bytes`. O(log ranges). */
size_t plani_plan_index(const plan_t *plan, size_t bytes);

#endif
