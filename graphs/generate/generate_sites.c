/* A cluster spec as platform: its links, of all pairs of ranks or of some; cards, trunks and memories the resources. */
#include <planbcast/generate.h>
#include "graphs/generate/sites.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 160, WAYS = 40, MOST_RANKS = 4096 }; /* WAYS: two cards, and trunks of 16 levels up and down */

typedef enum { OUT, IN, INSIDE } way_t;

/*
 * The platform as it grows. Ways are what links share: out of, into and inside host h are ways 3 h to 3 h + 2, the
 * trunk of group g out and in the two at 3 nhosts + 2 g. Those that links use become resources.
 */
typedef struct {
    const plani_cluster_t *c;
    size_t nlinks;
    plan_link_t *link; /* [nlinks] ascending (from, to) */
    size_t nways;
    size_t *first;    /* [nways + 1] into way_link */
    size_t *way_link; /* links by way */
    plan_resource_t *resource;
    char (*resource_name)[NAME];
    size_t nresources;
    int *site;
} build_t;

/* --- links -------------------------------------------------------------------------------------------------------- */

/* From host a to host b: up from a to the group that holds both, or to the core, and down to b. The slower card decides
 * for how long the ports are held; trunks on the way are resources, and latencies add up. */
static plan_link_t between(const plani_cluster_t *c, int a, int b)
{
    double out = c->host[a].card.out_bytes_per_s, in = c->host[b].card.in_bytes_per_s;
    plan_link_t l = {.latency_s = PLANI_SLICE_S, .s_per_byte = 1 / (out < in ? out : in), .channel = -1};
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

static plan_link_t link_of(const plani_cluster_t *c, int from, int to)
{
    int a = c->host_of[from], b = c->host_of[to];
    plan_link_t l = {.latency_s = c->memory_latency_s, .s_per_byte = 1 / c->memory_bytes_per_s, .channel = -1};
    if (a != b) l = between(c, a, b);
    l.from = from;
    l.to = to;
    return l;
}

static void fill_links(build_t *b, const int *from, const int *to)
{
    plan_link_t *next = b->link;
    if (from != NULL) {
        for (size_t l = 0; l < b->nlinks; l++) *next++ = link_of(b->c, from[l], to[l]);
        return;
    }
    for (int u = 0; u < b->c->ranks; u++)
        for (int v = 0; v < b->c->ranks; v++)
            if (u != v) *next++ = link_of(b->c, u, v);
}

/* --- resources ---------------------------------------------------------------------------------------------------- */

static size_t host_way(int host, way_t way)
{
    return 3 * (size_t)host + (size_t)way;
}

static size_t trunk_way(const plani_cluster_t *c, int group, way_t way)
{
    return 3 * (size_t)c->nhosts + 2 * (size_t)group + (size_t)way;
}

/* The ways that a link takes. \return how many */
static size_t find_ways(const plani_cluster_t *c, const plan_link_t *l, size_t way[WAYS])
{
    int a = c->host_of[l->from], b = c->host_of[l->to], up = c->host[a].group, down = c->host[b].group;
    size_t n = 0;

    if (a == b) {
        way[n++] = host_way(a, INSIDE);
        return n;
    }
    way[n++] = host_way(a, OUT);
    way[n++] = host_way(b, IN);
    while (up != down) { /* the higher number is not above the other */
        if (up > down) {
            if (c->group[up].trunk.out_bytes_per_s > 0) way[n++] = trunk_way(c, up, OUT);
            up = c->group[up].above;
        } else {
            if (c->group[down].trunk.in_bytes_per_s > 0) way[n++] = trunk_way(c, down, IN);
            down = c->group[down].above;
        }
    }
    return n;
}

/* Links by way, ascending: counted, then dealt. */
static plan_status_t sort_links(build_t *b)
{
    size_t way[WAYS];

    for (size_t l = 0; l < b->nlinks; l++)
        for (size_t k = find_ways(b->c, &b->link[l], way); k-- > 0;) b->first[way[k] + 1]++;
    for (size_t w = 0; w < b->nways; w++) b->first[w + 1] += b->first[w];
    if ((b->way_link = malloc((b->first[b->nways] + 1) * sizeof *b->way_link)) == NULL) return PLAN_ENOMEM;
    for (size_t l = 0; l < b->nlinks; l++)
        for (size_t k = find_ways(b->c, &b->link[l], way); k-- > 0;) b->way_link[b->first[way[k]]++] = l;
    for (size_t w = b->nways; w > 0; w--) b->first[w] = b->first[w - 1];
    b->first[0] = 0;
    return PLAN_OK;
}

/* Ways that no link takes are left out. */
static void add_resource(build_t *b, size_t way, double s_per_byte, bool burst, const char *format, const char *name)
{
    size_t n = b->first[way + 1] - b->first[way];
    char *text = b->resource_name[b->nresources];

    if (n == 0) return;
    snprintf(text, NAME, format, name);
    b->resource[b->nresources++] =
        (plan_resource_t){.name = text,
                          .s_per_byte = s_per_byte,
                          .burst_bytes = burst ? fmax(b->c->burst_bytes, b->c->burst_s / s_per_byte) : 0,
                          .nlinks = n,
                          .link = b->way_link + b->first[way]};
}

static void fill_resources(build_t *b)
{
    const plani_cluster_t *c = b->c;

    for (int h = 0; h < c->nhosts; h++) {
        const plani_host_t *host = &c->host[h];
        add_resource(b, host_way(h, OUT), 1 / host->card.out_bytes_per_s, true, "host %.100s out", host->name);
        add_resource(b, host_way(h, IN), 1 / host->card.in_bytes_per_s, true, "host %.100s in", host->name);
        add_resource(b, host_way(h, INSIDE), 1 / c->memory_bytes_per_s, false, "host %.100s memory", host->name);
    }
    for (int g = 0; g < c->ngroups; g++) {
        const plani_group_t *group = &c->group[g];
        bool site = group->above < 0;
        if (group->trunk.out_bytes_per_s > 0)
            add_resource(b, trunk_way(c, g, OUT), 1 / group->trunk.out_bytes_per_s, true,
                         site ? "site %.100s trunk out" : "group %.100s trunk out", group->name);
        if (group->trunk.in_bytes_per_s > 0)
            add_resource(b, trunk_way(c, g, IN), 1 / group->trunk.in_bytes_per_s, true,
                         site ? "site %.100s trunk in" : "group %.100s trunk in", group->name);
    }
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static plan_status_t allocate(build_t *b)
{
    const plani_cluster_t *c = b->c;

    b->nways = 3 * (size_t)c->nhosts + 2 * (size_t)c->ngroups;
    b->link = calloc(b->nlinks + 1, sizeof *b->link);
    b->first = calloc(b->nways + 1, sizeof *b->first);
    b->resource = malloc(b->nways * sizeof *b->resource);
    b->resource_name = malloc(b->nways * sizeof *b->resource_name);
    b->site = malloc((size_t)c->ranks * sizeof *b->site);
    return b->link && b->first && b->resource && b->resource_name && b->site ? PLAN_OK : PLAN_ENOMEM;
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
                                       .nlinks = b->nlinks,
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

plan_status_t plani_cluster_platform_of(const plani_cluster_t *cluster, size_t nlinks, const int *from, const int *to,
                                        plan_platform_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    build_t b = {.c = cluster, .nlinks = nlinks};

    if ((rc = allocate(&b)) == PLAN_OK) {
        fill_links(&b, from, to);
        rc = sort_links(&b);
    }
    if (rc != PLAN_OK) {
        plani_fail(err, rc, "out of memory for %zu links of %d ranks", nlinks, cluster->ranks);
        goto done;
    }
    fill_resources(&b);
    rc = publish(&b, out, err);
done:
    free(b.link);
    free(b.first);
    free(b.way_link);
    free(b.resource);
    free(b.resource_name);
    free(b.site);
    return rc;
}

plan_status_t plani_cluster_platform(const plani_cluster_t *cluster, plan_platform_t **out, plan_error_t *err)
{
    size_t ranks = (size_t)cluster->ranks;
    if (cluster->ranks > MOST_RANKS)
        return plani_fail(err, PLAN_EINVAL,
                          "a platform with a link for each pair of %d ranks is too large; up to %d ranks are allowed, "
                          "and `planbcast plan SPEC` has no such limit",
                          cluster->ranks, MOST_RANKS);
    return plani_cluster_platform_of(cluster, ranks * (ranks - 1), NULL, NULL, out, err);
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
