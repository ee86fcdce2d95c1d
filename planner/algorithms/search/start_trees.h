/* Trees for slices of one size, whatever the message: what searches for messages of any size begin from. */
#ifndef PLANI_START_TREES_H
#define PLANI_START_TREES_H

#include "planner/algorithms/search/anneal.h"
#include "planner/algorithms/search/fill_time.h"

typedef struct {
    const plani_problem_t *problem; /* borrowed */
    plani_anneal_t anneal;
    plani_fill_time_t fill;
    plani_shape_t shape; /* scratch for builders */
    size_t *scratch;     /* [ranks] */
    size_t n, room;
    size_t *via;           /* [n * ranks] links into each rank, of n different trees */
    size_t max_throughput; /* which of them has the least period */
    double period;         /* its period [s] */
    bool extended;
} plani_starts_t;

/** Build the heuristics' trees, and lower the period from the one of the highest throughput on by up to `moves` moves.
 */
plan_status_t plani_starts_create(const plani_problem_t *problem, long moves, plani_starts_t **out);
void plani_starts_destroy(plani_starts_t **starts);
/** For messages, once: more of the heuristics' trees, and trees whose period is capped, quick to fill or shallow. */
plan_status_t plani_starts_extend(plani_starts_t *starts);

static inline const size_t *plani_starts_tree(const plani_starts_t *starts, size_t i)
{
    return starts->via + i * (size_t)starts->problem->d->ranks;
}

/* ---- best_tree.c ---- */
/** Which of the trees is predicted to bring a message of `bytes` to all soonest, with the task's window, and when [s].
 */
plan_status_t plani_starts_evaluate(plani_starts_t *starts, double bytes, size_t *best, double *seconds);
/** Lower the predicted time, *seconds, of tree via[] by up to `moves` moves. */
plan_status_t plani_starts_search(plani_starts_t *starts, double bytes, long moves, size_t *via, double *seconds);

#endif
