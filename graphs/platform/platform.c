/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform: a checked, sorted, indexed and immutable copy of the caller's data. */
#include "graphs/platform/platform_private.h"
#include "lib/base/base.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* At least one element, so that NULL always means out of memory. */
static void *allocate(size_t n, size_t size)
{
    return calloc(n ? n : 1, size);
}

static int how_many(const int *place, int ranks)
{
    int most = 0;
    for (int r = 0; r < ranks; r++)
        if (place[r] >= most) most = place[r] + 1;
    return most;
}

static size_t text_size(const plan_platform_data_t *d)
{
    size_t size = d->name ? strlen(d->name) + 1 : 1;

    for (size_t i = 0; i < d->nresources; i++) size += d->resource[i].name ? strlen(d->resource[i].name) + 1 : 1;
    for (size_t i = 0; i < d->nchannels; i++) size += d->channel[i].name ? strlen(d->channel[i].name) + 1 : 1;
    for (int h = 0; d->host_name && h < d->hosts; h++) size += d->host_name[h] ? strlen(d->host_name[h]) + 1 : 1;
    for (int s = 0; d->site_name && s < d->sites; s++) size += d->site_name[s] ? strlen(d->site_name[s]) + 1 : 1;
    return size + (size_t)d->ranks * 2; /* room for "" where names are missing */
}

/* Append a name to the text. \return the copy */
static const char *keep_name(char **end, const char *name)
{
    char *start = *end;
    size_t size = name ? strlen(name) + 1 : 1;

    if (name != NULL)
        memcpy(start, name, size);
    else
        *start = '\0';
    *end += size;
    return start;
}

/* Hosts and sites: without hosts every rank has its own; without sites there is one. */
static plan_status_t copy_places(struct plan_platform *pf, const plan_platform_data_t *d, char **end, plan_error_t *err)
{
    plan_platform_data_t *out = &pf->data;
    int *site_of = NULL; /* [hosts] -1: no rank seen on it */
    plan_status_t rc = PLAN_OK;

    for (int r = 0; r < d->ranks; r++) {
        pf->host[r] = d->host ? d->host[r] : r;
        pf->site[r] = d->site ? d->site[r] : 0;
    }
    out->hosts = how_many(pf->host, d->ranks);
    out->sites = how_many(pf->site, d->ranks);
    if ((site_of = malloc((size_t)d->ranks * sizeof *site_of)) == NULL) return PLAN_ENOMEM;
    for (int i = 0; i < d->ranks; i++) site_of[i] = -1;
    for (int r = 0; r < d->ranks && rc == PLAN_OK; r++) {
        int h = pf->host[r];
        if (site_of[h] != -1 && site_of[h] != pf->site[r])
            rc = plani_fail(err, PLAN_EINVAL, "sites[%d] is %d, but host %d is in site %d; a host is in one site", r,
                            pf->site[r], h, site_of[h]);
        site_of[h] = pf->site[r];
    }
    for (int h = 0; h < out->hosts && rc == PLAN_OK; h++)
        if (site_of[h] == -1)
            rc = plani_fail(err, PLAN_EINVAL, "hosts: no rank is on host %d of %d; number them without gaps", h,
                            out->hosts);
    if (d->host_name != NULL && rc == PLAN_OK) {
        for (int h = 0; h < out->hosts; h++) pf->host_name[h] = keep_name(end, h < d->hosts ? d->host_name[h] : NULL);
        out->host_name = pf->host_name;
    }
    if (d->site_name != NULL && rc == PLAN_OK) {
        for (int s = 0; s < out->sites; s++) pf->site_name[s] = keep_name(end, s < d->sites ? d->site_name[s] : NULL);
        out->site_name = pf->site_name;
    }
    free(site_of);
    return rc;
}

