/*
 * The planning context: everything that depends on the platform and the slice size but not on the message, made once
 * and kept while many message sizes are ranked.
 */
#ifndef PLANI_CONTEXT_H
#define PLANI_CONTEXT_H

#include <stdint.h>
#include "planner/algorithms/host_trees.h"
#include "planner/algorithms/registry.h"
#include "planner/algorithms/resource_bound.h"
#include "planner/simulate/simulation.h"
#include "planner/plan/rounds.h"
#include "planner/algorithms/search/start_trees.h"
#include "planner/cost/cost_cache.h"
#include "planner/simulate/sharing.h"
#include "planner/taulop/score.h"

/** A way to broadcast: trees or rounds, without slice size and window. */
typedef struct {
    size_t algorithm; /* index in the registry */
    size_t duplicate; /* the first instance of the same trees and shares, or its own index: duplicates score alike */
    size_t ntrees;
    plan_tree_t **tree;      /* [ntrees] owned; NULL: in two levels, where they are made when asked for
                              (plani_context_expand) */
    double *share;           /* [ntrees] adds up to 1 */
    uint64_t hash;           /* of trees and shares */
    plani_sharing_t sharing; /* of trees */
    plani_stages_t **ready;  /* [ntrees] the trees, prepared for scoring; borrowed from the context */
    plani_rounds_t *rounds;  /* owned; NULL for trees. Of rounds: no tree */
    bool shared;             /* through memory that all ranks share: neither trees nor rounds */
    bool two_level;          /* shared memory inside hosts; between them the trees of an instance of the leaders: */
    size_t between;
} plani_instance_t;

/** A tree, prepared for scoring. */
typedef struct {
    uint64_t hash;
    const plan_tree_t *tree; /* the first instance's that has it */
    plani_stages_t *stages;  /* owned */
} plani_ready_t;

/** The bound at one slice size. */
typedef struct {
    double slice;          /* [B] */
    double bound, gap;     /* no broadcast sustains more than `bound` slices/s; certified to the relative gap */
    double goal;           /* gap that was asked for */
    plan_steady_t *steady; /* rates and prices, which bound other slice sizes, too; NULL if transferred from those */
    bool trees;            /* packed, too */
} plani_bound_t;

/** A simulation of an instance, from which longer messages are extrapolated. */
typedef struct {
    size_t instance, slice;
    int window;
    plani_extrapolation_t from;
} plani_simulated_t;

#define PLANI_BUILT 8

/** Relative gap of bounds that trees are made from, and of printed shares of the bound: it changes their third digit.
 */
#define PLANI_COARSE_GAP 2e-3

typedef struct plani_context {
    const plan_platform_t *pf;
    const plan_platform_data_t *d;
    int root;
    bool one_host;     /* all ranks share one */
    bool fluid;        /* some channel is */
    double rendezvous; /* [B] the least rendezvous_bytes of a network; INFINITY: there is none */
    plan_choice_t choice;
    bool taulop;    /* tau-Lop's stages; else choice.scorer */
    bool simulates; /* the simulation decides */
    plani_registry_t registry;
    const plani_host_trees_t *hosts; /* borrowed; NULL: no cluster is known */
    plani_host_trees_t *own_hosts;   /* the same, where they were inferred, */
    plani_cluster_t *own_cluster;    /* and from what */
    bool sparse;                     /* pf has the links of `hosts` alone */
    struct plani_leaders *leaders;   /* owned: one rank of each host, and what is planned among them; NULL: nothing */
    plani_resource_bound_t
        *resources;  /* gives the bound of platforms that were made from machines; NULL: the links do */
    double deadline; /* monotonic [s]; 0: none */
    bool caches;     /* keep costs, full pipelines and simulations; without it everything is computed each time */
    size_t nbounds, bound_room, ninstances, room;
    plani_bound_t *bound;
    plani_instance_t *instance;
    plani_cost_cache_t *costs; /* of all instances */
    plani_ready_t *ready;      /* [nready] the trees of all instances, each once */
    size_t nready, ready_room;
    plani_split_t *split; /* made when first needed, as simulation is */
    plani_simulation_t *simulation;
    plani_simulated_t *simulated; /* [nsimulated] */
    size_t nsimulated, simulated_room;
    size_t nbuilt;
    double built[PLANI_BUILT]; /* slice sizes for which the trees have been made [B] */
    plani_problem_t problem[PLANI_BUILT];
    plani_starts_t *starts[PLANI_BUILT]; /* where best-tree starts at these slice sizes; NULL where it is not wanted */
} plani_context_t;

/** What plani_context_open refuses, whatever the platform. */
plan_status_t plani_context_check(const plan_choice_t *choice, plan_error_t *err);
/** Check the request and open; on failure nothing is left to clear. Borrows pf and choice's strings. */
plan_status_t plani_context_open(const plan_platform_t *pf, int root, const plan_choice_t *choice, bool caches,
                                 plani_context_t *ctx, plan_error_t *err);
/**
 * The platform's hosts as described, which host-trees are made from; right after opening.
 * \param sparse pf has the links of these trees alone (plani_host_trees_platform). Algorithms that need other links, or
 * more than about linear time, are left out, and the bound is that of the machine
 */
void plani_context_use_hosts(plani_context_t *ctx, const plani_host_trees_t *hosts, bool sparse);
/** Whether the candidates that are asked for need no other links: all that are, unless some are named, and a model of
 * the library's own. */
