/* A correction for trees with saturated resources that serve several flows. */
#ifndef PLANI_SHARING_H
#define PLANI_SHARING_H

#include <planbcast/platform.h>
#include <planbcast/tree.h>

typedef struct {
    double index;      /* in [0, 1), see sharing.c */
    double s_per_byte; /* of the fullest resource, per byte of the message */
    double burst_s;    /* its burst */
} plani_sharing_t;

/** Compute the correction for trees that carry parts share [ntrees] of the slices; their sum is 1. PLAN_ENOTREE: as
 * plani_tree_check. */
plan_status_t plani_sharing_of(const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree, const double *share,
                               plani_sharing_t *out);
/** The factor, >= 1, on the time of a message that takes `seconds` without the correction. */
double plani_sharing_factor(const plani_sharing_t *sharing, double bytes, double seconds);

#endif
