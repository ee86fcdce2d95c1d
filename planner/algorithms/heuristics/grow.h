/* The engine of the growing heuristics: see grow.c. */
#ifndef PLANI_GROW_H
#define PLANI_GROW_H

#include "planner/algorithms/heuristics/heuristic.h"

typedef struct plani_grower plani_grower_t;

struct plani_grower {
    const plani_problem_t *problem;
    double (*price)(const plani_grower_t *g, int u, const plani_keyed_t *k); /* of adding u's link k; the least wins */
    void (*added)(plani_grower_t *g, int u, size_t l);                       /* note that l out of u is in; or NULL */
    bool (*fits)(const plani_grower_t *g, size_t l); /* may l come in? once refused, never asked again; or NULL: all */
    const plani_keyed_t *sorted;                     /* [nlinks] by sender, best first */
    void *more;                                      /* the rule's own */

    /* Set by plani_grower_run: */
    size_t *finger;   /* [ranks] into sorted: the first that may still come in */
    bool *inside;     /* [ranks] */
    double *load;     /* [ranks] [s] by the rule's own meaning */
    double *heaviest; /* [ranks] [s] costliest child */
    int *children;    /* [ranks] */
};

/** Grow; *grown is false if no link may come in any more although ranks are missing. */
plan_status_t plani_grower_run(plani_grower_t *g, plani_shape_t *shape, bool *grown);

/** load(u) + key. */
double plani_price_of_load(const plani_grower_t *g, int u, const plani_keyed_t *k);
/** load(u) is when u can send next. */
void plani_load_by_clock(plani_grower_t *g, int u, size_t l);

#endif
