/* MPICH's selection of collectives: a tree of conditions in JSON. It replaces MPICH's own selection, of all
 * collectives, so that one to keep the others from is needed. */
#include "planner/exports/exports.h"
#include "graphs/platform/json.h"
#include "lib/base/base.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Before 4.1 no more than the first. Of trees those whose name the first releases that have them read as the number 0,
 * which is what they are there, too. Trees by topology have the number 3, and no name that a selection may have. */
enum { OLD = 3, UNAWARE = 9 };
static const plani_setting_t setting[] = {
    {"binomial", "MPIR_Bcast_intra_binomial", PLANI_SHAPE_TOPOLOGY, PLAN_KNOMIAL, 2, false},
    {"scatter_recursive_doubling_allgather", "MPIR_Bcast_intra_scatter_recursive_doubling_allgather",
     PLANI_SHAPE_ROUNDS, PLAN_SCATTER_DOUBLING, 0, false},
    {"scatter_ring_allgather", "MPIR_Bcast_intra_scatter_ring_allgather", PLANI_SHAPE_ROUNDS, PLAN_SCATTER_RING, 0,
     false},
    {"kary/1", "1", PLANI_SHAPE_KARY, 0, 1, true},
    {"kary/2", "2", PLANI_SHAPE_KARY, 0, 2, true},
    {"kary/3", "3", PLANI_SHAPE_KARY, 0, 3, true},
    {"kary/4", "4", PLANI_SHAPE_KARY, 0, 4, true},
    {"kary/8", "8", PLANI_SHAPE_KARY, 0, 8, true},
    {"kary/16", "16", PLANI_SHAPE_KARY, 0, 16, true},
    {"topology_aware/1", "1", PLANI_SHAPE_AWARE, 0, 1, true},
    {"topology_aware/2", "2", PLANI_SHAPE_AWARE, 0, 2, true},
    {"topology_aware/3", "3", PLANI_SHAPE_AWARE, 0, 3, true},
    {"topology_aware/4", "4", PLANI_SHAPE_AWARE, 0, 4, true},
    {"topology_aware/8", "8", PLANI_SHAPE_AWARE, 0, 8, true},
};
const plani_target_t plani_mpich = {"MPICH", UNAWARE, setting};
const plani_target_t plani_mpich_aware = {"MPICH", sizeof setting / sizeof *setting, setting};
const plani_target_t plani_mpich_before_trees = {"MPICH", OLD, setting};

/* NULL: out of memory, here and below. Takes over `value`. */
static json_t *under(const char *key, json_t *value)
{
    json_t *object = json_object();
    if (json_object_set_new(object, key, value) == 0) return object;
    json_decref(object);
    return NULL;
}

/* In MPICH's order of reading. "is_non_blocking" comes before k: the first releases take it for k. */
static json_t *tree_parameters(const plani_rule_t *r)
{
    char k[32], chunk[48];
    const char *type = r->setting->shape == PLANI_SHAPE_AWARE ? "tree_type=3" : "tree_type=kary";
    const char *const key[] = {type, "is_non_blocking=1", k, chunk, "recv_pre_posted=0"};
    size_t n = r->segment != 0 ? 5 : 3;
    json_t *p = json_object();
    bool ok = true;
    snprintf(k, sizeof k, "k=%d", r->setting->fanout);
    snprintf(chunk, sizeof chunk, "chunk_size=%zu", r->segment);
    for (size_t i = 0; i < n && ok; i++) ok = json_object_set_new(p, key[i], json_object()) == 0;
    if (ok) return p;
    json_decref(p);
    return NULL;
}

static json_t *algorithm(const plani_rule_t *r)
{
    char name[96];
    bool trees = r->setting->shape == PLANI_SHAPE_KARY || r->setting->shape == PLANI_SHAPE_AWARE;
    const char *tree = r->segment != 0 ? "MPIR_Bcast_intra_pipelined_tree" : "MPIR_Bcast_intra_tree";
    snprintf(name, sizeof name, "algorithm=%s", trees ? tree : r->setting->option);
    return under(name, trees ? tree_parameters(r) : json_object());
}

/* The last condition has to hold always. MPICH reads sizes as int. */
static json_t *by_message(const plani_comm_rules_t *c)
{
    json_t *conditions = json_object();
    bool ok = conditions != NULL;
    for (size_t k = 0; k < c->n && ok; k++) {
        char key[48] = "avg_msg_size=any";
        bool last = k + 1 == c->n || c->rule[k + 1].from > INT_MAX;
        if (!last) snprintf(key, sizeof key, "avg_msg_size<=%zu", c->rule[k + 1].from - 1);
        ok = json_object_set_new(conditions, key, algorithm(&c->rule[k])) == 0;
        if (last) break;
    }
    if (ok) return conditions;
    json_decref(conditions);
    return NULL;
}

static json_t *by_communicator(const plani_rules_t *rules)
{
    json_t *conditions = json_object();
    bool ok = conditions != NULL;
    for (size_t i = 0; i < rules->n && ok; i++) {
        char key[48] = "comm_size=any";
        if (i + 1 < rules->n) snprintf(key, sizeof key, "comm_size<%d", rules->comm[i + 1].ranks);
        ok = json_object_set_new(conditions, key, by_message(&rules->comm[i])) == 0;
    }
    if (ok) return conditions;
    json_decref(conditions);
    return NULL;
}

/* Put the broadcasts in; what the selection says of them between two groups of ranks stays. */
static plan_status_t put_into(json_t *selection, const plani_rules_t *rules)
{
    json_t *broadcast = json_object_get(selection, "collective=bcast"), *between = NULL;
    json_t *here = json_object(), *within = by_communicator(rules);

    if (json_is_object(broadcast)) between = json_incref(json_object_get(broadcast, "comm_type=inter"));
    if (between == NULL) between = under("algorithm=MPIR_Bcast_inter_remote_send_local_bcast", json_object());
    bool ok = json_object_set_new(here, "comm_type=intra", within) == 0;
    ok = json_object_set_new(here, "comm_type=inter", between) == 0 && ok;
    return json_object_set_new(selection, "collective=bcast", here) == 0 && ok ? PLAN_OK : PLAN_ENOMEM;
}

static plan_status_t dump(const json_t *selection, char **text)
{
    char *json = json_dumps(selection, JSON_INDENT(2));
    plani_text_t to = {0};
    if (json == NULL) return PLAN_ENOMEM;
    plani_text_add(&to, "%s\n", json);
    free(json);
    return plani_text_take(&to, text);
}

plan_status_t plani_put_mpich_json(const plani_rules_t *rules, const char *base, size_t len, const char *file,
                                   char **text, plan_error_t *err)
{
    plani_json_t doc = {.value = NULL};
    json_t *selection = NULL;
    plan_status_t rc = PLAN_OK;

    if (base != NULL) {
        if ((rc = plani_json_load(base, len, file, err, &doc)) != PLAN_OK) return rc;
        if (!json_is_object(json_object_get(doc.value, "collective=bcast")))
            rc = plani_json_fail(&doc, "has no \"collective=bcast\"; give MPICH's selection of collectives, "
                                       "coll_selection.json in its sources");
        selection = json_incref(doc.value);
    } else {
        selection = json_object();
    }
    if (rc == PLAN_OK) rc = put_into(selection, rules);
    if (rc == PLAN_OK) rc = dump(selection, text);
    if (rc == PLAN_ENOMEM) plani_fail(err, rc, "out of memory for a selection of collectives");
    json_decref(selection);
    plani_json_close(&doc);
    return rc;
}
