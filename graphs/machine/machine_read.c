/* Machine files: the reader. */
#include "graphs/machine/machine.h"
#include "graphs/platform/json.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 1 << 16, KINDS = PLANI_MACHINE_HOSTS, CHANNELS = 4096, PATHS = 1 << 20, PAIRS = 4096 };
static const double MOST_S = 1e6, LEAST_COST = 1e-30;

/* The numbers of what has a name. Several may have one, as long as nobody refers to it. */
typedef struct {
    plani_names_t first, repeated;
} called_t;

typedef struct {
    plani_machine_t *m;
    plani_json_t at; /* the list of hosts that is being read */
    int group, kind; /* of the hosts that come next */
    bool admitted;   /* they are */
    int known;       /* hosts that are not */
    size_t group_room;
    json_t *kind_of; /* number of the kind of each name */
    called_t groups, channels;
} reader_t;

static plan_status_t call(called_t *c, const char *name, int number)
{
    int first = plani_names_add(&c->first, name, number);
    if (first >= 0 && first != number) first = plani_names_add(&c->repeated, name, number);
    return first >= 0 ? PLAN_OK : PLAN_ENOMEM;
}

static void forget(called_t *c)
{
    plani_names_clear(&c->first);
    plani_names_clear(&c->repeated);
}

static plan_status_t no_memory(const plani_json_t *at)
{
    return plani_fail(at->err, PLAN_ENOMEM, "out of memory for a machine");
}

/* A number from 0 to `most`; as it was where it is absent. */
static plan_status_t read_amount(const plani_json_t *object, const char *key, double most, double *x)
{
    plani_json_t at = plani_json_member(object, key);
    plan_status_t rc = plani_json_number_or(object, key, x);
    if (rc == PLAN_OK && !(*x >= 0 && *x <= most)) return plani_json_fail(&at, "is %g; give 0 to %g", *x, most);
    return rc;
}

static plan_status_t read_text(plani_machine_t *m, const plani_json_t *object, const char *key, bool wanted, char **out)
{
    const char *text = "";
    plan_status_t rc = wanted ? plani_json_string(object, key, &text) : plani_json_string_or(object, key, &text);
    if (rc == PLAN_OK && (*out = plani_machine_text(m, text)) == NULL) return no_memory(object);
    return rc;
}

static plan_status_t read_pairs(plani_machine_t *m, const plani_json_t *object, plani_capacity_t *c)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;

    if ((rc = plani_json_list(object, "pairs", false, &list)) != PLAN_OK) return rc;
    size_t n = plani_json_size(&list);
    if (n > PAIRS) return plani_json_fail(&list, "holds %zu entries; give at most %d", n, PAIRS);
    if ((c->pairs = plani_machine_room(m, n, sizeof *c->pairs)) == NULL) return no_memory(object);
    for (c->npairs = 0; c->npairs < n; c->npairs++) {
        plani_json_t entry = plani_json_element(&list, c->npairs), part[3];
        plan_pairs_t *p = &c->pairs[c->npairs];
        if (plani_json_size(&entry) != 3) return plani_json_fail(&entry, "should be [bytes, messages, bytes_per_s]");
        for (size_t k = 0; k < 3; k++) part[k] = plani_json_element(&entry, k);
        if ((rc = plani_json_as_number(&part[0], &p->bytes)) != PLAN_OK) return rc;
        if ((rc = plani_json_as_int(&part[1], 1, PLANI_MAX_RANKS, &p->messages)) != PLAN_OK) return rc;
        if ((rc = plani_json_as_number(&part[2], &p->bytes_per_s)) != PLAN_OK) return rc;
        if (!(p->bytes > 0 && p->bytes_per_s > 0))
            return plani_json_fail(&entry, "holds a number that is not positive");
        if (c->npairs > 0 && (p->bytes < p[-1].bytes || (p->bytes == p[-1].bytes && p->messages <= p[-1].messages)))
            return plani_json_fail(&entry, "is out of order: sizes, then messages ascend");
    }
    return rc;
}

