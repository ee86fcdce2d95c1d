/*
 * Messages in the network, from port to port.
 *
 * A message passes the stops of its route by cut-through: its head reaches the next stop as soon as it has left the one
 * before, so that a message alone takes as long as its slowest stop. Stops serve messages first come, first served; a
 * token bucket lets a message pass earlier by the tokens saved. A large message is sent in pieces, each when the one
 * before has left the last stop, so that flows that share a stop alternate.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "lib/base/base.h"
#include "planner/simulate/simulation_private.h"

enum {
    PIECE = 16384,   /* [B] least size of a piece */
    MOST_PIECES = 8, /* most pieces of a message */
    FLUID_PIECES = 8 /* pieces of a message on a fluid channel */
};

void plani_network_clear(plani_simulation_t *x)
{
    for (size_t i = x->fixed; i < x->nstations; i++) x->station_of[x->link_of[i - x->fixed]] = 0;
    x->nstations = x->fixed;
    for (size_t i = 0; i < x->nstations; i++) x->station[i] = (plani_station_t){.first = PLANI_NOBODY};
    for (size_t i = 0; i < x->d->nresources; i++)
        x->station[2 * (size_t)x->d->ranks + i].burst = plani_burst_time(&x->d->resource[i]);
    x->nstops = x->nroutes = x->nmessages = x->nidle = x->nevents = 0;
    x->order = x->now_order = 0;
    x->now = 0;
}

static plan_status_t add_stop(plani_simulation_t *x, size_t station, double hold, double pass, double wake)
{
    plani_stop_t *stop = plani_grown(x->stop, x->nstops, &x->stop_room, sizeof *stop);
    if (stop == NULL) return PLAN_ENOMEM;
    x->stop = stop;
    x->stop[x->nstops++] = (plani_stop_t){station, hold, pass, wake};
    return PLAN_OK;
}

/* The station of a link, which one flow at a time passes; made at its first use. */
static plan_status_t add_link(plani_simulation_t *x, size_t link, double hold)
{
    size_t at = x->station_of[link];

    if (at == 0) {
        plani_station_t *station = plani_grown(x->station, x->nstations, &x->station_room, sizeof *station);
        if (station == NULL) return PLAN_ENOMEM;
        x->station = station;
        size_t *of = plani_grown(x->link_of, x->nstations - x->fixed, &x->link_room, sizeof *of);
        if (of == NULL) return PLAN_ENOMEM;
        x->link_of = of;
        at = x->nstations++;
        x->station[at] = (plani_station_t){.first = PLANI_NOBODY};
        x->station_of[link] = at, x->link_of[at - x->fixed] = link;
    }
    return add_stop(x, at, hold, hold, 0);
}

/* [s] A call for the shortest message between hosts: the least of all channels, for calls are those of a processor, and
 * disturbances make them longer. INFINITY: there are no such channels. */
static double network_call(const plan_platform_data_t *d)
{
    double least = INFINITY;
    for (size_t c = 0; c < d->nchannels; c++)
        if (d->channel[c].network && d->channel[c].nsizes > 0) least = fmin(least, d->channel[c].overhead_s[0]);
    return least;
}

/*
 * [s] Work of a resource with time per message, which stands for processors that ranks share, for a message that wakes
 * its receiver, beyond the time `hold` of one in a stream, where a rank finds several at a poll: the sender's call
 * (overhead o) and about 1.5 times as long at the receiver, which looks on all channels. Of 1.5 to 4 calls, 2.5 in
 * total come closest to the times on seven emulated clusters.
 */
static double waking_time(const plan_platform_data_t *d, size_t link, const plan_resource_t *r, double hold)
{
    static const double receiver = 1.5;
    int at = d->link[link].channel;

    if (r->s_per_message <= 0 || at < 0 || d->channel[at].nsizes == 0) return 0;
    double own = d->channel[at].overhead_s[0], looking = network_call(d);
    if (!isfinite(looking)) looking = own;
    return plani_max(0, (d->channel[at].network ? looking : own) + receiver * looking - hold);
}

