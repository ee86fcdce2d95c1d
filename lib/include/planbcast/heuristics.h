/* Single-tree heuristics: those of the papers, as printed, and ours. */
#ifndef PLANBCAST_HEURISTICS_H
#define PLANBCAST_HEURISTICS_H

#include <planbcast/platform.h>
#include <planbcast/steady.h>
#include <planbcast/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One entry of the catalogue of heuristics. */
typedef struct {
    const char *name;   /* as tables and options call it, e.g. "prune-degree" */
    const char *source; /* paper and algorithm, or "planbcast" */
    const char *what;   /* one line for people */
    int needs_rates;    /* wants n_uv from the linear program */
    int multiport;      /* optimises the multi-port period */
} plan_heuristic_t;

/** The catalogue, in the order of tables; *n entries. */
PLAN_API const plan_heuristic_t *plan_heuristics(size_t *n);

/**
 * Build one heuristic's tree.
 *
 * \param slice  slice size [B], > 0: links are weighted by T_uv(slice)
 * \param bytes  message size [B] for those that look at the makespan; 0: throughput alone
 * \param rates  [nlinks] n_uv of the solved program, or NULL where it is not needed
 * \retval PLAN_EINVAL       unknown name, or rates missing
 * \retval PLAN_EUNREACHABLE no spanning tree from root
 */
PLAN_API plan_status_t plan_heuristic_tree(const char *name, const plan_platform_t *pf, int root, double slice,
                                           double bytes, const double *rates, plan_tree_t **out, plan_error_t *err);

/**
 * Binomial tree over shortest paths (Algorithm 4 of Beaumont, Marchal, Robert 2004). Not a spanning tree of the
 * platform: its transfers are routed, and a link counts as often as a path uses it.
 * \param uses [nlinks] receives how often each link is used per slice
 */
PLAN_API plan_status_t plan_binomial_paths(const plan_platform_t *pf, int root, double slice, int *uses);

/** Where a tree or a set of trees is held up. */
typedef struct {
    enum { PLAN_AT_SEND_PORT, PLAN_AT_RECV_PORT, PLAN_AT_RESOURCE, PLAN_AT_LINK } at;
    size_t index;   /* rank, resource or link */
    double seconds; /* occupation per slice [s] */
} plan_bottleneck_t;

/**
 * Steady-state throughput of trees that share the slices in proportion to share[] (one tree: share may be NULL).
 *
 * One-port platforms: 1 / the largest occupation of any send port, receive port or resource by one average slice.
 * Multi-port platforms: period of u = max(children * send_u, max T_uv) and the resources.
 *
 * \param[out] throughput [slices/s]
 * \param[out] where      the bottleneck; may be NULL
 * \retval PLAN_ENOTREE a tree uses a link that pf lacks
 */
PLAN_API plan_status_t plan_throughput(const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree,
                                       const double *share, double slice, double *throughput, plan_bottleneck_t *where);

/** The bound of a platform: builds the program's arrays from the platform at this slice size and solves it. */
PLAN_API plan_status_t plan_platform_bound(const plan_platform_t *pf, int root, double slice,
                                           const plan_steady_options_t *options, plan_steady_t **out,
                                           plan_error_t *err);

#ifdef __cplusplus
}
#endif
#endif
