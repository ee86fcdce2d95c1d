/* Slurm's topology.conf as machine: switches, or blocks, are groups, their nodes hosts. */
#include "graphs/machine/import.h"
#include "lib/base/base.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SWITCHES = 1 << 14, DEPTH = 16 };
#define BLANKS " \t\r\f\v"

typedef struct {
    char *name, *switches, *nodes; /* "": none given */
    double speed;
    int above, line;
} switch_t;

typedef struct {
    const char *file;
    plani_machine_t *m;
    const plani_import_t *how;
    switch_t *at;
    size_t n, room;
    int current, group, depth;
    plan_error_t *err;
} import_t;

static plan_status_t fail(const import_t *t, int line, const char *what, const char *name)
{
    return plani_fail(t->err, PLAN_EFORMAT, "%s: line %d: %s %.80s", t->file, line, what, name);
}

/* "Key=value" of a line. Keys are case-insensitive; what a machine does not need is passed over. */
static plan_status_t take_pair(import_t *t, switch_t *s, const char *key, const char *value)
{
    char **text = strcasecmp(key, "SwitchName") == 0 || strcasecmp(key, "BlockName") == 0 ? &s->name
                  : strcasecmp(key, "Switches") == 0                                      ? &s->switches
                  : strcasecmp(key, "Nodes") == 0                                         ? &s->nodes
                                                                                          : NULL;
    if (text != NULL && (*text = plani_machine_text(t->m, value)) == NULL)
        return plani_fail(t->err, PLAN_ENOMEM, "%s: out of memory for a machine", t->file);
    if (strcasecmp(key, "LinkSpeed") == 0 && (!plani_read_real(value, &s->speed) || !(s->speed > 0)))
        return fail(t, s->line, "LinkSpeed should be a number above 0, not", value);
    return PLAN_OK;
}

/* The pairs of a line: blanks may be around '=', and in a value in quotes. */
static plan_status_t take_pairs(import_t *t, switch_t *s, char *at)
{
    plan_status_t rc = PLAN_OK;
    for (at += strspn(at, BLANKS); rc == PLAN_OK && *at != '\0'; at += strspn(at, BLANKS)) {
        char *key = at, *end = at + strcspn(at, BLANKS "="), *value = end + strspn(end, BLANKS);
        if (*value != '=' || end == key) {
            key[strcspn(key, BLANKS)] = '\0';
            return fail(t, s->line, "give Key=value, not", key);
        }
        value += 1 + strspn(value + 1, BLANKS);
        bool quoted = *value == '"';
        value += quoted;
        at = value + strcspn(value, quoted ? "\"" : BLANKS);
        if (quoted && *at == '\0') return fail(t, s->line, "a quotation mark is missing after", value);
        *end = '\0';
        if (*at != '\0') *at++ = '\0';
        rc = take_pair(t, s, key, value);
    }
    return rc;
}

/* One line, without comments. */
static plan_status_t take_line(import_t *t, char *line, int number)
{
    static char none[] = "";
    switch_t s = {.name = none, .switches = none, .nodes = none, .above = -1, .line = number};
    plan_status_t rc = take_pairs(t, &s, line);

    if (rc != PLAN_OK || (s.name[0] == '\0' && s.switches[0] == '\0' && s.nodes[0] == '\0')) return rc;
    if (s.name[0] == '\0') return fail(t, number, "a switch has no SwitchName", "");
    if ((s.switches[0] == '\0') == (s.nodes[0] == '\0')) return fail(t, number, "give Switches or Nodes to", s.name);
    if (t->n == SWITCHES) return fail(t, number, "too many switches:", s.name);
    switch_t *more = plani_grown(t->at, t->n, &t->room, sizeof *more);
    if (more == NULL) return plani_fail(t->err, PLAN_ENOMEM, "%s: out of memory for a machine", t->file);
    t->at = more;
    t->at[t->n++] = s;
    return PLAN_OK;
}

/* As Slurm reads lines: a comment ends with its line; what ends with a backslash, but for blanks, goes on in the next
 * line, without a blank between. Uses up the text. */
static plan_status_t take_lines(import_t *t, char *text)
{
    plan_status_t rc = PLAN_OK;
    char *line = text, *end = text; /* the line so far */
    int first = 1;

    for (int number = 1; rc == PLAN_OK && *text != '\0'; number++) {
        size_t len = strcspn(text, "\n"), used = strcspn(text, "#\n");
        char *next = text + len + (text[len] == '\n'), *last = end + used;
        memmove(end, text, used);
        while (last > end && strchr(BLANKS, last[-1]) != NULL) last--;
        bool goes_on = last > end && last[-1] == '\\';
        end = last - goes_on;
        text = next;
        if (goes_on && *text != '\0') continue;
        *end = '\0';
        rc = take_line(t, line, first);
        line = end = text;
        first = number + 1;
    }
    return rc;
}

/* ---- who is above whom ---- */

static plan_status_t adopt(void *context, const char *name)
{
    import_t *t = context;
    int line = t->at[t->current].line, child = 0;

    while (child < (int)t->n && strcmp(t->at[child].name, name) != 0) child++;
    if (child == (int)t->n) return fail(t, line, "there is no switch", name);
    if (t->at[child].above >= 0 || child == t->current) return fail(t, line, "two switches are above", name);
    t->at[child].above = t->current;
    return PLAN_OK;
}

