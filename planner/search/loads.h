/*
 * A tree under change, with the load of everything that it holds: the send port of every rank, every rank's link in
 * (its receive port, or with several ports the link itself), and every resource.
 *
 * Judged against a target period tau by its excess: the sum of max(0, load - tau). A tree without excess has a period
 * of at most tau.
 */
#ifndef PLANI_LOADS_H
#define PLANI_LOADS_H

#include "planner/heuristics/heuristic.h"

/** A load as it was before a change. */
typedef struct {
    size_t at;
    double load;
} plani_before_t;

typedef struct {
    const plani_task_t *task;
    const plan_platform_data_t *d;
    size_t *via;            /* [ranks] link into each rank; PLANI_NO_LINK for the root */
    int *first, *next;      /* [ranks] children as linked lists: first child, next sibling, -1 at the end */
    int *previous;          /* [ranks] */
    double *load;           /* [2 * ranks + nresources] seconds per slice: send ports, links in, resources */
    double *share;          /* [nresources] seconds that one slice holds each resource */
    double tau;             /* [s] */
    size_t *over, overs;    /* [overs] the loads above tau, in no order */
    size_t *place;          /* where in over[] a load is, PLANI_NO_LINK for those that are not */
    plani_before_t *before; /* what to restore when moves are taken back */
    size_t changes;
} plani_loads_t;

plan_status_t plani_loads_create(const plani_task_t *task, plani_loads_t *s);
void plani_loads_clear(plani_loads_t *s);

/** Take over a tree and judge it by tau; loads are summed afresh. `via` may be s->via. */
void plani_loads_set(plani_loads_t *s, const size_t *via, double tau);
/** The period of the tree [s]. */
double plani_loads_period(const plani_loads_t *s);

static inline int plani_parent(const plani_loads_t *s, int v)
{
    return s->d->link[s->via[v]].from;
}

/** Load as if v hung on link l; returns the change of excess. Up to two of these, then keep them all or take them back.
 */
double plani_loads_try(plani_loads_t *s, int v, size_t l);
/** Hang v on link l, which has been tried. */
void plani_loads_hang(plani_loads_t *s, int v, size_t l);
void plani_loads_keep(plani_loads_t *s);
void plani_loads_back(plani_loads_t *s);

#endif
