/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform: ranks, links, resources, channel classes and hosts, as an immutable weighted directed graph. */
#ifndef PLANBCAST_PLATFORM_H
#define PLANBCAST_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- stable ---- */

/**
 * A link from one rank to another. A slice of L bytes occupies it for T(L) = latency_s + L * s_per_byte seconds; with
 * one port per rank, also the send port of `from` and the receive port of `to`. It arrives delay_s after that, or
 * delay_s after its slowest resource has finished, whichever is later: during delay_s it is in flight and occupies
 * nothing.
 */
typedef struct {
    int from, to;      /* ranks, from != to */
    double latency_s;  /* [s] >= 0 */
    double s_per_byte; /* [s/B] >= 0; latency_s + s_per_byte > 0 */
    double delay_s;    /* [s] >= 0; 0 in the papers' models */
    int channel;       /* index of its channel class, -1 for none (0 means the same on a platform without classes) */
} plan_link_t;

/**
 * One entry of a table BW_MP(N): the total bandwidth of several messages at once, each between a different pair of
 * ranks (Thune et al. 2023, Table I).
 */
typedef struct {
    double bytes;       /* [B] size of the messages, > 0; tables have at least one size per protocol */
    int messages;       /* N >= 1, each over a different link of the resource */
    double bytes_per_s; /* [B/s] > 0, of all messages together */
} plan_pairs_t;

/**
 * Something that several links share: each slice of L bytes on a listed link occupies it for s_per_message +
 * L * s_per_byte seconds. Cards, trunks and memory take time per byte; processors of oversubscribed hosts also take
 * time per message. Shaped cards and trunks are token buckets: after a pause up to burst_bytes pass at once. The first
 * slices then arrive earlier; the throughput is the same.
 */
typedef struct {
    const char *name;
    double s_per_message; /* [s] >= 0 */
    double s_per_byte;    /* [s/B] >= 0; s_per_message + s_per_byte > 0 */
    double burst_bytes;   /* [B] >= 0: capacity of the token bucket; 0: none */
    size_t nlinks;
    const size_t *link;        /* [nlinks] indices of links, ascending, no duplicates */
    size_t npairs;             /* 0: 1 / s_per_byte for any number of messages */
    const plan_pairs_t *pairs; /* [npairs] ascending by (bytes, messages), no duplicates */
    bool guess;                /* its rate was not measured: plans keep to it, bounds ignore it */
} plan_resource_t;

/**
 * A channel class: links that behave alike, with tau-Lop parameters measured at a ladder of slice sizes
 * (Nuriyev et al. 2022, sections 4 and 5.1).
 */
typedef struct {
    const char *name;         /* "same cache", "same host", "network 1", ... */
    bool network;             /* crosses hosts */
    size_t nsizes;            /* 0: no ladder; the costs of the links are used */
    const double *bytes;      /* [nsizes] slice sizes [B], ascending */
    const double *overhead_s; /* [nsizes] o(m): sender busy per slice [s] */
    const double *gap_s;      /* [nsizes] g(m): seconds per slice in a steady stream */
    const double *p2p_s;      /* [nsizes] T_p2p(m): start of send to end of receive [s] */
    size_t ngamma;            /* 0: sends are serialised, gamma(P) = P - 1 */
    const double *gamma;      /* [ngamma] gamma[i] belongs to a flat tree of i + 2 processes; gamma[0] = 1 */
    bool fluid;               /* messages in flight share the bandwidth, so that all arrive when the last does, and the
                                 sender learns of it at once, as in simulators; false: they queue */
    double rendezvous_bytes; /* [B] messages of this size or more are sent once the receiver has agreed to a request; 0:
                                none are, or it is unknown */
} plan_channel_t;

/** The port model: what a rank's sends and receives share besides resources. */
typedef enum {
    PLAN_PORTS_ONE,    /* each rank has a send port and a receive port; a slice occupies one of either at its ends */
    PLAN_PORTS_MULTI,  /* sends of a rank overlap except for send_u of each (Beaumont, Marchal, Robert 2004) */
    PLAN_PORTS_NONE,   /* between hosts a slice occupies ports for latency_s only, and its bytes occupy only resources,
                          and the link where it is slower than these: sends of a fast card overlap */
    PLAN_PORTS_ONE_WAY /* each rank has one port: it either sends a slice or receives one ("unidirectional") */
} plan_ports_t;

