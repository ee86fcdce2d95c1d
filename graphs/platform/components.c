#include "graphs/platform/components.h"
#include "graphs/platform/guard.h"
#include <stdlib.h>

/* igraph numbers components as its version likes; we number them by their lowest vertex. */
static plan_status_t renumber(int n, const igraph_vector_int_t *membership, int *component, int *count)
{
    int *name = malloc(((size_t)n + 1) * sizeof *name);

    if (name == NULL) return PLAN_ENOMEM;
    for (int c = 0; c < n; c++) name[c] = -1;
    *count = 0;
    for (int v = 0; v < n; v++) {
        igraph_integer_t c = VECTOR(*membership)[v];
        if (name[c] == -1) name[c] = (*count)++;
        component[v] = name[c];
    }
    free(name);
    return PLAN_OK;
}

static igraph_error_t connect_ends(igraph_t *graph, int n, const plan_link_t *link, size_t nlinks)
{
    igraph_vector_int_t ends;
    igraph_error_t code = igraph_vector_int_init(&ends, 2 * (igraph_integer_t)nlinks);

    if (code != IGRAPH_SUCCESS) return code;
    for (size_t l = 0; l < nlinks; l++) {
        VECTOR(ends)[2 * l] = link[l].from;
        VECTOR(ends)[2 * l + 1] = link[l].to;
    }
    code = igraph_create(graph, &ends, n, IGRAPH_DIRECTED);
    igraph_vector_int_destroy(&ends);
    return code;
}

plan_status_t plani_components(int n, const plan_link_t *link, size_t nlinks, plani_connected_t how, int *component,
                               int *count)
{
    plan_status_t rc = PLAN_ENOMEM;
    igraph_t graph;
    igraph_vector_int_t membership;
    igraph_connectedness_t mode = how == PLANI_STRONG ? IGRAPH_STRONG : IGRAPH_WEAK;
    plani_igraph_t before = plani_igraph_enter();

    if (connect_ends(&graph, n, link, nlinks) == IGRAPH_SUCCESS) {
        if (igraph_vector_int_init(&membership, 0) == IGRAPH_SUCCESS) {
            if (igraph_connected_components(&graph, &membership, NULL, NULL, mode) == IGRAPH_SUCCESS)
                rc = renumber(n, &membership, component, count);
            igraph_vector_int_destroy(&membership);
        }
        igraph_destroy(&graph);
    }
    plani_igraph_leave(before);
    return rc;
}
