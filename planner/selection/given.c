/* Parameters as the paper prints them, and the decision that it compares with. */
#include "planner/selection/known.h"
#include "lib/base/base.h"
#include "planner/literature/taulop_read.h"
#include <stdlib.h>

struct sel_given {
    sel_table_t table;
    size_t segment; /* [B] that the parameters are for */
    lit_taulop_t of[SEL_WAYS];
    lit_gamma_t gamma;
};

/* ---- reading ---- */

/* Open MPI's trees are the settings of one tree, and split-binary. */
static bool is_tree(const plani_setting_t *s)
{
    return s->shape == PLANI_SHAPE_TOPOLOGY || s->shape == PLANI_SHAPE_SPLIT;
}

static plan_status_t read_algorithm(const plani_json_t *object, const plani_setting_t *s, size_t segment,
                                    const lit_taulop_t *shared, sel_given_t *g)
{
    lit_taulop_t *p = &g->of[g->table.nways];
    plan_status_t rc;

    *p = *shared;
    if ((rc = lit_taulop_read_costs(object, p)) != PLAN_OK) return rc;
    g->table.way[g->table.nways++] = (sel_way_t){s, s->segments ? segment : 0};
    return PLAN_OK;
}

/* In the order of the settings, whatever the file's. */
static plan_status_t read_algorithms(const plani_json_t *doc, size_t segment, const lit_taulop_t *shared,
                                     sel_given_t *g)
{
    plani_json_t all;
    plan_status_t rc = plani_json_object(doc, "algorithms", true, &all);
    for (size_t i = 0; i < plani_open_mpi.n && rc == PLAN_OK; i++) {
        const plani_setting_t *s = &plani_open_mpi.setting[i];
        plani_json_t object = plani_json_member(&all, s->name);
        if (object.value != NULL && is_tree(s)) rc = read_algorithm(&object, s, segment, shared, g);
    }
    if (rc == PLAN_OK && (g->table.nways == 0 || (size_t)g->table.nways != json_object_size(all.value)))
        rc = plani_json_fail(&all,
                             "must be trees of Open MPI: linear, chain/4, pipeline, split_binary, binary, binomial, "
                             "knomial/4");
    return rc;
}

static plan_status_t read_members(const plani_json_t *doc, sel_given_t *g)
{
    size_t segment = 0;
    lit_taulop_t shared = {0};
    plan_status_t rc;
    if ((rc = plani_json_size_t(doc, "segment", &segment)) != PLAN_OK) return rc;
    g->segment = segment;
    if ((rc = lit_taulop_read_shared(doc, &g->gamma, &shared)) != PLAN_OK) return rc;
    return read_algorithms(doc, segment, &shared, g);
}

plan_status_t sel_given_parse(const char *text, size_t len, const char *file, sel_given_t **out, plan_error_t *err)
{
    plani_json_t doc;
    sel_given_t *g = calloc(1, sizeof *g);
    if (g == NULL) return plani_fail(err, PLAN_ENOMEM, "out of memory for %s", file);
    g->table.library = &plani_open_mpi;
    plan_status_t rc = plani_json_load(text, len, file, err, &doc);
    if (rc == PLAN_OK) {
        rc = read_members(&doc, g);
        plani_json_close(&doc);
    }
    if (rc == PLAN_OK)
        *out = g;
    else
        free(g);
    return rc;
}

void sel_given_destroy(sel_given_t **given)
{
    free(*given);
    *given = NULL;
}

sel_fit_t sel_given_fit(const sel_given_t *given)
{
    return (sel_fit_t){.table = &given->table, .given = given};
}

plan_status_t sel_given_predict(const sel_given_t *g, int way, sel_layout_t layout, size_t bytes, double *seconds)
{
    const plani_setting_t *s = g->table.way[way].setting;
    plan_topology_t kind = s->shape == PLANI_SHAPE_SPLIT ? PLAN_SPLIT_BINARY : (plan_topology_t)s->kind;
    return lit_predict_taulop(&g->of[way], kind, layout.ranks, layout.per_host, 0, s->fanout, bytes, g->segment,
                              seconds);
}

/* ---- Listing 1 ---- */

const char *sel_listing1(int ranks, size_t bytes)
{
    const double P = ranks, m = (double)bytes;
    if (bytes < 2048) return "binomial";
    if (bytes < 370728) return "split_binary";
    if (P < 1.6134e-6 * m + 2.1102) return "pipeline";
    return ranks < 13 ? "split_binary" : "pipeline";
}
