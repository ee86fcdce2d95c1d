#include "graphs/machine/machine.h"
#include "lib/base/base.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const plani_level_name[PLANI_LEVELS] = {"same L2 cache", "same L3 cache", "same package", "same host"};

plani_level_t plani_level(const plani_place_t *a, const plani_place_t *b)
{
    for (int i = 0; i < PLANI_LEVELS - 1; i++)
        if (a->place[i] >= 0 && a->place[i] == b->place[i]) return (plani_level_t)i;
    return PLANI_SAME_HOST;
}

plani_machine_t *plani_machine_create(void)
{
    plani_machine_t *m = calloc(1, sizeof *m);
    for (int l = 0; m != NULL && l < PLANI_LEVELS; l++) m->inside.channel[l] = -1;
    return m;
}

void plani_machine_destroy(plani_machine_t **machine)
{
    if (machine == NULL || *machine == NULL) return;
    plani_machine_t *m = *machine;
    for (int k = 0; m->kind != NULL && k < m->nkinds; k++) json_decref(m->kind[k].hardware);
    json_decref(m->provenance);
    for (size_t i = 0; i < m->nblocks; i++) free(m->block[i]);
    free(m->block);
    plani_names_clear(&m->names);
    free(m);
    *machine = NULL;
}

void *plani_machine_room(plani_machine_t *m, size_t n, size_t size)
{
    void **more = plani_grown(m->block, m->nblocks, &m->block_room, sizeof *more);
    if (more == NULL) return NULL;
    m->block = more;
    void *room = calloc(n + 1, size);
    if (room != NULL) m->block[m->nblocks++] = room;
    return room;
}

char *plani_machine_text(plani_machine_t *m, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = plani_machine_room(m, size, 1);
    if (copy != NULL) memcpy(copy, text, size);
    return copy;
}

plan_status_t plani_machine_capacity(plani_machine_t *m, const plani_capacity_t *from, plani_capacity_t *to)
{
    *to = *from;
    if (from->npairs == 0) return PLAN_OK;
    if ((to->pairs = plani_machine_room(m, from->npairs, sizeof *to->pairs)) == NULL) return PLAN_ENOMEM;
    memcpy(to->pairs, from->pairs, from->npairs * sizeof *to->pairs);
    return PLAN_OK;
}

/* Memory for one more host. The old array is not freed, for other copies of the pointer may be in use. */
static plan_status_t grow_hosts(plani_machine_t *m)
{
    size_t room = 2 * (size_t)m->nhosts + 16;

    if ((size_t)m->nhosts < m->host_room) return PLAN_OK;
    plani_machine_host_t *more = plani_machine_room(m, room, sizeof *more);
    if (more == NULL) return PLAN_ENOMEM;
    if (m->nhosts > 0) memcpy(more, m->host, (size_t)m->nhosts * sizeof *more);
    m->host = more;
    m->host_room = room;
    return PLAN_OK;
}

plan_status_t plani_machine_add_host(plani_machine_t *m, const char *name, int group, int kind)
{
    char *copy = plani_machine_text(m, name);

    if (copy == NULL || grow_hosts(m) != PLAN_OK) return PLAN_ENOMEM;
    int first = plani_names_add(&m->names, copy, m->nhosts);
    if (first < 0) return PLAN_ENOMEM;
    if (first < m->nhosts) m->host[first].ambiguous = true;
    m->host[m->nhosts++] = (plani_machine_host_t){.name = copy, .group = group, .kind = kind};
    return PLAN_OK;
}

int plani_machine_find(const plani_machine_t *m, const char *name)
{
    int host = plani_names_find(&m->names, name);
    return host < 0 || m->host[host].ambiguous ? -1 : host;
}

const plani_machine_inside_t *plani_machine_inside(const plani_machine_t *m, int host)
{
    const plani_machine_kind_t *kind = &m->kind[m->host[host].kind];
    return kind->inside != NULL ? kind->inside : &m->inside;
}

bool plani_kind_shares_medium(const plani_machine_kind_t *kind)
{
    return kind->half_duplex && kind->out.bytes_per_s > 0 && kind->in.bytes_per_s > 0;
}

bool plani_kind_is_guess(const plani_machine_kind_t *kind, bool out)
{
    if (plani_kind_shares_medium(kind)) return kind->out.guess || kind->in.guess;
    return out ? kind->out.guess : kind->in.guess;
}

double plani_kind_rate(const plani_machine_kind_t *kind, bool out)
{
    if (plani_kind_shares_medium(kind) && plani_kind_is_guess(kind, out))
        return 0.5 * (kind->out.bytes_per_s + kind->in.bytes_per_s);
    return out ? kind->out.bytes_per_s : kind->in.bytes_per_s;
}

static bool are_alike(const plani_machine_host_t *a, const plani_machine_host_t *b)
{
    return a->group == b->group && a->kind == b->kind;
}

void plani_machine_alike(const plani_machine_t *m, int n, const int *host, int *like)
{
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (!are_alike(&m->host[host != NULL ? host[k] : k], &m->host[host != NULL ? host[i] : i])) k++;
        like[i] = k;
    }
}

bool plani_inside_is_known(const plani_machine_inside_t *inside)
{
    for (int l = 0; l < PLANI_LEVELS; l++)
        if (inside->channel[l] >= 0) return true;
    return inside->memory.bytes_per_s > 0;
}

void plani_signature(char *text, size_t room, int packages, int cores, int threads, long mbit, const char *model)
{
    snprintf(text, room, "%d packages, %d cores, %d threads, %ld Mbit/s, %s", packages, cores, threads, mbit,
             model != NULL ? model : "unknown model");
}

double plani_validation_error(const json_t *validation)
{
    double worst = 0;
    for (size_t i = 0; i < json_array_size(validation); i++) {
        const json_t *at = json_array_get(validation, i);
        double predicted = json_number_value(json_object_get(at, "predicted_s")),
               measured = json_number_value(json_object_get(at, "measured_s"));
        if (predicted > 0 && measured > 0)
            worst = plani_max(worst, plani_max(measured / predicted, predicted / measured) - 1);
    }
    return worst;
}
