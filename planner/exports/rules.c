/* Rules by communicator and message size: the first of a target's ranking at each size. */
#include "planner/exports/exports.h"
#include "graphs/platform/transpose.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const plan_ranking_t *ranking_at(const plani_decision_t *d, size_t bytes)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->bytes[i] == bytes) return d->ranking[i];
    return NULL;
}

static bool loses_more(const plani_rule_t *a, const plani_rule_t *b)
{
    return isfinite(a->plan_s) && (!isfinite(b->plan_s) || plani_rule_factor(a) > plani_rule_factor(b));
}

void plani_rules_add_size(plani_comm_rules_t *to, size_t last, const plani_rule_t *r)
{
    plani_rule_t *before = &to->rule[to->n - (to->n > 0)];
    size_t from = to->n == 0 ? 0 : plani_middle_size(last, r->at) + 1;
    if (to->n == 0 || before->setting != r->setting || before->segment != r->segment) {
        to->rule[to->n] = *r;
        to->rule[to->n++].from = from;
    } else if (loses_more(r, before)) {
        from = before->from;
        *before = *r;
        before->from = from;
    }
}

/* Of those that are equally fast, the one that the target names first: else rules of neighbouring sizes would differ
 * for nothing. */
static const plan_candidate_t *first_of(const plani_target_t *target, const plan_ranking_t *ranking)
{
    const plan_candidate_t *first = &ranking->candidate[0];
    for (size_t i = 1; i < ranking->ncandidates; i++) {
        const plan_candidate_t *c = &ranking->candidate[i];
        if (plani_faster(plani_weighed(&ranking->candidate[0]), plani_weighed(c))) continue;
        if (plani_target_find(target, c->name) < plani_target_find(target, first->name)) first = c;
    }
    return first;
}

/* The rule for one size, without where it begins. */
static plan_status_t find_rule(const plani_target_t *target, plani_context_t *ctx, size_t bytes,
                               const plani_decision_t *plan, plani_rule_t *out, plan_error_t *err)
{
    plan_ranking_t *ranking = NULL;
    const plan_ranking_t *best = ranking_at(plan, bytes);
    plan_status_t rc = plani_target_rank(target, ctx, bytes, &ranking, err);

    if (rc != PLAN_OK) return rc;
    const plan_candidate_t *c = first_of(target, ranking);
    const plani_setting_t *setting = plani_target_find(target, c->name);
    *out = (plani_rule_t){.setting = setting,
                          .segment = plani_setting_segment(setting, c->slice, bytes),
                          .at = bytes,
                          .seconds = c->predicted_s,
                          .plan_s = best != NULL ? best->candidate[0].predicted_s : NAN};
    if (best != NULL) snprintf(out->plan, sizeof out->plan, "%s", best->candidate[0].name);
    plan_ranking_destroy(&ranking);
    return PLAN_OK;
}

static plan_status_t find_rules(const plani_target_t *target, const plani_described_t *on, int root,
                                const plani_request_t *r, plani_comm_rules_t *out, plan_error_t *err)
{
    plani_decision_t plan;
    plani_context_t ctx;
    plani_described_t reversed = {.pf = NULL};
    plan_status_t rc = (plan_status_t)plani_decide(r, &plan, err);

    if (rc == PLAN_OK && r->reduces) rc = plani_platform_transpose(on->pf, r->combine_s_per_byte, &reversed.pf, err);
    if (r->reduces) on = &reversed;
    if (rc == PLAN_OK && (rc = plani_target_open(target, on, root, &ctx, err)) == PLAN_OK) {
        for (size_t i = 0; i < r->n && rc == PLAN_OK; i++) {
            plani_rule_t rule;
            rc = find_rule(target, &ctx, r->bytes[i], &plan, &rule, err);
            if (rc == PLAN_OK) plani_rules_add_size(out, i > 0 ? r->bytes[i - 1] : 0, &rule);
        }
        plani_context_clear(&ctx);
    }
    plani_described_clear(&reversed);
    plani_decision_clear(&plan);
    return rc;
}

/* A communicator of one rank needs no rule. */
static plan_status_t find_communicator(plani_source_t *source, plani_rules_t *rules, int ranks,
                                       const plan_choice_t *choice, plan_error_t *err)
{
    plani_described_t on;
    plani_comm_rules_t *to = &rules->comm[rules->n];
    plan_status_t rc = plani_source_platform(source, ranks, rules->root, &on, err);

    if (rc != PLAN_OK) return rc;
    plani_request_t request = {
        .pf = on.pf, .root = rules->root, .choice = choice, .hosts = on.hosts, .sparse = on.sparse};
    request.reduces = source->reduces, request.combine_s_per_byte = source->combine_s_per_byte;
    request.n = plani_ladder(rules->bytes, request.bytes);
    *to = (plani_comm_rules_t){.ranks = ranks};
    rc = find_rules(rules->target, &on, rules->root, &request, to, err);
    rules->n += rc == PLAN_OK;
    plani_described_clear(&on);
    return rc;
}

plan_status_t plani_rules_create(plani_source_t *source, const plani_target_t *target, int root, size_t bytes, size_t n,
                                 const int *ranks, const plan_choice_t *choice, plani_rules_t *out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    *out = (plani_rules_t){
        .target = target, .ranks = source->ranks, .root = root, .reduces = source->reduces, .bytes = bytes};
    if ((out->comm = calloc(n, sizeof *out->comm)) == NULL)
        return plani_fail(err, PLAN_ENOMEM, "out of memory for the rules of %zu communicators", n);
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) rc = find_communicator(source, out, ranks[i], choice, err);
    if (rc != PLAN_OK) plani_rules_clear(out);
    return rc;
}

void plani_rules_clear(plani_rules_t *rules)
{
    free(rules->comm);
    *rules = (plani_rules_t){.n = 0};
}

const plani_rule_t *plani_rules_worst(const plani_rules_t *rules, int *ranks)
{
    const plani_rule_t *worst = NULL;
    for (size_t i = 0; i < rules->n; i++)
        for (size_t k = 0; k < rules->comm[i].n; k++) {
            const plani_rule_t *r = &rules->comm[i].rule[k];
            if (!isfinite(r->plan_s) || (worst != NULL && !loses_more(r, worst))) continue;
            worst = r;
            *ranks = rules->comm[i].ranks;
        }
    return worst;
}
