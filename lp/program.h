/* The bound as a linear program of plain arrays. */
#ifndef PLANI_PROGRAM_H
#define PLANI_PROGRAM_H

#include <stddef.h>
#include <planbcast/steady.h>

/**
 * The program as plain arrays, all borrowed. A slice on link l = (u, v) occupies the send port of u and the receive
 * port of v for port[l] seconds. It occupies each resource i that lists l for resource_cost[i] seconds, or for those
 * of the entry. Each port and resource is occupied for at most 1 second per second; the variables are n_uv, slices per
 * second on each link.
 */
typedef struct {
    int ranks, root;
    size_t nlinks;
    const int *from, *to; /* [nlinks] sorted by (from, to) */
    const double *cost;   /* [nlinks] T_uv(L) [s] > 0 */
    const double *port;   /* [nlinks] [s] >= 0: time for which both ports are occupied; if 0, some resource has to list
                             the link; NULL: as cost[] */
    size_t nresources;
    const size_t *resource_first; /* [nresources + 1] into resource_link */
    const size_t *resource_link;  /* links of each resource */
    const double *resource_cost;  /* [nresources] seconds per slice */
    const double *entry_cost;     /* [resource_first[nresources]] the same of each link of each resource, instead of
                                     resource_cost[], which may be NULL then; NULL: none */
} plani_steady_problem_t;

/**
 * Solve. NULL options: the defaults, with packing.
 *
 * \retval PLAN_EINVAL        invalid arrays, or a known solution for other ranks, links or resources
 * \retval PLAN_EUNREACHABLE  a rank cannot be reached: the throughput is 0
 * \retval PLAN_ETIME         the limit passed before any feasible solution
 * \retval PLAN_ESOLVER       GLPK failed
 *
 * With one rank the throughput is infinite and there is nothing to send: PLAN_EINVAL.
 */
typedef plan_status_t plani_solver_t(const plani_steady_problem_t *problem, const plan_steady_options_t *options,
                                     plan_steady_t **out, plan_error_t *err);
plani_solver_t plani_steady_solve;
/** Prices of ports, of sending ranks and then of receiving ones, and of resources, in any unit: they prove the upper
 * end, or nearly. Borrowed. */
const double *plani_steady_prices(const plan_steady_t *s);

#endif
