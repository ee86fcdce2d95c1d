/* Platform files: resources, which name links by their ends. */
#include "graphs/platform/platform_draft.h"
#include "lib/base/base.h"
#include <stdint.h>
#include <stdlib.h>

/* The ends of a link and its index in the file. */
typedef struct {
    uint64_t ends;
    size_t index;
} named_t;

static int by_ends(const void *pa, const void *pb)
{
    const named_t *a = pa, *b = pb;
    return (a->ends > b->ends) - (a->ends < b->ends);
}

static uint64_t ends_of(int from, int to)
{
    return (uint64_t)from << 32 | (uint64_t)to;
}

static plan_status_t name_links(const plani_json_t *at, const plani_draft_t *d, named_t **out)
{
    plan_status_t rc = PLAN_OK;
    bool sorted = true;
    named_t *named = plani_draft_array(at, d->data.nlinks, sizeof *named, &rc);

    if (named == NULL) return rc;
    for (size_t i = 0; i < d->data.nlinks; i++) {
        named[i] = (named_t){ends_of(d->link[i].from, d->link[i].to), i};
        sorted = sorted && (i == 0 || named[i].ends > named[i - 1].ends);
    }
    if (!sorted) qsort(named, d->data.nlinks, sizeof *named, by_ends);
    *out = named;
    return PLAN_OK;
}

/* Read a table into *next, and advance that. */
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

/* Read one resource; its links go to *next, which is advanced. */
static plan_status_t read_resource(const plani_json_t *at, const plani_draft_t *d, const named_t *named,
                                   plan_resource_t *r, size_t **next)
{
    plan_status_t rc = PLAN_OK;
    plani_json_t list;

    if ((rc = plani_json_string_or(at, "name", &r->name)) != PLAN_OK) return rc;
    if ((rc = plani_json_number(at, "s_per_byte", &r->s_per_byte)) != PLAN_OK) return rc;
    if ((rc = plani_json_number_or(at, "s_per_message", &r->s_per_message)) != PLAN_OK) return rc;
    if ((rc = plani_json_number_or(at, "burst_bytes", &r->burst_bytes)) != PLAN_OK) return rc;
    if ((rc = plani_json_bool_or(at, "guess", &r->guess)) != PLAN_OK) return rc;
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

plan_status_t plani_draft_resources(const plani_json_t *doc, plani_draft_t *d)
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
    if ((d->resource = plani_draft_array(&list, n, sizeof *d->resource, &rc)) == NULL) return rc;
    if ((d->resource_link = plani_draft_array(&list, total, sizeof *d->resource_link, &rc)) == NULL) return rc;
    if ((d->pairs = plani_draft_array(&list, npairs, sizeof *d->pairs, &rc)) == NULL) return rc;
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
