/* All to all: Pjesivac-Grbovic et al. 2007, Table 4. Pairwise exchange sends whole messages. */
#include "planner/literature/closed_forms.h"

static double turns(const lit_point_t *x) /* the linear algorithm's messages beyond the first of each rank */
{
    return (x->P - 1) * (x->n * x->P + 1 - x->P / 2);
}

static double linear_hockney(const lit_point_t *x)
{
    return x->P * (lit_alpha(x, x->m) + x->m * lit_beta(x, x->m)) + turns(x) * lit_alpha(x, x->m);
}

static double linear_loggp(const lit_point_t *x)
{
    return x->P * (x->network->loggp.L + 2 * x->network->loggp.o) +
           turns(x) * (x->network->loggp.g + lit_stream(x, x->m));
}

static double linear_plogp(const lit_point_t *x)
{
    return x->P * x->network->plogp.L + turns(x) * lit_gap(x, x->m);
}

static double pairwise_hockney(const lit_point_t *x)
{
    return (x->P - 1) * (lit_alpha(x, x->whole) + x->whole * lit_beta(x, x->whole));
}

static double pairwise_loggp(const lit_point_t *x)
{
    return (x->P - 1) * (x->network->loggp.L + x->network->loggp.o + lit_stream(x, x->whole) + x->network->loggp.g);
}

static double pairwise_plogp(const lit_point_t *x)
{
    return (x->P - 1) * (x->network->plogp.L + lit_gap(x, x->whole));
}

const lit_forms_t lit_alltoall_forms[] = {
    {"linear", {linear_hockney, linear_loggp, linear_plogp}},
    {"pairwise", {pairwise_hockney, pairwise_loggp, pairwise_plogp}},
    {NULL, {NULL}},
};
