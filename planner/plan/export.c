/* plan_export: the trees for one message size, for other programs. */
#include "planner/plan/export.h"
#include "graphs/trees/export_graphml.h"
#include "lib/base/base.h"
#include "planner/plan/assignment.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_children(plani_text_t *to, const plan_tree_t *tree)
{
    for (int u = 0; u < plan_tree_data(tree)->ranks; u++) {
        int n = 0;
        const int *child = plan_tree_children(tree, u, &n);
        plani_text_add(to, u ? ",[" : "[");
        plani_text_add_ints(to, child, n);
        plani_text_add(to, "]");
    }
}

static void put_json(const plani_export_t *x, plani_text_t *to)
{
    const plan_candidate_t *c = &x->c;
    int ranks = x->plan->ranks;
    plani_text_add(to, "{\n  \"format\": \"planbcast-trees\",\n  \"version\": 1,\n  \"name\": ");
    plani_text_add_quoted(to, c->name);
    plani_text_add(to, ",\n  \"run\": \"%s\",\n  \"ranks\": %d,\n  \"root\": %d,\n", plani_run_name(c->run), ranks,
                   x->plan->root);
    if (x->plan->reduces) plani_text_add(to, "  \"operation\": \"reduce\",\n");
    plani_text_add(to, "  \"bytes\": %zu,\n  \"slice\": %zu,\n  \"window\": %d,\n", x->bytes, c->slice, c->window);
    if (x->host != NULL) {
        plani_text_add(to, "  \"hosts\": [");
        plani_text_add_ints(to, x->host, ranks);
        plani_text_add(to, "],\n");
    }
    if (c->run == PLAN_RUN_ROUNDS) {
        plani_text_add(to, "  \"schedule\": \"%s\",\n  \"order\": [", plan_schedule_name(c->schedule));
        plani_text_add_ints(to, c->order, ranks);
        plani_text_add(to, "],\n");
    }
    plani_text_add(to, "  \"trees\": [");
    for (size_t t = 0; t < c->ntrees; t++) {
        plani_text_add(to, "%s\n    {\"rate\": ", t ? "," : "");
        plani_text_add_double(to, c->rate[t]);
        plani_text_add(to, ",\n     \"parent\": [");
        plani_text_add_ints(to, plan_tree_data(c->tree[t])->parent, ranks);
        plani_text_add(to, "],\n     \"children\": [");
        put_children(to, c->tree[t]);
        plani_text_add(to, "]");
        if (x->cost != NULL) {
            plani_text_add(to, ",\n     \"cost_s\": [");
            for (int v = 0; v < ranks; v++) {
                if (v > 0) plani_text_add(to, ",");
                plani_text_add_double(to, x->cost[t * (size_t)ranks + (size_t)v]);
            }
            plani_text_add(to, "]");
        }
        plani_text_add(to, "}");
    }
    plani_text_add(to, "\n  ]\n}\n");
}

static void put_parents(const plani_export_t *x, plani_text_t *to)
{
    for (size_t t = 0; t < x->c.ntrees; t++) {
        const int *parent = plan_tree_data(x->c.tree[t])->parent;
        for (int v = 0; v < x->plan->ranks; v++) plani_text_add(to, v ? " %d" : "%d", parent[v]);
        plani_text_add(to, "\n");
    }
}

static plan_status_t put_graphml(const plani_export_t *x, char **text)
{
    const plani_graphml_t g = {.name = x->c.name,
                               .ranks = x->plan->ranks,
                               .root = x->plan->root,
                               .upwards = x->plan->reduces,
                               .host = x->host,
                               .site = x->site,
                               .ntrees = x->c.ntrees,
                               .tree = x->c.tree,
                               .rate = x->c.rate,
                               .cost = x->cost};
    return plani_graphml_write(&g, text);
}

/* Look up the costs of each tree's links; 0 where slices go through shared memory. */
static plan_status_t weigh(const plan_platform_t *pf, plani_export_t *x, plan_error_t *err)
{
    size_t n = (size_t)x->plan->ranks;
    if ((x->cost = calloc(x->c.ntrees * n + 1, sizeof *x->cost)) == NULL)
        return plani_fail(err, PLAN_ENOMEM, "out of memory for the costs of %zu links", x->c.ntrees * n);
    for (size_t t = 0; t < x->c.ntrees; t++) {
        const int *parent = plan_tree_data(x->c.tree[t])->parent;
        for (size_t v = 0; v < n; v++) {
            if (parent[v] < 0) continue;
            if (x->c.run == PLAN_RUN_HOSTS && x->host[parent[v]] == x->host[v]) continue;
            int from = x->plan->reduces ? (int)v : parent[v], to = x->plan->reduces ? parent[v] : (int)v;
            size_t l = plan_platform_find_link(pf, from, to);
            if (l == (size_t)-1)
                return plani_fail(err, PLAN_EMISMATCH,
                                  "the plan sends from rank %d to rank %d, and the platform has no such link; give the "
                                  "platform that the plan was made for",
                                  from, to);
            x->cost[t * n + v] = plan_link_cost(&x->d->link[l], x->slice);
        }
    }
    return PLAN_OK;
}

