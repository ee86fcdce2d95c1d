/* Platform files: the writer. One line per link, resource and channel, so that files can be compared by lines. */
#include "graphs/platform/platform_private.h"
#include "lib/base/base.h"
#include "lib/base/text.h"
#include <stdlib.h>

static void add_numbers(plani_text_t *t, const char *key, const double *x, size_t n)
{
    plani_text_add(t, ", \"%s\": [", key);
    for (size_t i = 0; i < n; i++) {
        if (i > 0) plani_text_add(t, ", ");
        plani_text_add_double(t, x[i]);
    }
    plani_text_add(t, "]");
}

static void add_link(plani_text_t *t, const plan_link_t *l)
{
    plani_text_add(t, "{\"from\": %d, \"to\": %d, \"latency_s\": ", l->from, l->to);
    plani_text_add_double(t, l->latency_s);
    plani_text_add(t, ", \"s_per_byte\": ");
    plani_text_add_double(t, l->s_per_byte);
    if (l->delay_s > 0) {
        plani_text_add(t, ", \"delay_s\": ");
        plani_text_add_double(t, l->delay_s);
    }
    if (l->channel >= 0) plani_text_add(t, ", \"channel\": %d", l->channel);
    plani_text_add(t, "}");
}

static void add_pairs(plani_text_t *t, const plan_resource_t *r)
{
    plani_text_add(t, ", \"pairs\": [");
    for (size_t k = 0; k < r->npairs; k++) {
        plani_text_add(t, k ? ", [" : "[");
        plani_text_add_double(t, r->pairs[k].bytes);
        plani_text_add(t, ", %d, ", r->pairs[k].messages);
        plani_text_add_double(t, r->pairs[k].bytes_per_s);
        plani_text_add(t, "]");
    }
    plani_text_add(t, "]");
}

static void add_resource(plani_text_t *t, const plan_platform_data_t *d, const plan_resource_t *r)
{
    plani_text_add(t, "{\"name\": ");
    plani_text_add_quoted(t, r->name);
    plani_text_add(t, ", \"s_per_byte\": ");
    plani_text_add_double(t, r->s_per_byte);
    if (r->s_per_message > 0) {
        plani_text_add(t, ", \"s_per_message\": ");
        plani_text_add_double(t, r->s_per_message);
    }
    if (r->burst_bytes > 0) {
        plani_text_add(t, ", \"burst_bytes\": ");
        plani_text_add_double(t, r->burst_bytes);
    }
    if (r->guess) plani_text_add(t, ", \"guess\": true");
    plani_text_add(t, ", \"links\": [");
    for (size_t k = 0; k < r->nlinks; k++)
        plani_text_add(t, "%s[%d, %d]", k ? ", " : "", d->link[r->link[k]].from, d->link[r->link[k]].to);
    plani_text_add(t, "]");
    if (r->npairs > 0) add_pairs(t, r);
    plani_text_add(t, "}");
}

static void add_channel(plani_text_t *t, const plan_channel_t *c)
{
    plani_text_add(t, "{\"name\": ");
    plani_text_add_quoted(t, c->name);
    plani_text_add(t, ", \"network\": %s", c->network ? "true" : "false");
    if (c->fluid) plani_text_add(t, ", \"fluid\": true");
    if (c->rendezvous_bytes > 0) {
        plani_text_add(t, ", \"rendezvous_bytes\": ");
        plani_text_add_double(t, c->rendezvous_bytes);
    }
    if (c->nsizes > 0) {
        add_numbers(t, "bytes", c->bytes, c->nsizes);
        add_numbers(t, "overhead_s", c->overhead_s, c->nsizes);
        add_numbers(t, "gap_s", c->gap_s, c->nsizes);
        add_numbers(t, "p2p_s", c->p2p_s, c->nsizes);
    }
    if (c->ngamma > 0) add_numbers(t, "gamma", c->gamma, c->ngamma);
    plani_text_add(t, "}");
}

