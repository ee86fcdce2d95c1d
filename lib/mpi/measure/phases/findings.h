/* Findings: what rank 0 has measured so far. Every function here runs on rank 0 alone. */
#ifndef PLANI_FINDINGS_H
#define PLANI_FINDINGS_H

#include <jansson.h>
#include <stdio.h>
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/measure/engine/engine.h"
#include "lib/mpi/measure/engine/hosts.h"
#include "lib/mpi/measure/infer/infer.h"

/** Experiments to run, and their results. */
typedef struct {
    size_t n, room;
    bool optional; /* no step is begun once the phase's time is over */
    bool wanted;   /* none but the first once twice the phase's time is over; both: not even the first, and none is
                    * missed; neither: all run, however long they take */
    plani_task_t *task;
    plani_result_t *result; /* [n] after plani_experiments_run */
} plani_tasks_t;

/** A channel class, as found so far. */
enum { PLANI_LADDER = 13, PLANI_FLAT_MOST = 8 };
typedef struct {
    char name[32];
    bool network;
    bool fluid;        /* as in plan_channel_t */
    double rendezvous; /* [B] as in plan_channel_t */
    int from, to;      /* the representative pair of ranks */
    double rate;       /* [B/s] of that pair; 0: not known yet */
    double port_rate;  /* [B/s] of its cards alone: a slower trunk is a resource of its own */
    double latency;    /* [s] smallest half round trip of that pair; 0: not known */
    double round_trip; /* [s] of an empty message */
    plani_ends_t rate_ends, latency_ends, byte_ends, delay_ends; /* of `rate`, and [s], [s/B] of the three below */
    bool measured[PLANI_LADDER];
    double overhead[PLANI_LADDER], gap[PLANI_LADDER], p2p[PLANI_LADDER]; /* [s] at each size */
    double alone[PLANI_LADDER];                                          /* [s] p2p before it is raised to the gap */
    double part[PLANI_LADDER];             /* what a stream of slices gets, of what one of the largest does */
    double latency_s, s_per_byte, delay_s; /* as in plan_link_t */
    int npieces;
    plani_protocol_t piece[PLANI_PIECES]; /* the protocols of single messages */
    double wake_s; /* [s] extra latency when all other ranks wait, too; added to p2p and delay_s in the end */
    int ngamma;
    double gamma[PLANI_FLAT_MOST], q;
} plani_class_t;
extern const int plani_size[PLANI_LADDER]; /* [B] the message sizes of a ladder */

enum { PLANI_LARGE = 262144 }; /* [B] largest slice of a flow whose slices grow */

/** BW_MP(N) of one resource: the total rate of N messages at once (Thune et al. 2023). */
enum { PLANI_TABLE = 24 };
typedef struct {
    size_t n;
    plan_pairs_t at[PLANI_TABLE]; /* ascending by (bytes, messages) */
} plani_table_t;

enum { PLANI_SHARED_SIZES = 9 };

/** The trunk of a group of hosts, in both directions. */
typedef struct {
    double out, in;             /* [B/s]; 0: no limit seen */
    double burst_out, burst_in; /* [B] depth of the token bucket: what passes at once after a pause */
    plani_ends_t out_ends, in_ends;
    bool out_seen, in_seen; /* measured, whether there is a limit or not */
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
    PLANI_PHASE_CARDS_AGAIN,
    PLANI_PHASE_MEMORY,
    PLANI_PHASE_PROCESSORS,
    PLANI_PHASE_LADDERS,
    PLANI_PHASE_FLAT_TREES,
    PLANI_PHASE_PASSING,
    PLANI_PHASE_COPYING,
    PLANI_PHASE_WAKING,
    PLANI_PHASE_SHARED,
    PLANI_PHASE_SPARE, /* no phase: a reserve */
    PLANI_PHASES
} plani_phase_t;

