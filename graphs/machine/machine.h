/* A machine: hosts of some kinds in nested groups, as measured or described. No ranks in it; it outlives a job. */
#ifndef PLANI_MACHINE_H
#define PLANI_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>
#include <planbcast/platform.h>
#include "graphs/machine/cluster.h"
#include "graphs/platform/json.h"
#include "lib/base/names.h"
#include "lib/base/statistics.h"

/** Rate and burst of a card or trunk in one direction. */
typedef struct {
    double bytes_per_s;    /* 0: no limit known */
    plani_ends_t interval; /* [B/s] of the runs that the rate follows from, as of all rates and costs below */
    double burst_bytes;    /* [B] capacity of its token bucket */
    bool guess;            /* not measured, as of plan_resource_t */
    size_t npairs;
    plan_pairs_t *pairs; /* [npairs] as of plan_resource_t */
} plani_capacity_t;

/** The closest part of the hardware that two ranks of one host share. */
typedef enum { PLANI_SAME_L2, PLANI_SAME_L3, PLANI_SAME_PACKAGE, PLANI_SAME_HOST, PLANI_LEVELS } plani_level_t;
extern const char *const plani_level_name[PLANI_LEVELS];

/** Broadcasts through memory that so many ranks of a host share. */
typedef struct {
    int ranks;
    size_t n;
    const double *bytes, *seconds; /* [n] */
} plani_machine_shared_t;

/** What ranks of one host do. */
typedef struct {
    int channel[PLANI_LEVELS]; /* by what two ranks share; -1: not known */
    plani_capacity_t memory;   /* a rate of 0: not known */
    bool memory_shared;        /* measured: ranks share it */
    double memory_latency_s;   /* where no channel says more */
    /* Where ranks share cores: on hosts with at least this many ranks, the processor time per message, or the rate at
     * which slices are copied. */
    int oversubscribed;
    double oversubscribed_message_s;
    plani_capacity_t copying;
    int nshared;
    plani_machine_shared_t *shared; /* [nshared] */
} plani_machine_inside_t;

typedef struct {
    char *name;
    char *signature;                /* its hardware by hwloc; "": unknown */
    plani_capacity_t out, in;       /* of the card */
    bool shared_out, shared_in;     /* measured: several flows share it */
    bool half_duplex;               /* both directions share one medium of the mean of both rates, if both are known */
    double relay_bytes_per_s;       /* in from other groups and out together; 0: as much as each alone */
    plani_ends_t relay_interval;    /* [B/s] */
    double latency_s;               /* of the card, where no path says more */
    json_t *hardware;               /* memory, caches and cards as hwloc sees them, for people; may be NULL */
    plani_machine_inside_t *inside; /* NULL: as in other hosts of the machine */
} plani_machine_kind_t;

/** Groups are numbered depth first, so that `above` is lower than the group's number. */
typedef struct {
    char *name;
    int above; /* -1: none */
    int part;  /* hosts of different parts were never measured together: the network between them is unknown */
    plani_capacity_t out, in;
    double latency_s; /* of the trunk, where no path says more */
} plani_machine_group_t;

typedef struct {
    char *name;
    int group, kind;
    bool ambiguous; /* a later host has this name, too */
    bool admitted;  /* assumed to be like the others of its kind: neither measured nor described */
} plani_machine_host_t;

/** A channel class, and what its links cost. */
typedef struct {
    plan_channel_t ladder;
    double latency_s, s_per_byte, delay_s;
    plani_ends_t latency_interval, byte_interval, delay_interval; /* [s], [s/B], [s] */
} plani_machine_channel_t;

/** Which channel a message from one host to another takes; -1 in the first six: any. The first path that fits counts,
 * but those of single hosts come before the others. */
typedef struct {
    int from_host, to_host, from_group, to_group, from_kind, to_kind;
    int channel;                /* -1: none */
    double flow_bytes_per_s;    /* one flow gets no more; 0: what the cards carry */
    bool likely;                /* assumed from other hosts when machines were merged: a measured path replaces it */
    plani_ends_t flow_interval; /* [B/s] */
} plani_machine_path_t;

