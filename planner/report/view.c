#include "planner/report/view.h"
#include <gsl/gsl_sort_double.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plani_view_clear(plani_view_t *view)
{
    free(view->group);
    free(view->host);
    free(view->host_of);
    *view = (plani_view_t){.ngroups = 0};
}

static plan_status_t allocate(plani_view_t *v, int ngroups, int nhosts, int ranks)
{
    *v = (plani_view_t){.ngroups = ngroups, .nhosts = nhosts, .ranks = ranks};
    v->group = calloc((size_t)ngroups + 1, sizeof *v->group);
    v->host = calloc((size_t)nhosts + 1, sizeof *v->host);
    v->host_of = calloc((size_t)ranks + 1, sizeof *v->host_of);
    if (v->group != NULL && v->host != NULL && v->host_of != NULL) return PLAN_OK;
    plani_view_clear(v);
    return PLAN_ENOMEM;
}

static void name(char text[64], const char *known, const char *what, int number)
{
    if (known != NULL && known[0] != '\0')
        snprintf(text, 64, "%s", plani_label(known).s);
    else
        snprintf(text, 64, "%s %d", what, number);
}

/* ---- of a machine ---- */

static plani_view_host_t host_of_machine(const plani_machine_t *m, int h)
{
    const plani_machine_host_t *from = &m->host[h];
    const plani_machine_kind_t *kind = &m->kind[from->kind];
    plani_view_host_t host = {.full = from->name,
                              .group = from->group,
                              .out = kind->out.bytes_per_s,
                              .in = kind->in.bytes_per_s,
                              .machine = h};
    name(host.name, from->name, "host", h);
    return host;
}

/* The machine's host of each rank, in v->host_of. False: some host is not there, or several are called so. */
static bool find_hosts(const plani_machine_t *m, const plan_platform_data_t *d, plani_view_t *v)
{
    for (int r = 0; r < d->ranks; r++) {
        const char *at = d->host_name != NULL ? d->host_name[d->host[r]] : "";
        v->host_of[r] = plani_machine_find(m, at);
        if (v->host_of[r] < 0) return false;
    }
    return true;
}

/* Leave out the hosts that have no rank. */
static void keep_used(plani_view_t *v, const int *ranks, int *place)
{
    int kept = 0;
    for (int h = 0; h < v->nhosts; h++) {
        place[h] = kept;
        if (ranks[h] > 0) v->host[kept++] = v->host[h];
    }
    v->nhosts = kept;
    for (int r = 0; r < v->ranks; r++) v->host_of[r] = place[v->host_of[r]];
}

static plan_status_t of_machine(const plani_machine_t *m, const plan_platform_data_t *d, plani_view_t *v, bool *found)
{
    plan_status_t rc = allocate(v, m->ngroups, m->nhosts, d != NULL ? d->ranks : 0);

    *found = true;
    if (rc != PLAN_OK) return rc;
    for (int g = 0; g < m->ngroups; g++) {
        const plani_machine_group_t *from = &m->group[g];
        v->group[g] = (plani_view_group_t){
            .above = from->above, .out = from->out.bytes_per_s, .in = from->in.bytes_per_s, .machine = g};
        name(v->group[g].name, from->name, "group", g);
    }
    for (int h = 0; h < m->nhosts; h++) v->host[h] = host_of_machine(m, h);
    if (d == NULL) return PLAN_OK;
    *found = find_hosts(m, d, v);
    if (!*found) {
        plani_view_clear(v);
        return PLAN_OK;
    }
    int *ranks = calloc(2 * (size_t)m->nhosts + 1, sizeof *ranks);
    if (ranks == NULL) {
        plani_view_clear(v);
        return PLAN_ENOMEM;
    }
    for (int r = 0; r < d->ranks; r++) ranks[v->host_of[r]]++;
    keep_used(v, ranks, ranks + m->nhosts);
    free(ranks);
    return PLAN_OK;
}

/* ---- of a platform ---- */

/* The site that has all hosts of an inferred group, and no others; -1: none. */
static int site_of(const plan_platform_data_t *d, const plani_view_t *v, int group)
{
    int site = -1;
    for (int r = 0; r < d->ranks; r++)
        if (plani_view_holds(v, group, d->host[r])) site = d->site[r];
    for (int r = 0; r < d->ranks; r++)
        if ((d->site[r] == site) != plani_view_holds(v, group, d->host[r])) return -1;
    return site;
}

