/* Single trees for one message size. */
#include <math.h>
#include <stdlib.h>
#include "lib/base/base.h"
#include "planner/select/ranking.h"
#include "planner/algorithms/search/evaluator.h"

/* Of the search's own number of turns, for one of many candidates: as with all of them, plans are predicted to take as
 * long (0.04% and 0.12% longer in the geometric mean over ten measured and fourteen made-up platforms). */
enum { PART_OF_TURNS = 4 };

/* How the best of all single trees does: each item at the slice size that it would be run at. */
static plani_best_t best_single(const plani_context_t *ws, const plani_scores_t *scores)
{
    plani_best_t best = {.seconds = INFINITY};
    for (size_t i = 0; i < ws->registry.n; i++) {
        plani_best_t b = plani_best_of_item(ws, scores, i);
        if (isfinite(b.seconds) && ws->form[b.form].ntrees == 1 && plani_faster(b.seconds, best.seconds)) best = b;
    }
    return best;
}

/* best-tree goes on from whatever is best so far, whoever made it; and keeps that, for the search does not see what
 * takes turns. */
static plan_status_t quicken_best(plani_context_t *ws, size_t item, size_t bytes)
{
    plani_scores_t scores = {0};
    plan_tree_t *tree = NULL, *kept = NULL;
    ws->singles = true;
    plan_status_t rc = plani_score_forms(ws, bytes, &scores);
    ws->singles = false;
    plani_best_t best = rc == PLAN_OK ? best_single(ws, &scores) : (plani_best_t){.seconds = INFINITY};
    free(scores.at);
    if (rc != PLAN_OK || !isfinite(best.seconds)) return rc;
    const plan_tree_t *start = ws->form[best.form].tree[0];
    long turns = plani_evaluated_turns(ws->d->ranks) / PART_OF_TURNS;
    rc = plani_quicken_tree(ws->pf, start, bytes, best.slice, best.window, ws->choice.seed, turns, &tree);
    if (rc == PLAN_OK) rc = plan_tree_copy(start, &kept);
    if (rc == PLAN_OK && tree != NULL) {
        rc = plani_add_one(ws, item, tree); /* takes it over; forms move */
        tree = NULL;
    }
    plan_tree_destroy(&tree);
    if (rc == PLAN_OK) return plani_add_one(ws, item, kept);
    plan_tree_destroy(&kept);
    return rc;
}

plan_status_t plani_context_refine(plani_context_t *ws, size_t bytes, plan_error_t *err)
{
    size_t item = 0;
    if (bytes == 0) bytes = 1;
    while (item < ws->registry.n && (ws->registry.item[item].kind != PLANI_SEARCH || !ws->registry.item[item].wanted))
        item++;
    if (item == ws->registry.n || ws->d->ranks == 1) return PLAN_OK;
    plan_status_t rc = plani_make_min_makespan(ws, item, bytes);
    if (rc == PLAN_OK && !plani_context_late(ws)) rc = quicken_best(ws, item, bytes);
    return rc == PLAN_OK ? rc : plani_fail(err, rc, "no tree for %zu B: %s", bytes, plan_status_string(rc));
}
