/* The machine behind a platform: ways out and in that hosts share become cards and trunks of groups; and that of one
 * rank on each host. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "graphs/machine/cluster.h"
#include "graphs/machine/ways.h"
#include "lib/base/base.h"

/* [B/s] 0: no such resource has a rate. */
static double rate_of(const plan_platform_data_t *d, const plani_way_set_t *set, plani_way_t way)
{
    double most = 0;
    for (size_t i = 0; i < set->nuses; i++)
        if (set->use[i].way == way) most = plani_max(most, d->resource[set->use[i].resource].s_per_byte);
    return most > 0 ? 1 / most : 0;
}

/* Whether it limits what goes out or in. */
static bool is_gate(const plani_gate_t *gate)
{
    return gate->out_bytes_per_s > 0 || gate->in_bytes_per_s > 0;
}

static plani_gate_t gate_of(const plan_platform_data_t *d, const plani_way_set_t *set)
{
    return (plani_gate_t){.out_bytes_per_s = rate_of(d, set, PLANI_WAY_OUT),
                          .in_bytes_per_s = rate_of(d, set, PLANI_WAY_IN)};
}

/* Hosts are within all sets around them; a set that cuts through another one is left out. */
static void nest(const plan_platform_data_t *d, const plani_ways_t *ways, plani_cluster_t *c)
{
    for (size_t i = 0; i < ways->nsets; i++) {
        const plani_way_set_t *set = &ways->set[i];
        const plani_gate_t gate = gate_of(d, set);
        double inside = rate_of(d, set, PLANI_WAY_INSIDE);
        int above = c->host[set->host[0]].group;
        bool nested = is_gate(&gate);
        if (inside > 0) c->memory_bytes_per_s = fmin(c->memory_bytes_per_s, inside);
        for (int k = 0; k < set->n; k++) nested = nested && c->host[set->host[k]].group == above;
        if (!nested) continue;
        if (set->n == 1) {
            plani_gate_t *was = &c->host[set->host[0]].card;
            if (gate.out_bytes_per_s > 0) was->out_bytes_per_s = gate.out_bytes_per_s;
            if (gate.in_bytes_per_s > 0) was->in_bytes_per_s = gate.in_bytes_per_s;
            continue;
        }
        c->group[c->ngroups] = (plani_group_t){.above = above, .trunk = gate};
        for (int k = 0; k < set->n; k++) c->host[set->host[k]].group = c->ngroups;
        c->ngroups++;
    }
}

static bool any_gate(const plan_platform_data_t *d, const plani_ways_t *ways)
{
    bool any = false;
    for (size_t i = 0; i < ways->nsets && !any; i++) {
        plani_gate_t gate = gate_of(d, &ways->set[i]);
        any = is_gate(&gate);
    }
    return any;
}

/* Without a card, a host is as fast as its fastest link. */
static void fill_hosts(const plan_platform_data_t *d, plani_cluster_t *c)
{
    for (int h = 0; h < d->hosts; h++) c->host[h].group = -1;
    for (int r = 0; r < d->ranks; r++) {
        c->host_of[r] = d->host[r];
        c->host[d->host[r]].ranks++;
    }
    for (size_t l = 0; l < d->nlinks; l++) {
        int a = d->host[d->link[l].from], b = d->host[d->link[l].to];
        double rate = d->link[l].s_per_byte > 0 ? 1 / d->link[l].s_per_byte : 1e15;
        if (a == b) continue;
        c->host[a].card.out_bytes_per_s = fmax(c->host[a].card.out_bytes_per_s, rate);
        c->host[b].card.in_bytes_per_s = fmax(c->host[b].card.in_bytes_per_s, rate);
    }
}

static plan_status_t make_cluster(const plan_platform_data_t *d, const plani_ways_t *ways, plani_cluster_t **out)
{
    plani_cluster_t *c = calloc(1, sizeof *c);
    if (c == NULL) return PLAN_ENOMEM;
    c->ranks = d->ranks;
    c->memory_bytes_per_s = 1e15;
    c->group = calloc(ways->nsets + 1, sizeof *c->group);
    c->host = calloc((size_t)d->hosts, sizeof *c->host);
    c->host_of = calloc((size_t)d->ranks, sizeof *c->host_of);
    if (c->group == NULL || c->host == NULL || c->host_of == NULL) {
        plani_cluster_destroy(&c);
        return PLAN_ENOMEM;
    }
    c->nhosts = d->hosts;
    fill_hosts(d, c);
    nest(d, ways, c);
    *out = c;
    return PLAN_OK;
}

plan_status_t plani_cluster_infer(const plan_platform_data_t *d, plani_cluster_t **out)
{
    plani_ways_t ways;

    *out = NULL;
    if (d->ports != PLAN_PORTS_NONE || d->hosts < 2) return PLAN_OK;
    plan_status_t rc = plani_ways_find(d, &ways);
    if (rc == PLAN_OK && any_gate(d, &ways)) rc = make_cluster(d, &ways, out);
    plani_ways_clear(&ways);
    return rc;
}

plan_status_t plani_cluster_of_leaders(const plani_cluster_t *c, plani_cluster_t **out)
{
    size_t hosts = (size_t)c->nhosts, groups = (size_t)c->ngroups;
    plani_cluster_t *l = calloc(1, sizeof *l);
    if (l == NULL) return PLAN_ENOMEM;
    l->group = calloc(groups + 1, sizeof *l->group);
    l->host = calloc(hosts, sizeof *l->host);
    l->host_of = calloc(hosts, sizeof *l->host_of);
    if (l->group == NULL || l->host == NULL || l->host_of == NULL) {
        plani_cluster_destroy(&l);
        return PLAN_ENOMEM;
    }
    l->ngroups = c->ngroups;
    l->nhosts = l->ranks = c->nhosts;
    l->memory_bytes_per_s = c->memory_bytes_per_s, l->memory_latency_s = c->memory_latency_s;
    for (size_t g = 0; g < groups; g++)
        l->group[g] = (plani_group_t){.above = c->group[g].above, .site = c->group[g].site, .trunk = c->group[g].trunk};
    for (size_t h = 0; h < hosts; h++) {
        l->host[h] = (plani_host_t){.group = c->host[h].group, .ranks = 1, .card = c->host[h].card};
        l->host_of[h] = (int)h;
    }
    *out = l;
    return PLAN_OK;
}
