#include "planner/algorithms/search/evaluator.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "graphs/trees/tree_reshape.h"
#include "lib/base/splitmix.h"

#define HOT 0.3   /* first threshold, of the predicted time: over large steps, ... */
#define COOL 0.03 /* ... and then around the best tree met */
#define FOCUS 60  /* of 100 moves relieve a rank whose sends take longest at their depth */
#define MOST_TURNS 4000
#define TURNS_TIMES_RANKS 100000 /* a prediction takes time in proportion to the ranks */

plan_status_t plani_evaluator_create(const plani_problem_t *problem, size_t bytes, size_t slice, int window,
                                     plani_evaluator_t *j)
{
    *j = (plani_evaluator_t){.problem = problem,
                             .bytes = bytes,
                             .slice = slice,
                             .window = window,
                             .parent = malloc((size_t)problem->d->ranks * sizeof *j->parent),
                             .costliest = malloc((size_t)problem->d->ranks * sizeof *j->costliest)};
    return j->parent != NULL && j->costliest != NULL ? plani_cost_cache_create(problem->d, 2, &j->costs) : PLAN_ENOMEM;
}

void plani_evaluator_clear(plani_evaluator_t *j)
{
    plani_stages_destroy(&j->stages);
    plani_cost_cache_destroy(&j->costs);
    plan_tree_destroy(&j->tree);
    free(j->parent);
    free(j->costliest);
    *j = (plani_evaluator_t){0};
}

static plan_status_t shape(plani_evaluator_t *j, const size_t *via)
{
    plan_status_t rc;
    if (j->stages == NULL) {
        plan_tree_destroy(&j->tree);
        rc = plan_tree_create(j->problem->d->ranks, j->parent, NULL, &j->tree);
        return rc == PLAN_OK ? plani_stages_create(j->problem->pf, j->tree, j->costs, &j->stages) : rc;
    }
    rc = plani_tree_reshape(j->tree, j->parent);
    return rc == PLAN_OK ? plani_stages_look(j->stages, j->problem->pf, via) : rc;
}

plan_status_t plani_evaluate(plani_evaluator_t *j, const size_t *via, double most, double *seconds)
{
    const plan_platform_data_t *d = j->problem->d;
    for (int v = 0; v < d->ranks; v++) j->parent[v] = via[v] == PLANI_NO_LINK ? -1 : d->link[via[v]].from;
    plan_status_t rc = shape(j, via);
    if (rc == PLAN_OK) *seconds = plani_stages_score(j->stages, plani_cut(j->bytes, j->slice), j->window, most);
    return rc;
}

long plani_evaluated_most(int ranks)
{
    long moves = TURNS_TIMES_RANKS / ranks;
    return moves > MOST_TURNS ? MOST_TURNS : moves;
}

/* A child of the rank whose sends take longest at some depth. */
static int child_of_costliest(plani_anneal_t *a, const plani_evaluator_t *j)
{
    const plani_loads_t *s = &a->loads;
    int u = j->costliest[plani_random_below(&a->random, (uint32_t)j->height)], v = s->first[u];
    for (uint32_t skip = plani_random_below(&a->random, 8); skip > 0 && v >= 0; skip--)
        v = s->next[v] >= 0 ? s->next[v] : s->first[u];
    return v;
}

/* One move from the tree in a->loads; taken back if the time rises by more than `threshold`. */
static plan_status_t turn(plani_anneal_t *a, plani_evaluator_t *j, double threshold, double *now)
{
    plani_loads_t *s = &a->loads;
    plani_move_t m;
    double then = 0;
    int v = -1;
    if (j->height > 0 && plani_random_below(&a->random, 100) < FOCUS) v = child_of_costliest(a, j);
    if (v < 0) v = (int)plani_random_below(&a->random, (uint32_t)s->d->ranks);
    if (!plani_draw_link(a, v, &m) || !plani_draw_lift(a, &m)) return PLAN_OK;
    int x = m.lift != PLANI_NO_LINK ? s->d->link[m.lift].to : -1;
    size_t old = s->via[v], lift_old = x >= 0 ? s->via[x] : PLANI_NO_LINK;
    if (x >= 0) plani_loads_hang(s, x, m.lift);
    plani_loads_hang(s, v, m.link);
    plan_status_t rc = plani_evaluate(j, s->via, *now + threshold, &then);
    if (rc == PLAN_OK && then <= *now + threshold) {
        *now = then;
        j->height = plani_stages_costliest(j->stages, j->costliest);
        return PLAN_OK;
    }
    plani_loads_hang(s, v, old);
    if (x >= 0) plani_loads_hang(s, x, lift_old);
    return rc;
}

