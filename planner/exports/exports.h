/*
 * Exports of plans and machines for programs that broadcast, or simulate, without this library: what they can express,
 * chosen by the predictor that ranks candidates.
 */
#ifndef PLANI_EXPORTS_H
#define PLANI_EXPORTS_H

#include "lib/base/text.h"
#include "planner/algorithms/described.h"
#include "planner/select/decide.h"

/* ---- where platforms come from: source.c ---- */

/** A platform, or a described cluster, of which communicators are the first ranks. Zero-initialise. */
typedef struct {
    const char *file; /* for errors; borrowed */
    plani_cluster_t *cluster;
    plan_platform_t *pf; /* of a cluster: made when it is needed */
    int ranks;
    bool reduces;              /* set after parsing: of reductions, which are planned on all links */
    double combine_s_per_byte; /* [s/B] then: time to combine two messages */
} plani_source_t;

/** Read a platform, profile, cluster spec or machine from its text. PLAN_EFORMAT: `err` names file, place and remedy.
 */
plan_status_t plani_source_parse(const char *text, size_t len, const char *file, plani_source_t *out,
                                 plan_error_t *err);
void plani_source_clear(plani_source_t *source);
/**
 * What the communicator of the first `ranks` ranks is planned on.
 * \retval PLAN_EINVAL more ranks than the source has, or root is none of them
 * \retval PLAN_EUNSUPPORTED not all ranks of a cluster of more than PLANI_PAIRED_RANKS
 */
plan_status_t plani_source_platform(plani_source_t *source, int ranks, int root, plani_described_t *out,
                                    plan_error_t *err);

/* ---- what a program can be told to do: target.c ---- */

typedef enum {
    PLANI_SHAPE_TOPOLOGY,  /* a tree of Open MPI, with a fan-out */
    PLANI_SHAPE_SPLIT,     /* Open MPI's split binary: halves of the message */
    PLANI_SHAPE_KARY,      /* the children of v are k v + 1 .. k v + k */
    PLANI_SHAPE_AWARE,     /* MPICH's k-ary trees of groups, of their switches and of the ranks there */
    PLANI_SHAPE_BINE,      /* a Bine tree, of a power of two of ranks */
    PLANI_SHAPE_TWO_TREES, /* two binary trees, half of the message each */
    PLANI_SHAPE_ROUNDS     /* a schedule of rounds in the order of ranks */
} plani_shape_kind_t;

typedef struct {
    const char *name;   /* "chain/8": no two of a target are equal */
    const char *option; /* what the program calls the algorithm */
    plani_shape_kind_t shape;
    int kind;      /* plan_topology_t or plan_schedule_kind_t */
    int fanout;    /* 0: none, or the program's default */
    bool segments; /* the program can send it in segments */
} plani_setting_t;

typedef struct {
    const char *name; /* "Open MPI" */
    size_t n;
    const plani_setting_t *setting; /* [n] */
} plani_target_t;

extern const plani_target_t plani_open_mpi, plani_mpich, plani_ucc;
/** Reductions. Those that combine in the order of ranks, and Rabenseifner's, have no tree from the root and are left
 * out. */
extern const plani_target_t plani_open_mpi_reduce;
/** Bine trees (De Sensi et al. 2025) beside binomial ones: no program takes rules for them. */
extern const plani_target_t plani_bine;
extern const plani_target_t plani_mpich_before_trees; /* releases before 4.1 */
extern const plani_target_t plani_mpich_aware;        /* with a file of coordinates; 4.1 and 4.2 */

/** The tree of a setting that is one tree of so many ranks. PLAN_EUNSUPPORTED: it is none, needs a platform, or a Bine
 * tree of another number of ranks than a power of two. */
plan_status_t plani_setting_tree(const plani_setting_t *setting, int ranks, int root, plan_tree_t **out);
/** Open a planning context of the target's settings alone, without those that the platform lacks links for. Of
 * reductions, `on` is the platform with all links reversed. */
plan_status_t plani_target_open(const plani_target_t *target, const plani_described_t *on, int root,
                                plani_context_t *ctx, plan_error_t *err);
/** Rank them for a message, each at the best segment size that the program can send. The slice of what has no segments
 * is 0, and that of whole halves a half. What a program does otherwise at this size has an infinite predicted_s.
 * \retval PLAN_EUNSUPPORTED there is none */
plan_status_t plani_target_rank(const plani_target_t *target, plani_context_t *ctx, size_t bytes, plan_ranking_t **out,
                                plan_error_t *err);
/** The segment size to tell the program for slices of a ranking; 0: none, as of whole halves. */
size_t plani_setting_segment(const plani_setting_t *setting, size_t slice, size_t bytes);
/** NULL: none is called so. */
const plani_setting_t *plani_target_find(const plani_target_t *target, const char *name);

