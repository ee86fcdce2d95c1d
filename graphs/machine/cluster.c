#include "graphs/machine/cluster.h"
#include "graphs/platform/json.h"
#include "lib/base/base.h"
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 16, MAX_SITES = 1000, MAX_GROUPS = 4096, MAX_HOSTS = 16384, MAX_RANKS = PLANI_MAX_RANKS };
enum { MAX_NAME = 30 };
#define MIN_RATE 1e3
#define MAX_RATE 1e11

static plan_status_t no_memory(const plani_json_t *at)
{
    return plani_fail(at->err, PLAN_ENOMEM, "out of memory for a cluster");
}

static char *copy_of(const char *s)
{
    size_t size = strlen(s) + 1;
    char *copy = malloc(size);
    if (copy != NULL) memcpy(copy, s, size);
    return copy;
}

/* --- what hosts, trunks and groups say ---------------------------------------------------------------------------- */

static plan_status_t read_rate(const plani_json_t *object, const char *key, double *rate)
{
    plan_status_t rc = plani_json_number(object, key, rate);
    plani_json_t at = plani_json_member(object, key);

    if (rc == PLAN_OK && !(*rate >= MIN_RATE && *rate <= MAX_RATE))
        rc = plani_json_fail(&at, "is %g; give bytes per second, 1e3 to 1e11", *rate);
    return rc;
}

static plan_status_t read_latency(const plani_json_t *object, double *latency_s)
{
    plan_status_t rc = plani_json_number_or(object, "latency_s", latency_s);
    plani_json_t at = plani_json_member(object, "latency_s");

    if (rc == PLAN_OK && !(*latency_s >= 0)) rc = plani_json_fail(&at, "is %g; give seconds >= 0", *latency_s);
    return rc;
}

static plan_status_t read_gate(const plani_json_t *object, plani_gate_t *gate)
{
    plan_status_t rc = PLAN_OK;

    if ((rc = read_rate(object, "in_bytes_per_s", &gate->in_bytes_per_s)) != PLAN_OK) return rc;
    if ((rc = read_rate(object, "out_bytes_per_s", &gate->out_bytes_per_s)) != PLAN_OK) return rc;
    return read_latency(object, &gate->latency_s);
}

/* "SITE-n", n counted within the site. */
static plan_status_t add_host(plani_cluster_t *c, const plani_json_t *at, plani_host_t host)
{
    char name[MAX_NAME + 32];
    int site = c->group[host.group].site;

    if (c->nhosts == MAX_HOSTS) return plani_json_fail(at, "is too much; a cluster has up to %d hosts", MAX_HOSTS);
    if (c->ranks + host.ranks > MAX_RANKS)
        return plani_json_fail(at, "is too much; a cluster has up to %d ranks", MAX_RANKS);
    plani_host_t *more = plani_grown(c->host, (size_t)c->nhosts, &c->host_room, sizeof *more);
    if (more == NULL) return no_memory(at);
    c->host = more;
    snprintf(name, sizeof name, "%.*s-%d", MAX_NAME + 1, c->site_name[site], c->nhosts - c->site_first);
    if ((host.name = copy_of(name)) == NULL) return no_memory(at);
    c->host[c->nhosts++] = host;
    c->ranks += host.ranks;
    return PLAN_OK;
}

static plan_status_t read_hosts(const plani_json_t *at, int group, plani_cluster_t *c)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;

    if ((rc = plani_json_list(at, "hosts", false, &list)) != PLAN_OK) return rc;
    for (size_t i = 0; i < plani_json_size(&list); i++) {
        plani_json_t entry = plani_json_element(&list, i);
        plani_host_t host = {.group = group, .ranks = 1};
        int count = 1;
        if ((rc = plani_json_int_or(&entry, "count", 1, MAX_HOSTS, &count)) != PLAN_OK) return rc;
        if ((rc = plani_json_int_or(&entry, "ranks", 1, MAX_RANKS, &host.ranks)) != PLAN_OK) return rc;
        if ((rc = read_gate(&entry, &host.card)) != PLAN_OK) return rc;
        for (int k = 0; k < count; k++)
            if ((rc = add_host(c, &entry, host)) != PLAN_OK) return rc;
    }
    return PLAN_OK;
}