typedef struct plani_machine {
    char *name;
    int nkinds, ngroups, nhosts, npaths, nchannels;
    plani_machine_kind_t *kind;
    plani_machine_group_t *group;
    plani_machine_host_t *host;
    plani_machine_path_t *path;
    plani_machine_channel_t *channel;
    plani_machine_inside_t inside; /* of hosts whose kind says nothing else */
    /* Processor time where ranks of all hosts together share cores, as on an emulated cluster. */
    double message_s, message_byte_s; /* [s], [s/B] */
    json_t *provenance;               /* how it was found; may be NULL */
    void **block;                     /* [nblocks] all that the pointers above point to */
    size_t nblocks, block_room, host_room;
    plani_names_t names; /* of the hosts */
} plani_machine_t;

/** Where a rank is: its host in the machine, and the L2, L3 and package it is bound to (-1: not bound). */
typedef struct {
    int host;
    int place[PLANI_LEVELS - 1];
} plani_place_t;
plani_level_t plani_level(const plani_place_t *a, const plani_place_t *b);

/** One without hosts. NULL: out of memory. */
plani_machine_t *plani_machine_create(void);
void plani_machine_destroy(plani_machine_t **m);
/** n zeroed elements, or a copy of a text, that live as long as the machine. NULL: out of memory. */
void *plani_machine_room(plani_machine_t *m, size_t n, size_t size);
char *plani_machine_text(plani_machine_t *m, const char *text);
/** A copy of the capacity whose table the machine owns. PLAN_ENOMEM. */
plan_status_t plani_machine_capacity(plani_machine_t *m, const plani_capacity_t *from, plani_capacity_t *to);

/** Add a host; this is the only way to add one. O(1) on average. PLAN_ENOMEM. */
plan_status_t plani_machine_add_host(plani_machine_t *m, const char *name, int group, int kind);

/** The machine that a cluster spec describes. PLAN_ENOMEM. */
plan_status_t plani_machine_of_cluster(const plani_cluster_t *c, plani_machine_t **out);

/** Machine files: JSON, format "planbcast-machine", version 1 (graphs/README.md); cluster specs are read as well. Paths
 * of single hosts that have no name of their own are left out. The caller frees the text. */
plan_status_t plani_machine_to_json(const plani_machine_t *m, char **text);
/** PLAN_EFORMAT: `err` names file, place and remedy. */
plan_status_t plani_machine_parse(const char *text, size_t len, const char *file, plani_machine_t **out,
                                  plan_error_t *err);
/** The same of an object in a file. */
plan_status_t plani_machine_from_json(const plani_json_t *at, plani_machine_t **out);
plan_status_t plani_machine_load(const char *path, plani_machine_t **out, plan_error_t *err);

/**
 * Add to a machine file what this machine says: plani_machine_merge(the file's, m). Several may do so at once. A file
 * that cannot be merged with it stays as it is.
 * \param kept receives what the file keeps although this machine differs, as plani_machine_kept; may be NULL
 * \retval PLAN_EMISMATCH names do not tell its hosts apart, or those of the file: a new file is not made, either
 * \retval PLAN_EFORMAT the file is no machine
 */
plan_status_t plani_machine_add_to_file(const plani_machine_t *m, const char *path, char **kept, plan_error_t *err);
/** Measured rates repeat within this part: what differs by less is alike. */
#define PLANI_ALIKE 0.03

/** The host of this name; -1: there is none, or several. O(1) on average. */
int plani_machine_find(const plani_machine_t *m, const char *name);

/** The deepest that groups are nested, and the most hosts. */
enum { PLANI_MACHINE_DEPTH = 16, PLANI_MACHINE_HOSTS = 1 << 17 };
/** Rates lie within these [B/s]. */
#define PLANI_LEAST_RATE 1e-3
#define PLANI_MOST_RATE 1e15
/** The first path without single hosts that fits two hosts; -1: none. O(npaths). */
int plani_machine_path(const plani_machine_t *m, int from, int to);
/** The path that counts between two hosts: the first one of single hosts, else as above. O(npaths). */
int plani_machine_path_between(const plani_machine_t *m, int from, int to);

/** Whether every host has a name of its own, and one that a list of names can hold: names are all that tells which
 * hosts are the same. PLAN_EMISMATCH: `err` names one. */
plan_status_t plani_machine_check_names(const plani_machine_t *m, plan_error_t *err);

