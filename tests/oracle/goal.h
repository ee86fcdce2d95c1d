/* An independent reader of GOAL schedules, which replays them. */
#ifndef PLANBCAST_ORACLE_GOAL_H
#define PLANBCAST_ORACLE_GOAL_H

#include <stdbool.h>
#include <stddef.h>

/** An operation in the order of the replay. */
typedef struct {
    int rank, peer; /* peer -1: it is a computation */
    bool send;      /* else a receive, or computation */
    size_t bytes;   /* of a computation, its time */
    unsigned long tag;
} goal_op_t;

typedef struct {
    int ranks;
    size_t n;
    goal_op_t *op;   /* [n] */
    char fault[160]; /* "": none */
} goal_replay_t;

/**
 * Read a schedule and run it: in turns, each rank runs the first of its operations that may begin. What `a requires b`
 * says holds when b is over, `a irequires b` when it has begun. A send is over at once; a receive when its message, of
 * this sender and tag, has been sent. The fault, if any: what is not GOAL, a message of another length or that nobody
 * sends or takes, ranks that wait for ever.
 */
goal_replay_t goal_replay(const char *text);
void goal_replay_clear(goal_replay_t *replay);

#endif
