/* Races: candidates timed in turns, the clearly slower ones dropped early (best-arm identification by successive
 * elimination). Private. */
#ifndef PLANI_RACE_H
#define PLANI_RACE_H

#include "lib/base/rng.h"
#include <planbcast/mpi.h>

enum {
    PLANI_FIELD = 64,     /* runners in a race */
    PLANI_ROUNDS = 400,   /* a runner runs at most */
    PLANI_RESTLESS = 1024 /* [B] smaller messages leave nothing behind on the network */
};
#define PLANI_NOISY_S 2e-3 /* [s] a single run of a shorter broadcast says nothing: ranks may be asleep */

/** A candidate in a race, and its times so far. */
typedef struct {
    const plan_candidate_t *c;   /* borrowed */
    bool stays;                  /* is never dropped */
    bool out;                    /* hopeless: dropped */
    int n;                       /* runs */
    double sample[PLANI_ROUNDS]; /* [n] the slowest rank's time [s], in the order of the rounds */
    double median;               /* [s]; NAN before the first run */
    double low, high;            /* its 95% interval [s]; the extremes for fewer than 6 runs */
} plani_runner_t;

/** What a race runs, and for how long. */
typedef struct {
    size_t bytes;
    double budget_s;
    double rest_s;  /* before each broadcast: the network comes to rest. Bytes that still wait on a slow card, or have
                       used up what it lets pass in a burst, would be charged to the next, and with few runners each
                       meets its own. Not in simulated time */
    int runs;       /* > 0: it ends after so many runs of each, not as soon as it seems decided; those of an earlier
                       race do not count, but for one */
    double aside_s; /* out: what a run took besides its broadcast, in the mean [s]; untouched if none ran */
} plani_heat_t;

/**
 * Let n candidates broadcast in turns: in each round all that are still in, in a newly drawn order, so that whatever
 * disturbs the machine disturbs all alike. Brief ones run several times in a round. All ranks begin at once, and the
 * slowest rank's time counts (Hunold, Carpen-Amarie 2016). A runner drops out once it is far behind the best or its
 * interval lies beyond the best's. The race ends when nothing is lost by taking the best of those left, or when
 * budget_s has passed, exceeded by at most one broadcast. Where one broadcast takes a good part of the budget, the last
 * runners do not run (n = 0). Runners that have run before keep their samples.
 *
 * Collective; heat, runner and n are significant at rank 0 alone, whose runners stand in the order in which they are to
 * begin.
 */
int plani_race(MPI_Comm comm, int root, plani_heat_t *heat, plani_runner_t *runner, int n, plan_error_t *err);

/* ---- judge.c: who runs next; rank 0's, without MPI ---- */

/** Who broadcasts in one round, in this order. */
typedef struct {
    int n; /* 0: the race is over */
    int who[PLANI_FIELD];
} plani_round_t;

/** How a race stands: starts at zero, but for heat and a seeded rng. */
typedef struct {
    const plani_heat_t *heat; /* borrowed */
    plani_rng_t rng;
    double spent_s;   /* by now; the caller's to say */
    double running_s; /* of this in broadcasts */
    int runs;         /* all */
    int laps;         /* runs of each that is in, but for its first in the race */
} plani_judge_t;

/** The next round: newcomers first, as long as there is time to look at the best again, too; then all that are in,
 * shuffled, brief ones several times. Where half of the time (all of it, of brief ones) does not do for all, the
 * fastest so far: who won by a lucky run has to win again. Marks as out who is. */
void plani_judge_draw(plani_judge_t *j, plani_runner_t *runner, int n, plani_round_t *round);
/** What each of the round took [s], to its samples. */
void plani_judge_note(plani_judge_t *j, plani_runner_t *runner, const plani_round_t *round, const double *seconds);
/** What a run takes besides its broadcast, in the mean so far [s]; 0 before the first. */
double plani_judge_aside(const plani_judge_t *j);

/* ---- runner.c: what samples tell ---- */

/** Median and interval of the samples so far. */
void plani_runner_sum_up(plani_runner_t *r);
/** Brief enough for hundreds of runs at several times? [s] */
bool plani_is_brief(double seconds);
/** Is the plan `a` to be preferred to MPI_Bcast, `b`? A brief one where it is faster beyond what noise explains; others
 * where they are no slower: messages sent whole are as fast at times, for as long as ranks happen to lie so on
 * processors. */
bool plani_runner_beats(const plani_runner_t *a, const plani_runner_t *b);
/** The planned runner of the least median that has not dropped out, unless all have; of those as fast as noise explains
 * one that ran more than once, and whose interval ends first. NULL: none ran. */
plani_runner_t *plani_runners_pick(plani_runner_t *runner, int n);
/** The one of the least median; NULL: none ran. */
const plani_runner_t *plani_runners_best(const plani_runner_t *runner, int n);
/** Mark as out who is too far behind the best. */
void plani_runners_drop(plani_runner_t *runner, int n);
/** Is nothing to be gained by further runs of those who are in? At least one has run. */
bool plani_runners_known(const plani_runner_t *runner, int n);

#endif
