/* The platform of ranks placed on a machine. */
#include "graphs/machine/machine.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 96 };

typedef enum { OUT, IN, BOTH, RELAY, INSIDE, CORES } way_t;

typedef struct {
    const plani_machine_t *m;
    const plani_place_t *place;
    int ranks, hosts, sites;
    bool one_group;         /* holds all hosts of these */
    int *host;              /* [ranks] numbered by lowest rank */
    int *site;              /* [ranks] the outermost group, numbered likewise */
    int *of;                /* [hosts] the machine's host */
    const char **host_name; /* [hosts] */
    const char **site_name; /* [sites] */
    int *number;            /* [nhosts] of the machine's hosts; then [ngroups] of its outermost groups */
    bool *used;             /* [ngroups] some of these hosts are in the group or below it */
    int *inside;            /* [ranks] of the host or group at hand, ascending */
    int *path;              /* [hosts^2] of the machine's paths; -1: none */
    plan_link_t *link;
    plan_channel_t *channel;
    plan_resource_t *resource;
    plani_machine_part_t *part; /* of each resource */
    char (*name)[NAME];
    double *shared_s; /* of broadcasts through memory */
    size_t *member, nmembers, member_room, nresources;
    bool failed; /* out of memory for members */
} build_t;

static plan_status_t allocate(build_t *b)
{
    const plani_machine_t *m = b->m;
    size_t ranks = (size_t)b->ranks, hosts = (size_t)m->nhosts, groups = (size_t)m->ngroups,
           placed = ranks < hosts ? ranks : hosts, most = 5 * placed + 1 + 2 * groups;

    b->host = malloc(2 * ranks * sizeof *b->host);
    b->of = malloc(ranks * sizeof *b->of);
    b->host_name = calloc(2 * ranks, sizeof *b->host_name);
    b->number = malloc((hosts + groups) * sizeof *b->number);
    b->used = calloc(groups, sizeof *b->used);
    b->inside = malloc(ranks * sizeof *b->inside);
    b->link = malloc((ranks * (ranks - 1) + 1) * sizeof *b->link);
    b->channel = calloc((size_t)m->nchannels + 1, sizeof *b->channel);
    b->resource = calloc(most, sizeof *b->resource);
    b->part = calloc(most, sizeof *b->part);
    b->name = calloc(most, sizeof *b->name);
    b->path = malloc(placed * placed * sizeof *b->path);
    if (!b->host || !b->of || !b->host_name || !b->number || !b->used || !b->inside || !b->link || !b->channel ||
        !b->resource || !b->part || !b->name || !b->path)
        return PLAN_ENOMEM;
    b->site = b->host + ranks, b->site_name = b->host_name + ranks;
    for (size_t i = 0; i < hosts + groups; i++) b->number[i] = -1;
    return PLAN_OK;
}

static void release(build_t *b)
{
    free(b->host);
    free(b->of);
    free(b->host_name);
    free(b->number);
    free(b->used);
    free(b->inside);
    free(b->link);
    free(b->channel);
    free(b->resource);
    free(b->part);
    free(b->name);
    free(b->path);
    free(b->member);
    free(b->shared_s);
}

static int outermost(const plani_machine_t *m, int group)
{
    while (m->group[group].above >= 0) group = m->group[group].above;
    return group;
}

static const char *named(const char *name)
{
    return name[0] != '\0' ? name : NULL;
}

/* Number hosts and sites by their lowest rank. */
static void find_hosts(build_t *b)
{
    const plani_machine_t *m = b->m;
    int *site_number = b->number + m->nhosts;

    b->one_group = true;
    for (int r = 0; r < b->ranks; r++) {
        int h = b->place[r].host, group = m->host[h].group, top = outermost(m, group);
        if (b->number[h] < 0) {
            b->number[h] = b->hosts;
            b->of[b->hosts] = h;
            b->host_name[b->hosts++] = named(m->host[h].name);
            b->one_group = b->one_group && group == m->host[b->of[0]].group;
            for (int g = group; g >= 0; g = m->group[g].above) b->used[g] = true;
        }
        if (site_number[top] < 0) {
            site_number[top] = b->sites;
            b->site_name[b->sites++] = named(m->group[top].name);
        }
        b->host[r] = b->number[h];
        b->site[r] = site_number[top];
    }
}

