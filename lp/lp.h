/* What the files of lp/ share: the program in scaled units, GLPK behind a guard, flows, arborescences. Prices are dual
 * values of the rows, here and throughout. */
#ifndef PLANI_LP_H
#define PLANI_LP_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/status.h>
#include "lp/program.h"

/**
 * The program, checked, in units of the typical cost of a link, without the links into the root, which carry nothing
 * that the root lacks. Rows: send port of rank u is row u, receive port of v is row n + v, resource i is row 2n + i.
 */
typedef struct {
    int n, root;
    size_t m;                        /* links */
    int *from, *to;                  /* [m] sorted by (to, from): what enters a rank is looked at most */
    double *cost;                    /* [m] of the link */
    double *port;                    /* [m] of both its ports: the same, or less */
    size_t *given;                   /* [m] the link's index in the caller's arrays */
    size_t *in_first;                /* [n + 1] links into v are in_first[v] .. in_first[v + 1] - 1 */
    size_t *out_first, *out;         /* [n + 1], [m] links out of u, ascending */
    size_t rows;                     /* 2n + resources */
    size_t *share_first, *share_row; /* [m + 1]: rows of the resources that list the link ... */
    double *share_cost;              /* ... and what a unit holds of them */
    double unit_s;                   /* seconds per unit of cost */
    double alone;                    /* no rates reach more: what the root can send, and each rank receive, alone */
} plani_lp_t;

/** PLAN_EINVAL or PLAN_EUNREACHABLE with the reason in err. */
plan_status_t plani_lp_create(const plani_steady_problem_t *problem, plani_lp_t **out, plan_error_t *err);
void plani_lp_destroy(plani_lp_t **lp);
/** load[rows] of rate[m]. */
void plani_lp_loads(const plani_lp_t *lp, const double *rate, double *load);
/** What a unit of the link costs at prices y[rows]. */
static inline double plani_lp_weight(const plani_lp_t *lp, const double *y, size_t l)
{
    double w = lp->port[l] * (y[lp->from[l]] + y[lp->n + lp->to[l]]);
    for (size_t k = lp->share_first[l]; k < lp->share_first[l + 1]; k++) w += lp->share_cost[k] * y[lp->share_row[k]];
    return w;
}
/** weight[m]: what a unit of each link costs at prices y[rows] (>= 0). */
void plani_lp_weights(const plani_lp_t *lp, const double *y, double *weight);

/** Seconds left until `deadline` (0: none; then a large number). */
double plani_left(double deadline);

/**
 * Run body(arg) with GLPK silent and with our own error hook, so that a GLPK error comes back as PLAN_ESOLVER instead
 * of ending the process. The body must own nothing but GLPK objects: an error jumps out of it.
 */
plan_status_t plani_glpk(void (*body)(void *), void *arg);

/**
 * Around all use of GLPK by one call of the library. GLPK has an environment for each thread, which nobody would free
 * when the thread ends: it goes again with the call that brought it. Where the caller uses GLPK itself, it stays.
 */
bool plani_glpk_begin(void);
void plani_glpk_end(bool begun);

/** A working answer in scaled units: rates that are feasible, and both ends of the interval. */
typedef struct {
    double *rate;  /* [m] loads at most 1 */
    double *price; /* [rows] of the lowest upper end found by prices: all 0 if there is none */
    double lower;  /* every min cut of rate from the root */
    double upper;  /* no rates reach more */
    int rounds;
    const char *method;
} plani_answer_t;

/** When to stop: at the relative gap, or at `enough` (0: never) once the way gets long. */
typedef struct {
    double gap, enough;
} plani_goal_t;

/* ---- arborescence.c ---- */

/**
 * Minimum-cost spanning arborescences, with the cuts that prove it (Edmonds 1967; Tarjan 1977, with mergeable heaps).
 * The proof is a laminar family of sets that the root is outside of: nodes 0..n-1 are the ranks, nodes n..nodes-1
 * contractions of earlier nodes; `up` is the enclosing node (-1: none), and a cut around node i carries the dual z[i]
 * >= 0: each link costs at least the duals of the cuts that it enters, and the duals add up to the value.
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
 * Links in use: a growing subset (sifting, Bixby et al. 1992). On dense platforms a few links per rank decide
 * everything, and the others are only looked at to prove that they are not needed.
 */
typedef struct {
    const plani_lp_t *lp;
    size_t count;
    size_t *link;       /* [m] the first `count` are in use, in the order in which they came */
    unsigned char *has; /* [m] */
    plani_arb_t *arb;
    double *weight;     /* [m] at the last prices */
    size_t *pick;       /* [n] the cheapest arborescence at the last prices */
    int *lo, *hi;       /* [2n] the leaves below each node of the family are lo .. hi - 1 */
    int *at, *next;     /* [n] position of each rank among the leaves; [2n] scratch */
    double *inner;      /* [2n] */
    double *sum;        /* [2n] duals of a node and of all around it */
    size_t *wanted;     /* [keep * n] */
    double *how_wanted; /* [keep * n] */
} plani_sifting_t;

/** Start with the `nearest` cheapest links into and out of each rank, and an arborescence if these do not reach all; 0:
 * with all links. */
plan_status_t plani_sifting_create(const plani_lp_t *lp, int nearest, plani_sifting_t **out);
void plani_sifting_destroy(plani_sifting_t **s);
/**
 * Cheapest arborescence over all links at prices y[rows] >= 0, left in s->pick and s->weight; links that it needs come
 * into use. Returns its value.
 */
