/*
 * Barriers: Pjesivac-Grbovic et al. 2007, Table 1.
 *
 * Recursive doubling takes floor(log2 P) + 2 steps if P is not a power of two: ranks beyond the largest power of two
 * need one step before and one after. The table has that for LogGP and PLogP; its Hockney row and the text have a
 * ceiling, and are corrected here.
 */
#include "planner/literature/closed_forms.h"

static double loggp_step(const lit_point_t *x)
{
    return x->network->loggp.L + x->network->loggp.o + x->network->loggp.g;
}

static double plogp_step(const lit_point_t *x)
{
    return x->network->plogp.L + lit_gap(x, 0);
}

static double doubling_steps(const lit_point_t *x)
{
    return x->power_of_two ? x->floor_log : x->floor_log + 2;
}

static double linear_hockney(const lit_point_t *x)
{
    return (x->P - 1) * lit_alpha(x, 0);
}

static double linear_loggp(const lit_point_t *x) /* the paper's minimum */
{
    return (x->P - 2) * x->network->loggp.g + 2 * (x->network->loggp.L + 2 * x->network->loggp.o);
}

static double linear_plogp(const lit_point_t *x)
{
    return x->P * lit_gap(x, 0) + 2 * x->network->plogp.L;
}

static double ring_hockney(const lit_point_t *x)
{
    return 2 * x->P * lit_alpha(x, 0);
}

static double ring_loggp(const lit_point_t *x)
{
    return 2 * x->P * loggp_step(x);
}

static double ring_plogp(const lit_point_t *x)
{
    return 2 * x->P * plogp_step(x);
}

static double doubling_hockney(const lit_point_t *x)
{
    return doubling_steps(x) * lit_alpha(x, 0);
}

static double doubling_loggp(const lit_point_t *x)
{
    return doubling_steps(x) * loggp_step(x);
}

static double doubling_plogp(const lit_point_t *x)
{
    return doubling_steps(x) * plogp_step(x);
}

static double bruck_hockney(const lit_point_t *x)
{
    return x->ceil_log * lit_alpha(x, 0);
}

static double bruck_loggp(const lit_point_t *x)
{
    return x->ceil_log * loggp_step(x);
}

static double bruck_plogp(const lit_point_t *x)
{
    return x->ceil_log * plogp_step(x);
}

const lit_forms_t lit_barrier_forms[] = {
    {"linear", {linear_hockney, linear_loggp, linear_plogp}},
    {"double_ring", {ring_hockney, ring_loggp, ring_plogp}},
    {"recursive_doubling", {doubling_hockney, doubling_loggp, doubling_plogp}},
    {"bruck", {bruck_hockney, bruck_loggp, bruck_plogp}},
    {NULL, {NULL}},
};
