/* Platform files: channel classes and shared memory. */
#include "graphs/platform/platform_draft.h"
#include "lib/base/base.h"
#include <stdint.h>

/* Read a list of numbers of length `wanted` (SIZE_MAX: any) into *next, and advance that. */
static plan_status_t read_ladder(const plani_json_t *at, const char *key, size_t wanted, const double **x, size_t *n,
                                 double **next)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;

    if ((rc = plani_json_list(at, key, wanted != SIZE_MAX && wanted > 0, &list)) != PLAN_OK) return rc;
    *n = plani_json_size(&list);
    if (wanted != SIZE_MAX && *n != wanted)
        return plani_json_fail(&list, "holds %zu numbers; give one for each size, %zu", *n, wanted);
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
    if ((rc = plani_json_bool_or(at, "fluid", &c->fluid)) != PLAN_OK) return rc;
    if ((rc = plani_json_number_or(at, "rendezvous_bytes", &c->rendezvous_bytes)) != PLAN_OK) return rc;
    if ((rc = read_ladder(at, "bytes", SIZE_MAX, &c->bytes, &c->nsizes, next)) != PLAN_OK) return rc;
    if ((rc = read_ladder(at, "overhead_s", c->nsizes, &c->overhead_s, &n, next)) != PLAN_OK) return rc;
    if ((rc = read_ladder(at, "gap_s", c->nsizes, &c->gap_s, &n, next)) != PLAN_OK) return rc;
    if ((rc = read_ladder(at, "p2p_s", c->nsizes, &c->p2p_s, &n, next)) != PLAN_OK) return rc;
    return read_ladder(at, "gamma", SIZE_MAX, &c->gamma, &c->ngamma, next);
}

plan_status_t plani_draft_channels(const plani_json_t *doc, plani_draft_t *d)
{
    static const char *const ladders[] = {"bytes", "overhead_s", "gap_s", "p2p_s", "gamma"};
    plan_status_t rc = PLAN_OK;
    plani_json_t list;
    size_t total = 0;

    if ((rc = plani_json_list(doc, "channels", false, &list)) != PLAN_OK) return rc;
    size_t n = plani_json_size(&list);
    if (n == 0) return PLAN_OK;
    if (n > PLANI_MAX_RANKS) return plani_json_fail(&list, "holds %zu channels; give at most %d", n, PLANI_MAX_RANKS);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof ladders / sizeof *ladders; k++)
            total += json_array_size(json_object_get(json_array_get(list.value, i), ladders[k]));
    if ((d->channel = plani_draft_array(&list, n, sizeof *d->channel, &rc)) == NULL) return rc;
    if ((d->number = plani_draft_array(&list, total, sizeof *d->number, &rc)) == NULL) return rc;
    double *next = d->number;
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) {
        plani_json_t at = plani_json_element(&list, i);
        rc = read_channel(&at, &d->channel[i], &next);
    }
    d->data.nchannels = n;
    d->data.channel = d->channel;
    return rc;
}

plan_status_t plani_draft_shared(const plani_json_t *doc, plani_draft_t *d)
{
    size_t n = json_array_size(json_object_get(doc->value, "shared_bytes"));
    plan_status_t rc = PLAN_OK;

    if ((d->shared = plani_draft_array(doc, n + json_array_size(json_object_get(doc->value, "shared_s")),
                                       sizeof *d->shared, &rc)) == NULL)
        return rc;
    double *next = d->shared;
    if ((rc = read_ladder(doc, "shared_bytes", SIZE_MAX, &d->data.shared_bytes, &n, &next)) != PLAN_OK) return rc;
    return read_ladder(doc, "shared_s", n, &d->data.shared_s, &d->data.nshared, &next);
}
