/* The inside of the stage engine, for planner/taulop/stages*.c alone. */
#ifndef PLANI_STAGES_PRIVATE_H
#define PLANI_STAGES_PRIVATE_H

#include <stdint.h>
#include "planner/cost/cost_cache.h"

/** What the ranks at work put on a resource: counts, so that sliding leaves no rounding behind. */
typedef struct {
    long uses;       /* by links of the tree */
    long full, last; /* transfers of either size */
    size_t bucket;   /* PLANI_NO_BUCKET: it has no burst, and takes part in the tournament */
    size_t used;     /* scratch: its place among those that a depth uses, + 1 */
} plani_load_t;
#define PLANI_NO_BUCKET SIZE_MAX

/** A resource, and how many links from one depth use it. */
typedef struct {
    size_t resource;
    long links;
} plani_depth_use_t;

/** What is known of one slice size and window, for all messages that are longer and end with a full slice. */
typedef struct {
    double slice;               /* [B] */
    int limit;                  /* as plani_stages_limit says */
    bool full, loaded;          /* the full pipeline is known; the loads are */
    double fill, stage, flight; /* all stages but those of the full pipeline (with bursts: those before), one of these,
                                   the longest flight [s] */
} plani_full_pipeline_t;
enum {
    PLANI_KEPT = 48,          /* slice sizes and windows that are kept */
    PLANI_MOST_KEPT = 1 << 20 /* [B] for each tree, of either kind: as much as a row of costs */
};

/** While a pipeline drains: a bucket's load changes, or, PLANI_NO_BUCKET, a stage passes that lasts so long at least.
 */
typedef struct {
    size_t bucket;
    double seconds;
} plani_drain_step_t;

/** Arrays [ranks] are indexed by the rank that receives. */
struct plani_stages {
    const plan_tree_t *tree;          /* borrowed */
    const plan_platform_data_t *data; /* borrowed; NULL: made of classes alone */
    const plan_channel_t *channel;    /* borrowed */
    plani_cost_cache_t *costs;        /* borrowed; NULL: everything is worked out afresh */
    plani_cost_row_t *row;            /* of the full slices as timed last; NULL: without */
    int ranks, height;
    bool fluid;        /* some channel of the platform is */
    bool idles;        /* some links leave their ports to others for a part of their time: fluid and carried ones */
    int *level;        /* [ranks + 1] where each depth begins in the breadth-first order */
    size_t *link;      /* [ranks] of the platform */
    int *channel_of;   /* [ranks] */
    size_t nresources; /* of the platform; 0 without */
    /* Room to work in: */
    double *full, *last;       /* [ranks] occupation by a slice of either size */
    double *idle[2];           /* [ranks] the part of it in which a fluid link leaves its ports to others */
    double *flat[2];           /* [ranks] so long the sends of a full and of a last slice keep each rank */
    double *flight, *arrival;  /* [ranks] */
    plani_send_t *send;        /* [ranks] one flat tree */
    double *full_at, *last_at; /* [ranks] costliest flat tree of each depth, or resource of its own */
    int *top;                  /* [ranks] the rank of the costliest flat tree of each depth */
    int *queue, head, tail;    /* [ranks] depths, their full_at descending; from head to tail */
    plani_load_t *load;        /* [nresources] */
    plani_depth_use_t *used;   /* [used_first[height]] the resources that links from each depth use, each once */
    size_t *used_first;        /* [ranks + 1] where each depth's begin, */
    size_t *used_alone;        /* [ranks] and where, of these, those that no other depth uses, and that have no burst */
    size_t used_room;
    double *winner;              /* [2 * leaves] tournament of the loads; the best stands in winner[1] */
    size_t leaves;               /* a power of two >= nresources */
    plani_buckets_t buckets;     /* of the resources that have a burst, in their order */
    bool timed, costed;          /* links are timed; flat[] is known for the links as timed */
    double of_full, of_last;     /* slices that links were timed for [B] */
    int limit;                   /* and the window */
    size_t ran;                  /* so many slices, with links as timed, took */
    double total;                /* so long [s]; ran 0: nobody knows */
    plani_full_pipeline_t *kept; /* [PLANI_KEPT] NULL: nothing is kept */
    size_t nkept, oldest;
    double *full_state;         /* [PLANI_KEPT][2][buckets] left and load of each bucket when the pipeline is full */
    plani_drain_step_t *change; /* [PLANI_KEPT][changes] how each pipeline drains */
    size_t changes;
    plani_drain_step_t *note; /* where changes are noted; NULL: they are not */
    double *unit, *loads; /* [PLANI_KEPT][width] loads of one slice that are kept; [2][width] others. NULL: no room */
};

/**
 * What the window does to links [slices]: a limit; 0: nothing, all slices fit into it; below 0: nothing, but the slices
 * that are sent together, -limit, are what fluid links are timed by.
 */
static inline int plani_stages_limit(const plani_stages_t *st, plani_cut_t cut, int window)
{
    return cut.n > (size_t)window ? window : st->fluid ? -(int)cut.n : 0;
}

/** The flat trees of all ranks but the deepest, and the costliest of each depth, for both sizes of slices. */
void plani_stages_cost_depths(plani_stages_t *st, plani_cut_t cut);

/** ---- stages_kept.c ---- What is kept of such slices, made if it is new; NULL: nothing is. */
plani_full_pipeline_t *plani_kept_of(plani_stages_t *st, double slice, int limit);
/** The same of a pipeline that gets full, so that one slice more changes nothing else; NULL of others. */
plani_full_pipeline_t *plani_kept_pipeline(plani_stages_t *st, plani_cut_t cut, int limit);
/** What the stages take, and the longest flight, where kept->full [s]. */
double plani_full_pipeline_time(plani_stages_t *st, const plani_full_pipeline_t *kept, plani_cut_t cut);
/** A pipeline is about to be full, after `fill` seconds, in stages that last for `stage` at least. */
void plani_kept_begin(plani_stages_t *st, plani_full_pipeline_t *kept, double fill, double stage);
/** As plani_buckets_pass, which is noted where changes are. */
double plani_kept_pass(plani_stages_t *st, double least, double stages);

/** All resources are idle and rested. */
void plani_tournament_clear(plani_stages_t *st);
/** Resource i is busy for `seconds` in this stage. O(log nresources), less where the best of its side stays. */
void plani_tournament_set(plani_stages_t *st, size_t i, double seconds);
double plani_tournament_best(const plani_stages_t *st);

#endif
