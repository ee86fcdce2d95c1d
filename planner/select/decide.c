#include "planner/select/decide.h"
#include "graphs/platform/part.h"
#include "graphs/platform/transpose.h"
#include "lib/base/base.h"
#include "planner/algorithms/described.h"
#include "planner/plan/plan_private.h"
#include <math.h>
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

/* The runner-up is the first in the list that differs from the winner: two heuristics often find the same tree. */
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

size_t plani_middle_size(size_t low, size_t high)
{
    double m = sqrt(fmax(1, (double)low)) * sqrt((double)high);
    size_t at = (size_t)m;
    if (at >= high) at = high - 1;
    return at < low ? low : at;
}

/* The largest message that the i-th ranking serves. */
static size_t end_of(size_t n, const plan_ranking_t *const *ranking, const size_t *border, size_t i)
{
    if (i + 1 == n) return ranking[i]->bytes;
    return border != NULL ? border[i] : plani_middle_size(ranking[i]->bytes, ranking[i + 1]->bytes);
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
        if (i > 0 && ranking[i]->bytes == ranking[i - 1]->bytes) { /* zero bytes are planned as one */
            range[count - 1].up_to = end_of(n, ranking, border, i);
            continue;
        }
        const plan_candidate_t *c = &ranking[i]->candidate[0];
        bool more = count > 0 && same_choice(range[count - 1].chosen, c);
        bool untimed = more && isnan(c->measured_s) && !isnan(range[count - 1].chosen->measured_s);
        count += !more;
        range[count - 1].up_to = end_of(n, ranking, border, i);
        if (untimed) continue; /* a time at a smaller size describes the range better */
        range[count - 1].chosen = c;
        note[count - 1] = note_of(ranking[i]);
    }
    rc = plani_plan_create(ranking[0]->ranks, ranking[0]->root, count, range, note, hosts, out, err);
done:
    free(range);
    free(note);
    return rc;
}

size_t plani_ladder(size_t max_bytes, size_t bytes[PLANI_SIZES])
{
    size_t n = 0;
    if (max_bytes < 1) max_bytes = 1;
    if (max_bytes > PLANI_MAX_BYTES) max_bytes = PLANI_MAX_BYTES; /* a plan's last range may have no end */
    for (size_t s = 1; s < max_bytes && n < PLANI_SIZES - 1; s = s < 64 ? s * 8 : s * 2) bytes[n++] = s;
    bytes[n++] = max_bytes;
    return n;
}

/* ---- borders ---- */

/* The factor from its stage time at its own size to its time: the measured one, else the predicted one, times its
 * weight.
 */
static plan_status_t stretch_of(plani_context_t *ctx, const plan_candidate_t *c, size_t own, double *stretch)
{
    bool measured = isfinite(c->measured_s);
    plani_prediction_t then;
    plan_status_t rc =
        plani_predict(ctx, c->instance, (plani_pipeline_t){own, c->slice, c->window}, PLANI_STAGES, &then);
    *stretch = measured ? 1 : c->weight > 0 ? c->weight : plani_weight(c->ntrees, c->run == PLAN_RUN_ROUNDS);
    if (rc == PLAN_OK && isfinite(then.seconds) && then.seconds > 0)
        *stretch *= (measured ? c->measured_s : c->predicted_s) / then.seconds;
    return rc;
}

/* Its predicted time at another size, weighed. */
static plan_status_t stretched(plani_context_t *ctx, const plan_candidate_t *c, double stretch, size_t bytes,
                               double *seconds)
{
    plani_prediction_t p;
    plan_status_t rc =
        plani_predict(ctx, c->instance, (plani_pipeline_t){bytes, c->slice, c->window}, PLANI_STAGES, &p);
    *seconds = p.seconds * stretch;
    return rc;
}

/* The size between a's and b's up to which a's winner is as fast as b's, by their stage times and factors (stretch_of).
 * Found by bisection; where MPI_Bcast is one of the winners, the geometric middle. */
static plan_status_t find_border(plani_context_t *ctx, const plan_ranking_t *a, const plan_ranking_t *b, size_t *border)
{
    size_t low = a->bytes, high = b->bytes;
    const plan_candidate_t *x = &a->candidate[0], *y = &b->candidate[0];
    double x_stretch = 1, y_stretch = 1;
    *border = plani_middle_size(low, high);
    if (!plani_is_planned(x) || !plani_is_planned(y) || same_choice(x, y)) return PLAN_OK;
    plan_status_t rc = stretch_of(ctx, x, a->bytes, &x_stretch);
    if (rc == PLAN_OK) rc = stretch_of(ctx, y, b->bytes, &y_stretch);
    for (int step = 0; step < 6 && low + 1 < high && rc == PLAN_OK; step++) {
        double tx = 0, ty = 0;
        size_t at = plani_middle_size(low, high);
        if (at <= low) at = low + 1;
        rc = stretched(ctx, x, x_stretch, at, &tx);
        if (rc == PLAN_OK) rc = stretched(ctx, y, y_stretch, at, &ty);
        if (plani_faster(ty, tx))
            high = at;
        else
            low = at;
    }
    *border = low;
    return rc;
}

