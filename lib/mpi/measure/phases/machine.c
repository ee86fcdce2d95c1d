/* The machine from the findings: kinds of hosts, groups with their trunks, channels, and the channel of each path. */
#include "lib/mpi/measure/phases/findings.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"

typedef struct {
    const plani_findings_t *s;
    plani_machine_t *m;
    int *kind_of;               /* [hosts] */
    int *label;                 /* [2 hosts] labels of groups of about equal rates: out, then in */
    int *group;                 /* [sites] of the machine */
    double *x;                  /* [hosts] */
    double *guess, *area_guess; /* [2 sites], [2 areas] [B/s] of trunks out and in that were not measured; 0: none */
    size_t *scratch;
} making_t;

static plan_status_t allocate(making_t *k)
{
    size_t hosts = (size_t)k->s->hosts;
    k->kind_of = malloc(3 * hosts * sizeof *k->kind_of);
    k->group = malloc((size_t)k->s->sites * sizeof *k->group);
    k->x = malloc(hosts * sizeof *k->x);
    k->scratch = malloc(hosts * sizeof *k->scratch);
    k->guess = calloc(2 * ((size_t)k->s->sites + (size_t)k->s->areas), sizeof *k->guess);
    if (k->kind_of == NULL || k->group == NULL || k->x == NULL || k->scratch == NULL || k->guess == NULL)
        return PLAN_ENOMEM;
    k->area_guess = k->guess + 2 * k->s->sites;
    k->label = k->kind_of + hosts;
    return PLAN_OK;
}

static void release(making_t *k)
{
    free(k->kind_of);
    free(k->group);
    free(k->x);
    free(k->scratch);
    free(k->guess);
}

/* ---- kinds ---- */

static const char *signature_of(const plani_findings_t *s, int host)
{
    return s->name[plani_first_rank(s, host)].signature;
}

static bool are_alike(const making_t *k, int a, int b)
{
    const plani_findings_t *s = k->s;
    return k->label[a] == k->label[b] && k->label[s->hosts + a] == k->label[s->hosts + b] &&
           s->shared_out[a] == s->shared_out[b] && s->shared_in[a] == s->shared_in[b] &&
           s->card_unseen[2 * a] == s->card_unseen[2 * b] && s->card_unseen[2 * a + 1] == s->card_unseen[2 * b + 1] &&
           strcmp(signature_of(s, a), signature_of(s, b)) == 0 && s->half_duplex[a] == s->half_duplex[b] &&
           (s->relay[a] > 0) == (s->relay[b] > 0);
}

static void group_rates(making_t *k, const double *rate, int *label)
{
    for (int h = 0; h < k->s->hosts; h++) k->x[h] = rate[h];
    plani_group_values(k->x, (size_t)k->s->hosts, PLANI_ALIKE, k->scratch, label);
}

/* The median of a value over the hosts of a kind. */
static double median_of(making_t *k, int kind, const double *value)
{
    plani_summary_t sum;
    int n = 0;
    for (int h = 0; h < k->s->hosts; h++)
        if (k->kind_of[h] == kind) k->x[n++] = value[h];
    plani_summarize(k->x, n, &sum);
    return sum.median;
}

/* What the runs of all cards of a kind span, which are the same card, measured several times. */
static plani_ends_t ends_of(const making_t *k, int kind, const double *rate, const plani_ends_t *ends, int stride)
{
    plani_ends_t all = {0, 0};
    int cards = 0, again = 0;

    for (int h = 0; h < k->s->hosts; h++) {
        plani_ends_t one = ends[h * stride];
        if (k->kind_of[h] != kind) continue;
        cards++, again += one.high > 0;
        all = plani_ends_join(all, one.high > 0 ? one : (plani_ends_t){rate[h], rate[h]});
    }
    return cards > 1 || again > 0 ? all : (plani_ends_t){0, 0};
}

