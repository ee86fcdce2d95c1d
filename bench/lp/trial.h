/* Solves one platform in a process of its own, so that the peak memory is that of this solve. */
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
    double seconds;           /* wall-clock time; the median of several solves if one takes less than 50 ms */
    double cpu_s;             /* processor time of the last solve */
    double throughput;        /* [slices/s] */
    double upper;             /* [slices/s] */
    double peak_bytes;        /* largest resident set of the process, including the platform's arrays */
    char method[16], why[96]; /* the method that finished; the failure, or "" */
} outcome_t;

/** 0; or -1 with the reason in out->why: unknown class, no memory, no process or no solution. */
int trial(const trial_t *t, outcome_t *out);

#endif
