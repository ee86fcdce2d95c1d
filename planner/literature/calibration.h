/* How long an algorithm's broadcasts really take beside the model: fitted to experiments. */
#ifndef PLANI_CALIBRATION_H
#define PLANI_CALIBRATION_H

#include <stddef.h>
#include <planbcast/platform.h>

/** One experiment: a broadcast down a tree, then a flat gather of short messages at its root, timed there. */
typedef struct {
    double modelled_s; /* what the model says of both [s] > 0 */
    double levels;     /* of the tree, and one for the gather */
    double measured_s; /* [s] > 0 */
} plani_experiment_t;

enum { PLANI_EXPERIMENTS = 32 };

/**
 * Fit measured = scale * modelled + level_s * levels with level_s >= 0: a Huber regression of relative errors
 * (Nuriyev et al. 2022, section 5.2, eqs (16)-(20)). There the unknowns are the parameters o and L of each channel;
 * here the ladders stand for these, and the unknowns are what the algorithm makes of them. The errors are medians of
 * |predicted / measured - 1|, those with the calibration each from the fit to all experiments but the one predicted.
 * Fills all but the name.
 *
 * \param n up to PLANI_EXPERIMENTS; below 3 there is nothing to fit: scale 1, level_s 0
 */
plan_status_t plani_calibration_fit(size_t n, const plani_experiment_t *e, plan_calibration_t *out);

#endif
