/* Slices of a broadcast routed one after the other over the hosts of a machine. */
#ifndef PLANI_HOST_ROUTING_H
#define PLANI_HOST_ROUTING_H

#include "graphs/machine/cluster.h"

/** Trees over hosts, each with an equal part of the rate. */
typedef struct {
    int ntrees;
    int *parent; /* [ntrees * hosts] the host from which each receives; -1: the root's */
    double rate; /* [B/s] that they sustain together */
    int height;  /* of the highest, in hosts */
} plani_host_routes_t;

/**
 * Find `ntrees` trees of equal rate from the host `root`, which together come near `bound` [B/s] on cards and trunks.
 *
 * One slice goes down each tree. Slices are routed one after the other, hosts in the order of the price of leaving
 * them, each from the holder of the slice whose way to it is cheapest: per group only its cheapest holder is looked at.
 * A way out or in costs exp(eta (load / capacity - 1)) / capacity; a host's does not rise with what it sends of the
 * same slice while it has room: few relays with many children make low trees. Then each slice is taken out and routed
 * again, with rising eta, for the bound and for rates between what is reached and the bound. Where that is not near,
 * other orders of the hosts are tried.
 *
 * Deterministic; ties go to the lowest host. O(ntrees hosts depth log(hosts)) time a pass, O(ntrees hosts) memory.
 * \retval PLAN_ENOMEM
 */
plan_status_t plani_host_routes_create(const plani_cluster_t *c, int root, double bound, int ntrees,
                                       plani_host_routes_t *out);

#endif
