/* What a slice takes on a link, and what a limited window makes of it. */
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

    if (l->channel >= 0 && d->channel[l->channel].nsizes > 0) {
        const plan_channel_t *c = &d->channel[l->channel];
        double gap = on_ladder(c, c->gap_s, bytes), p2p = on_ladder(c, c->p2p_s, bytes);
        return (plani_time_t){gap, p2p > gap ? p2p - gap : 0};
    }
    return (plani_time_t){plan_link_cost(l, bytes), l->delay_s};
}

double plani_windowed(plani_time_t t, int window)
{
    double round = window > 0 ? (t.busy + 2 * t.flight) / window : 0;
    return round > t.busy ? round : t.busy;
}
