/* Platform files: the parser. It checks shapes and types; plan_platform_create checks values, in the file's words. */
#include "graphs/json.h"
#include "graphs/platform_private.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE ((size_t)1 << 30) /* bytes: ten million links */

/* What is read so far: data points into the rest. */
typedef struct {
    plan_platform_data_t data;
    plan_link_t *link;
    plan_resource_t *resource;
    size_t *resource_link;
    plan_pairs_t *pairs;
    int *host, *site;
    const char **host_name, **site_name;
    double *send_s;
    plan_channel_t *channel;
    double *number; /* ladders of channels */
    plan_calibration_t *calibration;
} draft_t;

/* A link's ends and its place in the file, for resources, which name links by their ends. */
typedef struct {
    uint64_t ends;
    size_t index;
} named_t;

static void clear_draft(draft_t *d)
{
    free(d->link);
    free(d->resource);
    free(d->resource_link);
    free(d->pairs);
    free(d->host);
    free(d->site);
    free(d->host_name);
    free(d->site_name);
    free(d->send_s);
    free(d->channel);
    free(d->number);
    free(d->calibration);
}

static void *allocate(const plani_json_t *at, size_t n, size_t size, plan_status_t *rc)
{
    void *p = calloc(n ? n : 1, size);
    *rc = p != NULL ? PLAN_OK : plani_json_no_memory(at);
    return p;
}

/* --- links -------------------------------------------------------------------------------------------------------- */

static plan_status_t read_link(const plani_json_t *at, const draft_t *d, plan_link_t *l)
{
    plan_status_t rc = PLAN_OK;
    int last = d->data.ranks - 1, channels = (int)d->data.nchannels;

    *l = (plan_link_t){.channel = -1};
    if ((rc = plani_json_int(at, "from", 0, last, &l->from)) != PLAN_OK) return rc;
    if ((rc = plani_json_int(at, "to", 0, last, &l->to)) != PLAN_OK) return rc;
    if ((rc = plani_json_number(at, "latency_s", &l->latency_s)) != PLAN_OK) return rc;
    if ((rc = plani_json_number(at, "s_per_byte", &l->s_per_byte)) != PLAN_OK) return rc;
    if ((rc = plani_json_number_or(at, "delay_s", &l->delay_s)) != PLAN_OK) return rc;
    return plani_json_int_or(at, "channel", -1, channels - 1, &l->channel);
}

static plan_status_t read_links(const plani_json_t *doc, draft_t *d)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;

    if ((rc = plani_json_list(doc, "links", true, &list)) != PLAN_OK) return rc;
    size_t n = plani_json_size(&list);
    if ((d->link = allocate(&list, n, sizeof *d->link, &rc)) == NULL) return rc;
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) {
        plani_json_t at = plani_json_element(&list, i);
        rc = read_link(&at, d, &d->link[i]);
    }
    d->data.nlinks = n;
    d->data.link = d->link;
    return rc;
}

/* --- resources ---------------------------------------------------------------------------------------------------- */

static int by_ends(const void *pa, const void *pb)
{
    const named_t *a = pa, *b = pb;
    return (a->ends > b->ends) - (a->ends < b->ends);
}

static uint64_t ends_of(int from, int to)
{
    return (uint64_t)from << 32 | (uint64_t)to;
}

static plan_status_t name_links(const plani_json_t *at, const draft_t *d, named_t **out)
{
    plan_status_t rc = PLAN_OK;
    bool sorted = true;
    named_t *named = allocate(at, d->data.nlinks, sizeof *named, &rc);

    if (named == NULL) return rc;
    for (size_t i = 0; i < d->data.nlinks; i++) {
        named[i] = (named_t){ends_of(d->link[i].from, d->link[i].to), i};
        sorted = sorted && (i == 0 || named[i].ends > named[i - 1].ends);
    }
    if (!sorted) qsort(named, d->data.nlinks, sizeof *named, by_ends);
    *out = named;
    return PLAN_OK;
}

/* A table, to *next, which moves on. */
static plan_status_t read_pairs(const plani_json_t *at, plan_resource_t *r, plan_pairs_t **next)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;

    if ((rc = plani_json_list(at, "pairs", false, &list)) != PLAN_OK) return rc;
    r->pairs = *next;
    r->npairs = plani_json_size(&list);
    for (size_t k = 0; k < r->npairs; k++, (*next)++) {
        plani_json_t row = plani_json_element(&list, k), messages = {.value = NULL};
        double number[3];
        if (!json_is_array(row.value) || plani_json_size(&row) != 3)
            return plani_json_fail(&row, "should be [bytes, messages, bytes/s]");
        messages = plani_json_element(&row, 1);
        if ((rc = plani_json_as_numbers(&row, number)) != PLAN_OK) return rc;
        if ((rc = plani_json_as_int(&messages, 1, PLANI_MAX_RANKS, &(*next)->messages)) != PLAN_OK) return rc;
        (*next)->bytes = number[0], (*next)->bytes_per_s = number[2];
    }
    return PLAN_OK;
}