/* The rates of small messages: those of the kind's host with the largest table, scaled by the card rates. */
static plan_status_t take_table(making_t *k, int kind, int in, plani_capacity_t *c)
{
    const plani_findings_t *s = k->s;
    const double *rate = in ? s->card_in : s->card_out;
    int best = -1;

    for (int h = 0; h < s->hosts; h++)
        if (k->kind_of[h] == kind && (best < 0 || s->card_table[2 * h + in].n > s->card_table[2 * best + in].n))
            best = h;
    plani_table_t table = s->card_table[2 * best + in];
    for (size_t i = 0; i < table.n; i++) table.at[i].bytes_per_s *= c->bytes_per_s / rate[best];
    plani_capacity_t whole = *c;
    whole.npairs = table.n, whole.pairs = table.at;
    return plani_machine_capacity(k->m, &whole, c);
}

static plan_status_t put_kind(making_t *k, int host)
{
    const plani_findings_t *s = k->s;
    int kind = k->m->nkinds++;
    char name[32];
    plan_status_t rc;

    for (int h = host; h < s->hosts; h++)
        if (k->kind_of[h] < 0 && are_alike(k, host, h)) k->kind_of[h] = kind;
    snprintf(name, sizeof name, "kind %d", kind);
    plani_machine_kind_t *out = &k->m->kind[kind];
    *out = (plani_machine_kind_t){.name = plani_machine_text(k->m, name),
                                  .signature = plani_machine_text(k->m, signature_of(s, host)),
                                  .out = {.bytes_per_s = median_of(k, kind, s->card_out),
                                          .interval = ends_of(k, kind, s->card_out, s->card_ends, 2),
                                          .burst_bytes = median_of(k, kind, s->burst_out),
                                          .guess = s->card_unseen[2 * host]},
                                  .in = {.bytes_per_s = median_of(k, kind, s->card_in),
                                         .interval = ends_of(k, kind, s->card_in, s->card_ends + 1, 2),
                                         .burst_bytes = median_of(k, kind, s->burst_in),
                                         .guess = s->card_unseen[2 * host + 1]},
                                  .shared_out = s->shared_out[host] || s->card_unseen[2 * host],
                                  .shared_in = s->shared_in[host] || s->card_unseen[2 * host + 1],
                                  .half_duplex = s->half_duplex[host],
                                  .relay_bytes_per_s = median_of(k, kind, s->relay)};
    if (out->relay_bytes_per_s > 0) out->relay_interval = ends_of(k, kind, s->relay, s->relay_ends, 1);
    if (out->name == NULL || out->signature == NULL) return PLAN_ENOMEM;
    if ((rc = take_table(k, kind, 0, &out->out)) != PLAN_OK) return rc;
    return take_table(k, kind, 1, &out->in);
}

static plan_status_t put_kinds(making_t *k)
{
    const plani_findings_t *s = k->s;

    group_rates(k, s->card_out, k->label);
    group_rates(k, s->card_in, k->label + s->hosts);
    if ((k->m->kind = plani_machine_room(k->m, (size_t)s->hosts, sizeof *k->m->kind)) == NULL) return PLAN_ENOMEM;
    for (int h = 0; h < s->hosts; h++) k->kind_of[h] = -1;
    for (int h = 0; h < s->hosts; h++) {
        if (k->kind_of[h] >= 0) continue;
        plan_status_t rc = put_kind(k, h);
        if (rc != PLAN_OK) return rc;
    }
    return PLAN_OK;
}

/* ---- groups and hosts ---- */

/* One direction of a trunk; `way` is its rate, interval and burst. */
static plan_status_t put_way(plani_machine_t *m, plani_capacity_t way, const plani_table_t *table,
                             plani_capacity_t *out)
{
    plani_table_t copy = *table;

    if (!(way.bytes_per_s > 0)) return PLAN_OK;
    way.npairs = copy.n, way.pairs = copy.at;
    return plani_machine_capacity(m, &way, out);
}

/* `guess` [B/s]: of a trunk that was not measured; 0: none. */
static plani_capacity_t capacity_of(double rate, plani_ends_t interval, double burst, double guess)
{
    if (!(rate > 0) && guess > 0) return (plani_capacity_t){.bytes_per_s = guess, .guess = true};
    return (plani_capacity_t){.bytes_per_s = rate, .interval = interval, .burst_bytes = burst};
}

