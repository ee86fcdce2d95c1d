/* The best of a size, looked at again at other times. */
#include "lib/mpi/contest.h"
#include "planner/choose.h"
#include "planner/plan_private.h"
#include <math.h>
#include <string.h>

enum { RUNS = 40 };                 /* of each in one lap at most */
static const double margin = 0.025; /* what two times may differ by without meaning it */

int plani_encore_run(plani_arena_t *a, plani_encore_t *e, double budget_s)
{
    plani_heat_t heat = {.bytes = e->sb->bytes, .budget_s = budget_s, .runs = RUNS};
    bool all = e->laps < PLANI_LAPS;

    for (int i = 0; i < e->n; i++) e->runner[i] = (plani_runner_t){.c = &e->c[i], .stays = true, .median = NAN};
    int rc = plani_arena_race(a, &heat, e->runner, e->n);
    for (int i = 0; i < e->n; i++) all = all && e->runner[i].n > 1;
    for (int i = 0; i < e->n && all; i++) e->seconds[i][e->laps] = e->runner[i].median;
    e->laps += all;
    return rc;
}

/* Geometric: a lap in which all are slow counts no more than others. */
static double mean(const plani_encore_t *e, int i)
{
    double sum = 0;
    for (int k = 0; k < e->laps; k++) sum += log(e->seconds[i][k]);
    return exp(sum / e->laps);
}

static bool beats(const plani_encore_t *e, int a, int b)
{
    int won = 0;
    for (int k = 0; k < e->laps; k++) won += e->seconds[a][k] < e->seconds[b][k];
    return 2 * won > e->laps && mean(e, a) < (1 - margin) * mean(e, b);
}

/* The candidate of the board. */
static size_t place_of(const plan_scoreboard_t *sb, const plan_candidate_t *c)
{
    for (size_t i = 0; i < sb->ncandidates; i++)
        if (sb->candidate[i].run == c->run && strcmp(sb->candidate[i].name, c->name) == 0) return i;
    return 0;
}

void plani_encore_settle(const plani_encore_t *e)
{
    int best = -1, native = -1;

    for (int i = 0; i < e->n; i++) {
        plan_candidate_t *c = &e->sb->candidate[place_of(e->sb, &e->c[i])];
        if (plani_same_broadcast(c, &e->c[i])) c->measured_s = mean(e, i);
        if (e->c[i].run == PLAN_RUN_NATIVE)
            native = i;
        else if (best < 0 || mean(e, i) < mean(e, best))
            best = i;
    }
    if (best < 0) return;
    size_t at = place_of(e->sb, &e->c[best]);
    plan_candidate_t *c = &e->sb->candidate[at];
    c->slice = e->c[best].slice;
    c->window = e->c[best].window;
    c->predicted_s = e->c[best].predicted_s;
    c->measured_s = mean(e, best);
    if (native >= 0 && !beats(e, best, native)) at = place_of(e->sb, &e->c[native]);
    plani_contest_crown(e->sb, at);
}
