#include "planner/select/ranking.h"
#include "lib/base/base.h"
#include "planner/plan/assignment.h"
#include "planner/plan/plan_private.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plan_ranking_destroy(plan_ranking_t **ranking)
{
    if (ranking == NULL || *ranking == NULL) return;
    for (size_t i = 0; i < (*ranking)->ncandidates; i++) plani_candidate_clear(&(*ranking)->candidate[i]);
    free((*ranking)->candidate);
    free(*ranking);
    *ranking = NULL;
}

/* -1, 0, 1; unknown times come last. */
static int compare_times(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int compare(const plan_candidate_t *a, const plan_candidate_t *b)
{
    int paper = (a->run == PLAN_RUN_NOT) - (b->run == PLAN_RUN_NOT);
    if (paper != 0) return paper;
    int measured = compare_times(a->measured_s, b->measured_s);
    if (measured != 0) return measured;
    int predicted = compare_times(plani_weighed(a), plani_weighed(b));
    return predicted != 0 ? predicted : compare_times(-a->throughput, -b->throughput); /* a tie: who sustains more */
}

/* By insertion: it keeps the order of equals, and the ranking is short. */
void plani_ranking_sort(plan_ranking_t *ranking)
{
    for (size_t i = 1; i < ranking->ncandidates; i++) {
        plan_candidate_t c = ranking->candidate[i];
        size_t at = i;
        while (at > 0 && compare(&c, &ranking->candidate[at - 1]) < 0) at--;
        memmove(&ranking->candidate[at + 1], &ranking->candidate[at], (i - at) * sizeof c);
        ranking->candidate[at] = c;
    }
}

/* What a slice is in bytes: the message, where it is sent whole. */
static double slice_bytes(size_t slice, size_t bytes)
{
    return (double)(slice != 0 ? slice : bytes);
}

static plan_status_t rate(plani_context_t *ctx, double slice, plan_candidate_t *c, plan_error_t *err)
{
    const plani_bound_t *bound = NULL;
    plan_status_t rc = plani_context_bound(ctx, slice, false, &bound, err);
    if (rc == PLAN_OK) c->lp_ratio = isfinite(bound->bound) ? c->throughput / bound->bound : 1;
    return rc;
}

plan_status_t plani_ranking_rate_first(plani_context_t *ctx, plan_ranking_t *ranking, plan_error_t *err)
{
    plan_candidate_t *c = &ranking->candidate[0];
    return plani_is_sent(c) ? rate(ctx, slice_bytes(c->slice, ranking->bytes), c, err) : PLAN_OK;
}

/* To 36 bits, 1e-11 of it: times that are equal but for rounding are then equal, and throughput decides. */
static double without_rounding(double seconds)
{
    int exponent = 0;
    double part = frexp(seconds, &exponent);
    return ldexp(nearbyint(ldexp(part, 36)), exponent - 36);
}

/* Rounds have no steady state that goes beyond the message: so many slices in so much time. */
static void rate_rounds(plani_rounds_t *rounds, size_t bytes, double slice, plan_candidate_t *c)
{
    c->throughput = (double)bytes / slice / c->predicted_s;
    c->bottleneck = plani_rounds_bottleneck(rounds, bytes, c->slice);
}

/* What its trees sustain together, and each of them. */
static plan_status_t rate_trees(const plan_platform_t *pf, double slice, plan_candidate_t *c)
{
    double total = 0;
    plan_status_t rc = plan_throughput(pf, c->ntrees, c->tree, c->rate, slice, &c->throughput, &c->bottleneck);
    for (size_t t = 0; t < c->ntrees; t++) total += c->rate[t];
    for (size_t t = 0; t < c->ntrees && isfinite(c->throughput); t++) c->rate[t] *= c->throughput / total;
    return rc;
}

static void take_rounds(plani_rounds_t *rounds, size_t bytes, double slice, plan_candidate_t *c)
{
    c->run = PLAN_RUN_ROUNDS;
    c->schedule = plani_rounds_kind(rounds);
    c->order = plani_rounds_order(rounds); /* borrowed, to be copied */
    rate_rounds(rounds, bytes, slice, c);
}

/* Each link's own window, where the common one is wider than some need; *out NULL: it is not. */
static plan_status_t window_links(const plani_context_t *ctx, const plan_candidate_t *c, size_t bytes, int **out)
{
    size_t ranks = (size_t)ctx->d->ranks;
    bool narrower = false;
    int *window = NULL;

    *out = NULL;
    if (c->run != PLAN_RUN_TREES || c->slice == 0 || c->slice >= bytes || c->window <= PLANI_COMMON_WINDOW)
        return PLAN_OK;
    if ((window = malloc(c->ntrees * ranks * sizeof *window)) == NULL) return PLAN_ENOMEM;
    for (size_t k = 0; k < c->ntrees * ranks; k++) {
        int v = (int)(k % ranks), u = plan_tree_data(c->tree[k / ranks])->parent[v];
        size_t link = u < 0 ? (size_t)-1 : plan_platform_find_link(ctx->pf, u, v);
        window[k] = c->window;
        if (link == (size_t)-1) continue;
        window[k] = plani_link_window(plani_link_time(ctx->d, link, (double)c->slice), c->window);
        narrower = narrower || window[k] < c->window;
    }
    if (narrower) *out = window, window = NULL;
    free(window);
    return PLAN_OK;
}

plan_status_t plani_candidate_of_instance(plani_context_t *ctx, const plani_best_t *best, size_t bytes,
                                          plan_candidate_t *out, plan_error_t *err)
{
    const plani_instance_t *f = &ctx->instance[best->instance];
    double slice = slice_bytes(best->slice, bytes);
    plan_candidate_t borrowed = {.size = sizeof borrowed,
                                 .run = PLAN_RUN_TREES,
                                 .slice = best->slice,
                                 .window = best->window,
                                 .ntrees = f->ntrees,
                                 .tree = f->tree,
                                 .rate = f->share,
                                 .places = f->rounds != NULL ? ctx->d->ranks : 0,
                                 .predicted_s = without_rounding(best->seconds),
                                 .weight = ctx->fluid ? 1 : 0,
                                 .measured_s = NAN};
    if (f->rounds != NULL) take_rounds(f->rounds, bytes, slice, &borrowed);
    plan_status_t rc = plani_candidate_copy(&borrowed, out);
    if (rc != PLAN_OK) return rc;
    plani_candidate_narrow(out, bytes);
    if (f->rounds == NULL) rc = rate_trees(ctx->pf, slice, out);
    if (ctx->winners)
        out->lp_ratio = NAN;
    else if (rc == PLAN_OK)
        rc = rate(ctx, slice, out, err);
    if (rc == PLAN_OK) rc = window_links(ctx, out, bytes, &out->link_window);
    if (rc != PLAN_OK) plani_candidate_clear(out);
    return rc;
}

/* How a routed broadcast would sustain slices of this size, for comparison. */
static plan_status_t routed(plani_context_t *ctx, double slice, size_t given, plan_candidate_t *c, plan_error_t *err)
{
    plan_status_t rc = PLAN_ENOMEM;
    int *uses = calloc(ctx->d->nlinks ? ctx->d->nlinks : 1, sizeof *uses);
    *c = (plan_candidate_t){.size = sizeof(plan_candidate_t),
                            .run = PLAN_RUN_NOT,
                            .slice = given,
                            .window = 1,
                            .predicted_s = NAN,
                            .measured_s = NAN};
    if (uses == NULL) goto done;
    if ((rc = plani_binomial_paths(ctx->pf, ctx->root, slice, uses)) != PLAN_OK) goto done;
    if ((rc = plani_throughput_of_uses(ctx->pf, uses, slice, &c->throughput, &c->bottleneck)) != PLAN_OK) goto done;
    rc = rate(ctx, slice, c, err);
done:
    free(uses);
    return rc;
}

/* What no model rates: MPI_Bcast, and memory that all ranks share, where that was timed. */
static plan_candidate_t unrated(const plani_context_t *ctx, plani_kind_t kind, size_t bytes)
{
    bool native = kind == PLANI_NATIVE;
    return (plan_candidate_t){.size = sizeof(plan_candidate_t),
                              .run = native ? PLAN_RUN_NATIVE : PLAN_RUN_SHARED,
                              .window = 1,
                              .throughput = NAN,
                              .lp_ratio = NAN,
                              .predicted_s = native ? NAN : plani_shared_time(ctx->d, (double)bytes),
                              .measured_s = NAN};
}

static plan_status_t fill_runnable(plani_context_t *ctx, size_t bytes, const plani_scores_t *scores,
                                   plan_ranking_t *ranking, plan_error_t *err)
{
    plani_best_t best[PLANI_REGISTRY_ROOM];
    for (size_t i = 0; i < ctx->registry.n; i++) best[i] = plani_best_of_algorithm(ctx, scores, i);
    plan_status_t rc = plani_simulate_shortlist(ctx, bytes, scores, best);
    for (size_t i = 0; i < ctx->registry.n && rc == PLAN_OK; i++) {
        const plani_algorithm_t *algorithm = &ctx->registry.algorithm[i];
        plan_candidate_t *c = &ranking->candidate[ranking->ncandidates];
        if (!algorithm->wanted || algorithm->kind == PLANI_ROUTED) continue;
        if (algorithm->kind == PLANI_MEMORY && ctx->d->nshared == 0) continue;
        if (algorithm->kind == PLANI_NATIVE || algorithm->kind == PLANI_MEMORY) {
            *c = unrated(ctx, algorithm->kind, bytes);
        } else {
            if (!isfinite(best[i].seconds)) continue; /* the platform lacks its links */
            if ((rc = plani_candidate_of_instance(ctx, &best[i], bytes, c, err)) != PLAN_OK) break;
        }
        snprintf(c->name, sizeof c->name, "%s", algorithm->name);
        ranking->ncandidates++;
    }
    return rc;
}

/* The winner's slice size is worth a finer bound, by which all candidates of that size are rated. */
static plan_status_t fine_shares(plani_context_t *ctx, plan_ranking_t *ranking, const plani_bound_t **bound,
                                 plan_error_t *err)
{
    plan_status_t rc = plani_context_fine_bound(ctx, (double)ranking->bound_slice, bound, err);
    for (size_t i = 0; i < ranking->ncandidates && rc == PLAN_OK; i++) {
        plan_candidate_t *c = &ranking->candidate[i];
        if (isnan(c->lp_ratio) || slice_bytes(c->slice, ranking->bytes) != (double)ranking->bound_slice) continue;
        c->lp_ratio = isfinite((*bound)->bound) ? c->throughput / (*bound)->bound : 1;
    }
    return rc;
}

/* The ranking's bound is that of the first candidate's slices. */
static plan_status_t bound_ranking(plani_context_t *ctx, plan_ranking_t *ranking, plan_error_t *err)
{
    const plani_bound_t *bound = NULL;
    plan_status_t rc = fine_shares(ctx, ranking, &bound, err);
    if (rc != PLAN_OK) return rc;
    ranking->bound = bound->bound;
    ranking->bound_gap = bound->gap;
    return PLAN_OK;
}

static plan_status_t fill(plani_context_t *ctx, size_t bytes, const plani_scores_t *scores, plan_ranking_t *ranking,
                          plan_error_t *err)
{
    plan_status_t rc = fill_runnable(ctx, bytes, scores, ranking, err);
    if (rc != PLAN_OK) return rc;
    if (ranking->ncandidates == 0)
        return plani_fail(err, PLAN_EUNSUPPORTED,
                          "no candidate asked for can run here: the platform lacks its links, the model does not know "
                          "it, or it is listed for comparison only");
    plani_ranking_sort(ranking);
    size_t slice = ranking->candidate[0].slice;
    ranking->bound_slice = slice != 0 ? slice : bytes;
    if (ctx->winners) return PLAN_OK;
    for (size_t i = 0; i < ctx->registry.n; i++) { /* what is not executable is compared at the winner's slice size */
        plan_candidate_t *c = &ranking->candidate[ranking->ncandidates];
        if (!ctx->registry.algorithm[i].wanted || ctx->registry.algorithm[i].kind != PLANI_ROUTED) continue;
        /* it takes the ways between all ranks, and wins nothing */
        if (plani_context_late(ctx)) continue;
        rc = routed(ctx, (double)ranking->bound_slice, slice, c, err);
        if (rc == PLAN_EUNREACHABLE) continue; /* it needs ways between ranks that trees from the root do not */
        if (rc != PLAN_OK) return rc;
        snprintf(c->name, sizeof c->name, "%s", ctx->registry.algorithm[i].name);
        ranking->ncandidates++;
    }
    return bound_ranking(ctx, ranking, err);
}

static plan_status_t restate(plani_context_t *ctx, size_t bytes, plan_candidate_t *c, plan_error_t *err)
{
    double slice = slice_bytes(c->slice, bytes);
    plani_rounds_t *rounds = NULL;
    plan_status_t rc;

    if (c->run == PLAN_RUN_ROUNDS) {
        if ((rc = plani_rounds_create(ctx->pf, c->schedule, c->order, &rounds)) != PLAN_OK)
            return plani_fail(err, rc, "cannot rate %s", c->name);
        rate_rounds(rounds, bytes, slice, c);
        plani_rounds_destroy(&rounds);
    } else {
        if ((rc = rate_trees(ctx->pf, slice, c)) != PLAN_OK) return plani_fail(err, rc, "cannot rate %s", c->name);
    }
    return rate(ctx, slice, c, err);
}

plan_status_t plani_ranking_restate(plani_context_t *ctx, plan_ranking_t *ranking, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    for (size_t i = 0; i < ranking->ncandidates && rc == PLAN_OK; i++)
        if (plani_is_sent(&ranking->candidate[i])) rc = restate(ctx, ranking->bytes, &ranking->candidate[i], err);
    if (rc != PLAN_OK || ranking->ncandidates == 0 || !plani_is_sent(&ranking->candidate[0])) return rc;
    ranking->bound_slice = (size_t)slice_bytes(ranking->candidate[0].slice, ranking->bytes);
    return bound_ranking(ctx, ranking, err);
}

plan_status_t plani_rank(plani_context_t *ctx, size_t bytes, plan_ranking_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_ENOMEM;
    plani_scores_t scores = {0};
    plan_ranking_t *ranking = calloc(1, sizeof *ranking);

    if (bytes == 0) bytes = 1; /* nothing to send: planned as the smallest message that there is */
    if (ranking == NULL) goto done;
    if ((ranking->candidate = calloc(ctx->registry.n, sizeof *ranking->candidate)) == NULL) goto done;
    ranking->ranks = ctx->d->ranks;
    ranking->root = ctx->root;
    ranking->bytes = bytes;
    if ((rc = plani_score_instances(ctx, bytes, &scores)) != PLAN_OK) goto done;
    if ((rc = fill(ctx, bytes, &scores, ranking, err)) != PLAN_OK) goto done;
    *out = ranking, ranking = NULL;
done:
    free(scores.at);
    plan_ranking_destroy(&ranking);
    return rc == PLAN_ENOMEM ? plani_fail(err, rc, "out of memory for the ranking of %d ranks", ctx->d->ranks) : rc;
}

plan_status_t plan_ranking_create(const plan_platform_t *pf, int root, size_t bytes, const plan_choice_t *choice,
                                  plan_ranking_t **out, plan_error_t *err)
{
    plani_context_t ctx;
    plan_status_t rc;
    if (out == NULL) return plani_fail(err, PLAN_EINVAL, "nowhere to put the ranking");
    if (bytes > PLANI_MAX_BYTES)
        return plani_fail(err, PLAN_EINVAL, "a message of %zu bytes; give at most %zu", bytes, PLANI_MAX_BYTES);
    if ((rc = plani_context_open(pf, root, choice, &ctx, err)) != PLAN_OK) return rc;
    rc = plani_context_build(&ctx, bytes, err);
    if (rc == PLAN_OK) rc = plani_context_refine(&ctx, bytes, err);
    if (rc == PLAN_OK) rc = plani_rank(&ctx, bytes, out, err);
    plani_context_clear(&ctx);
    return plani_context_explain(rc, err);
}
