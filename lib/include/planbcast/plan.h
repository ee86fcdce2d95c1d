/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates, the choice between them, and the plan: the chosen candidate for each range of message sizes. */
#ifndef PLANBCAST_PLAN_H
#define PLANBCAST_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <planbcast/heuristics.h>
#include <planbcast/platform.h>
#include <planbcast/schedule.h>
#include <planbcast/steady.h>
#include <planbcast/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- experimental ---- */

/** How a candidate is run. */
typedef enum {
    PLAN_RUN_TREES,  /* the library's executor runs its trees */
    PLAN_RUN_NATIVE, /* MPI_Bcast of the MPI library */
    PLAN_RUN_NOT,    /* not executable, listed for comparison only (routed transfers, missing links) */
    PLAN_RUN_ROUNDS, /* the library's executor runs its schedule of rounds */
    PLAN_RUN_SHARED, /* the library's executor copies it through shared memory */
    PLAN_RUN_HOSTS   /* its trees between hosts, shared memory inside them; without that, as PLAN_RUN_TREES */
} plan_run_t;

/** One way to broadcast one message size. */
typedef struct {
    size_t size;   /* sizeof(plan_candidate_t) */
    char name[64]; /* "best-tree", "ompi-chain", "shared-memory", "native", ... */
    plan_run_t run;
    size_t slice; /* [B]; 0: the message unsliced */
    int window;   /* slices in flight per child, >= 1; of rounds: transfers in flight in each direction */
    size_t ntrees;
    plan_tree_t **tree;            /* [ntrees] owned */
    double *rate;                  /* [ntrees] [slices/s] of each tree; slices are assigned in proportion */
    int *link_window;              /* [ntrees * ranks] owned: slices in flight on the link into each rank, tree after
                                      tree, if short links need less than `window`; NULL: `window` on all */
    plan_schedule_kind_t schedule; /* this, places and order: of PLAN_RUN_ROUNDS only */
    int places;                    /* ranks; else 0 */
    int *order;                    /* [places] owned: the rank at each place, the root first; else NULL */
    double throughput;             /* [slices/s] in steady state; of rounds: over the whole broadcast */
    double lp_ratio;               /* throughput / bound at this slice size */
    double predicted_s;            /* [s] by the model: those that lead by simulation, those far behind and all beyond
                                      512 ranks by tau-Lop's stages, unless another model or a scorer was chosen; NAN
                                      if not scored */
    double measured_s;             /* [s] NAN if not measured */
    double weight;                 /* candidates are compared by predicted_s * weight, a correction for several trees
                                      and for rounds; 0: that of a real machine */
    plan_bottleneck_t bottleneck;
    size_t instance; /* internal: index of its trees or rounds among those that were ranked */
} plan_candidate_t;

/**
 * A user's model: predict the time of a pipelined broadcast down trees of pf, which carry slices in proportion to
 * share[] (NULL for a single tree). Equal arguments have to give equal times. Making a plan takes some ten thousand
 * calls, in one thread.
 *
 * \param context scorer_context of the choice
 * \param slice   slice size [B]; 0: the message unsliced
 * \param window  slices in flight per child, >= 1
 * \param[out] seconds makespan [s], >= 0; INFINITY if the model cannot predict it
 * \return PLAN_OK, or an error, which ends planning with it
 */
typedef plan_status_t plan_scorer_t(void *context, const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree,
                                    const double *share, size_t bytes, size_t slice, int window, double *seconds);

/** Options of planning. Set `size`; all else may be 0. */
typedef struct {
    size_t size;       /* sizeof(plan_choice_t) */
    size_t slice;      /* [B] fixed slice size; 0: several are tried. Scatter schedules send a block per rank instead;
                          their throughput is in slices of this size */
    int window;        /* fixed window; 0: chosen */
    const char *model; /* NULL or "simulation": tau-Lop stages, then the best are simulated message by message;
                          "taulop": the stages alone */
    plan_scorer_t *scorer; /* predicts times instead of `model`, which has to be NULL; rounds, which it cannot predict,
                              are left out. NULL: none */
    void *scorer_context;  /* passed to it */
    const char *only;      /* comma-separated candidate names; NULL: all */
    double time_limit_s;   /* [s] of planning, about; 0: none up to 50,000 links, 10 s beyond. When it is over, plans
                              are not refined to further message sizes, and rankings lack candidates for comparison
                              only */
    bool include_native;   /* list "native" too (its predicted time is NAN until measured) */
    uint64_t seed;         /* of the local search; 0 stands for 1 */
} plan_choice_t;

/** The ranking for one message size: every candidate at its best slice size and window, best first. A candidate of
 * several trees or of rounds has to be predicted faster by some percent to come before simpler ones. */
