/* How fast each instance is at each slice size, and which slice size to take. */
#include "planner/select/ranking.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t plani_slices(const plan_choice_t *choice, size_t bytes, size_t slice[PLANI_SLICES])
{
    size_t n = 0;
    if (choice->slice != 0) {
        slice[n++] = choice->slice;
        return n;
    }
    slice[n++] = 0;
    for (size_t s = (size_t)1 << 20; s >= 1024; s /= 2)
        if (s < bytes) slice[n++] = s;
    return n;
}

/* Part of the time by which what smaller messages tell may be wrong: windows change, and trees share whole slices. */
static const double DOUBT = 0.06;

/* Beyond so many times what may matter an instance is not scored to the end; short of it its best slice is to be known,
 * for larger messages. */
static const double FAR = 1.5;

/* An instance's slices are looked at around the one that did best before, until two in a row take so many times as
 * long. */
static const double SLOPE = 1.04;

static plan_status_t try_window(const plani_context_t *ctx, size_t bytes, size_t slice, int window, double most,
                                plani_best_t *b)
{
    double seconds = 0;
    plan_status_t rc = plani_instance_score(ctx, &ctx->instance[b->instance], bytes, slice, window, most, &seconds);
    if (rc == PLAN_OK && plani_faster(seconds, b->seconds)) {
        b->slice = slice;
        b->window = window;
        b->seconds = seconds;
    }
    return rc;
}

/* The narrowest window to look at. A whole message, and rounds, have that of small slices. What arrives together is
 * held up by all that is in flight. */
static int narrowest(const plani_context_t *ctx, size_t bytes, size_t slice, bool rounds)
{
    if (ctx->fluid) return 1;
    return plani_narrow_window(slice >= bytes || rounds ? 0 : slice, ctx->one_host);
}

/* The widest: smaller slices take more of them to fill a long link, up to some megabytes in flight. */
static int widest(size_t slice)
{
    enum { LEAST = 16, MOST = 128, FLIGHT = 4 << 20 };
    size_t window = FLIGHT / (slice > 0 ? slice : 1);
    return window < LEAST ? LEAST : window > MOST ? MOST : (int)window;
}

/* Whether the widest window saves enough to look for a wider one than this: what is in flight shares the link. */
static bool is_worth(double wide, double b)
{
    return plani_faster(wide, b * (1 - PLANI_WORTH_SMALLER));
}

/* The best of 1, 2, 4, ..., until a wider one is no better. */
static plan_status_t widen(const plani_context_t *ctx, size_t bytes, size_t slice, double most, plani_best_t *best)
{
    plan_status_t rc = PLAN_OK;
    for (int window = 1; rc == PLAN_OK && window <= widest(slice); window *= 2) {
        double before = best->seconds;
        rc = try_window(ctx, bytes, slice, window, FAR * most, best);
        if (isfinite(best->seconds) && best->seconds >= before) break;
    }
    return rc;
}

/*
 * The narrowest window that is about as fast as any. No window is slower than a narrower one, so those between are
 * looked at only where the widest gains something, and none where even the widest takes longer than `most` [s]: an
 * instance so far behind can still win when it is simulated, but not by its window.
 */
static plan_status_t try_slice(const plani_context_t *ctx, size_t bytes, size_t slice, double most, plani_best_t *best)
{
    bool rounds = ctx->instance[best->instance].rounds != NULL; /* they wait for each other: no window helps */
    bool choose = ctx->choice.window == 0 && slice != 0 && slice < bytes && !rounds;
    int window = ctx->choice.window != 0 ? ctx->choice.window : narrowest(ctx, bytes, slice, rounds);
    plani_best_t b = *best, wide = *best;
    if (choose && ctx->fluid) return widen(ctx, bytes, slice, most, best);
    plan_status_t rc = choose ? try_window(ctx, bytes, slice, widest(slice), FAR * most, &wide) : PLAN_OK;

    if (rc == PLAN_OK && choose && wide.seconds > most)
        b = wide, b.window = window;
    else if (rc == PLAN_OK)
        rc = try_window(ctx, bytes, slice, window, FAR * most, &b);
    while (rc == PLAN_OK && is_worth(wide.seconds, b.seconds) && (window *= 2) <= widest(slice))
        rc = try_window(ctx, bytes, slice, window, FAR * most, &b);
    if (rc == PLAN_OK) *best = b;
    return rc;
}

/* A whole message goes down one tree. */
static double weight_at(const plani_context_t *ctx, const plani_instance_t *f, size_t slice)
{
    return ctx->fluid ? 1 : plani_weight(slice != 0 ? f->ntrees : 1, f->rounds != NULL);
}

