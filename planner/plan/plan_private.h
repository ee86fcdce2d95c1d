/* The plan as it lies in memory: shared by the planner's files and the MPI side, which attaches its binding. */
#ifndef PLANI_PLAN_PRIVATE_H
#define PLANI_PLAN_PRIVATE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <planbcast/plan.h>
#include "planner/plan/units.h"

#define PLANI_MAX_WINDOW 1024             /* slices in flight per child */
#define PLANI_MAX_SLICE ((size_t)1 << 30) /* [B] */
#define PLANI_MAX_BYTES ((size_t)1 << 62) /* [B] of a message: sums still fit */
#define PLANI_MAX_TREES 1024              /* trees of one candidate */

/** Each different tree once. Trees differ if any rank's children do, or their order. */
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

/** Free what a candidate owns, and make it none; NULL-safe. */
void plani_candidate_clear(plan_candidate_t *c);
plan_status_t plani_candidate_copy(const plan_candidate_t *c, plan_candidate_t *out);

/** A copy, or NULL of nothing. PLAN_ENOMEM. */
plan_status_t plani_copy_ints(const int *from, size_t n, int **to);
/** How many windows of links a candidate has: ranks * ntrees, or 0. */
size_t plani_link_windows(const plan_candidate_t *c);

/** Where the figures of a range come from; for explanations alone, never part of the hash. */
typedef struct {
    size_t at_bytes;    /* message size at which the range's predicted_s and measured_s hold [B]; 0: unknown */
    char runner_up[64]; /* second best there; "" if unknown */
    double runner_up_s; /* its measured time, or else its predicted one [s]; NAN if unknown */
} plani_note_t;

struct plan_plan {
    plan_data_t data; /* what readers see: the members down to range, and hash */
    int ranks, root;
    int *hosts; /* [ranks] or NULL */
    size_t nranges;
    plan_range_t *range;         /* [nranges] chosen points into candidate */
    plan_candidate_t *candidate; /* [nranges] their tree[] arrays point into pool and own no tree */
    plani_note_t *note;          /* [nranges] */
    plani_pool_t pool;
    uint64_t hash;
    plan_t *content; /* whose pointers these are; NULL: its own */
    atomic_int uses; /* of its own content: by itself, until it is destroyed, and by others */
    void *binding;   /* the MPI side's; plan_destroy calls unbind(binding) if unbind is set */
    void (*unbind)(void *binding);
};

/** As plan_from_ranges, with notes [nranges] (NULL: nothing known) and the one line that says what is wrong. */
plan_status_t plani_plan_create(int ranks, int root, size_t nranges, const plan_range_t *range,
                                const plani_note_t *note, const int *hosts, plan_t **out, plan_error_t *err);

/** An unbound plan of the same content, which lives as long as one of them does. NULL: out of memory. */
plan_t *plani_plan_share(plan_t *plan);

/** Nonzero for one word of printable ASCII that ends within `room`: names go into files, tables and errors unquoted. */
int plani_is_name(const char *name, size_t room);

/** Whether the library's own executor runs it, by a plan that the model knows. */
static inline bool plani_is_planned(const plan_candidate_t *c)
{
    return c->run == PLAN_RUN_TREES || c->run == PLAN_RUN_ROUNDS || c->run == PLAN_RUN_SHARED;
}

/** Whether that plan says who sends what to whom: slices on links, at a rate. */
static inline bool plani_is_sent(const plan_candidate_t *c)
{
    return c->run == PLAN_RUN_TREES || c->run == PLAN_RUN_ROUNDS;
}

/** What `run` is called in files: "trees", "rounds", "shared" or "native"; NULL if it cannot be run. */
const char *plani_run_name(plan_run_t run);
/** As plan files call it: "send port", ...; NULL if out of range. */
const char *plani_bottleneck_name(int at);

/** PLAN_OK if `c` can be run by `ranks` ranks from `root`; else PLAN_EINVAL and `err` says what is wrong. */
plan_status_t plani_candidate_check(const plan_candidate_t *c, int ranks, int root, plan_error_t *err);

typedef struct {
    char s[80];
} plani_manner_t;
/** How it sends a message, for people: "whole", "in slices of 64 KiB, window 4", "in one block per rank". */
plani_manner_t plani_manner(const plan_candidate_t *c, size_t bytes);

/** Index of the range that serves `bytes`. O(log ranges). */
size_t plani_plan_index(const plan_t *plan, size_t bytes);

#endif