/** The content of a platform. A caller fills one in to create a platform; a platform lends one for reading. */
typedef struct {
    size_t size;      /* sizeof(plan_platform_data_t) */
    const char *name; /* may be NULL when creating; "" when read */
    int ranks;        /* >= 1 */
    size_t nlinks;
    const plan_link_t *link; /* [nlinks]; when read: sorted by (from, to), and resources refer to that order */
    size_t nresources;
    const plan_resource_t *resource; /* [nresources] */
    const int *host;                 /* [ranks] host of each rank, or NULL (when read: never NULL, 0..hosts-1) */
    const int *site;                 /* [ranks] site of each rank, or NULL (when read: never NULL) */
    const char *const *host_name;    /* [hosts] or NULL; entries may be NULL when creating ("" when read) */
    const char *const *site_name;    /* [sites] likewise; when creating, `hosts` and `sites` count the names */
    plan_ports_t ports;
    const double *send_s; /* [ranks] PLAN_PORTS_MULTI: [s] per slice that the sender is busy, besides its bytes; else
                             NULL */
    size_t nchannels;
    const plan_channel_t *channel; /* [nchannels] */
    size_t nshared;                /* timed broadcasts inside all hosts at once, through shared memory; 0: unknown */
    const double *shared_bytes;    /* [nshared] message sizes [B], ascending */
    const double *shared_s;        /* [nshared] [s] until the last rank of the slowest host has the message */
    int hosts, sites;              /* numbers of both; when creating, numbers of names (0 without names) */
    /* Filled when read, ignored when creating: */
    const size_t *out_first; /* [ranks + 1]: the links out of u are link[out_first[u]] .. link[out_first[u + 1] - 1] */
    const size_t *in_first;  /* [ranks + 1] into in_link */
    const size_t *in_link;   /* [nlinks] indices of links, grouped by `to`, then ascending `from` */
    const size_t *use_first; /* [nlinks + 1] into `use` */
    const size_t *use;       /* the resources that list each link, ascending */
    /* Copied when creating: */
    const double *send_s_per_byte; /* [ranks] PLAN_PORTS_MULTI: [s/B] that the sender is busy with a slice's bytes;
                                      NULL: none */
    /* PLAN_PORTS_MULTI: what the receiver is busy for, [s] per slice and [s/B]; NULL: receiving costs nothing. With
     * receive_s the sends and the receives of a rank occupy its one processor (Banikazemi et al. 1999, Bar-Noy et al.
     * 2000, as in section 2.2 of Beaumont, Marchal, Robert 2004: T_uv = send_u + link_uv + receive_v). */
    const double *receive_s, *receive_s_per_byte; /* [ranks] */
} plan_platform_data_t;

/** A platform. Immutable. */
typedef struct plan_platform plan_platform_t;

/**
 * Check, copy and index a platform.
 *
 * \retval PLAN_EINVAL no rank, a rank out of range, a self link, a double link, a cost that is negative, not finite or
 *                     zero altogether, a resource that names a missing or repeated link; `err` says which one
 */
PLAN_API plan_status_t plan_platform_create(const plan_platform_data_t *data, plan_platform_t **out, plan_error_t *err);
/** Free a platform; sets *pf to NULL. NULL-safe. */
PLAN_API void plan_platform_destroy(plan_platform_t **pf);

/** Read a platform; the pointers are valid as long as `pf`. */
PLAN_API const plan_platform_data_t *plan_platform_data(const plan_platform_t *pf);

/** Index of the link from -> to, or (size_t)-1. O(log degree). */
PLAN_API size_t plan_platform_find_link(const plan_platform_t *pf, int from, int to);

/** T_uv(L) [s]: time for which a slice of `bytes` occupies both ports. */
static inline double plan_link_cost(const plan_link_t *l, double bytes)
{
    return l->latency_s + bytes * l->s_per_byte;
}