/**
 * What two machines know together. One rule for all figures: what `known` says stays, and `more` adds what it lacks:
 * hosts, groups, levels above groups, limits of trunks that nobody had seen, and what ranks of one host do. Hosts are
 * the same if their names are. A host of another signature than before is another host now, as `more` says; one whose
 * signature was not known gets it. A new host is of a known kind if its card differs by no more than noise, and hwloc
 * says the same of it. Its group is that of the known hosts that it shares a group with in `more`, of most of them;
 * else it is in a new group. Paths between hosts that neither knows together are as between others of their groups.
 * Machines without a common host are kept as parts. \retval PLAN_EMISMATCH hosts have no names, or the same; or groups
 * would be nested too deeply
 */
plan_status_t plani_machine_merge(const plani_machine_t *known, const plani_machine_t *more, plani_machine_t **out,
                                  plan_error_t *err);

/**
 * What a merge has kept although the newer machine differs: cards, trunks and memory whose rates differ by more than
 * PLANI_ALIKE, and groups. One line without a verb: "the cards of n[1-2], the trunks of rack 0".
 * \param all  the merged machine
 * \param text the caller's; NULL: nothing
 * \retval PLAN_ENOMEM
 */
plan_status_t plani_machine_kept(const plani_machine_t *all, const plani_machine_t *newer, char **text);

/** Relative error above which a machine is reported as not to be trusted. */
#define PLANI_OFF 0.2
/** The largest relative error of broadcasts that validated a machine, "validation" in its provenance: 0.2 if measured /
 * predicted or predicted / measured is 1.2. 0: no broadcasts. */
double plani_validation_error(const json_t *validation);

/** The inside of one of the machine's hosts. */
const plani_machine_inside_t *plani_machine_inside(const plani_machine_t *m, int host);
/** Whether both ways of a card are known to share one medium. */
bool plani_kind_shares_medium(const plani_machine_kind_t *kind);
/** Whether what a card carries out of its host, or into it, was not measured. A half-duplex card is a guess if one way
 * is. */
bool plani_kind_is_guess(const plani_machine_kind_t *kind, bool out);
/** [B/s] What one flow gets of the card at most; 0: no limit is known. Of a half-duplex card that is a guess it is what
 * both ways share. */
double plani_kind_rate(const plani_machine_kind_t *kind, bool out);
/** The hardware of a host as text: hosts with equal texts get one kind. All processors, whoever may use them; `mbit`
 * [Mbit/s] of its fastest physical card, 0: unknown; model NULL: unknown. Cut off after `room` bytes. */
void plani_signature(char *text, size_t room, int packages, int cores, int threads, long mbit, const char *model);

/** For each of n of a machine's hosts (NULL: the first n) the index of the first of them that has its group and kind:
 * like[n]. O(n^2). */
void plani_machine_alike(const plani_machine_t *m, int n, const int *host, int *like);
/** Whether it describes messages between ranks of one host. */
bool plani_inside_is_known(const plani_machine_inside_t *inside);
/**
 * Find a job's hosts in a machine, by their names. O(nhosts + n) time on average. One that is missing is admitted where
 * that leaves no doubt: all hosts are in one group, and one kind alone has its signature.
 *
 * \param name, signature [n] of the job's hosts
 * \param several_ranks  some host has several of its ranks
 * \param host     [n] receives their numbers
 * \param admitted receives how many of them are admitted, now or earlier
 * \retval PLAN_EMISMATCH the machine is another one; `err` says which host is missing, or no longer what it was
 */
plan_status_t plani_machine_match(plani_machine_t *m, int n, const char *const *name, const char *const *signature,
                                  bool several_ranks, int *host, int *admitted, plan_error_t *err);

/**
 * The platform of ranks on a machine: every ordered pair of ranks a link; cards, trunks, memories and processors the
 * resources. Hosts and groups are numbered by their lowest rank.
 * \param place [ranks]
 * \retval PLAN_EMISMATCH ranks share a host, and the machine does not describe messages inside it
 */
plan_status_t plani_machine_platform(const plani_machine_t *m, int ranks, const plani_place_t *place,
                                     plan_platform_t **out, plan_error_t *err);

