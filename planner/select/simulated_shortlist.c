/*
 * The best by stages are simulated.
 *
 * Stages are quick to compute, and their errors are similar for similar candidates; the simulation decides. Algorithms
 * are simulated in the order of their times by stages, each at its own best slice size and window, until
 * PLANI_TRANSFERS have been and the first of all is among them; the others keep the stages' time. Then the first
 * PLANI_CLIMB try larger and smaller slices, and so does any other that would come first or tie with the first: larger
 * slices are taken for some percent of the time, and whoever has not tried them would win by less than that. All that
 * have been simulated try the slice at which one of these has come first.
 */
#include "planner/select/simulated_shortlist.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "lib/base/base.h"

typedef struct {
    plani_context_t *ctx;
    plani_scores_t *scores;
    plani_scored_t *best; /* [registry.n] of each algorithm */
    plani_scored_t *simulated;
    size_t nsimulated, room; /* what has been, for duplicates */
    size_t transfers;        /* in about all of them that led */
    bool done[PLANI_REGISTRY_ROOM], climbed[PLANI_REGISTRY_ROOM];
} shortlist_t;

static bool is_same(const plani_scored_t *a, const plani_scored_t *b)
{
    return a->instance == b->instance && a->how.slice == b->how.slice && a->how.window == b->how.window;
}

/* b->seconds becomes what a simulation takes. */
static plan_status_t simulate(shortlist_t *h, plani_scored_t *b)
{
    plani_prediction_t p;
    for (size_t i = 0; i < h->nsimulated; i++)
        if (is_same(&h->simulated[i], b)) {
            b->seconds = h->simulated[i].seconds;
            return PLAN_OK;
        }
    plani_scored_t *simulated = plani_grown(h->simulated, h->nsimulated, &h->room, sizeof *simulated);
    if (simulated == NULL) return PLAN_ENOMEM;
    h->simulated = simulated;
    plan_status_t rc = plani_predict(h->ctx, b->instance, b->how, PLANI_SIMULATION, &p);
    if (rc != PLAN_OK) return rc;
    b->seconds = p.seconds;
    h->simulated[h->nsimulated++] = *b;
    return PLAN_OK;
}

/* The first of those that are not in `out`; registry.n: there is none. */
static size_t first_of(const shortlist_t *h, const bool *out)
{
    size_t first = h->ctx->registry.n;
    double least = INFINITY;
    for (size_t i = 0; i < h->ctx->registry.n; i++) {
        double t = plani_scored_weighed(h->ctx, &h->best[i]);
        if (!(out != NULL && out[i]) && plani_faster(t, least)) first = i, least = t;
    }
    return first;
}

/* About how many transfers a simulation has. */
static size_t transfers_of(const shortlist_t *h, const plani_scored_t *b)
{
    const plani_rounds_t *rounds = h->ctx->instance[b->instance].rounds;
    if (rounds != NULL && plani_rounds_kind(rounds) != PLAN_CIRCULANT) return PLANI_SIMULATED_TRANSFERS;
    size_t n = plani_cut(b->how.bytes, b->how.slice).n, most = PLANI_SIMULATED_TRANSFERS / (size_t)h->ctx->d->ranks;
    return (n < most ? n : most) * (size_t)h->ctx->d->ranks;
}

/* On fluid channels slices in flight delay each other, which stages do not model: try wider and narrower windows. */
static plan_status_t climb_windows(shortlist_t *h, plani_scored_t *best)
{
    plan_status_t rc = PLAN_OK;
    if (!h->ctx->fluid || h->ctx->choice.window != 0 || best->how.slice == 0 || best->how.slice >= best->how.bytes)
        return PLAN_OK;
    for (int way = -1; way <= 1; way += 2) {
        plani_scored_t b = *best;
        while (rc == PLAN_OK && (way > 0 ? b.how.window < PLANI_WIDEST_WINDOW : b.how.window > 1)) {
            b.how.window = way > 0 ? 2 * b.how.window : b.how.window / 2;
            rc = simulate(h, &b);
            if (rc != PLAN_OK || !plani_faster(b.seconds, best->seconds)) break;
            *best = b;
        }
    }
    return rc;
}

