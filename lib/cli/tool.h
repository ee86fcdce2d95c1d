/* planbcast-mpi: what its commands share. Every rank runs the same command; rank 0 alone speaks. */
#ifndef PLANI_MPI_TOOL_H
#define PLANI_MPI_TOOL_H

#include "planner/cli/output.h"
#include <mpi.h>
#include <planbcast/mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum { TOOL_MAX_SIZES = 32 };

/** The options of `run`, `measure` and `bench`; each command's help says which are its own. */
typedef struct {
    size_t nsizes, bytes[TOOL_MAX_SIZES]; /* message sizes [B]; the largest gets the scoreboard */
    int root;
    double budget_s;      /* for measuring the machine */
    double time_s;        /* for timing one candidate at one size */
    int finalists;        /* candidates that are timed per size */
    const char *profile;  /* load this profile instead of measuring */
    const char *save;     /* save the profile here */
    const char *plan_out; /* save the plan here */
    plan_choice_t choice;
    bool estimate; /* trust the model: time nothing before choosing */
    bool json, progress;
} tool_options_t;

int tool_run(MPI_Comm comm, const cli_t *cli, int argc, char **argv);
int tool_measure(MPI_Comm comm, const cli_t *cli, int argc, char **argv);

/** "8,64K,4M" -> ascending sizes without duplicates; false if it is no such list. */
bool tool_sizes(const char *text, size_t bytes[TOOL_MAX_SIZES], size_t *n);
/** One line on rank 0's error stream; the exit status that goes with a library or MPI error. */
int tool_fail(const cli_t *cli, int rc, const plan_error_t *err);
/** The report callback for plan_measure: one line on a terminal that is written over. `context` is a FILE *. */
void tool_progress(void *context, int level, const char *line);
/** rc of rank 0 on every rank. */
int tool_from_leader(MPI_Comm comm, int rc);

/** One row of the final table: the plan beside MPI_Bcast, timed in turns in one run, and compared byte by byte. */
typedef struct {
    size_t bytes;
    double plan_s, native_s;   /* medians of the slowest rank's time [s] */
    double ratio;              /* median of native / plan over the pairs of turns */
    double ratio_lo, ratio_hi; /* its quartiles */
    int pairs;                 /* how many pairs of turns */
    long long wrong;           /* bytes that differ, over all ranks */
    const plan_candidate_t *chosen;
} tool_row_t;

/**
 * Broadcast `bytes` bytes by the plan and by MPI_Bcast in turns for about `seconds`; check every byte on every rank.
 * Collective; the row is the same on every rank.
 */
int tool_compare(MPI_Comm comm, plan_t *plan, size_t bytes, double seconds, tool_row_t *row);
void tool_print_rows(FILE *out, const tool_row_t *row, size_t n);
json_t *tool_json_rows(const tool_row_t *row, size_t n);

#endif
