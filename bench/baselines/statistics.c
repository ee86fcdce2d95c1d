/* Statistics of a cell's samples. */
#include "baselines.h"
#include "lib/base/statistics.h"
#include <math.h>
#include <string.h>

void summarise(entry_t *e)
{
    double x[MOST_SAMPLES];
    size_t n = (size_t)e->n;

    e->median = e->low = e->high = NAN;
    if (n == 0) return;
    memcpy(x, e->sample, n * sizeof *x);
    plani_interval_t i = plani_interval(x, e->n);
    e->median = i.median;
    e->low = i.low;
    e->high = i.high;
}

int cell_best(const settings_t *s, const cell_t *c, kind_t kind)
{
    int best = -1;
    for (int i = 0; i < s->n; i++) {
        const entry_t *e = &c->entry[i], *b = best < 0 ? NULL : &c->entry[best];
        if (s->at[i].kind != kind || e->n == 0 || e->wrong != 0) continue;
        if (b == NULL || (e->dropped != b->dropped ? b->dropped : e->median < b->median)) best = i;
    }
    return best;
}
