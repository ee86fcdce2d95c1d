/* Shared by the files of lp/: the program in scaled units, GLPK behind a guard, flows, arborescences. Prices are dual
 * values of rows in all these files. */
#ifndef PLANI_LP_H
#define PLANI_LP_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/status.h>
#include "lp/program.h"

struct glp_prob;

/**
 * The program, checked, in units of the geometric mean of the links' costs, without the links into the root, which no
 * broadcast needs. Rows: send port of rank u is row u, receive port of v is row n + v, resource i is row 2n + i.
 */
typedef struct {
    int n, root;
    size_t m;                        /* links */
    int *from, *to;                  /* [m] sorted by (to, from) */
    double *cost;                    /* [m] of a slice on the link */
    double *port;                    /* [m] of a slice on both ports: the same, or less */
    size_t *given;                   /* [m] the link's index in the caller's arrays */
    size_t *in_first;                /* [n + 1] links into v are in_first[v] .. in_first[v + 1] - 1 */
    size_t *out_first, *out;         /* [n + 1], [m] links out of u, ascending */
    size_t rows;                     /* 2n + resources */
    size_t *share_first, *share_row; /* [m + 1], [...] rows of the resources that list each link */
    double *share_cost;              /* [...] cost of a slice on each of these */
    double unit_s;                   /* [s] per unit of cost */
    double alone;                    /* upper bound: the least of what the root can send and each rank receive */
} plani_lp_t;

/** PLAN_EINVAL or PLAN_EUNREACHABLE with the reason in err. */
plan_status_t plani_lp_create(const plani_steady_problem_t *problem, plani_lp_t **out, plan_error_t *err);
void plani_lp_destroy(plani_lp_t **lp);
/** load[rows] of rate[m]. */
void plani_lp_loads(const plani_lp_t *lp, const double *rate, double *load);
/** The cost of one slice on link l at prices y[rows]. */
static inline double plani_lp_weight(const plani_lp_t *lp, const double *y, size_t l)
{
    double w = lp->port[l] * (y[lp->from[l]] + y[lp->n + lp->to[l]]);
    for (size_t k = lp->share_first[l]; k < lp->share_first[l + 1]; k++) w += lp->share_cost[k] * y[lp->share_row[k]];
    return w;
}
/** weight[m]: the cost of one slice on each link at prices y[rows] (>= 0). */
void plani_lp_weights(const plani_lp_t *lp, const double *y, double *weight);

/** [s] Time left until `deadline` (of plani_now(); 0: none, then a large number). */
double plani_left(double deadline);

/**
 * Run body(arg) with GLPK silent and with an error hook, so that a GLPK error returns PLAN_ESOLVER instead of ending
 * the process. The body must own nothing but GLPK objects, for an error leaves it by longjmp.
 *
 * \param prob  the problem that the body works on; NULL: none. After an error it may be half changed, and deleting it
 * can crash. So *prob becomes NULL, and its memory is freed with GLPK's environment.
 */
plan_status_t plani_glpk(void (*body)(void *), void *arg, struct glp_prob **prob);

/**
 * Enclose all use of GLPK in one call of the library. GLPK has an environment per thread, which is not freed when the
 * thread ends. So the call that created it frees it. If the caller uses GLPK itself, the environment stays.
 */
bool plani_glpk_begin(void);
void plani_glpk_end(bool begun);

/** The solution so far, in scaled units: rates that are feasible, and both ends of the interval. */
typedef struct {
    double *rate;  /* [m] loads at most 1 */
    double *price; /* [rows] prices of the least upper end found by prices; all 0 if there is none */
    double lower;  /* the smallest cut of `rate` that separates a rank from the root */
    double upper;  /* upper bound on the throughput of any rates */
    int rounds;
    const char *method;
} plani_answer_t;

/** When to stop: at the relative gap `gap`; after much work, at the gap `enough` (0: never). */
typedef struct {
    double gap, enough;
} plani_goal_t;

/* ---- arborescence.c ---- */

