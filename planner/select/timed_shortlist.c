#include "planner/select/timed_shortlist.h"
#include <math.h>
#include <string.h>
#include "planner/plan/assignment.h"
#include "planner/plan/plan_private.h"
#include "planner/select/decide.h"

static const double SHAPE = 0.3, RANGE = 0.6, PRIOR = 0.2, UNLIKELY = 4;

/* Shapes of broadcasts; the errors of models are similar within each. */
typedef enum { CHAIN, FLAT, BUSHY, MANY, ROUNDS, SHARED, SHAPES } shape_t;

static shape_t shape_of(const plan_candidate_t *c)
{
    if (c->run == PLAN_RUN_ROUNDS) return ROUNDS;
    if (c->run == PLAN_RUN_SHARED) return SHARED;
    if (c->ntrees > 1) return MANY;
    int height = plan_tree_data(c->tree[0])->height, ranks = plan_tree_data(c->tree[0])->ranks;
    if (height <= 1) return FLAT;
    return 2 * height >= ranks ? CHAIN : BUSHY;
}

/* ---- what to expect ---- */

static double alike(const plan_candidate_t *a, const plan_candidate_t *b)
{
    if (strcmp(a->name, b->name) == 0) return 1;
    return shape_of(a) == shape_of(b) ? SHAPE : 0;
}

static double expected_plan(const plani_timed_t *timed, const plan_candidate_t *c, size_t bytes)
{
    double all = 0, sum = 0, weights = 0, own = 0;
    for (size_t i = 0; i < timed->n; i++) {
        const plan_ranking_t *ranking = timed->ranking[i];
        double near = pow(RANGE, fabs(log2((double)bytes / (double)ranking->bytes)));
        for (size_t k = 0; k < ranking->ncandidates; k++) {
            const plan_candidate_t *b = &ranking->candidate[k];
            if (!plani_is_planned(b) || !isfinite(b->measured_s) || !(b->predicted_s > 0)) continue;
            double ratio = log(b->measured_s / plani_weighed(b)), weight = near * alike(b, c);
            all += near;
            sum += near * ratio;
            weights += weight;
            own += weight * ratio;
        }
    }
    if (!(all > 0)) return plani_weighed(c);
    return plani_weighed(c) * exp((own + PRIOR * sum / all) / (weights + PRIOR));
}

double plani_least_predicted(const plan_ranking_t *ranking)
{
    double least = INFINITY;
    for (size_t k = 0; k < ranking->ncandidates; k++)
        if (plani_is_planned(&ranking->candidate[k])) least = fmin(least, ranking->candidate[k].predicted_s);
    return least;
}

/* The largest size up to `bytes` at which MPI's own was timed, and how long it took; NULL: none. */
static const plan_ranking_t *native_before(const plani_timed_t *timed, size_t bytes, double *seconds)
{
    const plan_ranking_t *then = NULL;
    for (size_t i = 0; i < timed->n && timed->ranking[i]->bytes <= bytes; i++)
        for (size_t k = 0; k < timed->ranking[i]->ncandidates; k++) {
            const plan_candidate_t *b = &timed->ranking[i]->candidate[k];
            if (b->run == PLAN_RUN_NATIVE && isfinite(b->measured_s))
                *seconds = b->measured_s, then = timed->ranking[i];
        }
    return then;
}

double plani_native_by_bytes(const plani_timed_t *timed, size_t bytes)
{
    double seconds = NAN;
    const plan_ranking_t *then = native_before(timed, bytes, &seconds);
    bool won = then != NULL && (then->bytes == bytes || then->candidate[0].run == PLAN_RUN_NATIVE);
    return won ? seconds * (double)bytes / (double)then->bytes : NAN;
}

static double expected_native(const plani_timed_t *timed, size_t bytes)
{
    double seconds = NAN, model = NAN;
    const plan_ranking_t *then = native_before(timed, bytes, &seconds);
    if (then == NULL) return NAN;
    for (size_t i = 0; i < timed->n; i++)
        if (timed->ranking[i]->bytes == bytes) model = plani_least_predicted(timed->ranking[i]);
    model /= plani_least_predicted(then); /* latency does not grow */
    double longer = (double)bytes / (double)then->bytes;
    return seconds * (isfinite(model) ? fmin(longer, fmax(1, model)) : longer);
}

double plani_expected(const plani_timed_t *timed, const plan_candidate_t *c, size_t bytes)
{
    if (isfinite(c->measured_s)) return c->measured_s;
    return c->run == PLAN_RUN_NATIVE ? expected_native(timed, bytes) : expected_plan(timed, c, bytes);
}

/* ---- the shortlist ---- */

typedef struct {
    const plan_ranking_t *ranking;
    size_t n, at[PLANI_REGISTRY_ROOM]; /* by what is expected of them */
    double expected[PLANI_REGISTRY_ROOM];
} list_t;

/* Two heuristics often find the same tree. */
static bool is_listed(const list_t *l, const plan_candidate_t *c)
{
    for (size_t i = 0; i < l->n; i++)
        if (plani_same_broadcast(&l->ranking->candidate[l->at[i]], c)) return true;
    return false;
}

static void make_list(const plani_timed_t *timed, const plan_ranking_t *ranking, list_t *l)
{
    *l = (list_t){.ranking = ranking};
    for (size_t i = 0; i < ranking->ncandidates && l->n < PLANI_REGISTRY_ROOM; i++) {
        const plan_candidate_t *c = &ranking->candidate[i];
        if (!plani_is_planned(c) || is_listed(l, c)) continue;
        double expected = plani_expected(timed, c, ranking->bytes);
        size_t k = l->n++;
        for (; k > 0 && expected < l->expected[k - 1]; k--)
            l->at[k] = l->at[k - 1], l->expected[k] = l->expected[k - 1];
        l->at[k] = i, l->expected[k] = expected;
    }
}

