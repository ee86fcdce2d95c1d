#include "planner/algorithms/context.h"
#include "lib/base/base.h"
#include "planner/plan/plan_private.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Platforms of more links than LARGE get so long where the caller sets no limit: their trees and bounds take minutes.
 */
#define LARGE 50000
#define LARGE_LIMIT 10.0 /* [s] */
#define BUILDING 0.6     /* of the limit; the rest is for bounds and scores */

#define TIMED 20 /* slice sizes whose times are kept: all that are tried, some whole messages, and remainders */

bool plani_context_late(const plani_context_t *ws)
{
    return ws->deadline > 0 && plani_now() > ws->deadline - (1 - BUILDING) * ws->choice.time_limit_s;
}

bool plani_context_over(const plani_context_t *ws)
{
    return ws->deadline > 0 && plani_now() > ws->deadline;
}

static plan_status_t check(const plan_platform_t *pf, int root, const plan_choice_t *c, plan_error_t *err)
{
    if (pf == NULL) return plani_fail(err, PLAN_EINVAL, "no platform to plan for");
    int ranks = plan_platform_data(pf)->ranks;
    if (root < 0 || root >= ranks)
        return plani_fail(err, PLAN_EINVAL, "root is %d; ranks are 0 to %d", root, ranks - 1);
    if (c->slice > PLANI_MAX_SLICE)
        return plani_fail(err, PLAN_EINVAL, "slice of %zu B; give at most %zu", c->slice, PLANI_MAX_SLICE);
    if (c->window < 0 || c->window > PLANI_MAX_WINDOW)
        return plani_fail(err, PLAN_EINVAL, "window %d; give 1 to %d, or 0 to have it chosen", c->window,
                          PLANI_MAX_WINDOW);
    if (!(c->time_limit_s >= 0) || !isfinite(c->time_limit_s))
        return plani_fail(err, PLAN_EINVAL, "time limit %g s; give seconds >= 0, 0 for none", c->time_limit_s);
    return plan_platform_reaches_all(pf, root, err);
}

static plan_status_t find_model(plani_context_t *ws, plan_error_t *err)
{
    const char *name = ws->choice.model;
    ws->replays = name == NULL || strcmp(name, "replay") == 0;
    ws->taulop = ws->replays || strcmp(name, "taulop") == 0;
    if (ws->taulop || plan_network_model_from_name(name, &ws->model) == PLAN_OK) return PLAN_OK;
    return plani_fail(err, PLAN_EINVAL, "no model is called \"%.40s\"; known: replay, taulop, hockney, loggp, plogp",
                      name);
}

plan_status_t plani_context_open(const plan_platform_t *pf, int root, const plan_choice_t *choice, plani_context_t *ws,
                                 plan_error_t *err)
{
    plan_status_t rc;
    memset(ws, 0, sizeof *ws);
    plani_clear(err);
    if (choice != NULL) ws->choice = *choice;
    if ((rc = check(pf, root, &ws->choice, err)) != PLAN_OK) return rc;
    if ((rc = find_model(ws, err)) != PLAN_OK) return rc;
    if ((rc = plani_registry_init(&ws->registry, &ws->choice, err)) != PLAN_OK) return rc;
    ws->pf = pf;
    ws->d = plan_platform_data(pf);
    ws->root = root;
    for (size_t i = 0; i < ws->d->nchannels; i++) ws->fluid = ws->fluid || ws->d->channel[i].fluid;
    ws->one_host = ws->d->host != NULL;
    for (int r = 1; r < ws->d->ranks; r++) ws->one_host = ws->one_host && ws->d->host[r] == ws->d->host[0];
    if (ws->choice.time_limit_s == 0 && ws->d->nlinks > LARGE) ws->choice.time_limit_s = LARGE_LIMIT;
    if (ws->choice.time_limit_s > 0) ws->deadline = plani_now() + ws->choice.time_limit_s;
    rc = plani_times_create(ws->d, TIMED, &ws->times);
    return rc == PLAN_OK ? rc : plani_fail(err, rc, "out of memory for the times of %zu links", ws->d->nlinks);
}

