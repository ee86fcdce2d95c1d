/* The platform out of findings: every ordered pair of ranks is a link; cards, trunks and memory are resources. */
#include "lib/mpi/measure/engine/findings.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"

/* Everything that plan_platform_create reads, while it is put together. */
typedef struct {
    plan_link_t *link;
    plan_resource_t *resource;
    char (*name)[48]; /* of resources */
    size_t *member;   /* links of all resources, one after the other */
    plan_channel_t *channel;
    double *bytes;
    int *host, *site;
    int *from, *to; /* [ranks] scratch */
    size_t nlinks, nresources, nmembers;
    bool no_ports;
} parts_t;

static plan_status_t allocate(const plani_findings_t *s, parts_t *p)
{
    size_t ranks = (size_t)s->ranks, links = ranks * (ranks - 1),
           most = 5 * (size_t)s->hosts + 1 + 4 * (size_t)s->sites;

    p->link = calloc(links + 1, sizeof *p->link);
    p->resource = calloc(most + 1, sizeof *p->resource);
    p->name = calloc(most + 1, sizeof *p->name);
    p->member = calloc(11 * links + 1, sizeof *p->member); /* out and in of cards, sites and areas, relays; memory or
                                                            * processors of one host, or of both ends */
    p->channel = calloc((size_t)s->nclasses + 1, sizeof *p->channel);
    p->bytes = calloc(PLANI_SIZES, sizeof *p->bytes);
    p->host = calloc(ranks, sizeof *p->host);
    p->site = calloc(ranks, sizeof *p->site);
    p->from = calloc(ranks, sizeof *p->from);
    p->to = calloc(ranks, sizeof *p->to);
    return p->link && p->resource && p->name && p->member && p->channel && p->bytes && p->host && p->site && p->from &&
                   p->to
               ? PLAN_OK
               : PLAN_ENOMEM;
}

static void release(parts_t *p)
{
    free(p->link);
    free(p->resource);
    free(p->name);
    free(p->member);
    free(p->channel);
    free(p->bytes);
    free(p->host);
    free(p->site);
    free(p->from);
    free(p->to);
}

static void put_links(const plani_findings_t *s, parts_t *p)
{
    for (int u = 0; u < s->ranks; u++)
        for (int v = 0; v < s->ranks; v++) {
            if (u == v) continue;
            int c = plani_class_between(s, u, v), a = s->place[u].host, b = s->place[v].host;
            const plani_class_t *k = &s->class_[c];
            p->link[p->nlinks++] = (plan_link_t){.from = u,
                                                 .to = v,
                                                 .latency_s = k->latency_s,
                                                 .s_per_byte = a == b ? k->s_per_byte : 1 / plani_port_rate(s, a, b),
                                                 .delay_s = k->delay_s,
                                                 .channel = c};
        }
}

/* Where trunks carry many flows at once SimGrid's fluid channels err by up to a third more than queues do: on
 * several sites channels are queues. */
static void put_channels(const plani_findings_t *s, parts_t *p)
{
    for (int i = 0; i < PLANI_SIZES; i++) p->bytes[i] = plani_size[i];
    for (int c = 0; c < s->nclasses; c++) {
        const plani_class_t *k = &s->class_[c];
        p->channel[c] = (plan_channel_t){.name = k->name,
                                         .network = k->network,
                                         .fluid = k->fluid && s->sites == 1,
                                         .nsizes = PLANI_SIZES,
                                         .bytes = p->bytes,
                                         .overhead_s = k->overhead,
                                         .gap_s = k->gap,
                                         .p2p_s = k->p2p,
                                         .ngamma = (size_t)k->ngamma,
                                         .gamma = k->gamma};
    }
}

typedef enum {
    HOST_OUT,
    HOST_IN,
    HOST_BOTH,
    HOST_RELAY,
    HOST_INSIDE,
    HOST_CORES,
    SITE_OUT,
    SITE_IN,
    AREA_OUT,
    AREA_IN
} kind_t;

/* Is this host at the end of the resource that the kind says: inside, or outside? */
static bool inside(const plani_findings_t *s, kind_t kind, int which, int host)
{
    if (kind >= AREA_OUT) return s->area[s->site[host]] == which;
    return kind < SITE_OUT ? host == which : s->site[host] == which;
}

