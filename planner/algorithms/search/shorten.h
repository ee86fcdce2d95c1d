/* Local search on the makespan itself. */
#ifndef PLANI_SHORTEN_H
#define PLANI_SHORTEN_H

#include "planner/algorithms/search/anneal.h"
#include "planner/algorithms/search/fill_time.h"

/** Lower the makespan of tree via[] by about `moves` elementary steps; via[] receives the best tree met. */
void plani_shorten(plani_anneal_t *a, plani_fill_time_t *f, size_t *via, long moves);

#endif