/* One resource; its links go to *next, which moves on. */
static plan_status_t read_resource(const plani_json_t *at, const draft_t *d, const named_t *named, plan_resource_t *r,
                                   size_t **next)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;

    if ((rc = plani_json_string_or(at, "name", &r->name)) != PLAN_OK) return rc;
    if ((rc = plani_json_number(at, "s_per_byte", &r->s_per_byte)) != PLAN_OK) return rc;
    if ((rc = plani_json_number_or(at, "s_per_message", &r->s_per_message)) != PLAN_OK) return rc;
    if ((rc = plani_json_number_or(at, "burst_bytes", &r->burst_bytes)) != PLAN_OK) return rc;
    if ((rc = plani_json_list(at, "links", true, &list)) != PLAN_OK) return rc;
    r->link = *next;
    r->nlinks = plani_json_size(&list);
    for (size_t k = 0; k < r->nlinks; k++) {
        plani_json_t pair = plani_json_element(&list, k);
        int ends[2];
        if (!json_is_array(pair.value) || plani_json_size(&pair) != 2)
            return plani_json_fail(&pair, "should be a link: [from, to]");
        if ((rc = plani_json_as_ints(&pair, 0, d->data.ranks - 1, ends)) != PLAN_OK) return rc;
        const named_t key = {ends_of(ends[0], ends[1]), 0};
        const named_t *found = bsearch(&key, named, d->data.nlinks, sizeof *named, by_ends);
        if (found == NULL)
            return plani_json_fail(&pair, "names link %d -> %d, which is not in links", ends[0], ends[1]);
        *(*next)++ = found->index;
    }
    return PLAN_OK;
}

static plan_status_t read_resources(const plani_json_t *doc, draft_t *d)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;
    named_t *named = NULL;
    size_t total = 0, npairs = 0;

    if ((rc = plani_json_list(doc, "resources", false, &list)) != PLAN_OK) return rc;
    size_t n = plani_json_size(&list);
    if (n == 0) return PLAN_OK;
    for (size_t i = 0; i < n; i++) {
        plani_json_t at = plani_json_element(&list, i);
        total += json_array_size(json_object_get(at.value, "links"));
        npairs += json_array_size(json_object_get(at.value, "pairs"));
    }
    if ((d->resource = allocate(&list, n, sizeof *d->resource, &rc)) == NULL) return rc;
    if ((d->resource_link = allocate(&list, total, sizeof *d->resource_link, &rc)) == NULL) return rc;
    if ((d->pairs = allocate(&list, npairs, sizeof *d->pairs, &rc)) == NULL) return rc;
    if ((rc = name_links(&list, d, &named)) != PLAN_OK) return rc;
    size_t *next = d->resource_link;
    plan_pairs_t *pairs = d->pairs;
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) {
        plani_json_t at = plani_json_element(&list, i);
        rc = read_resource(&at, d, named, &d->resource[i], &next);
        if (rc == PLAN_OK) rc = read_pairs(&at, &d->resource[i], &pairs);
    }
    free(named);
    d->data.nresources = n;
    d->data.resource = d->resource;
    return rc;
}

/* --- channels ----------------------------------------------------------------------------------------------------- */

/* A list of numbers of the given length (SIZE_MAX: any) to *next, which moves on. */
static plan_status_t read_ladder(const plani_json_t *at, const char *key, size_t wanted, const double **x, size_t *n,
                                 double **next)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;

    if ((rc = plani_json_list(at, key, wanted != SIZE_MAX && wanted > 0, &list)) != PLAN_OK) return rc;
    *n = plani_json_size(&list);
    if (wanted != SIZE_MAX && *n != wanted)
        return plani_json_fail(&list, "holds %zu numbers; give as many as bytes, %zu", *n, wanted);
    *x = *next;
    *next += *n;
    return plani_json_as_numbers(&list, *next - *n);
}

static plan_status_t read_channel(const plani_json_t *at, plan_channel_t *c, double **next)
{
    plan_status_t rc = PLAN_OK;
    size_t n;

    if ((rc = plani_json_string_or(at, "name", &c->name)) != PLAN_OK) return rc;
    if ((rc = plani_json_bool_or(at, "network", &c->network)) != PLAN_OK) return rc;
    if ((rc = read_ladder(at, "bytes", SIZE_MAX, &c->bytes, &c->nsizes, next)) != PLAN_OK) return rc;
    if ((rc = read_ladder(at, "overhead_s", c->nsizes, &c->overhead_s, &n, next)) != PLAN_OK) return rc;
    if ((rc = read_ladder(at, "gap_s", c->nsizes, &c->gap_s, &n, next)) != PLAN_OK) return rc;
    if ((rc = read_ladder(at, "p2p_s", c->nsizes, &c->p2p_s, &n, next)) != PLAN_OK) return rc;
    return read_ladder(at, "gamma", SIZE_MAX, &c->gamma, &c->ngamma, next);
}

