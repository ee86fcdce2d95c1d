/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/api/timed.h"
#include <math.h>
#include "lib/base/statistics.h"

static const double OFF = 1.3;   /* off by more than 30%, as plan_review says */
static const double LATE = 0.25; /* of a broadcast: who begins later than that changes the arrivals of others */

/* One broadcast as all ranks saw it. */
typedef struct {
    double begin_s, late_s, end_s; /* [s] the root's start, the last rank's, the last arrival */
} seen_t;

static const plani_timing_t *timing(plani_all_timings_t b, int rank, int i)
{
    return b.of + ((size_t)rank * PLANI_TIMINGS + (size_t)i);
}

/* False: some rank has no times of the root's i-th one. */
static bool see(plani_all_timings_t b, int i, seen_t *out)
{
    const plani_timing_t *root = timing(b, b.root, i);

    *out = (seen_t){.begin_s = root->entry_s, .late_s = root->entry_s, .end_s = root->entry_s};
    for (int r = 0; r < b.ranks; r++) {
        const plani_timing_t *a = timing(b, r, i);
        if (a->number == 0 || a->number != root->number || a->bytes != root->bytes || a->range != root->range)
            return false;
        out->late_s = fmax(out->late_s, a->entry_s);
        out->end_s = fmax(out->end_s, a->last_s);
    }
    return true;
}

size_t plani_timed_sizes(plani_all_timings_t b, plani_timed_size_t timed[PLANI_TIMINGS])
{
    size_t n = 0;

    for (int i = 0; i < PLANI_TIMINGS; i++) {
        plani_timed_size_t t = {.bytes = timing(b, b.root, i)->bytes, .range = timing(b, b.root, i)->range};
        double x[PLANI_TIMINGS];
        seen_t seen;
        bool first = true;
        t.least_s = INFINITY;
        for (int k = 0; k < PLANI_TIMINGS; k++) {
            if (timing(b, b.root, k)->bytes != t.bytes || !see(b, k, &seen)) continue;
            first = first && (k >= i);
            x[t.n++] = seen.end_s - seen.begin_s;
            t.least_s = fmin(t.least_s, seen.end_s - seen.late_s);
        }
        if (!first || t.n < PLANI_TIMED_LEAST || !see(b, i, &seen)) continue;
        t.median_s = plani_interval(x, t.n).median;
        timed[n++] = t;
    }
    return n;
}

bool plani_timed_arrivals(plani_all_timings_t b, size_t bytes, double *arrival)
{
    seen_t seen[PLANI_TIMINGS];
    int which[PLANI_TIMINGS], n = 0;

    for (int i = 0; i < PLANI_TIMINGS; i++) {
        if (timing(b, b.root, i)->bytes != bytes || !see(b, i, &seen[n])) continue;
        if (seen[n].late_s - seen[n].begin_s > LATE * (seen[n].end_s - seen[n].begin_s)) continue;
        which[n++] = i;
    }
    for (int r = 0; r < b.ranks && n > 0; r++) {
        double x[PLANI_TIMINGS];
        for (int k = 0; k < n; k++) x[k] = timing(b, r, which[k])->last_s - seen[k].begin_s;
        arrival[r] = r == b.root ? 0 : plani_interval(x, n).median;
    }
    return n > 0;
}

bool plani_is_off(const plani_timed_size_t *t, double predicted_s)
{
    return t->least_s > OFF * predicted_s || OFF * t->median_s < predicted_s;
}