/* Sites are the groups where nothing tells of cards and trunks. */
static void sites_as_groups(const plan_platform_data_t *d, plani_view_t *v)
{
    v->ngroups = d->sites > 1 ? d->sites : 0;
    for (int s = 0; s < v->ngroups; s++) v->group[s] = (plani_view_group_t){.above = -1, .machine = -1};
    for (int r = 0; r < d->ranks; r++) v->host[d->host[r]].group = v->ngroups > 0 ? d->site[r] : -1;
    for (int s = 0; s < v->ngroups; s++)
        name(v->group[s].name, d->site_name != NULL ? d->site_name[s] : NULL, "site", s);
}

static void take_inferred(const plan_platform_data_t *d, const plani_cluster_t *c, plani_view_t *v)
{
    for (int g = 0; g < c->ngroups; g++)
        v->group[g] = (plani_view_group_t){.above = c->group[g].above,
                                           .out = c->group[g].trunk.out_bytes_per_s,
                                           .in = c->group[g].trunk.in_bytes_per_s,
                                           .machine = -1};
    for (int h = 0; h < v->nhosts; h++) {
        v->host[h].group = c->host[h].group;
        v->host[h].out = c->host[h].card.out_bytes_per_s;
        v->host[h].in = c->host[h].card.in_bytes_per_s;
    }
    for (int g = 0; g < c->ngroups; g++) {
        int site = site_of(d, v, g);
        if (site >= 0)
            name(v->group[g].name, d->site_name != NULL ? d->site_name[site] : NULL, "site", site);
        else
            name(v->group[g].name, NULL, "group", g);
    }
}

static plan_status_t of_platform(const plan_platform_data_t *d, plani_view_t *v)
{
    plani_cluster_t *c = NULL;
    plan_status_t rc = plani_cluster_infer(d, &c);
    int groups = c != NULL && c->ngroups > d->sites ? c->ngroups : d->sites;

    if (rc == PLAN_OK) rc = allocate(v, groups, d->hosts, d->ranks);
    if (rc == PLAN_OK) {
        v->ngroups = c != NULL ? c->ngroups : 0;
        memcpy(v->host_of, d->host, (size_t)d->ranks * sizeof *d->host);
        for (int h = 0; h < d->hosts; h++) {
            v->host[h] = (plani_view_host_t){.full = d->host_name != NULL ? d->host_name[h] : NULL, .machine = -1};
            name(v->host[h].name, v->host[h].full, "host", h);
        }
        if (c != NULL) take_inferred(d, c, v);
        if (c == NULL || c->ngroups == 0) sites_as_groups(d, v);
    }
    plani_cluster_destroy(&c);
    return rc;
}

/* ---- of a plan ---- */

static plan_status_t of_plan(const plan_data_t *p, plani_view_t *v)
{
    int hosts = 0;

    for (int r = 0; r < p->ranks; r++)
        if (p->host != NULL && p->host[r] >= hosts) hosts = p->host[r] + 1;
    if (p->host == NULL) hosts = p->ranks;
    plan_status_t rc = allocate(v, 0, hosts, p->ranks);
    if (rc != PLAN_OK) return rc;
    for (int r = 0; r < p->ranks; r++) v->host_of[r] = p->host != NULL ? p->host[r] : r;
    for (int h = 0; h < hosts; h++) {
        v->host[h] = (plani_view_host_t){.group = -1, .machine = -1};
        name(v->host[h].name, NULL, p->host != NULL ? "host" : "rank", h);
    }
    return PLAN_OK;
}

/* ---- all ---- */

static bool alike(double a, double b)
{
    return fabs(a - b) <= PLANI_ALIKE * fmax(a, b);
}

/* Hosts of about equal rates are of one kind. O(hosts kinds). */
static void find_kinds(plani_view_t *v, int *example)
{
    for (int h = 0; h < v->nhosts; h++) {
        int k = 0;
        while (k < v->nkinds &&
               (!alike(v->host[example[k]].out, v->host[h].out) || !alike(v->host[example[k]].in, v->host[h].in)))
            k++;
        if (k == v->nkinds) example[v->nkinds++] = h;
        v->host[h].kind = k;
    }
}