/* guess [2] [B/s] out, in */
static plan_status_t put_group(making_t *k, const char *what, int number, int above, const plani_trunk_t *trunk,
                               const double *guess, const plani_table_t *table)
{
    plani_machine_group_t *g = &k->m->group[k->m->ngroups++];
    char name[32];
    plan_status_t rc;

    snprintf(name, sizeof name, "%s %d", what, number);
    *g = (plani_machine_group_t){.name = plani_machine_text(k->m, name), .above = above};
    if (g->name == NULL) return PLAN_ENOMEM;
    const plani_capacity_t out = capacity_of(trunk->out, trunk->out_ends, trunk->burst_out, guess[0]),
                           in = capacity_of(trunk->in, trunk->in_ends, trunk->burst_in, guess[1]);
    if ((rc = put_way(k->m, out, &table[0], &g->out)) != PLAN_OK) return rc;
    return put_way(k->m, in, &table[1], &g->in);
}

static plan_status_t put_site(making_t *k, int site, int above)
{
    const plani_findings_t *s = k->s;
    static const plani_trunk_t none = {0};
    static const plani_table_t no_table[2] = {{0}};
    const char *what = s->areas > 0 ? "rack" : "site";

    k->group[site] = k->m->ngroups;
    if (s->trunk == NULL) return put_group(k, what, site, above, &none, k->guess, no_table);
    return put_group(k, what, site, above, &s->trunk[site], &k->guess[2 * site], &s->trunk_table[2 * site]);
}

static plan_status_t put_groups(making_t *k)
{
    const plani_findings_t *s = k->s;
    plan_status_t rc = PLAN_OK;

    k->m->group = plani_machine_room(k->m, (size_t)s->sites + (size_t)s->areas, sizeof *k->m->group);
    if (k->m->group == NULL) return PLAN_ENOMEM;
    if (s->trunk != NULL && s->sites > 1) rc = plani_guess_sites(s, k->guess);
    if (rc == PLAN_OK && s->areas > 0) rc = plani_guess_areas(s, k->area_guess);
    for (int a = 0; a < s->areas && rc == PLAN_OK; a++) { /* then areas are named sites, and sites racks */
        int above = k->m->ngroups;
        rc = put_group(k, "site", a, -1, &s->area_trunk[a], &k->area_guess[2 * a], &s->area_table[2 * a]);
        for (int i = 0; i < s->sites && rc == PLAN_OK; i++)
            if (s->area[i] == a) rc = put_site(k, i, above);
    }
    for (int i = 0; i < s->sites && s->areas == 0 && rc == PLAN_OK; i++) rc = put_site(k, i, -1);
    return rc;
}

static plan_status_t put_hosts(making_t *k)
{
    const plani_findings_t *s = k->s;
    plan_status_t rc = PLAN_OK;

    for (int h = 0; h < s->hosts && rc == PLAN_OK; h++)
        rc = plani_machine_add_host(k->m, s->name[plani_first_rank(s, h)].text, k->group[s->site[h]], k->kind_of[h]);
    return rc;
}

/* ---- channels and paths ---- */

static double *copy_numbers(plani_machine_t *m, const double *x, size_t n)
{
    double *copy = plani_machine_room(m, n, sizeof *copy);
    if (copy != NULL) memcpy(copy, x, n * sizeof *copy);
    return copy;
}

static plan_status_t put_channels(making_t *k)
{
    const plani_findings_t *s = k->s;
    plani_machine_t *m = k->m;
    double bytes[PLANI_LADDER];

    for (int i = 0; i < PLANI_LADDER; i++) bytes[i] = plani_size[i];
    m->channel = plani_machine_room(m, (size_t)s->nclasses, sizeof *m->channel);
    if (m->channel == NULL) return PLAN_ENOMEM;
    for (int c = 0; c < s->nclasses; c++) {
        const plani_class_t *from = &s->class_[c];
        plan_channel_t *to = &m->channel[m->nchannels++].ladder;
        m->channel[c].latency_s = from->latency_s;
        m->channel[c].s_per_byte = from->s_per_byte;
        m->channel[c].delay_s = from->delay_s;
        m->channel[c].latency_interval = from->latency_ends;
        m->channel[c].byte_interval = from->byte_ends;
        m->channel[c].delay_interval = from->delay_ends;
        *to = (plan_channel_t){.name = plani_machine_text(m, from->name),
                               .network = from->network,
                               .fluid = from->fluid,
                               .rendezvous_bytes = from->rendezvous,
                               .nsizes = PLANI_LADDER,
                               .bytes = copy_numbers(m, bytes, PLANI_LADDER),
                               .overhead_s = copy_numbers(m, from->overhead, PLANI_LADDER),
                               .gap_s = copy_numbers(m, from->gap, PLANI_LADDER),
                               .p2p_s = copy_numbers(m, from->p2p, PLANI_LADDER),
                               .ngamma = (size_t)from->ngamma,
                               .gamma = copy_numbers(m, from->gamma, (size_t)from->ngamma)};
        if (!to->name || !to->bytes || !to->overhead_s || !to->gap_s || !to->p2p_s || !to->gamma) return PLAN_ENOMEM;
    }
    for (int l = 0; l < PLANI_LEVELS; l++) m->inside.channel[l] = s->level_class[l];
    return PLAN_OK;
}

