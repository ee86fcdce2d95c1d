#include "planner/select/predict.h"
#include "planner/cost/parameters.h"
#include "graphs/platform/part.h"
#include <math.h>
#include "planner/taulop/score.h"
#include <stdlib.h>
#include "lib/base/base.h"
#include "planner/plan/assignment.h"

/* ---- the steady state ---- */

/* Only trees that get a slice of this message count. */
static plan_status_t bound_trees(const plani_context_t *ctx, const plani_instance_t *f, plani_pipeline_t how,
                                 double slice, plani_prediction_t *out)
{
    bool used[PLANI_MAX_TREES];
    const plan_candidate_t c = {.slice = how.slice, .ntrees = f->ntrees, .tree = f->tree, .rate = f->share};
    double *share = malloc(f->ntrees * sizeof *share);
    if (share == NULL) return PLAN_ENOMEM;
    plani_trees_used(&c, how.bytes, used);
    for (size_t t = 0; t < f->ntrees; t++) share[t] = f->ntrees == 1 || used[t] ? f->share[t] : 0;
    plan_status_t rc = plan_throughput(ctx->pf, f->ntrees, f->tree, share, slice, &out->throughput, &out->bottleneck);
    free(share);
    return rc;
}

static plan_status_t bound(const plani_context_t *ctx, const plani_instance_t *f, plani_pipeline_t how,
                           plani_prediction_t *out)
{
    double slice = (double)(how.slice != 0 ? how.slice : how.bytes);
    plan_status_t rc = PLAN_OK;
    if (f->rounds != NULL) {
        out->bottleneck = plani_rounds_bottleneck(f->rounds, how.bytes, how.slice);
        out->throughput = out->bottleneck.seconds > 0 ? 1 / out->bottleneck.seconds : INFINITY;
    } else {
        rc = bound_trees(ctx, f, how, slice, out);
    }
    out->seconds = (double)how.bytes / slice / out->throughput;
    return rc;
}

/* ---- stages ---- */

/* The caller's own model; it is an error if its result is no time. */
static plan_status_t ask_scorer(const plani_context_t *ctx, const plani_instance_t *f, plani_pipeline_t how,
                                double *seconds)
{
    double t = NAN;
    plan_status_t rc = ctx->choice.scorer(ctx->choice.scorer_context, ctx->pf, f->ntrees, f->tree, f->share, how.bytes,
                                          how.slice, how.window, &t);
    if (rc == PLAN_OK && !(t >= 0)) return PLAN_EINVAL;
    if (rc == PLAN_OK) *seconds = t;
    return rc;
}

/* Of split binary, in slices. */
static plan_status_t split(plani_context_t *ctx, plani_pipeline_t how, double *seconds)
{
    plan_status_t rc = ctx->split != NULL ? PLAN_OK : plani_split_create(ctx->pf, ctx->root, ctx->costs, &ctx->split);
    if (rc == PLAN_OK) *seconds = plani_split_score(ctx->split, how.bytes, how.slice, how.window);
    return rc;
}

static plan_status_t stages(plani_context_t *ctx, const plani_instance_t *f, plani_pipeline_t how, double *seconds)
{
    plan_status_t rc = PLAN_OK;
    if (!ctx->taulop) return ask_scorer(ctx, f, how, seconds);
    if (f->rounds != NULL) { /* a block per rank has no slice size, but for the one that is asked for */
        bool sliced = plani_rounds_kind(f->rounds) == PLAN_CIRCULANT || ctx->choice.slice != 0;
        *seconds = sliced || how.slice == 0 ? plani_rounds_score(f->rounds, how.bytes, how.slice) : INFINITY;
        *seconds += how.bytes > 0 ? plani_rounds_record(f->rounds) : 0;
        return PLAN_OK;
    }
    if (ctx->registry.algorithm[f->algorithm].kind == PLANI_SPLIT && f->ntrees == 2 && how.slice != 0 &&
        how.slice < how.bytes)
        rc = split(ctx, how, seconds);
    else if (f->ntrees > 1)
        rc = plani_score_ready(ctx->d, f->ntrees, f->ready, f->share, how, seconds);
    else
        *seconds = plani_stages_score(f->ready[0], plani_cut(how.bytes, how.slice), how.window, INFINITY);
    if (rc == PLAN_OK && isfinite(*seconds)) *seconds *= plani_sharing_factor(&f->sharing, (double)how.bytes, *seconds);
    return rc;
}

/* ---- simulation ---- */

