/* The bound of a described cluster, without a platform: nothing grows with pairs of ranks. */
#ifndef PLANI_CLUSTER_BOUND_H
#define PLANI_CLUSTER_BOUND_H

#include "graphs/machine/cluster.h"

/** A resource that limits broadcasts; named as in platforms: "site b trunk in". */
typedef struct {
    char name[160];
    int count;    /* number of equal hosts, of which it is the first; `worth` is that of all of them */
    double worth; /* relative increase of the bound / relative increase of its rate, for small ones; all together 1 */
} plani_cluster_limit_t;

typedef struct {
    double rate;    /* [B/s] INFINITY if nothing limits it */
    double seconds; /* of solving */
    int nodes;      /* of the program: kinds of hosts, groups, and ranks where a host has several */
    size_t n;
    plani_cluster_limit_t *limit; /* [n] the most important first */
} plani_cluster_bound_t;

/**
 * The most bytes per second that a broadcast from `root` (a rank) sustains with the cards, trunks and memories of the
 * cluster, and the limits of single flows and half-duplex cards of a machine (lp/machine.h). Where flows are limited
 * and there are more than PLANI_FLOW_LEAVES ranks, all flows out of a host, and all into it, count together. Latencies,
 * bursts, relays, costs of messages and rates that are guesses do not count.
 *
 * \retval PLAN_EINVAL no such rank
 * \retval PLAN_ESOLVER GLPK failed
 */
plan_status_t plani_cluster_bound(const plani_cluster_t *c, int root, plani_cluster_bound_t *bound, plan_error_t *err);
/** *rate [B/s] for plans: the same, but rates that are guesses limit as well. */
plan_status_t plani_cluster_rate(const plani_cluster_t *c, int root, double *rate, plan_error_t *err);
/** *rate [B/s]: the bound where ranks of a host share memory: messages inside hosts do not count. */
plan_status_t plani_cluster_bound_between(const plani_cluster_t *c, int root, double *rate, plan_error_t *err);
void plani_cluster_bound_clear(plani_cluster_bound_t *bound);

#endif
