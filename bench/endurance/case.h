/* A case while it runs: for case.c, cast.c and misuse.c alone. */
#ifndef BENCH_ENDURANCE_CASE_H
#define BENCH_ENDURANCE_CASE_H

#include "endurance.h"

enum { MOST_CASTS = 400, MOST_PLANS = 5 };

/* What one rank, the culprit, does wrong; or all of them but the root. */
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
    int plan; /* MPI_Bcast on the user's communicator behind the last plan */
    int name; /* of the candidate */
    int root;
    size_t bytes; /* the root's, were it not for misuse */
    layout_kind_t kind;
    layout_t layout; /* this rank's */
    uint64_t message;
    double nap_s; /* of this rank, before */
    bool left_out;
    use_t use; /* the same on all ranks */
    int culprit;
    bool suspect; /* an earlier broadcast by this plan was misused: this one may be refused */
    int rc;
    char line[LINE]; /* what it is */
} cast_t;

/* One thread's communicator with all that happens on it. */
typedef struct {
    const options_t *o;
    int thread;
    size_t most; /* [B] of a message */
    uint64_t id; /* what to draw from, besides the seed and the number of the case */
    long number;
    MPI_Comm comm;
    int rank, ranks, nplans, ncasts, wrong_messages;
    plan_t *plan[MOST_PLANS];
    plan_t *offline[MOST_PLANS]; /* what rank 0 made them of */
    int again, again_at;         /* the plan that is destroyed and bound again before this broadcast; -1: none */
    bool is_lost;                /* it could not be */
    cast_t cast[MOST_CASTS];
    traffic_t *traffic;
} lane_t;

/* Draw broadcast i of the lane; *budget: bytes that are left for the case. */
void cast_draw(lane_t *lane, const names_t *names, int i, size_t *budget, counts_t *counts);
/* Take part in broadcast i, in the thread of the lane. */
void cast_run(lane_t *lane, int i);
/* Count it, and report what is wrong. */
void cast_check(lane_t *lane, int i, int *reports, counts_t *counts);

/* Whether somebody uses broadcast i wrongly, and if so, make this rank's buffer what it passes. */
void misuse_draw(lane_t *lane, int i);
/* Whether this rank's layout is not that of the message, for misuse. */
bool misuse_is_mine(const lane_t *lane, const cast_t *c);
/* Collective over the lane: broadcasts that went wrong without anybody's knowing. */
void misuse_check(lane_t *lane, counts_t *counts);

#endif
