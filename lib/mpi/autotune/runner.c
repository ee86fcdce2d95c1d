/* What the samples of a runner tell. */
#include "lib/mpi/autotune/race.h"
#include "lib/mpi/autotune/time.h"
#include "planner/plan/plan_private.h"
#include <math.h>
#include <string.h>

/* A runner is dropped after `runs` that count if its fastest is more than `factor` times the best median: so far
 * behind, noise does not bring it back. Long broadcasts scatter little, and cost much. */
typedef struct {
    int runs;
    double factor;
} drop_t;
enum { DROPS = 4 };
static const drop_t drop_noisy[DROPS] = {{2, 2}, {5, 1.5}, {12, 1.2}, {12, 1.2}},
                    drop_short[DROPS] = {{1, 3}, {2, 2}, {5, 1.5}, {12, 1.2}},
                    drop_long[DROPS] = {{1, 2}, {2, 1.4}, {3, 1.2}, {5, 1.1}};
static const double brief_s = 5e-3;  /* there is time for hundreds of runs of shorter broadcasts, at several times */
static const double long_s = 2e-2;   /* of longer broadcasts even the first run counts */
static const double margin = 0.025;  /* what two medians may differ by without meaning it */
static const double certain = 0.025; /* nothing is lost by more than this, of the time: known well enough */
enum {
    FEW = 12,   /* runs, before intervals decide */
    SETTLED = 6 /* runs at least until the race ends early */
};

/* The first run sets connections up, which takes up to 50 ms on crowded cores: it counts only where it is alone, or
 * long and no longer than others. */
static int first_that_counts(const plani_runner_t *r)
{
    return r->n > 1 && (r->sample[0] < long_s || r->sample[0] > 3 * r->sample[1]);
}

void plani_runner_sum_up(plani_runner_t *r)
{
    double x[PLANI_ROUNDS];
    int first = first_that_counts(r), n = r->n - first;

    r->median = r->low = r->high = NAN;
    if (n < 1) return;
    memcpy(x, r->sample + first, (size_t)n * sizeof *x);
    plani_interval_t i = plani_interval(x, n);
    r->median = i.median;
    r->low = i.low;
    r->high = i.high;
}

bool plani_is_brief(double seconds)
{
    return seconds < brief_s;
}

bool plani_runner_beats(const plani_runner_t *a, const plani_runner_t *b)
{
    if (!plani_is_brief(b->median)) return a->median < b->median * (1 + margin);
    if (!(a->median < b->median * (1 - margin))) return false;
    return a->high < b->median || a->median < b->low || a->median < 0.5 * b->median;
}

static bool may_win(const plani_runner_t *r, bool in)
{
    return plani_is_planned(r->c) && r->n > 0 && !(in && r->out);
}

/* A single run may have been a lucky one. */
static bool is_surer(const plani_runner_t *a, const plani_runner_t *b)
{
    if ((a->n > 1) != (b->n > 1)) return a->n > 1;
    return a->high < b->high;
}

plani_runner_t *plani_runners_pick(plani_runner_t *runner, int n)
{
    plani_runner_t *best = NULL, *pick = NULL;
    bool in = false; /* somebody is: those that dropped out stopped at another time, and lost */
    for (int i = 0; i < n; i++) in = in || may_win(&runner[i], true);
    for (int i = 0; i < n; i++)
        if (may_win(&runner[i], in) && (best == NULL || runner[i].median < best->median)) best = &runner[i];
    for (int i = 0; i < n && best != NULL; i++) {
        if (!may_win(&runner[i], in) || !(runner[i].median <= best->median * (1 + margin))) continue;
        if (pick == NULL || is_surer(&runner[i], pick)) pick = &runner[i];
    }
    return pick;
}

const plani_runner_t *plani_runners_best(const plani_runner_t *runner, int n)
{
    const plani_runner_t *best = NULL;
    for (int i = 0; i < n; i++)
        if (runner[i].n > 0 && (best == NULL || runner[i].median < best->median)) best = &runner[i];
    return best;
}

static double fastest_of(const plani_runner_t *r)
{
    double fastest = INFINITY;
    for (int k = first_that_counts(r); k < r->n; k++) fastest = fmin(fastest, r->sample[k]);
    return fastest;
}

void plani_runners_drop(plani_runner_t *runner, int n)
{
    const plani_runner_t *best = plani_runners_best(runner, n);
    for (int i = 0; i < n && best != NULL; i++) {
        plani_runner_t *r = &runner[i];
        double fastest = fastest_of(r);
        const drop_t *drop = best->median < PLANI_NOISY_S ? drop_noisy : best->median < long_s ? drop_short : drop_long;
        int runs = r->n - first_that_counts(r);
        if (r == best || (r->n == 1 && best->median < long_s)) continue; /* connections tell nothing */
        if (r->stays && r->n >= drop[1].runs && fastest > 3 * best->median)
            r->out = true; /* nobody needs to know better */
        for (int d = 0; d < DROPS && !r->stays; d++)
            if (runs >= drop[d].runs && fastest > drop[d].factor * best->median) r->out = true;
        if (!r->stays && runs >= FEW && best->n >= FEW && r->low > best->high) r->out = true;
    }
}

/* Whoever were the fastest in truth, within the intervals, the best of the medians would be as good. */
bool plani_runners_known(const plani_runner_t *runner, int n)
{
    const plani_runner_t *best = plani_runners_best(runner, n);
    for (int i = 0; i < n; i++) {
        const plani_runner_t *r = &runner[i];
        if (r->out) continue;
        if (r->n < SETTLED || (r != best && best->high > r->low * (1 + certain))) return false;
    }
    return true;
}
