/* The input and output of every heuristic. */
#ifndef PLANI_HEURISTIC_H
#define PLANI_HEURISTIC_H

#include <stdbool.h>
#include <stdint.h>
#include <planbcast/heuristics.h>

#define PLANI_NO_LINK ((size_t)-1)

/** A checked request: every rank can be reached from root, and rates are there if the heuristic wants them. */
typedef struct {
    const plan_platform_t *pf;
    const plan_platform_data_t *d;
    int root;
    double slice, bytes; /* [B]; bytes is 0 when only throughput counts */
    uint64_t seed;       /* of the local search */
    long moves;          /* of the local search */
    int window;          /* slices in flight, for the makespan; 0: no limit */
    const double *rates; /* [nlinks] n_uv [slices/s], or NULL */
    double most;         /* no broadcast sustains more [slices/s]; 0: not known */
    double *cost;        /* [nlinks] T_uv(slice) [s] */
    double *port;        /* [nlinks] how long both ports are held [s] */
    double *own;         /* [nlinks] how long the link itself is, where it is (plani_own_cost) [s] */
    double *through;     /* [nlinks] until the slowest of ports and resources is through with the slice [s] >= cost */
    double *send;        /* [ranks] multi-port share of the sender per slice [s] */
    double *receive;     /* [ranks] that of the receiver [s]; 0 for the root, and where the platform has none */
} plani_problem_t;

/** The tree being made: parent[root] = -1. `ordered`: order[] is set; else children are put in order afterwards. */
typedef struct {
    int *parent; /* [ranks] */
    int *order;  /* [ranks] position among siblings */
    bool ordered;
} plani_shape_t;

typedef plan_status_t plani_builder_t(const plani_problem_t *problem, plani_shape_t *shape);

/** Run a builder and make a tree of what it built. */
plan_status_t plani_build(plani_builder_t *make, const plani_problem_t *problem, plan_tree_t **out, plan_error_t *err);

plani_builder_t plani_prune_simple, plani_prune_degree, plani_lp_prune, plani_multiport_prune;
plani_builder_t plani_grow, plani_lp_grow, plani_multiport_grow, plani_fef, plani_ecef, plani_fnf;
plani_builder_t plani_host_chain, plani_host_binomial;
plani_builder_t plani_best_tree;

/** Check the arguments and compute the costs of links; frees what it allocated if it fails. */
plan_status_t plani_problem_create(const plan_platform_t *pf, int root, double slice, double bytes, const double *rates,
                                   plani_problem_t *problem, plan_error_t *err);
void plani_problem_clear(plani_problem_t *problem);

/** How long u's port is busy with link l: T_uv, or its own share where it has several ports. */
static inline double plani_busy(const plani_problem_t *problem, size_t l)
{
    return problem->d->send_s != NULL ? problem->send[problem->d->link[l].from] : problem->cost[l];
}

/** The same where a transfer need not occupy ports (PLAN_PORTS_NONE), which the heuristics of the papers do not
 * consider. */
static inline double plani_port(const plani_problem_t *problem, size_t l)
{
    return problem->d->send_s != NULL ? problem->send[problem->d->link[l].from] : problem->port[l];
}

/** How long a slice over link l occupies what its receiver sends by, too: 0 where receiving has a port of its own. */
static inline double plani_receives(const plani_problem_t *problem, size_t l)
{
    return problem->d->ports == PLAN_PORTS_ONE_WAY ? problem->port[l] : problem->receive[problem->d->link[l].to];
}

/** When the receiver holds the slice, counted from the start of the send. */
static inline double plani_flight(const plani_problem_t *problem, size_t l)
{
    return problem->through[l] + problem->d->link[l].delay_s;
}

/**
 * Put every rank's children in the order that brings one slice to all ranks soonest: the child whose subtree takes
 * longest goes first (Jackson's rule, optimal for each rank and so for the tree). Ties: the lower rank.
 */
plan_status_t plani_order_children(const plani_problem_t *problem, plani_shape_t *shape);

/**
 * Binomial tree over shortest paths (Algorithm 4 of Beaumont, Marchal, Robert 2004). Not a spanning tree of the
 * platform: its transfers are routed, and a link counts as often as a path uses it.
 * \param uses [nlinks] receives how often each link is used per slice
 * \retval PLAN_EINVAL       root out of range, slice <= 0
 * \retval PLAN_EUNREACHABLE a transfer has no path; uses[] is then undefined
 */
plan_status_t plani_binomial_paths(const plan_platform_t *pf, int root, double slice, int *uses);

/** A child to be served. */
typedef struct {
    double rest; /* from the end of T until its whole subtree holds the slice: on the way, and its own time [s] */
    int rank;
    size_t link;
} plani_child_t;

/** Sort n children of one rank in that order; returns when all of their subtrees hold the slice [s]. */
double plani_feed(const plani_problem_t *problem, plani_child_t *child, int n);

/** A key with its link, to be sorted. */
typedef struct {
    double key;
    size_t link;
} plani_keyed_t;

/** Ascending key, then ascending link. */
static inline bool plani_is_before(const plani_keyed_t *a, const plani_keyed_t *b)
{
    return a->key < b->key || (a->key == b->key && a->link < b->link);
}

/** Sort by that. By merging: qsort() calls for each comparison, and searches sort all links. \param room [n] */
void plani_sort_by_key(plani_keyed_t *link, size_t n, plani_keyed_t *room);

/** [nlinks] links grouped by `from`, each group ascending by (key, link); NULL when out of memory. */
plani_keyed_t *plani_sorted_out_links(const plan_platform_data_t *d, const double *key, double sign);

#endif
