/* Broadcasts against each other by the clock, private. */
#ifndef PLANI_RACE_H
#define PLANI_RACE_H

#include <planbcast/mpi.h>

enum { PLANI_ROUNDS = 400 }; /* a runner runs at most */

/** One who takes part, and how it fared. */
typedef struct {
    const plan_candidate_t *c;   /* borrowed */
    bool stays;                  /* is never dropped */
    bool out;                    /* hopeless: dropped */
    int n;                       /* runs */
    double sample[PLANI_ROUNDS]; /* [n] the slowest rank's time [s], in the order of the rounds */
    double median;               /* [s]; NAN before the first run */
    double low, high;            /* its 95% interval [s]; the extremes for fewer than 6 runs */
    double quarter[2];           /* the middle half of the samples lies between [s] */
} plani_runner_t;

/**
 * Let n candidates broadcast `bytes` bytes in turns, in each round all that are still in, in an order drawn anew: what
 * disturbs the machine disturbs all alike. Brief ones run several times in a round. The same barrier before each, the
 * time of the slowest rank (Hunold, Carpen-Amarie 2016). A runner drops out once it is far behind the best or its
 * interval is beyond the best's; the race ends when nothing is lost by taking the best of those left, or budget_s has
 * passed, by no more than the last broadcast. Where one broadcast takes a good part of that, those who stand last do
 * not run (n = 0).
 *
 * `gather` > 0: each broadcast is followed by a flat gather of so many bytes from every rank, and what counts is the
 * root's time for both (Nuriyev et al. 2022, eq. (16)).
 *
 * Collective; bytes, gather, budget_s, runner and n are significant at rank 0 alone, whose runners stand in the order
 * in which they are to begin.
 */
int plani_race(MPI_Comm comm, int root, size_t bytes, size_t gather, double budget_s, plani_runner_t *runner, int n,
               plan_error_t *err);

/** Median and interval of the samples so far. */
void plani_runner_sum_up(plani_runner_t *r);
/** Is `a` faster than `b` beyond what noise explains? */
bool plani_runner_beats(const plani_runner_t *a, const plani_runner_t *b);
/** The planned runner of the least median; of those within 1% of it the one with the least spread. NULL: none ran. */
plani_runner_t *plani_runners_pick(plani_runner_t *runner, int n);
/** Mark as out who is too far behind the best. */
void plani_runners_drop(plani_runner_t *runner, int n);
/** Is nothing to be gained by further runs of those who are in? At least one has run. */
bool plani_runners_known(const plani_runner_t *runner, int n);

#endif
