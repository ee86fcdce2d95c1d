/* SPDX-License-Identifier: BSD-3-Clause */
/* Spanning arborescences, and the topologies that Open MPI broadcasts along. */
#ifndef PLANBCAST_TREE_H
#define PLANBCAST_TREE_H

#include <stddef.h>
#include <planbcast/platform.h>
#include <planbcast/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- stable ---- */

/** A spanning tree of ranks 0..n-1, rooted, each rank's children in send order. Immutable. */
typedef struct plan_tree plan_tree_t;

/**
 * Make a tree of the parents of all ranks.
 *
 * \param parent [ranks] parent[r], -1 for exactly one rank, the root
 * \param order  [ranks] position of r among its siblings: children are sent to by ascending order[], ties by rank;
 *               NULL: ascending rank
 * \retval PLAN_ENOTREE a cycle, no root or two, or a parent out of range
 */
PLAN_API plan_status_t plan_tree_create(int ranks, const int *parent, const int *order, plan_tree_t **out);
/** Free a tree; sets *tree to NULL. NULL-safe. */
PLAN_API void plan_tree_destroy(plan_tree_t **tree);

/** The content of a tree. */
typedef struct {
    int ranks, root, height;  /* height: links on the longest path from the root */
    const int *parent;        /* [ranks] -1 of the root */
    const int *depth;         /* [ranks] */
    const int *breadth_first; /* [ranks] parents before children */
} plan_tree_data_t;

/** Read a tree; valid as long as the tree. */
PLAN_API const plan_tree_data_t *plan_tree_data(const plan_tree_t *tree);
/** Children of `rank` in send order; *n of them. */
PLAN_API const int *plan_tree_children(const plan_tree_t *tree, int rank, int *n);

/* ---- experimental ---- */

/** The shapes that Open MPI's coll/tuned broadcasts use (4.1: coll_base_topo.c), named as `planbcast tree` names them.
 */
typedef enum {
    PLAN_LINEAR,       /* root to all, in rank order */
    PLAN_CHAIN,        /* fan-out chains side by side below the root, default 4 */
    PLAN_PIPELINE,     /* one chain */
    PLAN_SPLIT_BINARY, /* binary tree; halves of the message go down its two sides, then are exchanged */
    PLAN_BINARY,       /* complete binary tree by levels */
    PLAN_BINOMIAL,     /* balanced binomial tree */
    PLAN_KNOMIAL,      /* k-nomial tree, default radix 4 */
    PLAN_TOPOLOGIES
} plan_topology_t;

/** The name of a topology: "linear", "chain", ...; "unknown" for any other number. */
PLAN_API const char *plan_topology_name(plan_topology_t kind);
/**
 * The topology of this name.
 * \retval PLAN_EINVAL there is none
 */
PLAN_API plan_status_t plan_topology_from_name(const char *name, plan_topology_t *kind);
/**
 * Build the tree that Open MPI builds.
 *
 * \param fanout chains (chain, >= 1; beyond 32 means 32, as in Open MPI), radix (k-nomial, >= 2), 1 (pipeline), 2 (the
 *               binary trees and binomial); 0 for Open MPI's default
 * \retval PLAN_EINVAL ranks < 1, root out of range, or a fan-out that is not valid for the topology
 *
 * O(ranks). tests/mpi compares the trees with the messages that Open MPI sends (its monitoring component).
 */
PLAN_API plan_status_t plan_tree_topology(plan_topology_t kind, int ranks, int root, int fanout, plan_tree_t **out);

#ifdef __cplusplus
}
#endif
#endif
