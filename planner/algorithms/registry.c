#include "planner/algorithms/registry.h"
#include "lib/base/base.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *source, *what;
} note_t;

#define OMPI "Open MPI 4.1, coll/tuned"

static const note_t topology_note[PLAN_TOPOLOGIES] = {
    [PLAN_LINEAR] = {OMPI, "the root sends to each rank"},
    [PLAN_CHAIN] = {OMPI, "four chains side by side below the root"},
    [PLAN_PIPELINE] = {OMPI, "one chain in the order of ranks"},
    [PLAN_SPLIT_BINARY] = {OMPI, "the halves of the message down the two sides of a binary tree, then exchanged"},
    [PLAN_BINARY] = {OMPI, "complete binary tree by rank number"},
    [PLAN_BINOMIAL] = {OMPI, "binomial tree by rank number"},
    [PLAN_KNOMIAL] = {OMPI, "4-nomial tree by rank number"},
};

static const note_t schedule_note[PLAN_SCHEDULES] = {
    [PLAN_SCATTER_RING] = {"Thakur, Rabenseifner, Gropp 2005", "binomial scatter, then allgather around a ring"},
    [PLAN_SCATTER_DOUBLING] = {"Thakur, Rabenseifner, Gropp 2005",
                               "binomial scatter, then allgather by recursive doubling"},
    [PLAN_CIRCULANT] = {"Träff 2022", "slices over a circulant graph, in the least possible number of rounds"},
};

static const note_t lp_trees = {"Beaumont, Legrand, Marchal, Robert 2004",
                                "trees that the linear program's rates are packed into"},
                    few_trees = {"planbcast", "a few trees that are searched for together, shared out by a program"},
                    host_trees = {"planbcast", "trees over hosts, routed slice by slice, each host entered once"},
                    postal = {"Bar-Noy, Kipnis 1992",
                              "beyond 64 ranks, trees over hosts of the postal model, for short messages"},
                    two_tree = {"Sanders, Speck, Träff 2009", "two binary trees, half of the slices down each"},
                    shared_memory = {"planbcast", "through memory that all ranks of one host share"},
                    two_level = {"planbcast", "any of these trees between hosts, shared memory inside them"},
                    native = {"the MPI library", "its own MPI_Bcast, as it chooses"};

static plani_algorithm_t *add(plani_registry_t *registry, const char *prefix, const char *name, plani_kind_t kind,
                              note_t note)
{
    plani_algorithm_t *algorithm = &registry->algorithm[registry->n++];
    *algorithm = (plani_algorithm_t){.kind = kind, .source = note.source, .what = note.what};
    snprintf(algorithm->name, sizeof algorithm->name, "%s%s", prefix, name);
    return algorithm;
}

/* "split_binary" becomes "ompi-split-binary". */
static void add_topology(plani_registry_t *registry, plan_topology_t kind)
{
    plani_algorithm_t *algorithm = add(registry, "ompi-", plan_topology_name(kind),
                                       kind == PLAN_SPLIT_BINARY ? PLANI_SPLIT : PLANI_TOPOLOGY, topology_note[kind]);
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
    for (size_t i = 0; i < n && registry->n < PLANI_REGISTRY_ROOM - PLAN_TOPOLOGIES - PLAN_SCHEDULES - 8; i++)
        add(registry, "", h[i].name, kind_of(&h[i]), (note_t){h[i].source, h[i].what})->heuristic = &h[i];
    add(registry, "", "lp-trees", PLANI_LP_TREES, lp_trees);
    add(registry, "", "few-trees", PLANI_FEW_TREES, few_trees);
    add(registry, "", "host-trees", PLANI_HOST_TREES, host_trees);
    add(registry, "", "host-postal", PLANI_POSTAL, postal);
    for (int kind = 0; kind < PLAN_TOPOLOGIES; kind++) add_topology(registry, (plan_topology_t)kind);
    add(registry, "", "two-tree", PLANI_TWO_TREE, two_tree);
    for (int kind = 0; kind < PLAN_SCHEDULES; kind++)
        add(registry, "", plan_schedule_name((plan_schedule_kind_t)kind), PLANI_SCHEDULE, schedule_note[kind])
            ->schedule = (plan_schedule_kind_t)kind;
    add(registry, "", "shared-memory", PLANI_MEMORY, shared_memory);
    add(registry, "", "two-level", PLANI_TWO_LEVEL, two_level);
    add(registry, "", "native", PLANI_NATIVE, native);
}

static plan_status_t unknown(const plani_registry_t *registry, const char *name, int len, plan_error_t *err)
{
    char known[480] = "";
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