/* The link's resources, those near the sender first. */
static plan_status_t add_resources(plani_simulation_t *x, size_t link, plani_cost_row_t *row, double bytes,
                                   size_t *processors)
{
    const plan_platform_data_t *d = x->d;
    size_t first = x->nstops, ports = 2 * (size_t)d->ranks;

    for (size_t k = d->use_first[link]; k < d->use_first[link + 1]; k++) {
        const plan_resource_t *r = &d->resource[d->use[k]];
        double hold = plani_cached_steady(row, d, d->use[k], bytes);
        double wake = waking_time(d, link, r, hold);
        plan_status_t rc = add_stop(x, ports + d->use[k], hold, hold, wake);
        if (rc != PLAN_OK) return rc;
        if (wake > 0) *processors = ports + d->use[k];
        for (size_t i = x->nstops - 1; i > first; i--) {
            plani_stop_t *s = &x->stop[i], later = s[-1];
            if (x->place[s[-1].station - ports] <= x->place[s->station - ports]) break;
            s[-1] = *s, *s = later;
        }
    }
    return PLAN_OK;
}

/* Word of what a rank has received queues behind what it sends: at the resources of the way back. */
static plan_status_t add_way_back(plani_simulation_t *x, const plan_link_t *l)
{
    const plan_platform_data_t *d = x->d;
    size_t back = plan_platform_find_link(x->pf, l->to, l->from);
    plan_status_t rc = PLAN_OK;

    if (back == SIZE_MAX || d->ports != PLAN_PORTS_NONE || d->host[l->from] == d->host[l->to]) return PLAN_OK;
    for (size_t k = d->use_first[back]; k < d->use_first[back + 1] && rc == PLAN_OK; k++)
        if (d->resource[d->use[k]].s_per_byte > 0 && d->resource[d->use[k]].s_per_message <= 0)
            rc = add_stop(x, 2 * (size_t)d->ranks + d->use[k], 0, 0, 0);
    return rc;
}

/* [s] When the sender knows of what has just arrived. */
static double word_at(const plani_simulation_t *x, const plani_route_t *r)
{
    double at = x->now;

    for (size_t i = r->end; i < r->back; i++) {
        const plani_station_t *s = &x->station[x->stop[i].station];
        at = plani_max(at, s->until - s->burst);
    }
    return at + r->word;
}

/* Messages over this route go after a request and its answer, which fly as long as the shortest message does. A
 * measured point-to-point time holds the flights of both. */
static void let_ask(const plan_channel_t *c, plani_route_t *r)
{
    r->asks = true;
    r->ask = r->flight;
    if (c->nsizes == 0) return;
    r->ask = plani_max(0, c->p2p_s[0] - c->gap_s[0]);
    r->flight = plani_max(0, r->flight - 2 * r->ask);
}

plan_status_t plani_network_route(plani_simulation_t *x, size_t link, plani_cost_row_t *row, double bytes, int siblings,
                                  size_t *route)
{
    const plan_platform_data_t *d = x->d;
    const plan_link_t *l = &d->link[link];
    const plan_channel_t *c = l->channel >= 0 ? &d->channel[l->channel] : NULL;
    plani_time_t t = plani_cached_link(row, d, link, bytes);
    size_t first = x->nstops, from = (size_t)l->from, to = plani_receive_port(d, l->to), processors = PLANI_NOBODY;
    bool port =
        !t.fluid || c->network || d->use_first[link] == d->use_first[link + 1]; /* else the link and memory are busy */
    double side = 1, pieces = plani_min(MOST_PIECES, ceil(bytes / PIECE));
    plani_route_t *grown = plani_grown(x->route, x->nroutes, &x->route_room, sizeof *grown);
    plan_status_t rc = PLAN_OK;

    if (grown == NULL) return PLAN_ENOMEM;
    x->route = grown;
    if (x->shared && d->host[l->from] == d->host[l->to]) { /* it occupies nothing that others use */
        x->route[x->nroutes] = (plani_route_t){.first = first,
                                               .end = first,
                                               .back = first,
                                               .processors = PLANI_NOBODY,
                                               .flight = plani_shared_time(d, bytes),
                                               .pieces = 1,
                                               .part = 1};
        *route = x->nroutes++;
        return PLAN_OK;
    }
    if (t.fluid) pieces = FLUID_PIECES;
    if (c != NULL && c->ngamma > 0 && siblings > 1 && !t.fluid) /* concurrent sends overlap in part */
        side = plani_min(1, plani_gamma(c->gamma, c->ngamma, (size_t)siblings + 1) / siblings);
    if (d->send_s != NULL) {
        double send = plan_send_cost(d, from, bytes);
        rc = add_stop(x, from, send, send, 0);
        if (rc == PLAN_OK) rc = add_link(x, link, t.free_busy);
    } else {
        rc = port ? add_stop(x, from, side * t.free_busy, t.free_busy, 0) : add_link(x, link, t.free_busy);
    }
    if (rc == PLAN_OK && t.flow > 0) rc = add_link(x, link, t.flow);
    if (rc == PLAN_OK) rc = add_resources(x, link, row, bytes, &processors);
    if (rc == PLAN_OK && d->receive_s != NULL) {
        double receive = plan_receive_cost(d, l->to, bytes);
        rc = add_stop(x, to, receive, receive, 0);
    } else if (rc == PLAN_OK && d->send_s == NULL && port) {
        rc = add_stop(x, to, t.free_busy, t.free_busy, 0);
    }
    size_t end = x->nstops;
    if (rc == PLAN_OK && !t.fluid) rc = add_way_back(x, l);
    if (rc != PLAN_OK) return rc;
    if (!(pieces > 1)) pieces = 1;
    x->route[x->nroutes] = (plani_route_t){.first = first,
                                           .end = end,
                                           .back = x->nstops,
                                           .processors = processors,
                                           .flight = t.flight,
                                           .word = t.fluid ? 0 : t.flight,
                                           .fluid = t.fluid,
                                           .pieces = (size_t)pieces,
                                           .part = 1 / pieces};
    if (c != NULL && !t.fluid && c->rendezvous_bytes > 0 && bytes >= c->rendezvous_bytes)
        let_ask(c, &x->route[x->nroutes]);
    *route = x->nroutes++;
    return PLAN_OK;
}

