#include "planner/select/finalists.h"
#include "planner/select/choose.h"
#include "planner/plan/assignment.h"
#include "planner/plan/plan_private.h"
#include "planner/select/ranking.h"
#include <math.h>
#include "planner/taulop/score.h"
#include <string.h>

/* Shapes of broadcasts, told apart because models err alike within each. */
typedef enum { CHAIN, FLAT, BUSHY, MANY, ROUNDS, SHARED, SHAPES } shape_t;

enum { RUNS = 8, ALIKE = 2 };     /* runs until it is known who is fast; candidates that the model takes as one */
static const double hopeless = 3; /* times as long as the best at a quarter of the size: not tried again */
static const size_t steady_bytes = 65536; /* [B] from here on, who is slow stays slow at larger sizes */
static const double unlikely = 4;         /* times as long predicted: not worth a run, */
static const double doubtful = 2.5;       /* or as expected by what was timed at the size before, */
static const double settled = 1.6;        /* that was a large one */

static shape_t shape_of(const plan_candidate_t *c)
{
    if (c->run == PLAN_RUN_ROUNDS) return ROUNDS;
    if (c->run == PLAN_RUN_SHARED) return SHARED;
    if (c->ntrees > 1) return MANY;
    int height = plan_tree_data(c->tree[0])->height, ranks = plan_tree_data(c->tree[0])->ranks;
    if (height <= 1) return FLAT;
    return 2 * height >= ranks ? CHAIN : BUSHY;
}

static bool was_timed(const plan_candidate_t *c)
{
    return plani_is_planned(c) && isfinite(c->measured_s) && c->predicted_s > 0;
}

static double ratio(const plan_candidate_t *c)
{
    return c->measured_s / c->predicted_s;
}

/* Itself as it was timed, else the best of its shape; NULL: none was. And the best of all. */
static const plan_candidate_t *find_like(const plan_ranking_t *before, const plan_candidate_t *c,
                                         const plan_candidate_t **best)
{
    const plan_candidate_t *own = NULL, *like = NULL;
    for (size_t i = 0; before != NULL && i < before->ncandidates; i++) {
        const plan_candidate_t *b = &before->candidate[i];
        if (!was_timed(b)) continue;
        if (strcmp(b->name, c->name) == 0) own = b;
        if (*best == NULL || b->measured_s < (*best)->measured_s) *best = b;
        if (shape_of(b) == shape_of(c) && (like == NULL || b->measured_s < like->measured_s)) like = b;
    }
    return own != NULL ? own : like;
}

double plani_corrected(const plan_ranking_t *before, const plan_candidate_t *c)
{
    const plan_candidate_t *best = NULL, *like = find_like(before, c, &best);
    return like != NULL ? c->predicted_s * ratio(like) : NAN;
}

double plani_expected(const plan_ranking_t *before, const plan_candidate_t *c)
{
    const plan_candidate_t *best = NULL, *like = find_like(before, c, &best);
    if (like == NULL) return plani_weighed(c) * (best != NULL ? ratio(best) : 1);
    return c->predicted_s * sqrt(ratio(best) * ratio(like));
}

bool plani_is_hopeless(const plan_ranking_t *before, const plan_ranking_t *ranking, const char *name)
{
    double least = INFINITY, its = NAN;
    if (before == NULL || before->bytes < steady_bytes || ranking->bytes / 4 > before->bytes) return false;
    for (size_t i = 0; i < before->ncandidates; i++) {
        least = fmin(least, before->candidate[i].measured_s);
        if (strcmp(before->candidate[i].name, name) == 0) its = before->candidate[i].measured_s;
    }
    return its > hopeless * least;
}

/* ---- the list ---- */

typedef struct {
    const plan_ranking_t *ranking;
    size_t n, at[PLANI_REGISTRY_ROOM]; /* who may enter, by what is expected of them */
    double expected[PLANI_REGISTRY_ROOM];
    bool in[PLANI_REGISTRY_ROOM];
    int entered;
} list_t;

/* Two heuristics often find the same tree: it is timed once. */
static bool listed(const list_t *l, const plan_candidate_t *c)
{
    for (size_t i = 0; i < l->n; i++)
        if (plani_same_broadcast(&l->ranking->candidate[l->at[i]], c)) return true;
    return false;
}

static void make_list(const plan_ranking_t *ranking, const plan_ranking_t *before, list_t *l)
{
    *l = (list_t){.ranking = ranking};
    for (size_t i = 0; i < ranking->ncandidates && l->n < PLANI_REGISTRY_ROOM; i++) {
        const plan_candidate_t *c = &ranking->candidate[i];
        if (!plani_is_planned(c) || plani_is_hopeless(before, ranking, c->name) || listed(l, c)) continue;
        double expected = plani_expected(before, c);
        size_t k = l->n++;
        for (; k > 0 && expected < l->expected[k - 1]; k--)
            l->at[k] = l->at[k - 1], l->expected[k] = l->expected[k - 1];
        l->at[k] = i, l->expected[k] = expected;
    }
}

static void enter(list_t *l, size_t k)
{
    if (l->in[k] || l->entered == PLANI_FINALISTS) return;
    l->in[k] = true;
    l->entered++;
}

/* Sent alike, and as fast as each other for all that the model knows. */
static bool are_alike(const plan_candidate_t *a, const plan_candidate_t *b)
{
    return shape_of(a) == shape_of(b) && a->ntrees == b->ntrees && a->slice == b->slice && a->window == b->window &&
           a->predicted_s == b->predicted_s;
}