/* [lowest, highest] of the runs that the member `of` with the value x follows from; as it was where it is absent. */
static plan_status_t read_interval(const plani_json_t *object, const char *key, const char *of, double x,
                                   plani_ends_t *interval)
{
    static const double ROUNDING = 1e-9; /* part of a number: figures are written with 12 digits */
    plan_status_t rc = PLAN_OK;
    plani_json_t list;
    double end[2];

    if ((rc = plani_json_list(object, key, false, &list)) != PLAN_OK || list.value == NULL) return rc;
    if (plani_json_size(&list) != 2) return plani_json_fail(&list, "should be two numbers, the lowest and the highest");
    if ((rc = plani_json_as_numbers(&list, end)) != PLAN_OK) return rc;
    if (!(end[0] >= 0 && end[0] <= end[1] && end[1] > 0))
        return plani_json_fail(&list, "is [%g, %g]; give the lowest first, at least 0, then the highest", end[0],
                               end[1]);
    if (x < end[0] * (1 - ROUNDING) || x > end[1] * (1 + ROUNDING))
        return plani_json_fail(&list, "is [%g, %g]; %s should lie in it, and is %g", end[0], end[1], of, x);
    *interval = (plani_ends_t){end[0], end[1]};
    return PLAN_OK;
}

/* 0: no limit, as where it is absent. */
static plan_status_t read_rate(const plani_json_t *object, const char *key, double *rate)
{
    plani_json_t at = plani_json_member(object, key);
    plan_status_t rc = plani_json_number_or(object, key, rate);
    if (rc == PLAN_OK && *rate != 0 && !(*rate >= PLANI_LEAST_RATE && *rate <= PLANI_MOST_RATE))
        return plani_json_fail(&at, "is %g; give bytes per second, %g to %g, or 0: no limit", *rate, PLANI_LEAST_RATE,
                               PLANI_MOST_RATE);
    return rc;
}

/* Absent: no limit. */
static plan_status_t read_capacity(plani_machine_t *m, const plani_json_t *object, const char *key, plani_capacity_t *c)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t at;

    if ((rc = plani_json_object(object, key, false, &at)) != PLAN_OK) return rc;
    if (at.value == NULL) return PLAN_OK;
    if ((rc = read_rate(&at, "bytes_per_s", &c->bytes_per_s)) != PLAN_OK) return rc;
    rc = read_interval(&at, "bytes_per_s_interval", "bytes_per_s", c->bytes_per_s, &c->interval);
    if (rc != PLAN_OK) return rc;
    if ((rc = read_amount(&at, "burst_bytes", PLANI_MOST_RATE, &c->burst_bytes)) != PLAN_OK) return rc;
    if ((rc = plani_json_bool_or(&at, "guess", &c->guess)) != PLAN_OK) return rc;
    return read_pairs(m, &at, c);
}

static plan_status_t read_kind(plani_machine_t *m, const plani_json_t *at, plani_machine_kind_t *k)
{
    plan_status_t rc = PLAN_OK;
    if ((rc = read_text(m, at, "name", true, &k->name)) != PLAN_OK) return rc;
    if ((rc = read_text(m, at, "signature", false, &k->signature)) != PLAN_OK) return rc;
    if ((rc = read_capacity(m, at, "out", &k->out)) != PLAN_OK) return rc;
    if ((rc = read_capacity(m, at, "in", &k->in)) != PLAN_OK) return rc;
    if ((rc = plani_json_bool_or(at, "shared_out", &k->shared_out)) != PLAN_OK) return rc;
    if ((rc = plani_json_bool_or(at, "shared_in", &k->shared_in)) != PLAN_OK) return rc;
    if ((rc = plani_json_bool_or(at, "half_duplex", &k->half_duplex)) != PLAN_OK) return rc;
    if ((rc = read_rate(at, "relay_bytes_per_s", &k->relay_bytes_per_s)) != PLAN_OK) return rc;
    rc = read_interval(at, "relay_bytes_per_s_interval", "relay_bytes_per_s", k->relay_bytes_per_s, &k->relay_interval);
    if (rc != PLAN_OK) return rc;
    k->hardware = json_incref(json_object_get(at->value, "hardware"));
    return read_amount(at, "latency_s", MOST_S, &k->latency_s);
}

/* Makes an array for the elements of a list; *n: how many. */
static plan_status_t read_list(plani_machine_t *m, const plani_json_t *doc, const char *key, bool wanted, int most,
                               size_t size, plani_json_t *list, void **array, int *n)
{
    plan_status_t rc = PLAN_OK;
    if ((rc = plani_json_list(doc, key, wanted, list)) != PLAN_OK) return rc;
    if (plani_json_size(list) > (size_t)most)
        return plani_json_fail(list, "holds %zu entries; give at most %d", plani_json_size(list), most);
    *n = (int)plani_json_size(list);
    *array = plani_machine_room(m, (size_t)*n, size);
    return *array != NULL ? PLAN_OK : no_memory(doc);
}

