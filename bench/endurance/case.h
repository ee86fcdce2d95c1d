/* State of a running case, internal to case.c, cast.c and misuse.c. */
#ifndef BENCH_ENDURANCE_CASE_H
#define BENCH_ENDURANCE_CASE_H

#include "endurance.h"

enum { MOST_CASTS = 400, MOST_PLANS = 5 };

/* How one rank, the culprit, or all ranks but the root (USE_SHORT) misuse a broadcast. */
typedef enum {
    USE_RIGHT,
    USE_NULL,     /* no buffer */
    USE_NOTHING,  /* count 0 */
    USE_NEGATIVE, /* count -1 */
    USE_NO_TYPE,  /* MPI_DATATYPE_NULL */
    USE_OTHER,    /* another number of bytes */
    USE_SHORT,    /* all but the root expect half of it */
    USE_PLAN,     /* another plan, where all are compared (PLANBCAST_CHECK) */
    USES
} use_t;

/* One broadcast. */
typedef struct {
    int plan; /* index of the plan; nplans: MPI_Bcast on the application's communicator */
    int name; /* of the candidate */
    int root;
    size_t bytes; /* the root's, unless it is misused */
    layout_kind_t kind;
    layout_t layout; /* this rank's */
    uint64_t message;
    double nap_s; /* this rank sleeps before the broadcast [s] */
    bool left_out;
    use_t use; /* the same on all ranks */
    int culprit;
    bool suspect; /* an earlier broadcast by this plan was misused: this one may be refused */
    int rc;
    char line[LINE]; /* description */
} cast_t;

/* One thread's communicator with its plans and broadcasts. */
typedef struct {
    const options_t *o;
    int thread;
    size_t most; /* [B] of a message */
    uint64_t id; /* seeds the lane's generators, with the seed and number of the case */
    long number;
    MPI_Comm comm;
    int rank, ranks, nplans, ncasts, wrong_messages;
    plan_t *plan[MOST_PLANS];
    plan_t *offline[MOST_PLANS]; /* rank 0's plans that they were bound from */
    int again, again_at;         /* the plan `again` is destroyed and bound again before broadcast again_at; -1: none */
    bool is_lost;                /* binding again failed */
    cast_t cast[MOST_CASTS];
    traffic_t *traffic;
} lane_t;

/* Draw broadcast i of the lane; *budget: bytes that are left for the case. */
void cast_draw(lane_t *lane, const names_t *names, int i, size_t *budget, counts_t *counts);
/* Take part in broadcast i, in the thread of the lane. */
void cast_run(lane_t *lane, int i);
/* Count broadcast i, and report wrong bytes or a wrong return code. */
void cast_check(lane_t *lane, int i, int *reports, counts_t *counts);

/* Draw whether and how broadcast i is misused; give this rank the buffer that it then passes. */
void misuse_draw(lane_t *lane, int i);
/* Whether this rank misuses the broadcast. */
bool misuse_is_mine(const lane_t *lane, const cast_t *c);
/* Collective over the lane: report misused broadcasts of which no rank returned an error. */
void misuse_check(lane_t *lane, counts_t *counts);

#endif
