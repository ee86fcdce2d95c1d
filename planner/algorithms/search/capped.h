/* Earliest completing edge first, or the shallowest, under a cap on the period. */
#ifndef PLANI_CAPPED_H
#define PLANI_CAPPED_H

#include "planner/algorithms/heuristics/heuristic.h"

typedef struct plani_capped plani_capped_t;

plan_status_t plani_capped_create(const plani_problem_t *problem, plani_capped_t **out);
void plani_capped_destroy(plani_capped_t **c);

/**
 * A tree that fills quickly or, `shallow`, takes few hops, with no port, resource or link held longer than `cap` [s]
 * per slice. \param[out] found false if the tree has got stuck; via[] is then untouched
 */
plan_status_t plani_capped_tree(plani_capped_t *c, double cap, bool shallow, size_t *via, bool *found);

#endif
