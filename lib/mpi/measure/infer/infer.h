/* Inference from samples and rates. Free of MPI: plain numbers in and out. */
#ifndef PLANI_INFER_H
#define PLANI_INFER_H

#include <stdbool.h>
#include <stddef.h>
#include "lib/base/statistics.h"
#include "lib/mpi/measure/infer/log.h"

/* ---- infer/fit.c: statistics of samples ---- */

typedef struct {
    int n;              /* number of samples */
    double median, min; /* 0 without samples */
    bool converged;     /* plani_is_narrow of the median's 95% interval */
} plani_summary_t;

/** Sorts x. */
void plani_summarize(double *x, int n, plani_summary_t *out);
/** Robust fit of t = a + b m with a, b >= 0, to n points with t > 0, 1 <= n <= PLANI_LOG. A fit by least absolute
 * relative errors finds the outliers; least squares of relative errors fit the rest. */
void plani_fit_line(const double *m, const double *t, int n, double *a, double *b);
/**
 * The steady-state rate of a flow [B/s], from the arrivals between 35% and 100% of `seconds`. It starts late because a
 * token bucket lets its burst pass at first. Arrivals are noted late, never early, and nothing was sent before t = 0.
 * So the bytes that had arrived by some time, divided by that time, are a lower bound, and the rate is taken to exceed
 * it by little. 0 if fewer than two slices arrived. n <= PLANI_LOG.
 *
 * \param t       [s] times of arrival, ascending
 * \param bytes   [B] arrived until then
 * \param latency [s] of the path: a flow takes several latencies to start
 * \param rel_err deviation of the arrivals from a line, relative to the window; INFINITY if there are too few
 */
double plani_steady_rate(const double *t, const double *bytes, int n, double seconds, double latency, double *rel_err);
/** [B/s] The same of several flows merged to one. Flows take turns to be early and late, so that arrivals off the line
 * are no sign of a pause. */
double plani_steady_total(const double *t, const double *bytes, int n, double seconds, double latency);

/** The rate that follows from two runs, 0 for a run without a result: their mean if they agree within 10%, else the
 * larger, for disturbances only slow flows down. */
double plani_combine(double a, double b);

/** The results of several runs of one experiment; zeroed before the first. A run that another program disturbed is too
 * slow, so the two fastest count. While they do not agree, there should be another run. */
typedef struct {
    double best, second; /* the two highest rates, 0: not yet */
    int n;               /* runs so far */
} plani_runs_t;
void plani_runs_add(plani_runs_t *runs, double rate);
/** The two fastest agree within 4%. */
bool plani_runs_agree(const plani_runs_t *runs);
double plani_runs_rate(const plani_runs_t *runs);
/** The rates of the two fastest runs, between which the rate lies; not known after one. */
plani_ends_t plani_runs_ends(const plani_runs_t *runs);
/** Whether a rate cannot be that of a resource: one flow through it had `alone`, more than errors of both explain; not
 * where that is infinite, for it is unknown then. All in [B/s]. */
bool plani_is_contradicted(double rate, double alone);

/* ---- infer/piece.c: message protocols (eager, rendezvous) ---- */

/** Single messages of m >= from_bytes bytes, up to the next piece, take latency_s + m s_per_byte seconds. */
typedef struct {
    double from_bytes; /* smallest measured size of the piece: the protocol changes between it and the size before */
    double latency_s, s_per_byte;
} plani_protocol_t;
enum { PLANI_PIECES = 3 };
/** Piecewise linear fit of the times t > 0 [s] of n <= PLANI_LOG messages of ascending sizes m [B], by least squares of
 * relative errors. A piece has three points at least; a further piece is used only if errors drop significantly.
 * Returns the number of pieces, 0 for n < 3. */
int plani_fit_pieces(const double *m, const double *t, int n, plani_protocol_t *piece);

/* ---- infer/rounds.c: pairwise exchange rounds (round-robin tournament schedule) ---- */

