/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the preloaded library share. It has global state, as replacements of MPI_Bcast and
 * MPI_Reduce have no handle. */
#ifndef PRELOAD_H
#define PRELOAD_H

#include <planbcast/mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- settings.c ---- */

/** Which calls may be planned. All ranks of a communicator need the same. */
typedef struct {
    long long bytes, ranks; /* the least */
    long long reduces;      /* 1: reductions are planned, too; 0: left to MPI */
    long long bad;          /* 1: a variable has an invalid value: plan nothing */
} preload_limits_t;

typedef struct {
    preload_limits_t limits;
    bool shared;           /* the limits are those of rank 0 of MPI_COMM_WORLD; else this process's */
    double share;          /* most time of planning, as a part of that of these calls */
    long long verbose;     /* 0: errors only, 1: a summary, 2: a line for each plan, too */
    const char *plan_file; /* of saved plans; NULL: none */
} preload_settings_t;

/** This process's environment, read at the first call. */
const preload_settings_t *preload_settings(void);
/** Take over the limits of rank 0; an invalid variable on any rank counts. Collective over MPI_COMM_WORLD. */
void preload_settings_share(void);
/** Whether plan_bcast probably finds a machine or profile, and does not have to measure. */
bool preload_machine_is_given(const plan_options_t *options);

/* ---- tally.c ---- */

/** What is called. */
typedef enum { PRELOAD_BCAST, PRELOAD_REDUCE, PRELOAD_KINDS } preload_kind_t;

/** What became of a call. */
typedef enum {
    PRELOAD_PLANNED,
    PRELOAD_SHORT,   /* all others: left to MPI, because it has too few bytes, */
    PRELOAD_FEW,     /* because the communicator has too few ranks, */
    PRELOAD_GROUPS,  /* or two groups, */
    PRELOAD_OUTSIDE, /* or ranks outside of MPI_COMM_WORLD, */
    PRELOAD_FIRST,   /* because it is the first of its kind, */
    PRELOAD_EARLY,   /* because planning would take too much time compared with the broadcasts so far, */
    PRELOAD_FAILED,  /* because no plan could be made, */
    PRELOAD_FULL,    /* because there are too many plans, */
    PRELOAD_THREADS, /* because another thread makes plans, */
    PRELOAD_SETTING, /* because a variable is invalid, */
    PRELOAD_REDUCES, /* because reductions are switched off, */
    PRELOAD_OP,      /* because its operation is a user's, */
    PRELOAD_TOOL,    /* because a tool of the profiling interface has run it by itself */
    PRELOAD_FATES,
    PRELOAD_OWN /* not the program's, but planbcast's */
} preload_fate_t;

/** Print an error to standard error, or keep it for preload_sum_up: once per process, and by rank 0 of MPI_COMM_WORLD
 * if there is one. */
void preload_complain(const char *line);
/** The same, at once and on any rank: for errors that end the program. */
void preload_complain_now(const char *line);
/** Count a call of the program, on its root. */
void preload_count(preload_kind_t kind, preload_fate_t fate);
/** Count a call that a plan ran on this process; `native`: by MPI's own. */
void preload_count_planned(preload_kind_t kind, bool is_root, bool native);
/** Add the time that a planned call has saved; NAN: unknown. */
void preload_add_saved(preload_kind_t kind, double seconds);
/** Add this process's time in a call that may be planned, or in planning; `first`: it is rank 0 of the communicator. */
void preload_add_call(double seconds);
void preload_add_planning(preload_kind_t kind, double seconds, bool first);
/** [s] What is left for planning. */
double preload_allowance(void);
/** Collective over MPI_COMM_WORLD: print the summary on rank 0, a line for broadcasts and one for reductions, if any,
 * and an error that no rank has printed. */
void preload_sum_up(void);

/* ---- gains.c ---- */

/** The times of a plan and of MPI's own in its duel. */
typedef struct preload_gain {
    struct preload_gain *next;
    uint64_t hash; /* of the plan */
    int n;
    struct {
        size_t bytes;
        double native_s, plan_s; /* 0: not timed */
    } at[64];
} preload_gain_t;

/** Called for each candidate that was timed; context: a preload_gain_t. */
void preload_gain_note(void *context, const plan_trial_t *trial);
/** Keep the times of this plan, or find those of an equal one. NULL: there are none. */
const preload_gain_t *preload_gain_keep(const preload_gain_t *fresh, uint64_t hash);
/** [s] What a call saves: its part of the next larger size that was timed, or as much as the largest. NAN: unknown
 */
double preload_gain_of(const preload_gain_t *gain, size_t bytes);

/* ---- saved.c ---- */

/** Whether this process has saved plans. */
bool preload_saved_any(void);
/** The saved plan of this kind for so many ranks and this root; NULL: there is none. */
const plan_t *preload_saved_find(preload_kind_t kind, int ranks, int root);
/** Bind rank 0's plan, if it groups ranks into hosts as they are here. Collective. NULL on all ranks: it does not. */
plan_t *preload_saved_bind(MPI_Comm comm, int rank, int ranks, const plan_t *mine);

/* ---- plans.c ---- */

/** How to run a call, and what to do then. */
typedef struct {
    plan_t *plan; /* NULL: by MPI */
    preload_fate_t fate;
    bool is_root;  /* of the call */
    bool is_first; /* rank 0 of the communicator */
    bool eligible; /* it may be planned; all ranks agree */
    bool native;   /* the plan says MPI's own */
    double saved_s;
} preload_choice_t;

/** Choose: collective at a communicator's first call that may be planned, and when a plan may be made. The choice is
 * the same on all ranks. \param op of reductions */
void preload_choose(preload_kind_t kind, MPI_Comm comm, int root, MPI_Count count, MPI_Datatype type, MPI_Op op,
                    preload_choice_t *choice);
/** MPI ends: plans are kept until preload_free, for it is too late to free what they hold in MPI. */
void preload_close(void);
void preload_free(void);

#endif
