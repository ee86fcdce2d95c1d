/* Broadcasts against each other by the clock, private. */
#ifndef PLANI_RACE_H
#define PLANI_RACE_H

#include <planbcast/mpi.h>

enum {
    PLANI_ROUNDS = 400,   /* a runner runs at most */
    PLANI_RESTLESS = 1024 /* [B] smaller messages leave nothing behind on the network */
};
#define PLANI_BRIEF_S 2e-3 /* [s] of shorter broadcasts a single run says nothing: ranks sleep */

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

/** What is run, and for how long. */
typedef struct {
    size_t bytes;
    size_t gather; /* > 0: each broadcast is followed by a flat gather of so many bytes from every rank, and what counts
                      is the root's time for both (Nuriyev et al. 2022, eq. (16)) */
    double budget_s;
    double rest_s;  /* before each broadcast: the network comes to rest. Bytes that still wait on a slow card, or have
                       used up what it lets pass in a burst, would be charged to the next, and with few runners each
                       meets its own. Not in simulated time */
    int runs;       /* > 0: it ends after so many runs of each, not as soon as it seems decided */
    double aside_s; /* out: what a run took besides its broadcast, in the mean [s]; untouched if none ran */
} plani_heat_t;

/**
 * Let n candidates broadcast in turns, in each round all that are still in, in an order drawn anew: what disturbs the
 * machine disturbs all alike. Brief ones run several times in a round. All ranks begin at once, the time of the
 * slowest rank (Hunold, Carpen-Amarie 2016). A runner drops out once it is far behind the best or its interval is
 * beyond the best's; the race ends when nothing is lost by taking the best of those left, or budget_s has passed, by no
 * more than the last broadcast. Where one broadcast takes a good part of that, those who stand last do not run (n = 0).
 * Runners that have run before go on where they were.
 *
 * Collective; heat, runner and n are significant at rank 0 alone, whose runners stand in the order in which they are to
 * begin.
 */
int plani_race(MPI_Comm comm, int root, plani_heat_t *heat, plani_runner_t *runner, int n, plan_error_t *err);

/* ---- runner.c: what samples tell ---- */

/** Median and interval of the samples so far. */
void plani_runner_sum_up(plani_runner_t *r);
/** Is `a` faster than `b` beyond what noise explains? */
bool plani_runner_beats(const plani_runner_t *a, const plani_runner_t *b);
/** The planned runner of the least median that has not dropped out, unless all have; of those within 1% of it the one
 * with the least spread. NULL: none ran. */
plani_runner_t *plani_runners_pick(plani_runner_t *runner, int n);
/** The one of the least median; NULL: none ran. */
const plani_runner_t *plani_runners_best(const plani_runner_t *runner, int n);
/** Mark as out who is too far behind the best. */
void plani_runners_drop(plani_runner_t *runner, int n);
/** Is nothing to be gained by further runs of those who are in? At least one has run. */
bool plani_runners_known(const plani_runner_t *runner, int n);

#endif
