/* A platform file while it is read. Private to platform_read*.c. */
#ifndef PLANI_PLATFORM_DRAFT_H
#define PLANI_PLATFORM_DRAFT_H

#include "graphs/platform/json.h"

/** The content read so far: `data` points into the other members. */
typedef struct {
    plan_platform_data_t data;
    plan_link_t *link;
    plan_resource_t *resource;
    size_t *resource_link;
    plan_pairs_t *pairs;
    int *host, *site;
    const char **host_name, **site_name;
    double *send_s, *send_s_per_byte, *receive_s, *receive_s_per_byte;
    plan_channel_t *channel;
    double *number; /* ladders of channels */
    double *shared; /* ladders of shared memory */
} plani_draft_t;

/** [n] zeroed elements of `size` bytes; NULL: out of memory, with *rc and at->err set. */
void *plani_draft_array(const plani_json_t *at, size_t n, size_t size, plan_status_t *rc);

/** ---- platform_read_resources.c ---- To be called after links have been read: resources name them by their ends. */
plan_status_t plani_draft_resources(const plani_json_t *doc, plani_draft_t *d);
/** ---- platform_read_channels.c ---- */
plan_status_t plani_draft_channels(const plani_json_t *doc, plani_draft_t *d);
plan_status_t plani_draft_shared(const plani_json_t *doc, plani_draft_t *d);

#endif
