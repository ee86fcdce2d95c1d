/* The best of a size, looked at again at other times. */
#include "lib/mpi/contest.h"
#include "lib/mpi/time.h"
#include "planner/choose.h"
#include "planner/plan_private.h"
#include <math.h>
#include <string.h>

enum {
    RUNS = 40,  /* of each in one lap at most, */
    LEAST = 12, /* and for one to count; */
    COLD = 2    /* the first of these tell of what ran before */
};
static const double margin = 0.025; /* what two times may differ by without meaning it */

double plani_encore_time(const plani_arena_t *a, const plani_encore_t *e)
{
    double round_s = 0;
    for (int i = 0; i < e->n; i++) round_s += e->seconds[i][0] + a->aside_s;
    return LEAST * round_s;
}

static double warm_median(const plani_runner_t *r)
{
    double x[PLANI_ROUNDS];
    memcpy(x, r->sample + COLD, (size_t)(r->n - COLD) * sizeof *x);
    return plani_interval(x, r->n - COLD).median;
}

int plani_encore_run(plani_arena_t *a, plani_encore_t *e, double budget_s)
{
    plani_heat_t heat = {.bytes = e->sb->bytes, .budget_s = budget_s, .runs = RUNS};
    bool counts = e->laps < PLANI_LAPS;

    for (int i = 0; i < e->n; i++) e->runner[i] = (plani_runner_t){.c = &e->c[i], .stays = true, .median = NAN};
    int rc = plani_arena_race(a, "encore", &heat, e->runner, e->n);
    for (int i = 0; i < e->n; i++) counts = counts && e->runner[i].n >= LEAST / 2;
    for (int i = 0; i < e->n && counts; i++) e->seconds[i][e->laps] = warm_median(&e->runner[i]);
    e->laps += counts;
    return rc;
}

/* Those who are looked at again were lucky in the contest: it does not count where there are laps enough. */
static int first_lap(const plani_encore_t *e)
{
    return e->laps > 2;
}

/* The geometric mean of all in a lap. */
static double pace(const plani_encore_t *e, int lap)
{
    double sum = 0;
    for (int i = 0; i < e->n; i++) sum += log(e->seconds[i][lap]);
    return exp(sum / e->n);
}

/* The median of what i took, in times of its lap's pace, at the median pace: neither moods nor a disturbed lap count.
 */
static double typical(const plani_encore_t *e, int i)
{
    double share[PLANI_LAPS], all[PLANI_LAPS];
    int n = 0;
    for (int k = first_lap(e); k < e->laps; k++, n++) all[n] = pace(e, k), share[n] = e->seconds[i][k] / all[n];
    return plani_interval(share, n).median * plani_interval(all, n).median;
}

static int laps_won(const plani_encore_t *e, int a, int b)
{
    int won = 0;
    for (int k = first_lap(e); k < e->laps; k++) won += e->seconds[a][k] < e->seconds[b][k];
    return won;
}

static bool beats(const plani_encore_t *e, int a, int b)
{
    return 2 * laps_won(e, a, b) > e->laps - first_lap(e) && typical(e, a) < (1 - margin) * typical(e, b);
}

static void report(const plani_arena_t *a, const plani_encore_t *e, int best, int native)
{
    bool wins = native < 0 || beats(e, best, native);
    plani_report(a->options, 1, "timing %s, chosen: %s", plani_bytes((double)e->sb->bytes).s,
                 e->c[wins ? best : native].name);
    if (native >= 0)
        plani_report(a->options, 1, "timing %s, because: %s took %s, native %s, and won %d of %d laps",
                     plani_bytes((double)e->sb->bytes).s, e->c[best].name, plani_seconds(typical(e, best)).s,
                     plani_seconds(typical(e, native)).s, laps_won(e, best, native), e->laps - first_lap(e));
}

/* The candidate of the board. */
static size_t place_of(const plan_scoreboard_t *sb, const plan_candidate_t *c)
{
    for (size_t i = 0; i < sb->ncandidates; i++)
        if (sb->candidate[i].run == c->run && strcmp(sb->candidate[i].name, c->name) == 0) return i;
    return 0;
}

void plani_encore_settle(const plani_arena_t *a, const plani_encore_t *e)
{
    int best = -1, native = -1;

    for (int i = 0; i < e->n; i++) {
        plani_contest_enter(e->sb, &e->c[i], typical(e, i));
        if (e->c[i].run == PLAN_RUN_NATIVE)
            native = i;
        else if (best < 0 || typical(e, i) < typical(e, best))
            best = i;
    }
    if (best < 0) return;
    report(a, e, best, native);
    size_t at = place_of(e->sb, &e->c[best]);
    plan_candidate_t *c = &e->sb->candidate[at];
    plani_contest_adopt(c, &e->c[best]);
    c->measured_s = typical(e, best);
    if (native >= 0 && !beats(e, best, native)) at = place_of(e->sb, &e->c[native]);
    plani_contest_crown(e->sb, at);
}
