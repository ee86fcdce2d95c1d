/* Threshold annealing: towards a tree whose period is at most tau. */
#ifndef PLANI_ANNEAL_H
#define PLANI_ANNEAL_H

#include <stdint.h>
#include "planner/search/loads.h"

typedef struct {
    plani_loads_t loads;
    plani_keyed_t *in; /* [nlinks] grouped by `to` (d->in_first), cheapest first */
    size_t *fit;       /* [ranks] how many links into each rank are no longer than tau */
    int *path;         /* [ranks] scratch: from a rank up to another */
    uint64_t random;   /* state of splitmix64 */
} plani_anneal_t;

plan_status_t plani_anneal_create(const plani_task_t *task, uint64_t seed, plani_anneal_t *a);
void plani_anneal_clear(plani_anneal_t *a);

/**
 * Up to `moves` moves from tree via[]; true: via[] now holds a tree whose period is at most tau.
 * False leaves via[] alone.
 */
bool plani_anneal(plani_anneal_t *a, size_t *via, double tau, long moves);

/** The parts of a move, for other objectives on the same tree. */
typedef struct {
    int rank;    /* moves to */
    size_t link; /* this link, whose sender may be below it: then */
    size_t lift; /* this link first lifts a rank of the path between them out; PLANI_NO_LINK otherwise */
} plani_move_t;

/** Draw a link for `rank` to move to; false: it came to nothing. Links longer than the last tau are not drawn. */
bool plani_draw_link(plani_anneal_t *a, int rank, plani_move_t *m);
/** Draw the lift that the move needs, if any; false: none is possible. Walks up from the link's sender. */
bool plani_draw_lift(plani_anneal_t *a, plani_move_t *m);
/** Draw links up to this length from now on; false: some rank has none. */
bool plani_draw_up_to(plani_anneal_t *a, double tau);

#endif
