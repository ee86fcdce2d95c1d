/* How much longer trees take whose full resources take turns among several flows. */
#ifndef PLANI_SHARING_H
#define PLANI_SHARING_H

#include <planbcast/platform.h>
#include <planbcast/tree.h>

typedef struct {
    double index;      /* 0: none take turns that others wait for; below 1 */
    double s_per_byte; /* the fullest resource's, of the message */
    double burst_s;    /* and what it lets pass at once */
} plani_sharing_t;

/** Of trees that share the slices; share [ntrees] adds up to 1. PLAN_ENOTREE: as plani_tree_check. */
plan_status_t plani_sharing_of(const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree, const double *share,
                               plani_sharing_t *out);
/** The factor, >= 1, for a message that would take `seconds` without. */
double plani_sharing_factor(const plani_sharing_t *sharing, double bytes, double seconds);

#endif
