/* planbcast-mpi: functions that its commands share. Every rank runs the same command; only rank 0 prints. */
#ifndef PLANI_MPI_TOOL_H
#define PLANI_MPI_TOOL_H

#include "lib/mpi/api/machine.h"
#include "lib/mpi/autotune/tune.h"
#include "planner/cli/output.h"
#include "planner/report/report.h"
#include "lib/base/text.h"
#include <mpi.h>
#include <planbcast/mpi.h>
#include <stdbool.h>
#include <stddef.h>

/** The options of `run` and `bench`; each command's help lists those that it has. */
typedef struct {
    size_t n, bytes[PLANI_SIZES]; /* message sizes, ascending; the largest gets the ranking */
    int candidates;               /* to time at each size; below 0: the library's default */
    double time_s;                /* [s] for one candidate at one size with --measure */
    int root;
    double budget_s;          /* [s] for measuring the machine; 0: the library's default */
    const char *profile;      /* load this profile instead of measuring */
    const char *save;         /* save the profile here, if the machine is measured */
    const char *machine;      /* plan on the machine in this file, if it has all hosts */
    const char *save_machine; /* save the machine here, if it is measured */
    const char *plan_out;     /* save the plan here */
    const char *report;       /* write the page here */
    cli_line_t command;       /* the command line, for the page */
    plan_choice_t choice;
    bool reduces;  /* plan reductions to the root */
    bool renew;    /* measure what has changed again, and renew the plan */
    bool estimate; /* trust the model: time nothing before choosing */
    bool measure;  /* time the best few at length; neither: as the environment says, else a duel */
    bool json, progress;
} tool_options_t;

/** A session of `run` or `bench`: the machine, measured or loaded, and the decision. */
typedef struct {
    MPI_Comm comm;
    const cli_t *cli;
    const tool_options_t *opt;
    int ranks;
    plan_options_t options;                 /* the library's */
    plani_comm_machine_t comm_machine;      /* measured, or of a machine file */
    plan_platform_t *loaded;                /* rank 0, of a profile */
    const plan_platform_t *pf;              /* of `comm_machine` or `loaded`; NULL on all ranks but 0 */
    plani_decision_t decision;              /* rank 0 */
    plani_text_t machine;                   /* rank 0: which machine it is, and which hosts are known: a line each */
    double measuring_s, combine_s_per_byte; /* of reductions, [s/B] of rank 0 */
    plan_error_t err;
} tool_session_t;

/** Print the heading, and measure or load. Collective. \return CLI_GO, or the exit status after one line of error: then
 * there is nothing to close */
int tool_session_open(tool_session_t *s, MPI_Comm comm, const cli_t *cli, const tool_options_t *options);
/** Decide for all sizes; the last `complete` rankings list all candidates. Collective. \return PLAN_OK, or a library or
 * MPI error with its line in s->err */
int tool_session_decide(tool_session_t *s, size_t complete);
/** [s] Time for planning, without timing candidates. */
double tool_planning_s(const plani_decision_t *d);
void tool_session_close(tool_session_t *s);

int tool_run(MPI_Comm comm, const cli_t *cli, int argc, char **argv);
int tool_bench(MPI_Comm comm, const cli_t *cli, int argc, char **argv);
int tool_measure(MPI_Comm comm, const cli_t *cli, int argc, char **argv);

/** Options that several commands have; the argument points to the value. */
cli_option_t tool_budget(double *seconds);
cli_option_t tool_profile(const char **path);
cli_option_t tool_machine(const char **path);
cli_option_t tool_show_progress(bool *on);

/** Parse a list such as "8,64K,4M" into ascending sizes [B] without duplicates; false if it is not one. */
bool tool_sizes(const char *text, size_t *n, size_t bytes[PLANI_SIZES]);
/** CLI_GO if rank 0 can write the file `path` (or it is NULL), else the exit status after one line of error.
 * Collective; to be checked before minutes of measuring. */
int tool_may_write(MPI_Comm comm, const cli_t *cli, const char *path);
/** Print one line on rank 0's error stream. \return the exit status for a library or MPI error; PLAN_EIO is a failure,
 * not bad input */
int tool_fail(const cli_t *cli, int rc, const plan_error_t *err);
/** The report callback for plan_measure: overwrites one line of a terminal. `context` is a FILE *. */
void tool_progress(void *context, int level, const char *line);
/** Print the broadcasts that validated a profile, and a line if the profile is not to be trusted. */
void tool_print_validation(FILE *out, const plan_profile_t *profile);
/** Broadcast rc of rank 0. \return it on every rank, or an MPI error code */
int tool_from_leader(MPI_Comm comm, int rc);

/** One row of the final table: the plan compared with MPI_Bcast, or MPI_Reduce, timed in turns, and compared byte by
 * byte. */
typedef struct {
    size_t bytes;
    double plan_s, native_s;   /* [s] medians of the times from the root's start to the last rank's end */
    double ratio;              /* median of native / plan over pairs of turns */
    double ratio_lo, ratio_hi; /* its quartiles */
    int pairs;                 /* how many pairs of turns */
    plani_copied_t copied;     /* by the plan, if it broadcasts */
    long long wrong;           /* bytes that differ, over all ranks */
    char chosen[64];           /* the name of the plan's candidate */
} tool_row_t;

/**
 * Broadcast `bytes` bytes by the plan and by MPI_Bcast in turns for about `seconds`; check every byte on every rank. By
 * a plan that reduces, sum so many bytes of whole numbers, of type double where that divides them, and check the root's
 * against those of MPI_Reduce. Collective; the row is the same on every rank.
 */
int tool_compare(MPI_Comm comm, plan_t *plan, size_t bytes, double seconds, tool_row_t *row);
/** The call of MPI that a plan is compared with. */
const char *tool_native(bool reduces);
void tool_print_rows(FILE *out, const tool_row_t *row, size_t n, bool reduces);

/** Of a ranking with timed candidates: what the model would choose, the fastest plan, and MPI_Bcast. */
typedef struct {
    const plan_candidate_t *model, *fastest; /* NULL: none was timed */
    double model_s, fastest_s, native_s;     /* [s]; NAN: not timed */
    double regret; /* the model's time over that of the fastest, MPI_Bcast included, minus 1; NAN: not known */
} tool_choice_t;

tool_choice_t tool_choice(const plan_ranking_t *ranking);

/** What `run` and `bench` found out, besides the session; `bench` has no rows, review and summary. */
typedef struct {
    const char *command;
    const tool_row_t *row; /* [nrows] */
    size_t nrows;
    const plan_review_t *review;
    double broadcasting_s;
    const char *summary;
} tool_result_t;

/** Print it as JSON. Rank 0. */
int tool_print_json(const tool_session_t *s, const tool_result_t *r);

#endif