bool plani_is_for_sparse(const plan_choice_t *choice);
/** The same of hosts inferred from the platform's resources, if they can be inferred. PLAN_ENOMEM, PLAN_ESOLVER. */
plan_status_t plani_context_infer_hosts(plani_context_t *ctx, plan_error_t *err);
/** Leave out what is neither trees nor MPI's own; right after opening. */
void plani_context_use_trees(plani_context_t *ctx);
void plani_context_clear(plani_context_t *ctx);
/** Platforms of more ranks are not simulated: the number of events grows with them. */
enum { PLANI_SIMULATED_RANKS = 512 };
/** Fill in the text of an error that has none, such as one of a caller's scorer. */
plan_status_t plani_context_explain(plan_status_t rc, plan_error_t *err);

/** Make the trees of every wanted candidate for messages of `bytes`, at a few typical slice sizes. */
plan_status_t plani_context_build(plani_context_t *ctx, size_t bytes, plan_error_t *err);
/** Whether trees made for slices of this size are tried for a message. */
static inline bool plani_is_typical(double slice, size_t bytes)
{
    return slice <= 4.0 * (double)bytes;
}
/** Add an instance whose trees and shares it takes over, also when it fails. */
plan_status_t plani_context_add(plani_context_t *ctx, size_t algorithm, size_t ntrees, plan_tree_t **tree,
                                double *share);

/** The ranks that lead hosts, and a planning context for them alone. */
typedef struct plani_leaders {
    int *leader; /* [hosts] by host */
    plan_platform_t *pf;
    struct plani_context *ctx;
} plani_leaders_t;
/** Open the leaders' context, if candidates in two levels are wanted, the time that shared memory takes is known, and
 * leaders reach each other; or if ranks have few links, but leaders, few of them, all pairs. Else ctx->leaders stays
 * NULL. The caller makes its trees. */
plan_status_t plani_context_lead(plani_context_t *ctx, plan_error_t *err);
/** Add an instance in two levels for each of the leaders' instances, or one that goes on inside hosts by messages, or
 * both. */
plan_status_t plani_context_add_led(plani_context_t *ctx);
/** The trees of all ranks of an instance of the leaders, [its ntrees], which are the caller's. PLAN_ENOMEM. */
plan_status_t plani_context_expand(const plani_context_t *ctx, size_t between, plan_tree_t ***out);

/** The same for a schedule of rounds; NULL: for memory that all ranks share. */
plan_status_t plani_context_add_rounds(plani_context_t *ctx, size_t algorithm, plani_rounds_t *rounds);

/**
 * The bound at a slice size to PLANI_COARSE_GAP, valid until the next call. It is solved at the first call, unless the
 * bounds at other sizes are tight enough here. `trees`: it is solved at this very size and finely, and its rates are
 * packed into trees.
 */
plan_status_t plani_context_bound(plani_context_t *ctx, double slice, bool trees, const plani_bound_t **out,
                                  plan_error_t *err);
/** The same to the gap of `planbcast solve`. */
plan_status_t plani_context_fine_bound(plani_context_t *ctx, double slice, const plani_bound_t **out,
                                       plan_error_t *err);
/** True once the part of the time limit for making trees has passed. */
bool plani_context_late(const plani_context_t *ctx);
/** True once the whole time limit has passed. */
bool plani_context_over(const plani_context_t *ctx);

/* ---- instances.c: each makes the instances that the platform has links for ---- */
/** An instance of one tree, which is taken over. */
plan_status_t plani_add_one(plani_context_t *ctx, size_t algorithm, plan_tree_t *tree);
plan_status_t plani_make_heuristic(plani_context_t *ctx, size_t algorithm, double slice, const double *rates,
                                   plan_error_t *err);
/** Search for throughput; and from the same start trees, for a message of some size, at typical slice sizes. */
plan_status_t plani_make_max_throughput(plani_context_t *ctx, size_t algorithm, double slice,
                                        const plan_steady_t *steady, plan_error_t *err);
plan_status_t plani_make_min_makespan(plani_context_t *ctx, size_t algorithm, size_t bytes);
plan_status_t plani_make_topology(plani_context_t *ctx, size_t algorithm);
plan_status_t plani_make_split(plani_context_t *ctx, size_t algorithm);
plan_status_t plani_make_host_trees(plani_context_t *ctx, size_t algorithm);
/** The trees of an instance of the leaders, on by messages inside hosts. */
plan_status_t plani_make_expanded(plani_context_t *ctx, size_t between);
/** Two trees, or rounds, among the ranks in the order of the chain of hosts: sites and hosts in one piece each.
 * Recursive doubling is tried in the order that deals out hosts and sites, too. */
plan_status_t plani_make_two_tree(plani_context_t *ctx, size_t algorithm);
plan_status_t plani_make_rounds(plani_context_t *ctx, size_t algorithm);
/**
 * The shares with which these trees sustain most slices of this size, adding up to 1 [*ntrees]. Trees that are better
 * left out are destroyed, and *ntrees and the arrays shortened.
 */
plan_status_t plani_share(const plan_platform_t *pf, double slice, size_t *ntrees, plan_tree_t **tree, double *share);
plan_status_t plani_make_lp_trees(plani_context_t *ctx, size_t algorithm, const plan_steady_t *steady, double slice);
plan_status_t plani_make_few_trees(plani_context_t *ctx, size_t algorithm, const plan_steady_t *steady, double slice,
                                   plan_error_t *err);

#endif
