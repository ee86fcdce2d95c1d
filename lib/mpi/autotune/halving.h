/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fastest candidate by sequential halving (Karnin, Koren, Somekh 2013, "Almost optimal exploration in multi-armed
 * bandits"): passes of equal time, after each of which the slower half of the arms leaves. Free of MPI.
 *
 * Few runs that scatter say less than predictions do. So an arm is believed to take a time between its median and its
 * prediction, by the variances of both (empirical Bayes: Robbins 1956, Efron and Morris 1973). What runs scatter, how
 * much longer than predicted they all take, and how far predictions are off beyond that, is learnt from the arms of
 * this size. MPI_Bcast has no prediction: it is expected to take as long as the fastest plan.
 */
#ifndef PLANI_HALVING_H
#define PLANI_HALVING_H

#include <planbcast/plan.h>
#include <stdbool.h>
#include "lib/base/rng.h"
#include "lib/mpi/comm/simulator.h"

enum {
    PLANI_ARMS = 64,                    /* most arms of one message size */
    PLANI_SAMPLES = PLANI_REPEATS(400), /* most runs of one arm */
    PLANI_PASSES = 4                    /* passes over the arms: 12 are reduced to 2 */
};

/** Relative difference of medians that is not significant: MPI_Bcast has to be faster by more to win. */
#define PLANI_MARGIN 0.025

/** A candidate and its samples. Zero-initialise all but c, of, predicted_s and expected_s. */
typedef struct {
    plan_candidate_t c;           /* borrows its trees */
    size_t of;                    /* index in the ranking of the candidate that it is, or is a variant of */
    double predicted_s;           /* by the model, weighed; 0: unknown, as of MPI_Bcast */
    double expected_s;            /* by the model and by times at other sizes; 0: unknown */
    bool out;                     /* no longer runs */
    int n;                        /* runs so far */
    double sample[PLANI_SAMPLES]; /* [n] [s] from the root's start to the last rank's end */
    double median, low, high;     /* [s] with the 95% interval; NAN before the first run */
    double believed_s;            /* by its runs and the prediction, after plani_halve; INFINITY: nothing is known */
} plani_arm_t;

/** Add a run; ignored beyond PLANI_SAMPLES. */
void plani_arm_add(plani_arm_t *arm, double seconds);
/** [s] Expected time of a run: the median, or expected_s before the first run. */
double plani_arm_expected(const plani_arm_t *arm);

/** The arms that run in a round, in random order. \return their number */
int plani_draw_round(plani_rng_t *rng, const plani_arm_t *arm, int n, int who[PLANI_ARMS]);
/** After a pass: the slower half of the plans that are still in leaves; those that have not run are compared by their
 * expected time. MPI_Bcast leaves if it takes more than twice as long as the fastest plan. If no plan has run, only
 * MPI_Bcast leaves. */
void plani_halve(plani_arm_t *arm, int n);
/** Whether further runs are of no use: at most one plan is in, and MPI_Bcast is significantly faster or slower. */
bool plani_is_decided(const plani_arm_t *arm, int n);
/** The plan that is believed to be fastest, of those still in and of those that have left after at least as many runs
 * as the fastest of these: variants come in late, and have seen fewer passes. MPI_Bcast, if it is believed to be faster
 * by PLANI_MARGIN (or expected to be, if it has not run), or if there are no plans. -1: no plan has run. */
int plani_winner(plani_arm_t *arm, int n);

#endif
