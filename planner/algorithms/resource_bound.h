/* The bound of a platform that was made from a machine, by its resources and limits of single flows, without ports. */
#ifndef PLANI_RESOURCE_BOUND_H
#define PLANI_RESOURCE_BOUND_H

#include <planbcast/platform.h>

typedef struct plani_resource_bound plani_resource_bound_t;

/**
 * Find the machine's program (lp/machine.h) behind a platform: cards, trunks, memories and processors by the links that
 * share them (graphs/machine/ways.h), and limits of single flows by links that are slower than all they pass. Other
 * resources are ignored. *out is NULL for other platforms: one host, ports, pairs of ranks without a link, no such
 * resources. Borrows d. \retval PLAN_ENOMEM
 */
plan_status_t plani_resource_bound_create(const plan_platform_data_t *d, int root, plani_resource_bound_t **out);
void plani_resource_bound_destroy(plani_resource_bound_t **bound);

/**
 * The most bytes per second that a broadcast in slices of so many bytes sustains: times per message count once a slice.
 * INFINITY: nothing limits it. \retval PLAN_ESOLVER as of plani_machine_bound
 */
plan_status_t plani_resource_bound_at(plani_resource_bound_t *bound, double slice, double *rate, plan_error_t *err);

#endif
