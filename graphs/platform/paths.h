/* Shortest paths between ranks of a platform, for transfers that are routed. */
#ifndef PLANI_PATHS_H
#define PLANI_PATHS_H

#include <planbcast/platform.h>

/** The platform's links weighted by T_uv(slice); borrows the platform. */
typedef struct plani_paths plani_paths_t;

plan_status_t plani_paths_create(const plan_platform_t *pf, double slice, plani_paths_t **out);
void plani_paths_destroy(plani_paths_t **paths);

/**
 * The tree of shortest paths from one rank.
 *
 * \param[out] via [ranks] the last link of the path to each rank; (size_t)-1 for `from` and for ranks out of reach.
 *                 Ties: the path whose last link has the lowest index.
 * \retval PLAN_EINVAL from is out of range
 *
 * O(m log n) time.
 */
plan_status_t plani_paths_from(plani_paths_t *paths, int from, size_t *via);

#endif