/**
 * Minimum-cost spanning arborescences, with the cuts that prove it (Edmonds 1967; Tarjan 1977, with mergeable heaps).
 * The proof is a laminar family of sets without the root. Nodes 0..n-1 are the ranks, nodes n..nodes-1 contractions of
 * earlier nodes; `up` is the enclosing node (-1: none). The cut around node i has the dual value z[i] >= 0: each link
 * costs at least the duals of the cuts that it enters, and the sum of the duals is the value.
 */
typedef struct plani_arb plani_arb_t;

plan_status_t plani_arb_create(int n, size_t max_links, plani_arb_t **out);
void plani_arb_destroy(plani_arb_t **arb);
/**
 * \param subset links to choose from, or NULL for all of them; `count` of them
 * \param weight [m] >= 0, indexed by link
 * \param pick   [n] receives the link into each rank, (size_t)-1 for the root; may be NULL
 * \return the value; negative if the links do not reach every rank. O(count log n)
 */
double plani_arb_solve(plani_arb_t *arb, const plani_lp_t *lp, const size_t *subset, size_t count, const double *weight,
                       size_t *pick);
/** The laminar family of the last solve: *nodes of them. */
void plani_arb_family(const plani_arb_t *arb, const int **up, const double **z, int *nodes);

/* ---- sifting.c ---- */

/**
 * Links in use: a growing subset (sifting, Bixby et al. 1992). On dense platforms a few links per rank suffice for an
 * optimal solution; the others are priced only to prove that they are not needed.
 */
typedef struct {
    const plani_lp_t *lp;
    size_t count;
    size_t *link;       /* [m] the first `count` are in use, in the order in which they were added */
    unsigned char *has; /* [m] whether a link is in use */
    plani_arb_t *arb;
    double *weight;     /* [m] at the last prices */
    size_t *pick;       /* [n] the minimum-cost arborescence at the last prices */
    int *lo, *hi;       /* [2n] the leaves below each node of the family are lo .. hi - 1 */
    int *at, *next;     /* [n] position of each rank among the leaves; [2n] scratch */
    double *inner;      /* [n] scratch */
    double *sum;        /* [2n] sum of the duals of a node and all nodes around it */
    size_t *wanted;     /* [keep * n] links to add */
    double *how_wanted; /* [keep * n] their reduced costs */
} plani_sifting_t;

/** Start with the `nearest` (at most 16) cheapest links into and out of each rank, and with an arborescence if these do
 * not reach all ranks; 0: with all links. */
plan_status_t plani_sifting_create(const plani_lp_t *lp, int nearest, plani_sifting_t **out);
void plani_sifting_destroy(plani_sifting_t **s);
/**
 * Minimum-cost arborescence over all links at prices y[rows] >= 0, in s->pick and s->weight. Adds the links that it
 * needs to those in use. Returns its value.
 */
double plani_sifting_solve(plani_sifting_t *s, const double *y);
/** The same; returns the upper bound on the throughput that the prices prove, or INFINITY. */
double plani_sifting_upper(plani_sifting_t *s, const double *y);
/** The same over the links in use only: fast, but not a bound. */
double plani_sifting_solve_near(plani_sifting_t *s, const double *y);

/* ---- flow.c ---- */

/** Maximum flows from a growing set of sources, on the links with a rate. */
typedef struct plani_flow plani_flow_t;

plan_status_t plani_flow_create(int n, size_t max_links, plani_flow_t **out);
void plani_flow_destroy(plani_flow_t **flow);
/** From now on, plani_flow_cuts ends at this time (of plani_now(); 0: never). */
void plani_flow_until(plani_flow_t *flow, double deadline);
/** Called for each cut found: inside[n] is 1 on the sink's side. A non-zero result stops the search. */
typedef int plani_cut_found(void *context, const unsigned char *inside, double value);
/**
 * The smallest cut of `rate` between the root and any rank, at most `target`. Calls found (may be NULL) for cuts below
 * `target`: for each such sink, the minimum cut nearest to it and the one nearest to the sources.
 *
 * \param subset links that may have a rate, or NULL for all; `count` of them
 * \return the value of the cut; -INFINITY if the deadline passed before
 */
double plani_flow_cuts(plani_flow_t *flow, const plani_lp_t *lp, const size_t *subset, size_t count, const double *rate,
                       double target, plani_cut_found *found, void *context);

