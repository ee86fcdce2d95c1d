/* The platform of a described cluster. */
#ifndef PLANI_SITES_H
#define PLANI_SITES_H

#include "graphs/machine/cluster.h"

/** Every ordered pair of ranks a link; cards, trunks and memories the resources. PLAN_ENOMEM. */
plan_status_t plani_cluster_platform(const plani_cluster_t *cluster, plan_platform_t **out, plan_error_t *err);

#endif
