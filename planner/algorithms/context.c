#include "graphs/trees/trees.h"
#include "graphs/platform/reach.h"
#include "planner/algorithms/cluster_bound.h"
#include "planner/algorithms/context.h"
#include "planner/algorithms/leaders.h"
#include "lib/base/base.h"
#include "planner/plan/plan_private.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Time limit of platforms with more links than LARGE where the caller sets none: their trees and bounds would take
 * minutes.
 */
#define LARGE 50000
#define LARGE_LIMIT 10.0 /* [s] */
#define BUILDING 0.6     /* share of the limit for trees; the rest is for bounds and scores */

#define TIMED 20 /* slice sizes whose times are kept: all that are tried, some whole messages, and remainders */

bool plani_context_late(const plani_context_t *ctx)
{
    return ctx->deadline > 0 && plani_now() > ctx->deadline - (1 - BUILDING) * ctx->choice.time_limit_s;
}

bool plani_context_over(const plani_context_t *ctx)
{
    return ctx->deadline > 0 && plani_now() > ctx->deadline;
}

static plan_status_t check(const plan_platform_t *pf, int root, plan_error_t *err)
{
    if (pf == NULL) return plani_fail(err, PLAN_EINVAL, "no platform to plan for");
    int ranks = plan_platform_data(pf)->ranks;
    if (root < 0 || root >= ranks)
        return plani_fail(err, PLAN_EINVAL, "root is %d; ranks are 0 to %d", root, ranks - 1);
    return plani_platform_reaches_all(pf, root, err);
}

static plan_status_t check_figures(const plan_choice_t *c, plan_error_t *err)
{
    if (c->slice > PLANI_MAX_SLICE)
        return plani_fail(err, PLAN_EINVAL, "slice of %zu B; give at most %zu", c->slice, PLANI_MAX_SLICE);
    if (c->window < 0 || c->window > PLANI_MAX_WINDOW)
        return plani_fail(err, PLAN_EINVAL, "window %d; give 1 to %d, or 0 to have it chosen", c->window,
                          PLANI_MAX_WINDOW);
    if (!(c->time_limit_s >= 0) || !isfinite(c->time_limit_s))
        return plani_fail(err, PLAN_EINVAL, "time limit %g s; give seconds >= 0, 0 for none", c->time_limit_s);
    return PLAN_OK;
}

static plan_status_t find_model(plani_context_t *ctx, plan_error_t *err)
{
    const char *name = ctx->choice.model;
    if (ctx->choice.scorer != NULL) {
        if (name == NULL) return PLAN_OK;
        return plani_fail(err, PLAN_EINVAL, "model \"%.40s\" and a scorer are both given; give one of them", name);
    }
    ctx->simulates = name == NULL || strcmp(name, "simulation") == 0;
    ctx->taulop = ctx->simulates || strcmp(name, "taulop") == 0;
    if (ctx->taulop) return PLAN_OK;
    return plani_fail(err, PLAN_EINVAL, "no model is called \"%.40s\"; known: simulation, taulop", name);
}

static plan_status_t take_choice(const plan_choice_t *choice, plani_context_t *ctx, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    memset(ctx, 0, sizeof *ctx);
    plani_clear(err);
    if (choice != NULL) {
        if ((rc = plani_check_size("plan_choice_t", choice->size, sizeof *choice, err)) != PLAN_OK) return rc;
        ctx->choice = *choice;
    }
    if ((rc = check_figures(&ctx->choice, err)) != PLAN_OK) return rc;
    if ((rc = find_model(ctx, err)) != PLAN_OK) return rc;
    return plani_registry_init(&ctx->registry, &ctx->choice, err);
}

plan_status_t plani_context_check(const plan_choice_t *choice, plan_error_t *err)
{
    plani_context_t ctx;
    return take_choice(choice, &ctx, err);
}