/* A group's own name, or its site's or group's name and its number there: "a.1". */
static plan_status_t name_group(const plani_json_t *at, const plani_group_t *above, int site, plani_cluster_t *c,
                                char **out)
{
    char made[96];
    const char *name = NULL;
    plan_status_t rc = plani_json_string_or(at, "name", &name);

    if (rc != PLAN_OK) return rc;
    if (above == NULL) name = c->site_name[site];
    snprintf(made, sizeof made, "%.80s.%zu", above ? above->name : "", at->index);
    *out = copy_of(name ? name : made);
    return *out ? PLAN_OK : no_memory(at);
}

/* A site or group, its hosts, and the groups in it. */
static plan_status_t read_group(const plani_json_t *at, int above, int site, int depth, plani_cluster_t *c)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t trunk, groups;
    plani_group_t group = {.above = above, .site = site};

    if (depth > MAX_DEPTH) return plani_json_fail(at, "is nested too deeply; %d levels are allowed", MAX_DEPTH);
    if (c->ngroups == MAX_GROUPS) return plani_json_fail(at, "is one group too many; %d are allowed", MAX_GROUPS);
    if ((rc = plani_json_object(at, "trunk", false, &trunk)) != PLAN_OK) return rc;
    if (trunk.value != NULL && (rc = read_gate(&trunk, &group.trunk)) != PLAN_OK) return rc;
    plani_group_t *more = plani_grown(c->group, (size_t)c->ngroups, &c->group_room, sizeof *more);
    if (more == NULL) return no_memory(at);
    c->group = more;
    if ((rc = name_group(at, above < 0 ? NULL : &c->group[above], site, c, &group.name)) != PLAN_OK) return rc;
    int self = c->ngroups++;
    c->group[self] = group;
    if ((rc = read_hosts(at, self, c)) != PLAN_OK) return rc;
    if ((rc = plani_json_list(at, "groups", false, &groups)) != PLAN_OK) return rc;
    for (size_t i = 0; i < plani_json_size(&groups); i++) {
        plani_json_t inner = plani_json_element(&groups, i);
        if ((rc = read_group(&inner, self, site, depth + 1, c)) != PLAN_OK) return rc;
    }
    return PLAN_OK;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

/* A letter, then up to 30 letters, digits and hyphens: fit for a host name. */
static bool serves(const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < len; i++)
        if (!isascii(name[i]) || !(isalpha(name[i]) || (i > 0 && (isdigit(name[i]) || name[i] == '-')))) return false;
    return len >= 1 && len <= MAX_NAME + 1;
}

static const char *given_name(const plani_json_t *sites, size_t s)
{
    const char *name = json_string_value(json_object_get(json_array_get(sites->value, s), "name"));
    return name != NULL && serves(name) ? name : NULL;
}

/* The site's name where it serves and is the only one of its kind, else "siteK". */
static plan_status_t name_sites(const plani_json_t *sites, plani_cluster_t *c)
{
    size_t n = plani_json_size(sites);

    if ((c->site_name = calloc(n, sizeof *c->site_name)) == NULL) return no_memory(sites);
    c->nsites = (int)n;
    for (size_t s = 0; s < n; s++) {
        char made[32];
        const char *name = given_name(sites, s);
        for (size_t other = 0; other < n && name != NULL; other++) {
            const char *theirs = given_name(sites, other);
            if (other != s && theirs != NULL && strcmp(theirs, name) == 0) name = NULL;
        }
        snprintf(made, sizeof made, "site%zu", s);
        if ((c->site_name[s] = copy_of(name ? name : made)) == NULL) return no_memory(sites);
    }
    return PLAN_OK;
}

