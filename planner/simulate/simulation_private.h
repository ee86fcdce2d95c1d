/* Messages on their way, for planner/simulate alone. */
#ifndef PLANI_SIMULATION_PRIVATE_H
#define PLANI_SIMULATION_PRIVATE_H

#include <stdbool.h>
#include "lib/base/base.h"
#include "planner/simulate/simulation.h"
#include "planner/cost/cost.h"

/**
 * Where messages queue, first come, first served: the ports of the ranks, the resources, and where a rank has several
 * ports the links. Time is counted in seconds of the station's work, as in bucket.c: what is saved up passes at once.
 */
typedef struct {
    double burst; /* [s] */
    double until; /* when it will have done all that has come so far */
} plani_station_t;

/** A message holds a station for `hold` seconds, and takes `pass` >= hold to go by; for `wake` at least, both, if its
 * receiver has waited for it and has had none before. */
typedef struct {
    size_t station;
    double hold, pass, wake;
} plani_stop_t;

/** What messages of one size do on one link. */
typedef struct {
    size_t first, end; /* stops */
    double flight;     /* [s] after the last of them */
    double word;       /* [s] after that until the sender knows */
    bool fluid;
    size_t pieces; /* that a message goes in, so that others get between */
} plani_route_t;

/** A message under way. */
typedef struct {
    size_t route, stop, piece;
    double tail;  /* when its last byte has left the last stop [s] */
    size_t what;  /* the sender's own mark */
    bool wakes;   /* its receiver */
    bool arrived; /* only its sender has to learn of it */
} plani_message_t;

typedef struct {
    double at;    /* [s] */
    size_t order; /* of equals the first that was noted comes first */
    size_t message;
} plani_event_t;

typedef struct {
    bool arrived; /* the receiver has it; else: the sender knows so */
    size_t what;
} plani_notice_t;

struct plani_simulation {
    const plan_platform_t *pf;
    const plan_platform_data_t *d;
    double *place;            /* [nresources] on the way of a message: the lower, the nearer to its sender */
    plani_station_t *station; /* [nstations] */
    size_t nstations;
    plani_stop_t *stop;
    size_t nstops, stop_room;
    plani_route_t *route;
    size_t nroutes, route_room;
    plani_message_t *message;
    size_t nmessages, message_room, *idle, nidle; /* idle [message_room]: those that may be used again */
    plani_event_t *event;                         /* a heap */
    size_t nevents, event_room, order;
    double now; /* [s] */
};

/** Whether what was simulated tells of a message, of whose slices so many would be simulated: no slice of them is a
 * short one. */
static inline bool plani_extrapolates(const plani_extrapolation_t *from, size_t slices, plani_cut_t cut)
{
    return from != NULL && from->slices == slices && slices < cut.n && cut.last == cut.full;
}

static inline double plani_extrapolate(const plani_extrapolation_t *from, plani_cut_t cut)
{
    return from->end + (double)(cut.n - from->slices) * from->period;
}

/** ---- network.c ---- All stations are idle and rested; there are no routes. */
void plani_network_clear(plani_simulation_t *x);
/** A route over a link for messages of `bytes`; `crowd`: how many such messages their sender sends at once. */
plan_status_t plani_network_route(plani_simulation_t *x, size_t link, double bytes, int crowd, size_t *route);
/** Now a message goes, and wakes its receiver or finds it at work. */
plan_status_t plani_network_send(plani_simulation_t *x, size_t route, bool wakes, size_t what);
/** Go on to the next notice. \return false: there is none */
bool plani_network_next(plani_simulation_t *x, plani_notice_t *notice);

#endif