/* ---- events ---- */

static bool is_before(plani_event_t a, plani_event_t b)
{
    return a.at < b.at || (a.at == b.at && a.order < b.order);
}

static plani_event_t event_of(const plani_simulation_t *x, size_t message)
{
    return (plani_event_t){x->message[message].at, x->message[message].order, message};
}

static void add_event(plani_simulation_t *x, size_t message)
{
    plani_event_t e = event_of(x, message);
    size_t i = x->nevents++;

    for (; i > 0 && is_before(e, x->event[(i - 1) / 2]); i = (i - 1) / 2) x->event[i] = x->event[(i - 1) / 2];
    x->event[i] = e;
}

/* Replace the first event by this one. */
static void replace_first(plani_simulation_t *x, plani_event_t e)
{
    size_t i = 0, child;

    while ((child = 2 * i + 1) < x->nevents) {
        if (child + 1 < x->nevents && is_before(x->event[child + 1], x->event[child])) child++;
        if (!is_before(x->event[child], e)) break;
        x->event[i] = x->event[child];
        i = child;
    }
    x->event[i] = e;
}

static void drop_first(plani_simulation_t *x)
{
    plani_event_t last = x->event[--x->nevents];
    if (x->nevents > 0) replace_first(x, last);
}

/* ---- messages ---- */

/* A piece's part of its message. On fluid channels later pieces are smaller, for concurrent messages end at nearly the
 * same time there. */
static double part_of(const plani_route_t *r, size_t piece)
{
    static const double fluid[FLUID_PIECES] = {0.25, 0.25, 0.125, 0.125, 0.0625, 0.0625, 0.0625, 0.0625};
    return r->fluid ? fluid[piece] : r->part;
}

/* Advance a request or its answer, which take no time but wait at each stop. \return the time of its next event [s] */
static double ask(plani_simulation_t *x, plani_message_t *m)
{
    const plani_route_t *r = &x->route[m->route];
    size_t end = m->leg == PLANI_REQUEST ? r->end : r->back;

    while (m->stop < end) {
        const plani_station_t *s = &x->station[x->stop[m->stop++].station];
        double free = s->until - s->burst;
        if (free > x->now) return free;
    }
    m->leg = m->leg == PLANI_REQUEST ? PLANI_ANSWER : PLANI_DATA;
    if (m->leg == PLANI_DATA) m->stop = r->first, m->tail = x->now + r->ask;
    return x->now + r->ask;
}

/*
 * [s] By how much a message in flight arrives later, for work since it was last asked. All that is done between a
 * rank's decision to send and the arrival delays it: a tree takes as long as its work and its longest path together, to
 * which ranks that poll in turns come close (Brent 1974, "The parallel evaluation of general arithmetic expressions",
 * has that as the most that it takes). Work that is done while a message waits for a card or a trunk does not count.
 */
