/* Local search on the makespan itself. */
#ifndef PLANI_POLISH_H
#define PLANI_POLISH_H

#include "planner/algorithms/search/anneal.h"
#include "planner/algorithms/search/fill.h"

/** Lower the makespan of tree via[] by about `moves` elementary steps; via[] receives the best tree met. */
void plani_polish(plani_anneal_t *a, plani_fill_t *f, size_t *via, long moves);

#endif
