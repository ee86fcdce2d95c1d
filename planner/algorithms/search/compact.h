/* Trees that bring a slice to all ranks sooner, at no greater period. */
#ifndef PLANI_COMPACT_H
#define PLANI_COMPACT_H

#include "planner/algorithms/search/anneal.h"

/**
 * Up to `moves` times, hang a node of trees via[nodes] on a sender that holds the slice earlier, if nothing is then
 * held for longer than tau. The period of the trees shall not exceed tau, and then never does.
 * \param arrival [nodes] scratch
 */
void plani_compact(plani_anneal_t *a, size_t *via, double tau, long moves, double *arrival);

#endif