/* Whether to take `b`, which has twice the window of `best`: it saves PLANI_WORTH_SMALLER of the time, or it costs less
 * than that of the `least` time, and not too much is in flight. */
static bool is_worth_widening(const shortlist_t *h, const plani_scored_t *b, const plani_scored_t *best, double least)
{
    size_t flying = (size_t)b->how.window * b->how.slice;
    if (plani_faster(b->seconds, best->seconds * (1 - PLANI_WORTH_SMALLER))) return true;
    return !h->ctx->fluid && flying <= PLANI_IN_FLIGHT && flying <= b->how.bytes / PLANI_PART_IN_FLIGHT &&
           b->seconds * (1 - PLANI_WORTH_SMALLER) <= least;
}

/* Acknowledgements wait behind slices of other trees, which stages do not model, and ranks answer late, which nothing
 * models: try wider windows. */
static plan_status_t widen_windows(shortlist_t *h, plani_scored_t *best)
{
    plan_status_t rc = PLAN_OK;
    double least = best->seconds;
    bool sliced = best->how.slice != 0 && best->how.slice < best->how.bytes;
    if (h->ctx->d->ports != PLAN_PORTS_NONE || h->ctx->choice.window != 0 || !sliced ||
        h->ctx->instance[best->instance].ntrees < 2)
        return PLAN_OK;
    for (plani_scored_t b = *best; rc == PLAN_OK && b.how.window <= PLANI_COMMON_WINDOW / 2; *best = b) {
        b.how.window *= 2;
        rc = simulate(h, &b);
        if (rc != PLAN_OK || !is_worth_widening(h, &b, best, least)) break;
        least = fmin(least, b.seconds);
    }
    return rc;
}

static plan_status_t simulate_leaders(shortlist_t *h)
{
    plan_status_t rc = PLAN_OK;
    while (rc == PLAN_OK) {
        size_t first = first_of(h, NULL), next = first_of(h, h->done);
        if (next == h->ctx->registry.n) break;
        if (h->transfers >= PLANI_TRANSFERS && h->done[first]) break;
        h->done[next] = true;
        h->transfers += transfers_of(h, &h->best[next]);
        rc = simulate(h, &h->best[next]);
        if (rc == PLAN_OK) rc = widen_windows(h, &h->best[next]);
    }
    return rc;
}

/* The instance of an algorithm whose busiest resource is busy the shortest for each byte; ninstances: it has no trees.
 */
static size_t fullest(const plani_context_t *ctx, size_t algorithm)
{
    size_t best = ctx->ninstances;
    for (size_t i = 0; i < ctx->ninstances; i++) {
        const plani_instance_t *f = &ctx->instance[i];
        if (f->algorithm == algorithm && f->rounds == NULL && f->duplicate == i &&
            (best == ctx->ninstances || plani_faster(f->sharing.s_per_byte, ctx->instance[best].sharing.s_per_byte)))
            best = i;
    }
    return best;
}

/* Stages add up what slices of several trees wait for each other, which those of a pipeline hardly do. So try the
 * instance with the highest throughput in the place of the best by stages, too. */
static plan_status_t fill(shortlist_t *h, size_t algorithm, plani_scored_t *best)
{
    plani_scored_t b = *best;

    b.instance = fullest(h->ctx, algorithm);
    if (!h->ctx->taulop || b.instance == h->ctx->ninstances || b.instance == best->instance || best->how.slice == 0)
        return PLAN_OK;
    plan_status_t rc = simulate(h, &b);
    if (rc == PLAN_OK) rc = widen_windows(h, &b);
    if (rc == PLAN_OK && plani_faster(b.seconds, best->seconds)) *best = b;
    return rc;
}

/* The best of an algorithm at the s-th slice size; not finite: none. */
static plan_status_t simulate_at(shortlist_t *h, size_t algorithm, size_t s, plani_scored_t *b)
{
    plan_status_t rc = plani_score_at(h->ctx, h->scores, algorithm, s);
    *b = plani_fastest_at(h->ctx, h->scores, algorithm, s);
    if (rc != PLAN_OK || !isfinite(b->seconds)) return rc;
    if ((rc = simulate(h, b)) == PLAN_OK) rc = widen_windows(h, b);
    return rc == PLAN_OK ? fill(h, algorithm, b) : rc;
}

