/* SPDX-License-Identifier: BSD-3-Clause */
/* The content of a platform. Private to graphs/platform. */
#ifndef PLANI_PLATFORM_PRIVATE_H
#define PLANI_PLATFORM_PRIVATE_H

#include <planbcast/platform.h>

/** `data` is the public view; it points into the arrays below, which the platform owns. */
struct plan_platform {
    plan_platform_data_t data;
    char *text; /* all names, concatenated */
    plan_link_t *link;
    plan_resource_t *resource;
    size_t *resource_link; /* the links of all resources, concatenated */
    plan_pairs_t *pairs;   /* the tables of all resources */
    int *host, *site;
    const char **host_name, **site_name;
    double *send_s; /* [4 * ranks] then send_s_per_byte, receive_s, receive_s_per_byte */
    plan_channel_t *channel;
    double *channel_number; /* the ladders of all channels */
    double *shared_number;  /* the ladders of shared memory */
    size_t *out_first, *in_first, *in_link;
    size_t *use_first, *use;
};

/** All checks that need no index: ranges, costs, self links, hosts, channels. */
plan_status_t plani_platform_check(const plan_platform_data_t *data, plan_error_t *err);

/**
 * Sort the links by (from, to) into pf->link, and fill the three index arrays; pf->data.ranks and nlinks are set.
 * \param[out] place [nlinks] receives the new index of each link
 * \retval PLAN_EINVAL there are two links between the same ranks
 */
plan_status_t plani_platform_index(struct plan_platform *pf, const plan_link_t *link, size_t *place, plan_error_t *err);

/** Fill use_first and use from the resources. O(links + uses). */
void plani_platform_index_uses(struct plan_platform *pf);

/**
 * The platform of a GraphML text: nodes are ranks in their order, edges are links with the numeric attributes
 * latency_s, s_per_byte and delay_s (0 if absent); an undirected edge is a link in each direction. Errors number edges
 * as links[0], ...
 * \param len > 0
 */
plan_status_t plani_platform_from_graphml(const char *text, size_t len, const char *file, plan_platform_t **out,
                                          plan_error_t *err);

#endif