plan_status_t plani_context_open(const plan_platform_t *pf, int root, const plan_choice_t *choice, bool caches,
                                 plani_context_t *ctx, plan_error_t *err)
{
    plan_status_t rc = take_choice(choice, ctx, err);
    if (rc == PLAN_OK) rc = check(pf, root, err);
    if (rc != PLAN_OK) return rc;
    ctx->pf = pf;
    ctx->d = plan_platform_data(pf);
    ctx->root = root;
    ctx->rendezvous = INFINITY;
    for (size_t i = 0; i < ctx->d->nchannels; i++) {
        const plan_channel_t *c = &ctx->d->channel[i];
        ctx->fluid = ctx->fluid || c->fluid;
        if (c->network && c->rendezvous_bytes > 0) ctx->rendezvous = fmin(ctx->rendezvous, c->rendezvous_bytes);
    }
    ctx->one_host = ctx->d->host != NULL;
    for (int r = 1; r < ctx->d->ranks; r++) ctx->one_host = ctx->one_host && ctx->d->host[r] == ctx->d->host[0];
    if (ctx->choice.time_limit_s == 0 && ctx->d->nlinks > LARGE) ctx->choice.time_limit_s = LARGE_LIMIT;
    if (ctx->choice.time_limit_s > 0) ctx->deadline = plani_now() + ctx->choice.time_limit_s;
    ctx->simulates = ctx->simulates && ctx->d->ranks <= PLANI_SIMULATED_RANKS;
    ctx->caches = caches;
    if (caches) rc = plani_cost_cache_create(ctx->d, TIMED, &ctx->costs);
    if (rc == PLAN_OK) rc = plani_resource_bound_create(ctx->d, root, &ctx->resources);
    if (rc != PLAN_OK) plani_cost_cache_destroy(&ctx->costs);
    return rc == PLAN_OK ? rc : plani_fail(err, rc, "out of memory for the times of %zu links", ctx->d->nlinks);
}

/* Kinds that take about linear time, and only need links that such platforms have. */
static bool is_made_of_sparse(plani_kind_t kind)
{
    return kind == PLANI_HOST_TREES || kind == PLANI_POSTAL || kind == PLANI_TOPOLOGY || kind == PLANI_SPLIT ||
           kind == PLANI_MEMORY || kind == PLANI_TWO_LEVEL || kind == PLANI_NATIVE;
}

bool plani_is_for_sparse(const plan_choice_t *choice)
{
    plani_registry_t registry;
    if (choice == NULL) return true;
    if (choice->scorer != NULL || plani_registry_init(&registry, choice, NULL) != PLAN_OK) return false;
    for (size_t i = 0; i < registry.n && choice->only != NULL; i++)
        if (registry.algorithm[i].wanted && !is_made_of_sparse(registry.algorithm[i].kind)) return false;
    return true;
}

void plani_context_use_hosts(plani_context_t *ctx, const plani_host_trees_t *hosts, bool sparse)
{
    ctx->hosts = hosts;
    ctx->sparse = sparse;
    for (size_t i = 0; i < ctx->registry.n && sparse; i++)
        if (!is_made_of_sparse(ctx->registry.algorithm[i].kind)) ctx->registry.algorithm[i].wanted = false;
}

static bool wants(const plani_context_t *ctx, plani_kind_t kind)
{
    for (size_t i = 0; i < ctx->registry.n; i++)
        if (ctx->registry.algorithm[i].kind == kind) return ctx->registry.algorithm[i].wanted;
    return false;
}

plan_status_t plani_context_infer_hosts(plani_context_t *ctx, plan_error_t *err)
{
    plani_cluster_bound_t bound = {0};
    plan_status_t rc;

    if (!wants(ctx, PLANI_HOST_TREES) && !wants(ctx, PLANI_POSTAL)) return PLAN_OK;
    rc = plani_cluster_infer(ctx->d, &ctx->own_cluster);
    if (rc == PLAN_OK && ctx->own_cluster != NULL) rc = plani_cluster_bound(ctx->own_cluster, ctx->root, &bound, err);
    if (rc == PLAN_OK && ctx->own_cluster != NULL)
        rc = plani_host_trees_create(ctx->own_cluster, ctx->root, bound.rate, &ctx->own_hosts);
    plani_cluster_bound_clear(&bound);
    ctx->hosts = ctx->own_hosts;
    return rc == PLAN_ENOMEM ? plani_fail(err, rc, "out of memory for the hosts of %d ranks", ctx->d->ranks) : rc;
}

static void instance_clear(plani_instance_t *f)
{
    plani_rounds_destroy(&f->rounds);
    plani_trees_destroy(f->ntrees, f->tree);
    free(f->share);
    free(f->ready);
}

