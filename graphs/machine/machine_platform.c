/* The platform of ranks placed on a machine: hosts, links, and the whole. */
#include "graphs/machine/machine_platform.h"
#include "graphs/machine/machine.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef plani_machine_placed_t build_t;

static plan_status_t allocate(build_t *b)
{
    const plani_machine_t *m = b->m;
    size_t ranks = (size_t)b->ranks, groups = (size_t)m->ngroups, hosts = (size_t)m->nhosts;
    size_t placed = b->described == NULL && ranks < hosts ? ranks : hosts;
    size_t most = PLANI_HOST_LIMITS * placed + 2 * groups + 1;

    b->nlinks = b->described != NULL && b->described->from != NULL ? b->described->nlinks : ranks * (ranks - 1);
    b->host = malloc(2 * ranks * sizeof *b->host);
    b->of = malloc(placed * sizeof *b->of);
    b->ranks_on = calloc(placed, sizeof *b->ranks_on);
    b->host_name = calloc(placed + groups, sizeof *b->host_name);
    b->number = malloc((hosts + groups) * sizeof *b->number);
    b->used = calloc(groups, sizeof *b->used);
    b->link = malloc((b->nlinks + 1) * sizeof *b->link);
    b->channel = calloc((size_t)m->nchannels + 1, sizeof *b->channel);
    b->resource = calloc(most, sizeof *b->resource);
    b->part = calloc(most, sizeof *b->part);
    b->name = calloc(most, sizeof *b->name);
    b->limit = malloc(most * sizeof *b->limit);
    if (!b->host || !b->of || !b->ranks_on || !b->host_name || !b->number || !b->used || !b->link || !b->channel ||
        !b->resource || !b->part || !b->name || !b->limit)
        return PLAN_ENOMEM;
    b->site = b->host + ranks, b->site_name = b->host_name + placed;
    for (size_t i = 0; i < hosts + groups; i++) b->number[i] = -1;
    for (size_t i = 0; i < most; i++) b->limit[i] = -1;
    return PLAN_OK;
}