static plan_status_t read_memory(const plani_json_t *doc, plani_cluster_t *c)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t memory;

    c->memory_bytes_per_s = 5e9;
    c->memory_latency_s = 5e-7;
    if ((rc = plani_json_object(doc, "memory", false, &memory)) != PLAN_OK) return rc;
    if (memory.value != NULL) {
        plani_json_t at = plani_json_member(&memory, "bytes_per_s");
        if ((rc = plani_json_number_or(&memory, "bytes_per_s", &c->memory_bytes_per_s)) != PLAN_OK) return rc;
        if (!(c->memory_bytes_per_s >= MIN_RATE && c->memory_bytes_per_s <= 1e15))
            return plani_json_fail(&at, "is %g; give bytes per second", c->memory_bytes_per_s);
        if ((rc = read_latency(&memory, &c->memory_latency_s)) != PLAN_OK) return rc;
    }
    return PLAN_OK;
}

static plan_status_t read_burst(const plani_json_t *doc, plani_cluster_t *c)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t burst;

    if ((rc = plani_json_object(doc, "burst", false, &burst)) != PLAN_OK || burst.value == NULL) return rc;
    const struct {
        const char *key;
        double most, *value;
    } number[] = {{"seconds", 1e3, &c->burst_s}, {"bytes", 1e12, &c->burst_bytes}};
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
        plani_json_t at = plani_json_member(&burst, number[k].key);
        if ((rc = plani_json_number_or(&burst, number[k].key, number[k].value)) != PLAN_OK) return rc;
        if (!(*number[k].value >= 0 && *number[k].value <= number[k].most))
            return plani_json_fail(&at, "is %g; give 0 to %g", *number[k].value, number[k].most);
    }
    return PLAN_OK;
}

static plan_status_t read_placement(const plani_json_t *doc, plani_cluster_t *c)
{
    plan_status_t rc = PLAN_OK;
    const char *placement = "block";
    size_t seed = 1;
    plani_json_t at = plani_json_member(doc, "placement");

    if ((rc = plani_json_string_or(doc, "placement", &placement)) != PLAN_OK) return rc;
    if ((rc = plani_json_size_t_or(doc, "seed", &seed)) != PLAN_OK) return rc;
    if ((rc = plani_cluster_place(c, placement, seed)) == PLAN_EINVAL)
        return plani_json_fail(&at, "is \"%.40s\"; it should be \"block\", \"cyclic\" or \"shuffled\"", placement);
    return rc == PLAN_OK ? PLAN_OK : no_memory(doc);
}

static plan_status_t read_cluster(const plani_json_t *doc, plani_cluster_t *c)
{
    plan_status_t rc = PLAN_OK;
    const char *name = "";
    plani_json_t sites;

    if ((rc = plani_json_format(doc, "planbcast-cluster", 1)) != PLAN_OK) return rc;
    if ((rc = plani_json_string_or(doc, "name", &name)) != PLAN_OK) return rc;
    if ((c->name = copy_of(name)) == NULL) return no_memory(doc);
    if ((rc = read_memory(doc, c)) != PLAN_OK) return rc;
    if ((rc = read_burst(doc, c)) != PLAN_OK) return rc;
    if ((rc = plani_json_list(doc, "sites", true, &sites)) != PLAN_OK) return rc;
    if (plani_json_size(&sites) < 1 || plani_json_size(&sites) > MAX_SITES)
        return plani_json_fail(&sites, "holds %zu sites; give 1 to %d", plani_json_size(&sites), MAX_SITES);
    if ((rc = name_sites(&sites, c)) != PLAN_OK) return rc;
    for (size_t s = 0; s < plani_json_size(&sites); s++) {
        plani_json_t at = plani_json_element(&sites, s);
        c->site_first = c->nhosts;
        if ((rc = read_group(&at, -1, (int)s, 1, c)) != PLAN_OK) return rc;
        if (c->nhosts == c->site_first) return plani_json_fail(&at, "has no hosts; give it some or remove it");
    }
    return read_placement(doc, c);
}

plan_status_t plani_cluster_from_json(const plani_json_t *doc, plani_cluster_t **out)
{
    plani_cluster_t *c = calloc(1, sizeof *c);
    plan_status_t rc = c != NULL ? read_cluster(doc, c) : no_memory(doc);

    if (rc == PLAN_OK) *out = c, c = NULL;
    plani_cluster_destroy(&c);
    return rc;
}