/* The rate limit of one flow between two hosts if it is less than both cards' rates; else 0. */
static double flow_limit(const plani_findings_t *s, int u, int v)
{
    double rate = plani_port_rate(s, u, v);
    return rate < plani_cards_allow(s, u, v) ? rate : 0;
}

/* Whether the path between two groups and kinds holds for this pair of hosts; else the pair gets its own path. */
static bool is_like(const plani_findings_t *s, int u, int v, const plani_machine_path_t *p)
{
    double limit = flow_limit(s, u, v);
    return s->class_of[u * s->hosts + v] == p->channel && (limit > 0) == (p->flow_bytes_per_s > 0) &&
           fabs(limit - p->flow_bytes_per_s) <= 0.05 * p->flow_bytes_per_s;
}

static plani_machine_path_t path_of(const making_t *k, int u, int v, bool single)
{
    const plani_machine_host_t *a = &k->m->host[u], *b = &k->m->host[v];
    plani_machine_path_t p = {.from_host = -1,
                              .to_host = -1,
                              .from_group = -1,
                              .to_group = -1,
                              .from_kind = -1,
                              .to_kind = -1,
                              .channel = k->s->class_of[u * k->s->hosts + v],
                              .flow_bytes_per_s = flow_limit(k->s, u, v)};
    if (p.flow_bytes_per_s > 0) p.flow_interval = plani_host_ends(k->s, u, v);
    if (single)
        p.from_host = u, p.to_host = v;
    else
        p.from_group = a->group, p.to_group = b->group, p.from_kind = a->kind, p.to_kind = b->kind;
    return p;
}

/* Work arrays for the paths between groups and kinds. */
typedef struct {
    int *like;                    /* [hosts] the first host of the same group and kind */
    int *channel, *lead, *stands; /* [hosts^2] for two such hosts: the majority channel of their pairs, its lead in the
                                     vote, and 1 + the index of their path (0: none yet) */
    plani_machine_path_t *path;
} finding_t;

static plan_status_t allocate_paths(size_t hosts, finding_t *f)
{
    f->like = malloc(hosts * sizeof *f->like);
    f->channel = calloc(3 * hosts * hosts, sizeof *f->channel);
    f->path = malloc(2 * hosts * hosts * sizeof *f->path);
    if (f->like == NULL || f->channel == NULL || f->path == NULL) return PLAN_ENOMEM;
    f->lead = f->channel + hosts * hosts, f->stands = f->lead + hosts * hosts;
    return PLAN_OK;
}

/* Boyer and Moore's majority vote on the channel of each two groups and kinds. */
static void vote(const making_t *k, finding_t *f)
{
    int hosts = k->s->hosts;
    for (int u = 0; u < hosts; u++)
        for (int v = 0; v < hosts; v++) {
            int at = f->like[u] * hosts + f->like[v], mine = k->s->class_of[u * hosts + v];
            if (u == v) continue;
            if (f->lead[at] == 0) f->channel[at] = mine;
            f->lead[at] += f->channel[at] == mine ? 1 : -1;
        }
}

