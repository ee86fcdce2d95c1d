/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting links by (from, to): two stable counting sorts, in O(ranks + links). */
#include "graphs/platform/platform_private.h"
#include "lib/base/base.h"
#include <stdbool.h>
#include <stdlib.h>

/* Prefix sums: first[k] becomes the number of links with a key below k. */
static void sum_up(size_t *first, int ranks)
{
    for (int r = 0; r < ranks; r++) first[r + 1] += first[r];
}

/* Undo the increments of first[] after each item has been placed at first[key]++. */
static void shift_back(size_t *first, int ranks)
{
    for (int r = ranks; r > 0; r--) first[r] = first[r - 1];
    first[0] = 0;
}

static bool is_sorted(const plan_link_t *link, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (link[i].from < link[i - 1].from || (link[i].from == link[i - 1].from && link[i].to < link[i - 1].to))
            return false;
    return true;
}

static plan_status_t find_double(const plan_platform_data_t *d, const plan_link_t *sorted, const size_t *place,
                                 plan_error_t *err)
{
    size_t twice = 0, at[2] = {0, 0};

    for (twice = 1; twice < d->nlinks; twice++)
        if (sorted[twice].from == sorted[twice - 1].from && sorted[twice].to == sorted[twice - 1].to) break;
    if (twice >= d->nlinks) return PLAN_OK;
    for (size_t i = 0; i < d->nlinks; i++) {
        if (place[i] == twice - 1) at[0] = i;
        if (place[i] == twice) at[1] = i;
    }
    return plani_fail(err, PLAN_EINVAL, "links[%zu] and links[%zu] both go from %d to %d; keep one of them", at[0],
                      at[1], sorted[twice].from, sorted[twice].to);
}

plan_status_t plani_platform_index(struct plan_platform *pf, const plan_link_t *link, size_t *place, plan_error_t *err)
{
    int ranks = pf->data.ranks;
    size_t n = pf->data.nlinks;

    for (size_t i = 0; i < n; i++) {
        pf->out_first[link[i].from + 1]++;
        pf->in_first[link[i].to + 1]++;
    }
    sum_up(pf->out_first, ranks);
    sum_up(pf->in_first, ranks);
    if (is_sorted(link, n)) {
        for (size_t i = 0; i < n; i++) place[i] = i;
    } else { /* in_link serves as scratch: the links by `to` */
        for (size_t i = 0; i < n; i++) pf->in_link[pf->in_first[link[i].to]++] = i;
        for (size_t i = 0; i < n; i++) place[pf->in_link[i]] = pf->out_first[link[pf->in_link[i]].from]++;
        shift_back(pf->in_first, ranks);
        shift_back(pf->out_first, ranks);
    }
    for (size_t i = 0; i < n; i++) pf->link[place[i]] = link[i];
    for (size_t i = 0; i < n; i++) pf->in_link[pf->in_first[pf->link[i].to]++] = i;
    shift_back(pf->in_first, ranks);
    return find_double(&pf->data, pf->link, place, err);
}

void plani_platform_index_uses(struct plan_platform *pf)
{
    const plan_platform_data_t *d = &pf->data;
    size_t *first = pf->use_first; /* zeros */

    for (size_t i = 0; i < d->nresources; i++)
        for (size_t k = 0; k < d->resource[i].nlinks; k++) first[d->resource[i].link[k] + 1]++;
    for (size_t l = 0; l < d->nlinks; l++) first[l + 1] += first[l];
    for (size_t i = 0; i < d->nresources; i++)
        for (size_t k = 0; k < d->resource[i].nlinks; k++) pf->use[first[d->resource[i].link[k]]++] = i;
    for (size_t l = d->nlinks; l > 0; l--) first[l] = first[l - 1];
    first[0] = 0;
}
