/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/autotune/halving.h"
#include <limits.h>
#include <math.h>
#include <string.h>
#include "lib/base/statistics.h"

enum { ENOUGH = 8 }; /* runs from which on plani_interval has both ends */

void plani_arm_add(plani_arm_t *arm, double seconds)
{
    double x[PLANI_SAMPLES];
    if (arm->n == PLANI_SAMPLES) return;
    arm->sample[arm->n++] = seconds;
    memcpy(x, arm->sample, (size_t)arm->n * sizeof *x);
    plani_interval_t i = plani_interval(x, arm->n);
    arm->median = i.median;
    arm->low = i.low;
    arm->high = i.high;
}

double plani_arm_expected(const plani_arm_t *arm)
{
    return arm->n > 0 ? arm->median : arm->expected_s;
}

static bool is_plan(const plani_arm_t *arm)
{
    return arm->c.run != PLAN_RUN_NATIVE;
}

/* ---- what to believe ---- */

/* All of logarithms. */
enum { SEVERAL = 3 };               /* runs from which on an arm shows how far predictions are off */
static const double errs = 0.1;     /* standard deviation of predictions, before arms have run */
static const double errs_weigh = 5; /* arms that would show as much */
static const double errs_least = 0.03;
static const double scatters = 0.1; /* standard deviation of runs, before an arm has two; one run more shows as much */
static const double lasts = 0.3;    /* part of the variance of runs that more runs do not remove */

static double log_of(double seconds)
{
    return log(fmax(seconds, 1e-12)); /* clocks may stand still, as a simulator's */
}

/* What all arms of a size show together. */
typedef struct {
    double scatter; /* standard deviation of the logarithm of an arm's runs */
    double longer;  /* measured / predicted time */
    double errs;    /* standard deviation of the logarithm of measured / predicted time, but for the runs' scatter */
} judgement_t;

/* By mean absolute deviations, which outliers disturb little. */
static double scatter_of(const plani_arm_t *arm, int n)
{
    double sum = PLANI_NO_NOISE ? 0 : scatters, weight = 1;
    for (int i = 0; i < n; i++) {
        if (arm[i].out || arm[i].n < 2) continue;
        for (int k = 0; k < arm[i].n; k++)
            sum += sqrt(M_PI / 2) * fabs(log_of(arm[i].sample[k]) - log_of(arm[i].median));
        weight += arm[i].n - 1;
    }
    return sum / weight;
}

/* Variance of the logarithm of an arm's median. */
static double variance(const plani_arm_t *arm, const judgement_t *j)
{
    return j->scatter * j->scatter * (M_PI / 2 / arm->n + lasts) + 1e-12;
}

static bool is_predicted(const plani_arm_t *arm)
{
    return is_plan(arm) && arm->predicted_s > 0 && isfinite(arm->predicted_s);
}

/* Of an arm with enough runs: the logarithm of measured / predicted time. */
static bool shows(const plani_arm_t *arm, int least, double *off)
{
    if (arm->n == 0 || arm->n < least || !is_predicted(arm)) return false;
    *off = log_of(arm->median) - log(arm->predicted_s);
    return true;
}

/* How far predictions are off, by moments (DerSimonian, Laird 1986, "Meta-analysis in clinical trials"), in so many
 * turns that what they tell of each other settles. */
static void compare_with_predictions(const plani_arm_t *arm, int n, judgement_t *j)
{
    int least = 0;
    double off, mean = 0;
    for (int i = 0; i < n; i++)
        if (arm[i].n > least) least = arm[i].n < SEVERAL ? arm[i].n : SEVERAL;

    j->errs = errs;
    for (int turn = 0; turn < 5; turn++) {
        double sum = 0, weights = 0, squares = 0, arms = -1;
        for (int i = 0; i < n; i++) {
            if (!shows(&arm[i], least, &off)) continue;
            double weight = 1 / (variance(&arm[i], j) + j->errs * j->errs);
            sum += weight * off;
            weights += weight;
        }
        if (weights > 0) mean = sum / weights;
        for (int i = 0; i < n; i++) {
            if (!shows(&arm[i], least, &off)) continue;
            squares += (off - mean) * (off - mean) - variance(&arm[i], j);
            arms++;
        }
        if (arms > 0)
            j->errs = sqrt(fmax((squares + errs_weigh * errs * errs) / (arms + errs_weigh), errs_least * errs_least));
    }
    j->longer = exp(mean);
}

