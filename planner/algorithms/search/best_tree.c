/* best-tree: the best of the other heuristics, and local search from there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "planner/algorithms/search/evaluator.h"
#include "planner/algorithms/search/shorten.h"
#include "planner/algorithms/search/start_trees.h"

#define MOVES_PER_RANK 20000
#define MOST_MOVES 1500000
#define PLAIN_PER_EVALUATED                                                                                            \
    60 /* a prediction takes as long as 20 elementary moves: a third of their time is enough                           \
        */

static plan_status_t evaluator_create(const plani_starts_t *s, double bytes, plani_evaluator_t *j)
{
    return plani_evaluator_create(s->task, (size_t)ceil(bytes), (size_t)ceil(s->task->slice), s->task->window, j);
}

plan_status_t plani_starts_evaluate(plani_starts_t *s, double bytes, size_t *best, double *seconds)
{
    plani_evaluator_t evaluator = {0};
    plan_status_t rc = plani_starts_extend(s);
    if (rc == PLAN_OK) rc = evaluator_create(s, bytes, &evaluator);
    *best = 0;
    *seconds = INFINITY;
    for (size_t i = 0; rc == PLAN_OK && i < s->n; i++) {
        double time = 0;
        rc = plani_evaluate(&evaluator, plani_starts_tree(s, i), *seconds, &time);
        if (time >= *seconds) continue;
        *seconds = time;
        *best = i;
    }
    plani_evaluator_clear(&evaluator);
    return rc;
}

/* By many moves by an estimate, and then by a few that are each predicted. */
plan_status_t plani_starts_search(plani_starts_t *s, double bytes, long moves, size_t *via, double *seconds)
{
    int ranks = s->task->d->ranks;
    long evaluated = plani_evaluated_most(ranks);
    double time = 0;
    plani_evaluator_t evaluator = {0};
    plan_status_t rc = evaluator_create(s, bytes, &evaluator);
    if (rc != PLAN_OK || ranks <= 2) goto done;
    s->fill.bytes = bytes;
    memcpy(s->scratch, via, (size_t)ranks * sizeof *via);
    plani_shorten(&s->anneal, &s->fill, s->scratch, moves);
    if ((rc = plani_evaluate(&evaluator, s->scratch, INFINITY, &time)) != PLAN_OK) goto done;
    if (time < *seconds) {
        *seconds = time;
        memcpy(via, s->scratch, (size_t)ranks * sizeof *via);
    }
    if (evaluated > moves / PLAIN_PER_EVALUATED) evaluated = moves / PLAIN_PER_EVALUATED;
    rc = plani_evaluated_moves(&s->anneal, &evaluator, via, evaluated, seconds);
done:
    plani_evaluator_clear(&evaluator);
    return rc;
}

/* Links of the best tree for task->bytes [ranks]. */
static plan_status_t search(plani_starts_t *s, long moves, size_t *via)
{
    size_t best = s->max_throughput;
    double bytes = s->task->bytes, seconds = 0;
    plan_status_t rc = bytes > 0 ? plani_starts_evaluate(s, bytes, &best, &seconds) : PLAN_OK;
    if (rc != PLAN_OK) return rc;
    memcpy(via, plani_starts_tree(s, best), (size_t)s->task->d->ranks * sizeof *via);
    return bytes > 0 ? plani_starts_search(s, bytes, moves, via, &seconds) : PLAN_OK;
}

plan_status_t plani_best_tree(const plani_task_t *task, plani_shape_t *shape)
{
    long moves = task->moves > 0 ? task->moves : (long)fmin(MOST_MOVES, (double)MOVES_PER_RANK * task->d->ranks);
    size_t *via = malloc((size_t)task->d->ranks * sizeof *via);
    plani_starts_t *starts = NULL;
    plan_status_t rc = via != NULL ? plani_starts_create(task, moves, &starts) : PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = search(starts, moves, via);
    for (int v = 0; rc == PLAN_OK && v < task->d->ranks; v++)
        shape->parent[v] = v == task->root ? -1 : task->d->link[via[v]].from;
    plani_starts_destroy(&starts);
    free(via);
    return rc;
}

plan_status_t plan_best_tree(const plan_platform_t *pf, int root, double slice, const plan_search_t *how,
                             plan_tree_t **out, plan_error_t *err)
{
    static const plan_search_t defaults;
    plan_status_t rc = PLAN_OK;
    plani_task_t task;
    if (how == NULL) how = &defaults;
    plani_clear(err);
    if (out == NULL) return plani_fail(err, PLAN_EINVAL, "nowhere to put the tree");
    if (how->moves < 0) return plani_fail(err, PLAN_EINVAL, "%ld moves: must not be below 0", how->moves);
    if ((rc = plani_task_create(pf, root, slice, how->bytes, how->rates, &task, err)) != PLAN_OK) return rc;
    if (how->seed != 0) task.seed = how->seed;
    task.moves = how->moves;
    task.window = how->window;
    rc = plani_build(plani_best_tree, &task, out, err);
    plani_task_clear(&task);
    return rc;
}
