/* Platforms from GraphML, as igraph, NetworkX and others write it: edges with attributes latency_s and s_per_byte. */
#include "graphs/platform/guard.h"
#include "graphs/platform/platform_private.h"
#include "lib/base/base.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A numeric attribute of edge e; `otherwise` if the graph has no such attribute, NAN if it is not numeric. */
static double edge_number(const igraph_t *graph, const char *name, igraph_integer_t e, double otherwise)
{
    igraph_attribute_type_t type;

    if (!igraph_cattribute_has_attr(graph, IGRAPH_ATTRIBUTE_EDGE, name)) return otherwise;
    if (igraph_cattribute_table.gettype(graph, &type, IGRAPH_ATTRIBUTE_EDGE, name) != IGRAPH_SUCCESS) return NAN;
    return type == IGRAPH_ATTRIBUTE_NUMERIC ? igraph_cattribute_EAN(graph, name, e) : NAN;
}

/* Edges in their order; an undirected one is two links. */
static plan_status_t links_of(const igraph_t *graph, plan_link_t **out, size_t *nlinks)
{
    igraph_integer_t edges = igraph_ecount(graph);
    size_t ways = igraph_is_directed(graph) ? 1 : 2, n = 0;
    plan_link_t *link = calloc((size_t)edges * ways + 1, sizeof *link);

    if (link == NULL) return PLAN_ENOMEM;
    for (igraph_integer_t e = 0; e < edges; e++) {
        plan_link_t l = {.from = (int)IGRAPH_FROM(graph, e),
                         .to = (int)IGRAPH_TO(graph, e),
                         .latency_s = edge_number(graph, "latency_s", e, 0),
                         .s_per_byte = edge_number(graph, "s_per_byte", e, 0),
                         .delay_s = edge_number(graph, "delay_s", e, 0),
                         .channel = -1};
        link[n++] = l;
        if (ways == 1) continue;
        link[n] = l;
        link[n].from = l.to, link[n].to = l.from;
        n++;
    }
    *out = link;
    *nlinks = n;
    return PLAN_OK;
}

static plan_status_t platform_of(const igraph_t *graph, const char *file, plan_platform_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    plan_link_t *link = NULL;
    plan_platform_data_t data = {.size = sizeof data, .name = file};
    plan_error_t why;

    if (igraph_vcount(graph) < 1 || igraph_vcount(graph) > PLANI_MAX_RANKS)
        return plani_fail(err, PLAN_EFORMAT, "%s: holds %lld nodes; give 1 to %d", file,
                          (long long)igraph_vcount(graph), PLANI_MAX_RANKS);
    data.ranks = (int)igraph_vcount(graph);
    if ((rc = links_of(graph, &link, &data.nlinks)) != PLAN_OK)
        return plani_fail(err, rc, "%s: out of memory for its links", file);
    data.link = link;
    if ((rc = plan_platform_create(&data, out, &why)) != PLAN_OK) {
        if (rc == PLAN_EINVAL) rc = PLAN_EFORMAT;
        plani_fail(err, rc, "%s: %s", file, why.text);
    }
    free(link);
    return rc;
}

plan_status_t plani_platform_from_graphml(const char *text, size_t len, const char *file, plan_platform_t **out,
                                          plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    igraph_t graph;
    FILE *stream = fmemopen((void *)(uintptr_t)text, len, "r"); /* only read */

    if (stream == NULL) return plani_fail(err, PLAN_ENOMEM, "%s: out of memory", file);
    plani_igraph_t before = plani_igraph_enter();
    errno = 0;
    igraph_error_t code = igraph_read_graph_graphml(&graph, stream, 0);
    if (code == IGRAPH_SUCCESS) {
        rc = platform_of(&graph, file, out, err);
        igraph_destroy(&graph);
    } else if (code == IGRAPH_ENOMEM || errno == ENOMEM) { /* libxml2 may report that as a syntax error */
        rc = plani_fail(err, PLAN_ENOMEM, "%s: out of memory", file);
    } else if (code == IGRAPH_UNIMPLEMENTED) {
        rc = plani_fail(err, PLAN_EUNSUPPORTED, "%s: this igraph does not read GraphML; give JSON", file);
    } else {
        rc = plani_fail(err, PLAN_EFORMAT, "%s: is not GraphML with a graph in it; check it with xmllint", file);
    }
    plani_igraph_leave(before);
    fclose(stream);
    return rc;
}