double plani_best_weighed(const plani_context_t *ctx, const plani_best_t *b)
{
    const plani_instance_t *f = &ctx->instance[b->instance];
    return isfinite(b->seconds) ? b->seconds * weight_at(ctx, f, b->slice) : INFINITY;
}

/* Room for what is noted of every instance, in ascending order of slices: whole messages are noted nowhere. */
static plan_status_t remember(plani_context_t *ctx)
{
    if (ctx->npast == ctx->ninstances) return PLAN_OK;
    plani_past_t *more = realloc(ctx->past, ctx->ninstances * PLANI_SLICES * sizeof *more);
    if (more == NULL) return PLAN_ENOMEM;
    memset(more + ctx->npast * PLANI_SLICES, 0, (ctx->ninstances - ctx->npast) * PLANI_SLICES * sizeof *more);
    ctx->past = more;
    ctx->npast = ctx->ninstances;
    return PLAN_OK;
}

/* The pipeline of every tree is full: each stage more takes as long, or longer where the window gets full, too. */
static bool is_steady(const plani_instance_t *f, size_t bytes, size_t slice)
{
    size_t n = bytes / slice;
    if (f->rounds != NULL) return false;
    for (size_t t = 0; t < f->ntrees; t++)
        if (f->share[t] * (double)n < plan_tree_data(f->tree[t])->height + 2) return false;
    return true;
}

/* Score one instance at one slice size, if it may take no longer than `most`, weighed. */
static plan_status_t score_at(const plani_context_t *ctx, size_t bytes, double most, size_t s, plani_scores_t *scores,
                              plani_best_t *b)
{
    const plani_instance_t *f = &ctx->instance[b->instance];
    double weight = weight_at(ctx, f, b->slice);
    plani_past_t *past = NULL;
    if (ctx->winners && b->slice != 0) past = &ctx->past[b->instance * PLANI_SLICES + scores->slices - 1 - s];
    if (past != NULL && plani_past_least(past, (double)bytes) * weight * (1 - DOUBT) > most) return PLAN_OK;
    plan_status_t rc = try_slice(ctx, bytes, b->slice, most * (1 + DOUBT) / weight, b);
    if (rc == PLAN_OK && past != NULL && isfinite(b->seconds))
        plani_past_note(past, (double)bytes, b->seconds, is_steady(f, bytes, b->slice));
    return rc;
}

/* The slice sizes beside the s-th, larger ones (-1) or smaller ones (1), until they lead nowhere. */
static plan_status_t walk(const plani_context_t *ctx, size_t bytes, double most, size_t s, int way,
                          plani_scores_t *scores, plani_best_t *at, double *least)
{
    for (int bad = 0; bad < 2 && (way < 0 ? s > 0 : s + 1 < scores->slices);) {
        s = way < 0 ? s - 1 : s + 1;
        plan_status_t rc = score_at(ctx, bytes, most, s, scores, &at[s]);
        if (rc != PLAN_OK) return rc;
        bad = at[s].seconds <= SLOPE * *least && isfinite(at[s].seconds) ? 0 : bad + 1;
        *least = fmin(*least, at[s].seconds);
    }
    return PLAN_OK;
}

/* The slice size that does best, for the next message; where it is unknown, larger messages go in larger slices. */
static void note_best(plani_instance_t *f, size_t slices, const plani_best_t *at, size_t from)
{
    double least = INFINITY;
    if (from > 1) f->best_slice = at[from - 1].slice;
    for (size_t s = 0; s < slices; s++)
        if (at[s].seconds < least) least = at[s].seconds, f->best_slice = at[s].slice;
}

/* Around the slice size that did best before. */
static plan_status_t score_near(plani_context_t *ctx, size_t bytes, double most, plani_scores_t *scores,
                                plani_best_t *at)
{
    plani_instance_t *f = &ctx->instance[at->instance];
    size_t from = 0;
    while (from + 1 < scores->slices && at[from].slice != f->best_slice) from++;
    plan_status_t rc = score_at(ctx, bytes, most, from, scores, &at[from]);
    double least = at[from].seconds;
    if (rc == PLAN_OK) rc = walk(ctx, bytes, most, from, -1, scores, at, &least);
    if (rc == PLAN_OK) rc = walk(ctx, bytes, most, from, 1, scores, at, &least);
    note_best(f, scores->slices, at, from);
    return rc;
}

