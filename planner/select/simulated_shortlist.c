/*
 * The leading candidates are simulated.
 *
 * Stages are quick, and err alike for candidates that are alike; the simulation (simulation.h) decides. Every candidate
 * is simulated at the slice size and window that stages favour. Where only winners count, the first of the ranking that
 * has not been simulated is, and moves to its new place, until the first one has been, and a few have. Then the first
 * few try the next larger and smaller slices.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "lib/base/base.h"
#include "planner/select/ranking.h"

enum {
    MOST_RANKS = 512, /* beyond, stages decide */
    FEW = 4,          /* slices: with fewer, simulations cost next to nothing */
    LEAST = 3,        /* simulated at least where only winners count, */
    CLIMB_WINNERS = 2,
    MOST_WINDOW = 128,
    CLIMB = 4 /* and how many try other slices, there and else */
};

typedef struct {
    plani_context_t *ctx;
    size_t bytes;
    const plani_scores_t *scores;
    plani_best_t *best; /* [registry.n] of each algorithm */
    plani_best_t *simulated;
    size_t nsimulated, room; /* what has been simulated, for duplicates */
    bool done[PLANI_REGISTRY_ROOM], climbed[PLANI_REGISTRY_ROOM];
} shortlist_t;

static bool is_same(const plani_best_t *a, const plani_best_t *b)
{
    return a->instance == b->instance && a->slice == b->slice && a->window == b->window;
}

/* b->seconds becomes what a simulation takes. */
static plan_status_t simulate(shortlist_t *h, plani_best_t *b)
{
    for (size_t i = 0; i < h->nsimulated; i++)
        if (is_same(&h->simulated[i], b)) {
            b->seconds = h->simulated[i].seconds;
            return PLAN_OK;
        }
    plani_best_t *simulated = plani_grown(h->simulated, h->nsimulated, &h->room, sizeof *simulated);
    if (simulated == NULL) return PLAN_ENOMEM;
    h->simulated = simulated;
    plan_status_t rc =
        plani_instance_simulate(h->ctx, &h->ctx->instance[b->instance], h->bytes, b->slice, b->window, &b->seconds);
    if (rc == PLAN_OK) h->simulated[h->nsimulated++] = *b;
    return rc;
}

/* The first of those that are not in `out`; registry.n: there is none. */
static size_t first_of(const shortlist_t *h, const bool *out)
{
    size_t first = h->ctx->registry.n;
    double least = INFINITY;
    for (size_t i = 0; i < h->ctx->registry.n; i++) {
        double t = plani_best_weighed(h->ctx, &h->best[i]);
        if (!(out != NULL && out[i]) && plani_faster(t, least)) first = i, least = t;
    }
    return first;
}

/* Is the message sent whole, or in a few slices? */
static bool is_brief(const shortlist_t *h)
{
    size_t first = first_of(h, NULL);
    if (first == h->ctx->registry.n) return true;
    const plani_rounds_t *rounds = h->ctx->instance[h->best[first].instance].rounds;
    size_t slice = h->best[first].slice;
    if (rounds != NULL && plani_rounds_kind(rounds) != PLAN_CIRCULANT) return false; /* a block per rank */
    return slice == 0 || slice >= h->bytes / (FEW - 1);
}

static plan_status_t simulate_leaders(shortlist_t *h)
{
    plan_status_t rc = PLAN_OK;
    size_t least = !h->ctx->winners || is_brief(h) ? SIZE_MAX : LEAST;
    for (size_t simulated = 0; rc == PLAN_OK; simulated++) {
        size_t all = h->ctx->registry.n, first = first_of(h, NULL), next = first_of(h, h->done);
        if (next == all || (simulated >= least && h->done[first])) break;
        h->done[next] = true;
        rc = simulate(h, &h->best[next]);
    }
    return rc;
}

/* Slices beside the one that stages see best: larger ones if they are about as fast, smaller ones if they are worth it.
 */
static plan_status_t climb(shortlist_t *h, size_t algorithm)
{
    plani_best_t *best = &h->best[algorithm];
    size_t from = 0;

    while (h->scores->at[best->instance * h->scores->slices + from].slice != best->slice) from++;
    for (int way = -1; way <= 1; way += 2) {
        double least = best->seconds;
        for (size_t s = from; way < 0 ? s > 0 : s + 1 < h->scores->slices;) {
            s = way < 0 ? s - 1 : s + 1;
            plani_best_t b = plani_fastest_at(h->ctx, h->scores, algorithm, s);
            if (!isfinite(b.seconds)) break;
            plan_status_t rc = simulate(h, &b);
            if (rc != PLAN_OK) return rc;
            bool take = way < 0 ? b.seconds * (1 - PLANI_WORTH_SMALLER) <= least
                                : plani_faster(b.seconds, best->seconds * (1 - PLANI_WORTH_SMALLER));
            if (!take) break;
            *best = b;
            least = fmin(least, b.seconds);
        }
    }
    return PLAN_OK;
}

/* Where what is in flight holds up what is on its way, stages know little of windows: wider and narrower ones. */
static plan_status_t climb_windows(shortlist_t *h, size_t algorithm)
{
    plani_best_t *best = &h->best[algorithm];
    plan_status_t rc = PLAN_OK;
    if (!h->ctx->fluid || h->ctx->choice.window != 0 || best->slice == 0 || best->slice >= h->bytes) return PLAN_OK;
    for (int way = -1; way <= 1; way += 2) {
        plani_best_t b = *best;
        while (rc == PLAN_OK && (way > 0 ? b.window < MOST_WINDOW : b.window > 1)) {
            b.window = way > 0 ? 2 * b.window : b.window / 2;
            rc = simulate(h, &b);
            if (rc != PLAN_OK || !plani_faster(b.seconds, best->seconds)) break;
            *best = b;
        }
    }
    return rc;
}

plan_status_t plani_simulate_shortlist(plani_context_t *ctx, size_t bytes, const plani_scores_t *scores,
                                       plani_best_t *best)
{
    shortlist_t h = {.ctx = ctx, .bytes = bytes, .scores = scores, .best = best};
    plan_status_t rc = PLAN_OK;

    if (!ctx->simulates || ctx->d->ranks < 2 || ctx->d->ranks > MOST_RANKS) return PLAN_OK;
    rc = simulate_leaders(&h);
    for (int i = 0; i < (ctx->winners ? CLIMB_WINNERS : CLIMB) && rc == PLAN_OK; i++) {
        size_t algorithm = first_of(&h, h.climbed);
        if (algorithm == ctx->registry.n) break;
        h.climbed[algorithm] = true;
        rc = simulate(&h, &best[algorithm]);
        if (rc == PLAN_OK) rc = climb(&h, algorithm);
        if (rc == PLAN_OK) rc = climb_windows(&h, algorithm);
    }
    free(h.simulated);
    return rc;
}