/** Number of rounds in which each of n players is paired with every other once: n - 1 for even n, n for odd n. */
int plani_rounds(int n);
/** The partner of i in this round; -1: none. */
int plani_partner(int n, int round, int i);
/** The nth of the n / 2 pairs of this round, low < high. The order of pairs rotates from round to round. */
void plani_pair(int n, int round, int nth, int *low, int *high);
/** Steps in which each of n players has one flow to every other, `at_once` pairs of a round at the same time. */
int plani_meeting_steps(int n, int at_once);
/** Whether the nth pair of a round has its flow in this step, and which: in one step from the lower to the higher
 * player, in another back; with `turned` every other pair the other way round. */
bool plani_meets(int n, int at_once, bool turned, int step, int nth, int *from, int *to);

/* ---- infer/cluster.c: clustering ---- */

/** Average linkage up to the distance `limit`. Returns the number of clusters; label[i] is numbered by lowest member.
 * dist [n * n], symmetric, negative where unknown, is overwritten; scratch [2 n]. */
int plani_cluster(int n, double *dist, double limit, int *scratch, int *label);
/** Group positive values: neighbours in sorted order stay together up to a ratio of 1 + tolerance. Returns the number
 * of groups; group 0 holds the smallest values. scratch [n]. */
int plani_group_values(const double *x, size_t n, double tolerance, size_t *scratch, int *label);

/* ---- infer/infer.c: cards, sites and trunks from rates ---- */

/** Rates [B/s] and latencies [s] between n hosts: entry u * n + v is from u to v, 0 where unknown. */
typedef struct {
    int hosts;
    const double *rate;    /* [hosts^2] of flows between disjoint pairs of hosts, both directions at once */
    const double *slowest; /* [hosts^2] the same beside other pairs, if it was slower there */
    const double *latency; /* [hosts^2] smallest half round trip; symmetric */
    double noise;          /* [s] median half round trip less the smallest, typically */
} plani_meetings_t;

/** Preliminary card rates: out [hosts] is the largest rate of each row, in [hosts] of each column. */
void plani_card_rates(const plani_meetings_t *m, double *out, double *in);
/** Preliminary sites: clusters of hosts whose flows to each other are as fast as their cards allow, and whose latencies
 * are at most about twice that to their nearest host. Returns the number of sites. scratch [hosts^2], iscratch [2
 * hosts]. */
int plani_sites(const plani_meetings_t *m, const double *out, const double *in, double *scratch, int *iscratch,
                int *site);

/** The distance that a latency adds, in parts of a rate: from twice the nearest latency `near` of both ends on at least
 * the most that hosts of one site may lose, so another site however fast the flow; 0 below, and if the difference may
 * be noise. All in [s]; noise as of plani_meetings_t. */
double plani_farness(double latency, double near, double noise);
/** latency [sites^2] [s]: the smallest between hosts of each two sites, 0 where none is known; of a site to itself, the
 * smallest from its hosts to any host, negative for a site of one host. */
void plani_site_latencies(const plani_meetings_t *m, const int *site, int sites, double *latency);
/** Whether sites a and b are no one site by their latencies, as of plani_site_latencies, even if flows between slow
 * hosts show no trunk: they are farther from each other than hosts of one of several are from their nearest. noise [s]
 * as of plani_meetings_t. */
bool plani_far_apart(int sites, const double *latency, double noise, int a, int b);

/** Number sites, which have any numbers, by their lowest host. Returns how many there are. scratch [hosts]. */
int plani_number_sites(int hosts, int *scratch, int *site);

/** Make hosts sites of their own that are farther from all others of their site than these are from each other, as a
 * server beside a rack is: one host alone sees no trunk. Sites are numbered by lowest host. Returns the number of
 * sites. scratch [hosts]. */
int plani_part_aside(const plani_meetings_t *m, int sites, int *scratch, int *site);

