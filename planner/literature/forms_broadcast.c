/*
 * Broadcasts: Pjesivac-Grbovic et al. 2007, Table 2. Two entries are corrected, as misprints. Binary by LogGP lacks the
 * factor n - 1 before its last term, which split-binary has. Split-binary by PLogP lacks the exchange of halves,
 * L + g(m / 2), which the other two models have, and the rounding of n / 2. Hockney's binary trees count the latency of
 * both children and the bytes of one, as printed.
 */
#include "planner/literature/closed_forms.h"
#include <math.h>

static double hockney(const lit_point_t *x) /* one segment */
{
    return lit_alpha(x, x->m) + x->m * lit_beta(x, x->m);
}

static double loggp_first(const lit_point_t *x) /* one segment, from end to end */
{
    return x->network->loggp.L + 2 * x->network->loggp.o + lit_stream(x, x->m);
}

static double loggp_next(const lit_point_t *x) /* until the next segment may leave */
{
    return x->network->loggp.g + lit_stream(x, x->m);
}

static double gap(const lit_point_t *x)
{
    return lit_gap(x, x->m);
}

static double L(const lit_point_t *x)
{
    return x->network->plogp.L;
}

static double linear_hockney(const lit_point_t *x)
{
    return x->n * (x->P - 1) * hockney(x);
}

static double linear_loggp(const lit_point_t *x)
{
    const double o = x->network->loggp.o, g = x->network->loggp.g;
    return x->network->loggp.L + 2 * o - g + x->n * (x->P - 1) * loggp_next(x);
}

static double linear_plogp(const lit_point_t *x)
{
    return L(x) + x->n * (x->P - 1) * gap(x);
}

static double pipeline_hockney(const lit_point_t *x)
{
    return (x->P + x->n - 2) * hockney(x);
}

static double pipeline_loggp(const lit_point_t *x)
{
    return (x->P - 1) * loggp_first(x) + (x->n - 1) * loggp_next(x);
}

static double pipeline_plogp(const lit_point_t *x)
{
    return (x->P - 1) * (L(x) + gap(x)) + (x->n - 1) * gap(x);
}

static double binomial_hockney(const lit_point_t *x)
{
    return x->ceil_log * x->n * hockney(x);
}

static double binomial_loggp(const lit_point_t *x)
{
    return x->ceil_log * (loggp_first(x) + (x->n - 1) * loggp_next(x));
}

static double binomial_plogp(const lit_point_t *x)
{
    return x->ceil_log * (L(x) + x->n * gap(x));
}

static double both_children(const lit_point_t *x) /* Hockney, as printed */
{
    return 2 * lit_alpha(x, x->m) + x->m * lit_beta(x, x->m);
}

/* PLogP: a rank with two children sends twice, or it receives, sends and starts to send again. */
static double binary_pace(const lit_point_t *x)
{
    return fmax(2 * gap(x), lit_receive_overhead(x, x->m) + gap(x) + lit_send_overhead(x, x->m));
}

static double binary_hockney(const lit_point_t *x)
{
    return (x->up + x->n - 2) * both_children(x);
}

static double binary_loggp(const lit_point_t *x)
{
    double level = x->network->loggp.L + 2 * (x->network->loggp.o + loggp_next(x));
    return (x->up - 1) * level + (x->n - 1) * 2 * loggp_next(x);
}

static double binary_plogp(const lit_point_t *x)
{
    return (x->up - 1) * (L(x) + 2 * gap(x)) + (x->n - 1) * binary_pace(x);
}

static double split_hockney(const lit_point_t *x)
{
    double half = x->whole / 2;
    return (x->up + ceil(x->n / 2) - 2) * both_children(x) + lit_alpha(x, half) + half * lit_beta(x, half);
}

static double split_loggp(const lit_point_t *x)
{
    const double g = x->network->loggp.g, o = x->network->loggp.o, latency = x->network->loggp.L;
    double level = latency + g + 2 * (o + lit_stream(x, x->m));
    double exchange = latency + 2 * o + lit_stream(x, x->whole / 2);
    return (x->up - 1) * level + 2 * (ceil(x->n / 2) - 1) * loggp_next(x) + exchange;
}

static double split_plogp(const lit_point_t *x)
{
    double exchange = L(x) + lit_gap(x, x->whole / 2);
    return (x->up - 1) * (L(x) + 2 * gap(x)) + (ceil(x->n / 2) - 1) * binary_pace(x) + exchange;
}

const lit_forms_t lit_broadcast_forms[] = {
    {"linear", {linear_hockney, linear_loggp, linear_plogp}},
    {"pipeline", {pipeline_hockney, pipeline_loggp, pipeline_plogp}},
    {"binomial", {binomial_hockney, binomial_loggp, binomial_plogp}},
    {"binary", {binary_hockney, binary_loggp, binary_plogp}},
    {"split_binary", {split_hockney, split_loggp, split_plogp}},
    {NULL, {NULL}},
};