typedef struct {
    plani_engine_t *engine;
    const plan_options_t *options;
    const char *library;  /* the MPI library and its version */
    double tick;          /* [s] resolution of its clock */
    double start, budget; /* [s] engine->now() at which the last rank arrived; seconds from then on */
    const char *phase;
    double phase_start, phase_s;  /* [s] engine->now(); seconds from then on */
    size_t left_out, left_before; /* wanted steps that time did not allow, so far; until the phase began */

    int ranks, hosts, sites;
    plani_place_t *place; /* [ranks] */
    plani_name_t *name;   /* [ranks] */
    int *host_first;      /* [hosts + 1] into rank_at */
    int *rank_at;         /* [ranks] ranks by host */
    int *site;            /* [hosts] */
    int *fan; /* [hosts] who share a trunk that a server's flows fill (fan.c), or are apart from all (server.c); 0: none
               */
    int *whole; /* [hosts] the preliminary sites before slow hosts were made sites of their own */

    double latency_noise;                       /* [s] median of (median - smallest half round trip) over all pairs */
    double *latency;                            /* [hosts^2] smallest half round trip [s] */
    double *rate;                               /* [hosts^2] [B/s]: beside others, larger if faster alone */
    double *slowest;                            /* [hosts^2] [B/s]: beside those others that left it least */
    bool *alone;                                /* [hosts^2] whether the rate was measured alone, in one direction */
    plani_ends_t *rate_ends;                    /* [hosts^2] of the rates' runs */
    double *card_out, *card_in;                 /* [hosts] [B/s] */
    plani_ends_t *card_ends;                    /* [2 hosts] of the cards, out and in */
    bool *shared_out, *shared_in, *half_duplex; /* [hosts] the card is a resource; one for both directions */
    bool *card_unseen; /* [2 hosts] time did not allow to fill the card, out and in: whether it is a resource */
    double *burst_out, *burst_in; /* [hosts] [B] depth of the card's token bucket */
    double *relay;             /* [hosts] [B/s] total in from other sites and out; 0: the directions are independent */
    plani_ends_t *relay_ends;  /* [hosts] */
    double *site_rate;         /* [sites^2] [B/s] one flow alone from site to site */
    plani_ends_t *site_ends;   /* [sites^2] */
    int areas;                 /* groups of sites behind a common trunk, candidates until phases/area.c; 0: none */
    int *area;                 /* [sites] */
    plani_trunk_t *area_trunk; /* [areas] */
    plani_trunk_t *trunk;      /* [sites] */

    int *class_of; /* [hosts^2] class of a flow between hosts */
    int level_class[PLANI_LEVELS];
    int nclasses;
    size_t class_room;
    plani_class_t *class_;

    plani_table_t *card_table;  /* [2 hosts] of the cards, out and in */
    plani_table_t *trunk_table; /* [2 sites] of the sites' trunks, out and in */
    plani_table_t *area_table;  /* [2 areas] of the areas' trunks, out and in */
    plani_table_t memory;       /* inside a host */
    double memory_rate;         /* [B/s] largest total rate of large messages */
    plani_ends_t memory_ends;
    bool memory_shared;
    /* [s], [s/B] Processor time per message and per byte, all ranks' processors as one resource; 0: no limit seen. */
    double message_s, message_byte_s;
    plani_table_t copying; /* with one host: total rates of slices that ranks forward along a chain */
    int nshared;           /* broadcasts inside all hosts at once, through shared memory */
    double shared_bytes[PLANI_SHARED_SIZES], shared_s[PLANI_SHARED_SIZES]; /* [nshared] */
    double message_in_host_s; /* [s] processor time per message inside a host, of hosts with the most ranks */

    json_t *samples, *phases; /* arrays for the profile */
} plani_findings_t;

/* schedule.c: how the time is spent */