/** Single out slow hosts: a host that is slower than every trunk sees no trunk, and may belong to any site. A host of a
 * site of several becomes a site of its own on two conditions. It is clearly slower in both directions than the fastest
 * of the site, and less than twice as fast as the fastest flows between the others and other sites. Ends at `most`
 * sites. Sites are
 * numbered by lowest host. Returns the number of sites. scratch [hosts]. */
int plani_part_slow(const plani_meetings_t *m, const double *out, const double *in, int sites, int most, int *scratch,
                    int *site);

/** Hosts that plani_part_slow singled out, but that are not slow by what is known since: of a card whose flows ran
 * beside flows in the other direction, in which their acknowledgements were late. out, in [hosts] [B/s]: the cards'
 * rates by now; whole, site [hosts]: sites before and after plani_part_slow. label [sites]: the site's number after
 * those hosts have gone back, by lowest host. Returns the number of sites. scratch [sites]. */
int plani_rejoin_slow(const plani_meetings_t *m, const double *out, const double *in, const int *whole, const int *site,
                      int sites, int *scratch, int *label);

/** Flows to repeat, within sites: those below 90% of what the two cards allow one flow. They were disturbed, or limited
 * by the flow in the other direction. cap [2 hosts]: what one flow can get [B/s] out of and into each host. pair
 * [hosts^2]: entries u * hosts + v, slowest relative to the cards first. Returns the number of pairs. */
int plani_doubtful(const plani_meetings_t *m, const int *site, const double *cap, int *pair);

/** Merge preliminary sites by complete linkage. loss [sites^2], symmetric: relative loss of rate of flows between two
 * sites; pairs of small loss are merged first. INFINITY: a trunk has been seen between the two, so that no site
 * contains both. label[s] is numbered by lowest member; returns the number of sites. */
int plani_merge_sites(int sites, const double *loss, int *label);

typedef enum { PLANI_SHARED_NOT, PLANI_SHARED } plani_shared_t;
/** Flows whose total rate `together` is below 85% of `alone`, the sum of their rates alone, share a resource. */
plani_shared_t plani_together(double alone, double together);
/** Does a flow of rate `alone` cross a trunk that other flows saturate? `without` is their total rate without it,
 * `with` the total with it. It does if it adds less than half of `alone`; false if `alone` is within the noise of the
 * others. All in [B/s]. */
bool plani_crosses(double without, double with, double alone);
/** [B] The burst that passed at once, of a message of `bytes` that took `seconds` after a pause, on a path of this
 * latency [s] and rate [B/s]; less 5% to be certain. 0 if it is not above 20% of the message: that may be noise. */
double plani_burst(double bytes, double seconds, double latency, double rate);
/** [s] Processor time per message of all pairs together, 0 if the processors are not shared. Message rates [1/s]: `one`
 * of one pair alone, `together` the total of `pairs` pairs at once, 0 if unknown. */
double plani_message_time(int pairs, double one, double together);
/**
 * [s] Processor time per slice of a chain that takes `slice` [s] per slice, and whose slowest card takes `cards` [s].
 * Processors and cards work at the same time, and delay each other only by chance: slice^2 = processors^2 + cards^2.
 * 0 if `slice` is below 1.25 `cards`: then nothing is known about the processors.
 */
double plani_beside_cards(double slice, double cards);
/**
 * Processor time to forward a message of m bytes: *a + *b m seconds. *b is 0 if the sizes at which processors were the
 * bottleneck span less than a factor of 16: too little for a slope.
 * \param m       [B] sizes, ascending, n <= PLANI_LOG
 * \param t       [s] time per message at each size
 * \param limited [n] something else was as slow: t is an upper bound on the processor time
 * \return false if processors were the bottleneck at no size
 */
bool plani_fit_passing(const double *m, const double *t, const bool *limited, int n, double *a, double *b);
/** Whether both directions share one medium: their rates alone differ by at most 25%, and together at the same time
 * they get less than 65% of the sum of these. All in [B/s]. */