/* Drop the prepared trees beyond the first n. */
static void forget_ready(plani_context_t *ctx, size_t n)
{
    while (ctx->nready > n) plani_stages_destroy(&ctx->ready[--ctx->nready].stages);
}

static void clear_leaders(plani_context_t *ctx)
{
    if (ctx->leaders == NULL) return;
    if (ctx->leaders->ctx != NULL) plani_context_clear(ctx->leaders->ctx);
    free(ctx->leaders->ctx);
    free(ctx->leaders->leader);
    plan_platform_destroy(&ctx->leaders->pf);
    free(ctx->leaders);
    ctx->leaders = NULL;
}

void plani_context_clear(plani_context_t *ctx)
{
    for (size_t i = 0; i < ctx->ninstances; i++) instance_clear(&ctx->instance[i]);
    for (size_t i = 0; i < ctx->nbounds; i++) plan_steady_destroy(&ctx->bound[i].steady);
    for (size_t i = 0; i < PLANI_BUILT; i++) {
        plani_starts_destroy(&ctx->starts[i]);
        plani_problem_clear(&ctx->problem[i]);
    }
    clear_leaders(ctx);
    forget_ready(ctx, 0);
    free(ctx->ready);
    free(ctx->instance);
    free(ctx->bound);
    plani_split_destroy(&ctx->split);
    plani_cost_cache_destroy(&ctx->costs);
    plani_simulation_destroy(&ctx->simulation);
    plani_host_trees_destroy(&ctx->own_hosts);
    plani_resource_bound_destroy(&ctx->resources);
    plani_cluster_destroy(&ctx->own_cluster);
    free(ctx->simulated);
    memset(ctx, 0, sizeof *ctx);
}

plan_status_t plani_context_explain(plan_status_t rc, plan_error_t *err)
{
    bool silent = rc != PLAN_OK && err != NULL && err->text[0] == '\0';
    return silent ? plani_fail(err, rc, "planning: %s", plan_status_string(rc)) : rc;
}

static bool same_instance(const plani_instance_t *a, const plani_instance_t *b)
{
    if (a->hash != b->hash || a->ntrees != b->ntrees || a->rounds != b->rounds) return false;
    for (size_t t = 0; t < a->ntrees; t++)
        if (a->share[t] != b->share[t] || !plani_tree_equal(a->tree[t], b->tree[t])) return false;
    return true;
}

static plan_status_t make_room(plani_context_t *ctx)
{
    plani_instance_t *instance = plani_grown(ctx->instance, ctx->ninstances, &ctx->room, sizeof *instance);
    if (instance != NULL) ctx->instance = instance;
    return instance != NULL ? PLAN_OK : PLAN_ENOMEM;
}

/* Instances of several trees often share some. */
static plan_status_t make_ready(plani_context_t *ctx, const plan_tree_t *tree, plani_stages_t **out)
{
    plani_ready_t made = {.hash = plani_tree_hash(tree), .tree = tree};
    for (size_t i = 0; i < ctx->nready; i++)
        if (ctx->ready[i].hash == made.hash && plani_tree_equal(ctx->ready[i].tree, tree)) {
            *out = ctx->ready[i].stages;
            return PLAN_OK;
        }
    plani_ready_t *ready = plani_grown(ctx->ready, ctx->nready, &ctx->ready_room, sizeof *ready);
    if (ready == NULL) return PLAN_ENOMEM;
    ctx->ready = ready;
    plan_status_t rc = plani_stages_create(ctx->pf, tree, ctx->costs, &made.stages);
    if (rc != PLAN_OK) return rc;
    *out = made.stages;
    ctx->ready[ctx->nready++] = made;
    return plani_stages_keep(made.stages);
}

plan_status_t plani_context_add_rounds(plani_context_t *ctx, size_t algorithm, plani_rounds_t *rounds)
{
    plani_instance_t f = {
        .algorithm = algorithm, .duplicate = ctx->ninstances, .rounds = rounds, .shared = rounds == NULL};
    plan_status_t rc = make_room(ctx);
    if (rc == PLAN_OK)
        ctx->instance[ctx->ninstances++] = f;
    else
        instance_clear(&f);
    return rc;
}