static bool has_enough_alike(const list_t *l, size_t k)
{
    int alike = 0;
    for (size_t i = 0; i < l->n; i++)
        alike += l->in[i] && are_alike(&l->ranking->candidate[l->at[i]], &l->ranking->candidate[l->at[k]]);
    return alike >= ALIKE;
}

static void enter_each_shape(list_t *l, double most_s)
{
    bool seen[SHAPES] = {false};
    for (size_t k = 0; k < l->n; k++) {
        shape_t shape = shape_of(&l->ranking->candidate[l->at[k]]);
        if (!seen[shape] && l->expected[k] < most_s) enter(l, k);
        seen[shape] = true;
    }
}

/* Who is expected fastest, until there are `least`; more as long as they are cheap. */
static void enter_fastest(list_t *l, const plani_finals_t *how, double most_s)
{
    double spent_s = 0;
    for (size_t k = 0; k < l->n; k++) spent_s += l->in[k] ? RUNS * (l->expected[k] + how->aside_s) : 0;
    for (size_t k = 0; k < l->n; k++) {
        if (l->in[k] || has_enough_alike(l, k)) continue;
        spent_s += RUNS * (l->expected[k] + how->aside_s);
        bool cheap = l->expected[k] < most_s && spent_s < how->budget_s / 2;
        if (l->entered >= how->least && !cheap) return;
        enter(l, k);
    }
}

size_t plani_finalists(const plan_ranking_t *ranking, const plani_finals_t *how, size_t pick[PLANI_FINALISTS])
{
    bool all = how->least > (int)ranking->ncandidates;
    const plan_ranking_t *before = all ? NULL : how->before;
    list_t l;
    size_t n = 0;

    if (how->least < 1) return 0;
    make_list(ranking, before, &l);
    for (size_t k = 0; k < l.n && all; k++) enter(&l, k);
    if (!all && l.n > 0) {
        double most_s = (before == NULL                  ? unlikely
                         : before->bytes >= steady_bytes ? settled
                                                         : doubtful) *
                        l.expected[0];
        size_t own = 0; /* the model's choice comes first in the ranking */
        for (size_t k = 0; k < l.n; k++) own = l.at[k] < l.at[own] ? k : own;
        enter(&l, own);
        enter_each_shape(&l, most_s);
        enter_fastest(&l, how, most_s);
    }
    for (size_t k = 0; k < l.n; k++)
        if (l.in[k]) pick[n++] = l.at[k];
    return n;
}

/* ---- variants ---- */

typedef struct {
    size_t slice;
    int window;
} how_t;

static bool is_possible(const plan_choice_t *choice, const plan_candidate_t *c, size_t bytes, how_t how)
{
    bool used[PLANI_MAX_TREES];
    size_t pieces = how.slice > 0 ? (bytes + how.slice - 1) / how.slice : 1;
    int wider = how.window > c->window ? how.window : c->window, narrower = how.window + c->window - wider;
    if (c->run == PLAN_RUN_SHARED) return false; /* its slices are no choice */
    if ((how.slice != c->slice && choice->slice != 0) || (how.window != c->window && choice->window != 0)) return false;
    if (how.slice != c->slice && c->run == PLAN_RUN_ROUNDS && c->schedule != PLAN_CIRCULANT) return false;
    if ((how.slice > 0 && how.slice < 512) || how.window < 1 || how.window > 64) return false;
    if (wider != narrower && pieces <= (size_t)narrower) return false; /* all slices fit into either window */
    plan_candidate_t v = *c;
    v.slice = how.slice;
    return c->ntrees < 2 || plani_trees_used(&v, bytes, used) == c->ntrees; /* else it is fewer trees */
}

/* By stages [s]; NAN: unknown. */
static double score(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes, how_t how)
{
    double seconds = NAN;
    if (c->run == PLAN_RUN_ROUNDS)
        plani_score_rounds(pf, c->schedule, c->order, bytes, how.slice, &seconds);
    else
        plani_score_trees(pf, c->ntrees, c->tree, c->rate, bytes, how.slice, how.window, &seconds);
    return seconds;
}

/* As much longer or shorter than c as it is by stages: simulated like c itself. */
static double predict(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes, how_t how)
{
    return c->predicted_s * score(pf, c, bytes, how) / score(pf, c, bytes, (how_t){c->slice, c->window});
}

bool plani_variant(const plan_platform_t *pf, const plan_choice_t *choice, const plan_candidate_t *c, size_t bytes,
                   size_t slice, int window, plan_candidate_t *v)
{
    how_t how = {slice < bytes ? slice : 0, window};
    if (!is_possible(choice, c, bytes, how)) return false;
    *v = *c; /* borrows the trees */
    v->slice = how.slice;
    v->window = window;
    if (plani_same_broadcast(v, c)) return false;
    v->measured_s = NAN;
    v->predicted_s = predict(pf, c, bytes, how);
    return true;
}

int plani_variants(const plan_platform_t *pf, const plan_choice_t *choice, const plan_candidate_t *c, size_t bytes,
                   plan_candidate_t v[PLANI_VARIANTS])
{
    const how_t how[PLANI_VARIANTS] = {{c->slice ? c->slice / 2 : bytes / 2, c->window},
                                       {c->slice * 2, c->window},
                                       {0, c->window},
                                       {c->slice, c->window * 2},
                                       {c->slice, c->window / 2}};
    int n = 0;
    for (int i = 0; i < PLANI_VARIANTS; i++) {
        bool known = !plani_variant(pf, choice, c, bytes, how[i].slice, how[i].window, &v[n]);
        for (int k = 0; k < n && !known; k++) known = plani_same_broadcast(&v[n], &v[k]);
        if (!known) n++;
    }
    return n;
}
