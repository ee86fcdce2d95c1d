/* The best of a size, looked at again at other times. */
#include "lib/mpi/autotune/contest.h"
#include "lib/mpi/autotune/time.h"
#include "planner/select/choose.h"
#include "planner/plan/plan_private.h"
#include <math.h>
#include <string.h>

enum {
    RUNS = 40, /* of each in one lap at most, */
    LEAST = 12 /* and for one to be run; of half as many it counts */
};

double plani_encore_time(const plani_arena_t *a, const plani_encore_t *e)
{
    double round_s = 0;
    for (int i = 0; i < e->n; i++) round_s += e->runner[i].median + a->aside_s;
    return LEAST * round_s;
}

/* The geometric mean of the medians of all who ran last; NAN: somebody did not run. */
static double pace_of(plani_encore_t *e)
{
    double sum = 0;
    for (int i = 0; i < e->n; i++) {
        plani_runner_sum_up(&e->runner[i]);
        sum += log(e->runner[i].median);
    }
    return exp(sum / e->n);
}

void plani_encore_count(plani_encore_t *e)
{
    double pace = pace_of(e);

    if (!isfinite(pace) || e->laps == PLANI_LAPS) return;
    e->pace[e->laps++] = pace;
    for (int i = 0; i < e->n; i++) {
        const plani_runner_t *r = &e->runner[i];
        plani_runner_t *all = &e->all[i];
        for (int k = r->n > 1; k < r->n && all->n < PLANI_ROUNDS; k++) all->sample[all->n++] = r->sample[k] / pace;
    }
}

int plani_encore_run(plani_arena_t *a, plani_encore_t *e, double budget_s)
{
    plani_heat_t heat = {.bytes = e->ranking->bytes, .budget_s = budget_s, .runs = RUNS};

    for (int i = 0; i < e->n; i++) e->runner[i] = (plani_runner_t){.c = &e->c[i], .stays = true, .median = NAN};
    int rc = plani_arena_race(a, "encore", &heat, e->runner, e->n);
    bool counts = rc == 0;
    for (int i = 0; i < e->n; i++) counts = counts && e->runner[i].n >= LEAST / 2;
    if (counts) plani_encore_count(e);
    return rc;
}

/* What all took, at the median pace: neither moods of the machine nor a disturbed lap count. */
static void sum_up(plani_encore_t *e)
{
    double pace = plani_interval(e->pace, e->laps).median;
    for (int i = 0; i < e->n; i++) {
        e->all[i].c = &e->c[i];
        for (int k = 0; k < e->all[i].n; k++) e->all[i].sample[k] *= pace;
        plani_runner_sum_up(&e->all[i]);
    }
}

static void report(const plani_arena_t *a, const plani_encore_t *e, int chosen)
{
    for (int i = 0; i < e->n; i++) plani_arena_report(a, "in all", e->ranking->bytes, &e->all[i]);
    plani_report(a->options, 1, "timing %s, chosen: %s", plani_bytes((double)e->ranking->bytes).s, e->c[chosen].name);
}

/* The candidate of the ranking. */
static size_t place_of(const plan_ranking_t *ranking, const plan_candidate_t *c)
{
    for (size_t i = 0; i < ranking->ncandidates; i++)
        if (ranking->candidate[i].run == c->run && strcmp(ranking->candidate[i].name, c->name) == 0) return i;
    return 0;
}

void plani_encore_settle(const plani_arena_t *a, plani_encore_t *e)
{
    int best = -1, native = -1;

    sum_up(e);
    for (int i = 0; i < e->n; i++) {
        plani_contest_enter(e->ranking, &e->c[i], e->all[i].median);
        if (e->c[i].run == PLAN_RUN_NATIVE)
            native = i;
        else if (best < 0 || e->all[i].median < e->all[best].median)
            best = i;
    }
    if (best < 0) return;
    size_t at = place_of(e->ranking, &e->c[best]);
    plan_candidate_t *c = &e->ranking->candidate[at];
    plani_contest_adopt(c, &e->c[best]);
    c->measured_s = e->all[best].median;
    if (native >= 0 && !plani_runner_beats(&e->all[best], &e->all[native])) best = native;
    report(a, e, best);
    plani_contest_crown(e->ranking, place_of(e->ranking, &e->c[best]));
}