static void form_clear(plani_form_t *f)
{
    plani_ready_destroy(f->ntrees, f->ready); /* borrow the trees */
    plani_rounds_destroy(&f->rounds);
    for (size_t t = 0; t < f->ntrees; t++) plan_tree_destroy(&f->tree[t]);
    free(f->tree);
    free(f->share);
}

void plani_context_clear(plani_context_t *ws)
{
    for (size_t i = 0; i < ws->nforms; i++) form_clear(&ws->form[i]);
    for (size_t i = 0; i < ws->nbounds; i++) plan_steady_destroy(&ws->bound[i].steady);
    for (size_t i = 0; i < PLANI_BUILT; i++) {
        plani_starts_destroy(&ws->starts[i]);
        plani_task_clear(&ws->task[i]);
    }
    free(ws->form);
    free(ws->bound);
    free(ws->past);
    plani_times_destroy(&ws->times);
    plani_replay_destroy(&ws->replay);
    free(ws->played);
    memset(ws, 0, sizeof *ws);
}

static bool same_form(const plani_form_t *a, const plani_form_t *b)
{
    if (a->hash != b->hash || a->ntrees != b->ntrees || a->rounds != b->rounds) return false;
    for (size_t t = 0; t < a->ntrees; t++)
        if (a->share[t] != b->share[t] || !plani_tree_equal(a->tree[t], b->tree[t])) return false;
    return true;
}

static plan_status_t make_room(plani_context_t *ws)
{
    plani_form_t *form = plani_grown(ws->form, ws->nforms, &ws->room, sizeof *form);
    if (form != NULL) ws->form = form;
    return form != NULL ? PLAN_OK : PLAN_ENOMEM;
}

plan_status_t plani_context_add_rounds(plani_context_t *ws, size_t item, plani_rounds_t *rounds)
{
    plani_form_t f = {.item = item, .duplicate = ws->nforms, .rounds = rounds, .best_slice = SIZE_MAX};
    plan_status_t rc = make_room(ws);
    if (rc == PLAN_OK)
        ws->form[ws->nforms++] = f;
    else
        form_clear(&f);
    return rc;
}

static void calibrate(const plani_context_t *ws, plani_form_t *f)
{
    int height = 0;
    f->scale = 1;
    f->extra_s = 0;
    for (size_t t = 0; t < f->ntrees; t++)
        if (plan_tree_height(f->tree[t]) > height) height = plan_tree_height(f->tree[t]);
    for (size_t i = 0; i < ws->d->ncalibrations; i++) {
        const plan_calibration_t *c = &ws->d->calibration[i];
        if (strcmp(c->candidate, ws->registry.item[f->item].name) != 0) continue;
        f->calibrated = true;
        f->scale = c->scale;
        f->extra_s = c->level_s * height;
    }
}

plan_status_t plani_context_add(plani_context_t *ws, size_t item, size_t ntrees, plan_tree_t **tree, double *share)
{
    plan_status_t rc = PLAN_OK;
    plani_form_t f = {
        .item = item, .ntrees = ntrees, .tree = tree, .share = share, .hash = PLANI_HASH_START, .best_slice = SIZE_MAX};

    if ((rc = make_room(ws)) != PLAN_OK) goto done;
    for (size_t t = 0; t < ntrees; t++) {
        f.hash = plani_hash_u64(f.hash, plani_tree_hash(tree[t]));
        f.hash = plani_hash_bytes(f.hash, &share[t], sizeof share[t]);
    }
    calibrate(ws, &f);
    for (f.duplicate = 0; f.duplicate < ws->nforms; f.duplicate++)
        if (same_form(&f, &ws->form[f.duplicate])) break;
    for (size_t i = 0; i < ws->nforms; i++) /* the same candidate made the same at another slice size */
        if (ws->form[i].item == item && ws->form[i].duplicate == f.duplicate) goto done;
    if ((rc = plani_turns(ws->pf, ntrees, tree, share, &f.turns)) != PLAN_OK) goto done;
    if ((rc = plani_ready_create(ws->pf, ntrees, tree, ws->times, &f.ready)) != PLAN_OK) goto done;
    ws->form[ws->nforms++] = f;
    return PLAN_OK;
done:
    form_clear(&f);
    return rc;
}

