/* What a slice costs on links and resources: time, windows, bursts, flat trees. */
#ifndef PLANI_COST_H
#define PLANI_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/heuristics.h>
#include <planbcast/platform.h>
#include <planbcast/tree.h>

/** What transfers of one moment put on a resource. */
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
 * How long a resource is held by so many messages at once, which have `bytes` together: Thune et al. 2023, BW_MP(N) of
 * the resource's table for messages of about that size, where it has one. Never less than at its one rate, which it
 * carries when many share it for long (max-rate).
 */
double plani_resource_time(const plan_resource_t *r, double messages, double bytes);
/** The same for each of many messages of `bytes`, as many at once as its table knows. */
double plani_resource_steady(const plan_resource_t *r, double bytes);

/**
 * Without ports (PLAN_PORTS_NONE) a link between hosts leaves its ranks to others while its resources carry its bytes.
 * One that is slower than all of them by the byte is taken to hold its ranks, for what limits it is not known.
 * \return whether the link's bytes hold resources alone
 */
bool plani_is_carried(const plan_platform_data_t *d, size_t link);
/** So long a slice holds both ports of its link [s]: T_uv, or, if the link is carried, latency_s. */
static inline double plani_port_cost(const plan_platform_data_t *d, size_t link, double bytes)
{
    const plan_link_t *l = &d->link[link];
    return plani_is_carried(d, link) ? l->latency_s : plan_link_cost(l, bytes);
}

/** The largest of `least` and, of n loads, times * load[i] - less[i]. */
double plani_most_beyond(size_t n, double times, const double *load, const double *less, double least);

/** The seconds of its work that a rested resource lets pass at once. */
double plani_burst_time(const plan_resource_t *r);
/**
 * Resources with a burst, as token buckets in seconds of their work: `left` of `burst` is saved up, and one stage puts
 * `load` on them.
 */
typedef struct {
    size_t n;
    double *burst, *left, *load; /* [n] */
} plani_buckets_t;

/** Room for so many. */
plan_status_t plani_buckets_create(size_t room, plani_buckets_t *b);
void plani_buckets_clear(plani_buckets_t *b);
/** One more, into room that there is. \return its number */
size_t plani_buckets_add(plani_buckets_t *b, const plan_resource_t *r);
/** All are rested, and idle. */
void plani_buckets_rest(plani_buckets_t *b);
/**
 * So many equal stages pass. None is shorter than `least`, and none leaves a bucket below nothing, while time fills
 * those that are not full. What all of them put on a bucket is through after that minus what was left, and that only
 * becomes steeper: so the time of all of them follows at once. \return the time of all of them [s]
 */
double plani_buckets_pass(plani_buckets_t *b, double least, double stages);

/**
 * What one transfer takes: seconds that it holds its link's ports; seconds until the slowest resource on its way is
 * through with it, too, >= busy; and seconds that it is in flight after that. The `free` ones are the same where
 * resources with a burst charge nothing, for they are charged apart: a port whose rate is that of such a resource, its
 * card, is then held by the software alone.
 */
typedef struct {
    double busy, through, flight;
    double free_busy, free_through;
    bool fluid;   /* as of plan_channel_t */
    bool carried; /* its bytes hold no port */
} plani_time_t;

/**
 * A link's time for a slice of `bytes`: from the ladder of its channel class where there is one, else its own. What p2p
 * takes beyond the gap and the slowest resource is flight.
 */
plani_time_t plani_link_time(const plan_platform_data_t *d, size_t link, double bytes);
/** What a message takes through memory that all ranks share [s], as measured; NAN: nobody knows. */
double plani_shared_time(const plan_platform_data_t *d, double bytes);
/**
 * What a message of these bytes takes longer [s] than at the best rate of smaller ones, because caches do not hold the
 * buffers; 0 where nobody knows. Links are measured on buffers that caches hold, shared memory at all sizes; whichever
 * way bytes go inside a host, the ranks' buffers are the same.
 */
double plani_beyond_caches(const plan_platform_data_t *d, double bytes);
/** [s] From the start of a slice until the one that is w behind it may start. */
static inline double plani_round(const plani_time_t *t, int window)
{
    return t->fluid ? window * t->through + t->flight : t->through + 2 * t->flight;
}

/**
 * With w slices in flight no link is faster than w slices per through + 2 * flight, the time until the next one may
 * follow the first; or, of a fluid one, than w slices per w * through + flight, for they arrive together.
 * \return the effective occupation [s], resources with a burst apart; window 0: no limit
 */
static inline double plani_windowed(const plani_time_t *t, int window)
{
    if (window <= 0) return t->free_busy;
    if (t->fluid) return plani_round(t, window) / window;
    double round = (t->through + 2 * t->flight) / window;
    if (round > t->through) return round; /* also in the long run */
    double free = (t->free_through + 2 * t->flight) / window;
    return t->free_busy > free ? t->free_busy : free;
}

/** [s] From when the next slice may follow until the first of w is there: what a way takes beyond the occupation. */
static inline double plani_lag(const plani_time_t *t, int window)
{
    return t->fluid && window > 0 ? (window - 1) * plani_windowed(t, window) : t->flight;
}

/**
 * The narrowest window that slices of so many bytes are sent in [slices]. Two large slices in flight keep a link busy
 * unless it is long, which the model sees. More of them share the link, so that all arrive late and none early, and
 * whatever another tree sends that way waits behind them; the model does not see that. Inside one host no slice is in
 * flight: its receiver copies it, and a second one has to wait, while it takes the first one's place in the caches.
 * Smaller slices do not get in each other's way.
 */
int plani_narrow_window(size_t slice, bool one_host);
/**
 * The window that a link itself needs: what keeps it busy, at least PLANI_COMMON_WINDOW, at most `window`. Wider ones,
 * which long links ask for, are too much for short ones, where all that is in flight shares the way and nothing arrives
 * before it has filled.
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
 * The tree has been reshaped: look at it again. Allocates nothing. PLAN_ENOTREE: as plani_tree_check; then the stages
 * are of no use until they have looked again.
 * \param via [ranks] the link into each rank, where that is known; else NULL
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

/** Both on a platform: plani_stages_time_links, then plani_stages_run, unless what is kept tells. */
double plani_stages_score(plani_stages_t *st, plani_cut_t cut, int window, double most);

/** It will be scored for many messages: keep what full pipelines tell, for longer ones. Once `costs` is given, and not
 * to be followed by plani_stages_look. */
plan_status_t plani_stages_keep(plani_stages_t *st);

/** What one slice down a tree holds of send ports [ranks], receive ports [ranks] and resources [s]. */
typedef struct {
    const double *held; /* [2 * ranks + nresources] */
    const double *busy; /* [2 * ranks] ports, but for the time in which links leave them to others: fluid ones, and
                           those whose bytes hold no port */
} plani_loads_of_slice_t;

/** For several trees at once: make room for plani_stages_loads, after plani_stages_keep if that is wanted. */
plan_status_t plani_stages_weigh(plani_stages_t *st);
/** A full slice's, or the last one's; until the next call for that. On a platform, of a message that is not empty. */
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