plan_status_t plani_context_add(plani_context_t *ctx, size_t algorithm, size_t ntrees, plan_tree_t **tree,
                                double *share)
{
    plan_status_t rc = PLAN_OK;
    size_t nready = ctx->nready;
    plani_instance_t f = {
        .algorithm = algorithm, .ntrees = ntrees, .tree = tree, .share = share, .hash = PLANI_HASH_START};

    if ((rc = make_room(ctx)) != PLAN_OK) goto done;
    for (size_t t = 0; t < ntrees; t++) {
        f.hash = plani_hash_u64(f.hash, plani_tree_hash(tree[t]));
        f.hash = plani_hash_bytes(f.hash, &share[t], sizeof share[t]);
    }
    for (f.duplicate = 0; f.duplicate < ctx->ninstances; f.duplicate++)
        if (same_instance(&f, &ctx->instance[f.duplicate])) break;
    for (size_t i = 0; i < ctx->ninstances; i++) /* the same candidate made the same at another slice size */
        if (ctx->instance[i].algorithm == algorithm && ctx->instance[i].duplicate == f.duplicate) goto done;
    if ((rc = plani_sharing_of(ctx->pf, ntrees, tree, share, &f.sharing)) != PLAN_OK) goto done;
    rc = PLAN_ENOMEM;
    if ((f.ready = calloc(ntrees, sizeof(plani_stages_t *))) == NULL) goto done;
    for (size_t t = 0; t < ntrees; t++) {
        if ((rc = make_ready(ctx, tree[t], &f.ready[t])) != PLAN_OK) goto done;
        if (ntrees > 1 && (rc = plani_stages_weigh(f.ready[t])) != PLAN_OK) goto done;
    }
    ctx->instance[ctx->ninstances++] = f;
    return PLAN_OK;
done:
    forget_ready(ctx, nready); /* they borrow these trees */
    instance_clear(&f);
    return rc;
}

/* ---- two levels ---- */

static bool is_of_trees(plani_kind_t kind)
{
    return kind == PLANI_HEURISTIC || kind == PLANI_SEARCH || kind == PLANI_LP_TREES || kind == PLANI_FEW_TREES ||
           kind == PLANI_HOST_TREES || kind == PLANI_POSTAL || kind == PLANI_TOPOLOGY || kind == PLANI_TWO_TREE;
}

void plani_context_use_trees(plani_context_t *ctx)
{
    for (size_t i = 0; i < ctx->registry.n; i++) {
        plani_algorithm_t *a = &ctx->registry.algorithm[i];
        a->wanted = a->wanted && (is_of_trees(a->kind) || a->kind == PLANI_SPLIT || a->kind == PLANI_NATIVE);
    }
}

/* The trees over hosts are those of their leaders. */
static plan_status_t use_leaders(const plani_context_t *all, plani_context_t *leaders)
{
    plan_status_t rc = plani_cluster_of_leaders(all->hosts->c, &leaders->own_cluster);
    if (rc == PLAN_OK) rc = plani_host_trees_of_leaders(all->hosts, leaders->own_cluster, &leaders->own_hosts);
    if (rc == PLAN_OK) plani_context_use_hosts(leaders, leaders->own_hosts, true);
    return rc;
}

/* Trees that cannot be made of all ranks there are made of few leaders. */
static bool expands(const plani_context_t *ctx)
{
    return ctx->sparse && ctx->d->hosts <= PLANI_PAIRED_RANKS && ctx->choice.only == NULL;
}

