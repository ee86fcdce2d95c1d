/* A set of findings: what rank 0 knows while it measures, and what came out. Every function here runs on rank 0 alone.
 */
#ifndef PLANI_FINDINGS_H
#define PLANI_FINDINGS_H

#include <jansson.h>
#include <stdio.h>
#include "lib/mpi/measure/engine/engine.h"
#include "lib/mpi/measure/engine/hosts.h"

/** Experiments to run, and their results. */
typedef struct {
    size_t n, room;
    bool optional; /* when the phase's time is over no more steps are begun; else all are, whatever it takes */
    plani_task_t *task;
    plani_result_t *result; /* [n] after plani_experiments_run */
} plani_tasks_t;

/** A channel class, as found so far. */
enum { PLANI_SIZES = 13, PLANI_FLAT_MOST = 8 };
typedef struct {
    char name[32];
    bool network;
    bool fluid;        /* as of plan_channel_t */
    int from, to;      /* the pair of ranks that stands for the class */
    double rate;       /* [B/s] of that pair; 0: not known yet */
    double port_rate;  /* [B/s] what its cards allow: a trunk that is slower is a resource of its own */
    double latency;    /* [s] smallest half round trip of that pair; 0: not known */
    double round_trip; /* [s] of an empty message */
    bool measured[PLANI_SIZES];
    double overhead[PLANI_SIZES], gap[PLANI_SIZES], p2p[PLANI_SIZES]; /* [s] */
    double latency_s, s_per_byte, delay_s;
    int npieces;
    plani_protocol_t piece[PLANI_PIECES]; /* of single messages: its protocols */
    double wake_s; /* [s] later than that when all other ranks wait, too; part of p2p and delay_s in the end */
    int ngamma;
    double gamma[PLANI_FLAT_MOST], q;
} plani_class_t;
extern const int plani_size[PLANI_SIZES]; /* [B] the ladder */

enum { PLANI_LARGE = 262144 }; /* [B] the slices that flows grow to */

/** BW_MP(N) of one resource: what N messages at once get together (Thune et al. 2023). */
enum { PLANI_TABLE = 24 };
typedef struct {
    size_t n;
    plan_pairs_t at[PLANI_TABLE]; /* ascending by (bytes, messages) */
} plani_table_t;

enum { PLANI_SHARED_SIZES = 9 };

/** A group of hosts that may share a trunk. */
typedef struct {
    double out, in;             /* [B/s] of the trunk; 0: no limit seen */
    double burst_out, burst_in; /* [B] what it lets pass at once after a rest */
} plani_trunk_t;

/** The phases, in their order. */
typedef enum {
    PLANI_PHASE_LATENCIES,
    PLANI_PHASE_RATES,
    PLANI_PHASE_SITES,
    PLANI_PHASE_CARDS,
    PLANI_PHASE_TRUNKS,
    PLANI_PHASE_AREAS,
    PLANI_PHASE_RELAYS,
    PLANI_PHASE_BURSTS,
    PLANI_PHASE_MEMORY,
    PLANI_PHASE_PROCESSORS,
    PLANI_PHASE_LADDERS,
    PLANI_PHASE_FLAT_TREES,
    PLANI_PHASE_PASSING,
    PLANI_PHASE_COPYING,
    PLANI_PHASE_WAKING,
    PLANI_PHASE_SHARED,
    PLANI_PHASE_SPARE, /* no phase: what is kept for what nobody planned */
    PLANI_PHASES
} plani_phase_t;

typedef struct {
    plani_engine_t *engine;
    const plan_options_t *options;
    double start, budget; /* [s] MPI_Wtime when all were here; how long */
    const char *phase;
    double phase_start, phase_s; /* [s] MPI_Wtime; how long it may take */

    int ranks, hosts, sites;
    plani_place_t *place; /* [ranks] */
    plani_name_t *name;   /* [ranks] */
    int *host_first;      /* [hosts + 1] into rank_at */
    int *rank_at;         /* [ranks] ranks by host */
    int *site;            /* [hosts] */

    double latency_noise;                       /* [s] typical above smallest */
    double *latency;                            /* [hosts^2] smallest half round trip [s] */
    double *rate;                               /* [hosts^2] [B/s]: beside others, then alone */
    double *card_out, *card_in;                 /* [hosts] [B/s] */
    bool *shared_out, *shared_in, *half_duplex; /* [hosts] the card is a resource; one for both directions */
    double *burst_out, *burst_in;               /* [hosts] [B] what the card lets pass at once after a rest */
    double *relay;        /* [hosts] [B/s] in from other sites and out together; 0: as much as each alone */
    double *site_rate;    /* [sites^2] one flow alone from site to site [B/s] */
    plani_met_t *meeting; /* [nmeetings] flows between sites that met */
    size_t nmeetings;
    int areas;                 /* groups of sites behind a further trunk; 0: none */
    int *area;                 /* [sites] */
    plani_trunk_t *area_trunk; /* [areas] */
    plani_trunk_t *trunk;      /* [sites] */

    int *class_of; /* [hosts^2] class of a flow between hosts */
    int level_class[PLANI_LEVELS];
    int nclasses;
    size_t class_room;
    plani_class_t *class_;

    plani_table_t *card_table;  /* [2 hosts] of the cards, out and in */
    plani_table_t *trunk_table; /* [2 sites] of the trunks, out and in */
    plani_table_t *area_table;  /* [2 areas] of theirs */
    plani_table_t memory;       /* inside a host */
    double memory_rate;         /* [B/s] of large messages, as many as there can be */
    bool memory_shared;
    /* What the processors of all ranks together take per message and per byte; 0: they suffice. */
    double message_s, message_byte_s;
    plani_table_t copying; /* inside the only host: what slices get while ranks pass them on */
    int nshared;           /* broadcasts through the memory of the only host */
    double shared_bytes[PLANI_SHARED_SIZES], shared_s[PLANI_SHARED_SIZES]; /* [nshared] */
    double message_in_host_s; /* [s] per message, of those of each host that has as many ranks as any */

    json_t *samples, *phases; /* arrays for the profile */
} plani_findings_t;

