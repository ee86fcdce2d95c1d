/* Planned broadcasts and their baselines, timed in one run; the method is in bench/README.md. */
#ifndef BENCH_BASELINES_H
#define BENCH_BASELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jansson.h>
#include <mpi.h>
#include <planbcast/mpi.h>

#undef SEED /* SimGrid's mpi.h defines it */

enum { MOST_SETTINGS = 128, MOST_SIZES = 32, MOST_SAMPLES = 500, NAME = 80 };

/* The plans that are compared, and what planning cost. */
typedef struct {
    plan_profile_t *profile;       /* of the machine; on rank 0 only */
    plan_t *estimated, *measured;  /* both modes, for the machine as measured in this run */
    plan_t *by_default;            /* by plan_bcast with its default options; NULL: not asked for */
    plan_t *ideal;                 /* estimate mode, for the spec's platform; NULL without a spec */
    double measuring_s, loading_s; /* measuring the machine (perhaps in an earlier run); loading its profile */
    double estimating_s, timing_s; /* planning from it; planning and timing candidates */
    json_t *trials;                /* what measure mode timed */
} planning_t;

/* --- what is compared -----------------------------------------------------------------------------------------------
 */

/* KIND_CANDIDATE: an entry of the ranking for one message size, timed to compute the regret of the plans' choice. */
typedef enum { KIND_PLAN, KIND_DEFAULT, KIND_BASELINE, KIND_CANDIDATE, KINDS } kind_t;

/* One way to broadcast: a plan, or MPI_Bcast on a communicator of its own, made while the algorithm was forced. */
typedef struct {
    char name[NAME];
    kind_t kind;
    int algorithm;  /* coll_tuned_bcast_algorithm; 0: not forced */
    size_t segment; /* [B]; 0: none */
    plan_t *plan;   /* KIND_PLAN: borrowed; KIND_CANDIDATE: owned */
    MPI_Comm comm;  /* the others; owned */
    int same_as;    /* the setting that executes the same for this message size and is timed for both; -1: none */
} setting_t;

typedef struct {
    int n;
    setting_t at[MOST_SETTINGS];
} settings_t;

/* Collective. Leaves out the algorithms that this MPI library cannot be forced to use. */
void settings_create(MPI_Comm comm, const planning_t *p, settings_t *s);
void settings_clear(settings_t *s);
setting_t *settings_add(settings_t *s, kind_t kind, const char *name, size_t segment);
/* Collective: a broadcast algorithm of coll/tuned by its number. false: this MPI library cannot be forced to use it. */
bool settings_add_forced(MPI_Comm comm, settings_t *s, int algorithm, const char *name, size_t segment);

/* Collective. With `all`, appends the executable candidates for messages of this size as settings. In both cases sets
 * `same_as` of settings that execute the same. */
int candidates_add(MPI_Comm comm, const planning_t *p, int root, size_t bytes, bool all, settings_t *s,
                   plan_error_t *err);
void candidates_clear(settings_t *s);

/* --- options --------------------------------------------------------------------------------------------------------
 */

typedef struct {
    const char *spec;    /* cluster spec for the limits; NULL: none */
    const char *out;     /* folder for results; NULL: none */
    const char *profile; /* file to load the machine from or save it to; NULL: OUT/profile.json */
    const char *commit;  /* for the results; NULL: unknown */
    const char *command; /* for the results */
    size_t bytes[MOST_SIZES];
    int nsizes, root, rounds;
    uint64_t seed;
    double budget_s;         /* of all */
    double plan_budget_s;    /* of measuring the machine and of timing candidates, each */
    double since_s, total_s; /* of the run that this is a part of: start [s since 1970] and length [s]; 0: none */
    const char *title;       /* of this part */
    bool regret;             /* time all candidates of the rankings */
    bool progress;           /* show a progress bar */
    bool estimate;           /* of the plans, only that of estimate mode and, if asked for, that of the defaults */
    bool by_default;         /* also the plan by plan_bcast's default options */
} options_t;

/* 0: go on; else the exit status + 1. `speak`: this rank prints what there is to say. */
int options_read(int argc, char **argv, bool speak, options_t *o);

/* --- results --------------------------------------------------------------------------------------------------------
 */

typedef struct {
    int n;
    bool dropped;                /* too slow to go on with */
    char skipped[48];            /* why it was not timed; "": it was */
    long long wrong;             /* bytes, over all ranks */
    double sample[MOST_SAMPLES]; /* [s] root's start to last end, in the order taken */
    double median, low, high;    /* [s]; low..high: 95% interval, the extremes if there are fewer than 8 samples */
} entry_t;

typedef struct {
    size_t bytes;
    double spent_s;
    entry_t entry[MOST_SETTINGS];
} cell_t;

