/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/autotune/halving.h"
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

/* The fastest plan that has run, of those still in or of all; -1: none. */
static int fastest_plan(const plani_arm_t *arm, int n, bool in)
{
    int best = -1;
    for (int i = 0; i < n; i++)
        if (is_plan(&arm[i]) && arm[i].n > 0 && !(in && arm[i].out) && (best < 0 || arm[i].median < arm[best].median))
            best = i;
    return best;
}

static int native_in(const plani_arm_t *arm, int n)
{
    for (int i = 0; i < n; i++)
        if (!is_plan(&arm[i]) && arm[i].n > 0) return i;
    return -1;
}

/* [s] The time by which arms are compared: the median, or the expected time of arms that have not run. */
static double rank_of(const plani_arm_t *arm)
{
    return arm->n > 0 || arm->expected_s > 0 ? plani_arm_expected(arm) : INFINITY;
}

static bool has_plans(const plani_arm_t *arm, int n)
{
    for (int i = 0; i < n; i++)
        if (is_plan(&arm[i])) return true;
    return false;
}

void plani_halve(plani_arm_t *arm, int n)
{
    int in = 0, best = fastest_plan(arm, n, true), native = native_in(arm, n);
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
            if (is_plan(&arm[i]) && !arm[i].out && (slowest < 0 || rank_of(&arm[i]) >= rank_of(&arm[slowest])))
                slowest = i;
        arm[slowest].out = true;
    }
}

bool plani_is_decided(const plani_arm_t *arm, int n)
{
    int in = 0, best = fastest_plan(arm, n, true), native = native_in(arm, n);
    for (int i = 0; i < n; i++) in += is_plan(&arm[i]) && !arm[i].out;
    if (in > 1 || best < 0 || arm[best].n < ENOUGH || (native >= 0 && arm[native].n < ENOUGH)) return false;
    return native < 0 || arm[native].out || arm[native].low > arm[best].high || arm[native].high < arm[best].low;
}

int plani_winner(const plani_arm_t *arm, int n)
{
    int best = fastest_plan(arm, n, true);
    if (best < 0) best = fastest_plan(arm, n, false);
    if (best < 0) return has_plans(arm, n) ? -1 : native_in(arm, n);
    for (int i = 0; i < n; i++) {
        double native_s = is_plan(&arm[i]) ? 0 : plani_arm_expected(&arm[i]); /* 0: unknown */
        if (native_s > 0 && native_s < arm[best].median * (1 - PLANI_MARGIN)) return i;
    }
    return best;
}
