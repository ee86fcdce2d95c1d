/* A platform as it is built from a machine and the places of ranks. Private to machine_platform.c and
 * machine_resources.c. */
#ifndef PLANI_MACHINE_PLATFORM_H
#define PLANI_MACHINE_PLATFORM_H

#include "graphs/machine/machine.h"

enum { PLANI_RESOURCE_NAME = 160 };
/** What limits a host's traffic, one resource each at most. BOTH: a half-duplex card; CORES: shared by its ranks. */
typedef enum {
    PLANI_LIMIT_OUT,
    PLANI_LIMIT_IN,
    PLANI_LIMIT_BOTH,
    PLANI_LIMIT_RELAY,
    PLANI_LIMIT_MEMORY,
    PLANI_LIMIT_CORES,
    PLANI_HOST_LIMITS
} plani_host_limit_t;

typedef struct {
    const plani_machine_t *m;
    const plani_place_t *place;                 /* [ranks] */
    const plani_machine_described_t *described; /* NULL: measured */
    int ranks, hosts, sites;
    bool one_group;         /* holds all hosts of these */
    bool no_ports;          /* cards limit ranks, not ports */
    int *host;              /* [ranks] the platform's host */
    int *site;              /* [ranks] the platform's site: an outermost group */
    int *of;                /* [hosts] the machine's host */
    int *ranks_on;          /* [hosts] */
    const char **host_name; /* [hosts] */
    const char **site_name; /* [sites] */
    int *number;            /* [m->nhosts] the platform's host, then [m->ngroups] its site; -1: none */
    bool *used;             /* [m->ngroups] some of these hosts are in the group or below it */
    int *path;              /* [hosts * hosts] of the machine's paths, -1: none; NULL: it has no paths */
    size_t nlinks;
    plan_link_t *link; /* [nlinks] ascending by (from, to) */
    plan_channel_t *channel;
    double *shared_s; /* of broadcasts through memory */
    size_t nresources;
    plan_resource_t *resource;
    plani_machine_part_t *part; /* [nresources] */
    char (*name)[PLANI_RESOURCE_NAME];
    int *limit;     /* [PLANI_HOST_LIMITS * hosts + 2 * m->ngroups + 1] the resource, -1: none: of hosts, of trunks
                       (out and in), of all ranks */
    size_t *member; /* the links of the resources, one resource after the other */
} plani_machine_placed_t;

/**
 * The resources that the links use, and which links use each, ascending; resources without links are left out.
 * O(nlinks depth + hosts + groups) time. PLAN_ENOMEM.
 */
plan_status_t plani_machine_resources(plani_machine_placed_t *b);

#endif