/* A candidate is made at one slice size; without the links or the rates that it needs it is left out. */
static plan_status_t make(plani_context_t *ws, size_t i, double slice, const plan_steady_t *steady, plan_error_t *err)
{
    const plani_item_t *item = &ws->registry.item[i];
    switch (item->kind) {
    case PLANI_HEURISTIC:
        return plani_make_heuristic(ws, i, slice, steady != NULL ? plan_steady_rates(steady) : NULL, err);
    case PLANI_SEARCH:
        return plani_make_max_throughput(ws, i, slice, steady != NULL ? plan_steady_rates(steady) : NULL, err);
    case PLANI_LP_TREES:
        return steady != NULL ? plani_make_lp_trees(ws, i, steady, slice) : PLAN_OK;
    case PLANI_FEW_TREES:
        return steady != NULL ? plani_make_few_trees(ws, i, steady, slice, err) : PLAN_OK;
    case PLANI_TOPOLOGY:
        return ws->nbuilt == 0 ? plani_make_topology(ws, i) : PLAN_OK;
    case PLANI_SPLIT:
        return ws->nbuilt == 0 ? plani_make_split(ws, i) : PLAN_OK;
    case PLANI_TWO_TREE:
        return ws->nbuilt == 0 ? plani_make_two_tree(ws, i) : PLAN_OK;
    case PLANI_SCHEDULE:
        return ws->nbuilt == 0 ? plani_make_rounds(ws, i) : PLAN_OK;
    case PLANI_ROUTED:
    case PLANI_MEMORY:
    case PLANI_NATIVE:
        break;
    }
    return PLAN_OK;
}

static plan_status_t build_at(plani_context_t *ws, double slice, plan_error_t *err)
{
    const plani_bound_t *bound = NULL;
    plan_status_t rc = PLAN_OK;
    bool rates = false;
    for (size_t i = 0; i < ws->nbuilt; i++)
        if (ws->built[i] == slice) return PLAN_OK;
    for (size_t i = 0; i < ws->registry.n; i++) {
        const plani_item_t *item = &ws->registry.item[i];
        if (!item->wanted) continue;
        rates |= item->kind == PLANI_LP_TREES || item->kind == PLANI_FEW_TREES ||
                 (item->kind == PLANI_HEURISTIC && item->heuristic->needs_rates);
    }
    if (rates && ws->d->ranks > 1 && (rc = plani_context_bound(ws, slice, true, &bound, err)) != PLAN_OK) return rc;
    for (size_t i = 0; i < ws->registry.n && rc == PLAN_OK; i++) {
        if (!ws->registry.item[i].wanted) continue;
        if (ws->nforms > 0 && plani_context_late(ws)) break;
        rc = make(ws, i, slice, bound != NULL ? bound->steady : NULL, err);
    }
    if (rc == PLAN_OK) ws->built[ws->nbuilt++] = slice;
    return rc == PLAN_ENOMEM ? plani_fail(err, rc, "out of memory for the trees of %d ranks", ws->d->ranks) : rc;
}

/* Trees depend on the slice size through the balance of latency and bandwidth alone: three sizes see it all. */
size_t plani_typical_slices(const plani_context_t *ws, size_t bytes, double slice[PLANI_TYPICAL])
{
    static const double typical[PLANI_TYPICAL] = {256, 16384, 1048576};
    size_t n = 0;
    slice[n++] = ws->choice.slice != 0 ? (double)ws->choice.slice : typical[0];
    while (ws->choice.slice == 0 && n < PLANI_TYPICAL && plani_is_typical(typical[n], bytes))
        slice[n] = typical[n], n++;
    return n;
}

plan_status_t plani_context_build(plani_context_t *ws, size_t bytes, plan_error_t *err)
{
    double slice[PLANI_TYPICAL];
    size_t n = plani_typical_slices(ws, bytes, slice);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && plani_context_late(ws)) break;
        plan_status_t rc = build_at(ws, slice[i], err);
        if (rc != PLAN_OK) return rc;
    }
    return PLAN_OK;
}