static plan_status_t read_kinds(reader_t *r, const plani_json_t *doc)
{
    plan_status_t rc = PLAN_OK;
    plani_machine_t *m = r->m;
    plani_json_t list;
    void *array = NULL;

    if ((rc = read_list(m, doc, "kinds", true, KINDS, sizeof *m->kind, &list, &array, &m->nkinds)) != PLAN_OK)
        return rc;
    m->kind = array;
    for (int k = 0; k < m->nkinds; k++) {
        plani_json_t at = plani_json_element(&list, (size_t)k);
        if ((rc = read_kind(m, &at, &m->kind[k])) != PLAN_OK) return rc;
        if (json_object_get(r->kind_of, m->kind[k].name) != NULL)
            return plani_json_fail(&at, "has the name of another kind, \"%.40s\"", m->kind[k].name);
        if (json_object_set_new(r->kind_of, m->kind[k].name, json_integer(k)) != 0) return no_memory(&at);
    }
    return PLAN_OK;
}

/* ---- groups and hosts ---- */

/* The array of groups grows while it is read. */
static void *grown(plani_machine_t *m, void *array, int n, size_t *room, size_t size)
{
    if ((size_t)n < *room) return array;
    size_t larger = *room > 0 ? 2 * *room : 16;
    void *more = plani_machine_room(m, larger, size);
    if (more == NULL) return NULL;
    if (n > 0) memcpy(more, array, (size_t)n * size);
    *room = larger;
    return more;
}

static plan_status_t add_host(void *context, const char *name)
{
    reader_t *r = context;
    plani_machine_t *m = r->m;
    if (m->nhosts == PLANI_MACHINE_HOSTS)
        return plani_json_fail(&r->at, "is too much; a machine has up to %d hosts", PLANI_MACHINE_HOSTS);
    if (plani_machine_add_host(m, name, r->group, r->kind) != PLAN_OK) return no_memory(&r->at);
    m->host[m->nhosts - 1].admitted = r->admitted;
    r->known += !r->admitted;
    return PLAN_OK;
}

static plan_status_t find_kind(const reader_t *r, const plani_json_t *at, bool wanted, int *kind)
{
    const char *name = NULL;
    plani_json_t member = plani_json_member(at, "kind");
    plan_status_t rc = wanted ? plani_json_string(at, "kind", &name) : plani_json_string_or(at, "kind", &name);
    if (rc != PLAN_OK || name == NULL) return rc;
    const json_t *number = json_object_get(r->kind_of, name);
    if (number == NULL) return plani_json_fail(&member, "is \"%.40s\", which no entry of \"kinds\" is called", name);
    *kind = (int)json_integer_value(number);
    return PLAN_OK;
}

static plan_status_t read_hosts(reader_t *r, const plani_json_t *group)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;

    if ((rc = plani_json_list(group, "hosts", false, &list)) != PLAN_OK) return rc;
    for (size_t i = 0; i < plani_json_size(&list); i++) {
        plani_json_t at = plani_json_element(&list, i), names = plani_json_member(&at, "names");
        const char *text = NULL, *why = NULL;
        if ((rc = plani_json_string(&at, "names", &text)) != PLAN_OK) return rc;
        if ((rc = find_kind(r, &at, true, &r->kind)) != PLAN_OK) return rc;
        r->admitted = false;
        if ((rc = plani_json_bool_or(&at, "admitted", &r->admitted)) != PLAN_OK) return rc;
        r->at = names;
        rc = plani_host_list(text, add_host, r, &why);
        if (rc != PLAN_OK) return why == NULL ? rc : plani_json_fail(&names, "is \"%.60s\"; %s", text, why);
    }
    return PLAN_OK;
}

