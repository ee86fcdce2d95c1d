/* Platform files: the parser. It checks structure and types; plan_platform_create checks values, and names places as in
 * files. */
#include "graphs/platform/platform_draft.h"
#include "graphs/platform/platform_private.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

static void clear_draft(plani_draft_t *d)
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
    free(d->send_s_per_byte);
    free(d->receive_s);
    free(d->receive_s_per_byte);
    free(d->channel);
    free(d->number);
    free(d->shared);
}

void *plani_draft_array(const plani_json_t *at, size_t n, size_t size, plan_status_t *rc)
{
    void *p = calloc(n ? n : 1, size);
    *rc = p != NULL ? PLAN_OK : plani_json_no_memory(at);
    return p;
}

/* --- links -------------------------------------------------------------------------------------------------------- */

static plan_status_t read_link(const plani_json_t *at, const plani_draft_t *d, plan_link_t *l)
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

static plan_status_t read_links(const plani_json_t *doc, plani_draft_t *d)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;

    if ((rc = plani_json_list(doc, "links", true, &list)) != PLAN_OK) return rc;
    size_t n = plani_json_size(&list);
    if ((d->link = plani_draft_array(&list, n, sizeof *d->link, &rc)) == NULL) return rc;
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) {
        plani_json_t at = plani_json_element(&list, i);
        rc = read_link(&at, d, &d->link[i]);
    }
    d->data.nlinks = n;
    d->data.link = d->link;
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
    if (list.value == NULL) return PLAN_OK; /* names alone have no meaning */
    if ((*place = plani_draft_array(&list, (size_t)ranks, sizeof **place, &rc)) == NULL) return rc;
    if ((rc = plani_json_as_ints(&list, 0, ranks - 1, *place)) != PLAN_OK) return rc;
    for (int r = 0; r < ranks; r++)
        if ((*place)[r] >= most) most = (*place)[r] + 1;
    if ((rc = plani_json_list(doc, names_key, false, &names)) != PLAN_OK || names.value == NULL) return rc;
    if (plani_json_size(&names) != (size_t)most)
        return plani_json_fail(&names, "holds %zu names; %s has %d of them", plani_json_size(&names), key, most);
    if ((*name = plani_draft_array(&names, (size_t)most, sizeof **name, &rc)) == NULL) return rc;
    for (int i = 0; i < most && rc == PLAN_OK; i++) {
        plani_json_t at = plani_json_element(&names, (size_t)i);
        rc = plani_json_as_string(&at, &(*name)[i]);
    }
    *nnames = most;
    return rc;
}

/* A number of each rank, for several ports. */
static plan_status_t read_times(const plani_json_t *doc, const char *key, bool needed, plani_draft_t *d, double **time)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;

    if ((rc = plani_json_list_of_ranks(doc, key, needed, d->data.ranks, &list)) != PLAN_OK) return rc;
    if (list.value == NULL) return PLAN_OK;
    if (d->data.ports != PLAN_PORTS_MULTI)
        return plani_json_fail(&list, "needs \"ports\": \"multi\"; add it or remove this");
    if ((*time = plani_draft_array(&list, (size_t)d->data.ranks, sizeof **time, &rc)) == NULL) return rc;
    return plani_json_as_numbers(&list, *time);
}

static plan_status_t read_ports(const plani_json_t *doc, plani_draft_t *d)
{
    static const char *const name[] = {[PLAN_PORTS_ONE] = "one",
                                       [PLAN_PORTS_MULTI] = "multi",
                                       [PLAN_PORTS_NONE] = "none",
                                       [PLAN_PORTS_ONE_WAY] = "one-way"};
    const char *ports = "one";
    plan_platform_data_t *p = &d->data;
    plan_status_t rc = PLAN_OK;
    size_t i = 0;

    if ((rc = plani_json_string_or(doc, "ports", &ports)) != PLAN_OK) return rc;
    while (i < sizeof name / sizeof *name && strcmp(ports, name[i]) != 0) i++;
    if (i == sizeof name / sizeof *name) {
        plani_json_t at = plani_json_member(doc, "ports");
        return plani_json_fail(&at, "is \"%.40s\"; it should be \"one\", \"one-way\", \"multi\" or \"none\"", ports);
    }
    p->ports = (plan_ports_t)i;
    if ((rc = read_times(doc, "send_s", p->ports == PLAN_PORTS_MULTI, d, &d->send_s)) != PLAN_OK) return rc;
    if (p->ports != PLAN_PORTS_MULTI) return read_times(doc, "receive_s", false, d, &d->receive_s);
    if ((rc = read_times(doc, "send_s_per_byte", false, d, &d->send_s_per_byte)) != PLAN_OK) return rc;
    if ((rc = read_times(doc, "receive_s_per_byte", false, d, &d->receive_s_per_byte)) != PLAN_OK) return rc;
    if ((rc = read_times(doc, "receive_s", d->receive_s_per_byte != NULL, d, &d->receive_s)) != PLAN_OK) return rc;
    p->send_s = d->send_s, p->send_s_per_byte = d->send_s_per_byte;
    p->receive_s = d->receive_s, p->receive_s_per_byte = d->receive_s_per_byte;
    return PLAN_OK;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static plan_status_t read_draft(const plani_json_t *doc, plani_draft_t *d)
{
    plan_status_t rc = PLAN_OK;
    plan_platform_data_t *p = &d->data;

    if ((rc = plani_json_string_or(doc, "name", &p->name)) != PLAN_OK) return rc;
    if ((rc = plani_json_int(doc, "ranks", 1, PLANI_MAX_RANKS, &p->ranks)) != PLAN_OK) return rc;
    if ((rc = plani_draft_channels(doc, d)) != PLAN_OK) return rc;
    if ((rc = read_links(doc, d)) != PLAN_OK) return rc;
    if ((rc = plani_draft_resources(doc, d)) != PLAN_OK) return rc;
    if ((rc = plani_draft_shared(doc, d)) != PLAN_OK) return rc;
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
    plani_draft_t draft = {.data = {.size = sizeof draft.data}};
    plan_error_t why = {.status = PLAN_OK};
    plan_platform_t *pf = NULL;

    if ((rc = read_draft(at, &draft)) != PLAN_OK) goto done;
    if ((rc = plan_platform_create(&draft.data, &pf, &why)) == PLAN_ENOMEM) {
        plani_fail(at->err, rc, "%s", why.text);
        goto done;
    }
    if (rc != PLAN_OK) { /* its errors begin with a place in the platform, a member of `at` */
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
    if ((rc = plani_json_load(text, len, name_for_errors, err, &doc)) != PLAN_OK) return rc;
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
    if ((rc = plani_read_file(path, PLANI_MAX_FILE, &text, &len, err)) != PLAN_OK) return rc;
    rc = plan_platform_parse(text, len, path, out, err);
    free(text);
    return rc;
}
