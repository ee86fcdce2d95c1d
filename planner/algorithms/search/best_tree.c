/* best-tree: the best of the other heuristics, and local search from there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "planner/algorithms/search/evaluator.h"
#include "planner/algorithms/search/shorten.h"
#include "planner/algorithms/search/start_trees.h"

#define MOVES_PER_RANK 10000
#define MOST_MOVES 1500000
#define PLAIN_PER_EVALUATED                                                                                            \
    60 /* a prediction takes as long as 20 elementary moves: a third of their time is enough                           \
        */

static plan_status_t evaluator_create(const plani_starts_t *s, double bytes, plani_evaluator_t *j)
{
    return plani_evaluator_create(s->problem, (size_t)ceil(bytes), (size_t)ceil(s->problem->slice), s->problem->window,
                                  j);
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

/* Many moves that are rated by an estimate, then a few that are each predicted. */
plan_status_t plani_starts_search(plani_starts_t *s, double bytes, long moves, size_t *via, double *seconds)
{
    int ranks = s->problem->d->ranks;
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

/* Links of the best tree for problem->bytes [ranks]. */
static plan_status_t search(plani_starts_t *s, long moves, size_t *via)
{
    size_t best = s->max_throughput;
    double bytes = s->problem->bytes, seconds = 0;
    plan_status_t rc = bytes > 0 ? plani_starts_evaluate(s, bytes, &best, &seconds) : PLAN_OK;
    if (rc != PLAN_OK) return rc;
    memcpy(via, plani_starts_tree(s, best), (size_t)s->problem->d->ranks * sizeof *via);
    return bytes > 0 ? plani_starts_search(s, bytes, moves, via, &seconds) : PLAN_OK;
}

plan_status_t plani_best_tree(const plani_problem_t *problem, plani_shape_t *shape)
{
    long moves =
        problem->moves > 0 ? problem->moves : (long)fmin(MOST_MOVES, (double)MOVES_PER_RANK * problem->d->ranks);
    size_t *via = malloc((size_t)problem->d->ranks * sizeof *via);
    plani_starts_t *starts = NULL;
    plan_status_t rc = via != NULL ? plani_starts_create(problem, moves, &starts) : PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = search(starts, moves, via);
    for (int v = 0; rc == PLAN_OK && v < problem->d->ranks; v++)
        shape->parent[v] = v == problem->root ? -1 : problem->d->link[via[v]].from;
    plani_starts_destroy(&starts);
    free(via);
    return rc;
}
