/* Planned broadcasts and their rivals, timed in one run: bench/README.md says how. */
#ifndef BENCH_RIVALS_H
#define BENCH_RIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include <planbcast/mpi.h>

#undef SEED /* SimGrid's mpi.h defines it */

enum { MOST_SETTINGS = 64, MOST_SIZES = 32, MOST_SAMPLES = 500 };

/* Plans, and what they cost. */
typedef struct {
    plan_t *estimated, *measured;               /* both modes, for the machine as measured in this run */
    plan_t *ideal;                              /* estimate mode, for the spec's platform; NULL without a spec */
    double measuring_s, estimating_s, timing_s; /* the machine; planning from it; planning and timing candidates */
} planning_t;

/* --- what is compared -----------------------------------------------------------------------------------------------
 */

typedef enum { KIND_PLAN, KIND_DEFAULT, KIND_RIVAL } kind_t;

/* One way to broadcast: a plan, or MPI_Bcast on a communicator of its own, made while the algorithm was forced. */
typedef struct {
    char name[48];
    kind_t kind;
    int algorithm;  /* coll_tuned_bcast_algorithm; 0: not forced */
    size_t segment; /* [B]; 0: none */
    plan_t *plan;   /* KIND_PLAN; borrowed */
    MPI_Comm comm;  /* the others; owned */
} setting_t;

typedef struct {
    int n;
    setting_t at[MOST_SETTINGS];
} settings_t;

/* Collective. Leaves out what this MPI library does not let one choose. */
void settings_create(MPI_Comm comm, const planning_t *p, settings_t *s);
void settings_clear(settings_t *s);

/* --- how ------------------------------------------------------------------------------------------------------------
 */

typedef struct {
    const char *spec;    /* cluster spec for the limits; NULL: none */
    const char *out;     /* folder for results; NULL: none */
    const char *commit;  /* for the results; NULL: unknown */
    const char *command; /* for the results */
    size_t bytes[MOST_SIZES];
    int nsizes, root, rounds;
    uint64_t seed;
    double budget_s, plan_budget_s; /* of each size; of measuring the machine and of timing candidates, each */
    bool quick, progress;
} options_t;

/* 0: go on; else the exit status + 1. `speak`: this rank prints what there is to say. */
int options_read(int argc, char **argv, bool speak, options_t *o);

/* --- what came out --------------------------------------------------------------------------------------------------
 */

typedef struct {
    int n;
    bool entered, dropped;       /* dropped: too slow to go on with */
    long long wrong;             /* bytes, over all ranks */
    double sample[MOST_SAMPLES]; /* [s] slowest rank's time, in the order taken */
    double median, low, high;    /* [s]; low..high: 95% interval, the extremes if there are fewer than 6 samples */
} entry_t;

typedef struct {
    size_t bytes;
    double spent_s;
    entry_t entry[MOST_SETTINGS];
} cell_t;

/* The fastest of a kind in a cell; -1: none. */
int cell_best(const settings_t *s, const cell_t *c, kind_t kind);

/* Collective: time all settings for one message size. `before`: the next smaller size's cell, or NULL. */
int race(MPI_Comm comm, const options_t *o, const settings_t *s, const cell_t *before, cell_t *cell);

/* Median and 95% interval by order statistics of the samples so far. */
void summarise(entry_t *e);

/* What no broadcast can beat on the spec's platform. */
typedef struct {
    double lp_s_per_byte;    /* 1 / (bound x slice); NAN: unknown */
    double inlet_s_per_byte; /* the narrowest way into (or out of) a part of the cluster; NAN: unknown */
    char inlet[64];
} limits_t;

int limits_find(const char *spec, int root, limits_t *l, plan_error_t *err);

/* Collective. */
int planning_make(MPI_Comm comm, const options_t *o, planning_t *p, plan_error_t *err);
void planning_clear(planning_t *p);

typedef struct {
    const options_t *options;
    const settings_t *settings;
    const planning_t *planning;
    const limits_t *limits;
    int ranks;
} report_t;

void report_heading(const report_t *r);
void report_row(const report_t *r, const cell_t *c);
/* Write OUT/BYTES.json, whole or not at all. */
int report_save(const report_t *r, const cell_t *c);
bool report_exists(const options_t *o, size_t bytes);

#endif
