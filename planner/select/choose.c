/* Plan for every message size: a ranking at each of a ladder of sizes, and the borders between their winners. */
#include "planner/select/choose.h"
#include "lib/base/base.h"
#include "planner/plan/plan_private.h"
#include "planner/select/ranking.h"
#include <math.h>
#include "planner/taulop/score.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool plani_same_broadcast(const plan_candidate_t *a, const plan_candidate_t *b)
{
    if (a->run != b->run || a->schedule != b->schedule || a->places != b->places || a->slice != b->slice ||
        a->window != b->window || a->ntrees != b->ntrees)
        return false;
    for (int v = 0; v < a->places; v++)
        if (a->order[v] != b->order[v]) return false;
    if (plani_link_windows(a) != plani_link_windows(b)) return false;
    for (size_t k = 0; k < plani_link_windows(a); k++)
        if (a->link_window[k] != b->link_window[k]) return false;
    for (size_t t = 0; t < a->ntrees; t++) {
        double x = a->rate[t] / a->rate[0], y = b->rate[t] / b->rate[0]; /* whole messages: rates depend on the size */
        if (fabs(x - y) > 1e-9 * y || !plani_tree_equal(a->tree[t], b->tree[t])) return false;
    }
    return true;
}

static bool same_choice(const plan_candidate_t *a, const plan_candidate_t *b)
{
    return strcmp(a->name, b->name) == 0 && plani_same_broadcast(a, b);
}

/* The runner-up is the first that does something else: two heuristics often find the same tree. */
static plani_note_t note_of(const plan_ranking_t *ranking)
{
    const plan_candidate_t *first = &ranking->candidate[0];
    plani_note_t note = {.at_bytes = ranking->bytes, .runner_up_s = NAN};
    for (size_t i = 1; i < ranking->ncandidates; i++) {
        const plan_candidate_t *c = &ranking->candidate[i];
        if (c->run == PLAN_RUN_NOT || plani_same_broadcast(first, c)) continue;
        snprintf(note.runner_up, sizeof note.runner_up, "%s", c->name);
        note.runner_up_s = isnan(first->measured_s) ? c->predicted_s : c->measured_s;
        break;
    }
    return note;
}

/* The middle of two sizes on a logarithmic scale; at least `low`, and below `high` where that is more. */
static size_t middle(size_t low, size_t high)
{
    double m = sqrt(fmax(1, (double)low)) * sqrt((double)high);
    size_t at = (size_t)m;
    if (at >= high) at = high - 1;
    return at < low ? low : at;
}

plan_status_t plani_plan_from_rankings(size_t n, const plan_ranking_t *const *ranking, const size_t *border,
                                       const int *hosts, plan_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    size_t count = 0;
    plan_range_t *range = NULL;
    plani_note_t *note = NULL;

    if (n < 1) return plani_fail(err, PLAN_EINVAL, "a plan needs at least one ranking");
    range = calloc(n, sizeof *range);
    note = calloc(n, sizeof *note);
    if (range == NULL || note == NULL) {
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for a plan of %zu sizes", n);
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        if (ranking[i]->ncandidates < 1 || (i > 0 && ranking[i]->bytes < ranking[i - 1]->bytes)) {
            rc = plani_fail(err, PLAN_EINVAL, "ranking %zu: give candidates, and ascending sizes", i);
            goto done;
        }
        if (i > 0 && ranking[i]->bytes == ranking[i - 1]->bytes) continue; /* zero bytes are planned as one */
        const plan_candidate_t *c = &ranking[i]->candidate[0];
        bool more = count > 0 && same_choice(range[count - 1].chosen, c);
        bool untimed = more && isnan(c->measured_s) && !isnan(range[count - 1].chosen->measured_s);
        count += !more;
        range[count - 1].up_to = i + 1 == n ? ranking[i]->bytes
                                 : border   ? border[i]
                                            : middle(ranking[i]->bytes, ranking[i + 1]->bytes);
        if (untimed) continue; /* what was timed at a smaller size tells more of the range */
        range[count - 1].chosen = c;
        note[count - 1] = note_of(ranking[i]);
    }
    rc = plani_plan_create(ranking[0]->ranks, ranking[0]->root, count, range, note, hosts, out, err);
done:
    free(range);
    free(note);
    return rc;
}