static plan_status_t read_channels(const plani_json_t *doc, draft_t *d)
{
    static const char *const ladders[] = {"bytes", "overhead_s", "gap_s", "p2p_s", "gamma"};
    plan_status_t rc = PLAN_OK;
    plani_json_t list;
    size_t total = 0;

    if ((rc = plani_json_list(doc, "channels", false, &list)) != PLAN_OK) return rc;
    size_t n = plani_json_size(&list);
    if (n == 0) return PLAN_OK;
    if (n > PLANI_MAX_RANKS) return plani_json_fail(&list, "holds %zu channels; that is beyond reason", n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof ladders / sizeof *ladders; k++)
            total += json_array_size(json_object_get(json_array_get(list.value, i), ladders[k]));
    if ((d->channel = allocate(&list, n, sizeof *d->channel, &rc)) == NULL) return rc;
    if ((d->number = allocate(&list, total, sizeof *d->number, &rc)) == NULL) return rc;
    double *next = d->number;
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) {
        plani_json_t at = plani_json_element(&list, i);
        rc = read_channel(&at, &d->channel[i], &next);
    }
    d->data.nchannels = n;
    d->data.channel = d->channel;
    return rc;
}

/* --- calibrations ------------------------------------------------------------------------------------------------- */

static plan_status_t read_calibrations(const plani_json_t *doc, draft_t *d)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;

    if ((rc = plani_json_list(doc, "calibrations", false, &list)) != PLAN_OK) return rc;
    size_t n = plani_json_size(&list);
    if (n == 0) return PLAN_OK;
    if ((d->calibration = allocate(&list, n, sizeof *d->calibration, &rc)) == NULL) return rc;
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) {
        plani_json_t at = plani_json_element(&list, i);
        plan_calibration_t *c = &d->calibration[i];
        rc = plani_json_string_or(&at, "candidate", &c->candidate);
        if (rc == PLAN_OK) rc = plani_json_number(&at, "scale", &c->scale);
        if (rc == PLAN_OK) rc = plani_json_number_or(&at, "level_s", &c->level_s);
        if (rc == PLAN_OK) rc = plani_json_number_or(&at, "error_without", &c->error_without);
        if (rc == PLAN_OK) rc = plani_json_number_or(&at, "error_with", &c->error_with);
    }
    d->data.ncalibrations = n;
    d->data.calibration = d->calibration;
    return rc;
}

/* --- ranks: hosts, sites, ports ----------------------------------------------------------------------------------- */

/* hosts and host_names, or sites and site_names. */
static plan_status_t read_places(const plani_json_t *doc, int ranks, const char *key, const char *names_key,
                                 int **place, const char ***name, int *nnames)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list, names;
    int most = 0;

    if ((rc = plani_json_list_of_ranks(doc, key, false, ranks, &list)) != PLAN_OK) return rc;
    if (list.value == NULL) return PLAN_OK; /* names without places say nothing */
    if ((*place = allocate(&list, (size_t)ranks, sizeof **place, &rc)) == NULL) return rc;
    if ((rc = plani_json_as_ints(&list, 0, ranks - 1, *place)) != PLAN_OK) return rc;
    for (int r = 0; r < ranks; r++)
        if ((*place)[r] >= most) most = (*place)[r] + 1;
    if ((rc = plani_json_list(doc, names_key, false, &names)) != PLAN_OK || names.value == NULL) return rc;
    if (plani_json_size(&names) != (size_t)most)
        return plani_json_fail(&names, "holds %zu names; %s has %d of them", plani_json_size(&names), key, most);
    if ((*name = allocate(&names, (size_t)most, sizeof **name, &rc)) == NULL) return rc;
    for (int i = 0; i < most && rc == PLAN_OK; i++) {
        plani_json_t at = plani_json_element(&names, (size_t)i);
        rc = plani_json_as_string(&at, &(*name)[i]);
    }
    *nnames = most;
    return rc;
}