/* ---- links ---- */

static bool is_single(const plani_machine_path_t *p)
{
    return p->from_host >= 0 || p->to_host >= 0;
}

static bool fits(const plani_machine_t *m, const plani_machine_path_t *p, int a, int b)
{
    const plani_machine_host_t *x = &m->host[a], *y = &m->host[b];
    return (p->from_host < 0 || p->from_host == a) && (p->to_host < 0 || p->to_host == b) &&
           (p->from_group < 0 || p->from_group == x->group) && (p->to_group < 0 || p->to_group == y->group) &&
           (p->from_kind < 0 || p->from_kind == x->kind) && (p->to_kind < 0 || p->to_kind == y->kind);
}

int plani_machine_path(const plani_machine_t *m, int from, int to)
{
    for (int i = 0; i < m->npaths; i++)
        if (!is_single(&m->path[i]) && fits(m, &m->path[i], from, to)) return i;
    return -1;
}

/* The first of these hosts that is of the same group and kind. */
static int first_like(const build_t *b, int host)
{
    const plani_machine_host_t *mine = &b->m->host[b->of[host]];
    int h = 0;
    while (b->m->host[b->of[h]].group != mine->group || b->m->host[b->of[h]].kind != mine->kind) h++;
    return h;
}

/* Paths of groups and kinds, then those of single hosts over them: the first ones last, for they count. */
static void find_paths(build_t *b)
{
    const plani_machine_t *m = b->m;
    int *like = b->inside; /* [hosts] */

    for (int h = 0; h < b->hosts; h++) like[h] = first_like(b, h);
    for (int u = 0; u < b->hosts; u++)
        for (int v = 0; v < b->hosts; v++) {
            int *known = &b->path[like[u] * b->hosts + like[v]], *mine = &b->path[u * b->hosts + v];
            bool first = like[u] == u && like[v] == v; /* within a group of equal hosts u = v stands for all pairs */
            *mine = first ? plani_machine_path(m, b->of[u], b->of[v]) : *known;
        }
    for (int i = m->npaths; i-- > 0;)
        for (int u = 0; u < b->hosts && is_single(&m->path[i]); u++)
            for (int v = 0; v < b->hosts; v++)
                if (fits(m, &m->path[i], b->of[u], b->of[v])) b->path[u * b->hosts + v] = i;
}

/* Latencies of cards, and of trunks up to the group that holds both. */
static double described_delay(const plani_machine_t *m, int a, int b)
{
    int up = m->host[a].group, down = m->host[b].group;
    double delay = m->kind[m->host[a].kind].latency_s + m->kind[m->host[b].kind].latency_s;
    while (up != down) { /* the higher number is not above the other */
        int *farther = up > down ? &up : &down;
        delay += m->group[*farther].latency_s;
        *farther = m->group[*farther].above;
    }
    return delay;
}

/* From one of these hosts to another one. */
static plan_link_t between(const build_t *b, int from, int to)
{
    const plani_machine_t *m = b->m;
    int u = b->of[from], v = b->of[to], path = b->path[from * b->hosts + to],
        channel = path >= 0 ? m->path[path].channel : -1;
    double out = m->kind[m->host[u].kind].out.bytes_per_s, in = m->kind[m->host[v].kind].in.bytes_per_s,
           flow = path >= 0 ? m->path[path].flow_bytes_per_s : 0, rate = INFINITY;
    plan_link_t l = {.latency_s = PLANI_SLICE_S, .channel = channel};

    if (out > 0) rate = out;
    if (in > 0) rate = plani_min(rate, in);
    if (flow > 0) rate = plani_min(rate, flow);
    if (channel >= 0) {
        const plani_machine_channel_t *c = &m->channel[channel];
        l.latency_s = c->latency_s, l.delay_s = c->delay_s, l.s_per_byte = c->s_per_byte;
    } else {
        l.delay_s = described_delay(m, u, v);
    }
    if (isfinite(rate)) l.s_per_byte = 1 / rate;
    return l;
}

