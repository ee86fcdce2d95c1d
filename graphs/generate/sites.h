/* The platform of a described cluster. */
#ifndef PLANI_SITES_H
#define PLANI_SITES_H

#include "graphs/machine/cluster.h"

/**
 * Every ordered pair of ranks a link; cards, trunks and memories the resources.
 * \retval PLAN_EINVAL more than 4,096 ranks
 */
plan_status_t plani_cluster_platform(const plani_cluster_t *cluster, plan_platform_t **out, plan_error_t *err);
/**
 * The same with these links alone, [nlinks] ascending by (from, to), each once; NULL: every ordered pair. What the
 * others would use is left out. O(nlinks depth + hosts) time.
 */
plan_status_t plani_cluster_platform_of(const plani_cluster_t *cluster, size_t nlinks, const int *from, const int *to,
                                        plan_platform_t **out, plan_error_t *err);

#endif
