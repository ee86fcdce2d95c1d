/* Writing plan files: JSON, format "planbcast-plan", version 1. One line per tree and per range. */
#include "planner/plan/plan_private.h"
#include "lib/base/text.h"
#include "lib/base/base.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_ints(plani_text_t *to, const char *key, const int *at, int n)
{
    plani_text_add(to, "\"%s\": [", key);
    plani_text_add_ints(to, at, n);
    plani_text_add(to, "]");
}

/* Unknown numbers are left out: JSON has no NaN. */
static void put_real(plani_text_t *to, const char *key, double x)
{
    if (!isfinite(x)) return;
    plani_text_add(to, ", \"%s\": ", key);
    plani_text_add_double(to, x);
}

static plan_status_t put_tree(plani_text_t *to, const plan_tree_t *tree)
{
    int n = plan_tree_data(tree)->ranks, ascending = 1;
    int *order = calloc((size_t)n, sizeof *order);
    if (order == NULL) return PLAN_ENOMEM;
    for (int u = 0; u < n; u++) {
        int k = 0;
        const int *child = plan_tree_children(tree, u, &k);
        for (int i = 0; i < k; i++) {
            order[child[i]] = i;
            if (i > 0 && child[i] < child[i - 1]) ascending = 0;
        }
    }
    plani_text_add(to, "    {");
    put_ints(to, "parent", plan_tree_data(tree)->parent, n);
    if (!ascending) {
        plani_text_add(to, ", ");
        put_ints(to, "order", order, n);
    }
    plani_text_add(to, "}");
    free(order);
    return PLAN_OK;
}

static void put_notes(plani_text_t *to, const plan_candidate_t *c, const plani_note_t *note)
{
    put_real(to, "throughput", c->throughput);
    put_real(to, "lp_ratio", c->lp_ratio);
    if (c->lp_ratio > 0) put_real(to, "bound", c->throughput / c->lp_ratio);
    put_real(to, "predicted_s", c->predicted_s);
    put_real(to, "measured_s", c->measured_s);
    if (note->at_bytes != 0) plani_text_add(to, ", \"at_bytes\": %zu", note->at_bytes);
    if (note->runner_up[0] != '\0') {
        plani_text_add(to, ", \"runner_up\": {\"name\": \"%s\"", note->runner_up);
        put_real(to, "seconds", note->runner_up_s);
        plani_text_add(to, "}");
    }
    const char *where = plani_bottleneck_name((int)c->bottleneck.at);
    if (where != NULL && isfinite(c->bottleneck.seconds) && c->bottleneck.seconds > 0) {
        plani_text_add(to, ", \"bottleneck\": {\"at\": \"%s\", \"index\": %zu", where, c->bottleneck.index);
        put_real(to, "seconds", c->bottleneck.seconds);
        plani_text_add(to, "}");
    }
}

static void put_range(plani_text_t *to, const plan_t *plan, size_t i)
{
    const plan_candidate_t *c = &plan->candidate[i];
    plani_text_add(to, "    {\"up_to\": ");
    if (plan->range[i].up_to == SIZE_MAX)
        plani_text_add(to, "null");
    else
        plani_text_add(to, "%zu", plan->range[i].up_to);
    plani_text_add(to, ", \"name\": \"%s\", \"run\": \"%s\", \"slice\": %zu, \"window\": %d, \"trees\": [", c->name,
                   plani_run_name(c->run), c->slice, c->window);
    for (size_t t = 0; t < c->ntrees; t++) {
        size_t k = 0;
        while (plan->pool.tree[k] != c->tree[t]) k++;
        plani_text_add(to, "%s{\"tree\": %zu", t ? ", " : "", k);
        put_real(to, "rate", c->rate[t]);
        if (c->link_window != NULL) {
            plani_text_add(to, ", ");
            put_ints(to, "windows", c->link_window + t * (size_t)plan->ranks, plan->ranks);
        }
        plani_text_add(to, "}");
    }
    plani_text_add(to, "]");
    if (c->run == PLAN_RUN_ROUNDS) {
        plani_text_add(to, ", \"schedule\": \"%s\", ", plan_schedule_name(c->schedule));
        put_ints(to, "order", c->order, c->places);
    }
    put_notes(to, c, &plan->note[i]);
    plani_text_add(to, "}%s\n", i + 1 < plan->nranges ? "," : "");
}

plan_status_t plan_to_json(const plan_t *plan, char **text)
{
    plani_text_t t = {0};
    plan_status_t rc = PLAN_OK;
    if (plan == NULL || text == NULL) return PLAN_EINVAL;
    plani_text_add(&t, "{\n  \"format\": \"planbcast-plan\",\n  \"version\": 1,\n");
    if (plan->reduces) plani_text_add(&t, "  \"operation\": \"reduce\",\n");
    plani_text_add(&t, "  \"ranks\": %d,\n  \"root\": %d,\n  \"hash\": \"%016" PRIx64 "\",\n", plan->ranks, plan->root,
                   plan->hash);
    if (plan->hosts != NULL) {
        plani_text_add(&t, "  ");
        put_ints(&t, "hosts", plan->hosts, plan->ranks);
        plani_text_add(&t, ",\n");
    }
    plani_text_add(&t, "  \"trees\": [\n");
    for (size_t i = 0; i < plan->pool.n && rc == PLAN_OK; i++) {
        rc = put_tree(&t, plan->pool.tree[i]);
        plani_text_add(&t, i + 1 < plan->pool.n ? ",\n" : "\n");
    }
    plani_text_add(&t, "  ],\n  \"ranges\": [\n");
    for (size_t i = 0; i < plan->nranges; i++) put_range(&t, plan, i);
    plani_text_add(&t, "  ]\n}\n");
    plan_status_t taken = plani_text_take(&t, text);
    if (rc != PLAN_OK && taken == PLAN_OK) free(*text), *text = NULL;
    return rc != PLAN_OK ? rc : taken;
}

plan_status_t plan_save(const plan_t *plan, const char *path, plan_error_t *err)
{
    char *text = NULL;
    if (plan == NULL || path == NULL) return plani_fail(err, PLAN_EINVAL, "no plan, or no file to write it to");
    plani_clear(err);
    plan_status_t rc = plan_to_json(plan, &text);
    if (rc != PLAN_OK) return plani_fail(err, rc, "%s: %s", path, plan_status_string(rc));
    rc = plani_write_file(path, text, strlen(text), err);
    free(text);
    return rc;
}
