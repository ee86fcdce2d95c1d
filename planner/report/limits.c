#include "planner/report/limits.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "planner/report/page.h"

__attribute__((format(printf, 5, 6))) static void add(plani_limits_t *l, bool trunk, double bytes_per_s,
                                                      plani_ends_t interval, const char *format, ...)
{
    va_list args;

    if (!(bytes_per_s > 0)) return;
    plani_limit_t *to = &l->at[l->n];
    *to = (plani_limit_t){.bytes_per_s = bytes_per_s, .interval = interval, .trunk = trunk, .nth = l->n++};
    va_start(args, format);
    vsnprintf(to->what, sizeof to->what, format, args);
    va_end(args);
}

static void add_trunk(plani_limits_t *l, const plani_capacity_t *c, const char *name, const char *way)
{
    int n = l->n;

    add(l, true, c->bytes_per_s, c->interval, "trunk of %s, %s", name, way);
    if (l->n > n) l->at[n].guess = c->guess;
}

static int slower(const void *a, const void *b)
{
    const plani_limit_t *x = a, *y = b;
    if (x->bytes_per_s != y->bytes_per_s) return x->bytes_per_s < y->bytes_per_s ? -1 : 1;
    return x->nth - y->nth;
}

/* One end of a path, in words. */
static const char *end_of(const plani_machine_t *m, int host, int group, int kind, char text[100])
{
    if (host >= 0)
        snprintf(text, 100, "%s", plani_label(m->host[host].name).s);
    else if (group >= 0 && kind >= 0)
        snprintf(text, 100, "%s in %s", plani_label(m->kind[kind].name).s, plani_label(m->group[group].name).s);
    else if (group >= 0 || kind >= 0)
        snprintf(text, 100, "%s", plani_label(group >= 0 ? m->group[group].name : m->kind[kind].name).s);
    else
        snprintf(text, 100, "any host");
    return text;
}

static void list_kind(plani_limits_t *l, const plani_machine_kind_t *k)
{
    static const plani_ends_t NONE = {0, 0};
    const plani_label_t name = plani_label(k->name);

    add(l, false, k->out.bytes_per_s, k->out.interval, "card of %s, out", name.s);
    add(l, false, k->in.bytes_per_s, k->in.interval, "card of %s, in", name.s);
    add(l, false, k->relay_bytes_per_s, NONE, "card of %s, in from other groups and out", name.s);
    if (k->inside != NULL)
        add(l, false, k->inside->memory.bytes_per_s, k->inside->memory.interval, "memory of %s", name.s);
}

plan_status_t plani_limits_list(const plani_machine_t *m, plani_limits_t *out)
{
    size_t room = 4 * (size_t)m->nkinds + 2 * (size_t)m->ngroups + (size_t)m->npaths + 1;
    plani_limits_t l = {.at = calloc(room, sizeof *l.at)};
    char from[100], to[100];

    if (l.at == NULL) return PLAN_ENOMEM;
    for (int k = 0; k < m->nkinds; k++) list_kind(&l, &m->kind[k]);
    for (int g = 0; g < m->ngroups; g++) {
        const plani_machine_group_t *group = &m->group[g];
        const plani_label_t name = plani_label(group->name);
        add_trunk(&l, &group->out, name.s, "out");
        add_trunk(&l, &group->in, name.s, "in");
    }
    add(&l, false, m->inside.memory.bytes_per_s, m->inside.memory.interval, "memory of a host");
    for (int i = 0; i < m->npaths; i++) {
        const plani_machine_path_t *p = &m->path[i];
        add(&l, false, p->flow_bytes_per_s, p->flow_interval, "one flow from %s to %s",
            end_of(m, p->from_host, p->from_group, p->from_kind, from),
            end_of(m, p->to_host, p->to_group, p->to_kind, to));
    }
    qsort(l.at, (size_t)l.n, sizeof *l.at, slower);
    *out = l;
    return PLAN_OK;
}

void plani_limits_free(plani_limits_t *limits)
{
    free(limits->at);
    *limits = (plani_limits_t){.at = NULL};
}