static int ascending(const void *pa, const void *pb)
{
    const size_t *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

/* Copy resources, with their links renumbered by place[] and sorted. */
static plan_status_t copy_resources(struct plan_platform *pf, const plan_platform_data_t *d, const size_t *place,
                                    char **end, plan_error_t *err)
{
    size_t *next = pf->resource_link;
    plan_pairs_t *pairs = pf->pairs;

    for (size_t i = 0; i < d->nresources; i++) {
        const plan_resource_t *r = &d->resource[i];
        int sorted = 1;
        for (size_t k = 0; k < r->nlinks; k++) {
            next[k] = place[r->link[k]];
            sorted = sorted && (k == 0 || next[k] > next[k - 1]);
        }
        if (!sorted) qsort(next, r->nlinks, sizeof *next, ascending);
        for (size_t k = 1; k < r->nlinks; k++)
            if (next[k] == next[k - 1])
                return plani_fail(err, PLAN_EINVAL, "resources[%zu].links names link %d -> %d twice; keep one", i,
                                  pf->link[next[k]].from, pf->link[next[k]].to);
        pf->resource[i] = *r;
        pf->resource[i].name = keep_name(end, r->name);
        pf->resource[i].link = next;
        next += r->nlinks;
        pf->resource[i].pairs = pairs;
        if (r->npairs > 0) memcpy(pairs, r->pairs, r->npairs * sizeof *pairs);
        pairs += r->npairs;
    }
    return PLAN_OK;
}

static const double *keep_numbers(double **end, const double *x, size_t n)
{
    double *start = *end;
    if (n > 0) memcpy(start, x, n * sizeof *x);
    *end += n;
    return start;
}

static void copy_channels(struct plan_platform *pf, const plan_platform_data_t *d, char **end)
{
    double *number = pf->channel_number;

    for (size_t i = 0; i < d->nchannels; i++) {
        const plan_channel_t *c = &d->channel[i];
        pf->channel[i] = *c;
        pf->channel[i].name = keep_name(end, c->name);
        pf->channel[i].bytes = keep_numbers(&number, c->bytes, c->nsizes);
        pf->channel[i].overhead_s = keep_numbers(&number, c->overhead_s, c->nsizes);
        pf->channel[i].gap_s = keep_numbers(&number, c->gap_s, c->nsizes);
        pf->channel[i].p2p_s = keep_numbers(&number, c->p2p_s, c->nsizes);
        pf->channel[i].gamma = keep_numbers(&number, c->gamma, c->ngamma);
    }
}

static plan_status_t allocate_arrays(struct plan_platform *pf, const plan_platform_data_t *d)
{
    size_t ranks = (size_t)d->ranks, nresource_links = 0, npairs = 0, nnumbers = 0;

    for (size_t i = 0; i < d->nresources; i++)
        nresource_links += d->resource[i].nlinks, npairs += d->resource[i].npairs;
    for (size_t i = 0; i < d->nchannels; i++) nnumbers += 4 * d->channel[i].nsizes + d->channel[i].ngamma;
    pf->text = allocate(text_size(d), 1);
    pf->link = allocate(d->nlinks, sizeof *pf->link);
    pf->resource = allocate(d->nresources, sizeof *pf->resource);
    pf->resource_link = allocate(nresource_links, sizeof *pf->resource_link);
    pf->pairs = allocate(npairs, sizeof *pf->pairs);
    pf->host = allocate(ranks, sizeof *pf->host);
    pf->site = allocate(ranks, sizeof *pf->site);
    pf->host_name = allocate(ranks, sizeof *pf->host_name);
    pf->site_name = allocate(ranks, sizeof *pf->site_name);
    pf->send_s = allocate(ranks, 4 * sizeof *pf->send_s);
    pf->channel = allocate(d->nchannels, sizeof *pf->channel);
    pf->channel_number = allocate(nnumbers, sizeof *pf->channel_number);
    pf->shared_number = allocate(2 * d->nshared, sizeof *pf->shared_number);
    pf->out_first = allocate(ranks + 1, sizeof *pf->out_first);
    pf->in_first = allocate(ranks + 1, sizeof *pf->in_first);
    pf->in_link = allocate(d->nlinks, sizeof *pf->in_link);
    pf->use_first = allocate(d->nlinks + 1, sizeof *pf->use_first);
    pf->use = allocate(nresource_links, sizeof *pf->use);
    if (!pf->text || !pf->link || !pf->resource || !pf->resource_link || !pf->pairs || !pf->host || !pf->site ||
        !pf->host_name || !pf->site_name || !pf->send_s || !pf->channel || !pf->channel_number || !pf->shared_number ||
        !pf->out_first || !pf->in_first || !pf->in_link || !pf->use_first || !pf->use)
        return PLAN_ENOMEM;
    return PLAN_OK;
}

/* What slices take of senders and receivers; NULL stays NULL. */
static void copy_times(struct plan_platform *pf, const plan_platform_data_t *d)
{
    const double *const given[] = {d->send_s, d->send_s_per_byte, d->receive_s, d->receive_s_per_byte};
    const double **kept[] = {&pf->data.send_s, &pf->data.send_s_per_byte, &pf->data.receive_s,
                             &pf->data.receive_s_per_byte};
    double *next = pf->send_s;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        *kept[i] = given[i] != NULL ? next : NULL;
        if (given[i] != NULL) keep_numbers(&next, given[i], (size_t)d->ranks);
    }
}

