/* A cluster spec as platform: every ordered pair of ranks a link; cards, trunks and memories the resources. */
#include <planbcast/generate.h>
#include "graphs/generate/sites.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_S 1e-6 /* what each slice costs between hosts besides its bytes */

enum { NAME = 160 };

typedef enum { OUT, IN, INSIDE } way_t;

/* The platform as it grows. Link u -> v has index u * (ranks - 1) + v, less one if v > u. */
typedef struct {
    const plani_cluster_t *c;
    plan_link_t *link;
    plan_resource_t *resource;
    char (*resource_name)[NAME];
    size_t *resource_link, *next;
    size_t nresources;
    int *member; /* [ranks] of the host or group at hand, ascending */
    bool *inside;
    int *site;
} build_t;

/* --- links -------------------------------------------------------------------------------------------------------- */

/* From host a to host b: up from a to the group that holds both, or to the core, and down to b. The slower card decides
 * for how long the ports are held; trunks on the way are resources, and latencies add up. */
static plan_link_t between(const plani_cluster_t *c, int a, int b)
{
    double out = c->host[a].card.out_bytes_per_s, in = c->host[b].card.in_bytes_per_s;
    plan_link_t l = {.latency_s = SLICE_S, .s_per_byte = 1 / (out < in ? out : in), .channel = -1};
    int up = c->host[a].group, down = c->host[b].group;

    l.delay_s = c->host[a].card.latency_s + c->host[b].card.latency_s;
    while (up != down) { /* the higher number is not above the other */
        if (up > down) {
            l.delay_s += c->group[up].trunk.latency_s;
            up = c->group[up].above;
        } else {
            l.delay_s += c->group[down].trunk.latency_s;
            down = c->group[down].above;
        }
    }
    return l;
}

static void fill_links(build_t *b)
{
    const plani_cluster_t *c = b->c;
    plan_link_t *next = b->link;

    for (int u = 0; u < c->ranks; u++)
        for (int v = 0; v < c->ranks; v++) {
            if (u == v) continue;
            if (c->host_of[u] == c->host_of[v])
                *next = (plan_link_t){
                    .latency_s = c->memory_latency_s, .s_per_byte = 1 / c->memory_bytes_per_s, .channel = -1};
            else
                *next = between(c, c->host_of[u], c->host_of[v]);
            next->from = u, next->to = v;
            next++;
        }
}

/* --- resources ---------------------------------------------------------------------------------------------------- */

static bool is_in(const plani_cluster_t *c, int host, int group)
{
    int g = c->host[host].group;
    while (g > group) g = c->group[g].above; /* numbers fall on the way up */
    return g == group;
}

/* Find the ranks of a host, or of a group. */
static int find_members(build_t *b, int host, int group)
{
    int n = 0;

    for (int r = 0; r < b->c->ranks; r++) {
        int h = b->c->host_of[r];
        b->inside[r] = host >= 0 ? h == host : is_in(b->c, h, group);
        if (b->inside[r]) b->member[n++] = r;
    }
    return n;
}

static void add_link(build_t *b, int u, int v)
{
    *b->next++ = (size_t)u * (size_t)(b->c->ranks - 1) + (size_t)v - (v > u);
}

/* The links out of the members, into them, or among them, ascending. Resources without links are left out. */
static void add_resource(build_t *b, int nmembers, way_t way, double s_per_byte, const char *format, const char *name)
{
    size_t *start = b->next;
    char *text = b->resource_name[b->nresources];

    if (way == IN) {
        for (int u = 0; u < b->c->ranks; u++)
            for (int i = 0; !b->inside[u] && i < nmembers; i++) add_link(b, u, b->member[i]);
    } else {
        for (int i = 0; i < nmembers; i++)
            for (int v = 0; v < b->c->ranks; v++)
                if (b->inside[v] == (way == INSIDE) && v != b->member[i]) add_link(b, b->member[i], v);
    }
    if (b->next == start) return;
    snprintf(text, NAME, format, name);
    b->resource[b->nresources++] =
        (plan_resource_t){.name = text,
                          .s_per_byte = s_per_byte,
                          .burst_bytes = way == INSIDE ? 0 : fmax(b->c->burst_bytes, b->c->burst_s / s_per_byte),
                          .nlinks = (size_t)(b->next - start),
                          .link = start};
}

