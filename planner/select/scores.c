/* How fast each instance is at each slice size, by stages, and which slice size to take. */
#include "planner/select/scores.h"
#include <math.h>
#include <stdlib.h>

enum { SLICES = 16 }; /* more than are tried */

/* The slice sizes to try for a message, whole (0) first, then from large to small. \return how many */
static size_t slices_of(const plan_choice_t *choice, size_t bytes, size_t slice[SLICES])
{
    size_t n = 0;
    if (choice->slice != 0) {
        slice[n++] = choice->slice;
        return n;
    }
    slice[n++] = 0;
    for (size_t s = PLANI_MOST_SLICE; s >= PLANI_LEAST_SLICE; s /= 2)
        if (s < bytes) slice[n++] = s;
    return n;
}

/* ---- windows ---- */

static plan_status_t try_window(plani_context_t *ctx, int window, plani_scored_t *b)
{
    plani_pipeline_t how = b->how;
    plani_prediction_t p;
    how.window = window;
    plan_status_t rc = plani_predict(ctx, b->instance, how, PLANI_STAGES, &p);
    if (rc == PLAN_OK && plani_faster(p.seconds, b->seconds)) {
        b->how = how;
        b->seconds = p.seconds;
    }
    return rc;
}

/* The narrowest window to look at. A whole message, and rounds, have that of small slices. What arrives together
 * waits for all that is in flight. */
static int narrowest(const plani_context_t *ctx, const plani_scored_t *b, bool rounds)
{
    if (ctx->fluid) return 1;
    return plani_narrow_window(b->how.slice >= b->how.bytes || rounds ? 0 : b->how.slice, ctx->one_host);
}

/* The best of 1, 2, 4, ..., until a wider one is no better. */
static plan_status_t widen(plani_context_t *ctx, plani_scored_t *best)
{
    plan_status_t rc = PLAN_OK;
    for (int window = 1; rc == PLAN_OK && window <= PLANI_WIDEST_WINDOW; window *= 2) {
        double before = best->seconds;
        rc = try_window(ctx, window, best);
        if (isfinite(best->seconds) && best->seconds >= before) break;
    }
    return rc;
}

/*
 * The least window that is about as fast as any, for slices in flight share the link. No window is slower than a
 * smaller one, so windows between are tried only if the widest is faster.
 */
static plan_status_t try_slice(plani_context_t *ctx, plani_scored_t *best)
{
    static const double worth = 1 - PLANI_WORTH_SMALLER;
    const plani_instance_t *f = &ctx->instance[best->instance];
    size_t slice = best->how.slice;
    bool rounds = f->rounds != NULL; /* they wait for each other: windows have no effect */
    bool choose = ctx->choice.window == 0 && slice != 0 && slice < best->how.bytes && !rounds;
    int window = ctx->choice.window != 0 ? ctx->choice.window : narrowest(ctx, best, rounds);
    plani_scored_t wide = *best;

    choose = choose && plani_cut(best->how.bytes, slice).n > (size_t)window; /* else all are in flight at once */
    if (!choose) return try_window(ctx, window, best);
    if (ctx->fluid) return widen(ctx, best);
    plan_status_t rc = try_window(ctx, PLANI_WIDEST_WINDOW, &wide);
    if (rc != PLAN_OK || !isfinite(wide.seconds)) return rc;
    rc = try_window(ctx, window, best);
    while (rc == PLAN_OK && plani_faster(wide.seconds, best->seconds * worth) && (window *= 2) <= PLANI_WIDEST_WINDOW)
        rc = try_window(ctx, window, best);
    return rc;
}

/* ---- slices ---- */

double plani_scored_weighed(const plani_context_t *ctx, const plani_scored_t *b)
{
    const plani_instance_t *f = &ctx->instance[b->instance];
    size_t ntrees = b->how.slice != 0 ? f->ntrees : 1; /* a whole message goes down one tree */
    if (!isfinite(b->seconds)) return INFINITY;
    return b->seconds * plani_weight_on(ctx, b->how.bytes, ntrees, f->rounds != NULL, b->how.slice);
}

/* With the best window, once. */
static plan_status_t score_slice(plani_context_t *ctx, plani_scored_t *b)
{
    if (b->scored) return PLAN_OK;
    b->scored = true;
    return try_slice(ctx, b);
}

/* On a platform of many ranks each score takes long: start at *from, and go to neighbouring sizes while they are
 * better. *from becomes the size of the least time of all instances so far. */
