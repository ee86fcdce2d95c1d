/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine that runs experiments on all ranks. Private. */
#ifndef PLANI_ENGINE_H
#define PLANI_ENGINE_H

#include <mpi.h>
#include <planbcast/mpi.h>
#include <stdbool.h>
#include "lib/mpi/measure/infer/log.h"

/* ---- engine/engine.c: experiments on all ranks, decided by rank 0 ---- */

typedef enum {
    PLANI_PINGPONG, /* `bytes` from -> to, an empty message back. a: round trips [s], b: time inside MPI_Isend [s] */
    PLANI_FLOW,     /* slices from -> to until `seconds` have passed. a: times of arrivals [s], b: bytes until then */
    PLANI_FLAT,     /* a flat tree: one task per child, same `from`. a: time from the first send to the last
                     * acknowledgement [s], b: the same with empty messages */
    PLANI_CHAIN,    /* broadcasts down a chain: one task per link, whose `from` is the `to` or the `from` of the link
                     * before. The last link ends at the last rank; no rank is in two chains.
                     * a: from the root's start to the last rank's end [s], b: number of slices, by turns 1 and `slices`
                     */
    PLANI_SHARED_CAST, /* broadcasts of `bytes` from rank 0 (`from`) to all through shared memory. a[0]: time [s] */
    PLANI_CONSENT      /* messages of up to `bytes` from -> to, which the receiver asks for late. a[0]: least size [B]
                        * found that waits for that, 0: none; b[0]: largest that does not */
} plani_task_kind_t;

/** One experiment. Tasks of one step run at the same time, steps one after the other. Within a step, a rank runs its
 * tasks in the order of the list; consecutive flows of equal `order` run at once. So a pair can run several experiments
 * in one step, while all other ranks sleep.
 */
typedef struct {
    int kind, step, order;
    int from, to;     /* ranks */
    int bytes;        /* [B] flow: > 0 slice size; < 0: slices grow with the flow up to -bytes */
    int window;       /* flow, chain: slices in flight */
    int slices;       /* chain: slices of every other broadcast, no more than fit into PLANI_POOL */
    int label;        /* free for the phase: copied, never read by the engine */
    bool others_wait; /* chain: ranks outside all chains wait for a message meanwhile, as they do in a broadcast */
    bool inside;      /* flow: inside a host, like all others of its step; false between hosts */
    int blocks;       /* flow in blocks: windows of its final size, at least */
    bool at_once;     /* ping-pong: one round trip, at the same time as all such that follow one another in its step */
    bool at_sender;   /* flow: the sender logs when slices are acknowledged; else the receiver logs when they arrive */
    double delay; /* [s] flow in blocks: begins so much later, so that the bytes of all flows of a step pass at once */
    double begin; /* [s] flow, on one clock: when its turn begins, since its step has begun; 0: after the turn before */
    double latency; /* [s] flow: latency from `from` to `to`, 0 if unknown */
    double rest;    /* [s] ping-pong: pause before each message; if > 0 a few messages are sent, `seconds` is ignored */
    double expected; /* [s] about how long it takes, where that does not depend on `seconds`; 0: unknown */
    double seconds;  /* [s] time limit; ping-pongs and flat trees stop earlier when they have converged, chains after
                        a number of repetitions */
} plani_task_t;

typedef struct {
    double a[PLANI_LOG], b[PLANI_LOG]; /* [n] as plani_task_kind_t says */
    int n;
} plani_result_t;

