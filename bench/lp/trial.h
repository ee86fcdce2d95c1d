/* One solve of one platform in a process of its own, so that its memory can be told from what came before. */
#ifndef BENCH_LP_TRIAL_H
#define BENCH_LP_TRIAL_H

#include "lp/program.h"

/** What to solve: a class of platforms.h with its parameter, and how. */
typedef struct {
    const char *kind;
    int ranks;
    double parameter;
    unsigned long seed;
    plani_solver_t *solve;
    double limit_s; /* 0: none */
} trial_t;

typedef struct {
    size_t links;
    int rounds;
    double seconds;           /* of the clock; the median of several solves where one takes less than 50 ms */
    double cpu_s;             /* of the processor, of the last solve */
    double throughput;        /* [slices/s] */
    double upper;             /* [slices/s] */
    double peak_bytes;        /* largest resident set of the process, the platform's arrays among it */
    char method[16], why[96]; /* what finished; what failed, "" if nothing */
} outcome_t;

/** Returns 0; or -1 if there is no such class, no memory, no process or no solution: then out->why says it. */
int trial(const trial_t *t, outcome_t *out);

#endif