bool plani_half_duplex(double out_alone, double in_alone, double out_both, double in_both);
/** To how many others a host can pass on what comes in at rate `in` without its outgoing rate being the bottleneck
 * [B/s]; 0: not even to one. */
int plani_relay_fan(double in, double out);
/**
 * [B/s] Capacity of a relay: the total rate into and out of a host where sending slows receiving down.
 * \param in, out [B/s] rates of each direction alone
 * \param fan     number of hosts that it forwarded to
 * \param longer  time to receive while forwarding / time to receive alone
 *
 * Forwarding occupies the part fan in / out of the outbound card, so a fully occupied card would make receiving
 * 1 + (longer - 1) out / (fan in) times as long; in + out pass in that time. Check: one medium for both directions,
 * with in = out and fan = 1, takes twice as long, and half of the sum passes.
 */
double plani_relay_rate(double in, double out, int fan, double longer);
/** Drop trunks whose limit is explained by the trunks of the other sites: those above 93% of the sum of what these
 * carry in the other direction. Only with three sites or more. rate [sites] [B/s]: measured total of each site in one
 * direction, 0 for no limit; other [sites]: the same of the other direction. */
void plani_explained_trunks(int sites, const double *other, double *rate);

/** What is known of a trunk in one direction. */
typedef struct {
    double alone; /* [B/s] of the fastest flow alone through it; 0: not known */
    double cards; /* [B/s] of all cards behind it together */
    double rate;  /* [B/s] if it was measured; 0: no limit was seen */
    int hosts;    /* behind it */
    bool measured;
} plani_way_seen_t;
/** Whether two trunks are taken to be alike: as many hosts behind them, and cards and flows alone that differ by at
 * most 12%. */
bool plani_trunks_alike(const plani_way_seen_t *a, const plani_way_seen_t *b);
/** [B/s] The rate to plan with of trunk i of n, for whose measuring there was no time: that of the first measured one
 * that it is like; else that of one flow alone, if the cards behind it pass more. 0: nothing limits it. */
double plani_guess_trunk(const plani_way_seen_t *trunk, int n, int i);
/** In which order to measure them, if time may not allow all: the slowest by flows alone first, but those that are like
 * one before them last. Ties: the lowest index. order [n] */
void plani_order_trunks(const plani_way_seen_t *trunk, int n, int *order);

/** Flows from site[0] to site[1] and from site[2] to site[3]: [B/s] at the same time, and at different times. */
typedef struct {
    int site[4];
    double met[2], apart[2];
} plani_met_t;
/** Up to this many sites two pairs of a round run their flows at the same time. */
enum { PLANI_MEET_MOST = 8 };
/** Flows that ran at the same time, and the same at different times, two pairs at once as plani_meets has them. rates
 * [sites^2] [B/s]: of the `straight` run, and of the `turned` one. met [2 sites^2]. Returns the number of entries. */
size_t plani_who_met(int sites, const double *straight, const double *turned, plani_met_t *met);
/** Areas: groups of sites behind a common trunk, such as the racks of one place. Of all partitions of the sites, the
 * one whose trunks explain best what flows got that met, all between four different sites; a further area has to
 * explain something. If none met (n is 0): clusters of sites with faster flows between them than to others, rate
 * [sites^2] [B/s] of one flow alone. Returns the number of areas; scratch [sites^2], iscratch [2 sites]. */
int plani_areas(int sites, const plani_met_t *met, size_t n, const double *rate, double *scratch, int *iscratch,
                int *area);
/** Areas by latency: clusters of sites with shorter latencies between them than to others. latency and noise as of
 * plani_far_apart. Returns the number of areas: 1 if latencies show none.
 * scratch [sites^2], iscratch [2 sites]. */
int plani_areas_by_latency(int sites, const double *latency, double noise, double *scratch, int *iscratch, int *area);

#endif
