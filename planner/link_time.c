/* What a slice takes on a link, and what a limited window makes of it. */
#include <math.h>
#include "planner/stages.h"

/*
 * A measured curve at `bytes`: linear between the ladder's sizes and along its last slope beyond; a ladder of one size
 * is a proportion. A smaller slice than the smallest one measured takes as long as that, and no curve falls beyond its
 * end: noise there must not make huge slices free.
 */
static double on_ladder(const plan_channel_t *c, const double *seconds, double bytes)
{
    const double *size = c->bytes;
    size_t n = c->nsizes, low = 0, high = n - 1;

    if (bytes <= size[0]) return seconds[0];
    if (n == 1) return size[0] > 0 ? seconds[0] * (bytes / size[0]) : seconds[0];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (size[middle] <= bytes)
            low = middle;
        else
            high = middle;
    }
    double slope = (seconds[high] - seconds[low]) / (size[high] - size[low]);
    if (bytes > size[high]) return seconds[high] + (slope > 0 ? slope : 0) * (bytes - size[high]);
    return seconds[low] + slope * (bytes - size[low]);
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