/** End the phase before and begin this one: report it, record the time, and give it its part of the remaining time. */
int plani_phase_begin(plani_findings_t *s, plani_phase_t phase);
/** [s] Time for each of `steps` steps, within [least, most], so that they end at `share` of the phase's time. */
double plani_phase_slot(const plani_findings_t *s, double share, int steps, double least, double most);
/** How many steps of flows of so many seconds end by this share of the phase's time. */
int plani_phase_steps(const plani_findings_t *s, double share, double seconds);
/** [s] Time until this share of the phase's time is spent. */
double plani_phase_left(const plani_findings_t *s, double share);
/** [s] engine->now() from which on no wanted step begins: when twice the phase's time is over, or the budget. */
double plani_phase_deadline(const plani_findings_t *s);
/** Is there time for more, up to this share of the phase's time? */
bool plani_phase_time_left(const plani_findings_t *s, double share);

/** [s] How long a flow lasts at most: `most`, or so many of the longest latency that it reaches its rate. */
double plani_flow_most(const plani_findings_t *s, double most);
/** [s] Duration of flows through a resource of `rate` [B/s], 0 if unknown. At least `seconds`, up to four times as long
 * for slow resources, so that a token bucket's burst and the bytes in queues are a small part of what passes. */
double plani_long_enough(double seconds, double rate);

/* sample.c: with many hosts, only some pairs are measured */
/** Whether there are so many hosts. */
bool plani_sampled(const plani_findings_t *s);
/** Latencies of all pairs, and preliminary sites, from about 2 hosts * sites experiments. */
int plani_sample_latencies(plani_findings_t *s);
/** A latency between every two sites, and within each, of which none is known: hosts of one group, parted since. */
int plani_sample_between(plani_findings_t *s);
/** Unknown latencies become the smallest known one between the same sites; of hosts of one site, if not `inside`, less
 * than 0: how near others are, but not whether these two. */
int plani_sample_fill(plani_findings_t *s, bool inside);
/** Latencies of pairs within a site become unknown if no rate was measured between the two. */
void plani_sample_forget(plani_findings_t *s);
/** Where empty messages disturb nobody: the latency of each pair that these rounds of flows are for. The time of a flow
 * without it tells its rate, and hosts that are nearer to each other than to those that have been met are in a rack. */
int plani_sample_pairs(plani_findings_t *s, int rounds);
/** How many rounds of flows there is time for; a few at least. */
int plani_sample_rounds(const plani_findings_t *s);
/** Flows in both directions between hosts of one site, in so many rounds of disjoint pairs, all sites at once. In large
 * sites not all pairs meet. */
plan_status_t plani_sample_flows(const plani_findings_t *s, int rounds, double seconds, plani_tasks_t *tasks);

/** phases/meet.c: a ping-pong between two hosts in a step of tasks. Where each rank has its own processor, and empty
 * messages disturb nobody, all ping-pongs run at once, in as few steps as the engine has room for. */
plan_status_t plani_add_ping(const plani_findings_t *s, int step, int u, int v, double seconds, plani_tasks_t *tasks);
/** What is known of pairs of hosts, for inference. Borrowed from s. */
static inline plani_meetings_t plani_meetings(const plani_findings_t *s)
{
    return (plani_meetings_t){s->hosts, s->rate, s->slowest, s->latency, s->latency_noise};
}
/** phases/meet.c: note half of the smallest round trip of each ping-pong, unless less is known, and the noise. */
plan_status_t plani_note_latencies(plani_findings_t *s, const plani_tasks_t *tasks);

/* phases/findings.c */
plan_status_t plani_tasks_add(plani_tasks_t *tasks, plani_task_t task);
void plani_tasks_clear(plani_tasks_t *tasks);
/** One past the last task of the step that begins with task `first`. */
size_t plani_step_end(const plani_tasks_t *tasks, size_t first);
/** [B/s] Total rate of the flows of that step; *end as plani_step_end, set on errors, too. */
plan_status_t plani_step_rate(const plani_tasks_t *tasks, size_t first, size_t *end, double *rate);
/** Run the tasks and keep their samples for the profile. Returns as plani_engine_run. */
int plani_experiments_run(plani_findings_t *s, plani_tasks_t *tasks);
/** Run the tasks several times, the first time as wanted ones, then as optional ones. best [steps] [B/s], zeroed by the
 * caller: the largest total rate of each step's flows. */