static plan_status_t read_ports(const plani_json_t *doc, draft_t *d)
{
    plan_status_t rc = PLAN_OK;
    const char *ports = "one";
    plani_json_t list;

    if ((rc = plani_json_string_or(doc, "ports", &ports)) != PLAN_OK) return rc;
    bool multi = strcmp(ports, "multi") == 0;
    if (!multi && strcmp(ports, "one") != 0) {
        plani_json_t at = plani_json_member(doc, "ports");
        return plani_json_fail(&at, "is \"%.40s\"; it should be \"one\" or \"multi\"", ports);
    }
    if ((rc = plani_json_list_of_ranks(doc, "send_s", multi, d->data.ranks, &list)) != PLAN_OK) return rc;
    if (!multi && list.value != NULL)
        return plani_json_fail(&list, "needs \"ports\": \"multi\"; add it or remove this");
    if (!multi) return PLAN_OK;
    if ((d->send_s = allocate(&list, (size_t)d->data.ranks, sizeof *d->send_s, &rc)) == NULL) return rc;
    d->data.send_s = d->send_s;
    return plani_json_as_numbers(&list, d->send_s);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static plan_status_t read_draft(const plani_json_t *doc, draft_t *d)
{
    plan_status_t rc = PLAN_OK;
    plan_platform_data_t *p = &d->data;

    if ((rc = plani_json_string_or(doc, "name", &p->name)) != PLAN_OK) return rc;
    if ((rc = plani_json_int(doc, "ranks", 1, PLANI_MAX_RANKS, &p->ranks)) != PLAN_OK) return rc;
    if ((rc = read_channels(doc, d)) != PLAN_OK) return rc;
    if ((rc = read_links(doc, d)) != PLAN_OK) return rc;
    if ((rc = read_resources(doc, d)) != PLAN_OK) return rc;
    if ((rc = read_calibrations(doc, d)) != PLAN_OK) return rc;
    if ((rc = read_places(doc, p->ranks, "hosts", "host_names", &d->host, &d->host_name, &p->hosts)) != PLAN_OK)
        return rc;
    if ((rc = read_places(doc, p->ranks, "sites", "site_names", &d->site, &d->site_name, &p->sites)) != PLAN_OK)
        return rc;
    p->host = d->host, p->host_name = d->host_name;
    p->site = d->site, p->site_name = d->site_name;
    return read_ports(doc, d);
}

plan_status_t plani_platform_from_json(const plani_json_t *at, plan_platform_t **out)
{
    plan_status_t rc = PLAN_OK;
    draft_t draft = {.data = {.name = NULL}};
    plan_error_t why = {.status = PLAN_OK};
    plan_platform_t *pf = NULL;

    if ((rc = read_draft(at, &draft)) != PLAN_OK) goto done;
    if ((rc = plan_platform_create(&draft.data, &pf, &why)) == PLAN_ENOMEM) {
        plani_fail(at->err, rc, "%s", why.text);
        goto done;
    }
    if (rc != PLAN_OK) { /* create names places within the platform, so they are members of `at` */
        plani_json_t member = plani_json_member(at, why.text);
        rc = plani_json_fail(&member, "%s", "");
        goto done;
    }
    *out = pf, pf = NULL;
done:
    clear_draft(&draft);
    plan_platform_destroy(&pf);
    return rc;
}

static bool is_xml(const char *text, size_t len)
{
    size_t i = 0;
    while (i < len && strchr(" \t\r\n", text[i]) != NULL && text[i] != '\0') i++;
    return i < len && text[i] == '<';
}

plan_status_t plan_platform_parse(const char *text, size_t len, const char *name_for_errors, plan_platform_t **out,
                                  plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t doc, inner;

    if (text == NULL || out == NULL) return plani_fail(err, PLAN_EINVAL, "no text to read a platform from");
    if (name_for_errors == NULL) name_for_errors = "platform";
    plani_clear(err);
    if (is_xml(text, len)) return plani_platform_from_graphml(text, len, name_for_errors, out, err);
    if ((rc = plani_json_load_without(text, len, "samples", name_for_errors, err, &doc)) != PLAN_OK) return rc;
    if (plani_json_is_format(&doc, "planbcast-profile")) {
        if ((rc = plani_json_format(&doc, "planbcast-profile", 1)) != PLAN_OK) goto done;
        if ((rc = plani_json_object(&doc, "platform", true, &inner)) != PLAN_OK) goto done;
        rc = plani_platform_from_json(&inner, out);
        goto done;
    }
    if ((rc = plani_json_format(&doc, "planbcast-platform", 1)) != PLAN_OK) goto done;
    rc = plani_platform_from_json(&doc, out);
done:
    plani_json_close(&doc);
    return rc;
}

plan_status_t plan_platform_load(const char *path, plan_platform_t **out, plan_error_t *err)
{
    char *text = NULL;
    size_t len = 0;
    plan_status_t rc = PLAN_OK;

    if (path == NULL || out == NULL) return plani_fail(err, PLAN_EINVAL, "no file to read a platform from");
    if ((rc = plani_read_file(path, MAX_FILE, &text, &len, err)) != PLAN_OK) return rc;
    rc = plan_platform_parse(text, len, path, out, err);
    free(text);
    return rc;
}
