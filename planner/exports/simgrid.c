/* A described cluster for SimGrid: a graph of hosts, switches and one-way links between neighbours, in which SimGrid
 * computes routes. */
#include "planner/exports/exports.h"

static const double no_limit = 1e15; /* [B/s] */

/* Names of hosts and groups are people's. */
static void put_escaped(const char *name, plani_text_t *to)
{
    for (; *name != '\0'; name++) switch (*name) {
        case '&':
            plani_text_add(to, "&amp;");
            break;
        case '<':
            plani_text_add(to, "&lt;");
            break;
        case '"':
            plani_text_add(to, "&quot;");
            break;
        default:
            plani_text_add(to, "%c", *name);
        }
}

/* A host, or the switch of a group; group -1: of everything. */
typedef struct {
    const plani_cluster_t *c;
    int host, group;
} node_t;

static void put_name(node_t n, plani_text_t *to)
{
    if (n.host >= 0)
        put_escaped(n.c->host[n.host].name, to);
    else if (n.group >= 0)
        plani_text_add(to, "switch%d", n.group);
    else
        plani_text_add(to, "core");
}

static void put_link(node_t n, const char *way, double rate, double latency, plani_text_t *to)
{
    plani_text_add(to, "    <link id=\"");
    put_name(n, to);
    plani_text_add(to, " %s\" bandwidth=\"", way);
    plani_text_add_double(to, rate > 0 ? rate : no_limit);
    plani_text_add(to, "Bps\" latency=\"");
    plani_text_add_double(to, latency);
    plani_text_add(to, "s\"/>\n");
}

/* The link that is called after `of`. */
static void put_route(node_t src, node_t dst, node_t of, const char *way, plani_text_t *to)
{
    plani_text_add(to, "    <route src=\"");
    put_name(src, to);
    plani_text_add(to, "\" dst=\"");
    put_name(dst, to);
    plani_text_add(to, "\" symmetrical=\"NO\"><link_ctn id=\"");
    put_name(of, to);
    plani_text_add(to, " %s\"/></route>\n", way);
}

static node_t above(node_t n)
{
    int group = n.host >= 0 ? n.c->host[n.host].group : n.c->group[n.group].above;
    return (node_t){n.c, -1, group};
}

static void put_gate(node_t n, plani_text_t *to)
{
    const plani_gate_t *gate = n.host >= 0 ? &n.c->host[n.host].card : &n.c->group[n.group].trunk;
    put_link(n, "out", gate->out_bytes_per_s, gate->latency_s, to);
    put_link(n, "in", gate->in_bytes_per_s, gate->latency_s, to);
    if (n.host >= 0) put_link(n, "memory", n.c->memory_bytes_per_s, n.c->memory_latency_s, to);
}

static void put_routes(node_t n, plani_text_t *to)
{
    put_route(n, above(n), n, "out", to);
    put_route(above(n), n, n, "in", to);
    if (n.host >= 0) put_route(n, n, n, "memory", to);
}

void plani_put_simgrid(const plani_cluster_t *c, plani_text_t *to)
{
    plani_text_add(to, "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                       "<platform version=\"4.1\">\n  <zone id=\"cluster\" routing=\"DijkstraCache\">\n");
    for (int h = 0; h < c->nhosts; h++) {
        plani_text_add(to, "    <host id=\"");
        put_escaped(c->host[h].name, to);
        plani_text_add(to, "\" speed=\"1Gf\"/>\n");
    }
    plani_text_add(to, "    <router id=\"core\"/>\n");
    for (int g = 0; g < c->ngroups; g++) plani_text_add(to, "    <router id=\"switch%d\"/>\n", g);
    for (int g = 0; g < c->ngroups; g++) put_gate((node_t){c, -1, g}, to);
    for (int h = 0; h < c->nhosts; h++) put_gate((node_t){c, h, -1}, to);
    for (int g = 0; g < c->ngroups; g++) put_routes((node_t){c, -1, g}, to);
    for (int h = 0; h < c->nhosts; h++) put_routes((node_t){c, h, -1}, to);
    plani_text_add(to, "  </zone>\n</platform>\n");
}

void plani_put_hosts(const plani_cluster_t *c, plani_text_t *to)
{
    for (int r = 0; r < c->ranks; r++) plani_text_add(to, "%s\n", c->host[c->host_of[r]].name);
}
