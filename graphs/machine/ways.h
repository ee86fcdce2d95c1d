/* Which ways a platform's resources are: by the links that share them. */
#ifndef PLANI_WAYS_H
#define PLANI_WAYS_H

#include <planbcast/platform.h>

/** All links out of some hosts, into them, both, between ranks of one host, and all that touch one host. Others are of
 * none of these sorts. */
typedef enum {
    PLANI_WAY_NONE,
    PLANI_WAY_OUT,
    PLANI_WAY_IN,
    PLANI_WAY_BOTH,
    PLANI_WAY_INSIDE,
    PLANI_WAY_ALL
} plani_way_t;

/** Hosts behind one trunk, or one host, and what limits them. */
typedef struct {
    int n, *host; /* [n] ascending */
    size_t nuses, room;
    struct plani_way_use {
        plani_way_t way;
        size_t resource;
    } * use; /* [nuses] */
} plani_way_set_t;

typedef struct {
    size_t nsets, room;
    plani_way_set_t *set; /* [nsets] the largest first; ties: by the lowest host */
} plani_ways_t;

/**
 * Classify the resources of a platform whose hosts are known. Between two hosts, or two sites, the way out of one is
 * that into the other: of the fewer hosts. O(links depth + resources (ranks + hosts)) time. \retval PLAN_ENOMEM
 */
plan_status_t plani_ways_find(const plan_platform_data_t *d, plani_ways_t *out);
void plani_ways_clear(plani_ways_t *ways);

/** The set's resource that takes most for `bytes` [s] on a way; 0: there is none. */
double plani_way_cost(const plan_platform_data_t *d, const plani_way_set_t *set, plani_way_t way, double bytes);

#endif
