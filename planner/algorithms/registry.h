/* Everything that a ranking can list, by name. */
#ifndef PLANI_REGISTRY_H
#define PLANI_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/plan.h>

typedef enum {
    PLANI_HEURISTIC,  /* a spanning tree of the catalogue */
    PLANI_SEARCH,     /* best-tree: a spanning tree of the catalogue that is searched for */
    PLANI_ROUTED,     /* not executable */
    PLANI_LP_TREES,   /* trees that the linear program packs */
    PLANI_FEW_TREES,  /* a few trees that are searched for together */
    PLANI_HOST_TREES, /* trees over the hosts of a described cluster */
    PLANI_POSTAL,     /* the same for short messages */
    PLANI_TOPOLOGY,   /* one of Open MPI's trees */
    PLANI_SPLIT,      /* Open MPI's split binary, as two trees */
    PLANI_TWO_TREE,   /* two binary trees with half the slices each */
    PLANI_SCHEDULE,   /* a schedule of rounds */
    PLANI_MEMORY,     /* through memory that all ranks share */
    PLANI_TWO_LEVEL,  /* trees between hosts, shared memory inside them */
    PLANI_NATIVE      /* MPI_Bcast of the MPI library */
} plani_kind_t;

typedef struct {
    char name[64];
    plani_kind_t kind;
    const char *source, *what;         /* paper or program, and one line of description */
    const plan_heuristic_t *heuristic; /* PLANI_HEURISTIC, PLANI_SEARCH, PLANI_ROUTED */
    plan_topology_t topology;          /* PLANI_TOPOLOGY, PLANI_SPLIT */
    plan_schedule_kind_t schedule;     /* PLANI_SCHEDULE */
    bool wanted;
} plani_algorithm_t;

#define PLANI_REGISTRY_ROOM 64

/** In the order in which ties are broken. */
typedef struct {
    size_t n;
    plani_algorithm_t algorithm[PLANI_REGISTRY_ROOM];
} plani_registry_t;

/** Fill the registry, and set `wanted` where `choice` asks for the algorithm. PLAN_EINVAL: an unknown name; `err` lists
 * the known ones. */
plan_status_t plani_registry_init(plani_registry_t *registry, const plan_choice_t *choice, plan_error_t *err);

#endif