/** What a resource of such a platform is. */
typedef enum { PLANI_PART_OUT, PLANI_PART_IN, PLANI_PART_BOTH, PLANI_PART_OTHER } plani_direction_t;
typedef struct {
    plani_direction_t direction; /* of a card or trunk; BOTH: of a half-duplex card; OTHER: neither card nor trunk */
    bool trunk;
    int which; /* the machine's group or host */
} plani_machine_part_t;

/** The same platform, and in *part what each of its resources is [nresources], which the caller frees. */
plan_status_t plani_machine_platform_of_parts(const plani_machine_t *m, int ranks, const plani_place_t *place,
                                              plan_platform_t **out, plani_machine_part_t **part, plan_error_t *err);

/** How the platform of a description differs from that of a measured machine: hosts and sites keep the machine's order,
 * resources have the names of their hosts, and no rank has ports. */
typedef struct {
    size_t nlinks;
    const int *from, *to;         /* [nlinks] ascending by (from, to), each once; NULL: every ordered pair of ranks */
    const char *const *site_name; /* [outermost groups] */
} plani_machine_described_t;

/** The platform of ranks on a described machine. Resources that none of its links uses are left out.
 * O(nlinks depth + hosts) time where the machine has no paths. */
plan_status_t plani_machine_platform_described(const plani_machine_t *m, int ranks, const plani_place_t *place,
                                               const plani_machine_described_t *described, plan_platform_t **out,
                                               plan_error_t *err);

/* machine_change.c */

/** A copy of a machine, by its file: hosts may have other numbers. PLAN_ENOMEM. */
plan_status_t plani_machine_copy(const plani_machine_t *m, plani_machine_t **out);
/** Whether a rank's host is the card's host, or in the trunk's group. */
bool plani_machine_part_holds(const plani_machine_t *m, plani_machine_part_t part, int host);
/**
 * Change the rate of a card or trunk, and its interval; rates of several messages at once change in proportion. A host
 * whose card is then unlike those of its kind gets a kind of its own, and is no longer admitted.
 * \param interval of the new rate, which lies within it; both ends 0: not known
 * \retval PLAN_EINVAL neither card nor trunk
 */
plan_status_t plani_machine_set_rate(plani_machine_t *m, plani_machine_part_t part, double bytes_per_s,
                                     plani_ends_t interval);
/**
 * The same in a machine file, where all else stays: of the host of the same name, or of the group that holds the same
 * of those hosts that both know; of several such groups, of the one of the same name. Several may do so at once. If
 * there is no file, m is written.
 * \param m has this part, and its new rate
 * \retval PLAN_EMISMATCH the file has no such host or group, and stays as it is; or there is none, and hosts of m share
 * a name
 * \retval PLAN_EFORMAT the file is no machine
 */
plan_status_t plani_machine_renew_file(const plani_machine_t *m, plani_machine_part_t part, double bytes_per_s,
                                       plani_ends_t interval, const char *path, plan_error_t *err);
/** Give trunks without a known limit the total rate of the cards behind them. This limits nothing, but then the
 * platform has a resource for each trunk. */
void plani_machine_fill_trunks(plani_machine_t *m);

/* machine_flows.c */

typedef struct {
    int from, to; /* hosts */
} plani_host_flow_t;

/**
 * [B/s] The total rate of n flows at once if this card or trunk were no limit. The others share theirs evenly: all
 * flows get more at the same pace until they are full. INFINITY: of some flow no limit is known. O(n^2 depth + hosts)
 * time where the machine has no paths. PLAN_ENOMEM.
 */
plan_status_t plani_machine_flows_without(const plani_machine_t *m, plani_machine_part_t part, size_t n,
                                          const plani_host_flow_t *flow, double *total);

/* machine_names.c */

/** Call `each` for every name in a list such as "n[001-064,070],r[1-3]-[00-15],login". PLAN_EFORMAT: *why says what is
 * wrong with the list; NULL where `each` failed. */
plan_status_t plani_host_list(const char *list, plan_status_t (*each)(void *context, const char *name), void *context,
                              const char **why);
/** Whether a host's name would be read as a list, or as several names. */
bool plani_is_host_list(const char *name);
/** The list of n names, in their order: neighbours that count up become ranges. The caller frees it; NULL: no memory.
 */
char *plani_host_list_of(size_t n, const char *const *name);

#endif
