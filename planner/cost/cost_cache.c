#include "planner/cost/cost_cache.h"
#include <stdlib.h>

enum { MOST_LINKS = 20000 }; /* a megabyte for each row; of more links, times are kept by kind */

struct plani_cost_cache {
    plani_kinds_t kinds;     /* of many links; none: each is its own */
    size_t links, resources; /* of a row */
    size_t room, n;
    unsigned long now;
    plani_cost_row_t *row; /* [room] the first n in use */
    plani_time_t *link;    /* [room * nlinks] of all rows */
    double *held;          /* [room * nresources * PLANI_MESSAGE_COUNTS] */
};

plan_status_t plani_cost_cache_create(const plan_platform_data_t *d, size_t rows, plani_cost_cache_t **out)
{
    plani_kinds_t kinds = {0};
    *out = NULL;
    if (d->nlinks > MOST_LINKS) {
        plan_status_t rc = plani_kinds_find(d, MOST_LINKS, &kinds);
        if (rc != PLAN_OK || kinds.nlinks == 0) return rc;
    }
    plani_cost_cache_t *costs = calloc(1, sizeof *costs);
    if (costs == NULL) {
        plani_kinds_clear(&kinds);
        return PLAN_ENOMEM;
    }
    *costs = (plani_cost_cache_t){.kinds = kinds, .links = d->nlinks, .resources = d->nresources, .room = rows};
    if (kinds.nlinks > 0) costs->links = kinds.nlinks, costs->resources = kinds.nresources;
    costs->row = calloc(rows, sizeof *costs->row);
    costs->link = malloc((rows * costs->links + 1) * sizeof *costs->link);
    costs->held = malloc((rows * costs->resources * PLANI_MESSAGE_COUNTS + 1) * sizeof *costs->held);
    *out = costs;
    if (costs->row != NULL && costs->link != NULL && costs->held != NULL) return PLAN_OK;
    plani_cost_cache_destroy(out);
    return PLAN_ENOMEM;
}

void plani_cost_cache_destroy(plani_cost_cache_t **costs)
{
    if (*costs == NULL) return;
    plani_kinds_clear(&(*costs)->kinds);
    free((*costs)->row);
    free((*costs)->link);
    free((*costs)->held);
    free(*costs);
    *costs = NULL;
}

/* A row that is free, or the one that has not been asked for the longest. */
static plani_cost_row_t *oldest(plani_cost_cache_t *costs)
{
    size_t links = costs->links, held = costs->resources * PLANI_MESSAGE_COUNTS, at = 0;
    if (costs->n < costs->room) {
        at = costs->n++;
        costs->row[at] = (plani_cost_row_t){.kinds = costs->kinds.nlinks > 0 ? &costs->kinds : NULL,
                                            .link = costs->link + at * links,
                                            .held = costs->held + at * held};
    } else {
        for (size_t i = 1; i < costs->n; i++)
            if (costs->row[i].used < costs->row[at].used) at = i;
    }
    for (size_t l = 0; l < links; l++) costs->row[at].link[l].through = -1;
    for (size_t i = 0; i < held; i++) costs->row[at].held[i] = -1;
    return &costs->row[at];
}

plani_cost_row_t *plani_cost_cache_row(plani_cost_cache_t *costs, double bytes)
{
    size_t i = 0;
    if (costs == NULL) return NULL;
    while (i < costs->n && costs->row[i].bytes != bytes) i++;
    plani_cost_row_t *row = i < costs->n ? &costs->row[i] : oldest(costs);
    row->bytes = bytes;
    row->used = ++costs->now;
    return row;
}