/* ---- certify.c ---- */

/** Scale rate[m] so that no load exceeds 1, not even by rounding. *lower: the smallest cut then; 0 if the deadline (0:
 * none) passed before. */
plan_status_t plani_certify_lower(const plani_lp_t *lp, double *rate, double deadline, double *lower);
/** *upper: upper bound on the throughput, sum(y) / value of the minimum-cost arborescence at prices y (negative ones
 * count as 0). */
plan_status_t plani_certify_upper(const plani_lp_t *lp, const double *y, double *upper);

/* ---- the methods ---- */

/** Solve the program in scaled units. PLAN_ETIME: the deadline (0: none) passed before. */
typedef plan_status_t plani_method_t(const plani_lp_t *lp, double deadline, plani_answer_t *answer, plan_error_t *err);
/** plani_steady_solve by another method than its own. */
plan_status_t plani_steady_solve_by(plani_method_t *method, const plani_steady_problem_t *problem,
                                    const plan_steady_options_t *options, plan_steady_t **out, plan_error_t *err);

/** Bounds from the rates and prices of a program that differs in costs only. Rates are in slices per second, in the
 * caller's order of links; their smallest cut is `throughput`. */
plan_status_t plani_transfer_bounds(plani_sifting_t *sift, const double *rate, double throughput, const double *price,
                                    plani_answer_t *answer);
/** Arborescences found by a method. */
typedef struct {
    size_t count, room;
    int *link; /* [count * n] the link into each rank, -1 for the root */
} plani_trees_t;

plan_status_t plani_trees_add(plani_trees_t *trees, const plani_lp_t *lp, const size_t *pick);
void plani_trees_clear(plani_trees_t *trees);
/** load[rows] of tree i at rate 1. */
void plani_trees_load(const plani_trees_t *trees, const plani_lp_t *lp, size_t i, double *load);

/**
 * First approximation: convex combinations of arborescences. Raises answer->lower, with its rates, and lowers
 * answer->upper, until they are within `gap`, or `patience` arborescences in a row have closed less than a tenth of it.
 * Collects the trees. y[rows]: the prices of the least upper end found by prices; their sum is 1.
 */
plan_status_t plani_frank_wolfe(plani_sifting_t *sift, double gap, int patience, double deadline,
                                plani_answer_t *answer, double *y, plani_trees_t *trees);
/**
 * Column generation: alternates between the best combination of the trees and new trees at its prices. Ends at the gap,
 * or after 10 trees in a row that closed less than a fifth of it. Starts from and improves answer, y and trees as
 * plani_frank_wolfe does.
 */
plan_status_t plani_columns(plani_sifting_t *sift, double gap, double deadline, plani_answer_t *answer, double *y,
                            plani_trees_t *trees);
/**
 * The method of cuts, starting from the rates and prices in answer (rates and lower end may be 0). PLAN_ETIME or
 * PLAN_ESOLVER: answer has the result so far.
 */
plan_status_t plani_cuts(plani_sifting_t *sift, plani_goal_t goal, double deadline, plani_answer_t *answer);
/** These three methods one after the other. */
plan_status_t plani_bound(plani_sifting_t *sift, plani_goal_t goal, double deadline, plani_answer_t *answer,
                          plan_error_t *err);
int plani_close_enough(const plani_answer_t *answer, double gap);

/** Trees with rates: rate[count], largest first, and parent[count * n]. On each link they add up to at most its rate.
 * */
typedef struct {
    size_t count, rate_room, parent_room;
    int n;
    double *rate;
    int *parent;
} plani_packing_t;

/** Pack rate[m] into trees. `rest`: part of the throughput that may be left out, instead of many trees of small rate.
 * */
plan_status_t plani_pack(const plani_lp_t *lp, const double *rate, double throughput, double rest, double deadline,
                         plani_packing_t *packing);
plan_status_t plani_packing_add(plani_packing_t *p, const plani_lp_t *lp, const size_t *pick, double rate);
void plani_packing_clear(plani_packing_t *p);
/** Sort by rate, largest first; ties keep their order. */
plan_status_t plani_packing_sort(plani_packing_t *p);

#endif
