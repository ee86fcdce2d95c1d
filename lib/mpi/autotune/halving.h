/*
 * Which candidate is fastest, by sequential halving (Karnin, Koren, Somekh 2013, "Almost optimal exploration in
 * multi-armed bandits"): passes of equal time, after each of which the faster half of the arms stays. Free of MPI.
 */
#ifndef PLANI_HALVING_H
#define PLANI_HALVING_H

#include <stdbool.h>
#include "lib/base/rng.h"
#include "lib/mpi/comm/simulator.h"
#include "planner/select/timed_shortlist.h"

enum {
    PLANI_ARMS = 64,                    /* of one message size at most */
    PLANI_SAMPLES = PLANI_REPEATS(400), /* of one arm at most */
    PLANI_PASSES = 4                    /* over the arms: 12 come down to 2 */
};

/** What two medians may differ by without meaning it, as a part of them: MPI_Bcast has to be faster by more. */
#define PLANI_MARGIN 0.025

/** A candidate, and what it took. Zero-initialise but for c, of and expected_s. */
typedef struct {
    plan_candidate_t c; /* borrows its trees */
    size_t of;          /* the candidate of the ranking that it is, or is a variant of */
    double expected_s;
    bool out;                     /* no longer runs */
    int n;                        /* runs */
    double sample[PLANI_SAMPLES]; /* [n] the slowest rank's time [s] */
    double median, low, high;     /* with the 95% interval [s]; NAN before the first run */
} plani_arm_t;

/** Note a run; beyond PLANI_SAMPLES nothing. */
void plani_arm_add(plani_arm_t *arm, double seconds);
/** What a run of the arm is expected to take [s]. */
double plani_arm_expected(const plani_arm_t *arm);

/** The arms that run in a round, in a newly drawn order. \return how many */
int plani_draw_round(plani_rng_t *rng, const plani_arm_t *arm, int n, int who[PLANI_ARMS]);
/** After a pass: the slower half of the plans that are in leaves, where those that have not run rank by what is
 * expected of them; MPI_Bcast, when it is twice as slow as the fastest. Where no plan has run, MPI_Bcast alone leaves.
 */
void plani_halve(plani_arm_t *arm, int n);
/** Nothing is gained by further runs: one plan is in at most, and MPI_Bcast beyond doubt faster or slower. */
bool plani_is_decided(const plani_arm_t *arm, int n);
/** The fastest plan of those that are in, else of all that have run; MPI_Bcast, if that is faster by PLANI_MARGIN (or
 * expected to be, where it has not run), or there are no plans; -1: no plan has run. */
int plani_winner(const plani_arm_t *arm, int n);

#endif
