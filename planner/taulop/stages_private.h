/* The inside of the stage engine, for planner/stages*.c alone. */
#ifndef PLANI_STAGES_PRIVATE_H
#define PLANI_STAGES_PRIVATE_H

#include <stdint.h>
#include "planner/cost/cost_cache.h"

/** What the ranks at work put on a resource: counts, so that sliding leaves no rounding behind. */
typedef struct {
    long uses;       /* by links of the tree */
    long full, last; /* transfers of either size */
    size_t bucket;   /* PLANI_NO_BUCKET: it has no burst, and takes part in the tournament */
    bool felt;       /* it is listed in felt[] */
} plani_load_t;
#define PLANI_NO_BUCKET SIZE_MAX

/**
 * A full pipeline takes the same time for each slice more: what is known of one slice size and window tells all longer
 * messages that end with a full slice, to the last bit.
 */
typedef struct {
    double slice; /* [B] */
    int window;
    double fill, stage, flight; /* all stages but those of the full pipeline, one of these, the longest flight [s] */
} plani_full_pipeline_t;
enum { PLANI_STEADY = 48 }; /* slice sizes and windows that are kept */

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
    double *full_at, *last_at; /* [ranks] costliest flat tree of each depth */
    int *top;                  /* [ranks] the rank of the costliest flat tree of each depth */
    int *queue;                /* [ranks] depths, their full_at descending */
    plani_load_t *load;        /* [nresources] */
    size_t *felt;              /* [nresources] what ranks put to work change, each once */
    double *winner;            /* [2 * leaves] tournament of the loads; the best stands in winner[1] */
    size_t leaves;             /* a power of two >= nresources */
    plani_buckets_t buckets;   /* of the resources that have a burst, in their order */
    bool costed;               /* flat[] is known for the links as timed */
    int window;                /* that links were timed with */
    plani_full_pipeline_t steady[PLANI_STEADY]; /* only with `costs` */
    size_t nsteady, oldest;
};

/** All resources are idle and rested. */
void plani_tournament_clear(plani_stages_t *st);
/** Resource i is busy for `seconds` in this stage. O(log nresources), less where the best of its side stays. */
void plani_tournament_set(plani_stages_t *st, size_t i, double seconds);
double plani_tournament_best(const plani_stages_t *st);

#endif