/** send_u(L) [s]: time for which sending a slice of `bytes` keeps rank u busy on a platform of several ports. */
static inline double plan_send_cost(const plan_platform_data_t *d, int u, double bytes)
{
    return d->send_s[u] + (d->send_s_per_byte != NULL ? bytes * d->send_s_per_byte[u] : 0);
}

/** receive_v(L) [s]: time for which receiving a slice of `bytes` keeps rank v busy on a platform of several ports. */
static inline double plan_receive_cost(const plan_platform_data_t *d, int v, double bytes)
{
    return (d->receive_s != NULL ? d->receive_s[v] : 0) +
           (d->receive_s_per_byte != NULL ? bytes * d->receive_s_per_byte[v] : 0);
}

/** [s] Time for which a slice of `bytes` on a listed link occupies the resource. */
static inline double plan_resource_cost(const plan_resource_t *r, double bytes)
{
    return r->s_per_message + bytes * r->s_per_byte;
}

/**
 * Read a platform file: JSON, format "planbcast-platform", version 1; a profile is read as the platform it holds.
 * GraphML, recognised by its first character, is read as well: nodes are ranks in their order, edges are links with the
 * numeric attributes latency_s, s_per_byte and delay_s (0 where absent).
 *
 *     { "format": "planbcast-platform", "version": 1, "name": "two hosts", "ranks": 3,
 *       "links": [ {"from": 0, "to": 1, "latency_s": 1e-6, "s_per_byte": 1e-10},
 *                  {"from": 1, "to": 2, "latency_s": 5e-5, "s_per_byte": 8e-9, "delay_s": 1e-4, "channel": 0} ],
 *       "resources": [ {"name": "host a out", "links": [[1, 2]], "s_per_byte": 8e-9, "s_per_message": 1e-6,
 *                       "burst_bytes": 12500, "pairs": [[1e6, 1, 1e8], [1e6, 2, 1.2e8]]} ],
 *       "channels": [ {"name": "network 1", "network": true, "bytes": [1024, 8192], "overhead_s": [1e-6, 2e-6],
 *                      "gap_s": [9e-6, 7e-5], "p2p_s": [6e-5, 2e-4], "gamma": [1, 1.4],
 *                      "rendezvous_bytes": 65536} ],
 *       "hosts": [0, 0, 1], "host_names": ["a", "b"], "sites": [0, 0, 0], "site_names": ["here"],
 *       "ports": "multi", "send_s": [1e-6, 1e-6, 1e-6], (or "one", "one-way", "none")
 *       "shared_bytes": [8, 1048576], "shared_s": [1.8e-6, 6.5e-5] }
 *
 * Required are format, version, ranks and links; of a link from, to, latency_s and s_per_byte; of a resource links and
 * s_per_byte. The members mean what the fields above say; an entry of "pairs" is [bytes, messages, bytes_per_s];
 * "shared_bytes" and "shared_s" need "hosts", if there is more than one rank; "ports" is
 * "one" where it is absent; "send_s" belongs to "multi", as "send_s_per_byte", "receive_s" and "receive_s_per_byte" do,
 * which may be left out. Unknown members are ignored.
 *
 * Memory: about 1 KB per link while reading (0.9 GB for a million links), about 50 bytes per link afterwards.
 *
 * \retval PLAN_EIO     the file cannot be read
 * \retval PLAN_EFORMAT it is not a platform of version 1; `err` names the file, the place and the remedy
 */
PLAN_API plan_status_t plan_platform_load(const char *path, plan_platform_t **out, plan_error_t *err);
/** Read the `len` bytes of a text as plan_platform_load reads a file. */
PLAN_API plan_status_t plan_platform_parse(const char *text, size_t len, const char *name_for_errors,
                                           plan_platform_t **out, plan_error_t *err);
/**
 * Write a platform file, under a temporary name, and rename it.
 * \retval PLAN_EIO it cannot be written
 */
PLAN_API plan_status_t plan_platform_save(const plan_platform_t *pf, const char *path, plan_error_t *err);
/** The platform file as text, which the caller frees with free(). */
PLAN_API plan_status_t plan_platform_to_json(const plan_platform_t *pf, char **text);

#ifdef __cplusplus
}
#endif
#endif
