/* Messages in the simulated network. Private to planner/simulate. */
#ifndef PLANI_SIMULATION_PRIVATE_H
#define PLANI_SIMULATION_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/base/base.h"
#include "planner/simulate/simulation.h"
#include "planner/cost/cost_cache.h"

/** No message, and no station. */
#define PLANI_NOBODY SIZE_MAX

/**
 * Where messages queue, first come, first served: the ports of the ranks, the resources, and links: in the multi-port
 * model, those on which a single flow gets less than all that it passes, and fluid ones inside hosts. A token bucket is
 * counted in seconds of the station's work, as in bucket.c.
 */
typedef struct {
    double burst;       /* [s] depth of the token bucket */
    double until;       /* [s] when it will have finished all messages so far */
    double work;        /* [s] of waking ranks up so far, */
    double work_before; /* and before work_at, */
    double work_at;     /* [s] when the last of it was added */
    size_t first, last; /* messages that wait here, by `next`; first PLANI_NOBODY: none */
} plani_station_t;

/** A message occupies a station for `hold` seconds and passes it in `pass` >= hold seconds. Waking its receiver is
 * `wake` seconds of work. */
typedef struct {
    size_t station;
    double hold, pass, wake;
} plani_stop_t;

/** The route of messages of one size over one link. */
typedef struct {
    size_t first, end; /* stops */
    size_t back;       /* stops from end to here: what word to the sender queues at */
    size_t processors; /* the station of processors that ranks share, or PLANI_NOBODY */
    double flight;     /* [s] after the last of them */
    double word;       /* [s] after that, until the sender knows of the arrival */
    bool fluid;
    bool asks;     /* messages go after a request and its answer (rendezvous) */
    double ask;    /* [s] that either of these flies */
    size_t pieces; /* number of pieces of a message, so that other messages can interleave */
    double part;   /* the share of the message in each piece, unless it is fluid */
} plani_route_t;

typedef enum {
    PLANI_REQUEST, /* on its way to the receiver, where messages wait for that */
    PLANI_ANSWER,  /* back */
    PLANI_DATA
} plani_leg_t;

/** A message in flight. */
typedef struct {
    plani_leg_t leg;
    size_t route, stop, piece;
    double tail;    /* [s] when its last byte has left the last stop */
    double work;    /* [s] that of the route's processors which delays it no more */
    double at;      /* [s] its next event; once it has arrived, when its sender knows of that */
    size_t order;   /* ties: the event that was added first */
    size_t station; /* where it waits for that, or PLANI_NOBODY */
    size_t next;    /* behind it in the same list: of its station, or of the caller */
    size_t what;    /* the caller's mark */
    bool arrived;
} plani_message_t;

typedef struct {
    double at;
    size_t order, message;
} plani_event_t;

typedef struct {
    bool arrived; /* the receiver has it; else: the sender knows of the arrival */
    size_t what, message;
} plani_notice_t;

struct plani_simulation {
    const plan_platform_t *pf;
    const plan_platform_data_t *d;
    plani_cost_cache_t *costs;
    double *place;                         /* [nresources] position on routes: lower is nearer to the sender */
    plani_station_t *station;              /* [nstations] */
    size_t nstations, station_room, fixed; /* the first `fixed` are ports and resources; then links of routes */
    size_t *station_of;                    /* [nlinks] of a link; 0: none */
    size_t *link_of;                       /* [link_room] of the stations from `fixed` on */
    size_t link_room;
    plani_stop_t *stop;
    size_t nstops, stop_room;
    plani_route_t *route;
    size_t nroutes, route_room;
    plani_message_t *message; /* [message_room] as the next two */
    size_t *idle;             /* free entries of message[] */
    plani_event_t *event;     /* a heap: of the messages that wait at one station it has the first */
    size_t nmessages, nidle, nevents, message_room;
    size_t order;     /* number of events so far */
    double now;       /* [s] */
    size_t now_order; /* of the current event */
    bool shared;      /* inside hosts slices go through shared memory */
};

/** Whether an earlier simulation of as many slices can be extrapolated to this message: it has more slices, all of
 * equal size. */
static inline bool plani_extrapolates(const plani_extrapolation_t *from, size_t slices, plani_cut_t cut)
{
    return from != NULL && from->slices == slices && slices < cut.n && cut.last == cut.full;
}

static inline double plani_extrapolate(const plani_extrapolation_t *from, plani_cut_t cut)
{
    return from->end + (double)(cut.n - from->slices) * from->period;
}

/** ---- network.c ---- Reset: all stations are idle, token buckets are full, and there are no routes. */
void plani_network_clear(plani_simulation_t *x);
/** Add a route over a link for messages of `bytes`, the size of `row` where there is a row; `siblings`: number of such
 * messages that the sender sends at once. */
plan_status_t plani_network_route(plani_simulation_t *x, size_t link, plani_cost_row_t *row, double bytes, int siblings,
                                  size_t *route);
/** Send a message now; `first`: to its receiver. */
plan_status_t plani_network_send(plani_simulation_t *x, size_t route, bool first, size_t what);
/** Advance to the next notice. \return false: there is none */
bool plani_network_next(plani_simulation_t *x, plani_notice_t *notice);
/** Whether the sender of a message that has arrived knows of that by now. */
static inline bool plani_network_is_known(const plani_simulation_t *x, size_t message)
{
    const plani_message_t *m = &x->message[message];
    return m->at < x->now || (m->at == x->now && m->order < x->now_order);
}
/** There will be a notice when its sender knows of the arrival, which is not known yet. */
void plani_network_announce(plani_simulation_t *x, size_t message);
/** Whoever has had a notice of the arrival does this once nothing more is asked of the message. */
void plani_network_forget(plani_simulation_t *x, size_t message);

#endif
