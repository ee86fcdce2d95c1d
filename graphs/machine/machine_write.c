/* Machine files: the writer. */
#include "graphs/machine/machine.h"
#include "lib/base/base.h"
#include "lib/base/text.h"
#include <stdlib.h>
#include <string.h>

static const size_t DUMP = JSON_INDENT(1) | JSON_REAL_PRECISION(12);

/* Nothing is left of an array that lacks an element: json_pack fails on it. Takes over the value. */
static void append(json_t **array, json_t *value)
{
    if (*array != NULL && json_array_append_new(*array, value) == 0) return;
    if (*array == NULL) json_decref(value);
    json_decref(*array);
    *array = NULL;
}

static json_t *numbers(const double *x, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n && array != NULL; i++) append(&array, json_real(x[i]));
    return array;
}

static void put_number(json_t *object, const char *key, double x)
{
    if (x > 0) json_object_set_new(object, key, json_real(x));
}

/* The member that says between which runs x lies; none where that is not known. */
static void put_interval(json_t *object, const char *key, plani_ends_t x)
{
    if (x.high > 0) json_object_set_new(object, key, json_pack("[f, f]", x.low, x.high));
}

static void put_true(json_t *object, const char *key, bool x)
{
    if (x) json_object_set_new(object, key, json_true());
}

static json_t *capacity(const plani_capacity_t *c)
{
    json_t *object = json_object(), *pairs = c->npairs > 0 ? json_array() : NULL;
    put_number(object, "bytes_per_s", c->bytes_per_s);
    put_interval(object, "bytes_per_s_interval", c->interval);
    put_number(object, "burst_bytes", c->burst_bytes);
    put_true(object, "guess", c->guess);
    for (size_t i = 0; i < c->npairs; i++)
        append(&pairs, json_pack("[f, i, f]", c->pairs[i].bytes, c->pairs[i].messages, c->pairs[i].bytes_per_s));
    if (c->npairs > 0 && json_object_set_new(object, "pairs", pairs) != 0) json_decref(object), object = NULL;
    return object;
}

/* ---- inside hosts ---- */

static json_t *inside(const plani_machine_t *m, const plani_machine_inside_t *in)
{
    json_t *object = json_object();
    for (int l = 0; l < PLANI_LEVELS; l++)
        if (in->channel[l] >= 0)
            json_object_set_new(object, plani_level_name[l], json_string(m->channel[in->channel[l]].ladder.name));
    return object;
}

static json_t *shared(const plani_machine_inside_t *in)
{
    json_t *array = json_array();
    for (int i = 0; i < in->nshared && array != NULL; i++)
        append(&array, json_pack("{s:i, s:o, s:o}", "ranks", in->shared[i].ranks, "bytes",
                                 numbers(in->shared[i].bytes, in->shared[i].n), "seconds",
                                 numbers(in->shared[i].seconds, in->shared[i].n)));
    return array;
}

static json_t *cores(const plani_machine_inside_t *in)
{
    json_t *object = json_object();
    if (in->oversubscribed == 0) return object;
    json_object_set_new(object, "ranks", json_integer(in->oversubscribed));
    put_number(object, "s_per_message", in->oversubscribed_message_s);
    json_object_set_new(object, "copying", capacity(&in->copying));
    return object;
}

/* The members that say what ranks of one host do, of the machine or of one of its kinds: all but empty ones. False: out
 * of memory. */
static bool put_inside(json_t *to, const plani_machine_t *m, const plani_machine_inside_t *in)
{
    static const char *const key[] = {"inside", "memory", "processors", "shared_memory"};
    json_t *memory = capacity(&in->memory), *value[] = {inside(m, in), memory, cores(in), shared(in)};
    bool made = true;

    put_true(memory, "shared", in->memory_shared);
    put_number(memory, "latency_s", in->memory_latency_s);
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        made = made && value[i] != NULL;
        if (json_array_size(value[i]) + json_object_size(value[i]) > 0)
            made = json_object_set(to, key[i], value[i]) == 0 && made;
        json_decref(value[i]);
    }
    return made;
}

static json_t *kinds(const plani_machine_t *m)
{
    json_t *array = json_array();
    for (int k = 0; k < m->nkinds && array != NULL; k++) {
        const plani_machine_kind_t *kind = &m->kind[k];
        json_t *object =
            json_pack("{s:s, s:o, s:o}", "name", kind->name, "out", capacity(&kind->out), "in", capacity(&kind->in));
        if (kind->signature[0] != '\0') json_object_set_new(object, "signature", json_string(kind->signature));
        put_true(object, "shared_out", kind->shared_out);
        put_true(object, "shared_in", kind->shared_in);
        put_true(object, "half_duplex", kind->half_duplex);
        put_number(object, "relay_bytes_per_s", kind->relay_bytes_per_s);
        put_interval(object, "relay_bytes_per_s_interval", kind->relay_interval);
        put_number(object, "latency_s", kind->latency_s);
        if (kind->hardware != NULL) json_object_set(object, "hardware", kind->hardware);
        if (kind->inside != NULL && object != NULL && !put_inside(object, m, kind->inside))
            json_decref(object), object = NULL;
        append(&array, object);
    }
    return array;
}

