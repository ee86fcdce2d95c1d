/* What the closed forms of Pjesivac-Grbovic et al. 2007 are functions of. */
#ifndef PLANBCAST_MODELS_CLOSED_FORMS_H
#define PLANBCAST_MODELS_CLOSED_FORMS_H

#include <planbcast/models.h>
#include "planner/cost/curve.h"

/* One point: P ranks, n segments of m bytes; the parameters of each model at m. */
typedef struct {
    const plan_network_t *network;
    double P, n, m, whole;          /* whole: bytes of the message */
    double floor_log, ceil_log, up; /* floor(log2 P), ceil(log2 P), ceil(log2(P + 1)) */
    int power_of_two;
} plani_point_t;

typedef double plani_instance_t(const plani_point_t *x);

typedef struct {
    const char *algorithm;
    plani_instance_t *instance[PLAN_NETWORK_MODELS];
} plani_forms_t;

/* The algorithms of each collective, ended by one without a name. */
extern const plani_forms_t plani_barrier_forms[], plani_broadcast_forms[], plani_reduce_forms[], plani_alltoall_forms[];

/* Hockney's p2p time and its parts; PLogP's parameters. */
double plani_alpha(const plani_point_t *x, double bytes);
double plani_beta(const plani_point_t *x, double bytes);
double plani_gap(const plani_point_t *x, double bytes);
double plani_send_overhead(const plani_point_t *x, double bytes);
double plani_receive_overhead(const plani_point_t *x, double bytes);

/* LogGP's (m - 1) G; an empty message has no byte to wait for. */
static inline double plani_stream(const plani_point_t *x, double bytes)
{
    return (bytes > 1 ? bytes - 1 : 0) * x->network->loggp.G;
}

#endif
