/*
 * Trees over the hosts of a described cluster, for any number of ranks: found without pairs of hosts, and turned into
 * trees of ranks, and into a platform of the few links that candidates use.
 */
#ifndef PLANI_HOST_TREES_H
#define PLANI_HOST_TREES_H

#include <planbcast/platform.h>
#include <planbcast/tree.h>
#include "graphs/machine/cluster.h"

/** Up to so many ranks, or hosts, every ordered pair is a link, and everything is tried on them. */
enum { PLANI_PAIRED_RANKS = 64 };

/** One or several trees that share the slices. */
typedef struct {
    int ntrees;
    int *parent;   /* [ntrees * hosts] the host from which each receives; -1: the root's */
    double *share; /* [ntrees] adds up to 1 */
    double rate;   /* [B/s] that cards and trunks sustain of all together, at most the bound */
    int height;    /* of the highest, in hosts */
} plani_host_set_t;

enum { PLANI_HOST_SETS = 13 };

typedef struct {
    const plani_cluster_t *c;  /* borrowed */
    int root;                  /* a rank */
    double bound;              /* [B/s] of the machine */
    int nsets, npostal, nmade; /* the first: those for short messages, and all that are not routed */
    plani_host_set_t set[PLANI_HOST_SETS];
    int *first, *member; /* the ranks of host h are member[first[h]] .. member[first[h + 1] - 1]: the root, then
                            ascending. The first is who receives from other hosts */
} plani_host_trees_t;

/**
 * A binomial tree for small messages, and sets of 1, 2, 3, ... 64 trees, as long as more of them sustain more or
 * are less to fill. Of more than PLANI_PAIRED_RANKS ranks also trees of the postal model, and two binary ones.
 * \param bound [B/s] as of plani_cluster_bound or plani_cluster_rate; INFINITY: nothing limits it
 * \retval PLAN_ENOMEM
 */
plan_status_t plani_host_trees_create(const plani_cluster_t *c, int root, double bound, plani_host_trees_t **out);
void plani_host_trees_destroy(plani_host_trees_t **trees);

/** A tree of ranks: hosts hand on from one to the other before they spread a slice inside, four ranks to each. */
plan_status_t plani_host_trees_expand(const plani_host_trees_t *trees, const plani_host_set_t *set, int tree,
                                      plan_tree_t **out);

/** The same as an array alone: parent [ranks], -1 for the root. */
void plani_host_trees_parents(const plani_host_trees_t *trees, const plani_host_set_t *set, int tree, int *parent);

/** The platform of the links that these trees and those of MPI libraries use, among all ranks and among the first of
 * each host; of up to PLANI_PAIRED_RANKS hosts these have all pairs. */
plan_status_t plani_host_trees_platform(const plani_host_trees_t *trees, plan_platform_t **out, plan_error_t *err);
/** The same as a part of a platform that has all pairs. */
plan_status_t plani_host_trees_part(const plani_host_trees_t *trees, const plan_platform_t *whole,
                                    plan_platform_t **out, plan_error_t *err);
/** The same trees where each host has one rank, numbered like it; `leaders` are these, which are borrowed. */
plan_status_t plani_host_trees_of_leaders(const plani_host_trees_t *trees, const plani_cluster_t *leaders,
                                          plani_host_trees_t **out);

#endif
