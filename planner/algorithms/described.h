/* What is planned on, of a described cluster: its platform and the trees over its hosts. */
#ifndef PLANI_DESCRIBED_H
#define PLANI_DESCRIBED_H

#include "planner/algorithms/host_trees.h"
#include "planner/algorithms/resource_bound.h"

/** Zero-initialise. */
typedef struct {
    plani_host_trees_t *hosts;
    plan_platform_t *pf;
    bool sparse; /* pf has the links of `hosts` and of MPI libraries' trees alone, and the bound is the machine's */
    plani_cluster_t *cluster;          /* where it was inferred; else NULL, */
    plani_resource_bound_t *resources; /* as is this, which gives its bound */
} plani_described_t;

/**
 * Bound the machine, route trees over its hosts, make the platform. Borrows c.
 * \retval PLAN_EINVAL root is no rank
 * \retval PLAN_ESOLVER the bound was not found
 */
plan_status_t plani_described_create(const plani_cluster_t *c, int root, plani_described_t *out, plan_error_t *err);
/**
 * The same of a platform of more than PLANI_PAIRED_RANKS ranks with a link for each pair, by the hosts inferred from
 * its resources (plani_cluster_infer). out->pf is NULL for others. Borrows pf. \retval PLAN_ESOLVER the bound was not
 * found
 */
plan_status_t plani_described_infer(const plan_platform_t *pf, int root, plani_described_t *out, plan_error_t *err);
void plani_described_clear(plani_described_t *described);

#endif