static plan_status_t read_groups(reader_t *r, const plani_json_t *at, int above, int depth)
{
    plan_status_t rc = PLAN_OK;
    plani_machine_t *m = r->m;
    plani_json_t list;

    if ((rc = plani_json_list(at, "groups", above < 0, &list)) != PLAN_OK) return rc;
    for (size_t i = 0; i < plani_json_size(&list); i++) {
        plani_json_t entry = plani_json_element(&list, i);
        plani_machine_group_t g = {.above = above, .part = above >= 0 ? m->group[above].part : 0};
        if (depth > PLANI_MACHINE_DEPTH)
            return plani_json_fail(&entry, "is nested too deeply; %d levels are allowed", PLANI_MACHINE_DEPTH);
        if (m->ngroups == GROUPS) return plani_json_fail(&entry, "is one group too many; %d are allowed", GROUPS);
        if ((rc = read_text(m, &entry, "name", true, &g.name)) != PLAN_OK) return rc;
        if ((rc = read_capacity(m, &entry, "out", &g.out)) != PLAN_OK) return rc;
        if ((rc = read_capacity(m, &entry, "in", &g.in)) != PLAN_OK) return rc;
        if ((rc = read_amount(&entry, "latency_s", MOST_S, &g.latency_s)) != PLAN_OK) return rc;
        if (above < 0 && (rc = plani_json_int_or(&entry, "part", 0, GROUPS, &g.part)) != PLAN_OK) return rc;
        plani_machine_group_t *more = grown(m, m->group, m->ngroups, &r->group_room, sizeof *more);
        if (more == NULL) return no_memory(&entry);
        m->group = more;
        int self = r->group = m->ngroups++;
        m->group[self] = g;
        if (call(&r->groups, g.name, self) != PLAN_OK) return no_memory(&entry);
        if ((rc = read_hosts(r, &entry)) != PLAN_OK) return rc;
        if ((rc = read_groups(r, &entry, self, depth + 1)) != PLAN_OK) return rc;
    }
    return PLAN_OK;
}

/* ---- channels and paths ---- */

static plan_status_t read_numbers(plani_machine_t *m, const plani_json_t *at, const char *key, size_t wanted,
                                  const double **x, size_t *n)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;

    if ((rc = plani_json_list(at, key, false, &list)) != PLAN_OK) return rc;
    *n = plani_json_size(&list);
    if (wanted != SIZE_MAX && *n != wanted)
        return plani_json_fail(&list, "holds %zu numbers; give one for each size, %zu", *n, wanted);
    double *room = plani_machine_room(m, *n, sizeof *room);
    if (room == NULL) return no_memory(at);
    *x = room;
    if ((rc = plani_json_as_numbers(&list, room)) != PLAN_OK) return rc;
    bool sizes = strcmp(key, "bytes") == 0;
    for (size_t i = 0; i < *n; i++) {
        plani_json_t number = plani_json_element(&list, i);
        if (!(room[i] >= 0)) return plani_json_fail(&number, "is %g; give a number >= 0", room[i]);
        if (sizes && i > 0 && !(room[i] > room[i - 1])) return plani_json_fail(&number, "is %g; sizes ascend", room[i]);
    }
    return PLAN_OK;
}

static plan_status_t read_channel(plani_machine_t *m, const plani_json_t *at, plani_machine_channel_t *c)
{
    plan_status_t rc = PLAN_OK;
    plan_channel_t *l = &c->ladder;
    char *name = NULL;
    size_t n;

    if ((rc = read_text(m, at, "name", true, &name)) != PLAN_OK) return rc;
    l->name = name;
    if ((rc = plani_json_bool_or(at, "network", &l->network)) != PLAN_OK) return rc;
    if ((rc = plani_json_bool_or(at, "fluid", &l->fluid)) != PLAN_OK) return rc;
    if ((rc = read_amount(at, "rendezvous_bytes", PLANI_MOST_RATE, &l->rendezvous_bytes)) != PLAN_OK) return rc;
    if ((rc = read_amount(at, "latency_s", MOST_S, &c->latency_s)) != PLAN_OK) return rc;
    if ((rc = read_amount(at, "s_per_byte", MOST_S, &c->s_per_byte)) != PLAN_OK) return rc;
    if ((rc = read_amount(at, "delay_s", MOST_S, &c->delay_s)) != PLAN_OK) return rc;
    rc = read_interval(at, "latency_s_interval", "latency_s", c->latency_s, &c->latency_interval);
    if (rc == PLAN_OK) rc = read_interval(at, "s_per_byte_interval", "s_per_byte", c->s_per_byte, &c->byte_interval);
    if (rc == PLAN_OK) rc = read_interval(at, "delay_s_interval", "delay_s", c->delay_s, &c->delay_interval);
    if (rc != PLAN_OK) return rc;
    if (!(c->latency_s + c->s_per_byte >= LEAST_COST))
        return plani_json_fail(at, "costs nothing; give latency_s or s_per_byte above 0");
    if ((rc = read_numbers(m, at, "bytes", SIZE_MAX, &l->bytes, &l->nsizes)) != PLAN_OK) return rc;
    if ((rc = read_numbers(m, at, "overhead_s", l->nsizes, &l->overhead_s, &n)) != PLAN_OK) return rc;
    if ((rc = read_numbers(m, at, "gap_s", l->nsizes, &l->gap_s, &n)) != PLAN_OK) return rc;
    if ((rc = read_numbers(m, at, "p2p_s", l->nsizes, &l->p2p_s, &n)) != PLAN_OK) return rc;
    return read_numbers(m, at, "gamma", SIZE_MAX, &l->gamma, &l->ngamma);
}