/* The time of an arm: before it runs what is expected of it, after it has run between that and what its runs show. */
static double believe(const plani_arm_t *arm, double expected_s, const judgement_t *j)
{
    if (arm->n == 0) return arm->expected_s > 0 ? arm->expected_s : expected_s;
    if (!isfinite(expected_s)) return arm->median;
    double trust = j->errs * j->errs / (j->errs * j->errs + variance(arm, j));
    return exp(trust * log_of(arm->median) + (1 - trust) * log_of(expected_s));
}

static void judge(plani_arm_t *arm, int n)
{
    judgement_t j = {.scatter = scatter_of(arm, n)};
    double least = INFINITY;
    compare_with_predictions(arm, n, &j);
    for (int i = 0; i < n; i++) {
        if (!is_plan(&arm[i])) continue;
        arm[i].believed_s = believe(&arm[i], is_predicted(&arm[i]) ? j.longer * arm[i].predicted_s : INFINITY, &j);
        if (!arm[i].out) least = fmin(least, arm[i].believed_s);
    }
    for (int i = 0; i < n; i++)
        if (!is_plan(&arm[i])) arm[i].believed_s = arm[i].n > 0 ? believe(&arm[i], least, &j) : arm[i].expected_s;
}

/* ---- who leaves, who wins ---- */

int plani_draw_round(plani_rng_t *rng, const plani_arm_t *arm, int n, int who[PLANI_ARMS])
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!arm[i].out && arm[i].n < PLANI_SAMPLES) who[count++] = i;
    for (int i = count - 1; i > 0; i--) {
        int k = (int)plani_rng_below(rng, (uint64_t)i + 1), swap = who[i];
        who[i] = who[k], who[k] = swap;
    }
    return count;
}

/* The fastest plan of those that are still in and have run, and those that have left after `least` runs or more; -1:
 * none. */
static int fastest_plan(const plani_arm_t *arm, int n, int least)
{
    int best = -1;
    for (int i = 0; i < n; i++)
        if (is_plan(&arm[i]) && arm[i].n > 0 && (!arm[i].out || arm[i].n >= least) &&
            (best < 0 || arm[i].believed_s < arm[best].believed_s))
            best = i;
    return best;
}

static int fastest_in(const plani_arm_t *arm, int n)
{
    return fastest_plan(arm, n, INT_MAX);
}

static int native_in(const plani_arm_t *arm, int n)
{
    for (int i = 0; i < n; i++)
        if (!is_plan(&arm[i]) && arm[i].n > 0) return i;
    return -1;
}

static bool has_plans(const plani_arm_t *arm, int n)
{
    for (int i = 0; i < n; i++)
        if (is_plan(&arm[i])) return true;
    return false;
}

void plani_halve(plani_arm_t *arm, int n)
{
    judge(arm, n);
    int in = 0, best = fastest_in(arm, n), native = native_in(arm, n);
    if (best < 0 && native >= 0 && has_plans(arm, n)) {
        arm[native].out = true; /* it has used the whole pass: the next one is for plans */
        return;
    }
    for (int i = 0; i < n; i++) {
        in += is_plan(&arm[i]) && !arm[i].out;
        if (!is_plan(&arm[i]) && best >= 0 && arm[i].median > 2 * arm[best].median) arm[i].out = true;
    }
    for (int leave = in / 2; leave > 0 && in > 1; leave--, in--) {
        int slowest = -1;
        for (int i = 0; i < n; i++)
            if (is_plan(&arm[i]) && !arm[i].out && (slowest < 0 || arm[i].believed_s >= arm[slowest].believed_s))
                slowest = i;
        arm[slowest].out = true;
    }
}

bool plani_is_decided(const plani_arm_t *arm, int n)
{
    int in = 0, best = fastest_in(arm, n), native = native_in(arm, n);
    for (int i = 0; i < n; i++) in += is_plan(&arm[i]) && !arm[i].out;
    if (in > 1 || best < 0 || arm[best].n < ENOUGH || (native >= 0 && arm[native].n < ENOUGH)) return false;
    return native < 0 || arm[native].out || arm[native].low > arm[best].high || arm[native].high < arm[best].low;
}

int plani_winner(plani_arm_t *arm, int n)
{
    judge(arm, n);
    int in = fastest_in(arm, n), best = fastest_plan(arm, n, in < 0 ? 1 : arm[in].n);
    if (best < 0) return has_plans(arm, n) ? -1 : native_in(arm, n);
    for (int i = 0; i < n; i++) {
        double native_s = is_plan(&arm[i]) ? 0 : arm[i].believed_s; /* 0: unknown */
        if (native_s > 0 && native_s < arm[best].believed_s * (1 - PLANI_MARGIN)) return i;
    }
    return best;
}