/* Simulations of smaller messages of the same instance; *out is NULL without a cache. */
static plan_status_t find_extrapolation(plani_context_t *ctx, size_t instance, plani_pipeline_t how,
                                        plani_extrapolation_t **out)
{
    *out = NULL;
    if (!ctx->caches) return PLAN_OK;
    for (size_t i = 0; i < ctx->nsimulated; i++) {
        plani_simulated_t *p = &ctx->simulated[i];
        if (p->instance != instance || p->slice != how.slice || p->window != how.window) continue;
        *out = &p->from;
        return PLAN_OK;
    }
    plani_simulated_t *more = plani_grown(ctx->simulated, ctx->nsimulated, &ctx->simulated_room, sizeof *more);
    if (more == NULL) return PLAN_ENOMEM;
    ctx->simulated = more;
    more[ctx->nsimulated] = (plani_simulated_t){.instance = instance, .slice = how.slice, .window = how.window};
    *out = &more[ctx->nsimulated++].from;
    return PLAN_OK;
}

static plan_status_t simulate(plani_context_t *ctx, size_t instance, plani_pipeline_t how, double *seconds)
{
    const plani_instance_t *f = &ctx->instance[instance];
    plani_extrapolation_t *from = NULL;
    plan_status_t rc =
        ctx->simulation != NULL ? PLAN_OK : plani_simulation_create(ctx->pf, ctx->costs, &ctx->simulation);

    if (rc != PLAN_OK) return rc;
    if (f->rounds != NULL) {
        rc = plani_simulate_rounds(ctx->simulation, plani_rounds_kind(f->rounds), plani_rounds_order(f->rounds), how,
                                   seconds);
        return rc == PLAN_EUNSUPPORTED ? stages(ctx, f, how, seconds) : rc;
    }
    if ((rc = find_extrapolation(ctx, instance, how, &from)) != PLAN_OK) return rc;
    rc = plani_simulate_trees(ctx->simulation, f->ntrees, f->tree, f->share, how, from, seconds);
    if (rc == PLAN_OK) *seconds *= plani_sharing_factor(&f->sharing, (double)how.bytes, *seconds);
    return rc;
}

/* ---- two levels ---- */

/* From the leaders' platform to the whole one. There ranks are hosts. */
static void lead_to(const plani_context_t *ctx, plan_bottleneck_t *b)
{
    const int *leader = ctx->leaders->leader;
    const plan_platform_data_t *part = plan_platform_data(ctx->leaders->pf);
    if (b->at == PLAN_AT_RESOURCE)
        b->index = plani_part_origin_of_resource(part, ctx->pf, leader, b->index);
    else if (b->at == PLAN_AT_LINK)
        b->index = plani_part_origin_of_link(part, ctx->pf, leader, b->index);
    else
        b->index = (size_t)leader[b->index];
}

/* A leader takes as long to hand a slice to the others of its host as a broadcast through shared memory; the next is
 * on its way meanwhile. */
static plan_status_t two_level(plani_context_t *ctx, const plani_instance_t *f, plani_pipeline_t how,
                               plani_fidelity_t fidelity, plani_prediction_t *out)
{
    size_t slice = how.slice != 0 && how.slice < how.bytes ? how.slice : how.bytes;
    plan_status_t rc = plani_predict(ctx->leaders->ctx, f->between, how, fidelity, out);
    double inside = plani_shared_time(ctx->d, (double)slice), slices = ceil((double)how.bytes / (double)slice);

    if (rc != PLAN_OK) return rc;
    if (slice > PLANI_MOST_INSIDE) out->seconds = INFINITY;
    out->seconds = fmax(out->seconds, slices * inside) + (fidelity != PLANI_BOUND ? inside : 0);
    if (out->bottleneck.seconds > 0) lead_to(ctx, &out->bottleneck);
    if (inside > 0 && !(1 / inside >= out->throughput)) {
        out->throughput = 1 / inside;
        out->bottleneck = (plan_bottleneck_t){.seconds = 0}; /* shared memory, which has no name */
    }
    return PLAN_OK;
}

plan_status_t plani_predict(plani_context_t *ctx, size_t instance, plani_pipeline_t how, plani_fidelity_t fidelity,
                            plani_prediction_t *out)
{
    const plani_instance_t *f = &ctx->instance[instance];
    plan_status_t rc = PLAN_EUNSUPPORTED;
    *out = (plani_prediction_t){.throughput = NAN};
    if (f->shared) { /* was timed; its slices are no choice */
        out->seconds = how.slice == 0 ? plani_shared_time(ctx->d, (double)how.bytes) : INFINITY;
        return PLAN_OK;
    }
    if (f->two_level) return two_level(ctx, f, how, fidelity, out);
    if (fidelity == PLANI_BOUND) return bound(ctx, f, how, out);
    if (fidelity == PLANI_SIMULATION && ctx->simulates)
        rc = simulate(ctx, instance, how, &out->seconds);
    else
        rc = stages(ctx, f, how, &out->seconds);
    if (ctx->taulop && ctx->one_host) out->seconds += plani_beyond_caches(ctx->d, (double)how.bytes);
    return rc;
}