int plani_best_totals(plani_findings_t *s, plani_tasks_t *tasks, int runs, double *best);
/** x in five significant digits, more than samples are accurate, to keep profiles small; 0 if x is not finite. */
double plani_rounded(double x);
int plani_first_rank(const plani_findings_t *s, int host);
int plani_ranks_on(const plani_findings_t *s, int host);
/** The host with the most ranks; ties: the lowest. */
int plani_fullest_host(const plani_findings_t *s);
/** [B/s] The steady-state rate of a flow, 0 if unknown; *rel_err as plani_steady_rate. */
double plani_flow_rate(const plani_task_t *task, const plani_result_t *result, double *rel_err);
/** Whether slices that were sent together arrived together, as in a fluid channel (plan_channel_t). Only in simulated
 * time: real flows queue, and a receiver that polls late sees the same. */
bool plani_flow_is_fluid(const plani_result_t *result);
/** [B/s] The steady-state total rate of n flows, as of one flow with the arrivals of all. Slices that are still on
 * their way count in part: of few slices each one is several percent. */
plan_status_t plani_flows_rate(const plani_task_t *task, const plani_result_t *result, size_t n, double *rate);
/** [B/s] The same of flows that end at one host, which notes them all, and that run beside no others there. Through its
 * card pass the slices of one flow and then those of another, so that none counts until it has arrived; and the last
 * ones still fill the card after the time of the flows. */
plan_status_t plani_card_flows_rate(const plani_task_t *task, const plani_result_t *result, size_t n, double *rate);
/** A flow whose slices grow; `beside` further flows may end at the same rank. */
plani_task_t plani_flow_task(int step, int from, int to, double seconds, int beside);
/** Whether a step, whose tasks begin at `first`, may get this flow: it has none between these ranks yet, and each has
 * PLANI_FLOWS flows each way at most. */
bool plani_is_new_flow(const plani_tasks_t *tasks, size_t first, int from, int to);

/* Flows of small slices, through cards and trunks: the part of the rate of large slices below which the difference is
 * not noise; the largest window of a flow [B]. */
#define PLANI_LESS 0.85
#define PLANI_UNDER_WAY 524288.0

/** [s] How long a window of such a flow lasts: so long that neither the latency nor a nap of a rank that waits limits
 * it. Where neither disturbs what is measured, a shorter one is enough. */
static inline double plani_window_s(double latency)
{
    return PLANI_FLOWS_IN_BLOCKS ? 10 * latency : 16 * latency + 2e-3;
}

/** [s] Time per slice of the slowest chain: the time of `slices` > 1 slices less that of one, divided by slices - 1.
 * Both times are the `quantile` of their repetitions, for noise only delays. 0 if the difference is lost in noise. */
double plani_chains_slice(const plani_tasks_t *tasks, double quantile);

/** The nth host of a site, -1 if it has fewer. */
int plani_host_of_site(const plani_findings_t *s, int site, int nth);
/** How many hosts a site has. */
int plani_hosts_in(const plani_findings_t *s, int site);
/** phases/site.c: host i of site a to host i of site b, all at once, and those of the smaller one again until all have
 * a flow: together they may saturate a trunk faster than one card. `label` is from * sites + to, `seconds` the
 * caller's. */
plan_status_t plani_add_joint(const plani_findings_t *s, int a, int b, int step, plani_tasks_t *tasks);
/** phases/crowd.c: all hosts of two pairs of sites at once, for the areas that plani_areas finds. met [2 sites^2], *n
 * entries; none of fewer than four sites, or more than PLANI_MEET_MOST, or if time is too short. */
