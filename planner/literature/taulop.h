/* The stage models of Nuriyev et al. 2022 on an ideal cluster, from the parameters that the paper prints. */
#ifndef LIT_TAULOP_H
#define LIT_TAULOP_H

#include <stddef.h>
#include <planbcast/tree.h>

/** tau-Lop parameters for one segment, which `planbcast predict --taulop` reads from a file. */
typedef struct {
    double o_shm, o_net, L_shm, L_net; /* [s] per segment */
    double Q;                          /* T_p2p^1 / T_p2p^0; 0: T_p2p^0 = o_shm + 2 L_shm */
    size_t ngamma_shm, ngamma_net;
    const double *gamma_shm, *gamma_net; /* gamma[i] belongs to i + 2 processes */
} lit_taulop_t;

/**
 * The stage models of Nuriyev et al. 2022 for ranks placed in blocks of `ranks_per_host`.
 *
 * The parameters are those of one segment. A message of x segments (the linear tree; the exchange of split-binary)
 * takes x times the transfers L, and the overhead o once per segment or part of one.
 *
 * \param fanout  as in plan_tree_topology
 * \param segment [B]; 0: the whole message is one segment
 * \retval PLAN_EINVAL a parameter is negative or not finite, or a rank count, root or fan-out is out of range
 */
plan_status_t lit_predict_taulop(const lit_taulop_t *params, plan_topology_t kind, int ranks, int ranks_per_host,
                                 int root, int fanout, size_t bytes, size_t segment, double *seconds);

#endif