static double delay(const plani_simulation_t *x, plani_message_t *m)
{
    const plani_route_t *r = &x->route[m->route];
    if (r->processors == PLANI_NOBODY || m->arrived) return 0;
    double before = m->work;
    m->work = plani_max(before, x->station[r->processors].work);
    return m->work - before;
}

/* Advance a message from stop to stop, while its head need not wait. \return the time of its next event [s] */
static double go_on(plani_simulation_t *x, plani_message_t *m)
{
    const plani_route_t *r = &x->route[m->route];
    size_t ports = 2 * (size_t)x->d->ranks;
    m->station = PLANI_NOBODY;
    if (m->leg != PLANI_DATA) return ask(x, m);
    for (;;) {
        if (m->stop == r->end) {
            if (++m->piece == r->pieces) return m->tail + r->flight;
            m->stop = r->first;
            if (m->tail > x->now) return m->tail;
            continue;
        }
        const plani_stop_t *stop = &x->stop[m->stop++];
        double part = part_of(r, m->piece);
        plani_station_t *s = &x->station[stop->station];
        double begin = plani_max(s->until, x->now);
        s->until = begin + part * stop->hold;
        double head = plani_max(x->now, begin - s->burst);
        double passed = plani_max(head, begin + part * stop->pass - s->burst);
        m->tail = plani_max(m->tail, passed);
        if (stop->station >= ports && stop->station != r->processors) m->work += passed - x->now;
        if (head > x->now && m->stop < r->end) {
            m->station = stop->station;
            return head;
        }
    }
}

/*
 * Advance it to its next event. \return whether that belongs in the heap: behind others that wait at a station it does
 * not yet, for stations serve messages in the order in which these come.
 */
static bool advance(plani_simulation_t *x, size_t message)
{
    plani_message_t *m = &x->message[message];
    m->at = go_on(x, m);
    m->order = x->order++;
    m->next = PLANI_NOBODY;
    if (m->station == PLANI_NOBODY) return true;
    plani_station_t *s = &x->station[m->station];
    bool alone = s->first == PLANI_NOBODY;
    if (alone)
        s->first = message;
    else
        x->message[s->last].next = message;
    s->last = message;
    return alone;
}

static plan_status_t make_room(plani_simulation_t *x)
{
    size_t room[2] = {x->message_room, x->message_room};
    plani_message_t *m = plani_grown(x->message, x->nmessages, &room[0], sizeof *m);
    if (m == NULL) return PLAN_ENOMEM;
    x->message = m;
    size_t *idle = plani_grown(x->idle, x->nmessages, &room[1], sizeof *idle);
    if (idle == NULL) return PLAN_ENOMEM;
    x->idle = idle;
    plani_event_t *event = plani_grown(x->event, x->nmessages, &x->message_room, sizeof *event);
    if (event == NULL) return PLAN_ENOMEM;
    x->event = event;
    return PLAN_OK;
}

/* A rank waits for the first message that it gets. Half of the others find it awake: of parts from 0.35 to 0.75, 0.5 is
 * the best. */
static void wake(plani_simulation_t *x, const plani_route_t *r, bool first)
{
    static const double later = 0.5;

    for (size_t i = r->first; i < r->end; i++) {
        plani_station_t *s = &x->station[x->stop[i].station];
        if (s->work_at < x->now) s->work_at = x->now, s->work_before = s->work;
        s->work += (first ? 1 : later) * x->stop[i].wake;
    }
}

/* [s] What had been done when the sender began with all that it sends now. */
static double work_before(const plani_simulation_t *x, const plani_route_t *r)
{
    if (r->processors == PLANI_NOBODY) return 0;
    const plani_station_t *s = &x->station[r->processors];
    return s->work_at == x->now ? s->work_before : s->work;
}

plan_status_t plani_network_send(plani_simulation_t *x, size_t route, bool first, size_t what)
{
    size_t message = x->nmessages;

    if (x->nidle > 0) {
        message = x->idle[--x->nidle];
    } else {
        plan_status_t rc = make_room(x);
        if (rc != PLAN_OK) return rc;
        x->nmessages++;
    }
    x->message[message] = (plani_message_t){.leg = x->route[route].asks ? PLANI_REQUEST : PLANI_DATA,
                                            .route = route,
                                            .stop = x->route[route].first,
                                            .tail = x->now,
                                            .what = what,
                                            .work = work_before(x, &x->route[route])};
    wake(x, &x->route[route], first);
    if (advance(x, message)) add_event(x, message);
    return PLAN_OK;
}