typedef struct plani_engine plani_engine_t;
struct plani_engine {
    MPI_Comm comm; /* a duplicate of the user's, with MPI_ERRORS_RETURN */
    int rank, ranks;
    char *out, *in; /* [PLANI_POOL] */
    plani_task_t *task;
    plani_result_t *result; /* [room] one per task; other ranks than 0 fill in those that they observe */
    size_t room;            /* most tasks per round */
    int *window;            /* [ranks] scratch: window of the link into each rank of a chain */
    MPI_Request *request;   /* [2 room] scratch */
    double *number;         /* [3 ranks] scratch */
    double agree_s;         /* [s] duration of plani_engine_agree, the same number on all ranks */
    double until;           /* [s] rank 0: MPI_Wtime by which steps have to end as expected, or none is begun */
    bool one_anyway;        /* rank 0: but for the first step of plani_engine_run */
    size_t experiments;     /* rank 0: tasks run so far */
    size_t left_out;        /* rank 0: steps of the last plani_engine_run that were not begun */
    /* What the phases call, which are in the planner's library: plani_engine_run, and MPI_Wtime. */
    int (*run)(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result);
    double (*now)(void);
};

/* A rank's receive buffer of PLANI_POOL bytes holds the windows of all flows into it. A rank has at most PLANI_FLOWS
 * flows out and as many in at a time, each with at most PLANI_WINDOW_MOST slices in flight. */
enum { PLANI_POOL = 4 << 20, PLANI_WINDOW = 8, PLANI_WINDOW_MAX = 32, PLANI_WINDOW_MOST = 128, PLANI_FLOWS = 8 };

/* Flows in blocks (simulator.h): the least slice [B] of a growing flow, for shorter messages get less of the rate; how
 * many latencies a window lasts at least; slices in a window. */
enum { PLANI_BLOCK_LEAST = 65536, PLANI_BLOCK_LATENCIES = 8, PLANI_BLOCK_BESIDE = 10, PLANI_BLOCK_WINDOW = 4 };

/** Collective; returns the same on all ranks. Fills in `err` if the communicator cannot be duplicated. */
int plani_engine_open(MPI_Comm comm, plani_engine_t *engine, plan_error_t *err);
void plani_engine_close(plani_engine_t *engine);
/** Collective: returns the worst status of any rank on all. Sleeps while it waits, so that it uses little processor
 * time. */
int plani_engine_agree(plani_engine_t *engine, int status);
/** Rank 0: run any number of tasks, steps ascending, and fill in their results, in the same order. Results of steps
 * that were not begun have n = 0. */
int plani_engine_run(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result);
/** Rank 0: end plani_engine_serve on all other ranks; it returns `status` there. */
int plani_engine_dismiss(plani_engine_t *engine, int status);
/** Other ranks: take part until dismissed. */
int plani_engine_serve(plani_engine_t *engine);

/** Whether the median of `a` has converged (plani_is_narrow); tested from 8 samples on, at every fourth. */
bool plani_result_enough(const plani_result_t *mine);

/* engine/pair.c, engine/flow.c, engine/flat.c: this rank's part in the tasks of one step; called by the engine. */
/** late: its sender has ping-pongs with others before this one in the step. */
int plani_do_pingpong(plani_engine_t *engine, const plani_task_t *task, bool late, plani_result_t *mine);
/** All ping-pongs of a step that run at once; a rank may be at either end of any number of them. */
int plani_do_pings(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result);
int plani_do_flows(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result);
int plani_do_flat(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *mine);
/** engine/consent.c: this rank's part in a task of that kind. */
int plani_do_consent(plani_engine_t *engine, const plani_task_t *task, plani_result_t *mine);
/** engine/chain.c: this rank's part in the chains of a step. */
int plani_do_chains(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result);
/** engine/shared_cast.c: this rank's part in a broadcast through shared memory, the only task of its step. */
int plani_do_shared(plani_engine_t *engine, const plani_task_t *task, plani_result_t *mine);

/** Whether a link belongs to the chain of the link before: it starts at either end of that link. */
static inline bool plani_chain_goes_on(const plani_task_t *before, const plani_task_t *link)
{
    return link->from == before->to || link->from == before->from;
}

/** Whether task i is the first link of a chain; the result of the chain is kept with it. */
static inline bool plani_starts_chain(const plani_task_t *task, size_t i)
{
    return i == 0 || task[i - 1].kind != PLANI_CHAIN || task[i - 1].step != task[i].step ||
           !plani_chain_goes_on(&task[i - 1], &task[i]);
}

#endif