static plan_status_t climb_slices(plani_context_t *ctx, plani_scores_t *scores, plani_scored_t *at, size_t *from,
                                  double *least)
{
    size_t best = *from;
    plan_status_t rc = score_slice(ctx, &at[best]);
    for (int way = -1; way <= 1 && rc == PLAN_OK; way += 2)
        for (size_t s = best; way < 0 ? s > 0 : s + 1 < scores->slices;) {
            s = way < 0 ? s - 1 : s + 1;
            if (at[s].scored) break; /* where it came from */
            rc = score_slice(ctx, &at[s]);
            if (rc != PLAN_OK || !plani_faster(at[s].seconds, at[best].seconds)) break;
            best = s;
        }
    double seconds = plani_scored_weighed(ctx, &at[best]);
    if (seconds < *least) *least = seconds, *from = best;
    return rc;
}

/* [s] How long the message occupies its busiest resource, however it is pipelined. */
static double least_of(const plani_context_t *ctx, const plani_instance_t *f, size_t bytes)
{
    return ctx->taulop && f->rounds == NULL ? (double)bytes * f->sharing.s_per_byte - f->sharing.burst_s : 0;
}

/* Score at all slice sizes. On sparse platforms at a few, and without instances that cannot win unless all are wanted.
 */
static plan_status_t score_one(plani_context_t *ctx, plani_scores_t *scores, size_t instance, bool all, size_t *from,
                               double *least)
{
    const plani_instance_t *f = &ctx->instance[instance];
    plani_scored_t *at = &scores->at[instance * scores->slices];
    plan_status_t rc = PLAN_OK;
    if (ctx->sparse && !all && least_of(ctx, f, at->how.bytes) > *least) return PLAN_OK;
    if (ctx->sparse && !f->shared) /* whose slices are no choice: no way leads to its time */
        return climb_slices(ctx, scores, at, from, least);
    for (size_t s = 0; s < scores->slices && rc == PLAN_OK; s++) rc = score_slice(ctx, &at[s]);
    return rc;
}

plan_status_t plani_score_instances(plani_context_t *ctx, size_t bytes, plani_wanted_t wanted, plani_scores_t *scores)
{
    size_t slice[SLICES], n = slices_of(&ctx->choice, bytes, slice), likely = n / 2;
    plan_status_t rc = PLAN_OK;
    double least = INFINITY;

    *scores = (plani_scores_t){.slices = n, .at = malloc((ctx->ninstances + 1) * n * sizeof *scores->at)};
    if (scores->at == NULL) return PLAN_ENOMEM;
    for (size_t k = 0; k < ctx->ninstances * n; k++)
        scores->at[k] = (plani_scored_t){.instance = k / n, .how = {bytes, slice[k % n], 0}, .seconds = INFINITY};
    for (size_t i = 0; i < ctx->ninstances && rc == PLAN_OK; i++) {
        const plani_instance_t *f = &ctx->instance[i];
        if (f->duplicate != i || (wanted == PLANI_SINGLE_TREES && f->ntrees != 1)) continue;
        rc = score_one(ctx, scores, i, wanted != PLANI_WINNERS, &likely, &least);
    }
    return rc;
}

plan_status_t plani_score_at(plani_context_t *ctx, plani_scores_t *scores, size_t algorithm, size_t s)
{
    plan_status_t rc = PLAN_OK;
    for (size_t i = 0; i < ctx->ninstances && rc == PLAN_OK; i++)
        if (ctx->instance[i].algorithm == algorithm)
            rc = score_slice(ctx, &scores->at[ctx->instance[i].duplicate * scores->slices + s]);
    return rc;
}

plani_scored_t plani_fastest_at(const plani_context_t *ctx, const plani_scores_t *scores, size_t algorithm, size_t s)
{
    plani_scored_t b = {.seconds = INFINITY};
    for (size_t i = 0; i < ctx->ninstances; i++) {
        const plani_scored_t *c = &scores->at[ctx->instance[i].duplicate * scores->slices + s];
        if (ctx->instance[i].algorithm == algorithm &&
            plani_faster(plani_scored_weighed(ctx, c), plani_scored_weighed(ctx, &b)))
            b = *c;
    }
    return b;
}

plani_scored_t plani_best_of_algorithm(const plani_context_t *ctx, const plani_scores_t *scores, size_t algorithm)
{
    plani_scored_t at[SLICES];
    double least = INFINITY;
    for (size_t s = 0; s < scores->slices; s++) {
        at[s] = plani_fastest_at(ctx, scores, algorithm, s);
        least = fmin(least, plani_scored_weighed(ctx, &at[s]));
    }
    for (size_t s = 0; s < scores->slices; s++) /* the first is the largest */
        if (isfinite(at[s].seconds) && plani_scored_weighed(ctx, &at[s]) * (1 - PLANI_WORTH_SMALLER) <= least)
            return at[s];
    return (plani_scored_t){.seconds = INFINITY};
}
