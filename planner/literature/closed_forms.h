/* The closed forms of Pjesivac-Grbovic et al. 2007, and their arguments. */
#ifndef LIT_CLOSED_FORMS_H
#define LIT_CLOSED_FORMS_H

#include "planner/literature/models.h"
#include "planner/cost/curve.h"

/* One point: P ranks, n segments of m bytes; the parameters of each model at m. */
typedef struct {
    const lit_network_t *network;
    double P, n, m, whole;          /* whole: bytes of the message */
    double floor_log, ceil_log, up; /* floor(log2 P), ceil(log2 P), ceil(log2(P + 1)) */
    int power_of_two;
} lit_point_t;

typedef double lit_form_t(const lit_point_t *x);

typedef struct {
    const char *algorithm;
    lit_form_t *by[LIT_MODELS];
} lit_forms_t;

/* The algorithms of each collective, ended by one without a name. */
extern const lit_forms_t lit_barrier_forms[], lit_broadcast_forms[], lit_reduce_forms[], lit_alltoall_forms[];

/* Hockney's p2p time and its parts; PLogP's parameters. */
double lit_alpha(const lit_point_t *x, double bytes);
double lit_beta(const lit_point_t *x, double bytes);
double lit_gap(const lit_point_t *x, double bytes);
double lit_send_overhead(const lit_point_t *x, double bytes);
double lit_receive_overhead(const lit_point_t *x, double bytes);

/* LogGP's (m - 1) G; an empty message has no byte to wait for. */
static inline double lit_stream(const lit_point_t *x, double bytes)
{
    return (bytes > 1 ? bytes - 1 : 0) * x->network->loggp.G;
}

#endif
