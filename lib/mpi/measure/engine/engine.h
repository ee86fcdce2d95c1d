/* The engine that runs experiments on all ranks, private. */
#ifndef PLANI_ENGINE_H
#define PLANI_ENGINE_H

#include <mpi.h>
#include <planbcast/mpi.h>
#include "lib/mpi/measure/infer/infer.h"

/* ---- engine/engine.c: experiments on all ranks, decided by rank 0 ---- */

typedef enum {
    PLANI_PINGPONG, /* from -> to `bytes`, back 0; a: round trips [s], b: time inside MPI_Isend [s] */
    PLANI_FLOW,     /* from -> to, slices until `seconds` have passed; a: arrivals [s], b: bytes so far */
    PLANI_FLAT,     /* a flat tree: one task per child, same `from`; a: send to acknowledgements, b: the same, empty */
    PLANI_CHAIN,    /* broadcasts down a chain: one task per link, each `from` the `to` or the `from` before, the last
                     * link to the last rank, and no rank in two; a:
                     * root's start to last rank's end [s], of one slice and of `slices` one after the other; b: how many
                     */
    PLANI_SHARED_CAST /* broadcasts of `bytes` from `from`, rank 0, to all through shared memory; a[0]: how long [s] */
} plani_kind_t;

/** One experiment. Tasks of one step run at the same time, steps one after the other. Within a step, a rank does its
 * tasks in their order, flows of the same order at once: a pair can do several things one after the other while all
 * others sleep.
 */
typedef struct {
    int kind, step, order;
    int from, to;   /* ranks */
    int bytes;      /* flow: > 0 slice size; < 0: slices grow with the flow up to -bytes */
    int window;     /* flow, chain: slices in flight */
    int slices;     /* chain: of every other broadcast, no more than fit into PLANI_POOL */
    int mark;       /* the phase's own; travels along */
    bool crowd;     /* chain: all other ranks wait for a message meanwhile, as they do in a broadcast */
    bool inside;    /* flow: inside a host, as all others of its step; between hosts false */
    bool at_sender; /* flow: the sender notes when slices are acknowledged; else the receiver when they arrive */
    double latency; /* flow: of the way [s], 0 if unknown */
    double rest;    /* ping-pong: [s] before each message; > 0: a few messages alone, and `seconds` does not count */
    double seconds; /* limit; ping-pong and flat tree stop earlier when they have converged, chains after some
                       repetitions */
} plani_task_t;

typedef struct {
    double a[PLANI_LOG], b[PLANI_LOG];
    int n, status; /* status: as plan_measure returns */
} plani_result_t;

typedef struct {
    MPI_Comm comm; /* a duplicate, errors return */
    int rank, ranks;
    char *out, *in; /* [PLANI_POOL] */
    plani_task_t *task;
    plani_result_t *result; /* rank 0: [room]; others: [ranks' own] */
    size_t room;            /* tasks per round */
    int *window;            /* [ranks] scratch: of a chain's links */
    double agree_s;         /* [s] what it takes to agree, on all ranks alike */
    double until;           /* rank 0: MPI_Wtime from which on it begins no step */
    size_t experiments;     /* rank 0: tasks run so far */
} plani_engine_t;

/* A rank's buffers hold the windows of all flows into it: PLANI_POOL bytes. At most PLANI_FLOWS each way at a time,
 * none with more than PLANI_WINDOW_MOST slices under way. */
enum { PLANI_POOL = 4 << 20, PLANI_WINDOW = 8, PLANI_WINDOW_MAX = 32, PLANI_WINDOW_MOST = 128, PLANI_FLOWS = 8 };

/** Collective; the same return on all ranks, and `err` filled in where it is the communicator's fault. */
int plani_engine_open(MPI_Comm comm, plani_engine_t *engine, plan_error_t *err);
void plani_engine_close(plani_engine_t *engine);
/** All ranks get the worst status of any. Waits without burning the processor. */
int plani_engine_agree(plani_engine_t *engine, int status);
/** Rank 0: run tasks (steps ascending, any number of tasks), fill results in their order; empty ones of steps that were
 * not begun. */
int plani_engine_run(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result);
/** Rank 0: let the others go; they return `status`. */
int plani_engine_dismiss(plani_engine_t *engine, int status);
/** Other ranks: take part until dismissed. */
int plani_engine_serve(plani_engine_t *engine);

/** Whether the readings so far tell the mean of `a` narrowly enough to stop; asked at every fourth reading. */
bool plani_result_enough(const plani_result_t *mine);

/* engine/pair.c, engine/flow.c, engine/flat.c: this rank's part in the tasks of one step; called by the engine
 */
int plani_do_pingpong(plani_engine_t *engine, const plani_task_t *task, plani_result_t *mine);
int plani_do_flows(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result);
int plani_do_flat(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *mine);
/** All chains of a step. engine/chain.c */
int plani_do_chains(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result);
/** Of all ranks, alone in its step. phases/shared.c */
int plani_do_shared(plani_engine_t *engine, const plani_task_t *task, plani_result_t *mine);
/** Whether task i is the first link of a chain: this one carries the result. */
bool plani_starts_chain(const plani_task_t *task, size_t i);

#endif
