/* What a slice costs on links and resources: time, windows, bursts, flat trees. */
#ifndef PLANI_COST_H
#define PLANI_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/heuristics.h>
#include <planbcast/platform.h>
#include <planbcast/tree.h>

/** What simultaneous transfers ask of a resource. */
typedef struct {
    double messages, bytes;
} plani_demand_t;

/** How a message is pipelined. */
typedef struct {
    size_t bytes, slice; /* [B]; slice 0: the message whole */
    int window;          /* slices in flight per child; 0: no limit */
} plani_pipeline_t;

/** A message cut into slices: n - 1 of `full` bytes and one of `last`, 0 < last <= full. */
typedef struct {
    size_t n; /* 0: nothing to send */
    double full, last;
} plani_cut_t;

/** slice 0: one slice, the message whole. */
plani_cut_t plani_cut(size_t bytes, size_t slice);

/**
 * [s] How long so many messages at once, of `bytes` in total, occupy a resource. Where it has a table, this is BW_MP(N)
 * of the rows for messages of about that size (Thune et al. 2023). It is never less than at the rate of the resource,
 * which is the one that many messages share for a long time (max-rate).
 */
double plani_resource_time(const plan_resource_t *r, double messages, double bytes);
/** [s] The same per message of `bytes`, for as many at once as the table has. */
double plani_resource_steady(const plan_resource_t *r, double bytes);

/**
 * Without ports (PLAN_PORTS_NONE) a transfer between hosts occupies the resources of its link, and its ranks can do
 * something else meanwhile. A link that takes more time per byte than each of its resources has a limit of its own: its
 * transfers occupy the link, too (plani_own_cost). \return whether the link's bytes occupy resources alone
 */
bool plani_is_carried(const plan_platform_data_t *d, size_t link);
/**
 * For bounds: whether a link between hosts is known to be slower than all that it passes, guesses apart.
 * \param guess [nresources] cards whose rates are guesses: a link that has the rate of one of them is not known to be
 */
bool plani_is_slow(const plan_platform_data_t *d, const bool *guess, size_t link);
/** [s] How long a slice occupies both ports of its link: T_uv, or latency_s between hosts without ports. */
static inline double plani_port_cost(const plan_platform_data_t *d, size_t link, double bytes)
{
    const plan_link_t *l = &d->link[link];
    bool apart = d->ports == PLAN_PORTS_NONE && d->host[l->from] != d->host[l->to];
    return apart ? l->latency_s : plan_link_cost(l, bytes);
}
/** [s] How long it occupies the link alone, while its ranks can use others: T_uv with several ports, and where there
 * are none, between hosts, if nothing that the link passes is as slow; else 0. */
static inline double plani_own_cost(const plan_platform_data_t *d, size_t link, double bytes)
{
    const plan_link_t *l = &d->link[link];
    bool apart = d->ports == PLAN_PORTS_NONE && d->host[l->from] != d->host[l->to];
    return d->send_s != NULL || (apart && !plani_is_carried(d, link)) ? plan_link_cost(l, bytes) : 0;
}

/** Whether sends and receives of a rank take turns: at its one port, or at the processor that its overheads occupy. */
static inline bool plani_takes_turns(const plan_platform_data_t *d)
{
    return d->ports == PLAN_PORTS_ONE_WAY || d->receive_s != NULL;
}
/** What v's receives occupy, of [2 * ranks] ports, of which its sends occupy v. */
static inline size_t plani_receive_port(const plan_platform_data_t *d, int v)
{
    return plani_takes_turns(d) ? (size_t)v : (size_t)d->ranks + (size_t)v;
}
/** [s] How long a slice occupies its sender, and its receiver: T_uv, or the overheads of several ports. */
static inline double plani_send_time(const plan_platform_data_t *d, size_t link, double bytes)
{
    return d->send_s != NULL ? plan_send_cost(d, d->link[link].from, bytes) : plani_port_cost(d, link, bytes);
}
static inline double plani_receive_time(const plan_platform_data_t *d, size_t link, double bytes)
{
    return d->send_s != NULL ? plan_receive_cost(d, d->link[link].to, bytes) : plani_port_cost(d, link, bytes);
}

/** The largest of `least` and, of n loads, times * load[i] - less[i]. */
double plani_most_beyond(size_t n, double times, const double *load, const double *less, double least);

/** [s] The burst of a rested resource, as time at its rate. */
double plani_burst_time(const plan_resource_t *r);
/**
 * Resources with a burst, as token buckets counted in seconds at the rate of the resource: `left` of `burst` tokens are
 * there, and one stage takes `load` of them.
 */
typedef struct {
    size_t n;
    double *burst, *left, *load; /* [n] */
} plani_buckets_t;

