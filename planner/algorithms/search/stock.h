/* Trees for slices of one size, whatever the message: what searches for messages of any size begin from. */
#ifndef PLANI_STOCK_H
#define PLANI_STOCK_H

#include "planner/algorithms/search/anneal.h"
#include "planner/algorithms/search/fill.h"

typedef struct {
    const plani_task_t *task; /* borrowed */
    plani_anneal_t anneal;
    plani_fill_t fill;
    plani_shape_t shape; /* scratch for builders */
    size_t *scratch;     /* [ranks] */
    size_t n, room;
    size_t *via;      /* [n * ranks] links into each rank, of n different trees */
    size_t steadiest; /* which of them has the least period */
    double period;    /* its period [s] */
    bool extended;
} plani_stock_t;

/** Build the heuristics' trees, and lower the period from the steadiest of them on by up to `moves` moves. */
plan_status_t plani_stock_create(const plani_task_t *task, long moves, plani_stock_t **out);
void plani_stock_destroy(plani_stock_t **stock);
/** For messages, once: more of the heuristics' trees, and trees whose period is capped, quick to fill or shallow. */
plan_status_t plani_stock_extend(plani_stock_t *stock);

static inline const size_t *plani_stock_tree(const plani_stock_t *stock, size_t i)
{
    return stock->via + i * (size_t)stock->task->d->ranks;
}

/* ---- best_tree.c ---- */
/** Which of the trees is predicted to bring a message of `bytes` to all soonest, with the task's window, and when [s].
 */
plan_status_t plani_stock_judge(plani_stock_t *stock, double bytes, size_t *best, double *seconds);
/** Lower the predicted time, *seconds, of tree via[] by up to `moves` moves. */
plan_status_t plani_stock_search(plani_stock_t *stock, double bytes, long moves, size_t *via, double *seconds);

#endif
