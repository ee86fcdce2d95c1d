/* Plan files, written: JSON, format "planbcast-plan", version 1. A line per tree and per range. */
#include "planner/plan_private.h"
#include "planner/text.h"
#include "lib/base/base.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_ints(FILE *f, const char *key, const int *at, int n)
{
    fprintf(f, "\"%s\": [", key);
    for (int i = 0; i < n; i++) fprintf(f, i ? ",%d" : "%d", at[i]);
    fprintf(f, "]");
}

/* Figures that are not known are left out: JSON has no NaN. */
static void put_real(FILE *f, const char *key, double x)
{
    if (isfinite(x)) fprintf(f, ", \"%s\": %s", key, plani_real(x).s);
}

static plan_status_t put_tree(FILE *f, const plan_tree_t *tree)
{
    int n = plan_tree_ranks(tree), ascending = 1;
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
    fprintf(f, "    {");
    put_ints(f, "parent", plan_tree_parents(tree), n);
    if (!ascending) {
        fprintf(f, ", ");
        put_ints(f, "order", order, n);
    }
    fprintf(f, "}");
    free(order);
    return PLAN_OK;
}

static void put_notes(FILE *f, const plan_candidate_t *c, const plani_note_t *note)
{
    static const char *const at[] = {"send port", "receive port", "resource", "link"};
    put_real(f, "throughput", c->throughput);
    put_real(f, "lp_ratio", c->lp_ratio);
    if (c->lp_ratio > 0) put_real(f, "bound", c->throughput / c->lp_ratio);
    put_real(f, "predicted_s", c->predicted_s);
    put_real(f, "measured_s", c->measured_s);
    if (note->at_bytes != 0) fprintf(f, ", \"at_bytes\": %zu", note->at_bytes);
    if (note->runner_up[0] != '\0') {
        fprintf(f, ", \"runner_up\": {\"name\": \"%s\"", note->runner_up);
        put_real(f, "seconds", note->runner_up_s);
        fprintf(f, "}");
    }
    if (isfinite(c->bottleneck.seconds) && c->bottleneck.seconds > 0 && c->bottleneck.at <= PLAN_AT_LINK)
        fprintf(f, ", \"bottleneck\": {\"at\": \"%s\", \"index\": %zu, \"seconds\": %s}", at[c->bottleneck.at],
                c->bottleneck.index, plani_real(c->bottleneck.seconds).s);
}

static void put_range(FILE *f, const plan_t *plan, size_t i)
{
    const plan_candidate_t *c = &plan->candidate[i];
    fprintf(f, "    {\"up_to\": ");
    if (plan->range[i].up_to == SIZE_MAX)
        fprintf(f, "null");
    else
        fprintf(f, "%zu", plan->range[i].up_to);
    fprintf(f, ", \"name\": \"%s\", \"run\": \"%s\", \"slice\": %zu, \"window\": %d, \"trees\": [", c->name,
            c->run == PLAN_RUN_NATIVE ? "native" : "trees", c->slice, c->window);
    for (size_t t = 0; t < c->ntrees; t++) {
        size_t k = 0;
        while (plan->pool.tree[k] != c->tree[t]) k++;
        fprintf(f, "%s{\"tree\": %zu, \"rate\": %s}", t ? ", " : "", k, plani_real(c->rate[t]).s);
    }
    fprintf(f, "]");
    put_notes(f, c, &plan->note[i]);
    fprintf(f, "}%s\n", i + 1 < plan->nranges ? "," : "");
}

plan_status_t plan_to_json(const plan_t *plan, char **text)
{
    plani_text_t t;
    plan_status_t rc = plani_text_open(&t);
    if (rc != PLAN_OK) return rc;
    fprintf(t.file, "{\n  \"format\": \"planbcast-plan\",\n  \"version\": 1,\n");
    fprintf(t.file, "  \"ranks\": %d,\n  \"root\": %d,\n  \"hash\": \"%016" PRIx64 "\",\n", plan->ranks, plan->root,
            plan->hash);
    if (plan->hosts != NULL) {
        fprintf(t.file, "  ");
        put_ints(t.file, "hosts", plan->hosts, plan->ranks);
        fprintf(t.file, ",\n");
    }
    fprintf(t.file, "  \"trees\": [\n");
    for (size_t i = 0; i < plan->pool.n && rc == PLAN_OK; i++) {
        rc = put_tree(t.file, plan->pool.tree[i]);
        fprintf(t.file, i + 1 < plan->pool.n ? ",\n" : "\n");
    }
    fprintf(t.file, "  ],\n  \"ranges\": [\n");
    for (size_t i = 0; i < plan->nranges; i++) put_range(t.file, plan, i);
    fprintf(t.file, "  ]\n}\n");
    return plani_text_close(&t, rc, text);
}

plan_status_t plan_save(const plan_t *plan, const char *path, plan_error_t *err)
{
    char *text = NULL;
    plan_status_t rc = plan_to_json(plan, &text);
    if (rc != PLAN_OK) return plani_fail(err, rc, "%s: %s", path, plan_status_string(rc));
    rc = plani_write_file(path, text, strlen(text), err);
    free(text);
    return rc;
}
