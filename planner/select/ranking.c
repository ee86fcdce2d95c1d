#include "planner/select/ranking.h"
#include "graphs/trees/trees.h"
#include "lib/base/base.h"
#include "planner/plan/assignment.h"
#include "planner/plan/plan_private.h"
#include "planner/select/simulated_shortlist.h"
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

/* How many ranks a message that is sent whole goes through, each of which may be late; else 0. */
static int height_whole(const plan_candidate_t *c)
{
    return c->slice == 0 && c->ntrees == 1 ? plan_tree_data(c->tree[0])->height : 0;
}

/* A tie: who has fewer relays, then who sustains more. */
static int compare(const plan_candidate_t *a, const plan_candidate_t *b)
{
    int paper = (a->run == PLAN_RUN_NOT) - (b->run == PLAN_RUN_NOT);
    if (paper != 0) return paper;
    int measured = compare_times(a->measured_s, b->measured_s);
    if (measured != 0) return measured;
    int predicted = compare_times(plani_weighed(a), plani_weighed(b));
    if (predicted != 0) return predicted;
    int higher = height_whole(a) - height_whole(b);
    return higher != 0 ? higher : compare_times(-a->throughput, -b->throughput);
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

/* ---- rating ---- */

/* What a slice is in bytes: the message, where it is sent whole. */
static double slice_bytes(size_t slice, size_t bytes)
{
    return (double)(slice != 0 ? slice : bytes);
}

static plan_status_t compare_with_bound(plani_context_t *ctx, double slice, plan_candidate_t *c, plan_error_t *err)
{
    const plani_bound_t *bound = NULL;
    plan_status_t rc = plani_context_bound(ctx, slice, false, &bound, err);
    if (rc == PLAN_OK) c->lp_ratio = isfinite(bound->bound) ? c->throughput / bound->bound : 1;
    return rc;
}

/* The throughput of its trees together, and of each. Rounds have no steady state beyond the message: theirs is slices
 * per time. */
static plan_status_t find_throughput(plani_context_t *ctx, size_t bytes, plan_candidate_t *c)
{
    plani_prediction_t p;
    double total = 0;
    plan_status_t rc = plani_predict(ctx, c->instance, (plani_pipeline_t){bytes, c->slice, c->window}, PLANI_BOUND, &p);

    if (rc != PLAN_OK || c->run == PLAN_RUN_SHARED) return rc;
    c->bottleneck = p.bottleneck;
    c->throughput =
        c->run == PLAN_RUN_ROUNDS ? (double)bytes / slice_bytes(c->slice, bytes) / c->predicted_s : p.throughput;
    for (size_t t = 0; t < c->ntrees; t++) total += c->rate[t];
    for (size_t t = 0; t < c->ntrees && isfinite(c->throughput); t++) c->rate[t] *= c->throughput / total;
    return rc;
}

static plan_status_t rate(plani_context_t *ctx, size_t bytes, plan_candidate_t *c, plan_error_t *err)
{
    if (!plani_is_sent(c) && c->run != PLAN_RUN_NOT) return PLAN_OK;
    plan_status_t rc = plani_is_sent(c) ? find_throughput(ctx, bytes, c) : PLAN_OK;
    if (rc != PLAN_OK) return plani_fail(err, rc, "cannot rate %s: %s", c->name, plan_status_string(rc));
    if (c->run == PLAN_RUN_HOSTS && ctx->resources == NULL && !ctx->sparse)
        return PLAN_OK; /* that bound counts messages inside hosts */
    return compare_with_bound(ctx, slice_bytes(c->slice, bytes), c, err);
}

plan_status_t plani_ranking_rate_first(plani_context_t *ctx, plan_ranking_t *ranking, plan_error_t *err)
{
    return rate(ctx, ranking->bytes, &ranking->candidate[0], err);
}

/* At the first one's slice size a finer bound is solved, by which all candidates of that size are rated. */
static plan_status_t bound_ranking(plani_context_t *ctx, plan_ranking_t *ranking, plan_error_t *err)
{
    const plani_bound_t *bound = NULL;
    plan_status_t rc = plani_context_fine_bound(ctx, (double)ranking->bound_slice, &bound, err);
    for (size_t i = 0; i < ranking->ncandidates && rc == PLAN_OK; i++) {
        plan_candidate_t *c = &ranking->candidate[i];
        if (isnan(c->lp_ratio) || slice_bytes(c->slice, ranking->bytes) != (double)ranking->bound_slice) continue;
        c->lp_ratio = isfinite(bound->bound) ? c->throughput / bound->bound : 1;
    }
    if (rc != PLAN_OK) return rc;
    ranking->bound = bound->bound;
    ranking->bound_gap = bound->gap;
    ranking->bound_of_machine = ctx->sparse || ctx->resources != NULL;
    return PLAN_OK;
}

/* ---- candidates ---- */

/* To 36 bits, 1e-11 of it: times that are equal but for rounding are then equal, and throughput decides. */
static double without_rounding(double seconds)
{
    int exponent = 0;
    double part = frexp(seconds, &exponent);
    return ldexp(nearbyint(ldexp(part, 36)), exponent - 36);
}

/* [s] Ranks that share processors wait for their turns. Times of links are those of two ranks alone; a broadcast
 * through shared memory was timed with all of them, and messages inside a host are copied as often, if they are short.
 */
static double least_time(const plani_context_t *ctx, size_t bytes)
{
    enum { COPIED = 4096 }; /* [B] MPI_Bcast's messages up to this size go through shared memory, too */
    bool turns = false;

    if (!ctx->taulop || !ctx->one_host || ctx->d->nshared == 0) return 0;
    for (size_t r = 0; r < ctx->d->nresources; r++) turns = turns || ctx->d->resource[r].s_per_message > 0;
    return turns ? plani_shared_time(ctx->d, (double)(bytes < COPIED ? bytes : COPIED)) : 0;
}

/* Each link's own window, where some need a smaller one than the common window; *out NULL: none does. */
static plan_status_t window_links(const plani_context_t *ctx, const plan_candidate_t *c, size_t bytes, int **out)
{
    size_t ranks = (size_t)ctx->d->ranks;
    bool narrower = false;
    int *window = NULL;

    *out = NULL;
    if (!plani_has_trees(c) || c->slice == 0 || c->slice >= bytes || c->window <= PLANI_COMMON_WINDOW) return PLAN_OK;
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

/* The candidate that an instance is, pipelined like this: the trees that carry slices of this message. */
static plan_status_t candidate_of(plani_context_t *ctx, const plani_scored_t *best, plan_candidate_t *out)
{
    const plani_instance_t *f = &ctx->instance[best->instance];
    plan_candidate_t borrowed = {.size = sizeof borrowed,
                                 .run = f->shared      ? PLAN_RUN_SHARED
                                        : f->two_level ? PLAN_RUN_HOSTS
                                                       : PLAN_RUN_TREES,
                                 .slice = best->how.slice,
                                 .window = best->how.window,
                                 .ntrees = f->ntrees,
                                 .tree = f->tree,
                                 .rate = f->share,
                                 .throughput = NAN,
                                 .lp_ratio = NAN,
                                 .predicted_s = without_rounding(fmax(best->seconds, least_time(ctx, best->how.bytes))),
                                 .measured_s = NAN,
                                 .instance = best->instance};
    if (f->rounds != NULL) {
        borrowed.run = PLAN_RUN_ROUNDS;
        borrowed.schedule = plani_rounds_kind(f->rounds);
        borrowed.places = ctx->d->ranks;
        borrowed.order = plani_rounds_order(f->rounds); /* to be copied */
    }
    if (f->shared) borrowed.window = 1;
    plan_tree_t **expanded = NULL;
    plan_status_t rc = f->two_level ? plani_context_expand(ctx, f->between, &expanded) : PLAN_OK;
    if (expanded != NULL) borrowed.tree = expanded;
    if (rc == PLAN_OK) rc = plani_candidate_copy(&borrowed, out);
    plani_trees_destroy(f->ntrees, expanded);
    if (rc != PLAN_OK) return rc;
    plani_candidate_narrow(out, best->how.bytes);
    if (!f->shared)
        out->weight = plani_weight_on(ctx, best->how.bytes, out->ntrees, out->run == PLAN_RUN_ROUNDS, out->slice);
    rc = find_throughput(ctx, best->how.bytes, out); /* which breaks ties */
    if (rc == PLAN_OK) rc = window_links(ctx, out, best->how.bytes, &out->link_window);
    if (rc != PLAN_OK) plani_candidate_clear(out);
    return rc;
}

/* How a routed broadcast would sustain slices of this size, for comparison. */
static plan_status_t route(plani_context_t *ctx, double slice, size_t given, plan_candidate_t *c)
{
    plan_status_t rc = PLAN_ENOMEM;
    int *uses = calloc(ctx->d->nlinks ? ctx->d->nlinks : 1, sizeof *uses);
    *c = (plan_candidate_t){.size = sizeof *c,
                            .run = PLAN_RUN_NOT,
                            .slice = given,
                            .window = 1,
                            .predicted_s = NAN,
                            .measured_s = NAN,
                            .instance = SIZE_MAX};
    if (uses != NULL) rc = plani_binomial_paths(ctx->pf, ctx->root, slice, uses);
    if (rc == PLAN_OK) rc = plani_throughput_of_uses(ctx->pf, uses, slice, &c->throughput, &c->bottleneck);
    free(uses);
    return rc;
}

/* MPI_Bcast, which no model predicts. */
static plan_candidate_t native(void)
{
    return (plan_candidate_t){.size = sizeof(plan_candidate_t),
                              .run = PLAN_RUN_NATIVE,
                              .window = 1,
                              .throughput = NAN,
                              .lp_ratio = NAN,
                              .predicted_s = NAN,
                              .measured_s = NAN,
                              .instance = SIZE_MAX};
}

/* ---- the ranking ---- */

static plan_status_t list_executable(plani_context_t *ctx, plani_scores_t *scores, plan_ranking_t *ranking)
{
    plani_scored_t best[PLANI_REGISTRY_ROOM];
    for (size_t i = 0; i < ctx->registry.n; i++) best[i] = plani_best_of_algorithm(ctx, scores, i);
    plan_status_t rc = plani_simulate_shortlist(ctx, scores, best);
    for (size_t i = 0; i < ctx->registry.n && rc == PLAN_OK; i++) {
        const plani_algorithm_t *algorithm = &ctx->registry.algorithm[i];
        plan_candidate_t *c = &ranking->candidate[ranking->ncandidates];
        if (!algorithm->wanted || algorithm->kind == PLANI_ROUTED) continue;
        if (algorithm->kind == PLANI_NATIVE)
            *c = native();
        else if (!isfinite(best[i].seconds))
            continue; /* the platform lacks its links */
        else if ((rc = candidate_of(ctx, &best[i], c)) != PLAN_OK)
            break;
        snprintf(c->name, sizeof c->name, "%s", algorithm->name);
        ranking->ncandidates++;
    }
    return rc;
}

/* What is not executable is compared at the first one's slice size; it needs paths between all ranks. */
static plan_status_t list_routed(plani_context_t *ctx, plan_ranking_t *ranking)
{
    for (size_t i = 0; i < ctx->registry.n; i++) {
        plan_candidate_t *c = &ranking->candidate[ranking->ncandidates];
        if (!ctx->registry.algorithm[i].wanted || ctx->registry.algorithm[i].kind != PLANI_ROUTED) continue;
        if (plani_context_late(ctx)) continue;
        plan_status_t rc = route(ctx, (double)ranking->bound_slice, ranking->candidate[0].slice, c);
        if (rc == PLAN_EUNREACHABLE) continue; /* it needs paths between ranks that trees from the root do not need */
        if (rc != PLAN_OK) return rc;
        snprintf(c->name, sizeof c->name, "%s", ctx->registry.algorithm[i].name);
        ranking->ncandidates++;
    }
    return PLAN_OK;
}

plan_status_t plani_ranking_complete(plani_context_t *ctx, plan_ranking_t *ranking, plan_error_t *err)
{
    ranking->bound_slice = (size_t)slice_bytes(ranking->candidate[0].slice, ranking->bytes);
    plan_status_t rc = list_routed(ctx, ranking);
    if (rc != PLAN_OK) return plani_fail(err, rc, "routed transfers: %s", plan_status_string(rc));
    for (size_t i = 0; i < ranking->ncandidates && rc == PLAN_OK; i++)
        rc = rate(ctx, ranking->bytes, &ranking->candidate[i], err);
    return rc == PLAN_OK ? bound_ranking(ctx, ranking, err) : rc;
}

static plan_status_t fill(plani_context_t *ctx, plani_scores_t *scores, plan_ranking_t *ranking, plan_error_t *err)
{
    plan_status_t rc = list_executable(ctx, scores, ranking);
    if (rc != PLAN_OK) return rc;
    if (ranking->ncandidates == 0)
        return plani_fail(err, PLAN_EUNSUPPORTED,
                          "no candidate asked for can run here: the platform lacks its links, the model does not know "
                          "it, or it is listed for comparison only");
    plani_ranking_sort(ranking);
    return PLAN_OK;
}

plan_status_t plani_rank(plani_context_t *ctx, size_t bytes, bool all, plan_ranking_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_ENOMEM;
    plani_scores_t scores = {0};
    plan_ranking_t *ranking = calloc(1, sizeof *ranking);

    if (bytes == 0) bytes = 1; /* nothing to send: planned as a message of one byte */
    if (ranking == NULL) goto done;
    if ((ranking->candidate = calloc(ctx->registry.n, sizeof *ranking->candidate)) == NULL) goto done;
    ranking->ranks = ctx->d->ranks;
    ranking->root = ctx->root;
    ranking->bytes = bytes;
    if ((rc = plani_score_instances(ctx, bytes, all ? PLANI_ALL : PLANI_WINNERS, &scores)) != PLAN_OK) goto done;
    if ((rc = fill(ctx, &scores, ranking, err)) != PLAN_OK) goto done;
    *out = ranking, ranking = NULL;
done:
    free(scores.at);
    plan_ranking_destroy(&ranking);
    return rc == PLAN_ENOMEM ? plani_fail(err, rc, "out of memory for the ranking of %d ranks", ctx->d->ranks) : rc;
}
