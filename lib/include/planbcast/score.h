/* How long a broadcast will take: performance models over trees. */
#ifndef PLANBCAST_SCORE_H
#define PLANBCAST_SCORE_H

#include <stddef.h>
#include <planbcast/platform.h>
#include <planbcast/schedule.h>
#include <planbcast/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Predict when the last rank holds the message (tau-Lop stage model, pipelined tree).
 *
 * In stage s, every rank at depth d forwards slice s - d to its children (a non-blocking flat tree, NBFT). A stage
 * costs as much as its costliest NBFT, or as its busiest resource; the stages follow one another.
 *
 * A flat tree of several channel classes costs what its costliest class would if each transfer of another class counted
 * as the ratio of the times (1/Q), rounded down together. gamma(P) goes on along its last slope
 * beyond the measured table; classes without gamma send one after the other. A class with a ladder gives the time
 * of a slice (its gap; what p2p takes beyond that and beyond the link's slowest resource is flight), else the link's
 * own costs do. A resource that is slower than the link holds up the stage, not the sender's port. N slices that cross
 * a resource in one stage hold it for N s_per_message and, where it has a table BW_MP(N) (Thune et al. 2023), their
 * bytes / BW_MP(N), N interpolated in the rows of the nearest size; never less than bytes * s_per_byte, which is all
 * there is without a table (max-rate). Flights count once, along the longest path. With a window of w slices no link is
 * faster than w slices per gap (or slowest resource, if that takes longer) + 2 flights, unless the whole message fits
 * into it. On multi-port platforms a flat tree of k children costs max(k * send_s, max T_uv).
 *
 * \param bytes  message size [B]; 0 costs nothing
 * \param slice  slice size [B]; 0 sends the message whole. The sends of a flat tree do not wait for each other then,
 *               either (Open MPI's linear broadcast does: eq. (1), plan_predict_taulop)
 * \param window slices in flight per child, >= 1; 0: no limit
 * \param[out] seconds makespan [s]; untouched on error
 * \retval PLAN_EINVAL  window < 0, or an argument is NULL
 * \retval PLAN_ENOTREE tree uses a link that pf lacks, or the rank counts differ
 *
 * O(n log degree + height) time and a sliding maximum, however many slices; O(n + resources) space. Nuriyev et al.
 * 2022, eqs (1)-(12); here a flat tree may mix any number of channel classes, and the last slice may be short.
 */
PLAN_API plan_status_t plan_score_taulop(const plan_platform_t *pf, const plan_tree_t *tree, size_t bytes, size_t slice,
                                         int window, double *seconds);

/**
 * The same for trees that share the slices in proportion to share[]; share may be NULL for one tree.
 *
 * Loads of many slices count at the resources' one rate s_per_byte, the rate at saturation, as in the rows of the LP,
 * in throughput and in the searches for it: these are linear, and tables are not.
 *
 * Each tree takes what it would take alone (plan_score_taulop) beyond the time for which it holds its own bottleneck;
 * the largest of these, plus the time for which all trees together hold the port or resource that they hold longest.
 * ntrees == 1 equals plan_score_taulop.
 *
 * \retval PLAN_EINVAL no tree, or a share is missing, negative, not finite, or all are 0; else as plan_score_taulop
 */
PLAN_API plan_status_t plan_score_trees(const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree,
                                        const double *share, size_t bytes, size_t slice, int window, double *seconds);

/**
 * Split-binary with its exchange phase, eq. (13): the larger half goes down both sides of a binary tree, then partners
 * swap halves at once. A rank without a partner (one of an even count) has its other half from the root.
 *
 * \retval PLAN_EINVAL  root out of range, or as plan_score_taulop
 * \retval PLAN_ENOTREE the platform lacks a link of the tree or of the exchange
 */
PLAN_API plan_status_t plan_score_split_binary(const plan_platform_t *pf, int root, size_t bytes, size_t slice,
                                               int window, double *seconds);

/**
 * Predict when the last rank holds the message, for a schedule of rounds.
 *
 * A round lasts as long as its slowest transfer, flight included, or its busiest resource; rounds follow one another.
 * On equal links T(L) without resources circulant takes (n - 1 + ceil(log2 p)) * T(bytes / n) for n slices,
 * scatter-ring sum_k T(2^k bytes / p) + (p - 1) * T(bytes / p) for p = 2^q ranks, k = 0 .. q - 1. A place is sent
 * nothing twice.
 *
 * \param order [ranks] the rank at each place
 * \param slice slice size [B]; 0: the message whole; of no account where it is scattered in a block per rank
 * \retval PLAN_EINVAL  order is no permutation, no such kind, or an argument is NULL
 * \retval PLAN_ENOTREE a rank sends along a link that pf lacks
 *
 * O(p log p log degree) time, however many rounds; O(p log p) space.
 */
PLAN_API plan_status_t plan_score_rounds(const plan_platform_t *pf, plan_schedule_kind_t kind, const int *order,
                                         size_t bytes, size_t slice, double *seconds);

/** tau-Lop parameters for one segment, which `planbcast predict --taulop` reads from a file. */
typedef struct {
    double o_shm, o_net, L_shm, L_net; /* [s] per segment */
    double Q;                          /* T_p2p^1 / T_p2p^0; 0: T_p2p^0 = o_shm + 2 L_shm */
    size_t ngamma_shm, ngamma_net;
    const double *gamma_shm, *gamma_net; /* gamma[i] belongs to i + 2 processes */
} plan_taulop_t;

/**
 * The stage models of Nuriyev et al. 2022 for ranks placed in blocks of `ranks_per_host`.
 *
 * The parameters hold for one segment. Of x segments the transfers L cost x times as much, and the overhead o too, but
 * for a part of a segment the whole of it: so the linear tree, unsegmented, and the exchange of split-binary.
 *
 * \param fanout  as in plan_tree_topology
 * \param segment [B]; 0: the message whole, for which the parameters hold then
 * \retval PLAN_EINVAL a parameter is negative or not finite, or a rank count, root or fan-out is out of range
 */
PLAN_API plan_status_t plan_predict_taulop(const plan_taulop_t *params, plan_topology_t kind, int ranks,
                                           int ranks_per_host, int root, int fanout, size_t bytes, size_t segment,
                                           double *seconds);

#ifdef __cplusplus
}
#endif
#endif
