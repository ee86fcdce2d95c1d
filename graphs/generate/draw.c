#include "graphs/generate/draw.h"
#include "lib/base/base.h"
#include "graphs/platform/guard.h"
#include <math.h>
#include <stdlib.h>

plan_status_t plani_links_draw(plani_links_t *links, plani_rng_t *rng, int from, int to)
{
    double bytes_per_s;

    plan_link_t *link = plani_grown(links->link, links->n, &links->room, sizeof *link);
    if (link == NULL) return PLAN_ENOMEM;
    links->link = link;
    do bytes_per_s = round(100e6 + 20e6 * plani_rng_gauss(rng));
    while (bytes_per_s < 10e6);
    links->link[links->n++] = (plan_link_t){from, to, 0, 1 / bytes_per_s, 0, -1};
    return PLAN_OK;
}

/* igraph numbers components as its version likes; we number them by their lowest rank. */
static plan_status_t renumber(int ranks, const igraph_vector_int_t *membership, int *component, int *n)
{
    int *name = malloc((size_t)ranks * sizeof *name);

    if (name == NULL) return PLAN_ENOMEM;
    for (int c = 0; c < ranks; c++) name[c] = -1;
    *n = 0;
    for (int r = 0; r < ranks; r++) {
        igraph_integer_t c = VECTOR(*membership)[r];
        if (name[c] == -1) name[c] = (*n)++;
        component[r] = name[c];
    }
    free(name);
    return PLAN_OK;
}

static igraph_error_t connect_ends(igraph_t *graph, int ranks, const plani_links_t *links)
{
    igraph_vector_int_t ends;
    igraph_error_t code = igraph_vector_int_init(&ends, 2 * (igraph_integer_t)links->n);

    if (code != IGRAPH_SUCCESS) return code;
    for (size_t i = 0; i < links->n; i++) {
        VECTOR(ends)[2 * i] = links->link[i].from;
        VECTOR(ends)[2 * i + 1] = links->link[i].to;
    }
    code = igraph_create(graph, &ends, ranks, IGRAPH_DIRECTED);
    igraph_vector_int_destroy(&ends);
    return code;
}

plan_status_t plani_components(int ranks, const plani_links_t *links, int *component, int *n)
{
    plan_status_t rc = PLAN_ENOMEM;
    igraph_t graph;
    igraph_vector_int_t membership;
    plani_igraph_t before = plani_igraph_enter();

    if (connect_ends(&graph, ranks, links) == IGRAPH_SUCCESS) {
        if (igraph_vector_int_init(&membership, 0) == IGRAPH_SUCCESS) {
            if (igraph_connected_components(&graph, &membership, NULL, NULL, IGRAPH_STRONG) == IGRAPH_SUCCESS)
                rc = renumber(ranks, &membership, component, n);
            igraph_vector_int_destroy(&membership);
        }
        igraph_destroy(&graph);
    }
    plani_igraph_leave(before);
    return rc;
}
