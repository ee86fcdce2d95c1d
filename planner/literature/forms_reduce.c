/* Reductions: Pjesivac-Grbovic et al. 2007, Table 3. gamma is the time to combine one byte. */
#include "planner/literature/closed_forms.h"
#include <math.h>

static double combine(const lit_point_t *x)
{
    return x->network->gamma_s_per_byte * x->m;
}

static double hockney(const lit_point_t *x) /* one segment, combined */
{
    return lit_alpha(x, x->m) + x->m * lit_beta(x, x->m) + combine(x);
}

static double taken(const lit_point_t *x) /* PLogP: until the receiver is ready again */
{
    return fmax(lit_gap(x, x->m), lit_receive_overhead(x, x->m) + combine(x));
}

static double linear_hockney(const lit_point_t *x)
{
    return x->n * (x->P - 1) * hockney(x);
}

static double linear_loggp(const lit_point_t *x)
{
    const double o = x->network->loggp.o, G = lit_stream(x, x->m);
    return o + G + x->network->loggp.L + x->n * fmax(x->network->loggp.g, (x->P - 1) * (o + G + combine(x)));
}

static double linear_plogp(const lit_point_t *x)
{
    return x->network->plogp.L + (x->P - 1) * x->n * taken(x);
}

static double pipeline_hockney(const lit_point_t *x)
{
    return (x->P + x->n - 2) * hockney(x);
}

static double pipeline_loggp(const lit_point_t *x)
{
    double held = 2 * x->network->loggp.o + lit_stream(x, x->m) + combine(x);
    return (x->P - 1) * (x->network->loggp.L + held) + (x->n - 1) * fmax(x->network->loggp.g, held);
}

static double pipeline_plogp(const lit_point_t *x)
{
    return (x->P - 1) * (x->network->plogp.L + taken(x)) + (x->n - 1) * (taken(x) + lit_send_overhead(x, x->m));
}

static double binomial_hockney(const lit_point_t *x)
{
    return x->n * x->ceil_log * hockney(x);
}

static double binomial_loggp(const lit_point_t *x)
{
    const double o = x->network->loggp.o, G = lit_stream(x, x->m);
    double pace = fmax(G + x->network->loggp.g, o + combine(x));
    return x->ceil_log * ((x->n - 1) * pace + o + x->network->loggp.L + fmax(G, combine(x)));
}

static double binomial_plogp(const lit_point_t *x)
{
    return x->ceil_log * (x->network->plogp.L + x->n * taken(x));
}

static double binary_hockney(const lit_point_t *x)
{
    return 2 * (x->up + x->n - 2) * hockney(x);
}

static double binary_loggp(const lit_point_t *x) /* as printed: every level takes all segments */
{
    const double o = x->network->loggp.o, G = lit_stream(x, x->m), twice = 2 * combine(x);
    double pace = G + fmax(x->network->loggp.g, 3 * o + twice);
    return (x->up - 1) * (x->network->loggp.L + 3 * o + G + twice + (x->n - 1) * pace);
}

static double binary_plogp(const lit_point_t *x)
{
    return (x->up - 1) * (x->network->plogp.L + 2 * taken(x)) +
           (x->n - 1) * (lit_send_overhead(x, x->m) + 2 * taken(x));
}

const lit_forms_t lit_reduce_forms[] = {
    {"linear", {linear_hockney, linear_loggp, linear_plogp}},
    {"pipeline", {pipeline_hockney, pipeline_loggp, pipeline_plogp}},
    {"binomial", {binomial_hockney, binomial_loggp, binomial_plogp}},
    {"binary", {binary_hockney, binary_loggp, binary_plogp}},
    {NULL, {NULL}},
};
