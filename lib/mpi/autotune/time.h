/* Timing broadcasts and choosing by the clock, private. */
#ifndef PLANI_TIME_H
#define PLANI_TIME_H

#include <planbcast/mpi.h>
#include "lib/base/statistics.h"

/**
 * Time broadcasts of `bytes` bytes by one candidate (MPI_Bcast, for PLAN_RUN_NATIVE), from the root's start to the last
 * rank's end: the median over repetitions, until its 95% interval is within 2.5% or `budget_s` [s] is spent. Collective
 * on comm, whose errors return; `c` is significant at rank 0 only. *seconds is set on every rank.
 */
int plani_time(MPI_Comm comm, int root, const plan_candidate_t *c, size_t bytes, double budget_s, double *seconds,
               plan_error_t *err);

enum { PLANI_MATCH_SIZES = 32 };

/** What to time at which message sizes, and the rankings that result. */
typedef struct {
    size_t n, bytes[PLANI_MATCH_SIZES]; /* ascending [B] */
    /* Candidates to time per size, at least, besides MPI_Bcast; 0: only MPI_Bcast; -1: nothing is timed. */
    int finalists;
    double time_s; /* for timing one candidate at one size, in the mean [s]: larger sizes get more of it */
    double duel_s; /* > 0: a duel instead, of so many seconds in all at most */
    bool winners;  /* of a duel for a plan: rankings as plans of many sizes need them, which take less time */
    size_t border[PLANI_MATCH_SIZES]; /* rank 0, of duels: the largest message for which each size's choice serves */
    plan_ranking_t *ranking[PLANI_MATCH_SIZES]; /* rank 0: one per size, sorted by what was measured */
    double planning_s, timing_s;                /* rank 0: how long the two halves took [s] */
} plani_match_t;

/**
 * Rank the candidates of each size by the model, time the finalists and MPI_Bcast in a race, then the best of them
 * against those that came close and against variants of its slice size and window, again where a variant wins. The best
 * of brief sizes are timed again from time to time while larger sizes are run, because timings change level for seconds
 * as ranks move between processors. The chosen candidate comes first: MPI_Bcast, unless a plan beats it
 * (plani_runner_beats); the others are sorted by measured time. It takes plani_match_time for each size, exceeded by at
 * most one broadcast; a size in which not even one fits is decided by the timings of the size before.
 *
 * In a duel each size has up to three races of a few runs: who is expected to be fastest by the model and by what the
 * size before took, the best of other shapes, and MPI_Bcast, which is chosen only where it is faster beyond what noise
 * explains. Where memory or time do not do for a size, it is expected.
 *
 * Collective; pf, options and match are significant at rank 0 only.
 */
int plani_tournament(MPI_Comm comm, const plan_platform_t *pf, int root, const plan_options_t *options,
                     plani_match_t *match, plan_error_t *err);
/** The part of the budget that a duel may take: on small machines it takes some tenths of a second. */
#define PLANI_DUEL_PART 0.25
/** Messages of more bytes are not timed in duels, which every user pays for, in memory too: what was learnt of smaller
 * ones decides. */
#define PLANI_DUEL_MOST ((size_t)16 << 20)
void plani_match_clear(plani_match_t *match);
/** The time for the i-th size [s]: of what is left, by how long broadcasts of this size and of those to come take. */
double plani_match_share(const plani_match_t *m, size_t i, double left_s);
/** About how long the match takes at one size with so many candidates [s]. */
double plani_match_time(const plani_match_t *m, size_t candidates);

/** Plan by timing for messages of up to max_bytes: a tournament at several sizes, within the options' budget, or, if
 * the options say PLAN_DUEL, a duel at more sizes. Collective; rank 0 receives the plan. pf is significant at rank 0
 * only. */
int plani_plan_by_clock(MPI_Comm comm, const plan_platform_t *pf, int root, size_t max_bytes,
                        const plan_options_t *options, plan_t **out, plan_error_t *err);

/** One line to the caller's report, if there is one. */
void plani_report(const plan_options_t *options, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Median of n values and whether its interval is within 2.5%; sorts x. n >= 1. */
double plani_median(double *x, int n, int *narrow);

#endif
