/* Which hosts of a machine a job's hosts are. */
#include "graphs/machine/machine.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

/* The only kind with this signature; -1: no kind has it, or several do, which differ in their cards. */
static int kind_of(const plani_machine_t *m, const char *signature)
{
    int found = -1;
    for (int k = 0; k < m->nkinds && signature[0] != '\0'; k++) {
        if (strcmp(m->kind[k].signature, signature) != 0) continue;
        if (found >= 0) return -1;
        found = k;
    }
    return found;
}

static bool in_one_group(const plani_machine_t *m)
{
    for (int h = 1; h < m->nhosts; h++)
        if (m->host[h].group != m->host[0].group) return false;
    return true;
}

static plan_status_t match(plani_machine_t *m, const char *name, const char *signature, bool one_group, int *host,
                           plan_error_t *err)
{
    *host = name[0] != '\0' ? plani_machine_find(m, name) : -1;
    if (*host >= 0) {
        const char *then = m->kind[m->host[*host].kind].signature;
        if (then[0] == '\0' || signature[0] == '\0' || strcmp(then, signature) == 0) return PLAN_OK;
        return plani_fail(err, PLAN_EMISMATCH, "host %s was \"%s\" there and is \"%s\" now", name, then, signature);
    }
    int kind = kind_of(m, signature);
    if (name[0] == '\0' || kind < 0 || !one_group)
        return plani_fail(err, PLAN_EMISMATCH, "it has %s %s, and %s",
                          plani_names_find(&m->names, name) < 0 ? "no host" : "several hosts called", name,
                          kind < 0 ? "no kind of hosts like it" : "several groups that it could be in");
    if (plani_machine_add_host(m, name, m->host[0].group, kind) != PLAN_OK) /* where all are */
        return plani_fail(err, PLAN_ENOMEM, "out of memory for a machine");
    *host = m->nhosts - 1;
    m->host[*host].admitted = true;
    return PLAN_OK;
}

static int part_of(const plani_machine_t *m, int host)
{
    return m->group[m->host[host].group].part;
}

/* The machine's number of each host; used [nhosts + n] lists the numbers that are taken. */
static plan_status_t match_all(plani_machine_t *m, int n, const char *const *name, const char *const *signature,
                               bool *used, int *host, plan_error_t *err)
{
    bool one_group = in_one_group(m);

    for (int i = 0; i < n; i++) {
        plan_status_t rc = match(m, name[i], signature[i], one_group, &host[i], err);
        if (rc != PLAN_OK) return rc;
        if (used[host[i]]) return plani_fail(err, PLAN_EMISMATCH, "two hosts are called %s", name[i]);
        used[host[i]] = true;
    }
    return PLAN_OK;
}

plan_status_t plani_machine_match(plani_machine_t *m, int n, const char *const *name, const char *const *signature,
                                  bool several_ranks, int *host, int *admitted, plan_error_t *err)
{
    *admitted = 0;
    bool *used = calloc((size_t)m->nhosts + (size_t)n + 1, sizeof *used);
    if (used == NULL) return plani_fail(err, PLAN_ENOMEM, "out of memory for a machine");
    plan_status_t rc = match_all(m, n, name, signature, used, host, err);
    free(used);
    for (int i = 0; i < n && rc == PLAN_OK; i++) {
        *admitted += m->host[host[i]].admitted;
        if (part_of(m, host[i]) != part_of(m, host[0]))
            rc = plani_fail(err, PLAN_EMISMATCH, "the network between host %s and host %s was not measured", name[0],
                            name[i]);
        if (several_ranks && !plani_inside_is_known(plani_machine_inside(m, host[i])))
            rc = plani_fail(err, PLAN_EMISMATCH,
                            "host %s was measured with one rank: nothing is known of messages inside it", name[i]);
    }
    return rc;
}
