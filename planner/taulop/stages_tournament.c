/* The busiest resource of a stage: a tournament, whose winners are repaired upwards after each change. */
#include <string.h>
#include "planner/taulop/stages_private.h"

void plani_tournament_clear(plani_stages_t *st)
{
    for (size_t i = 0; i < st->nresources; i++) {
        plani_load_t *l = &st->load[i];
        l->full = l->last = 0;
    }
    plani_buckets_rest(&st->buckets);
    if (st->nresources > 0) memset(st->winner, 0, 2 * st->leaves * sizeof *st->winner);
}

void plani_tournament_set(plani_stages_t *st, size_t i, double seconds)
{
    double *w = st->winner;

    w[i += st->leaves] = seconds;
    for (i /= 2; i > 0; i /= 2) {
        double best = w[2 * i] > w[2 * i + 1] ? w[2 * i] : w[2 * i + 1];
        if (w[i] == best) return;
        w[i] = best;
    }
}

double plani_tournament_best(const plani_stages_t *st)
{
    return st->nresources > 0 ? st->winner[1] : 0;
}