int plani_meet_crowds(plani_findings_t *s, plani_met_t *met, size_t *n);
/** phases/site.c: several flows at once, one way and then back, for each pair of sites that has enough hosts to
 * saturate a fast trunk, and between which a flow alone shows no trunk (loss [sites^2] below INFINITY). Both ways are
 * needed: only one of them may be saturated. Of many pairs several disjoint ones have theirs in one step: what two
 * share lies between the sites of either. `label` is from * sites + to, `seconds` the caller's. */
plan_status_t plani_choose_joint(const plani_findings_t *s, const double *loss, plani_tasks_t *tasks);
/** phases/lone.c: test for sites of one host whether a trunk separates them from the sites that they seem to belong to.
 * loss [sites^2], as for plani_merge_sites, becomes INFINITY where it does. */
int plani_measure_lone(plani_findings_t *s, double *loss);
/** phases/lone.c: the nth host, cyclically, of all sites but a and b. These take turns, for one alone may be slower
 * than a trunk. -1: there are no others. */
int plani_nth_outside(const plani_findings_t *s, int a, int b, int nth);
/** phases/server.c: make hosts sites of their own that are much faster than the others of theirs, and behind a trunk
 * from these. Sets fan, site and sites. */
int plani_part_servers(plani_findings_t *s);
/** fan.c: part hosts behind a trunk that only flows from the fastest sender to several of them can fill, where uploads
 * are weak. Sets fan, site and sites. */
int plani_measure_fan(plani_findings_t *s);
/** [B/s] What the cards allow a flow from host u to host v. */
double plani_cards_allow(const plani_findings_t *s, int u, int v);
/** [B/s] Rate of one flow alone from host u to host v, and what its runs were. */
double plani_host_rate(const plani_findings_t *s, int u, int v);
plani_ends_t plani_host_ends(const plani_findings_t *s, int u, int v);
/** Take a rate, and the runs that it follows from, if it is larger than the one that is known. Of a rate whose own runs
 * are not known the smaller one is another run, if the two agree as in plani_combine. */
void plani_raise(double *known, plani_ends_t *ends, double rate, plani_ends_t rate_ends);
/** phases/card.c: the same of a host's card out or in, which carries at least this. */
void plani_raise_card(plani_findings_t *s, int host, bool out, double rate, plani_ends_t ends);
/** [B/s] Rate of one flow alone from host u to host v, apart from the limit of trunks that are resources. */
double plani_port_rate(const plani_findings_t *s, int u, int v);
/** Note the total rate of `messages` messages of `bytes` at once; of two values the larger stays. A full table ignores
 * new entries. */
void plani_table_add(plani_table_t *table, double bytes, int messages, double bytes_per_s);
/** Of a card or trunk, unless there is no noise: as many messages at once are not slower than smaller ones, but for
 * something that disturbed them. */
void plani_table_rise(plani_table_t *table);
/** Drop what fewer large messages than the most got together: flows by which a card or trunk was filled step by step,
 * as fast as their other ends and their links let them. That is no limit of this resource. */
void plani_table_keep_most(plani_table_t *table);
/** Copy a table to another resource, scaled by other_rate / rate [B/s]; entries of one message are left out. If several
 * tables are copied to one, the largest rates stay: those were disturbed least. Nothing is copied at rate 0. */
void plani_table_carry_over(const plani_table_t *from, double rate, double other_rate, plani_table_t *other);
/**
 * Whether that many large messages at once saturate a resource: their total rate `together` is below 90% of `alone`,
 * the sum of their rates alone [B/s]. Or, compared with the next smaller number of messages in the table, the further
 * ones add less than half of their rates alone.
 */
bool plani_is_full(const plani_table_t *table, int messages, double together, double alone);
/** The class of the link between two ranks. */
int plani_class_between(const plani_findings_t *s, int a, int b);

/* phases/card.c */
/**
 * Where all flows between a host and the others of its site do not saturate its card, as between the two hosts of a
 * site, a further one out of (or into) the site tells more, if its rate alone is a quarter of the fastest of theirs at
 * least. Returns the host outside that is fastest alone; -1 if there is none.
 */
int plani_beyond(const plani_findings_t *s, int host, bool out);

