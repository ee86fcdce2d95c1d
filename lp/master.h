/* The linear program of the method of cuts: variables TP and n_uv of the links in use, rows for ports, resources and
 * the cuts found so far. */
#ifndef PLANI_MASTER_H
#define PLANI_MASTER_H

#include <glpk.h>
#include <stdint.h>
#include "lp/lp.h"

typedef struct {
    const plani_lp_t *lp;
    plani_sifting_t *sift; /* column 2 + k is link sift->link[k] */
    double bound;          /* an upper bound of TP: column 1 is TP / bound */
    double *scale;         /* [m] column of link l is n_l / (bound * scale[l]) */
    double deadline;
    glp_prob *prob;
    size_t columns; /* links that have a column */
    size_t words;   /* 64-bit words per set of ranks */
    size_t cuts;    /* cuts that have a row */
    size_t pending; /* cuts after those, without a row yet */
    size_t inside_room, idle_room;
    uint64_t *inside;    /* [cuts and pending, * words] the sink's side of each cut */
    unsigned char *idle; /* [cuts and pending] solves in a row in which the cut was slack */
    int *index;          /* [entries + 1] one row or column */
    double *value;
    size_t entries;
    int more_columns;
    double aversion;     /* weight of the mean load in the objective, see plani_master_avert */
    double work;         /* sum of simplex steps * rows of the program, so far */
    int turned;          /* the objective has changed since the last solve */
    int simplex, status; /* of the last simplex call */
    /* The solution: */
    double tp;     /* value of TP */
    double *price; /* [rows] duals of ports and resources */
    double *rate;  /* [m] */
} plani_master_t;

plan_status_t plani_master_create(const plani_lp_t *lp, plani_sifting_t *sift, double bound, double deadline,
                                  plani_master_t **out);
void plani_master_destroy(plani_master_t **master);
/** Add a cut; it becomes a row at the next solve. Duplicates are dropped. */
plan_status_t plani_master_add_cut(plani_master_t *m, const unsigned char *inside);
/**
 * Set the objective: maximise TP / bound - aversion * (mean load of a rank, links weighted 0.5 .. 1.5 at random). TP
 * alone is degenerate: the simplex method meets many ties, which a small aversion breaks.
 */
void plani_master_avert(plani_master_t *m, double aversion);
/** Drop cuts that have been slack for `patience` solves. */
plan_status_t plani_master_purge(plani_master_t *m, int patience);
/**
 * Add new cuts and, with more_columns, new links, and solve. PLAN_ETIME: the deadline passed; the solution is
 * unchanged.
 */
plan_status_t plani_master_solve(plani_master_t *m, int more_columns);

#endif
