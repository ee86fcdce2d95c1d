/* Cluster specs (bench/clusters/README.md): groups of hosts behind trunks, and which host holds which rank. */
#ifndef PLANI_CLUSTER_H
#define PLANI_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>
#include <planbcast/platform.h>
#include "graphs/platform/json.h"

/** [B] Files of machines and specs may be so large. */
#define PLANI_MACHINE_FILE_MOST ((size_t)1 << 28)
/** [s] What a slice costs between hosts besides its bytes, where nothing was measured. */
#define PLANI_SLICE_S 1e-6

/** The rates of a card or trunk. A trunk without a limit has rates of 0. */
typedef struct {
    double in_bytes_per_s, out_bytes_per_s, latency_s;
} plani_gate_t;

/** A site or a group within one. Groups are numbered depth first, so that `above` is lower than the group's number. */
typedef struct {
    char *name;
    int above; /* -1: a site */
    int site;  /* 0, 1, ... */
    plani_gate_t trunk;
} plani_group_t;

typedef struct {
    char *name;
    int group;
    int ranks;
    plani_gate_t card;
} plani_host_t;

typedef struct {
    char *name;
    int ngroups, nhosts, nsites, ranks;
    int site_first;       /* the first host of the site that is being read */
    plani_group_t *group; /* [ngroups] */
    plani_host_t *host;   /* [nhosts] depth first */
    size_t group_room, host_room;
    char **site_name; /* [nsites] */
    int *host_of;     /* [ranks] */
    double memory_bytes_per_s, memory_latency_s;
    double burst_s,
        burst_bytes; /* token buckets of cards and trunks: what they carry in burst_s, at least burst_bytes */
    struct plani_machine *machine; /* owned: the machine that this was read from; NULL: a spec */
} plani_cluster_t;

/** Whether a text (of JSON or whatever) may be a spec or a machine: names the format. */
bool plani_cluster_is_one(const char *text);
/** Read a spec, and place the ranks. PLAN_EFORMAT: as below. */
plan_status_t plani_cluster_from_json(const plani_json_t *doc, plani_cluster_t **out);
/** The same of the text of a spec or of a machine, `file` in errors; a machine gets one rank on each host. */
plan_status_t plani_cluster_parse(const char *text, size_t len, const char *file, plani_cluster_t **out,
                                  plan_error_t *err);
/** The same of a file. PLAN_EFORMAT: `err` names file, place and remedy. */
plan_status_t plani_cluster_load(const char *path, plani_cluster_t **out, plan_error_t *err);
void plani_cluster_destroy(plani_cluster_t **cluster);

/**
 * The hosts and groups that can be inferred from a platform's resources: from those that all links out of or into some
 * hosts share, and no others. It has no names, and hosts outside of all groups have the group -1. *out is NULL where
 * nothing can be inferred: one host, ports (PLAN_PORTS_ONE, PLAN_PORTS_MULTI), no such resources. O(links depth +
 * resources (ranks + hosts)) time. \retval PLAN_ENOMEM
 */
plan_status_t plani_cluster_infer(const plan_platform_data_t *d, plani_cluster_t **out);

/** The same hosts and groups, without names, with one rank on each, numbered like the hosts. PLAN_ENOMEM. */
plan_status_t plani_cluster_of_leaders(const plani_cluster_t *c, plani_cluster_t **out);

/** Fill host_of by placement "block", "cyclic" or "shuffled"; PLAN_EINVAL: another one. */
plan_status_t plani_cluster_place(plani_cluster_t *c, const char *placement, uint64_t seed);

/** As JSON, format "planbcast-layout" (bench/clusters/README.md); the caller frees it. PLAN_ENOMEM. */
plan_status_t plani_cluster_layout(const plani_cluster_t *c, char **text);

#endif