static plan_status_t read_channels(reader_t *r, const plani_json_t *doc)
{
    plan_status_t rc = PLAN_OK;
    plani_machine_t *m = r->m;
    plani_json_t list;
    void *array = NULL;

    if ((rc = read_list(m, doc, "channels", false, CHANNELS, sizeof *m->channel, &list, &array, &m->nchannels)) !=
        PLAN_OK)
        return rc;
    m->channel = array;
    for (int c = 0; c < m->nchannels; c++) {
        plani_json_t at = plani_json_element(&list, (size_t)c);
        if ((rc = read_channel(m, &at, &m->channel[c])) != PLAN_OK) return rc;
        if (call(&r->channels, m->channel[c].ladder.name, c) != PLAN_OK) return no_memory(&at);
    }
    return PLAN_OK;
}

static plan_status_t find_channel(const reader_t *r, const plani_json_t *object, const char *key, int *channel)
{
    const char *name = NULL;
    plani_json_t member = plani_json_member(object, key);
    plan_status_t rc = plani_json_string_or(object, key, &name);
    *channel = -1;
    if (rc != PLAN_OK || name == NULL) return rc;
    if ((*channel = plani_names_find(&r->channels.first, name)) < 0)
        return plani_json_fail(&member, "is \"%.40s\", which no entry of \"channels\" is called", name);
    if (plani_names_find(&r->channels.repeated, name) >= 0)
        return plani_json_fail(&member, "is \"%.40s\", which several entries of \"channels\" are called", name);
    return PLAN_OK;
}

static plan_status_t read_end(const reader_t *r, const plani_json_t *path, const char *key, int *host, int *group,
                              int *kind)
{
    plan_status_t rc = PLAN_OK;
    const plani_machine_t *m = r->m;
    plani_json_t at;
    const char *name = NULL;

    *host = *group = *kind = -1;
    if ((rc = plani_json_object(path, key, false, &at)) != PLAN_OK) return rc;
    if (at.value == NULL) return PLAN_OK;
    if ((rc = find_kind(r, &at, false, kind)) != PLAN_OK) return rc;
    if ((rc = plani_json_string_or(&at, "host", &name)) != PLAN_OK) return rc;
    plani_json_t member = plani_json_member(&at, "host");
    if (name != NULL && (*host = plani_machine_find(m, name)) < 0)
        return plani_json_fail(&member, "is \"%.60s\", which no host is called, or several are", name);
    name = NULL;
    if ((rc = plani_json_string_or(&at, "group", &name)) != PLAN_OK) return rc;
    member = plani_json_member(&at, "group");
    if (name == NULL) return PLAN_OK;
    if ((*group = plani_names_find(&r->groups.first, name)) < 0)
        return plani_json_fail(&member, "is \"%.60s\", which no group is called", name);
    if (plani_names_find(&r->groups.repeated, name) >= 0)
        return plani_json_fail(&member, "is \"%.60s\", which several groups are called", name);
    return PLAN_OK;
}