/* 1 B, 64 B, then powers of two, and max_bytes; [64] is room enough. */
static size_t ladder(size_t max_bytes, size_t size[64])
{
    size_t n = 0;
    if (max_bytes < 1) max_bytes = 1;
    for (size_t s = 1; s < max_bytes && n < 63; s = s < 64 ? s * 8 : s * 2) size[n++] = s;
    size[n++] = max_bytes;
    return n;
}

/* Time of a candidate by stages at some message size [s]. */
static plan_status_t by_stages(const plani_context_t *ctx, const plan_candidate_t *c, size_t bytes, double *seconds)
{
    for (size_t i = 0; i < ctx->ninstances; i++) {
        const plani_instance_t *f = &ctx->instance[i];
        if (strcmp(ctx->registry.algorithm[f->algorithm].name, c->name) != 0 || f->ntrees != c->ntrees) continue;
        bool same = true;
        for (size_t t = 0; t < f->ntrees && same; t++) same = plani_tree_equal(f->tree[t], c->tree[t]);
        if (same) return plani_instance_score(ctx, f, bytes, c->slice, c->window, INFINITY, seconds);
    }
    if (c->run != PLAN_RUN_TREES) return PLAN_EINVAL; /* rounds are always those of an instance */
    if (!ctx->taulop)                                 /* trees of an instance that has more, for larger messages */
        return plani_scorer_time(ctx, c->ntrees, c->tree, c->rate, bytes, c->slice, c->window, seconds);
    return plani_score_trees(ctx->pf, c->ntrees, c->tree, c->rate, bytes, c->slice, c->window, seconds);
}

/* How many times as long as by stages it takes at its own size: as measured, else as predicted, all told, and weighed.
 */
static plan_status_t stretch_of(const plani_context_t *ctx, const plan_candidate_t *c, size_t own, double *stretch)
{
    bool measured = isfinite(c->measured_s);
    double then = plani_shared_time(ctx->d, (double)own);
    plan_status_t rc = c->run != PLAN_RUN_SHARED ? by_stages(ctx, c, own, &then) : PLAN_OK;
    *stretch = measured ? 1 : c->weight > 0 ? c->weight : plani_weight(c->ntrees, c->run == PLAN_RUN_ROUNDS);
    if (isfinite(then) && then > 0) *stretch *= (measured ? c->measured_s : c->predicted_s) / then;
    return rc;
}

/* Its predicted time at another size, weighed. */
static plan_status_t again(const plani_context_t *ctx, const plan_candidate_t *c, double stretch, size_t bytes,
                           double *seconds)
{
    plan_status_t rc = PLAN_OK;
    if (c->run == PLAN_RUN_SHARED)
        *seconds = plani_shared_time(ctx->d, (double)bytes);
    else
        rc = by_stages(ctx, c, bytes, seconds);
    *seconds *= stretch;
    return rc;
}

/* The size up to which `a` is as fast as `b`: bisection between two sizes at which each of them wins. */
plan_status_t plani_border(const plani_context_t *ctx, const plan_ranking_t *a, const plan_ranking_t *b, size_t *border)
{
    size_t low = a->bytes, high = b->bytes;
    const plan_candidate_t *x = &a->candidate[0], *y = &b->candidate[0];
    double x_stretch = 1, y_stretch = 1;
    *border = middle(low, high);
    if (!plani_is_planned(x) || !plani_is_planned(y) || same_choice(x, y)) return PLAN_OK;
    plan_status_t rc = stretch_of(ctx, x, a->bytes, &x_stretch);
    if (rc == PLAN_OK) rc = stretch_of(ctx, y, b->bytes, &y_stretch);
    for (int step = 0; step < 6 && low + 1 < high && rc == PLAN_OK; step++) {
        double tx = 0, ty = 0;
        size_t at = middle(low, high);
        if (at <= low) at = low + 1;
        rc = again(ctx, x, x_stretch, at, &tx);
        if (rc == PLAN_OK) rc = again(ctx, y, y_stretch, at, &ty);
        if (plani_faster(ty, tx))
            high = at;
        else
            low = at;
    }
    *border = low;
    return rc;
}

