/* The platform with all links reversed: a reduction on a platform is a broadcast on its transpose. */
#ifndef PLANI_TRANSPOSE_H
#define PLANI_TRANSPOSE_H

#include <planbcast/platform.h>

/**
 * Reverse all links. A link keeps its costs and its resources; who is busy sending on one is as busy receiving then,
 * and the other way round. Broadcasts inside hosts through shared memory are left out, for they have no reverse.
 *
 * \param combine_s_per_byte [s/B] >= 0: time for which combining occupies the processor of the rank that a slice is
 *                           sent to, before the reversal. Above 0, each rank gets a resource for it
 * \param out the caller's, for plan_platform_destroy; PLAN_ENOMEM
 */
plan_status_t plani_platform_transpose(const plan_platform_t *pf, double combine_s_per_byte, plan_platform_t **out,
                                       plan_error_t *err);

#endif
