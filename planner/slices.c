/* How fast each form is at each slice size, and which slice size to take. */
#include "planner/scoreboard.h"
#include <math.h>
#include <stdlib.h>

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

static plan_status_t try_window(const plani_workshop_t *ws, size_t bytes, size_t slice, int window, plani_best_t *b)
{
    double seconds = 0;
    plan_status_t rc = plani_form_score(ws, &ws->form[b->form], bytes, slice, window, &seconds);
    if (rc == PLAN_OK && plani_faster(seconds, b->seconds)) {
        b->slice = slice;
        b->window = window;
        b->seconds = seconds;
    }
    return rc;
}

/*
 * The narrowest window that is as fast as any. No window is slower than a narrower one, so those between are looked at
 * only where the widest gains something.
 */
static plan_status_t try_slice(const plani_workshop_t *ws, size_t bytes, size_t slice, plani_best_t *best)
{
    plani_best_t b = *best;
    plan_status_t rc = PLAN_OK;
    if (ws->choice.window != 0) {
        rc = try_window(ws, bytes, slice, ws->choice.window, &b);
    } else {
        plani_best_t wide = b;
        if ((rc = try_window(ws, bytes, slice, 4, &b)) != PLAN_OK) return rc;
        /* rounds wait for each other: no window helps */
        if (slice != 0 && slice < bytes && ws->form[b.form].rounds == NULL)
            rc = try_window(ws, bytes, slice, 16, &wide);
        if (rc == PLAN_OK && plani_faster(wide.seconds, b.seconds)) {
            if ((rc = try_window(ws, bytes, slice, 8, &b)) != PLAN_OK) return rc;
            if (plani_faster(wide.seconds, b.seconds)) b = wide;
        }
    }
    *best = b;
    return rc;
}

plan_status_t plani_score_forms(const plani_workshop_t *ws, size_t bytes, plani_scores_t *scores)
{
    size_t slice[PLANI_SLICES], n = plani_slices(&ws->choice, bytes, slice);
    *scores = (plani_scores_t){.slices = n, .at = malloc((ws->nforms + 1) * n * sizeof *scores->at)};
    if (scores->at == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < ws->nforms; i++)
        for (size_t s = 0; s < n; s++) {
            plani_best_t *b = &scores->at[i * n + s];
            *b = (plani_best_t){.form = i, .slice = slice[s], .seconds = INFINITY};
            if (ws->form[i].twin != i) continue;
            plan_status_t rc = try_slice(ws, bytes, slice[s], b);
            if (rc != PLAN_OK) return rc;
        }
    return PLAN_OK;
}

/* The fastest of an item's forms at one slice size; of equals the first. */
static plani_best_t fastest_at(const plani_workshop_t *ws, const plani_scores_t *scores, size_t item, size_t s)
{
    plani_best_t b = {.seconds = INFINITY};
    for (size_t i = 0; i < ws->nforms; i++) {
        const plani_best_t *c = &scores->at[ws->form[i].twin * scores->slices + s];
        if (ws->form[i].item == item && plani_faster(c->seconds, b.seconds)) b = *c;
    }
    return b;
}

plani_best_t plani_best_of_item(const plani_workshop_t *ws, const plani_scores_t *scores, size_t item)
{
    plani_best_t at[PLANI_SLICES];
    double least = INFINITY;
    for (size_t s = 0; s < scores->slices; s++) {
        at[s] = fastest_at(ws, scores, item, s);
        least = fmin(least, at[s].seconds);
    }
    for (size_t s = 0; s < scores->slices; s++) /* the first is the largest */
        if (isfinite(at[s].seconds) && at[s].seconds * (1 - PLANI_WORTH_SMALLER) <= least) return at[s];
    return (plani_best_t){.seconds = INFINITY};
}