/* Moves from tree via[], with a threshold that sinks from `hot` to 0. */
static plan_status_t anneal(plani_anneal_t *a, plani_evaluator_t *j, double hot, size_t *via, long moves,
                            double *seconds)
{
    plani_loads_t *s = &a->loads;
    plan_status_t rc = PLAN_OK;
    double now = *seconds;
    plani_loads_set(s, via, INFINITY);
    plani_draw_up_to(a, INFINITY);
    j->height = 0;
    for (long i = 0; i < moves && rc == PLAN_OK; i++) {
        rc = turn(a, j, hot * (double)(moves - i) / (double)moves, &now);
        if (rc != PLAN_OK || now >= *seconds * (1 - 1e-12)) continue;
        *seconds = now;
        memcpy(via, s->via, (size_t)s->d->ranks * sizeof *via);
    }
    return rc;
}

plan_status_t plani_evaluated_moves(plani_anneal_t *a, plani_evaluator_t *j, size_t *via, long moves, double *seconds)
{
    plan_status_t rc = anneal(a, j, HOT * *seconds, via, moves / 2, seconds);
    return rc == PLAN_OK ? anneal(a, j, COOL * *seconds, via, moves - moves / 2, seconds) : rc;
}

plan_status_t plani_tree_of_links(const plani_problem_t *problem, const size_t *via, plan_tree_t **out)
{
    size_t n = (size_t)problem->d->ranks;
    plani_shape_t shape = {.parent = malloc(n * sizeof *shape.parent), .order = calloc(n, sizeof *shape.order)};
    plan_status_t rc = shape.parent != NULL && shape.order != NULL ? PLAN_OK : PLAN_ENOMEM;
    for (size_t v = 0; rc == PLAN_OK && v < n; v++)
        shape.parent[v] = via[v] == PLANI_NO_LINK ? -1 : problem->d->link[via[v]].from;
    if (rc == PLAN_OK) rc = plani_order_children(problem, &shape);
    if (rc == PLAN_OK) rc = plan_tree_create(problem->d->ranks, shape.parent, shape.order, out);
    free(shape.parent);
    free(shape.order);
    return rc;
}

plan_status_t plani_quicken_tree(const plan_platform_t *pf, const plan_tree_t *tree, size_t bytes, size_t slice,
                                 int window, uint64_t seed, long moves, plan_tree_t **out)
{
    int n = plan_tree_data(tree)->ranks;
    const int *parent = plan_tree_data(tree)->parent;
    double unit = (double)(slice > 0 ? slice : bytes), before = 0, after = 0;
    size_t *via = malloc((size_t)n * sizeof *via);
    plani_problem_t problem = {0};
    plani_anneal_t anneal = {0};
    plani_evaluator_t evaluator = {0};
    plan_status_t rc = via != NULL ? PLAN_OK : PLAN_ENOMEM;
    *out = NULL;
    if (rc == PLAN_OK)
        rc = plani_problem_create(pf, plan_tree_data(tree)->root, unit, (double)bytes, NULL, &problem, NULL);
    if (rc == PLAN_OK) rc = plani_anneal_create(&problem, 1, seed != 0 ? seed : 1, &anneal);
    if (rc == PLAN_OK) rc = plani_evaluator_create(&problem, bytes, slice, window, &evaluator);
    if (rc != PLAN_OK) goto done;
    for (int v = 0; v < n; v++) via[v] = parent[v] < 0 ? PLANI_NO_LINK : plan_platform_find_link(pf, parent[v], v);
    if ((rc = plani_evaluate(&evaluator, via, INFINITY, &before)) != PLAN_OK) goto done;
    after = before;
    rc = plani_evaluated_moves(&anneal, &evaluator, via, moves > 0 ? moves : plani_evaluated_most(n), &after);
    if (rc == PLAN_OK && after < before * (1 - 1e-9)) rc = plani_tree_of_links(&problem, via, out);
done:
    plani_evaluator_clear(&evaluator);
    plani_anneal_clear(&anneal);
    plani_problem_clear(&problem);
    free(via);
    return rc;
}