/* ---- the pipeline ---- */

static plan_status_t check(const plani_request_t *r, plan_error_t *err)
{
    if (r->n < 1 || r->n > PLANI_SIZES)
        return plani_fail(err, PLAN_EINVAL, "%zu message sizes; give 1 to %d", r->n, PLANI_SIZES);
    for (size_t i = 0; i < r->n; i++) {
        if (r->bytes[i] > PLANI_MAX_BYTES)
            return plani_fail(err, PLAN_EINVAL, "a message of %zu bytes; give at most %zu", r->bytes[i],
                              PLANI_MAX_BYTES);
        if (i > 0 && r->bytes[i] < r->bytes[i - 1])
            return plani_fail(err, PLAN_EINVAL, "message sizes do not ascend: %zu comes after %zu", r->bytes[i],
                              r->bytes[i - 1]);
    }
    if (!(r->combine_s_per_byte >= 0 && isfinite(r->combine_s_per_byte)))
        return plani_fail(err, PLAN_EINVAL, "%g s per byte to combine messages; give a finite number, at least 0",
                          r->combine_s_per_byte);
    return PLAN_OK;
}

/* Trees found for one size serve others: the largest, a PLANI_REFINED_STEP-th of it, and so on, down to 64 B. */
static plan_status_t make_trees(plani_context_t *ctx, size_t max_bytes, plan_error_t *err)
{
    enum { LEAST = 64, MOST_RANKS = 256 }; /* beyond, searching for every few sizes takes minutes */
    plan_status_t rc = plani_context_build(ctx, max_bytes, err);
    size_t part = 1;

    while (max_bytes / part / PLANI_REFINED_STEP >= LEAST && ctx->d->ranks <= MOST_RANKS) part *= PLANI_REFINED_STEP;
    for (; part > 1 && rc == PLAN_OK; part /= PLANI_REFINED_STEP) {
        if (plani_context_late(ctx)) return PLAN_OK;
        rc = plani_refine(ctx, max_bytes / part, err);
    }
    return rc == PLAN_OK ? plani_refine(ctx, max_bytes, err) : rc;
}

static bool is_complete(const plani_request_t *r, size_t i)
{
    return i + r->complete >= r->n;
}

/* Once the time is over, only the largest. */
static plan_status_t rank_all(plani_context_t *ctx, const plani_request_t *r, plani_decision_t *d, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    for (size_t i = 0; i < r->n && rc == PLAN_OK; i++) {
        if (i + 1 < r->n && plani_context_over(ctx)) continue;
        d->bytes[d->n] = r->bytes[i];
        d->complete[d->n] = is_complete(r, i);
        rc = plani_rank(ctx, r->bytes[i], is_complete(r, i) || r->tuner != NULL, &d->ranking[d->n], err);
        d->n += rc == PLAN_OK;
    }
    return rc;
}

static plan_status_t conclude(plani_context_t *ctx, const plani_request_t *r, plani_decision_t *d, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    for (size_t i = 0; i < d->n && rc == PLAN_OK; i++)
        if (d->complete[i])
            rc = plani_ranking_complete(ctx, d->ranking[i], err);
        else if (i + 1 == d->n || r->tuner != NULL ||
                 !same_choice(&d->ranking[i]->candidate[0], &d->ranking[i + 1]->candidate[0]))
            rc =
                plani_ranking_rate_first(ctx, d->ranking[i], err); /* of untimed ones that agree, plans keep the last */
    for (size_t i = 0; i + 1 < d->n && rc == PLAN_OK; i++)
        rc = find_border(ctx, d->ranking[i], d->ranking[i + 1], &d->border[i]);
    if (rc != PLAN_OK) return rc;
    rc = plani_plan_from_rankings(d->n, (const plan_ranking_t *const *)d->ranking, d->border, ctx->d->host, &d->plan,
                                  err);
    if (rc == PLAN_OK && r->reduces) plani_plan_let_reduce(d->plan);
    return rc;
}

