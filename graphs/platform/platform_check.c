/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a caller's platform. Errors name places as in platform files: links[3].latency_s. */
#include "graphs/platform/platform_private.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* [s] or [s/B] Limits of costs, so that sums over all ranks and slices neither overflow nor underflow. */
#define MOST 1e9
#define LEAST 1e-30
#define MOST_BURST 1e18 /* [B] */

static bool is_cost(double x)
{
    return x >= 0 && x <= MOST; /* false for NAN */
}

static plan_status_t check_link(const plan_platform_data_t *d, size_t i, plan_error_t *err)
{
    const plan_link_t *l = &d->link[i];
    const struct {
        const char *name;
        double value;
    } number[] = {{"latency_s", l->latency_s}, {"s_per_byte", l->s_per_byte}, {"delay_s", l->delay_s}};

    if (l->from < 0 || l->from >= d->ranks)
        return plani_fail(err, PLAN_EINVAL, "links[%zu].from is %d; ranks are 0 to %d", i, l->from, d->ranks - 1);
    if (l->to < 0 || l->to >= d->ranks)
        return plani_fail(err, PLAN_EINVAL, "links[%zu].to is %d; ranks are 0 to %d", i, l->to, d->ranks - 1);
    if (l->from == l->to)
        return plani_fail(err, PLAN_EINVAL, "links[%zu] goes from rank %d to itself; remove it", i, l->from);
    for (size_t k = 0; k < sizeof number / sizeof *number; k++)
        if (!is_cost(number[k].value))
            return plani_fail(err, PLAN_EINVAL, "links[%zu].%s is %g; give a finite number of seconds >= 0, at most %g",
                              i, number[k].name, number[k].value, MOST);
    if (!(l->latency_s + l->s_per_byte >= LEAST))
        return plani_fail(err, PLAN_EINVAL, "links[%zu] costs nothing; give latency_s or s_per_byte above 0", i);
    if (l->channel < -1 || (l->channel > 0 && (size_t)l->channel >= d->nchannels))
        return plani_fail(err, PLAN_EINVAL, "links[%zu].channel is %d; there are %zu channels", i, l->channel,
                          d->nchannels);
    return PLAN_OK;
}

/* A table of total bandwidths of several messages. */
static plan_status_t check_pairs(size_t i, const plan_resource_t *r, plan_error_t *err)
{
    if (r->npairs > 0 && r->pairs == NULL) return plani_fail(err, PLAN_EINVAL, "resources[%zu].pairs is missing", i);
    for (size_t k = 0; k < r->npairs; k++) {
        const plan_pairs_t *p = &r->pairs[k], *last = p - (k > 0);
        if (!(p->bytes > 0) || !isfinite(p->bytes) || p->messages < 1 || !(p->bytes_per_s > 0) ||
            !isfinite(p->bytes_per_s))
            return plani_fail(err, PLAN_EINVAL,
                              "resources[%zu].pairs[%zu] is [%g, %d, %g]; give [bytes, messages, bytes/s], above 0", i,
                              k, p->bytes, p->messages, p->bytes_per_s);
        if (k > 0 && (p->bytes < last->bytes || (p->bytes == last->bytes && p->messages <= last->messages)))
            return plani_fail(err, PLAN_EINVAL,
                              "resources[%zu].pairs[%zu] is out of order: sizes, then messages ascend", i, k);
    }
    return PLAN_OK;
}

static plan_status_t check_resource(const plan_platform_data_t *d, size_t i, plan_error_t *err)
{
    const plan_resource_t *r = &d->resource[i];
    const struct {
        const char *name;
        double value;
    } number[] = {{"s_per_message", r->s_per_message}, {"s_per_byte", r->s_per_byte}};

    for (size_t k = 0; k < sizeof number / sizeof *number; k++)
        if (!is_cost(number[k].value))
            return plani_fail(err, PLAN_EINVAL,
                              "resources[%zu].%s is %g; give a finite number of seconds >= 0, at most %g", i,
                              number[k].name, number[k].value, MOST);
    if (!(r->s_per_message + r->s_per_byte >= LEAST))
        return plani_fail(err, PLAN_EINVAL, "resources[%zu] costs nothing; give s_per_message or s_per_byte above 0",
                          i);
    if (!(r->burst_bytes >= 0 && r->burst_bytes <= MOST_BURST))
        return plani_fail(err, PLAN_EINVAL, "resources[%zu].burst_bytes is %g; give a number of bytes >= 0, at most %g",
                          i, r->burst_bytes, MOST_BURST);
    if (r->nlinks > 0 && r->link == NULL) return plani_fail(err, PLAN_EINVAL, "resources[%zu].links is missing", i);
    for (size_t k = 0; k < r->nlinks; k++)
        if (r->link[k] >= d->nlinks)
            return plani_fail(err, PLAN_EINVAL, "resources[%zu].links[%zu] is link %zu; there are %zu links", i, k,
                              r->link[k], d->nlinks);
    return check_pairs(i, r, err);
}

static plan_status_t check_ladder(const char *where, const char *what, size_t n, const double *x, bool ascending,
                                  plan_error_t *err)
{
    if (n > 0 && x == NULL) return plani_fail(err, PLAN_EINVAL, "%s%s is missing", where, what);
    for (size_t k = 0; k < n; k++) {
        if (!(x[k] >= 0) || !isfinite(x[k]))
            return plani_fail(err, PLAN_EINVAL, "%s%s[%zu] is %g; give a finite number >= 0", where, what, k, x[k]);
        if (ascending && k > 0 && !(x[k] > x[k - 1]))
            return plani_fail(err, PLAN_EINVAL, "%s%s[%zu] is %g; sizes must ascend", where, what, k, x[k]);
    }
    return PLAN_OK;
}

