/* A platform as plain arrays at one slice size, for programs that know nothing of platforms. */
#ifndef PLANI_ARRAYS_H
#define PLANI_ARRAYS_H

#include <planbcast/platform.h>

/** For d->nlinks links and d->nresources resources; owned. */
typedef struct {
    int *from, *to;         /* [nlinks] */
    double *cost, *port;    /* [nlinks] [s] plan_link_cost and plani_port_cost */
    double *resource_cost;  /* [nresources] [s] for each slice */
    size_t *resource_first; /* [nresources + 1] into resource_link */
    size_t *resource_link;  /* links of each resource */
} plani_arrays_t;

/** PLAN_ENOMEM: nothing is owned. */
plan_status_t plani_arrays_create(const plan_platform_data_t *d, double slice, plani_arrays_t *out);
void plani_arrays_clear(plani_arrays_t *a);

#endif