static void count(plani_view_t *v)
{
    for (int g = 0; g < v->ngroups; g++) {
        int above = v->group[g].above;
        v->group[g].outermost = above < 0 ? g : v->group[above].outermost;
        v->group[g].hosts = 0;
    }
    for (int h = 0; h < v->nhosts; h++) {
        v->host[h].first = -1, v->host[h].ranks = 0;
        for (int g = v->host[h].group; g >= 0; g = v->group[g].above) v->group[g].hosts++;
    }
    for (int r = v->ranks - 1; r >= 0; r--) {
        v->host[v->host_of[r]].first = r;
        v->host[v->host_of[r]].ranks++;
    }
}

static plan_status_t find_rates(plani_view_t *v)
{
    size_t n = 0;
    double *rate = malloc((2 * (size_t)v->nhosts + 2 * (size_t)v->ngroups + 1) * sizeof *rate);

    if (rate == NULL) return PLAN_ENOMEM;
    for (int h = 0; h < v->nhosts; h++) {
        if (v->host[h].out > 0) rate[n++] = v->host[h].out;
        if (v->host[h].in > 0) rate[n++] = v->host[h].in;
    }
    for (int g = 0; g < v->ngroups; g++) {
        if (v->group[g].out > 0) rate[n++] = v->group[g].out;
        if (v->group[g].in > 0) rate[n++] = v->group[g].in;
    }
    gsl_sort(rate, 1, n);
    v->median = n > 0 ? rate[n / 2] : 0;
    v->fastest = n > 0 ? rate[n - 1] : 0;
    free(rate);
    return PLAN_OK;
}

plan_status_t plani_view_create(const plani_report_t *r, plani_view_t *out)
{
    const plan_platform_data_t *d = r->pf != NULL ? plan_platform_data(r->pf) : NULL;
    bool found = false;
    plan_status_t rc = PLAN_OK;

    *out = (plani_view_t){.ngroups = 0};
    if (r->machine != NULL) rc = of_machine(r->machine, d, out, &found);
    if (rc == PLAN_OK && !found && d != NULL)
        rc = of_platform(d, out);
    else if (rc == PLAN_OK && !found)
        rc = of_plan(plan_data(r->plan), out);
    if (rc != PLAN_OK) return rc;
    count(out);
    int *example = calloc((size_t)out->nhosts + 1, sizeof *example);
    if (example == NULL)
        rc = PLAN_ENOMEM;
    else
        find_kinds(out, example);
    free(example);
    if (rc == PLAN_OK) rc = find_rates(out);
    if (rc != PLAN_OK) plani_view_clear(out);
    return rc;
}

int plani_view_outermost(const plani_view_t *v, int host)
{
    int group = v->host[host].group;
    return group < 0 ? -1 : v->group[group].outermost;
}

bool plani_view_holds(const plani_view_t *v, int group, int host)
{
    for (int g = v->host[host].group; g >= group && g >= 0; g = v->group[g].above)
        if (g == group) return true;
    return false;
}

plani_label_t plani_view_rank(const plani_view_t *v, int rank)
{
    const plani_view_host_t *host = &v->host[v->host_of[rank]];
    char text[100];

    if (host->full == NULL || host->full[0] == '\0')
        snprintf(text, sizeof text, "rank %d", rank);
    else if (host->ranks > 1 || v->ranks != v->nhosts)
        snprintf(text, sizeof text, "%.28s (%d)", host->name, rank);
    else
        snprintf(text, sizeof text, "%s", host->name);
    return plani_label(text);
}

/* ---- resources ---- */

/* The deepest group that holds two hosts or groups; -1: none. */
static int common(const plani_view_t *v, int a, int b)
{
    while (a != b && a >= 0 && b >= 0) {
        if (a > b)
            a = v->group[a].above;
        else
            b = v->group[b].above;
    }
    return a == b ? a : -1;
}

/* What all links of a resource have in common. */
typedef struct {
    bool first;
    int from, to, any; /* the host of all of them, -1: several; any: at either end of each */
    int from_group, to_group;
} ends_t;

static void add_link(const plani_view_t *v, const plan_platform_data_t *d, size_t l, int other[2], ends_t *e)
{
    int a = v->host_of[d->link[l].from], b = v->host_of[d->link[l].to];

    if (e->first) {
        *e = (ends_t){false, a, b, a, v->host[a].group, v->host[b].group};
        other[0] = a, other[1] = b;
        return;
    }
    if (e->from != a) e->from = -1;
    if (e->to != b) e->to = -1;
    for (int i = 0; i < 2; i++)
        if (other[i] >= 0 && other[i] != a && other[i] != b) other[i] = -1;
    e->any = other[0] >= 0 ? other[0] : other[1];
    e->from_group = common(v, e->from_group, v->host[a].group);
    e->to_group = common(v, e->to_group, v->host[b].group);
}