/* engine/schedule.c: how the time is spent */

/** A phase begins, and the one before ends: tells the user, keeps the time, and gives it its part of what is left. */
int plani_phase_begin(plani_findings_t *s, plani_phase_t phase);
/** Seconds for each of `steps` steps, so that `share` of the phase's time is spent then, within [least, most]. */
double plani_phase_slot(const plani_findings_t *s, double share, int steps, double least, double most);
/** Seconds until this share of the phase's time is spent; where flows end by count there is no end to them. */
double plani_phase_left(const plani_findings_t *s, double share);
/** Is there time for more, up to this share of the phase's time? */
bool plani_phase_time_left(const plani_findings_t *s, double share);

/** [s] How long flows last that share what lets pass `rate` [B/s], 0 if that is unknown: longer than `seconds` if it is
 * slow, so that what a shaper lets pass at first, and what waits in queues, is little of it; four times at most. */
double plani_long_enough(double seconds, double rate);

/* engine/sample.c: many hosts, some of whose pairs stand for all */
bool plani_sampled(const plani_findings_t *s);
/** Latencies of all pairs, and preliminary sites, out of about 2 hosts * sites experiments. */
int plani_sample_latencies(plani_findings_t *s);
/** Unknown latencies become those between the sites. */
int plani_sample_fill(plani_findings_t *s);
/** Latencies within sites of pairs that no flow was seen between become unknown. */
void plani_sample_forget(plani_findings_t *s);
/** Flows both ways between hosts of one site, a few rounds of disjoint pairs, all sites at the same time. */
plan_status_t plani_sample_flows(const plani_findings_t *s, double seconds, plani_tasks_t *tasks);

/* phases/meet.c: the smallest round trips of ping-pongs */
plan_status_t plani_note_latencies(plani_findings_t *s, const plani_tasks_t *tasks);

/* engine/findings.c */
plan_status_t plani_tasks_add(plani_tasks_t *tasks, plani_task_t task);
void plani_tasks_clear(plani_tasks_t *tasks);
/** Where the step ends whose first task this is. */
size_t plani_step_end(const plani_tasks_t *tasks, size_t first);
/** What the flows of that step got together [B/s]; *end: where it ends, whatever is returned. */
plan_status_t plani_step_rate(const plani_tasks_t *tasks, size_t first, size_t *end, double *rate);
/** Run them and keep the samples for the profile. As plani_engine_run. */
int plani_experiments_run(plani_findings_t *s, plani_tasks_t *tasks);
/** Four digits are more than any sample is worth, and keep profiles small. */
double plani_rounded(double x);
int plani_first_rank(const plani_findings_t *s, int host);
int plani_ranks_on(const plani_findings_t *s, int host);
/** The first host of those with the most ranks. */
int plani_fullest_host(const plani_findings_t *s);
/** The steady rate of a flow task's result [B/s], 0 if unknown. */
double plani_flow_rate(const plani_task_t *task, const plani_result_t *result, double *rel_err);
/** Whether the slices of a flow arrived together that were sent together. Real time cannot tell that from receivers
 * that look late, and real flows queue: false. */
bool plani_flow_is_fluid(const plani_result_t *result);
/** The steady rate of n flows together, as of one flow whose arrivals are those of all [B/s]. */
plan_status_t plani_flows_rate(const plani_task_t *task, const plani_result_t *result, size_t n, double *rate);
/** A flow whose slices grow; `beside` flows reach the same rank. */
plani_task_t plani_flow_task(int step, int from, int to, double seconds, int beside);

/** Seconds per slice of chains, n > 1 slices each: of the slowest chain, for all have as many to pass on; what many
 * take more than one. 0 if that is lost in unrest, which makes chains late, never early: `quantile` of the repetitions.
 */
double plani_chains_slice(const plani_tasks_t *tasks, double quantile);

