/* The models of broadcast and reduce of the report 003: closed forms of its equations, and the library's stage models.
 * All segments have one size. Parent and child on one host (blocks of `per_host` ranks) use shared memory. */
#ifndef PAPER_003_MODELS_H
#define PAPER_003_MODELS_H

#include <stddef.h>
#include "planner/taulop/score.h"

typedef struct {
    double shared, network; /* T_p2p of a segment through each channel [s] */
    size_t ngamma;
    const double *gamma; /* gamma(2), gamma(3), ...; of both channels */
} channels_t;

/* Eq. (4) for the flat tree of all ranks on one channel, and its upper bound by eq. (1). */
double closed_linear(double p2p, const channels_t *c, int ranks);
double closed_linear_bound(double p2p, int ranks);
/* Eq. (2). A stage takes T of the network if any segment crosses hosts in it: (k - 1) min(H, n) + n stages, for k
 * crossings of n segments and H ranks per host. The rest takes T of shared memory. */
double closed_chain(const channels_t *c, int ranks, int per_host, int segments);
/* Eq. (3) for a complete binary tree of 2^k - 1 ranks on one channel. */
double closed_binary(double p2p, const channels_t *c, int ranks, int segments);

/* Broadcast by plani_score_taulop; linear is not segmented. NAN: failed. */
double stages_broadcast(const channels_t *c, plan_topology_t kind, int ranks, int per_host, int segments);
/* Reduce on the same tree: in stage s, ranks at depth d send segment s - (height - d) to their parents. A parent that
 * receives from several children is modelled as a non-blocking flat tree, too. Computed for each stage and rank. */
double stages_reduce(const channels_t *c, plan_topology_t kind, int ranks, int per_host, int segments);

#endif
