/* The time of a slice on a link, also with a limited window, and the time of a message through shared memory. */
#include <math.h>
#include "lib/base/base.h"
#include "planner/cost/curve.h"
#include "planner/cost/cost.h"
#include "planner/cost/parameters.h"

static const double SAME = 1e-9; /* part of a rate: files have 12 digits */

/* A measured ladder at `bytes`; one of a single size is a proportion beyond it. */
static double on_ladder(const plan_channel_t *c, const double *seconds, double bytes)
{
    if (c->nsizes == 1 && bytes > c->bytes[0] && c->bytes[0] > 0) return seconds[0] * (bytes / c->bytes[0]);
    return plani_curve(c->nsizes, c->bytes, seconds, bytes);
}

/*
 * [s] The software time of a slice whose bytes something else carries: the part of the gap that does not grow with the
 * bytes, and at least the sender's call. It is taken from the ladder alone, for links of a class are not all as fast as
 * the pair that was measured. Very small messages do not count: waking up their receiver takes time that slices in a
 * stream do not need.
 */
static double software_time(const plan_channel_t *c, double bytes)
{
    size_t n = c->nsizes;
    double gap = on_ladder(c, c->gap_s, bytes);
    if (n < 2) return c->gap_s[0];
    double s_per_byte = plani_max(0, (c->gap_s[n - 1] - c->gap_s[n - 2]) / (c->bytes[n - 1] - c->bytes[n - 2]));
    return plani_min(gap, plani_max(on_ladder(c, c->overhead_s, bytes), gap - bytes * s_per_byte));
}

/* Whether the resource has a burst and limits the link: both rates are equal within the error of measuring. */
static bool carries(const plan_resource_t *r, const plan_link_t *l)
{
    return r->burst_bytes > 0 && fabs(r->s_per_byte - l->s_per_byte) <= PLANI_MISSED * l->s_per_byte;
}

/* Whether a resource that the link passes is no faster; `guesses` count as well. */
static bool is_carried(const plan_platform_data_t *d, bool guesses, size_t link)
{
    const plan_link_t *l = &d->link[link];
    if (d->ports != PLAN_PORTS_NONE || d->host[l->from] == d->host[l->to]) return false;
    for (size_t k = d->use_first[link]; k < d->use_first[link + 1]; k++) {
        const plan_resource_t *r = &d->resource[d->use[k]];
        if ((guesses || !r->guess) && r->s_per_byte >= l->s_per_byte * (1 - PLANI_MISSED)) return true;
    }
    return false;
}

bool plani_is_carried(const plan_platform_data_t *d, size_t link)
{
    return is_carried(d, true, link);
}

bool plani_is_slow(const plan_platform_data_t *d, const bool *guess, size_t link)
{
    const plan_link_t *l = &d->link[link];
    if (d->host[l->from] == d->host[l->to] || is_carried(d, false, link)) return false;
    for (size_t k = d->use_first[link]; k < d->use_first[link + 1]; k++) {
        double s_per_byte = d->resource[d->use[k]].s_per_byte;
        if (guess[d->use[k]] && fabs(s_per_byte - l->s_per_byte) <= SAME * l->s_per_byte) return false;
    }
    return true;
}

/* Whether one flow between these hosts gets less than all that it passes can carry. Its class was measured on another
 * pair, which may be faster. */
static bool is_limited_alone(const plan_platform_data_t *d, const plan_link_t *l, bool carried)
{
    return !carried && d->ports == PLAN_PORTS_NONE && d->host[l->from] != d->host[l->to];
}

plani_time_t plani_link_time(const plan_platform_data_t *d, size_t link, double bytes)
{
    const plan_link_t *l = &d->link[link];
    const plan_channel_t *c = l->channel >= 0 ? &d->channel[l->channel] : NULL;
    bool ladder = c != NULL && c->nsizes > 0, carried = plani_is_carried(d, link);
    bool alone = is_limited_alone(d, l, carried);
    double busy = ladder ? on_ladder(c, c->gap_s, bytes) : plan_link_cost(l, bytes), others = 0, held = 0;

    if (alone) busy = plani_max(busy, bytes * l->s_per_byte);
    double free = busy;
    for (size_t k = d->use_first[link]; k < d->use_first[link + 1]; k++) {
        const plan_resource_t *r = &d->resource[d->use[k]];
        double seconds = plani_resource_time(r, 1, bytes);
        if (r->burst_bytes <= 0) others = plani_max(others, seconds);
        if (carries(r, l))
            free = plani_min(free, plani_max(ladder ? c->gap_s[0] : l->latency_s, busy - bytes * r->s_per_byte));
        held = plani_max(held, seconds);
    }
    double through = plani_max(busy, held), flow = alone ? busy : 0;
    if (carried || alone) { /* its ranks can do something else meanwhile */
        busy = ladder ? software_time(c, bytes) : l->latency_s;
        free = plani_min(free, busy);
    }
    plani_time_t t = {.busy = busy, .through = through, .flow = flow, .free_busy = free};
    t.free_through = plani_max(plani_max(free, flow), others);
    t.fluid = c != NULL && c->fluid;
    t.carried = carried || alone;
    t.flight = ladder ? plani_max(0, on_ladder(c, c->p2p_s, bytes) - t.through) : l->delay_s;
    return t;
}

double plani_shared_time(const plan_platform_data_t *d, double bytes)
{
    return d->nshared > 0 ? plani_curve(d->nshared, d->shared_bytes, d->shared_s, bytes) : NAN;
}

double plani_shared_rate(const plan_platform_data_t *d, double bytes)
{
    double best = 0;
    for (size_t i = 0; i < d->nshared && d->shared_bytes[i] < bytes; i++)
        best = plani_max(best, d->shared_bytes[i] / d->shared_s[i]);
    return best;
}

double plani_beyond_caches(const plan_platform_data_t *d, double bytes)
{
    double best = plani_shared_rate(d, bytes);
    return best > 0 ? plani_max(0, plani_shared_time(d, bytes) - bytes / best) : 0;
}

int plani_narrow_window(size_t slice, bool one_host)
{
    enum { LARGE = 128 << 10 }; /* [B] as measured over TCP and in shared memory */
    if (slice < LARGE) return 4;
    return one_host ? 1 : 2;
}

int plani_link_window(plani_time_t t, int window)
{
    if (window <= PLANI_COMMON_WINDOW) return window;
    double need = ceil((t.through + 2 * t.flight) / t.through);
    return need < PLANI_COMMON_WINDOW ? PLANI_COMMON_WINDOW : need < window ? (int)need : window;
}