static void release(build_t *b)
{
    free(b->host);
    free(b->of);
    free(b->ranks_on);
    free(b->host_name);
    free(b->number);
    free(b->used);
    free(b->link);
    free(b->channel);
    free(b->resource);
    free(b->part);
    free(b->name);
    free(b->limit);
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

/* The next of the platform's hosts. */
static void add_host(build_t *b, int h)
{
    const plani_machine_t *m = b->m;
    b->number[h] = b->hosts;
    b->of[b->hosts] = h;
    b->host_name[b->hosts++] = named(m->host[h].name);
    b->one_group = b->one_group && m->host[h].group == m->host[b->of[0]].group;
    for (int g = m->host[h].group; g >= 0; g = m->group[g].above) b->used[g] = true;
}

static void add_site(build_t *b, int group)
{
    const char *name = b->described != NULL ? b->described->site_name[b->sites] : b->m->group[group].name;
    b->number[b->m->nhosts + group] = b->sites;
    b->site_name[b->sites++] = named(name);
}

/* A described machine's hosts and sites keep their order; others are numbered by their lowest rank. */
static void find_hosts(build_t *b)
{
    const plani_machine_t *m = b->m;
    const int *site_number = b->number + m->nhosts;

    b->one_group = true;
    for (int h = 0; b->described != NULL && h < m->nhosts; h++) add_host(b, h);
    for (int g = 0; b->described != NULL && g < m->ngroups; g++)
        if (m->group[g].above < 0) add_site(b, g);
    for (int r = 0; r < b->ranks; r++) {
        int h = b->place[r].host, top = outermost(m, m->host[h].group);
        if (b->number[h] < 0) add_host(b, h);
        if (site_number[top] < 0) add_site(b, top);
        b->host[r] = b->number[h];
        b->ranks_on[b->number[h]]++;
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

/* The platform's hosts that may be at one end of a path, which names this host of the machine; -1: any. */
typedef struct {
    int first, end;
} span_t;

static span_t span_of(const build_t *b, int host)
{
    if (host < 0) return (span_t){0, b->hosts};
    int only = b->number[host];
    return only < 0 ? (span_t){0, 0} : (span_t){only, only + 1};
}

static void put_single_path(build_t *b, int path)
{
    const plani_machine_path_t *p = &b->m->path[path];
    span_t from = span_of(b, p->from_host), to = span_of(b, p->to_host);

    for (int u = from.first; u < from.end; u++)
        for (int v = to.first; v < to.end; v++)
            if (fits(b->m, p, b->of[u], b->of[v])) b->path[u * b->hosts + v] = path;
}

/* Paths of groups and kinds first; those of single hosts replace them. Of several that fit the first one counts, so it
 * is written last. */
static plan_status_t find_paths(build_t *b)
{
    const plani_machine_t *m = b->m;
    size_t hosts = (size_t)b->hosts;
    int *like = malloc(hosts * sizeof *like);

    if (like == NULL || (b->path = malloc(hosts * hosts * sizeof *b->path)) == NULL) {
        free(like);
        return PLAN_ENOMEM;
    }
    plani_machine_alike(m, b->hosts, b->of, like);
    for (int u = 0; u < b->hosts; u++)
        for (int v = 0; v < b->hosts; v++) {
            int *known = &b->path[like[u] * b->hosts + like[v]], *mine = &b->path[u * b->hosts + v];
            bool first = like[u] == u && like[v] == v; /* within a group of equal hosts u = v stands for all pairs */
            *mine = first ? plani_machine_path(m, b->of[u], b->of[v]) : *known;
        }
    for (int i = m->npaths; i-- > 0;)
        if (is_single(&m->path[i])) put_single_path(b, i);
    free(like);
    return PLAN_OK;
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

int plani_machine_path_between(const plani_machine_t *m, int a, int b)
{
    for (int i = 0; i < m->npaths; i++)
        if (is_single(&m->path[i]) && fits(m, &m->path[i], a, b)) return i;
    return plani_machine_path(m, a, b);
}

/* From one of these hosts to another one. */
static plan_link_t between(const build_t *b, int from, int to)
{
    const plani_machine_t *m = b->m;
    int u = b->of[from], v = b->of[to],
        path = b->path != NULL ? b->path[from * b->hosts + to] : plani_machine_path_between(m, u, v),
        channel = path >= 0 ? m->path[path].channel : -1;
    double out = plani_kind_rate(&m->kind[m->host[u].kind], true),
           in = plani_kind_rate(&m->kind[m->host[v].kind], false),
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

static plan_status_t fill_link(build_t *b, int u, int v, plan_link_t *l, plan_error_t *err)
{
    int x = b->place[u].host, y = b->place[v].host;
    if (x == y && !plani_inside_is_known(plani_machine_inside(b->m, x)))
        return plani_fail(err, PLAN_EMISMATCH,
                          "ranks %d and %d share host %s, and the machine does not describe messages inside a host", u,
                          v, b->m->host[x].name);
    *l = x == y ? inside(b, u, v) : between(b, b->host[u], b->host[v]);
    l->from = u, l->to = v;
    return PLAN_OK;
}

static plan_status_t fill_links(build_t *b, plan_error_t *err)
{
    const int *from = b->described != NULL ? b->described->from : NULL;
    plan_link_t *next = b->link;
    plan_status_t rc = PLAN_OK;

    if (from == NULL && b->m->npaths > 0 && (rc = find_paths(b)) != PLAN_OK) /* few links need no table of all pairs */
        return plani_fail(err, rc, "out of memory for paths between %d hosts", b->hosts);
    for (size_t l = 0; from != NULL && l < b->nlinks && rc == PLAN_OK; l++)
        rc = fill_link(b, from[l], b->described->to[l], next++, err);
    for (int u = 0; from == NULL && u < b->ranks; u++)
        for (int v = 0; v < b->ranks && rc == PLAN_OK; v++)
            if (u != v) rc = fill_link(b, u, v, next++, err);
    return rc;
}

static void fill_channels(build_t *b)
{
    for (int c = 0; c < b->m->nchannels; c++) b->channel[c] = b->m->channel[c].ladder;
}

/* ---- the whole ---- */

/* Ranks on the host that has most. */
static int fullest(const build_t *b)
{
    int most = 0;
    for (int h = 0; h < b->hosts; h++)
        if (b->ranks_on[h] > most) most = b->ranks_on[h];
    return most;
}

/* Of hosts of which the rate of memory alone is described, a guess: a message is copied twice, and through memory that
 * they share each rank copies once. Between two ranks nothing is gained. */
static plan_status_t guess_shared(build_t *b, int ranks, plan_platform_data_t *d)
{
    static const double bytes[] = {8, 1 << 18, 1 << 20};
    enum { SIZES = sizeof bytes / sizeof *bytes };
    int h = 0;
    while (b->ranks_on[h] < ranks) h++;
    const plani_machine_inside_t *in = plani_machine_inside(b->m, b->of[h]);
    if (ranks <= 2 || inside_channel(in, PLANI_SAME_HOST) >= 0 || !(in->memory.bytes_per_s > 0)) return PLAN_OK;
    if ((b->shared_s = malloc(sizeof bytes)) == NULL) return PLAN_ENOMEM;
    double messages = in->memory_shared ? ranks / 2.0 : 1; /* that take as long */
    for (int i = 0; i < SIZES; i++)
        b->shared_s[i] = in->memory_latency_s + bytes[i] * messages / in->memory.bytes_per_s;
    d->nshared = SIZES, d->shared_bytes = bytes, d->shared_s = b->shared_s;
    return PLAN_OK;
}

/* Broadcasts through memory, as so many ranks of each host were timed; of the nearest number, in proportion. */
static plan_status_t add_shared(build_t *b, plan_platform_data_t *d)
{
    const int ranks = fullest(b);
    const plani_machine_inside_t *in = plani_machine_inside(b->m, b->of[0]);
    const plani_machine_shared_t *best = NULL;

    for (int i = 0; i < in->nshared && ranks > 1; i++) {
        const plani_machine_shared_t *s = &in->shared[i];
        if (best == NULL || abs(s->ranks - ranks) < abs(best->ranks - ranks)) best = s;
    }
    if (best == NULL) return guess_shared(b, ranks, d);
    if ((b->shared_s = malloc((best->n + 1) * sizeof *b->shared_s)) == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < best->n; i++) b->shared_s[i] = best->seconds[i] * ranks / best->ranks;
    d->nshared = best->n, d->shared_bytes = best->bytes, d->shared_s = b->shared_s;
    return PLAN_OK;
}

static plan_status_t build(build_t *b, plan_platform_t **out, plan_error_t *err)
{
    plan_status_t rc = fill_links(b, err);

    if (rc != PLAN_OK) return rc;
    fill_channels(b);
    b->no_ports = b->described != NULL || b->hosts > 1;
    for (int c = 0; c < b->m->nchannels && b->one_group; c++) b->no_ports = b->no_ports && !b->channel[c].fluid;
    if ((rc = plani_machine_resources(b)) != PLAN_OK)
        return plani_fail(err, rc, "out of memory for %zu links of %d ranks", b->nlinks, b->ranks);
    plan_platform_data_t data = {.size = sizeof data,
                                 .name = b->m->name,
                                 .ranks = b->ranks,
                                 .nlinks = b->nlinks,
                                 .link = b->link,
                                 .nresources = b->nresources,
                                 .resource = b->resource,
                                 .ports = b->no_ports ? PLAN_PORTS_NONE : PLAN_PORTS_ONE,
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

/* \param part NULL: not wanted */
static plan_status_t place(build_t *b, plan_platform_t **out, plani_machine_part_t **part, plan_error_t *err)
{
    plan_status_t rc = allocate(b);

    if (rc != PLAN_OK) {
        plani_fail(err, rc, "out of memory for a platform of %d ranks", b->ranks);
    } else {
        find_hosts(b);
        rc = build(b, out, err);
    }
    if (rc == PLAN_OK && part != NULL) *part = b->part, b->part = NULL;
    release(b);
    return rc;
}

plan_status_t plani_machine_platform_of_parts(const plani_machine_t *m, int ranks, const plani_place_t *at,
                                              plan_platform_t **out, plani_machine_part_t **part, plan_error_t *err)
{
    return place(&(build_t){.m = m, .place = at, .ranks = ranks}, out, part, err);
}

plan_status_t plani_machine_platform(const plani_machine_t *m, int ranks, const plani_place_t *at,
                                     plan_platform_t **out, plan_error_t *err)
{
    return place(&(build_t){.m = m, .place = at, .ranks = ranks}, out, NULL, err);
}

plan_status_t plani_machine_platform_described(const plani_machine_t *m, int ranks, const plani_place_t *at,
                                               const plani_machine_described_t *described, plan_platform_t **out,
                                               plan_error_t *err)
{
    return place(&(build_t){.m = m, .place = at, .ranks = ranks, .described = described}, out, NULL, err);
}