typedef struct {
    int ranks, root;
    size_t bytes;       /* [B] of the message */
    double bound;       /* [slices/s] at bound_slice */
    double bound_gap;   /* relative gap to which it is certified */
    size_t bound_slice; /* [B] */
    size_t ncandidates;
    plan_candidate_t *candidate; /* executable ones first; by measured_s, then by weighted predicted_s */
    int bound_of_machine; /* 1: the bound is that of a machine, by cards, trunks, memories, processors and single flows;
                             0: that of the platform's links, ports and resources */
} plan_ranking_t;

/**
 * Rank all candidates for one message size.
 *
 * \param[in]  pf     borrowed during the call
 * \param[in]  root   0..ranks - 1
 * \param[in]  bytes  message size [B], at most 2^62; 0 is planned as 1
 * \param[in]  choice may be NULL: the defaults
 * \param[out] out    the caller's, for plan_ranking_destroy; untouched on error
 * \retval PLAN_EUNREACHABLE some rank cannot be reached from root
 * \retval PLAN_EUNSUPPORTED none of the chosen candidates is executable
 * \retval PLAN_EINVAL       unknown model or candidate name, root or bytes out of range
 */
PLAN_API plan_status_t plan_ranking_create(const plan_platform_t *pf, int root, size_t bytes,
                                           const plan_choice_t *choice, plan_ranking_t **out, plan_error_t *err);
/**
 * Rank the candidates for a reduction to `root`, which plan_reduce_execute can run: trees and several trees alone. A
 * reduction along a tree is a broadcast in reverse, so trees, slice sizes and windows are planned on pf with all links
 * reversed; parents are whom ranks send to. Bottlenecks are those of pf.
 *
 * \param[in] combine_s_per_byte [s/B] in which a rank combines what it receives with its own, finite and at least 0; 0:
 *                               that takes no time. plan_reduce takes the time of MPI_SUM of MPI_DOUBLE
 * Other arguments and errors as of plan_ranking_create; and
 * \retval PLAN_EUNREACHABLE some rank has no way to root
 * \retval PLAN_EUNSUPPORTED no candidate that choice->only names is made of trees; of several, others are left out
 *
 * Nuriyev et al. 2022 (models); broadcasts on the reversed platform.
 */
PLAN_API plan_status_t plan_reduce_ranking_create(const plan_platform_t *pf, int root, size_t bytes,
                                                  double combine_s_per_byte, const plan_choice_t *choice,
                                                  plan_ranking_t **out, plan_error_t *err);
/** Free a ranking; sets *ranking to NULL. NULL-safe. */
PLAN_API void plan_ranking_destroy(plan_ranking_t **ranking);

/* ---- stable ---- */

/** A plan: immutable once made, except for its binding to a communicator. */
typedef struct plan_plan plan_t;

/** Plan for every message size up to max_bytes [B] (at most 2^62): ranges of sizes, each with the candidate predicted
 * fastest. Arguments and errors as of plan_ranking_create; the plan is the caller's, for plan_destroy. */
PLAN_API plan_status_t plan_create(const plan_platform_t *pf, int root, size_t max_bytes, const plan_choice_t *choice,
                                   plan_t **out, plan_error_t *err);

/** One range: for messages of up to up_to bytes (the last range: of any size). */
typedef struct {
    size_t up_to; /* [B] */
    const plan_candidate_t *chosen;
} plan_range_t;

/** Free a plan; sets *plan to NULL. NULL-safe. Collective where the plan is bound to a communicator. While a broadcast
 * by it is under way (plan_start), nothing happens, and *plan stays. */
PLAN_API void plan_destroy(plan_t **plan);

/** The content of a plan. */
typedef struct {
    int ranks, root;
    const int *host; /* [ranks], NULL if unknown */
    size_t nranges;
    const plan_range_t *range; /* [nranges] */
    uint64_t hash;             /* of all that determines the messages of a broadcast; equal plans have equal hashes */
    bool reduces;              /* made by plan_reduce or plan_reduce_create: data go up its trees, to the root */
} plan_data_t;

/** Read a plan; valid as long as the plan. */
PLAN_API const plan_data_t *plan_data(const plan_t *plan);
/** The candidate for messages of `bytes` [B]. O(log ranges). */
PLAN_API const plan_candidate_t *plan_chosen(const plan_t *plan, size_t bytes);
/**
 * Explain the choice: predicted time, runner-up, bottleneck, distance from the bound, shape of the trees. Lines of text
 * that the caller frees with free().
 * \param pf for the names of sites, resources and links; may be NULL
 * \retval PLAN_EINVAL    plan or text is NULL
 * \retval PLAN_EMISMATCH pf has another number of ranks
 */
PLAN_API plan_status_t plan_explain(const plan_t *plan, const plan_platform_t *pf, size_t bytes, char **text);