plan_status_t plani_context_lead(plani_context_t *ctx, plan_error_t *err)
{
    const plan_platform_data_t *d = ctx->d;
    plan_choice_t choice = ctx->choice;
    int root = d->host[ctx->root];
    plan_status_t rc = PLAN_ENOMEM;

    bool two_levels = wants(ctx, PLANI_TWO_LEVEL) && d->nshared > 0;
    if ((!two_levels && !expands(ctx)) || d->hosts < 2 || d->hosts == d->ranks || !ctx->taulop ||
        d->ports == PLAN_PORTS_MULTI)
        return PLAN_OK;
    plani_leaders_t *l = ctx->leaders = calloc(1, sizeof *l);
    if (l == NULL || (l->leader = malloc((size_t)d->hosts * sizeof *l->leader)) == NULL) goto failed;
    if ((rc = plani_leaders_create(ctx->pf, ctx->root, l->leader, &l->pf, err)) != PLAN_OK) goto failed;
    rc = PLAN_ENOMEM;
    if ((l->ctx = calloc(1, sizeof *l->ctx)) == NULL) goto failed;
    choice.size = sizeof choice;
    choice.only = NULL;
    choice.include_native = false;
    if ((rc = plani_context_open(l->pf, root, &choice, ctx->caches, l->ctx, err)) != PLAN_OK) goto failed;
    for (size_t i = 0; i < l->ctx->registry.n; i++)
        if (!is_of_trees(l->ctx->registry.algorithm[i].kind)) l->ctx->registry.algorithm[i].wanted = false;
    if (!ctx->sparse || d->hosts <= PLANI_PAIRED_RANKS) return plani_context_infer_hosts(l->ctx, err);
    if ((rc = use_leaders(ctx, l->ctx)) == PLAN_OK) return PLAN_OK;
failed:
    if (rc == PLAN_EUNREACHABLE) { /* the way to some leader leads through other ranks */
        clear_leaders(ctx);
        plani_clear(err);
        return PLAN_OK;
    }
    return rc == PLAN_ENOMEM ? plani_fail(err, rc, "out of memory for the leaders of %d hosts", d->hosts) : rc;
}

static plan_status_t add_two_level(plani_context_t *ctx, size_t algorithm, size_t between)
{
    const plani_instance_t *b = &ctx->leaders->ctx->instance[between];
    plani_instance_t f = {.algorithm = algorithm,
                          .duplicate = ctx->ninstances,
                          .ntrees = b->ntrees,
                          .two_level = true,
                          .between = between};
    plan_status_t rc = make_room(ctx);

    if (rc != PLAN_OK) return rc;
    if ((f.share = malloc(b->ntrees * sizeof *f.share)) == NULL) return PLAN_ENOMEM;
    memcpy(f.share, b->share, b->ntrees * sizeof *f.share);
    ctx->instance[ctx->ninstances++] = f;
    return PLAN_OK;
}

plan_status_t plani_context_expand(const plani_context_t *ctx, size_t between, plan_tree_t ***out)
{
    const plani_instance_t *f = &ctx->leaders->ctx->instance[between];
    plan_tree_t **tree = calloc(f->ntrees, sizeof(plan_tree_t *));
    plan_status_t rc = tree != NULL ? PLAN_OK : PLAN_ENOMEM;
    for (size_t t = 0; t < f->ntrees && rc == PLAN_OK; t++)
        rc = plani_leaders_expand(ctx->d, ctx->leaders->leader, f->tree[t], &tree[t]);
    if (rc == PLAN_OK) {
        *out = tree;
        return PLAN_OK;
    }
    plani_trees_destroy(f->ntrees, tree);
    return rc;
}

plan_status_t plani_context_add_led(plani_context_t *ctx)
{
    plan_status_t rc = PLAN_OK;
    size_t algorithm = 0;

    if (ctx->leaders == NULL) return PLAN_OK;
    while (ctx->registry.algorithm[algorithm].kind != PLANI_TWO_LEVEL) algorithm++;
    const plani_context_t *leaders = ctx->leaders->ctx;
    for (size_t i = 0; i < leaders->ninstances && rc == PLAN_OK; i++) {
        plani_kind_t kind = leaders->registry.algorithm[leaders->instance[i].algorithm].kind;
        if (leaders->instance[i].duplicate != i) continue;
        if (ctx->registry.algorithm[algorithm].wanted && ctx->d->nshared > 0) rc = add_two_level(ctx, algorithm, i);
        if (rc == PLAN_OK && expands(ctx) && !is_made_of_sparse(kind)) rc = plani_make_expanded(ctx, i);
    }
    return rc;
}

