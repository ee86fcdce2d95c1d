/* The best slice size and window of each form. */
#include "planner/scoreboard.h"
#include <math.h>

size_t plani_slices(const plan_choice_t *choice, size_t bytes, size_t slice[16])
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
    plani_best_t b = {.form = best->form, .seconds = INFINITY};
    plan_status_t rc = PLAN_OK;
    if (ws->choice.window != 0) {
        rc = try_window(ws, bytes, slice, ws->choice.window, &b);
    } else {
        plani_best_t wide = b;
        if ((rc = try_window(ws, bytes, slice, 4, &b)) != PLAN_OK) return rc;
        if (slice != 0 && slice < bytes) rc = try_window(ws, bytes, slice, 16, &wide);
        if (rc == PLAN_OK && plani_faster(wide.seconds, b.seconds)) {
            if ((rc = try_window(ws, bytes, slice, 8, &b)) != PLAN_OK) return rc;
            if (plani_faster(wide.seconds, b.seconds)) b = wide;
        }
    }
    if (rc == PLAN_OK && plani_faster(b.seconds, best->seconds)) *best = b;
    return rc;
}

plan_status_t plani_best_of_forms(const plani_workshop_t *ws, size_t bytes, plani_best_t *best)
{
    size_t slice[16], n = plani_slices(&ws->choice, bytes, slice);
    for (size_t i = 0; i < ws->nforms; i++) {
        best[i] = (plani_best_t){.form = i, .seconds = INFINITY};
        if (ws->form[i].twin != i) continue;
        for (size_t s = 0; s < n; s++) {
            plan_status_t rc = try_slice(ws, bytes, slice[s], &best[i]);
            if (rc != PLAN_OK) return rc;
        }
    }
    return PLAN_OK;
}