/* Beyond PLANI_PAIRED_RANKS, all pairs are narrowed to the links of candidates that take about linear time. */
static plan_status_t narrow(const plani_request_t *r, plani_described_t *out, plan_error_t *err)
{
    bool narrows = r->hosts == NULL && r->pf != NULL && plani_is_for_sparse(r->choice);
    if (!narrows || r->root < 0 || r->root >= plan_platform_data(r->pf)->ranks) return PLAN_OK;
    return plani_described_infer(r->pf, r->root, out, err);
}

/* From what was planned on to the platform of the request. */
static void widen(const plan_platform_t *pf, const plan_platform_data_t *narrowed, plan_bottleneck_t *b)
{
    if (b->at == PLAN_AT_LINK)
        b->index = plani_part_origin_of_link(narrowed, pf, NULL, b->index);
    else if (b->at == PLAN_AT_RESOURCE)
        b->index = plani_part_origin_of_resource(narrowed, pf, NULL, b->index);
}

typedef void to_request_t(const plan_platform_t *pf, const plan_platform_data_t *planned_on, plan_bottleneck_t *b);

static void name_bottlenecks(to_request_t *change, const plan_platform_t *pf, const plan_platform_t *planned_on,
                             plani_decision_t *d)
{
    const plan_platform_data_t *from = plan_platform_data(planned_on);
    for (size_t i = 0; i < d->n; i++)
        for (size_t k = 0; k < d->ranking[i]->ncandidates; k++)
            change(pf, from, &d->ranking[i]->candidate[k].bottleneck);
    for (size_t i = 0; i < d->plan->nranges; i++) change(pf, from, &d->plan->candidate[i].bottleneck);
}

static int decide(const plani_request_t *r, plani_decision_t *d, plan_error_t *err)
{
    plani_described_t narrowed = {.sparse = false};
    plani_context_t ctx;
    double start = plani_now(), at;
    int rc;

    if ((rc = narrow(r, &narrowed, err)) != PLAN_OK) return rc;
    rc = plani_context_open(narrowed.pf != NULL ? narrowed.pf : r->pf, r->root, r->choice, !r->uncached, &ctx, err);
    if (rc != PLAN_OK) {
        plani_described_clear(&narrowed);
        return rc;
    }
    if (r->reduces) plani_context_use_trees(&ctx);
    if (narrowed.pf != NULL) {
        plani_context_use_hosts(&ctx, narrowed.hosts, true);
        plani_resource_bound_destroy(&ctx.resources); /* should the part have all links */
        ctx.resources = narrowed.resources, narrowed.resources = NULL;
    } else if (r->hosts != NULL) {
        plani_context_use_hosts(&ctx, r->hosts, r->sparse);
    } else {
        rc = plani_context_infer_hosts(&ctx, err);
    }
    if (rc == PLAN_OK) rc = make_trees(&ctx, r->bytes[r->n - 1], err);
    if (rc == PLAN_OK) rc = plani_context_lead(&ctx, err);
    if (rc == PLAN_OK && ctx.leaders != NULL) rc = make_trees(ctx.leaders->ctx, r->bytes[r->n - 1], err);
    if (rc == PLAN_OK) rc = plani_context_add_led(&ctx);
    d->instances = ctx.ninstances;
    d->trees_s = (at = plani_now()) - start;
    if (rc == PLAN_OK) rc = rank_all(&ctx, r, d, err);
    d->ranking_s = (start = plani_now()) - at;
    d->ctx = &ctx;
    if (rc == PLAN_OK && r->tuner != NULL) rc = r->tuner->tune(r->tuner, d);
    d->ctx = NULL;
    d->tuning_s = (at = plani_now()) - start;
    if (rc == PLAN_OK) rc = conclude(&ctx, r, d, err);
    if (rc == PLAN_OK && narrowed.pf != NULL) name_bottlenecks(widen, r->pf, narrowed.pf, d);
    plani_context_clear(&ctx);
    plani_described_clear(&narrowed);
    d->concluding_s = plani_now() - at;
    return rc < 0 ? plani_context_explain((plan_status_t)rc, err) : rc;
}

/* From the reversed platform to that of the request. Who combines, receives. */
static void turn_back(const plan_platform_t *pf, const plan_platform_data_t *reversed, plan_bottleneck_t *b)
{
    if (b->at == PLAN_AT_SEND_PORT) {
        b->at = PLAN_AT_RECV_PORT;
    } else if (b->at == PLAN_AT_RECV_PORT) {
        b->at = PLAN_AT_SEND_PORT;
    } else if (b->at == PLAN_AT_LINK && b->index < reversed->nlinks) {
        const plan_link_t *l = &reversed->link[b->index];
        b->index = plan_platform_find_link(pf, l->to, l->from);
    } else if (b->at == PLAN_AT_RESOURCE && b->index >= plan_platform_data(pf)->nresources) {
        *b = (plan_bottleneck_t){.at = PLAN_AT_RECV_PORT,
                                 .index = (size_t)reversed->link[reversed->resource[b->index].link[0]].from,
                                 .seconds = b->seconds};
    }
}