/* The channel of ranks that share so much: if that was not measured, the nearest level that was. -1: none was. */
static int inside_channel(const plani_machine_inside_t *i, plani_level_t level)
{
    for (int l = (int)level; l < PLANI_LEVELS; l++)
        if (i->channel[l] >= 0) return i->channel[l];
    for (int l = (int)level; l-- > 0;)
        if (i->channel[l] >= 0) return i->channel[l];
    return -1;
}

static plan_link_t inside(const build_t *b, int u, int v)
{
    const plani_machine_inside_t *in = plani_machine_inside(b->m, b->place[u].host);
    int channel = inside_channel(in, plani_level(&b->place[u], &b->place[v]));
    plan_link_t l = {.latency_s = in->memory_latency_s, .channel = channel};
    if (channel >= 0) {
        const plani_machine_channel_t *c = &b->m->channel[channel];
        l.latency_s = c->latency_s, l.delay_s = c->delay_s, l.s_per_byte = c->s_per_byte;
    } else {
        l.s_per_byte = 1 / in->memory.bytes_per_s;
    }
    return l;
}

static plan_status_t fill_links(build_t *b, plan_error_t *err)
{
    plan_link_t *next = b->link;
    const plani_machine_t *m = b->m;

    find_paths(b);
    for (int u = 0; u < b->ranks; u++)
        for (int v = 0; v < b->ranks; v++) {
            int x = b->place[u].host, y = b->place[v].host;
            if (u == v) continue;
            if (x == y && !plani_inside_is_known(plani_machine_inside(m, x)))
                return plani_fail(err, PLAN_EMISMATCH,
                                  "the machine does not say what ranks of one host do, as %d and %d of %s are", u, v,
                                  m->host[x].name);
            *next = x == y ? inside(b, u, v) : between(b, b->host[u], b->host[v]);
            next->from = u, next->to = v;
            next++;
        }
    return PLAN_OK;
}

static void fill_channels(build_t *b)
{
    /* Where trunks carry many flows at once SimGrid's fluid channels err by up to a third more than queues do: across
     * groups channels are queues. */
    for (int c = 0; c < b->m->nchannels; c++) {
        b->channel[c] = b->m->channel[c].ladder;
        b->channel[c].fluid = b->channel[c].fluid && b->one_group;
    }
}

/* ---- resources ---- */

/* Whether a host of the machine is the host `which`, or in the group `which`. */
static bool is_in(const build_t *b, bool group, int which, int host)
{
    if (!group) return host == which;
    int g = b->m->host[host].group;
    while (g > which) g = b->m->group[g].above; /* numbers fall on the way up */
    return g == which;
}

static void add_member(build_t *b, int u, int v)
{
    if (b->failed) return;
    size_t *more = plani_grown(b->member, b->nmembers, &b->member_room, sizeof *more);
    if ((b->failed = more == NULL)) return;
    b->member = more;
    b->member[b->nmembers++] = (size_t)u * (size_t)(b->ranks - 1) + (size_t)v - (v > u);
}

/* Whether a link uses the resource; `from` and `to`: are its ends inside? Into a relay from other groups alone. */
static bool uses(const build_t *b, way_t way, int which, bool from, bool to, int u)
{
    const plani_machine_host_t *host = b->m->host;
    switch (way) {
    case OUT:
        return from && !to;
    case IN:
        return !from && to;
    case BOTH:
        return from != to;
    case RELAY:
        return from != to && (from || host[b->place[u].host].group != host[which].group);
    case INSIDE:
        return from && to;
    case CORES:
        return from || to;
    }
    return false;
}

/* The links that use a resource, ascending. */
static void add_members(build_t *b, way_t way, bool group, int which)
{
    int n = 0;

    for (int r = 0; r < b->ranks; r++)
        if (is_in(b, group, which, b->place[r].host)) b->inside[n++] = r;
    for (int u = 0, next = 0; u < b->ranks; u++) {
        bool from = next < n && b->inside[next] == u;
        next += from;
        for (int i = 0; i < (from ? b->ranks : n); i++) { /* from outside only ways in count */
            int v = from ? i : b->inside[i];
            bool to = !from || is_in(b, group, which, b->place[v].host);
            if (u != v && uses(b, way, which, from, to, u)) add_member(b, u, v);
        }
    }
}

