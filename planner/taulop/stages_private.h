/* The inside of the stage engine, for planner/taulop/stages*.c alone. */
#ifndef PLANI_STAGES_PRIVATE_H
#define PLANI_STAGES_PRIVATE_H

#include <stdint.h>
#include "planner/cost/cost_cache.h"

/** The transfers that use a resource in the current stage. They are counted, so that adding and removing depths leaves
 * no rounding errors. */
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

/** The full pipeline of one slice size and window; it gives the time of all longer messages that end with a full slice.
 */
typedef struct {
    double slice;               /* [B] */
    int limit;                  /* as plani_stages_limit says */
    bool full, loaded;          /* the times below are known; the loads are */
    double fill, stage, flight; /* [s] all stages but those of the full pipeline (with bursts: those before it); one
                                   stage of it; the longest flight */
} plani_full_pipeline_t;
enum {
    PLANI_KEPT = 48,          /* slice sizes and windows that are kept */
    PLANI_MOST_KEPT = 1 << 20 /* [B] limit for each tree and kind: the size of a row of costs */
};

/** An event while a pipeline drains: a bucket's load changes, or (PLANI_NO_BUCKET) a stage of at least that time
 * passes.
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
    plani_cost_cache_t *costs;        /* borrowed; NULL: every cost is computed each time */
    plani_cost_row_t *row;            /* costs of the current full slices; NULL: none */
    int ranks, height;
    bool fluid;        /* some channel of the platform is */
    bool idles;        /* some links leave their ports to others for a part of their time: fluid and carried ones */
    int *level;        /* [ranks + 1] where each depth begins in the breadth-first order */
    size_t *link;      /* [ranks] of the platform */
    int *channel_of;   /* [ranks] */
    size_t nresources; /* of the platform; 0 without */
    /* Scratch: */
    double *full, *last;       /* [ranks] occupation by a slice of either size */
    double *idle[2];           /* [ranks] the part of it in which a fluid link leaves its ports to others */
    double *flat[2];           /* [ranks] time of the sends of each rank, of a full and of a last slice */
    double *flight, *arrival;  /* [ranks] */
    plani_send_t *send;        /* [ranks] one flat tree */
    double *full_at, *last_at; /* [ranks] costliest flat tree of each depth, or resource of its own */
    int *top;                  /* [ranks] the rank of the costliest flat tree of each depth */
    int *queue, head, tail;    /* [ranks] depths, their full_at descending; from head to tail */
    plani_load_t *load;        /* [nresources] */
    plani_depth_use_t *used;   /* [used_first[height]] the resources that links from each depth use, each once */
    size_t *used_first;        /* [ranks + 1] where each depth's begin, */
    size_t *used_alone; /* [ranks] and where, of these, those begin that no other depth uses, and that have no burst */
    size_t used_room;
    double *winner;              /* [2 * leaves] tournament of the loads; winner[1] is the largest */
    size_t leaves;               /* a power of two >= nresources */
    plani_buckets_t buckets;     /* of the resources that have a burst, in their order */
    bool timed, costed;          /* links are timed; flat[] is known for the links as timed */
    double of_full, of_last;     /* slices that links were timed for [B] */
    int limit;                   /* and the window */
    size_t ran;                  /* the number of slices of the last run with these link times */
    double total;                /* its time [s]; unknown if ran is 0 */
    plani_full_pipeline_t *kept; /* [PLANI_KEPT] NULL: nothing is kept */
    size_t nkept, oldest;
    double *full_state;         /* [PLANI_KEPT][2][buckets] left and load of each bucket when the pipeline is full */
    plani_drain_step_t *change; /* [PLANI_KEPT][changes] the events while each pipeline drains */
    size_t changes;
    plani_drain_step_t *note; /* where events are recorded; NULL: they are not */
    double *unit, *loads;     /* [PLANI_KEPT][width] kept loads of one slice; [2][width] others. NULL: not allocated */
};

/**
 * How the window limits links [slices]. 0: not at all, for all slices fit into it. Below 0: not at all, but -limit
 * slices are sent together, which the times of fluid links depend on.
 */
static inline int plani_stages_limit(const plani_stages_t *st, plani_cut_t cut, int window)
{
    return cut.n > (size_t)window ? window : st->fluid ? -(int)cut.n : 0;
}

/** The flat trees of all ranks but the deepest, and the costliest of each depth, for both sizes of slices. */
void plani_stages_cost_depths(plani_stages_t *st, plani_cut_t cut);

/** ---- stages_kept.c ---- The full pipeline kept for such slices, added if it is new; NULL: none is kept. */
plani_full_pipeline_t *plani_kept_of(plani_stages_t *st, double slice, int limit);
/** The same for a message of more slices than the tree is high, whose pipeline gets full; NULL for others. */
plani_full_pipeline_t *plani_kept_pipeline(plani_stages_t *st, plani_cut_t cut, int limit);
/** [s] The sum of the stages and the longest flight; kept->full has to be true. */
double plani_full_pipeline_time(plani_stages_t *st, const plani_full_pipeline_t *kept, plani_cut_t cut);
/** Keep the state in which a pipeline gets full, after `fill` seconds; its stages last for at least `stage`. */
void plani_kept_begin(plani_stages_t *st, plani_full_pipeline_t *kept, double fill, double stage);
/** As plani_buckets_pass, and record the event if events are recorded. */
double plani_kept_pass(plani_stages_t *st, double least, double stages);

/** Set all resources to idle, and fill their buckets. */
void plani_tournament_clear(plani_stages_t *st);
/** Resource i is busy for `seconds` in this stage. O(log nresources), less if an inner winner does not change. */
void plani_tournament_set(plani_stages_t *st, size_t i, double seconds);
double plani_tournament_best(const plani_stages_t *st);

/** ---- stages.c ---- */
/** [s] How long receiving a full (0) or last (1) slice of `bytes` occupies what rank u sends by; 0 where it receives by
 * a port of its own. */
double plani_stages_receives(const plani_stages_t *st, int which, double bytes, int u);
/** [s] How long the sends of such a slice occupy rank u, which receives for so long, too. */
double plani_stages_flat_tree(const plani_stages_t *st, int which, double bytes, int u, double receives);

#endif
