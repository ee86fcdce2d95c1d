#include "graphs/platform/part.h"
#include "lib/base/base.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* at [nlinks]: the new index of each link; SIZE_MAX: it is left out. */
static size_t keep_links(const plan_platform_data_t *d, const int *rank, const bool *kept, plan_link_t *link,
                         size_t *at)
{
    size_t n = 0;
    for (size_t l = 0; l < d->nlinks; l++) {
        plan_link_t as = d->link[l];
        if (rank != NULL) as.from = rank[as.from], as.to = rank[as.to];
        bool keep = as.from >= 0 && as.to >= 0 && (kept == NULL || kept[l]);
        at[l] = keep ? n : SIZE_MAX;
        if (keep) link[n++] = as;
    }
    return n;
}

/* The first n resources become those with a link that is kept. */
static size_t keep_resources(size_t n, plan_resource_t *resource, const size_t *at, size_t *use)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        plan_resource_t r = resource[i];
        size_t links = 0;
        for (size_t k = 0; k < r.nlinks; k++)
            if (at[r.link[k]] != SIZE_MAX) use[links++] = at[r.link[k]];
        if (links == 0) continue;
        r.link = use, r.nlinks = links;
        use += links;
        resource[kept++] = r;
    }
    return kept;
}

size_t plani_part_origin_of_link(const plan_platform_data_t *part, const plan_platform_t *whole, const int *rank,
                                 size_t link)
{
    int from = part->link[link].from, to = part->link[link].to;
    return plan_platform_find_link(whole, rank != NULL ? rank[from] : from, rank != NULL ? rank[to] : to);
}

size_t plani_part_origin_of_resource(const plan_platform_data_t *part, const plan_platform_t *whole, const int *rank,
                                     size_t resource)
{
    const plan_platform_data_t *d = plan_platform_data(whole);
    size_t own = part->resource[resource].link[0], place = 0;
    while (part->use[part->use_first[own] + place] != resource) place++;
    return d->use[d->use_first[plani_part_origin_of_link(part, whole, rank, own)] + place];
}

plan_status_t plani_part_create(const plan_platform_data_t *d, const int *rank, const bool *kept,
                                plan_platform_data_t part, plan_platform_t **out, plan_error_t *err)
{
    plan_link_t *link = malloc((d->nlinks + 1) * sizeof *link);
    plan_resource_t *resource = malloc((d->nresources + 1) * sizeof *resource);
    size_t *at = malloc((d->nlinks + 1) * sizeof *at), *use = malloc((d->use_first[d->nlinks] + 1) * sizeof *use);
    plan_status_t rc = PLAN_ENOMEM;

    if (link == NULL || resource == NULL || at == NULL || use == NULL) {
        plani_fail(err, rc, "out of memory for a platform of %d ranks", part.ranks);
        goto done;
    }
    for (size_t i = 0; i < d->nresources; i++) resource[i] = part.resource[i];
    part.nlinks = keep_links(d, rank, kept, link, at), part.link = link;
    part.nresources = keep_resources(d->nresources, resource, at, use), part.resource = resource;
    rc = plan_platform_create(&part, out, err);
done:
    free(link);
    free(resource);
    free(at);
    free(use);
    return rc;
}
