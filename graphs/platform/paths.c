/*
 * Shortest paths. igraph computes the distances (Dijkstra); the last link of each path is derived from them here, so
 * that ties do not depend on the order in which a version of igraph visits ranks.
 */
#include "graphs/platform/paths.h"
#include "graphs/platform/guard.h"
#include <math.h>
#include <stdlib.h>

struct plani_paths {
    const plan_platform_data_t *d;
    igraph_t graph;
    igraph_vector_t weight; /* [nlinks] T_uv(slice) [s] */
    igraph_matrix_t distance;
    bool has_graph, has_weight, has_distance;
};

static plan_status_t status_of(igraph_error_t code)
{
    return code == IGRAPH_SUCCESS ? PLAN_OK : code == IGRAPH_ENOMEM ? PLAN_ENOMEM : PLAN_EINVAL;
}

/* Edge l of the graph is link l of the platform. */
static igraph_error_t fill(plani_paths_t *p, double slice)
{
    const plan_platform_data_t *d = p->d;
    igraph_vector_int_t ends;
    igraph_error_t code;

    if ((code = igraph_vector_init(&p->weight, (igraph_integer_t)d->nlinks)) != IGRAPH_SUCCESS) return code;
    p->has_weight = true;
    if ((code = igraph_matrix_init(&p->distance, 0, 0)) != IGRAPH_SUCCESS) return code;
    p->has_distance = true;
    if ((code = igraph_vector_int_init(&ends, 2 * (igraph_integer_t)d->nlinks)) != IGRAPH_SUCCESS) return code;
    for (size_t l = 0; l < d->nlinks; l++) {
        VECTOR(ends)[2 * l] = d->link[l].from;
        VECTOR(ends)[2 * l + 1] = d->link[l].to;
        VECTOR(p->weight)[l] = plan_link_cost(&d->link[l], slice);
    }
    code = igraph_create(&p->graph, &ends, d->ranks, IGRAPH_DIRECTED);
    p->has_graph = code == IGRAPH_SUCCESS;
    igraph_vector_int_destroy(&ends);
    return code;
}

plan_status_t plani_paths_create(const plan_platform_t *pf, double slice, plani_paths_t **out)
{
    plani_paths_t *p = calloc(1, sizeof *p);
    if (p == NULL) return PLAN_ENOMEM;
    p->d = plan_platform_data(pf);

    plani_igraph_t before = plani_igraph_enter();
    plan_status_t rc = status_of(fill(p, slice));
    plani_igraph_leave(before);
    if (rc == PLAN_OK) *out = p, p = NULL;
    plani_paths_destroy(&p);
    return rc;
}

void plani_paths_destroy(plani_paths_t **paths)
{
    if (paths == NULL || *paths == NULL) return;
    plani_igraph_t before = plani_igraph_enter();
    if ((*paths)->has_graph) igraph_destroy(&(*paths)->graph);
    plani_igraph_leave(before);
    if ((*paths)->has_weight) igraph_vector_destroy(&(*paths)->weight);
    if ((*paths)->has_distance) igraph_matrix_destroy(&(*paths)->distance);
    free(*paths);
    *paths = NULL;
}

/* The last link of the shortest path to v. Its sender is nearer than v, so the links form no cycle. */
static size_t last_link(const plani_paths_t *p, int v)
{
    const plan_platform_data_t *d = p->d;
    size_t best = (size_t)-1;
    double best_at = INFINITY, at_v = MATRIX(p->distance, 0, v);
    for (size_t k = d->in_first[v]; k < d->in_first[v + 1]; k++) {
        size_t l = d->in_link[k];
        double at_u = MATRIX(p->distance, 0, d->link[l].from);
        if (!(at_u < at_v) || !(at_u + VECTOR(p->weight)[l] < best_at)) continue;
        best = l;
        best_at = at_u + VECTOR(p->weight)[l];
    }
    return best;
}

plan_status_t plani_paths_from(plani_paths_t *paths, int from, size_t *via)
{
    if (from < 0 || from >= paths->d->ranks) return PLAN_EINVAL;
    plani_igraph_t before = plani_igraph_enter();
    plan_status_t rc = status_of(igraph_distances_dijkstra(&paths->graph, &paths->distance, igraph_vss_1(from),
                                                           igraph_vss_all(), &paths->weight, IGRAPH_OUT));
    plani_igraph_leave(before);
    if (rc != PLAN_OK) return rc;
    for (int v = 0; v < paths->d->ranks; v++)
        via[v] = v == from || !isfinite(MATRIX(paths->distance, 0, v)) ? (size_t)-1 : last_link(paths, v);
    return PLAN_OK;
}