/* The setting of a kind with the least median in a cell, among those that delivered every byte; -1: none. One that
 * dropped out counts only if all did: all settings may have been fast in the few rounds in which it took part. */
int cell_best(const settings_t *s, const cell_t *c, kind_t kind);

/* The settings' times for smaller messages: of each, at the largest size at which it was timed. */
typedef struct {
    size_t bytes;       /* the largest size that was timed; 0: none */
    double best[KINDS]; /* medians there [s]; NAN: none was timed */
    int n;
    struct {
        char name[NAME];
        kind_t kind;
        size_t bytes;  /* at which it was timed */
        double behind; /* its median / the best of its kind there */
    } at[MOST_SETTINGS];
} before_t;

void before_take(const settings_t *s, const cell_t *c, before_t *b);
/* Add one setting's median at b->bytes; b->best is set already. */
void before_note(before_t *b, const char *name, kind_t kind, double median);
/* Predictions for a larger message: a setting's time relative to the best of its kind (1: it is the best), its time
 * [s], and the best time of a kind [s]; NAN: unknown. Where a segment was as long as the smaller message, the time of
 * the unsegmented algorithm is taken. */
double before_behind(const before_t *b, const setting_t *s, size_t bytes);
double before_scaled(const before_t *b, const setting_t *s, size_t bytes);
double before_best(const before_t *b, kind_t kind, size_t bytes);

/* Collective: time all settings for one message size in about `budget_s` seconds. */
int eliminate(MPI_Comm comm, const options_t *o, const settings_t *s, const before_t *before, double budget_s,
              cell_t *cell);

/* State of rank 0, which decides which settings a round times. */
typedef struct {
    const settings_t *s;
    cell_t *cell;
    int rounds; /* at most */
    double budget_s;
    uint64_t random;
} sampling_t;

/* Before the rounds: set `skipped` of each setting that is not timed. */
void sampling_admit(const settings_t *s, const before_t *before, double budget_s, cell_t *cell);
/* The settings of the next round in the order in which they are timed. Returns their number; 0: no round is left. */
int sampling_draw(sampling_t *j, int round, double spent_s, int *order);
/* Fisher-Yates shuffle. */
void shuffle(uint64_t *random, int *order, int n);
/* The least time for one size: all plans, the default, and the best few of the others [s]; NAN: unknown. */
double sampling_least(const settings_t *s, const before_t *before, bool regret, size_t bytes);

/* Compute the median and its 95% confidence interval by order statistics of the samples so far. */
void summarise(entry_t *e);

/* Lower bounds of the time of any broadcast on the spec's platform. */
typedef struct {
    double lp_s_per_byte;      /* 1 / (bound x slice); NAN: unknown */
    double burst_s;            /* time that a burst saves at most: the largest burst x s_per_byte of a resource */
    double ingress_s_per_byte; /* the slowest resource that is a cut between the root and others; NAN: unknown */
    char ingress[64];
} limits_t;

int limits_find(const char *spec, int root, limits_t *l, plan_error_t *err);

/* --- budget, progress and failures ----------------------------------------------------------------------------------
 */

/* Leave out the largest sizes if the budget, less `planning_s` seconds, does not suffice for all; the smallest stays.
 * `speak`: with a line on standard error for each. */
void budget_fit(options_t *o, const limits_t *l, double planning_s, bool speak);
/* The share of the i-th size in what is left [s]. */
double budget_share(const options_t *o, const limits_t *l, int i, double left_s);

const char *bytes_text(size_t n, char text[32]); /* "4 MiB" */
/* Rank 0's progress bar on standard error; progress_go_on draws it at most once a second. */
void progress_say(const options_t *o, const char *what);
void progress_go_on(const options_t *o, size_t bytes);
void progress_unsay(const options_t *o);

/* Broadcasts that hang or crash end the program. OUT/running names the setting that is being timed; a broadcast that
 * takes longer than `most_s` seconds ends the program. bench/baselines/run then appends the contents of OUT/running to
 * OUT/broken and starts the program again, which skips these settings. */
void guard_open(const options_t *o);
void guard_watch(const char *name, size_t bytes, double most_s);
void guard_rest(void);
void guard_close(void);
/* Whether a setting broke at this message size or a smaller one. */
bool guard_broken(const char *name, size_t bytes);

/* The path of the machine's profile; "": none. */
void planning_file(const options_t *o, char *path, size_t room);
/* Collective: load or measure the machine's profile, and make the plans. */
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
/* Write OUT/BYTES.json atomically (by renaming). */
int report_save(const report_t *r, const cell_t *c);
bool report_exists(const options_t *o, size_t bytes);
/* Read the results of smaller sizes that are in OUT already. */
void report_load_before(const options_t *o, size_t bytes, before_t *b);

#endif
