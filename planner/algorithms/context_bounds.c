/* The bound at any slice size: solved, or transferred from solutions at other sizes. */
#include "planner/cost/bound.h"
#include "planner/algorithms/context.h"
#include "lib/base/base.h"
#include "planner/cost/cost.h"
#include <math.h>
#include <stdlib.h>

static const double enough = 1e-3; /* relative gap of a bound that takes long */

/* The solutions at the nearest slice sizes on either side, which give the tightest bounds, as a list for
 * plan_steady_options_t. */
static size_t known(const plani_context_t *ctx, double slice, const plan_steady_t *list[2])
{
    const plani_bound_t *below = NULL, *above = NULL;
    size_t n = 0;
    for (size_t i = 0; i < ctx->nbounds; i++) {
        const plani_bound_t *b = &ctx->bound[i];
        if (b->steady == NULL) continue;
        if (b->slice < slice && (below == NULL || b->slice > below->slice)) below = b;
        if (b->slice >= slice && (above == NULL || b->slice < above->slice)) above = b;
    }
    if (below != NULL) list[n++] = below->steady;
    if (above != NULL) list[n++] = above->steady;
    return n;
}

/*
 * Bounds from those at other slice sizes L0, without solving: T(L) neither falls with L nor grows faster than L, so
 * TP(L) lies between TP(L0) min(1, L0 / L) and TP(L0) max(1, L0 / L).
 */
static void bound_by_others(const plani_context_t *ctx, plani_bound_t *b)
{
    double lower = 0;
    b->bound = INFINITY;
    for (size_t i = 0; i < ctx->nbounds; i++) {
        double ratio = ctx->bound[i].slice / b->slice, other = ctx->bound[i].bound;
        b->bound = fmin(b->bound, other * fmax(1, ratio));
        lower = fmax(lower, other * (1 - ctx->bound[i].gap) * fmin(1, ratio));
    }
    b->gap = 1 - lower / b->bound;
}

/* Whether rates for plans are below the bound. */
static bool has_guesses(const plan_platform_data_t *d)
{
    for (size_t i = 0; i < d->nresources; i++)
        if (d->resource[i].guess) return true;
    return false;
}

/* Solve the program: for rates, or for the bound. */
static plan_status_t solve_program(const plani_context_t *ctx, bool rates, plan_steady_options_t options,
                                   plani_bound_t *b, plan_steady_t **steady, plan_error_t *err)
{
    if (ctx->deadline > 0) options.time_limit_s = fmax(1e-3, (ctx->deadline - plani_now()) / 4);
    plan_status_t rc =
        (rates ? plani_platform_rates : plan_platform_bound)(ctx->pf, ctx->root, b->slice, &options, steady, err);
    if (rc != PLAN_OK) return rc;
    b->bound = plan_steady_data(*steady)->upper;
    b->gap = plan_steady_data(*steady)->gap;
    return PLAN_OK;
}

static plan_status_t solve_bound(const plani_context_t *ctx, plani_bound_t *b, plan_error_t *err)
{
    const plan_steady_options_t options = {.size = sizeof options, .gap = b->goal};
    plan_steady_t *steady = NULL;
    plan_status_t rc = solve_program(ctx, false, options, b, &steady, err);
    plan_steady_destroy(&steady);
    return rc;
}

/* By the program of links, ports and resources. */
static plan_status_t solve_links(plani_context_t *ctx, bool trees, plani_bound_t *b, plan_error_t *err)
{
    if (ctx->nbounds > 0 && plani_context_over(ctx)) { /* a program of a million links takes long to write down */
        bound_by_others(ctx, b);
        return PLAN_OK;
    }
    const plan_steady_t *list[2];
    const plan_steady_options_t options = {.size = sizeof options,
                                           .gap = b->goal,
                                           .enough = enough,
                                           .pack_trees = trees,
                                           .known = list,
                                           .nknown = trees ? 0 : known(ctx, b->slice, list)};
    plan_status_t rc = solve_program(ctx, true, options, b, &b->steady, err);
    if (rc != PLAN_OK) return rc;
    b->trees = trees;
    if (ctx->resources == NULL && has_guesses(ctx->d) && (rc = solve_bound(ctx, b, err)) != PLAN_OK) return rc;
    if (!trees && plan_steady_data(b->steady)->rounds == 0)
        plan_steady_destroy(&b->steady); /* others are tight enough */
    return PLAN_OK;
}

/* Machines are bounded by what they carry, without ports; rates of links and trees come from the links. */
static plan_status_t solve(plani_context_t *ctx, bool trees, plani_bound_t *b, plan_error_t *err)
{
    double rate = INFINITY;
    plan_status_t rc = PLAN_OK;
    bool links = ctx->d->ranks > 1 && !ctx->sparse && (trees || ctx->resources == NULL);

    if (ctx->resources != NULL)
        rc = plani_resource_bound_at(ctx->resources, b->slice, &rate, err);
    else if (ctx->sparse) /* its links alone are no bound for the others */
        rate = ctx->hosts->bound;
    if (rc == PLAN_OK && links) rc = solve_links(ctx, trees, b, err);
    if (rc != PLAN_OK || (links && ctx->resources == NULL)) return rc;
    b->bound = rate / b->slice;
    b->gap = 0;
    return PLAN_OK;
}

/* The tightest of all bounds known at a slice size; trees are kept once made. */
static void take_bound(plani_bound_t *old, plani_bound_t *b)
{
    if (old->trees && !b->trees) {
        plan_steady_destroy(&b->steady);
        b->steady = old->steady, old->steady = NULL;
        b->trees = true;
    }
    plan_steady_destroy(&old->steady);
    *old = *b;
}

static plan_status_t bound_to(plani_context_t *ctx, double slice, double goal, bool trees, const plani_bound_t **out,
                              plan_error_t *err)
{
    plani_bound_t b = {.slice = slice, .goal = goal};
    size_t i = 0;
    while (i < ctx->nbounds && ctx->bound[i].slice != slice) i++;
    if (i < ctx->nbounds && (ctx->bound[i].gap <= goal || ctx->bound[i].goal <= goal) &&
        (!trees || ctx->bound[i].trees || ctx->deadline > 0)) {
        *out = &ctx->bound[i];
        return PLAN_OK;
    }
    if (i == ctx->nbounds) {
        plani_bound_t *more = plani_grown(ctx->bound, ctx->nbounds, &ctx->bound_room, sizeof *more);
        if (more == NULL) return plani_fail(err, PLAN_ENOMEM, "out of memory for the bound");
        ctx->bound = more;
    }
    plan_status_t rc = solve(ctx, trees, &b, err);
    if (rc != PLAN_OK) return rc;
    if (i == ctx->nbounds)
        ctx->bound[ctx->nbounds++] = b;
    else
        take_bound(&ctx->bound[i], &b);
    *out = &ctx->bound[i];
    return PLAN_OK;
}

static double fine_gap(const plani_context_t *ctx)
{
    return ctx->d->nlinks <= 2000 ? 1e-8 : 1e-6;
}

plan_status_t plani_context_bound(plani_context_t *ctx, double slice, bool trees, const plani_bound_t **out,
                                  plan_error_t *err)
{
    return bound_to(ctx, slice, PLANI_COARSE_GAP, trees, out, err);
}

plan_status_t plani_context_fine_bound(plani_context_t *ctx, double slice, const plani_bound_t **out, plan_error_t *err)
{
    return bound_to(ctx, slice, fine_gap(ctx), false, out, err);
}
