/* Trees as a GraphML multigraph, written by igraph. */
#include "graphs/trees/export_graphml.h"
#include "graphs/platform/guard.h"
#include <stdio.h>
#include <stdlib.h>

/* Edges in the order of trees, then parents, then their children. */
static igraph_error_t edges_of(const plani_graphml_t *g, igraph_vector_int_t *edges)
{
    for (size_t t = 0; t < g->ntrees; t++)
        for (int u = 0; u < g->ranks; u++) {
            int n = 0;
            const int *child = plan_tree_children(g->tree[t], u, &n);
            for (int i = 0; i < n; i++) {
                IGRAPH_CHECK(igraph_vector_int_push_back(edges, g->upwards ? child[i] : u));
                IGRAPH_CHECK(igraph_vector_int_push_back(edges, g->upwards ? u : child[i]));
            }
        }
    return IGRAPH_SUCCESS;
}

static igraph_error_t describe_nodes(const plani_graphml_t *g, igraph_t *graph)
{
    IGRAPH_CHECK(igraph_cattribute_GAS_set(graph, "name", g->name));
    for (int r = 0; r < g->ranks; r++) {
        IGRAPH_CHECK(igraph_cattribute_VAN_set(graph, "rank", r, r));
        IGRAPH_CHECK(igraph_cattribute_VAB_set(graph, "root", r, r == g->root));
        if (g->host != NULL) IGRAPH_CHECK(igraph_cattribute_VAN_set(graph, "host", r, g->host[r]));
        if (g->site != NULL) IGRAPH_CHECK(igraph_cattribute_VAN_set(graph, "site", r, g->site[r]));
    }
    return IGRAPH_SUCCESS;
}

static igraph_error_t describe_edges(const plani_graphml_t *g, igraph_t *graph)
{
    igraph_integer_t e = 0;
    for (size_t t = 0; t < g->ntrees; t++)
        for (int u = 0; u < g->ranks; u++) {
            int n = 0;
            const int *child = plan_tree_children(g->tree[t], u, &n);
            for (int i = 0; i < n; i++, e++) {
                IGRAPH_CHECK(igraph_cattribute_EAN_set(graph, "tree", e, (double)t));
                IGRAPH_CHECK(igraph_cattribute_EAN_set(graph, "order", e, i));
                IGRAPH_CHECK(igraph_cattribute_EAN_set(graph, "rate", e, g->rate[t]));
                if (g->cost == NULL) continue;
                double cost = g->cost[t * (size_t)g->ranks + (size_t)child[i]];
                IGRAPH_CHECK(igraph_cattribute_EAN_set(graph, "cost_s", e, cost));
            }
        }
    return IGRAPH_SUCCESS;
}

static igraph_error_t write_graph(const plani_graphml_t *g, FILE *to)
{
    igraph_vector_int_t edges;
    igraph_t graph;
    IGRAPH_CHECK(igraph_vector_int_init(&edges, 0));
    igraph_error_t code = edges_of(g, &edges);
    if (code == IGRAPH_SUCCESS) code = igraph_create(&graph, &edges, g->ranks, IGRAPH_DIRECTED);
    igraph_vector_int_destroy(&edges);
    if (code != IGRAPH_SUCCESS) return code;
    code = describe_nodes(g, &graph);
    if (code == IGRAPH_SUCCESS) code = describe_edges(g, &graph);
    if (code == IGRAPH_SUCCESS) code = igraph_write_graph_graphml(&graph, to, /* prefixattr = */ false);
    igraph_destroy(&graph);
    return code;
}

plan_status_t plani_graphml_write(const plani_graphml_t *g, char **text)
{
    size_t len = 0;
    char *out = NULL;
    FILE *to = open_memstream(&out, &len);

    if (to == NULL) return PLAN_ENOMEM;
    plani_igraph_t before = plani_igraph_enter();
    igraph_error_t code = write_graph(g, to);
    plani_igraph_leave(before);
    int lost = ferror(to);
    lost |= fclose(to);
    if (code == IGRAPH_SUCCESS && !lost && out != NULL) {
        *text = out;
        return PLAN_OK;
    }
    free(out);
    return PLAN_ENOMEM; /* writing to memory has no other failure */
}
