/* How long an instance takes: by the models, and simulated. */
#include <math.h>
#include "planner/taulop/score.h"
#include "lib/base/base.h"
#include "planner/algorithms/context.h"

plan_status_t plani_scorer_time(const plani_context_t *ctx, size_t ntrees, plan_tree_t *const *tree,
                                const double *share, size_t bytes, size_t slice, int window, double *seconds)
{
    double t = NAN;
    plan_status_t rc =
        ctx->choice.scorer(ctx->choice.scorer_context, ctx->pf, ntrees, tree, share, bytes, slice, window, &t);
    if (rc == PLAN_OK && !(t >= 0)) return PLAN_EINVAL;
    if (rc == PLAN_OK) *seconds = t;
    return rc;
}

plan_status_t plani_instance_score(const plani_context_t *ctx, const plani_instance_t *f, size_t bytes, size_t slice,
                                   int window, double most, double *seconds)
{
    plan_status_t rc = PLAN_OK;
    double t = 0;
    if (!ctx->taulop) return plani_scorer_time(ctx, f->ntrees, f->tree, f->share, bytes, slice, window, seconds);
    if (f->rounds != NULL) { /* a block per rank has no slice size, but for the one that is asked for */
        bool sliced = plani_rounds_kind(f->rounds) == PLAN_CIRCULANT || ctx->choice.slice != 0;
        *seconds = sliced || slice == 0 ? plani_rounds_score(f->rounds, bytes, slice, most) : INFINITY;
        return PLAN_OK;
    }
    most *= 1 + 1e-9; /* room for rounding */
    if (ctx->registry.algorithm[f->algorithm].kind == PLANI_SPLIT && f->ntrees == 2 && slice != 0 && slice < bytes)
        rc = plani_score_split_binary(ctx->pf, ctx->root, bytes, slice, window, &t);
    else if (f->ntrees > 1)
        rc = plani_score_ready(ctx->d, f->ntrees, f->ready, f->share, bytes, slice, window, most, &t);
    else
        t = plani_stages_score(f->ready[0], plani_cut(bytes, slice), window, most);
    if (isfinite(t)) t *= plani_sharing_factor(&f->sharing, (double)bytes, t);
    if (rc == PLAN_OK) *seconds = t;
    return rc;
}

/* What simulations of smaller messages told; NULL: out of memory. */
static plani_extrapolation_t *extrapolation_of(plani_context_t *ctx, size_t instance, size_t slice, int window)
{
    for (size_t i = 0; i < ctx->nsimulated; i++) {
        plani_simulated_t *p = &ctx->simulated[i];
        if (p->instance == instance && p->slice == slice && p->window == window) return &p->from;
    }
    plani_simulated_t *simulated =
        plani_grown(ctx->simulated, ctx->nsimulated, &ctx->simulated_room, sizeof *simulated);
    if (simulated == NULL) return NULL;
    ctx->simulated = simulated;
    simulated[ctx->nsimulated] = (plani_simulated_t){.instance = instance, .slice = slice, .window = window};
    return &simulated[ctx->nsimulated++].from;
}

plan_status_t plani_instance_simulate(plani_context_t *ctx, const plani_instance_t *f, size_t bytes, size_t slice,
                                      int window, double *seconds)
{
    double t = 0;
    plan_status_t rc = ctx->simulation != NULL ? PLAN_OK : plani_simulation_create(ctx->pf, &ctx->simulation);

    if (rc != PLAN_OK) return rc;
    if (f->rounds != NULL) {
        rc = plani_simulate_rounds(ctx->simulation, plani_rounds_kind(f->rounds), plani_rounds_order(f->rounds), bytes,
                                   slice, window, seconds);
        return rc == PLAN_EUNSUPPORTED ? plani_instance_score(ctx, f, bytes, slice, window, INFINITY, seconds) : rc;
    }
    plani_extrapolation_t *from = extrapolation_of(ctx, (size_t)(f - ctx->instance), slice, window);
    if (from == NULL) return PLAN_ENOMEM;
    rc = plani_simulate_trees(ctx->simulation, f->ntrees, f->tree, f->share, bytes, slice, window, from, &t);
    if (rc != PLAN_OK) return rc;
    *seconds = t * plani_sharing_factor(&f->sharing, (double)bytes, t);
    return PLAN_OK;
}