static plan_status_t connect(import_t *t)
{
    for (t->current = 0; t->current < (int)t->n; t->current++) {
        const switch_t *s = &t->at[t->current];
        const char *why = NULL;
        if (s->switches[0] == '\0') continue;
        plan_status_t rc = plani_host_list(s->switches, adopt, t, &why);
        if (rc != PLAN_OK) return why != NULL ? fail(t, s->line, why, s->switches) : rc;
    }
    for (size_t i = 0; i < t->n; i++) {
        int depth = 0;
        for (int s = (int)i; s >= 0 && depth <= DEPTH; s = t->at[s].above) depth++;
        if (depth > DEPTH) return fail(t, t->at[i].line, "switches in a circle, or too deep, above", t->at[i].name);
        for (size_t k = 0; k < i; k++)
            if (strcmp(t->at[k].name, t->at[i].name) == 0)
                return fail(t, t->at[i].line, "another switch is called", t->at[i].name);
    }
    return PLAN_OK;
}

/* ---- the machine ---- */

static plan_status_t add_host(void *context, const char *name)
{
    import_t *t = context;
    if (t->m->nhosts == PLANI_MACHINE_HOSTS)
        return plani_fail(t->err, PLAN_EFORMAT, "%s: line %d: too many hosts; a machine has up to %d", t->file,
                          t->at[t->current].line, PLANI_MACHINE_HOSTS);
    return plani_machine_add_host(t->m, name, t->group, 0) == PLAN_OK
               ? PLAN_OK
               : plani_fail(t->err, PLAN_ENOMEM, "%s: out of memory for a machine", t->file);
}

static plan_status_t put_switch(import_t *t, int which, int above)
{
    const switch_t *s = &t->at[t->current = which];
    plani_machine_group_t *g = &t->m->group[t->group = t->m->ngroups++];
    int self = t->group;
    const char *why = NULL;
    double rate = above >= 0 ? s->speed * t->how->speed_unit : 0;

    if (rate != 0 && !(rate >= PLANI_LEAST_RATE && rate <= PLANI_MOST_RATE))
        return plani_fail(t->err, PLAN_EFORMAT, "%s: line %d: LinkSpeed is %g B/s; a rate is %g to %g", t->file,
                          s->line, rate, PLANI_LEAST_RATE, PLANI_MOST_RATE);
    *g = (plani_machine_group_t){.name = s->name,
                                 .above = above,
                                 .out = {.bytes_per_s = rate},
                                 .in = {.bytes_per_s = rate},
                                 .latency_s = t->how->latency_s};
    plan_status_t rc = s->nodes[0] != '\0' ? plani_host_list(s->nodes, add_host, t, &why) : PLAN_OK;
    if (rc != PLAN_OK) return why != NULL ? fail(t, s->line, why, s->nodes) : rc;
    for (int i = 0; i < (int)t->n && rc == PLAN_OK; i++)
        if (t->at[i].above == which) rc = put_switch(t, i, self);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* Every node has one switch. */
static plan_status_t check_hosts(const import_t *t)
{
    size_t n = (size_t)t->m->nhosts;
    const char **name = malloc((n + 1) * sizeof *name);
    plan_status_t rc = PLAN_OK;

    if (name == NULL) return plani_fail(t->err, PLAN_ENOMEM, "%s: out of memory for a machine", t->file);
    for (size_t h = 0; h < n; h++) name[h] = t->m->host[h].name;
    qsort(name, n, sizeof *name, by_name);
    for (size_t h = 1; h < n && rc == PLAN_OK; h++)
        if (strcmp(name[h], name[h - 1]) == 0)
            rc = plani_fail(t->err, PLAN_EFORMAT, "%s: node %.80s is at two switches", t->file, name[h]);
    if (n == 0) rc = plani_fail(t->err, PLAN_EFORMAT, "%s: no switch has Nodes; is it a topology.conf?", t->file);
    free(name);
    return rc;
}

static plan_status_t put_kind(import_t *t)
{
    plani_machine_t *m = t->m;
    if ((m->kind = plani_machine_room(m, 1, sizeof *m->kind)) == NULL) return PLAN_ENOMEM;
    m->nkinds = 1;
    *m->kind = (plani_machine_kind_t){.name = plani_machine_text(m, "node"),
                                      .signature = plani_machine_text(m, ""),
                                      .out = {.bytes_per_s = t->how->out_bytes_per_s},
                                      .in = {.bytes_per_s = t->how->in_bytes_per_s},
                                      .shared_out = true,
                                      .shared_in = true,
                                      .latency_s = t->how->latency_s};
    m->inside.memory.bytes_per_s = t->how->memory_bytes_per_s;
    m->inside.memory_latency_s = 5e-7;
    m->inside.memory_shared = true;
    m->name = plani_machine_text(m, t->file);
    m->group = plani_machine_room(m, t->n, sizeof *m->group);
    bool all = m->kind->name != NULL && m->kind->signature != NULL && m->name != NULL && m->group != NULL;
    return all ? PLAN_OK : PLAN_ENOMEM;
}

plan_status_t plani_import_slurm(char *text, const char *file, const plani_import_t *how, plani_machine_t **out,
                                 plan_error_t *err)
{
    import_t t = {.file = file, .how = how, .err = err, .m = plani_machine_create()};
    plan_status_t rc = t.m == NULL ? plani_fail(err, PLAN_ENOMEM, "%s: out of memory", file) : PLAN_OK;

    if (rc == PLAN_OK) rc = take_lines(&t, text);
    if (rc == PLAN_OK) rc = connect(&t);
    if (rc == PLAN_OK && (rc = put_kind(&t)) != PLAN_OK) plani_fail(err, rc, "%s: out of memory for a machine", file);
    for (int i = 0; i < (int)t.n && rc == PLAN_OK; i++)
        if (t.at[i].above < 0) rc = put_switch(&t, i, -1);
    if (rc == PLAN_OK) rc = check_hosts(&t);
    free(t.at);
    if (rc == PLAN_OK)
        *out = t.m;
    else
        plani_machine_destroy(&t.m);
    return rc;
}