/* Make a candidate at one slice size. It is left out if the platform lacks the links or rates that it needs. */
static plan_status_t make(plani_context_t *ctx, size_t i, double slice, const plan_steady_t *steady, plan_error_t *err)
{
    const plani_algorithm_t *algorithm = &ctx->registry.algorithm[i];
    switch (algorithm->kind) {
    case PLANI_HEURISTIC:
        return plani_make_heuristic(ctx, i, slice, steady != NULL ? plan_steady_data(steady)->rate : NULL, err);
    case PLANI_SEARCH:
        return plani_make_max_throughput(ctx, i, slice, steady, err);
    case PLANI_LP_TREES:
        return steady != NULL ? plani_make_lp_trees(ctx, i, steady, slice) : PLAN_OK;
    case PLANI_FEW_TREES:
        return steady != NULL ? plani_make_few_trees(ctx, i, steady, slice, err) : PLAN_OK;
    case PLANI_HOST_TREES:
    case PLANI_POSTAL:
        return ctx->nbuilt == 0 && ctx->hosts != NULL ? plani_make_host_trees(ctx, i) : PLAN_OK;
    case PLANI_TOPOLOGY:
        return ctx->nbuilt == 0 ? plani_make_topology(ctx, i) : PLAN_OK;
    case PLANI_SPLIT:
        return ctx->nbuilt == 0 ? plani_make_split(ctx, i) : PLAN_OK;
    case PLANI_TWO_TREE:
        return ctx->nbuilt == 0 ? plani_make_two_tree(ctx, i) : PLAN_OK;
    case PLANI_SCHEDULE:
        return ctx->nbuilt == 0 ? plani_make_rounds(ctx, i) : PLAN_OK;
    case PLANI_MEMORY:
        return ctx->nbuilt == 0 && ctx->d->nshared > 0 && ctx->one_host ? plani_context_add_rounds(ctx, i, NULL)
                                                                        : PLAN_OK;
    case PLANI_TWO_LEVEL: /* plani_context_add_led */
    case PLANI_ROUTED:
    case PLANI_NATIVE:
        break;
    }
    return PLAN_OK;
}

static plan_status_t build_at(plani_context_t *ctx, double slice, plan_error_t *err)
{
    const plani_bound_t *bound = NULL;
    plan_status_t rc = PLAN_OK;
    bool rates = false;
    for (size_t i = 0; i < ctx->nbuilt; i++)
        if (ctx->built[i] == slice) return PLAN_OK;
    for (size_t i = 0; i < ctx->registry.n; i++) {
        const plani_algorithm_t *algorithm = &ctx->registry.algorithm[i];
        if (!algorithm->wanted) continue;
        rates |= algorithm->kind == PLANI_LP_TREES || algorithm->kind == PLANI_FEW_TREES ||
                 (algorithm->kind == PLANI_HEURISTIC && algorithm->heuristic->needs_rates);
    }
    if (rates && ctx->d->ranks > 1 && (rc = plani_context_bound(ctx, slice, true, &bound, err)) != PLAN_OK) return rc;
    const plan_steady_t *steady = bound != NULL ? bound->steady : NULL;
    for (int first = 1; first >= 0; first--) /* the fastest come first, for the time may end */
        for (size_t i = 0; i < ctx->registry.n && rc == PLAN_OK; i++) {
            bool brief = ctx->registry.algorithm[i].kind == PLANI_HOST_TREES;
            if (!ctx->registry.algorithm[i].wanted || brief != (first == 1)) continue;
            if (ctx->ninstances > 0 && plani_context_late(ctx)) break;
            rc = make(ctx, i, slice, steady, err);
        }
    if (rc == PLAN_OK) ctx->built[ctx->nbuilt++] = slice;
    return rc == PLAN_ENOMEM ? plani_fail(err, rc, "out of memory for the trees of %d ranks", ctx->d->ranks) : rc;
}

enum { TYPICAL = 3 };

/* The slice sizes at which trees are made for a message [B]: how many. Trees depend on the slice size only through the
 * ratio of latency to transfer time: three sizes are enough. */
static size_t typical_slices(const plani_context_t *ctx, size_t bytes, double slice[TYPICAL])
{
    static const double typical[TYPICAL] = {256, 16384, 1048576};
    size_t n = 0;
    slice[n++] = ctx->choice.slice != 0 ? (double)ctx->choice.slice : typical[0];
    while (ctx->choice.slice == 0 && n < TYPICAL && plani_is_typical(typical[n], bytes)) slice[n] = typical[n], n++;
    return n;
}

plan_status_t plani_context_build(plani_context_t *ctx, size_t bytes, plan_error_t *err)
{
    double slice[TYPICAL];
    size_t n = typical_slices(ctx, bytes, slice);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && plani_context_late(ctx)) break;
        plan_status_t rc = build_at(ctx, slice[i], err);
        if (rc != PLAN_OK) return rc;
    }
    return PLAN_OK;
}
