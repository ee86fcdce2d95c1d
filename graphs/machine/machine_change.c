/* A card or trunk of a machine whose rate has changed. */
#include "graphs/machine/machine.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

plan_status_t plani_machine_copy(const plani_machine_t *m, plani_machine_t **out)
{
    char *text = NULL;
    plan_status_t rc = plani_machine_to_json(m, &text);

    if (rc == PLAN_OK) rc = plani_machine_parse(text, strlen(text), "a machine", out, NULL);
    free(text);
    return rc;
}

/* Whether a host is in this group or below it. */
static bool is_below(const plani_machine_t *m, int host, int group)
{
    int g = m->host[host].group;
    while (g > group) g = m->group[g].above; /* numbers fall on the way up */
    return g == group;
}

bool plani_machine_part_holds(const plani_machine_t *m, plani_machine_part_t part, int host)
{
    return part.trunk ? is_below(m, host, part.which) : host == part.which;
}

/* ---- kinds ---- */

/* The path with another kind at one end or both; false: the path does not name this kind there. */
static bool vary(const plani_machine_path_t *p, int kind, int other, bool from, bool to, plani_machine_path_t *out)
{
    if ((from && p->from_kind != kind) || (to && p->to_kind != kind)) return false;
    *out = *p;
    if (from) out->from_kind = other;
    if (to) out->to_kind = other;
    return true;
}

/* Add paths for another kind that equal those of this kind. */
static plan_status_t widen_paths(plani_machine_t *m, int kind, int other)
{
    plani_machine_path_t *path = plani_machine_room(m, 4 * (size_t)m->npaths, sizeof *path);
    int n = 0;

    if (path == NULL) return PLAN_ENOMEM;
    for (int i = 0; i < m->npaths; i++)
        for (int ends = 0; ends < 4; ends++)
            n += ends == 0 ? (path[n] = m->path[i], 1)
                           : vary(&m->path[i], kind, other, ends & 1, (ends & 2) != 0, &path[n]);
    m->path = path, m->npaths = n;
    return PLAN_OK;
}

/* A name that no kind has: the host's, or with primes. */
static char *new_name(plani_machine_t *m, const char *host)
{
    size_t len = strlen(host), size = len + (size_t)m->nkinds + 1;
    char *name = plani_machine_room(m, size, 1);

    if (name == NULL) return NULL;
    memcpy(name, host, len);
    for (int k = 0; k < m->nkinds; k++) {
        if (strcmp(m->kind[k].name, name) != 0) continue;
        name[len++] = '\'';
        k = -1;
    }
    return name;
}

static plan_status_t copy_kind(plani_machine_t *m, const char *host, plani_machine_kind_t *kind)
{
    plani_machine_kind_t copy = *kind;
    plan_status_t rc;

    if ((copy.name = new_name(m, host)) == NULL) return PLAN_ENOMEM;
    if ((rc = plani_machine_capacity(m, &kind->out, &copy.out)) != PLAN_OK) return rc;
    if ((rc = plani_machine_capacity(m, &kind->in, &copy.in)) != PLAN_OK) return rc;
    kind[0] = copy;
    return PLAN_OK;
}

/* Give a host a kind of its own, if others are of the same. */
static plan_status_t part_from_kind(plani_machine_t *m, int host)
{
    int kind = m->host[host].kind, others = -1;
    plan_status_t rc;

    for (int h = 0; h < m->nhosts; h++) others += m->host[h].kind == kind;
    if (others == 0) return PLAN_OK;
    plani_machine_kind_t *all = plani_machine_room(m, (size_t)m->nkinds + 1, sizeof *all);
    if (all == NULL) return PLAN_ENOMEM;
    memcpy(all, m->kind, (size_t)m->nkinds * sizeof *all);
    all[m->nkinds] = m->kind[kind];
    if ((rc = copy_kind(m, m->host[host].name, &all[m->nkinds])) != PLAN_OK) return rc;
    if ((rc = widen_paths(m, kind, m->nkinds)) != PLAN_OK) return rc;
    json_incref(all[m->nkinds].hardware);
    m->kind = all;
    m->host[host].kind = m->nkinds++;
    return PLAN_OK;
}

/* ---- rates ---- */

static void set(plani_capacity_t *c, double bytes_per_s, plani_ends_t interval)
{
    for (size_t i = 0; i < c->npairs && c->bytes_per_s > 0; i++)
        c->pairs[i].bytes_per_s *= bytes_per_s / c->bytes_per_s;
    c->bytes_per_s = bytes_per_s;
    c->interval = interval;
    c->guess = false;
}

plan_status_t plani_machine_set_rate(plani_machine_t *m, plani_machine_part_t part, double bytes_per_s,
                                     plani_ends_t interval)
{
    plan_status_t rc = PLAN_OK;

    if (part.direction == PLANI_PART_OTHER || !(bytes_per_s > 0)) return PLAN_EINVAL;
    if (!part.trunk && (rc = part_from_kind(m, part.which)) != PLAN_OK) return rc;
    if (!part.trunk) m->host[part.which].admitted = false; /* its card is known now */
    plani_machine_kind_t *kind = part.trunk ? NULL : &m->kind[m->host[part.which].kind];
    plani_capacity_t *out = part.trunk ? &m->group[part.which].out : &kind->out,
                     *in = part.trunk ? &m->group[part.which].in : &kind->in;
    if (part.direction != PLANI_PART_IN) set(out, bytes_per_s, interval);
    if (part.direction != PLANI_PART_OUT) set(in, bytes_per_s, interval);
    return PLAN_OK;
}

