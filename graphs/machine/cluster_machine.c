/* Clusters from cluster specs, or from machines with one rank on each host. A cluster has less to say than a machine:
 * it keeps the machine, of which its platform is made. */
#include "graphs/machine/cluster.h"
#include "graphs/machine/machine.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

void plani_cluster_destroy(plani_cluster_t **cluster)
{
    if (cluster == NULL || *cluster == NULL) return;
    plani_cluster_t *c = *cluster;
    for (int g = 0; g < c->ngroups; g++) free(c->group[g].name);
    for (int h = 0; h < c->nhosts; h++) free(c->host[h].name);
    for (int s = 0; c->site_name != NULL && s < c->nsites; s++) free(c->site_name[s]);
    free(c->name);
    free(c->group);
    free(c->host);
    free(c->site_name);
    free(c->host_of);
    plani_machine_destroy(&c->machine);
    free(c);
    *cluster = NULL;
}

static char *copy_of(const char *s)
{
    size_t size = strlen(s) + 1;
    char *copy = malloc(size);
    if (copy != NULL) memcpy(copy, s, size);
    return copy;
}

static plan_status_t put_groups(plani_cluster_t *c, const plani_machine_t *m)
{
    if ((c->group = calloc((size_t)m->ngroups, sizeof *c->group)) == NULL) return PLAN_ENOMEM;
    if ((c->site_name = calloc((size_t)m->ngroups, sizeof *c->site_name)) == NULL) return PLAN_ENOMEM;
    c->group_room = (size_t)m->ngroups;
    for (int g = 0; g < m->ngroups; g++) {
        const plani_machine_group_t *from = &m->group[g];
        plani_gate_t trunk = {.in_bytes_per_s = from->in.bytes_per_s,
                              .out_bytes_per_s = from->out.bytes_per_s,
                              .latency_s = from->latency_s};
        int site = from->above < 0 ? c->nsites : c->group[from->above].site;
        if (from->above < 0 && (c->site_name[c->nsites++] = copy_of(from->name)) == NULL) return PLAN_ENOMEM;
        c->group[g] = (plani_group_t){.name = copy_of(from->name), .above = from->above, .site = site, .trunk = trunk};
        c->ngroups++;
        if (c->group[g].name == NULL) return PLAN_ENOMEM;
    }
    return PLAN_OK;
}

/* Hosts group by group, as clusters have them. */
static plan_status_t put_hosts(plani_cluster_t *c, const plani_machine_t *m, const char *file, plan_error_t *err)
{
    if ((c->host = calloc((size_t)m->nhosts, sizeof *c->host)) == NULL) return PLAN_ENOMEM;
    c->host_room = (size_t)m->nhosts;
    for (int h = 0; h < m->nhosts; h++) {
        const plani_machine_kind_t *kind = &m->kind[m->host[h].kind];
        plani_gate_t card = {.in_bytes_per_s = kind->in.bytes_per_s,
                             .out_bytes_per_s = kind->out.bytes_per_s,
                             .latency_s = kind->latency_s};
        if (!(card.in_bytes_per_s > 0 && card.out_bytes_per_s > 0))
            return plani_fail(err, PLAN_EFORMAT, "%s: kind %.60s lacks the rates of its card; %s", file, kind->name,
                              m->nhosts > 1 ? "give out and in"
                                            : "for plans among the ranks of one host save a profile "
                                              "(planbcast-mpi measure -o)");
        c->host[h] =
            (plani_host_t){.name = copy_of(m->host[h].name), .group = m->host[h].group, .ranks = 1, .card = card};
        c->nhosts++, c->ranks++;
        if (c->host[h].name == NULL) return PLAN_ENOMEM;
    }
    return PLAN_OK;
}

static plan_status_t of_machine(const plani_machine_t *m, const char *file, plani_cluster_t **out, plan_error_t *err)
{
    plani_cluster_t *c = calloc(1, sizeof *c);
    plan_status_t rc = c != NULL && (c->name = copy_of(m->name)) != NULL ? PLAN_OK : PLAN_ENOMEM;

    if (rc == PLAN_OK) rc = put_groups(c, m);
    if (rc == PLAN_OK) rc = put_hosts(c, m, file, err);
    if (rc == PLAN_OK) {
        const plani_machine_inside_t *in = plani_machine_inside(m, 0); /* a spec has one for all hosts */
        c->memory_bytes_per_s = in->memory.bytes_per_s > 0 ? in->memory.bytes_per_s : 5e9;
        c->memory_latency_s = in->memory_latency_s > 0 ? in->memory_latency_s : 5e-7;
        rc = plani_cluster_place(c, "block", 1);
    }
    if (rc == PLAN_OK)
        *out = c;
    else
        plani_cluster_destroy(&c);
    return rc == PLAN_ENOMEM ? plani_fail(err, rc, "%s: out of memory for a cluster", file) : rc;
}

/* ---- files ---- */

bool plani_cluster_is_one(const char *text)
{
    if (strstr(text, "\"planbcast-profile\"") != NULL) return false; /* holds a machine, but is none */
    return strstr(text, "\"planbcast-cluster\"") != NULL || strstr(text, "\"planbcast-machine\"") != NULL;
}

plan_status_t plani_cluster_parse(const char *text, size_t len, const char *file, plani_cluster_t **out,
                                  plan_error_t *err)
{
    plani_machine_t *m = NULL;
    plani_json_t doc;
    plan_status_t rc = plani_json_load(text, len, file, err, &doc);

    if (rc != PLAN_OK) return rc;
    if (!plani_json_is_format(&doc, "planbcast-machine"))
        rc = plani_cluster_from_json(&doc, out);
    else if ((rc = plani_machine_from_json(&doc, &m)) == PLAN_OK && (rc = of_machine(m, file, out, err)) == PLAN_OK)
        (*out)->machine = m, m = NULL;
    plani_machine_destroy(&m);
    plani_json_close(&doc);
    return rc;
}

plan_status_t plani_cluster_load(const char *path, plani_cluster_t **out, plan_error_t *err)
{
    char *text = NULL;
    size_t len = 0;
    plan_status_t rc = plani_read_file(path, PLANI_MACHINE_FILE_MOST, &text, &len, err);

    if (rc == PLAN_OK) rc = plani_cluster_parse(text, len, path, out, err);
    free(text);
    return rc;
}
