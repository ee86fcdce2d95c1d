#include "graphs/platform/part.h"
#include <stdbool.h>
#include <stdint.h>

size_t plani_part_links(const plan_platform_data_t *d, const int *rank, plan_link_t *link, size_t *at)
{
    size_t n = 0;
    for (size_t l = 0; l < d->nlinks; l++) {
        int from = rank[d->link[l].from], to = rank[d->link[l].to];
        bool kept = from >= 0 && to >= 0;
        at[l] = kept ? n : SIZE_MAX;
        if (!kept) continue;
        link[n] = d->link[l];
        link[n].from = from, link[n].to = to;
        n++;
    }
    return n;
}

size_t plani_part_resources(size_t n, plan_resource_t *resource, const size_t *at, size_t *use)
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