/**
 * The plan file as text, which the caller frees with free(): JSON, format "planbcast-plan", version 1.
 *
 *     { "format": "planbcast-plan", "version": 1, "ranks": 3, "root": 0, "hash": "f0e88939ed460820",
 *       "hosts": [0, 0, 1],
 *       "trees": [ {"parent": [-1, 0, 0], "order": [0, 1, 0]} ],
 *       "ranges": [
 *         {"up_to": 4096, "name": "best-tree", "run": "trees", "slice": 0, "window": 4,
 *          "trees": [{"tree": 0, "rate": 1525.9}]},
 *         {"up_to": 32768, "name": "two-level", "run": "hosts", "slice": 8192, "window": 4,
 *          "trees": [{"tree": 0, "rate": 3013.9}]},
 *         {"up_to": 65536, "name": "circulant", "run": "rounds", "slice": 8192, "window": 4, "trees": [],
 *          "schedule": "circulant", "order": [0, 1, 2]},
 *         {"up_to": 131072, "name": "shared-memory", "run": "shared", "slice": 0, "window": 1, "trees": []},
 *         {"up_to": 1048576, "name": "native", "run": "native", "slice": 0, "window": 1, "trees": []} ] }
 *
 * Plans for reductions have "operation": "reduce" after "version"; where it is absent, or "broadcast", plans broadcast.
 * A tree's "order" is that of plan_tree_create and may be left out, as may "hosts" and "hash". Ranges are those of
 * plan_range_t; "slice" 0 is the message unsliced; a range's tree may have "windows" [ranks], its part of link_window.
 * The other members of a range (throughput, lp_ratio, bound, predicted_s, measured_s, at_bytes, runner_up, bottleneck)
 * explain the choice only.
 */
PLAN_API plan_status_t plan_to_json(const plan_t *plan, char **text);
/** Read the `len` bytes of a text as plan_load reads a file. */
PLAN_API plan_status_t plan_parse(const char *text, size_t len, const char *name_for_errors, plan_t **out,
                                  plan_error_t *err);
/**
 * Read a plan file, as plan_to_json describes it.
 * \retval PLAN_EIO     the file cannot be read
 * \retval PLAN_EFORMAT it is no plan of version 1, or its hash is not that of its content; `err` names the file, the
 *                      place and the remedy
 */
PLAN_API plan_status_t plan_load(const char *path, plan_t **out, plan_error_t *err);
/**
 * Write a plan file, under a temporary name, and rename it.
 * \retval PLAN_EIO it cannot be written
 */
PLAN_API plan_status_t plan_save(const plan_t *plan, const char *path, plan_error_t *err);

/* ---- experimental ---- */

/**
 * Load a file of several plans, such as those for several roots: one plan after the other, as `cat` writes them.
 * \param[out] plans receives the plans [*n], at least one; free each with plan_destroy and the array with free()
 * Errors as of plan_load.
 */
PLAN_API plan_status_t plan_load_all(const char *path, plan_t ***plans, size_t *n, plan_error_t *err);

/** Plan reductions to `root` of every message size up to max_bytes [B] (at most 2^62), for plan_bind and
 * plan_reduce_execute. Arguments and errors as of plan_reduce_ranking_create; the plan is the caller's, for
 * plan_destroy. */
PLAN_API plan_status_t plan_reduce_create(const plan_platform_t *pf, int root, size_t max_bytes,
                                          double combine_s_per_byte, const plan_choice_t *choice, plan_t **out,
                                          plan_error_t *err);

/**
 * Make a plan from ranges with ascending up_to, which are copied.
 * \param hosts [ranks] host of each rank, for explanations and exports; may be NULL
 * \retval PLAN_EINVAL no range, sizes that do not ascend, a candidate that is not executable, or trees and orders of
 *                     another number of ranks or another root
 */
PLAN_API plan_status_t plan_from_ranges(int ranks, int root, size_t nranges, const plan_range_t *range,
                                        const int *hosts, plan_t **out);

/**
 * Export the trees for messages of `bytes` as "dot", "graphml", "json" or "parents" (text, a line per tree). With pf
 * (may be NULL), links have their costs as attributes. Of a plan that reduces, edges lead from children to parents.
 *
 * \retval PLAN_EINVAL       no such format
 * \retval PLAN_EMISMATCH    pf has other ranks, or lacks a link that the plan uses
 * \retval PLAN_EUNSUPPORTED MPI's own, shared memory or rounds, which have no trees; "json" can export these, too, and
 *                           "dot" draws shared memory and rounds
 */
PLAN_API plan_status_t plan_export(const plan_t *plan, const plan_platform_t *pf, size_t bytes, const char *format,
                                   char **text, plan_error_t *err);

#ifdef __cplusplus
}
#endif
#endif