/* The ranks inside (or outside) of the host or site, ascending. Returns how many. */
static int ranks_of(const plani_findings_t *s, kind_t kind, int which, bool in, int *rank)
{
    int n = 0;

    for (int r = 0; r < s->ranks; r++)
        if (inside(s, kind, which, s->place[r].host) == in) rank[n++] = r;
    return n;
}

/* Lists all links from ranks inside (or outside) to ranks inside (or outside); ascending, as both lists are. */
static void put_members(const plani_findings_t *s, parts_t *p, kind_t kind, int which, bool from_in, bool to_in)
{
    plan_resource_t *r = &p->resource[p->nresources];
    bool far = kind == HOST_RELAY && !from_in; /* into a relay from other sites alone */
    int from = ranks_of(s, far ? SITE_OUT : kind, far ? s->site[which] : which, from_in, p->from),
        to = ranks_of(s, kind, which, to_in, p->to);

    for (int i = 0; i < from; i++)
        for (int k = 0; k < to; k++) {
            size_t u = (size_t)p->from[i], v = (size_t)p->to[k];
            if (u == v) continue;
            p->member[p->nmembers++] = u * (size_t)(s->ranks - 1) + v - (v > u); /* as put_links counts */
            r->nlinks++;
        }
}

static int by_index(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* One resource with all links that use it: what it costs, and its table if it has one. */
static void put_resource(const plani_findings_t *s, parts_t *p, kind_t kind, int which, plan_resource_t cost,
                         const plani_table_t *table)
{
    static const char *const suffix[] = {"out",        "in",        "card",     "relay",     "memory",
                                         "processors", "trunk out", "trunk in", "trunk out", "trunk in"};
    plan_resource_t *r = &p->resource[p->nresources];
    size_t *first = p->member + p->nmembers;

    *r = cost;
    r->name = p->name[p->nresources], r->link = first;
    if (table != NULL) r->npairs = table->n, r->pairs = table->at;
    bool in_only = kind == HOST_IN || kind == SITE_IN || kind == AREA_IN;
    if (!in_only) put_members(s, p, kind, which, true, kind == HOST_INSIDE);
    bool two_ways = kind == HOST_BOTH || kind == HOST_RELAY || kind == HOST_CORES;
    if (in_only || two_ways) put_members(s, p, kind, which, false, true);
    if (kind == HOST_CORES) put_members(s, p, kind, which, true, true);
    if (r->nlinks == 0) return;
    if (two_ways) qsort(first, r->nlinks, sizeof *first, by_index);
    snprintf(p->name[p->nresources++], sizeof *p->name, "%s %d %s",
             kind < SITE_OUT                   ? "host"
             : kind < AREA_OUT && s->areas > 0 ? "rack"
                                               : "site",
             which, suffix[kind]);
}

static plan_resource_t at_rate(double bytes_per_s, double burst)
{
    return (plan_resource_t){.s_per_byte = 1 / bytes_per_s, .burst_bytes = burst};
}

/* What the ranks of a host take of its processors: by the message, or, if that is nothing, no less by the byte than of
 * the slices that they copy fastest. */
static plan_resource_t cores(const plani_findings_t *s)
{
    plan_resource_t by_message = {.s_per_message = s->message_in_host_s};
    double most = 0;

    for (size_t i = 0; i < s->copying.n; i++) most = fmax(most, s->copying.at[i].bytes_per_s);
    return s->message_in_host_s > 0 ? by_message : at_rate(most, 0);
}

/* What the links of one host share. */
static void put_host(const plani_findings_t *s, parts_t *p, int h, int most_ranks)
{
    const plani_table_t *table = &s->card_table[2 * h];

    if (s->half_duplex[h]) {
        put_resource(s, p, HOST_BOTH, h,
                     at_rate(0.5 * (s->card_out[h] + s->card_in[h]), fmin(s->burst_out[h], s->burst_in[h])), NULL);
    } else {
        if (s->shared_out[h] || p->no_ports)
            put_resource(s, p, HOST_OUT, h, at_rate(s->card_out[h], s->burst_out[h]), table);
        if (s->shared_in[h] || p->no_ports)
            put_resource(s, p, HOST_IN, h, at_rate(s->card_in[h], s->burst_in[h]), table + 1);
        if (s->relay[h] > 0) put_resource(s, p, HOST_RELAY, h, at_rate(s->relay[h], 0), NULL);
    }
    if (s->memory_shared) put_resource(s, p, HOST_INSIDE, h, at_rate(s->memory_rate, 0), &s->memory);
    if ((s->message_in_host_s > 0 || s->copying.n > 0) && plani_ranks_on(s, h) == most_ranks)
        put_resource(s, p, HOST_CORES, h, cores(s), &s->copying);
}

/* The processors that all ranks share, wherever they are. */
static void put_processors(const plani_findings_t *s, parts_t *p)
{
    plan_resource_t *r = &p->resource[p->nresources];

    *r = (plan_resource_t){.s_per_message = s->message_s,
                           .s_per_byte = s->message_byte_s,
                           .link = p->member + p->nmembers,
                           .nlinks = p->nlinks};
    for (size_t i = 0; i < p->nlinks; i++) p->member[p->nmembers++] = i;
    snprintf(p->name[p->nresources], sizeof *p->name, "processors");
    r->name = p->name[p->nresources++];
}

static void put_resources(const plani_findings_t *s, parts_t *p)
{
    int most_ranks = 0;

    for (int h = 0; h < s->hosts; h++)
        if (plani_ranks_on(s, h) > most_ranks) most_ranks = plani_ranks_on(s, h);
    for (int h = 0; h < s->hosts; h++) put_host(s, p, h, most_ranks);
    for (int k = 0; k < s->sites && s->trunk != NULL; k++) {
        const plani_table_t *table = &s->trunk_table[2 * k];
        const plani_trunk_t *t = &s->trunk[k];
        if (t->out > 0) put_resource(s, p, SITE_OUT, k, at_rate(t->out, t->burst_out), table);
        if (t->in > 0) put_resource(s, p, SITE_IN, k, at_rate(t->in, t->burst_in), table + 1);
    }
    for (int k = 0; k < s->areas; k++) { /* then these are the sites, and what was called so are racks */
        const plani_table_t *table = &s->area_table[2 * k];
        const plani_trunk_t *t = &s->area_trunk[k];
        if (t->out > 0) put_resource(s, p, AREA_OUT, k, at_rate(t->out, t->burst_out), table);
        if (t->in > 0) put_resource(s, p, AREA_IN, k, at_rate(t->in, t->burst_in), table + 1);
    }
    if (s->message_s > 0) put_processors(s, p);
}

plan_status_t plani_infer_platform(const plani_findings_t *s, plan_platform_t **out, plan_error_t *err)
{
    parts_t p = {0};
    plan_status_t rc = allocate(s, &p);

    if (rc != PLAN_OK) {
        plani_fail(err, rc, "measure: out of memory for a platform of %d ranks", s->ranks);
        goto done;
    }
    put_links(s, &p);
    put_channels(s, &p);
    p.no_ports = s->hosts > 1;
    for (size_t c = 0; c < (size_t)s->nclasses; c++) p.no_ports = p.no_ports && !p.channel[c].fluid;
    put_resources(s, &p);
    for (int r = 0; r < s->ranks; r++)
        p.host[r] = s->place[r].host, p.site[r] = s->areas > 0 ? s->area[s->site[p.host[r]]] : s->site[p.host[r]];
    plan_platform_data_t data = {.size = sizeof data,
                                 .name = "measured",
                                 .ranks = s->ranks,
                                 .nlinks = p.nlinks,
                                 .link = p.link,
                                 .nresources = p.nresources,
                                 .resource = p.resource,
                                 .ports = p.no_ports ? PLAN_PORTS_NONE : PLAN_PORTS_ONE,
                                 .host = p.host,
                                 .site = p.site,
                                 .nshared = (size_t)s->nshared,
                                 .shared_bytes = s->shared_bytes,
                                 .shared_s = s->shared_s,
                                 .nchannels = (size_t)s->nclasses,
                                 .channel = p.channel};
    rc = plan_platform_create(&data, out, err);
done:
    release(&p);
    return rc;
}