/* Of winners that agree, plans keep the last. */
static plan_status_t rate_winners(plani_context_t *ctx, size_t n, plan_ranking_t *const *ranking, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    for (size_t i = 0; i < n && rc == PLAN_OK; i++)
        if (i + 1 == n || !same_choice(&ranking[i]->candidate[0], &ranking[i + 1]->candidate[0]))
            rc = plani_ranking_rate_first(ctx, ranking[i], err);
    return rc;
}

plan_status_t plani_rank_sizes(plani_context_t *ctx, size_t *n, size_t *size, plan_ranking_t **ranking,
                               plan_error_t *err)
{
    size_t drawn = 0;
    plan_status_t rc = PLAN_OK;
    for (size_t i = 0; i < *n && rc == PLAN_OK; i++) {
        if (i + 1 < *n && plani_context_over(ctx)) continue;
        rc = plani_rank(ctx, size[i], &ranking[drawn], err);
        size[drawn++] = size[i];
    }
    *n = drawn;
    return rc;
}

/* Trees found for one size serve others: 64 B, 4 KiB, 256 KiB, 16 MiB and so on, or the largest if that is smaller. */
static plan_status_t refine_some(plani_context_t *ctx, size_t n, const size_t *size, plan_error_t *err)
{
    enum { FIRST = 2, STEP = 6 }; /* on the ladder */
    size_t first = n > FIRST ? FIRST : n - 1;
    plan_status_t rc = PLAN_OK;

    if (ctx->d->ranks > PLANI_MOST_REFINED) return PLAN_OK;
    for (size_t i = first; i < n && rc == PLAN_OK && (i == first || !plani_context_late(ctx)); i += STEP)
        rc = plani_context_refine(ctx, size[i], err);
    return rc;
}

plan_status_t plan_create(const plan_platform_t *pf, int root, size_t max_bytes, const plan_choice_t *choice,
                          plan_t **out, plan_error_t *err)
{
    plani_context_t ctx;
    plan_ranking_t *ranking[64] = {NULL};
    size_t size[64], border[64], n = ladder(max_bytes, size);
    plan_status_t rc;

    if (out == NULL) return plani_fail(err, PLAN_EINVAL, "nowhere to put the plan");
    if (max_bytes > PLANI_MAX_BYTES)
        return plani_fail(err, PLAN_EINVAL, "max_bytes is %zu; give at most %zu", max_bytes, PLANI_MAX_BYTES);
    if ((rc = plani_context_open(pf, root, choice, &ctx, err)) != PLAN_OK) return rc;
    ctx.gap = PLANI_COARSE_GAP;
    if ((rc = plani_context_build(&ctx, max_bytes, err)) != PLAN_OK) goto done;
    if ((rc = refine_some(&ctx, n, size, err)) != PLAN_OK) goto done;
    ctx.winners = true;
    if ((rc = plani_rank_sizes(&ctx, &n, size, ranking, err)) != PLAN_OK) goto done;
    if ((rc = rate_winners(&ctx, n, ranking, err)) != PLAN_OK) goto done;
    for (size_t i = 0; i + 1 < n; i++)
        if ((rc = plani_border(&ctx, ranking[i], ranking[i + 1], &border[i])) != PLAN_OK) goto done;
    rc = plani_plan_from_rankings(n, (const plan_ranking_t *const *)ranking, border, ctx.d->host, out, err);
done:
    for (size_t i = 0; i < n; i++) plan_ranking_destroy(&ranking[i]);
    plani_context_clear(&ctx);
    return plani_context_explain(rc, err);
}