/** Memory for so many. */
plan_status_t plani_buckets_create(size_t room, plani_buckets_t *b);
void plani_buckets_clear(plani_buckets_t *b);
/** One more, of no more than were created. \return its number */
size_t plani_buckets_add(plani_buckets_t *b, const plan_resource_t *r);
/** Fill all buckets; all resources are idle. */
void plani_buckets_rest(plani_buckets_t *b);
/**
 * Let that many equal stages pass. No stage is shorter than `least`. Buckets fill with time, and a stage lasts until no
 * bucket is overdrawn. A bucket delays all stages together by their load less what was left in it. This grows with the
 * number of stages, so that their total time has a closed form. \return the time of all of them [s]
 */
double plani_buckets_pass(plani_buckets_t *b, double least, double stages);

/**
 * What one transfer takes [s]: `busy` is how long it occupies the ports of its link; `flow` is how long it occupies the
 * link itself, where a single flow gets less than all that it passes can carry (else 0); `through`, no less than
 * either, is when the slowest resource on its way has passed it on, too; then it is in flight. The `free` ones are the
 * same without resources that have a burst, which are counted apart: a port whose rate is that of such a resource, its
 * card, is then occupied by the software alone.
 */
typedef struct {
    double busy, through, flight;
    double free_busy, free_through;
    double flow;
    bool fluid;   /* as of plan_channel_t */
    bool carried; /* its bytes occupy no port */
} plani_time_t;

/**
 * A link's time for a slice of `bytes`: from the ladder of its channel class where there is one, else from its own
 * latency and rate. The flight is the p2p time less the gap or the time of the slowest resource.
 */
plani_time_t plani_link_time(const plan_platform_data_t *d, size_t link, double bytes);
/** [s] Measured time of a broadcast through shared memory of all ranks; NAN: unknown. */
double plani_shared_time(const plan_platform_data_t *d, double bytes);
/** [B/s] The most that such a broadcast of fewer bytes delivered, to the slowest of hosts; 0: none was timed. */
double plani_shared_rate(const plan_platform_data_t *d, double bytes);
/**
 * [s] How much longer a message of this size takes than at the best rate of smaller ones, because caches do not hold
 * the buffers; 0 if unknown. Links are measured with buffers that fit into caches, shared memory at all sizes. Both
 * read and write the same buffers of the ranks, so that shared memory shows the effect.
 */
double plani_beyond_caches(const plan_platform_data_t *d, double bytes);
/** [s] From the start of a slice until the one that is w behind it may start. */
static inline double plani_round(const plani_time_t *t, int window)
{
    return t->fluid ? window * t->through + t->flight : t->through + 2 * t->flight;
}

/**
 * With w slices in flight a link carries at most w slices per through + 2 * flight, the time until the next one may
 * follow the first. Slices of a fluid link arrive together: it carries at most w slices per w * through + flight.
 * \return the effective occupation [s], resources with a burst apart; window 0: no limit
 */
static inline double plani_windowed(const plani_time_t *t, int window)
{
    double alone = t->free_busy > t->flow ? t->free_busy : t->flow;
    if (window <= 0) return alone;
    if (t->fluid) return plani_round(t, window) / window;
    double round = (t->through + 2 * t->flight) / window;
    if (round > t->through) return round; /* also in the long run */
    double free = (t->free_through + 2 * t->flight) / window;
    return alone > free ? alone : free;
}

/** [s] From when the next slice may be sent until the first of w has arrived: the delay beyond the occupation. */
static inline double plani_lag(const plani_time_t *t, int window)
{
    return t->fluid && window > 0 ? (window - 1) * plani_windowed(t, window) : t->flight;
}

/**
 * The least window for slices of this size [slices]. Two large slices in flight keep a link busy unless its latency is
 * long, which the model accounts for. More slices share the link and all arrive later, and slices of other trees on the
 * same link wait behind them; the model does not account for that. Inside one host the receiver copies each slice: a
 * second slice waits and displaces the first one from the caches. Smaller slices do not delay each other.
 */
int plani_narrow_window(size_t slice, bool one_host);
/**
 * The window that keeps this link busy, at least PLANI_COMMON_WINDOW and at most `window`. Links of long latency need a
 * wide window; on links of short latency it would only delay the first slice, for all slices in flight share the link.
 */
int plani_link_window(plani_time_t t, int window);

/** gamma(P) of a class for a flat tree of P = `processes` >= 2; beyond the table (ngamma >= 1) along its last slope. */
double plani_gamma(const double *gamma, size_t ngamma, size_t processes);

/** One transfer of a non-blocking flat tree. */
typedef struct {
    int channel; /* class, -1: none, sends are serialised */
    double busy; /* [s] */
} plani_send_t;

