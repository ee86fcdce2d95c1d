/* Threshold annealing: towards a tree, or trees that share the slices, whose period is at most tau. */
#ifndef PLANI_ANNEAL_H
#define PLANI_ANNEAL_H

#include <stdint.h>
#include "planner/algorithms/search/loads.h"

typedef struct {
    plani_loads_t loads;
    plani_keyed_t *in; /* [nlinks], and room to sort as many: grouped by `to` (d->in_first), cheapest first */
    size_t *fit;     /* [nodes] how many links into each node are no longer than tau, as the tree's share loads them */
    int *path;       /* [ranks] scratch: from a node up to another */
    uint64_t random; /* state of splitmix64 */
} plani_anneal_t;

/** For `trees` trees; their shares, at first equal, are a->loads.weight[]. */
plan_status_t plani_anneal_create(const plani_problem_t *problem, int trees, uint64_t seed, plani_anneal_t *a);
void plani_anneal_clear(plani_anneal_t *a);

/**
 * Up to `moves` moves from trees via[nodes], which receives where they have led to; true: their period is at most tau.
 * Trees that miss it may do better with other shares.
 */
bool plani_anneal(plani_anneal_t *a, size_t *via, double tau, long moves);

/** The parts of a move, for other objectives on the same tree. */
typedef struct {
    int node;    /* moves to */
    size_t link; /* this link, whose sender may be below it: then */
    int lifted;  /* a node of the path between them is first lifted out */
    size_t lift; /* by this link; PLANI_NO_LINK where there is no need */
} plani_move_t;

/** Draw a link for a node to move to; false: it came to nothing. Links longer than the last tau are not drawn. */
bool plani_draw_link(plani_anneal_t *a, int node, plani_move_t *m);
/** Draw the lift that the move needs, if any; false: none is possible. Walks up from the link's sender. */
bool plani_draw_lift(plani_anneal_t *a, plani_move_t *m);
/** Draw links up to this length from now on; false: some node has none. */
bool plani_draw_up_to(plani_anneal_t *a, double tau);

#endif
