/* What samples and rates say: numbers in, numbers out, and no MPI. */
#ifndef PLANI_INFER_H
#define PLANI_INFER_H

#include <stdbool.h>
#include <stddef.h>

enum { PLANI_LOG = 64 }; /* samples per experiment */

/* ---- infer/fit.c: numbers out of samples ---- */

typedef struct {
    int n, kept;   /* samples, and those that are no outliers */
    double median; /* of all */
    double min;    /* of all */
    double mean;   /* of the kept ones */
    double half;   /* half-width of the mean's 95% confidence interval; INFINITY below 3 samples */
} plani_summary_t;

/** Sorts x. Outliers lie more than 3.5 scaled median absolute deviations from the median. */
void plani_summarize(double *x, int n, plani_summary_t *out);
/** The goal of all repetitions: the mean within 2.5% at 95% confidence. */
bool plani_converged(const plani_summary_t *s);
/** t = a + b m, a >= 0, b >= 0; t > 0, 1 <= n <= PLANI_LOG. Least absolute relative errors find the outliers, least
 * squares fit the rest: wild points do not move the line. */
void plani_fit_line(const double *m, const double *t, int n, double *a, double *b);
/**
 * Bytes per second of a flow once it runs steadily: from the arrivals between 35% and 100% of `seconds`. A token
 * bucket lets its burst pass at first, hence the late start. Arrivals are noted late and never early, and nothing
 * was sent before t = 0: so much has passed since then for certain, and the rate is hardly more than that says. 0 if
 * fewer than two slices arrived. n <= PLANI_LOG.
 *
 * \param latency of the way [s]: a flow takes some of them to get under way
 * \param rel_err how far the arrivals lie off a steady line, relative; INFINITY if there are too few
 */
double plani_steady_rate(const double *t, const double *bytes, int n, double seconds, double latency, double *rel_err);

/** What two runs say together, 0 for a run that saw nothing: their mean if they agree within 10%; else the larger, for
 * disturbances slow flows down. */
double plani_combine(double a, double b);

/** What several runs of one experiment say: zeroed before the first. A run that another program disturbed is too slow,
 * so the two fastest count, and where they do not agree there should be another run. */
typedef struct {
    double best, second; /* the two highest rates, 0: not yet */
    int n;               /* runs so far */
} plani_runs_t;
void plani_runs_add(plani_runs_t *runs, double rate);
/** The two fastest agree within 4%. */
bool plani_runs_agree(const plani_runs_t *runs);
double plani_runs_rate(const plani_runs_t *runs);

/* ---- infer/piece.c: the protocols of messages ---- */

/** Single messages of at least from_bytes, up to the next piece, take latency_s + m s_per_byte seconds. latency_s is
 * the line's value at 0: below 0 where a piece is steeper than what its first message took. */
typedef struct {
    double from_bytes; /* the smallest size that was seen on it: the protocol changes above the size before */
    double latency_s, s_per_byte;
} plani_protocol_t;
enum { PLANI_PIECES = 3 };
/** Lines through the times t > 0 of messages of ascending sizes m, n <= PLANI_LOG: by least squares of relative errors,
 * at least three points each, another line only where the errors drop significantly. Returns how many, 0 for n < 3. */
int plani_fit_pieces(const double *m, const double *t, int n, plani_protocol_t *piece);

/* ---- infer/rounds.c: who meets whom ---- */

/** Rounds in which n players meet all others once: n - 1 or n. */
int plani_rounds(int n);
/** Whom i meets in this round; -1: nobody. */
int plani_partner(int n, int round, int i);
/** The nth of the n / 2 pairs of this round, another one first in each round. */
void plani_pair(int n, int round, int nth, int *low, int *high);

/* ---- infer/cluster.c: groups by likeness ---- */

/** Average linkage up to `limit`: returns how many clusters; label[i] numbered by lowest member. dist [n * n],
 * symmetric, negative where unknown, is used up; scratch [2 n]. */
int plani_cluster(int n, double *dist, double limit, int *scratch, int *label);
/** Group positive values: neighbours in sorted order stay together up to a ratio of 1 + tolerance. Returns how many
 * groups; group 0 holds the smallest values. scratch [n]. */
int plani_group_values(const double *x, size_t n, double tolerance, size_t *scratch, int *label);

/* ---- infer/infer.c: what the rates say about cards, sites and trunks ---- */

/** Rates of flows between hosts in bytes/s: rate[u * n + v], 0 where unknown. */
typedef struct {
    int hosts;
    const double *rate;    /* [hosts^2] flows that ran beside others, in disjoint pairs, both directions at once */
    const double *latency; /* [hosts^2] smallest half round trip [s], 0 where unknown; symmetric */
    double noise;          /* [s] how far a typical half round trip lies above the smallest */
} plani_meetings_t;

/** Card rates as the meetings show them: the largest of each row and column. */
void plani_card_rates(const plani_meetings_t *m, double *out, double *in);
/** Hosts that reach each other as fast as their cards allow, and as quickly as their nearest: a site. Returns how many.
 * scratch [hosts^2], iscratch [2 hosts]. */
