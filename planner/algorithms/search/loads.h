/*
 * One tree or several while they are changed, with the load of all that they occupy: the send port of every rank, the
 * receive port of every rank, every link where some are occupied by themselves, and every resource. Where a rank sends
 * and receives in turns, the first of these has both.
 *
 * Several trees share the slices, and their loads are in proportion to their shares. Rank v in tree t is node
 * t * ranks + v, so that with one tree a node is a rank.
 *
 * They are rated against a target period tau by their excess, the sum of max(0, load - tau). Trees without excess have
 * a period of at most tau.
 */
#ifndef PLANI_LOADS_H
#define PLANI_LOADS_H

#include "planner/algorithms/heuristics/heuristic.h"

/** A load as it was before a change. */
typedef struct {
    size_t at;
    double load;
} plani_before_t;

typedef struct {
    const plani_problem_t *problem;
    const plan_platform_data_t *d;
    int trees;
    size_t nodes;           /* trees * ranks */
    double *weight;         /* [trees] share of the slices that goes down each, adding up to 1 */
    size_t *via;            /* [nodes] link into each node; PLANI_NO_LINK for the roots */
    int *first, *next;      /* [nodes] children as linked lists: first child, next sibling, -1 at the end */
    int *previous;          /* [nodes] */
    size_t ins;             /* how many receivers: ranks, and of several trees links */
    size_t loads;           /* ranks + ins + nresources */
    double *load;           /* [loads] seconds per slice: send ports, receivers, resources */
    double *hold;           /* [nresources] seconds that one slice holds each resource */
    double tau;             /* [s] */
    size_t *over, overs;    /* [overs] the loads above tau, in no order */
    size_t *place;          /* where in over[] a load is, PLANI_NO_LINK for those that are not */
    plani_before_t *before; /* what to restore when moves are taken back */
    size_t changes;
} plani_loads_t;

/** Of `trees` trees with equal shares. */
plan_status_t plani_loads_create(const plani_problem_t *problem, int trees, plani_loads_t *s);
void plani_loads_clear(plani_loads_t *s);

/** Take over trees [nodes] with the target tau; loads are summed afresh. `via` may be s->via. */
void plani_loads_set(plani_loads_t *s, const size_t *via, double tau);
/** The period of the trees together [s]. */
double plani_loads_period(const plani_loads_t *s);

static inline int plani_tree_of(const plani_loads_t *s, int node)
{
    return s->trees == 1 ? 0 : node / s->d->ranks;
}

static inline int plani_node(const plani_loads_t *s, int tree, int rank)
{
    return tree * s->d->ranks + rank;
}

static inline int plani_parent(const plani_loads_t *s, int node)
{
    return plani_node(s, plani_tree_of(s, node), s->d->link[s->via[node]].from);
}

/** Change the loads as if the node received by link l; returns the change of excess. Up to two such changes, then keep
 * or undo them all. */
double plani_loads_try(plani_loads_t *s, int node, size_t l);
/** Make a node receive by link l, which has been tried. */
void plani_loads_hang(plani_loads_t *s, int node, size_t l);
void plani_loads_keep(plani_loads_t *s);
void plani_loads_back(plani_loads_t *s);

#endif