/* ---- rules: rules.c ---- */

/** What to do with messages of `from` bytes and more, up to the next rule. */
typedef struct {
    size_t from;
    const plani_setting_t *setting;
    size_t segment; /* [B] 0: the message, or its halves, whole */
    /* Where it loses most, by the model: */
    size_t at;              /* [B] */
    double seconds, plan_s; /* [s] this rule, and the plan; plan_s NAN: not known */
    char plan[64];          /* the candidate that the plan chose */
} plani_rule_t;

typedef struct {
    int ranks;
    size_t n;
    plani_rule_t rule[PLANI_SIZES];
} plani_comm_rules_t;

/** Zero-initialise. */
typedef struct {
    const plani_target_t *target;
    int ranks, root;
    bool reduces; /* to the root */
    size_t bytes; /* the largest message that was planned for */
    size_t n;
    plani_comm_rules_t *comm; /* [n] communicator sizes, ascending */
} plani_rules_t;

enum { PLANI_COMMUNICATORS = 32 };

/**
 * The best settings for communicators of these sizes [n], ascending, and messages of up to `bytes`.
 * \param choice of the plans that they are compared with
 * \param target one of reductions where the source is
 */
plan_status_t plani_rules_create(plani_source_t *source, const plani_target_t *target, int root, size_t bytes, size_t n,
                                 const int *ranks, const plan_choice_t *choice, plani_rules_t *out, plan_error_t *err);
/** One more message size r->at, above `last`, the one before: a rule of its own, or a part of the last one, which keeps
 * where it loses most. */
void plani_rules_add_size(plani_comm_rules_t *to, size_t last, const plani_rule_t *r);
void plani_rules_clear(plani_rules_t *rules);
/** The rule that loses most against the plan; NULL: no plan is known. *ranks: of its communicator. */
const plani_rule_t *plani_rules_worst(const plani_rules_t *rules, int *ranks);
/** rule->seconds / rule->plan_s */
static inline double plani_rule_factor(const plani_rule_t *rule)
{
    return rule->seconds / rule->plan_s;
}

/* ---- files ---- */

/** Open MPI's classic rules, version 1 or 2; and its JSON. */
void plani_put_open_mpi_rules(const plani_rules_t *rules, int version, plani_text_t *to);
void plani_put_open_mpi_json(const plani_rules_t *rules, plani_text_t *to);
/**
 * MPICH's selection of collectives, with these broadcasts within communicators.
 * \param base [len] the selection that keeps the other collectives, from `file`; NULL: none
 * \retval PLAN_EFORMAT base is none
 */
plan_status_t plani_put_mpich_json(const plani_rules_t *rules, const char *base, size_t len, const char *file,
                                   char **text, plan_error_t *err);
void plani_put_ucc(const plani_rules_t *rules, plani_text_t *to);
/** MPICH's tree by topology (PLANI_SHAPE_AWARE). O(ranks^2). PLAN_ENOMEM. */
plan_status_t plani_aware_tree(const plan_platform_data_t *d, int k, int root, plan_tree_t **out);
/** The file that tells MPICH the topology: of MPI_COMM_WORLD, whose ranks are those of d. */
void plani_put_coordinates(const plan_platform_data_t *d, plani_text_t *to);
/**
 * Every message of a broadcast in GOAL.
 * \retval PLAN_EUNSUPPORTED MPI_Bcast, or shared memory, whose messages are not known; or too many
 */
plan_status_t plani_put_goal(const plan_candidate_t *c, int ranks, int root, size_t bytes, plani_text_t *to,
                             plan_error_t *err);
/**
 * The same of a reduction to the root, and what each rank combines.
 * \param combine_s_per_byte [s/B] time to combine two messages
 */
plan_status_t plani_put_goal_reduction(const plan_candidate_t *c, int ranks, int root, size_t bytes,
                                       double combine_s_per_byte, plani_text_t *to, plan_error_t *err);
/** SimGrid's platform of a described cluster; and the host of each rank, a line each. */
void plani_put_simgrid(const plani_cluster_t *c, plani_text_t *to);
void plani_put_hosts(const plani_cluster_t *c, plani_text_t *to);

/** What a rule does, as text: "chain/4 in segments of 64 KiB". */
typedef struct {
    char s[96];
} plani_doing_t;
plani_doing_t plani_doing(const plani_rule_t *rule);
/** What it costs: "1.43 times the plan's time (best-tree) at 4 MiB". */
typedef struct {
    char s[512];
} plani_costing_t;
plani_costing_t plani_costing(const plani_rule_t *rule);

#endif