static plan_status_t check_channel(const plan_platform_data_t *d, size_t i, plan_error_t *err)
{
    const plan_channel_t *c = &d->channel[i];
    char where[48];
    plan_status_t rc = PLAN_OK;

    snprintf(where, sizeof where, "channels[%zu].", i);
    if (!(c->rendezvous_bytes >= 0) || !isfinite(c->rendezvous_bytes))
        return plani_fail(err, PLAN_EINVAL, "%srendezvous_bytes is %g; give a number of bytes, or 0: none", where,
                          c->rendezvous_bytes);
    if ((rc = check_ladder(where, "bytes", c->nsizes, c->bytes, true, err)) != PLAN_OK) return rc;
    if ((rc = check_ladder(where, "overhead_s", c->nsizes, c->overhead_s, false, err)) != PLAN_OK) return rc;
    if ((rc = check_ladder(where, "gap_s", c->nsizes, c->gap_s, false, err)) != PLAN_OK) return rc;
    if ((rc = check_ladder(where, "p2p_s", c->nsizes, c->p2p_s, false, err)) != PLAN_OK) return rc;
    return check_ladder(where, "gamma", c->ngamma, c->gamma, false, err);
}

/* Shared memory needs hosts with several ranks; without hosts, each rank has its own. */
static plan_status_t check_shared(const plan_platform_data_t *d, plan_error_t *err)
{
    if (d->nshared > 0 && d->host == NULL && d->ranks > 1)
        return plani_fail(err, PLAN_EINVAL, "shared_bytes: no ranks share a host; remove it, or give hosts");
    plan_status_t rc = check_ladder("", "shared_bytes", d->nshared, d->shared_bytes, true, err);
    return rc != PLAN_OK ? rc : check_ladder("", "shared_s", d->nshared, d->shared_s, false, err);
}

static plan_status_t check_places(const plan_platform_data_t *d, const char *what, const int *place, plan_error_t *err)
{
    for (int r = 0; place != NULL && r < d->ranks; r++)
        if (place[r] < 0 || place[r] >= d->ranks)
            return plani_fail(err, PLAN_EINVAL, "%s[%d] is %d; number them from 0, below the %d ranks", what, r,
                              place[r], d->ranks);
    return PLAN_OK;
}

static plan_status_t check_times(const plan_platform_data_t *d, const char *what, const double *time, plan_error_t *err)
{
    for (int r = 0; time != NULL && r < d->ranks; r++)
        if (!is_cost(time[r]))
            return plani_fail(err, PLAN_EINVAL, "%s[%d] is %g; give a finite number of seconds >= 0, at most %g", what,
                              r, time[r], MOST);
    return PLAN_OK;
}

static plan_status_t check_ports(const plan_platform_data_t *d, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;

    if ((d->ports == PLAN_PORTS_MULTI) != (d->send_s != NULL) || (d->send_s_per_byte != NULL && d->send_s == NULL))
        return plani_fail(err, PLAN_EINVAL, "send_s belongs to platforms of several ports (PLAN_PORTS_MULTI)");
    if ((d->receive_s != NULL && d->send_s == NULL) || (d->receive_s_per_byte != NULL && d->receive_s == NULL))
        return plani_fail(err, PLAN_EINVAL, "receive_s belongs to platforms of several ports (PLAN_PORTS_MULTI)");
    if ((rc = check_times(d, "send_s", d->send_s, err)) != PLAN_OK) return rc;
    if ((rc = check_times(d, "send_s_per_byte", d->send_s_per_byte, err)) != PLAN_OK) return rc;
    if ((rc = check_times(d, "receive_s", d->receive_s, err)) != PLAN_OK) return rc;
    return check_times(d, "receive_s_per_byte", d->receive_s_per_byte, err);
}

plan_status_t plani_platform_check(const plan_platform_data_t *d, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;

    if (d->ranks < 1 || d->ranks > PLANI_MAX_RANKS)
        return plani_fail(err, PLAN_EINVAL, "ranks is %d; give 1 to %d", d->ranks, PLANI_MAX_RANKS);
    if ((d->nlinks > 0 && d->link == NULL) || (d->nresources > 0 && d->resource == NULL) ||
        (d->nchannels > 0 && d->channel == NULL))
        return plani_fail(err, PLAN_EINVAL, "links, resources or channels are counted but not given");
    if ((uint64_t)d->nlinks > (uint64_t)d->ranks * (uint64_t)(d->ranks - 1))
        return plani_fail(err, PLAN_EINVAL, "links: %zu of them, more than %d ranks can have", d->nlinks, d->ranks);
    for (size_t i = 0; i < d->nlinks; i++)
        if ((rc = check_link(d, i, err)) != PLAN_OK) return rc;
    for (size_t i = 0; i < d->nresources; i++)
        if ((rc = check_resource(d, i, err)) != PLAN_OK) return rc;
    for (size_t i = 0; i < d->nchannels; i++)
        if ((rc = check_channel(d, i, err)) != PLAN_OK) return rc;
    if ((rc = check_places(d, "hosts", d->host, err)) != PLAN_OK) return rc;
    if ((rc = check_places(d, "sites", d->site, err)) != PLAN_OK) return rc;
    if ((rc = check_shared(d, err)) != PLAN_OK) return rc;
    return check_ports(d, err);
}
