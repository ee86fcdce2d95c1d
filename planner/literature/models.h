/* Hockney, LogP/LogGP and PLogP: closed forms of four collectives, and broadcasts down any tree. */
#ifndef LIT_MODELS_H
#define LIT_MODELS_H

#include <stddef.h>
#include <planbcast/plan.h>
#include <planbcast/platform.h>
#include <planbcast/tree.h>

typedef enum { LIT_HOCKNEY, LIT_LOGGP, LIT_PLOGP, LIT_MODELS } lit_model_t;
typedef enum { LIT_BARRIER, LIT_BROADCAST, LIT_REDUCE, LIT_ALLTOALL, LIT_COLLECTIVES } lit_collective_t;

/** "hockney", "loggp", "plogp"; NULL if out of range. */
const char *lit_model_name(lit_model_t model);
/** PLAN_EINVAL if `name` is none of them. */
plan_status_t lit_model_from_name(const char *name, lit_model_t *model);
/** "barrier", "broadcast", "reduce", "alltoall"; NULL if out of range. */
const char *lit_collective_name(lit_collective_t collective);
plan_status_t lit_collective_from_name(const char *name, lit_collective_t *collective);
/**
 * The algorithms of a collective, NULL after the last: barrier "linear", "double_ring", "recursive_doubling", "bruck";
 * broadcast "linear", "pipeline", "binomial", "binary", "split_binary"; reduce "linear", "pipeline", "binomial",
 * "binary"; alltoall "linear", "pairwise".
 */
const char *lit_collective_algorithm(lit_collective_t collective, size_t i);

/** Parameters of a homogeneous network for each model. Curves are linear between sizes; beyond the last one they
 * continue with the last slope if it is positive. Pointers are borrowed. */
typedef struct {
    struct {
        size_t n; /* >= 1 */
        const double *bytes, *alpha_s, *beta_s_per_byte;
    } hockney;
    struct {
        double L, o, g, G; /* [s], [s], [s], [s/B] */
    } loggp;
    struct {
        double L; /* [s], beyond the gap */
        size_t n; /* >= 1 */
        const double *bytes, *os_s, *or_s, *g_s;
    } plogp;
    double gamma_s_per_byte; /* of computing, in reduce */
} lit_network_t;

/**
 * Tables 1-4 of Pjesivac-Grbovic et al. 2007: time of a collective of `ranks` ranks.
 *
 * If the paper gives a minimum and a maximum (flat-tree barrier), this is the minimum, as the paper uses.
 * Deviations from the printed formulas are noted beside each in planner/literature.
 *
 * \param bytes   message size [B]; of each pair for alltoall, ignored for a barrier
 * \param segment [B]; 0 or >= bytes: whole
 * \retval PLAN_EINVAL  no such model, collective or algorithm, ranks < 1, or parameters of this model that are missing,
 *                      negative, not finite, or without ascending sizes
 */
plan_status_t lit_predict_collective(const lit_network_t *network, lit_model_t model, lit_collective_t collective,
                                     const char *algorithm, int ranks, size_t bytes, size_t segment, double *seconds);

/** A network that owns its curves. */
typedef struct lit_network_owned lit_network_owned_t;
/**
 * Parameters of all three models from a measured channel class with a ladder.
 *
 * PLogP: os = or = overhead, g = gap, L = p2p - gap at the smallest size. LogGP from it as in Kielmann, Bal, Verstoep
 * 2000: L + g(1) - os(1) - or(1), o the mean of os(1) and or(1), g = g(1), G = g(m) / m at the largest size. Hockney:
 * alpha = p2p of the smallest size, beta(m) = (p2p(m) - alpha) / m.
 *
 * \retval PLAN_EINVAL the channel has no ladder
 */
plan_status_t lit_network_from_channel(const plan_channel_t *channel, lit_network_owned_t **out);
/**
 * The same from the four numbers of LogGP. PLogP: os = or = o, g(m) = g + (m - 1) G, L' = L + 2 o - g, so that one byte
 * takes the same time; Hockney: alpha = L + 2 o, beta = G.
 */
plan_status_t lit_network_from_loggp(double L, double o, double g, double G, lit_network_owned_t **out);
/**
 * Read parameters from JSON: {"loggp": {"L", "o", "g", "G"}, "plogp": {"L", "bytes", "os", "or", "g"}, "hockney":
 * {"bytes", "alpha", "beta"}, "gamma"}, in seconds and seconds per byte. "loggp" is required; a model that is left out
 * follows from it as in lit_network_from_loggp.
 */
plan_status_t lit_network_parse(const char *text, size_t len, const char *name_for_errors, lit_network_owned_t **out,
                                plan_error_t *err);
void lit_network_destroy(lit_network_owned_t **network);
const lit_network_t *lit_network(const lit_network_owned_t *network);

/**
 * Predict a pipelined broadcast down trees of a platform by one of the models.
 *
 * A rank sends to its children one after the other; a slice occupies it for gap(m) and arrives hop(m) after its send
 * began. The first slice arrives after the longest path of gaps and hops; the others follow at the period of the
 * slowest rank. With PLogP, a rank that both receives and sends needs at least os + or + g per slice.
 *
 *     model    gap(m)            hop(m)                 of a link whose class has a ladder; else T(m) and T(m) + D,
 *     hockney  hop(m)            alpha + m beta(m)      where a slice holds ports for T(m) and flies for D, and for
 *     loggp    g + (m - 1) G     L + 2 o + (m - 1) G    hockney both the latter
 *     plogp    g(m)              L + g(m)
 *
 * With a window of w slices a gap is at least 1/w of the time until the sender knows of the arrival, gap + 2 (hop -
 * gap). Several trees take the longest fill time of any of them, plus the time for which all together occupy the
 * busiest rank. On a homogeneous platform linear, pipeline and (PLogP) binary trees take the time of Table 2. The
 * binomial tree takes less, for in Table 2 its levels do not overlap.
 *
 * \param share  [ntrees], of which tree k carries share[k] / sum; may be NULL for one tree
 * \param window slices in flight per child; 0: no limit
 * \retval PLAN_EINVAL  model out of range, no tree, a share missing, negative or not finite, window < 0, or a NULL
 *                      argument
 * \retval PLAN_ENOTREE a tree uses a link that pf lacks, or the rank counts differ
 */
plan_status_t lit_score_network(const plan_platform_t *pf, lit_model_t model, size_t ntrees, plan_tree_t *const *tree,
                                const double *share, size_t bytes, size_t slice, int window, double *seconds);

/** The same as a scorer of plan_choice_t; scorer_context is a const lit_model_t *. */
plan_scorer_t lit_scorer;

#endif
