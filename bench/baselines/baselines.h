/* Planned broadcasts and their baselines, timed in one run: bench/README.md says how. */
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

/* Plans, and what they cost. */
typedef struct {
    plan_profile_t *profile;       /* of the machine; rank 0 alone */
    plan_t *estimated, *measured;  /* both modes, for the machine as measured in this run */
    plan_t *by_default;            /* as plan_bcast makes it where nothing is passed in; NULL: not asked for */
    plan_t *ideal;                 /* estimate mode, for the spec's platform; NULL without a spec */
    double measuring_s, loading_s; /* the machine, in this run or an earlier one; its profile from a file */
    double estimating_s, timing_s; /* planning from it; planning and timing candidates */
    json_t *trials;                /* what measure mode timed */
} planning_t;

/* --- what is compared -----------------------------------------------------------------------------------------------
 */

/* Candidates are what the ranking for one size lists: timed to tell how good the plans' choice was. */
typedef enum { KIND_PLAN, KIND_DEFAULT, KIND_BASELINE, KIND_CANDIDATE, KINDS } kind_t;

/* One way to broadcast: a plan, or MPI_Bcast on a communicator of its own, made while the algorithm was forced. */
typedef struct {
    char name[NAME];
    kind_t kind;
    int algorithm;  /* coll_tuned_bcast_algorithm; 0: not forced */
    size_t segment; /* [B]; 0: none */
    plan_t *plan;   /* KIND_PLAN: borrowed; KIND_CANDIDATE: owned */
    MPI_Comm comm;  /* the others; owned */
    int same_as;    /* setting that does the same for this message size, and is timed for both; -1: none */
} setting_t;

typedef struct {
    int n;
    setting_t at[MOST_SETTINGS];
} settings_t;

/* Collective. Leaves out what this MPI library does not let one choose. */
void settings_create(MPI_Comm comm, const planning_t *p, settings_t *s);
void settings_clear(settings_t *s);
setting_t *settings_add(settings_t *s, kind_t kind, const char *name, size_t segment);
/* Collective: a broadcast of coll/tuned by its number. false: this MPI library does not let one choose it. */
bool settings_add_forced(MPI_Comm comm, settings_t *s, int algorithm, const char *name, size_t segment);

/* Collective: the runnable candidates for messages of this size, as settings behind the others; settings that do the
 * same are found. Without `all`, only the latter. */
int candidates_add(MPI_Comm comm, const planning_t *p, int root, size_t bytes, bool all, settings_t *s,
                   plan_error_t *err);
void candidates_clear(settings_t *s);

/* --- how ------------------------------------------------------------------------------------------------------------
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
    double since_s, total_s; /* of the run that this is a part of: start [s since 1970] and length; 0: none */
    const char *title;       /* of this part */
    bool regret, progress;   /* all candidates of the rankings are timed */
    bool estimate;           /* no plan but the one in estimate mode, and */
    bool by_default;         /* the one of plan_bcast's defaults */
} options_t;

/* 0: go on; else the exit status + 1. `speak`: this rank prints what there is to say. */
int options_read(int argc, char **argv, bool speak, options_t *o);

/* --- what came out --------------------------------------------------------------------------------------------------
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

/* The fastest of a kind in a cell, of those that delivered every byte; one that dropped out only if all did: the rounds
 * in which it took part may have been fast for all. -1: none. */
int cell_best(const settings_t *s, const cell_t *c, kind_t kind);

/* What the settings took for smaller messages: each for the largest at which it was timed. */
typedef struct {
    size_t bytes;       /* the largest that was timed; 0: nothing is known */
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
/* One setting's median at b->bytes, whose best are known. */
void before_note(before_t *b, const char *name, kind_t kind, double median);
/* How far behind the best of its kind a setting will be (1: it is), and what it will take [s]; NAN: unknown. Of a
 * segment that was as long as the message, what its algorithm took without. */
double before_behind(const before_t *b, const setting_t *s, size_t bytes);
double before_scaled(const before_t *b, const setting_t *s, size_t bytes);
double before_best(const before_t *b, kind_t kind, size_t bytes);

/* Collective: time all settings for one message size in about `budget_s` seconds. */
int race(MPI_Comm comm, const options_t *o, const settings_t *s, const before_t *before, double budget_s, cell_t *cell);

/* Rank 0's decisions in it. */
typedef struct {
    const settings_t *s;
    cell_t *cell;
    int rounds; /* at most */
    double budget_s;
    uint64_t random;
} judge_t;

/* Before the rounds: says why a setting is not timed. */
void judge_admit(const settings_t *s, const before_t *before, double budget_s, cell_t *cell);
/* Who takes part in the next round, in their order; returns how many, 0: enough. */
int judge_draw(judge_t *j, int round, double spent_s, int *order);
/* Draw a new order. */
void shuffle(uint64_t *random, int *order, int n);
/* The least time in which a size can be known: plans, default, and the best few of the others [s]; NAN: unknown. */
double judge_least(const settings_t *s, const before_t *before, bool regret, size_t bytes);

/* Median and 95% interval by order statistics of the samples so far. */
void summarise(entry_t *e);

/* What no broadcast can beat on the spec's platform. */
typedef struct {
    double lp_s_per_byte;      /* 1 / (bound x slice); NAN: unknown */
    double burst_s;            /* what every resource lets pass at once, in time of its work, at most */
    double ingress_s_per_byte; /* the narrowest way into (or out of) a part of the cluster; NAN: unknown */
    char ingress[64];
} limits_t;

int limits_find(const char *spec, int root, limits_t *l, plan_error_t *err);

/* --- time and accidents ---------------------------------------------------------------------------------------------
 */

/* Leave out sizes that the budget has no room for, besides `planning_s`; says so if `speak`. The smallest stays. */
void budget_fit(options_t *o, const limits_t *l, double planning_s, bool speak);
/* The share of the i-th size in what is left [s]. */
double budget_share(const options_t *o, const limits_t *l, int i, double left_s);

const char *bytes_text(size_t n, char text[32]); /* "4 MiB" */
/* Rank 0's bar; it moves on once a second. */
void progress_say(const options_t *o, const char *what);
void progress_go_on(const options_t *o, size_t bytes);
void progress_unsay(const options_t *o);

/* A broadcast that hangs or crashes takes the program with it. What runs stands in OUT/running, a file that outlives
 * the program, and a broadcast that takes longer than `most_s` ends it. bench/baselines/run adds what it finds there to
 * OUT/broken and starts again. */
void guard_open(const options_t *o);
void guard_watch(const char *name, size_t bytes, double most_s);
void guard_rest(void);
void guard_close(void);
/* Whether a setting broke at this message size or a smaller one. */
bool guard_broken(const char *name, size_t bytes);

/* The file that keeps the machine's profile; "": none. */
void planning_file(const options_t *o, char *path, size_t room);
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
/* From the results for sizes below `bytes` that are there already. */
void report_load_before(const options_t *o, size_t bytes, before_t *b);

#endif
