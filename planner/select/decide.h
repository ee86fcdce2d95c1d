/*
 * From a request to rankings and a plan: the one way in which candidates are chosen. plan_create, plan_ranking_create,
 * plan_bcast, both tools and the benchmarks go it.
 */
#ifndef PLANI_DECIDE_H
#define PLANI_DECIDE_H

#include "planner/select/ranking.h"

enum { PLANI_SIZES = 64 }; /* message sizes of one request at most */

struct plani_decision;

/** Times candidates. */
typedef struct plani_tuner {
    /**
     * Put first in each ranking what is to be taken, by whatever was measured; measured_s of what was timed is set.
     * Candidates may take other slices and windows. \return 0, a plan_status_t, or an error of MPI
     */
    int (*tune)(struct plani_tuner *tuner, struct plani_decision *decision);
} plani_tuner_t;

typedef struct {
    const plan_platform_t *pf; /* borrowed, as choice and tuner are */
    int root;
    const plan_choice_t *choice;  /* NULL: the defaults */
    size_t n, bytes[PLANI_SIZES]; /* ascending: what to rank. Trees are made for messages of up to the last */
    size_t complete;      /* the last so many rankings list all that can run, with their shares of the bound; others
                             list who may win */
    plani_tuner_t *tuner; /* NULL: the model decides */
    const plani_host_trees_t *hosts; /* borrowed: the cluster that pf was made from; NULL: none */
    bool sparse;                     /* pf has the links of these trees alone (plani_context_use_hosts) */
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
} plani_decision_t;

/**
 * Rank, tune, and plan.
 *
 * Who comes first at a size depends on platform, root, choice and the largest size, not on the other sizes, on
 * `complete` or on caches; the rest of the decision on the tuner.
 * \retval PLAN_EUNREACHABLE, PLAN_EUNSUPPORTED, PLAN_EINVAL as of plan_ranking_create; else what the tuner returns
 */
int plani_decide(const plani_request_t *request, plani_decision_t *out, plan_error_t *err);
void plani_decision_clear(plani_decision_t *decision);

/** The sizes at which a plan for up to max_bytes is made: 1 B, 8 B, 64 B, then powers of two, and max_bytes. */
size_t plani_ladder(size_t max_bytes, size_t bytes[PLANI_SIZES]);

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
 * Search for trees that bring a message of this very size to all soonest, and from the best of all single trees at its
 * own slice size and window on: so that best-tree is predicted to be no slower than any other, but for the time that a
 * smaller slice is not worth.
 */
plan_status_t plani_refine(plani_context_t *ctx, size_t bytes, plan_error_t *err);

#endif
