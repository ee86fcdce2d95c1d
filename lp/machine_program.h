/* The program of machine_program.c while it is written down and solved, for the files that add to it. */
#ifndef PLANI_MACHINE_PROGRAM_H
#define PLANI_MACHINE_PROGRAM_H

#include <stdbool.h>
#include "lp/lp.h"
#include "lp/machine.h"
#include <glpk.h>

/** Limits of single flows: a column for each pair of leaf nodes, the total of what goes from one to the other. */
typedef struct {
    int n, first;               /* leaf nodes; the column before the first pair's; n = 0: no limits */
    int *leaf, *host;           /* [n] its node, and the index of its host below */
    int hosts, *node;           /* [hosts] nodes that are hosts */
    int root;                   /* index of the root's host */
    double *between, *capacity; /* [hosts^2], [(hosts + 1)^2] workspace of the search for cuts */
    int *from;                  /* [hosts + 1] the same */
    int *index;                 /* [1 + n^2 + 1] of a row */
    double *value;
} plani_flow_program_t;

/** Kinds of rows whose duals tell what a resource is worth. Rates are bounds of columns. */
typedef struct {
    const plani_machine_problem_t *p;
    double unit;                /* [B/s] the bound is at most so much */
    double most;                /* in units: more than anything could use */
    double *number;             /* [nodes] of equal ones in the whole machine */
    int *children, least_in;    /* of each node; the leaf that can take in least */
    int *first, *next;          /* [nodes] children of a node; 0: no more */
    int *sent_row;              /* [nodes] of inner nodes: what is sent in it */
    bool *joined;               /* [nodes] leaves that share one column with others of their parent */
    bool *apart;                /* a row keeps it from sending to itself */
    bool *around;               /* the root lies in it, */
    int whole;                  /* and everything in this one and all above it */
    int *inside_row, *work_row; /* 0: none */
    int *row, *col, entries, rows;
    double *value;
    plani_flow_program_t flow;
    glp_prob *prob;
    int status[2];
    plani_machine_bound_t *out;
} plani_machine_program_t;

enum { PLANI_RATE_COLUMN = 1, PLANI_NODE_COLUMNS = 3 };

static inline int plani_sent_column(int x)
{
    return 2 + PLANI_NODE_COLUMNS * x;
}

static inline int plani_received_column(int x)
{
    return 3 + PLANI_NODE_COLUMNS * x;
}

static inline int plani_turnover_column(int x)
{
    return 4 + PLANI_NODE_COLUMNS * x;
}

/** One more coefficient of the row that was begun last. */
void plani_machine_entry(plani_machine_program_t *g, int col, double value);
/** The same of what x receives, so many times: the rate for leaves, nothing for the root. */
void plani_machine_received(plani_machine_program_t *g, int x, double times);
/** \return its number */
int plani_machine_row(plani_machine_program_t *g, int type, double low, double high);

/* machine_flows.c */

/** Look at the problem's limits; most coefficients that they take are added to *entries. PLAN_EINVAL, PLAN_ENOMEM. */
plan_status_t plani_flows_create(plani_machine_program_t *g, size_t *entries, plan_error_t *err);
void plani_flows_clear(plani_flow_program_t *f);
/** Inside the guard: columns and rows of the pairs. */
void plani_flows_add(plani_machine_program_t *g);
/** Inside the guard: a row for each host whose least cut carries less than the rate. \return how many came */
int plani_flows_add_cuts(plani_machine_program_t *g);
/** Inside the guard, after solving: what the limits are worth, all together. */
double plani_flows_worth(const plani_machine_program_t *g);

#endif
