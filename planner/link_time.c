/* What a slice takes on a link, and what a limited window makes of it. */
#include <math.h>
#include "planner/models/curve.h"
#include "planner/stages.h"

/* A measured ladder at `bytes`; one of a single size is a proportion beyond it. */
static double on_ladder(const plan_channel_t *c, const double *seconds, double bytes)
{
    if (c->nsizes == 1 && bytes > c->bytes[0] && c->bytes[0] > 0) return seconds[0] * (bytes / c->bytes[0]);
    return plani_curve(c->nsizes, c->bytes, seconds, bytes);
}

plani_time_t plani_link_time(const plan_platform_data_t *d, size_t link, double bytes)
{
    const plan_link_t *l = &d->link[link];
    double held = 0;

    for (size_t k = d->use_first[link]; k < d->use_first[link + 1]; k++)
        held = fmax(held, plani_resource_time(&d->resource[d->use[k]], 1, bytes));
    if (l->channel >= 0 && d->channel[l->channel].nsizes > 0) {
        const plan_channel_t *c = &d->channel[l->channel];
        double gap = on_ladder(c, c->gap_s, bytes), p2p = on_ladder(c, c->p2p_s, bytes);
        double through = fmax(gap, held);
        return (plani_time_t){gap, through, p2p > through ? p2p - through : 0};
    }
    double busy = plan_link_cost(l, bytes);
    return (plani_time_t){busy, fmax(busy, held), l->delay_s};
}

double plani_windowed(plani_time_t t, int window)
{
    double round = window > 0 ? (t.through + 2 * t.flight) / window : 0;
    return round > t.busy ? round : t.busy;
}