static plani_direction_t direction_of(way_t way)
{
    switch (way) {
    case OUT:
        return PLANI_PART_OUT;
    case IN:
        return PLANI_PART_IN;
    case BOTH:
        return PLANI_PART_BOTH;
    default:
        return PLANI_PART_OTHER;
    }
}

/* Resources without links are left out. */
static void add_resource(build_t *b, way_t way, bool group, int which, plani_capacity_t c, double s_per_message,
                         const char *text)
{
    size_t start = b->nmembers;
    plan_resource_t *r = &b->resource[b->nresources];

    add_members(b, way, group, which);
    if (b->nmembers == start) return;
    *r = (plan_resource_t){.name = b->name[b->nresources],
                           .s_per_message = s_per_message,
                           .s_per_byte = c.bytes_per_s > 0 ? 1 / c.bytes_per_s : 0,
                           .burst_bytes = c.burst_bytes,
                           .nlinks = b->nmembers - start,
                           .npairs = c.npairs,
                           .pairs = c.pairs};
    b->part[b->nresources] = (plani_machine_part_t){direction_of(way), group, which};
    if (group)
        snprintf(b->name[b->nresources++], NAME, "%.70s %s", b->m->group[which].name, text);
    else
        snprintf(b->name[b->nresources++], NAME, "host %d %s", b->number[which], text);
}

static void add_limit(build_t *b, way_t way, bool group, int which, plani_capacity_t c, const char *text)
{
    if (c.bytes_per_s > 0) add_resource(b, way, group, which, c, 0, text);
}

/* What the ranks of a host take of its processors: by the message, or, if that is nothing, no less by the byte than of
 * the slices that they copy fastest. */
static void add_cores(build_t *b, int which)
{
    const plani_machine_inside_t *in = plani_machine_inside(b->m, which);
    plani_capacity_t copying = in->copying;
    for (size_t i = 0; i < copying.npairs; i++)
        copying.bytes_per_s = plani_max(copying.bytes_per_s, copying.pairs[i].bytes_per_s);
    if (in->crowd_message_s > 0) copying.bytes_per_s = 0;
    if (in->crowd_message_s > 0 || copying.bytes_per_s > 0)
        add_resource(b, CORES, false, which, copying, in->crowd_message_s, "processors");
}

static void add_host(build_t *b, int number, bool no_ports)
{
    const plani_machine_t *m = b->m;
    int which = b->of[number], ranks = 0;
    const plani_machine_kind_t *k = &m->kind[m->host[which].kind];
    const plani_machine_inside_t *in = plani_machine_inside(m, which);

    if (k->half_duplex && k->out.bytes_per_s > 0 && k->in.bytes_per_s > 0) {
        plani_capacity_t both = {.bytes_per_s = 0.5 * (k->out.bytes_per_s + k->in.bytes_per_s),
                                 .burst_bytes = plani_min(k->out.burst_bytes, k->in.burst_bytes)};
        add_limit(b, BOTH, false, which, both, "card");
    } else {
        if (k->shared_out || no_ports) add_limit(b, OUT, false, which, k->out, "out");
        if (k->shared_in || no_ports) add_limit(b, IN, false, which, k->in, "in");
        add_limit(b, RELAY, false, which, (plani_capacity_t){.bytes_per_s = k->relay_bytes_per_s}, "relay");
    }
    if (in->memory_shared) add_limit(b, INSIDE, false, which, in->memory, "memory");
    for (int r = 0; r < b->ranks; r++) ranks += b->host[r] == number;
    if (in->crowd > 0 && ranks >= in->crowd) add_cores(b, which);
}

static void add_processors(build_t *b)
{
    plan_resource_t *r = &b->resource[b->nresources];
    size_t links = (size_t)b->ranks * (size_t)(b->ranks - 1);

    if (!(b->m->message_s > 0) || links == 0) return;
    for (int u = 0; u < b->ranks; u++)
        for (int v = 0; v < b->ranks; v++)
            if (u != v) add_member(b, u, v);
    *r = (plan_resource_t){.s_per_message = b->m->message_s, .s_per_byte = b->m->message_byte_s, .nlinks = links};
    r->name = b->name[b->nresources];
    b->part[b->nresources].direction = PLANI_PART_OTHER;
    snprintf(b->name[b->nresources++], NAME, "processors");
}