static plan_status_t read_paths(const reader_t *r, const plani_json_t *doc)
{
    plan_status_t rc = PLAN_OK;
    plani_machine_t *m = r->m;
    plani_json_t list;
    void *array = NULL;

    if ((rc = read_list(m, doc, "paths", false, PATHS, sizeof *m->path, &list, &array, &m->npaths)) != PLAN_OK)
        return rc;
    m->path = array;
    for (int i = 0; i < m->npaths; i++) {
        plani_json_t at = plani_json_element(&list, (size_t)i);
        plani_machine_path_t *p = &m->path[i];
        if ((rc = read_end(r, &at, "from", &p->from_host, &p->from_group, &p->from_kind)) != PLAN_OK) return rc;
        if ((rc = read_end(r, &at, "to", &p->to_host, &p->to_group, &p->to_kind)) != PLAN_OK) return rc;
        if ((rc = find_channel(r, &at, "channel", &p->channel)) != PLAN_OK) return rc;
        if ((rc = read_rate(&at, "flow_bytes_per_s", &p->flow_bytes_per_s)) != PLAN_OK) return rc;
        rc =
            read_interval(&at, "flow_bytes_per_s_interval", "flow_bytes_per_s", p->flow_bytes_per_s, &p->flow_interval);
        if (rc != PLAN_OK) return rc;
        if ((rc = plani_json_bool_or(&at, "likely", &p->likely)) != PLAN_OK) return rc;
    }
    return PLAN_OK;
}

/* ---- inside hosts ---- */

static plan_status_t read_memory(plani_machine_t *m, const plani_json_t *object, plani_machine_inside_t *in)
{
    plan_status_t rc = read_capacity(m, object, "memory", &in->memory);
    plani_json_t at;

    if (rc != PLAN_OK || (rc = plani_json_object(object, "memory", false, &at)) != PLAN_OK || at.value == NULL)
        return rc;
    if ((rc = plani_json_bool_or(&at, "shared", &in->memory_shared)) != PLAN_OK) return rc;
    return read_amount(&at, "latency_s", MOST_S, &in->memory_latency_s);
}

static plan_status_t read_cores(plani_machine_t *m, const plani_json_t *object, plani_machine_inside_t *in)
{
    plani_json_t at;
    plan_status_t rc = plani_json_object(object, "processors", false, &at);

    if (rc != PLAN_OK || at.value == NULL) return rc;
    if ((rc = plani_json_int_or(&at, "ranks", 1, PLANI_MAX_RANKS, &in->oversubscribed)) != PLAN_OK) return rc;
    if ((rc = read_amount(&at, "s_per_message", MOST_S, &in->oversubscribed_message_s)) != PLAN_OK) return rc;
    return read_capacity(m, &at, "copying", &in->copying);
}

static plan_status_t read_shared(plani_machine_t *m, const plani_json_t *object, plani_machine_inside_t *in)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;
    void *array = NULL;

    if ((rc = read_list(m, object, "shared_memory", false, PAIRS, sizeof *in->shared, &list, &array, &in->nshared)) !=
        PLAN_OK)
        return rc;
    in->shared = array;
    for (int i = 0; i < in->nshared; i++) {
        plani_json_t at = plani_json_element(&list, (size_t)i);
        plani_machine_shared_t *s = &in->shared[i];
        if ((rc = plani_json_int(&at, "ranks", 2, PLANI_MAX_RANKS, &s->ranks)) != PLAN_OK) return rc;
        if ((rc = read_numbers(m, &at, "bytes", SIZE_MAX, &s->bytes, &s->n)) != PLAN_OK) return rc;
        if ((rc = read_numbers(m, &at, "seconds", s->n, &s->seconds, &s->n)) != PLAN_OK) return rc;
    }
    return PLAN_OK;
}

/* What ranks of one host do, of the machine or of one of its kinds. */
static plan_status_t read_inside(const reader_t *r, const plani_json_t *object, plani_machine_inside_t *in)
{
    plan_status_t rc = PLAN_OK;
    plani_machine_t *m = r->m;
    plani_json_t at;

    if ((rc = plani_json_object(object, "inside", false, &at)) != PLAN_OK) return rc;
    for (int l = 0; l < PLANI_LEVELS; l++) {
        in->channel[l] = -1;
        if (at.value != NULL && (rc = find_channel(r, &at, plani_level_name[l], &in->channel[l])) != PLAN_OK) return rc;
    }
    if ((rc = read_memory(m, object, in)) != PLAN_OK) return rc;
    if ((rc = read_cores(m, object, in)) != PLAN_OK) return rc;
    return read_shared(m, object, in);
}