/* phases/walk.c: chains through ranks, site by site and host by host */

/** Which ranks a chain visits. */
typedef struct {
    bool by_site; /* a chain in each site; else one through all */
    bool leaders; /* the first rank of each host; else all */
    double rate;  /* [B/s] hosts with slower cards are left out */
} plani_chain_ranks_t;
typedef plan_status_t plani_on_link_t(const plani_findings_t *s, int from, int to, void *context);
/** Call `each` for one link after the other, until one call fails; ends after 64 ranks. */
plan_status_t plani_findings_walk(const plani_findings_t *s, plani_chain_ranks_t way, void *context,
                                  plani_on_link_t *each);
/** A plani_on_link_t that makes a task of each link; the context is a plani_link_tasks_t. */
typedef struct {
    plani_tasks_t *tasks;
    plani_task_t task; /* its template */
} plani_link_tasks_t;
plan_status_t plani_add_link(const plani_findings_t *s, int from, int to, void *context);
/** [B/s] The slower direction of a host's card; INFINITY if unknown. */
double plani_card_rate(const plani_findings_t *s, int host);

/* The phases, in their order; each returns as plan_measure does. */
int plani_measure_meetings(plani_findings_t *s); /* phases/meet.c: latency and rate of pairs of hosts; sites */
int plani_measure_sites(plani_findings_t *s);    /* phases/site.c: flows alone between sites; which sites to merge */
int plani_measure_cards(plani_findings_t *s);    /* phases/card.c */
int plani_measure_trunks(plani_findings_t *s);   /* phases/trunk.c */
/** phases/card.c, after bursts: a second run of cards that had one, so that their rates have an interval */
int plani_measure_cards_again(plani_findings_t *s);
int plani_find_areas(plani_findings_t *s); /* phases/area.c: candidates, and one flow alone between them */
/** [B/s] What can leave (or enter) a site: its trunk's rate; without one, that of all its cards. phases/trunk.c */
double plani_site_passes(const plani_findings_t *s, int site, bool out);
/** phases/trunk.c: guess [2 sites] [B/s] the rates to plan with of trunks out of and into each site that were not
 * measured, as of plani_guess_trunk; 0: none. */
plan_status_t plani_guess_sites(const plani_findings_t *s, double *guess);
/** phases/area.c: the same of areas, [2 areas] */
plan_status_t plani_guess_areas(const plani_findings_t *s, double *guess);
int plani_measure_areas(plani_findings_t *s);      /* phases/area.c: trunks that several sites share */
int plani_measure_relays(plani_findings_t *s);     /* phases/relay.c: rate of hosts that receive and forward at once */
int plani_measure_bursts(plani_findings_t *s);     /* phases/burst.c: depth of token buckets */
int plani_measure_memory(plani_findings_t *s);     /* phases/memory.c */
int plani_measure_processors(plani_findings_t *s); /* phases/processor.c: whether ranks share cores */
int plani_infer_classes(plani_findings_t *s);      /* phases/class.c: channel classes */
int plani_measure_ladders(plani_findings_t *s);    /* phases/ladder.c: o, g and p2p of each */
int plani_measure_gamma(plani_findings_t *s);      /* phases/gamma.c */
int plani_measure_passing(plani_findings_t *s);    /* phases/passing.c: processor time of forwarded messages */
int plani_measure_copying(plani_findings_t *s);    /* phases/copying.c: rates of slices forwarded inside one host */
int plani_measure_wakes(plani_findings_t *s);      /* phases/wake.c: extra latency while all ranks wait */
int plani_measure_shared(plani_findings_t *s);     /* phases/shared.c: broadcasts through shared memory */
/** phases/machine.c */
plan_status_t plani_infer_machine(const plani_findings_t *s, plani_machine_t **out, plan_error_t *err);
/** profile.c: takes over s->samples and s->phases. */
plan_status_t plani_profile_create(plani_findings_t *s, plan_profile_t **out, plan_error_t *err);

#endif