/* Innermost groups first. */
static plan_status_t fill_resources(build_t *b, bool no_ports)
{
    const plani_machine_t *m = b->m;
    size_t at = 0;

    for (int h = 0; h < b->hosts; h++) add_host(b, h, no_ports);
    for (int inner = 1; inner >= 0; inner--)
        for (int g = 0; g < m->ngroups; g++) {
            bool leaf = g + 1 == m->ngroups || m->group[g + 1].above != g;
            if (!b->used[g] || leaf != (inner == 1)) continue;
            add_limit(b, OUT, true, g, m->group[g].out, "trunk out");
            add_limit(b, IN, true, g, m->group[g].in, "trunk in");
        }
    add_processors(b);
    for (size_t i = 0; i < b->nresources; at += b->resource[i++].nlinks) b->resource[i].link = b->member + at;
    return b->failed ? PLAN_ENOMEM : PLAN_OK;
}

/* ---- the whole ---- */

/* Broadcasts through memory, as so many ranks of one host were timed; of the nearest number, in proportion. */
static plan_status_t add_shared(build_t *b, plan_platform_data_t *d)
{
    const plani_machine_inside_t *in = plani_machine_inside(b->m, b->of[0]);
    const plani_machine_shared_t *best = NULL;

    for (int i = 0; i < in->nshared && b->hosts == 1 && b->ranks > 1; i++) {
        const plani_machine_shared_t *s = &in->shared[i];
        if (best == NULL || abs(s->ranks - b->ranks) < abs(best->ranks - b->ranks)) best = s;
    }
    if (best == NULL) return PLAN_OK;
    if ((b->shared_s = malloc((best->n + 1) * sizeof *b->shared_s)) == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < best->n; i++) b->shared_s[i] = best->seconds[i] * b->ranks / best->ranks;
    d->nshared = best->n, d->shared_bytes = best->bytes, d->shared_s = b->shared_s;
    return PLAN_OK;
}

static plan_status_t build(build_t *b, plan_platform_t **out, plan_error_t *err)
{
    plan_status_t rc = fill_links(b, err);
    bool no_ports = b->hosts > 1;

    if (rc != PLAN_OK) return rc;
    fill_channels(b);
    for (int c = 0; c < b->m->nchannels; c++) no_ports = no_ports && !b->channel[c].fluid;
    if ((rc = fill_resources(b, no_ports)) != PLAN_OK)
        return plani_fail(err, rc, "out of memory for a platform of %d ranks", b->ranks);
    plan_platform_data_t data = {.size = sizeof data,
                                 .name = b->m->name,
                                 .ranks = b->ranks,
                                 .nlinks = (size_t)b->ranks * (size_t)(b->ranks - 1),
                                 .link = b->link,
                                 .nresources = b->nresources,
                                 .resource = b->resource,
                                 .ports = no_ports ? PLAN_PORTS_NONE : PLAN_PORTS_ONE,
                                 .host = b->host,
                                 .site = b->site,
                                 .host_name = b->host_name,
                                 .site_name = b->site_name,
                                 .hosts = b->hosts,
                                 .sites = b->sites,
                                 .nchannels = (size_t)b->m->nchannels,
                                 .channel = b->channel};
    if ((rc = add_shared(b, &data)) != PLAN_OK) return plani_fail(err, rc, "out of memory for a platform");
    return plan_platform_create(&data, out, err);
}

plan_status_t plani_machine_platform_of_parts(const plani_machine_t *m, int ranks, const plani_place_t *place,
                                              plan_platform_t **out, plani_machine_part_t **part, plan_error_t *err)
{
    build_t b = {.m = m, .place = place, .ranks = ranks};
    plan_status_t rc = allocate(&b);

    if (rc != PLAN_OK) {
        plani_fail(err, rc, "out of memory for a platform of %d ranks", ranks);
    } else {
        find_hosts(&b);
        rc = build(&b, out, err);
    }
    if (rc == PLAN_OK && part != NULL) *part = b.part, b.part = NULL;
    release(&b);
    return rc;
}

plan_status_t plani_machine_platform(const plani_machine_t *m, int ranks, const plani_place_t *place,
                                     plan_platform_t **out, plan_error_t *err)
{
    return plani_machine_platform_of_parts(m, ranks, place, out, NULL, err);
}