/* List the paths between groups and kinds, then those of single pairs that differ. Returns their number. */
static int list_paths(const making_t *k, finding_t *f)
{
    int hosts = k->s->hosts, n = 0;

    for (int single = 0; single < 2; single++)
        for (int u = 0; u < hosts; u++)
            for (int v = 0; v < hosts; v++) {
                int at = f->like[u] * hosts + f->like[v];
                if (u == v) continue;
                if (!single && f->stands[at] == 0 && k->s->class_of[u * hosts + v] == f->channel[at]) {
                    f->path[n] = path_of(k, u, v, false);
                    f->stands[at] = ++n;
                } else if (single && !is_like(k->s, u, v, &f->path[f->stands[at] - 1])) {
                    f->path[n++] = path_of(k, u, v, true);
                }
            }
    return n;
}

static plan_status_t put_paths(making_t *k)
{
    plani_machine_t *m = k->m;
    finding_t f = {0};
    plan_status_t rc = allocate_paths((size_t)k->s->hosts, &f);

    if (rc == PLAN_OK) {
        plani_machine_alike(m, k->s->hosts, NULL, f.like);
        vote(k, &f);
        int n = list_paths(k, &f);
        if ((m->path = plani_machine_room(m, (size_t)n, sizeof *m->path)) == NULL) rc = PLAN_ENOMEM;
        if (rc == PLAN_OK) memcpy(m->path, f.path, (size_t)n * sizeof *f.path), m->npaths = n;
    }
    free(f.like);
    free(f.channel);
    free(f.path);
    return rc;
}

/* ---- inside hosts ---- */

static plan_status_t put_inside(making_t *k)
{
    const plani_findings_t *s = k->s;
    plani_machine_t *m = k->m;
    plani_machine_inside_t *in = &m->inside;
    plani_table_t memory = s->memory, copying = s->copying;
    plani_capacity_t whole = {.bytes_per_s = s->memory_rate,
                              .interval = s->memory_ends,
                              .npairs = memory.n,
                              .pairs = memory.at},
                     copied = {.npairs = copying.n, .pairs = copying.at};
    plan_status_t rc;

    in->memory_shared = s->memory_shared;
    m->message_s = s->message_s;
    m->message_byte_s = s->message_byte_s;
    if ((rc = plani_machine_capacity(m, &whole, &in->memory)) != PLAN_OK) return rc;
    if (s->message_in_host_s > 0 || s->copying.n > 0) {
        in->oversubscribed = plani_ranks_on(s, plani_fullest_host(s));
        in->oversubscribed_message_s = s->message_in_host_s;
        if ((rc = plani_machine_capacity(m, &copied, &in->copying)) != PLAN_OK) return rc;
    }
    if (s->nshared == 0) return PLAN_OK;
    in->shared = plani_machine_room(m, 1, sizeof *in->shared);
    if (in->shared == NULL) return PLAN_ENOMEM;
    in->nshared = 1;
    *in->shared = (plani_machine_shared_t){.ranks = plani_ranks_on(s, plani_fullest_host(s)),
                                           .n = (size_t)s->nshared,
                                           .bytes = copy_numbers(m, s->shared_bytes, (size_t)s->nshared),
                                           .seconds = copy_numbers(m, s->shared_s, (size_t)s->nshared)};
    return in->shared->bytes != NULL && in->shared->seconds != NULL ? PLAN_OK : PLAN_ENOMEM;
}

plan_status_t plani_infer_machine(const plani_findings_t *s, plani_machine_t **out, plan_error_t *err)
{
    making_t k = {.s = s, .m = plani_machine_create()};
    plan_status_t rc = k.m == NULL ? PLAN_ENOMEM : allocate(&k);

    if (rc == PLAN_OK && (k.m->name = plani_machine_text(k.m, "measured")) == NULL) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = put_kinds(&k);
    if (rc == PLAN_OK) rc = put_groups(&k);
    if (rc == PLAN_OK) rc = put_hosts(&k);
    if (rc == PLAN_OK) rc = put_channels(&k);
    if (rc == PLAN_OK) rc = put_paths(&k);
    if (rc == PLAN_OK) rc = put_inside(&k);
    release(&k);
    if (rc == PLAN_OK)
        *out = k.m;
    else
        plani_machine_destroy(&k.m);
    return rc == PLAN_OK ? rc : plani_fail(err, rc, "measure: out of memory for a machine of %d hosts", s->hosts);
}
