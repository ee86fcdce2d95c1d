/* The tau-Lop stage model over trees and rounds. */
#ifndef PLANI_SCORE_H
#define PLANI_SCORE_H

#include <stddef.h>
#include <planbcast/platform.h>
#include <planbcast/schedule.h>
#include <planbcast/tree.h>

/**
 * Predict when the last rank holds the message (tau-Lop stage model, pipelined tree).
 *
 * In stage s, every rank at depth d forwards slice s - d to its children (a non-blocking flat tree, NBFT). A stage
 * costs as much as its costliest NBFT, or as its busiest resource; the stages follow one another.
 *
 * - A flat tree of several channel classes costs what its costliest class would if transfers of other classes counted
 *   as their ratio of times (1/Q), the sum rounded down. Beyond the measured table gamma(P) is extrapolated linearly;
 *   classes without gamma send one after the other.
 * - The time of a slice is its class's gap, if the class has a ladder, else the link's own cost. Flight is what p2p
 *   takes beyond the gap and beyond the link's slowest resource; it counts once, along the longest path.
 * - A resource slower than the link delays the stage, but does not occupy the sender's port. N slices that cross it in
 *   one stage occupy it for N s_per_message plus bytes / BW_MP(N), where it has such a table (Thune et al. 2023; N is
 *   interpolated in the rows of the nearest size), but for at least bytes * s_per_byte (max-rate).
 * - With a window of w slices a link carries at most w slices per gap (or slowest resource, if longer) + 2 flights,
 *   unless the whole message fits into the window.
 * - On multi-port platforms a flat tree of k children costs max(k * send_u, max T_uv).
 *
 * \param bytes  message size [B]; 0 costs nothing
 * \param slice  slice size [B]; 0 sends the message unsliced, with non-blocking sends too (in Open MPI's linear
 *               broadcast they block, eq. (1))
 * \param window slices in flight per child, >= 1; 0: no limit
 * \param[out] seconds makespan [s]; untouched on error
 * \retval PLAN_EINVAL  window < 0, or an argument is NULL
 * \retval PLAN_ENOTREE tree uses a link that pf lacks, or the rank counts differ
 *
 * O(n log degree + height) time and a sliding maximum, however many slices; O(n + resources) space. Nuriyev et al.
 * 2022, eqs (1)-(12); here a flat tree may mix any number of channel classes, and the last slice may be short.
 */
plan_status_t plani_score_taulop(const plan_platform_t *pf, const plan_tree_t *tree, size_t bytes, size_t slice,
                                 int window, double *seconds);

/**
 * The same for trees that share the slices in proportion to share[]; share may be NULL for one tree.
 *
 * The score is the sum of two times: the longest that any tree would take alone (plani_score_taulop) beyond the time
 * for which it occupies its own bottleneck, and the time for which all trees together occupy the port or resource that
 * they load most. For ntrees == 1 this is plani_score_taulop. Resources count at s_per_byte, the rate at saturation, as
 * in the linear program, not by their tables.
 *
 * \retval PLAN_EINVAL no tree, or a share is missing, negative, not finite, or all are 0; else as plani_score_taulop
 */
plan_status_t plani_score_trees(const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree, const double *share,
                                size_t bytes, size_t slice, int window, double *seconds);

/**
 * Split-binary with its exchange phase, eq. (13): the larger half goes down both sides of a binary tree, then partners
 * swap halves at once. A rank without a partner (one of an even count) has its other half from the root.
 *
 * \retval PLAN_EINVAL  root out of range, or as plani_score_taulop
 * \retval PLAN_ENOTREE the platform lacks a link of the tree or of the exchange
 */
plan_status_t plani_score_split_binary(const plan_platform_t *pf, int root, size_t bytes, size_t slice, int window,
                                       double *seconds);

/** The same, made ready to be scored at many message sizes, slices and windows. */
typedef struct plani_split plani_split_t;
struct plani_cost_cache;
/** Borrows pf and, unless it is NULL, costs. PLAN_ENOTREE: as plani_score_split_binary. */
plan_status_t plani_split_create(const plan_platform_t *pf, int root, struct plani_cost_cache *costs,
                                 plani_split_t **out);
void plani_split_destroy(plani_split_t **split);
/** As plani_score_split_binary. */
double plani_split_score(plani_split_t *split, size_t bytes, size_t slice, int window);

/**
 * Predict when the last rank holds the message, for a schedule of rounds.
 *
 * A round lasts as long as its slowest transfer, flight included, or its busiest resource; rounds follow one another.
 * On equal links T(L) without resources circulant takes (n - 1 + ceil(log2 p)) * T(bytes / n) for n slices,
 * scatter-ring sum_k T(2^k bytes / p) + (p - 1) * T(bytes / p) for p = 2^q ranks, k = 0 .. q - 1. No place is sent a
 * block twice.
 *
 * \param order [ranks] the rank at each place
 * \param slice slice size [B]; 0: the message unsliced; without effect on the scatter kinds: a block per rank
 * \retval PLAN_EINVAL  order is no permutation, no such kind, or an argument is NULL
 * \retval PLAN_ENOTREE a rank sends along a link that pf lacks
 *
 * O(p log p log degree) time, however many rounds; O(p log p) space.
 */
plan_status_t plani_score_rounds(const plan_platform_t *pf, plan_schedule_kind_t kind, const int *order, size_t bytes,
                                 size_t slice, double *seconds);

#endif