int plani_sites(const plani_meetings_t *m, const double *out, const double *in, double *scratch, int *iscratch,
                int *site);

/** Hosts so slow that they see no boundary may be in any site: those of a site of several hosts, slower both ways than
 * its fastest, whose cards are no faster than what the others exchange with other sites become sites of their own,
 * until there are `most`; numbered by lowest host. Returns how many sites there are. scratch [hosts]. */
int plani_part_slow(const plani_meetings_t *m, const double *out, const double *in, int sites, int most, int *scratch,
                    int *site);

/** Pairs of hosts of one site whose flows got clearly less than one flow can get of their cards, cap [2 hosts] out and
 * in of each: disturbed, or held up by what ran the other way. The most doubtful first, as u * hosts + v; pair
 * [hosts^2]. Returns how many. */
int plani_doubtful(const plani_meetings_t *m, const int *site, const double *cap, int *pair);

/** Which sites are one after all. loss [sites^2], symmetric: how much flows between two sites miss beside others, the
 * likelier merged first; INFINITY: a boundary has been seen, they stay apart, and so does whatever they belong to.
 * Complete linkage; label[s] numbered by lowest member; returns how many. */
int plani_merge_sites(int sites, const double *loss, int *label);

typedef enum { PLANI_SHARED_NOT, PLANI_SHARED } plani_shared_t;
/** Flows that together get clearly less (< 85%) than the sum of what each gets alone share something of rate
 * `together`. */
plani_shared_t plani_together(double alone, double together);
/** Does a flow of rate `alone` cross a boundary that others fill? They got `without` it, and with it all get `with`: of
 * what it gets alone less than half is added, if that is enough to be seen. */
bool plani_crosses(double without, double with, double alone);
/** How many bytes passed at once of a message that took `seconds` after a rest, on a way of this latency [s] and rate
 * [B/s], less 5% to be certain; 0 if no more than the rate and noise explain. */
double plani_burst(double bytes, double seconds, double latency, double rate);
/** Seconds per message of all pairs together, 0 if their processors suffice. Messages per second: `one` pair alone, and
 * `together` of so many `pairs` at once, 0 if unknown. */
double plani_message_time(int pairs, double one, double together);
/**
 * What processors take [s] of the time per slice of a chain whose slowest card takes `cards` [s] of it; 0 if cards are
 * about as slow as the chain, so that nothing is known. Neither waits for the other but by chance: what is far slower
 * counts alone, and of two that are as slow each holds up the other now and then. Their squares add up.
 */
double plani_beside_cards(double slice, double cards);
/**
 * What passing a message of m bytes on takes the processors: *a + *b m seconds; *b is 0 where the sizes at which they
 * were the slowest lie too near to each other to tell.
 * \param t       [s] what it took where ranks did so one after the other, sizes m ascending, n <= PLANI_LOG
 * \param limited [n] something else was as slow: the processors take no more than t
 * \return false if they were the slowest at no size
 */
bool plani_fit_passing(const double *m, const double *t, const bool *limited, int n, double *a, double *b);
/** Out and in at the same time get clearly less than each alone: one medium for both directions. */
bool plani_half_duplex(double out_alone, double in_alone, double out_both, double in_both);
/**
 * What comes into a host and goes out of it together [B/s] where ways out hold up ways in. `in` and `out` [B/s]: what
 * each gets alone; what came in took `longer` times as long while it went out to `fan` others. If it went out so often
 * that it filled the way out, all would take 1 + lost times as long, and in + out pass in that time. One medium for
 * both ways, in = out, fan 1, takes twice as long: half of their sum passes.
 */
double plani_relay_rate(double in, double out, int fan, double longer);
/** Sites' trunks that are real: drops those that other sites' trunks explain (only with three or more sites).
 * rate [sites] measured total of each site in one direction, 0 for none; other [sites] the same, the other direction.
 */
void plani_explained_trunks(int sites, const double *other, double *rate);

/** Two flows at the same time, from site[0] to site[1] and from site[2] to site[3]. */
typedef struct {
    int site[4];
    double part; /* of what they get apart */
} plani_met_t;
/** So many sites at most run their flows in twos: two pairs of a round at a time. */
enum { PLANI_MEET_MOST = 8 };
/** What flows got that met, pairs as plani_pair says, the first two of a round, then the next two: rates [sites^2] of
 * the run in which all went from the lower to the higher site (then back), and of that in which every other pair was
 * turned around. met [2 sites^2]. Returns how many. */
size_t plani_who_met(int sites, const double *straight, const double *turned, plani_met_t *met);
/** Sites that share a further trunk, such as racks of one place: the areas that explain best which flows got less when
 * they met, the fewest. If no four sites met: those that reach each other faster than the rest, rate [sites^2] of one
 * flow alone. Returns how many; scratch [sites^2], iscratch [2 sites]. */
int plani_areas(int sites, const plani_met_t *met, size_t n, const double *rate, double *scratch, int *iscratch,
                int *area);

#endif
