/* A cluster spec as machine: its hosts without their ranks. */
#include "graphs/machine/cluster.h"
#include "graphs/machine/machine.h"
#include "lib/base/base.h"
#include <stdio.h>

static plani_capacity_t capacity(const plani_cluster_t *c, double bytes_per_s)
{
    return (plani_capacity_t){.bytes_per_s = bytes_per_s,
                              .burst_bytes = bytes_per_s > 0 ? plani_max(c->burst_bytes, c->burst_s * bytes_per_s) : 0};
}

static bool is_kind(const plani_machine_kind_t *kind, const plani_gate_t *card)
{
    return kind->out.bytes_per_s == card->out_bytes_per_s && kind->in.bytes_per_s == card->in_bytes_per_s &&
           kind->latency_s == card->latency_s;
}

/* The kind of hosts with this card, made if it is new; -1: no memory. */
static int kind_of(plani_machine_t *m, const plani_cluster_t *c, const plani_gate_t *card)
{
    char name[32];
    int k = 0;

    while (k < m->nkinds && !is_kind(&m->kind[k], card)) k++;
    if (k < m->nkinds) return k;
    snprintf(name, sizeof name, "kind %d", k);
    m->kind[k] = (plani_machine_kind_t){.name = plani_machine_text(m, name),
                                        .signature = plani_machine_text(m, ""),
                                        .out = capacity(c, card->out_bytes_per_s),
                                        .in = capacity(c, card->in_bytes_per_s),
                                        .shared_out = true,
                                        .shared_in = true,
                                        .latency_s = card->latency_s};
    if (m->kind[k].name == NULL || m->kind[k].signature == NULL) return -1;
    return m->nkinds++;
}

static plan_status_t put_hosts(plani_machine_t *m, const plani_cluster_t *c)
{
    if ((m->kind = plani_machine_room(m, (size_t)c->nhosts, sizeof *m->kind)) == NULL) return PLAN_ENOMEM;
    for (int h = 0; h < c->nhosts; h++) {
        int kind = kind_of(m, c, &c->host[h].card);
        if (kind < 0 || plani_machine_add_host(m, c->host[h].name, c->host[h].group, kind) != PLAN_OK)
            return PLAN_ENOMEM;
    }
    return PLAN_OK;
}

static plan_status_t put_groups(plani_machine_t *m, const plani_cluster_t *c)
{
    if ((m->group = plani_machine_room(m, (size_t)c->ngroups, sizeof *m->group)) == NULL) return PLAN_ENOMEM;
    for (int g = 0; g < c->ngroups; g++) {
        const plani_group_t *from = &c->group[g];
        char name[160];
        snprintf(name, sizeof name, "%s %.140s", from->above < 0 ? "site" : "group", from->name);
        m->group[g] = (plani_machine_group_t){.name = plani_machine_text(m, name),
                                              .above = from->above,
                                              .out = capacity(c, from->trunk.out_bytes_per_s),
                                              .in = capacity(c, from->trunk.in_bytes_per_s),
                                              .latency_s = from->trunk.latency_s};
        if (m->group[g].name == NULL) return PLAN_ENOMEM;
    }
    m->ngroups = c->ngroups;
    return PLAN_OK;
}

plan_status_t plani_machine_of_cluster(const plani_cluster_t *c, plani_machine_t **out)
{
    plani_machine_t *m = plani_machine_create();
    plan_status_t rc = m == NULL ? PLAN_ENOMEM : PLAN_OK;

    if (rc == PLAN_OK && (m->name = plani_machine_text(m, c->name)) == NULL) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = put_hosts(m, c);
    if (rc == PLAN_OK) rc = put_groups(m, c);
    if (rc == PLAN_OK) {
        m->inside.memory.bytes_per_s = c->memory_bytes_per_s;
        m->inside.memory_latency_s = c->memory_latency_s;
        m->inside.memory_shared = true;
        *out = m;
    } else {
        plani_machine_destroy(&m);
    }
    return rc;
}