/** The nth host of a site, -1 if it has fewer; and how many it has. */
int plani_host_of_site(const plani_findings_t *s, int site, int nth);
int plani_hosts_in(const plani_findings_t *s, int site);
/** Sites of one host that seem to be one with others: whether they are. loss [sites^2] as plani_merge_sites wants it
 * becomes INFINITY where there is a boundary after all. phases/lone.c */
int plani_measure_lone(plani_findings_t *s, double *loss);
/** What a flow from host u to host v gets alone [B/s]. */
double plani_host_rate(const plani_findings_t *s, int u, int v);
/** What a flow from host u to host v could get if no trunk that is a resource held it up [B/s]. */
double plani_port_rate(const plani_findings_t *s, int u, int v);
/** Note what `messages` of `bytes` at once got together; the larger, if that is known. A full table takes no more. */
void plani_table_add(plani_table_t *table, double bytes, int messages, double bytes_per_s);
/** What several messages get of a resource of `rate` [B/s], they get in proportion of another one: of several tables
 * carried over the best counts, which was disturbed least. Nothing at rate 0: what there is none of tells nothing. */
void plani_table_carry_over(const plani_table_t *from, double rate, double other_rate, plani_table_t *other);
/**
 * Whether so many large messages at once fill what they share: they get less together than the sum of what each gets
 * alone [B/s], or those beyond the next fewer ones in the table add less than half of what they would alone.
 */
bool plani_is_full(const plani_table_t *table, int messages, double together, double alone);
/** The class of the link between two ranks. */
int plani_class_between(const plani_findings_t *s, int a, int b);

/* phases/card.c */
/**
 * Between the two hosts of a site either card may be the slower one; what one of them gets beside, out of (or into) the
 * site, tells them apart if that is enough to be seen. The host outside for that, fastest alone; -1: none, or the site
 * has other than two hosts.
 */
int plani_beyond(const plani_findings_t *s, int host, bool out);

/* phases/walk.c: chains through ranks, site by site and host by host */

/** Which way. */
typedef struct {
    bool by_site; /* a chain in each site; else one through all */
    bool leaders; /* one rank of each host; else all */
    double rate;  /* [B/s] hosts whose cards are slower are left out */
} plani_way_t;
typedef plan_status_t plani_on_link_t(const plani_findings_t *s, int from, int to, void *context);
/** Calls `each` for one link after the other, until one fails; some 64 ranks are enough. */
plan_status_t plani_findings_walk(const plani_findings_t *s, plani_way_t way, void *context, plani_on_link_t *each);
/** A plani_on_link_t that makes a task of each link; the context is a plani_adding_t. */
typedef struct {
    plani_tasks_t *tasks;
    plani_task_t task; /* like this one */
} plani_adding_t;
plan_status_t plani_add_link(const plani_findings_t *s, int from, int to, void *context);
/** The slower direction of a host's card [B/s]; INFINITY if no flow has shown it. */
double plani_card_rate(const plani_findings_t *s, int host);

/* The phases, in their order; each returns as plan_measure does. */
int plani_measure_meetings(plani_findings_t *s);   /* phases/meet.c: latency and rate of pairs of hosts; sites */
int plani_measure_sites(plani_findings_t *s);      /* phases/site.c: flows alone between sites; which sites are one */
int plani_measure_cards(plani_findings_t *s);      /* phases/card.c */
int plani_measure_trunks(plani_findings_t *s);     /* phases/trunk.c */
int plani_measure_areas(plani_findings_t *s);      /* phases/area.c: trunks that several sites share */
int plani_measure_relays(plani_findings_t *s);     /* phases/relay.c: what in and out of a host take from each other */
int plani_measure_bursts(plani_findings_t *s);     /* phases/burst.c: what they let pass at once */
int plani_measure_memory(plani_findings_t *s);     /* phases/memory.c */
int plani_measure_processors(plani_findings_t *s); /* phases/processor.c: whether ranks share cores */
int plani_infer_classes(plani_findings_t *s);      /* phases/class.c: which there are */
int plani_measure_ladders(plani_findings_t *s);    /* phases/ladder.c: o, g and p2p of each */
int plani_measure_gamma(plani_findings_t *s);      /* phases/gamma.c */
int plani_measure_passing(plani_findings_t *s);    /* phases/passing.c: what messages take of shared cores */
int plani_measure_copying(plani_findings_t *s);    /* phases/copying.c: what slices take of one host */
int plani_measure_wakes(plani_findings_t *s);      /* phases/wake.c: how much later messages are among waiting ranks */
int plani_measure_shared(plani_findings_t *s);     /* phases/shared.c: broadcasts through memory that all ranks share */
/** phases/machine.c */
plan_status_t plani_infer_machine(const plani_findings_t *s, plani_machine_t **out, plan_error_t *err);
/** profile.c: takes over s->samples and s->phases. */
plan_status_t plani_profile_create(plani_findings_t *s, plan_profile_t **out, plan_error_t *err);
/** profile.c: one more member of the provenance. Takes over the value. PLAN_ENOMEM. */
plan_status_t plani_profile_add(plan_profile_t *profile, const char *key, json_t *value);

#endif
