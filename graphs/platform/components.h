/* Connected components of a directed graph. */
#ifndef PLANI_COMPONENTS_H
#define PLANI_COMPONENTS_H

#include <planbcast/platform.h>

typedef enum {
    PLANI_WEAK,  /* some way between all vertices, whatever the directions */
    PLANI_STRONG /* a way from each vertex to each other */
} plani_connected_t;

/**
 * Number the components 0, 1, ... by their lowest vertex.
 *
 * \param[in]  n         vertices, >= 0
 * \param[in]  link      [nlinks] from and to count, both in 0..n - 1
 * \param[out] component [n]
 * \param[out] count     how many
 * \retval PLAN_ENOMEM
 *
 * O(n + nlinks) time and space.
 */
plan_status_t plani_components(int n, const plan_link_t *link, size_t nlinks, plani_connected_t how, int *component,
                               int *count);

#endif
