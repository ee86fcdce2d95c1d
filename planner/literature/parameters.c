/* Parameters of the models of Pjesivac-Grbovic et al. 2007 at a message size. */
#include "planner/literature/closed_forms.h"

double lit_alpha(const lit_point_t *x, double bytes)
{
    return plani_curve(x->network->hockney.n, x->network->hockney.bytes, x->network->hockney.alpha_s, bytes);
}

double lit_beta(const lit_point_t *x, double bytes)
{
    return plani_curve(x->network->hockney.n, x->network->hockney.bytes, x->network->hockney.beta_s_per_byte, bytes);
}

double lit_gap(const lit_point_t *x, double bytes)
{
    return plani_curve(x->network->plogp.n, x->network->plogp.bytes, x->network->plogp.g_s, bytes);
}

double lit_send_overhead(const lit_point_t *x, double bytes)
{
    return plani_curve(x->network->plogp.n, x->network->plogp.bytes, x->network->plogp.os_s, bytes);
}

double lit_receive_overhead(const lit_point_t *x, double bytes)
{
    return plani_curve(x->network->plogp.n, x->network->plogp.bytes, x->network->plogp.or_s, bytes);
}
