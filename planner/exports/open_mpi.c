/* Rules for coll/tuned of Open MPI: numbers in text up to 5, JSON from 6 on. */
#include "planner/exports/exports.h"
#include <planbcast.h>
#include <limits.h>

/* The k-nomial radix is no part of a rule, but a variable of the whole job: its default. */
static const plani_setting_t setting[] = {
    {"linear", "1", PLANI_SHAPE_TOPOLOGY, PLAN_LINEAR, 0, false},
    {"chain/2", "2", PLANI_SHAPE_TOPOLOGY, PLAN_CHAIN, 2, true},
    {"chain/3", "2", PLANI_SHAPE_TOPOLOGY, PLAN_CHAIN, 3, true},
    {"chain/4", "2", PLANI_SHAPE_TOPOLOGY, PLAN_CHAIN, 4, true},
    {"chain/8", "2", PLANI_SHAPE_TOPOLOGY, PLAN_CHAIN, 8, true},
    {"chain/16", "2", PLANI_SHAPE_TOPOLOGY, PLAN_CHAIN, 16, true},
    {"pipeline", "3", PLANI_SHAPE_TOPOLOGY, PLAN_PIPELINE, 0, true},
    {"split_binary", "4", PLANI_SHAPE_SPLIT, 0, 0, true},
    {"binary", "5", PLANI_SHAPE_TOPOLOGY, PLAN_BINARY, 0, true},
    {"binomial", "6", PLANI_SHAPE_TOPOLOGY, PLAN_BINOMIAL, 0, true},
    {"knomial/4", "7", PLANI_SHAPE_TOPOLOGY, PLAN_KNOMIAL, 4, true},
    {"scatter_allgather", "8", PLANI_SHAPE_ROUNDS, PLAN_SCATTER_DOUBLING, 0, false},
    {"scatter_allgather_ring", "9", PLANI_SHAPE_ROUNDS, PLAN_SCATTER_RING, 0, false},
};
const plani_target_t plani_open_mpi = {"Open MPI", sizeof setting / sizeof *setting, setting};

/* Its binomial tree of reductions is another than that of broadcasts: rank v, counted from the root, sends to v without
 * its lowest bit. */
static const plani_setting_t reducing[] = {
    {"linear", "1", PLANI_SHAPE_TOPOLOGY, PLAN_LINEAR, 0, false},
    {"chain/2", "2", PLANI_SHAPE_TOPOLOGY, PLAN_CHAIN, 2, true},
    {"chain/3", "2", PLANI_SHAPE_TOPOLOGY, PLAN_CHAIN, 3, true},
    {"chain/4", "2", PLANI_SHAPE_TOPOLOGY, PLAN_CHAIN, 4, true},
    {"chain/8", "2", PLANI_SHAPE_TOPOLOGY, PLAN_CHAIN, 8, true},
    {"chain/16", "2", PLANI_SHAPE_TOPOLOGY, PLAN_CHAIN, 16, true},
    {"pipeline", "3", PLANI_SHAPE_TOPOLOGY, PLAN_PIPELINE, 0, true},
    {"binary", "4", PLANI_SHAPE_TOPOLOGY, PLAN_BINARY, 0, true},
    {"binomial", "5", PLANI_SHAPE_TOPOLOGY, PLAN_KNOMIAL, 2, true},
};
const plani_target_t plani_open_mpi_reduce = {"Open MPI", sizeof reducing / sizeof *reducing, reducing};

/* The collective of the rules: its number and name in Open MPI. */
static int number_of(const plani_rules_t *rules)
{
    return rules->reduces ? 11 : 7;
}

static const char *name_of(const plani_rules_t *rules)
{
    return rules->reduces ? "MPI_Reduce" : "MPI_Bcast";
}

/* Only chains have a fan-out that rules tell. */
static int fanout_of(const plani_rule_t *r)
{
    return r->setting->kind == PLAN_CHAIN && r->setting->shape == PLANI_SHAPE_TOPOLOGY ? r->setting->fanout : 0;
}

static void put_rule(const plani_rule_t *r, int version, plani_text_t *to)
{
    plani_text_add(to, "%zu %s %d %zu%s # %s; %s\n", r->from, r->setting->option, fanout_of(r), r->segment,
                   version > 1 ? " 0" : "", plani_doing(r).s, plani_costing(r).s);
}

void plani_put_open_mpi_rules(const plani_rules_t *rules, int version, plani_text_t *to)
{
    if (version > 1) plani_text_add(to, "rule-file-version-%d\n", version);
    plani_text_add(to, "# %s %s rank %d by coll/tuned of Open MPI. Written by planbcast %s.\n", name_of(rules),
                   rules->reduces ? "to" : "from", rules->root, PLANBCAST_VERSION);
    if (rules->reduces)
        plani_text_add(to, "# Not for operations that do not commute: by rules, Open MPI takes them out of order.\n");
    int ranks = 0;
    plani_text_add(to,
                   "# mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE\n"
                   "# Times are predicted, at %s.\n",
                   plani_rules_worst(rules, &ranks) != NULL
                       ? "the message size where a rule loses most against the plan"
                       : "the first message size that a rule was chosen for");
    plani_text_add(to, "1 # collective\n%d # %s\n%zu # communicator sizes\n", number_of(rules), name_of(rules),
                   rules->n);
    for (size_t i = 0; i < rules->n; i++) {
        const plani_comm_rules_t *c = &rules->comm[i];
        plani_text_add(to, "%d # ranks and more\n%zu # rules: bytes and more, algorithm, fan-out, segment%s\n",
                       c->ranks, c->n, version > 1 ? ", requests" : "");
        for (size_t k = 0; k < c->n; k++) put_rule(&c->rule[k], version, to);
    }
}

/* ---- JSON ---- */

static void put_json_rule(const plani_rule_t *r, const plani_rule_t *next, plani_text_t *to)
{
    plani_text_add(to, "        {\"msg_size_min\": %zu, ", r->from);
    if (next != NULL) plani_text_add(to, "\"msg_size_max\": %zu, ", next->from - 1);
    plani_text_add(to, "\"alg\": %s, \"faninout\": %d, \"seg_size\": %zu, \"reqs\": 0}%s\n", r->setting->option,
                   fanout_of(r), r->segment, next != NULL ? "," : "");
}

void plani_put_open_mpi_json(const plani_rules_t *rules, plani_text_t *to)
{
    plani_text_add(to,
                   "{\n  \"rule_file_version\": 3,\n  \"module\": \"tuned\",\n  \"collectives\": {\n"
                   "    \"%s\": [\n",
                   rules->reduces ? "reduce" : "bcast");
    for (size_t i = 0; i < rules->n; i++) {
        const plani_comm_rules_t *c = &rules->comm[i];
        plani_text_add(to, "      {\"comm_size_min\": %d, ", c->ranks);
        if (i + 1 < rules->n) plani_text_add(to, "\"comm_size_max\": %d, ", rules->comm[i + 1].ranks - 1);
        plani_text_add(to, "\"comm_rank_distribution\": \"any\", \"rules\": [\n");
        for (size_t k = 0; k < c->n; k++) put_json_rule(&c->rule[k], k + 1 < c->n ? &c->rule[k + 1] : NULL, to);
        plani_text_add(to, "      ]}%s\n", i + 1 < rules->n ? "," : "");
    }
    plani_text_add(to, "    ]\n  }\n}\n");
}
