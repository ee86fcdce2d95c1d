/* The tuning string of UCC's transport UCP. */
#include "planner/exports/exports.h"
#include <planbcast.h>

enum { RADIX = 4 };

static const plani_setting_t setting[] = {
    {"knomial", "knomial", PLANI_SHAPE_TOPOLOGY, PLAN_KNOMIAL, RADIX, false},
    {"sag_knomial", "sag_knomial", PLANI_SHAPE_ROUNDS, PLAN_SCATTER_DOUBLING, 0, false},
    {"dbt", "dbt", PLANI_SHAPE_TWO_TREES, 0, 0, false},
};
const plani_target_t plani_ucc = {"UCC", sizeof setting / sizeof *setting, setting};

static void put_size(size_t bytes, plani_text_t *to)
{
    if (bytes > 0 && bytes % 1024 == 0)
        plani_text_add(to, "%zuk", bytes / 1024);
    else
        plani_text_add(to, "%zu", bytes);
}

/* Ranges of message sizes share their ends. */
static void put_rule(const plani_rules_t *rules, size_t i, size_t k, plani_text_t *to)
{
    const plani_comm_rules_t *c = &rules->comm[i];
    plani_text_add(to, "%sbcast:", i + k > 0 ? "#" : "");
    put_size(c->rule[k].from, to);
    plani_text_add(to, "-");
    if (k + 1 < c->n)
        put_size(c->rule[k + 1].from, to);
    else
        plani_text_add(to, "inf");
    plani_text_add(to, ":host:[%d-", c->ranks);
    if (i + 1 < rules->n)
        plani_text_add(to, "%d", rules->comm[i + 1].ranks - 1);
    else
        plani_text_add(to, "inf");
    plani_text_add(to, "]:inf:@%s", c->rule[k].setting->option);
}

void plani_put_ucc(const plani_rules_t *rules, plani_text_t *to)
{
    plani_text_add(to, "# Broadcasts from rank %d by UCC, written by planbcast %s, to be sourced by a shell.\n",
                   rules->root, PLANBCAST_VERSION);
    plani_text_add(to, "# Times are predicted, at the message size where a rule loses most against the plan:\n");
    for (size_t i = 0; i < rules->n; i++)
        for (size_t k = 0; k < rules->comm[i].n; k++)
            plani_text_add(to, "# %d ranks, %zu bytes and more: %s; %s\n", rules->comm[i].ranks,
                           rules->comm[i].rule[k].from, plani_doing(&rules->comm[i].rule[k]).s,
                           plani_costing(&rules->comm[i].rule[k]).s);
    plani_text_add(to, "export UCC_TL_UCP_BCAST_KN_RADIX=%d\nexport UCC_TL_UCP_TUNE='", (int)RADIX);
    for (size_t i = 0; i < rules->n; i++)
        for (size_t k = 0; k < rules->comm[i].n; k++) put_rule(rules, i, k, to);
    plani_text_add(to, "'\n");
}
