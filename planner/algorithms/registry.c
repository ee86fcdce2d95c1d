#include "planner/algorithms/registry.h"
#include "lib/base/base.h"
#include <stdio.h>
#include <string.h>

static plani_algorithm_t *add(plani_registry_t *registry, const char *prefix, const char *name, plani_kind_t kind)
{
    plani_algorithm_t *algorithm = &registry->algorithm[registry->n++];
    *algorithm = (plani_algorithm_t){.kind = kind};
    snprintf(algorithm->name, sizeof algorithm->name, "%s%s", prefix, name);
    return algorithm;
}

/* "split_binary" becomes "ompi-split-binary". */
static void add_topology(plani_registry_t *registry, plan_topology_t kind)
{
    plani_algorithm_t *algorithm =
        add(registry, "ompi-", plan_topology_name(kind), kind == PLAN_SPLIT_BINARY ? PLANI_SPLIT : PLANI_TOPOLOGY);
    algorithm->topology = kind;
    for (char *c = algorithm->name; *c != '\0'; c++)
        if (*c == '_') *c = '-';
}

static plani_kind_t kind_of(const plan_heuristic_t *h)
{
    if (h->routed) return PLANI_ROUTED;
    return strcmp(h->name, "best-tree") == 0 ? PLANI_SEARCH : PLANI_HEURISTIC;
}

static void fill(plani_registry_t *registry)
{
    size_t n = 0;
    const plan_heuristic_t *h = plan_heuristics(&n);
    registry->n = 0;
    for (size_t i = 0; i < n && registry->n < PLANI_REGISTRY_ROOM - PLAN_TOPOLOGIES - PLAN_SCHEDULES - 7; i++)
        add(registry, "", h[i].name, kind_of(&h[i]))->heuristic = &h[i];
    add(registry, "", "lp-trees", PLANI_LP_TREES);
    add(registry, "", "few-trees", PLANI_FEW_TREES);
    add(registry, "", "host-trees", PLANI_HOST_TREES);
    for (int kind = 0; kind < PLAN_TOPOLOGIES; kind++) add_topology(registry, (plan_topology_t)kind);
    add(registry, "", "two-tree", PLANI_TWO_TREE);
    for (int kind = 0; kind < PLAN_SCHEDULES; kind++)
        add(registry, "", plan_schedule_name((plan_schedule_kind_t)kind), PLANI_SCHEDULE)->schedule =
            (plan_schedule_kind_t)kind;
    add(registry, "", "shared-memory", PLANI_MEMORY);
    add(registry, "", "two-level", PLANI_TWO_LEVEL);
    add(registry, "", "native", PLANI_NATIVE);
}

static plan_status_t unknown(const plani_registry_t *registry, const char *name, int len, plan_error_t *err)
{
    char known[448] = "";
    size_t used = 0;
    for (size_t i = 0; i < registry->n && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", registry->algorithm[i].name);
    return plani_fail(err, PLAN_EINVAL, "no candidate is called \"%.*s\"; known: %s", len < 32 ? len : 32, name, known);
}

plan_status_t plani_registry_init(plani_registry_t *registry, const plan_choice_t *choice, plan_error_t *err)
{
    const char *at = choice->only;
    fill(registry);
    for (size_t i = 0; i < registry->n && at == NULL; i++)
        registry->algorithm[i].wanted = registry->algorithm[i].kind != PLANI_NATIVE || choice->include_native;
    while (at != NULL) {
        size_t len = strcspn(at, ","), i = 0;
        while (i < registry->n &&
               (strncmp(registry->algorithm[i].name, at, len) != 0 || registry->algorithm[i].name[len] != '\0'))
            i++;
        if (i == registry->n) return unknown(registry, at, (int)(len < 64 ? len : 64), err);
        registry->algorithm[i].wanted = true;
        at = at[len] == ',' ? at + len + 1 : NULL;
    }
    return PLAN_OK;
}
