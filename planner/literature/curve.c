/* Curves over the message size, and the parameters that are such curves. */
#include "planner/literature/closed_forms.h"
#include <gsl/gsl_interp.h>

double plani_curve(size_t n, const double *bytes, const double *y, double at)
{
    if (n == 1 || at <= bytes[0]) return y[0];
    size_t low = gsl_interp_bsearch(bytes, at, 0, n - 1);
    double slope = (y[low + 1] - y[low]) / (bytes[low + 1] - bytes[low]);
    if (at > bytes[n - 1]) return y[n - 1] + (slope > 0 ? slope : 0) * (at - bytes[n - 1]);
    return y[low] + slope * (at - bytes[low]);
}

double plani_alpha(const plani_point_t *x, double bytes)
{
    return plani_curve(x->network->hockney.n, x->network->hockney.bytes, x->network->hockney.alpha_s, bytes);
}

double plani_beta(const plani_point_t *x, double bytes)
{
    return plani_curve(x->network->hockney.n, x->network->hockney.bytes, x->network->hockney.beta_s_per_byte, bytes);
}

double plani_gap(const plani_point_t *x, double bytes)
{
    return plani_curve(x->network->plogp.n, x->network->plogp.bytes, x->network->plogp.g_s, bytes);
}

double plani_send_overhead(const plani_point_t *x, double bytes)
{
    return plani_curve(x->network->plogp.n, x->network->plogp.bytes, x->network->plogp.os_s, bytes);
}

double plani_receive_overhead(const plani_point_t *x, double bytes)
{
    return plani_curve(x->network->plogp.n, x->network->plogp.bytes, x->network->plogp.or_s, bytes);
}
