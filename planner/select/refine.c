/* Single trees for one message size. */
#include "graphs/trees/trees.h"
#include <math.h>
#include <stdlib.h>
#include "lib/base/base.h"
#include "planner/algorithms/search/evaluator.h"
#include "planner/select/decide.h"
#include "planner/select/scores.h"

/* The best of all single trees, each algorithm at the slice size that it would be run at. */
static plani_scored_t best_single(const plani_context_t *ctx, const plani_scores_t *scores)
{
    plani_scored_t best = {.seconds = INFINITY};
    for (size_t i = 0; i < ctx->registry.n; i++) {
        plani_scored_t b = plani_best_of_algorithm(ctx, scores, i);
        if (isfinite(b.seconds) && ctx->instance[b.instance].ntrees == 1 && plani_faster(b.seconds, best.seconds))
            best = b;
    }
    return best;
}

/* best-tree continues from the best tree so far, of any algorithm. That tree stays a candidate, too, for the search
 * does not model the loss of flows that share resources. */
static plan_status_t quicken_best(plani_context_t *ctx, size_t algorithm, size_t bytes)
{
    plani_scores_t scores = {0};
    plan_tree_t *tree = NULL, *kept = NULL;
    plan_status_t rc = plani_score_instances(ctx, bytes, PLANI_SINGLE_TREES, &scores);
    plani_scored_t best = rc == PLAN_OK ? best_single(ctx, &scores) : (plani_scored_t){.seconds = INFINITY};
    free(scores.at);
    if (rc != PLAN_OK || !isfinite(best.seconds)) return rc;
    const plan_tree_t *start = ctx->instance[best.instance].tree[0];
    long moves = plani_evaluated_most(ctx->d->ranks) / PLANI_PART_OF_MOVES;
    rc = plani_quicken_tree(ctx->pf, start, bytes, best.how.slice, best.how.window, ctx->choice.seed, moves, &tree);
    if (rc == PLAN_OK) rc = plani_tree_copy(start, &kept);
    if (rc == PLAN_OK && tree != NULL) {
        rc = plani_add_one(ctx, algorithm, tree); /* takes it over; instances move */
        tree = NULL;
    }
    plan_tree_destroy(&tree);
    if (rc == PLAN_OK) return plani_add_one(ctx, algorithm, kept);
    plan_tree_destroy(&kept);
    return rc;
}

plan_status_t plani_refine(plani_context_t *ctx, size_t bytes, plan_error_t *err)
{
    size_t algorithm = 0;
    if (bytes == 0) bytes = 1;
    while (algorithm < ctx->registry.n &&
           (ctx->registry.algorithm[algorithm].kind != PLANI_SEARCH || !ctx->registry.algorithm[algorithm].wanted))
        algorithm++;
    if (algorithm == ctx->registry.n || ctx->d->ranks == 1) return PLAN_OK;
    plan_status_t rc = plani_make_min_makespan(ctx, algorithm, bytes);
    if (rc == PLAN_OK && !plani_context_late(ctx)) rc = quicken_best(ctx, algorithm, bytes);
    return rc == PLAN_OK ? rc : plani_fail(err, rc, "no tree for %zu B: %s", bytes, plan_status_string(rc));
}