static void fill_resources(build_t *b)
{
    const plani_cluster_t *c = b->c;

    for (int h = 0; h < c->nhosts; h++) {
        const plani_host_t *host = &c->host[h];
        int n = find_members(b, h, -1);
        add_resource(b, n, OUT, 1 / host->card.out_bytes_per_s, "host %.100s out", host->name);
        add_resource(b, n, IN, 1 / host->card.in_bytes_per_s, "host %.100s in", host->name);
        if (n > 1) add_resource(b, n, INSIDE, 1 / c->memory_bytes_per_s, "host %.100s memory", host->name);
    }
    for (int g = 0; g < c->ngroups; g++) {
        const plani_group_t *group = &c->group[g];
        bool site = group->above < 0;
        int n = find_members(b, -1, g);
        if (group->trunk.out_bytes_per_s > 0)
            add_resource(b, n, OUT, 1 / group->trunk.out_bytes_per_s,
                         site ? "site %.100s trunk out" : "group %.100s trunk out", group->name);
        if (group->trunk.in_bytes_per_s > 0)
            add_resource(b, n, IN, 1 / group->trunk.in_bytes_per_s,
                         site ? "site %.100s trunk in" : "group %.100s trunk in", group->name);
    }
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

/* How many links all resources list: a link uses two cards or a memory, and two trunks at each level at most. */
static size_t count_uses(const plani_cluster_t *c)
{
    size_t ranks = (size_t)c->ranks, uses = 2 * ranks * (ranks - 1);

    for (int g = 0; g < c->ngroups; g++) {
        size_t n = 0;
        for (int h = 0; h < c->nhosts; h++)
            if (is_in(c, h, g)) n += (size_t)c->host[h].ranks;
        uses += 2 * n * (ranks - n);
    }
    return uses;
}

static plan_status_t allocate(build_t *b)
{
    const plani_cluster_t *c = b->c;
    size_t ranks = (size_t)c->ranks, most = 3 * (size_t)c->nhosts + 2 * (size_t)c->ngroups;

    b->link = malloc((ranks * (ranks - 1) + 1) * sizeof *b->link);
    b->resource = malloc(most * sizeof *b->resource);
    b->resource_name = malloc(most * sizeof *b->resource_name);
    b->next = b->resource_link = malloc((count_uses(c) + 1) * sizeof *b->resource_link);
    b->member = malloc(ranks * sizeof *b->member);
    b->inside = malloc(ranks * sizeof *b->inside);
    b->site = malloc(ranks * sizeof *b->site);
    if (!b->link || !b->resource || !b->resource_name || !b->resource_link || !b->member || !b->inside || !b->site)
        return PLAN_ENOMEM;
    return PLAN_OK;
}

static plan_status_t publish(build_t *b, plan_platform_t **out, plan_error_t *err)
{
    const plani_cluster_t *c = b->c;
    plan_status_t rc = PLAN_OK;
    const char **host_name = malloc((size_t)c->nhosts * sizeof *host_name);
    const char **site_name = malloc((size_t)c->nsites * sizeof *site_name);

    if (host_name == NULL || site_name == NULL) {
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for the names of a cluster");
        goto done;
    }
    for (int r = 0; r < c->ranks; r++) b->site[r] = c->group[c->host[c->host_of[r]].group].site;
    for (int h = 0; h < c->nhosts; h++) host_name[h] = c->host[h].name;
    for (int s = 0; s < c->nsites; s++) site_name[s] = c->site_name[s];
    const plan_platform_data_t data = {.size = sizeof data,
                                       .name = c->name,
                                       .ranks = c->ranks,
                                       .nlinks = (size_t)c->ranks * (size_t)(c->ranks - 1),
                                       .link = b->link,
                                       .nresources = b->nresources,
                                       .resource = b->resource,
                                       .ports = PLAN_PORTS_NONE,
                                       .host = c->host_of,
                                       .site = b->site,
                                       .host_name = host_name,
                                       .site_name = site_name,
                                       .hosts = c->nhosts,
                                       .sites = c->nsites};
    rc = plan_platform_create(&data, out, err);
done:
    free(host_name);
    free(site_name);
    return rc;
}

plan_status_t plani_cluster_platform(const plani_cluster_t *cluster, plan_platform_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    build_t b = {.c = cluster};

    if ((rc = allocate(&b)) != PLAN_OK) {
        plani_fail(err, rc, "out of memory for the links of %d ranks", cluster->ranks);
        goto done;
    }
    fill_links(&b);
    fill_resources(&b);
    rc = publish(&b, out, err);
done:
    free(b.link);
    free(b.resource);
    free(b.resource_name);
    free(b.resource_link);
    free(b.member);
    free(b.inside);
    free(b.site);
    return rc;
}

plan_status_t plan_generate_sites(const char *spec_path, plan_platform_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    plani_cluster_t *cluster = NULL;

    if (spec_path == NULL || out == NULL) return plani_fail(err, PLAN_EINVAL, "no cluster spec given");
    plani_clear(err);
    if ((rc = plani_cluster_load(spec_path, &cluster, err)) == PLAN_OK) rc = plani_cluster_platform(cluster, out, err);
    plani_cluster_destroy(&cluster);
    return rc;
}