int plani_decide(const plani_request_t *r, plani_decision_t *d, plan_error_t *err)
{
    plan_platform_t *reversed = NULL;
    plani_request_t request = *r;
    int rc;

    *d = (plani_decision_t){.n = 0};
    plani_clear(err);
    if ((rc = check(r, err)) != PLAN_OK) return rc;
    if (r->reduces && r->pf != NULL) {
        if ((rc = plani_platform_transpose(r->pf, r->combine_s_per_byte, &reversed, err)) != PLAN_OK) return rc;
        request.pf = reversed;
    }
    rc = decide(&request, d, err);
    if (rc == PLAN_OK && reversed != NULL) name_bottlenecks(turn_back, r->pf, reversed, d);
    if (rc == PLAN_EUNREACHABLE && reversed != NULL)
        plani_fail(err, PLAN_EUNREACHABLE, "some rank has no way to root %d; add links towards it", r->root);
    plan_platform_destroy(&reversed);
    return rc;
}

void plani_decision_clear(plani_decision_t *d)
{
    for (size_t i = 0; i < d->n; i++) plan_ranking_destroy(&d->ranking[i]);
    plan_destroy(&d->plan);
    plan_platform_destroy(&d->without_sharing);
    *d = (plani_decision_t){.n = 0};
}

static plan_status_t create_plan(plani_request_t request, size_t max_bytes, plan_t **out, plan_error_t *err)
{
    plani_decision_t decision;

    if (out == NULL) return plani_fail(err, PLAN_EINVAL, "the output argument for the plan is NULL");
    if (max_bytes > PLANI_MAX_BYTES)
        return plani_fail(err, PLAN_EINVAL, "max_bytes is %zu; give at most %zu", max_bytes, PLANI_MAX_BYTES);
    request.n = plani_ladder(max_bytes, request.bytes);
    plan_status_t rc = (plan_status_t)plani_decide(&request, &decision, err);
    if (rc == PLAN_OK) *out = decision.plan, decision.plan = NULL;
    plani_decision_clear(&decision);
    return rc;
}

static plan_status_t create_ranking(const plani_request_t *request, plan_ranking_t **out, plan_error_t *err)
{
    plani_decision_t decision;

    if (out == NULL) return plani_fail(err, PLAN_EINVAL, "the output argument for the ranking is NULL");
    plan_status_t rc = (plan_status_t)plani_decide(request, &decision, err);
    if (rc == PLAN_OK) *out = decision.ranking[0], decision.ranking[0] = NULL;
    plani_decision_clear(&decision);
    return rc;
}

plan_status_t plan_create(const plan_platform_t *pf, int root, size_t max_bytes, const plan_choice_t *choice,
                          plan_t **out, plan_error_t *err)
{
    return create_plan((plani_request_t){.pf = pf, .root = root, .choice = choice}, max_bytes, out, err);
}

plan_status_t plan_ranking_create(const plan_platform_t *pf, int root, size_t bytes, const plan_choice_t *choice,
                                  plan_ranking_t **out, plan_error_t *err)
{
    const plani_request_t request = {.pf = pf, .root = root, .choice = choice, .n = 1, .bytes = {bytes}, .complete = 1};
    return create_ranking(&request, out, err);
}

plan_status_t plan_reduce_create(const plan_platform_t *pf, int root, size_t max_bytes, double combine_s_per_byte,
                                 const plan_choice_t *choice, plan_t **out, plan_error_t *err)
{
    return create_plan(
        (plani_request_t){
            .pf = pf, .root = root, .choice = choice, .reduces = true, .combine_s_per_byte = combine_s_per_byte},
        max_bytes, out, err);
}

plan_status_t plan_reduce_ranking_create(const plan_platform_t *pf, int root, size_t bytes, double combine_s_per_byte,
                                         const plan_choice_t *choice, plan_ranking_t **out, plan_error_t *err)
{
    const plani_request_t request = {.pf = pf,
                                     .root = root,
                                     .choice = choice,
                                     .n = 1,
                                     .bytes = {bytes},
                                     .complete = 1,
                                     .reduces = true,
                                     .combine_s_per_byte = combine_s_per_byte};
    return create_ranking(&request, out, err);
}