static size_t number_of_slice(const shortlist_t *h, const plani_scored_t *b)
{
    size_t s = 0;
    while (h->scores->at[b->instance * h->scores->slices + s].how.slice != b->how.slice) s++;
    return s;
}

/* Try slices next to the best one by stages: larger ones if they are about as fast, smaller ones if they save
 * PLANI_WORTH_SMALLER of the time.
 */
static plan_status_t climb(shortlist_t *h, size_t algorithm)
{
    plani_scored_t *best = &h->best[algorithm];
    size_t from = number_of_slice(h, best);

    for (int way = -1; way <= 1; way += 2) {
        double least = plani_scored_weighed(h->ctx, best);
        for (size_t s = from; way < 0 ? s > 0 : s + 1 < h->scores->slices;) {
            s = way < 0 ? s - 1 : s + 1;
            plani_scored_t b;
            plan_status_t rc = simulate_at(h, algorithm, s, &b);
            if (rc != PLAN_OK || !isfinite(b.seconds)) return rc;
            double weighed = plani_scored_weighed(h->ctx, &b);
            bool take = way < 0 ? weighed * (1 - PLANI_WORTH_SMALLER) <= least
                                : plani_faster(weighed, plani_scored_weighed(h->ctx, best) * (1 - PLANI_WORTH_SMALLER));
            if (!take) break;
            *best = b;
            least = fmin(least, weighed);
        }
    }
    return PLAN_OK;
}

static bool comes_before(const shortlist_t *h, size_t a, size_t b)
{
    return plani_faster(plani_scored_weighed(h->ctx, &h->best[a]), plani_scored_weighed(h->ctx, &h->best[b]));
}

/* The first `least`, and all that would come first. */
static plan_status_t climb_leaders(shortlist_t *h, int least)
{
    plan_status_t rc = PLAN_OK;
    for (int i = 0; rc == PLAN_OK;) {
        size_t algorithm = first_of(h, h->climbed);
        if (algorithm == h->ctx->registry.n || (i >= least && comes_before(h, first_of(h, NULL), algorithm))) break;
        i += h->ctx->registry.algorithm[algorithm].kind != PLANI_HOST_TREES; /* which leave the others their tries */
        plani_scored_t *best = &h->best[algorithm];
        bool widened = h->done[algorithm];
        h->climbed[algorithm] = h->done[algorithm] = true;
        if (h->ctx->instance[best->instance].shared) continue;
        rc = simulate(h, best);
        if (rc == PLAN_OK && !widened) rc = widen_windows(h, best);
        if (rc == PLAN_OK) rc = fill(h, algorithm, best);
        if (rc == PLAN_OK) rc = climb(h, algorithm);
        if (rc == PLAN_OK) rc = climb_windows(h, best);
    }
    return rc;
}

/* Stages err alike about the slices of all, so what is best for the first is often better for others, too. */
static plan_status_t follow_first(shortlist_t *h)
{
    size_t first = first_of(h, NULL);
    if (first == h->ctx->registry.n || h->ctx->instance[h->best[first].instance].shared) return PLAN_OK;
    size_t s = number_of_slice(h, &h->best[first]);

    for (size_t i = 0; i < h->ctx->registry.n; i++) {
        plani_scored_t *best = &h->best[i], b;
        if (!h->done[i] || h->climbed[i] || best->how.slice == h->best[first].how.slice) continue;
        plan_status_t rc = simulate_at(h, i, s, &b);
        if (rc != PLAN_OK) return rc;
        if (plani_faster(plani_scored_weighed(h->ctx, &b), plani_scored_weighed(h->ctx, best))) *best = b;
    }
    return PLAN_OK;
}

plan_status_t plani_simulate_shortlist(plani_context_t *ctx, plani_scores_t *scores, plani_scored_t *best)
{
    shortlist_t h = {.ctx = ctx, .scores = scores, .best = best};
    if (!ctx->simulates || ctx->d->ranks < 2) return PLAN_OK;
    plan_status_t rc = simulate_leaders(&h);
    if (rc == PLAN_OK) rc = climb_leaders(&h, PLANI_CLIMB);
    if (rc == PLAN_OK) rc = follow_first(&h);
    if (rc == PLAN_OK) rc = climb_leaders(&h, 0);
    free(h.simulated);
    return rc;
}
