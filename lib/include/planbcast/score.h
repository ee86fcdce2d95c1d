/* How long a broadcast will take: performance models over trees. */
#ifndef PLANBCAST_SCORE_H
#define PLANBCAST_SCORE_H

#include <stddef.h>
#include <planbcast/platform.h>
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
 * \param bytes  message size [B]; 0 costs nothing
 * \param slice  slice size [B]; 0 sends the message whole
 * \param window slices in flight per child, >= 1; 0: no limit
 * \param[out] seconds makespan [s]; untouched on error
 * \retval PLAN_ENOTREE tree uses a link that pf lacks, or the rank counts differ
 *
 * O(n + height) and a sliding maximum, however many slices. Nuriyev et al. 2022, eqs (1)-(13); here a flat tree may mix
 * any number of channel classes.
 */
PLAN_API plan_status_t plan_score_taulop(const plan_platform_t *pf, const plan_tree_t *tree, size_t bytes, size_t slice,
                                         int window, double *seconds);

/** The same for trees that share the slices in proportion to share[]. ntrees == 1 equals plan_score_taulop. */
PLAN_API plan_status_t plan_score_trees(const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree,
                                        const double *share, size_t bytes, size_t slice, int window, double *seconds);

/** Split-binary with its exchange phase, eq. (13). */
PLAN_API plan_status_t plan_score_split_binary(const plan_platform_t *pf, int root, size_t bytes, size_t slice,
                                               int window, double *seconds);

/** tau-Lop parameters for one segment, as `planbcast predict` reads them (DESIGN: "tau-Lop parameters"). */
typedef struct {
    double o_shm, o_net, L_shm, L_net; /* [s] per segment */
    double Q;                          /* T_p2p^1 / T_p2p^0; 0: T_p2p^0 = o_shm + 2 L_shm */
    size_t ngamma_shm, ngamma_net;
    const double *gamma_shm, *gamma_net; /* gamma[i] belongs to i + 2 processes */
} plan_taulop_t;

/**
 * The stage models of Nuriyev et al. 2022 for ranks placed in blocks of `ranks_per_host`.
 * \param fanout as in plan_tree_topology
 */
PLAN_API plan_status_t plan_predict_taulop(const plan_taulop_t *params, plan_topology_t kind, int ranks,
                                           int ranks_per_host, int root, int fanout, size_t bytes, size_t segment,
                                           double *seconds);

#ifdef __cplusplus
}
#endif
#endif