/* Whether a host at one end of the resource's links, `to` or from, is in the group. */
static bool touches(const plani_view_t *v, const plan_platform_data_t *d, const plan_resource_t *r, bool to, int group)
{
    for (size_t i = 0; i < r->nlinks; i++) {
        const plan_link_t *l = &d->link[r->link[i]];
        if (plani_view_holds(v, group, v->host_of[to ? l->to : l->from])) return true;
    }
    return false;
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

/* Two groups or two hosts alone have the same links one way: then the name tells the side. */
plani_view_place_t plani_view_place(const plani_view_t *v, const plan_platform_data_t *d, size_t resource)
{
    const plan_resource_t *r = &d->resource[resource];
    bool trunk = ends_with(r->name, " trunk out") || ends_with(r->name, " trunk in"), in = ends_with(r->name, " in");
    plani_view_place_t place = {.host = -1, .group = -1};
    ends_t e = {.first = true, .from = -1, .to = -1, .any = -1, .from_group = -1, .to_group = -1};
    int other[2] = {-1, -1};

    for (size_t i = 0; i < r->nlinks; i++) add_link(v, d, r->link[i], other, &e);
    if (!trunk && (e.from >= 0 || e.to >= 0) && e.from != e.to) {
        place.in = e.from < 0 || (e.to >= 0 && in);
        place.out = !place.in;
        place.host = place.in ? e.to : e.from;
    } else if (!trunk && e.any >= 0) {
        place.host = e.any;
    } else {
        bool leaves = e.from_group >= 0 && !touches(v, d, r, true, e.from_group);
        bool enters = e.to_group >= 0 && !touches(v, d, r, false, e.to_group);
        place.in = enters && (!leaves || in);
        place.out = leaves && !place.in;
        place.group = place.in ? e.to_group : place.out ? e.from_group : -1;
    }
    return place;
}

/* Whether the host of that number is at an end of all links of the resource. */
static bool is_at(const plan_platform_data_t *d, const plan_resource_t *r, const int *place_of, int place)
{
    for (size_t i = 0; i < r->nlinks; i++) {
        const plan_link_t *l = &d->link[r->link[i]];
        if (place_of[l->from] != place && place_of[l->to] != place) return false;
    }
    return true;
}

/* The number after a word and a blank, and what stands behind it and another one; -1: there is none. */
static int number_after(const char *text, const char *word, const char **behind)
{
    size_t n = strlen(word);
    char *end;

    if (strncmp(text, word, n) != 0 || text[n] < '0' || text[n] > '9') return -1;
    long number = strtol(text + n, &end, 10);
    *behind = end + 1;
    return *end == ' ' && number < INT_MAX ? (int)number : -1;
}

plani_resource_name_t plani_resource_name(const plan_platform_data_t *d, size_t resource)
{
    const plan_resource_t *r = &d->resource[resource];
    const char *known = NULL, *behind = "";
    int host = number_after(r->name, "host ", &behind), site = number_after(r->name, "site ", &behind);
    plani_resource_name_t text;

    if (host >= 0 && host < d->hosts && d->host_name != NULL && is_at(d, r, d->host, host))
        known = d->host_name[host];
    else if (site >= 0 && site < d->sites && d->site_name != NULL && is_at(d, r, d->site, site))
        known = d->site_name[site];
    if (known != NULL && known[0] != '\0') /* measured groups are named "site 0" in full */
        snprintf(text.s, sizeof text.s, "%.*s%s %s", strncmp(known, r->name, 5) == 0 ? 0 : 5, r->name,
                 plani_label(known).s, plani_label(behind).s);
    else
        snprintf(text.s, sizeof text.s, "%s", r->name);
    for (char *c = text.s; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    return text;
}

const plan_candidate_t *plani_report_sent(const plani_report_t *r, bool trees)
{
    const plan_ranking_t *last = r->nrankings > 0 ? r->ranking[r->nrankings - 1] : NULL;
    const plan_candidate_t *c = r->chosen;

    if (c != NULL && (trees ? plani_has_trees(c) : plani_is_sent(c))) return c;
    for (size_t i = 0; last != NULL && i < last->ncandidates; i++) {
        c = &last->candidate[i];
        if (trees ? plani_has_trees(c) : plani_is_sent(c)) return c;
    }
    return NULL;
}
