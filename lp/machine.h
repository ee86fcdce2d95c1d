/* The bound of a machine: hosts in nested groups, with rates out of and into each. */
#ifndef PLANI_MACHINE_BOUND_H
#define PLANI_MACHINE_BOUND_H

#include <stdbool.h>
#include <planbcast/status.h>

/** Machines of up to so many leaves, equal ones counted apart, may have limits of single flows. */
#define PLANI_FLOW_LEAVES 64

/**
 * A machine as a tree of nodes, whose leaves are what has to get the message (hosts, or ranks) and whose inner nodes
 * are groups of them. All arrays are borrowed, [nodes] long, and may be NULL where it says so.
 *
 * A node may stand for several equal ones side by side; what lies below it then belongs to each of them, and so do its
 * rates.
 */
typedef struct {
    int nodes;               /* node 0 is the whole; parents come before their children */
    int root;                /* a leaf; it and all nodes around it stand for one */
    const int *parent;       /* -1 for node 0 */
    const int *count;        /* >= 1: so many it stands for; NULL: 1 each */
    const double *out;       /* [B/s] > 0 that leaves it at most; INFINITY: no limit. Without effect for node 0 */
    const double *in;        /* [B/s] > 0 that enters it at most */
    const double *inside;    /* [B/s] > 0 that its children send each other at most (memory); NULL: no limit */
    const double *through;   /* [B/s] > 0 that moves into it, out of it and inside at most (the processors of a host);
                                NULL: no limit. Of inner nodes but the whole */
    const double *send_s;    /* [s/B] >= 0 and */
    const double *receive_s; /* [s/B] >= 0: a processor's work for what leaves and enters it; NULL: none */
    /* Limits of single flows, NULL: none. Each leaf is or lies in one host, and groups of hosts stand for one each. Of
     * more than PLANI_FLOW_LEAVES leaves they do not count. */
    const double *flow; /* [nodes^2, B/s] > 0 that one leaf of a host (row) sends one leaf of another host (column);
                           INFINITY: no limit; of a host to itself: to others that it stands for */
    const bool *host;   /* which nodes are hosts */
} plani_machine_problem_t;

/**
 * The solution. The worth of a resource is the relative increase of the bound / the relative increase of its rate, for
 * small ones: 1 for an only bottleneck, 0 for a resource that limits nothing; all together are 1. For a node that
 * stands for several, it is the worth of all of them.
 */
typedef struct {
    double rate;                                                /* [B/s] INFINITY if nothing limits it */
    double *sent, *received;                                    /* [nodes] what leaves and enters each, 0 for node 0 */
    double *out_worth, *in_worth, *inside_worth, *worker_worth; /* [nodes] `inside` includes `through` */
    double flows_worth;                                         /* of all limits of single flows */
    double seconds;                                             /* of solving */
} plani_machine_bound_t;

/**
 * The most bytes per second that any broadcast from the root sustains, over any number of trees. A linear program with
 * three variables a node finds it; where single flows are limited, the general one, with a variable for each pair of
 * leaves, to a relative gap of 1e-9 where the rates do not span too many orders of magnitude. lp/README.md says why it
 * is a bound.
 *
 * \retval PLAN_EINVAL bad arrays; `err` names the node
 * \retval PLAN_ESOLVER GLPK failed, or its solution is not exact to 1e-7
 */
plan_status_t plani_machine_bound(const plani_machine_problem_t *problem, plani_machine_bound_t *bound,
                                  plan_error_t *err);
void plani_machine_bound_clear(plani_machine_bound_t *bound);

#endif