/* The first event's message advances, and whoever waited behind it becomes the first there. */
static void advance_first(plani_simulation_t *x)
{
    size_t message = x->event[0].message, station = x->message[message].station, behind = PLANI_NOBODY;

    if (station != PLANI_NOBODY) behind = x->station[station].first = x->message[message].next;
    bool listed = advance(x, message);
    if (behind != PLANI_NOBODY)
        replace_first(x, event_of(x, behind));
    else if (listed)
        replace_first(x, event_of(x, message));
    else
        drop_first(x);
    if (listed && behind != PLANI_NOBODY) add_event(x, message);
}

bool plani_network_next(plani_simulation_t *x, plani_notice_t *notice)
{
    while (x->nevents > 0) {
        size_t message = x->event[0].message;
        plani_message_t *m = &x->message[message];
        const plani_route_t *r = &x->route[m->route];
        x->now = x->event[0].at;
        x->now_order = x->event[0].order;
        if (m->piece < r->pieces) {
            advance_first(x);
            continue;
        }
        double late = delay(x, m);
        if (late > 0) {
            m->at = x->now + late;
            m->order = x->order++;
            replace_first(x, event_of(x, message));
            continue;
        }
        *notice = (plani_notice_t){.arrived = !m->arrived, .what = m->what, .message = message};
        drop_first(x);
        if (m->arrived) return true;
        m->arrived = true;
        m->at = word_at(x, r);
        m->order = x->order++;
        return true;
    }
    return false;
}

void plani_network_announce(plani_simulation_t *x, size_t message)
{
    add_event(x, message);
}

void plani_network_forget(plani_simulation_t *x, size_t message)
{
    x->idle[x->nidle++] = message;
}

/* ---- a platform ---- */

/*
 * The position of a resource on routes: number of ranks that send through it / number that receive. An outbound card
 * has few senders and comes first, an inbound card comes last, trunks are between. Processors, which take no time per
 * byte, come before all.
 */
static double place_of(const plan_platform_data_t *d, const plan_resource_t *r, size_t mark, size_t *from, size_t *to)
{
    double senders = 0, receivers = 0;

    if (r->s_per_byte <= 0) return -INFINITY;
    for (size_t k = 0; k < r->nlinks; k++) {
        const plan_link_t *l = &d->link[r->link[k]];
        senders += from[l->from] != mark;
        receivers += to[l->to] != mark;
        from[l->from] = to[l->to] = mark;
    }
    return receivers > 0 ? senders / receivers : 1;
}

plan_status_t plani_simulation_create(const plan_platform_t *pf, plani_cost_cache_t *costs, plani_simulation_t **out)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    size_t n = (size_t)d->ranks, *mark = calloc(2 * n, sizeof *mark);
    plan_status_t rc = PLAN_ENOMEM;
    plani_simulation_t *x = calloc(1, sizeof *x);

    if (mark == NULL || x == NULL) goto done;
    *x = (plani_simulation_t){.pf = pf, .d = d, .costs = costs};
    x->fixed = x->nstations = x->station_room = 2 * n + d->nresources;
    x->station = calloc(x->nstations, sizeof *x->station);
    x->station_of = calloc(d->nlinks + 1, sizeof *x->station_of);
    x->place = calloc(d->nresources + 1, sizeof *x->place);
    if (x->station == NULL || x->station_of == NULL || x->place == NULL) goto done;
    for (size_t i = 0; i < d->nresources; i++) x->place[i] = place_of(d, &d->resource[i], i + 1, mark, mark + n);
    *out = x, x = NULL;
    rc = PLAN_OK;
done:
    free(mark);
    plani_simulation_destroy(&x);
    return rc;
}

void plani_simulation_share(plani_simulation_t *x)
{
    x->shared = x->d->nshared > 0;
}

void plani_simulation_destroy(plani_simulation_t **simulation)
{
    plani_simulation_t *x = *simulation;
    *simulation = NULL;
    if (x == NULL) return;
    free(x->place);
    free(x->station);
    free(x->station_of);
    free(x->link_of);
    free(x->stop);
    free(x->route);
    free(x->message);
    free(x->idle);
    free(x->event);
    free(x);
}