static void add_places(plani_text_t *t, const char *key, const int *place, int ranks, const char *names_key,
                       const char *const *name, int nnames)
{
    plani_text_add(t, ",\n  \"%s\": [", key);
    for (int r = 0; r < ranks; r++) plani_text_add(t, "%s%d", r ? ", " : "", place[r]);
    plani_text_add(t, "]");
    if (name == NULL) return;
    plani_text_add(t, ",\n  \"%s\": [", names_key);
    for (int i = 0; i < nnames; i++) {
        if (i > 0) plani_text_add(t, ", ");
        plani_text_add_quoted(t, name[i]);
    }
    plani_text_add(t, "]");
}

static void add_platform(plani_text_t *t, const plan_platform_data_t *d)
{
    plani_text_add(t, "{\n  \"format\": \"planbcast-platform\", \"version\": 1, \"name\": ");
    plani_text_add_quoted(t, d->name);
    plani_text_add(t, ", \"ranks\": %d,\n  \"links\": [", d->ranks);
    for (size_t i = 0; i < d->nlinks; i++) {
        plani_text_add(t, i ? ",\n    " : "\n    ");
        add_link(t, &d->link[i]);
    }
    plani_text_add(t, "\n  ]");
    if (d->nresources > 0) plani_text_add(t, ",\n  \"resources\": [");
    for (size_t i = 0; i < d->nresources; i++) {
        plani_text_add(t, i ? ",\n    " : "\n    ");
        add_resource(t, d, &d->resource[i]);
    }
    if (d->nresources > 0) plani_text_add(t, "\n  ]");
    if (d->nchannels > 0) plani_text_add(t, ",\n  \"channels\": [");
    for (size_t i = 0; i < d->nchannels; i++) {
        plani_text_add(t, i ? ",\n    " : "\n    ");
        add_channel(t, &d->channel[i]);
    }
    if (d->nchannels > 0) plani_text_add(t, "\n  ]");
    if (d->nshared > 0) {
        add_numbers(t, "shared_bytes", d->shared_bytes, d->nshared);
        add_numbers(t, "shared_s", d->shared_s, d->nshared);
    }
    add_places(t, "hosts", d->host, d->ranks, "host_names", d->host_name, d->hosts);
    add_places(t, "sites", d->site, d->ranks, "site_names", d->site_name, d->sites);
    if (d->ports == PLAN_PORTS_NONE) plani_text_add(t, ",\n  \"ports\": \"none\"");
    if (d->ports == PLAN_PORTS_ONE_WAY) plani_text_add(t, ",\n  \"ports\": \"one-way\"");
    if (d->ports == PLAN_PORTS_MULTI) {
        plani_text_add(t, ",\n  \"ports\": \"multi\"");
        add_numbers(t, "send_s", d->send_s, (size_t)d->ranks);
        if (d->send_s_per_byte != NULL) add_numbers(t, "send_s_per_byte", d->send_s_per_byte, (size_t)d->ranks);
        if (d->receive_s != NULL) add_numbers(t, "receive_s", d->receive_s, (size_t)d->ranks);
        if (d->receive_s_per_byte != NULL)
            add_numbers(t, "receive_s_per_byte", d->receive_s_per_byte, (size_t)d->ranks);
    }
    plani_text_add(t, "\n}\n");
}

plan_status_t plan_platform_to_json(const plan_platform_t *pf, char **text)
{
    plani_text_t t = {0};

    if (pf == NULL || text == NULL) return PLAN_EINVAL;
    add_platform(&t, plan_platform_data(pf));
    return plani_text_take(&t, text);
}

plan_status_t plan_platform_save(const plan_platform_t *pf, const char *path, plan_error_t *err)
{
    plani_text_t t = {0};
    plan_status_t rc = PLAN_OK;

    if (pf == NULL || path == NULL) return plani_fail(err, PLAN_EINVAL, "no platform or no file to write it to");
    plani_clear(err);
    add_platform(&t, plan_platform_data(pf));
    size_t len = t.len;
    char *text = NULL;
    if ((rc = plani_text_take(&t, &text)) != PLAN_OK) return plani_fail(err, rc, "%s: out of memory", path);
    rc = plani_write_file(path, text, len, err);
    free(text);
    return rc;
}
