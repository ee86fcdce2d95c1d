/* How fast each form is at each slice size, and which slice size to take. */
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

/* Beyond so many times what may matter a form is not scored to the end; short of it its best slice is to be known, for
 * larger messages. */
static const double FAR = 1.5;

/* A form's slices are looked at around the one that did best before, until two in a row take so many times as long. */
static const double SLOPE = 1.04;

static plan_status_t try_window(const plani_context_t *ws, size_t bytes, size_t slice, int window, double most,
                                plani_best_t *b)
{
    double seconds = 0;
    plan_status_t rc = plani_form_score(ws, &ws->form[b->form], bytes, slice, window, most, &seconds);
    if (rc == PLAN_OK && plani_faster(seconds, b->seconds)) {
        b->slice = slice;
        b->window = window;
        b->seconds = seconds;
    }
    return rc;
}

/* The narrowest window to look at. A whole message, and rounds, have that of small slices. What arrives together is
 * held up by all that is in flight. */
static int narrowest(const plani_context_t *ws, size_t bytes, size_t slice, bool rounds)
{
    if (ws->fluid) return 1;
    return plani_narrow_window(slice >= bytes || rounds ? 0 : slice, ws->one_host);
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
static plan_status_t widen(const plani_context_t *ws, size_t bytes, size_t slice, double most, plani_best_t *best)
{
    plan_status_t rc = PLAN_OK;
    for (int window = 1; rc == PLAN_OK && window <= widest(slice); window *= 2) {
        double before = best->seconds;
        rc = try_window(ws, bytes, slice, window, FAR * most, best);
        if (isfinite(best->seconds) && best->seconds >= before) break;
    }
    return rc;
}

/*
 * The narrowest window that is about as fast as any. No window is slower than a narrower one, so those between are
 * looked at only where the widest gains something, and none where even the widest takes longer than `most` [s]: a form
 * so far behind can still win when it is replayed, but not by its window.
 */
static plan_status_t try_slice(const plani_context_t *ws, size_t bytes, size_t slice, double most, plani_best_t *best)
{
    bool rounds = ws->form[best->form].rounds != NULL; /* they wait for each other: no window helps */
    bool choose = ws->choice.window == 0 && slice != 0 && slice < bytes && !rounds;
    int window = ws->choice.window != 0 ? ws->choice.window : narrowest(ws, bytes, slice, rounds);
    plani_best_t b = *best, wide = *best;
    if (choose && ws->fluid) return widen(ws, bytes, slice, most, best);
    plan_status_t rc = choose ? try_window(ws, bytes, slice, widest(slice), FAR * most, &wide) : PLAN_OK;

    if (rc == PLAN_OK && choose && wide.seconds > most)
        b = wide, b.window = window;
    else if (rc == PLAN_OK)
        rc = try_window(ws, bytes, slice, window, FAR * most, &b);
    while (rc == PLAN_OK && is_worth(wide.seconds, b.seconds) && (window *= 2) <= widest(slice))
        rc = try_window(ws, bytes, slice, window, FAR * most, &b);
    if (rc == PLAN_OK) *best = b;
    return rc;
}

/* A whole message goes down one tree. */
static double weight_at(const plani_context_t *ws, const plani_form_t *f, size_t slice)
{
    return ws->fluid ? 1 : plani_weight(slice != 0 ? f->ntrees : 1, f->rounds != NULL);
}

double plani_best_weighed(const plani_context_t *ws, const plani_best_t *b)
{
    const plani_form_t *f = &ws->form[b->form];
    return isfinite(b->seconds) ? b->seconds * weight_at(ws, f, b->slice) : INFINITY;
}

/* Room for what is noted of every form, in ascending order of slices: whole messages are noted nowhere. */
static plan_status_t remember(plani_context_t *ws)
{
    if (ws->npast == ws->nforms) return PLAN_OK;
    plani_past_t *more = realloc(ws->past, ws->nforms * PLANI_SLICES * sizeof *more);
    if (more == NULL) return PLAN_ENOMEM;
    memset(more + ws->npast * PLANI_SLICES, 0, (ws->nforms - ws->npast) * PLANI_SLICES * sizeof *more);
    ws->past = more;
    ws->npast = ws->nforms;
    return PLAN_OK;
}

/* The pipeline of every tree is full: each stage more takes as long, or longer where the window gets full, too. */
static bool is_steady(const plani_form_t *f, size_t bytes, size_t slice)
{
    size_t n = bytes / slice;
    if (f->rounds != NULL) return false;
    for (size_t t = 0; t < f->ntrees; t++)
        if (f->share[t] * (double)n < plan_tree_height(f->tree[t]) + 2) return false;
    return true;
}

/* Score one form at one slice size, if it may take no longer than `most`, weighed. */
static plan_status_t score_at(const plani_context_t *ws, size_t bytes, double most, size_t s, plani_scores_t *scores,
                              plani_best_t *b)
{
    const plani_form_t *f = &ws->form[b->form];
    double weight = weight_at(ws, f, b->slice);
    plani_past_t *past = NULL;
    if (ws->winners && b->slice != 0) past = &ws->past[b->form * PLANI_SLICES + scores->slices - 1 - s];
    if (past != NULL && plani_past_least(past, (double)bytes) * weight * (1 - DOUBT) > most) return PLAN_OK;
    plan_status_t rc = try_slice(ws, bytes, b->slice, most * (1 + DOUBT) / weight, b);
    if (rc == PLAN_OK && past != NULL && isfinite(b->seconds))
        plani_past_note(past, (double)bytes, b->seconds, is_steady(f, bytes, b->slice));
    return rc;
}

/* The slice sizes beside the s-th, larger ones (-1) or smaller ones (1), until they lead nowhere. */
static plan_status_t walk(const plani_context_t *ws, size_t bytes, double most, size_t s, int way,
                          plani_scores_t *scores, plani_best_t *at, double *least)
{
    for (int bad = 0; bad < 2 && (way < 0 ? s > 0 : s + 1 < scores->slices);) {
        s = way < 0 ? s - 1 : s + 1;
        plan_status_t rc = score_at(ws, bytes, most, s, scores, &at[s]);
        if (rc != PLAN_OK) return rc;
        bad = at[s].seconds <= SLOPE * *least && isfinite(at[s].seconds) ? 0 : bad + 1;
        *least = fmin(*least, at[s].seconds);
    }
    return PLAN_OK;
}

/* The slice size that does best, for the next message; where it is unknown, larger messages go in larger slices. */
static void note_best(plani_form_t *f, size_t slices, const plani_best_t *at, size_t from)
{
    double least = INFINITY;
    if (from > 1) f->best_slice = at[from - 1].slice;
    for (size_t s = 0; s < slices; s++)
        if (at[s].seconds < least) least = at[s].seconds, f->best_slice = at[s].slice;
}

/* Around the slice size that did best before. */
static plan_status_t score_near(plani_context_t *ws, size_t bytes, double most, plani_scores_t *scores,
                                plani_best_t *at)
{
    plani_form_t *f = &ws->form[at->form];
    size_t from = 0;
    while (from + 1 < scores->slices && at[from].slice != f->best_slice) from++;
    plan_status_t rc = score_at(ws, bytes, most, from, scores, &at[from]);
    double least = at[from].seconds;
    if (rc == PLAN_OK) rc = walk(ws, bytes, most, from, -1, scores, at, &least);
    if (rc == PLAN_OK) rc = walk(ws, bytes, most, from, 1, scores, at, &least);
    note_best(f, scores->slices, at, from);
    return rc;
}

/* Score one form at the slice sizes at which it may take no longer than `most`, weighed. */
static plan_status_t score_form(plani_context_t *ws, size_t bytes, size_t form, double most, const size_t *slice,
                                plani_scores_t *scores)
{
    plani_form_t *f = &ws->form[form];
    plani_best_t *at = &scores->at[form * scores->slices];
    plan_status_t rc = PLAN_OK;
    for (size_t s = 0; s < scores->slices; s++)
        at[s] = (plani_best_t){.form = form, .slice = slice[s], .seconds = INFINITY};
    if (f->duplicate != form || (ws->singles && f->ntrees != 1)) return PLAN_OK;
    if (ws->winners && f->best_slice != SIZE_MAX) return score_near(ws, bytes, most, scores, at);
    for (size_t s = 0; s < scores->slices && rc == PLAN_OK; s++) rc = score_at(ws, bytes, most, s, scores, &at[s]);
    if (ws->winners) note_best(f, scores->slices, at, 0);
    return rc;
}

static double best_of_form(const plani_context_t *ws, const plani_scores_t *scores, size_t form)
{
    double best = INFINITY;
    for (size_t s = 0; s < scores->slices; s++)
        best = fmin(best, plani_best_weighed(ws, &scores->at[form * scores->slices + s]));
    return best;
}

/* The two best of different items and trees. */
static void find_leaders(const plani_context_t *ws, const plani_scores_t *scores, size_t lead[2])
{
    double least[2] = {INFINITY, INFINITY};
    for (size_t i = 0; i < ws->nforms; i++) {
        double t = best_of_form(ws, scores, i);
        if (t < least[0]) least[0] = t, lead[0] = i;
    }
    for (size_t i = 0; i < ws->nforms; i++) {
        double t = best_of_form(ws, scores, i);
        if (ws->form[i].item != ws->form[lead[0]].item && t < least[1]) least[1] = t, lead[1] = i;
    }
}

plan_status_t plani_score_forms(plani_context_t *ws, size_t bytes, plani_scores_t *scores)
{
    size_t slice[PLANI_SLICES], n = plani_slices(&ws->choice, bytes, slice), *lead = ws->lead;
    plan_status_t rc = PLAN_OK;
    double most = INFINITY;

    *scores = (plani_scores_t){.slices = n, .at = malloc((ws->nforms + 1) * n * sizeof *scores->at)};
    if (scores->at == NULL || (ws->winners && remember(ws) != PLAN_OK)) return PLAN_ENOMEM;
    bool led = ws->winners && lead[0] != lead[1];
    for (int i = 0; led && i < 2 && rc == PLAN_OK; i++) rc = score_form(ws, bytes, lead[i], INFINITY, slice, scores);
    if (rc == PLAN_OK && led) most = fmax(best_of_form(ws, scores, lead[0]), best_of_form(ws, scores, lead[1]));
    for (size_t i = 0; i < ws->nforms && rc == PLAN_OK; i++)
        if (!led || (i != lead[0] && i != lead[1])) {
            rc = score_form(ws, bytes, i, most, slice, scores);
            if (ws->singles) most = fmin(most, best_of_form(ws, scores, i)); /* of which only the best counts */
        }
    if (rc == PLAN_OK && ws->winners) find_leaders(ws, scores, lead);
    return rc;
}

plani_best_t plani_fastest_at(const plani_context_t *ws, const plani_scores_t *scores, size_t item, size_t s)
{
    plani_best_t b = {.seconds = INFINITY};
    for (size_t i = 0; i < ws->nforms; i++) {
        const plani_best_t *c = &scores->at[ws->form[i].duplicate * scores->slices + s];
        if (ws->form[i].item == item && plani_faster(plani_best_weighed(ws, c), plani_best_weighed(ws, &b))) b = *c;
    }
    return b;
}

plani_best_t plani_best_of_item(const plani_context_t *ws, const plani_scores_t *scores, size_t item)
{
    plani_best_t at[PLANI_SLICES];
    double least = INFINITY;
    for (size_t s = 0; s < scores->slices; s++) {
        at[s] = plani_fastest_at(ws, scores, item, s);
        least = fmin(least, plani_best_weighed(ws, &at[s]));
    }
    for (size_t s = 0; s < scores->slices; s++) /* the first is the largest */
        if (isfinite(at[s].seconds) && plani_best_weighed(ws, &at[s]) * (1 - PLANI_WORTH_SMALLER) <= least)
            return at[s];
    return (plani_best_t){.seconds = INFINITY};
}