/* Score one instance at the slice sizes at which it may take no longer than `most`, weighed. */
static plan_status_t score_instance(plani_context_t *ctx, size_t bytes, size_t instance, double most,
                                    const size_t *slice, plani_scores_t *scores)
{
    plani_instance_t *f = &ctx->instance[instance];
    plani_best_t *at = &scores->at[instance * scores->slices];
    plan_status_t rc = PLAN_OK;
    for (size_t s = 0; s < scores->slices; s++)
        at[s] = (plani_best_t){.instance = instance, .slice = slice[s], .seconds = INFINITY};
    if (f->duplicate != instance || (ctx->singles && f->ntrees != 1)) return PLAN_OK;
    if (ctx->winners && f->best_slice != SIZE_MAX) return score_near(ctx, bytes, most, scores, at);
    for (size_t s = 0; s < scores->slices && rc == PLAN_OK; s++) rc = score_at(ctx, bytes, most, s, scores, &at[s]);
    if (ctx->winners) note_best(f, scores->slices, at, 0);
    return rc;
}

static double best_of_instance(const plani_context_t *ctx, const plani_scores_t *scores, size_t instance)
{
    double best = INFINITY;
    for (size_t s = 0; s < scores->slices; s++)
        best = fmin(best, plani_best_weighed(ctx, &scores->at[instance * scores->slices + s]));
    return best;
}

/* The two best of different algorithms and trees. */
static void find_leaders(const plani_context_t *ctx, const plani_scores_t *scores, size_t lead[2])
{
    double least[2] = {INFINITY, INFINITY};
    for (size_t i = 0; i < ctx->ninstances; i++) {
        double t = best_of_instance(ctx, scores, i);
        if (t < least[0]) least[0] = t, lead[0] = i;
    }
    for (size_t i = 0; i < ctx->ninstances; i++) {
        double t = best_of_instance(ctx, scores, i);
        if (ctx->instance[i].algorithm != ctx->instance[lead[0]].algorithm && t < least[1]) least[1] = t, lead[1] = i;
    }
}

plan_status_t plani_score_instances(plani_context_t *ctx, size_t bytes, plani_scores_t *scores)
{
    size_t slice[PLANI_SLICES], n = plani_slices(&ctx->choice, bytes, slice), *lead = ctx->lead;
    plan_status_t rc = PLAN_OK;
    double most = INFINITY;

    *scores = (plani_scores_t){.slices = n, .at = malloc((ctx->ninstances + 1) * n * sizeof *scores->at)};
    if (scores->at == NULL || (ctx->winners && remember(ctx) != PLAN_OK)) return PLAN_ENOMEM;
    bool led = ctx->winners && lead[0] != lead[1];
    for (int i = 0; led && i < 2 && rc == PLAN_OK; i++)
        rc = score_instance(ctx, bytes, lead[i], INFINITY, slice, scores);
    if (rc == PLAN_OK && led)
        most = fmax(best_of_instance(ctx, scores, lead[0]), best_of_instance(ctx, scores, lead[1]));
    for (size_t i = 0; i < ctx->ninstances && rc == PLAN_OK; i++)
        if (!led || (i != lead[0] && i != lead[1])) {
            rc = score_instance(ctx, bytes, i, most, slice, scores);
            if (ctx->singles) most = fmin(most, best_of_instance(ctx, scores, i)); /* of which only the best counts */
        }
    if (rc == PLAN_OK && ctx->winners) find_leaders(ctx, scores, lead);
    return rc;
}

plani_best_t plani_fastest_at(const plani_context_t *ctx, const plani_scores_t *scores, size_t algorithm, size_t s)
{
    plani_best_t b = {.seconds = INFINITY};
    for (size_t i = 0; i < ctx->ninstances; i++) {
        const plani_best_t *c = &scores->at[ctx->instance[i].duplicate * scores->slices + s];
        if (ctx->instance[i].algorithm == algorithm &&
            plani_faster(plani_best_weighed(ctx, c), plani_best_weighed(ctx, &b)))
            b = *c;
    }
    return b;
}

plani_best_t plani_best_of_algorithm(const plani_context_t *ctx, const plani_scores_t *scores, size_t algorithm)
{
    plani_best_t at[PLANI_SLICES];
    double least = INFINITY;
    for (size_t s = 0; s < scores->slices; s++) {
        at[s] = plani_fastest_at(ctx, scores, algorithm, s);
        least = fmin(least, plani_best_weighed(ctx, &at[s]));
    }
    for (size_t s = 0; s < scores->slices; s++) /* the first is the largest */
        if (isfinite(at[s].seconds) && plani_best_weighed(ctx, &at[s]) * (1 - PLANI_WORTH_SMALLER) <= least)
            return at[s];
    return (plani_best_t){.seconds = INFINITY};
}
