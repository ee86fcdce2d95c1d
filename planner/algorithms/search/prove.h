/* The optimum of single trees on a platform, with its proof. */
#ifndef PLANI_PROVE_H
#define PLANI_PROVE_H

#include <planbcast/platform.h>
#include <planbcast/tree.h>

/** What is proved of single trees for slices of one size, within the platform's model of ports, links and resources. */
typedef struct {
    double slice;      /* [B] */
    double throughput; /* [slices/s] of the best tree known */
    double upper;      /* [slices/s] no tree exceeds it; equals `throughput` when that is proved to be the optimum */
    double best_tree;  /* [slices/s] of best-tree, or of the tree that was given, from which the search started */
    double seconds;    /* that it took */
    int programs;      /* integer programs that were solved */
    plan_tree_t *tree; /* of `throughput`; the caller's. Children are in Jackson's order */
} plani_proved_t;

/**
 * Start from best-tree, and search for better trees by branch and bound until it is proved that there is none, or
 * limit_s [s] have passed.
 * \retval PLAN_EINVAL       one rank alone, root out of range, or slice <= 0
 * \retval PLAN_EUNREACHABLE no spanning tree from root
 */
plan_status_t plani_prove_tree(const plan_platform_t *pf, int root, double slice, double limit_s, plani_proved_t *out,
                               plan_error_t *err);
/**
 * The same of reductions to the root: of the platform that they are planned on, with all links reversed and a rank's
 * processor as a resource. In the tree a rank's parent is the one that it sends to.
 * \param combine_s_per_byte [s/B] >= 0, that a rank takes to combine a slice of another with its own
 */
plan_status_t plani_prove_reduction(const plan_platform_t *pf, int root, double combine_s_per_byte, double slice,
                                    double limit_s, plani_proved_t *out, plan_error_t *err);
/** The first from another spanning tree of pf; its root is the root. */
plan_status_t plani_prove_from(const plan_platform_t *pf, plan_tree_t *tree, double slice, double limit_s,
                               plani_proved_t *out, plan_error_t *err);

#endif