/* Kinds whose hosts differ inside. After the channels. */
static plan_status_t read_kinds_inside(const reader_t *r, const plani_json_t *doc)
{
    static const char *const key[] = {"inside", "memory", "processors", "shared_memory"};
    plan_status_t rc = PLAN_OK;
    plani_machine_t *m = r->m;
    plani_json_t list = plani_json_member(doc, "kinds");

    for (int k = 0; k < m->nkinds && rc == PLAN_OK; k++) {
        plani_json_t at = plani_json_element(&list, (size_t)k);
        bool own = false;
        for (size_t i = 0; i < sizeof key / sizeof *key; i++) own = own || json_object_get(at.value, key[i]) != NULL;
        if (!own) continue;
        if ((m->kind[k].inside = plani_machine_room(m, 1, sizeof *m->kind[k].inside)) == NULL) return no_memory(&at);
        rc = read_inside(r, &at, m->kind[k].inside);
    }
    return rc;
}

/* Where ranks of all hosts share cores. */
static plan_status_t read_all_cores(plani_machine_t *m, const plani_json_t *doc)
{
    plani_json_t at;
    plan_status_t rc = plani_json_object(doc, "processors", false, &at);

    if (rc != PLAN_OK || at.value == NULL) return rc;
    if ((rc = read_amount(&at, "all_s_per_message", MOST_S, &m->message_s)) != PLAN_OK) return rc;
    return read_amount(&at, "all_s_per_byte", MOST_S, &m->message_byte_s);
}

static plan_status_t read_machine(const plani_json_t *doc, reader_t *r)
{
    plan_status_t rc = PLAN_OK;
    plani_machine_t *m = r->m;

    if ((rc = plani_json_format(doc, "planbcast-machine", 1)) != PLAN_OK) return rc;
    if ((rc = read_text(m, doc, "name", false, &m->name)) != PLAN_OK) return rc;
    if ((rc = read_kinds(r, doc)) != PLAN_OK) return rc;
    if ((rc = read_groups(r, doc, -1, 1)) != PLAN_OK) return rc;
    if (r->known == 0) return plani_json_fail(doc, "has no hosts; give some group \"hosts\", without \"admitted\"");
    if ((rc = read_channels(r, doc)) != PLAN_OK) return rc;
    if ((rc = read_paths(r, doc)) != PLAN_OK) return rc;
    if ((rc = read_inside(r, doc, &m->inside)) != PLAN_OK) return rc;
    if ((rc = read_kinds_inside(r, doc)) != PLAN_OK) return rc;
    if ((rc = read_all_cores(m, doc)) != PLAN_OK) return rc;
    m->provenance = json_incref(json_object_get(doc->value, "provenance"));
    return PLAN_OK;
}

plan_status_t plani_machine_from_json(const plani_json_t *at, plani_machine_t **out)
{
    plani_machine_t *m = plani_machine_create();
    reader_t r = {.m = m, .kind_of = json_object()};
    plan_status_t rc = m != NULL ? read_machine(at, &r) : no_memory(at);

    json_decref(r.kind_of);
    forget(&r.groups);
    forget(&r.channels);
    if (rc == PLAN_OK)
        *out = m;
    else
        plani_machine_destroy(&m);
    return rc;
}

static plan_status_t from_cluster(const plani_json_t *doc, plani_machine_t **out)
{
    plani_cluster_t *cluster = NULL;
    plan_status_t rc = plani_cluster_from_json(doc, &cluster);

    if (rc == PLAN_OK && plani_machine_of_cluster(cluster, out) != PLAN_OK) rc = no_memory(doc);
    plani_cluster_destroy(&cluster);
    return rc;
}

plan_status_t plani_machine_parse(const char *text, size_t len, const char *file, plani_machine_t **out,
                                  plan_error_t *err)
{
    plani_json_t doc;
    plan_status_t rc = plani_json_load(text, len, file, err, &doc);

    if (rc != PLAN_OK) return rc;
    rc = plani_json_is_format(&doc, "planbcast-cluster") ? from_cluster(&doc, out) : plani_machine_from_json(&doc, out);
    plani_json_close(&doc);
    return rc;
}

plan_status_t plani_machine_load(const char *path, plani_machine_t **out, plan_error_t *err)
{
    char *text = NULL;
    size_t len = 0;
    plan_status_t rc = plani_read_file(path, PLANI_MACHINE_FILE_MOST, &text, &len, err);

    if (rc == PLAN_OK) rc = plani_machine_parse(text, len, path, out, err);
    free(text);
    return rc;
}