static void add(size_t at, size_t most, size_t *pick, size_t *n)
{
    for (size_t i = 0; i < *n; i++)
        if (pick[i] == at) return;
    if (*n < most) pick[(*n)++] = at;
}

size_t plani_timed_shortlist(const plani_timed_t *timed, const plan_ranking_t *ranking, size_t most, size_t *pick)
{
    list_t l;
    bool seen[SHAPES] = {false};
    size_t n = 0, own = SIZE_MAX;

    make_list(timed, ranking, &l);
    while (l.n > 0 && l.expected[0] > 0 && l.expected[l.n - 1] > UNLIKELY * l.expected[0]) l.n--;
    if (l.n > 0) add(l.at[0], most, pick, &n);
    for (size_t i = 0; i < ranking->ncandidates; i++)
        if (ranking->candidate[i].run == PLAN_RUN_NATIVE) add(i, most, pick, &n);
    for (size_t k = 0; k < l.n; k++) own = l.at[k] < own ? l.at[k] : own;
    if (own != SIZE_MAX) add(own, most, pick, &n);
    for (size_t k = 0; k < l.n; k++) {
        shape_t shape = shape_of(&ranking->candidate[l.at[k]]);
        if (!seen[shape]) add(l.at[k], most, pick, &n);
        seen[shape] = true;
    }
    for (size_t k = 0; k < l.n; k++) add(l.at[k], most, pick, &n);
    return n;
}

/* ---- variants ---- */

/* The number of trees that get a slice has to be that of c. */
static bool has_same_trees(const plani_context_t *ctx, const plan_candidate_t *c, plani_pipeline_t how)
{
    bool used[PLANI_MAX_TREES];
    const plani_instance_t *f = &ctx->instance[c->instance];
    const plan_candidate_t all = {
        .size = sizeof all, .slice = how.slice, .ntrees = f->ntrees, .tree = f->tree, .rate = f->share};
    return f->ntrees < 2 || plani_trees_used(&all, how.bytes, used) == c->ntrees;
}

static bool is_possible(const plani_context_t *ctx, const plan_candidate_t *c, plani_pipeline_t how)
{
    const plan_choice_t *choice = &ctx->choice;
    size_t pieces = how.slice > 0 ? (how.bytes + how.slice - 1) / how.slice : 1;
    int wider = how.window > c->window ? how.window : c->window, narrower = how.window + c->window - wider;
    if (c->run == PLAN_RUN_SHARED) return false; /* its slices are no choice */
    if ((how.slice != c->slice && choice->slice != 0) || (how.window != c->window && choice->window != 0)) return false;
    if (how.slice != c->slice && c->run == PLAN_RUN_ROUNDS && c->schedule != PLAN_CIRCULANT) return false;
    if ((how.slice > 0 && how.slice < 512) || how.slice > PLANI_MAX_SLICE) return false;
    if (how.window < 1 || how.window > 64) return false;
    if (wider != narrower && pieces <= (size_t)narrower) return false; /* all slices fit into either window */
    return has_same_trees(ctx, c, how);
}

/* The prediction of c, scaled by the ratio of their stage times. */
static double predict(plani_context_t *ctx, const plan_candidate_t *c, plani_pipeline_t how)
{
    plani_prediction_t v, own;
    const plani_pipeline_t now = {how.bytes, c->slice, c->window};
    if (plani_predict(ctx, c->instance, how, PLANI_STAGES, &v) != PLAN_OK) return NAN;
    if (plani_predict(ctx, c->instance, now, PLANI_STAGES, &own) != PLAN_OK) return NAN;
    return c->predicted_s * v.seconds / own.seconds;
}

bool plani_variant(plani_context_t *ctx, const plan_candidate_t *c, size_t bytes, size_t slice, int window,
                   plan_candidate_t *v)
{
    const plani_pipeline_t how = {bytes, slice < bytes ? slice : 0, window};
    if (!plani_is_planned(c) || !is_possible(ctx, c, how)) return false;
    *v = *c; /* borrows the trees */
    v->slice = how.slice;
    v->window = window;
    v->weight = plani_weight_on(ctx, bytes, v->ntrees, v->run == PLAN_RUN_ROUNDS, v->slice);
    if (plani_same_broadcast(v, c)) return false;
    v->measured_s = NAN;
    v->predicted_s = predict(ctx, c, how);
    return true;
}

int plani_variants(plani_context_t *ctx, const plan_candidate_t *c, size_t bytes, plan_candidate_t v[PLANI_VARIANTS])
{
    const struct {
        size_t slice;
        int window;
    } how[PLANI_VARIANTS] = {{c->slice ? c->slice / 2 : bytes / 2, c->window},
                             {c->slice * 2, c->window},
                             {0, c->window},
                             {c->slice, c->window * 2},
                             {c->slice, c->window / 2}};
    int n = 0;
    for (int i = 0; i < PLANI_VARIANTS; i++) {
        bool known = !plani_variant(ctx, c, bytes, how[i].slice, how[i].window, &v[n]);
        for (int k = 0; k < n && !known; k++) known = plani_same_broadcast(&v[n], &v[k]);
        n += !known;
    }
    return n;
}
