/* SPDX-License-Identifier: BSD-3-Clause */
/* Single-tree heuristics: those of the papers, as printed, and ours. */
#ifndef PLANBCAST_HEURISTICS_H
#define PLANBCAST_HEURISTICS_H

#include <stdbool.h>
#include <stdint.h>
#include <planbcast/platform.h>
#include <planbcast/steady.h>
#include <planbcast/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- experimental ---- */

/** One entry of the catalogue of heuristics. */
typedef struct {
    const char *name;   /* as tables and options call it, e.g. "prune-degree" */
    const char *source; /* paper and algorithm, or "planbcast" */
    const char *what;   /* one line of description */
    bool needs_rates;   /* needs n_uv of the linear program */
    bool multiport;     /* optimises the multi-port period */
    bool routed;        /* not a spanning tree: it has no plan_heuristic_tree */
    size_t max_links;   /* number of links for which it takes about a second; 0: fast on any platform */
} plan_heuristic_t;

/** The catalogue, in the order of tables; *n entries. */
PLAN_API const plan_heuristic_t *plan_heuristics(size_t *n);

/**
 * Build one heuristic's tree.
 *
 * \param slice  slice size [B], > 0: links are weighted by T_uv(slice)
 * \param bytes  message size [B], for heuristics that minimise the makespan; 0: maximum throughput
 * \param rates  [nlinks] n_uv of the linear program [slices/s]; NULL if needs_rates is false
 * \retval PLAN_EINVAL       unknown name, rates missing, root out of range, slice <= 0 or bytes < 0
 * \retval PLAN_EUNREACHABLE no spanning tree from root
 * \retval PLAN_EUNSUPPORTED the heuristic is routed, or the platform lacks a link that its shape of tree needs
 *
 * Ties go to the lowest index, on every machine. Children are in the order that brings one slice to all ranks soonest
 * (Jackson's rule), except with fnf, fef and ecef, which define an order. "best-tree" is a local search from the best
 * of the others. For bytes == 0, threshold accepting tries to meet a target period on every port and resource, which is
 * lowered by bisection. For bytes > 0 it minimises the predicted time (tau-Lop stages at this slice size), starting
 * from trees between the one of highest throughput and the one of least fill time.
 */
PLAN_API plan_status_t plan_heuristic_tree(const char *name, const plan_platform_t *pf, int root, double slice,
                                           double bytes, const double *rates, plan_tree_t **out, plan_error_t *err);

#define PLAN_MOST_TREES 64

/**
 * A few trees that share the slices, with a throughput close to the bound.
 *
 * All trees are changed together by threshold accepting, as for "best-tree", until the average slice occupies no port
 * or resource for longer than a target period. The target is lowered towards the bound. At intervals a linear program
 * over these trees recomputes their shares. The search starts from one tree, and from the best few of the trees that
 * the bound's rates were packed into. Finally ranks move closer to the root where that does not reduce the throughput.
 * Same seed, same trees.
 *
 * \param slice      [B] slice size, > 0
 * \param k          how many trees at most, 1 to PLAN_MOST_TREES
 * \param steady     the bound for the same arguments, preferably with packed trees; NULL: it is solved for
 * \param seed       of splitmix64 (Steele, Lea, Flood 2014); 0 stands for 1
 * \param moves      of the local search; 0: 6,000 for each rank of each tree, at most 1,500,000
 * \param[out] tree  [k] the first *ntrees are the caller's; undefined on error
 * \param[out] share [k] part of the slices that each tree carries, > 0; the sum is 1
 * \return as plan_heuristic_tree; as plan_platform_bound if the bound is solved for
 */
PLAN_API plan_status_t plan_few_trees(const plan_platform_t *pf, int root, double slice, size_t k,
                                      const plan_steady_t *steady, uint64_t seed, long moves, plan_tree_t **tree,
                                      double *share, size_t *ntrees, plan_error_t *err);

/** Kinds of bottlenecks. */
typedef enum {
    PLAN_AT_SEND_PORT,
    PLAN_AT_RECV_PORT,
    PLAN_AT_RESOURCE,
    PLAN_AT_LINK,
    PLAN_AT_PORT /* where a rank sends and receives in turns */
} plan_at_t;

/** The bottleneck of a tree or a set of trees. */
typedef struct {
    plan_at_t at;
    size_t index;   /* rank, resource or link */
    double seconds; /* occupation per slice [s] */
} plan_bottleneck_t;

/**
 * Steady-state throughput of trees that share the slices in proportion to share[] (one tree: share may be NULL).
 *
 * One-port platforms: 1 / the largest occupation of any send port, receive port or resource by one average slice.
 * PLAN_PORTS_ONE_WAY: what a rank sends and what it receives add up. PLAN_PORTS_NONE: between hosts a slice occupies
 * ports for latency_s, and a link that is slower than all resources that it passes for T_uv.
 * Multi-port platforms: period of u = max(children * send_u + receive_u, max T_uv) and the resources; receive_u is 0
 * where the platform has none, and for the root.
 *
 * \param slice           [B] slice size, > 0
 * \param[out] throughput [slices/s]; INFINITY for one rank, which sends nothing
 * \param[out] where      the bottleneck; ties: the first (send ports, receive ports, links, resources, by index); may
 *                        be NULL
 * \retval PLAN_EINVAL  no tree, several without share[], a share below 0 or not finite, or a slice <= 0
 * \retval PLAN_ENOTREE a tree uses a link that pf lacks, or the rank counts differ
 */
PLAN_API plan_status_t plan_throughput(const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree,
                                       const double *share, double slice, double *throughput, plan_bottleneck_t *where);

#ifdef __cplusplus
}
#endif
#endif
