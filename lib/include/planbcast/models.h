/* Hockney, LogP/LogGP and PLogP: closed forms of four collectives, and broadcasts down any tree. */
#ifndef PLANBCAST_MODELS_H
#define PLANBCAST_MODELS_H

#include <stddef.h>
#include <planbcast/platform.h>
#include <planbcast/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PLAN_HOCKNEY, PLAN_LOGGP, PLAN_PLOGP, PLAN_NETWORK_MODELS } plan_network_model_t;
typedef enum { PLAN_BARRIER, PLAN_BROADCAST, PLAN_REDUCE, PLAN_ALLTOALL, PLAN_COLLECTIVES } plan_collective_t;

/** "hockney", "loggp", "plogp"; NULL if out of range. */
PLAN_API const char *plan_network_model_name(plan_network_model_t model);
/** PLAN_EINVAL if `name` is none of them. */
PLAN_API plan_status_t plan_network_model_from_name(const char *name, plan_network_model_t *model);
/** "barrier", "broadcast", "reduce", "alltoall"; NULL if out of range. */
PLAN_API const char *plan_collective_name(plan_collective_t collective);
PLAN_API plan_status_t plan_collective_from_name(const char *name, plan_collective_t *collective);
/**
 * The algorithms of a collective, NULL after the last: barrier "linear", "double_ring", "recursive_doubling", "bruck";
 * broadcast "linear", "pipeline", "binomial", "binary", "split_binary"; reduce "linear", "pipeline", "binomial",
 * "binary"; alltoall "linear", "pairwise".
 */
PLAN_API const char *plan_collective_algorithm(plan_collective_t collective, size_t i);

/** What a homogeneous network costs, by each model. Curves are linear between their sizes, and beyond the last one go
 * on along the last slope if that rises. Pointers are borrowed. */
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
} plan_network_t;

/**
 * Tables 1-4 of Pjesivac-Grbovic et al. 2007: how long a collective of `ranks` ranks takes.
 *
 * Where the paper gives a minimum and a maximum (flat-tree barrier) this is the minimum, which the paper uses as well.
 * Deviations from the printed formulas are noted beside each in planner/models.
 *
 * \param bytes   message size [B]; of each pair for alltoall, ignored for a barrier
 * \param segment [B]; 0 or >= bytes: whole
 * \retval PLAN_EINVAL  no such model, collective or algorithm, ranks < 1, or parameters of this model that are missing,
 *                      negative, not finite, or without ascending sizes
 */
PLAN_API plan_status_t plan_predict_collective(const plan_network_t *network, plan_network_model_t model,
                                               plan_collective_t collective, const char *algorithm, int ranks,
                                               size_t bytes, size_t segment, double *seconds);

/** A network whose curves are its own. */
typedef struct plan_network_owned plan_network_owned_t;
/**
 * Parameters of all three models from a measured channel class with a ladder.
 *
 * PLogP: os = or = overhead, g = gap, L = p2p - gap at the smallest size. LogGP from it as in Kielmann, Bal, Verstoep
 * 2000: L + g(1) - os(1) - or(1), o the mean of os(1) and or(1), g = g(1), G = g(m) / m at the largest size. Hockney:
 * alpha = p2p of the smallest size, beta(m) = (p2p(m) - alpha) / m.
 *
 * \retval PLAN_EINVAL the channel has no ladder
 */
PLAN_API plan_status_t plan_network_from_channel(const plan_channel_t *channel, plan_network_owned_t **out);
/**
 * The same from the four numbers of LogGP. PLogP: os = or = o, g(m) = g + (m - 1) G, L' = L + 2 o - g, so that one byte
 * takes as long; Hockney: alpha = L + 2 o, beta = G.
 */
PLAN_API plan_status_t plan_network_from_loggp(double L, double o, double g, double G, plan_network_owned_t **out);
/**
 * Read parameters from JSON: {"loggp": {"L", "o", "g", "G"}, "plogp": {"L", "bytes", "os", "or", "g"}, "hockney":
 * {"bytes", "alpha", "beta"}, "gamma"}, in seconds and seconds per byte. "loggp" is required; a model that is left out
 * follows from it as in plan_network_from_loggp.
 */
PLAN_API plan_status_t plan_network_parse(const char *text, size_t len, const char *name_for_errors,
                                          plan_network_owned_t **out, plan_error_t *err);
PLAN_API void plan_network_destroy(plan_network_owned_t **network);
PLAN_API const plan_network_t *plan_network(const plan_network_owned_t *network);

/**
 * Predict a pipelined broadcast down trees of a platform by one of the models.
 *
 * A rank sends to its children one after the other; a slice occupies it for gap(m) and arrives hop(m) after its send
 * began. The first slice arrives after the longest path of gaps and hops; the others follow at the pace of the slowest
 * rank, which for PLogP also needs os + or + g per slice where it both receives and sends:
 *
 *     model    gap(m)            hop(m)                 of a link whose class has a ladder; else T(m) and T(m) + D,
 *     hockney  hop(m)            alpha + m beta(m)      where a slice holds ports for T(m) and flies for D, and for
 *     loggp    g + (m - 1) G     L + 2 o + (m - 1) G    hockney both the latter
 *     plogp    g(m)              L + g(m)
 *
 * With a window of w slices a gap is at least 1/w of the time from one slice's send to the next one's, gap + 2 (hop -
 * gap). Several trees that share the slices take the longest time that any of them needs beyond its pace, plus the time
 * for which all together occupy the busiest rank. On a homogeneous platform linear, pipeline and (PLogP) binary
 * trees take what Table 2 says for them; the binomial tree takes less, as there its levels do not overlap.
 *
 * \param share  [ntrees], of which tree k carries share[k] / sum; may be NULL for one tree
 * \param window slices in flight per child; 0: no limit
 * \retval PLAN_EINVAL  model out of range, no tree, a share missing, negative or not finite, window < 0, or a NULL
 *                      argument
 * \retval PLAN_ENOTREE a tree uses a link that pf lacks, or the rank counts differ
 */
PLAN_API plan_status_t plan_score_network(const plan_platform_t *pf, plan_network_model_t model, size_t ntrees,
                                          plan_tree_t *const *tree, const double *share, size_t bytes, size_t slice,
                                          int window, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
