/* Times of slices of a few sizes on links and resources, computed once for the many trees that use them. */
#ifndef PLANI_COST_CACHE_H
#define PLANI_COST_CACHE_H

#include "planner/cost/cost.h"
#include "planner/cost/kinds.h"

#define PLANI_MESSAGE_COUNTS 32 /* fewer messages at once on a resource are worked out once */

/** For slices of one size; values that were not needed yet are below 0. */
typedef struct {
    double bytes;
    unsigned long used;         /* when it was asked for last */
    const plani_kinds_t *kinds; /* by which the times are kept; NULL: by links and resources */
    plani_time_t *link;         /* [nlinks] by plani_link_time */
    double *held; /* [nresources][PLANI_MESSAGE_COUNTS] by plani_resource_time for so many messages; steady: [0] */
} plani_cost_row_t;

/** Not to be shared between threads: reading fills in values. */
typedef struct plani_cost_cache plani_cost_cache_t;

/** For `rows` sizes, at least 2; *out is NULL where that takes too much memory. Borrows d. */
plan_status_t plani_cost_cache_create(const plan_platform_data_t *d, size_t rows, plani_cost_cache_t **out);
void plani_cost_cache_destroy(plani_cost_cache_t **costs);
/** The row of a slice size, which lives until another size has been asked for twice; NULL without times. */
plani_cost_row_t *plani_cost_cache_row(plani_cost_cache_t *costs, double bytes);

/** The same as plani_link_time, plani_resource_time and plani_resource_steady at `bytes`, row's size where there is a
 * row. */
static inline const plani_time_t *plani_cached_link_at(plani_cost_row_t *row, const plan_platform_data_t *d,
                                                       size_t link, double bytes, plani_time_t *room)
{
    plani_time_t *t = row == NULL ? room : &row->link[row->kinds != NULL ? row->kinds->link[link] : link];
    if (row == NULL || t->through < 0) *t = plani_link_time(d, link, bytes);
    return t;
}

static inline plani_time_t plani_cached_link(plani_cost_row_t *row, const plan_platform_data_t *d, size_t link,
                                             double bytes)
{
    plani_time_t room;
    return *plani_cached_link_at(row, d, link, bytes, &room);
}

static inline double plani_cached_held(plani_cost_row_t *row, const plan_platform_data_t *d, size_t resource,
                                       long messages, double bytes)
{
    const plan_resource_t *r = &d->resource[resource];
    if (row == NULL || messages <= 0 || messages >= PLANI_MESSAGE_COUNTS)
        return plani_resource_time(r, (double)messages, (double)messages * bytes);
    size_t at = row->kinds != NULL ? row->kinds->resource[resource] : resource;
    double *held = &row->held[at * PLANI_MESSAGE_COUNTS + (size_t)messages];
    if (*held < 0) *held = plani_resource_time(r, (double)messages, (double)messages * bytes);
    return *held;
}

static inline double plani_cached_steady(plani_cost_row_t *row, const plan_platform_data_t *d, size_t resource,
                                         double bytes)
{
    const plan_resource_t *r = &d->resource[resource];
    if (row == NULL) return plani_resource_steady(r, bytes);
    double *held = &row->held[(row->kinds != NULL ? row->kinds->resource[resource] : resource) * PLANI_MESSAGE_COUNTS];
    if (*held < 0) *held = plani_resource_steady(r, bytes);
    return *held;
}

#endif