/* Copy the checked data; pf has its arrays only. */
static plan_status_t fill(struct plan_platform *pf, const plan_platform_data_t *d, size_t *place, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    plan_platform_data_t *out = &pf->data;
    char *end = pf->text;

    *out = (plan_platform_data_t){.size = sizeof(plan_platform_data_t),
                                  .ranks = d->ranks,
                                  .nlinks = d->nlinks,
                                  .link = pf->link,
                                  .nresources = d->nresources,
                                  .resource = pf->resource,
                                  .host = pf->host,
                                  .site = pf->site,
                                  .ports = d->ports,
                                  .nchannels = d->nchannels,
                                  .channel = pf->channel,
                                  .nshared = d->nshared,
                                  .shared_bytes = pf->shared_number,
                                  .shared_s = pf->shared_number + d->nshared,
                                  .out_first = pf->out_first,
                                  .in_first = pf->in_first,
                                  .in_link = pf->in_link,
                                  .use_first = pf->use_first,
                                  .use = pf->use};
    out->name = keep_name(&end, d->name);
    if ((rc = plani_platform_index(pf, d->link, place, err)) != PLAN_OK) return rc;
    for (size_t i = 0; i < d->nlinks && d->nchannels == 0; i++) pf->link[i].channel = -1;
    if ((rc = copy_places(pf, d, &end, err)) != PLAN_OK) return rc;
    copy_times(pf, d);
    double *next = pf->shared_number;
    keep_numbers(&next, d->shared_bytes, d->nshared);
    keep_numbers(&next, d->shared_s, d->nshared);
    copy_channels(pf, d, &end);
    if ((rc = copy_resources(pf, d, place, &end, err)) != PLAN_OK) return rc;
    plani_platform_index_uses(pf);
    return PLAN_OK;
}

plan_status_t plan_platform_create(const plan_platform_data_t *data, plan_platform_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    struct plan_platform *pf = NULL;
    size_t *place = NULL; /* [nlinks] new index of each given link */

    if (data == NULL || out == NULL) return plani_fail(err, PLAN_EINVAL, "no platform data given");
    if ((rc = plani_check_size("plan_platform_data_t", data->size, sizeof *data, err)) != PLAN_OK) return rc;
    if ((rc = plani_platform_check(data, err)) != PLAN_OK) return rc;
    plani_clear(err);
    if ((pf = calloc(1, sizeof *pf)) == NULL || (place = allocate(data->nlinks, sizeof *place)) == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    if ((rc = allocate_arrays(pf, data)) != PLAN_OK) goto done;
    if ((rc = fill(pf, data, place, err)) != PLAN_OK) goto done;
    *out = pf, pf = NULL;
done:
    if (rc == PLAN_ENOMEM)
        plani_fail(err, rc, "out of memory for a platform of %d ranks and %zu links", data->ranks, data->nlinks);
    free(place);
    plan_platform_destroy(&pf);
    return rc;
}

void plan_platform_destroy(plan_platform_t **pf)
{
    if (pf == NULL || *pf == NULL) return;
    free((*pf)->text);
    free((*pf)->link);
    free((*pf)->resource);
    free((*pf)->resource_link);
    free((*pf)->pairs);
    free((*pf)->host);
    free((*pf)->site);
    free((*pf)->host_name);
    free((*pf)->site_name);
    free((*pf)->send_s);
    free((*pf)->channel);
    free((*pf)->channel_number);
    free((*pf)->shared_number);
    free((*pf)->out_first);
    free((*pf)->in_first);
    free((*pf)->in_link);
    free((*pf)->use_first);
    free((*pf)->use);
    free(*pf);
    *pf = NULL;
}

const plan_platform_data_t *plan_platform_data(const plan_platform_t *pf)
{
    return &pf->data;
}

size_t plan_platform_find_link(const plan_platform_t *pf, int from, int to)
{
    const plan_platform_data_t *d = &pf->data;

    if (from < 0 || from >= d->ranks) return SIZE_MAX;
    size_t low = d->out_first[from], end = d->out_first[from + 1], high = end;
    size_t there = low + (size_t)(to - (to > from)); /* where each rank has a link to each other one */
    if (to >= 0 && there < end && d->link[there].to == to) return there;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->link[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && d->link[low].to == to ? low : SIZE_MAX;
}
