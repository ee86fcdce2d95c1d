#include "planner/cost/arrays.h"
#include <stdlib.h>
#include "planner/cost/cost.h"

void plani_arrays_clear(plani_arrays_t *a)
{
    free(a->from);
    free(a->to);
    free(a->cost);
    free(a->port);
    free(a->resource_cost);
    free(a->resource_first);
    free(a->resource_link);
}

static plan_status_t reserve(const plan_platform_data_t *d, plani_arrays_t *a)
{
    size_t listed = 0;
    for (size_t i = 0; i < d->nresources; i++) listed += d->resource[i].nlinks;
    *a = (plani_arrays_t){.from = malloc((d->nlinks + 1) * sizeof *a->from),
                          .to = malloc((d->nlinks + 1) * sizeof *a->to),
                          .cost = malloc((d->nlinks + 1) * sizeof *a->cost),
                          .port = malloc((d->nlinks + 1) * sizeof *a->port),
                          .resource_cost = malloc((d->nresources + 1) * sizeof *a->resource_cost),
                          .resource_first = malloc((d->nresources + 1) * sizeof *a->resource_first),
                          .resource_link = malloc((listed + 1) * sizeof *a->resource_link)};
    if (a->from != NULL && a->to != NULL && a->cost != NULL && a->port != NULL && a->resource_cost != NULL &&
        a->resource_first != NULL && a->resource_link != NULL)
        return PLAN_OK;
    plani_arrays_clear(a);
    return PLAN_ENOMEM;
}

plan_status_t plani_arrays_create(const plan_platform_data_t *d, double slice, plani_arrays_t *a)
{
    size_t listed = 0;
    plan_status_t rc = reserve(d, a);

    if (rc != PLAN_OK) return rc;
    for (size_t l = 0; l < d->nlinks; l++) {
        a->from[l] = d->link[l].from;
        a->to[l] = d->link[l].to;
        a->cost[l] = plan_link_cost(&d->link[l], slice);
        a->port[l] = plani_port_cost(d, l, slice);
    }
    for (size_t i = 0; i < d->nresources; i++) {
        a->resource_first[i] = listed;
        a->resource_cost[i] = plan_resource_cost(&d->resource[i], slice);
        for (size_t k = 0; k < d->resource[i].nlinks; k++) a->resource_link[listed++] = d->resource[i].link[k];
    }
    a->resource_first[d->nresources] = listed;
    return PLAN_OK;
}
