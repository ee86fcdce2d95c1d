/* Kinds of links and resources that have the same times, which are computed once for each kind. */
#ifndef PLANI_KINDS_H
#define PLANI_KINDS_H

#include <planbcast/platform.h>

typedef struct {
    size_t nlinks, nresources; /* kinds; 0 links: there are more than were asked for */
    unsigned *link, *resource; /* [nlinks], [nresources] of the platform: the kind of each */
} plani_kinds_t;

/**
 * Sort the links and resources of a platform, whose resources have no tables, into at most `most` kinds.
 * plani_link_time and plani_resource_time are equal within a kind. \retval PLAN_ENOMEM
 */
plan_status_t plani_kinds_find(const plan_platform_data_t *d, size_t most, plani_kinds_t *out);
void plani_kinds_clear(plani_kinds_t *kinds);

#endif