/* ---- in a file ---- */

typedef struct {
    const plani_machine_t *m;
    plani_machine_part_t part;
    double bytes_per_s;
    plani_ends_t interval;
    const char *path;
} renewal_t;

/* Whether both groups hold the same of the hosts that both machines know. */
static bool is_same_group(const plani_machine_t *a, int ga, const plani_machine_t *b, int gb)
{
    for (int h = 0; h < a->nhosts; h++) {
        int same = plani_machine_find(b, a->host[h].name);
        if (same >= 0 && is_below(a, h, ga) != is_below(b, same, gb)) return false;
    }
    return true;
}

/* The group of `known` that is this one of m; -1: there is none, or it may be one of several. */
static int find_group(const plani_machine_t *known, const plani_machine_t *m, int group)
{
    int g = -1, found = -1, n = 0;

    for (int h = 0; h < m->nhosts && g < 0; h++) {
        int same = is_below(m, h, group) ? plani_machine_find(known, m->host[h].name) : -1;
        if (same >= 0) g = known->host[same].group;
    }
    for (; g >= 0; g = known->group[g].above) {
        if (!is_same_group(m, group, known, g)) continue;
        if (strcmp(known->group[g].name, m->group[group].name) == 0) return g;
        found = g, n++;
    }
    return n == 1 ? found : -1;
}

/* The same part of another machine; which < 0: it has none. */
static plani_machine_part_t find_part(const plani_machine_t *known, const plani_machine_t *m, plani_machine_part_t part)
{
    part.which = part.trunk ? find_group(known, m, part.which) : plani_machine_find(known, m->host[part.which].name);
    return part;
}

static plan_status_t say_missing(const renewal_t *r, plan_error_t *err)
{
    if (!r->part.trunk)
        return plani_fail(err, PLAN_EMISMATCH, "%s: no host there, or more than one, is called %.80s", r->path,
                          r->m->host[r->part.which].name);
    return plani_fail(err, PLAN_EMISMATCH, "%s: no group there, or more than one, has the hosts of %.80s", r->path,
                      r->m->group[r->part.which].name);
}

static plan_status_t renew(void *context, const char *old, size_t len, char **text, plan_error_t *err)
{
    const renewal_t *r = context;
    plani_machine_t *known = NULL;
    plani_machine_part_t part = r->part;
    plan_error_t why = {.text = ""};
    plan_status_t rc = PLAN_OK;

    if (old != NULL && (rc = plani_machine_parse(old, len, r->path, &known, err)) != PLAN_OK) return rc;
    if (known == NULL) {
        if (plani_machine_check_names(r->m, &why) != PLAN_OK)
            return plani_fail(err, PLAN_EMISMATCH, "%s: %s", r->path, why.text);
    } else {
        part = find_part(known, r->m, r->part);
    }
    if (part.which < 0) rc = say_missing(r, err);
    if (rc == PLAN_OK && known != NULL) rc = plani_machine_set_rate(known, part, r->bytes_per_s, r->interval);
    if (rc == PLAN_OK) rc = plani_machine_to_json(known != NULL ? known : r->m, text);
    if (rc == PLAN_ENOMEM) plani_fail(err, rc, "%s: out of memory for the machine", r->path);
    plani_machine_destroy(&known);
    return rc;
}

plan_status_t plani_machine_renew_file(const plani_machine_t *m, plani_machine_part_t part, double bytes_per_s,
                                       plani_ends_t interval, const char *path, plan_error_t *err)
{
    renewal_t r = {.m = m, .part = part, .bytes_per_s = bytes_per_s, .interval = interval, .path = path};
    return plani_update_file(path, PLANI_MACHINE_FILE_MOST, renew, &r, err);
}

/* ---- trunks without a limit ---- */

void plani_machine_fill_trunks(plani_machine_t *m)
{
    for (int g = 0; g < m->ngroups; g++) {
        double out = 0, in = 0;
        bool known = true, all = true;
        for (int h = 0; h < m->nhosts; h++) {
            const plani_machine_kind_t *k = &m->kind[m->host[h].kind];
            if (!is_below(m, h, g)) {
                all = false;
                continue;
            }
            known = known && k->out.bytes_per_s > 0 && k->in.bytes_per_s > 0;
            out += k->out.bytes_per_s, in += k->in.bytes_per_s;
        }
        if (all || !known) continue; /* nothing leaves what holds all hosts */
        if (!(m->group[g].out.bytes_per_s > 0)) m->group[g].out.bytes_per_s = out;
        if (!(m->group[g].in.bytes_per_s > 0)) m->group[g].in.bytes_per_s = in;
    }
}
