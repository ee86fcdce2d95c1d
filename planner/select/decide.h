/*
 * From a request to rankings and a plan. plan_create, plan_ranking_create, plan_bcast, both tools and the benchmarks
 * all choose candidates by these functions.
 */
#ifndef PLANI_DECIDE_H
#define PLANI_DECIDE_H

#include "planner/select/ranking.h"

enum { PLANI_SIZES = 64 }; /* message sizes of one request at most */

struct plani_decision;

/** Times candidates. */
typedef struct plani_tuner {
    /**
     * Put the candidate to be taken first in each ranking, by measured times, and set measured_s of those that were
     * timed. Candidates may get other slices and windows. \return 0, a plan_status_t, or an error of MPI
     */
    int (*tune)(struct plani_tuner *tuner, struct plani_decision *decision);
} plani_tuner_t;

typedef struct {
    const plan_platform_t *pf; /* borrowed, as choice and tuner are */
    int root;
    const plan_choice_t *choice;  /* NULL: the defaults */
    size_t n, bytes[PLANI_SIZES]; /* ascending: what to rank. Trees are made for messages of up to the last */
    size_t complete; /* how many of the last rankings list all candidates, with their shares of the bound; others list
                        possible winners */
    plani_tuner_t *tuner;            /* NULL: the model decides */
    const plani_host_trees_t *hosts; /* borrowed: the cluster that pf was made from; NULL: none */
    bool sparse;                     /* pf has the links of these trees alone (plani_context_use_hosts) */
    bool reduces;                    /* plan a reduction to the root: on pf transposed, with trees alone */
    double combine_s_per_byte;       /* [s/B] then: time to combine two messages; 0: none */
    bool uncached;                   /* for tests: nothing is kept for later; decisions are the same */
} plani_request_t;

/** Zero-initialise; plani_decision_clear, also after a failure. */
typedef struct plani_decision {
    size_t n, bytes[PLANI_SIZES]; /* as asked for; once the time of the choice is over, the last alone */
    plan_ranking_t *ranking[PLANI_SIZES];
    bool complete[PLANI_SIZES]; /* which of them list all */
    size_t border[PLANI_SIZES]; /* [n - 1] the largest message for which each ranking's first one serves */
    plan_t *plan;
    plani_context_t *ctx;                              /* while it is tuned */
    double trees_s, ranking_s, tuning_s, concluding_s; /* [s] that the steps took; concluding: bounds, borders, plan */
    size_t instances;                                  /* that were made */
    plan_platform_t *without_sharing; /* the platform decided for, if ranks cannot share the memory that the request's
                                         says they do; NULL: the request's */
} plani_decision_t;

/**
 * Rank, tune, and plan.
 *
 * The first candidate at a size depends on platform, root, choice and the largest size, not on the other sizes, on
 * `complete` or on caches. The rest of the decision depends on the tuner. \retval PLAN_EUNREACHABLE, PLAN_EUNSUPPORTED,
 * PLAN_EINVAL as of plan_ranking_create; else what the tuner returns
 */
int plani_decide(const plani_request_t *request, plani_decision_t *out, plan_error_t *err);
void plani_decision_clear(plani_decision_t *decision);

/** The sizes at which a plan for up to max_bytes is made: 1 B, 8 B, 64 B, then powers of two, and max_bytes, at most
 * PLANI_MAX_BYTES. */
size_t plani_ladder(size_t max_bytes, size_t bytes[PLANI_SIZES]);

/** The middle of two sizes on a logarithmic scale; at least `low`, and below `high` where that is more. */
size_t plani_middle_size(size_t low, size_t high);

/** Whether two candidates send the same slices along the same trees, whatever they are called. */
bool plani_same_broadcast(const plan_candidate_t *a, const plan_candidate_t *b);

/**
 * Make a plan of the winners (candidate[0]) of n rankings with ascending sizes; neighbours that agree become one
 * range, and the last range ends at the last size. Copies.
 *
 * \param border [n - 1] as in plani_decision_t; NULL: in the geometric middle
 * \param hosts  [ranks] or NULL
 */
plan_status_t plani_plan_from_rankings(size_t n, const plan_ranking_t *const *ranking, const size_t *border,
                                       const int *hosts, plan_t **out, plan_error_t *err);

/* ---- refine.c ---- */
/**
 * Search for trees of least predicted time for a message of this size. The search also starts from the best single tree
 * found, at its slice size and window. So best-tree is predicted to be no slower than any other tree, except by what
 * PLANI_WORTH_SMALLER allows for smaller slices.
 */
plan_status_t plani_refine(plani_context_t *ctx, size_t bytes, plan_error_t *err);

#endif