/* ---- groups and hosts ---- */

/* The hosts by group, then kind, known ones before admitted ones, then number. */
typedef struct {
    const plani_machine_t *m;
    const plani_machine_host_t **host; /* [m->nhosts] */
    const char **name;                 /* [m->nhosts] */
} sorted_t;

static int by_group(const void *a, const void *b)
{
    const plani_machine_host_t *x = *(const plani_machine_host_t *const *)a,
                               *y = *(const plani_machine_host_t *const *)b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->admitted != y->admitted) return x->admitted - y->admitted;
    return (x > y) - (x < y);
}

static bool sort_hosts(const plani_machine_t *m, sorted_t *s)
{
    size_t n = (size_t)m->nhosts;
    *s = (sorted_t){.m = m, .host = malloc((n + 1) * sizeof *s->host), .name = malloc((n + 1) * sizeof *s->name)};
    if (s->host == NULL || s->name == NULL) return false;
    for (size_t h = 0; h < n; h++) s->host[h] = &m->host[h];
    if (n > 0) qsort(s->host, n, sizeof *s->host, by_group);
    for (size_t i = 0; i < n; i++) s->name[i] = s->host[i]->name;
    return true;
}

static void clear(sorted_t *s)
{
    free(s->host);
    free(s->name);
}

/* How many come before those of a group. */
static size_t before(const sorted_t *s, int group)
{
    size_t low = 0, high = (size_t)s->m->nhosts;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->host[middle]->group < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of two hosts of one group. */
static bool are_listed_together(const plani_machine_host_t *a, const plani_machine_host_t *b)
{
    return a->kind == b->kind && a->admitted == b->admitted;
}

/* The hosts of a group, those of one kind in one list, and admitted ones in another. */
static json_t *hosts_of(const sorted_t *s, int group)
{
    json_t *array = json_array();
    size_t end = before(s, group + 1), next;

    for (size_t i = before(s, group); i < end; i = next) {
        const plani_machine_host_t *host = s->host[i];
        for (next = i + 1; next < end && are_listed_together(host, s->host[next]); next++) {
        }
        char *list = plani_host_list_of(next - i, s->name + i);
        json_t *object = json_pack("{s:s, s:s}", "names", list, "kind", s->m->kind[host->kind].name);
        put_true(object, "admitted", host->admitted);
        append(&array, object);
        free(list);
    }
    return array;
}

/* Those right below a group; -1: the outermost. */
static json_t *groups_in(const sorted_t *s, int above)
{
    const plani_machine_t *m = s->m;
    json_t *array = json_array();
    for (int g = above + 1; g < m->ngroups && array != NULL; g++) {
        const plani_machine_group_t *group = &m->group[g];
        if (group->above != above) continue;
        json_t *object = json_pack("{s:s}", "name", group->name), *hosts = hosts_of(s, g), *inner = groups_in(s, g);
        if (group->out.bytes_per_s > 0) json_object_set_new(object, "out", capacity(&group->out));
        if (group->in.bytes_per_s > 0) json_object_set_new(object, "in", capacity(&group->in));
        put_number(object, "latency_s", group->latency_s);
        if (above < 0 && group->part > 0) json_object_set_new(object, "part", json_integer(group->part));
        if (hosts == NULL || inner == NULL) json_decref(object), object = NULL;
        if (json_array_size(hosts) > 0) json_object_set(object, "hosts", hosts);
        if (json_array_size(inner) > 0) json_object_set(object, "groups", inner);
        json_decref(hosts);
        json_decref(inner);
        append(&array, object);
    }
    return array;
}

static json_t *channels(const plani_machine_t *m)
{
    json_t *array = json_array();
    for (int c = 0; c < m->nchannels && array != NULL; c++) {
        const plani_machine_channel_t *channel = &m->channel[c];
        const plan_channel_t *l = &channel->ladder;
        json_t *object = json_pack("{s:s, s:b, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o}", "name", l->name, "network",
                                   l->network, "latency_s", channel->latency_s, "s_per_byte", channel->s_per_byte,
                                   "delay_s", channel->delay_s, "bytes", numbers(l->bytes, l->nsizes), "overhead_s",
                                   numbers(l->overhead_s, l->nsizes), "gap_s", numbers(l->gap_s, l->nsizes), "p2p_s",
                                   numbers(l->p2p_s, l->nsizes), "gamma", numbers(l->gamma, l->ngamma));
        put_interval(object, "latency_s_interval", channel->latency_interval);
        put_interval(object, "s_per_byte_interval", channel->byte_interval);
        put_interval(object, "delay_s_interval", channel->delay_interval);
        put_true(object, "fluid", l->fluid);
        put_number(object, "rendezvous_bytes", l->rendezvous_bytes);
        append(&array, object);
    }
    return array;
}

static void put_end(const plani_machine_t *m, json_t *to, const char *end, int host, int group, int kind)
{
    json_t *place = json_object();
    if (host >= 0) json_object_set_new(place, "host", json_string(m->host[host].name));
    if (group >= 0) json_object_set_new(place, "group", json_string(m->group[group].name));
    if (kind >= 0) json_object_set_new(place, "kind", json_string(m->kind[kind].name));
    if (json_object_size(place) > 0) json_object_set(to, end, place);
    json_decref(place);
}

/* Whether this end of a path can be named: its host's name reads as that of one host, and no other one has it. */
static bool has_name(const plani_machine_t *m, int host)
{
    const char *name = host < 0 ? "" : m->host[host].name;
    return host < 0 || (name[0] != '\0' && !plani_is_host_list(name) && plani_machine_find(m, name) == host);
}

static json_t *paths(const plani_machine_t *m)
{
    json_t *array = json_array();
    for (int i = 0; i < m->npaths && array != NULL; i++) {
        const plani_machine_path_t *p = &m->path[i];
        if (!has_name(m, p->from_host) || !has_name(m, p->to_host)) continue;
        json_t *object = json_object();
        put_end(m, object, "from", p->from_host, p->from_group, p->from_kind);
        put_end(m, object, "to", p->to_host, p->to_group, p->to_kind);
        if (p->channel >= 0) json_object_set_new(object, "channel", json_string(m->channel[p->channel].ladder.name));
        put_number(object, "flow_bytes_per_s", p->flow_bytes_per_s);
        put_interval(object, "flow_bytes_per_s_interval", p->flow_interval);
        put_true(object, "likely", p->likely);
        append(&array, object);
    }
    return array;
}

static json_t *groups(const plani_machine_t *m)
{
    sorted_t s;
    json_t *array = sort_hosts(m, &s) ? groups_in(&s, -1) : NULL;
    clear(&s);
    return array;
}

static json_t *document(const plani_machine_t *m)
{
    json_t *doc =
        json_pack("{s:s, s:i, s:s, s:o, s:o, s:o, s:o}", "format", "planbcast-machine", "version", 1, "name", m->name,
                  "kinds", kinds(m), "groups", groups(m), "channels", channels(m), "paths", paths(m));
    static const char *const optional[] = {"channels", "paths"};

    for (size_t i = 0; doc != NULL && i < sizeof optional / sizeof *optional; i++)
        if (json_array_size(json_object_get(doc, optional[i])) == 0) json_object_del(doc, optional[i]);
    if (doc != NULL && !put_inside(doc, m, &m->inside)) json_decref(doc), doc = NULL;
    if (doc != NULL && m->message_s + m->message_byte_s > 0) {
        json_t *all = json_object_get(doc, "processors");
        if (all == NULL) json_object_set_new(doc, "processors", all = json_object());
        put_number(all, "all_s_per_message", m->message_s);
        put_number(all, "all_s_per_byte", m->message_byte_s);
    }
    if (doc != NULL && m->provenance != NULL) json_object_set(doc, "provenance", m->provenance);
    return doc;
}

plan_status_t plani_machine_to_json(const plani_machine_t *m, char **text)
{
    json_t *doc = document(m);
    char *dumped = doc != NULL ? json_dumps(doc, DUMP) : NULL;
    plani_text_t t = {0};

    if (dumped != NULL) plani_text_add(&t, "%s\n", dumped);
    bool made = dumped != NULL;
    free(dumped);
    json_decref(doc);
    return made ? plani_text_take(&t, text) : PLAN_ENOMEM;
}

/* ---- files ---- */

typedef struct {
    const plani_machine_t *m;
    const char *path;
    char **kept; /* as of plani_machine_kept; may be NULL */
} adding_t;

/* This may be done again, where others have changed the file. */
static plan_status_t keep(const plani_machine_t *both, const plani_machine_t *newer, char **kept)
{
    free(*kept);
    return plani_machine_kept(both, newer, kept);
}

static plan_status_t add(void *context, const char *old, size_t len, char **text, plan_error_t *err)
{
    const adding_t *adding = context;
    plani_machine_t *known = NULL, *both = NULL;
    plan_error_t why = {.text = ""};
    plan_status_t rc = PLAN_OK;

    if (old != NULL && (rc = plani_machine_parse(old, len, adding->path, &known, err)) != PLAN_OK) return rc;
    rc =
        known == NULL ? plani_machine_check_names(adding->m, &why) : plani_machine_merge(known, adding->m, &both, &why);
    if (rc != PLAN_OK) {
        plani_fail(err, rc, "%s: %s", adding->path, why.text);
    } else {
        if (both != NULL && adding->kept != NULL) rc = keep(both, adding->m, adding->kept);
        if (rc == PLAN_OK) rc = plani_machine_to_json(both != NULL ? both : adding->m, text);
        if (rc != PLAN_OK) plani_fail(err, rc, "%s: out of memory for the machine", adding->path);
    }
    plani_machine_destroy(&known);
    plani_machine_destroy(&both);
    return rc;
}

plan_status_t plani_machine_add_to_file(const plani_machine_t *m, const char *path, char **kept, plan_error_t *err)
{
    adding_t adding = {.m = m, .path = path, .kept = kept};

    if (kept != NULL) *kept = NULL;
    return plani_update_file(path, PLANI_MACHINE_FILE_MOST, add, &adding, err);
}