/**
 * The time of a non-blocking flat tree whose transfers may be of several classes: Nuriyev et al. 2022, eqs (4) and (8).
 * The class of the costliest transfer counts fully; the others count by the ratio of their times to it (1/Q), rounded
 * down together. Where the costliest class has no gamma, sends are serialised: the sum of all times.
 */
double plani_nbft(const plan_channel_t *channel, size_t n, const plani_send_t *send);

/** A tree made ready to be scored at many message sizes, slices and windows: those calls allocate nothing. */
typedef struct plani_stages plani_stages_t;

/** Times that trees of one platform share (planner/cost/cost_cache.h). */
struct plani_cost_cache;

/**
 * On a platform. Borrows pf, tree and, unless it is NULL, costs, which must outlive it. PLAN_ENOTREE: as
 * plani_tree_check. O(n log degree).
 */
plan_status_t plani_stages_create(const plan_platform_t *pf, const plan_tree_t *tree, struct plani_cost_cache *costs,
                                  plani_stages_t **out);
/**
 * Without a platform: `channel_of` [ranks] is the class of the link to each rank, and plani_stages_time_classes says
 * what a slice takes. Borrows tree and channel; copies channel_of.
 */
plan_status_t plani_stages_create_abstract(const plan_tree_t *tree, const plan_channel_t *channel,
                                           const int *channel_of, plani_stages_t **out);
/**
 * Read the tree again after it has been changed. Allocates nothing. PLAN_ENOTREE: as plani_tree_check; then the stages
 * cannot be used until a later call succeeds. \param via [ranks] the link into each rank, where that is known; else
 * NULL
 */
plan_status_t plani_stages_look(plani_stages_t *st, const plan_platform_t *pf, const size_t *via);
void plani_stages_destroy(plani_stages_t **st);

/** Work out all link times for this cut and window, on a platform. */
void plani_stages_time_links(plani_stages_t *st, plani_cut_t cut, int window);
/** The same by class, without a platform: full[c] and last[c] are the times of the two sizes. */
void plani_stages_time_classes(plani_stages_t *st, const double *full, const double *last);

/**
 * After either of them: the sum of all stages and of the longest flight [s], or INFINITY once it is clear that this
 * takes longer than `most` [s]. O(n + height + resource uses * log).
 */
double plani_stages_run(plani_stages_t *st, plani_cut_t cut, double most);
/** After a run: the rank of each depth whose sends took longest [height]. \return the height */
int plani_stages_costliest(const plani_stages_t *st, int *rank);
/** Without a platform, of a tree of height 1 sent in one piece: one transfer after the other, eq. (1). */
double plani_stages_flat_blocking(const plani_stages_t *st);

/** Both on a platform: plani_stages_time_links, then plani_stages_run, unless the time of its full pipeline is kept. */
double plani_stages_score(plani_stages_t *st, plani_cut_t cut, int window, double most);

/** Keep the times of full pipelines for longer messages: for trees that are scored for many messages. It needs `costs`;
 * do not call plani_stages_look afterwards. */
plan_status_t plani_stages_keep(plani_stages_t *st);

/** [s] How long one slice down a tree occupies send ports [ranks], receive ports [ranks] and resources. */
typedef struct {
    const double *held; /* [2 * ranks + nresources] */
    const double *busy; /* [2 * ranks] ports, less the time that fluid and carried links leave to others */
} plani_loads_of_slice_t;

/** For several trees at once: make room for plani_stages_loads, after plani_stages_keep if that is wanted. */
plan_status_t plani_stages_weigh(plani_stages_t *st);
/** Those of a full slice or of the last one, valid until the next call for the same. On a platform, for messages that
 * are not empty. */
plani_loads_of_slice_t plani_stages_loads(plani_stages_t *st, plani_cut_t cut, int window, bool last);

/** ---- score_trees.c ---- */
/** As plani_score_trees, of valid arguments. */
plan_status_t plani_score_ready(const plan_platform_data_t *d, size_t ntrees, plani_stages_t *const *ready,
                                const double *share, plani_pipeline_t how, double *seconds);
/** n slices apportioned to trees by their shares: largest remainders; of equals the lowest index. */
void plani_apportion(size_t ntrees, const double *share, double total, size_t n, size_t *mine);
/** No share is missing, negative or not finite, and *total, their sum, is positive and finite. */
bool plani_shares_are_valid(size_t ntrees, const double *share, double *total);

/**
 * plan_throughput for any set of transfers.
 * \param times [nlinks] how often each link is used per slice (see plani_binomial_paths)
 */
plan_status_t plani_throughput_of_uses(const plan_platform_t *pf, const int *times, double slice, double *throughput,
                                       plan_bottleneck_t *where);

#endif