double plani_sifting_solve(plani_sifting_t *s, const double *y);
/** The same, as the upper end of the throughput that the prices prove; INFINITY: none. */
double plani_sifting_upper(plani_sifting_t *s, const double *y);
/** The same over the links in use alone: fast, and no bound for the others. */
double plani_sifting_solve_near(plani_sifting_t *s, const double *y);

/* ---- flow.c ---- */

/** Maximum flows from a growing set of sources, on the links with a rate. */
typedef struct plani_flow plani_flow_t;

plan_status_t plani_flow_create(int n, size_t max_links, plani_flow_t **out);
void plani_flow_destroy(plani_flow_t **flow);
/** From now on, plani_flow_cuts gives up at this time (of plani_now(); 0: never). */
void plani_flow_until(plani_flow_t *flow, double deadline);
/** Told of each cut found: inside[n] is 1 on the sink's side. Non-zero stops the search. */
typedef int plani_cut_found(void *context, const unsigned char *inside, double value);
/**
 * Smallest cut of `rate` that the root is outside of, at most `target`; calls found (may be NULL) for cuts below
 * `target`: for each sink that falls short, the one nearest to it and the one nearest to the source.
 *
 * \param subset links that may have a rate, or NULL for all; `count` of them
 * \return the cut; -INFINITY if the time was over before
 */
double plani_flow_cuts(plani_flow_t *flow, const plani_lp_t *lp, const size_t *subset, size_t count, const double *rate,
                       double target, plani_cut_found *found, void *context);

/* ---- certify.c ---- */

/** Scale rate[m] so that the largest load is exactly at most 1, and return the smallest cut that is left; 0 if the
 * deadline (0: none) passed before. */
plan_status_t plani_certify_lower(const plani_lp_t *lp, double *rate, double deadline, double *lower);
/** No rates reach more than this: sum(y) over the cheapest arborescence at prices y (negative ones count as 0). */
plan_status_t plani_certify_upper(const plani_lp_t *lp, const double *y, double *upper);

/* ---- the methods ---- */

/** Solve the program in scaled units. PLAN_ETIME: the deadline (0: none) passed before. */
typedef plan_status_t plani_method_t(const plani_lp_t *lp, double deadline, plani_answer_t *answer, plan_error_t *err);
/** plani_steady_solve by another method than its own. */
plan_status_t plani_steady_solve_by(plani_method_t *method, const plani_steady_problem_t *problem,
                                    const plan_steady_options_t *options, plan_steady_t **out, plan_error_t *err);

/** Both ends by the rates (in slices per second, in the given order; their smallest cut is `throughput`) and prices of
 * a program that differs in its costs alone. */
plan_status_t plani_transfer_bounds(plani_sifting_t *sift, const double *rate, double throughput, const double *price,
                                    plani_answer_t *answer);
/** Arborescences found on the way. */
typedef struct {
    size_t count, room;
    int *link; /* [count * n] the link into each rank, -1 for the root */
} plani_trees_t;

plan_status_t plani_trees_add(plani_trees_t *trees, const plani_lp_t *lp, const size_t *pick);
void plani_trees_clear(plani_trees_t *trees);
/** load[rows] of one unit down tree i. */
void plani_trees_load(const plani_trees_t *trees, const plani_lp_t *lp, size_t i, double *load);

/**
 * First approximation: mixes of arborescences that even out the loads. Raises answer->lower, with its rates, and lowers
 * answer->upper, until they are within `gap` or `patience` arborescences in a row closed no tenth of it. Collects the
 * trees; y[rows] receives the prices of the lowest upper end found by prices, adding up to 1.
 */
plan_status_t plani_frank_wolfe(plani_sifting_t *sift, double gap, int patience, double deadline,
                                plani_answer_t *answer, double *y, plani_trees_t *trees);
/**
 * Column generation: the best mix of the trees, and new ones at its prices, for as long as that halves the gap every
 * few trees. Takes up and improves answer, y and trees like plani_frank_wolfe.
 */
plan_status_t plani_columns(plani_sifting_t *sift, double gap, double deadline, plani_answer_t *answer, double *y,
                            plani_trees_t *trees);
/**
 * Cuts, from the rates and prices in answer on (rates and lower end may be 0). PLAN_ETIME or PLAN_ESOLVER: answer
 * holds what was reached.
 */
plan_status_t plani_cuts(plani_sifting_t *sift, plani_goal_t goal, double deadline, plani_answer_t *answer);
/** All of these in turn. */
plan_status_t plani_bound(plani_sifting_t *sift, plani_goal_t goal, double deadline, plani_answer_t *answer,
                          plan_error_t *err);
int plani_close_enough(const plani_answer_t *answer, double gap);

/** Trees that carry rate[]: parent[count * n], tree_rate[count], largest first; loads within rate[]. */
typedef struct {
    size_t count, rate_room, parent_room;
    int n;
    double *rate;
    int *parent;
} plani_packing_t;

/** `rest`: the part of the throughput that may be left out, in trees too thin to be worth finding. */
plan_status_t plani_pack(const plani_lp_t *lp, const double *rate, double throughput, double rest, double deadline,
                         plani_packing_t *packing);
plan_status_t plani_packing_add(plani_packing_t *p, const plani_lp_t *lp, const size_t *pick, double rate);
void plani_packing_clear(plani_packing_t *p);
/** Largest rate first; ties keep the order in which they were found. */
plan_status_t plani_packing_sort(plani_packing_t *p);

#endif