/* Whether figures of a message that is sent whole are those of another size. */
static bool is_of_other_size(const plani_export_t *x)
{
    size_t at = x->plan->note[plani_plan_index(x->plan, x->bytes)].at_bytes;
    return x->c.slice == 0 && at != 0 && at != x->bytes && x->bytes > 0 && x->c.run == PLAN_RUN_TREES;
}

/* The figures of this size; of reductions, whose platform has no links the other way, none. */
static plan_status_t rate(const plan_platform_t *pf, plani_export_t *x)
{
    plan_candidate_t *c = &x->c;
    c->lp_ratio = NAN;
    if (!x->plan->reduces)
        return plan_throughput(pf, c->ntrees, c->tree, c->rate, x->slice, &c->throughput, &c->bottleneck);
    c->throughput = NAN;
    c->bottleneck.seconds = 0;
    return PLAN_OK;
}

static plan_status_t open_export(const plan_t *plan, const plan_platform_t *pf, size_t bytes, plani_export_t *x,
                                 plan_error_t *err)
{
    const plan_candidate_t *c = &x->c;
    *x = (plani_export_t){.plan = plan, .bytes = bytes, .host = plan->hosts};
    plan_status_t rc = plani_candidate_copy(plan_chosen(plan, bytes), &x->c);
    if (rc != PLAN_OK) return plani_fail(err, rc, "out of memory for the trees of %d ranks", plan->ranks);
    plani_candidate_narrow(&x->c, bytes);
    x->slice = (double)(c->slice != 0 ? c->slice : bytes);
    for (size_t t = 0; t < c->ntrees; t++) x->total += c->rate[t];
    if (pf == NULL) return PLAN_OK;
    x->d = plan_platform_data(pf);
    if (x->d->ranks != plan->ranks)
        return plani_fail(err, PLAN_EMISMATCH, "the plan is for %d ranks and the platform has %d", plan->ranks,
                          x->d->ranks);
    x->host = x->d->host;
    x->site = x->d->site;
    if ((rc = weigh(pf, x, err)) == PLAN_OK && is_of_other_size(x)) rc = rate(pf, x);
    return rc;
}

/* Candidates without trees: JSON holds all, and DOT has pictures of rounds and of shared memory. */
static plan_status_t refuse_treeless(const plan_t *plan, bool drawn, size_t bytes, plan_error_t *err)
{
    const char *const why[] = {[PLAN_RUN_ROUNDS] = "runs rounds, which are no tree",
                               [PLAN_RUN_SHARED] = "goes through shared memory, along no tree",
                               [PLAN_RUN_NATIVE] = plan->reduces ? "runs MPI_Reduce, which hides its trees"
                                                                 : "runs MPI_Bcast, which hides its trees"};
    plan_run_t run = plan_chosen(plan, bytes)->run;
    if (run == PLAN_RUN_TREES || run == PLAN_RUN_HOSTS) return PLAN_OK;
    if (drawn && run != PLAN_RUN_NATIVE) return PLAN_OK;
    return plani_fail(err, PLAN_EUNSUPPORTED, "for %zu B the plan %s; export it to json, or give another size", bytes,
                      why[run]);
}

plan_status_t plan_export(const plan_t *plan, const plan_platform_t *pf, size_t bytes, const char *format, char **text,
                          plan_error_t *err)
{
    enum { DOT, JSON, PARENTS, GRAPHML, FORMATS };
    static const char *const formats[FORMATS] = {"dot", "json", "parents", "graphml"};
    static void (*const put[])(const plani_export_t *, plani_text_t *) = {plani_export_dot, put_json, put_parents};
    plan_status_t rc = PLAN_OK;
    plani_export_t x = {0};
    plani_text_t out = {0};
    size_t k = 0;

    plani_clear(err);
    if (plan == NULL || format == NULL || text == NULL)
        return plani_fail(err, PLAN_EINVAL, "no plan to export, or no format named");
    while (k < FORMATS && strcmp(formats[k], format) != 0) k++;
    if (k == FORMATS)
        return plani_fail(err, PLAN_EINVAL, "no export is called \"%.32s\"; known: dot, graphml, json, parents",
                          format);
    if (k != JSON && (rc = refuse_treeless(plan, k == DOT, bytes, err)) != PLAN_OK) return rc;
    if ((rc = open_export(plan, pf, bytes, &x, err)) != PLAN_OK) goto done;
    if (k == GRAPHML) {
        rc = put_graphml(&x, text);
    } else {
        put[k](&x, &out);
        rc = plani_text_take(&out, text);
    }
    if (rc != PLAN_OK) plani_fail(err, rc, "%s export: %s", format, plan_status_string(rc));
done:
    plani_candidate_clear(&x.c);
    free(x.cost);
    return rc;
}
